"""Threads of the server that take jobs from the queue and watch over their processes."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from geceval.presentation.export import file_name
from geceval.serve.configuration import ServerConfiguration
from geceval.serve.database import Database
from geceval.serve.database.blobs import fetch, store
from geceval.serve.database.orm import Job, Report, Submission, Task
from geceval.serve.jobs.queue import JobQueue, Lease, new_id
from geceval.serve.jobs.work import PAGE, SOURCE, WorkOrder, WorkResult
from geceval.serve.jobs.worker_process import JobOutcome, run
from geceval.serve.leaderboard import add_scores

_LOGGER = logging.getLogger(__name__)

_PREFIX = "geceval-serve-"
_IDLE_SECONDS = 0.5
_ERROR_SECONDS = 5.0


class JobRunner:
    """Runs jobs until it is stopped.

    Parameters
    ----------
    database, configuration
        The database, and the settings of the server.
    """

    def __init__(self, database: Database, configuration: ServerConfiguration) -> None:
        self._configuration = configuration
        owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{new_id()[:8]}"
        self._queue = JobQueue(database, owner, configuration.lease_seconds)
        self._stopping = threading.Event()
        self._news = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, name=f"jobs-{number}", daemon=True)
            for number in range(configuration.workers)
        ]

    def start(self) -> None:
        """Remove what a killed server has left behind, and begin."""
        remove_leftovers()
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """Tell that there is a new job."""
        self._news.set()

    def stop(self) -> None:
        """Stop all processes; their jobs return to the queue."""
        self._stopping.set()
        self._news.set()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                self._news.clear()
                lease = self._queue.claim()
                if lease is None:
                    self._news.wait(_IDLE_SECONDS)
                else:
                    self._run(lease)
            except (SQLAlchemyError, OSError):
                # The database may come back; nothing is lost meanwhile.
                _LOGGER.exception("a job could not be run")
                self._stopping.wait(_ERROR_SECONDS)

    def _run(self, lease: Lease) -> None:
        try:
            self._attempt(lease)
        except (SQLAlchemyError, OSError):
            # The job stays ours until the lease expires; then it is tried again.
            raise
        except Exception as error:
            _LOGGER.exception("the job %s failed", lease.job.id)
            self._queue.fail(lease, "an internal error of the server", f"{error!r}")

    def _attempt(self, lease: Lease) -> None:
        with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as name:
            folder = Path(name)
            order = self._order(lease.job, folder)
            watch = _Watch(self._queue, lease, self._configuration.lease_seconds / 3)
            outcome = run(
                order,
                folder,
                on_progress=watch.tell,
                is_wanted=lambda: watch.is_wanted() and not self._stopping.is_set(),
            )
            self._end(lease, outcome, folder)

    def _end(self, lease: Lease, outcome: JobOutcome, folder: Path) -> None:
        if outcome.verdict == "done" and outcome.result is not None:
            result = outcome.result
            self._queue.finish(
                lease, result.document, lambda session, job: _save(session, job, result, folder)
            )
        elif outcome.verdict == "failed":
            self._queue.fail(lease, outcome.message, outcome.detail)
        elif outcome.verdict == "died":
            self._queue.retry(lease, outcome.message)
        elif self._stopping.is_set():
            self._queue.give_back(lease)

    def _order(self, job: Job, folder: Path) -> WorkOrder:
        """Write the files of a job to its folder."""
        files = _Files(folder)
        with self._queue.database.reading() as session:
            read: Callable[[Mapping[str, Any]], str] = lambda file: files.write(  # noqa: E731
                file["name"], fetch(session, file["sha256"])
            )
            gold = [read(file) for file in job.payload["gold"]]
            outputs = {file["system"]: read(file) for file in job.payload.get("outputs", ())}
        return WorkOrder(job.kind, job.payload, gold, outputs, self._configuration.limits)


class _Watch:
    """Renews the lease of a job, and learns whether it was cancelled."""

    def __init__(self, queue: JobQueue, lease: Lease, seconds: float) -> None:
        self._queue = queue
        self._lease = lease
        self._seconds = min(seconds, 1.0)
        self._progress = ("starting", 0, 0)
        self._last = 0.0
        self._is_wanted = True

    def tell(self, stage: str, done: int, total: int) -> None:
        self._progress = (stage, done, total)

    def is_wanted(self) -> bool:
        if time.monotonic() - self._last > self._seconds:
            self._is_wanted = self._queue.renew(self._lease, *self._progress)
            self._last = time.monotonic()
        return self._is_wanted


class _Files:
    """Writes files under safe names, which are similar to those that people gave them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: set[str] = set()

    def write(self, name: str, content: bytes) -> str:
        safe, number = file_name(name), 1
        while safe in self._names:
            number += 1
            safe = f"{number}-{file_name(name)}"
        self._names.add(safe)
        (self._folder / safe).write_bytes(content)
        return safe


def _save(session: Session, job: Job, result: WorkResult, folder: Path) -> None:
    """Save what a job has made."""
    if job.kind == "report":
        page = store(session, (folder / PAGE).read_bytes())
        session.add(Report(job_id=job.id, title=job.payload["title"], page_sha256=page))
    elif job.kind == "task":
        task = session.get(Task, job.payload["task"])
        if task is not None:
            task.source_sha256 = store(session, (folder / SOURCE).read_bytes())
            task.sentences = result.document["sentences"]
    elif job.kind == "submission":
        submission = session.get(Submission, job.payload["submission"])
        if submission is not None and submission.deleted is None:
            submission.findings = result.document["findings"]
            add_scores(session, submission, result.document["scores"], result.samples)


def remove_leftovers(folders: Iterable[Path] | None = None) -> None:
    """Remove the temporary folders of servers that were killed."""
    found = Path(tempfile.gettempdir()).glob(f"{_PREFIX}*") if folders is None else folders
    for folder in found:
        number = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if number.isdigit() and not _is_running(int(number)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
