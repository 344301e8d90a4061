"""Interface of grammar checkers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

Notify: TypeAlias = Callable[[str], None]
"""Callback for progress messages."""


class Problem(NamedTuple):
    """A problem that a checker found.

    Parameters
    ----------
    rule
        Identifier of the rule.
    start, end
        Half-open character span in the text.
    message
        Message of the checker.
    """

    rule: str
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class IgnoredRules:
    """Rules of a checker that are ignored.

    Parameters
    ----------
    name
        Name of the list.
    rules
        Identifiers of rules.
    categories
        Identifiers of rule categories.

    Examples
    --------
    >>> IgnoredRules("spaces", frozenset({"WHITESPACE_RULE"})).label
    'spaces-b0e50e37'
    """

    name: str
    rules: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The name and a hash of the rules, for signatures."""
        listing = "\n".join((*sorted(self.rules), "", *sorted(self.categories)))
        return f"{self.name}-{hashlib.sha256(listing.encode()).hexdigest()[:8]}"


class Checker(Protocol):
    """Finds problems in sentences, each independently of the others."""

    @property
    def name(self) -> str:
        """Name of the checker."""

    @property
    def version(self) -> str:
        """Version of the checker."""

    @property
    def identity(self) -> str:
        """Everything that results depend on, apart from the text."""

    def check(self, texts: Sequence[str]) -> list[list[Problem]]:
        """Return the problems of each text."""


def check_distinct(
    check: Callable[[Sequence[str]], list[list[Problem]]], texts: Sequence[str]
) -> list[list[Problem]]:
    """Check each distinct text once, and skip blank ones.

    Examples
    --------
    >>> a, b = Problem("A", 0, 1, ""), Problem("B", 0, 1, "")
    >>> check_distinct(lambda texts: [[a], [b]], ["x", "", "y", "x"]) == [[a], [], [b], [a]]
    True
    """
    distinct = list(dict.fromkeys(text for text in texts if text.strip()))
    found = dict(zip(distinct, check(distinct) if distinct else (), strict=True))
    return [list(found.get(text, ())) for text in texts]
