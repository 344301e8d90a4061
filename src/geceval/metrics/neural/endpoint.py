"""An OpenAI-compatible endpoint at an address that the user gives.

Every raw answer is cached on disk before it is used, so that an interrupted run continues where
it stopped, and a finished one can be repeated without the endpoint.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from geceval.engines.threads import in_threads
from geceval.errors import GecevalError
from geceval.metrics.neural.arithmetic import cosine
from geceval.metrics.neural.backend import Backend, Floats
from geceval.storage import strict_json
from geceval.storage.folders import cache_folder
from geceval.storage.sqlite_cache import SqliteCache

KEY_VARIABLE = "GECEVAL_API_KEY"
"""Environment variable with the key of the endpoint, if it needs one."""

TIMEOUT = 300.0

_MAX_ANSWER = 1 << 24
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")

PROMPT = """\
A learner of a language wrote the first sentence, and a program corrected it to the second.
Rate the correction: is the second sentence grammatical and fluent, does it keep the meaning of \
the first, and does it change no more than necessary?
Answer with a single number from 0 (worst) to 100 (best), and nothing else.

First: {source}
Second: {output}
"""
"""Default prompt."""


class EndpointBackend(Backend):
    """A model behind an OpenAI-compatible endpoint.

    Chat completions give scores: the answer to a prompt must have exactly one number.
    Embeddings give similarity.

    Parameters
    ----------
    url
        Address of the endpoint, such as ``http://localhost:8080/v1``.
    model
        Name of the model, as the endpoint knows it.
    prompt
        Prompt with ``{source}``, ``{output}`` and, optionally, ``{reference}``.
    cache
        File of the cache; by default in the user's cache folder.
    jobs
        Concurrent requests.

    Notes
    -----
    If the environment variable ``GECEVAL_API_KEY`` is set, it is sent as the key. The temperature
    is 0. Endpoints do not promise equal answers to equal questions; the cache keeps the first.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        prompt: str = PROMPT,
        cache: str | Path | None = None,
        jobs: int = 1,
    ) -> None:
        try:
            parts = urlsplit(url)
            self._secure = {"http": False, "https": True}[parts.scheme]
            self._host, self._port = parts.hostname or "", parts.port
        except (ValueError, KeyError):
            raise GecevalError(f"the address of the endpoint is not a URL: {url!r}") from None
        if not self._host or parts.username or parts.query:
            raise GecevalError(f"the address of the endpoint is not HTTP(S)://HOST/PATH: {url!r}")
        for field in ("{source}", "{output}"):
            if field not in prompt:
                raise GecevalError(f"the prompt has no {field}")
        self._path = parts.path.rstrip("/")
        self.model = model
        self.prompt = prompt
        self.uses_references = "{reference}" in prompt
        self._jobs = jobs
        self._cache_path = None if cache is None else Path(cache)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to copy and pickle, without the cache, which is a file."""
        return {key: value for key, value in self.__dict__.items() if key != "_cache"}

    @property
    def identity(self) -> str:
        """Name of the model, and a hash of the prompt; the weights are unknown."""
        digest = hashlib.sha256(self.prompt.encode()).hexdigest()[:10]
        return f"endpoint:{self.model.replace('|', '/')}:prompt-{digest}"

    @cached_property
    def _cache(self) -> SqliteCache[bytes]:
        path = self._cache_path or cache_folder() / "neural" / "answers.sqlite"
        return SqliteCache(path, bytes, bytes)

    def score(
        self, sources: Sequence[str], outputs: Sequence[str], references: Sequence[str]
    ) -> Floats:
        """Ask for a rating of each output."""
        texts = zip(sources, outputs, references, strict=True)
        bodies = [
            {
                "model": self.model,
                "messages": [{"role": "user", "content": self._question(*text)}],
                "temperature": 0,
            }
            for text in texts
        ]
        return np.array(
            [_rating(answer) for answer in self._ask("/chat/completions", bodies)], dtype=np.float64
        )

    def _question(self, source: str, output: str, reference: str) -> str:
        fields = {"{source}": source, "{output}": output, "{reference}": reference}
        # One pass, so that a field in a sentence is left as it is.
        return re.sub("|".join(map(re.escape, fields)), lambda m: fields[m.group()], self.prompt)

    def similarity(self, first: Sequence[str], second: Sequence[str]) -> Floats:
        """Return the cosines of embeddings."""
        bodies = [{"model": self.model, "input": text} for text in (*first, *second)]
        vectors = [_embedding(answer) for answer in self._ask("/embeddings", bodies)]
        pairs = zip(vectors[: len(first)], vectors[len(first) :], strict=True)
        return np.array([cosine(*pair) for pair in pairs], dtype=np.float64)

    def _ask(self, path: str, bodies: Sequence[dict[str, Any]]) -> list[bytes]:
        """Return the raw answers, each asked for once."""
        requests = [
            strict_json.dumps(body, ascii_only=True, compact=True).encode() for body in bodies
        ]
        keys = {request: self._key(path, request) for request in requests}
        known = self._cache.get(list(keys.values()))
        new = [request for request in keys if keys[request] not in known]
        answers = in_threads(lambda one: self._kept(path, one), new, workers=self._jobs)
        known.update({keys[one]: own for one, own in zip(new, answers, strict=True)})
        return [known[keys[request]] for request in requests]

    def _kept(self, path: str, request: bytes) -> bytes:
        """Ask, and cache the answer at once."""
        answer = self._post(path, request)
        self._cache.put({self._key(path, request): answer})
        return answer

    def _key(self, path: str, request: bytes) -> bytes:
        place = f"{self._host}:{self._port}{self._path}{path}\n"
        return hashlib.sha256(place.encode() + request).digest()

    def _post(self, path: str, request: bytes) -> bytes:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY_VARIABLE):
            headers["Authorization"] = f"Bearer {key}"
        where = f"{self._host}{f':{self._port}' if self._port else ''}{self._path}{path}"
        connection = kind(self._host, self._port, timeout=TIMEOUT)
        try:
            connection.request("POST", self._path + path, request, headers)
            reply = connection.getresponse()
            answer = reply.read(_MAX_ANSWER + 1)
        except (OSError, http.client.HTTPException) as error:
            raise GecevalError(f"the endpoint {where} does not answer: {error}") from error
        finally:
            connection.close()
        if reply.status != http.client.OK:
            said = answer[:200].decode("utf-8", "replace")
            raise GecevalError(f"the endpoint {where} answers {reply.status}: {said}")
        if len(answer) > _MAX_ANSWER:
            raise GecevalError(f"the endpoint {where} answers with too much text")
        return answer


def _rating(answer: bytes) -> float:
    """Return the only number of an answer."""
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
        (number,) = _NUMBER.findall(content)
        return float(number.replace(",", "."))
    except (ValueError, LookupError, TypeError) as error:
        said = answer[:200].decode("utf-8", "replace")
        raise GecevalError(f"the answer of the endpoint is not a single number: {said}") from error


def _embedding(answer: bytes) -> Floats:
    try:
        vector = np.array(json.loads(answer)["data"][0]["embedding"], dtype=np.float64)
    except (ValueError, LookupError, TypeError) as error:
        said = answer[:200].decode("utf-8", "replace")
        raise GecevalError(f"the answer of the endpoint is not an embedding: {said}") from error
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise GecevalError("the embedding of the endpoint is not a vector of finite numbers")
    return vector
