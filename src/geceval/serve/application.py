"""The application: routes, protection, database and jobs put together."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from geceval import __version__
from geceval.errors import GecevalError
from geceval.serve.configuration import ServerConfiguration
from geceval.serve.database import Database
from geceval.serve.jobs.runner import JobRunner
from geceval.serve.protection import Protection
from geceval.serve.routes import (
    job_routes,
    page_routes,
    participant_routes,
    task_routes,
    try_routes,
)
from geceval.serve.trials import Trials

API = "/api/v1"


@dataclass(slots=True)
class ServerState:
    """What all routes share."""

    configuration: ServerConfiguration
    database: Database
    runner: JobRunner
    trials: Trials = field(default_factory=Trials)
    local_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def requires_tokens(self) -> bool:
        """Whether people need tokens."""
        return self.configuration.requires_tokens


def create_app(configuration: ServerConfiguration) -> FastAPI:
    """Create the application.

    Parameters
    ----------
    configuration
        Settings of the server.
    """
    database = Database(configuration.database)
    state = ServerState(configuration, database, JobRunner(database, configuration))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        state.runner.start()
        try:
            yield
        finally:
            state.runner.stop()
            database.close()

    app = FastAPI(
        title="geceval",
        summary="Evaluation of grammatical error correction",
        version=__version__,
        lifespan=lifespan,
        # The usual pages load scripts from elsewhere; ours works offline.
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
    )
    app.state.server = state
    app.add_exception_handler(GecevalError, _refuse)
    for routes in (try_routes, job_routes, task_routes, participant_routes):
        app.include_router(routes.router, prefix=API)
    app.include_router(page_routes.router, include_in_schema=False)
    limits = configuration.limits
    app.add_middleware(
        Protection,
        host_names=configuration.host_names,
        upload_bytes=limits.upload_bytes,
        requests_per_minute=limits.requests_per_minute if configuration.requires_tokens else 0,
        unlimited=(f"{API}/try", "/static"),
    )
    return app


async def _refuse(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=422)
