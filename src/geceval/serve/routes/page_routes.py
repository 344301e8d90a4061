"""Pages for people."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from geceval import __version__
from geceval.serve.access import COOKIE, csrf_token
from geceval.serve.database.blobs import fetch
from geceval.serve.database.orm import Job, Report
from geceval.serve.protection import REPORT_POLICY
from geceval.serve.routes import Anybody, Somebody, state_of
from geceval.serve.routes.job_routes import JobId
from geceval.serve.routes.task_routes import NamedTask

if TYPE_CHECKING:
    from jinja2 import Environment

    from geceval.serve.access import Identity

router = APIRouter()

_ASSETS = {
    "report.css": ("geceval.report", "text/css"),
    "serve.css": ("geceval.serve", "text/css"),
    "common.js": ("geceval.serve", "text/javascript"),
    "try.js": ("geceval.serve", "text/javascript"),
    "score.js": ("geceval.serve", "text/javascript"),
    "board.js": ("geceval.serve", "text/javascript"),
    "task.js": ("geceval.serve", "text/javascript"),
    "login.js": ("geceval.serve", "text/javascript"),
}
"""Files that pages load: nothing else can be asked for."""

_HOUR = "max-age=3600"


@router.get("/")
def try_page(request: Request, who: Anybody) -> Response:
    """Show the page that tries a text."""
    return _page(request, who, "try.html", heading="Try")


@router.get("/score")
def score_page(request: Request, who: Anybody) -> Response:
    """Show the page that scores files."""
    return _page(request, who, "score.html", heading="Score")


@router.get("/board")
def board_page(request: Request, who: Anybody) -> Response:
    """Show the list of tasks."""
    return _page(request, who, "board.html", heading="Leaderboards")


@router.get("/board/{name}")
def task_page(request: Request, who: Anybody, name: NamedTask) -> Response:
    """Show the leaderboard of a task."""
    return _page(request, who, "task.html", heading=name, task=name)


@router.get("/api")
def api_page(request: Request, who: Anybody) -> Response:
    """Show the routes of the REST API."""
    return _page(request, who, "api.html", heading="API", paths=request.app.openapi()["paths"])


@router.get("/login")
def login_page(request: Request) -> Response:
    """Show the page that asks for a token."""
    return _rendered(request, None, "login.html", heading="Log in")


@router.get("/reports/{job_id}")
def report_page(request: Request, who: Somebody, job_id: JobId) -> Response:
    """Show a report."""
    with state_of(request).database.reading() as session:
        job, report = session.get(Job, job_id), session.get(Report, job_id)
        if job is None or report is None or not who.owns(job.participant_id):
            raise HTTPException(404, "there is no such report")
        page = fetch(session, report.page_sha256)
    return HTMLResponse(page, headers={"content-security-policy": REPORT_POLICY})


@router.get("/static/{name}")
def asset(name: str) -> Response:
    """Return a style or a script."""
    if name not in _ASSETS:
        raise HTTPException(404, "there is no such file")
    package, media_type = _ASSETS[name]
    return Response(
        _content(package, name), media_type=media_type, headers={"cache-control": _HOUR}
    )


@cache
def _content(package: str, name: str) -> str:
    return (files(package) / "page" / name).read_text(encoding="utf-8")


def _page(request: Request, who: Identity | None, template: str, **values: Any) -> Response:
    """Render a page, or ask for a token first."""
    if who is None:
        return RedirectResponse("/login", status_code=303)
    return _rendered(request, who, template, **values)


def _rendered(request: Request, who: Identity | None, template: str, **values: Any) -> Response:
    state = state_of(request)
    secret = request.cookies.get(COOKIE) if state.requires_tokens else None
    page = (
        _environment()
        .get_template(template)
        .render(
            version=__version__,
            who=who,
            requires_tokens=state.requires_tokens,
            csrf=csrf_token(state, secret),
            path=request.url.path,
            **values,
        )
    )
    return HTMLResponse(page)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("geceval.serve", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
