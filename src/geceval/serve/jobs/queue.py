"""The queue of jobs, in the database, so that several servers can share it.

A server claims a job for the time of a lease, which it renews while it works. Only the holder of
the current lease can finish a job, so a job is finished once, whatever dies when.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import Session

from geceval.serve.database import Database
from geceval.serve.database.orm import FINISHED, Job, JobKind, now

MAX_ATTEMPTS = 3
"""How often a job is tried whose process or server dies."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a job."""

    job: Job
    owner: str
    attempt: int


def new_id() -> str:
    """Return an identifier that cannot be guessed."""
    return secrets.token_hex(16)


def add(session: Session, kind: JobKind, payload: dict[str, Any], who: int | None) -> Job:
    """Add a job to the queue."""
    job = Job(id=new_id(), kind=kind, payload=payload, participant_id=who)
    session.add(job)
    session.flush()
    return job


def unfinished(session: Session, who: int | None) -> int:
    """Count the jobs of somebody that wait or run."""
    own = Job.participant_id.is_(None) if who is None else Job.participant_id == who
    return (
        session.scalar(select(func.count()).select_from(Job).where(own, Job.state.not_in(FINISHED)))
        or 0
    )


class JobQueue:
    """Claims and finishes jobs for one server.

    Parameters
    ----------
    database
        The database.
    owner
        A unique name of the server.
    lease_seconds
        Time without a sign of life after which another server may take a job over.
    """

    def __init__(self, database: Database, owner: str, lease_seconds: float) -> None:
        self.database = database
        self.owner = owner
        self._lease = timedelta(seconds=lease_seconds)

    def claim(self) -> Lease | None:
        """Claim the oldest job that waits, or whose server has died."""
        moment = now()
        with self.database.writing() as session:
            job = session.scalars(
                select(Job)
                .where(
                    or_(
                        Job.state == "queued",
                        and_(Job.state == "running", Job.lease_until < moment),
                    )
                )
                .order_by(Job.created, Job.id)
                .limit(1)
                .with_for_update(skip_locked=True)
            ).first()
            if job is None:
                return None
            if job.attempts >= MAX_ATTEMPTS:
                _fail(job, f"the job was tried {MAX_ATTEMPTS} times, and its server died each time")
                return None
            job.state = "running"
            job.owner = self.owner
            job.attempts += 1
            job.lease_until = moment + self._lease
            return Lease(job, self.owner, job.attempts)

    def renew(self, lease: Lease, stage: str, done: int, total: int) -> bool:
        """Renew a lease and record progress; return whether the job is still wanted."""
        with self.database.writing() as session:
            changed = session.execute(
                update(Job)
                .where(*_held(lease))
                .values(lease_until=now() + self._lease, stage=stage[:200], done=done, total=total)
            )
            return bool(changed.rowcount)  # type: ignore[attr-defined]

    def give_back(self, lease: Lease) -> None:
        """Return a job to the queue, because the server stops."""
        with self.database.writing() as session:
            session.execute(
                update(Job)
                .where(*_held(lease))
                .values(
                    state="queued",
                    owner=None,
                    lease_until=None,
                    attempts=Job.attempts - 1,
                    stage="waiting",
                )
            )

    def retry(self, lease: Lease, reason: str) -> None:
        """Return a job whose process died to the queue, or give it up."""
        with self.database.writing() as session:
            job = _locked(session, lease)
            if job is None:
                return
            if job.attempts >= MAX_ATTEMPTS:
                _fail(job, f"the job was tried {MAX_ATTEMPTS} times, but {reason}")
            else:
                job.state, job.owner, job.lease_until = "queued", None, None

    def fail(self, lease: Lease, message: str, detail: str) -> None:
        """Record that a job failed, with the reason."""
        with self.database.writing() as session:
            job = _locked(session, lease)
            if job is not None:
                _fail(job, message, detail)

    def finish(
        self, lease: Lease, document: dict[str, Any], save: Callable[[Session, Job], None]
    ) -> bool:
        """Record the result of a job, unless it was cancelled or taken over.

        Parameters
        ----------
        lease, document
            The job and its result.
        save
            Saves what else belongs to the result, in the same transaction.
        """
        with self.database.writing() as session:
            job = _locked(session, lease)
            if job is None:
                return False
            job.result = document
            complete(job)
            save(session, job)
            return True


def cancel(session: Session, job: Job) -> None:
    """Cancel a job, unless it has ended."""
    session.execute(
        update(Job)
        .where(Job.id == job.id, Job.state.not_in(FINISHED))
        .values(state="cancelled", stage="cancelled", finished=now())
    )


def complete(job: Job) -> None:
    """Mark a job as done."""
    job.state, job.stage, job.finished = "done", "done", now()
    job.done = job.total


def _held(lease: Lease) -> tuple[Any, ...]:
    """Return the conditions under which a lease is still valid."""
    return (
        Job.id == lease.job.id,
        Job.state == "running",
        Job.owner == lease.owner,
        Job.attempts == lease.attempt,
    )


def _locked(session: Session, lease: Lease) -> Job | None:
    return session.scalars(select(Job).where(*_held(lease)).with_for_update()).one_or_none()


def _fail(job: Job, message: str, detail: str = "") -> None:
    job.state, job.stage, job.finished = "failed", "failed", now()
    job.error, job.detail = message, detail or message
