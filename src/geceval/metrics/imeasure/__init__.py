"""I-measure. See the README in this folder."""

from geceval.metrics.imeasure.accuracy import COUNTS, N_COUNTED, scores_of
from geceval.metrics.imeasure.metric import IMeasure, Maximized

__all__ = ["COUNTS", "N_COUNTED", "IMeasure", "Maximized", "scores_of"]
