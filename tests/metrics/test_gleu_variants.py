"""GLEU with the rules of other implementations: their twins, and their scores."""

from __future__ import annotations

from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import Corpus, Hypothesis, OptionError, Sentence
from geceval.metrics.gleu.metric import GLEU
from geceval.metrics.gleu.samples import sample_references
from oracles import gleu_variants as oracle
from oracles import ngrams as official
from text_cases import (
    SYSTEMS,
    Case,
    cases,
    conll_corpus,
    conll_corpus_with_absent_unchanged,
    conll_output,
    conll_rows,
    corpus_of,
    full_cases,
    toy,
    words,
)

USUAL = "order:4|references:drawn|draws:500|seeds:101j|missing:absent"
GEC_METRICS = {"gec-metrics": True, "gec-metrics-official": False}
"""Whether the numerator is that of the formula."""


def twin(some: list[Case], *, formula: bool, empty_length: int) -> list[list[official.GleuCounts]]:
    return [
        [oracle.counts(src, hyp, ref, formula=formula, empty_length=empty_length) for ref in refs]
        for src, hyp, refs in some
        if refs
    ]


def known(score: Any) -> list[float]:
    values = score.sentences.values
    return list(values[~np.isnan(values)])


# Against the twins.


@settings(max_examples=200)
@given(full_cases(), st.sampled_from(sorted(GEC_METRICS)), st.integers(1, 12))
def test_gleu_gec_metrics_equals_oracle(some: list[Case], name: Any, iterations: int) -> None:
    counts = twin(some, formula=GEC_METRICS[name], empty_length=1)
    score = GLEU(variant=name, iterations=iterations).score(*corpus_of(some))
    assert score.value == pytest.approx(oracle.sampled(counts, iterations), abs=1e-12)
    sentences = [fmean(map(oracle.score, by_ref)) for by_ref in counts]
    assert known(score) == pytest.approx(sentences, abs=1e-12)
    assert score.parts["mean_sentence"] == pytest.approx(fmean(sentences), abs=1e-12)


@settings(max_examples=200)
@given(cases())
def test_gleu_best_reference_equals_oracle(some: list[Case]) -> None:
    counts = twin(some, formula=False, empty_length=0)
    best = [by_ref[oracle.choose(by_ref)] for by_ref in counts]
    score = GLEU(variant="koyama-max").score(*corpus_of(some))
    chosen = [number for number in score.sentences.chosen if number >= 0]
    assert chosen == list(map(oracle.choose, counts))
    assert known(score) == pytest.approx(list(map(oracle.score, best)), abs=1e-12)
    total = [sum(column) for column in zip(*best, strict=True)] or [0] * 10
    assert score.value == pytest.approx(oracle.corpus_score(total), abs=1e-12)


@settings(max_examples=200)
@given(cases(), st.booleans())
def test_gleu_expected_counts_of_the_formula(some: list[Case], formula: bool) -> None:
    counts = twin(some, formula=formula, empty_length=0)
    means = [[fmean(column) for column in zip(*by_ref, strict=True)] for by_ref in counts]
    total = [sum(column) for column in zip(*means, strict=True)] or [0.0] * 10
    options: dict[str, Any] = {"numerator": "formula" if formula else "script"}
    score = GLEU(**options, smoothing="none", references="expected").score(*corpus_of(some))
    assert score.value == pytest.approx(oracle.corpus_score(total), abs=1e-9)


@settings(max_examples=100)
@given(cases(tokens=st.text("ab ", max_size=6).map(lambda text: tuple(text.split()))))
def test_gleu_characters_are_tokens_of_their_own(some: list[Case]) -> None:
    def split(tokens: tuple[str, ...]) -> tuple[str, ...]:
        return tuple("_".join(tokens))

    spelled: list[Case] = [
        (split(src), split(hyp), [split(ref) for ref in refs]) for src, hyp, refs in some
    ]
    (corpus, hypothesis), spelled_corpus = corpus_of(some), corpus_of(spelled)
    by_char = GLEU(unit="char", iterations=3).score(corpus, hypothesis)
    by_word = GLEU(iterations=3).score(*spelled_corpus)
    assert (by_char.value, by_char.parts) == (by_word.value, by_word.parts)


@settings(max_examples=60)
@given(
    cases(),
    st.sampled_from(("koyama", "koyama-max", "gec-metrics", "gec-metrics-official")),
    st.integers(0, 99),
)
def test_gleu_variants_resample_equals_aggregate(some: list[Case], name: Any, seed: int) -> None:
    metric = GLEU(variant=name, iterations=7)
    statistics = metric.statistics(*corpus_of(some))
    rows = np.random.default_rng(seed).integers(0, max(1, len(some)), size=(5, len(some)))
    expected = [metric.aggregate(statistics.take(row)).value for row in rows]
    assert metric.resample(statistics, rows).tolist() == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 30), st.integers(0, 600))
def test_gleu_draws_of_python3(n_places: int, first: int) -> None:
    numbers = (2, 3, 4, 16)
    choices = sample_references(n_places, numbers, first, first + 2, "python3")
    for iteration in (0, 1):
        for table, n_refs in enumerate(numbers):
            generator = Random((first + iteration) * 101)
            expected = [generator.randint(0, n_refs - 1) for _ in range(n_places)]
            assert choices[table, :, iteration].tolist() == expected


# Rules.


def test_gleu_default_is_the_official_one() -> None:
    assert GLEU().configuration() == f"gleu|{USUAL}"
    assert GLEU(variant="official").configuration() == f"gleu|{USUAL}"
    spelled = GLEU(numerator="script", smoothing="ones", draws="python2", references="drawn")
    assert spelled.configuration() == f"gleu|{USUAL}"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"variant": "koyama"}, "order:4|smoothing:none|references:drawn|draws:500|seeds:101j"),
        ({"variant": "koyama-max"}, "order:4|smoothing:none|references:best"),
        (
            {"variant": "gec-metrics"},
            (
                "order:4|numerator:formula|smoothing:none|empty_length:1"
                "|references:drawn|draws:500|seeds:101j-python3"
            ),
        ),
        ({"references": "best", "draws": "python3"}, "order:4|references:best"),
        ({"references": "expected"}, "order:4|references:expected"),
        ({"exact": True, "variant": "koyama-max"}, "order:4|smoothing:none|references:expected"),
        (
            {"unit": "char", "order": 2, "iterations": 3},
            "order:2|unit:char|references:drawn|draws:3|seeds:101j",
        ),
    ],
)
def test_gleu_signature_names_the_rules(options: dict[str, Any], expected: str) -> None:
    assert GLEU(**options).configuration() == f"gleu|{expected}|missing:absent"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "offical"}, "did you mean 'official'"),
        ({"exact": True, "references": "best"}, "exact means that references are 'expected'"),
        ({"numerator": "paper"}, "numerator takes one of script, formula"),
    ],
)
def test_gleu_refuses_wrong_rules(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        GLEU(**options)


def test_gleu_formula_also_penalizes_what_is_less_frequent() -> None:
    """The reference has "a" once, source and output have it twice."""
    some: list[Case] = [(words("a a b"), words("a a b"), [words("a b")])]
    script, formula = (
        GLEU(numerator=numerator, order=1).statistics(*corpus_of(some)).counts[0, 0, 2]
        for numerator in ("script", "formula")
    )
    assert (script, formula) == (2, 1)
    lost: list[Case] = [(words("a b"), words("a b"), [words("c")])] * 2
    assert GLEU(numerator="formula", order=1).statistics(*corpus_of(lost)).counts[0, 0, 2] == -2
    for options in ({}, {"exact": True}, {"references": "best"}):
        score = GLEU(numerator="formula", order=2, **options).score(*corpus_of(lost))
        assert score.value == 0.0


@pytest.mark.parametrize("variant", ["koyama", "koyama-max", "gec-metrics", "gec-metrics-official"])
def test_gleu_empty_output_is_never_perfect(variant: Any) -> None:
    """In gec-metrics, nothing is as long as one word, and equals it."""
    metric = GLEU(variant=variant)
    score = metric.score(*corpus_of([(words("a"), (), [words("a")])]))
    assert (score.value, score.sentences.values.tolist()) == (0.0, [0.0])
    nothing = metric.score(*corpus_of([(words("a"), (), [()])]))
    assert nothing.value == 0.0
    assert nothing.sentences.values[0] == (1.0 if variant.startswith("koyama") else 0.0)


def test_gleu_variants_without_references_score_zero() -> None:
    corpus = Corpus((Sentence(("a", "b")),))
    for variant in ("koyama", "koyama-max", "gec-metrics"):
        score = GLEU(variant=variant).score(corpus, Hypothesis("h", (("a",),)))
        assert (score.value, score.parts["mean_sentence"]) == (0.0, 0.0)
        assert np.isnan(score.sentences.values).all()


def test_gleu_short_corpora_are_scored_without_smoothing() -> None:
    """No sentence has four words: the official score is 0, others ignore these orders."""
    some: list[Case] = [(words("a x"), words("a b"), [words("a b")])]
    found = {name: GLEU(variant=name).score(*corpus_of(some)) for name in ("official", "koyama")}
    assert {name: score.value for name, score in found.items()} == {"official": 0.0, "koyama": 1.0}


def test_gleu_toy_values_of_gec_metrics() -> None:
    some = toy("grammatical")
    formula = GLEU(variant="gec-metrics").score(*corpus_of(some))
    script = GLEU(variant="gec-metrics-official").score(*corpus_of(some))
    assert formula.value == pytest.approx(0.2913773302697463, abs=1e-12)
    assert script.value == pytest.approx(0.369131, abs=5e-7)
    expected = [0.5, 0, 1, 0.2578313459119911]
    assert formula.sentences.values.tolist() == pytest.approx(expected, abs=1e-12)
    assert script.sentences.values[3] == pytest.approx(0.2640485, abs=5e-7)


# The scores of the tools.

COLUMNS: dict[str, str] = {
    "koyama_fixed_seed": "koyama",
    "koyama_max": "koyama-max",
    "koyama_mean_sentence": "koyama",
    "gecmetrics_gleu": "gec-metrics",
    "gecmetrics_gleuofficial": "gec-metrics-official",
    "gecmetrics_gleu_mean_sentence": "gec-metrics",
    "gecmetrics_gleuofficial_mean_sentence": "gec-metrics-official",
}


@pytest.mark.parametrize("name", ["gleuvariants-system.tsv", "gleuvariants-system-noop.tsv"])
def test_gleu_variants_system_scores(shared_data: Path, name: str) -> None:
    is_noop = name == "gleuvariants-system-noop.tsv"
    corpus = (conll_corpus_with_absent_unchanged if is_noop else conll_corpus)(shared_data)
    rows = list(conll_rows(shared_data, name))
    assert [row["system"] for row in rows] == list(SYSTEMS)
    metrics = {variant: GLEU(variant=variant) for variant in {*COLUMNS.values(), "official"}}  # type: ignore[arg-type]
    for row in rows:
        output = conll_output(shared_data, row.pop("system"))
        scores = {variant: metric.score(corpus, output) for variant, metric in metrics.items()}
        for column, expected in row.items():
            score = scores[COLUMNS[column]]
            is_mean = column.endswith("mean_sentence")
            value = score.parts["mean_sentence"] if is_mean else score.value
            assert value == pytest.approx(float(expected), rel=0, abs=1e-12), column
        official_value = float(row["koyama_fixed_seed"])
        assert scores["official"].value == pytest.approx(official_value, rel=0, abs=1e-12)


def test_gleu_variants_sentence_scores(shared_data: Path) -> None:
    corpus = conll_corpus(shared_data)
    columns = {
        "koyama": "koyama",
        "gecmetrics_gleu": "gec-metrics",
        "gecmetrics_gleuofficial": "gec-metrics-official",
    }
    expected: dict[tuple[str, str], list[float]] = {}
    for row in conll_rows(shared_data, "gleuvariants-sentence.tsv.gz"):
        for column in columns:
            expected.setdefault((row["system"], column), []).append(float(row[column]))
    assert len(expected) >= 8 * len(columns)
    for (system, column), values in expected.items():
        metric = GLEU(variant=columns[column], iterations=1)  # type: ignore[arg-type]
        found = metric.score(corpus, conll_output(shared_data, system)).sentences.values
        assert np.abs(found - values).max() < 1e-12
