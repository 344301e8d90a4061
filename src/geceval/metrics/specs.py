"""Specifications of metrics with options: ``m2(beta=1, level=detection), gleu``.

A specification is the name of a metric and, in parentheses, any of its options. A value that
contains a comma, a parenthesis or a quotation mark is quoted, with ``'`` or ``"``; within quotes,
the same quotation mark is written twice. ``scores:FILE`` is short for ``scores(file=FILE)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from geceval.errors import OptionError
from geceval.metrics.registry import canonical_name

ALL = "all"
"""Name for all metrics that can be used."""

_FILE_PREFIX = "scores:"
"""``scores:FILE`` is short for ``scores(file=FILE)``."""

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[^,()='\"]*")
_BARE = re.compile(r"[^,()'\"]*")
_QUOTED = re.compile(r"""\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)")\s*""")


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A metric with its options as text.

    Parameters
    ----------
    name
        Canonical name of the metric, or ``all``.
    options
        Values by option, as text.

    Examples
    --------
    >>> str(MetricSpec("m2", {"beta": "1", "level": "detection"}))
    'm2(beta=1, level=detection)'
    """

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        written = ", ".join(f"{name}={_written(value)}" for name, value in self.options.items())
        return f"{self.name}({written})" if written else self.name


def parse_specs(text: str) -> list[MetricSpec]:
    """Parse metrics with their options.

    Raises
    ------
    OptionError
        For a syntax error, with its position in the text.
    UnknownNameError
        For a metric that does not exist.

    Examples
    --------
    >>> [str(spec) for spec in parse_specs("M2(beta=1), gleu")]
    ['m2(beta=1)', 'gleu']
    >>> parse_specs("scores:comet.tsv")
    [MetricSpec(name='scores', options={'file': 'comet.tsv'})]
    >>> parse_specs("m2(beta 1)")
    Traceback (most recent call last):
    geceval.errors.OptionError: in 'm2(beta 1)', character 10: expected '=' but found ')'
    """
    return list(_SpecParser(text).specs())


def _written(value: str) -> str:
    if value == value.strip() and value and _BARE.fullmatch(value):
        return value
    return "'" + value.replace("'", "''") + "'"


class _SpecParser:
    """A parser of specifications, at a position of the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0

    def specs(self) -> Iterator[MetricSpec]:
        while self._place < len(self._text):
            if self._text[self._place :].casefold().startswith(_FILE_PREFIX):
                yield self._file_spec()
                continue
            name = self._take(_NAME)
            if not name and self._next() in ("", ","):
                # An empty item, as in "m2,,gleu" or "m2,".
                self._place += 1
                continue
            if not name:
                raise self._error("the name of a metric")
            name = ALL if name.casefold() == ALL else canonical_name(name)
            options = dict(self._options()) if self._next() == "(" else {}
            if name == ALL and options:
                raise OptionError(f"{ALL!r} takes no options; give them to the metrics by name")
            yield MetricSpec(name, options)
            if self._next():
                self._expect(",")

    def _file_spec(self) -> MetricSpec:
        self._place += len(_FILE_PREFIX)
        options = {"file": self._value()}
        for name, value in self._options() if self._next() == "(" else ():
            if name in options:
                raise OptionError(f"in {self._text!r}, the option {name} is given twice")
            options[name] = value
        if self._next():
            self._expect(",")
        return MetricSpec(_FILE_PREFIX[:-1], options)

    def _options(self) -> Iterator[tuple[str, str]]:
        self._expect("(")
        seen: set[str] = set()
        while self._next() != ")":
            name = self._take(_NAME).replace("-", "_")
            if not name:
                raise self._error("the name of an option")
            self._expect("=")
            if name in seen:
                raise OptionError(f"in {self._text!r}, the option {name} is given twice")
            seen.add(name)
            yield name, self._value()
            if self._next() != ")":
                self._expect(",", or_else=")")
        self._expect(")")

    def _value(self) -> str:
        quoted = _QUOTED.match(self._text, self._place)
        if quoted is None:
            value = self._take(_BARE)
            if self._next() in ("'", '"'):
                raise self._error("a value with quotation marks around all of it")
            if not value:
                raise self._error("a value")
            return value
        self._place = quoted.end()
        single, double = quoted.groups()
        return single.replace("''", "'") if single is not None else double.replace('""', '"')

    def _next(self) -> str:
        return self._text[self._place : self._place + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._place)
        assert found is not None  # noqa: S101 - every pattern also matches nothing
        self._place = found.end()
        return found.group().strip()

    def _expect(self, character: str, *, or_else: str = "") -> None:
        if self._next() != character:
            raise self._error(f"{character!r} or {or_else!r}" if or_else else repr(character))
        self._place += 1
        self._take(_SPACE)

    def _error(self, expected: str) -> OptionError:
        found = repr(self._next()) if self._next() else "the end"
        return OptionError(
            f"in {self._text!r}, character {self._place + 1}: expected {expected} but found {found}"
        )
