"""Extract typed edits from files of parallel text, or from other edits.

Files are streamed, several workers may share the work, and an interrupted run can be resumed. For
sentences in memory see `geceval.extraction.corpus`.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from geceval import __version__
from geceval.engines import Chunk, ChunkError, ChunkFailure, Engine, cut
from geceval.engines.local import LocalEngine
from geceval.engines.process import frozen_objects, is_owned, switch_interval
from geceval.errors import GecevalError
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import (
    SplitRow,
    annotate_split,
    correction_pairs,
    retype,
    split_rows,
    standardize,
)
from geceval.extraction.failures import FailureLog
from geceval.extraction.journal import Gap, Journal
from geceval.extraction.lang import AnalyzerKind, Notify, get_pack
from geceval.extraction.lang.analysis import Text, tokens_of
from geceval.extraction.lang.prefetch import SWITCH_INTERVAL
from geceval.extraction.outputs import Output, format_to_write, open_resumable, staged_format
from geceval.extraction.reading import Items, Row, open_items
from geceval.extraction.settings import ExtractionSettings
from geceval.extraction.tally import Counts, note_lost
from geceval.formats import (
    Findings,
    Format,
    PathLike,
    get_format,
)
from geceval.formats.normalization import normalize_sentence, restore_form
from geceval.limits import TooLargeError, allow, max_cells
from geceval.model import Sentence, first_alignments

__all__ = [
    "CHUNK_TOKENS",
    "AnnotationSummary",
    "Counts",
    "ExtractionSettings",
    "Inspect",
    "LocalEngine",
    "Progress",
    "annotate_files",
]

if TYPE_CHECKING:
    from geceval.extraction.parts import FinishedPart
    from geceval.formats.columns import PairColumns
    from geceval.formats.shards import Shard, Watch

CHUNK_TOKENS = 20_000
"""Size of a chunk in tokens; an interrupted run loses at most one chunk for each worker."""

PREFETCH = 3
"""Chunks that are prefetched."""

LARGE = 1 << 24
"""Size of the input in bytes from which on two processes are faster than two threads, although
each of them has to load the model."""

MAX_FAILURES = 10
"""Chunks in a row that may fail; when all fail, the cause is not in the chunks."""

_Item: TypeAlias = Row | SplitRow | Sentence

Progress: TypeAlias = Callable[[Iterator[int], Callable[[], int | None], int], Iterable[int]]
"""Iterates over the numbers of finished sentences.

Its other arguments are a function that estimates the total number of sentences (None if unknown)
and the number of sentences finished by an earlier run, which are not repeated.
"""

HEAD = 1000
"""Number of sentences to inspect before the run."""

Inspect: TypeAlias = Callable[[str, Sequence[str], Sequence[Row | Sentence]], None]
"""Inspects the first sentences, given their format, the names of the files and the sentences."""


@dataclass(frozen=True, slots=True)
class AnnotationSummary:
    """Summary of a run of `annotate_files`.

    Parameters
    ----------
    counts
        Counts of the output file.
    resumed_at
        Number of sentences finished by an earlier run.
    signature
        Everything that can change an edit.
    read_format, written_format
        Names of the formats.
    failed
        Chunks that failed. If there are any, the output is not complete and has not appeared.
    """

    counts: Counts
    resumed_at: int
    signature: str
    read_format: str
    written_format: str
    failed: tuple[Gap, ...] = ()


def annotate_files(
    sources: Sequence[PathLike],
    target: PathLike,
    *,
    settings: ExtractionSettings | None = None,
    format: str | None = None,
    to: str | None = None,
    engine: Engine | None = None,
    jobs: int = 1,
    resume: bool = False,
    restart: bool = False,
    encoding: str = "utf-8",
    findings: Findings | None = None,
    inspect: Inspect | None = None,
    progress: Progress | None = None,
    columns: PairColumns | None = None,
    shard: Shard | None = None,
    watch: Watch | None = None,
) -> AnnotationSummary:
    """Annotate files in chunks, in constant memory.

    Each file is read once. The output appears under its name when it is complete; until then it is
    written to ``NAME.part``, from which an interrupted run can be resumed.

    A chunk that fails each time it is tried is described in ``NAME.failed``, and the rest is
    finished. The output does not appear then, because sentences are missing in it: ``NAME.part``
    holds the others, and a resumed run retries those that failed. Output that is not a file ends
    at the first chunk that fails.

    Parameters
    ----------
    sources
        Parallel text, the source first, or a corpus in any input format.
    target
        Output file; ``-`` is standard output.
    settings
        Settings of extraction.
    format
        Input format; ``"parallel"`` for source and corrections, one sentence per line. Detected
        when None.
    to
        Output format; by default from the extension of `target`, M2 for standard output.
    engine
        Engine that runs the chunks; a `LocalEngine` when None.
    jobs
        Number of workers without an engine. With two and a fast analyzer, the second is a thread
        that prefetches analyses; otherwise, and for large files in a program of our own, workers
        are processes.
    resume
        Whether to resume an interrupted run. Settings, sizes of the files and the sentences that
        are finished have to be the same. Without an interrupted run, a new one starts.
    restart
        Whether to replace the output of an interrupted run. It is an error to set neither if there
        is one.
    encoding
        Text encoding of `sources`.
    findings
        Collection for what was repaired, ignored or lost.
    inspect
        Called with the first `HEAD` sentences before the run.
    progress
        Wraps the stream of finished sentences to show progress.
    columns
        Columns of a table of parallel text, which is then the only file.
    shard
        The part of the input to annotate. A manifest is written beside the output, by which
        `geceval.extraction.joining.join_parts` joins the parts. With `resume`, a part that is
        finished is verified and left as it is.
    watch
        Wraps the blocks of a file that is read to find a shard, to show progress.

    Raises
    ------
    MismatchError
        If files of parallel text have different numbers of lines, which is found at the end of the
        shortest. No output appears then, except on standard output or a pipe.
    ChunkError
        If `MAX_FAILURES` chunks in a row failed, or one whose output is not a file.
    """
    settings = ExtractionSettings() if settings is None else settings
    noted = Findings() if findings is None else findings
    has_alternatives = to is None and get_pack(settings.lang).has_alternatives
    written = format_to_write(target, to, has_alternatives=has_alternatives)
    if settings.tokenize and format != "parallel":
        raise GecevalError("only parallel text can be tokenized; a corpus is tokenized already")
    if resume and restart:
        raise GecevalError("choose either resume or restart, not both")
    if shard is not None:
        from geceval.extraction.parts import check_part

        check_part(target, written)
    work = _ChunkAnnotator(
        settings, staged_format(written), lambda text: noted.add("analyzer", text)
    )
    with ExitStack() as stack:
        items = stack.enter_context(
            open_items(sources, format, encoding, noted, columns=columns, shard=shard, watch=watch)
        )
        if inspect is not None:
            inspect(items.format, items.names, items.peek(HEAD))
        read_as = format if columns is None else f"columns {', '.join(columns.names)}"
        making = _Making(work, written, f"{read_as} to {written.name}", encoding)
        part = making.part(items, target)
        if part is not None and resume and (done := part.counts()) is not None:
            n_done = done.sentences
            return AnnotationSummary(done, n_done, work.signature, items.format, written.name)
        run = stack.enter_context(making.run(items, target, resume=resume, restart=restart))
        start = run.journal.counts.sentences
        chunks = run.chunks()
        if engine is None and jobs == 2 and work.can_prefetch and not _is_large(items):
            engine, chunks = LocalEngine(), _buffered(map(work.prefetched, chunks))
            stack.enter_context(switch_interval(SWITCH_INTERVAL))
        results = (engine or LocalEngine(jobs)).map(work, chunks)
        stack.enter_context(closing(results))
        stack.enter_context(frozen_objects())
        finished = run.finished(results)
        if progress is not None:
            finished = iter(progress(finished, items.estimated_total, start))
        deque(finished, maxlen=0)
        run.end(part)
    counts = run.journal.counts
    note_lost(counts.lost, noted)
    failed = tuple(run.journal.failed)
    return AnnotationSummary(counts, start, work.signature, items.format, written.name, failed)


@dataclass(frozen=True, slots=True)
class _Making:
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

    work: _ChunkAnnotator
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
    def run(self, items: Items, target: PathLike, *, resume: bool, restart: bool) -> Iterator[_Run]:
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
            yield _Run(out, _HashedItems(items), target, first, self.work.header)


class _HashedItems:
    """The input, with a hash of everything up to the end of each chunk.

    The hash is committed with the output, so that a resumed run can verify its input.
    """

    def __init__(self, items: Items) -> None:
        self._items: Iterator[_Item] = iter(items)
        self._hash = hashlib.blake2b(digest_size=16)
        self._by_end: dict[int, str] = {}

    def skip(self, n_sentences: int, gaps: Sequence[Gap]) -> tuple[str, list[Chunk[_Item]]]:
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

    def chunks(self, start: int) -> Iterator[Chunk[_Item]]:
        """Yield the rest in chunks, numbered from `start`."""
        for chunk in cut(self._items, _size, limit=CHUNK_TOKENS, start=start):
            self._by_end[chunk.start + len(chunk.items)] = self._add(chunk.items)
            yield chunk

    def pop(self, end: int) -> str:
        """Return, and forget, the hash of the input up to the end of a chunk."""
        return self._by_end.pop(end)

    def _add(self, items: Iterable[_Item]) -> str:
        for item in items:
            self._hash.update(f"{item!r}\n".encode("utf-8", "surrogatepass"))
        return self._hash.hexdigest()


class _Run:
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

    def _resumed(self) -> tuple[Journal, list[Chunk[_Item]]]:
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

    def chunks(self) -> Iterator[Chunk[_Item]]:
        """Yield the chunks that failed earlier, then the rest of the input."""
        chunks = self._hashed.chunks(self.journal.position)
        return (
            replace(chunk, start=self.first + chunk.start) for chunk in chain(self._retried, chunks)
        )

    def finished(
        self, results: Iterable[tuple[str, Counts] | ChunkFailure[_Item]]
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

    def _retry(self, gap: Gap, result: tuple[str, Counts] | ChunkFailure[_Item]) -> None:
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

    def _append(self, result: tuple[str, Counts] | ChunkFailure[_Item]) -> None:
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

    def _fail(self, failure: ChunkFailure[_Item]) -> None:
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


def _size(item: _Item) -> int:
    """Count the tokens of an item; for a line, estimate them by its spaces."""
    if isinstance(item, Sentence):
        return len(item.tokens) * (1 + len(item.annotations))
    if isinstance(item, SplitRow):
        return len(item.source) + sum(len(target) for target in item.targets if target)
    return sum(line.count(" ") + 1 for line in item)


def _is_large(items: Items) -> bool:
    """Whether to use processes, which only a program that owns its process may start."""
    return is_owned() and (items.n_bytes or 0) >= LARGE


def _buffered(chunks: Iterable[Chunk[_Item]]) -> Iterator[Chunk[_Item]]:
    """Read a few chunks ahead of the one to yield."""
    buffer: deque[Chunk[_Item]] = deque()
    for chunk in chunks:
        buffer.append(chunk)
        if len(buffer) > PREFETCH:
            yield buffer.popleft()
    yield from buffer


def _pairs(item: SplitRow | Sentence) -> Iterator[tuple[Text, Text]]:
    """Yield the pairs that edits are extracted from."""
    return correction_pairs(item) if isinstance(item, Sentence) else item.pairs


class _ChunkAnnotator:
    """Annotates chunks, and returns text in the output format and its counts.

    The model is loaded on first use, in each process.
    """

    def __init__(self, settings: ExtractionSettings, format: str, notify: Notify) -> None:
        self._settings = settings
        self._format = format
        self._notify = notify
        # Worker processes do not inherit the limit.
        self._max_cells = max_cells()

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the model, and use the analyzer that works, without another notification."""
        kind: AnalyzerKind = "fast" if self._annotator.analyzer.kind == "fast" else "spacy"
        settings = replace(self._settings, analyzer=kind)
        # Workers on other machines start in other folders.
        if settings.cache is not None:
            settings = replace(settings, cache=os.path.abspath(settings.cache))
        if settings.model is not None and os.path.exists(settings.model):
            settings = replace(settings, model=os.path.abspath(settings.model))
        state = {**vars(self), "_settings": settings, "_notify": None}
        del state["_annotator"]
        return state

    @cached_property
    def _annotator(self) -> Annotator:
        return self._settings.annotator(notify=self._notify)

    @property
    def can_prefetch(self) -> bool:
        """Whether a second thread can prefetch analyses."""
        return self._annotator.analyzer.can_prefetch

    def prefetched(self, chunk: Chunk[_Item]) -> Chunk[_Item]:
        """Tokenize a chunk, and prefetch its analyses."""
        try:
            items = self._split(chunk.items)
            self._annotator.prefetch(pair for item in items for pair in _pairs(item))
        except Exception:  # noqa: BLE001 - raised again in the order of chunks
            return chunk
        return replace(chunk, items=tuple(items))

    @property
    def signature(self) -> str:
        """Everything that can change an edit."""
        settings = self._settings
        spans = "extracted"
        if settings.keep_spans:
            spans = "minimized" if settings.minimize else "kept"
        tokens = "analyzer" if settings.tokenize else "given"
        form = "" if settings.normalize == "none" else f"|normalize:{settings.normalize}"
        made = f"spans:{spans}|tokens:{tokens}{form}|version:{__version__}"
        return f"{self._annotator.signature}|{made}"

    def __call__(self, chunk: Chunk[_Item]) -> tuple[str, Counts]:
        counts = Counts()
        items = self._split(chunk.items)
        own = [
            tokens_of(item.source) if isinstance(item, SplitRow) else item.tokens for item in items
        ]
        items = self._normalized(items)
        try:
            with allow(cells=self._max_cells):
                sentences = self._annotate(items, counts.lost)
        except TooLargeError as error:
            numbered = enumerate(items, chunk.start)
            owners = (number for number, item in numbered if error.pair in _pairs(item))
            raise error.at("", next(owners, chunk.start)) from None
        if self._settings.normalize != "none":
            sentences = [*map(restore_form, sentences, own)]
        if not get_format(self._format).has_alignments:
            sentences = list(map(first_alignments, sentences))
        for sent in sentences:
            counts.add_sentence(sent)
        # Remove counts of zero.
        counts.lost = +counts.lost
        return self._text(sentences, chunk.start), counts

    def _annotate(self, items: Sequence[SplitRow | Sentence], lost: Counter[str]) -> list[Sentence]:
        settings, annotator = self._settings, self._annotator
        sentences = [item for item in items if isinstance(item, Sentence)]
        if not sentences:
            rows = [item for item in items if isinstance(item, SplitRow)]
            return annotate_split(rows, annotator)
        if settings.keep_spans:
            return retype(sentences, annotator, minimize=settings.minimize, lost=lost)
        return standardize(sentences, annotator, lost=lost)

    def _split(self, items: Sequence[_Item]) -> list[SplitRow | Sentence]:
        """Tokenize text, unless it is tokenized already."""
        rows = [item for item in items if isinstance(item, tuple)]
        if rows:
            return [*split_rows(rows, self._annotator, tokenize=self._settings.tokenize)]
        found = [item for item in items if not isinstance(item, tuple)]
        if self._settings.keep_spans or not self._annotator.has_alternatives:
            return found
        return [
            self._annotator.retokenized(item) if isinstance(item, Sentence) else item
            for item in found
        ]

    def _normalized(self, items: list[SplitRow | Sentence]) -> list[SplitRow | Sentence]:
        """Compose the characters of tokens, if this was asked for."""
        if self._settings.normalize == "none":
            return items
        return [
            normalize_sentence(item) if isinstance(item, Sentence) else item.normalized()
            for item in items
        ]

    @property
    def header(self) -> str:
        """What the output begins with: JSON Lines has one header."""
        out = io.StringIO()
        get_format(self._format).writer([], [out])
        return out.getvalue()

    def _text(self, sentences: Sequence[Sentence], start: int) -> str:
        fmt = get_format(self._format)
        out = io.StringIO()
        try:
            fmt.writer(sentences, [out])
        except GecevalError:
            # Find the sentence that the format cannot represent.
            for number, sent in enumerate(sentences, start + 1):
                try:
                    fmt.writer([sent], [io.StringIO()])
                except GecevalError as error:
                    raise GecevalError(f"sentence {number}: {error}") from error
            raise
        return out.getvalue().removeprefix(self.header)
