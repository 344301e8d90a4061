"""Registry of built-in metrics and of those that other packages provide by an entry point.

An entry point ``name = "module:Class"`` in ``[project.entry-points."geceval.metrics"]`` adds a
metric.
"""

from __future__ import annotations

import importlib
import unicodedata
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from geceval.errors import GecevalError, UnknownNameError

if TYPE_CHECKING:
    from geceval.metrics.base import Metric

GROUP = "geceval.metrics"

_BUILT_IN = {
    "m2": "geceval.metrics.maxmatch:M2",
    "wdiff": "geceval.metrics.wdiff:Wdiff",
    "errant": "geceval.metrics.errant:Errant",
    "cleme": "geceval.metrics.cleme.metric:Cleme",
    "cleme2": "geceval.metrics.cleme.metric:Cleme2",
    "imeasure": "geceval.metrics.imeasure:IMeasure",
    "gleu": "geceval.metrics.gleu:GLEU",
    "green": "geceval.metrics.green:Green",
    "bleu": "geceval.metrics.bleu:BLEU",
    "ibleu": "geceval.metrics.bleu:IBLEU",
    "chrf": "geceval.metrics.chrf:Chrf",
    "ter": "geceval.metrics.error_rates:TranslationEditRate",
    "wer": "geceval.metrics.error_rates:WordErrorRate",
    "cer": "geceval.metrics.error_rates:CharacterErrorRate",
    "sari": "geceval.metrics.sari:SARI",
    "maxsari": "geceval.metrics.sari:MaxSARI",
    "ld-reference": "geceval.metrics.levenshtein:LDReference",
    "ld-source": "geceval.metrics.levenshtein:LDSource",
    "grammar": "geceval.metrics.grammar:Grammaticality",
    "gotoscorer": "geceval.metrics.gotoscorer:GoToScorer",
    "ged": "geceval.metrics.detection:TokenDetection",
    "pt-m2": "geceval.metrics.pt:PtM2",
    "pt-errant": "geceval.metrics.pt:PtErrant",
    "scores": "geceval.metrics.stored_scores:StoredScores",
    "impara": "geceval.metrics.neural.metrics:Impara",
    "scribendi": "geceval.metrics.neural.metrics:Scribendi",
    "some": "geceval.metrics.neural.metrics:Some",
    "neural": "geceval.metrics.neural.metrics:Neural",
}

CLASSES = {target.rpartition(":")[2]: name for name, target in _BUILT_IN.items()}
"""Names of built-in metrics by the name of their class."""

_EXTRAS = {
    "errant": "annotate",
    "cleme": "annotate",
    "cleme2": "annotate",
    "grammar": "grammar",
    "gotoscorer": "annotate",
    "ged": "annotate",
    "pt-errant": "annotate",
    **dict.fromkeys(("impara", "scribendi", "some", "neural"), "neural"),
}
"""Optional dependencies of geceval that a metric needs."""

_NEED_FILES = frozenset({"scores", "impara", "scribendi", "some", "neural"})
"""Metrics that need a file of the user, and so are not among all that can be used."""

_ALIASES = {
    "maxmatch": "m2",
    "worddiff": "wdiff",
    "im": "imeasure",
    "sacrebleu": "bleu",
    "grammaticality": "grammar",
    "detection": "ged",
}


@cache
def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=GROUP)}


def metric_names() -> list[str]:
    """Return the names of all metrics, the built-in ones first."""
    return [*_BUILT_IN, *sorted(_plugins().keys() - _BUILT_IN.keys())]


def standalone_names() -> list[str]:
    """Return the names of the metrics that need nothing but sentences."""
    return [name for name in metric_names() if name not in _NEED_FILES]


def checker_names() -> frozenset[str]:
    """Return the names of the metrics that run a grammar checker, which takes long."""
    return frozenset({"grammar"})


def canonical_name(name: str) -> str:
    """Return the canonical name of a metric, ignoring case, hyphens and spaces.

    Examples
    --------
    >>> [canonical_name(name) for name in ("M²", "MaxMatch", "I-measure", "max_sari", "GLEU")]
    ['m2', 'm2', 'imeasure', 'maxsari', 'gleu']
    """
    known = metric_names()
    if name in known:
        return name
    wanted = _letters(name)
    found = {_letters(one): one for one in reversed(known)}
    found |= {alias: one for alias, one in _ALIASES.items() if alias not in found}
    if wanted not in found:
        raise UnknownNameError("metric", name, known)
    return found[wanted]


def extra_of(name: str) -> str | None:
    """Return the extra that a metric needs, as in ``pip install 'geceval[grammar]'``."""
    return _EXTRAS.get(name) if name in _BUILT_IN else None


def _letters(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in plain if char.isalnum())


def metric_class(name: str) -> type[Metric]:
    """Return the class of a metric, by any name that `canonical_name` accepts.

    Examples
    --------
    >>> metric_class("m2")(beta=1.0).name
    'm2'
    """
    name = canonical_name(name)
    target = _BUILT_IN.get(name) or _plugins()[name]
    module, _, attribute = target.partition(":")
    try:
        metric: type[Metric] = getattr(importlib.import_module(module), attribute)
    # A plug-in may fail in any way when it is imported.
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise GecevalError(f"the metric {name!r} cannot be loaded: {what}") from error
    return metric
