"""Settings of the server."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from geceval.errors import OptionError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""Host names by which a browser on this machine reaches a local server."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits on what people may send, and on the work that it may cause.

    Parameters
    ----------
    upload_bytes
        Size of a request, with all its files.
    expanded_bytes
        Size of a file after decompression.
    files
        Number of outputs in one request.
    sentences, tokens
        Number of sentences of a file, and of tokens of a sentence.
    characters
        Length of a text to try.
    job_seconds, job_bytes
        Time and memory of a job.
    requests_per_minute
        Requests of one participant or address, other than those that try a text; 0 for no limit.
    queued_jobs
        Jobs of one participant that may wait or run at the same time.
    """

    upload_bytes: int = 64 << 20
    expanded_bytes: int = 512 << 20
    files: int = 50
    sentences: int = 200_000
    tokens: int = 3_000
    characters: int = 10_000
    job_seconds: int = 900
    job_bytes: int = 8 << 30
    requests_per_minute: int = 600
    queued_jobs: int = 20


@dataclass(frozen=True, slots=True)
class ServerConfiguration:
    """Settings of a server.

    Parameters
    ----------
    database
        URL of the database.
    host, port
        Address to listen on.
    names
        Further host names by which the server is reached, such as that of a proxy.
    workers
        Number of jobs that run at the same time.
    limits
        Limits on requests and jobs.
    lease_seconds
        Time after which a job whose server has not been heard of is given to another.

    Examples
    --------
    >>> ServerConfiguration("sqlite:///board.db").requires_tokens
    False
    >>> ServerConfiguration("sqlite:///board.db", host="0.0.0.0").requires_tokens
    True
    """

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    workers: int = 1
    limits: ServerLimits = field(default_factory=ServerLimits)
    lease_seconds: float = 15.0

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise OptionError(f"a server needs at least one worker, not {self.workers}")

    @property
    def requires_tokens(self) -> bool:
        """Whether people need tokens, which is so unless only this machine can reach the server."""
        return not is_loopback(self.host) or bool(self.names)

    @property
    def host_names(self) -> frozenset[str] | None:
        """Valid values of the Host header without the port; None for any.

        A local server has no passwords, so a page of another site must not be able to reach it by
        a name that resolves to this machine.
        """
        if not is_loopback(self.host):
            return None
        return frozenset((*LOOPBACK_NAMES, *self.names))


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "gec.test")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def sqlite_url(path: Path) -> str:
    """Return the URL of an SQLite database."""
    return f"sqlite:///{path.absolute()}"
