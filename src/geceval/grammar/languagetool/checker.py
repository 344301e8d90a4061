"""LanguageTool as a checker: several requests in flight, a server that died replaced once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from geceval.errors import GecevalError
from geceval.grammar.base import LeftOut, Notify, Problem, check_distinct
from geceval.grammar.ignored_rules import LANGUAGETOOL_DETOKENIZED
from geceval.grammar.languagetool.batching import SEES_OTHERS, Mode, batches, check_batch
from geceval.grammar.languagetool.client import (
    DEFAULT_TIMEOUT,
    Answer,
    Client,
    ServerGoneError,
)
from geceval.grammar.languagetool.install import get_installation
from geceval.grammar.languagetool.server import Server, find_background

DEFAULT_WORKERS = 4


class LanguageTool:
    """The checker behind a LanguageTool server.

    Without an address, the server that ``geceval languagetool start`` left running is asked;
    where there is none, one is started that ends with this process.

    Parameters
    ----------
    url
        Address of a server.
    language
        Code of a language of LanguageTool. English sentences are sent many at a time, those of
        other languages one by one.
    left_out
        Rules and categories that do not count. Where they lack one of the rules about spaces,
        quotation marks and brackets, sentences are sent one by one, too.
    workers
        Requests in flight.
    timeout
        Seconds to wait for an answer.
    notify
        Told what is waited for.
    """

    name = "languagetool"

    def __init__(
        self,
        *,
        url: str | None = None,
        language: str = "en-US",
        left_out: LeftOut = LANGUAGETOOL_DETOKENIZED,
        workers: int = DEFAULT_WORKERS,
        timeout: float = DEFAULT_TIMEOUT,
        notify: Notify | None = None,
    ) -> None:
        self.url = url
        self.language = language
        self.left_out = left_out
        self.workers = workers
        self._timeout = timeout
        self._notify = notify
        self._client = Client(url, timeout=timeout) if url is not None else None
        self._version: str | None = None
        self._was_replaced = False
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied and pickled: the settings, not the connection."""
        left_behind = ("_lock", "_client", "_notify")
        return {name: value for name, value in self.__dict__.items() if name not in left_behind}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._notify = None
        self._client = Client(self.url, timeout=self._timeout) if self.url is not None else None
        self._lock = threading.Lock()

    @property
    def version(self) -> str:
        """The version of LanguageTool; a server with an address of its own is asked for it."""
        if self._version is None:
            self._version = self._find_version()
        return self._version

    def _find_version(self) -> str:
        if self.url is None:
            return get_installation().version
        with Client(self.url, timeout=self._timeout) as client:
            return client.version()

    @property
    def identity(self) -> str:
        """All that an answer depends on beside the text: a given server may have own rules."""
        place = f" {self.url}" if self.url is not None else ""
        return f"languagetool {self.version} {self.language} {self.left_out.label}{place}"

    def check(self, texts: Sequence[str]) -> list[list[Problem]]:
        """Return the problems of each text."""
        return check_distinct(self._check, texts)

    def _check(self, texts: Sequence[str]) -> list[list[Problem]]:
        self._connected()
        try:
            return self._check_all(texts)
        finally:
            self._finish()

    def _finish(self) -> None:
        """Leave no connection open, and be ready for the next texts."""
        client = self._connected()
        client.close()
        with self._lock:
            if client.is_aborted and self._client is client:
                self._client = Client(client.url, timeout=self._timeout)

    def _check_all(self, texts: Sequence[str]) -> list[list[Problem]]:
        found: dict[str, list[Problem]] = {}
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                jobs = {
                    pool.submit(check_batch, self._ask, batch): batch
                    for batch in batches(texts, join=self._joins)
                }
                # An answer counts when all of its batch is there, and then once.
                for job in as_completed(jobs):
                    found.update(zip(jobs[job], job.result(), strict=True))
                    self._tell(f"checked {len(found)} of {len(texts)} sentences")
            except BaseException as error:
                pool.shutdown(wait=False, cancel_futures=True)
                if not isinstance(error, Exception):
                    # Who is interrupted does not wait for answers.
                    self._connected().abort()
                raise
        return [found[text] for text in texts]

    @property
    def _joins(self) -> bool:
        """Whether joined sentences give what each gives alone: it holds for the rules we know."""
        is_english = self.language.partition("-")[0] == "en"
        return is_english and self.left_out.rules >= SEES_OTHERS

    def _ask(self, text: str, mode: Mode) -> Answer:
        fields = {"language": self.language, "text": text, "mode": mode}
        if self.left_out.rules:
            fields["disabledRules"] = ",".join(sorted(self.left_out.rules))
        if self.left_out.categories:
            fields["disabledCategories"] = ",".join(sorted(self.left_out.categories))
        while True:
            client = self._connected()
            try:
                return client.check(fields)
            except ServerGoneError as error:
                self._replace(client, error)

    def _connected(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = Client(_find_or_start(self._notify), timeout=self._timeout)
            return self._client

    def _replace(self, gone: Client, error: ServerGoneError) -> None:
        """Put a new server in the place of one of ours that died, the first time it does."""
        with self._lock:
            if self.url is not None:
                raise error
            if self._client is not gone:
                return
            if self._was_replaced:
                raise GecevalError(f"LanguageTool was started again and died again: {error}")
            self._was_replaced = True
            self._tell("LanguageTool died and is started again")
            gone.retire()
            self._client = Client(_start(self._notify), timeout=self._timeout)

    def _tell(self, message: str) -> None:
        if self._notify is not None:
            self._notify(message)


_own: Server | None = None
_own_lock = threading.RLock()


def _find_or_start(notify: Notify | None) -> str:
    """Return the address of our own server; one serves all checkers of a process."""
    with _own_lock:
        if _own is not None and _own.is_running:
            return _own.url
        background = find_background()
        return background.url if background is not None else _start(notify)


def _start(notify: Notify | None) -> str:
    global _own  # noqa: PLW0603
    with _own_lock:
        if _own is not None:
            _own.stop()
        _own = Server(notify=notify)
        return _own.url


def stop_own_server() -> None:
    """End the server that belongs to this process, where there is one."""
    global _own  # noqa: PLW0603
    with _own_lock:
        if _own is not None:
            _own.stop()
        _own = None
