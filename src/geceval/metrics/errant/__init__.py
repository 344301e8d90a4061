"""ERRANT: precision, recall and F of edits that are extracted and typed by rules."""

from geceval.metrics.errant.metric import Errant

__all__ = ["Errant"]
