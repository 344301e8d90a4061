"""Character distances to references and source."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import Corpus, Hypothesis, MismatchError, OptionError, Sentence
from geceval.metrics.levenshtein import LDReference, LDSource, Length
from geceval.model import annotation_from_target
from oracles import ngrams as oracle

Words = tuple[str, ...]
Case = tuple[Words, Words, list[Words]]

TOKENS = st.lists(st.sampled_from(("a", "ab", "b", "ä", "👩‍👧", "the")), max_size=6).map(tuple)
CASES = st.tuples(TOKENS, TOKENS, st.lists(TOKENS, max_size=3))
LENGTHS: st.SearchStrategy[Length] = st.sampled_from(("first", "second"))


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


def similarity(first: Words, second: Words, length: Length) -> float:
    texts = " ".join(first), " ".join(second)
    return 1 - oracle.distance(*texts) / max(1, len(texts[length == "second"]))


@settings(max_examples=150)
@given(st.lists(CASES, max_size=4), LENGTHS)
def test_levenshtein_reference_equals_oracle(cases: list[Case], length: Length) -> None:
    score = LDReference(length=length).score(*corpus_of(cases))
    expected = [
        max((similarity(hyp, ref, length) for ref in refs), default=float("nan"))
        for _, hyp, refs in cases
    ]
    assert score.sentences.values.tolist() == pytest.approx(expected, nan_ok=True)
    known = [value for value in expected if value == value]
    assert score.value == pytest.approx(np.mean(known) if known else 0.0)
    for chosen, value, (_, hyp, refs) in zip(score.sentences.chosen, expected, cases, strict=True):
        assert (chosen == -1) if not refs else (similarity(hyp, refs[chosen], length) == value)


@settings(max_examples=150)
@given(st.lists(CASES, max_size=4), LENGTHS)
def test_levenshtein_source_equals_oracle(cases: list[Case], length: Length) -> None:
    """All sentences take part: no reference is needed."""
    score = LDSource(length=length).score(*corpus_of(cases))
    expected = [similarity(source, hyp, length) for source, hyp, _ in cases]
    assert score.sentences.values.tolist() == pytest.approx(expected)
    assert score.value == pytest.approx(np.mean(expected) if cases else 0.0)


def test_levenshtein_lengths_of_the_paper() -> None:
    """The formula, the text and the code of the paper divide by different lengths."""
    case: Case = (words("abcd"), words("abcdefgh"), [words("abcde")])
    reference = {
        length: LDReference(length=length).score(*corpus_of([case]))
        for length in ("first", "second")
    }
    source = {
        length: LDSource(length=length).score(*corpus_of([case])) for length in ("first", "second")
    }
    assert reference["first"].value == pytest.approx(1 - 3 / 8)
    assert reference["second"].value == pytest.approx(1 - 3 / 5)
    assert source["first"].value == pytest.approx(0.0)
    assert source["second"].value == pytest.approx(1 - 4 / 8)
    assert "|length:output|" in reference["first"].signature
    assert "|length:reference|" in reference["second"].signature
    assert "|length:source|" in source["first"].signature
    assert "|length:output|" in source["second"].signature


def test_levenshtein_empty_texts_count_as_one_character() -> None:
    cases: list[Case] = [((), (), [()]), ((), words("abc"), [()])]
    score = LDReference(length="second").score(*corpus_of(cases))
    assert score.sentences.values.tolist() == [1.0, -2.0]


def test_levenshtein_takes_the_closest_reference() -> None:
    case: Case = (words("a b c"), words("a b d"), [words("x y z"), words("a b e"), words("a b f")])
    score = LDReference().score(*corpus_of([case]))
    assert score.sentences.chosen.tolist() == [1]
    assert score.parts == {"distance": 1.0, "length": 5.0}


def test_levenshtein_missing_annotators() -> None:
    source, other = words("a b c"), words("x y z")
    reading = annotation_from_target("1", source, other)
    changed = Sentence(source, (annotation_from_target("0", source, other), reading))
    corpus = Corpus((changed, Sentence(source, (reading,))))
    hypothesis = Hypothesis("h", (source, source))
    assert LDReference().score(corpus, hypothesis).sentences.chosen.tolist() == [0, 1]
    noop = LDReference(missing="noop").score(corpus, hypothesis)
    assert noop.sentences.values.tolist()[1] == 1.0
    assert noop.sentences.chosen.tolist() == [0, 0]


@pytest.mark.parametrize("kind", [LDReference, LDSource])
def test_levenshtein_refuses_bad_input(kind: type[LDReference | LDSource]) -> None:
    corpus, _ = corpus_of([(words("a"), words("a"), [words("a")])])
    with pytest.raises(MismatchError, match="has 1 sentence but short has 0"):
        kind().score(corpus, Hypothesis("short", ()))
    with pytest.raises(OptionError, match="did you mean 'first'"):
        kind(length="frist")  # type: ignore[arg-type]


@settings(max_examples=50)
@given(st.lists(CASES, min_size=1, max_size=6), st.integers(0, 99))
def test_levenshtein_resample_equals_aggregate(cases: list[Case], seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, len(cases), size=(5, len(cases)))
    for metric in (LDReference(), LDSource()):
        statistics = metric.statistics(*corpus_of(cases))
        expected = [metric.aggregate(statistics.take(row)).value for row in rows]
        assert metric.resample(statistics, rows).tolist() == expected
