"""Whole files of parallel text, or of edits, made into typed edits.

It streams, uses several workers, and can continue a run that was stopped. For sentences in
memory see `geceval.extraction.corpus`.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from geceval import __version__
from geceval.engines import Chunk, Engine, cut
from geceval.engines.local import LocalEngine
from geceval.engines.process import frozen_objects, switch_interval
from geceval.errors import GecevalError
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import (
    SplitRow,
    annotate_split,
    reading_pairs,
    retype,
    split_rows,
    standardize,
)
from geceval.extraction.lang import AnalyzerKind, Notify, get_pack
from geceval.extraction.lang.analysis import Text
from geceval.extraction.lang.disk_cache import StoredAnalyzer
from geceval.extraction.outputs import Output, open_resumable, staged_format
from geceval.extraction.reading import Items, Row, open_items
from geceval.formats import (
    Findings,
    Format,
    PathLike,
    get_format,
    output_format,
)
from geceval.formats.findings import Severity
from geceval.limits import TooLargeError, allow, max_cells
from geceval.model import Sentence

CHUNK_TOKENS = 20_000
"""Tokens that are worked on together; a stopped run loses no more than this for each worker."""

AHEAD = 3
"""Chunks that a second thread may begin to analyze while another is worked on."""

SWITCH_INTERVAL = 0.0005
"""Seconds that the second thread waits for the interpreter, which it needs but for moments."""

_Item: TypeAlias = Row | SplitRow | Sentence

Progress: TypeAlias = Callable[[Iterator[int], Callable[[], int | None], int], Iterable[int]]
"""Passes on the numbers of finished sentences.

Its other arguments are a function that estimates how many sentences there will be, by the share of
the files that has been read (None where nobody knows), and the number of sentences that an earlier
run has done, which do not come again.
"""

HEAD = 1000
"""Sentences that are inspected before anything is done."""

Inspect: TypeAlias = Callable[[str, Sequence[str], Sequence[Row | Sentence]], None]
"""Inspects the first sentences: name of their format, names of the files, sentences."""

# Plain text and tables hold sentences, no edits.
_WITHOUT_EDITS = ("parallel", "tsv")
_LOST: dict[str, tuple[Severity, str]] = {
    "not-applied": ("warning", "edits past the end or over another edit were left out"),
    "alternatives": ("warning", "edits had more than one correction, of which the first counts"),
    "optional": ("warning", "optional edits became required ones"),
    "comments": ("note", "comments on edits were left out"),
    "no-change": ("note", "edits that change nothing were left out"),
    "past-the-end": ("warning", "edits past the end of the sentence kept their type"),
}


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """How edits are found and named.

    Parameters
    ----------
    lang, align, merge, typer, model, analyzer
        As in `geceval.extraction.annotator.Annotator`, but by name.
    tokenize
        Whether parallel text is raw and has to be tokenized.
    keep_spans
        Whether the edits of a corpus keep their spans and only get new types; otherwise
        edits are extracted anew from the corrected sentences.
    minimize
        Whether edits that keep their spans lose the unchanged words at both ends.
    cache
        A folder to keep analyses in.
    """

    lang: str = "en"
    align: Method = "linguistic"
    merge: str = "rules"
    typer: str | None = None
    model: str | None = None
    analyzer: AnalyzerKind = "fast"
    tokenize: bool = False
    keep_spans: bool = False
    minimize: bool = True
    cache: str | None = None

    def annotator(self, *, notify: Notify | None = None) -> Annotator:
        """Load what is needed to annotate.

        Parameters
        ----------
        notify
            Is told when spaCy has to run a model that was to be run fast; None for a
            `GecevalWarning`.
        """
        pack = get_pack(self.lang)
        analyzer = pack.analyzer(self.model, kind=self.analyzer, notify=notify)
        if self.cache is not None:
            analyzer = StoredAnalyzer(analyzer, self.cache)
        return Annotator(
            pack, align=self.align, merge=self.merge, typer=self.typer, analyzer=analyzer
        )


@dataclass(slots=True)
class Counts:
    """What was annotated, and what was lost on the way."""

    sentences: int = 0
    readings: int = 0
    changed: int = 0
    edits: int = 0
    types: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add the counts of other sentences."""
        self.sentences += other.sentences
        self.readings += other.readings
        self.changed += other.changed
        self.edits += other.edits
        self.types += other.types
        self.lost += other.lost

    def add_sentence(self, sent: Sentence) -> None:
        """Count one more sentence."""
        self.sentences += 1
        for ann in sent.annotations:
            self.readings += 1
            self.changed += bool(ann.edits)
            self.edits += len(ann.edits)
            self.types.update(edit.type for edit in ann.edits)

    def record(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def restore(cls, record: Mapping[str, Any]) -> Counts:
        """Make counts of a record.

        Raises
        ------
        ValueError
            When the record is not one of counts.
        """
        by_name = ("types", "lost")
        is_known = record.keys() == {item.name for item in fields(cls)} and all(
            isinstance(value, dict) and all(map(_is_count, value.values()))
            if name in by_name
            else _is_count(value)
            for name, value in record.items()
        )
        if not is_known:
            raise ValueError("not a record of counts")
        return cls(**{**record, **{name: Counter(record[name]) for name in by_name}})


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


@dataclass(frozen=True, slots=True)
class AnnotationSummary:
    """What `annotate_files` has done.

    Parameters
    ----------
    counts
        What is in the file.
    resumed_at
        How many sentences an earlier run had done.
    signature
        Everything that can change an edit.
    read_format, written_format
        Names of the formats.
    """

    counts: Counts
    resumed_at: int
    signature: str
    read_format: str
    written_format: str


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
) -> AnnotationSummary:
    """Annotate files, a chunk at a time, in memory that does not grow with them.

    Each file is read once. The output appears under its name when it is complete. Until then
    ``NAME.part`` holds what is done, and a run that is stopped can be resumed.

    Parameters
    ----------
    sources
        Parallel text, the source first, or a corpus in any format that can be read.
    target
        File to write; ``-`` is standard output.
    settings
        How edits are found and named.
    format
        Name of the format of `sources`; ``"parallel"`` for source and corrections, one
        sentence per line. Detected when None.
    to
        Name of the format to write; by the ending of `target`, M2 for standard output.
    engine
        Where the work is done; on this machine when None.
    jobs
        Without an engine: the number of workers. The second of two is a thread where the
        analyzer has work for one, which a fast one has; otherwise they are processes.
    resume
        Whether to resume a run that was stopped; it has to have the same settings, and files of
        the same size that begin with the sentences that are done. Where there is nothing to
        resume, a new run begins.
    restart
        Whether to replace what a run that was stopped has left. With neither, it is refused
        to write over it.
    encoding
        Text encoding of `sources`.
    findings
        Where to note what was repaired, ignored or lost.
    inspect
        Is shown the first `HEAD` sentences before anything is done.
    progress
        Wraps the stream of finished sentences to show how many there are.

    Raises
    ------
    MismatchError
        When files of parallel text have different numbers of lines, which is known at the end of
        the shortest. No output appears then, except on standard output or a pipe.
    """
    settings = ExtractionSettings() if settings is None else settings
    noted = Findings() if findings is None else findings
    written = _format_to_write(target, to)
    if settings.tokenize and format != "parallel":
        raise GecevalError("only parallel text can be tokenized; a corpus has its tokens")
    if resume and restart:
        raise GecevalError("a run is either continued (resume) or begun anew (restart)")
    work = _Work(settings, staged_format(written), lambda text: noted.add("analyzer", text))
    with ExitStack() as stack:
        items = stack.enter_context(open_items(sources, format, encoding, noted))
        if inspect is not None:
            inspect(items.format, items.names, items.peek(HEAD))
        made_from = {
            "the version of geceval": __version__,
            "the settings": work.signature,
            "the format": f"{format} to {written.name}",
            "the encoding": encoding,
            "the size of chunks": str(CHUNK_TOKENS),
            **items.sizes,
        }
        out = stack.enter_context(
            open_resumable(target, written, made_from, resume=resume, restart=restart)
        )
        digested = _Digested(items)
        counts = _resumed(out, digested)
        start = counts.sentences
        chunks = digested.chunks(start)
        if engine is None and jobs == 2 and work.can_begin:
            engine, chunks = LocalEngine(), _ahead(map(work.begun, chunks))
            stack.enter_context(switch_interval(SWITCH_INTERVAL))
        results = (engine or LocalEngine(jobs)).map(work, chunks)
        stack.enter_context(closing(results))
        stack.enter_context(frozen_objects())
        finished = _finished(results, counts, out, digested)
        if progress is not None:
            finished = iter(progress(finished, items.estimated_total, start))
        deque(finished, maxlen=0)
        out.finish()
    _note_lost(counts.lost, noted)
    return AnnotationSummary(counts, start, work.signature, items.format, written.name)


class _Digested:
    """The input, with a digest of everything up to the end of each chunk.

    The digest of what is done is committed with the output. A run that resumes reads it again,
    and knows by the digest that it is the same.
    """

    def __init__(self, items: Items) -> None:
        self._items: Iterator[_Item] = iter(items)
        self._digest = hashlib.blake2b(digest_size=16)
        self._by_end: dict[int, str] = {}

    def skip(self, n_sentences: int) -> str:
        """Skip the first sentences, and return their digest."""
        return self._add(islice(self._items, n_sentences))

    def chunks(self, start: int) -> Iterator[Chunk[_Item]]:
        """Cut what follows into chunks, the first of which has a number from `start` on."""
        for chunk in cut(self._items, _size, limit=CHUNK_TOKENS, start=start):
            self._by_end[chunk.start + len(chunk.items)] = self._add(chunk.items)
            yield chunk

    def take(self, end: int) -> str:
        """Return the digest of everything before a chunk's end, which is not needed again."""
        return self._by_end.pop(end)

    def _add(self, items: Iterable[_Item]) -> str:
        for item in items:
            self._digest.update(f"{item!r}\n".encode("utf-8", "surrogatepass"))
        return self._digest.hexdigest()


def _resumed(out: Output, digested: _Digested) -> Counts:
    """Skip what an earlier run has done, if any, and return what it has counted."""
    part = out.part
    if part is None or part.saved is None:
        return Counts()
    record = dict(part.saved)
    before = record.pop("input", None)
    try:
        counts = Counts.restore(record)
    except ValueError:
        raise part.damaged() from None
    if (now := digested.skip(counts.sentences)) != before:
        raise part.changed("the input", before, now)
    return counts


def _format_to_write(target: PathLike, name: str | None) -> Format:
    if name is None and os.fspath(target) == "-":
        name = "m2"
    fmt = output_format(target, name)
    if fmt.name in _WITHOUT_EDITS:
        raise GecevalError(f"{fmt.title} ({fmt.name}) cannot represent edits; M2 can")
    _ = fmt.writer
    return fmt


def _size(item: _Item) -> int:
    """Count tokens; those of a line roughly, by its spaces."""
    if isinstance(item, Sentence):
        return len(item.tokens) * (1 + len(item.annotations))
    if isinstance(item, SplitRow):
        return sum(map(len, (item.source, *item.targets)))
    return sum(line.count(" ") + 1 for line in item)


def _ahead(chunks: Iterable[Chunk[_Item]]) -> Iterator[Chunk[_Item]]:
    """Take some chunks before they are needed."""
    taken: deque[Chunk[_Item]] = deque()
    for chunk in chunks:
        taken.append(chunk)
        if len(taken) > AHEAD:
            yield taken.popleft()
    yield from taken


def _pairs(item: SplitRow | Sentence) -> Iterator[tuple[Text, Text]]:
    """Yield what edits are extracted from."""
    return reading_pairs(item) if isinstance(item, Sentence) else item.pairs


class _Done(NamedTuple):
    """A chunk as text of the output."""

    text: str
    counts: Counts


class _Work:
    """Annotates a chunk; what is large is loaded when it is first needed.

    Parameters
    ----------
    settings
        How edits are found and named.
    format
        Name of the format of the output.
    notify
        Is told when spaCy has to run a model that was to be run fast.
    """

    def __init__(self, settings: ExtractionSettings, format: str, notify: Notify) -> None:
        self._settings = settings
        self._format = format
        self._notify = notify
        # For other processes, which do not know what was set here.
        self._max_cells = max_cells()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what every process has to load for itself, and what was told already."""
        kind: AnalyzerKind = "fast" if self._annotator.analyzer.kind == "fast" else "spacy"
        settings = replace(self._settings, analyzer=kind)
        return {
            "_settings": settings,
            "_format": self._format,
            "_notify": None,
            "_max_cells": self._max_cells,
        }

    @cached_property
    def _annotator(self) -> Annotator:
        return self._settings.annotator(notify=self._notify)

    @property
    def can_begin(self) -> bool:
        """Whether a second thread can begin with chunks."""
        return self._annotator.analyzer.can_expect

    def begun(self, chunk: Chunk[_Item]) -> Chunk[_Item]:
        """Split the text of a chunk, and let a second thread begin with it."""
        try:
            items = self._split(chunk.items)
            self._annotator.expect(pair for item in items for pair in _pairs(item))
        except GecevalError:
            # What is wrong with it is told when its turn comes; others may come first.
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
        return f"{self._annotator.signature}|spans:{spans}|tokens:{tokens}|version:{__version__}"

    def __call__(self, chunk: Chunk[_Item]) -> _Done:
        counts = Counts()
        items = self._split(chunk.items)
        try:
            with allow(cells=self._max_cells):
                sentences = self._annotate(items, counts.lost)
        except TooLargeError as error:
            numbered = enumerate(items, chunk.start)
            owners = (number for number, item in numbered if error.pair in _pairs(item))
            raise error.at("", next(owners, chunk.start)) from None
        for sent in sentences:
            counts.add_sentence(sent)
        # Counts of nothing need not be kept.
        counts.lost = +counts.lost
        return _Done(self._text(sentences, chunk.start), counts)

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
        """Split text; what is split already stays as it is."""
        rows = [item for item in items if isinstance(item, tuple)]
        if rows:
            return [*split_rows(rows, self._annotator, tokenize=self._settings.tokenize)]
        return [item for item in items if not isinstance(item, tuple)]

    def _text(self, sentences: Sequence[Sentence], start: int) -> str:
        fmt = get_format(self._format)
        out = io.StringIO()
        try:
            fmt.writer(sentences, [out])
        except GecevalError:
            # Again, one by one, to name the one that the format cannot hold.
            for number, sent in enumerate(sentences, start + 1):
                try:
                    fmt.writer([sent], [io.StringIO()])
                except GecevalError as error:
                    raise GecevalError(f"sentence {number}: {error}") from error
            raise
        text = out.getvalue()
        # The header of JSON Lines stands once.
        return text.partition("\n")[2] if fmt.name == "jsonl" and start else text


def _finished(
    results: Iterable[_Done], counts: Counts, out: Output, digested: _Digested
) -> Iterator[int]:
    """Commit chunk after chunk, and yield the number of each sentence that is done."""
    for done in results:
        before = counts.sentences
        counts.add(done.counts)
        digest = digested.take(counts.sentences)
        out.append(done.text, {**counts.record(), "input": digest})
        yield from range(before, counts.sentences)


def _note_lost(lost: Counter[str], findings: Findings) -> None:
    for code, (severity, message) in _LOST.items():
        if lost[code]:
            findings.add(code, f"{lost[code]:,} {message}", severity=severity)
