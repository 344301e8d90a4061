"""Output files that are written piece by piece, in any format, and can be resumed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Format, PathLike, open_output, read_sentences, write_sentences
from geceval.storage.resumable import PartialFile

APPENDABLE = ("m2", "m2-char", "jsonl")
"""Formats that can be written piece by piece."""


class Output(Protocol):
    """A file that is written piece by piece."""

    saved: dict[str, Any] | None

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Append and commit a piece."""
        ...

    def damaged(self) -> GecevalError:
        """Return the error for a note that is not valid."""
        ...

    def changed(self, what: str, before: object, now: object) -> GecevalError:
        """Return the error for an input that is not the one of the earlier run."""
        ...

    def finish(self) -> None:
        """Complete the file."""
        ...


@contextmanager
def open_resumable(
    target: PathLike,
    fmt: Format,
    made_from: Mapping[str, str],
    *,
    resume: bool,
    restart: bool = False,
) -> Iterator[Output]:
    """Open a file to write piece by piece.

    It appears under its name when `Output.finish` is called; what cannot be renamed (standard
    output, a pipe, a device) is written at once. What was made of files that do not match is
    discarded.

    Parameters
    ----------
    target
        What the file will be called.
    fmt
        The format of the file; the pieces are of its `staged_format`.
    made_from, resume, restart
        As for `PartialFile`.
    """
    path = Path(target)
    is_stream = os.fspath(target) == "-" or (path.exists() and not path.is_file())
    if is_stream and resume:
        raise GecevalError(f"{os.fspath(target)} is not a file, so nothing can be resumed")
    if is_stream and fmt.name in APPENDABLE:
        with open_output(target) as out:
            yield _Stream(out)
        return
    with ExitStack() as stack:
        if is_stream:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "annotated"
        part = stack.enter_context(PartialFile(path, made_from, resume=resume, restart=restart))
        try:
            yield _File(part, target, fmt)
        except MismatchError:
            part.discard()
            raise


class _Stream:
    """A pipe, or standard output."""

    def __init__(self, out: TextIO) -> None:
        self.saved: dict[str, Any] | None = None
        self._out = out

    def append(self, text: str, note: Mapping[str, Any]) -> None:  # noqa: ARG002
        self._out.write(text)

    def damaged(self) -> GecevalError:
        return GecevalError("a stream has nothing saved")

    def changed(self, what: str, before: object, now: object) -> GecevalError:  # noqa: ARG002
        return self.damaged()

    def finish(self) -> None:
        pass


class _File:
    """A file that is complete when it appears."""

    def __init__(self, part: PartialFile, target: PathLike, fmt: Format) -> None:
        self._part = part
        self._target = target
        self._format = fmt
        self.saved = part.saved

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        self._part.append(text, note)

    def damaged(self) -> GecevalError:
        return self._part.damaged()

    def changed(self, what: str, before: object, now: object) -> GecevalError:
        return self._part.changed(what, before, now)

    def finish(self) -> None:
        """Give the file its name, after converting it where the format needs it."""
        name = os.fspath(self._target)
        is_ready = self._format.name in APPENDABLE
        if is_ready and not name.endswith((".gz", ".zst")):
            self._part.publish()
            return
        if is_ready:
            with open_output(self._target) as out, self._part.path.open(encoding="utf-8") as text:
                shutil.copyfileobj(text, out)
        else:
            with read_sentences([self._part.path], format="jsonl") as (_, sentences):
                write_sentences(sentences, self._target, format=self._format.name)
        self._part.discard()


def staged_format(fmt: Format) -> str:
    """Name the format of the pieces: JSON Lines where the format itself cannot be appended to."""
    return fmt.name if fmt.name in APPENDABLE else "jsonl"
