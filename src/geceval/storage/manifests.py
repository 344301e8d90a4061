"""Manifests of part files: what a part is made from, which part it is, and its checksum."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

import msgspec

from geceval.errors import GecevalError, os_reason
from geceval.storage.atomic import PathLike, write_bytes
from geceval.storage.resumable import contrast, decoded, differing, sealed, unsealed
from geceval.storage.urls import file_exists, open_binary, remove_file, shown_name

SCHEMA = 1

SUFFIX = ".manifest.json"

Kind: TypeAlias = Literal["annotations", "statistics"]

_BLOCK = 1 << 20
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class PartFileError(GecevalError):
    """A part file is missing, damaged, or does not belong to the others."""


class InputIdentity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Name, size and hash of an input file; only the name may differ between parts."""

    name: str
    size: _Count
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known about a part file.

    Parameters
    ----------
    kind
        What the part holds.
    shard, shards
        Number of the part, from 1, and how many there are.
    first, sentences, total
        Number of its first sentence, from 0, of its sentences, and of those of all parts.
    inputs
        The input files, which all parts have in common.
    settings
        Everything else that determines the content, by a description for messages.
    size, sha256
        Size and hash of the part file.
    counts
        Counts of its content.
    """

    kind: Kind
    shard: _Count
    shards: _Count
    first: _Count
    sentences: _Count
    total: _Count
    inputs: tuple[InputIdentity, ...]
    settings: dict[str, str]
    size: _Count
    sha256: str
    counts: dict[str, Any]
    format: Literal["geceval-part"] = "geceval-part"
    schema: int = SCHEMA

    @classmethod
    def read(cls, part: PathLike) -> Self:
        """Read the manifest beside a part file."""
        path = _manifest_name(part)
        try:
            with open_binary(path) as file:
                data = file.read()
        except FileNotFoundError:
            why = "there is no such file"
            if file_exists(part):
                why = f"there is no {Path(shown_name(path)).name} beside it"
            raise PartFileError(
                f"{shown_name(part)}: {why}, so it is not a finished part; run its shard again"
            ) from None
        except OSError as error:
            raise PartFileError(
                f"{shown_name(path)}: cannot be read: {os_reason(error)}"
            ) from error
        try:
            record = decoded(data)
            if record.get("schema", SCHEMA) != SCHEMA:
                raise PartFileError(f"{shown_name(path)}: another version has written it")
            return msgspec.convert(unsealed(record), type=cls)
        except ValueError:
            raise PartFileError(f"{shown_name(path)} is damaged; run the shard again") from None

    def write(self, part: PathLike) -> None:
        """Write the manifest beside a part file."""
        record = {"format": self.format, "schema": self.schema, **msgspec.to_builtins(self)}
        write_bytes(_manifest_name(part), sealed(record))

    @property
    def name(self) -> str:
        """The shard, as ``3/8``."""
        return f"{self.shard}/{self.shards}"

    def differences(self, other: Manifest) -> list[str]:
        """Return what differs in the inputs and settings of two parts of one output."""
        mine, others = ([(one.size, one.sha256) for one in part.inputs] for part in (self, other))
        found = [
            f"{one} ({contrast(self.settings.get(one, ''), other.settings.get(one, ''))})"
            for one in differing(self.settings, other.settings)
        ]
        if self.kind != other.kind:
            found.append("what they hold")
        if self.shards != other.shards:
            found.append("the number of shards")
        if mine != others or self.total != other.total:
            found.append("the input files")
        return found

    def blocks(self, part: PathLike) -> Iterator[bytes]:
        """Read a part file; raise an error at its end if it is not what was written."""
        digest, size = hashlib.sha256(), 0
        try:
            with open_binary(part) as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
                    size += len(block)
                    yield block
        except OSError as error:
            raise PartFileError(
                f"{shown_name(part)}: cannot be read: {os_reason(error)}"
            ) from error
        if (size, digest.hexdigest()) != (self.size, self.sha256):
            raise PartFileError(
                f"{shown_name(part)} was changed or damaged after it was written: its checksum is "
                f"not that of its manifest; run the shard {self.name} again"
            )

    @property
    def n_blocks(self) -> int:
        """How many blocks the part file has."""
        return -(-self.size // _BLOCK)

    def verify(self, part: PathLike) -> None:
        """Raise an error if a part file is not what was written."""
        deque(self.blocks(part), maxlen=0)


def manifest_path(part: PathLike) -> Path:
    """Return the path of the manifest of a local part file."""
    return Path(_manifest_name(part))


def _manifest_name(part: PathLike) -> str:
    return f"{os.fspath(part)}{SUFFIX}"


def has_manifest(part: PathLike) -> bool:
    """Whether there is a manifest of a part file, valid or not."""
    return file_exists(_manifest_name(part))


def remove_manifest(part: PathLike) -> None:
    """Remove the manifest of an older part file, before another one gets its name."""
    remove_file(_manifest_name(part))


def hash_file(path: PathLike) -> tuple[int, str]:
    """Return the size and the hash of a file."""
    with open_binary(path) as file:
        digest, size = hashlib.sha256(), 0
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


def in_order(parts: Sequence[PathLike]) -> list[tuple[PathLike, Manifest]]:
    """Read the manifests of all parts of one output, and put the parts in order.

    Raises
    ------
    PartFileError
        If a part is missing, doubled or damaged, or was made from other inputs or settings.
    """
    found: dict[int, tuple[PathLike, Manifest]] = {}
    for part in parts:
        manifest = Manifest.read(part)
        first_part, first = next(iter(found.values()), (part, manifest))
        if differences := manifest.differences(first):
            raise PartFileError(
                f"{shown_name(part)} does not belong to {shown_name(first_part)}, because they "
                f"differ in {' and in '.join(differences)}"
            )
        if manifest.shard in found:
            raise PartFileError(
                f"{shown_name(part)} and {shown_name(found[manifest.shard][0])} are both the shard "
                f"{manifest.name}; give one of them"
            )
        found[manifest.shard] = part, manifest
    if not found:
        raise PartFileError("there are no parts to merge")
    listed = [found[number] for number in sorted(found)]
    _check_complete([manifest for _, manifest in listed])
    return listed


def _check_complete(manifests: Sequence[Manifest]) -> None:
    n_shards = manifests[0].shards
    have = {one.shard for one in manifests}
    if missing := [number for number in range(1, n_shards + 1) if number not in have]:
        raise PartFileError(
            f"{len(missing):,} of {n_shards:,} shards are missing: {_listing(missing)}; if they "
            "are finished, give their parts, too"
        )
    position = 0
    for one in manifests:
        if one.first != position:
            raise PartFileError(
                f"the shard {one.name} begins at sentence {one.first + 1:,}, but the one before "
                f"it ends at {position:,}; run both again"
            )
        position += one.sentences
    if position != manifests[0].total:
        raise PartFileError(
            f"the shards have {position:,} sentences, but the input has {manifests[0].total:,}"
        )


def _listing(numbers: Sequence[int], limit: int = 20) -> str:
    shown = ", ".join(map(str, numbers[:limit]))
    return shown if len(numbers) <= limit else f"{shown}, …"


def identities(inputs: Sequence[Mapping[str, str | int]]) -> tuple[InputIdentity, ...]:
    """Convert descriptions of input files."""
    return tuple(msgspec.convert(dict(one), type=InputIdentity) for one in inputs)
