"""Middleware: limits on requests, valid host names, and security headers."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from geceval.storage import strict_json

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy of our pages: nothing but what this server has."""

REPORT_POLICY = "sandbox allow-scripts allow-downloads allow-modals; frame-ancestors 'none'"
"""Policy of reports, beside their own: they cannot act as the person who looks at them."""

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_POLICY_HEADER = b"content-security-policy"
_MINUTE = 60.0
_MAX_CLIENTS = 10_000


class Protection:
    """Checks requests before anything else, and completes the headers of responses.

    Parameters
    ----------
    app
        The application.
    host_names
        Valid host names; None for any.
    upload_bytes
        Maximum size of a request.
    requests_per_minute
        Maximum rate of one address; 0 for any.
    unlimited
        Path prefixes to which the rate does not apply.
    """

    def __init__(
        self,
        app: Application,
        *,
        host_names: frozenset[str] | None,
        upload_bytes: int,
        requests_per_minute: int,
        unlimited: tuple[str, ...] = (),
    ) -> None:
        self._app = app
        self._host_names = host_names
        self._upload_bytes = upload_bytes
        self._rate = RateLimit(requests_per_minute)
        self._unlimited = unlimited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        send = _with_headers(send)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        body = _BoundedBody(receive, self._upload_bytes)

        async def send_unless_exceeded(message: Message) -> None:
            # Whatever the application makes of half a body, the reason is its size.
            if not body.is_exceeded:
                await send(message)

        await self._app(scope, body.receive, send_unless_exceeded)
        if body.is_exceeded:
            await _answer(send, 413, self._too_large())

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Return status and message if a request is refused."""
        if self._host_names is not None:
            host = headers.get(b"host", b"").decode("latin-1")
            name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
            if name not in self._host_names:
                return 400, "this server does not answer to this host name"
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return 400, "the length of the request is not a number"
        if int(length) > self._upload_bytes:
            return 413, self._too_large()
        client = scope["client"][0] if scope.get("client") else ""
        if not scope["path"].startswith(self._unlimited) and not self._rate.allows(client):
            return 429, "too many requests: wait a minute"
        return None

    def _too_large(self) -> str:
        return f"the request is larger than the {self._upload_bytes >> 20:,} MB that are allowed"


class RateLimit:
    """A maximum number of requests per minute for each client.

    Parameters
    ----------
    per_minute
        The maximum; 0 for any number.

    Examples
    --------
    >>> limit = RateLimit(2)
    >>> [limit.allows("a", moment=0.0) for _ in range(3)], limit.allows("a", moment=61.0)
    ([True, True, False], True)
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()

    def allows(self, client: str, *, moment: float | None = None) -> bool:
        """Count a request, unless there were too many in the last minute."""
        if not self._per_minute:
            return True
        moment = time.monotonic() if moment is None else moment
        times = self._seen.setdefault(client, deque())
        self._seen.move_to_end(client)
        if len(self._seen) > _MAX_CLIENTS:
            self._seen.popitem(last=False)
        while times and times[0] <= moment - _MINUTE:
            times.popleft()
        if len(times) >= self._per_minute:
            return False
        times.append(moment)
        return True


class _BoundedBody:
    """The body of a request, which ends when it gets too large."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._left = limit

    @property
    def is_exceeded(self) -> bool:
        return self._left < 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self.is_exceeded:
            return {"type": "http.request", "body": b"", "more_body": False}
        return message


def _with_headers(send: Send) -> Send:
    """Add security headers to a response, unless it has its own policy."""

    async def complete(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), *_HEADERS]
            names = {name.lower() for name, _ in headers}
            if _POLICY_HEADER not in names:
                headers.append((_POLICY_HEADER, POLICY.encode()))
            if b"cache-control" not in names:
                headers.append((b"cache-control", b"no-store"))
            message = {**message, "headers": headers}
        await send(message)

    return complete


async def _answer(send: Send, status: int, detail: str) -> None:
    body = strict_json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
