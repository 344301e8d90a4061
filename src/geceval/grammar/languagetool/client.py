"""Asking a LanguageTool server over connections that stay open."""

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
"""What a server that went away looks like."""


class ServerGoneError(GecevalError):
    """There is no answer: the server is not there, went away, or hangs."""


class AbortedError(GecevalError):
    """Nobody waits for the answer any more."""


class RefusedError(GecevalError):
    """The server answers that it will not check a text."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a rule found; positions are UTF-16 units."""

    rule: str
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one text.

    Parameters
    ----------
    matches
        What was found.
    sentences
        Where LanguageTool sees sentences begin, in UTF-16 units; None where it does not say.
    """

    matches: tuple[Match, ...]
    sentences: tuple[int, ...] | None


class Client:
    """Asks one server; any number of threads may do so at a time.

    Parameters
    ----------
    url
        Address of the server, with or without ``/v2``.
    timeout
        Seconds to wait for an answer.
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
        software = self._object(self._ask("GET", "/info"), "software")
        version = software.get("version")
        if not isinstance(version, str):
            raise self._not_languagetool()
        return f"{version}-premium" if software.get("premium") else version

    def check(self, fields: Mapping[str, str]) -> Answer:
        """Send a form to be checked."""
        form = urlencode(fields, errors="surrogatepass").encode("ascii")
        reply = self._ask("POST", "/check", form)
        warned = reply.get("warnings")
        if isinstance(warned, dict) and warned.get("incompleteResults"):
            raise RefusedError(f"LanguageTool at {self.url} gave up on a text before its end")
        try:
            matches = tuple(_match(record) for record in reply["matches"])
            ranges = reply.get("sentenceRanges")
            starts = None if ranges is None else tuple(int(start) for start, _ in ranges)
        except (KeyError, TypeError, ValueError):
            raise self._not_languagetool() from None
        return Answer(matches, starts)

    def close(self) -> None:
        """Close the connections that are not in use."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                # Another thread may have taken the last one.
                return
            connection.close()

    def retire(self) -> None:
        """Close all connections, those that other threads still use as soon as they are back."""
        self._is_retired = True
        self.close()

    def abort(self) -> None:
        """End all requests, those that other threads wait for at once; none can be made after."""
        self.is_aborted = True
        self.retire()
        for connection in tuple(self._busy):
            # A thread that is yet to connect sees what was set above.
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def _ask(self, method: str, path: str, body: bytes | None = None) -> dict[str, Any]:
        """Send a request; a connection that was closed in the meantime is opened anew."""
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
                raise ServerGoneError(
                    f"LanguageTool at {self.url} did not answer within {self._timeout:g} s"
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
            said = " ".join(data.decode("utf-8", "replace").split())[:300]
            raise RefusedError(f"LanguageTool at {self.url} answers {status}: {said}")
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
        return GecevalError(f"{self.url} does not answer as LanguageTool does")

    def _unreachable(self, error: Exception) -> GecevalError:
        if isinstance(error, http.client.HTTPException) and not isinstance(error, _LOST):
            return self._not_languagetool()
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return ServerGoneError(f"LanguageTool at {self.url} cannot be reached: {reason}")


def _match(record: Any) -> Match:
    start, length = int(record["offset"]), int(record["length"])
    return Match(str(record["rule"]["id"]), start, start + length, str(record.get("message", "")))
