from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import UnknownNameError
from geceval.extraction.align import (
    Operation,
    SubstitutionCost,
    align,
    align_pairs,
    substitution_cost,
    with_matches,
)
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.similar_order import are_similar, similar_words
from guard import finishes
from oracles.align import Word, figure_source, figure_target
from oracles.align import align as plain_align

FORMS = ["a", "A", "the", "The", "cat", "cats", "Cats", "sat", "on", "é", "É", "猫", "🐈", "x" * 70]

words = st.builds(
    Word,
    st.sampled_from(FORMS) | st.text(st.characters(exclude_categories=["Z", "Cc"]), min_size=1),
    st.sampled_from("ab"),
    st.sampled_from(["NOUN", "VERB", "DET", "ADP"]),
)
sentences = st.lists(words, max_size=9)


def analyzed(sentence: Sequence[Word]) -> Analysis:
    unknown = ("",) * len(sentence)
    return Analysis(
        tuple(word.form for word in sentence),
        unknown,
        tuple(word.pos for word in sentence),
        tuple(word.lemma for word in sentence),
        tuple(range(len(sentence))),
        unknown,
    )


def plain(text: str) -> Analysis:
    return Analysis.plain(text.split())


def kinds(source: str, target: str) -> str:
    return "".join(operation.kind for operation in align(plain(source), plain(target)))


@given(sentences, sentences)
def test_align_equals_the_papers_listing(source: list[Word], target: list[Word]) -> None:
    got = align(analyzed(source), analyzed(target))
    assert list(got) == plain_align(source, target)


@given(sentences, sentences)
def test_align_levenshtein_equals_the_full_table(source: list[Word], target: list[Word]) -> None:
    got = align(analyzed(source), analyzed(target), method="levenshtein")
    assert list(got) == plain_align(source, target, linguistic=False)


@given(st.data())
def test_align_permutations_equal_the_papers_listing(data: st.DataObject) -> None:
    """Reordered sentences, so that long transpositions are common."""
    source = data.draw(st.lists(words, max_size=12))
    target = data.draw(st.permutations(source))
    got = align(analyzed(source), analyzed(target))
    assert list(got) == plain_align(source, target)


CHANGED = st.sampled_from(
    ["máš", "mas", "Mas", "se", "sé", "dnes", "dneska", "dnéska", "být", "bit"]
)


@pytest.mark.parametrize("similarity", [0.0, 0.6])
@given(data=st.data())
def test_align_words_that_also_change_equal_the_oracle(
    similarity: float, data: st.DataObject
) -> None:
    some = st.builds(Word, CHANGED, st.sampled_from("ab"), st.sampled_from(["NOUN", "VERB"]))
    source = data.draw(st.lists(some, max_size=8))
    target = data.draw(st.permutations(source) | st.lists(some, max_size=8))
    got = align(analyzed(source), analyzed(target), similarity=similarity)
    assert list(got) == plain_align(
        source, target, similar=lambda one, other: are_similar(one, other, similarity)
    )


@given(CHANGED | st.text(max_size=6), CHANGED | st.text(max_size=6), st.sampled_from([0.0, 0.6]))
def test_align_table_of_similar_words_misses_none(
    before: str, after: str, similarity: float
) -> None:
    """The table asks about pairs only that a cheap distance does not rule out."""
    (found,) = similar_words([before], [after], similarity).ravel().tolist()
    assert found == are_similar(before, after, similarity)


def test_align_transposition_wins_a_tie_with_an_insertion() -> None:
    """Both cost 3.499, as sums of the same numbers in another order."""
    same, other = Word("a", "a", "NOUN"), Word("the", "b", "NOUN")
    on, zero = Word("on", "a", "NOUN"), Word("0", "a", "NOUN")
    source = [*[same] * 5, other, on, same, zero, same, same]
    target = [*[same] * 8, on, zero, other]
    got = list(align(analyzed(source), analyzed(target)))
    assert got == plain_align(source, target)
    assert ("T", 6, 8, 7, 9) in got


@given(st.lists(st.tuples(sentences, sentences), max_size=5))
def test_align_pairs_are_independent(pairs: list[tuple[list[Word], list[Word]]]) -> None:
    analyses = [(analyzed(source), analyzed(target)) for source, target in pairs]
    together = align_pairs(analyses)
    assert together == [align_pairs([pair])[0] for pair in analyses]


@given(sentences, sentences)
def test_align_operations_cover_both_sentences(source: list[Word], target: list[Word]) -> None:
    row = column = 0
    for operation in align(analyzed(source), analyzed(target)):
        assert (operation.start, operation.target_start) == (row, column)
        row, column = operation.end, operation.target_end
    assert (row, column) == (len(source), len(target))


def test_align_paper_example() -> None:
    """The paper's table 5."""
    operations = align(analyzed(figure_source()), analyzed(figure_target()))
    assert "".join(operation.kind for operation in operations) == "MSDSTDSSM"
    assert operations[4] == Operation("T", 4, 6, 3, 5)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("", "", ""),
        ("", "a b", "II"),
        ("a b", "", "DD"),
        ("a b", "a b", "MM"),
        ("only can", "can only", "T"),
        ("a b c d", "d c b a", "T"),
        ("Only can", "can only", "T"),
        ("the cat", "The cat", "SM"),
        ("we went home", "we home", "MDM"),
        ("👍 ok", "👍 okay", "MS"),
    ],
)
def test_align_kinds(source: str, target: str, expected: str) -> None:
    assert kinds(source, target) == expected


def test_align_prefers_transposition_when_costs_are_equal() -> None:
    """Two substitutions of 0.5 each cost as much as one transposition of two."""
    source = [Word("ab", "x", "DET"), Word("ba", "x", "DET")]
    assert [op.kind for op in align(analyzed(source), analyzed(source[::-1]))] == ["T"]


def test_align_prefers_substitution_to_insertion_and_insertion_to_deletion() -> None:
    """Levenshtein: [a b → c] could delete first or last."""
    assert align(plain("a b"), plain("c"), method="levenshtein") == (
        Operation("D", 0, 1, 0, 0),
        Operation("S", 1, 2, 0, 1),
    )


def test_align_common_beginning_is_not_always_matched() -> None:
    """Equal first tokens need not be paired: the second of them is as good."""
    assert kinds("a", "a a") == "IM"


def test_align_levenshtein_knows_no_transposition() -> None:
    operations = align(plain("only can"), plain("can only"), method="levenshtein")
    assert "T" not in {operation.kind for operation in operations}


def test_align_long_words_are_compared_in_full() -> None:
    long = "a" * 200
    assert substitution_cost(plain(long), 0, plain(long + "b"), 0).characters == 1 / 401
    assert kinds(f"{long} b", f"{long}b b") == "SM"


def test_align_long_sentences_stay_cheap() -> None:
    source = plain(" ".join(f"w{number}" for number in range(300)))
    shuffled = plain(" ".join(f"w{number * 7 % 300}" for number in range(300)))
    other = plain(" ".join(f"v{number}" for number in range(300)))
    with finishes():
        assert len(align_pairs([(source, other), (source, shuffled)])) == 2


def test_align_substitution_cost_names_its_parts() -> None:
    source = analyzed([Word("eat", "eat", "VERB"), Word("of", "of", "ADP")])
    target = analyzed([Word("food", "food", "NOUN"), Word("OF", "of", "ADV")])
    cost = substitution_cost(source, 0, target, 0)
    assert cost == SubstitutionCost(0.499, 0.25, 1.0)
    assert cost.total == 0.499 + 0.25 + 1.0
    assert substitution_cost(source, 1, target, 0).pos == 0.5
    assert substitution_cost(source, 1, target, 1) == SubstitutionCost(0.0, 0.0, 0.0)


def test_align_with_matches_fills_the_gaps() -> None:
    changes = [Operation("D", 1, 2, 1, 1)]
    assert [op.kind for op in with_matches(changes, 4)] == ["M", "D", "M", "M"]


def test_align_unknown_method() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'levenshtein'"):
        align(plain("a"), plain("b"), method="levenstein")  # type: ignore[arg-type]
