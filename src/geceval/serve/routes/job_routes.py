"""Check files, score them, and follow the progress."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, File, HTTPException, Path, Request, UploadFile
from fastapi.responses import StreamingResponse
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from geceval.serve.access import Identity
from geceval.serve.database.orm import FINISHED, Job, JobKind, Report
from geceval.serve.jobs.allowed_metrics import check_allowed
from geceval.serve.jobs.queue import add, cancel, unfinished
from geceval.serve.routes import Somebody, problems, state_of
from geceval.serve.schemas import JobInfo, ReportInfo, ReportRequest
from geceval.serve.uploads import read_files, store_files, system_names
from geceval.storage import strict_json

router = APIRouter(tags=["score"])

JobId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]

_EVENT_SECONDS = 0.3
_PRIVATE = ("task", "submission")
"""Kinds of jobs whose results are shown elsewhere, by other rules."""


@router.post("/checks", status_code=201, responses=problems(401, 403, 422))
async def check_files(
    request: Request,
    who: Somebody,
    gold: Annotated[
        list[UploadFile], File(description="A gold standard, or a source and its references.")
    ],
    outputs: Annotated[list[UploadFile], File(description="Outputs of systems.")],
) -> JobInfo:
    """Validate a gold standard and outputs, before they are scored."""
    state = state_of(request)
    limits = state.configuration.limits
    gold_files = await read_files(gold, limits)
    output_files = await read_files(outputs, limits)

    def save() -> JobInfo:
        with state.database.writing() as session:
            stored = store_files(session, output_files)
            systems = [
                {**file, "system": name}
                for file, name in zip(stored, system_names(output_files), strict=True)
            ]
            payload = {"gold": store_files(session, gold_files), "outputs": systems}
            return job_info(queued(session, request, "check", payload, who), who)

    made = await run_in_threadpool(save)
    state.runner.wake()
    return made


@router.post("/reports", status_code=201, responses=problems(401, 403, 404, 409, 422))
def make_report(request: Request, who: Somebody, given: ReportRequest) -> JobInfo:
    """Score files that were checked before, and make a report."""
    state = state_of(request)
    for metric in given.metrics:
        check_allowed(metric)
    with state.database.writing() as session:
        checked = _own_job(session, given.check, who)
        if checked.kind != "check":
            raise HTTPException(404, "there is no such check")
        if checked.state != "done":
            raise HTTPException(409, "the files have not been checked")
        payload = {
            "gold": checked.payload["gold"],
            "outputs": checked.payload["outputs"],
            "metrics": given.metrics,
            "title": given.title or f"Corrections of {checked.payload['gold'][0]['name']}",
            "lang": given.lang,
            "tokenize": given.tokenize,
        }
        made = job_info(queued(session, request, "report", payload, who), who)
    state.runner.wake()
    return made


@router.get("/reports", responses=problems(401))
def list_reports(request: Request, who: Somebody) -> list[ReportInfo]:
    """List the reports that one may see, the latest first."""
    with state_of(request).database.reading() as session:
        query = select(Report.job_id, Report.title, Job.created, Job.participant_id).join(
            Job, Job.id == Report.job_id
        )
        rows = session.execute(query.order_by(Job.created.desc()).limit(500)).all()
    return [
        ReportInfo(
            id=row.job_id, title=row.title, created=row.created, link=f"/reports/{row.job_id}"
        )
        for row in rows
        if who.owns(row.participant_id)
    ]


@router.delete("/reports/{job_id}", status_code=204, responses=problems(401, 403, 404, 422))
def delete_report(request: Request, who: Somebody, job_id: JobId) -> None:
    """Delete a report."""
    with state_of(request).database.writing() as session:
        _own_job(session, job_id, who)
        report = session.get(Report, job_id)
        if report is None:
            raise HTTPException(404, "there is no such report")
        session.delete(report)


@router.get("/jobs/{job_id}", responses=problems(401, 404, 422))
def show_job(request: Request, who: Somebody, job_id: JobId) -> JobInfo:
    """Return a job and its progress."""
    with state_of(request).database.reading() as session:
        return job_info(_own_job(session, job_id, who), who)


@router.delete("/jobs/{job_id}", status_code=204, responses=problems(401, 403, 404, 409, 422))
def cancel_job(request: Request, who: Somebody, job_id: JobId) -> None:
    """Cancel a job."""
    with state_of(request).database.writing() as session:
        job = _own_job(session, job_id, who)
        if job.kind in _PRIVATE:
            raise HTTPException(409, "delete the task or the submission instead")
        cancel(session, job)


@router.get(
    "/jobs/{job_id}/events",
    responses={200: {"content": {"text/event-stream": {}}}, **problems(401, 404, 422)},
    response_class=StreamingResponse,
)
async def follow_job(request: Request, who: Somebody, job_id: JobId) -> StreamingResponse:
    """Follow the progress of a job, as server-sent events, until it ends."""
    first = await run_in_threadpool(show_job, request, who, job_id)
    return StreamingResponse(_events(request, who, first), media_type="text/event-stream")


async def _events(request: Request, who: Identity, info: JobInfo) -> AsyncIterator[str]:
    last = ""
    while True:
        text = info.model_dump_json()
        if text != last:
            yield f"data: {text}\n\n"
            last = text
        if info.state in FINISHED or await request.is_disconnected():
            return
        await asyncio.sleep(_EVENT_SECONDS)
        try:
            info = await run_in_threadpool(show_job, request, who, info.id)
        except HTTPException:
            # It was deleted in the meantime.
            yield f"data: {strict_json.dumps({'state': 'cancelled'})}\n\n"
            return


def queued(
    session: Session, request: Request, kind: JobKind, payload: dict[str, Any], who: Identity
) -> Job:
    """Add a job to the queue, unless its owner has too many there."""
    limit = state_of(request).configuration.limits.queued_jobs
    if unfinished(session, who.participant_id) >= limit:
        raise HTTPException(429, f"you have {limit} unfinished jobs: wait until one is done")
    return add(session, kind, payload, who.participant_id)


def job_info(job: Job, who: Identity) -> JobInfo:
    """Describe a job; organizers see the whole reason of a failure."""
    return JobInfo(
        id=job.id,
        kind=job.kind,
        state=job.state,
        stage=job.stage,
        done=job.done,
        total=job.total,
        error=job.detail if who.is_organizer and job.detail else job.error,
        result=None if job.kind in _PRIVATE else job.result,
        created=job.created,
        finished=job.finished,
    )


def _own_job(session: Session, job_id: str, who: Identity) -> Job:
    """Return a job that belongs to somebody; that of another is said not to exist."""
    job = session.get(Job, job_id)
    if job is None or not who.owns(job.participant_id):
        raise HTTPException(404, "there is no such job")
    return job
