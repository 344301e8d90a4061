"""Weights of edits: how much each edit, applied alone, changes the score of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from geceval.errors import GecevalError, OptionError
from geceval.metrics.sentence_scorers import SentenceScorer, Triple, get_scorer
from geceval.metrics.views import SystemEdit
from geceval.model import Annotation, Tokens

Key: TypeAlias = tuple[int, int, Tokens]
"""Span and correction of an edit; edits with one key are the same."""

MAX_TEXTS = 200_000
"""Scored texts after which the cache is cleared."""


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
    def of(
        cls, source: Tokens, reference: Tokens, gold: tuple[Key, ...], edits: Sequence[SystemEdit]
    ) -> Compared:
        """Compare the edits of a system with the `gold_keys` of an annotator."""
        return cls(
            source,
            reference,
            tuple([(edit.start, edit.end, edit.correction) for edit in edits]),
            tuple([edit.gold is not None for edit in edits]),
            gold,
        )

    @property
    def keys(self) -> list[Key]:
        """The distinct edits of both."""
        return list(dict.fromkeys((*self.system, *self.gold)))

    def edited(self, key: Key) -> Tokens:
        """Return the source with one edit."""
        start, end, correction = key
        return self.source[:start] + correction + self.source[end:]


def gold_keys(ann: Annotation, n_tokens: int) -> tuple[Key, ...]:
    """Return the edits of an annotator; each has its first correction."""
    return tuple(
        (edit.start, edit.end, edit.correction) for edit in ann.edits if edit.fits(n_tokens)
    )


Weights: TypeAlias = dict[Key, float]


@dataclass(frozen=True, slots=True)
class _ScoredPair:
    """What is known of a source and a reference: scores of texts, and weights of edits."""

    scores: dict[Tokens, float] = field(default_factory=dict)
    weights: Weights = field(default_factory=dict)


_Known: TypeAlias = dict[tuple[Tokens, Tokens], _ScoredPair]
"""What is known, by source and reference."""


class EditWeigher:
    """Weighs edits by a scorer, which is asked about each text once; threads may share it.

    The weight is the absolute difference between the scores of the source with and without the
    edit, so an edit that makes the sentence worse has a weight, too.
    """

    def __init__(self, scorer: SentenceScorer) -> None:
        self.scorer = scorer
        # By pairs rather than by texts, since most edits then need no look at whole sentences.
        self._known: _Known = {}
        self._n_texts = 0

    def __reduce__(self) -> tuple[type[EditWeigher], tuple[SentenceScorer]]:
        """Copy and pickle an empty cache."""
        return type(self), (self.scorer,)

    def weigh(self, compared: Sequence[Compared]) -> list[Weights]:
        """Return the weights of the edits of each comparison."""
        # Other threads may still read the old cache, so it is replaced rather than cleared.
        if self._n_texts > MAX_TEXTS:
            self._known = {}
            self._n_texts = 0
        known = self._known
        nothing = _ScoredPair()
        keys = [one.keys for one in compared]
        # Where there is no edit, there is nothing to weigh.
        pairs = [
            known.setdefault((one.source, one.reference), _ScoredPair()) if own else nothing
            for one, own in zip(compared, keys, strict=True)
        ]
        new = [
            (one, pair, missing)
            for one, pair, own in zip(compared, pairs, keys, strict=True)
            if (missing := [key for key in own if key not in pair.weights])
        ]
        if new:
            self._score(new, known)
        return [
            {key: pair.weights[key] for key in own} for pair, own in zip(pairs, keys, strict=True)
        ]

    def _score(self, new: Sequence[tuple[Compared, _ScoredPair, list[Key]]], known: _Known) -> None:
        """Score the texts of new edits, and weigh the edits."""
        texts = [[one.source, *map(one.edited, keys)] for one, _, keys in new]
        unknown = dict.fromkeys(
            (one.source, text, one.reference)
            for (one, pair, _), own in zip(new, texts, strict=True)
            for text in own
            if text not in pair.scores
        )
        if unknown:
            self._n_texts += len(unknown)
            values = iter(self._checked(list(unknown)))
            for source, text, reference in unknown:
                known[source, reference].scores[text] = next(values)
        for (one, pair, keys), (_, *edited) in zip(new, texts, strict=True):
            unedited = pair.scores[one.source]
            for key, text in zip(keys, edited, strict=True):
                pair.weights[key] = abs(pair.scores[text] - unedited)

    def _checked(self, triples: Sequence[Triple]) -> list[float]:
        """Score texts; a score that is not finite is an error."""
        values = np.asarray(self.scorer.score(*map(list, zip(*triples, strict=True))), float)
        if values.shape != (len(triples),):
            raise GecevalError(
                f"the scorer {self.scorer.signature} gave {values.size:,} scores for "
                f"{len(triples):,} sentences"
            )
        for number in np.flatnonzero(~np.isfinite(values)).tolist():
            raise GecevalError(
                f"the scorer {self.scorer.signature} gives {values[number]} for the sentence "
                f"{' '.join(triples[number][1])!r}; the score of a sentence must be finite"
            )
        return list(values.tolist())


@lru_cache(maxsize=2)
def shared_weigher(spec: str) -> EditWeigher:
    """Return the weigher of a scorer, shared by all metrics that name it; see `get_scorer`."""
    return EditWeigher(get_scorer(spec))


def weigher_of(scorer: str | SentenceScorer, owner: str) -> EditWeigher:
    """Return the weigher of the option `scorer` of a metric, whose name is for messages."""
    if not isinstance(scorer, str):
        return EditWeigher(scorer)
    try:
        return shared_weigher(scorer)
    except OptionError as error:
        raise OptionError(f"{owner}: the option scorer takes a metric: {error}") from error


def weigh(compared: Sequence[Compared], weigher: EditWeigher | None) -> list[Weights]:
    """Return the weights of the edits of each comparison; all are 1 without a weigher."""
    if weigher is None:
        return [dict.fromkeys(one.keys, 1.0) for one in compared]
    return weigher.weigh(compared)


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
