"""Real servers on loopback, for tests, and what is submitted to them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from geceval.serve.access import add_participant
from geceval.serve.api_client import ServerClient
from geceval.serve.configuration import sqlite_url
from geceval.serve.database import Database

PATIENCE = 60.0
"""Seconds after which something that takes a moment will never happen, on a busy machine too."""

SECRET = "zebra"  # noqa: S105 - no password
"""A word that only the gold standard has."""

GOLD = f"""\
S He like cats .
A 1 2|||R:VERB:SVA|||likes|||REQUIRED|||-NONE-|||0

S They was here .
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0

S I saw a animal .
A 2 3|||R:DET|||the|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||{SECRET}|||REQUIRED|||-NONE-|||0

S It is late .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""
GOOD = f"He likes cats .\nThey were here .\nI saw the {SECRET} .\nIt is late .\n"
FAIR = "He likes cats .\nThey was here .\nI saw an animal .\nIt is late .\n"
NONE = "He like cats .\nThey was here .\nI saw a animal .\nIt is late .\n"
METRICS = ["m2", "gleu"]


@dataclass(slots=True)
class RunningServer:
    """A server process."""

    process: subprocess.Popen[str]
    url: str
    database: str

    def client(self, token: str | None = None) -> ServerClient:
        return ServerClient(self.url, token=token, timeout=PATIENCE)

    def kill(self) -> None:
        """Kill the process, without a chance to tidy up."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Stop the process as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)

    def workers(self) -> list[int]:
        """Return the numbers of the worker processes."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                command = (folder / "cmdline").read_bytes()
            except (OSError, ValueError):
                continue
            if parent == self.process.pid and b"spawn_main" in command:
                found.append(int(folder.name))
        return found


_WITH_LEASE = """
import functools, sys
from geceval.serve import configuration

seconds = float(sys.argv.pop(1))
configuration.ServerConfiguration = functools.partial(
    configuration.ServerConfiguration, lease_seconds=seconds
)
from geceval.cli import main
main()
"""


@contextmanager
def running_server(
    database: str, *options: str, lease_seconds: float | None = None
) -> Iterator[RunningServer]:
    """Run a server until the end of the block; what it leases may expire sooner than usual."""
    program = ["-m", "geceval"]
    if lease_seconds is not None:
        program = ["-c", _WITH_LEASE, str(lease_seconds)]
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, *program, "serve", "--port", "0", "--database", database, *options],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        address = re.search(r"http://\S+", first)
        assert address is not None, first + process.stderr.read()
        yield RunningServer(process, address.group().rstrip("/"), database)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stderr is not None:
            process.stderr.close()


def new_database(folder: Path) -> str:
    return sqlite_url(folder / "serve.db")


def new_token(url: str, name: str, *, is_organizer: bool = False) -> str:
    database = Database(url)
    with database.writing() as session:
        token = add_participant(session, name, is_organizer=is_organizer)
    database.close()
    return token


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
