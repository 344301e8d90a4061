"""Metrics that people on the network may choose."""

from __future__ import annotations

import types

from geceval.errors import OptionError
from geceval.metrics.options import Option, options_of
from geceval.metrics.registry import canonical_name, metric_class, standalone_names
from geceval.metrics.specs import ALL, parse_specs

_PLAIN = frozenset({bool, int, float, types.NoneType})
_LOCAL = frozenset({"jobs", "lang"})
"""Options that the server sets itself."""

_EXCLUDED = frozenset({"grammar"})
"""Metrics that may start a server."""


def allowed_names() -> list[str]:
    """Return the names of the metrics that a client may choose."""
    return [name for name in standalone_names() if name not in _EXCLUDED]


def check_allowed(text: str) -> None:
    """Raise an error for a metric or an option that could open a file or start a program.

    Examples
    --------
    >>> check_allowed("m2(beta=1),gleu")
    >>> check_allowed("gotoscorer(weights=/etc/passwd)")
    Traceback (most recent call last):
    geceval.errors.OptionError: the server does not take the option weights of gotoscorer
    """
    for spec in parse_specs(text):
        if spec.name == ALL:
            raise OptionError("name the metrics one by one")
        name = canonical_name(spec.name)
        if name not in allowed_names():
            raise OptionError(f"the server does not offer the metric {name}")
        declared = options_of(metric_class(name))
        for option in spec.options:
            # Unknown options are refused when the metric is made.
            if option in _LOCAL or (option in declared and not _is_plain(declared[option])):
                raise OptionError(f"the server does not take the option {option} of {name}")


def _is_plain(option: Option) -> bool:
    """Whether an option takes numbers, truth values or one of a few names only."""
    return set(option.kinds) <= _PLAIN
