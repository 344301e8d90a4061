"""CLEME and CLEME2.0: chunks with the same boundaries in source, output and all references."""

from geceval.metrics.cleme.metric import Cleme, Cleme2

__all__ = ["Cleme", "Cleme2"]
