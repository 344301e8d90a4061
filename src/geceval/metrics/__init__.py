"""Metrics, one module each; `registry` finds them by name."""

from geceval.metrics.registry import (
    canonical_name,
    get_metric,
    metric_names,
    standalone_names,
)

__all__ = ["canonical_name", "get_metric", "metric_names", "standalone_names"]
