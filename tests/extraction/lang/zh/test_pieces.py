"""Merging of Chinese operations: runs, changes of word order and common text."""

from __future__ import annotations

import pytest

from geceval.extraction.align import Kind, Operation
from geceval.extraction.lang.zh.pieces import merge_pieces


def spans(
    source: str, target: str, *operations: tuple[Kind, int, int, int, int], level: str = "char"
) -> list[tuple[int, int, int, int, str]]:
    steps = [Operation(*operation) for operation in operations]
    tokens = (tuple(source), tuple(target))
    if level == "word":
        tokens = (tuple(source.split()), tuple(target.split()))
    changes = merge_pieces(steps, *tokens, level=level)  # type: ignore[arg-type]
    return [(*change[:4], change.rule.name) for change in changes]


def test_run_with_a_substitution_is_one_edit() -> None:
    steps: list[tuple[Kind, int, int, int, int]] = [("S", 0, 1, 0, 1), ("D", 1, 2, 1, 1)]
    assert spans("没有用", "无用", *steps) == [(0, 2, 0, 1, "WITH_SUBSTITUTION")]


def test_deletions_and_insertions_stay_single() -> None:
    steps: list[tuple[Kind, int, int, int, int]] = [("I", 0, 0, 0, 1), ("D", 0, 1, 1, 1)]
    found = spans("甲乙", "丙乙", *steps)
    assert found == [(0, 0, 0, 1, "WITHOUT_SUBSTITUTION"), (0, 1, 1, 1, "WITHOUT_SUBSTITUTION")]


def test_common_text_is_trimmed_from_joined_runs() -> None:
    steps: list[tuple[Kind, int, int, int, int]] = [("S", 0, 1, 0, 1), ("I", 1, 1, 1, 2)]
    assert spans("甲乙", "丙甲乙", *steps) == [(0, 0, 0, 1, "WITH_SUBSTITUTION")]


@pytest.mark.parametrize(
    ("source", "target", "moved"),
    [
        ("也去", "去也", True),
        ("，去", "去，", False),
        ("也许去", "去也许", True),
        ("甲乙去", "去乙甲", True),
        ("甲乙丙去", "去丁戊丙", False),
        ("甲乙去", "去甲", False),
        ("甲乙丙去", "去甲乙", True),
    ],
)
def test_text_that_moves_is_word_order(source: str, target: str, moved: bool) -> None:
    length = source.index("去")
    found = spans(
        source,
        target,
        *((("D", place, place + 1, 0, 0)) for place in range(length)),
        *((("I", length + 1, length + 1, place, place + 1)) for place in range(1, len(target))),
    )
    assert [rule == "MOVED" for *_, rule in found] == ([True] if moved else [False, False])


def test_swapped_substitutions_are_word_order() -> None:
    steps: list[tuple[Kind, int, int, int, int]] = [("S", 0, 1, 0, 1), ("S", 2, 3, 2, 3)]
    assert spans("甲去乙", "乙去甲", *steps) == [(0, 3, 0, 3, "MOVED")]
    assert len(spans("甲去乙", "乙去丙", *steps)) == 2


def test_words_of_other_segments_are_no_edit() -> None:
    steps: list[tuple[Kind, int, int, int, int]] = [("S", 0, 1, 0, 1), ("D", 1, 2, 1, 1)]
    assert spans("天 气 好", "天气 好", *steps, level="word") == []


def test_substitutions_of_words_stay_single() -> None:
    steps: list[tuple[Kind, int, int, int, int]] = [("S", 0, 1, 0, 1), ("S", 1, 2, 1, 2)]
    found = spans("天 气", "地 面", *steps, level="word")
    assert [rule for *_, rule in found] == ["SUBSTITUTIONS"] * 2


def test_common_words_are_trimmed_if_both_sides_have_their_boundary() -> None:
    steps: list[tuple[Kind, int, int, int, int]] = [("S", 0, 1, 0, 1), ("I", 1, 1, 1, 2)]
    assert spans("天气", "天气 好", *steps, level="word")[0][:4] == (1, 1, 1, 2)
    assert spans("天气", "天 气好", *steps, level="word")[0][:4] == (0, 1, 0, 2)
