from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import UnknownNameError
from geceval.extraction.align import Kind, Operation, align
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import STRATEGIES, Change, Rule, merge
from guard import finishes
from oracles.align import figure_source, figure_target
from oracles.merge import merge_by_all_windows


class Word(NamedTuple):
    form: str
    pos: str
    tag: str = ""


def analyzed(sentence: Sequence[Word]) -> Analysis:
    return Analysis(
        tuple(word.form for word in sentence),
        tuple(word.tag for word in sentence),
        tuple(word.pos for word in sentence),
        tuple(word.form.lower() for word in sentence),
        tuple(range(len(sentence))),
        ("",) * len(sentence),
    )


def parsed(text: str) -> Analysis:
    """Read "form/POS/TAG form/POS …"."""
    return analyzed([Word(*item.split("/")) for item in text.split()])


def steps(kinds: str) -> list[Operation]:
    """Lay out operations of the given kinds one after the other."""
    sizes = {"M": (1, 1), "S": (1, 1), "I": (0, 1), "D": (1, 0), "T": (2, 2)}
    places = [(0, 0)]
    for kind in kinds:
        places.append((places[-1][0] + sizes[kind][0], places[-1][1] + sizes[kind][1]))
    named: list[Kind] = list(kinds)  # type: ignore[arg-type]
    return [
        Operation(kind, *(place for side in zip(before, after, strict=True) for place in side))
        for kind, (before, after) in zip(named, pairwise(places), strict=True)
    ]


def merged(kinds: str, source: str, target: str) -> list[tuple[str, str, Rule]]:
    """Merge and show both sides of each edit."""
    before, after = parsed(source), parsed(target)
    return [
        (
            " ".join(before.tokens[change.start : change.end]),
            " ".join(after.tokens[change.target_start : change.target_end]),
            change.rule,
        )
        for change in merge(steps(kinds), before, after)
    ]


def test_merge_figure_1() -> None:
    """The paper's example, step by step: rule 1, then what rules 5, 3, 6 and 10 make of it."""
    source, target = (
        Analysis(
            tuple(word.form for word in words),
            ("",) * len(words),
            tuple(word.pos for word in words),
            tuple(word.lemma for word in words),
            tuple(range(len(words))),
            ("",) * len(words),
        )
        for words in (figure_source(), figure_target())
    )
    operations = align(source, target)
    assert "".join(operation.kind for operation in operations) == "MSDSTDSSM"
    assert merge(operations, source, target, strategy="all-merge") == [
        Change(1, 9, 1, 7, Rule.STRATEGY)
    ]
    assert merge(operations, source, target) == [
        Change(1, 3, 1, 2, Rule.SPACING),
        Change(3, 4, 2, 3, Rule.ALONE),
        Change(4, 6, 3, 5, Rule.TRANSPOSITION),
        Change(6, 7, 5, 5, Rule.ALONE),
        Change(7, 8, 5, 6, Rule.DETERMINER),
        Change(8, 9, 6, 7, Rule.SUBSTITUTIONS),
    ]


@pytest.mark.parametrize(
    ("kinds", "source", "target", "expected"),
    [
        pytest.param("M", "a/DET", "a/DET", [], id="nothing"),
        pytest.param("S", "a/DET", "the/DET", [("a", "the", Rule.ALONE)], id="one"),
        pytest.param(
            "SMS",
            "a/DET big/ADJ cat/NOUN",
            "the/DET big/ADJ dog/NOUN",
            [("a", "the", Rule.ALONE), ("cat", "dog", Rule.ALONE)],
            id="a match divides",
        ),
        pytest.param(
            "DD", "so/ADV on/ADP", "", [("so on", "", Rule.ONE_KIND)], id="only deletions"
        ),
        pytest.param(
            "II", "", "so/ADV on/ADP", [("", "so on", Rule.ONE_KIND)], id="only insertions"
        ),
        pytest.param(
            "DI",
            "so/ADV",
            "on/ADP",
            [("so", "", Rule.NO_CONTENT), ("", "on", Rule.NO_CONTENT)],
            id="no substitution, no merging",
        ),
        pytest.param(
            "TT",
            "a/NOUN b/NOUN c/NOUN d/NOUN",
            "b/NOUN a/NOUN d/NOUN c/NOUN",
            [("a b", "b a", Rule.TRANSPOSITION), ("c d", "d c", Rule.TRANSPOSITION)],
            id="transpositions stay apart",
        ),
        pytest.param(
            "SI",
            "freinds/NOUN",
            "friend/NOUN 's/PART/POS",
            [("freinds", "friend 's", Rule.POSSESSIVE)],
            id="possessive suffix",
        ),
        pytest.param(
            "IS",
            "dog/NOUN",
            "'s/PART/POS cat/NOUN",
            [("", "'s", Rule.POSSESSIVE_FIRST), ("dog", "cat", Rule.ALONE)],
            id="possessive suffix first",
        ),
        pytest.param(
            "IIS",
            "Cat/NOUN",
            "The/DET big/ADJ cat/NOUN",
            [("Cat", "The big cat", Rule.SENTENCE_START)],
            id="new sentence start",
        ),
        pytest.param(
            "SS",
            ",/PUNCT we/PRON",
            "./PUNCT We/PRON",
            [(", we", ". We", Rule.PUNCTUATION)],
            id="new sentence",
        ),
        pytest.param(
            "SDD",
            "sub/NOUN -/PUNCT way/NOUN",
            "subway/NOUN",
            [("sub - way", "subway", Rule.SPACING)],
            id="spaces and hyphens",
        ),
        pytest.param(
            "DS",
            "because/SCONJ of/SCONJ",
            "for/SCONJ",
            [("because of", "for", Rule.PART_OF_SPEECH)],
            id="one part of speech",
        ),
        pytest.param(
            "DS",
            "to/PART eat/VERB",
            "eating/VERB",
            [("to eat", "eating", Rule.PART_OF_SPEECH)],
            id="verb group",
        ),
        pytest.param(
            "SS",
            "big/ADJ cat/NOUN",
            "small/ADJ dog/NOUN",
            [("big", "small", Rule.SUBSTITUTIONS), ("cat", "dog", Rule.SUBSTITUTIONS)],
            id="two substitutions",
        ),
        pytest.param(
            "IS",
            "writting/VERB",
            "of/ADP writing/VERB",
            [("", "of", Rule.SIMILAR), ("writting", "writing", Rule.SIMILAR)],
            id="similar words",
        ),
        pytest.param(
            "DS",
            "to/ADP the/DET",
            "my/PRON",
            [("to", "", Rule.ALONE), ("the", "my", Rule.DETERMINER)],
            id="determiner at the end",
        ),
        pytest.param(
            "SDDS",
            "On/ADP the/DET other/ADJ hand/NOUN",
            "In/ADP addition/NOUN",
            [("On the other hand", "In addition", Rule.CONTENT)],
            id="content words",
        ),
        pytest.param(
            "SI",
            "in/ADP",
            "is/AUX at/ADP",
            [("in", "is at", Rule.CONTENT)],
            id="an auxiliary is a content word",
        ),
        pytest.param(
            "SI",
            "in/ADP",
            "up/ADP it/PRON",
            [("in", "up", Rule.NO_CONTENT), ("", "it", Rule.NO_CONTENT)],
            id="no content words",
        ),
    ],
)
def test_merge_rules(
    kinds: str, source: str, target: str, expected: list[tuple[str, str, Rule]]
) -> None:
    assert merged(kinds, source, target) == expected


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("all-split", [(0, 1, 0, 0), (1, 2, 0, 0), (2, 3, 0, 1), (3, 3, 1, 2), (4, 5, 3, 4)]),
        ("all-merge", [(0, 3, 0, 2), (4, 5, 3, 4)]),
        ("all-equal", [(0, 2, 0, 0), (2, 3, 0, 1), (3, 3, 1, 2), (4, 5, 3, 4)]),
    ],
)
def test_merge_strategies(strategy: str, expected: list[tuple[int, int, int, int]]) -> None:
    """The paper's DDSI, then a match and a substitution."""
    sentence = Analysis.plain("abcde")
    changes = merge(steps("DDSIMS"), sentence, sentence, strategy=strategy)
    assert [change[:4] for change in changes] == expected


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(kinds=st.text("MSIDT", max_size=8), seed=st.integers(0, 1000))
def test_merge_keeps_every_operation(strategy: str, kinds: str, seed: int) -> None:
    """Edits are in order, do not overlap, and hold all changes."""
    operations, source, target = random_case(kinds, seed)
    changes = merge(operations, source, target, strategy=strategy)
    places = [(change.start, change.target_start) for change in changes]
    assert places == sorted(places)
    for before, after in pairwise(changes):
        assert before.end <= after.start
        assert before.target_end <= after.target_start
    inside = sum(
        any(
            change.start <= operation.start
            and operation.end <= change.end
            and change.target_start <= operation.target_start
            and operation.target_end <= change.target_end
            for change in changes
        )
        for operation in operations
        if operation.kind != "M"
    )
    assert inside == sum(kind != "M" for kind in kinds)


FORMS = [
    "cat",
    "Cat",
    "cats",
    "The",
    "the",
    "a",
    "-",
    "'s",
    "'",
    "subway",
    "sub",
    "way",
    ",",
    ".",
    "we",
    "We",
    "eat",
    "eating",
    "to",
    "writting",
    "writing",
    "wide",
    "spread",
    "widespread",
    "—",
    "…",
    "«",
    "I",
    "i",
    "can't",
    "cant",
    "Éa",
    "éa",
    "`",
    "abcd",
    "abce",
    "abcdefgh",
    "abcdefgx",
]
CLASSES = [
    "ADJ",
    "ADV",
    "NOUN",
    "VERB",
    "AUX",
    "PART",
    "DET",
    "PUNCT",
    "PRON",
    "ADP",
    "PROPN",
    "SYM",
    "NUM",
    "X",
    "CCONJ",
    "SCONJ",
]


def random_case(kinds: str, seed: int) -> tuple[list[Operation], Analysis, Analysis]:
    """Random words for given operations; few different ones, so that rules meet."""
    chance = random.Random(seed)
    forms = chance.sample(FORMS, chance.randint(1, 6)) if chance.random() < 0.5 else FORMS
    classes = chance.sample(CLASSES, chance.randint(1, 4)) if chance.random() < 0.5 else CLASSES
    operations = steps(kinds)
    lengths = (operations[-1].end, operations[-1].target_end) if operations else (0, 0)
    source, target = (
        analyzed(
            [
                Word(
                    chance.choice(forms),
                    chance.choice(classes),
                    "POS" if chance.random() < 0.1 else "NN",
                )
                for _ in range(length)
            ]
        )
        for length in lengths
    )
    return operations, source, target


def errant_edits(
    operations: Sequence[Operation], source: Analysis, target: Analysis
) -> list[tuple[int, int, int, int]]:
    """Ask errant's merger, with stand-ins for its alignment and for spaCy's tokens."""
    from errant.en import merger
    from spacy import symbols

    class Token:
        def __init__(self, form: str, tag: str, pos: str) -> None:
            self.text = form
            self.lower = self.lower_ = form.lower()
            self.tag_ = tag
            self.pos = getattr(symbols, pos)

    class Span(list[Token]):
        @property
        def text(self) -> str:
            return " ".join(token.text for token in self)

        def __getitem__(self, key: Any) -> Any:
            found = super().__getitem__(key)
            return Span(found) if isinstance(key, slice) else found

    class Alignment:
        orig = Span(map(Token, source.tokens, source.tags, source.pos))
        cor = Span(map(Token, target.tokens, target.tags, target.pos))
        align_seq = [  # noqa: RUF012
            (kind + "2" * (kind == "T"), *places) for kind, *places in operations
        ]

    return [
        (edit.o_start, edit.o_end, edit.c_start, edit.c_end)
        for edit in merger.get_rule_edits(Alignment())
    ]


def test_merge_rules_equal_errant_on_random_operations() -> None:
    pytest.importorskip("errant")
    chance = random.Random(5)
    for seed in range(2500):
        weights = chance.choice(
            [(1, 4, 2, 2, 1), (0, 4, 2, 2, 0), (0, 1, 3, 3, 0), (0, 2, 4, 0, 0)]
        )
        kinds = "".join(chance.choices("MSIDT", weights, k=chance.randint(1, 8)))
        case = random_case(kinds, seed)
        assert [change[:4] for change in merge(*case)] == errant_edits(*case), (kinds, seed)


def test_merge_long_sequences_stay_cheap() -> None:
    """Two sentences without a common word: hundreds of operations in a row."""
    chance = random.Random(1)
    operations, source, target = random_case("".join(chance.choices("SSSID", k=400)), 2)
    with finishes():
        changes = merge(operations, source, target)
        assert changes[-1].end == len(source)


def test_merge_unknown_parts_of_speech_are_not_the_same() -> None:
    source, target = Analysis.plain(["so", "we"]), Analysis.plain(["they"])
    assert [change.rule for change in merge(steps("DS"), source, target)] == [Rule.NO_CONTENT] * 2


def test_merge_unknown_strategy() -> None:
    sentence = Analysis.plain(())
    with pytest.raises(UnknownNameError, match="did you mean 'all-merge'"):
        merge([], sentence, sentence, strategy="al-merge")


@pytest.mark.parametrize(
    "weights", [(4, 2, 2), (1, 1, 1), (1, 3, 3), (2, 4, 0), (2, 0, 4), (9, 1, 1)]
)
def test_merge_rules_equal_a_search_through_all_windows(weights: tuple[int, int, int]) -> None:
    """Edits and the rules that made them, in sequences longer than people write."""
    chance = random.Random(sum(weights))
    for seed in range(300):
        kinds = "".join(chance.choices("SID", weights, k=chance.randint(2, 24)))
        case = random_case(kinds, seed)
        assert merge(*case) == merge_by_all_windows(*case), (kinds, seed)


@given(kinds=st.text("SID", min_size=2, max_size=60), seed=st.integers(0, 10_000))
def test_merge_rules_equal_a_search_through_all_windows_of_any_kind(kinds: str, seed: int) -> None:
    case = random_case(kinds, seed)
    assert merge(*case) == merge_by_all_windows(*case)


@pytest.mark.parametrize("kinds", ["S", "SSSID", "SSI", "SD", "ISSD"])
@pytest.mark.parametrize("seed", range(2))
def test_merge_takes_nearly_linear_time(kinds: str, seed: int) -> None:
    """Twenty thousand operations in a row; a search through all windows takes days."""
    chance = random.Random(seed)
    operations, source, target = random_case("".join(chance.choices(kinds, k=20_000)), seed)
    with finishes():
        changes = merge(operations, source, target)
    assert changes[-1].end == len(source)
