"""Extraction of the edits of systems and annotators, once for all equal sentence pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any, TypeAlias

from geceval.extraction.annotator import Annotator
from geceval.limits import ANALYSIS, TooLargeError, check_pairs
from geceval.model import Edit, Tokens

SentencePair: TypeAlias = tuple[Tokens, Tokens]

MAX_PAIRS = 200_000
"""Sentence pairs after which the cache is cleared."""

_LOADING = Lock()


class EditExtractor:
    """Extracts edits and caches them; threads may share it.

    Parameters
    ----------
    annotator
        The annotator; None to load one when it is first needed.
    options
        Arguments of `Annotator` for loading it.
    """

    def __init__(self, annotator: Annotator | None, options: dict[str, Any]) -> None:
        self._given = annotator
        self._annotator = annotator
        self._options = options
        self._cache: dict[SentencePair, tuple[Edit, ...]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the arguments, without the callback for messages."""
        return EditExtractor, (self._given, {**self._options, "notify": None})

    @property
    def annotator(self) -> Annotator:
        """The annotator, shared by all metrics with the same options."""
        if self._annotator is None:
            with _LOADING:
                self._annotator = _shared_annotator(**self._options)
        return self._annotator

    def extract(
        self, name: str, pairs: Sequence[SentencePair], numbers: Sequence[int] | None = None
    ) -> list[tuple[Edit, ...]]:
        """Extract the edits of sentence pairs.

        Parameters
        ----------
        name
            Name of the system or corpus, for messages.
        pairs
            Source and corrected sentences.
        numbers
            Index of each pair's sentence; all in order by default.
        """
        numbers = range(len(pairs)) if numbers is None else numbers
        sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
        check_pairs(name, sources, targets, numbers=numbers, per_token=ANALYSIS)
        # Other threads may still read the old cache, so it is replaced rather than cleared.
        if len(self._cache) > MAX_PAIRS:
            self._cache = {}
        cache = self._cache
        new = [pair for pair in dict.fromkeys(pairs) if pair not in cache]
        try:
            cache.update(zip(new, self.annotator.annotate_pairs(new), strict=True))
        except TooLargeError as error:
            raise error.at(name, numbers[pairs.index(error.pair)]) from None
        return [cache[pair] for pair in pairs]


_shared_annotator = lru_cache(maxsize=2)(Annotator)
