"""Files that people send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import HTTPException, UploadFile
from sqlalchemy.orm import Session

from geceval.serve.configuration import ServerLimits
from geceval.serve.database.blobs import store

_MAX_NAME = 200


async def read_files(files: Sequence[UploadFile], limits: ServerLimits) -> list[tuple[str, bytes]]:
    """Return names and contents of uploaded files; names are for display only."""
    if len(files) > limits.files:
        raise HTTPException(413, f"{len(files)} files, more than the {limits.files} allowed")
    found = []
    for file in files:
        content = await file.read()
        name = shown_name(file.filename)
        if not content:
            raise HTTPException(422, f"the file {name} is empty")
        found.append((name, content))
    return found


def shown_name(name: str | None) -> str:
    r"""Return the last part of a file name, as far as it can be printed.

    Examples
    --------
    >>> shown_name("C:\\data\\gold.m2"), shown_name("a\nb"), shown_name(None)
    ('gold.m2', 'a b', 'file')
    """
    base = (name or "").replace("\\", "/").rpartition("/")[2]
    printable = "".join(char if char.isprintable() else " " for char in base).strip()
    return printable[:_MAX_NAME] or "file"


def store_files(session: Session, files: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
    """Store files, and return their names and checksums."""
    return [{"name": name, "sha256": store(session, content)} for name, content in files]


def system_names(files: Sequence[tuple[str, bytes]]) -> list[str]:
    """Name systems after their files, each by a name of its own.

    Examples
    --------
    >>> system_names([("ours.txt", b""), ("ours.m2", b""), ("a.b.txt.gz", b"")])
    ['ours', 'ours-2', 'a.b']
    """
    names: list[str] = []
    for name, _ in files:
        stem = name
        for ending in (".gz", ".zst", ".txt", ".m2", ".tsv", ".jsonl"):
            stem = stem.removesuffix(ending) or stem
        unique, number = stem, 1
        while unique in names:
            number += 1
            unique = f"{stem}-{number}"
        names.append(unique)
    return names
