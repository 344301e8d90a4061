"""Annotate an input to a folder of part files, of which a later run makes only what is missing.

The parts are the shards of the input, with the manifests of shards, so that ``geceval merge`` joins
them. All parts are made by one run of an engine: workers never wait for the end of a part.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

import msgspec

from geceval.engines import Chunk, Engine
from geceval.engines.local import LocalEngine
from geceval.engines.process import frozen_objects
from geceval.errors import GecevalError
from geceval.extraction.chunk_annotator import ChunkAnnotator
from geceval.extraction.files import (
    HEAD,
    AnnotationSummary,
    ExtractionSettings,
    Inspect,
    Progress,
    must_isolate,
)
from geceval.extraction.journal import Gap
from geceval.extraction.lang import get_pack
from geceval.extraction.outputs import format_to_write, staged_format
from geceval.extraction.parts import FinishedPart, check_part
from geceval.extraction.reading import Scans, open_items
from geceval.extraction.runs import OutputPlan, Run
from geceval.extraction.tally import Counts, note_lost
from geceval.formats import Findings, PathLike
from geceval.formats.columns import PairColumns
from geceval.formats.shards import Shard, Watch
from geceval.storage.manifests import has_manifest
from geceval.storage.resumable import PartError
from geceval.storage.urls import file_names, is_url, plain_path, shown_name

PART_SENTENCES = 500_000
"""Approximate number of sentences of a part."""


@dataclass(slots=True, eq=False)
class _PendingPart:
    """A part that is to be made."""

    shard: Shard
    target: str
    stack: ExitStack = field(default_factory=ExitStack)
    run: Run | None = None
    finished: FinishedPart | None = None
    resumed_at: int = 0

    def end(self) -> Counts:
        """Put the part in place, and return its counts."""
        if self.run is None:
            return Counts()
        self.run.end(self.finished)
        self.stack.close()
        return self.run.journal.counts

    @property
    def failed(self) -> list[Gap]:
        """Chunks that failed, with the numbers of their sentences in the whole input."""
        if self.run is None:
            return []
        first, gaps = self.run.first, self.run.journal.failed
        return [msgspec.structs.replace(gap, start=gap.start + first) for gap in gaps]


@dataclass(slots=True)
class _PartMaker:
    """Makes parts from the results of one run of an engine."""

    plan: OutputPlan
    opened: dict[str, Any]
    resume: bool
    restart: bool
    owners: deque[_PendingPart] = field(default_factory=deque)
    """The part of each chunk in flight."""

    def chunks(self, parts: Sequence[_PendingPart]) -> Iterator[Chunk[Any]]:
        """Yield the chunks of all parts."""
        for part in parts:
            items = part.stack.enter_context(open_items(shard=part.shard, **self.opened))
            part.finished = self.plan.part(items, part.target)
            part.run = part.stack.enter_context(
                self.plan.run(items, part.target, resume=self.resume, restart=self.restart)
            )
            part.resumed_at = part.run.journal.counts.sentences
            for chunk in part.run.chunks():
                self.owners.append(part)
                yield chunk

    def make(
        self, parts: Sequence[_PendingPart], results: Iterator[Any], counts: Counts
    ) -> Iterator[int]:
        """Write the parts; yield a number for each sentence that finished or failed."""
        taken: list[Any] = list(_next(results))
        for part in parts:
            if part.run is not None:
                yield from part.run.finished(self._own(part, results, taken))
            counts.add(part.end())

    def _own(self, part: _PendingPart, results: Iterator[Any], taken: list[Any]) -> Iterator[Any]:
        """Yield the results of a part; the first one of the next part stays in `taken`."""
        while taken and self.owners[0] is part:
            self.owners.popleft()
            yield taken.pop()
            taken.extend(_next(results))


def _next(results: Iterator[Any]) -> Iterable[Any]:
    for result in results:
        return (result,)
    return ()


def annotate_parts(
    sources: Sequence[PathLike],
    folder: PathLike,
    *,
    part_size: int = PART_SENTENCES,
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
    watch: Watch | None = None,
) -> AnnotationSummary:
    """Annotate files to a folder of parts, each with a manifest.

    With `resume`, parts that an earlier run has finished are verified, and left as they are if they
    are intact and made from the same input and settings. All others are made again.

    Parameters
    ----------
    folder
        Folder of the parts, also as a URL.
    part_size
        Approximate number of sentences of a part.
    to
        Format of the parts: ``"m2"`` (the default, or its dialect ``"m2-zh"`` for languages whose
        edits have alternatives), ``"jsonl"`` or ``"parquet"``.
    sources, settings, format, engine, jobs, encoding, findings, inspect, progress, columns, watch
        As for `annotate_files`.
    resume, restart
        Whether to continue with, or to replace, parts of an earlier run. It is an error to set
        neither if there are any.
    """
    noted = Findings() if findings is None else findings
    settings = ExtractionSettings() if settings is None else settings
    has_alternatives = to is None and get_pack(settings.lang).has_alternatives
    written = format_to_write("-", to, has_alternatives=has_alternatives)
    if part_size < 1:
        raise GecevalError(f"a part needs at least one sentence, not {part_size}")
    if settings.tokenize and format != "parallel":
        raise GecevalError("only parallel text can be tokenized; a corpus is tokenized already")
    opened: dict[str, Any] = {
        "sources": sources,
        "format": format,
        "encoding": encoding,
        "findings": noted,
        "columns": columns,
        "watch": watch,
        "scans": Scans(),
    }
    work = ChunkAnnotator(
        settings, staged_format(written), lambda text: noted.add("analyzer", text)
    )
    with open_items(shard=Shard(1, 1), **opened) as items:
        total = 0 if items.portion is None else items.portion.total
        if inspect is not None:
            inspect(items.format, items.names, items.peek(HEAD))
        read_format = items.format
    read_as = format if columns is None else f"columns {', '.join(columns.names)}"
    plan = OutputPlan(work, written, f"{read_as} to {written.name}", encoding)
    n_parts = max(1, -(-total // part_size))
    # A dialect has the suffix of its format.
    suffix = next(iter(written.suffixes), f".{written.name.partition('-')[0]}")
    _refuse_others(folder, n_parts, suffix)
    parts = _listed(folder, n_parts, suffix)
    for part in parts:
        check_part(part.target, written)
    counts = Counts()
    if not restart:
        parts = _missing(parts, plan, opened, counts, noted, resume=resume)
    n_done = counts.sentences
    if not is_url(folder):
        os.makedirs(plain_path(folder), exist_ok=True)
    maker = _PartMaker(plan, opened, resume, restart)
    with ExitStack() as stack:
        for part in parts:
            stack.callback(part.stack.close)
        is_isolated = resume and must_isolate(part.target for part in parts)
        engine = engine or LocalEngine(jobs, is_isolated=is_isolated)
        results = engine.map(work, maker.chunks(parts))
        stack.enter_context(closing(results))
        stack.enter_context(frozen_objects())
        finished = maker.make(parts, results, counts)
        if progress is not None:
            finished = iter(progress(finished, lambda: total, n_done))
        deque(finished, maxlen=0)
    note_lost(counts.lost, noted)
    failed = tuple(gap for part in parts for gap in part.failed)
    n_done += sum(part.resumed_at for part in parts)
    return AnnotationSummary(counts, n_done, work.signature, read_format, written.name, failed)


def _listed(folder: PathLike, n_parts: int, suffix: str) -> list[_PendingPart]:
    """Return all parts, in order."""
    start = plain_path(folder).rstrip("/") or "/"
    digits = max(5, len(str(n_parts)))
    return [
        _PendingPart(
            Shard(number, n_parts),
            f"{start}/part-{number:0{digits}}-of-{n_parts:0{digits}}{suffix}",
        )
        for number in range(1, n_parts + 1)
    ]


def _refuse_others(folder: PathLike, n_parts: int, suffix: str) -> None:
    """Refuse a folder with another number of parts, which would be mixed up with these."""
    pattern = re.compile(rf"part-\d+-of-(\d+){re.escape(suffix)}")
    for name in file_names(folder):
        match = pattern.match(name)
        if match is not None and int(match[1]) != n_parts:
            raise PartError(
                f"{shown_name(folder)} has parts of another run, such as {name}, but there would "
                f"be {n_parts:,} now: give the same input and --part-size, name another folder, "
                "or remove them"
            )


def _missing(
    parts: Sequence[_PendingPart],
    plan: OutputPlan,
    opened: dict[str, Any],
    counts: Counts,
    findings: Findings,
    *,
    resume: bool,
) -> list[_PendingPart]:
    """Return the parts to make, and add the counts of the others."""
    missing = []
    for part in parts:
        is_there = has_manifest(part.target)
        if is_there and not resume:
            raise PartError(
                f"{shown_name(part.target)} and other parts are there already: continue with "
                "--resume, or begin anew with --restart"
            )
        done = _intact(part, plan, opened) if is_there else None
        if done is None:
            missing.append(part)
        else:
            counts.add(done)
        if is_there and done is None:
            message = "the part was damaged or made from something else, and is made again"
            findings.add("part-made-again", message, path=shown_name(part.target))
    return missing


def _intact(part: _PendingPart, plan: OutputPlan, opened: dict[str, Any]) -> Counts | None:
    with open_items(shard=part.shard, **opened) as items:
        finished = plan.part(items, part.target)
        return None if finished is None else finished.counts()
