"""Client of a LanguageTool server with persistent connections."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias
from urllib.parse import urlencode, urlsplit

from geceval.errors import GecevalError

Connection: TypeAlias = http.client.HTTPConnection

DEFAULT_TIMEOUT = 300.0

_LOST = (ConnectionError, http.client.BadStatusLine, http.client.IncompleteRead)
"""Errors of a lost connection."""


class ServerUnavailableError(GecevalError):
    """The server is unreachable, disconnected or does not respond."""


class AbortedError(GecevalError):
    """The request was aborted."""


class RejectedError(GecevalError):
    """The server rejected a text."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a rule; positions are UTF-16 code units."""

    rule: str
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Response:
    """The response to one text.

    Parameters
    ----------
    matches
        Matches of rules.
    sentences
        Sentence starts according to LanguageTool, in UTF-16 code units; None if unknown.
    """

    matches: tuple[Match, ...]
    sentences: tuple[int, ...] | None


class Client:
    """A thread-safe client of one server.

    Parameters
    ----------
    url
        Address of the server, with or without ``/v2``.
    timeout
        Timeout in seconds.
    """

    def __init__(self, url: str, *, timeout: float = DEFAULT_TIMEOUT) -> None:
        self.url = url
        self._timeout = timeout
        self._idle: list[Connection] = []
        self._busy: set[Connection] = set()
        self._is_retired = False
        self.is_aborted = False
        try:
            parts = urlsplit(url)
            self._secure = {"http": False, "https": True}[parts.scheme]
            self._host, self._port = parts.hostname or "", parts.port
        except (ValueError, KeyError):
            raise GecevalError(f"the address of LanguageTool is not a URL: {url!r}") from None
        if not self._host:
            raise GecevalError(f"the address of LanguageTool has no host: {url!r}")
        path = parts.path.rstrip("/").removesuffix("/check").removesuffix("/v2")
        self._path = f"{path}/v2"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def version(self) -> str:
        """Return the version of the server."""
        software = self._object(self._request("GET", "/info"), "software")
        version = software.get("version")
        if not isinstance(version, str):
            raise self._not_languagetool()
        return f"{version}-premium" if software.get("premium") else version

    def check(self, fields: Mapping[str, str]) -> Response:
        """Send a form for checking."""
        form = urlencode(fields, errors="surrogatepass").encode("ascii")
        reply = self._request("POST", "/check", form)
        warned = reply.get("warnings")
        if isinstance(warned, dict) and warned.get("incompleteResults"):
            raise RejectedError(f"LanguageTool at {self.url} did not finish checking a text")
        try:
            matches = tuple(_match(record) for record in reply["matches"])
            ranges = reply.get("sentenceRanges")
            starts = None if ranges is None else tuple(int(start) for start, _ in ranges)
        except (KeyError, TypeError, ValueError):
            raise self._not_languagetool() from None
        return Response(matches, starts)

    def close(self) -> None:
        """Close the idle connections."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                # Another thread may have taken the last connection.
                return
            connection.close()

    def retire(self) -> None:
        """Close all connections, those in use when they are returned."""
        self._is_retired = True
        self.close()

    def abort(self) -> None:
        """Abort all requests in flight, also those of other threads, and refuse new ones."""
        self.is_aborted = True
        self.retire()
        for connection in tuple(self._busy):
            # A thread that is yet to connect sees what was set above.
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def _request(self, method: str, path: str, body: bytes | None = None) -> dict[str, Any]:
        """Send a request; reconnect if the connection was closed in the meantime."""
        while True:
            try:
                connection, is_fresh = self._idle.pop(), False
            except IndexError:
                connection, is_fresh = self._connect(), True
            self._busy.add(connection)
            try:
                status, data = self._exchange(connection, method, path, body)
            except TimeoutError:
                connection.close()
                raise ServerUnavailableError(
                    f"LanguageTool at {self.url} did not respond within {self._timeout:g} s"
                ) from None
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._check_wanted()
                if not is_fresh and isinstance(error, _LOST):
                    continue
                raise self._unreachable(error) from error
            finally:
                self._busy.discard(connection)
            break
        self._idle.append(connection)
        if self._is_retired:
            self.close()
        if status != http.client.OK:
            message = " ".join(data.decode("utf-8", "replace").split())[:300]
            raise RejectedError(f"LanguageTool at {self.url} responded with {status}: {message}")
        return self._parse(data)

    def _connect(self) -> Connection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=self._timeout)

    def _exchange(
        self, connection: Connection, method: str, path: str, body: bytes | None
    ) -> tuple[int, bytes]:
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._check_wanted()
        connection.request(method, self._path + path, body, headers)
        self._check_wanted()
        response = connection.getresponse()
        return response.status, response.read()

    def _check_wanted(self) -> None:
        if self.is_aborted:
            raise AbortedError(f"LanguageTool at {self.url} is not waited for any more")

    def _parse(self, data: bytes) -> dict[str, Any]:
        try:
            reply = json.loads(data)
        except (ValueError, RecursionError):
            raise self._not_languagetool() from None
        if not isinstance(reply, dict):
            raise self._not_languagetool()
        return reply

    def _object(self, reply: dict[str, Any], name: str) -> dict[str, Any]:
        value = reply.get(name)
        if not isinstance(value, dict):
            raise self._not_languagetool()
        return value

    def _not_languagetool(self) -> GecevalError:
        return GecevalError(f"{self.url} does not respond like LanguageTool")

    def _unreachable(self, error: Exception) -> GecevalError:
        if isinstance(error, http.client.HTTPException) and not isinstance(error, _LOST):
            return self._not_languagetool()
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return ServerUnavailableError(f"LanguageTool at {self.url} cannot be reached: {reason}")


def _match(record: Any) -> Match:
    start, length = int(record["offset"]), int(record["length"])
    return Match(str(record["rule"]["id"]), start, start + length, str(record.get("message", "")))
