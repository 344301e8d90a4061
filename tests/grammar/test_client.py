"""Asking a server, and what it may do to us."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from fake_languagetool import FakeLanguageTool
from geceval.errors import GecevalError
from geceval.grammar.languagetool.client import Client, Match, RejectedError, ServerUnavailableError


@pytest.fixture
def client(fake: FakeLanguageTool) -> Iterator[Client]:
    with Client(fake.url) as client:
        yield client


def form(text: str) -> dict[str, str]:
    return {"language": "en-US", "text": text, "mode": "all"}


def test_client_reads_answers(client: Client, fake: FakeLanguageTool) -> None:
    answer = client.check(form("He is 😀 bad."))
    assert answer.matches == (Match("BAD", 9, 12, "BAD found"),)
    assert answer.sentences == (0,)
    assert fake.forms == [form("He is 😀 bad.")]


@pytest.mark.parametrize("ending", ["", "/", "/v2", "/v2/", "/v2/check"])
def test_client_takes_any_form_of_the_address(fake: FakeLanguageTool, ending: str) -> None:
    with Client(fake.url + ending) as client:
        assert client.version() == "6.8"
        client.check(form("x"))
    assert fake.paths == ["/v2/info", "/v2/check"]


def test_client_tells_premium_servers_apart(client: Client, fake: FakeLanguageTool) -> None:
    fake.is_premium = True
    assert client.version() == "6.8-premium"


@pytest.mark.parametrize("url", ["localhost:8081", "ftp://x", "http://", "http://x:port", "8081"])
def test_client_refuses_what_is_no_address(url: str) -> None:
    with pytest.raises(GecevalError, match="the address of LanguageTool"):
        Client(url)


def test_client_keeps_connections_open(client: Client, fake: FakeLanguageTool) -> None:
    for _ in range(20):
        client.check(form("A bad thing."))
    assert len(fake.sockets) == 1
    fake.delay = 0.05
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(client.check, [form("A bad thing.")] * 12))
    assert len(fake.sockets) <= 3
    client.close()
    fake.delay = 0.0
    client.check(form("x"))
    assert len(fake.sockets) <= 4


def test_client_survives_connections_that_close(client: Client, fake: FakeLanguageTool) -> None:
    fake.closes = True
    for _ in range(5):
        assert len(client.check(form("A bad thing.")).matches) == 1
    assert len(fake.forms) == 5


def test_client_without_a_server_says_so() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(ServerUnavailableError, match=rf":{port} cannot be reached: Conn"):
        Client(f"http://127.0.0.1:{port}").check(form("x"))


def test_client_with_a_server_that_dies_says_so(client: Client, fake: FakeLanguageTool) -> None:
    fake.dies_after = 1
    client.check(form("x"))
    with pytest.raises(ServerUnavailableError, match="cannot be reached"):
        client.check(form("x"))


def test_client_does_not_wait_for_ever(fake: FakeLanguageTool) -> None:
    fake.delay = 2.0
    with pytest.raises(ServerUnavailableError, match=r"did not respond within 0\.1 s"):
        Client(fake.url, timeout=0.1).check(form("x"))


@pytest.mark.parametrize(
    "garbage",
    [
        b"<html>It works</html>",
        b"[]",
        b"{}",
        b'{"matches": 3}',
        b'{"matches": [{"offset": 1}]}',
        b'{"matches": [], "sentenceRanges": [3]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_client_refuses_garbage(client: Client, fake: FakeLanguageTool, garbage: bytes) -> None:
    fake.garbage = garbage
    with pytest.raises(GecevalError, match="does not respond like LanguageTool"):
        client.check(form("x"))


def test_client_of_something_that_is_not_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:

        def babble() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"SSH-2.0-x\r\n")

        job = pool.submit(babble)
        with pytest.raises(GecevalError):
            Client(f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=5).check(form("x"))
        job.result()


def test_client_passes_on_what_the_server_says(client: Client, fake: FakeLanguageTool) -> None:
    fake.longest = 3
    with pytest.raises(RejectedError, match="413: Error: Your text exceeds the limit"):
        client.check(form("too long"))


def test_client_refuses_half_an_answer(client: Client, fake: FakeLanguageTool) -> None:
    fake.extra = {"warnings": {"incompleteResults": True}}
    with pytest.raises(RejectedError, match="did not finish checking a text"):
        client.check(form("x"))


def test_client_retired_closes_connections_that_come_back(client: Client) -> None:
    """A thread may bring one back after the server was given up."""
    client.version()
    client.retire()
    client.version()
    assert client._idle == []
