"""All cheapest alignments: costs, order and limits, against the oracle."""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chinese_examples import MADE_UP, write_resources
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.zh.alignments import (
    WIDE_MARKS,
    cheapest_alignments,
    substitution_cost,
    total_cost,
)
from geceval.extraction.lang.zh.pieces import merge_pieces
from geceval.extraction.lang.zh.resources import ChineseResources, load_resources, readings
from geceval.extraction.lang.zh.word_types import ChineseTyper
from geceval.limits import TooLargeError, allow
from oracles import chinese as oracle

LETTERS = "大小人天未末本的得，。a6"
sentences = st.text(alphabet=LETTERS, max_size=9)


def oracle_cost(before: str, after: str) -> float:
    return oracle.substitution(
        before,
        after,
        thesaurus={word: "".join(code) for word, code in MADE_UP.thesaurus.items()},
        readings=lambda character: set(readings(character)),
        confusions={one: set(others) for one, others in MADE_UP.confusions.items()},
    )


def aligned(source: str, target: str, *, limit: int) -> list[list[tuple[object, ...]]]:
    pair = Analysis.plain(source), Analysis.plain(target)
    (found,) = cheapest_alignments([pair], MADE_UP, limit=limit)
    return [[tuple(step) for step in alignment] for alignment in found.alignments]


@given(sentences, sentences)
@settings(max_examples=300, deadline=None)
@example("", "")
@example("大小", "小大")
@example("大小人天", "天小人大")
@example("大", "大" * 12)
@example("人天大小未末", "小大天人末未")
def test_alignments_are_those_of_the_oracle(source: str, target: str) -> None:
    expected = [
        [step for step in alignment if step[0] != "M"]
        for alignment in islice(oracle.alignments(source, target, oracle_cost), 100)
    ]
    assert aligned(source, target, limit=100) == expected


@given(sentences, sentences)
@settings(max_examples=200, deadline=None)
def test_edits_are_those_of_the_oracle(source: str, target: str) -> None:
    before, after = Analysis.plain(source), Analysis.plain(target)
    (found,) = cheapest_alignments([(before, after)], MADE_UP, limit=20)
    typer = ChineseTyper("char")
    ours = [
        [
            (
                change.start,
                change.end,
                typer.type(change, before, after),
                after.tokens[change.target_start : change.target_end],
            )
            for change in merge_pieces(operations, before.tokens, after.tokens)
        ]
        for operations in found.alignments
    ]
    expected = islice(oracle.alignments(source, target, oracle_cost), 20)
    assert ours == [oracle.edits(source, target, alignment) for alignment in expected]


def test_alignments_of_many_pairs_are_those_of_each() -> None:
    pairs = [("大小人", "人小大"), ("", "天"), ("大小人", "大小"), ("的", "得")]
    analyses = [(Analysis.plain(one), Analysis.plain(two)) for one, two in pairs]
    together = cheapest_alignments(analyses, MADE_UP)
    assert together == [cheapest_alignments([pair], MADE_UP)[0] for pair in analyses]


@pytest.mark.parametrize("before", LETTERS)
@pytest.mark.parametrize("after", LETTERS)
def test_substitution_cost_is_that_of_the_oracle(before: str, after: str) -> None:
    cost = total_cost(substitution_cost(before, after, MADE_UP), "char")
    assert cost == oracle_cost(before, after)


def test_substitution_cost_of_words_is_the_share_without_a_partner() -> None:
    cost = substitution_cost("未天", "末路", MADE_UP, tags=("n", "n"))
    assert cost == (4 / 6, 0.25, 0.0)
    other = substitution_cost("在家", "再见", MADE_UP, tags=("p", "v"))
    assert other == (4 / 6, 0.0, 0.499)
    assert substitution_cost("A", "天", MADE_UP, tags=("x", "n")).characters == 0.5


def test_marks_lack_the_full_stop() -> None:
    """An oddity of the published scores."""
    assert "。" not in WIDE_MARKS
    assert "《" not in WIDE_MARKS
    assert "》" in WIDE_MARKS
    assert substitution_cost("，", "。", ChineseResources()).word_class == 0.499


def test_alignments_are_limited() -> None:
    source, target = "人" * 6, "天" * 9
    pair = Analysis.plain(source), Analysis.plain(target)
    (few,) = cheapest_alignments([pair], MADE_UP, limit=3)
    (many,) = cheapest_alignments([pair], MADE_UP, limit=1000)
    assert few.is_limited
    assert not many.is_limited
    assert few.alignments == many.alignments[:3]


def test_lengths_that_differ_much_have_one_alignment() -> None:
    source, target = "人人", "天" * 13
    assert len(aligned(source, target, limit=1000)) == 1
    assert len(aligned(source, "天" * 4, limit=1000)) > 1


def test_long_sentences_are_aligned() -> None:
    """A transposition of 2,000 characters, and sentences that share nothing."""
    source = "".join(chr(0x4E00 + number) for number in range(2000))
    (only,) = aligned(source, source[1:] + source[0], limit=10)
    assert [step[0] for step in only] == ["D", "I"]
    other = "".join(chr(0x6000 + number) for number in range(2000))
    assert len(aligned(source, other, limit=1)) == 1


def test_transpositions_that_take_too_long_are_an_error() -> None:
    source, target = "大小人天" * 40, "天人小大" * 40
    with allow(cells=1), pytest.raises(TooLargeError, match="reordering 160 × 160 tokens"):
        cheapest_alignments([(Analysis.plain(source), Analysis.plain(target))], MADE_UP)


def test_costs_of_the_original(shared_data: Path, tmp_path: Path) -> None:
    full = load_resources(str(write_resources(shared_data, tmp_path)))
    less = (full, ChineseResources(full.thesaurus), ChineseResources())
    text = (shared_data / "lang/zh/substitution-costs.tsv").read_text("utf-8")
    rows = list(csv.reader(text.splitlines(), delimiter="\t"))[1:]
    assert len(rows) == 45
    for before, after, *expected in rows:
        costs = [total_cost(substitution_cost(before, after, one), "char") for one in less]
        assert [f"{cost:.6f}" for cost in costs] == expected, (before, after)
