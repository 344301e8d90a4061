"""A file that grows piece by piece, and can be continued where it stopped.

While it grows it is called ``NAME.part``. Beside it, ``NAME.part.json`` tells how much of it is
complete, by which checksum that is known again, and what it is made from. The file gets its name
when all of it is there.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self, TextIO

from geceval import strict_json
from geceval.errors import GecevalError
from geceval.formats import Format, PathLike, open_output, read_sentences, write_sentences
from geceval.formats.outputs import put_in_place

SCHEMA = 2

_BLOCK = 1 << 20

APPENDABLE = ("m2", "m2-char", "jsonl")
"""Formats of which one piece after the other can be written."""


class _OtherSchemaError(ValueError):
    """The state has a form that this version does not know."""


@dataclass(frozen=True, slots=True)
class _State:
    """How much of a part is complete, what it is made from, and what was noted with it."""

    made_from: dict[str, str]
    n_bytes: int
    checksum: str
    note: dict[str, Any] | None

    def written(self) -> bytes:
        """Return it as JSON, with a seal by which any change to it is noticed."""
        record = {
            "schema": SCHEMA,
            "made_from": self.made_from,
            "bytes": self.n_bytes,
            "checksum": self.checksum,
            "note": self.note,
        }
        return strict_json.dumps({**record, "seal": _seal(record)}).encode() + b"\n"

    @classmethod
    def read(cls, data: bytes) -> _State:
        """Read it.

        Raises
        ------
        ValueError
            When it is not what was written.
        """
        try:
            record = json.loads(data, parse_constant=_no_constant)
        except RecursionError:
            raise ValueError("brackets in brackets without end") from None
        if not isinstance(record, dict):
            raise ValueError("not a record")  # noqa: TRY004 - one kind of error for all
        if "schema" in record and record["schema"] != SCHEMA:
            raise _OtherSchemaError("of another version")
        if record.pop("seal", None) != _seal(record):
            raise ValueError("changed after it was written")
        made_from, note = record.get("made_from"), record.get("note")
        n_bytes, checksum = record.get("bytes"), record.get("checksum")
        if not (
            isinstance(made_from, dict)
            and all(isinstance(value, str) for value in made_from.values())
            and type(n_bytes) is int
            and n_bytes >= 0
            and isinstance(checksum, str)
            and (note is None or isinstance(note, dict))
        ):
            raise ValueError("not what a state is made of")
        return cls(made_from, n_bytes, checksum, note)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _seal(record: Mapping[str, Any]) -> str:
    digest = _new_digest()
    digest.update(strict_json.dumps(record).encode())
    return digest.hexdigest()


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=20)


def _how_far(state: _State) -> str:
    sentences = (state.note or {}).get("sentences")
    return f"{sentences:,} sentences" if type(sentences) is int else f"{state.n_bytes:,} bytes"


class PartError(GecevalError):
    """What an earlier run has left is in the way, or cannot be continued."""


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
        Whether to continue a part that is there already.
    restart
        Whether to replace it.

    Attributes
    ----------
    path
        The part.
    saved
        What was noted with the last complete piece; None where there is none.

    Raises
    ------
    PartError
        When there is a part already and neither `resume` nor `restart` says what to do with
        it; when it is made from something else, or has been changed or damaged since; or when
        it is being written by somebody else.
    """

    def __init__(
        self, target: Path, made_from: Mapping[str, str], *, resume: bool, restart: bool = False
    ) -> None:
        self.target = target.resolve()
        self.path = self.target.with_name(f"{self.target.name}.part")
        self._state = self.target.with_name(f"{self.target.name}.part.json")
        self._made_from = dict(made_from)
        self.saved: dict[str, Any] | None = None
        self._n_bytes = 0
        self._content = _new_digest()
        with self._clear_errors():
            # Without a buffer there is nothing left to be written when the disk is full.
            self._file = self.path.open("ab", buffering=0)
        try:
            with self._clear_errors():
                self._start(resume=resume, restart=restart)
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
            self._state.unlink(missing_ok=True)
        self._file.close()

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Add a piece, and note what is to be known when it is continued after it.

        Where the note has a number of ``sentences``, it tells people how far the run got.
        """
        with self._clear_errors():
            rest = data = text.encode()
            while rest:
                rest = rest[self._file.write(rest) :]
            # On the disk, before anything says that it is there.
            os.fsync(self._file.fileno())
            self._content.update(data)
            self._n_bytes += len(data)
            self.saved = dict(note)
            self._save()

    def publish(self) -> None:
        """Give the file its name."""
        with self._clear_errors():
            if self.target.exists():
                self.path.chmod(self.target.stat().st_mode & 0o777)
            put_in_place(self.path, self.target)
            self._state.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the part, because what was in it is elsewhere now."""
        with self._clear_errors():
            self.path.unlink()
            self._state.unlink(missing_ok=True)

    def damaged(self) -> PartError:
        """Return the error for a note that cannot be understood."""
        return self._no_way_on(f"{self._state} is damaged")

    def _start(self, *, resume: bool, restart: bool) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PartError(f"{self.path} is being written by another run") from None
        state = None if restart else self._read_state()
        if state is not None and resume:
            self._continue(state)
        elif state is not None and state.n_bytes:
            raise PartError(
                f"{self.path} holds what an earlier run has done ({_how_far(state)}): continue "
                "it with --resume, or begin anew with --restart"
            )
        self._file.truncate(self._n_bytes)
        self._save()

    def _read_state(self) -> _State | None:
        """Return what an earlier run has noted, or None where there was none."""
        if self._state.exists():
            try:
                return _State.read(self._state.read_bytes())
            except _OtherSchemaError:
                raise self._no_way_on("another version has written it") from None
            except ValueError:
                raise self.damaged() from None
        if self.path.stat().st_size:
            raise self._no_way_on(f"there is no {self._state.name} beside it that belongs to it")
        return None

    def _continue(self, state: _State) -> None:
        for name in state.made_from | self._made_from:
            before, now = state.made_from.get(name), self._made_from.get(name)
            if before != now:
                raise self._no_way_on(
                    f"{name} is not the same (it was {before}, now it is {now})",
                    "go back to the same input and settings, or ",
                )
        left = state.n_bytes
        with self.path.open("rb") as part:
            while left and (data := part.read(min(left, _BLOCK))):
                self._content.update(data)
                left -= len(data)
        if left:
            raise self._no_way_on("some of it is missing")
        if self._content.hexdigest() != state.checksum:
            raise self._no_way_on("it was changed after it was written")
        self._n_bytes, self.saved = state.n_bytes, state.note

    def _save(self) -> None:
        """Note how far the part is complete: at any moment there is a whole note."""
        state = _State(self._made_from, self._n_bytes, self._content.hexdigest(), self.saved)
        new = self._state.with_suffix(".new")
        new.write_bytes(state.written())
        put_in_place(new, self._state)

    def _no_way_on(self, reason: str, remedy: str = "") -> PartError:
        return PartError(
            f"{self.path} cannot be continued: {reason}; {remedy}begin anew with --restart"
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

    def damaged(self) -> GecevalError:
        """Return the error for what was saved and cannot be understood."""
        ...

    def finish(self) -> None:
        """Say that it was the last."""
        ...


@contextmanager
def open_growing(
    target: PathLike,
    fmt: Format,
    made_from: Mapping[str, str],
    *,
    resume: bool,
    restart: bool = False,
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
        yield _File(part, target, fmt)


class _Stream:
    """A pipe, or standard output."""

    def __init__(self, out: TextIO) -> None:
        self.saved: dict[str, Any] | None = None
        self._out = out

    def append(self, text: str, note: Mapping[str, Any]) -> None:  # noqa: ARG002
        self._out.write(text)

    def damaged(self) -> GecevalError:
        return GecevalError("a stream has nothing saved")

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
