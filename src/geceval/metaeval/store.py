"""Resumable files of studies.

A file has one sealed JSON document per line. The first describes the data and settings of the
study; the others are results, appended as soon as they are finished.
"""

from __future__ import annotations

import itertools
import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeAlias, TypedDict, TypeVar

import msgspec

from geceval.errors import FormatError, GecevalError, os_reason
from geceval.formats.inputs import MAX_LINE, MAX_WHOLE
from geceval.storage.resumable import AppendedFile, decoded, differing, sealed, unsealed
from geceval.storage.strict_json import nan_to_none, none_to_nan

SCHEMA = 3

Part: TypeAlias = int | str
"""A part of a study: a seed or a system."""

R = TypeVar("R")


class _Line(TypedDict):
    metric: str
    settings: str
    part: Part
    result: Any


class StudyStore(Generic[R]):
    """Finished results of a study by metric and part, in memory and optionally in a file.

    The file is locked, so that no two runs append to it at the same time.

    Parameters
    ----------
    kind
        Distinguishes the files of different studies.
    result
        Type of the results, by which each is validated. NaN is stored as None.
    made_from
        Everything that the results depend on, except the metric.
    metrics
        Settings of each metric; a file with other settings is rejected.
    path
        The file; created if it does not exist, resumed otherwise.
    is_valid
        Whether a restored result fits the data of the study.

    Attributes
    ----------
    n_restored
        Number of results from earlier runs.

    Raises
    ------
    GecevalError
        If the file belongs to another study, is in use, or is not a resumable file.
    """

    def __init__(
        self,
        kind: str,
        result: type[R],
        made_from: Mapping[str, str],
        metrics: Mapping[str, str],
        path: str | os.PathLike[str] | None = None,
        *,
        is_valid: Callable[[R], bool] = lambda _: True,
    ) -> None:
        self._kind = kind
        self._result = result
        self._made_from = dict(made_from)
        self._metrics = dict(metrics)
        self._path = None if path is None else Path(path)
        self._is_valid = is_valid
        self._file: AppendedFile | None = None
        self._results: dict[tuple[str, Part], R] = {}
        if self._path is not None:
            try:
                self._file = AppendedFile(self._path)
            except OSError as error:
                message = f"cannot be written: {os_reason(error)}"
                raise FormatError(message, path=str(self._path)) from error
            # Closing it releases the lock.
            weakref.finalize(self, self._file.stream.close)
            self._begin(self._file.stream)
        self.n_restored = len(self._results)

    def __contains__(self, key: tuple[str, Part]) -> bool:
        return key in self._results

    def __getitem__(self, key: tuple[str, Part]) -> R:
        return self._results[key]

    def add(self, metric: str, part: Part, result: R) -> None:
        """Store the result of a metric for a part of the study."""
        self._results[metric, part] = result
        line: _Line = {
            "metric": metric,
            "settings": self._metrics[metric],
            "part": part,
            "result": nan_to_none(msgspec.to_builtins(result, str_keys=True)),
        }
        self._append(line)

    def _damaged(self, number: int, reason: object) -> FormatError:
        message = f"damaged ({reason}); remove the line, or name another file"
        return FormatError(message, path=str(self._path), line=number)

    def _begin(self, file: BinaryIO) -> None:
        number = end = 0
        for number, line in enumerate(self._lines(file), 1):
            if number == 1:
                self._check_header(line)
            elif line.endswith(b"\n"):
                self._restore(number, line)
            else:
                # The run was interrupted while writing the last line.
                file.truncate(end)
                break
            end += len(line)
        if not number:
            self._append({"schema": SCHEMA, "kind": self._kind, "made_from": self._made_from})

    def _lines(self, file: BinaryIO) -> Iterator[bytes]:
        """Yield the lines with their ends, within the limits of lines and files."""
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
                raise self._damaged(number, f"it has more than {MAX_LINE:,} bytes")
            yield line

    def _restore(self, number: int, line: bytes) -> None:
        try:
            record = msgspec.convert(unsealed(decoded(line)), type=_Line)
            result = msgspec.convert(none_to_nan(record["result"]), self._result, strict=False)
        except ValueError as error:
            raise self._damaged(number, error) from error
        if not self._is_valid(result):
            raise self._damaged(number, "it does not fit the data")
        metric, settings = record["metric"], record["settings"]
        if self._metrics.get(metric, settings) != settings:
            raise GecevalError(
                f"{self._path}: holds {metric} with other settings ({settings}); name another file"
            )
        self._results[metric, record["part"]] = result

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
            raise self._damaged(1, error) from error
        if changed := differing(made_from, self._made_from):
            raise GecevalError(
                f"{self._path}: holds another study, {' and '.join(changed)} differ; "
                "name another file or remove it"
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
