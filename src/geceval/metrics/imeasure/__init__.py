"""The I-measure. See the README in this folder."""

from geceval.metrics.imeasure.metric import Aligned, Column, IMeasure

__all__ = ["Aligned", "Column", "IMeasure"]
