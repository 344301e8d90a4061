"""Harper, a checker of English that runs in this process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import TYPE_CHECKING

from geceval.engines.threads import in_threads
from geceval.errors import GecevalError, UnknownNameError
from geceval.grammar.base import IgnoredRules, Problem, check_distinct
from geceval.grammar.ignored_rules import HARPER_DETOKENIZED

if TYPE_CHECKING:
    from harper import Linter

_DIALECTS = {
    "en-US": "AMERICAN",
    "en-GB": "BRITISH",
    "en-AU": "AUSTRALIAN",
    "en-CA": "CANADIAN",
    "en-IN": "INDIAN",
}
_CHUNK = 64
_idle: defaultdict[tuple[str, frozenset[str]], list[Linter]] = defaultdict(list)


class Harper:
    """Harper, as packaged by harper-py.

    Parameters
    ----------
    lang
        Variety of English, such as ``"en-US"``.
    ignored
        Ignored rules and categories.
    jobs
        Number of threads, each with its own linter.

    Examples
    --------
    >>> [problem.rule for problem in Harper().check(["He bought an book."])[0]]
    ['AnA']
    """

    name = "harper"

    def __init__(
        self,
        *,
        lang: str = "en-US",
        ignored: IgnoredRules = HARPER_DETOKENIZED,
        jobs: int = 1,
    ) -> None:
        if lang not in _DIALECTS:
            raise UnknownNameError("language of Harper", lang, _DIALECTS)
        self.lang = lang
        self.ignored = ignored
        self.jobs = jobs

    @property
    def version(self) -> str:
        """Version of harper-py, which implies that of Harper."""
        try:
            return version("harper-py")
        except PackageNotFoundError:
            raise GecevalError(
                "the checker 'harper' needs harper-py: pip install 'geceval[grammar]'"
            ) from None

    @property
    def identity(self) -> str:
        """Everything that results depend on, apart from the text."""
        return f"harper {self.version} {self.lang} {self.ignored.label}"

    def check(self, texts: Sequence[str]) -> list[list[Problem]]:
        """Return the problems of each text."""
        return check_distinct(self._check, texts)

    def _check(self, texts: Sequence[str]) -> list[list[Problem]]:
        chunks = [texts[first : first + _CHUNK] for first in range(0, len(texts), _CHUNK)]
        if not chunks:
            return []
        # Loading its dictionary takes Harper a second, in which it cannot be interrupted.
        workers = min(self.jobs, len(chunks))
        found = in_threads(self._check_chunk, chunks, workers=workers, is_foreign=True)
        return list(chain.from_iterable(found))

    def _check_chunk(self, texts: Sequence[str]) -> list[list[Problem]]:
        with _linter(self.lang, self.ignored.rules) as linter:
            return [self._problems(linter, text) for text in texts]

    def _problems(self, linter: Linter, text: str) -> list[Problem]:
        found = linter.organized_lints(text, language="plaintext")
        problems = [
            Problem(rule, lint.span.start, lint.span.end, lint.message)
            for rule, lints in found.items()
            for lint in lints
            if lint.lint_kind not in self.ignored.categories
        ]
        return sorted(problems, key=lambda problem: (problem.start, problem.end, problem.rule))


@contextmanager
def _linter(lang: str, ignored: frozenset[str]) -> Iterator[Linter]:
    """Borrow a linter from a pool: creating one is slow, and each serves one thread at a time."""
    idle = _idle[lang, ignored]
    try:
        linter = idle.pop()
    except IndexError:
        linter = _make_linter(lang, ignored)
    yield linter
    idle.append(linter)


def _make_linter(lang: str, ignored: frozenset[str]) -> Linter:
    from harper import Dialect, Linter

    linter = Linter(Dialect[_DIALECTS[lang]])
    linter.set_lint_config({**linter.get_lint_config(), **dict.fromkeys(ignored, False)})
    return linter
