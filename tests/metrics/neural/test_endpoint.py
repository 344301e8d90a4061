"""An endpoint on this machine: asked once, killed, and replayed from the cache."""

from __future__ import annotations

import json
import pickle
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from geceval import Corpus, GecevalError, Hypothesis
from geceval.errors import OptionError
from geceval.metrics.neural.endpoint import PROMPT, EndpointBackend
from geceval.metrics.neural.metrics import Impara, Neural

SOURCES = ["He go home .", "She sleep .", "Fine ."]
OUTPUTS = ["He goes home .", "She sleeps .", "Fine ."]
CORPUS = Corpus.from_texts(SOURCES, OUTPUTS)
SYSTEM = Hypothesis.from_texts(OUTPUTS, name="ours")


class Stub:
    """An endpoint that rates an output by its length, and dies when it is told to."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any], str | None]] = []
        self.answers_left = 1000
        self.answer: bytes | None = None
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stub.requests.append((self.path, body, self.headers.get("Authorization")))
                stub.answers_left -= 1
                answer = stub.reply(self.path, body)
                self.send_response(200 if stub.answers_left >= 0 else 500)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def reply(self, path: str, body: dict[str, Any]) -> bytes:
        if self.answer is not None:
            return self.answer
        if path == "/v1/embeddings":
            text = body["input"]
            record: dict[str, Any] = {"data": [{"embedding": [len(text), text.count("s"), 1.5]}]}
        else:
            lines = body["messages"][0]["content"].rstrip().splitlines()
            content = f"Rating: {len(lines[-1].removeprefix('Second: '))}"
            record = {"choices": [{"message": {"role": "assistant", "content": content}}]}
        return json.dumps(record).encode()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    yield server
    server.stop()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def test_endpoint_answers_are_asked_for_once(stub: Stub, cache: Path) -> None:
    model = EndpointBackend(stub.url, "judge", cache=cache, jobs=2)
    expected = [len(text) for text in OUTPUTS]
    assert model.score(SOURCES, OUTPUTS, OUTPUTS).tolist() == expected
    assert model.score(SOURCES * 2, OUTPUTS * 2, OUTPUTS * 2).tolist() == expected * 2
    assert len(stub.requests) == 3
    path, body, key = stub.requests[0]
    assert (path, body["model"], body["temperature"], key) == (
        "/v1/chat/completions", "judge", 0, None,
    )  # fmt: skip
    other = EndpointBackend(stub.url, "other", cache=cache)
    assert other.score(SOURCES, OUTPUTS, OUTPUTS).tolist() == expected
    assert len(stub.requests) == 6


def test_endpoint_that_was_killed_is_replayed(stub: Stub, cache: Path) -> None:
    """What was answered before is kept; when all is answered, the endpoint may be gone."""
    stub.answers_left = 2
    model = EndpointBackend(stub.url, "judge", cache=cache)
    with pytest.raises(GecevalError, match=r"the endpoint 127.0.0.1:\d+/v1/chat/completions answ"):
        Neural(model=model).score(CORPUS, SYSTEM)
    stub.answers_left = 1
    score = Neural(model=model).score(CORPUS, SYSTEM)
    assert len(stub.requests) == 4
    stub.stop()
    stub.stop = lambda: None  # type: ignore[method-assign]
    again = Neural(model=pickle.loads(pickle.dumps(model)))  # noqa: S301 - our own
    assert again.score(CORPUS, SYSTEM).value == score.value
    assert again.score(CORPUS, SYSTEM).signature == score.signature
    with pytest.raises(GecevalError, match="does not answer"):
        again.score(CORPUS, Hypothesis.from_texts(["a", "b", "c"]))


def test_endpoint_raw_answers_are_kept_even_if_they_are_wrong(stub: Stub, cache: Path) -> None:
    stub.answer = json.dumps({"choices": [{"message": {"content": "7 out of 10"}}]}).encode()
    model = EndpointBackend(stub.url, "judge", cache=cache)
    for _ in range(2):
        with pytest.raises(GecevalError, match=r"is not a single number: .*7 out of 10"):
            model.score(SOURCES[:1], OUTPUTS[:1], OUTPUTS[:1])
    assert len(stub.requests) == 1


@pytest.mark.parametrize("answer", [b"", b"[]", b'{"choices": []}', b'{"choices": [{}]}'])
def test_endpoint_that_answers_nonsense(stub: Stub, cache: Path, answer: bytes) -> None:
    stub.answer = answer
    model = EndpointBackend(stub.url, "judge", cache=cache)
    with pytest.raises(GecevalError, match="is not a single number"):
        model.score(["a"], ["b"], ["b"])
    with pytest.raises(GecevalError, match="is not an embedding"):
        model.similarity(["a"], ["b"])


def test_endpoint_embeddings_gate_impara(stub: Stub, cache: Path) -> None:
    model = EndpointBackend(stub.url, "judge", cache=cache)
    found = model.similarity(["ab", "ab"], ["ab", "sssssss"])
    assert found[0] == pytest.approx(1)
    assert found[1] < 0.9
    score = Impara(estimator=model, encoder=model).score(CORPUS, SYSTEM)
    assert score.sentences.values.tolist() == pytest.approx([1, 1, 1], abs=0.01)
    with pytest.raises(GecevalError, match="gives no perplexity"):
        model.perplexity(["a"])


def test_endpoint_key_is_sent_and_kept_nowhere(
    stub: Stub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GECEVAL_API_KEY", "very-secret")
    model = EndpointBackend(stub.url, "judge", cache=cache)
    metric = Neural(model=model)
    score = metric.score(CORPUS, SYSTEM)
    assert {key for *_, key in stub.requests} == {"Bearer very-secret"}
    kept = cache.read_bytes() + pickle.dumps(metric) + score.signature.encode()
    assert b"very-secret" not in kept


def test_endpoint_prompts(stub: Stub, cache: Path, tmp_path: Path) -> None:
    """A prompt with a reference compares with references; fields in sentences stay as they are."""
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("{source} | {output} | {reference}", encoding="utf-8")
    metric = Neural(model="judge", backend="endpoint", url=stub.url, prompt=prompt)
    assert metric.needs_references
    metric.score(CORPUS, SYSTEM)
    asked = {body["messages"][0]["content"] for _, body, _ in stub.requests}
    assert f"{SOURCES[0]} | {OUTPUTS[0]} | {OUTPUTS[0]}" in asked
    model = EndpointBackend(stub.url, "judge", cache=cache)
    assert not model.uses_references
    assert "First: {output}\nSecond: x" in model._question("{output}", "x", "")
    assert model.identity != EndpointBackend(stub.url, "judge", prompt=PROMPT + "!").identity


@pytest.mark.parametrize(
    "url", ["", "localhost:80", "ftp://x/v1", "http://", "http://u:p@x/v1", "http://x/v1?key=1"]
)
def test_endpoint_address_that_is_none(url: str) -> None:
    with pytest.raises(GecevalError, match="the address of the endpoint is not"):
        EndpointBackend(url, "judge")


def test_endpoint_is_never_guessed() -> None:
    with pytest.raises(OptionError, match="backend=endpoint needs the option url"):
        Neural(model="judge", backend="endpoint")
    with pytest.raises(GecevalError, match=r"the prompt has no \{output\}"):
        EndpointBackend("http://localhost/v1", "judge", prompt="{source}")
