"""Agreement between annotators, against slow recounts and by hand."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import pytest

import made_up
from geceval.errors import GecevalError
from geceval.evaluation.annotators import human_scores, leave_one_out, measure_agreement
from geceval.evaluation.chance_agreement import cohen_kappa, krippendorff_alpha
from geceval.evaluation.resampling import Resampling
from geceval.metrics.registry import metric_class
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy, Sentence

QUICK = Resampling(50)


def marked(sent: Sentence, annotator: str, *, type: str | None = None) -> list[int] | None:
    """Mark tokens one by one, as the definition says."""
    ann = sent.annotation(annotator)
    if ann is None:
        return None
    marks = [0] * len(sent.tokens)
    for edit in ann.edits:
        if type is not None and edit.type != type:
            continue
        for place in range(len(marks)):
            if edit.start <= place < edit.end:
                marks[place] = 1
        if edit.start == edit.end and marks:
            marks[min(edit.start, len(marks) - 1)] = 1
    return marks


def alpha(gold: Corpus, *, type: str | None = None) -> float:
    units = []
    for sent in gold:
        rows = [marked(sent, name, type=type) for name in gold.annotators]
        units += list(zip(*(row for row in rows if row is not None), strict=True))
    return krippendorff_alpha(units)


@pytest.mark.parametrize("absent", [0.0, 0.4])
def test_agreement_equals_a_slow_recount(absent: float) -> None:
    gold = made_up.corpus(40, annotators=("0", "1", "2"), absent=absent)
    found = measure_agreement(gold, resampling=QUICK)
    assert found.alpha.value == pytest.approx(alpha(gold))
    assert found.n_sents == sum(len(sent.annotations) > 1 for sent in gold)
    sizes = 0
    both = 0
    for pair, names in zip(found.pairs, combinations(gold.annotators, 2), strict=True):
        assert (pair.first, pair.second) == names
        shared = [sent for sent in gold if None not in [sent.annotation(name) for name in names]]
        assert pair.n_sents == len(shared)
        counts = [0, 0]
        common = 0
        marks: list[list[int]] = [[], []]
        for sent in shared:
            sets = []
            for side, name in enumerate(names):
                ann = sent.annotation(name)
                assert ann is not None
                sets.append({(edit.start, edit.end, edit.corrections) for edit in ann.edits})
                counts[side] += len(sets[side])
                marks[side] += marked(sent, name) or []
            common += len(sets[0] & sets[1])
        assert [pair.n_first, pair.n_second, pair.n_common] == [*counts, common]
        assert pair.edits.value == pytest.approx(2 * common / sum(counts))
        assert pair.kappa.value == pytest.approx(cohen_kappa(*marks))
        for one in (pair.edits, pair.spans, pair.kappa):
            assert one.interval is not None
            assert one.interval.low <= one.value <= one.interval.high
        sizes += sum(counts)
        both += common
    assert found.edits.value == pytest.approx(2 * both / sizes)


def test_agreement_by_type_equals_a_slow_recount() -> None:
    gold = made_up.corpus(40, annotators=("0", "1", "2"), absent=0.3)
    found = measure_agreement(gold, resampling=Resampling(0))
    assert set(found.types) == set(made_up.TYPES)
    for name, type_found in found.types.items():
        shared = [sent for sent in gold if len(sent.annotations) > 1]
        assert type_found.n_edits == sum(
            edit.type == name for sent in shared for ann in sent.annotations for edit in ann.edits
        )
        assert type_found.alpha == pytest.approx(alpha(gold, type=name))
        size = common = 0
        for sent in shared:
            for own, other in permutations(sent.annotations, 2):
                keys = [
                    {
                        (edit.start, edit.end, edit.corrections)
                        for edit in ann.edits
                        if edit.type == name
                    }
                    for ann in (own, other)
                ]
                size += len(keys[0])
                common += len(keys[0] & keys[1])
        assert type_found.edits == pytest.approx(common / size)


def test_agreement_by_hand() -> None:
    an, comma, end = Edit.replace(1, 2, "an"), Edit.insert(3, ","), Edit.insert(4, ".")
    gold = Corpus(
        (
            Sentence(
                ("a", "b", "c", "d"), (Annotation("0", (an, comma)), Annotation("1", (an, end)))
            ),
            Sentence(("e",), (Annotation("0"),)),
        )
    )
    found = measure_agreement(gold, resampling=Resampling(0))
    [pair] = found.pairs
    assert (pair.n_sents, pair.n_first, pair.n_second, pair.n_common) == (1, 2, 2, 1)
    assert pair.edits.value == 0.5
    # An insertion at the end marks the last token, as one before that token does.
    assert pair.kappa.value == 1.0
    assert pair.edits.interval is None


@pytest.mark.parametrize(
    ("missing", "n_sents", "f1"), [("absent", 1, 1.0), ("noop", 2, 2 / 3), ("same", 2, 1.0)]
)
def test_agreement_of_absent_annotators(missing: MissingPolicy, n_sents: int, f1: float) -> None:
    edit = Edit.replace(0, 1, "x")
    both = (Annotation("0", (edit,)), Annotation("1", (edit,)))
    gold = Corpus((Sentence(("a",), both), Sentence(("b",), (Annotation("0", (edit,)),))))
    found = measure_agreement(gold, missing=missing, resampling=Resampling(0))
    assert found.n_sents == n_sents
    assert found.edits.value == pytest.approx(f1)
    for entry in leave_one_out(gold, missing=missing):
        assert len(entry.corpus) == n_sents


def test_agreement_bad_input() -> None:
    edit = Edit.replace(0, 1, "x")
    one, other = Annotation("0", (edit,)), Annotation("1", (edit,))
    apart = Corpus((Sentence(("a",), (one,)), Sentence(("b",), (other,))), "apart.m2")
    with pytest.raises(GecevalError, match=r"apart\.m2 has no sentence with two annotators"):
        measure_agreement(apart)
    empty = Corpus((Sentence(("a",), (Annotation("0"), Annotation("1"))),))
    with pytest.raises(GecevalError, match="no edits"):
        measure_agreement(empty)
    assert list(leave_one_out(Corpus((Sentence(("a",), (one,)),)))) == []


def test_agreement_of_sentences_without_tokens_and_of_edits_out_of_range() -> None:
    far = Edit.replace(7, 8, "x")
    gold = Corpus(
        (
            Sentence((), (Annotation("0", (Edit.insert(0, "x"),)), Annotation("1"))),
            Sentence(("a",), (Annotation("0", (far,)), Annotation("1"))),
        )
    )
    found = measure_agreement(gold, resampling=QUICK)
    assert found.edits.value == 0
    assert found.alpha.value == 1.0
    assert not math.isnan(found.pairs[0].kappa.value)


def test_human_scores_are_those_of_systems() -> None:
    gold = made_up.corpus(30, annotators=("0", "1", "2"))
    metrics = [metric_class("m2")(), metric_class("gleu")()]
    found = human_scores(gold, metrics, resampling=QUICK)
    assert [(one.metric.name, one.annotator) for one in found] == [
        (metric.name, name) for metric in metrics for name in gold.annotators
    ]
    for one in found:
        outputs = [sent.corrected(one.annotator) for sent in gold]
        texts = tuple(output for output in outputs if output is not None)
        others = gold.keep_annotators(set(gold.annotators) - {one.annotator})
        assert one.score.value == one.metric.score(others, Hypothesis("own", texts)).value
        assert one.interval is not None
        assert one.interval.low <= one.score.value <= one.interval.high
