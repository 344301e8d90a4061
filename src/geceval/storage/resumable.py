"""Resumable files, written in parts.

An incomplete file is called ``NAME.part``. ``NAME.part.json`` records its committed size and
checksum, and what the file is made from. The file is renamed when it is complete.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Annotated, Any, Self

import msgspec

from geceval.errors import GecevalError
from geceval.storage import strict_json
from geceval.storage.atomic import put_in_place, write_errors

SCHEMA = 4

_BLOCK = 1 << 20


class PartError(GecevalError):
    """The output of an interrupted run exists or cannot be resumed."""


class AppendedFile:
    """A file to append to, locked for one process; a second one raises a `PartError`."""

    def __init__(self, path: Path) -> None:
        # Unbuffered, so that closing the file cannot fail when the disk is full.
        self.stream = path.open("a+b", buffering=0)
        try:
            fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.stream.close()
            if isinstance(error, BlockingIOError):
                raise PartError(f"{path} is being written by another run") from None
            raise

    def append(self, data: bytes) -> None:
        """Append bytes and flush them to disk."""
        rest = data
        while rest:
            rest = rest[self.stream.write(rest) :]
        os.fsync(self.stream.fileno())


def sealed(record: Mapping[str, Any]) -> bytes:
    """Serialize a record as a line of JSON with a checksum, its seal."""
    return strict_json.dumps({**record, "seal": _seal(record)}).encode() + b"\n"


def decoded(data: bytes) -> dict[str, Any]:
    """Parse the output of `sealed`; raise a `ValueError` if it is not valid JSON."""
    try:
        return msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error


def unsealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without its seal; raise a `ValueError` if the seal does not match."""
    content = {name: value for name, value in record.items() if name != "seal"}
    if record.get("seal") != _seal(content):
        raise ValueError("it was changed after it was written")
    return content


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the keys whose values differ."""
    return [name for name in {**before, **now} if before.get(name) != now.get(name)]


def contrast(one: str, other: str) -> str:
    """Return what differs between two signatures.

    Examples
    --------
    >>> contrast("lang:en|merge:rules", "lang:plain|merge:rules")
    'lang:en and lang:plain'
    """
    parts = one.split("|"), other.split("|")
    own = (
        "|".join(part for part in mine if part not in others) or "nothing"
        for mine, others in (parts, parts[::-1])
    )
    return " and ".join(own)


def _seal(record: Mapping[str, Any]) -> str:
    digest = _new_digest()
    digest.update(strict_json.dumps(record).encode())
    return digest.hexdigest()


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=20)


class _State(msgspec.Struct, forbid_unknown_fields=True):
    """State of a partial file: its committed size and checksum, origin, and a note."""

    schema: int
    made_from: dict[str, str]
    bytes: Annotated[int, msgspec.Meta(ge=0)]
    checksum: str
    note: dict[str, Any] | None

    @property
    def progress(self) -> str:
        """Progress of the interrupted run."""
        sentences = (self.note or {}).get("sentences")
        return f"{sentences:,} sentences" if type(sentences) is int else f"{self.bytes:,} bytes"


def is_interrupted(target: Path) -> bool:
    """Whether a run has begun to write a file, and has not finished or discarded it."""
    return _state_path(target.resolve()).exists()


def _state_path(target: Path) -> Path:
    return target.with_name(f"{target.name}.part.json")


class PartialFile:
    """An incomplete file, which remains on disk if anything was appended to it.

    Parameters
    ----------
    target
        Name of the complete file.
    made_from
        Everything that determines the content of the file; to resume, it must be the same.
    resume
        Whether to resume an existing partial file.
    restart
        Whether to replace an existing partial file.

    Attributes
    ----------
    path
        The partial file, or its content in another order (`rearrange`).
    saved
        Note of the last commit, if any.
    n_bytes
        Size of what is committed.

    Raises
    ------
    PartError
        If there is a partial file and neither `resume` nor `restart` is set; if it was made from
        something else, changed or damaged; or if another process is writing it.
    """

    def __init__(
        self, target: Path, made_from: Mapping[str, str], *, resume: bool, restart: bool = False
    ) -> None:
        self.target = target.resolve()
        self.path = self._part = self.target.with_name(f"{self.target.name}.part")
        self._state = _state_path(self.target)
        self._rearranged = self.target.with_name(f"{self.target.name}.part.ordered")
        self._made_from = dict(made_from)
        self.saved: dict[str, Any] | None = None
        self.n_bytes = 0
        self._content = _new_digest()
        with write_errors(self.target):
            self._file = AppendedFile(self.path)
            try:
                self._start(resume=resume, restart=restart)
            except BaseException:
                self._file.stream.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.saved is None:
            self._remove()
        self._file.stream.close()

    def append(self, text: str, note: Mapping[str, Any]) -> None:
        """Append and commit text, with a note for a resumed run.

        The number of ``sentences`` in the note, if any, is shown as progress.
        """
        with write_errors(self.target):
            data = text.encode()
            self._file.append(data)
            self._content.update(data)
            self.n_bytes += len(data)
            self.saved = dict(note)
            self._save()

    def rearrange(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Copy ranges of bytes, in this order, to the file that will be published.

        If this run ends before, the next one continues from the partial file itself.
        """
        try:
            with (
                write_errors(self.target),
                self._part.open("rb") as part,
                self._rearranged.open("wb") as out,
            ):
                for start, end in ranges:
                    part.seek(start)
                    for data in self._blocks(part, end - start):
                        out.write(data)
        except BaseException:
            self._rearranged.unlink(missing_ok=True)
            raise
        self.path = self._rearranged

    def publish(self) -> None:
        """Rename the complete file."""
        with write_errors(self.target):
            if self.target.exists():
                self.path.chmod(self.target.stat().st_mode & 0o777)
            put_in_place(self.path, self.target)
            self._remove()

    def discard(self) -> None:
        """Remove the partial file."""
        with write_errors(self.target):
            self._remove()

    def _remove(self) -> None:
        for path in (self._rearranged, self._part, self._state):
            path.unlink(missing_ok=True)

    def damaged(self) -> PartError:
        """Return the error for an invalid note."""
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
        self._file.stream.truncate(self.n_bytes)
        self._save()

    def _read_state(self) -> _State | None:
        """Return the state saved by an interrupted run, if any."""
        if self._state.exists():
            try:
                record = decoded(self._state.read_bytes())
                if record.get("schema", SCHEMA) != SCHEMA:
                    raise self.not_resumable("another version has written it")
                state = msgspec.convert(unsealed(record), type=_State)
            except ValueError:
                raise self.damaged() from None
            return None if self._was_published(state) else state
        if self.path.stat().st_size:
            raise self.not_resumable(f"there is no {self._state.name} beside it that belongs to it")
        return None

    def _was_published(self, state: _State) -> bool:
        """Whether a run was killed after it had renamed the file, with its state left behind."""
        is_empty = state.bytes > 0 and not self.path.stat().st_size
        return is_empty and self.target.exists() and self.target.stat().st_size == state.bytes

    def _resume(self, state: _State) -> None:
        for name in differing(state.made_from, self._made_from):
            raise self.changed(name, state.made_from.get(name), self._made_from.get(name))
        with self.path.open("rb") as part:
            for data in self._blocks(part, state.bytes):
                self._content.update(data)
        if self._content.hexdigest() != state.checksum:
            raise self.not_resumable("it was changed after it was written")
        self.n_bytes, self.saved = state.bytes, state.note

    def _blocks(self, part: IO[bytes], size: int) -> Iterator[bytes]:
        """Read so many bytes, in blocks."""
        while size:
            if not (data := part.read(min(size, _BLOCK))):
                raise self.not_resumable("some of it is missing")
            yield data
            size -= len(data)

    def _save(self) -> None:
        """Save the state atomically."""
        checksum = self._content.hexdigest()
        state = _State(SCHEMA, self._made_from, self.n_bytes, checksum, self.saved)
        new = self._state.with_suffix(".new")
        # A fixed name, so that what a killed run leaves is replaced by the next one.
        try:
            new.write_bytes(sealed(msgspec.to_builtins(state)))
            put_in_place(new, self._state)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    def changed(self, what: str, before: object, now: object) -> PartError:
        """Return the error for a changed input or setting."""
        return self.not_resumable(
            f"{what} is not the same (it was {before}, now it is {now})",
            "go back to the same input and settings, or ",
        )

    def not_resumable(self, reason: str, remedy: str = "") -> PartError:
        """Return the error for a partial file that cannot be resumed."""
        return PartError(
            f"{self.path} cannot be continued: {reason}; {remedy}begin anew with --restart"
        )
