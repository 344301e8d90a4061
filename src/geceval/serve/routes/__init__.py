"""The routes of the application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request

from geceval.serve.access import Identity, identify, required_identity, required_organizer
from geceval.serve.schemas import Refusal

if TYPE_CHECKING:
    from geceval.serve.application import ServerState

Anybody = Annotated[Identity | None, Depends(identify)]
"""Whoever sends a request; None if unknown."""

Somebody = Annotated[Identity, Depends(required_identity)]
"""A participant or an organizer."""

Organizer = Annotated[Identity, Depends(required_organizer)]
"""An organizer."""


def state_of(request: Request) -> ServerState:
    """Return what all routes share."""
    state: ServerState = request.app.state.server
    return state


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    """Describe the refusals of a route."""
    return {code: {"model": Refusal} for code in (*codes, 400, 413, 429)}
