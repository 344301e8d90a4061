"""Extraction of the edits of systems and annotators, once for all equal sentence pairs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from geceval.engines.process import switch_interval
from geceval.engines.threads import allowed
from geceval.errors import GecevalError
from geceval.extraction.annotator import CHUNK, Annotator
from geceval.extraction.lang.prefetch import SWITCH_INTERVAL
from geceval.limits import ANALYSIS, TooLargeError, check_pairs
from geceval.model import (
    Corpus,
    Edit,
    Hypothesis,
    OutputReading,
    Tokens,
    alignment_name,
    apply_edits,
)

SentencePair: TypeAlias = tuple[Tokens, Tokens]

MAX_PAIRS = 200_000
"""Sentence pairs after which the cache is cleared."""

_LOADING = Lock()

Readings: TypeAlias = tuple[tuple[Edit, ...], ...]
"""The edits of a pair by alignment; there is one, unless the language has several."""

_Cache: TypeAlias = dict[SentencePair, Readings]

_caches: WeakKeyDictionary[Annotator, _Cache] = WeakKeyDictionary()
"""Edits by annotator, so that metrics with the same one extract them once."""


class EditExtractor:
    """Extracts edits and caches them for all that have the same annotator; threads may share it.

    Parameters
    ----------
    annotator
        The annotator; None to load one when it is first needed.
    options
        Arguments of `Annotator` for loading it.
    jobs
        Number of cores; a second one prefetches analyses.
    """

    def __init__(
        self, annotator: Annotator | None, options: dict[str, Any], *, jobs: int = 1
    ) -> None:
        self._given = annotator
        self._annotator = annotator
        self._options = options
        self._jobs = jobs

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the arguments, without the callback for messages."""
        options = {**self._options, "notify": None}
        return partial(EditExtractor, jobs=self._jobs), (self._given, options)

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
        """Extract the edits of sentence pairs, by the first alignment; see `readings`."""
        return [readings[0] for readings in self.readings(name, pairs, numbers)]

    def readings(
        self, name: str, pairs: Sequence[SentencePair], numbers: Sequence[int] | None = None
    ) -> list[Readings]:
        """Extract the edits of sentence pairs, by alignment.

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
        cache = _cache_of(self.annotator)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in cache]
        try:
            cache.update(zip(new, self._annotate(new), strict=True))
        except TooLargeError as error:
            raise error.at(name, numbers[pairs.index(error.pair)]) from None
        return [cache[pair] for pair in pairs]

    def _annotate(self, pairs: Sequence[SentencePair]) -> Iterator[Readings]:
        annotator = self.annotator
        if allowed(self._jobs) < 2 or not annotator.analyzer.can_prefetch:
            yield from annotator.alternatives(pairs)
            return
        with switch_interval(SWITCH_INTERVAL):
            for start in range(0, len(pairs), CHUNK):
                end = start + CHUNK
                annotator.prefetch(pairs[end : end + CHUNK])
                yield from annotator.alternatives(pairs[start:end])

    def with_readings(self, corpus: Corpus, hypothesis: Hypothesis) -> Hypothesis:
        """Return the output with the edits of each alignment, unless it has edits.

        This is for languages with several alignments. The sentences are what the edits make of
        the source, since words that are only segmented differently are not edited.
        """
        if hypothesis.edits is not None or not self.annotator.has_alternatives:
            return hypothesis
        pairs = list(zip(corpus.sources, hypothesis, strict=True))
        found = self.readings(hypothesis.name, pairs)
        most = max(map(len, found), default=1)
        alternatives = (
            OutputReading(
                alignment_name("0", number),
                tuple(
                    apply_edits(source, ways[number]) if number < len(ways) else None
                    for (source, _), ways in zip(pairs, found, strict=True)
                ),
                tuple(ways[number] if number < len(ways) else None for ways in found),
            )
            for number in range(most)
        )
        return replace(
            hypothesis,
            sentences=tuple(
                apply_edits(source, ways[0]) for (source, _), ways in zip(pairs, found, strict=True)
            ),
            edits=tuple(ways[0] for ways in found),
            readings=tuple(alternatives) if most > 1 else (),
        )

    def system_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> Sequence[tuple[Edit, ...]]:
        """Return the edits of a system, which are extracted if the output is text."""
        if hypothesis.edits is None:
            pairs = list(zip(corpus.sources, hypothesis, strict=True))
            return self.extract(hypothesis.name, pairs)
        check_edits(corpus, hypothesis, hypothesis.edits)
        return hypothesis.edits


def check_edits(
    corpus: Corpus,
    hypothesis: Hypothesis,
    edits: Sequence[tuple[Edit, ...]],
    *,
    is_same: Callable[[Tokens, Tokens], bool] = operator.eq,
) -> None:
    """Raise an error for edits of other sentences, by what they make of the source."""
    for number, (sent, found, output) in enumerate(zip(corpus, edits, hypothesis, strict=True), 1):
        if not is_same(apply_edits(sent.tokens, found), output):
            raise GecevalError(
                f"the edits of {hypothesis.name or 'the hypothesis'} are not edits of sentence "
                f"{number} of {corpus.name or 'the gold standard'}: the source is another one"
            )


def _cache_of(annotator: Annotator) -> _Cache:
    with _LOADING:
        cache = _caches.get(annotator)
        # Other threads may still read the old cache, so it is replaced rather than cleared.
        if cache is None or len(cache) > MAX_PAIRS:
            cache = _caches[annotator] = {}
        return cache


_shared_annotator = lru_cache(maxsize=2)(Annotator)
