"""The database of the server: SQLite by default, PostgreSQL by its URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.orm import Session

from geceval.errors import GecevalError
from geceval.serve.database.orm import Record

HEAD = "0001"
"""Version of the schema that this version of geceval needs."""

_WRITES = "geceval_writes"
_BUSY_SECONDS = 30


class Database:
    """A database with the current schema.

    Parameters
    ----------
    url
        URL of the database, e.g. ``"sqlite:///board.db"`` or ``"postgresql+pg8000://…"``.

    Raises
    ------
    GecevalError
        If it cannot be opened, or belongs to another version of geceval.
    """

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        try:
            self._upgrade()
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).splitlines()[0]
            shown = self.engine.url.render_as_string(hide_password=True)
            raise GecevalError(f"the database {shown} cannot be used: {reason}") from error

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session for queries."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction; it is committed at the end of the block, or rolled back."""
        writer = self.engine.execution_options(**{_WRITES: True})
        with Session(writer, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _upgrade(self) -> None:
        """Create the tables, or migrate those of an earlier version."""
        with self.engine.connect() as connection:
            version = (
                connection.scalar(text("SELECT version_num FROM alembic_version"))
                if inspect(connection).has_table("alembic_version")
                else None
            )
        if version != HEAD:
            migrate(self.engine)


def migrate(engine: Engine) -> None:
    """Bring the tables of a database to the current version."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", "geceval.serve.database:migrations")
    with engine.execution_options(**{_WRITES: True}).begin() as connection:
        if engine.dialect.name == "postgresql":
            # Two servers may start at the same time.
            connection.execute(text("SELECT pg_advisory_xact_lock(7226301)"))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise GecevalError(
                f"the database belongs to another version of geceval ({error}): upgrade geceval"
            ) from error


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        options: dict[str, Any] = {"pool_pre_ping": True}
        if parsed.get_backend_name() == "sqlite":
            options = {"connect_args": {"timeout": _BUSY_SECONDS, "check_same_thread": False}}
        engine = create_engine(parsed, **options)
    except (ArgumentError, NoSuchModuleError) as error:
        raise GecevalError(
            "a database is named by a URL such as sqlite:///board.db or "
            "postgresql+pg8000://user@host/name"
        ) from error
    except ModuleNotFoundError as error:
        raise GecevalError(f"this database needs a driver: pip install {error.name}") from error
    if engine.dialect.name == "sqlite":
        _configure_sqlite(engine)
    return engine


def _configure_sqlite(engine: Engine) -> None:
    """Let readers and one writer work at the same time, and make transactions explicit."""

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _: Any) -> None:
        # The driver would begin transactions too late for a lock.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA foreign_keys=ON")
        # Nothing that was confirmed may be lost, not even by a power failure.
        connection.execute("PRAGMA synchronous=FULL")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        # A writer that begins as a reader fails if another one wrote in between.
        is_writer = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writer else "BEGIN")


__all__ = ["HEAD", "Database", "Record", "migrate"]
