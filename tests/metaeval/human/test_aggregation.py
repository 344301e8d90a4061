"""System scores from sentence scores."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.metaeval.human.aggregation import Aggregation, aggregate_scores, aggregated
from geceval.metaeval.human.metric_scores import MetricScores
from oracles import trueskill as oracle

SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "NTHU", "PKU", "RAC", "UFC")


def plain_expected_wins(scores: NDArray[np.float64]) -> list[float]:
    found = []
    for i, own in enumerate(scores):
        shares = []
        for j, other in enumerate(scores):
            if i != j:
                wins, losses = sum(own > other), sum(own < other)
                shares.append(wins / (wins + losses) if wins + losses else 0.5)
        found.append(sum(shares) / len(shares))
    return found


def test_aggregation_of_the_toy_example() -> None:
    """Two sentences, three systems: A > B, A > C, B > C and A > B, C > A, B > C."""
    scores = np.array([[3.0, 2.0], [2.0, 1.0], [1.0, 3.0]])
    scores[:, 1] = [0.5, 0.4, 0.6]
    # The outcomes of the second sentence are a cycle, which no scores have; count by hand.
    assert aggregated(scores, "expected-wins")[0].tolist() == [0.75, 0.25, 0.5]


def test_aggregation_is_that_of_plain_loops() -> None:
    pytest.importorskip("trueskill")
    scores = np.random.default_rng(1).integers(0, 4, (5, 40)) / 7
    found = aggregated(scores, "trueskill")[0]
    assert found.tolist() == pytest.approx(oracle.one_pass(scores.tolist()), abs=1e-6)
    assert aggregated(scores, "expected-wins")[0].tolist() == pytest.approx(
        plain_expected_wins(scores)
    )
    assert aggregated(scores, "mean")[0].tolist() == pytest.approx(scores.mean(axis=1).tolist())


def test_aggregation_ignores_undefined_scores() -> None:
    pytest.importorskip("trueskill")
    scores = np.random.default_rng(2).random((3, 10))
    scores[1, 4] = np.nan
    listed = [[None if np.isnan(one) else one for one in row] for row in scores.tolist()]
    found = aggregated(scores, "trueskill")[0]
    assert found.tolist() == pytest.approx(oracle.one_pass(listed), abs=1e-6)
    assert aggregated(scores, "mean")[0, 1] == pytest.approx(np.nanmean(scores[1]))


@pytest.mark.parametrize("method", ["mean", "trueskill", "expected-wins"])
def test_aggregation_of_resamples_is_that_of_their_sentences(method: Aggregation) -> None:
    scores = np.random.default_rng(3).integers(0, 3, (4, 12)).astype(float)
    rows = np.sort(np.random.default_rng(4).integers(0, 12, (5, 12)), axis=1)
    found = aggregated(scores, method, rows=rows)
    for number, row in enumerate(rows):
        assert found[number] == pytest.approx(aggregated(scores[:, row], method)[0])


def test_aggregation_of_equal_systems() -> None:
    """Last bits do not decide, two systems that never differ each win a half."""
    scores = np.array([[0.1 + 0.2, 1.0], [0.3, 1.0]])
    assert aggregated(scores, "expected-wins").tolist() == [[0.5, 0.5]]
    assert aggregated(scores, "trueskill").tolist() == [[0.0, 0.0]]
    assert aggregated(scores[:1], "trueskill").tolist() == [[0.0]]
    with pytest.raises(GecevalError, match="Expected Wins needs at least two systems"):
        aggregated(scores[:1], "expected-wins")
    with pytest.raises(ValueError, match="own scores are not aggregated"):
        aggregated(scores, "own")


def test_aggregation_of_metric_scores() -> None:
    sentences = {"A": np.array([1.0, 0.0]), "B": np.array([0.0, 0.0]), "C": np.array([5.0, 5.0])}
    metric = MetricScores("m", "M", {"A": 7.0, "B": 8.0, "C": 9.0}, sentences, "m|x")
    assert aggregate_scores(metric, ["A", "B"], "own") is metric
    found = aggregate_scores(metric, ["A", "B"], "mean", rows=[np.array([[0, 0], [0, 1]])])
    assert found.scores == {"A": 0.5, "B": 0.0}
    assert found.samples["A"].tolist() == [1.0, 0.5]
    assert found.signature == "m|x|aggregation:mean"
    bare = MetricScores("m", "M", {"A": 7.0, "B": 8.0}, {}, "m|x")
    with pytest.raises(GecevalError, match="M has no sentence scores, which the aggregation mean"):
        aggregate_scores(bare, ["A", "B"], "mean")


def sentence_scores(
    path: Path, column: str, wanted: Callable[[dict[str, str]], bool]
) -> NDArray[np.float64]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if wanted(row)]
    return np.array(
        [[float(row[column]) for row in rows if row["system"] == name] for name in SYSTEMS]
    )


@pytest.mark.parametrize(
    ("metric", "file", "column"),
    [
        ("errant", "rank-errant-sentence.tsv.gz", "gecmetrics_errant_F0.5"),
        ("green2", "green-sentence.tsv.gz", "F"),
        ("gleuofficial", "gleuvariants-sentence.tsv.gz", "gecmetrics_gleuofficial"),
    ],
)
def test_aggregation_is_that_of_gec_metrics(
    shared_data: Path, metric: str, file: str, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shared_data / "conll14" / "scores"
    scores = sentence_scores(
        folder / file, column, lambda row: float(row.get("beta", "2")) == 2 and bool(row[column])
    )
    with (folder / "rank-system.tsv").open(encoding="utf-8") as source:
        rows = [row for row in csv.DictReader(source, delimiter="\t") if row["metric"] == metric]
    truth = {
        name: [float(row[name.replace("-", "_")]) for row in rows]
        for name in ("mean", "trueskill", "expected-wins")
    }
    if metric == "errant":
        # Six equal scores differ in the last bit, which decides a pair there, but not here.
        ours = aggregated(scores, "trueskill")[0].tolist()
        assert ours == pytest.approx(truth["trueskill"], abs=2e-4)
        monkeypatch.setattr("geceval.metaeval.human.aggregation.DIGITS", 17)
    for method, values in truth.items():
        found = aggregated(scores, method)[0].tolist()  # type: ignore[arg-type]
        assert found == pytest.approx(values, abs=1e-6)
