"""Participants, their tokens, and browser sessions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request, Response
from pydantic import BaseModel, StringConstraints
from sqlalchemy import select

from geceval.serve.access import COOKIE, add_participant, log_in, log_out, revoke
from geceval.serve.database.orm import Participant
from geceval.serve.protection import RateLimit
from geceval.serve.routes import Organizer, problems, state_of
from geceval.serve.schemas import NewParticipant, ParticipantInfo, ParticipantRequest

router = APIRouter(tags=["participants"])

_LOGINS_PER_MINUTE = 10
_logins = RateLimit(_LOGINS_PER_MINUTE)


class LoginRequest(BaseModel):
    """The token of a participant."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)]


@router.get("/participants", responses=problems(401, 403))
def list_participants(request: Request, who: Organizer) -> list[ParticipantInfo]:  # noqa: ARG001
    """List all participants."""
    with state_of(request).database.reading() as session:
        return [
            ParticipantInfo(
                name=one.name,
                is_organizer=one.is_organizer,
                created=one.created,
                is_revoked=one.revoked is not None,
            )
            for one in session.scalars(select(Participant).order_by(Participant.name))
        ]


@router.post("/participants", status_code=201, responses=problems(401, 403, 422))
def new_participant(request: Request, who: Organizer, given: ParticipantRequest) -> NewParticipant:  # noqa: ARG001
    """Add a participant; the token is shown only once."""
    with state_of(request).database.writing() as session:
        token = add_participant(session, given.name, is_organizer=given.is_organizer)
    return NewParticipant(name=given.name, token=token)


@router.delete("/participants/{name}", status_code=204, responses=problems(401, 403, 404, 422))
def revoke_participant(
    request: Request,
    who: Organizer,
    name: Annotated[str, Path(max_length=100)],
) -> None:
    """Make the token of a participant invalid; their submissions stay."""
    with state_of(request).database.writing() as session:
        if session.scalar(select(Participant.id).where(Participant.name == name)) is None:
            raise HTTPException(404, "there is no such participant")
        if name == who.name:
            raise HTTPException(422, "you cannot revoke your own token")
        revoke(session, name)


@router.post("/session", status_code=204, responses=problems(401, 422))
def open_session(request: Request, response: Response, given: LoginRequest) -> None:
    """Log a browser in by a token."""
    state = state_of(request)
    client = request.client.host if request.client else ""
    if not _logins.allows(client):
        raise HTTPException(429, "too many attempts: wait a minute")
    with state.database.writing() as session:
        secret = log_in(session, given.token.strip())
    if secret is None:
        raise HTTPException(401, "the token is not valid")
    is_secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, secret, httponly=True, samesite="strict", secure=is_secure)


@router.delete("/session", status_code=204, responses=problems(401))
def close_session(request: Request, response: Response) -> None:
    """Log a browser out."""
    secret = request.cookies.get(COOKIE)
    if secret is not None:
        with state_of(request).database.writing() as session:
            log_out(session, secret)
    response.delete_cookie(COOKIE)
