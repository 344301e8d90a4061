"""I-measure. See the README in this folder."""

from geceval.metrics.imeasure.metric import IMeasure

__all__ = ["IMeasure"]
