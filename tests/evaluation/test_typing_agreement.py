from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import GecevalError, MismatchError, UnknownNameError
from geceval.evaluation.chance_agreement import cohen_kappa
from geceval.evaluation.resampling import Resampling
from geceval.evaluation.typing_agreement import TypeDifference, measure_typing
from geceval.model import Annotation, Corpus, Edit, Sentence

NONE = Resampling(0)
TOKENS = ("a", "b", "c", "d", "e", "f")


def edit(start: int, word: str, type: str) -> Edit:
    return Edit(start, start + 1, ((word,),), type)


def corpus(*sentences: tuple[Edit, ...], annotators: tuple[str, ...] = ("0",)) -> Corpus:
    return Corpus(
        tuple(
            Sentence(TOKENS, tuple(Annotation(name, edits) for name in annotators))
            for edits in sentences
        )
    )


def test_typing_agreement_of_a_small_example() -> None:
    gold = corpus(
        (edit(0, "x", "R:NOUN"), edit(2, "y", "R:SPELL"), edit(4, "z", "R:DET")),
        (),
        (Edit(1, 1, (("w",),), "M:PUNCT"),),
    )
    automatic = corpus(
        (edit(0, "x", "R:NOUN"), edit(2, "y", "R:VERB"), edit(4, "q", "R:DET")),
        (edit(0, "x", "R:OTHER"),),
        (Edit(1, 1, (("w",),), "M:PUNCT"),),
    )
    found = measure_typing(gold, automatic, resampling=Resampling(200))
    assert (found.n_gold, found.n_automatic, found.n_matched, found.n_same) == (4, 5, 3, 2)
    assert found.precision.value == 3 / 5
    assert found.recall.value == 3 / 4
    assert found.f1.value == pytest.approx(6 / 9)
    assert found.types.value == pytest.approx(2 / 3)
    assert found.types.interval is not None
    assert found.types.interval.low <= 2 / 3 <= found.types.interval.high
    assert found.operations["R"].share == 1 / 2
    assert found.categories["PUNCT"].same == 1
    assert found.differences == (TypeDifference("R:SPELL", "R:VERB", 1, ("c", "y")),)


types = st.sampled_from(["R:NOUN", "R:VERB", "R:SPELL", "M:DET"])
sides = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("xy"), types), max_size=6, unique_by=lambda e: e[0]
)


@given(st.lists(st.tuples(sides, sides), min_size=1, max_size=4))
def test_typing_agreement_equals_counting(
    pairs: list[tuple[list[tuple[int, str, str]], list[tuple[int, str, str]]]],
) -> None:
    gold, automatic = (
        corpus(*(tuple(edit(*one) for one in sorted(pair[side])) for pair in pairs))
        for side in (0, 1)
    )
    if not any(own for own, _ in pairs):
        with pytest.raises(GecevalError, match="no edits to agree on"):
            measure_typing(gold, automatic, resampling=NONE)
        return
    both = [
        (name, {one[:2]: one[2] for one in other}[start, word])
        for own, other in pairs
        for start, word, name in own
        if (start, word) in {one[:2] for one in other}
    ]
    found = measure_typing(gold, automatic, resampling=NONE)
    assert found.n_matched == len(both)
    assert found.n_same == sum(one == other for one, other in both)
    names = sorted({name for pair in both for name in pair})
    numbers = {name: place for place, name in enumerate(names)}
    # Where only one side has types with operations, there are no matches that it could concern.
    expected = cohen_kappa(*([numbers[pair[side]] for pair in both] for side in (0, 1)))
    assert found.kappa.value == pytest.approx(expected, nan_ok=True)
    assert math.isnan(found.types.value) == (not both)
    assert sum(one.count for one in found.differences) == len(both) - found.n_same


def test_typing_agreement_pairs_equal_edits_once() -> None:
    twice = Edit(1, 1, (("w",),), "M:DET"), Edit(1, 1, (("w",),), "M:DET")
    found = measure_typing(corpus(twice), corpus(twice[:1]), resampling=NONE)
    assert (found.n_gold, found.n_automatic, found.n_matched) == (2, 1, 1)


def test_typing_agreement_excludes_overlapping_gold_edits() -> None:
    overlapping = Edit(0, 3, (("x",),), "R:WO"), edit(1, "y", "R:NOUN")
    past = (edit(9, "x", "R:NOUN"),)
    gold = corpus(overlapping, past, (edit(0, "x", "R:NOUN"),))
    found = measure_typing(gold, gold, resampling=NONE)
    assert (found.n_excluded, found.n_sents, found.n_gold) == (2, 1, 1)


def test_typing_agreement_renames_and_drops_operations() -> None:
    """The names of a corpus without operations are compared with categories."""
    gold = corpus((edit(0, "x", "Spelling"), edit(2, "y", "Grammar")))
    automatic = corpus((edit(0, "x", "R:SPELL"), edit(2, "y", "R:VERB")))
    names = {"R:SPELL": "R:Spelling"}
    found = measure_typing(
        gold, automatic, rename=lambda name: names.get(name, name), resampling=NONE
    )
    assert Counter((one.gold, one.automatic) for one in found.differences) == {
        ("Grammar", "VERB"): 1
    }
    assert found.operations == {}


def test_typing_agreement_ignores_flags() -> None:
    flag = Edit(0, 1, (), "UNK")
    found = measure_typing(
        corpus((flag, edit(2, "y", "R:DET"))), corpus((edit(2, "y", "R:DET"),)), resampling=NONE
    )
    assert found.n_gold == 1


def test_typing_agreement_kept_spans_have_to_be_the_same() -> None:
    gold, other = corpus((edit(0, "x", "R:NOUN"),)), corpus((edit(1, "x", "R:NOUN"),))
    with pytest.raises(GecevalError, match=r"0 of 1 gold edits .* --keep-spans --no-minimize"):
        measure_typing(gold, other, keep_spans=True, resampling=NONE)
    assert measure_typing(gold, gold, keep_spans=True, resampling=NONE).types.value == 1.0


def test_typing_agreement_of_other_sentences() -> None:
    gold = corpus((edit(0, "x", "R:NOUN"),))
    with pytest.raises(MismatchError):
        measure_typing(gold, corpus((), ()))
    other = Corpus((Sentence(("z",), (Annotation("0", ()),)),))
    with pytest.raises(GecevalError, match=r"sentence 1 .* is another one .*'z'"):
        measure_typing(gold, other)


def test_typing_agreement_needs_one_annotator() -> None:
    one = corpus((edit(0, "x", "R:NOUN"),))
    two = corpus((edit(0, "x", "R:NOUN"),), annotators=("0", "1"))
    with pytest.raises(GecevalError, match=r"2 annotators.*--annotator"):
        measure_typing(two, one)
    with pytest.raises(UnknownNameError):
        measure_typing(two, one, annotator="7")
    assert measure_typing(two, one, annotator="1", resampling=NONE).n_same == 1
