"""The correlation of GREEN with the human ranking of SEEDA, as published for gec-metrics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from geceval.cli import main
from geceval.formats import save
from reproduce.pages import Reproduction
from reproduce.published import Comparison, PublishedTable
from text_cases import conll_corpus_with_absent_unchanged

pytestmark = pytest.mark.reproduce

PUBLISHED = PublishedTable.of("scores", "green", [("metric", "ρ"), ("GREEN", "0.881")])
"""Spearman correlation with SEEDA-S by TrueSkill, 12 systems (arXiv 2502.09416)."""


@pytest.mark.parametrize("metric", ["green", "green(compat=gec-metrics)"])
def test_green_correlates_as_published(
    shared_data: Path, tmp_path: Path, metric: str, reproduction: Reproduction
) -> None:
    gold = tmp_path / "gold.m2"
    save(conll_corpus_with_absent_unchanged(shared_data), gold)
    arguments = ["metaeval", "seeda", str(shared_data / "seeda"), "--gold", str(gold)]
    result = CliRunner().invoke(main, [*arguments, "-m", metric, "--resamples", "2", "--json"])
    assert result.exit_code == 0, result.output
    (found,) = (
        one["correlations"][-1]
        for one in json.loads(result.stdout)["results"]
        if (one["judgments"], one["ranking"], one["set"]) == ("SEEDA-S", "TrueSkill", "base")
    )
    assert found["metric"] == "green"
    comparison = reproduction.compare(
        Comparison.of(
            PUBLISHED,
            {"GREEN": {"ρ": found["spearman"]["value"]}},
            title=f"Correlation of {metric} with SEEDA",
            about="Spearman's ρ with SEEDA-S by TrueSkill, 12 systems (Goto et al., 2025).",
        )
    )
    assert comparison.n_equal == 1
