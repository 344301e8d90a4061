"""Who may do what: tokens, browser sessions, and protection against other sites."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from fastapi import HTTPException, Request
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from geceval.errors import GecevalError
from geceval.serve.database.orm import Participant, WebSession, now

if TYPE_CHECKING:
    from geceval.serve.application import ServerState

COOKIE = "geceval_session"
CSRF_HEADER = "x-csrf-token"
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_SESSION_TIME = timedelta(days=14)
_MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody who uses the server; `participant_id` is None for the user of a local server."""

    participant_id: int | None
    name: str
    is_organizer: bool

    def owns(self, participant_id: int | None) -> bool:
        """Whether something belongs to this person, or may be seen by an organizer."""
        return self.is_organizer or (
            participant_id is not None and participant_id == self.participant_id
        )


LOCAL = Identity(None, "local", is_organizer=True)


def hashed(secret: str) -> str:
    """Return the hash under which a random secret is stored."""
    # Secrets have 256 random bits, so a fast hash cannot be searched.
    return hashlib.sha256(secret.encode()).hexdigest()


def add_participant(session: Session, name: str, *, is_organizer: bool = False) -> str:
    """Add somebody and return their token, which is shown once and stored as a hash."""
    name = name.strip()
    if not name or len(name) > _MAX_NAME or not name.isprintable():
        raise GecevalError(f"a participant needs a name of 1 to {_MAX_NAME} printable characters")
    if session.scalar(select(Participant.id).where(Participant.name == name)) is not None:
        raise GecevalError(f"there is a participant {name!r} already")
    token = secrets.token_urlsafe(32)
    session.add(Participant(name=name, token_hash=hashed(token), is_organizer=is_organizer))
    session.flush()
    return token


def revoke(session: Session, name: str) -> None:
    """Make the token of a participant invalid, and end their sessions; their scores stay."""
    found = session.scalar(select(Participant).where(Participant.name == name))
    if found is None:
        raise GecevalError(f"there is no participant {name!r}")
    found.revoked = now()
    session.execute(delete(WebSession).where(WebSession.participant_id == found.id))


def log_in(session: Session, token: str) -> str | None:
    """Open a browser session for a token, and return its secret; None if the token is wrong."""
    found = _by_token(session, token)
    if found is None:
        return None
    secret = secrets.token_urlsafe(32)
    session.execute(delete(WebSession).where(WebSession.expires < now()))
    session.add(
        WebSession(
            secret_hash=hashed(secret), participant_id=found.id, expires=now() + _SESSION_TIME
        )
    )
    return secret


def log_out(session: Session, secret: str) -> None:
    """End a browser session."""
    session.execute(delete(WebSession).where(WebSession.secret_hash == hashed(secret)))


def csrf_token(state: ServerState, secret: str | None) -> str:
    """Return what pages send along with every request that changes something."""
    key = secret if secret is not None else state.local_secret
    return hmac.new(key.encode(), b"csrf", hashlib.sha256).hexdigest()


def identify(request: Request) -> Identity | None:
    """Return who sends a request; None if they are unknown.

    Raises
    ------
    HTTPException
        If the token is wrong, or the request was made by a page of another site.
    """
    state: ServerState = request.app.state.server
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        with state.database.reading() as session:
            found = _by_token(session, token.strip())
        if found is None:
            raise HTTPException(401, "the token is not valid")
        return _identity(found)
    secret = request.cookies.get(COOKIE)
    _check_origin(request, csrf_token(state, secret if state.requires_tokens else None))
    if not state.requires_tokens:
        return LOCAL
    if secret is None:
        return None
    with state.database.reading() as session:
        found = session.scalar(
            select(Participant)
            .join(WebSession, WebSession.participant_id == Participant.id)
            .where(WebSession.secret_hash == hashed(secret), WebSession.expires > now())
            .where(Participant.revoked.is_(None))
        )
    return None if found is None else _identity(found)


def required_identity(request: Request) -> Identity:
    """Return who sends a request; refuse those who are unknown."""
    identity = identify(request)
    if identity is None:
        raise HTTPException(
            401,
            "this server needs a token: send the header 'Authorization: Bearer TOKEN'",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return identity


def required_organizer(request: Request) -> Identity:
    """Return the organizer who sends a request; refuse everybody else."""
    identity = required_identity(request)
    if not identity.is_organizer:
        raise HTTPException(403, "only organizers may do this")
    return identity


def _identity(found: Participant) -> Identity:
    return Identity(found.id, found.name, found.is_organizer)


def _by_token(session: Session, token: str) -> Participant | None:
    return session.scalar(
        select(Participant).where(
            Participant.token_hash == hashed(token), Participant.revoked.is_(None)
        )
    )


def _check_origin(request: Request, expected: str) -> None:
    """Refuse changes that a browser makes without the secret of our own pages."""
    if request.method in _SAFE_METHODS:
        return
    is_browser = "origin" in request.headers or "sec-fetch-site" in request.headers
    if not is_browser and COOKIE not in request.cookies:
        return
    given = request.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise HTTPException(403, "this request did not come from a page of this server")
