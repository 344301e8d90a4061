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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from geceval.errors import GecevalError
from geceval.storage import strict_json
from geceval.storage.atomic import put_in_place

SCHEMA = 2

_BLOCK = 1 << 20


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
