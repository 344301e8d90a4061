"""Killed workers and servers, two servers, backups: nothing lost, nothing scored twice."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import func, select, update

from geceval.errors import GecevalError
from geceval.serve.api_client import ServerClient, ServerError
from geceval.serve.configuration import sqlite_url
from geceval.serve.database import Database, Record
from geceval.serve.database.backup import restore_backup, save_backup
from geceval.serve.database.orm import Job, SubmissionScore, now
from geceval.serve.jobs.queue import MAX_ATTEMPTS, JobQueue, add, cancel
from postgresql import running_postgresql
from serving import (
    FAIR,
    GOLD,
    GOOD,
    METRICS,
    NONE,
    RunningServer,
    new_database,
    running_server,
    until,
    write,
)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    with running_postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of either kind."""
    if request.param == "sqlite":
        yield new_database(tmp_path)
        return
    url: str = request.getfixturevalue("postgresql")
    yield url
    database = Database(url)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    database.close()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    found = Database(database_url)
    yield found
    found.close()


def prepared(server: RunningServer, folder: Path) -> ServerClient:
    """Create a task of many sentences, so that a job takes a moment."""
    client = server.client()
    client.create_task("task", write(folder, "gold.m2", GOLD * 50), [*METRICS, "imeasure"])
    return client


def count_scores(url: str) -> int:
    database = Database(url)
    with database.reading() as session:
        count = session.scalar(select(func.count()).select_from(SubmissionScore)) or 0
    database.close()
    return count


def test_migrations_make_the_tables_of_the_code(database: Database) -> None:
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Record.metadata) == []


def test_a_killed_worker_is_replaced(database_url: str, tmp_path: Path) -> None:
    with running_server(database_url) as server, prepared(server, tmp_path) as client:
        made = client.submit("task", write(tmp_path, "x.txt", FAIR * 50), system="x")
        until(server.workers)
        for worker in server.workers():
            os.kill(worker, signal.SIGKILL)
        client.wait(made.job)
        assert len(client.board("task").entries) == 1
    assert count_scores(database_url) == 3


def test_a_killed_server_loses_nothing(database_url: str, tmp_path: Path) -> None:
    outputs = [write(tmp_path, f"{n}.txt", text * 50) for n, text in enumerate((GOOD, FAIR, NONE))]
    # Until its leases expire, nobody else takes what a killed server worked on.
    with (
        running_server(database_url, lease_seconds=5) as server,
        prepared(server, tmp_path) as client,
    ):
        made = [client.submit("task", path, system=path.stem) for path in outputs]
        until(server.workers)
        workers = server.workers()
        server.kill()
        # Workers end with their server.
        until(lambda: not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers))
    with running_server(database_url) as server, server.client() as client:
        for one in made:
            client.wait(one.job, seconds=120)
        assert sorted(entry.name for entry in client.board("task").entries) == ["0", "1", "2"]
    assert count_scores(database_url) == 9


def test_a_stopped_server_returns_its_job(tmp_path: Path) -> None:
    url = new_database(tmp_path)
    with running_server(url) as server, prepared(server, tmp_path) as client:
        made = client.submit("task", write(tmp_path, "x.txt", FAIR * 50), system="x")
        until(server.workers)
        server.stop()
    database = Database(url)
    with database.reading() as session:
        job = session.get_one(Job, made.job.id)
        assert job.state in ("queued", "done")
        assert job.attempts in (0, 1)
    database.close()


def test_two_servers_share_the_work(postgresql: str, database_url: str, tmp_path: Path) -> None:
    if database_url != postgresql:
        pytest.skip("two servers share a PostgreSQL database")
    with (
        running_server(postgresql) as one,
        running_server(postgresql) as two,
        prepared(one, tmp_path) as client,
        two.client() as other,
    ):
        made = []
        for number in range(6):
            path = write(tmp_path, f"{number}.txt", GOOD + FAIR * number + NONE * (49 - number))
            sender = client if number % 2 else other
            made.append(sender.submit("task", path, system=f"s{number}"))
        for submission in made:
            client.wait(submission.job)
        assert client.board("task") == other.board("task")
        assert len(client.board("task").entries) == 6
    database = Database(postgresql)
    with database.reading() as session:
        owners = set(session.scalars(select(Job.owner).where(Job.kind == "submission")))
    database.close()
    assert len(owners) == 2
    assert count_scores(postgresql) == 18


def test_a_backup_is_restored(database_url: str, tmp_path: Path) -> None:
    with running_server(database_url) as server, prepared(server, tmp_path) as client:
        made = client.submit("task", write(tmp_path, "x.txt", FAIR * 50), system="x")
        client.wait(made.job)
        before = client.board("task")
        database = Database(database_url)
        rows = save_backup(database, tmp_path / "backup.db")
        with pytest.raises(GecevalError, match="exists already"):
            save_backup(database, tmp_path / "backup.db")
        with pytest.raises(GecevalError, match="empty database"):
            restore_backup(tmp_path / "backup.db", database)
        database.close()
    url = sqlite_url(tmp_path / "restored.db")
    restored = Database(url)
    assert restore_backup(tmp_path / "backup.db", restored) == rows
    restored.close()
    with running_server(url) as server, server.client() as client:
        assert client.board("task") == before
        # New rows are numbered after the old ones.
        again = client.submit("task", write(tmp_path, "x.txt", FAIR * 50), system="again")
        assert again.id > made.id
        assert again.job.state == "done"


def test_a_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "serve.db"
    Database(sqlite_url(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(GecevalError, match="another version of geceval"):
        Database(sqlite_url(path))


def test_a_lease_is_worth_nothing_once_it_was_taken_over(database: Database) -> None:
    """A server that was cut off must not finish what another one has finished since."""
    first, second = (JobQueue(database, owner, 15) for owner in ("first", "second"))
    with database.writing() as session:
        job = add(session, "check", {}, None)
    old = first.claim()
    assert old is not None
    assert second.claim() is None
    expire(database, job.id)
    new = second.claim()
    assert new is not None
    assert new.attempt == 2
    saved: list[str] = []
    assert not first.renew(old, "x", 0, 0)
    assert not first.finish(old, {"by": "first"}, lambda *_: saved.append("first"))
    first.fail(old, "no", "no")
    assert second.finish(new, {"by": "second"}, lambda *_: saved.append("second"))
    assert saved == ["second"]
    with database.reading() as session:
        assert session.get_one(Job, job.id).result == {"by": "second"}


def test_a_job_whose_servers_die_is_given_up(database: Database) -> None:
    queue = JobQueue(database, "server", 15)
    with database.writing() as session:
        job = add(session, "check", {}, None)
    for _ in range(MAX_ATTEMPTS):
        assert queue.claim() is not None
        expire(database, job.id)
    assert queue.claim() is None
    with database.reading() as session:
        found = session.get_one(Job, job.id)
        assert found.state == "failed"
        assert found.error is not None
        assert "3 times" in found.error


def test_a_cancelled_job_cannot_be_finished(database: Database) -> None:
    queue = JobQueue(database, "server", 15)
    with database.writing() as session:
        job = add(session, "check", {}, None)
    lease = queue.claim()
    assert lease is not None
    with database.writing() as session:
        cancel(session, job)
    assert not queue.renew(lease, "x", 0, 0)
    assert not queue.finish(lease, {}, lambda *_: None)


def expire(database: Database, job: str) -> None:
    with database.writing() as session:
        past = now() - timedelta(seconds=1)
        session.execute(update(Job).where(Job.id == job).values(lease_until=past))


def test_an_unknown_task_is_an_error(local: ServerClient, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="no such task"):
        local.submit("nowhere", write(tmp_path, "x.txt", "x\n"), system="x")
