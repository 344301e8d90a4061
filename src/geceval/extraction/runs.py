"""A run of extraction, new or resumed: its input in chunks, its output and its journal."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from geceval import __version__
from geceval.engines import Chunk, ChunkError, ChunkFailure, cut
from geceval.extraction.chunk_annotator import ChunkAnnotator, RunItem, item_size
from geceval.extraction.failures import FailureLog
from geceval.extraction.journal import Gap, Journal
from geceval.extraction.outputs import Output, open_resumable
from geceval.extraction.reading import Items
from geceval.extraction.tally import Counts
from geceval.formats import Format, PathLike

if TYPE_CHECKING:
    from geceval.extraction.parts import FinishedPart

CHUNK_TOKENS = 20_000
"""Size of a chunk in tokens; an interrupted run loses at most one chunk for each worker."""

MAX_FAILURES = 10
"""Chunks in a row that may fail; when all fail, the cause is not in the chunks."""


@dataclass(frozen=True, slots=True)
class OutputPlan:
    """What all parts of an output have in common.

    Parameters
    ----------
    work
        Annotates the chunks.
    written
        Format of the output.
    formats
        Description of how the input is read and the output written.
    encoding
        Text encoding of the input.
    """

    work: ChunkAnnotator
    written: Format
    formats: str
    encoding: str

    @property
    def _made_with(self) -> dict[str, str]:
        return {
            "the version of geceval": __version__,
            "the settings": self.work.signature,
            "the format": self.formats,
            "the encoding": self.encoding,
        }

    def part(self, items: Items, target: PathLike) -> FinishedPart | None:
        """Return the finished output of a shard; None for the whole input."""
        if items.portion is None:
            return None
        from geceval.extraction.parts import OUTPUT_FORMAT, FinishedPart

        settings = {**self._made_with, OUTPUT_FORMAT: self.written.name}
        return FinishedPart(target, items.portion, settings)

    @contextmanager
    def run(self, items: Items, target: PathLike, *, resume: bool, restart: bool) -> Iterator[Run]:
        """Open the output."""
        made_from = {
            **self._made_with,
            "the size of chunks": str(CHUNK_TOKENS),
            **items.made_from,
        }
        portion = items.portion
        # Sentences have the numbers of their lines.
        first = portion.first if portion is not None and items.format == "parallel" else 0
        with open_resumable(target, self.written, made_from, resume=resume, restart=restart) as out:
            yield Run(out, _HashedItems(items), target, first, self.work.header)


class _HashedItems:
    """The input, with a hash of everything up to the end of each chunk.

    The hash is committed with the output, so that a resumed run can verify its input.
    """

    def __init__(self, items: Items) -> None:
        self._items: Iterator[RunItem] = iter(items)
        self._hash = hashlib.blake2b(digest_size=16)
        self._by_end: dict[int, str] = {}

    def skip(self, n_sentences: int, gaps: Sequence[Gap]) -> tuple[str, list[Chunk[RunItem]]]:
        """Skip the first sentences; return their hash, and the chunks that failed."""
        chunks = []
        position = 0
        for gap in gaps:
            self._add(islice(self._items, gap.start - position))
            chunk = Chunk(gap.start, tuple(islice(self._items, gap.sentences)))
            self._add(chunk.items)
            chunks.append(chunk)
            position = gap.start + gap.sentences
        return self._add(islice(self._items, n_sentences - position)), chunks

    def chunks(self, start: int) -> Iterator[Chunk[RunItem]]:
        """Yield the rest in chunks, numbered from `start`."""
        for chunk in cut(self._items, item_size, limit=CHUNK_TOKENS, start=start):
            self._by_end[chunk.start + len(chunk.items)] = self._add(chunk.items)
            yield chunk

    def pop(self, end: int) -> str:
        """Return, and forget, the hash of the input up to the end of a chunk."""
        return self._by_end.pop(end)

    def _add(self, items: Iterable[RunItem]) -> str:
        for item in items:
            self._hash.update(f"{item!r}\n".encode("utf-8", "surrogatepass"))
        return self._hash.hexdigest()


class Run:
    """A run, new or resumed: its input, output and journal.

    Parameters
    ----------
    out
        Where the output is written; it has the journal of the earlier run, if any.
    hashed
        The input, which is skipped up to where the earlier run ended.
    target
        Name of the output.
    first
        Number of the first sentence.
    header
        What the output begins with.
    """

    def __init__(
        self, out: Output, hashed: _HashedItems, target: PathLike, first: int, header: str
    ) -> None:
        self._out = out
        self.first = first
        self._header = header
        self._hashed = hashed
        self._log = FailureLog(target) if out.is_resumable else None
        self.journal, self._retried = self._resumed()
        if self._log is not None:
            self._log.clear()
        self._n_failures = 0

    def _resumed(self) -> tuple[Journal, list[Chunk[RunItem]]]:
        """Skip the input of an earlier run; return its journal and the chunks to retry."""
        part = self._out.part
        if part is None or part.saved is None:
            return Journal(), []
        try:
            journal = Journal.restore(part.saved)
        except ValueError:
            raise part.damaged() from None
        now, chunks = self._hashed.skip(journal.position, journal.failed)
        if now != journal.input:
            raise part.changed("the input", journal.input, now)
        return journal, chunks

    def chunks(self) -> Iterator[Chunk[RunItem]]:
        """Yield the chunks that failed earlier, then the rest of the input."""
        chunks = self._hashed.chunks(self.journal.position)
        return (
            replace(chunk, start=self.first + chunk.start) for chunk in chain(self._retried, chunks)
        )

    def finished(
        self, results: Iterable[tuple[str, Counts] | ChunkFailure[RunItem]]
    ) -> Iterator[int]:
        """Write the results, and yield the number of each sentence that finished or failed."""
        results = iter(results)
        gaps = list(self.journal.failed)
        for gap, result in zip(gaps, results, strict=False):
            self._retry(gap, result)
            yield from range(gap.start, gap.start + gap.sentences)
        for result in results:
            before = self.journal.position
            self._append(result)
            yield from range(before, self.journal.position)

    def _retry(self, gap: Gap, result: tuple[str, Counts] | ChunkFailure[RunItem]) -> None:
        if isinstance(result, ChunkFailure):
            self._fail(result)
            self.journal.fail_again(gap, result.reason)
            self._out.append("", self.journal.record())
            return
        text, counts = result
        text = text if gap.start else self._header + text
        begin = self._out.n_bytes
        self.journal.counts.add(counts)
        self.journal.finish_late(gap, begin, begin + len(text.encode()))
        self._out.append(text, self.journal.record())

    def _append(self, result: tuple[str, Counts] | ChunkFailure[RunItem]) -> None:
        journal = self.journal
        if isinstance(result, ChunkFailure):
            self._fail(result)
            chunk = result.chunk
            place = chunk.start - self.first
            gap = Gap(place, len(chunk.items), self._out.n_bytes, result.reason)
            journal.failed.append(gap)
            n_sents, text = gap.sentences, ""
            self._n_failures += 1
        else:
            text, counts = result
            text = text if journal.position else self._header + text
            journal.counts.add(counts)
            n_sents = counts.sentences
            self._n_failures = 0
        journal.position += n_sents
        journal.input = self._hashed.pop(journal.position)
        self._out.append(text, journal.record())
        if self._n_failures == MAX_FAILURES:
            raise ChunkError(f"{MAX_FAILURES} chunks in a row failed, the last of them: {result}")

    def _fail(self, failure: ChunkFailure[RunItem]) -> None:
        """Describe a failed chunk; raise its error if the output cannot be completed later."""
        if self._log is None:
            raise failure.error
        self._log.add(failure)

    def end(self, part: FinishedPart | None) -> None:
        """Put the output in place, unless a chunk failed; for a shard, with its manifest."""
        journal = self.journal
        if journal.failed:
            return
        if part is not None:
            part.remove()
        self._out.finish(journal.ranges(self._out.n_bytes) if journal.late else None)
        if part is not None:
            part.write(journal.counts)
