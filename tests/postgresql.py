"""A real PostgreSQL server, Debian's, on loopback for the time of a test."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from requirements import skip_or_fail


@contextmanager
def running_postgresql() -> Iterator[str]:
    """Start a server with an empty database, and yield its URL; skip where there is none."""
    programs = _programs()
    if programs is None:
        skip_or_fail("postgresql", "no initdb and pg_ctl (Debian: apt install postgresql)")
    # Not in a folder of pytest, which nobody else may enter.
    with tempfile.TemporaryDirectory(prefix="geceval-postgresql-") as folder:
        yield from _running(programs, Path(folder))


def _running(programs: Path, folder: Path) -> Iterator[str]:
    data, port = folder / "data", _free_port()
    as_user = _ordinary_user(folder)
    _run(as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "geceval", "--no-sync")
    settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    start = (programs / "pg_ctl", "-D", data, "-w", "-o", settings, "-l", folder / "log", "start")
    _run(as_user, *start)
    try:
        yield f"postgresql+pg8000://geceval@127.0.0.1:{port}/postgres"
    finally:
        _run(as_user, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")


def _programs() -> Path | None:
    """Return the folder of the newest version; Debian does not put it on the path."""
    on_path = shutil.which("pg_ctl")
    found = [Path(on_path).parent] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((one for one in found if (one / "initdb").exists()), None)


def _ordinary_user(folder: Path) -> list[str]:
    """Return a command that runs another as a user whom PostgreSQL accepts, which root is not."""
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam("postgres" if _exists("postgres") else "nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _run(as_user: list[str], *command: object) -> None:
    words = [*as_user, *map(str, command)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=120)  # noqa: S603
