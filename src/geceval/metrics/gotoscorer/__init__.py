"""GoToScorer: chunks weighted by how many systems get them right."""

from geceval.metrics.gotoscorer.difficulty_weights import Difficulty
from geceval.metrics.gotoscorer.metric import GoToScorer

__all__ = ["Difficulty", "GoToScorer"]
