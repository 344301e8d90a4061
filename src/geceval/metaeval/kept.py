"""The file that keeps what a study has finished, so that it can go on where it was stopped.

It has one JSON document per line. The first tells what the study is made from; the others are
written as they are finished.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geceval.errors import FormatError, GecevalError

SCHEMA = 1


class Kept:
    """What is finished of a study, by line of a file; without a file nothing is kept.

    Parameters
    ----------
    kind
        Tells files of one kind of study from those of others.
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
        When the file is made from something else, or is none of ours.
    """

    def __init__(
        self,
        kind: str,
        made_from: Mapping[str, str],
        metrics: Mapping[str, str],
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        self._kind = kind
        self._made_from = dict(made_from)
        self._metrics = dict(metrics)
        self._path = None if path is None else Path(path)
        self.records: dict[int, dict[str, Any]] = {}
        if self._path is not None:
            self._begin(self._path)

    def add(self, metric: str, record: Mapping[str, Any]) -> None:
        """Keep something that a metric has given."""
        self._append({"metric": metric, "settings": self._metrics[metric], **record})

    def damaged(self, number: int) -> FormatError:
        """Return the error for a line that cannot be understood."""
        return FormatError("expected a unit of a study", path=str(self._path), line=number)

    def _begin(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise FormatError(f"cannot be read: {reason.lower()}", path=str(path)) from error
        complete, _, rest = text.rpartition("\n")
        if rest and complete:
            # The run was stopped while it wrote the last line.
            self._cut(path, len(f"{complete}\n".encode()))
        header, *lines = complete.split("\n")
        if not text:
            self._append({"schema": SCHEMA, "kind": self._kind, "made_from": self._made_from})
            return
        self._check_header(header)
        for number, line in enumerate(lines, 2):
            self.records[number] = self._parsed(line, number)
            self._check_settings(number)

    def _check_header(self, line: str) -> None:
        record = self._parsed(line, 1)
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

    def _check_settings(self, number: int) -> None:
        record = self.records[number]
        try:
            metric, settings = record["metric"], record["settings"]
        except KeyError as error:
            raise self.damaged(number) from error
        if self._metrics.get(metric, settings) != settings:
            raise GecevalError(
                f"{self._path}: holds {metric} with other settings ({settings}); name another file"
            )

    def _parsed(self, line: str, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except ValueError as error:
            raise (self._foreign() if number == 1 else self.damaged(number)) from error
        if not isinstance(record, dict):
            raise self._foreign()
        return record

    def _foreign(self) -> GecevalError:
        return GecevalError(f"{self._path}: is not a file of an unfinished study; name another")

    def _append(self, record: Mapping[str, Any]) -> None:
        if self._path is None:
            return
        line = json.dumps(record, ensure_ascii=False) + "\n"
        try:
            with self._path.open("a", encoding="utf-8") as out:
                out.write(line)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise GecevalError(f"{self._path}: cannot be written: {reason}") from error

    def _cut(self, path: Path, size: int) -> None:
        with path.open("r+b") as file:
            file.truncate(size)
