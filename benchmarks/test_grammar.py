"""Speed of grammaticality, and how many times faster it is than asking LanguageTool in a loop.

The loop is what a script does: one sentence per request over one connection, to a server that was
started as its manual says. Both servers are warm and see the sentences for the first time.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from geceval import Corpus, GecevalError, Hypothesis
from geceval.grammar import get_ignored_rules
from geceval.grammar.cache import AnswerCache, CachedChecker
from geceval.grammar.detokenize import detokenize
from geceval.grammar.languagetool.checker import LanguageTool
from geceval.grammar.languagetool.client import Client
from geceval.grammar.languagetool.install import get_installation, get_java
from geceval.grammar.languagetool.server import HOST, MAIN_CLASS, Server, free_port
from geceval.metrics.grammar import Grammaticality

WARM_UP = 2000
"""Sentences that both servers see before the clock runs."""


def wall(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


@pytest.fixture(scope="module")
def ours() -> Iterator[Server]:
    try:
        server = Server()
    except GecevalError as error:
        pytest.skip(str(error))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def plain() -> Iterator[str]:
    """A server that was started as the manual says."""
    try:
        java, installation = get_java(), get_installation()
    except GecevalError as error:
        pytest.skip(str(error))
    port = free_port()
    words = [java, "-cp", installation.class_path, MAIN_CLASS, "--port", str(port)]
    with subprocess.Popen(  # noqa: S603
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        url = f"http://{HOST}:{port}"
        while not is_there(url):
            time.sleep(0.2)
        yield url
        process.terminate()


def is_there(url: str) -> bool:
    try:
        with Client(url) as client:
            return bool(client.version())
    except GecevalError:
        return False


def one_by_one(url: str, texts: list[str], *, fresh: bool = False) -> list[int]:
    """Count as a script does; `fresh` opens a connection for each request."""
    parts = urlsplit(url)
    ignored = get_ignored_rules("languagetool")
    options = {
        "language": "en-US",
        "disabledRules": ",".join(sorted(ignored.rules)),
        "disabledCategories": ",".join(sorted(ignored.categories)),
    }
    counts = []
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    for text in texts:
        form = urlencode({**options, "text": text})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", "/v2/check", form, headers)
        counts.append(len(json.loads(connection.getresponse().read())["matches"]))
        if fresh:
            connection.close()
    connection.close()
    return counts


def test_languagetool_ratio_to_one_by_one(
    benchmark: Any,
    two_annotators: Corpus,
    systems: list[Hypothesis],
    ours: Server,
    plain: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """To be at least 10 times as fast, with the same count for every sentence."""
    texts = [detokenize(tokens) for tokens in two_annotators.sources]
    seen = set(texts)
    outputs = (detokenize(tokens) for system in systems[:4] for tokens in system)
    others = [text for text in dict.fromkeys(outputs) if text not in seen][:WARM_UP]
    checker = LanguageTool(url=ours.url)
    checker.check(others)
    LanguageTool(url=plain).check(others)

    seconds, found = wall(lambda: checker.check(texts))
    slow_seconds, expected = wall(lambda: one_by_one(plain, texts))
    some = texts[::8]
    fresh_seconds, _ = wall(lambda: one_by_one(plain, some, fresh=True))
    fresh_seconds *= len(texts) / len(some)
    assert [len(problems) for problems in found] == expected

    cached = CachedChecker(checker, AnswerCache(tmp_path / "answers"))
    cached.check(texts)
    ours.stop()
    benchmark.pedantic(lambda: cached.check(texts), rounds=5)
    with capsys.disabled():
        print(
            f"\n{len(texts)} sentences, {sum(expected)} errors: {seconds:.1f} s; one by one "
            f"{slow_seconds:.1f} s over one connection (ratio {slow_seconds / seconds:.1f}), about "
            f"{fresh_seconds:.1f} s over fresh ones (ratio {fresh_seconds / seconds:.1f})"
        )
    assert slow_seconds / seconds >= 10


def test_harper_all_sentences(benchmark: Any, two_annotators: Corpus) -> None:
    metric = Grammaticality(cache=False)
    hypothesis = Hypothesis("source", two_annotators.sources)
    benchmark.pedantic(lambda: metric.statistics(two_annotators, hypothesis), rounds=1)


def test_detokenize_all_sentences(benchmark: Any, two_annotators: Corpus) -> None:
    benchmark(lambda: [detokenize(tokens) for tokens in two_annotators.sources])
