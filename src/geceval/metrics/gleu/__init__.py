"""GLEU."""

from geceval.metrics.gleu.metric import GLEU

__all__ = ["GLEU"]
