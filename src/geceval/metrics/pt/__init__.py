"""Metrics of weighted edits, PT-ERRANT and PT-M²: an edit counts by how much it matters."""

from geceval.metrics.pt.pt_errant import PtErrant
from geceval.metrics.pt.pt_m2 import PtM2

__all__ = ["PtErrant", "PtM2"]
