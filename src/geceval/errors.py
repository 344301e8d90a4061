"""Exceptions and warnings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GecevalError(Exception):
    """Base class of all errors of geceval."""


class FormatError(GecevalError):
    """A file does not conform to its format.

    Parameters
    ----------
    message
        What was expected and found, without the place.
    path
        The file, as given by the user.
    line
        1-based line number, if known.

    Examples
    --------
    >>> str(FormatError("expected 'S ' or 'A '", path="gold.m2", line=3))
    "gold.m2, line 3: expected 'S ' or 'A '"
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        self.message = message
        self.path = path
        self.line = line
        super().__init__(message)

    def __str__(self) -> str:
        """Format file, line and message."""
        place = ", ".join(
            part for part in (self.path, f"line {self.line}" if self.line else None) if part
        )
        return f"{place}: {self.message}" if place else self.message


class MismatchError(GecevalError):
    """Two inputs differ in their number of sentences."""

    def __init__(
        self, first: str, n_first: int, second: str, n_second: int, *, hint: str = ""
    ) -> None:
        self.counts = {first: n_first, second: n_second}
        sentences = "sentence" if n_first == 1 else "sentences"
        message = f"{first} has {n_first} {sentences} but {second} has {n_second}"
        super().__init__(f"{message}; {hint}" if hint else message)


class UnknownNameError(GecevalError):
    """An unknown name of a format, metric, annotator, ….

    Parameters
    ----------
    kind, name
        Kind of name, and the name.
    known
        Known names.
    remedy
        Hint to show instead of the closest name.

    Examples
    --------
    >>> str(UnknownNameError("format", "m3", ["m2", "tsv"]))
    "unknown format 'm3'; did you mean 'm2'? (known: m2, tsv)"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, remedy: str = "") -> None:
        names = sorted(known)
        listing = f" (known: {', '.join(names)})" if names else ""
        hint = f"; {remedy}" if remedy else did_you_mean(name, names)
        super().__init__(f"unknown {kind} {name!r}{hint}{listing}")


class OptionError(GecevalError, ValueError):
    """An unknown option or an invalid value."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the closest known name, or an empty string.

    Examples
    --------
    >>> did_you_mean("Betta", ["beta", "level"])
    "; did you mean 'beta'?"
    """
    names = {one.casefold(): one for one in known}
    close = difflib.get_close_matches(name.casefold(), names, n=1, cutoff=0.5)
    return f"; did you mean {names[close[0]]!r}?" if close else ""


class GecevalWarning(UserWarning):
    """Something was repaired or ignored."""
