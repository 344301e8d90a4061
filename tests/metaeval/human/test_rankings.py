"""Outcomes, Expected Wins, ranges of ranks."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from geceval.errors import GecevalError
from geceval.evaluation.ranking import RankRange
from geceval.evaluation.resampling import Resampling, resampled_rows
from geceval.metaeval.human.judgment_files import load_judgments
from geceval.metaeval.human.judgments import Judgment, Judgments, Place
from geceval.metaeval.human.rankings import (
    Outcomes,
    SentenceOutcomes,
    expected_wins,
    ranges_of,
    rank_ranges,
)
from human_examples import check_ranges, published_scores, ranked


def test_outcomes_count_wins_and_ties() -> None:
    found = Outcomes.of(ranked("A>BC", "B>A"))
    assert found.systems == ("A", "B", "C")
    assert found.wins.tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert found.ties.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert found.n_pairs == 4


def test_outcomes_of_resampled_sentences_are_those_of_their_judgments() -> None:
    judgments = ranked("A>BC", "B>A", "C>A>B", "AB")
    by_sentence = SentenceOutcomes.of(judgments)
    rows = resampled_rows(4, Resampling(7, seed=1))
    wins, ties = by_sentence.resampled(rows)
    for number, sample in enumerate(rows[0]):
        items = tuple(judgments.items[row] for row in sample)
        # All systems have a place, whether or not they were sampled.
        same = Outcomes.of(Judgments("", (*items, Judgment(9, "x", (Place(("A", "B", "C"), 1),)))))
        assert wins[number].tolist() == same.wins.tolist()
        tied_once = np.ones((3, 3), int) - np.eye(3, dtype=int)
        assert (ties[number] + tied_once).tolist() == same.ties.tolist()


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


def test_expected_wins_need_two_systems() -> None:
    with pytest.raises(GecevalError, match="at least two systems"):
        expected_wins(Outcomes.of(ranked("A")))
    with pytest.raises(GecevalError, match="no judge found C better or worse than another system"):
        expected_wins(Outcomes.of(ranked("A>B", "AC")))


def test_expected_wins_of_every_pair_add_up() -> None:
    """However systems were ranked, their mean is a half where all pairs were decided."""
    rng = np.random.default_rng(3)
    orders = [">".join(rng.permutation(list("ABCDE"))) for _ in range(30)]
    found = expected_wins(Outcomes.of(ranked(*orders)))
    assert np.mean(list(found.scores.values())) == pytest.approx(0.5)
    assert all(a >= b for a, b in itertools.pairwise(found.scores.values()))


def test_rank_ranges_tell_clear_clusters_apart() -> None:
    """A is always best and D always last; B and C cannot be told apart."""
    outcomes = Outcomes.of(ranked(*["A>B>C>D", "A>C>B>D"] * 20))
    found = rank_ranges(outcomes, resampling=Resampling(200))
    assert found["A"] == RankRange(1, 1, 1)
    assert found["D"] == RankRange(4, 4, 3)
    assert {name: found[name] for name in "BC"} == {
        "B": RankRange(2, 3, 2), "C": RankRange(2, 3, 2),
    }  # fmt: skip


def test_rank_ranges_cut_both_ends_rounded_up() -> None:
    """Of 41 ranks, two are cut at each end: two bad ones do not count, a third does."""
    for bad, worst in ((2, 1), (3, 2)):
        scores = np.array([[0.0, 1.0]] * bad + [[1.0, 0.0]] * (41 - bad))
        assert ranges_of(["A", "B"], scores, ["A", "B"])["A"] == RankRange(1, worst, 1)
    # A thousand ranks lose 25 at each end, not 26 for a rounding error.
    scores = np.array([[0.0, 1.0]] * 26 + [[1.0, 0.0]] * 974)
    assert ranges_of(["A", "B"], scores, ["A", "B"])["A"].worst == 2
    assert ranges_of(["A", "B"], scores[1:], ["A", "B"], 0.95)["A"].worst == 1
    assert ranges_of(["A", "B"], scores[:1], ["B", "A"])["A"] == RankRange(2, 2, 2)


def test_rankings_of_gjg15_are_those_published(shared_data: Path) -> None:
    """Scores are; of the ranges of table 3b we know that SJTU's, here 9-11, is printed as 10-11."""
    folder = shared_data / "conll14" / "human"
    outcomes = Outcomes.of(load_judgments(folder / "gjg15-judgments.xml", "GJG15"))
    assert outcomes.n_pairs == 109_098
    wins = expected_wins(outcomes)
    published = published_scores(folder / "gjg15-expected-wins.tsv")
    assert wins.scores == pytest.approx(published, abs=0.001)
    found = rank_ranges(outcomes)
    assert (found["SJTU"].best, found["SJTU"].worst) == (9, 11)
    check_ranges(published, found)


@pytest.mark.parametrize("kind", ["edit", "sent"])
def test_rankings_of_seeda_are_those_published(shared_data: Path, kind: str) -> None:
    folder = shared_data / "seeda"
    outcomes = Outcomes.of(load_judgments(folder / f"judgments_{kind}.xml", kind))
    assert outcomes.n_pairs == 33_544
    numbers = (folder / f"scores/human/EW_{kind}.txt").read_text().split()
    published = dict(zip(outcomes.systems, map(float, numbers), strict=True))
    assert expected_wins(outcomes).scores == pytest.approx(published, abs=0.001)
