"""Harper: a checker of English that runs inside this process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import TYPE_CHECKING

from geceval.engines.threads import in_threads
from geceval.errors import GecevalError, UnknownNameError
from geceval.grammar.base import LeftOut, Problem, check_distinct
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
    """The checker of the package harper-py.

    Parameters
    ----------
    language
        One of the English variants, such as ``"en-US"``.
    left_out
        Rules, and kinds of rules, that do not count.
    workers
        Threads; each has a linter of its own, which takes a moment to make.

    Examples
    --------
    >>> [problem.rule for problem in Harper().check(["He bought an book."])[0]]
    ['AnA']
    """

    name = "harper"

    def __init__(
        self,
        *,
        language: str = "en-US",
        left_out: LeftOut = HARPER_DETOKENIZED,
        workers: int = 1,
    ) -> None:
        if language not in _DIALECTS:
            raise UnknownNameError("language of Harper", language, _DIALECTS)
        self.language = language
        self.left_out = left_out
        self.workers = workers

    @property
    def version(self) -> str:
        """The version of harper-py, which stands for one of Harper."""
        try:
            return version("harper-py")
        except PackageNotFoundError:
            raise GecevalError(
                "the checker 'harper' needs harper-py: pip install 'geceval[grammar]'"
            ) from None

    @property
    def identity(self) -> str:
        """All that an answer depends on beside the text."""
        return f"harper {self.version} {self.language} {self.left_out.label}"

    def check(self, texts: Sequence[str]) -> list[list[Problem]]:
        """Return the problems of each text."""
        return check_distinct(self._check, texts)

    def _check(self, texts: Sequence[str]) -> list[list[Problem]]:
        chunks = [texts[first : first + _CHUNK] for first in range(0, len(texts), _CHUNK)]
        workers = min(self.workers, len(chunks))
        return list(chain.from_iterable(in_threads(self._check_chunk, chunks, workers=workers)))

    def _check_chunk(self, texts: Sequence[str]) -> list[list[Problem]]:
        with _linter(self.language, self.left_out.rules) as linter:
            return [self._problems(linter, text) for text in texts]

    def _problems(self, linter: Linter, text: str) -> list[Problem]:
        found = linter.organized_lints(text, language="plaintext")
        problems = [
            Problem(rule, lint.span.start, lint.span.end, lint.message)
            for rule, lints in found.items()
            for lint in lints
            if lint.lint_kind not in self.left_out.categories
        ]
        return sorted(problems, key=lambda problem: (problem.start, problem.end, problem.rule))


@contextmanager
def _linter(language: str, left_out: frozenset[str]) -> Iterator[Linter]:
    """Lend a linter; one serves one thread at a time, and making one takes long."""
    idle = _idle[language, left_out]
    try:
        linter = idle.pop()
    except IndexError:
        linter = _make_linter(language, left_out)
    yield linter
    idle.append(linter)


def _make_linter(language: str, left_out: frozenset[str]) -> Linter:
    from harper import Dialect, Linter

    linter = Linter(Dialect[_DIALECTS[language]])
    linter.set_lint_config({**linter.get_lint_config(), **dict.fromkeys(left_out, False)})
    return linter
