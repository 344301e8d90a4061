"""SARI and MAX-SARI: the kernel against its twin, the example of the authors, published scores."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import Corpus, Hypothesis, Sentence
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.sari import SARI, MaxSARI
from geceval.model import annotation_from_target
from oracles import ngrams as oracle

Words = tuple[str, ...]
Case = tuple[Words, Words, list[Words]]

TOKENS = st.lists(st.sampled_from("abBcÄä"), max_size=9).map(tuple)
CASES = st.tuples(TOKENS, TOKENS, st.lists(TOKENS, max_size=4))

SOURCE = "About 95 species are currently accepted ."
REFERENCES = (
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
)


def words(text: str) -> Words:
    return tuple(text.split())


def corpus_of(cases: list[Case]) -> tuple[Corpus, Hypothesis]:
    sentences = (
        Sentence(
            source,
            tuple(annotation_from_target(str(i), source, ref) for i, ref in enumerate(refs)),
        )
        for source, _, refs in cases
    )
    return Corpus(tuple(sentences)), Hypothesis("h", tuple(hyp for _, hyp, _ in cases))


@settings(max_examples=250)
@given(st.lists(CASES, max_size=4))
def test_sari_equals_oracle(cases: list[Case]) -> None:
    corpus, hypothesis = corpus_of(cases)
    score = SARI().score(corpus, hypothesis)
    known = [case for case in cases if case[2]]
    parts = [oracle.sari_parts(*case) for case in known]
    values = [fmean(one) for one in parts]
    view = score.sentences
    annotated = [bool(refs) for *_, refs in cases]
    assert view.values[annotated].tolist() == pytest.approx(values, abs=1e-12)
    for place, name in enumerate(("keep", "delete", "add")):
        expected = [one[place] for one in parts]
        assert view.parts[name][annotated].tolist() == pytest.approx(expected, abs=1e-12)
    assert score.value == pytest.approx(fmean(values) if values else 0.0, abs=1e-12)


@settings(max_examples=250)
@given(st.lists(CASES, max_size=4))
def test_max_sari_equals_oracle(cases: list[Case]) -> None:
    corpus, hypothesis = corpus_of(cases)
    score = MaxSARI().score(corpus, hypothesis)
    values = [oracle.max_sari(*case) for case in cases if case[2]]
    assert score.value == pytest.approx(fmean(values) if values else 0.0, abs=1e-12)
    for chosen, value, (source, hyp, refs) in zip(
        score.sentences.chosen, score.sentences.values, cases, strict=True
    ):
        if refs:
            assert oracle.sari(source, hyp, [refs[chosen]]) == pytest.approx(value, abs=1e-12)
        else:
            assert chosen == -1
            assert np.isnan(value)


@settings(max_examples=100)
@given(st.lists(CASES, min_size=1, max_size=6), st.integers(0, 99))
def test_sari_resample_equals_aggregate(cases: list[Case], seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, len(cases), size=(5, len(cases)))
    for metric in (SARI(), MaxSARI()):
        statistics = metric.statistics(*corpus_of(cases))
        expected = [metric.aggregate(statistics.take(row)).value for row in rows]
        assert metric.resample(statistics, rows).tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ("About 95 you now get in .", 0.26828),
        ("About 95 species are now agreed .", 0.58900),
        ("About 95 species are currently agreed .", 0.50716),
    ],
)
def test_sari_example_of_the_authors(output: str, value: float) -> None:
    case: Case = (words(SOURCE), words(output), list(map(words, REFERENCES)))
    assert SARI().score(*corpus_of([case])).value == pytest.approx(value, abs=5e-6)


def test_sari_published_scores(shared_data: Path) -> None:
    """Every sentence of one system, with the two references of CoNLL-2014."""
    folder = shared_data / "conll14"
    corpus = load(
        folder / "systems" / "INPUT.txt",
        *(folder / "gold" / f"official-2014.ref{i}.txt" for i in (0, 1)),
        format="parallel",
        findings=Findings(),
    )
    with (folder / "scores" / "sari-AMU.tsv").open(encoding="utf-8") as file:
        expected = [float(row["sari"]) for row in csv.DictReader(file, delimiter="\t")]
    hypothesis = load_hypothesis(folder / "systems" / "AMU.txt", findings=Findings())
    score = SARI(jobs=2).score(corpus, hypothesis)
    assert score.sentences.values.tolist() == pytest.approx(expected, abs=1e-12)
    assert score.value == pytest.approx(0.415655, abs=5e-7)


def test_sari_nothing_to_change_is_a_third() -> None:
    """Adding and deleting are not defined then, and 0."""
    same = words("All is well here .")
    for metric in (SARI(), MaxSARI()):
        score = metric.score(*corpus_of([(same, same, [same, same])]))
        assert score.value == pytest.approx(1 / 3)
        assert score.parts == pytest.approx({"keep": 1.0, "delete": 0.0, "add": 0.0})


def test_max_sari_is_at_its_best_with_any_reference() -> None:
    """SARI may prefer a mixture to each of the references; that is why there is MAX-SARI."""
    source = words("a b c d e f g")
    refs = [words("x b c d e f g"), words("a b c d e f y")]
    mixture = words("x b c d e f y")
    values = [
        [metric.score(*corpus_of([(source, output, refs)])).value for output in (*refs, mixture)]
        for metric in (SARI(), MaxSARI())
    ]
    assert values[1][0] == values[1][1] > values[1][2]
    assert values[0][2] > values[0][0]


def test_sari_one_reference_is_max_sari() -> None:
    cases: list[Case] = [(words("a b c"), words("a c d"), [words("a d c b")])]
    assert SARI().score(*corpus_of(cases)).value == MaxSARI().score(*corpus_of(cases)).value


def test_sari_ignores_case() -> None:
    cases: list[Case] = [(words("The Cat"), words("THE CATS"), [words("the cats")])]
    lower: list[Case] = [(words("the cat"), words("the cats"), [words("the cats")])]
    assert SARI().score(*corpus_of(cases)).value == SARI().score(*corpus_of(lower)).value


def test_sari_signature_tells_the_variant() -> None:
    case: Case = (words("a"), words("a"), [words("a")])
    signature = SARI(missing="noop").score(*corpus_of([case])).signature
    assert "|order:4|case:lower|undefined:0|missing:noop|" in signature


def test_sari_empty_corpus() -> None:
    for metric in (SARI(), MaxSARI()):
        score = metric.score(Corpus(()), Hypothesis("h", ()))
        assert (score.value, len(score.sentences.values)) == (0.0, 0)
