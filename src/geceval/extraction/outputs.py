"""Output files that are written piece by piece, in any format, and can be resumed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from geceval.errors import GecevalError, MismatchError
from geceval.formats import Format, PathLike, open_output, read_sentences, write_sentences
from geceval.storage.resumable import PartialFile

APPENDABLE = ("m2", "m2-char", "jsonl")
"""Formats that can be written piece by piece."""


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
            yield Output(target, fmt, stream=out)
        return
    with ExitStack() as stack:
        if is_stream:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "annotated"
        part = stack.enter_context(PartialFile(path, made_from, resume=resume, restart=restart))
        try:
            yield Output(target, fmt, part=part)
        except MismatchError:
            part.discard()
            raise


class Output:
    """A file that is written piece by piece: a stream, or a part of what will appear."""

    def __init__(
        self,
        target: PathLike,
        fmt: Format,
        *,
        stream: TextIO | None = None,
        part: PartialFile | None = None,
    ) -> None:
        self._target = target
        self._format = fmt
        self._stream = stream
        self.part = part

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Append and commit a piece."""
        if self._stream is not None:
            self._stream.write(text)
        elif self.part is not None:
            self.part.append(text, note)

    def finish(self) -> None:
        """Give the file its name, after converting it where the format needs it."""
        if self.part is None:
            return
        name = os.fspath(self._target)
        is_ready = self._format.name in APPENDABLE
        if is_ready and not name.endswith((".gz", ".zst")):
            self.part.publish()
            return
        if is_ready:
            with open_output(self._target) as out, self.part.path.open(encoding="utf-8") as text:
                shutil.copyfileobj(text, out)
        else:
            with read_sentences([self.part.path], format="jsonl") as (_, sentences):
                write_sentences(sentences, self._target, format=self._format.name)
        self.part.discard()


def staged_format(fmt: Format) -> str:
    """Name the format of the pieces: JSON Lines where the format itself cannot be appended to."""
    return fmt.name if fmt.name in APPENDABLE else "jsonl"
