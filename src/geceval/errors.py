"""The errors people meet, each one clear sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GecevalError(Exception):
    """Base of every error that geceval raises on purpose."""


def os_reason(error: OSError) -> str:
    """Return the reason that the operating system gives, to stand after a colon.

    Examples
    --------
    >>> os_reason(FileNotFoundError(2, "No such file or directory", "gold.m2"))
    'no such file or directory'
    """
    return (error.strerror or str(error)).lower()


class FormatError(GecevalError):
    """A file does not hold what its format promises.

    Parameters
    ----------
    message
        What is wrong and what was expected, without the place.
    path
        The file as the user named it.
    line
        1-based line number, where one can be given.

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
        """Put the place before the message."""
        place = ", ".join(
            part for part in (self.path, f"line {self.line}" if self.line else None) if part
        )
        return f"{place}: {self.message}" if place else self.message


class MismatchError(GecevalError):
    """Two inputs that must have the same number of sentences do not."""

    def __init__(
        self, first: str, n_first: int, second: str, n_second: int, *, hint: str = ""
    ) -> None:
        self.counts = {first: n_first, second: n_second}
        sentences = "sentence" if n_first == 1 else "sentences"
        message = f"{first} has {n_first} {sentences} but {second} has {n_second}"
        super().__init__(f"{message}; {hint}" if hint else message)


class UnknownNameError(GecevalError):
    """A name (of a format, metric, annotator, …) that does not exist.

    Parameters
    ----------
    kind, name
        What was asked for.
    known
        The names that exist.
    remedy
        What to do, where the nearest name would mislead.

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
    """An option that does not exist, or a value that it does not take."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is nearest, or nothing.

    Examples
    --------
    >>> did_you_mean("Betta", ["beta", "level"])
    "; did you mean 'beta'?"
    """
    names = {one.casefold(): one for one in known}
    close = difflib.get_close_matches(name.casefold(), names, n=1, cutoff=0.5)
    return f"; did you mean {names[close[0]]!r}?" if close else ""


class GecevalWarning(UserWarning):
    """Something was repaired or ignored; the text says what and how often."""
