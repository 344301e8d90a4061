"""A server that talks like LanguageTool, with a few rules of its own; also a stand-in for Java.

``BAD`` objects to each word "bad" of a sentence. Three rules look at the whole text:
``COHERENCY`` objects to "color" after "colour" and the other way round, ``CAPITAL`` to a sentence
that begins with a small letter unless the one before ends with a comma, and nothing hides them.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

VERSION = "6.8"
PAIR = {"colour": "color", "color": "colour"}


def units(text: str) -> int:
    """Return the length of a text as Java sees it."""
    return len(text.encode("utf-16-le")) // 2


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text into sentences, at blank lines and behind full stops."""
    for match in re.finditer(r"(?:(?!\n\n|\. ).)+\.?", text, re.DOTALL):
        found = match[0].lstrip()
        if found:
            yield match.end() - len(found), found


def findings(text: str, mode: str) -> Iterator[tuple[str, int, int]]:
    """Apply the rules: name, start and end in characters."""
    if mode != "textLevelOnly":
        for start, sentence in sentences(text):
            for match in re.finditer(r"\bbad\b", sentence):
                yield "BAD", start + match.start(), start + match.end()
    if mode != "allButTextLevelOnly":
        unwanted: set[str] = set()
        for match in re.finditer(r"\bcolou?r\b", text):
            if match[0] in unwanted:
                yield "COHERENCY", *match.span()
            else:
                unwanted.add(PAIR[match[0]])
        before = ""
        for start, sentence in sentences(text):
            if sentence[0].islower() and not before.endswith(","):
                yield "CAPITAL", start, start + 1
            before = sentence


def reply(text: str, mode: str) -> dict[str, Any]:
    """Answer as LanguageTool does."""
    return {
        "software": {"name": "LanguageTool", "version": VERSION, "premium": False},
        "warnings": {"incompleteResults": False},
        "matches": [
            {
                "message": f"{rule} found",
                "offset": units(text[:start]),
                "length": units(text[start:end]),
                "rule": {"id": rule},
            }
            for rule, start, end in sorted(findings(text, mode), key=lambda found: found[1:])
        ],
        "sentenceRanges": [
            [units(text[:start]), units(text[: start + len(sentence)])]
            for start, sentence in sentences(text)
        ],
    }


class Handler(BaseHTTPRequestHandler):
    """Keeps connections open, as LanguageTool does."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer leaves in one piece and waits for no acknowledgement
    server: FakeLanguageTool

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        software = {"name": "LanguageTool", "version": VERSION, "premium": self.server.is_premium}
        self.answer(200, json.dumps({"software": software}).encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self.server.paths.append(self.path)
        self.server.forms.append(form)
        if len(self.server.forms) > self.server.dies_after:
            self.server.die()
            self.close_connection = True
            return
        time.sleep(self.server.delay)
        if self.server.garbage is not None:
            self.answer(200, self.server.garbage)
        elif len(form["text"]) > self.server.longest:
            self.answer(413, b"Error: Your text exceeds the limit")
        else:
            record = reply(form["text"], form.get("mode", "all")) | self.server.extra
            self.answer(200, json.dumps(record).encode())
        if self.server.closes:
            self.close_connection = True

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class FakeLanguageTool(ThreadingHTTPServer):
    """A server on a free port of this machine, with the faults that a test asks for."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.forms: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.sockets: list[socket.socket] = []
        self.dies_after = 10**9
        self.longest = 10**9
        self.delay = 0.0
        self.garbage: bytes | None = None
        self.extra: dict[str, Any] = {}
        self.closes = False
        self.is_premium = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self.sockets.append(connection)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: connections that break are what is tested."""

    def start(self) -> FakeLanguageTool:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def die(self) -> None:
        """Go away in the midst of things."""
        self.socket.close()
        for connection in self.sockets:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self.die()


def write_script(path: Path, text: str) -> Path:
    """Make a program that stands for Java or Maven."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def main() -> None:
    """Run as Java would: ``-version``, or a server on the port behind ``--port``."""
    words = sys.argv[1:]
    if words == ["-version"]:
        sys.stderr.write('openjdk version "17.0.1" 2021-10-19\n')
        return
    FakeLanguageTool(int(words[words.index("--port") + 1])).serve_forever(0.01)


if __name__ == "__main__":
    main()
