"""What grammar checkers have in common: texts in, problems out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

Notify: TypeAlias = Callable[[str], None]
"""Told in a few words what is waited for."""


class Problem(NamedTuple):
    """Something that a checker objects to.

    Parameters
    ----------
    rule
        What the checker calls it.
    start, end
        Half-open span of characters in the text.
    message
        What the checker says about it.
    """

    rule: str
    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rules of a checker that do not count.

    Parameters
    ----------
    name
        What the list is called.
    rules
        Names of rules.
    categories
        Names of whole groups of rules.

    Examples
    --------
    >>> LeftOut("spaces", frozenset({"WHITESPACE_RULE"})).label
    'spaces-b0e50e37'
    """

    name: str
    rules: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The name with a hash of what is on the list, for signatures."""
        listing = "\n".join((*sorted(self.rules), "", *sorted(self.categories)))
        return f"{self.name}-{hashlib.sha256(listing.encode()).hexdigest()[:8]}"


class Checker(Protocol):
    """Counts what is wrong with sentences, each by itself."""

    @property
    def name(self) -> str:
        """What the checker is called."""

    @property
    def version(self) -> str:
        """Its version; another version may find other problems."""

    @property
    def identity(self) -> str:
        """All that an answer depends on beside the text."""

    def check(self, texts: Sequence[str]) -> list[list[Problem]]:
        """Return the problems of each text."""


def check_distinct(
    check: Callable[[Sequence[str]], list[list[Problem]]], texts: Sequence[str]
) -> list[list[Problem]]:
    """Check each distinct text once, and none that holds only white space.

    Examples
    --------
    >>> a, b = Problem("A", 0, 1, ""), Problem("B", 0, 1, "")
    >>> check_distinct(lambda texts: [[a], [b]], ["x", "", "y", "x"]) == [[a], [], [b], [a]]
    True
    """
    distinct = list(dict.fromkeys(text for text in texts if text.strip()))
    found = dict(zip(distinct, check(distinct) if distinct else (), strict=True))
    return [list(found.get(text, ())) for text in texts]
