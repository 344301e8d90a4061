"""Metrics of weighted edits, PT-ERRANT and PT-M²: an edit counts by how much it matters."""

from geceval.metrics.pt.metric import PtErrant, PtM2

__all__ = ["PtErrant", "PtM2"]
