"""Expected Wins, TrueSkill, ranges of ranks."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from geceval.errors import GecevalError
from geceval.evaluation.resampling import DEFAULT_SEED, Resampling
from geceval.metaeval.correlation import spearman
from geceval.metaeval.human import rankings
from geceval.metaeval.human.judgments import Judgment, Judgments, Place, load_judgments
from geceval.metaeval.human.rankings import (
    Outcomes,
    RankRange,
    expected_wins,
    rank_ranges,
    trueskill,
)


def ranked(*orders: str) -> Judgments:
    """Make judgments of strings such as ``AB>C``: systems, and > where ranks change."""
    return Judgments(
        "made up",
        tuple(
            Judgment(
                number,
                "anna",
                tuple(
                    Place((name,), rank)
                    for rank, names in enumerate(order.split(">"), 1)
                    for name in names
                ),
            )
            for number, order in enumerate(orders)
        ),
    )


def test_outcomes_count_wins_and_ties() -> None:
    found = Outcomes.of(ranked("A>BC", "B>A"))
    assert found.systems == ("A", "B", "C")
    assert found.wins.tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert found.ties.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_expected_wins_by_hand() -> None:
    """A beats B in 2 of 3 and C always; B and C are never decided."""
    found = expected_wins(Outcomes.of(ranked("A>BC", "A>B", "B>A", "A>C", "AC")))
    assert found.scores == pytest.approx({"A": (2 / 3 + 1) / 2, "B": 1 / 3, "C": 0.0})
    assert list(found.scores) == ["A", "B", "C"]
    assert found.note == "1 of 3 pairs of systems were never decided"


def test_expected_wins_of_a_whole_ranking() -> None:
    found = expected_wins(Outcomes.of(ranked("A>B>C>D")))
    assert found.scores == pytest.approx({"A": 1.0, "B": 2 / 3, "C": 1 / 3, "D": 0.0})
    assert found.note == ""


def test_rankings_need_two_systems() -> None:
    for ranking in (expected_wins, trueskill):
        with pytest.raises(GecevalError, match="at least two systems"):
            ranking(Outcomes.of(ranked("A")))
    with pytest.raises(GecevalError, match="no judge found C better or worse than another system"):
        expected_wins(Outcomes.of(ranked("A>B", "AC")))
    with pytest.raises(GecevalError, match="two systems that were compared"):
        trueskill(Outcomes(("A", "B"), np.zeros((2, 2), int), np.zeros((2, 2), int)))
    with pytest.raises(GecevalError, match="n_games takes an integer of at least 1"):
        trueskill(Outcomes.of(ranked("A>B")), n_games=0)


@pytest.mark.parametrize("beta", [0.25, 1.0, 12.5])
def test_trueskill_games_are_those_of_the_package(beta: float) -> None:
    """Play random games in two runs; the package `trueskill` must find the same skills."""
    package = pytest.importorskip("trueskill")
    environment = package.TrueSkill(
        mu=0.0,
        sigma=rankings.PRIOR_SIGMA,
        beta=beta,
        tau=0.0,
        draw_probability=rankings.DRAW_PROBABILITY,
    )
    rng = np.random.default_rng(7)
    ours = rankings._Skills(2, 4, beta=beta)
    theirs = [[environment.create_rating() for _ in range(4)] for _ in range(2)]
    for _ in range(200):
        players = np.array([rng.permutation(4)[:2] for _ in range(2)])
        is_draw = rng.random(2) < 0.4
        ours.play(players[:, 0], players[:, 1], is_draw)
        for run, (winner, loser) in enumerate(players):
            ratings = theirs[run]
            ratings[winner], ratings[loser] = package.rate_1vs1(
                ratings[winner], ratings[loser], drawn=bool(is_draw[run]), env=environment
            )
    assert ours.mean == pytest.approx(np.array([[r.mu for r in run] for run in theirs]), abs=1e-6)
    assert np.sqrt(ours.variance) == pytest.approx(
        np.array([[r.sigma for r in run] for run in theirs]), abs=1e-6
    )


def test_trueskill_orders_systems_and_is_seeded() -> None:
    outcomes = Outcomes.of(ranked("A>B>C", "A>C>B", "A>BC", "B>C"))
    first = trueskill(outcomes, n_games=200, n_runs=50, seed=1)
    assert list(first.scores) == ["A", "B", "C"]
    assert all(spread > 0 for spread in first.spread.values())
    assert trueskill(outcomes, n_games=200, n_runs=50, seed=1) == first
    assert trueskill(outcomes, n_games=200, n_runs=50, seed=2).scores != first.scores


def test_trueskill_scale_hardly_depends_on_the_number_of_games() -> None:
    rng = np.random.default_rng(5)
    orders = [">".join(rng.permutation(list("ABCDEFGHIJ"))) for _ in range(20)]
    outcomes = Outcomes.of(ranked(*orders, "A>B>C>D>E>F>G>H>I>J"))
    few = trueskill(outcomes, n_games=2000, n_runs=400)
    many = trueskill(outcomes, n_games=8000, n_runs=400)
    assert many.scores == pytest.approx(dict(few.scores), abs=0.05)
    assert max(many.scores.values()) > 0.3


def test_trueskill_player_is_the_least_known() -> None:
    skills = rankings._Skills(3, 4, beta=1.0)
    skills.variance[:] = [0.3, 0.1, 0.4, 0.2]
    rng = np.random.default_rng(1)
    everybody = np.ones(4, dtype=bool)
    assert skills.least_known(everybody, rng).tolist() == [2, 2, 2]
    assert skills.least_known(everybody & [True, True, False, True], rng).tolist() == [0, 0, 0]


def test_trueskill_everybody_may_be_the_first() -> None:
    """Where nothing is known yet, chance chooses among all."""
    skills = rankings._Skills(400, 5, beta=1.0)
    first = skills.least_known(np.ones(5, dtype=bool), np.random.default_rng(2))
    assert set(first.tolist()) == set(range(5))


def test_trueskill_goes_through_all_games_of_a_system() -> None:
    """A has three games; however many runs draw at a time, each comes once before one again."""
    outcomes = Outcomes.of(ranked("A>B", "C>A", "AB"))
    games = rankings._Games(outcomes, np.random.default_rng(3))
    expected = {(1, 1), (2, -1), (1, 0)}
    drawn: list[tuple[int, int]] = []
    for n_runs in (1, 2, 1, 5):
        opponents, results = games.next(np.zeros(n_runs, dtype=np.int64))
        drawn += zip(opponents.tolist(), results.tolist(), strict=True)
    assert len(drawn) == 9
    assert [set(drawn[at : at + 3]) for at in (0, 3, 6)] == [expected] * 3


def test_trueskill_players_take_turns_with_their_own_games() -> None:
    outcomes = Outcomes.of(ranked("A>B", "A>B", "B>C"))
    games = rankings._Games(outcomes, np.random.default_rng(4))
    players = np.array([2, 0, 1, 0, 2, 1, 1])
    opponents, results = games.next(players)
    found = list(zip(players.tolist(), opponents.tolist(), results.tolist(), strict=True))
    assert sorted(found) == sorted(
        [(0, 1, 1), (0, 1, 1), (1, 0, -1), (1, 0, -1), (1, 2, 1), (2, 1, -1), (2, 1, -1)]
    )


def test_trueskill_hardly_depends_on_the_seed() -> None:
    rng = np.random.default_rng(6)
    outcomes = Outcomes.of(ranked(*(">".join(rng.permutation(list("ABCDE"))) for _ in range(40))))
    first, second = (trueskill(outcomes, seed=seed) for seed in (1, 2))
    assert first.scores == pytest.approx(dict(second.scores), abs=0.005)
    assert min(first.spread.values()) > 0.05


def test_trueskill_ties_draw_systems_together() -> None:
    apart = trueskill(Outcomes.of(ranked("A>B")), n_games=400, n_runs=50)
    closer = trueskill(Outcomes.of(ranked("A>B", "AB", "AB")), n_games=400, n_runs=50)
    assert 0 < closer.scores["A"] < apart.scores["A"]


def test_rank_ranges_tell_clear_clusters_apart() -> None:
    """A is always best and D always last; B and C cannot be told apart."""
    found = rank_ranges(ranked(*["A>B>C>D", "A>C>B>D"] * 20), resampling=Resampling(200))
    assert found["A"] == RankRange(1, 1, 1)
    assert found["D"] == RankRange(4, 4, 3)
    assert {name: found[name] for name in "BC"} == {
        "B": RankRange(2, 3, 2), "C": RankRange(2, 3, 2),
    }  # fmt: skip


def test_rank_ranges_of_one_judgment_are_its_ranks() -> None:
    found = rank_ranges(ranked("B>A>C"), resampling=Resampling(20))
    assert found == {"B": RankRange(1, 1, 1), "A": RankRange(2, 2, 2), "C": RankRange(3, 3, 3)}


def published(path: Path) -> dict[str, float]:
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    return {row[3]: float(row[4]) for row in rows}


def test_rankings_of_gjg15_are_those_published(shared_data: Path) -> None:
    folder = shared_data / "conll14" / "human"
    outcomes = Outcomes.of(load_judgments(folder / "gjg15-judgments.xml", "GJG15"))
    wins = expected_wins(outcomes)
    assert wins.scores == pytest.approx(published(folder / "gjg15-expected-wins.tsv"), abs=0.001)
    skills = published(folder / "gjg15-trueskill.tsv")
    for seed in (DEFAULT_SEED, 1, 2):
        found = trueskill(outcomes, seed=seed)
        assert found.scores == pytest.approx(skills, abs=0.03)
        names = list(skills)
        assert spearman(found.of(names), [skills[name] for name in names]).value > 0.97


@pytest.mark.parametrize("kind", ["edit", "sent"])
def test_rankings_of_seeda_are_those_published(shared_data: Path, kind: str) -> None:
    folder = shared_data / "seeda"
    judgments = load_judgments(folder / f"judgments_{kind}.xml", kind)
    outcomes = Outcomes.of(judgments)
    human = {
        short: dict(
            zip(
                judgments.systems,
                map(float, (folder / f"scores/human/{short}_{kind}.txt").read_text().split()),
                strict=True,
            )
        )
        for short in ("EW", "TS")
    }
    assert expected_wins(outcomes).scores == pytest.approx(human["EW"], abs=0.001)
    names = judgments.systems
    for seed in (DEFAULT_SEED, 1, 2):
        skills = trueskill(outcomes, seed=seed)
        assert skills.scores == pytest.approx(human["TS"], abs=0.03)
        assert spearman(skills.of(names), [human["TS"][name] for name in names]).value > 0.98


def test_expected_wins_of_every_pair_add_up() -> None:
    """However systems were ranked, their mean is a half where all pairs were decided."""
    rng = np.random.default_rng(3)
    orders = [">".join(rng.permutation(list("ABCDE"))) for _ in range(30)]
    found = expected_wins(Outcomes.of(ranked(*orders)))
    assert np.mean(list(found.scores.values())) == pytest.approx(0.5)
    assert all(a >= b for a, b in itertools.pairwise(found.scores.values()))
