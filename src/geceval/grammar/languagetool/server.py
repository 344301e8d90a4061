"""Start and stop LanguageTool servers on this machine."""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from geceval.errors import GecevalError
from geceval.grammar.base import Notify
from geceval.grammar.languagetool.client import Client
from geceval.grammar.languagetool.install import (
    Installation,
    get_installation,
    get_java,
    home,
)
from geceval.storage import strict_json
from geceval.storage.atomic import write_bytes

HOST = "127.0.0.1"
MAIN_CLASS = "org.languagetool.server.HTTPServer"
DEFAULT_MEMORY = "1g"
STARTUP_TIMEOUT = 180.0
_POLL = 0.1
_POLL_TIMEOUT = 10.0
_STOP_TIMEOUT = 10.0
_ATTEMPTS = 3

# Pipelines are cached because creating one takes longer than checking a sentence. Analyzed
# sentences are cached because each is checked twice (see `batching`). Neither changes results.
SETTINGS = {
    "pipelineCaching": "true",
    "maxPipelinePoolSize": "64",
    "pipelineExpireTimeInSeconds": "86400",
    "cacheSize": "2000",
    "cacheTTLSeconds": "300",
}

# Kills the server when its input pipe closes, however our process ends.
_GUARD = 'while read -r line; do :; done; kill "$1" 2>/dev/null'


def command(
    java: str,
    installation: Installation,
    port: int,
    settings: Path,
    *,
    memory: str = DEFAULT_MEMORY,
) -> list[str]:
    """Return the command line of a server."""
    return [
        java,
        # Without it, responses on persistent connections wait for a delayed acknowledgement.
        "-Dsun.net.httpserver.nodelay=true",
        f"-Xmx{memory}",
        "-cp",
        installation.class_path,
        MAIN_CLASS,
        *("--port", str(port), "--config", str(settings)),
    ]


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _launch(log: Path, *, memory: str) -> tuple[subprocess.Popen[bytes], int]:
    java = get_java()
    installation = get_installation()
    log.parent.mkdir(parents=True, exist_ok=True)
    settings = home() / "server.properties"
    text = "".join(f"{name}={value}\n" for name, value in SETTINGS.items())
    if not settings.is_file() or settings.read_text() != text:
        write_bytes(settings, text.encode())
    port = free_port()
    with log.open("wb") as out:
        process = subprocess.Popen(  # noqa: S603
            command(java, installation, port, settings, memory=memory),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            # Ctrl-C must reach only us: we stop the server ourselves.
            start_new_session=True,
        )
    return process, port


def _wait_until_ready(
    process: subprocess.Popen[bytes], port: int, log: Path, notify: Notify | None
) -> None:
    """Wait until a server responds, which it does once loaded."""
    start = time.monotonic()
    last_reported = -1
    while process.poll() is None:
        if _responds(port):
            return
        seconds = time.monotonic() - start
        if seconds > STARTUP_TIMEOUT:
            raise GecevalError(
                f"LanguageTool did not start within {STARTUP_TIMEOUT:g} s; see {log}"
            )
        if notify is not None and int(seconds) > last_reported:
            last_reported = int(seconds)
            notify(f"starting LanguageTool ({last_reported} s)")
        time.sleep(_POLL)
    raise GecevalError(
        f"LanguageTool exited with code {process.returncode} while starting: {_last_line(log)}"
    )


def _responds(port: int) -> bool:
    try:
        with Client(f"http://{HOST}:{port}", timeout=_POLL_TIMEOUT) as client:
            client.version()
    except GecevalError:
        return False
    return True


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no output"


class Server:
    """A server that ends with this process.

    Parameters
    ----------
    memory
        Maximum heap size of Java.
    notify
        Callback for progress messages.
    """

    def __init__(self, *, memory: str = DEFAULT_MEMORY, notify: Notify | None = None) -> None:
        self._owner = os.getpid()
        self._log = home() / f"server-{self._owner}.log"
        self._guard: subprocess.Popen[bytes] | None = None
        self.process, port = self._start(memory, notify)
        self.url = f"http://{HOST}:{port}"

    def _start(self, memory: str, notify: Notify | None) -> tuple[subprocess.Popen[bytes], int]:
        for attempt in range(_ATTEMPTS):
            self.process, port = _launch(self._log, memory=memory)
            atexit.register(self.stop)
            self._guard = _guard(self.process)
            try:
                _wait_until_ready(self.process, port, self._log, notify)
            except GecevalError:
                is_taken = "Address already in use" in self._log.read_text(errors="replace")
                self.stop()
                if not is_taken or attempt == _ATTEMPTS - 1:
                    raise
            else:
                break
        return self.process, port

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Stop the server, unless called in a forked process."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.stop)
        _terminate(self.process)
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.kill()
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None
        self._log.unlink(missing_ok=True)


def _guard(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes] | None:
    """Start a process that stops the server if ours is killed."""
    if os.name != "posix":
        return None
    return subprocess.Popen(  # noqa: S603
        ["/bin/sh", "-c", _GUARD, "guard", str(process.pid)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )


def _terminate(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass(frozen=True, slots=True)
class BackgroundServer:
    """A background server for all processes of a user."""

    pid: int
    port: int
    version: str

    @property
    def url(self) -> str:
        """Address of the server."""
        return f"http://{HOST}:{self.port}"


def _state_file() -> Path:
    return home() / "server.json"


def find_background() -> BackgroundServer | None:
    """Return the background server if it is running."""
    try:
        record = json.loads(_state_file().read_text())
        state = BackgroundServer(int(record["pid"]), int(record["port"]), str(record["version"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return state if _is_ours(state.pid, state.port) and _responds(state.port) else None


def _is_ours(pid: int, port: int) -> bool:
    """Whether a process is our server: its PID may have been reused."""
    words = _command_line(pid)
    return MAIN_CLASS in words and str(port) in words


def _command_line(pid: int) -> list[str]:
    if Path("/proc/self/cmdline").exists():
        try:
            data = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return []
        return data.decode(errors="replace").split("\0")
    try:
        done = subprocess.run(  # noqa: S603
            ["/bin/ps", "-o", "command=", "-p", str(pid)],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return []
    return done.stdout.split()


def start_background(
    *, memory: str = DEFAULT_MEMORY, notify: Notify | None = None
) -> tuple[BackgroundServer, bool]:
    """Start a background server, and return it and whether it is new.

    A lock ensures that concurrent calls share one server.
    """
    with _locked(home() / "server.lock"):
        found = find_background()
        return (found, False) if found else (_start_background(memory, notify), True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file lock, which the system releases however the holder ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _start_background(memory: str, notify: Notify | None) -> BackgroundServer:
    log = home() / "server.log"
    process, port = _launch(log, memory=memory)
    try:
        _wait_until_ready(process, port, log, notify)
        state = BackgroundServer(process.pid, port, get_installation().version)
        record = strict_json.dumps(asdict(state), ascii_only=True)
        write_bytes(_state_file(), record.encode() + b"\n")
    except BaseException:
        _terminate(process)
        raise
    # Otherwise Python would warn about a child that is still running.
    process.returncode = 0
    return state


def stop_background() -> BackgroundServer | None:
    """Stop the background server and return it; None if there was none."""
    found = find_background()
    _state_file().unlink(missing_ok=True)
    if found is None:
        return None
    with suppress(ProcessLookupError):
        os.kill(found.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_TIMEOUT
    while _is_ours(found.pid, found.port):
        if time.monotonic() > deadline:
            with suppress(ProcessLookupError):
                os.kill(found.pid, signal.SIGKILL)
        time.sleep(_POLL)
    return found
