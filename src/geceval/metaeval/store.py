"""The file that holds the finished parts of a study, so that the study can be resumed.

It has one sealed JSON document per line. The first records what the study is made from; the
others are appended as they are finished.
"""

from __future__ import annotations

import itertools
import os
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Generic, TypeAlias, TypedDict, TypeVar

import msgspec

from geceval.errors import FormatError, GecevalError, os_reason
from geceval.formats.inputs import MAX_LINE, MAX_WHOLE
from geceval.storage.resumable import AppendedFile, decoded, differing, sealed, unsealed

SCHEMA = 2

_LARGEST = 2**53
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]
"""A whole number that a study may have counted."""

Real: TypeAlias = Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)] | None
"""A number that a study may have computed; None for NaN, which JSON lacks."""


class Line(TypedDict):
    """What every line after the first has."""

    metric: str
    settings: str


L = TypeVar("L", bound=Line)


class StudyStore(Generic[L]):
    """The finished parts of a study, a line of a file each; without a file nothing is stored.

    The file is locked, so that no two runs append to it at the same time.

    Parameters
    ----------
    kind
        Tells files of one kind of study from those of others.
    line
        The type of a line, by which each is validated.
    made_from
        Everything that the results depend on, except the metric.
    metrics
        Settings of each metric; a file with other settings is refused.
    path
        The file; created where it does not exist, resumed where it does.

    Attributes
    ----------
    records
        The lines of earlier runs, by number.

    Raises
    ------
    GecevalError
        When the file is made from something else, is in use, or is not a study.
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
        self._file: AppendedFile | None = None
        self.records: dict[int, L] = {}
        if self._path is not None:
            self._file = self._opened(self._path)
            # Closing it gives up the lock.
            weakref.finalize(self, self._file.stream.close)
            self._begin(self._file.stream)

    def add(self, metric: str, record: Mapping[str, Any]) -> None:
        """Append a result of a metric."""
        self._append({"metric": metric, "settings": self._metrics[metric], **record})

    def damaged(self, number: int, reason: object = "it is not a unit of a study") -> FormatError:
        """Return the error for a line that is not valid."""
        message = f"damaged ({reason}); remove the line, or name another file"
        return FormatError(message, path=str(self._path), line=number)

    def _opened(self, path: Path) -> AppendedFile:
        try:
            return AppendedFile(path)
        except OSError as error:
            raise FormatError(f"cannot be written: {os_reason(error)}", path=str(path)) from error

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
            record = msgspec.convert(unsealed(decoded(line)), type=self._line)
        except ValueError as error:
            raise self.damaged(number, error) from error
        self._check_settings(record)
        self.records[number] = record

    def _check_header(self, line: bytes) -> None:
        if not line.endswith(b"\n"):
            raise self._foreign()
        try:
            record = decoded(line)
        except ValueError as error:
            raise self._foreign() from error
        if record.get("kind") != self._kind:
            raise self._foreign()
        if record.get("schema") != SCHEMA:
            raise GecevalError(
                f"{self._path}: was written by another version of geceval; name another file"
            )
        try:
            made_from = unsealed(record)["made_from"]
        except ValueError as error:
            raise self.damaged(1, error) from error
        if changed := differing(made_from, self._made_from):
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
        try:
            self._file.append(sealed(record))
        except OSError as error:
            raise GecevalError(f"{self._path}: cannot be written: {os_reason(error)}") from error
