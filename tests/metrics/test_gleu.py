"""GLEU: the kernel against its twin, drawing references, the official scores."""

from __future__ import annotations

import csv
import math
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import (
    Annotation,
    Corpus,
    Hypothesis,
    OptionError,
    Sentence,
)
from geceval.evaluation.resampling import Resampling, bootstrap
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.gleu import metric as module
from geceval.metrics.gleu.metric import GLEU
from geceval.metrics.gleu.samples import sample_references
from geceval.model import annotation_from_target
from oracles import ngrams as oracle

OFFICIAL = ("AMU", "CAMB", "CUUI", "IITB", "INPUT", "NTHU", "PKU", "RAC", "UFC")

TOKENS = st.lists(st.sampled_from("abc"), max_size=9).map(tuple)
CASES = st.tuples(TOKENS, TOKENS, st.lists(TOKENS, max_size=4))
"""Source, hypothesis, references."""

Case = tuple[tuple[str, ...], tuple[str, ...], list[tuple[str, ...]]]


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def sentence(source: tuple[str, ...], references: list[tuple[str, ...]]) -> Sentence:
    readings = (annotation_from_target(str(i), source, ref) for i, ref in enumerate(references))
    return Sentence(source, tuple(readings))


def corpus_of(cases: list[Case]) -> tuple[Corpus, Hypothesis]:
    corpus = Corpus(tuple(sentence(source, refs) for source, _, refs in cases))
    return corpus, Hypothesis("h", tuple(hyp for _, hyp, _ in cases))


def twin_counts(cases: list[Case], order: int = 4) -> list[list[oracle.GleuCounts]]:
    return [
        [oracle.gleu_counts(src, hyp, ref)[: 2 + 2 * order] for ref in refs]
        for src, hyp, refs in cases
        if refs
    ]


# Against the twin.


@settings(max_examples=500)
@given(st.lists(CASES, max_size=4))
def test_gleu_kernel_equals_oracle(cases: list[Case]) -> None:
    corpus, hypothesis = corpus_of(cases)
    statistics = GLEU().statistics(corpus, hypothesis)
    for number, (source, hyp, refs) in enumerate(cases):
        assert statistics.mask[number].sum() == len(refs)
        for place, ref in enumerate(refs):
            n_hyp, n_ref, *pairs = oracle.gleu_counts(source, hyp, ref)
            expected = [n_hyp, n_ref, *pairs[::2], *pairs[1::2]]
            assert statistics.counts[number, place].tolist() == expected


@settings(max_examples=200)
@given(st.lists(CASES, max_size=6), st.integers(1, 12), st.integers(1, 4))
def test_gleu_score_equals_oracle(cases: list[Case], iterations: int, order: int) -> None:
    corpus, hypothesis = corpus_of(cases)
    counts = twin_counts(cases, order)
    drawn = GLEU(order=order, iterations=iterations).score(corpus, hypothesis)
    exact = GLEU(order=order, exact=True).score(corpus, hypothesis)
    assert [name for name in exact.parts if name.startswith("precision")] == [
        f"precision{n}" for n in range(1, order + 1)
    ]
    if not counts:
        assert (drawn.value, exact.value) == (0.0, 0.0)
        return
    mean, deviation = oracle.sampled_gleu(counts, iterations)
    assert drawn.value == pytest.approx(mean, abs=1e-12)
    assert drawn.parts["sample_sd"] == pytest.approx(deviation, abs=1e-7)
    assert exact.value == pytest.approx(oracle.expected_gleu(counts), abs=1e-12)
    known = [value for value in drawn.sentences.values if not math.isnan(value)]
    assert known == pytest.approx([oracle.sentence_gleu(one) for one in counts])


@settings(max_examples=100)
@given(
    st.lists(CASES, min_size=1, max_size=6), st.integers(0, 99), st.booleans(), st.integers(1, 4)
)
def test_gleu_resample_equals_aggregate(
    cases: list[Case], seed: int, exact: bool, order: int
) -> None:
    metric = GLEU(order=order, exact=exact, iterations=20)
    statistics = metric.statistics(*corpus_of(cases))
    rows = np.random.default_rng(seed).integers(0, len(cases), size=(5, len(cases)))
    expected = [metric.aggregate(statistics.take(row)).value for row in rows]
    assert metric.resample(statistics, rows).tolist() == pytest.approx(expected, abs=1e-12)


@given(st.lists(CASES, min_size=1, max_size=6))
def test_gleu_blocks_of_iterations_change_nothing(cases: list[Case]) -> None:
    corpus, hypothesis = corpus_of(cases)
    expected = GLEU(iterations=30).score(corpus, hypothesis)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 7 * len(cases))
        assert GLEU(iterations=30).score(corpus, hypothesis).parts == expected.parts


def test_gleu_long_sentences_and_far_references() -> None:
    """Sums of 16 bits must be emptied in time, or not be used at all."""
    many = tuple("abcdefghij" * 700)
    more = tuple("abcdefghij" * 4000)
    cases: list[Case] = [(many, many[:5], [many, ("a",)])] * 12 + [(more, more, [more, ("b",)])]
    corpus, hypothesis = corpus_of(cases)
    score = GLEU(iterations=7).score(corpus, hypothesis)
    mean, deviation = oracle.sampled_gleu(twin_counts(cases), 7)
    assert score.value == pytest.approx(mean)
    assert score.parts["sample_sd"] == pytest.approx(deviation)


# Drawing references.


@given(st.integers(0, 30), st.integers(0, 600))
def test_gleu_draws_are_those_of_python(n_places: int, first: int) -> None:
    choices = sample_references(n_places, (2, 3, 16), first, first + 2)
    assert choices.shape == (3, n_places, 2)
    for number in (0, 1):
        generator = random.Random((first + number) * 101)
        draws = [generator.random() for _ in range(n_places)]
        for table, n_refs in enumerate((2, 3, 16)):
            assert choices[table, :, number].tolist() == [int(draw * n_refs) for draw in draws]


def test_gleu_iterations_may_be_few() -> None:
    """With one iteration there is one draw: the first sentence takes its second reference."""
    assert int(random.Random(0).random() * 2) == 1
    source = words("a b c d e")
    right, wrong = words("a b c d f"), words("v w x y z")
    cases: list[Case] = [(source, right, [wrong, right])]
    score = GLEU(iterations=1).score(*corpus_of(cases))
    assert score.value == 1.0
    assert score.parts == {"sample_sd": 0.0, "sample_low": 1.0, "sample_high": 1.0}
    with pytest.raises(OptionError, match="iterations takes an integer from 1 to 1000000, not 0"):
        GLEU(iterations=0)


def test_gleu_order_is_that_of_its_n_grams() -> None:
    """Without any 4-gram, only lower orders can score."""
    cases: list[Case] = [(words("a b x"), words("a b c"), [words("a b c")])]
    assert [GLEU(order=n).score(*corpus_of(cases)).value for n in range(1, 5)] == [1, 1, 1, 0]
    assert "|order:2|" in GLEU(order=2).score(*corpus_of(cases)).signature
    with pytest.raises(OptionError, match="order takes an integer from 1 to 4, not 5"):
        GLEU(order=5)


def test_gleu_single_references_need_no_draws() -> None:
    cases: list[Case] = [(words("a b c d e"), words("a b c d f"), [words("a b c d f g")])] * 3
    score = GLEU().score(*corpus_of(cases))
    exact = GLEU(exact=True).score(*corpus_of(cases))
    assert score.value == pytest.approx(math.exp(1 - 6 / 5))
    assert score.parts["sample_sd"] == 0.0
    assert exact.value == pytest.approx(score.value)
    assert exact.parts == pytest.approx(
        {f"precision{n}": 1.0 for n in (1, 2, 3, 4)} | {"brevity_penalty": math.exp(1 - 6 / 5)}
    )


def test_gleu_unannotated_sentences_take_no_part() -> None:
    """Not even a draw is spent on them."""
    source, one, other = words("a b c d e"), words("a b c d f"), words("a a c d e f")
    cases: list[Case] = [(source, one, [one, other]), (source, other, [one, other])] * 4
    corpus, hypothesis = corpus_of(cases)
    nobody: Case = (source, other, [])
    mixed, longer = corpus_of([nobody, *cases[:3], nobody, *cases[3:], nobody])
    expected = GLEU().score(corpus, hypothesis)
    score = GLEU().score(mixed, longer)
    assert (score.value, score.parts) == (expected.value, expected.parts)
    assert np.isnan(score.sentences.values).nonzero()[0].tolist() == [0, 4, 10]
    metric = GLEU(exact=True)
    assert metric.score(mixed, longer).value == metric.score(corpus, hypothesis).value


def test_gleu_missing_annotators() -> None:
    """Absent, or content with the source."""
    source, other = words("a b c d e"), words("a b c d f")
    readings = (annotation_from_target("0", source, other), Annotation("1"))
    corpus = Corpus((Sentence(source, readings), Sentence(source, readings[:1])))
    unchanged = Hypothesis("h", (source, source))
    absent = GLEU(exact=True).statistics(corpus, unchanged)
    noop = GLEU(exact=True, missing="noop").statistics(corpus, unchanged)
    assert absent.mask.tolist() == [[True, True], [True, False]]
    assert noop.mask.all()
    assert np.array_equal(noop.counts[1], noop.counts[0])
    with pytest.raises(OptionError, match="did you mean 'absent'"):
        GLEU(missing="absnt")  # type: ignore[arg-type]


# Meaning.


def test_gleu_penalizes_what_should_have_been_changed() -> None:
    """Leaving an error alone is worse than a wrong change, which is what sets GLEU apart."""
    source, ref = words("he go to the school now"), words("he went to the school now")
    outputs = ("he went to the school now", "he ran to the school now", "he go to the school now")
    values = [
        GLEU().score(*corpus_of([(source, words(output), [ref])])).value for output in outputs
    ]
    assert values[0] == 1.0
    assert all(more > less for more, less in pairwise(values))


def test_gleu_signature_tells_how_references_are_used() -> None:
    corpus, hypothesis = corpus_of([(words("a b"), words("a c"), [words("a c"), words("b")])])
    assert "|references:drawn|draws:500|seeds:101j|" in GLEU().score(corpus, hypothesis).signature
    exact = GLEU(exact=True).score(corpus, hypothesis).signature
    assert "|references:expected|" in exact
    assert "samples" not in exact


def test_gleu_empty_corpus_and_empty_sentences() -> None:
    empty = GLEU().score(Corpus(()), Hypothesis("h", ()))
    assert (empty.value, len(empty.sentences.values)) == (0.0, 0)
    score = GLEU().score(*corpus_of([((), (), [()])]))
    assert score.value == 0.0
    assert score.sentences.values.tolist() == [1.0]


# The official scores.


@pytest.fixture(scope="module")
def conll(shared_data: Path) -> Corpus:
    folder = shared_data / "conll14"
    references = (folder / "gold" / f"official-2014.ref{i}.txt" for i in (0, 1))
    source = folder / "systems" / "INPUT.txt"
    return load(source, *references, format="parallel", findings=Findings())


@pytest.mark.parametrize("name", OFFICIAL)
def test_gleu_official_scores(conll: Corpus, shared_data: Path, name: str) -> None:
    """All digits of the official sentence and system scores."""
    folder = shared_data / "conll14"
    hypothesis = load_hypothesis(folder / "systems" / f"{name}.txt", findings=Findings())
    score = GLEU(jobs=2).score(conll, hypothesis)
    with (folder / "scores" / "official-gleu-sentence.tsv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["system"] == name]
    assert [f"{value:.4f}" for value in score.sentences.values] == [row["score"] for row in rows]
    with (folder / "scores" / "official-gleu-system.tsv").open(encoding="utf-8") as file:
        systems = {row["system"]: row["score"] for row in csv.DictReader(file, delimiter="\t")}
    assert f"{score.value:.4f}" == systems[name]
    assert GLEU(exact=True).score(conll, hypothesis).value == pytest.approx(score.value, abs=5e-4)


def test_gleu_annotated_gold_equals_plain_references(conll: Corpus, shared_data: Path) -> None:
    """Where the second annotator is absent, the second file repeats the first reference."""
    folder = shared_data / "conll14"
    gold = load(folder / "gold" / "official-2014.combined.m2", findings=Findings())
    hypothesis = load_hypothesis(folder / "systems" / "AMU.txt", findings=Findings())
    annotated, plain = (GLEU().score(corpus, hypothesis) for corpus in (gold, conll))
    assert (annotated.value, annotated.parts) == (plain.value, plain.parts)
    assert np.array_equal(annotated.sentences.values, plain.sentences.values)


def test_gleu_interval_holds_the_score(conll: Corpus, shared_data: Path) -> None:
    path = shared_data / "conll14" / "systems" / "AMU.txt"
    metric = GLEU(iterations=50)
    statistics = metric.statistics(conll, load_hypothesis(path, findings=Findings()))
    interval = bootstrap(metric, statistics, resampling=Resampling(200))
    assert interval.low < metric.aggregate(statistics).value < interval.high
    assert interval.high - interval.low < 0.04
