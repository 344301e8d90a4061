"""The tables of the server."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, deferred, mapped_column

JobState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
JobKind: TypeAlias = Literal["check", "report", "task", "submission"]

FINISHED: tuple[JobState, ...] = ("done", "failed", "cancelled")


def now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite stores times without their zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Add the time zone."""
        return value if value is None or value.tzinfo else value.replace(tzinfo=UTC)


class Record(DeclarativeBase):
    """Base of all tables."""

    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        datetime: Moment,
        dict[str, Any]: JSON,
        list[str]: JSON,
        list[dict[str, Any]]: JSON,
        JobState: String(16),
        JobKind: String(16),
    }


class Participant(Record):
    """Somebody with a token: a participant, or an organizer, who may do everything."""

    __tablename__ = "participants"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    is_organizer: Mapped[bool] = mapped_column(default=False)
    created: Mapped[datetime] = mapped_column(default=now)
    revoked: Mapped[datetime | None]


class WebSession(Record):
    """A browser that is logged in."""

    __tablename__ = "sessions"

    secret_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    participant_id: Mapped[int] = mapped_column(ForeignKey("participants.id", ondelete="CASCADE"))
    expires: Mapped[datetime]


class Blob(Record):
    """The content of a file, compressed and stored once, by its checksum."""

    __tablename__ = "blobs"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    content: Mapped[bytes] = deferred(mapped_column(LargeBinary))


class Job(Record):
    """A unit of work for a worker process.

    A server that runs a job holds a lease on it. When the lease expires, because the server has
    died, another attempt is made, and only the holder of the last lease can finish the job.
    """

    __tablename__ = "jobs"
    __table_args__ = (Index("ix_jobs_waiting", "state", "created"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[JobKind]
    state: Mapped[JobState] = mapped_column(default="queued")
    payload: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any] | None]
    error: Mapped[str | None] = mapped_column(Text)
    detail: Mapped[str | None] = mapped_column(Text)
    """The whole error, for organizers; it may tell of a hidden gold standard."""
    stage: Mapped[str] = mapped_column(String(200), default="waiting")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None] = mapped_column(String(100))
    lease_until: Mapped[datetime | None]
    participant_id: Mapped[int | None] = mapped_column(
        ForeignKey("participants.id", ondelete="SET NULL")
    )
    created: Mapped[datetime] = mapped_column(default=now)
    finished: Mapped[datetime | None]


class Report(Record):
    """A page that a job has made, at a link that stays."""

    __tablename__ = "reports"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    title: Mapped[str] = mapped_column(String(200))
    page_sha256: Mapped[str] = mapped_column(ForeignKey("blobs.sha256"))


class Task(Record):
    """A gold standard that people submit outputs for."""

    __tablename__ = "tasks"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60), unique=True)
    title: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(Text, default="")
    files: Mapped[list[dict[str, Any]]]
    """Names and checksums of the gold standard, or of the source and its references."""
    metrics: Mapped[list[str]]
    lang: Mapped[str] = mapped_column(String(20), default="en")
    is_hidden: Mapped[bool] = mapped_column(default=True)
    deadline: Mapped[datetime | None]
    daily_limit: Mapped[int | None]
    source_sha256: Mapped[str | None] = mapped_column(ForeignKey("blobs.sha256"))
    sentences: Mapped[int | None]
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"))
    created: Mapped[datetime] = mapped_column(default=now)


class Submission(Record):
    """The output of a system, submitted for a task."""

    __tablename__ = "submissions"
    __table_args__ = (Index("ix_submissions_task", "task_id", "output_sha256"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    participant_id: Mapped[int | None] = mapped_column(
        ForeignKey("participants.id", ondelete="SET NULL")
    )
    name: Mapped[str] = mapped_column(String(100))
    tag: Mapped[str] = mapped_column(String(60), default="")
    file_name: Mapped[str] = mapped_column(String(200))
    output_sha256: Mapped[str] = mapped_column(ForeignKey("blobs.sha256"))
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id"))
    findings: Mapped[list[str]] = mapped_column(default=list)
    created: Mapped[datetime] = mapped_column(default=now)
    deleted: Mapped[datetime | None]


class SubmissionScore(Record):
    """The score of a submission by one metric of its task.

    The scores of the resamples, which are the same for all submissions of a task, allow any two
    submissions to be compared without scoring them again. `n_better` and `n_worse` count the
    submissions that are significantly better and worse.
    """

    __tablename__ = "scores"
    __table_args__ = (UniqueConstraint("submission_id", "metric"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id", ondelete="CASCADE"))
    metric: Mapped[str] = mapped_column(String(200))
    title: Mapped[str] = mapped_column(String(200))
    score_name: Mapped[str] = mapped_column(String(60))
    value: Mapped[float]
    low: Mapped[float]
    high: Mapped[float]
    parts: Mapped[dict[str, Any]]
    signature: Mapped[str] = mapped_column(Text)
    n_better: Mapped[int] = mapped_column(default=0)
    n_worse: Mapped[int] = mapped_column(default=0)
    samples: Mapped[bytes] = deferred(mapped_column(LargeBinary))
