"""Metrics, one module each, found by name; other packages add theirs by an entry point.

A package that has ``[project.entry-points."geceval.metrics"]`` with ``name = "module:Class"`` is
used like a built-in metric.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from geceval.errors import GecevalError, UnknownNameError

if TYPE_CHECKING:
    from geceval.metrics.base import Metric

__all__ = ["get_metric", "metric_names"]

GROUP = "geceval.metrics"

_BUILT_IN = {
    "m2": "geceval.metrics.maxmatch:MaxMatch",
    "wdiff": "geceval.metrics.wdiff:Wdiff",
    "errant": "geceval.metrics.errant:Errant",
    "imeasure": "geceval.metrics.imeasure:IMeasure",
    "gleu": "geceval.metrics.gleu:GLEU",
    "bleu": "geceval.metrics.bleu:Bleu",
    "ibleu": "geceval.metrics.bleu:IBleu",
    "sari": "geceval.metrics.sari:Sari",
    "maxsari": "geceval.metrics.sari:MaxSari",
    "ld-reference": "geceval.metrics.levenshtein:LdReference",
    "ld-source": "geceval.metrics.levenshtein:LdSource",
    "grammar": "geceval.metrics.grammar:Grammaticality",
}


@cache
def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=GROUP)}


def metric_names() -> list[str]:
    """Name every metric, the built-in ones first."""
    return [*_BUILT_IN, *sorted(_plugins().keys() - _BUILT_IN.keys())]


def get_metric(name: str) -> type[Metric]:
    """Return the class of a metric.

    Examples
    --------
    >>> get_metric("m2")(beta=1.0).name
    'm2'
    """
    target = _BUILT_IN.get(name) or _plugins().get(name)
    if target is None:
        raise UnknownNameError("metric", name, metric_names())
    module, _, attribute = target.partition(":")
    try:
        metric: type[Metric] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise GecevalError(f"the metric {name!r} cannot be loaded: {error}") from error
    return metric
