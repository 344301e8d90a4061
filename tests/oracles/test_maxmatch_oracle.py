"""The MaxMatch twin against the papers, brute force and the official scorer's counts."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.formats import m2
from geceval.formats.inputs import Input
from geceval.text import split_tokens
from oracles.maxmatch import (
    Edge,
    GoldEdit,
    PlainEdit,
    ScoredEdit,
    Words,
    best_cost,
    choose,
    cost_of,
    edit_graph,
    f_score,
    lattice,
    levenshtein_matrix,
    max_match,
    scan,
    wdiff_edits,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from geceval.model import Sentence

Counts: TypeAlias = tuple[int, int, int]

SAMPLE = 60
SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "INPUT", "NTHU", "PKU", "RAC", "UFC")
MAX_TOKENS = 40


def words(text: str) -> Words:
    return tuple(text.split())


def gold(*edits: tuple[int, int, str]) -> list[GoldEdit]:
    """Gold edits with alternatives written "a|b"."""
    return [(start, end, [words(part) for part in text.split("|")]) for start, end, text in edits]


def plain(*edits: tuple[int, int, str]) -> list[PlainEdit]:
    return [(start, end, words(text)) for start, end, text in edits]


def counts_of(source: str, hypothesis: str, edits: Sequence[GoldEdit]) -> Counts:
    return max_match(words(source), words(hypothesis), edits)[:3]


def edits_of(source: str, hypothesis: str, edits: Sequence[GoldEdit]) -> list[ScoredEdit]:
    return max_match(words(source), words(hypothesis), edits)[3]


def is_best(
    printed: Sequence[PlainEdit], source: str, hypothesis: str, edits: Sequence[GoldEdit]
) -> bool:
    """Whether no edits are better than those a paper prints."""
    pair = words(source), words(hypothesis)
    return cost_of(printed, *pair, edits) == best_cost(*pair, edits)


def rounded(counts: Counts) -> tuple[str, str, str]:
    precision, recall, f = (f"{value:.2f}" for value in f_score(*counts))
    return precision, recall, f


# The papers' examples.

FIGURE_SOURCE = words("Our baseline system feeds word into PB-SMT pipeline .")
FIGURE_HYPOTHESIS = words("Our baseline system feeds a word into PB-SMT pipeline .")
FIGURE_GOLD = gold((4, 5, "a word|words"))


def test_maxmatch_paper_figure_1_matrix() -> None:
    printed = """
        0 1 2 3 4 5 6 7 8 9 10
        1 0 1 2 3 4 5 6 7 8 9
        2 1 0 1 2 3 4 5 6 7 8
        3 2 1 0 1 2 3 4 5 6 7
        4 3 2 1 0 1 2 3 4 5 6
        5 4 3 2 1 1 1 2 3 4 5
        6 5 4 3 2 2 2 1 2 3 4
        7 6 5 4 3 3 3 2 1 2 3
        8 7 6 5 4 4 4 3 2 1 2
        9 8 7 6 5 5 5 4 3 2 1
    """
    rows = [[int(cell) for cell in line.split()] for line in printed.split("\n") if line.strip()]
    assert levenshtein_matrix(FIGURE_SOURCE, FIGURE_HYPOTHESIS) == rows


def test_maxmatch_paper_figure_2_lattice() -> None:
    matches = [((i, i), (i + 1, i + 1), 1) for i in range(4)]
    matches += [((i, i + 1), (i + 1, i + 2), 1) for i in range(4, 9)]
    edits = [
        ((2, 2), (4, 5), 3),  # system feeds / system feeds a
        ((3, 3), (4, 5), 2),  # feeds / feeds a
        ((3, 3), (5, 6), 3),  # feeds word / feeds a word
        ((4, 4), (4, 5), 1),  # ε / a
        ((4, 4), (5, 6), 2),  # word / a word
        ((4, 4), (6, 7), 3),  # word into / a word into
    ]
    graph = edit_graph(FIGURE_SOURCE, FIGURE_HYPOTHESIS)
    assert [edge[:3] for edge in graph] == sorted(matches + edits)
    assert -(2 + 1) * len(graph) == -45


def test_maxmatch_paper_figure_2_best_path() -> None:
    assert max_match(FIGURE_SOURCE, FIGURE_HYPOTHESIS, FIGURE_GOLD) == (
        *(1, 1, 1),
        [(4, 5, ("a", "word"), True)],
    )
    assert scan(wdiff_edits(FIGURE_SOURCE, FIGURE_HYPOTHESIS), FIGURE_GOLD) == [
        (4, 4, ("a",), False)
    ]


def test_maxmatch_paper_table_2_phrase() -> None:
    source = "should basic translational unit be word"
    hypothesis = "should basic translational unit be a word"
    edits = gold((5, 6, "a word"))
    assert edits_of(source, hypothesis, edits) == [(5, 6, ("a", "word"), True)]
    found = wdiff_edits(words(source), words(hypothesis))
    assert scan(found, edits) == [(5, 5, ("a",), False)]


def test_maxmatch_paper_table_2_adjacent() -> None:
    source = "development set similar with test set"
    hypothesis = "development set similar to the test set"
    edits = gold((3, 4, "to"), (4, 4, "the"))
    assert edits_of(source, hypothesis, edits) == [(3, 4, ("to",), True), (4, 4, ("the",), True)]
    found = wdiff_edits(words(source), words(hypothesis))
    assert scan(found, edits) == [(3, 4, ("to", "the"), False)]


def test_maxmatch_paper_table_2_tie() -> None:
    """The paper prints one of three equally good sequences, that with the longest edit."""
    source = "Xinhua portion of the English Gigaword3"
    hypothesis = "The xinhua portion of the English Gigaword3"
    edits = gold((0, 0, "The"))
    printed = plain((0, 0, "The"), (0, 3, "xinhua portion of"))
    assert is_best(printed, source, hypothesis, edits)
    assert scan(printed, edits) == [
        (0, 0, ("The",), True),
        (0, 3, ("xinhua", "portion", "of"), False),
    ]
    assert edits_of(source, hypothesis, edits) == [
        (0, 0, ("The",), True),
        (0, 1, ("xinhua",), False),
    ]
    found = wdiff_edits(words(source), words(hypothesis))
    assert scan(found, edits) == [(0, 1, ("The", "xinhua"), False)]


def test_imeasure_paper_figure_1() -> None:
    edits = gold((3, 4, "a word|words"))
    assert counts_of("You have missed word .", "You have missed a word .", edits) == (1, 1, 1)


def test_imeasure_paper_table_1() -> None:
    source = "This machines is designed for help people ."
    hypothesis = "These machines are designed to help people ."
    first = gold((0, 1, "These"), (2, 3, "are"), (5, 6, "helping"))
    second = gold((1, 2, "machine"), (4, 5, "to"))
    counts = [counts_of(source, hypothesis, edits) for edits in (first, second)]
    # "This machines is" is one edit for the second annotator.
    assert counts == [(2, 3, 3), (1, 2, 2)]
    assert choose([counts]) == [0]
    assert rounded(counts[0]) == ("0.67", "0.67", "0.67")
    printed = plain((0, 1, "These"), (2, 3, "are"), (4, 5, "to"))
    assert is_best(printed, source, hypothesis, first)
    assert edits_of(source, hypothesis, first) == [
        (0, 1, ("These",), True),
        (2, 3, ("are",), True),
        (4, 5, ("to",), False),
    ]


def test_imeasure_paper_table_2() -> None:
    source = "Machine is design to help people ."
    hypothesis = "Machine is designed to help people ."
    edits = gold((0, 1, "Machines"), (1, 3, "are designed"))
    assert counts_of(source, hypothesis, edits) == (0, 1, 2)
    assert rounded((0, 1, 2)) == ("0.00", "0.00", "0.00")
    assert is_best(plain((2, 3, "designed")), source, hypothesis, edits)
    assert edits_of(source, hypothesis, edits) == [(2, 3, ("designed",), False)]


TABLE_3_SOURCE = "Machine is design to help people ."
TABLE_3_GOLD = gold((0, 1, "Machines"), (1, 2, "are"), (2, 3, "designed"))


def test_imeasure_paper_table_3_first_hypothesis() -> None:
    hypothesis = "The machine is designed for helping people ."
    counts = counts_of(TABLE_3_SOURCE, hypothesis, TABLE_3_GOLD)
    assert counts == (1, 3, 3)
    assert rounded(counts) == ("0.33", "0.33", "0.33")
    printed = plain((0, 2, "The machine is"), (2, 3, "designed"), (3, 6, "for helping people"))
    assert is_best(printed, TABLE_3_SOURCE, hypothesis, TABLE_3_GOLD)
    assert edits_of(TABLE_3_SOURCE, hypothesis, TABLE_3_GOLD) == [
        (0, 1, ("The", "machine"), False),
        (2, 3, ("designed",), True),
        (3, 5, ("for", "helping"), False),
    ]


def test_imeasure_paper_table_3_second_hypothesis() -> None:
    hypothesis = "Machines is a design on the helping of the people ."
    counts = counts_of(TABLE_3_SOURCE, hypothesis, TABLE_3_GOLD)
    assert counts == (1, 2, 3)
    assert rounded(counts) == ("0.50", "0.33", "0.45")
    printed = plain((0, 1, "Machines"), (1, 5, "is a design on the helping of the"))
    assert is_best(printed, TABLE_3_SOURCE, hypothesis, TABLE_3_GOLD)
    assert edits_of(TABLE_3_SOURCE, hypothesis, TABLE_3_GOLD) == [
        (0, 1, ("Machines",), True),
        (2, 5, words("a design on the helping of the"), False),
    ]


# What the papers leave open.


@pytest.mark.parametrize(
    ("source", "hypothesis", "edits", "expected"),
    [
        pytest.param("", "", [], (0, 0, 0), id="nothing"),
        pytest.param("", "a b", gold((0, 0, "a b")), (1, 1, 1), id="empty-source"),
        pytest.param("a b", "", gold((0, 2, "")), (1, 1, 1), id="empty-hypothesis"),
        pytest.param("a b c", "", gold((1, 2, "")), (1, 3, 1), id="deletion-inside-deletion"),
        pytest.param("a b", "a b", gold((0, 1, "x")), (0, 0, 1), id="no-change"),
        pytest.param("a b", "a c", [(1, 2, ())], (0, 1, 1), id="flag"),
        pytest.param("a b", "a b", [(1, 2, [("b",)])], (0, 0, 1), id="gold-repeats-source"),
        pytest.param("a b", "a b c", gold((2, 2, "c"), (3, 3, "d")), (1, 1, 1), id="past-the-end"),
        pytest.param("a b", "a c", gold((1, 2, "x|c|y")), (1, 1, 1), id="alternatives"),
        pytest.param("a b", "a c", gold((1, 2, "c"), (1, 2, "c")), (1, 1, 2), id="gold-twice"),
        pytest.param("a b", "a x x b", gold((1, 1, "x")), (1, 2, 1), id="inserted-twice"),
        pytest.param(
            "a b", "a x x b", gold((1, 1, "x"), (1, 1, "x")), (2, 2, 2), id="gold-inserts-twice"
        ),
        pytest.param("a b", "a x y b", gold((1, 1, "x y")), (1, 1, 1), id="insertion-phrase"),
        pytest.param(
            "a b", "a x y b", gold((1, 1, "x"), (1, 1, "y")), (2, 2, 2), id="insertions-in-order"
        ),
        pytest.param(
            "a b",
            "a x y b",
            gold((1, 1, "y"), (1, 1, "x")),
            (1, 2, 2),
            id="insertions-out-of-order",
        ),
        pytest.param(
            "a b c",
            "x b y",
            gold((2, 3, "y"), (0, 1, "x")),
            (1, 2, 2),
            id="gold-not-sorted",
        ),
        pytest.param("a m n b", "x m n y", [], (0, 1, 0), id="two-matches-inside"),
        pytest.param("a m n o b", "x m n o y", [], (0, 2, 0), id="three-matches-between"),
        pytest.param(
            "p q r s a b t u v w", "p q r s x y t u v w", [], (0, 1, 0), id="adjacent-are-one-edit"
        ),
    ],
)
def test_maxmatch_counts(
    source: str, hypothesis: str, edits: Sequence[GoldEdit], expected: Counts
) -> None:
    assert counts_of(source, hypothesis, edits) == expected


@pytest.mark.parametrize(("max_unchanged", "expected"), [(0, 2), (1, 2), (2, 1), (3, 1)])
def test_maxmatch_max_unchanged(max_unchanged: int, expected: int) -> None:
    source, hypothesis = words("a m n b"), words("x m n y")
    edits = gold((0, 4, "x m n y"))
    correct, proposed, *_ = max_match(source, hypothesis, edits, max_unchanged=max_unchanged)
    assert (correct, proposed) == (int(expected == 1), expected)


def test_maxmatch_joins_both_lattices() -> None:
    """With substitutions of cost 1 alone there is no way to delete and insert apart."""
    source, hypothesis = words("a b c"), words("c d e")
    assert ((0, 0), (1, 0), 1, 0) in lattice(source, hypothesis)
    assert ((0, 0), (1, 1), 1, 0) in lattice(source, hypothesis)
    assert counts_of("a b c", "c d e", gold((0, 2, ""))) == (1, 2, 1)


def test_maxmatch_cost_of_refuses_what_is_no_path() -> None:
    source, hypothesis = words("a b c"), words("a x c")
    assert cost_of(plain((1, 2, "x")), source, hypothesis, []) == (0, 3, 1, 0, 0)
    assert cost_of(plain((1, 2, "y")), source, hypothesis, []) is None
    assert cost_of(plain(), source, hypothesis, []) is None
    assert cost_of(plain((1, 2, "x"), (2, 3, "c")), source, hypothesis, []) is None


def test_choose_prefers_more_correct_then_fewer_others() -> None:
    assert choose([[(0, 2, 0), (0, 1, 0)]]) == [1]
    assert choose([[(0, 1, 3), (0, 1, 3)]]) == [0]
    assert choose([[(0, 0, 2), (0, 0, 0)]]) == [1]
    # Both have an F of 1.
    assert choose([[(1, 1, 1), (2, 2, 2)]]) == [1]
    assert choose([[(0, 0, 0), (1, 1, 1)]]) == [1]


def test_choose_depends_on_what_went_before() -> None:
    last = [(1, 2, 1), (2, 5, 2)]
    assert choose([last]) == [0]
    assert choose([[(0, 20, 20)], last]) == [0, 1]


def test_f_score_where_something_is_zero() -> None:
    assert f_score(0, 0, 0) == (1.0, 1.0, 1.0)
    assert f_score(0, 0, 3) == (1.0, 0.0, 0.0)
    assert f_score(0, 3, 0) == (0.0, 1.0, 0.0)
    assert f_score(0, 3, 3) == (0.0, 0.0, 0.0)
    assert f_score(1, 2, 4) == pytest.approx((0.5, 0.25, 5 / 12))


def test_wdiff_joins_adjacent_changes() -> None:
    assert wdiff_edits(words("a b c d"), words("a x y c")) == [
        (1, 2, ("x", "y")),
        (3, 4, ()),
    ]
    assert wdiff_edits(words("a b"), words("b a")) == [(0, 0, ("b",)), (1, 2, ())]
    assert wdiff_edits((), ()) == []


# Brute force.

sentences = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)


@st.composite
def gold_lists(draw: st.DrawFn) -> list[GoldEdit]:
    """Gold edits sorted by span, which may share a place unless they insert there."""
    spans = st.tuples(st.integers(0, 4), st.integers(0, 2)).map(lambda pair: (pair[0], sum(pair)))
    corrections = st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(tuple), max_size=2)
    edits = draw(st.lists(st.tuples(spans, corrections), max_size=5))
    inserted = set()
    kept: list[GoldEdit] = []
    for (start, end), options in sorted(edits, key=lambda edit: edit[0]):
        if start < end or start not in inserted:
            inserted.add(start if start == end else -1)
            kept.append((start, end, options))
    return kept


def paths(edges: Sequence[Edge], goal: tuple[int, int]) -> Iterator[list[Edge]]:
    """Yield every path from the first cell to `goal`."""
    unfinished: list[list[Edge]] = [[]]
    while unfinished:
        path = unfinished.pop()
        cell = path[-1].end if path else (0, 0)
        if cell == goal:
            yield path
        unfinished += [[*path, edge] for edge in edges if edge.start == cell]


@given(sentences, sentences, st.integers(0, 2))
def test_maxmatch_phrase_edges_are_the_shortest_parts_of_paths(
    source: Words, hypothesis: Words, max_unchanged: int
) -> None:
    atoms = sorted(lattice(source, hypothesis))
    shortest: dict[tuple[tuple[int, int], tuple[int, int]], int] = {}
    for path in paths(atoms, (len(source), len(hypothesis))):
        for first in range(len(path)):
            for last in range(first, len(path)):
                part = path[first : last + 1]
                unchanged = sum(atom.unchanged for atom in part)
                if unchanged < len(part) and unchanged <= max_unchanged:
                    ends = part[0].start, part[-1].end
                    shortest[ends] = min(len(part), shortest.get(ends, len(part)))
    graph = edit_graph(source, hypothesis, max_unchanged=max_unchanged)
    found = {(edge.start, edge.end): edge.length for edge in graph if edge.changes}
    assert found == shortest
    assert [edge for edge in graph if not edge.changes] == [
        atom for atom in atoms if not atom.changes
    ]
    assert all(one[:2] != other[:2] for one, other in pairwise(graph))


@given(sentences, sentences, gold_lists())
def test_maxmatch_best_path_has_the_least_weight_of_the_paper(
    source: Words, hypothesis: Words, edits: list[GoldEdit]
) -> None:
    known = [edit for edit in edits if edit[1] <= len(source)]
    graph = edit_graph(source, hypothesis)
    # An unchanged word equals a gold edit that repeats it.
    repeated = {
        start
        for start, end, options in known
        if end == start + 1 and (not options or (source[start],) in options)
    }

    def weight(path: Sequence[Edge]) -> tuple[int, int, int]:
        """Weight in thousandths, then correct and proposed edits."""
        scored = scan((edge.edit(hypothesis) for edge in path if edge.changes), known)
        matching = iter([is_correct for *_, is_correct in scored])
        total = sum(
            -3 * len(graph) * 1000
            if (next(matching) if edge.changes else edge.start[0] in repeated)
            else edge.length * 1000 + edge.changes
            for edge in path
        )
        return total, sum(is_correct for *_, is_correct in scored), len(scored)

    weights = [weight(path) for path in paths(graph, (len(source), len(hypothesis)))]
    least = min(weights)[0]
    correct, proposed, *_ = max_match(source, hypothesis, edits)
    best = {counts for counts in weights if counts[0] == least}
    # All the best paths have equally many edits that are wrong, and but for unchanged words that
    # match they have equally many right; of these, the most are taken.
    assert {wrong[2] - wrong[1] for wrong in best} == {proposed - correct}
    assert max(right[1] for right in best) == correct
    assert repeated or len(best) == 1


@given(sentences, sentences)
def test_maxmatch_finds_all_that_wdiff_finds(source: Words, hypothesis: Words) -> None:
    """With the edits of wdiff as gold, everything proposed is right."""
    edits: list[GoldEdit] = [
        (start, end, [text]) for start, end, text in wdiff_edits(source, hypothesis)
    ]
    correct, proposed, n_gold, _ = max_match(source, hypothesis, edits)
    assert correct == proposed == n_gold


# The official scorer.


@cache
def load_gold(data: Path) -> list[Sentence]:
    with Input.open(data / "conll14" / "gold" / "official-2014.combined.m2") as source:
        return list(m2.read([source]))


def load_system(data: Path, system: str) -> list[Words]:
    text = (data / "conll14" / "systems" / f"{system}.txt").read_text(encoding="utf-8")
    return [split_tokens(line) for line in text.split("\n")]


@cache
def load_table(path: Path) -> dict[str, dict[int, dict[str, Counts]]]:
    """Counts by system, sentence and annotator."""
    table: dict[str, dict[int, dict[str, Counts]]] = defaultdict(lambda: defaultdict(dict))
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            counts = int(row["correct"]), int(row["proposed"]), int(row["gold"])
            table[row["system"]][int(row["sent"])][row["annotator"]] = counts
    return table


@pytest.mark.parametrize("system", SYSTEMS)
def test_maxmatch_agrees_with_official_counts(shared_data: Path, system: str) -> None:
    official = load_table(shared_data / "conll14" / "scores" / "m2-counts-by-annotator.tsv")[system]
    hypotheses = load_system(shared_data, system)
    changed = [
        (number, sent)
        for number, sent in enumerate(load_gold(shared_data))
        if len(sent.tokens) <= MAX_TOKENS
        and (hypotheses[number] != sent.tokens or system == "INPUT")
    ]
    sample = changed[:: max(1, len(changed) // SAMPLE)][:SAMPLE]
    assert len(sample) > SAMPLE // 2
    found = {
        number: {
            ann.annotator: max_match(
                sent.tokens,
                hypotheses[number],
                [(edit.start, edit.end, edit.corrections) for edit in ann.edits],
            )[:3]
            for ann in sent.annotations
        }
        for number, sent in sample
    }
    assert found == {number: official[number] for number, _ in sample}


@pytest.mark.parametrize("system", SYSTEMS)
def test_choose_agrees_with_official_choice(shared_data: Path, system: str) -> None:
    scores = shared_data / "conll14" / "scores"
    by_annotator = load_table(scores / "m2-counts-by-annotator.tsv")[system]
    chosen = load_table(scores / "m2-counts-chosen.tsv")[system]
    counts = [list(by_annotator[number].items()) for number in range(len(by_annotator))]
    picks = choose([[count for _, count in annotators] for annotators in counts])
    found = [annotators[pick] for annotators, pick in zip(counts, picks, strict=True)]
    assert [dict([pair]) for pair in found] == [chosen[number] for number in range(len(chosen))]
    with (scores / "m2-totals.tsv").open(encoding="utf-8", newline="") as file:
        totals = {row["system"]: row for row in csv.DictReader(file, delimiter="\t")}[system]
    correct, proposed, n_gold = (sum(column) for column in zip(*(c for _, c in found), strict=True))
    printed = [f"{value:.4f}" for value in f_score(correct, proposed, n_gold)]
    assert [system, str(correct), str(proposed), str(n_gold), *printed] == list(totals.values())
