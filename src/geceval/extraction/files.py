"""Whole files of parallel text, or of edits, made into typed edits.

It streams, uses several workers, and can continue a run that was stopped. For sentences in
memory see `geceval.extraction.corpus`.
"""

from __future__ import annotations

import gc
import io
import os
import sys
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
from geceval.extraction.growing import Output, open_growing, staged_format
from geceval.extraction.lang import AnalyzerKind, Notify, get_pack
from geceval.extraction.lang.analysis import Text
from geceval.extraction.lang.disk_cache import StoredAnalyzer
from geceval.extraction.reading import Row, check_readable_again, open_items, survey
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

Progress: TypeAlias = Callable[[Iterator[int], int | None, int], Iterable[int]]
"""Passes on the numbers of finished sentences.

Beside them it is given how many there will be at the end, or None where nobody knows, and how
many of those an earlier run has done, which do not come again.
"""

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
    progress: Progress | None = None,
) -> AnnotationSummary:
    """Annotate files, a chunk at a time, in memory that does not grow with them.

    The file appears under its name when it is complete. Until then ``NAME.part`` holds what is
    done, and a run that is stopped can be continued.

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
        Whether to continue a run that was stopped; it has to have the same input and
        settings. Where there is nothing to continue, a new run begins.
    restart
        Whether to replace what a run that was stopped has left. With neither, it is refused
        to write over it.
    encoding
        Text encoding of `sources`.
    findings
        Where to note what was repaired, ignored or lost.
    progress
        Wraps the stream of finished sentences to show how many there are.

    Raises
    ------
    MismatchError
        When files of parallel text have different numbers of lines. They are counted before
        anything is done, unless they can be read only once.
    """
    settings = ExtractionSettings() if settings is None else settings
    noted = Findings() if findings is None else findings
    written = _format_to_write(target, to)
    if settings.tokenize and format != "parallel":
        raise GecevalError("only parallel text can be tokenized; a corpus has its tokens")
    if resume and restart:
        raise GecevalError("a run is either continued (resume) or begun anew (restart)")
    if resume:
        check_readable_again(sources)
    work = _Work(settings, staged_format(written), lambda text: noted.add("analyzer", text))
    with ExitStack() as stack:
        read_name, items = stack.enter_context(open_items(sources, format, encoding, noted))
        known = survey(sources, read_name, encoding)
        made_from = {
            "the version of geceval": __version__,
            "the settings": work.signature,
            "the format": f"{format} to {written.name}",
            "the encoding": encoding,
            "the size of chunks": str(CHUNK_TOKENS),
            **known.digests,
        }
        out = stack.enter_context(
            open_growing(target, written, made_from, resume=resume, restart=restart)
        )
        counts = _counts(out)
        start = counts.sentences
        rest: Iterator[_Item] = islice(items, start, None)
        chunks = cut(rest, _size, limit=CHUNK_TOKENS, start=start)
        if engine is None and jobs == 2 and work.can_begin:
            engine, chunks = LocalEngine(), _ahead(map(work.begun, chunks))
            stack.callback(sys.setswitchinterval, sys.getswitchinterval())
            sys.setswitchinterval(SWITCH_INTERVAL)
        results = (engine or LocalEngine(jobs)).map(work, chunks)
        stack.enter_context(closing(results))
        # What was loaded stays until the end: nobody need look for garbage in it.
        gc.freeze()
        stack.callback(gc.unfreeze)
        finished = _finished(results, counts, out)
        if progress is not None:
            finished = iter(progress(finished, known.n_sentences, start))
        deque(finished, maxlen=0)
        out.finish()
    _note_lost(counts.lost, noted)
    return AnnotationSummary(counts, start, work.signature, read_name, written.name)


def _counts(out: Output) -> Counts:
    """Return what an earlier run has counted, if any."""
    try:
        return Counts() if out.saved is None else Counts.restore(out.saved)
    except ValueError:
        raise out.damaged() from None


def _format_to_write(target: PathLike, name: str | None) -> Format:
    if name is None and os.fspath(target) == "-":
        name = "m2"
    fmt = output_format(target, name)
    if fmt.name in _WITHOUT_EDITS:
        raise GecevalError(f"{fmt.title} ({fmt.name}) cannot hold edits; M2 can")
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


def _finished(results: Iterable[_Done], counts: Counts, out: Output) -> Iterator[int]:
    """Write chunk after chunk, and yield the number of each sentence that is done."""
    for done in results:
        before = counts.sentences
        counts.add(done.counts)
        out.append(done.text, counts.record())
        yield from range(before, counts.sentences)


def _note_lost(lost: Counter[str], findings: Findings) -> None:
    for code, (severity, message) in _LOST.items():
        if lost[code]:
            findings.add(code, f"{lost[code]:,} {message}", severity=severity)
