"""JSON record of a human-judgment study."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from geceval.metaeval.human.metric_correlation import MetricCorrelation
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.pairwise import PairwiseAccuracy
from geceval.metaeval.human.study import HumanStudy, SetStudy
from geceval.storage.strict_json import nan_to_none


def record(study: HumanStudy) -> dict[str, Any]:
    """Return the JSON record, whose format is stable."""
    content: dict[str, Any] = nan_to_none(
        {
            "schema": 1,
            "resamples": study.resampling.n,
            "seed": study.resampling.seed,
            "aggregation": study.aggregation,
            "sets": [_set_record(one) for one in study.sets],
        }
    )
    return content


def _set_record(one: SetStudy) -> dict[str, Any]:
    return {
        "name": one.name,
        "judgments": len(one.judgments),
        "sentences": len(one.judgments.sentences),
        "judges": one.judgments.judges,
        "systems": one.systems,
        "without_output": one.without_output,
        "rankings": [asdict(ranking) for ranking in one.rankings],
        "ranks": {name: asdict(found) for name, found in one.ranges.items()},
        "judge_agreement": {
            kind: {
                "pairs": found.n, "agreed": found.agreed, "kappa": found.plain,
                "kappa_linear": found.linear, "kappa_quadratic": found.quadratic,
            }
            for kind, found in one.raters.items()
        },
        "metrics": [metric_record(metric) for metric in one.metrics],
        "correlations": {
            name: [correlation_record(each) for each in found]
            for name, found in one.correlations.items()
        },
        "differences": {
            name: [
                {
                    "first": each.first, "second": each.second, **asdict(each.test),
                    "permutation": None if each.permutation is None else asdict(each.permutation),
                }
                for each in found
            ]
            for name, found in one.differences.items()
        },
        "pairs": [pairwise_record(each) for each in one.pairwise],
        "ratings": {
            metric: {name: {"value": found.value, "n": found.n} for name, found in each.items()}
            for metric, each in one.ratings.items()
        },
    }  # fmt: skip


def metric_record(metric: MetricScores) -> dict[str, Any]:
    """Return the JSON record of a metric's scores; NaN is not replaced."""
    return {"metric": metric.name, "scores": metric.scores, "signature": metric.signature}


def correlation_record(one: MetricCorrelation) -> dict[str, Any]:
    """Return the JSON record of a metric's correlations; NaN is not replaced."""
    found: dict[str, Any] = {"metric": one.metric, "resampled": one.resampled}
    for name, correlation in one.coefficients.items():
        bounds = one.intervals[name]
        found[name] = {
            "value": correlation.value,
            "p_value": correlation.p_value,
            "interval": (bounds.low, bounds.high),
            "n": correlation.n,
        }
    if (agreed := one.concordance) is not None:
        found["sentences"] = {
            "accuracy": agreed.accuracy,
            "tau": agreed.tau,
            "tied_share": agreed.tied_share,
            "tie_accuracy": agreed.tie_accuracy,
            **asdict(agreed),
        }
    return found


def pairwise_record(one: PairwiseAccuracy) -> dict[str, Any]:
    """Return the JSON record of a metric's pairwise accuracy; NaN is not replaced."""
    return {
        "metric": one.metric,
        "groups": [{"accuracy": group.accuracy, **asdict(group)} for group in one.groups],
    }
