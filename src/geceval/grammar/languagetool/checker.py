"""LanguageTool as a checker, with concurrent requests and one restart of a crashed server."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from geceval.errors import GecevalError
from geceval.grammar.base import IgnoredRules, Notify, Problem, check_distinct
from geceval.grammar.ignored_rules import LANGUAGETOOL_DETOKENIZED
from geceval.grammar.languagetool.batching import CROSS_SENTENCE_RULES, Mode, batches, check_batch
from geceval.grammar.languagetool.client import (
    DEFAULT_TIMEOUT,
    Client,
    Response,
    ServerUnavailableError,
)
from geceval.grammar.languagetool.install import get_installation
from geceval.grammar.languagetool.server import Server, find_background

DEFAULT_JOBS = 4


class LanguageTool:
    """A checker that uses a LanguageTool server.

    Without an address, it uses the background server of ``geceval languagetool start`` or else
    starts a server that ends with this process.

    Parameters
    ----------
    url
        Address of a server.
    lang
        Language code of LanguageTool. English sentences are sent in batches, others one by one.
    ignored
        Ignored rules and categories. Unless they include all `CROSS_SENTENCE_RULES`, sentences
        are sent one by one.
    jobs
        Number of concurrent requests.
    timeout
        Timeout in seconds.
    notify
        Callback for progress messages.
    """

    name = "languagetool"

    def __init__(
        self,
        *,
        url: str | None = None,
        lang: str = "en-US",
        ignored: IgnoredRules = LANGUAGETOOL_DETOKENIZED,
        jobs: int = DEFAULT_JOBS,
        timeout: float = DEFAULT_TIMEOUT,
        notify: Notify | None = None,
    ) -> None:
        self.url = url
        self.lang = lang
        self.ignored = ignored
        self.jobs = jobs
        self._timeout = timeout
        self._notify = notify
        self._client = Client(url, timeout=timeout) if url is not None else None
        self._version: str | None = None
        self._was_replaced = False
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings, without the connection."""
        excluded = ("_lock", "_client", "_notify")
        return {name: value for name, value in self.__dict__.items() if name not in excluded}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._notify = None
        self._client = Client(self.url, timeout=self._timeout) if self.url is not None else None
        self._lock = threading.Lock()

    @property
    def version(self) -> str:
        """Version of LanguageTool; queried from a server given by its address."""
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
        """Everything that results depend on, apart from the text: a given server may add rules."""
        place = f" {self.url}" if self.url is not None else ""
        return f"languagetool {self.version} {self.lang} {self.ignored.label}{place}"

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
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                jobs = {
                    pool.submit(check_batch, self._ask, batch): batch
                    for batch in batches(texts, join=self._joins)
                }
                # Store a batch only when it is complete, and only once.
                for job in as_completed(jobs):
                    found.update(zip(jobs[job], job.result(), strict=True))
                    self._notify_user(f"checked {len(found)} of {len(texts)} sentences")
            except BaseException as error:
                pool.shutdown(wait=False, cancel_futures=True)
                if not isinstance(error, Exception):
                    # An interrupted caller does not wait for responses.
                    self._connected().abort()
                raise
        return [found[text] for text in texts]

    @property
    def _joins(self) -> bool:
        """Whether joined sentences give the same results as single ones, as for the known rules."""
        is_english = self.lang.partition("-")[0] == "en"
        return is_english and self.ignored.rules >= CROSS_SENTENCE_RULES

    def _ask(self, text: str, mode: Mode) -> Response:
        fields = {"language": self.lang, "text": text, "mode": mode}
        if self.ignored.rules:
            fields["disabledRules"] = ",".join(sorted(self.ignored.rules))
        if self.ignored.categories:
            fields["disabledCategories"] = ",".join(sorted(self.ignored.categories))
        while True:
            client = self._connected()
            try:
                return client.check(fields)
            except ServerUnavailableError as error:
                self._replace(client, error)

    def _connected(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = Client(_find_or_start(self._notify), timeout=self._timeout)
            return self._client

    def _replace(self, failed: Client, error: ServerUnavailableError) -> None:
        """Replace our own crashed server once."""
        with self._lock:
            if self.url is not None:
                raise error
            if self._client is not failed:
                return
            if self._was_replaced:
                raise GecevalError(f"LanguageTool crashed again after a restart: {error}")
            self._was_replaced = True
            self._notify_user("LanguageTool crashed; restarting it")
            failed.retire()
            self._client = Client(_start(self._notify), timeout=self._timeout)

    def _notify_user(self, message: str) -> None:
        if self._notify is not None:
            self._notify(message)


_own: Server | None = None
_own_lock = threading.RLock()


def _find_or_start(notify: Notify | None) -> str:
    """Return the address of our own server, shared by all checkers of a process."""
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
    """Stop the server of this process, if any."""
    global _own  # noqa: PLW0603
    with _own_lock:
        if _own is not None:
            _own.stop()
        _own = None
