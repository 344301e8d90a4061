"""Tasks, submissions and leaderboards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, File, Form, HTTPException, Path, Query, Request, Response, UploadFile
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from geceval.extraction.lang import get_pack
from geceval.presentation.table import FORMS, Table
from geceval.serve.access import Identity
from geceval.serve.database.blobs import fetch
from geceval.serve.database.orm import Job, Participant, Submission, SubmissionScore, Task, now
from geceval.serve.jobs.allowed_metrics import check_allowed
from geceval.serve.jobs.queue import cancel, complete
from geceval.serve.leaderboard import board, compare_submissions, copy_scores, remove_scores
from geceval.serve.routes import Organizer, Somebody, problems, state_of
from geceval.serve.routes.job_routes import job_info, queued
from geceval.serve.schemas import (
    Board,
    MetricText,
    SubmissionChange,
    SubmissionComparison,
    SubmissionInfo,
    Tag,
    TaskChange,
    TaskInfo,
    TaskName,
    Title,
)
from geceval.serve.uploads import read_files, store_files
from geceval.storage import strict_json

router = APIRouter(tags=["leaderboard"])

NamedTask = Annotated[TaskName, Path()]
SubmissionId = Annotated[int, Path(ge=1, lt=2**31)]
_DAY = timedelta(days=1)


@router.get("/tasks", responses=problems(401))
def list_tasks(request: Request, who: Somebody) -> list[TaskInfo]:
    """List all tasks."""
    with state_of(request).database.reading() as session:
        rows = session.execute(
            select(Task, Job).join(Job, Job.id == Task.job_id).order_by(Task.created, Task.id)
        ).all()
        return [_task_info(task, job, who) for task, job in rows]


@router.post("/tasks", status_code=201, responses=problems(401, 403, 409, 422))
async def create_task(
    request: Request,
    who: Organizer,
    name: Annotated[TaskName, Form()],
    title: Annotated[Title, Form()],
    metrics: Annotated[list[MetricText], Form(min_length=1, max_length=20)],
    gold: Annotated[
        list[UploadFile], File(description="A gold standard, or a source and its references.")
    ],
    description: Annotated[str, Form(max_length=5000)] = "",
    lang: Annotated[str, Form(max_length=20)] = "en",
    is_hidden: Annotated[bool, Form()] = True,
    deadline: Annotated[datetime | None, Form()] = None,
    daily_limit: Annotated[int | None, Form(ge=1, le=1000)] = None,
) -> TaskInfo:
    """Create a task; it takes submissions once its gold standard was validated."""
    state = state_of(request)
    for metric in metrics:
        check_allowed(metric)
    get_pack(lang)
    files = await read_files(gold, state.configuration.limits)

    def save() -> TaskInfo:
        with state.database.writing() as session:
            if session.scalar(select(Task.id).where(Task.name == name)) is not None:
                raise HTTPException(409, f"there is a task {name!r} already")
            stored = store_files(session, files)
            payload = {"gold": stored, "metrics": metrics, "lang": lang}
            job = queued(session, request, "task", payload, who)
            task = Task(
                name=name,
                title=title,
                description=description,
                files=stored,
                metrics=metrics,
                lang=lang,
                is_hidden=is_hidden,
                deadline=_in_utc(deadline),
                daily_limit=daily_limit,
                job_id=job.id,
            )
            session.add(task)
            session.flush()
            job.payload = {**payload, "task": task.id}
            return _task_info(task, job, who)

    made = await run_in_threadpool(save)
    state.runner.wake()
    return made


@router.get("/tasks/{name}", responses=problems(401, 404, 422))
def show_task(request: Request, who: Somebody, name: NamedTask) -> TaskInfo:
    """Return a task."""
    with state_of(request).database.reading() as session:
        task = _task(session, name)
        return _task_info(task, session.get_one(Job, task.job_id), who)


@router.patch("/tasks/{name}", responses=problems(401, 403, 404, 422))
def change_task(request: Request, who: Organizer, name: NamedTask, given: TaskChange) -> TaskInfo:
    """Change the title, description, deadline or daily limit of a task."""
    with state_of(request).database.writing() as session:
        task = _task(session, name)
        for field in given.model_fields_set:
            value = getattr(given, field)
            if value is None and field in ("title", "description"):
                raise HTTPException(422, f"the {field} of a task cannot be removed")
            setattr(task, field, _in_utc(value) if field == "deadline" else value)
        return _task_info(task, session.get_one(Job, task.job_id), who)


@router.delete("/tasks/{name}", status_code=204, responses=problems(401, 403, 404, 422))
def delete_task(request: Request, who: Organizer, name: NamedTask) -> None:  # noqa: ARG001
    """Delete a task with all its submissions."""
    with state_of(request).database.writing() as session:
        task = _task(session, name)
        for job_id in session.scalars(
            select(Submission.job_id).where(Submission.task_id == task.id)
        ):
            cancel(session, session.get_one(Job, job_id))
        cancel(session, session.get_one(Job, task.job_id))
        session.delete(task)


@router.get("/tasks/{name}/source", responses=problems(401, 404, 422), response_class=Response)
def task_source(request: Request, who: Somebody, name: NamedTask) -> Response:  # noqa: ARG001
    """Return the source sentences of a task."""
    with state_of(request).database.reading() as session:
        task = _task(session, name)
        if task.source_sha256 is None:
            raise HTTPException(404, "the gold standard has not been validated yet")
        return _download(fetch(session, task.source_sha256), f"{name}.src.txt")


@router.get("/tasks/{name}/gold", responses=problems(401, 403, 404, 422), response_class=Response)
def task_gold(
    request: Request, who: Somebody, name: NamedTask, number: Annotated[int, Query(ge=0)] = 0
) -> Response:
    """Return a file of the gold standard, unless it is hidden."""
    with state_of(request).database.reading() as session:
        task = _task(session, name)
        if task.is_hidden and not who.is_organizer:
            raise HTTPException(403, "the gold standard of this task is hidden")
        if number >= len(task.files):
            raise HTTPException(404, "there is no such file")
        file = task.files[number]
        return _download(fetch(session, file["sha256"]), file["name"])


@router.get(
    "/tasks/{name}/board",
    responses={
        200: {"model": Board, "content": {"application/octet-stream": {}}},
        **problems(401, 404, 422),
    },
)
def show_board(
    request: Request,
    who: Somebody,  # noqa: ARG001
    name: NamedTask,
    format: Annotated[Literal["json", "csv"], Query()] = "json",
) -> Response:
    """Return the leaderboard of a task."""
    with state_of(request).database.reading() as session:
        found = _board(session, name)
    if format == "csv":
        return _as_csv(found, name)
    # Validating what we have made ourselves would take longer than everything else.
    for entry in found["entries"]:
        entry["created"] = entry["created"].isoformat()
    return Response(strict_json.dumps(found), media_type="application/json")


@router.get("/tasks/{name}/comparison", responses=problems(401, 404, 422))
def compare_two(
    request: Request,
    who: Somebody,  # noqa: ARG001
    name: NamedTask,
    first: Annotated[int, Query(ge=1, lt=2**31)],
    second: Annotated[int, Query(ge=1, lt=2**31)],
) -> list[SubmissionComparison]:
    """Compare two submissions by all metrics of the task: second minus first."""
    with state_of(request).database.reading() as session:
        task = _task(session, name)
        for number in (first, second):
            submission = session.get(Submission, number)
            if submission is None or submission.deleted or submission.task_id != task.id:
                raise HTTPException(404, f"there is no submission {number}")
        return [SubmissionComparison(**row) for row in compare_submissions(session, first, second)]


@router.post(
    "/tasks/{name}/submissions", status_code=201, responses=problems(401, 403, 404, 409, 422)
)
async def submit(
    request: Request,
    who: Somebody,
    name: NamedTask,
    system: Annotated[Title, Form()],
    output: Annotated[UploadFile, File(description="The output of a system.")],
    tag: Annotated[Tag, Form()] = "",
) -> SubmissionInfo:
    """Submit the output of a system; the scores of an output that is known are there at once."""
    state = state_of(request)
    ((file_name, content),) = await read_files([output], state.configuration.limits)

    def save() -> SubmissionInfo:
        with state.database.writing() as session:
            # Only one at a time, so that nobody exceeds the daily limit.
            task = session.scalars(
                select(Task).where(Task.name == name).with_for_update()
            ).one_or_none()
            if task is None:
                raise HTTPException(404, "there is no such task")
            _check_open(session, task, who)
            (file,) = store_files(session, [(file_name, content)])
            payload = {
                "gold": task.files,
                "outputs": [{**file, "system": system}],
                "metrics": task.metrics,
                "lang": task.lang,
                "is_hidden": task.is_hidden,
            }
            job = queued(session, request, "submission", payload, who)
            submission = Submission(
                task_id=task.id,
                participant_id=who.participant_id,
                name=system,
                tag=tag,
                file_name=file_name,
                output_sha256=file["sha256"],
                job_id=job.id,
            )
            session.add(submission)
            session.flush()
            job.payload = {**payload, "submission": submission.id}
            _reuse(session, submission, job)
            return _submission_info(submission, task, job, who)

    made = await run_in_threadpool(save)
    state.runner.wake()
    return made


@router.get("/submissions", responses=problems(401, 422))
def list_submissions(
    request: Request, who: Somebody, task: Annotated[TaskName | None, Query()] = None
) -> list[SubmissionInfo]:
    """List one's own submissions, or, for organizers, all; the latest first."""
    query = (
        select(Submission, Task, Job)
        .join(Task, Task.id == Submission.task_id)
        .join(Job, Job.id == Submission.job_id)
        .where(Submission.deleted.is_(None))
    )
    if task is not None:
        query = query.where(Task.name == task)
    if not who.is_organizer:
        query = query.where(Submission.participant_id == who.participant_id)
    with state_of(request).database.reading() as session:
        rows = session.execute(query.order_by(Submission.id.desc()).limit(1000)).all()
        return [_submission_info(one, own, job, who) for one, own, job in rows]


@router.get("/submissions/{number}", responses=problems(401, 404, 422))
def show_submission(request: Request, who: Somebody, number: SubmissionId) -> SubmissionInfo:
    """Return a submission of one's own."""
    with state_of(request).database.reading() as session:
        submission = _own(session, number, who)
        task = session.get_one(Task, submission.task_id)
        return _submission_info(submission, task, session.get_one(Job, submission.job_id), who)


@router.get(
    "/submissions/{number}/output", responses=problems(401, 404, 422), response_class=Response
)
def submitted_output(request: Request, who: Somebody, number: SubmissionId) -> Response:
    """Return the file of a submission of one's own."""
    with state_of(request).database.reading() as session:
        submission = _own(session, number, who)
        return _download(fetch(session, submission.output_sha256), submission.file_name)


@router.patch("/submissions/{number}", responses=problems(401, 403, 404, 422))
def change_submission(
    request: Request, who: Somebody, number: SubmissionId, given: SubmissionChange
) -> SubmissionInfo:
    """Change the name or the tag of a submission."""
    with state_of(request).database.writing() as session:
        submission = _own(session, number, who)
        submission.name = submission.name if given.name is None else given.name
        submission.tag = submission.tag if given.tag is None else given.tag
        task = session.get_one(Task, submission.task_id)
        return _submission_info(submission, task, session.get_one(Job, submission.job_id), who)


@router.delete("/submissions/{number}", status_code=204, responses=problems(401, 403, 404, 422))
def delete_submission(request: Request, who: Somebody, number: SubmissionId) -> None:
    """Delete a submission; it still counts for the daily limit."""
    with state_of(request).database.writing() as session:
        submission = _own(session, number, who)
        cancel(session, session.get_one(Job, submission.job_id))
        remove_scores(session, submission)
        submission.deleted = now()


def _task(session: Session, name: str) -> Task:
    task = session.scalar(select(Task).where(Task.name == name))
    if task is None:
        raise HTTPException(404, "there is no such task")
    return task


def _own(session: Session, number: int, who: Identity) -> Submission:
    """Return a submission that belongs to somebody; that of another is said not to exist."""
    submission = session.get(Submission, number)
    if submission is None or submission.deleted or not who.owns(submission.participant_id):
        raise HTTPException(404, "there is no such submission")
    return submission


def _check_open(session: Session, task: Task, who: Identity) -> None:
    """Refuse a submission that comes too early, too late or too often."""
    if task.sentences is None:
        raise HTTPException(409, "the gold standard of this task has not been validated yet")
    if who.is_organizer:
        return
    if task.deadline is not None and now() > task.deadline:
        raise HTTPException(403, f"the deadline was {task.deadline:%Y-%m-%d %H:%M} UTC")
    if task.daily_limit is not None:
        failed = select(Job.id).where(Job.state == "failed")
        made = session.scalar(
            select(func.count())
            .select_from(Submission)
            .where(
                Submission.task_id == task.id,
                Submission.participant_id == who.participant_id,
                Submission.created > now() - _DAY,
                # An output that could not be scored has told nothing.
                Submission.job_id.not_in(failed),
            )
        )
        if made is not None and made >= task.daily_limit:
            raise HTTPException(
                429,
                f"you have made {made} submissions in the last 24 hours, the limit of this task",
            )


def _reuse(session: Session, submission: Submission, job: Job) -> None:
    """Take the scores of an earlier submission of the same output."""
    twin = session.scalars(
        select(Submission)
        .join(SubmissionScore, SubmissionScore.submission_id == Submission.id)
        .where(
            Submission.task_id == submission.task_id,
            Submission.output_sha256 == submission.output_sha256,
            Submission.id != submission.id,
            Submission.deleted.is_(None),
        )
        .limit(1)
    ).first()
    if twin is not None:
        copy_scores(session, twin, submission)
        submission.findings = twin.findings
        complete(job)


def _board(session: Session, name: str) -> dict[str, Any]:
    task = _task(session, name)
    entries = board(session, task)
    names: dict[int | None, str] = {
        row.id: row.name for row in session.execute(select(Participant.id, Participant.name))
    }
    for entry in entries:
        entry["participant"] = names.get(entry.pop("participant_id"))
    return {"task": task.name, "entries": entries}


def _as_csv(found: dict[str, Any], name: str) -> Response:
    header = (
        "submission", "name", "tag", "participant", "created", "metric", "score", "low", "high",
        "best rank", "worst rank", "output SHA-256", "signature",
    )  # fmt: skip
    rows = tuple(
        (
            entry["id"], entry["name"], entry["tag"], entry["participant"] or "",
            entry["created"].isoformat(), score["metric"], score["value"], score["low"],
            score["high"], *score["rank_range"], entry["output_sha256"], score["signature"],
        )
        for entry in found["entries"]
        for score in entry["scores"]
    )  # fmt: skip
    table = Table(name, name, header, rows)
    return _download(FORMS["csv"](table).encode(), f"{name}.csv")


def _download(content: bytes, name: str) -> Response:
    """Return a file that browsers save and never show."""
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"},
    )


def _in_utc(moment: datetime | None) -> datetime | None:
    """Return a time in UTC; one without a zone is taken to be in UTC."""
    if moment is None:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _task_info(task: Task, job: Job, who: Identity) -> TaskInfo:
    return TaskInfo(
        name=task.name,
        title=task.title,
        description=task.description,
        metrics=task.metrics,
        lang=task.lang,
        is_hidden=task.is_hidden,
        deadline=task.deadline,
        daily_limit=task.daily_limit,
        sentences=task.sentences,
        state=job.state,
        # It may quote the gold standard.
        error=(job.detail or job.error) if who.is_organizer else None,
        gold_sha256=[file["sha256"] for file in task.files]
        if who.is_organizer or not task.is_hidden
        else [],
        created=task.created,
    )


def _submission_info(submission: Submission, task: Task, job: Job, who: Identity) -> SubmissionInfo:
    return SubmissionInfo(
        id=submission.id,
        task=task.name,
        name=submission.name,
        tag=submission.tag,
        file_name=submission.file_name,
        output_sha256=submission.output_sha256,
        created=submission.created,
        job=job_info(job, who),
        findings=submission.findings,
    )
