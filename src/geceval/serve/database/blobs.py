"""Contents of files in the database."""

from __future__ import annotations

import hashlib

import zstandard
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from geceval.errors import GecevalError
from geceval.serve.database.orm import Blob


def store(session: Session, content: bytes) -> str:
    """Store content, unless it is there, and return its checksum."""
    digest = hashlib.sha256(content).hexdigest()
    if session.scalar(select(Blob.sha256).where(Blob.sha256 == digest)) is None:
        packed = zstandard.compress(content)
        try:
            with session.begin_nested():
                session.add(Blob(sha256=digest, size=len(content), content=packed))
        except IntegrityError:
            # Another server has stored the same content in the meantime.
            pass
    return digest


def fetch(session: Session, digest: str) -> bytes:
    """Return content by its checksum, which is verified."""
    row = session.execute(
        select(Blob.content, Blob.size).where(Blob.sha256 == digest)
    ).one_or_none()
    if row is None:
        raise GecevalError(f"the database has no file with the checksum {digest}")
    content = zstandard.decompress(row.content, max_output_size=row.size or 1)
    if hashlib.sha256(content).hexdigest() != digest:
        raise GecevalError(f"the file with the checksum {digest} is damaged in the database")
    return content
