"""Servers that the tests share: a local one, and one that demands tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from geceval.serve.api_client import ServerClient
from serving import (
    FAIR,
    GOLD,
    GOOD,
    METRICS,
    RunningServer,
    new_database,
    new_token,
    running_server,
    write,
)


class Shared(NamedTuple):
    """A server with a task whose gold standard is hidden, and two participants."""

    server: RunningServer
    organizer: ServerClient
    anna: ServerClient
    bert: ServerClient
    submission: int
    """A submission of Anna's."""
    job: str


@pytest.fixture(scope="session")
def local_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server without tokens."""
    with running_server(new_database(tmp_path_factory.mktemp("local"))) as server:
        yield server


@pytest.fixture
def local(local_server: RunningServer) -> Iterator[ServerClient]:
    with local_server.client() as client:
        yield client


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """A server with tokens, as behind a proxy, and a submission."""
    folder = tmp_path_factory.mktemp("shared")
    url = new_database(folder)
    tokens = [new_token(url, "Olga", is_organizer=True)]
    tokens += [new_token(url, name) for name in ("Anna", "Bert")]
    with running_server(url, "--name", "gec.test") as server:
        organizer, anna, bert = (server.client(token) for token in tokens)
        gold = write(folder, "gold.m2", GOLD)
        organizer.create_task("hidden", gold, METRICS, title="Hidden", is_hidden=True)
        made = anna.submit("hidden", write(folder, "anna.txt", GOOD), system="anna-1")
        anna.wait(made.job)
        other = bert.submit("hidden", write(folder, "bert.txt", FAIR), system="bert-1")
        bert.wait(other.job)
        yield Shared(server, organizer, anna, bert, made.id, made.job.id)
        for client in (organizer, anna, bert):
            client.close()
