"""A file that grows piece by piece, and can be continued where it stopped.

While it grows it is called ``NAME.part``. Beside it, ``NAME.part.json`` tells how much of it is
complete and what it is made from. The file gets its name when all of it is there.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

from geceval import strict_json
from geceval.errors import GecevalError
from geceval.formats import Format, PathLike, open_output, read_sentences, write_sentences

SCHEMA = 1

APPENDABLE = ("m2", "m2-char", "jsonl")
"""Formats of which one piece after the other can be written."""


class PartialFile:
    """The part of a file that is complete so far.

    When the block ends, the part is kept if anything was added to it, unless it was
    published.

    Parameters
    ----------
    target
        What the file will be called.
    made_from
        Everything that decides what is in the file; only a part that is made from the same
        is continued.
    resume
        Whether to continue a part that is there already; otherwise it is replaced.

    Attributes
    ----------
    path
        The part.
    saved
        What was noted with the last complete piece; None where there is none.

    Raises
    ------
    GecevalError
        When the part that is there is made from something else, is damaged, or is being
        written by somebody else.
    """

    def __init__(self, target: Path, made_from: Mapping[str, str], *, resume: bool) -> None:
        self.target = target.resolve()
        self.path = self.target.with_name(f"{self.target.name}.part")
        self._state = self.target.with_name(f"{self.target.name}.part.json")
        self._made_from = dict(made_from)
        self.saved: dict[str, Any] | None = None
        self._n_bytes = 0
        with self._clear_errors():
            # Without a buffer there is nothing left to be written when the disk is full.
            self._file = self.path.open("ab", buffering=0)
        try:
            with self._clear_errors():
                self._start(resume=resume)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.saved is None:
            self.path.unlink(missing_ok=True)
        self._file.close()

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Add a piece, and note what is to be known when it is continued after it."""
        with self._clear_errors():
            rest = data = text.encode()
            while rest:
                rest = rest[self._file.write(rest) :]
            self._n_bytes += len(data)
            self.saved = dict(note)
            self._save()

    def publish(self) -> None:
        """Give the file its name."""
        with self._clear_errors():
            os.fsync(self._file.fileno())
            if self.target.exists():
                self.path.chmod(self.target.stat().st_mode & 0o777)
            self.path.replace(self.target)
            self._state.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the part, because what was in it is elsewhere now."""
        with self._clear_errors():
            self.path.unlink()
            self._state.unlink(missing_ok=True)

    def _start(self, *, resume: bool) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GecevalError(f"{self.path} is being written by another run") from None
        if resume and self._state.exists():
            self._continue()
        else:
            self._state.unlink(missing_ok=True)
        self._file.truncate(self._n_bytes)

    def _continue(self) -> None:
        try:
            state = json.loads(self._state.read_text(encoding="utf-8"))
            schema, made_from, n_bytes = state["schema"], state["made_from"], state["bytes"]
            saved = state["note"]
        except (ValueError, TypeError, KeyError):
            raise self._no_way_on(f"{self._state} is damaged") from None
        if schema != SCHEMA:
            raise self._no_way_on("another version has written it")
        for name in made_from | self._made_from:
            before, now = made_from.get(name), self._made_from.get(name)
            if before != now:
                raise self._no_way_on(f"{name} is not the same (it was {before}, now it is {now})")
        if self.path.stat().st_size < n_bytes:
            raise self._no_way_on("some of it is missing")
        self._n_bytes, self.saved = n_bytes, saved

    def _save(self) -> None:
        state = {
            "schema": SCHEMA,
            "made_from": self._made_from,
            "bytes": self._n_bytes,
            "note": self.saved,
        }
        # Written aside and renamed: at any moment there is a whole one.
        new = self._state.with_suffix(".new")
        new.write_text(strict_json.dumps(state) + "\n", encoding="utf-8")
        new.replace(self._state)

    def _no_way_on(self, reason: str) -> GecevalError:
        return GecevalError(
            f"{self.path} cannot be continued: {reason}; start anew without resuming, or go "
            "back to the same input and settings"
        )

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            letter = error.object[error.start]
            message = f"{self.target}: half a character, {letter!r}, cannot be written"
            raise GecevalError(message) from error
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise GecevalError(f"{self.target}: cannot be written: {reason}") from error


class Output(Protocol):
    """A file that grows."""

    saved: dict[str, Any] | None

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Add a piece."""
        ...

    def finish(self) -> None:
        """Say that it was the last."""
        ...


@contextmanager
def open_growing(
    target: PathLike, fmt: Format, made_from: Mapping[str, str], *, resume: bool
) -> Iterator[Output]:
    """Open a file that grows piece by piece.

    It appears under its name when `Output.finish` is called; what cannot be renamed (standard
    output, a pipe, a device) is written at once.

    Parameters
    ----------
    target
        What the file will be called.
    fmt
        The format of the file; the pieces are of its `staged_format`.
    made_from, resume
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
        part = stack.enter_context(PartialFile(path, made_from, resume=resume))
        yield _File(part, target, fmt)


class _Stream:
    """A pipe, or standard output."""

    def __init__(self, out: TextIO) -> None:
        self.saved: dict[str, Any] | None = None
        self._out = out

    def append(self, text: str, note: Mapping[str, Any]) -> None:  # noqa: ARG002
        self._out.write(text)

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

    def finish(self) -> None:
        """Give the file its name, or make it what it is to be."""
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
    """Name the format in which pieces are written before all of the file can be."""
    return fmt.name if fmt.name in APPENDABLE else "jsonl"
