"""Backups: the whole database as one SQLite file, whatever the database is."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, Table, func, insert, select

from geceval.errors import GecevalError
from geceval.serve.configuration import sqlite_url
from geceval.serve.database import Database, Record
from geceval.storage.atomic import PathLike

_ROWS = 200


def save_backup(database: Database, path: PathLike) -> int:
    """Copy all tables, at one moment, to a new file; return the number of rows.

    The file appears when it is complete.
    """
    target = Path(path)
    if target.exists():
        raise GecevalError(f"{target} exists already: give a new file")
    with tempfile.TemporaryDirectory(dir=target.absolute().parent, prefix=".backup-") as folder:
        unfinished = Path(folder) / "backup.db"
        copy = Database(sqlite_url(unfinished))
        isolation = (
            "SERIALIZABLE" if database.engine.dialect.name == "sqlite" else "REPEATABLE READ"
        )
        with database.engine.connect().execution_options(isolation_level=isolation) as source:
            count = _copy_all(source, copy)
        copy.close()
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(unfinished, target)
    return count


def restore_backup(path: PathLike, database: Database) -> int:
    """Copy a backup to an empty database; return the number of rows."""
    if not Path(path).is_file():
        raise GecevalError(f"{path}: there is no such backup")
    with database.reading() as session:
        tables = Record.metadata.sorted_tables
        if any(session.scalar(select(func.count()).select_from(table)) for table in tables):
            raise GecevalError("a backup is restored to an empty database only")
    backup = Database(sqlite_url(Path(path)))
    try:
        with backup.engine.connect() as source:
            return _copy_all(source, database)
    finally:
        backup.close()


def _copy_all(source: Connection, target: Database) -> int:
    count = 0
    with target.writing() as session:
        # Tables that others refer to come first.
        for table in Record.metadata.sorted_tables:
            for rows in _batches(source, table):
                session.execute(insert(table), rows)
                count += len(rows)
        if target.engine.dialect.name == "postgresql":
            _set_sequences(session.connection())
    return count


def _batches(source: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    found = source.execution_options(stream_results=True).execute(select(table))
    for rows in found.mappings().partitions(_ROWS):
        yield [dict(row) for row in rows]


def _set_sequences(connection: Connection) -> None:
    """Let PostgreSQL number new rows after the copied ones."""
    for table in Record.metadata.sorted_tables:
        column = table.autoincrement_column
        if column is not None:
            last = connection.scalar(select(func.max(column)))
            name = f"{table.name}_{column.name}_seq"
            if last is not None:
                connection.execute(select(func.setval(name, last)))
