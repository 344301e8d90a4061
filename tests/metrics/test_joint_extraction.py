"""Edits of several systems that are extracted together are those of each by itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import made_up
from geceval import Corpus, Hypothesis, Sentence
from geceval.evaluation.evaluate import evaluate
from geceval.evaluation.resampling import Resampling
from geceval.extraction.annotator import Annotator
from geceval.limits import TooLargeError
from geceval.metrics.errant import Errant, joint_extraction
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.metrics.errant.joint_extraction import JointExtraction
from geceval.model import Edit, Tokens


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("chunk", [1, 7, 512])
def test_edits_are_those_of_each_system(
    jobs: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_extraction, "CHUNK", chunk)
    gold = made_up.corpus(30)
    systems = made_up.systems(gold, "one", "two", "three")
    together = EditExtractor(annotator=Annotator("plain"), jobs=jobs)
    for step in together.steps_for([(gold, system) for system in systems]):
        step()
    assert together.steps_for([(gold, system) for system in systems]) == ()
    alone = EditExtractor(annotator=Annotator("plain"))
    for system in systems:
        assert together.output_edits(gold, system) == alone.output_edits(gold, system)


def test_systems_may_have_other_gold_standards() -> None:
    """As annotators do who are scored against the others."""
    gold = made_up.corpus(20)
    one, two = made_up.systems(gold, "one", "two")
    other = Corpus(tuple(Sentence(sent.tokens) for sent in gold))
    extractor = EditExtractor(annotator=Annotator("plain"))
    steps = extractor.steps_for([(gold, one), (other, two)])
    assert len(steps) == 1
    steps[0]()
    assert extractor.steps_for([(gold, one), (other, two)]) == ()
    assert extractor.output_edits(other, two) == extractor.output_edits(gold, two)


def test_outputs_may_be_for_some_of_the_sentences() -> None:
    """As those of annotators who did not see all; equal outputs share their edits."""
    gold = made_up.corpus(20)
    one, two = made_up.systems(gold, "one", "two")
    some = Corpus(gold.sentences[5:12])
    few = Hypothesis("few", one.sentences[5:12])
    extractor = EditExtractor(annotator=Annotator("plain"))
    for step in extractor.steps_for([(some, few), (gold, one), (gold, two)]):
        step()
    assert extractor.steps_for([(some, few), (gold, one), (gold, two)]) == ()
    alone = EditExtractor(annotator=Annotator("plain"))
    assert extractor.output_edits(gold, two) == alone.output_edits(gold, two)
    shared = extractor.output_edits(gold, one)[5:12]
    assert any(shared)
    for edits, own in zip(extractor.output_edits(some, few), shared, strict=True):
        assert edits is own


def test_nothing_is_loaded_without_something_to_extract() -> None:
    gold = made_up.corpus(3)
    (one,) = made_up.systems(gold, "one")
    with_edits = Hypothesis("edits", gold.sources, ((),) * len(gold))
    short = Hypothesis("short", gold.sources[:1])
    extractor = EditExtractor(model="there is no such model")
    assert extractor.steps_for([(gold, one), (gold, with_edits), (gold, short)]) == ()
    assert extractor.steps_for([]) == ()


def test_a_sentence_that_is_too_large_is_named() -> None:
    gold = Corpus((Sentence(("a",)), Sentence(("b",))))
    systems = [Hypothesis("one", (("x",), ("y",))), Hypothesis("two", (("x",), ("z",)))]

    def annotate(pairs: object) -> Iterator[tuple[tuple[Edit, ...], ...]]:  # noqa: ARG001
        raise TooLargeError("much too large", None, (("b",), ("z",)))
        yield ((),)

    stored: list[object] = []
    outputs = [(gold, one) for one in systems]
    (step,) = JointExtraction(outputs, annotate, lambda *found: stored.append(found)).steps()
    with pytest.raises(TooLargeError, match="two, sentence 2: much too large"):
        step()
    assert not stored


def test_scores_are_those_of_each_system() -> None:
    gold = made_up.corpus(25)
    systems = made_up.systems(gold, "one", "two", "three")
    results = evaluate(gold, systems, [Errant(lang="plain")], resampling=Resampling(0))
    for system, result in zip(systems, results, strict=True):
        expected = Errant(annotator=Annotator("plain")).score(gold, system)
        assert (result.score.value, result.score.parts) == (expected.value, expected.parts)


def test_similar_sentences_are_analyzed_together() -> None:
    """All outputs for a sentence before the next one, and each of them once."""
    asked: list[Tokens] = []
    annotator = Annotator("plain")
    analyze = annotator.analyzer._analyzer.analyze

    def recorded(sentences: list[Tokens]) -> object:
        asked.extend(sentences)
        return analyze(sentences)

    annotator.analyzer._analyzer.analyze = recorded  # type: ignore[method-assign, assignment]
    gold = Corpus((Sentence(("a", "b")), Sentence(("c", "d"))))
    systems = [
        Hypothesis(name, ((name, "b"), ("c", name))) for name in ("one", "two", "three", "two")
    ]
    extractor = EditExtractor(annotator=annotator)
    for step in extractor.steps_for([(gold, system) for system in systems]):
        step()
    first = [("a", "b"), ("one", "b"), ("two", "b"), ("three", "b")]
    second = [("c", "d"), ("c", "one"), ("c", "two"), ("c", "three")]
    assert asked == [*first, *second]
