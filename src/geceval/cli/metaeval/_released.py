"""Correlations with people as the released code of the MAEGE paper computes them."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.core import ParameterSource

from geceval.cli._shared.options import OutputForm
from geceval.cli._shared.scoring import show_jobs
from geceval.cli._shared.show import print_findings, print_json, print_signatures, print_tables
from geceval.formats import Findings
from geceval.metaeval.correlation import Correlation
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.released_table import correlation_table, released_correlations
from geceval.metaeval.maege.protocol import PROTOCOLS
from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis
from geceval.storage.strict_json import or_none

_UNUSED = ("sets", "aggregation", "procedure", "resamples", "seed", "resume",
           "tables_folder", "figures_folder", "output")  # fmt: skip
"""Options of the study that the released protocol fixes or does not offer."""


def refuse_unused(context: click.Context) -> None:
    """Raise an error for options that would have no effect."""
    for param in context.command.params:
        source = param.name and context.get_parameter_source(param.name)
        if param.name in _UNUSED and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--protocol released does not use {param.opts[-1]}")


def show_released(
    judgments: Sequence[Judgments],
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    findings: Findings,
    form: OutputForm,
) -> None:
    """Compute and print the correlations."""
    used = [PROTOCOLS["released"].variant(metric.for_sentences()) for metric in metrics]
    found = released_correlations(judgments, corpus, hypotheses, used, progress=show_jobs)
    if form == "json":
        print_json(
            {
                "schema": 1,
                "protocol": "released",
                "sets": {
                    name: {
                        metric: {
                            "spearman": or_none(one.value),
                            "p": or_none(one.p_value),
                            "n": one.n,
                        }
                        for metric, one in each.items()
                    }
                    for name, each in found.items()
                },
                "configurations": {metric.name: metric.configuration() for metric in used},
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    print_tables([correlation_table(found, used)], form)
    if form == "terminal":
        print_signatures([f"{metric.configuration()}|protocol:released" for metric in used])


def _record(one: Correlation) -> dict[str, float | int | None]:
    return {"spearman": or_none(one.value), "p": or_none(one.p_value), "n": one.n}
