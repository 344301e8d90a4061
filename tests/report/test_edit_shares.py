"""Shares of edits in the scores that a report shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import made_up
from geceval.errors import GecevalError
from geceval.evaluation.attribution import attribute_by
from geceval.evaluation.resampling import Resampling
from geceval.metrics import metric_class
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.model import Corpus, Edit, Hypothesis
from geceval.report.collect import collect
from geceval.report.results import Results, save
from geceval.report.results_loader import load

SYSTEMS = ("good", "poor")


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return made_up.corpus(20, annotators=("0", "1"), absent=0.2)


@pytest.fixture(scope="module")
def results(gold: Corpus) -> Results:
    return collect(
        gold,
        made_up.systems(gold, *SYSTEMS),
        [Errant(lang="plain")],
        resampling=Resampling(0),
        attribution=metric_class("gleu")(),
    )


def test_attribution_of_a_report_equals_that_of_sentences(gold: Corpus, results: Results) -> None:
    assert results["attribution"]["configuration"].startswith("gleu|order:4|")
    assert results["attribution"]["method"] == "shapley"
    n_shares = 0
    for hypothesis in made_up.systems(gold, *SYSTEMS):
        own = results["sentences"]["systems"][hypothesis.name]
        assert own["edits"] is not None
        for row, (edits, shares) in enumerate(zip(own["edits"], own["shares"], strict=True)):
            made = [Edit.replace(start, end, text) for start, end, text, *_ in edits]
            assert shares is not None
            if made:
                *_, found = attribute_by(
                    metric_class("gleu")(), gold.sentences[row], made, hypothesis.sentences[row]
                )
                assert shares == pytest.approx(found.shares, rel=1e-4, abs=1e-12)
                n_shares += len(shares)
    assert n_shares > 20


def test_attribution_is_saved_and_loaded(results: Results, tmp_path: Path) -> None:
    save(results, tmp_path / "results.json")
    assert load(tmp_path / "results.json")["attribution"] == results["attribution"]


@pytest.mark.parametrize("change", [lambda shares: shares.pop(), lambda shares: shares.append([])])
def test_attribution_of_damaged_files(results: Results, tmp_path: Path, change: Any) -> None:
    save(results, tmp_path / "results.json")
    damaged = load(tmp_path / "results.json")
    change(damaged["sentences"]["systems"]["good"]["shares"])
    save(damaged, tmp_path / "results.json")
    with pytest.raises(GecevalError, match=r"systems.good.shares has \d+ entries instead of 20"):
        load(tmp_path / "results.json")


def test_attribution_says_where_there_is_none(gold: Corpus) -> None:
    """Edits that change only case are dropped, so that the others do not make the output."""
    output = made_up.systems(gold, "a")[0]
    upper = tuple(
        (tokens[0].upper(), *tokens[1:]) if tokens else tokens for tokens in output.sentences
    )
    found = collect(
        gold,
        [type(output)("a", upper)],
        [M2(ignore_whitespace_casing=True)],
        resampling=Resampling(0),
        attribution=metric_class("gleu")(),
    )
    assert None in found["sentences"]["systems"]["a"]["shares"]
    messages = [warning["message"] for warning in found["warnings"]]
    assert any("cannot be attributed to edits" in message for message in messages)


def test_attribution_needs_edits(gold: Corpus) -> None:
    with pytest.raises(GecevalError, match="add a metric that compares edits to the report"):
        collect(
            gold,
            made_up.systems(gold, "a"),
            [metric_class("gleu")()],
            resampling=Resampling(0),
            attribution=metric_class("gleu")(),
        )


def test_attribution_needs_a_metric_that_scores_any_output(gold: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    lines = [f"h\t{number}\t0.5\n" for number in range(len(gold))]
    path.write_text("system\tsentence\tscore\n" + "".join(lines), encoding="utf-8")
    with pytest.raises(GecevalError, match="scores only has scores of given outputs"):
        collect(
            gold,
            [Hypothesis("h", gold.sources)],
            [metric_class("m2")()],
            attribution=metric_class("scores")(file=path),
        )
