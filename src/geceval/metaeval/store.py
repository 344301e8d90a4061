"""The file that keeps what a study has finished, so that it can go on where it was stopped.

It has one JSON document per line. The first tells what the study is made from; the others are
written as they are finished.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Generic, TypeAlias, TypedDict, TypeVar

import msgspec

from geceval.errors import FormatError, GecevalError
from geceval.formats.inputs import MAX_LINE, MAX_WHOLE
from geceval.storage import strict_json

SCHEMA = 1

_LARGEST = 2**53
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]
"""A whole number that a study may have counted."""

Real: TypeAlias = Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)] | None
"""A number that a study may have computed; None for NaN, which JSON lacks."""


class Line(TypedDict):
    """What every line after the first has."""

    metric: str
    settings: str


class _Header(TypedDict, total=False):
    """The first line."""

    schema: Any
    kind: Any
    made_from: dict[str, Any]


L = TypeVar("L", bound=Line)


class Kept(Generic[L]):
    """What is finished of a study, by line of a file; without a file nothing is kept.

    The file is locked, so that two runs do not write into each other's lines.

    Parameters
    ----------
    kind
        Tells files of one kind of study from those of others.
    line
        The type of a line, by which each is validated.
    made_from
        Everything that decides what is found out, but the metric.
    metrics
        Settings of each metric; a file that has them otherwise is refused.
    path
        The file; it is begun where it is not there, and continued where it is.

    Attributes
    ----------
    records
        What earlier runs finished, by number of the line.

    Raises
    ------
    GecevalError
        When the file is made from something else, is in use, or is none of ours.
    """

    def __init__(
        self,
        kind: str,
        line: type[L],
        made_from: Mapping[str, str],
        metrics: Mapping[str, str],
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        self._kind = kind
        self._line = line
        self._made_from = dict(made_from)
        self._metrics = dict(metrics)
        self._path = None if path is None else Path(path)
        self._file: BinaryIO | None = None
        self.records: dict[int, L] = {}
        if self._path is not None:
            self._file = self._opened(self._path)
            # Closing it gives up the lock.
            weakref.finalize(self, self._file.close)
            self._begin(self._file)

    def add(self, metric: str, record: Mapping[str, Any]) -> None:
        """Keep something that a metric has given."""
        self._append({"metric": metric, "settings": self._metrics[metric], **record})

    def damaged(self, number: int, reason: object = "it is not a unit of a study") -> FormatError:
        """Return the error for a line that cannot be understood."""
        message = f"damaged ({reason}); remove the line, or name another file"
        return FormatError(message, path=str(self._path), line=number)

    def _opened(self, path: Path) -> BinaryIO:
        try:
            file = path.open("a+b")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise FormatError(f"cannot be written: {reason}", path=str(path)) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise GecevalError(f"{path}: another study is writing it") from None
        return file

    def _begin(self, file: BinaryIO) -> None:
        number = end = 0
        for number, line in enumerate(self._lines(file), 1):
            if number == 1:
                self._check_header(line)
            elif line.endswith(b"\n"):
                self._take(number, line)
            else:
                # The run was stopped while it wrote the last line.
                file.truncate(end)
                break
            end += len(line)
        if not number:
            self._append({"schema": SCHEMA, "kind": self._kind, "made_from": self._made_from})

    def _lines(self, file: BinaryIO) -> Iterator[bytes]:
        """Yield the lines with their ends; none is longer, nor the file larger, than is allowed."""
        size = file.seek(0, os.SEEK_END)
        if size > MAX_WHOLE:
            message = f"has more than the {MAX_WHOLE:,} bytes that are allowed; name another file"
            raise FormatError(message, path=str(self._path))
        file.seek(0)
        for number in itertools.count(1):
            line = file.readline(MAX_LINE + 1)
            if not line:
                return
            if len(line) > MAX_LINE:
                raise self.damaged(number, f"it has more than {MAX_LINE:,} bytes")
            yield line

    def _take(self, number: int, line: bytes) -> None:
        try:
            self.records[number] = msgspec.json.decode(line, type=self._line)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise self.damaged(number, error) from error
        self._check_settings(self.records[number])

    def _check_header(self, line: bytes) -> None:
        if not line.endswith(b"\n"):
            raise self._foreign()
        try:
            record = msgspec.json.decode(line, type=_Header)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise self._foreign() from error
        if record.get("kind") != self._kind:
            raise self._foreign()
        if record.get("schema") != SCHEMA:
            raise GecevalError(
                f"{self._path}: was written by another version of geceval; name another file"
            )
        theirs = record.get("made_from", {})
        changed = [what for what, value in self._made_from.items() if theirs.get(what) != value]
        if changed:
            raise GecevalError(
                f"{self._path}: holds another study, {' and '.join(changed)} differ; "
                "name another file or remove it"
            )

    def _check_settings(self, record: L) -> None:
        metric, settings = record["metric"], record["settings"]
        if self._metrics.get(metric, settings) != settings:
            raise GecevalError(
                f"{self._path}: holds {metric} with other settings ({settings}); name another file"
            )

    def _foreign(self) -> GecevalError:
        return GecevalError(f"{self._path}: is not a file of an unfinished study; name another")

    def _append(self, record: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        line = strict_json.dumps(record) + "\n"
        try:
            self._file.write(line.encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise GecevalError(f"{self._path}: cannot be written: {reason}") from error
