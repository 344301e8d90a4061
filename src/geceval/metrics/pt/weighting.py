"""Weights of edits: how much each edit, applied alone, changes the score of the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from geceval.metrics.sentence_scorers import CachedScorer, Triple
from geceval.metrics.views import SentenceEdits
from geceval.model import Tokens

Key: TypeAlias = tuple[int, int, Tokens]
"""Span and correction of an edit; edits with one key are the same."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The edits of a system and of one annotator.

    Parameters
    ----------
    source, reference
        The source, and the source as corrected by the annotator.
    system, is_correct
        The edits of the system, and whether each is correct.
    gold
        The edits of the annotator.
    """

    source: Tokens
    reference: Tokens
    system: tuple[Key, ...]
    is_correct: tuple[bool, ...]
    gold: tuple[Key, ...]

    @classmethod
    def of(cls, source: Tokens, reference: Tokens, view: SentenceEdits) -> Compared:
        """Return the edits of a view; a gold edit has its first correction."""
        n_tokens = len(source)
        return cls(
            source,
            reference,
            tuple((edit.start, edit.end, edit.correction) for edit in view.edits),
            tuple(edit.is_correct for edit in view.edits),
            tuple(
                (edit.start, edit.end, edit.correction)
                for edit in view.annotation.edits
                if edit.fits(n_tokens)
            ),
        )

    @property
    def keys(self) -> Iterator[Key]:
        """The distinct edits of both."""
        return iter(dict.fromkeys((*self.system, *self.gold)))

    def triple(self, key: Key | None = None) -> Triple:
        """Return what is scored for the weight of an edit, or for the source."""
        if key is None:
            return self.source, self.source, self.reference
        start, end, correction = key
        edited = self.source[:start] + correction + self.source[end:]
        return self.source, edited, self.reference


Weights: TypeAlias = dict[Key, float]


def weigh(compared: Sequence[Compared], scorer: CachedScorer | None) -> list[Weights]:
    """Return the weights of the edits of each comparison; all are 1 without a scorer.

    The weight is the absolute difference between the scores of the source with and without the
    edit, so an edit that makes the sentence worse has a weight, too.
    """
    if scorer is None:
        return [dict.fromkeys(one.keys, 1.0) for one in compared]
    # Where there is no edit, there is nothing to weigh.
    keys = [list(one.keys) for one in compared]
    scores = iter(
        scorer.score(
            [
                one.triple(key)
                for one, own in zip(compared, keys, strict=True)
                if own
                for key in (None, *own)
            ]
        )
    )
    weights = []
    for own in keys:
        unedited = next(scores) if own else 0.0
        weights.append({key: abs(next(scores) - unedited) for key in own})
    return weights


def sums_of_all(compared: Compared, weights: Weights) -> tuple[float, float, float]:
    """Sum the weights of true positives, false positives and false negatives.

    Equal edits count as often as they occur; a gold edit is missed if the system has none equal
    to it.
    """
    found = set(compared.system)
    outcomes = list(zip(compared.system, compared.is_correct, strict=True))
    return (
        sum(weights[key] for key, is_correct in outcomes if is_correct),
        sum(weights[key] for key, is_correct in outcomes if not is_correct),
        sum(weights[key] for key in compared.gold if key not in found),
    )


def sums_of_distinct(compared: Compared, weights: Weights) -> tuple[float, float, float]:
    """Sum the weights of correct, proposed and gold edits; equal edits count once."""
    outcomes = zip(compared.system, compared.is_correct, strict=True)
    correct = {key: None for key, is_correct in outcomes if is_correct}
    groups = (correct, dict.fromkeys(compared.system), dict.fromkeys(compared.gold))
    found, proposed, gold = (sum(weights[key] for key in keys) for keys in groups)
    return found, proposed, gold


def even_if_all_zero(weights: Weights) -> Weights:
    """Return equal weights that sum to 1 if all weights are 0."""
    return weights if any(weights.values()) else dict.fromkeys(weights, 1 / max(1, len(weights)))
