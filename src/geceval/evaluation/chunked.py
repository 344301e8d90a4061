"""Count a gold standard in chunks on an engine, and join the counts in order.

Metrics that count each sentence alone give the same statistics for any engine, number of workers
and size of chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeAlias

from geceval.engines import Chunk, Engine, cut, demand
from geceval.engines.threads import at_most
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.stored_statistics import join_statistics
from geceval.limits import TooLargeError, allow, max_cells
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Edit, Hypothesis, Sentence, Tokens
from geceval.references.nested import has_nested

CHUNK_TOKENS = 200_000
"""Size of a chunk in tokens, of the source and all outputs together."""

LARGE = 10 * CHUNK_TOKENS
"""Size of what is scored, in tokens, from which on worker processes are faster than threads, which
share one interpreter."""

_THREADS = 2
"""Cores that threads make good use of."""

_Output: TypeAlias = tuple[Tokens, tuple[Edit, ...] | None]
_Row: TypeAlias = tuple[Sentence, tuple[_Output, ...]]
"""A sentence, and the output of each system with its edits, if known."""


def can_chunk(metric: Metric, entries: Sequence[Entry]) -> bool:
    """Whether a metric can count these entries in chunks.

    They must have one gold standard, whose annotators are the same in all chunks where the metric
    completes those that are missing. Nested edits anywhere change how all sentences are read.
    """
    if not metric.counts_sentences_alone or not entries:
        return False
    corpus = entries[0].corpus
    is_simple = all(
        one.corpus is corpus and not one.hypothesis.readings and not one.hypothesis.labeled
        for one in entries
    )
    n_annotators = len(corpus.annotators)
    return (
        is_simple
        and (
            getattr(metric, "missing", "absent") == "absent"
            or all(len(sent.annotations) == n_annotators for sent in corpus)
        )
        and not has_nested(corpus)
    )


def local_engine(corpus: Corpus, hypotheses: Sequence[Hypothesis], jobs: int) -> Engine | None:
    """Return worker processes to score large data on many cores; None where threads do as well."""
    texts = (corpus.sources, *(one.sentences for one in hypotheses))
    if jobs <= _THREADS or sum(len(tokens) for text in texts for tokens in text) < LARGE:
        return None
    from geceval.engines.local import LocalEngine

    return LocalEngine(jobs)


def count_in_chunks(
    metric: Metric,
    entries: Sequence[Entry],
    engine: Engine,
    *,
    limit: int | None = None,
    progress: Progress = silent,
) -> list[Statistics]:
    """Count all entries of one gold standard, in the order of the entries.

    Parameters
    ----------
    metric, entries
        The metric and the entries, see `can_chunk`.
    engine
        Runs the chunks.
    limit
        Size of a chunk in tokens, `CHUNK_TOKENS` if None.
    progress
        Shows how many chunks are finished.

    Raises
    ------
    ChunkError
        If a chunk failed each time it was tried: a score of the others would be of other data.
    """
    corpus = entries[0].corpus
    hypotheses = [one.hypothesis for one in entries]
    work = _ChunkCounter(
        metric,
        replace(corpus, sentences=()),
        tuple(Hypothesis(one.name, (), tokenized=one.tokenized) for one in hypotheses),
        # Workers do not inherit the limit.
        max_cells(),
    )
    # The sentences are in memory, and their chunks take little more.
    chunks = list(cut(_rows(corpus, hypotheses), _size, limit=limit or CHUNK_TOKENS))
    with closing(engine.map(work, chunks)) as results:
        shown = progress(chunks, f"counting chunks for {metric.title}")
        parts = [part for _, part in zip(shown, demand(results), strict=True)]
    if not parts:
        return [metric.statistics(corpus, one) for one in hypotheses]
    return [join_statistics(metric, own) for own in zip(*parts, strict=True)]


def _rows(corpus: Corpus, hypotheses: Sequence[Hypothesis]) -> Iterator[_Row]:
    for number, sent in enumerate(corpus.sentences):
        outputs = (
            (one.sentences[number], None if one.edits is None else one.edits[number])
            for one in hypotheses
        )
        yield sent, tuple(outputs)


def _size(row: _Row) -> int:
    sent, outputs = row
    return len(sent.tokens) + sum(len(tokens) for tokens, _ in outputs)


@dataclass(frozen=True, slots=True)
class _ChunkCounter:
    """Counts chunks; the corpus and the hypotheses have no sentences."""

    metric: Metric
    corpus: Corpus
    hypotheses: tuple[Hypothesis, ...]
    max_cells: int

    def __call__(self, chunk: Chunk[_Row]) -> list[Statistics]:
        # The engine uses the cores.
        with allow(cells=self.max_cells), at_most(1):
            try:
                return self._count(chunk)
            except TooLargeError as error:
                raise error.later(chunk.start) from None

    def _count(self, chunk: Chunk[_Row]) -> list[Statistics]:
        corpus = replace(self.corpus, sentences=tuple(sent for sent, _ in chunk.items))
        counted = []
        for number, hypothesis in enumerate(self.hypotheses):
            outputs = [row[number] for _, row in chunk.items]
            edits = tuple(own for _, own in outputs if own is not None)
            output = replace(
                hypothesis,
                sentences=tuple(tokens for tokens, _ in outputs),
                edits=edits if len(edits) == len(outputs) else None,
            )
            counted.append(self.metric.statistics(corpus, output))
        return counted
