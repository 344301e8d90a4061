"""Extract typed edits from files of parallel text, or from other edits.

Files are streamed, several workers may share the work, and an interrupted run can be resumed. For
sentences in memory see `geceval.extraction.corpus`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from geceval.engines import Chunk, Engine
from geceval.engines.local import LocalEngine
from geceval.engines.process import frozen_objects, is_owned, switch_interval
from geceval.errors import GecevalError
from geceval.extraction.chunk_annotator import ChunkAnnotator, RunItem
from geceval.extraction.journal import Gap
from geceval.extraction.lang import get_pack
from geceval.extraction.lang.prefetch import SWITCH_INTERVAL
from geceval.extraction.outputs import format_to_write, staged_format
from geceval.extraction.reading import Items, Row, open_items
from geceval.extraction.runs import OutputPlan
from geceval.extraction.settings import ExtractionSettings
from geceval.extraction.tally import Counts, note_lost
from geceval.formats import Findings, PathLike
from geceval.model import Sentence
from geceval.storage.resumable import is_interrupted
from geceval.storage.urls import local_name

__all__ = [
    "AnnotationSummary",
    "Counts",
    "ExtractionSettings",
    "Inspect",
    "LocalEngine",
    "Progress",
    "annotate_files",
]

if TYPE_CHECKING:
    from geceval.formats.columns import PairColumns
    from geceval.formats.shards import Shard, Watch

PREFETCH = 3
"""Chunks that are prefetched."""

LARGE = 1 << 24
"""Size of the input in bytes from which on two processes are faster than two threads, although
each of them has to load the model."""

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
        that prefetches analyses; otherwise, and in a program of our own for large files and to
        resume, workers are processes.
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
        `geceval.extraction.parts.join_parts` joins the parts. With `resume`, a part that is
        finished is verified and left as it is.
    watch
        Wraps the blocks of a file that is read to find a shard, to show progress.

    Raises
    ------
    MismatchError
        If files of parallel text have different numbers of lines, which is found at the end of the
        shortest. No output appears then, except on standard output or a pipe.
    ChunkError
        If too many chunks in a row failed, see `geceval.extraction.runs`, or one whose output is
        not a file.
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
    work = ChunkAnnotator(
        settings, staged_format(written), lambda text: noted.add("analyzer", text)
    )
    with ExitStack() as stack:
        items = stack.enter_context(
            open_items(sources, format, encoding, noted, columns=columns, shard=shard, watch=watch)
        )
        if inspect is not None:
            inspect(items.format, items.names, items.peek(HEAD))
        read_as = format if columns is None else f"columns {', '.join(columns.names)}"
        plan = OutputPlan(work, written, f"{read_as} to {written.name}", encoding)
        part = plan.part(items, target)
        if part is not None and resume and (done := part.counts()) is not None:
            n_done = done.sentences
            return AnnotationSummary(done, n_done, work.signature, items.format, written.name)
        is_isolated = resume and must_isolate([target])
        run = stack.enter_context(plan.run(items, target, resume=resume, restart=restart))
        start = run.journal.counts.sentences
        chunks = run.chunks()
        in_processes = is_isolated or _is_large(items)
        if engine is None and jobs == 2 and work.can_prefetch and not in_processes:
            engine, chunks = LocalEngine(), _buffered(map(work.prefetched, chunks))
            stack.enter_context(switch_interval(SWITCH_INTERVAL))
        engine = engine or LocalEngine(jobs, is_isolated=is_isolated)
        results = engine.map(work, chunks)
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


def must_isolate(resumed: Iterable[PathLike]) -> bool:
    """Whether to work in worker processes only, even with one job; ask before opening the outputs.

    A sentence may have killed the run that is resumed; it then kills its worker only.
    """
    # Other programs may not be able to start processes.
    return is_owned() and any(is_interrupted(Path(local_name(target))) for target in resumed)


def _is_large(items: Items) -> bool:
    """Whether to use processes, which only a program that owns its process may start."""
    return is_owned() and (items.n_bytes or 0) >= LARGE


def _buffered(chunks: Iterable[Chunk[RunItem]]) -> Iterator[Chunk[RunItem]]:
    """Read a few chunks ahead of the one to yield."""
    buffer: deque[Chunk[RunItem]] = deque()
    for chunk in chunks:
        buffer.append(chunk)
        if len(buffer) > PREFETCH:
            yield buffer.popleft()
    yield from buffer
