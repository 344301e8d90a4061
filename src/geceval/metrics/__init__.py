"""Metrics, one module each; `registry` finds them by name.

The class of each built-in metric is an attribute, such as ``geceval.metrics.M2``, and is imported
when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geceval.metrics.registry import (
    CLASSES,
    canonical_name,
    metric_class,
    metric_names,
    standalone_names,
)

if TYPE_CHECKING:
    from geceval.metrics.base import Metric
    from geceval.metrics.bleu import BLEU, IBLEU
    from geceval.metrics.chrf import Chrf
    from geceval.metrics.cleme.metric import Cleme, Cleme2
    from geceval.metrics.detection import TokenDetection
    from geceval.metrics.errant import Errant
    from geceval.metrics.error_rates import (
        CharacterErrorRate,
        TranslationEditRate,
        WordErrorRate,
    )
    from geceval.metrics.gleu import GLEU
    from geceval.metrics.gotoscorer import GoToScorer
    from geceval.metrics.grammar import Grammaticality
    from geceval.metrics.green import Green
    from geceval.metrics.imeasure import IMeasure
    from geceval.metrics.levenshtein import LDReference, LDSource
    from geceval.metrics.maxmatch import M2
    from geceval.metrics.neural.metrics import Impara, Neural, Scribendi, Some
    from geceval.metrics.pt import PtErrant, PtM2
    from geceval.metrics.sari import SARI, MaxSARI
    from geceval.metrics.stored_scores import StoredScores
    from geceval.metrics.wdiff import Wdiff

__all__ = [
    "BLEU",
    "GLEU",
    "IBLEU",
    "M2",
    "SARI",
    "CharacterErrorRate",
    "Chrf",
    "Cleme",
    "Cleme2",
    "Errant",
    "GoToScorer",
    "Grammaticality",
    "Green",
    "IMeasure",
    "Impara",
    "LDReference",
    "LDSource",
    "MaxSARI",
    "Metric",
    "Neural",
    "PtErrant",
    "PtM2",
    "Scribendi",
    "Some",
    "StoredScores",
    "TokenDetection",
    "TranslationEditRate",
    "Wdiff",
    "WordErrorRate",
    "canonical_name",
    "metric_class",
    "metric_names",
    "standalone_names",
]


def __getattr__(name: str) -> Any:
    if name == "Metric":
        from geceval.metrics.base import Metric

        return Metric
    if name in CLASSES:
        return metric_class(CLASSES[name])
    msg = f"module 'geceval.metrics' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
