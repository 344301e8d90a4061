"""TrueSkill: the published procedure, and its limit without chance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from geceval.errors import GecevalError
from geceval.kernels import skill_games as kernel
from geceval.metaeval.human.judgment_files import load_judgments
from geceval.metaeval.human.rankings import Outcomes
from geceval.metaeval.human.trueskill import draw_margin, limit_of, trueskill
from human_examples import published_scores, ranked
from oracles import trueskill as oracle


def random_outcomes(n: int, seed: int, *, most: int = 40) -> Outcomes:
    rng = np.random.default_rng(seed)
    wins = rng.integers(most // 2, most, (n, n))
    np.fill_diagonal(wins, 0)
    ties = np.triu(rng.integers(most // 2, most, (n, n)), 1)
    return Outcomes(tuple("ABCDEFGHIJ"[:n]), wins, ties + ties.T)


@pytest.mark.parametrize("beta", [0.25, 1.0, 12.5])
@pytest.mark.parametrize("n", [2, 5])
def test_trueskill_games_are_those_of_the_package(beta: float, n: int) -> None:
    pytest.importorskip("trueskill")
    outcomes = random_outcomes(n, seed=n)
    if n == 5:
        # Two systems that were never compared do not play.
        for counts in (outcomes.wins, outcomes.ties):
            counts[1, 3] = counts[3, 1] = 0
    chances = np.random.default_rng(7).random((300, 2))
    means, variances = np.zeros(n), np.full(n, 0.25)
    kernel.play(means, variances, outcomes.wins, outcomes.ties, chances, beta, draw_margin(beta))
    theirs, deviations = oracle.play(outcomes.wins, outcomes.ties, chances.tolist(), beta)
    assert means.tolist() == pytest.approx(theirs, abs=1e-6)
    assert np.sqrt(variances).tolist() == pytest.approx(deviations, abs=1e-6)


def test_trueskill_kernel_checks_its_arguments() -> None:
    outcomes = random_outcomes(3, seed=1)
    chances = np.zeros((1, 2))
    means, variances = np.zeros(3), np.ones(3)
    with pytest.raises(ValueError, match="differ in number"):
        kernel.play(means, np.ones(2), outcomes.wins, outcomes.ties, chances, 1.0, 0.1)
    with pytest.raises(ValueError, match="differ in number"):
        kernel.play(means, variances, outcomes.wins, outcomes.ties[:2], chances, 1.0, 0.1)
    nothing = np.zeros((3, 3), dtype=np.int64)
    with pytest.raises(ValueError, match="each player needs a judgment"):
        kernel.play(means, variances, nothing, nothing, chances, 1.0, 0.1)
    pairs = np.zeros((2, 2), dtype=np.int8)
    with pytest.raises(ValueError, match="each pair of players"):
        kernel.rate_in_order(pairs, np.zeros((1, 1), dtype=np.int64), 3, 0.25, 1.0, 0.1)
    with pytest.raises(IndexError, match="rows must be sentences"):
        kernel.rate_in_order(pairs[:, :1].copy(), np.full((1, 1), 2), 2, 0.25, 1.0, 0.1)


def test_trueskill_survives_games_that_cannot_be() -> None:
    """A mean far from all others neither divides by zero nor gives NaN."""
    wins = np.array([[0, 0], [1, 0]])
    for ties in (np.zeros((2, 2), int), np.array([[0, 1], [1, 0]])):
        means, variances = np.array([500.0, 0.0]), np.full(2, 0.25)
        kernel.play(means, variances, wins, ties, np.zeros((5, 2)), 0.25, draw_margin(0.25))
        assert np.isfinite(means).all()
        assert (variances > 0).all()


@pytest.mark.parametrize("n", [3, 6])
def test_trueskill_limit_is_that_of_small_steps(n: int) -> None:
    outcomes = random_outcomes(n, seed=10 + n)
    found = limit_of(outcomes.wins[None], outcomes.ties[None])[0]
    assert found.tolist() == pytest.approx(oracle.limit(outcomes.wins, outcomes.ties), abs=1e-3)


def test_trueskill_limit_of_a_stack_is_that_of_each() -> None:
    several = [random_outcomes(4, seed) for seed in range(3)]
    lonely = Outcomes(("A", "B", "C", "D"), several[0].wins.copy(), several[0].ties.copy())
    for counts in (lonely.wins, lonely.ties):
        counts[2, :] = counts[:, 2] = 0
    several.insert(1, lonely)
    found = limit_of(np.stack([one.wins for one in several]), np.stack([o.ties for o in several]))
    assert np.isnan(found[1]).all()
    for number in (0, 2, 3):
        scores = trueskill(several[number]).scores
        assert found[number].tolist() == [scores[name] for name in "ABCD"]


def test_trueskill_simulation_tends_to_the_limit() -> None:
    outcomes = random_outcomes(5, seed=5, most=4000)
    simulated = trueskill(outcomes, procedure="simulated", n_runs=60)
    assert trueskill(outcomes).scores == pytest.approx(dict(simulated.scores), abs=0.02)
    assert "procedure:limit" in trueskill(outcomes).signature
    assert f"games:{outcomes.n_pairs + 1}|runs:60|seed:12345" in simulated.signature


def test_trueskill_simulation_is_seeded_and_independent_of_threads() -> None:
    outcomes = random_outcomes(4, seed=3)
    first = trueskill(outcomes, procedure="simulated", n_runs=60, seed=1)
    assert trueskill(outcomes, procedure="simulated", n_runs=60, seed=1, jobs=2) == first
    other = trueskill(outcomes, procedure="simulated", n_runs=60, seed=2)
    assert other.scores != first.scores
    assert min(first.spread.values()) > 0
    assert set(first.ranges) == set("ABCD")


def test_trueskill_of_two_systems() -> None:
    apart = trueskill(Outcomes.of(ranked("A>B")))
    closer = trueskill(Outcomes.of(ranked("A>B", "AB", "AB")))
    assert 0 < closer.scores["A"] < apart.scores["A"]
    assert closer.scores["B"] == pytest.approx(-closer.scores["A"])
    assert closer.note == ""


def test_trueskill_without_a_limit_is_simulated_and_says_so() -> None:
    """B is in every comparison, so its variance shrinks faster than the others."""
    found = trueskill(Outcomes.of(ranked("A>B", "B>C", "B>D", "B>E")), n_runs=20)
    assert "procedure:simulated" in found.signature
    assert found.note == (
        "6 of 10 pairs of systems were never compared; "
        "TrueSkill has no limit for so few comparisons, and was simulated"
    )
    assert found.scores["A"] > found.scores["C"]


def test_trueskill_names_what_cannot_be_ranked() -> None:
    with pytest.raises(GecevalError, match="at least two systems"):
        trueskill(Outcomes.of(ranked("A")))
    with pytest.raises(GecevalError, match="C was never compared with another system"):
        trueskill(Outcomes.of(ranked("A>B", "C")))
    with pytest.raises(GecevalError, match="n_runs takes an integer of at least 1"):
        trueskill(Outcomes.of(ranked("A>B")), n_runs=0)
    apart = trueskill(Outcomes.of(ranked("A>B", "C>D")))
    assert apart.note.startswith("the systems form 2 groups that were never compared")


def check_published(outcomes: Outcomes, published: Mapping[str, float]) -> None:
    found = trueskill(outcomes)
    assert found.scores == pytest.approx(published, abs=0.003)
    assert list(found.scores) == sorted(published, key=lambda name: -published[name])
    few = trueskill(outcomes, procedure="simulated", n_runs=20)
    assert few.scores == pytest.approx(published, abs=0.02)


def test_trueskill_of_gjg15_is_that_published(shared_data: Path) -> None:
    folder = shared_data / "conll14" / "human"
    outcomes = Outcomes.of(load_judgments(folder / "gjg15-judgments.xml", "GJG15"))
    check_published(outcomes, published_scores(folder / "gjg15-trueskill.tsv"))


@pytest.mark.parametrize("kind", ["edit", "sent"])
def test_trueskill_of_seeda_is_that_published(shared_data: Path, kind: str) -> None:
    folder = shared_data / "seeda"
    outcomes = Outcomes.of(load_judgments(folder / f"judgments_{kind}.xml", kind))
    numbers = (folder / f"scores/human/TS_{kind}.txt").read_text().split()
    check_published(outcomes, dict(zip(outcomes.systems, map(float, numbers), strict=True)))
