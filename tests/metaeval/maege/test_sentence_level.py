"""The level of sentences: pairs, Kendall's τ and the scores of MAEGE."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.errors import GecevalError
from geceval.metaeval.maege.argsort import MAX_STABLE, unstable_argsort
from geceval.metaeval.maege.chains import Source, sample_chains
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.metaeval.maege.material import Material, span
from geceval.metaeval.maege.protocol import PROTOCOLS, Protocol
from geceval.metaeval.maege.rows import Row
from geceval.metaeval.maege.sentence_level import (
    Pairs,
    SentenceLevel,
    count_pairs,
    original_quality,
    quality,
)
from geceval.model import Annotation, Corpus, Edit, Sentence, Tokens
from oracles.maege import Element, OracleChain, count


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Sentences with few different tokens and edits, so that much reads the same."""
    sentences = []
    for _ in range(draw(st.integers(1, 3))):
        tokens = tuple(draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=4)))
        sentences.append(
            Sentence(tokens, tuple(Annotation(name, draw(annotation(tokens))) for name in "012"))
        )
    return Corpus(tuple(sentences))


@st.composite
def annotation(draw: st.DrawFn, tokens: Tokens) -> tuple[Edit, ...]:
    edits = []
    for place, token in enumerate(tokens):
        words = draw(st.sampled_from(((), ("a",), ("b",), ("a", "b"), None)))
        if words is not None and words != (token,):
            edits.append(Edit(place, place + 1, (words,), draw(st.sampled_from("XY"))))
    return tuple(edits) or (Edit(0, 0, (("c",),), "Z"),)


def coarse_score(sentence: int, held_out: str, source: Tokens, output: Tokens) -> float:
    """A score that depends on everything, with many ties."""
    return zlib.crc32(repr((sentence, held_out, source, output)).encode()) % 3 / 2


@given(
    corpora(),
    st.integers(1, 3),
    st.integers(0, 3),
    st.sampled_from(("random", "original")),
    st.booleans(),
)
def test_pairs_are_those_of_the_oracle(
    corpus: Corpus, n_chains: int, seed: int, source: Source, leave_one_out: bool
) -> None:
    material = span(corpus, annotators=None if leave_one_out else "01")
    rows: dict[Row, int] = {}
    level = SentenceLevel.sample(material, rows, seed=seed, n_chains=n_chains, source=source)
    scores = np.array(
        [coarse_score(row.sentence, row.held_out, row.source, row.output) for row in rows]
    )
    chains = oracle_chains(material, n_chains, seed, source)
    found = count_pairs(scores, level.lower, level.upper)
    assert (found.n, found.discordant, found.ties) == count(chains, coarse_score)
    assert level.n_chains == len(chains)
    assert len(level.elements) == sum(len(one.elements) for one in chains)


def oracle_chains(
    material: Material, n_chains: int, seed: int, source: Source
) -> list[OracleChain]:
    chains = []
    for place, sent in enumerate(material.sentences):
        for chain in sample_chains(
            sent.lattices, sentence=sent.number, seed=seed, n_chains=n_chains, source=source
        ):
            texts = list(chain.elements())
            elements = [
                Element(frozenset(chain.order[:size]), text) for size, text in enumerate(texts)
            ]
            held_out = chain.lattice.annotator if material.leave_one_out else ""
            chains.append(OracleChain(place, held_out, texts[chain.source], elements))
    return chains


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_kendall_by_rule_for_ties(concordant: int, discordant: int, ties: int) -> None:
    pairs = Pairs(concordant + discordant + ties, discordant, ties)
    if not pairs.n:
        assert math.isnan(pairs.kendall().value)
        return
    plain = pairs.kendall()
    assert plain.value == pytest.approx((concordant + ties - discordant) / pairs.n)
    assert plain.n == pairs.n
    half = pairs.kendall("half")
    assert half.value == pytest.approx((concordant - discordant) / pairs.n)
    excluded = pairs.kendall("excluded")
    assert excluded.n == concordant + discordant
    if excluded.n:
        assert excluded.value == pytest.approx((concordant - discordant) / excluded.n)
        assert excluded.value * excluded.n == pytest.approx(half.value * half.n)
    else:
        assert math.isnan(excluded.value)


def test_kendall_p_value() -> None:
    """z is (2 · 60 - 100) / 10 = 2, whose two tails hold 4.55 %."""
    assert Pairs(100, 60, 0).kendall().p_value == pytest.approx(0.0455, abs=5e-5)
    assert Pairs(100, 40, 0).kendall().p_value == pytest.approx(0.0455, abs=5e-5)
    assert Pairs(100, 50, 0).kendall().p_value == 1.0


def test_kendall_refuses_other_rules() -> None:
    with pytest.raises(GecevalError, match="half"):
        Pairs(1, 0, 0).kendall("halves")  # type: ignore[arg-type]


def test_pairs_without_a_score_are_counted() -> None:
    scores = np.array([0.0, np.nan, 1.0])
    found = count_pairs(scores, np.array([0, 0, 1]), np.array([1, 2, 2]))
    assert found == Pairs(1, 0, 0, 2)


def test_nearly_equal_scores_are_ties() -> None:
    scores = np.array([0.1 + 0.2, 0.3])
    assert scores[0] != scores[1]
    assert count_pairs(scores, np.array([0]), np.array([1])) == Pairs(1, 0, 1)


def test_qualities_lie_evenly_between_original_and_top() -> None:
    """The annotator with fewer edits decides what the original is worth."""
    tokens = ("a", "b", "c", "d")
    short = AnnotationLattice(tokens, (Edit(0, 1, (("x",),)),), "0")
    long = AnnotationLattice(
        tokens, tuple(Edit(place, place + 1, (("y",),)) for place in range(3)), "1"
    )
    original = original_quality([short, long])
    assert original == 0.75
    assert [quality(size, 3, original) for size in range(4)] == pytest.approx(
        [0.75, 0.75 + 0.25 / 3, 0.75 + 0.5 / 3, 1.0]
    )


def test_level_of_one_sentence() -> None:
    """One edit and two edits: two chains, five elements, four pairs, three steps."""
    tokens = ("a", "b", "c")
    one = Annotation("0", (Edit(0, 1, (("x",),), "X"),))
    two = Annotation("1", (Edit(1, 2, (("y",),), "Y"), Edit(2, 3, (("z",),), "Z")))
    reference = Annotation("2", (Edit(0, 1, ((),)),))
    material = span(Corpus((Sentence(tokens, (one, two, reference)),)), annotators="01")
    rows: dict[Row, int] = {}
    level = SentenceLevel.sample(material, rows, seed=0, n_chains=1, source="original")
    assert level.n_chains == 2
    assert level.qualities.tolist() == pytest.approx([2 / 3, 1, 2 / 3, 5 / 6, 1])
    assert next(iter(rows)) == Row(0, tokens, "", tokens)
    assert len(rows) == 4
    assert len(level.lower) == 4
    assert level.steps.names == ("X", "Y", "Z")
    assert level.n_errors.tolist() == [1, 2]
    scores = np.array([0.5, 0.6, 0.7, 0.9])
    assert level.by_errors(scores) == {1: (1, 0.5), 2: (1, 0.5)}
    assert level.mean_gain(scores) == pytest.approx(np.mean([0.1, 0.2, 0.4, 0.2]))
    assert level.pearson(scores).n == 5
    unknown = np.full(4, np.nan)
    assert math.isnan(level.mean_gain(unknown))
    assert level.by_errors(unknown) == {}
    assert math.isnan(level.pearson(unknown).value)


def two_chains() -> Material:
    """Two annotators with the same edits, so that each pair occurs twice."""
    edits = (Edit(0, 1, (("x",),), "X"), Edit(1, 2, (("y",),), "Y"))
    reference = Annotation("2", (Edit(0, 1, ((),)),))
    annotations = (Annotation("0", edits), Annotation("1", edits), reference)
    return span(Corpus((Sentence(("a", "b"), annotations),)), annotators="01")


def sampled(material: Material, protocol: Protocol) -> tuple[SentenceLevel, dict[Row, int]]:
    rows: dict[Row, int] = {}
    level = SentenceLevel.sample(
        material, rows, seed=1, n_chains=2, source="original", protocol=protocol
    )
    return level, rows


def test_all_pairs_or_unique_ones() -> None:
    level, rows = sampled(two_chains(), Protocol(pairs="all"))
    assert level.n_chains == 4
    assert len(level.lower) == 4 * 3
    assert len(level.steps.lower) == 4 * 2
    unique, _ = sampled(two_chains(), Protocol())
    assert len(unique.lower) == len(
        set(zip(level.lower.tolist(), level.upper.tolist(), strict=True))
    )
    assert len(rows) == 4


def test_changes_from_the_first_or_the_previous() -> None:
    scores = {"a b": 0.0, "x b": 1.0, "a y": 10.0, "x y": 100.0}
    found = {}
    for change_from in ("previous", "first"):
        level, rows = sampled(two_chains(), Protocol(change_from=change_from))
        values = np.array([scores[" ".join(row.output)] for row in rows])
        found[change_from] = {
            name: change.mean for name, change in level.steps.changes(values).items()
        }
    assert found["previous"] == {"X": (1 + 90) / 2, "Y": (10 + 99) / 2}
    assert found["first"] == {"X": (1 + 100) / 2, "Y": (10 + 100) / 2}


def test_quality_by_characters() -> None:
    lattice = AnnotationLattice(("abc", "def", "gh"), (Edit(0, 1, (("x",),)),), "0")
    assert original_quality([lattice]) == pytest.approx(1 - 1 / 3)
    assert original_quality([lattice], PROTOCOLS["released"]) == pytest.approx(1 - 2 / 10)


def test_chains_need_annotators() -> None:
    with pytest.raises(GecevalError, match="no sentence has the 3 annotators"):
        sampled(two_chains(), Protocol(chain_annotators=3))


@given(st.lists(st.integers(0, 4), max_size=60))
def test_unstable_argsort_sorts(values: list[int]) -> None:
    order = unstable_argsort(np.array(values, dtype=float)).tolist()
    assert sorted(order) == list(range(len(values)))
    assert [values[place] for place in order] == sorted(values)
    if len(values) <= MAX_STABLE:
        assert order == sorted(range(len(values)), key=values.__getitem__)


def test_unstable_argsort_stands_undefined_values() -> None:
    values = np.array([1.0, math.nan, 0.0, 2.0] * 15)
    assert sorted(unstable_argsort(values).tolist()) == list(range(60))


@pytest.mark.parametrize("pairs", ["all", "unique"])
def test_long_chains_reverse_ties(pairs: str) -> None:
    """Two equal chains of 18 and of 17 corrections: all scores are tied, some are reversed."""
    for size in (18, 17):
        tokens = tuple(f"t{place}" for place in range(size - 1))
        edits = tuple(Edit(place, place + 1, (("x",),)) for place in range(size - 1))
        reference = Annotation("1", (Edit(0, 1, ((),)),))
        sent = Sentence(tokens, (Annotation("0", edits), reference))
        material = span(Corpus((sent,)), annotators="0")
        rows: dict[Row, int] = {}
        chain = sample_chains(
            material.sentences[0].lattices, sentence=0, seed=0, n_chains=1, source="original"
        )[0]
        protocol = Protocol(pairs=pairs, ties="argsort")  # type: ignore[arg-type]
        level = SentenceLevel.of([(0, chain)] * 2, material, rows, protocol=protocol)
        found = level.count_pairs(np.zeros(len(rows)))
        times = 2 if pairs == "all" else 1
        n_pairs = times * size * (size - 1) // 2
        # The quicksort reverses the fifteen corrections between the first and the last two.
        n_reversed = times * 15 * 14 // 2 if size == 18 else 0
        assert found == Pairs(n_pairs, 0, n_pairs, reversed=n_reversed)
        assert found.kendall("argsort").value == pytest.approx(1 - 2 * n_reversed / n_pairs)
        assert found.kendall().value == 1
