"""Try a text: edits, alignment and scores."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from geceval import __version__
from geceval.serve.access import required_identity
from geceval.serve.jobs.allowed_metrics import allowed_names
from geceval.serve.routes import Anybody, problems, state_of
from geceval.serve.schemas import (
    MAX_CHARACTERS,
    ServerInfo,
    TryAnswer,
    TryRequest,
    TryScoreAnswer,
    TryScoreRequest,
)
from geceval.serve.trials import choices
from geceval.storage import strict_json

Given = TypeVar("Given")

router = APIRouter(tags=["try"])


@router.get("/info", responses=problems(401))
def info(request: Request, who: Anybody) -> ServerInfo:
    """Return what the server offers."""
    state = state_of(request)
    limits = state.configuration.limits
    return ServerInfo(
        version=__version__,
        requires_tokens=state.requires_tokens,
        name=None if who is None else who.name,
        is_organizer=who is not None and who.is_organizer,
        metrics=allowed_names(),
        choices=choices(),
        limits={
            "upload_bytes": limits.upload_bytes,
            "sentences": limits.sentences,
            "tokens": limits.tokens,
            "characters": MAX_CHARACTERS,
            "files": limits.files,
        },
    )


@router.post("/try", responses={200: {"model": TryAnswer}, **problems(401, 403, 422)})
async def try_edits(request: Request, given: TryRequest) -> Response:
    """Extract and explain the edits between a text and its corrections."""
    return await _answered(request, given, state_of(request).trials.edits)


@router.post("/try/score", responses={200: {"model": TryScoreAnswer}, **problems(401, 403, 422)})
async def try_score(request: Request, given: TryScoreRequest) -> Response:
    """Score a text against references by each metric."""
    return await _answered(request, given, state_of(request).trials.scores)


async def _answered(
    request: Request, given: Given, answer: Callable[[Given], dict[str, Any]]
) -> Response:
    """Answer a request, if it is the first of its kind."""
    state = state_of(request)
    if state.requires_tokens:
        await run_in_threadpool(required_identity, request)
    # Nothing is changed, so a page of another site may ask, but never sees the answer.
    key = request.url.path.encode() + await request.body()
    found = state.trials.cached(key)
    if found is None:
        loop = asyncio.get_running_loop()
        made = await loop.run_in_executor(state.trials.thread, answer, given)
        found = strict_json.dumps(made).encode()
        state.trials.store(key, found)
    return Response(found, media_type="application/json")
