"""Run the server until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from geceval.engines.process import switch_interval
from geceval.errors import GecevalError, os_reason
from geceval.serve.application import create_app
from geceval.serve.configuration import ServerConfiguration

_BACKLOG = 2048
_GRACE_SECONDS = 5
_SWITCH_SECONDS = 0.0005


def run_server(configuration: ServerConfiguration, on_start: Callable[[str], None]) -> None:
    """Serve until a signal comes.

    Parameters
    ----------
    configuration
        Settings of the server.
    on_start
        Called with the address when the server listens.
    """
    app = create_app(configuration)
    listener = _listen(configuration.host, configuration.port)
    port = listener.getsockname()[1]
    host = f"[{configuration.host}]" if ":" in configuration.host else configuration.host
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
    )
    on_start(f"http://{host}:{port}/")
    # A thread that analyzes text must not make the others wait.
    with listener, switch_interval(_SWITCH_SECONDS):
        server.run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise GecevalError(
            f"cannot listen on {host}, port {port}: {os_reason(error)}; try another --port"
        ) from error
    listener.listen(_BACKLOG)
    return listener
