"""Resumable output files in any format."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from geceval.errors import GecevalError, MismatchError
from geceval.formats import (
    Format,
    PathLike,
    get_format,
    open_output,
    output_format,
    read_sentences,
    write_sentences,
)
from geceval.storage.resumable import PartialFile
from geceval.storage.urls import is_url, local_name, staged

APPENDABLE = ("m2", "m2-char", "m2-zh", "jsonl")
"""Formats that can be written in parts."""


# Formats of sentences without edits.
_WITHOUT_EDITS = ("parallel", "tsv")


def format_to_write(
    target: PathLike, name: str | None, *, has_alternatives: bool = False
) -> Format:
    """Return the output format; raise an error if it cannot represent edits.

    M2 has a dialect for languages whose edits have alternatives.
    """
    if name is None and os.fspath(target) == "-":
        name = "m2"
    fmt = output_format(target, name)
    if fmt.name == "m2" and has_alternatives:
        fmt = get_format("m2-zh")
    if fmt.name in _WITHOUT_EDITS:
        raise GecevalError(f"{fmt.title} ({fmt.name}) cannot represent edits; M2 can")
    _ = fmt.writer
    return fmt


@contextmanager
def open_resumable(
    target: PathLike,
    fmt: Format,
    made_from: Mapping[str, str],
    *,
    resume: bool,
    restart: bool = False,
) -> Iterator[Output]:
    """Open a file to write in parts.

    The file appears under its name when `Output.finish` is called. Standard output, pipes and
    devices are written directly. The output of files that do not match is discarded. A file at a
    URL is written in the cache folder, and uploaded when it is finished.

    Parameters
    ----------
    target
        Name of the file.
    fmt
        Format of the file; the parts have its `staged_format`.
    made_from, resume, restart
        As for `PartialFile`.
    """
    path = Path(local_name(target))
    is_stream = os.fspath(target) == "-" or (path.exists() and not path.is_file())
    if is_stream and resume:
        raise GecevalError(f"{os.fspath(target)} is not a file, so nothing can be resumed")
    if is_stream and fmt.name in APPENDABLE:
        with open_output(target) as out:
            yield Output(target, fmt, stream=out)
        return
    with ExitStack() as stack:
        path = stack.enter_context(staged(target))
        if is_stream:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "annotated"
        part = stack.enter_context(PartialFile(path, made_from, resume=resume, restart=restart))
        try:
            yield Output(target, fmt, part=part, is_resumable=not is_stream)
        except MismatchError:
            part.discard()
            raise


class Output:
    """An output file: a stream, or a partial file that a later run can resume."""

    def __init__(
        self,
        target: PathLike,
        fmt: Format,
        *,
        stream: TextIO | None = None,
        part: PartialFile | None = None,
        is_resumable: bool = False,
    ) -> None:
        self._target = target
        self._format = fmt
        self._stream = stream
        self.part = part
        self.is_resumable = is_resumable

    @property
    def n_bytes(self) -> int:
        """Size of the partial file."""
        return 0 if self.part is None else self.part.n_bytes

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Append and commit text."""
        if self._stream is not None:
            self._stream.write(text)
        elif self.part is not None:
            self.part.append(text, note)

    def finish(self, ranges: Iterable[tuple[int, int]] | None = None) -> None:
        """Rename the file, after converting it to its format if necessary.

        `ranges` puts its content in order, unless it is.
        """
        if self.part is None:
            return
        if ranges is not None:
            self.part.rearrange(ranges)
        name = os.fspath(self._target)
        is_ready = self._format.name in APPENDABLE
        if is_ready and not is_url(name) and not name.endswith((".gz", ".zst")):
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
    """Return the format to write in parts: JSON Lines if `fmt` itself cannot be appended to."""
    return fmt.name if fmt.name in APPENDABLE else "jsonl"
