"""Files that are written piece by piece, and can be resumed where they stopped.

While a file is incomplete it is called ``NAME.part``. Beside it, ``NAME.part.json`` records how
much of it is committed, the checksum of that, and what the file is made from. The file gets its
name when it is complete.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self

import msgspec

from geceval.errors import GecevalError, os_reason
from geceval.storage import strict_json
from geceval.storage.atomic import put_in_place

SCHEMA = 3

_BLOCK = 1 << 20


class PartError(GecevalError):
    """An earlier run has left something that is in the way or cannot be resumed."""


class AppendedFile:
    """A file that one process at a time appends to.

    Parameters
    ----------
    path
        The file; created where it does not exist.

    Raises
    ------
    PartError
        When another process is writing the file.
    """

    def __init__(self, path: Path) -> None:
        # Without a buffer there is nothing left to be written when the disk is full.
        self.stream = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.stream.close()
            raise PartError(f"{path} is being written by another run") from None
        except BaseException:
            self.stream.close()
            raise

    def append(self, data: bytes) -> None:
        """Append bytes; they are on the disk when it returns."""
        rest = data
        while rest:
            rest = rest[self.stream.write(rest) :]
        os.fsync(self.stream.fileno())


def sealed(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line of JSON, with a seal by which any change to it is noticed."""
    return strict_json.dumps({**record, "seal": _seal(record)}).encode() + b"\n"


def decoded(data: bytes) -> dict[str, Any]:
    """Read a record that `sealed` has written, without checking its seal.

    Raises
    ------
    ValueError
        When it is not one.
    """
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error


def unsealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Check the seal of a record, and return the record without it.

    Raises
    ------
    ValueError
        When the record was changed.
    """
    content = {name: value for name, value in record.items() if name != "seal"}
    if record.get("seal") != _seal(content):
        raise ValueError("it was changed after it was written")
    return content


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the names of everything that a file was made from and that has changed."""
    return [name for name in {**before, **now} if before.get(name) != now.get(name)]


def _seal(record: Mapping[str, Any]) -> str:
    digest = _new_digest()
    digest.update(strict_json.dumps(record).encode())
    return digest.hexdigest()


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=20)


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """How much of a file is committed, what it is made from, and what was noted with it."""

    schema: int
    made_from: dict[str, str]
    bytes: Annotated[int, msgspec.Meta(ge=0)]
    checksum: str
    note: dict[str, Any] | None

    @property
    def progress(self) -> str:
        """How far the run got."""
        sentences = (self.note or {}).get("sentences")
        return f"{sentences:,} sentences" if type(sentences) is int else f"{self.bytes:,} bytes"


class PartialFile:
    """The committed part of a file.

    When the block ends, the part stays if anything was appended to it, unless it was published.

    Parameters
    ----------
    target
        What the file will be called.
    made_from
        Everything that the content of the file depends on; only a part that is made from the
        same is resumed.
    resume
        Whether to resume a part that exists.
    restart
        Whether to replace it.

    Attributes
    ----------
    path
        The part.
    saved
        The note of the last commit; None where there is none.

    Raises
    ------
    PartError
        When there is a part already and neither `resume` nor `restart` is set; when it is made
        from something else, or has been changed or damaged since; or when another process is
        writing it.
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
            self._file = AppendedFile(self.path)
        try:
            with self._clear_errors():
                self._start(resume=resume, restart=restart)
        except BaseException:
            self._file.stream.close()
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
        self._file.stream.close()

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Append and commit text, with a note for whoever resumes after it.

        The number of ``sentences`` in the note, if any, tells people how far the run got.
        """
        with self._clear_errors():
            data = text.encode()
            self._file.append(data)
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
        """Remove the part, whose content is elsewhere now."""
        with self._clear_errors():
            self.path.unlink()
            self._state.unlink(missing_ok=True)

    def damaged(self) -> PartError:
        """Return the error for a note that is not valid."""
        return self.not_resumable(f"{self._state} is damaged")

    def _start(self, *, resume: bool, restart: bool) -> None:
        state = None if restart else self._read_state()
        if state is not None and resume:
            self._resume(state)
        elif state is not None and state.bytes:
            raise PartError(
                f"{self.path} holds what an earlier run has done ({state.progress}): continue "
                "it with --resume, or begin anew with --restart"
            )
        self._file.stream.truncate(self._n_bytes)
        self._save()

    def _read_state(self) -> _State | None:
        """Return the state that an earlier run has saved, or None where there was none."""
        if self._state.exists():
            try:
                record = decoded(self._state.read_bytes())
                if record.get("schema", SCHEMA) != SCHEMA:
                    raise self.not_resumable("another version has written it")
                return msgspec.convert(unsealed(record), type=_State)
            except ValueError:
                raise self.damaged() from None
        if self.path.stat().st_size:
            raise self.not_resumable(f"there is no {self._state.name} beside it that belongs to it")
        return None

    def _resume(self, state: _State) -> None:
        for name in differing(state.made_from, self._made_from):
            raise self.changed(name, state.made_from.get(name), self._made_from.get(name))
        left = state.bytes
        with self.path.open("rb") as part:
            while left and (data := part.read(min(left, _BLOCK))):
                self._content.update(data)
                left -= len(data)
        if left:
            raise self.not_resumable("some of it is missing")
        if self._content.hexdigest() != state.checksum:
            raise self.not_resumable("it was changed after it was written")
        self._n_bytes, self.saved = state.bytes, state.note

    def _save(self) -> None:
        """Save how much is committed; at any moment there is a whole state."""
        checksum = self._content.hexdigest()
        state = _State(SCHEMA, self._made_from, self._n_bytes, checksum, self.saved)
        new = self._state.with_suffix(".new")
        new.write_bytes(sealed(msgspec.to_builtins(state)))
        put_in_place(new, self._state)

    def changed(self, what: str, before: object, now: object) -> PartError:
        """Return the error for something that the file was made from and that has changed."""
        return self.not_resumable(
            f"{what} is not the same (it was {before}, now it is {now})",
            "go back to the same input and settings, or ",
        )

    def not_resumable(self, reason: str, remedy: str = "") -> PartError:
        """Return the error for a part that cannot be resumed."""
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
            raise GecevalError(f"{self.target}: cannot be written: {os_reason(error)}") from error
