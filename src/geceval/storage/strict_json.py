"""Standard JSON, without NaN and infinity."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from geceval.errors import GecevalError


def dumps(
    data: Any,
    *,
    indent: int | None = None,
    compact: bool = False,
    ascii_only: bool = False,
    place: str = "",
) -> str:
    r"""Serialize data as JSON, and reject NaN and infinity.

    Parameters
    ----------
    data
        Mappings, sequences, strings, numbers, booleans and None.
    indent
        Spaces of each level; None for a single line.
    compact
        Whether to omit spaces after commas and colons.
    ascii_only
        Whether to escape non-ASCII characters.
    place
        Where the data is in a larger document, for messages.

    Raises
    ------
    GecevalError
        If a number is not finite; the message contains its path.

    Examples
    --------
    >>> dumps({"score": 0.5, "name": "é"}), dumps(["é"], ascii_only=True)
    ('{"score": 0.5, "name": "é"}', '["\\u00e9"]')
    >>> dumps({"results": [{"score": float("nan")}]})
    Traceback (most recent call last):
    geceval.errors.GecevalError: results[0].score is nan, which JSON cannot hold
    """
    separators = (",", ":") if compact else None
    try:
        return json.dumps(
            data, ensure_ascii=ascii_only, indent=indent, separators=separators, allow_nan=False
        )
    except ValueError as error:
        for where, value in _not_finite(data, place):
            raise GecevalError(f"{where} is {value}, which JSON cannot hold") from error
        raise


def compact_parts(data: Any, depth: int, place: str = "") -> Iterator[str]:
    """Yield the compact JSON of nested mappings in parts, which need less memory than the whole.

    Parameters
    ----------
    data
        As for `dumps`.
    depth
        Levels of mappings whose members are parts of their own.
    place
        Where the data is in a larger document, for messages.

    Examples
    --------
    >>> list(compact_parts({"a": [1, 2], "b": {}}, 1))
    ['{"a":', '[1,2]', ',"b":', '{}', '}']
    """
    if not depth or not isinstance(data, Mapping):
        yield dumps(data, compact=True, place=place)
        return
    separator = "{"
    for name, value in data.items():
        yield f"{separator}{dumps(str(name))}:"
        yield from compact_parts(value, depth - 1, f"{place}.{name}" if place else str(name))
        separator = ","
    yield "}" if data else "{}"


def or_none(value: float) -> float | None:
    """Convert NaN to None."""
    return None if math.isnan(value) else value


def or_nan(value: float | None) -> float:
    """Convert None to NaN, the inverse of `or_none`."""
    return math.nan if value is None else float(value)


def nan_to_none(data: Any) -> Any:
    """Replace NaN by None in nested data, so that it can be written as JSON.

    Examples
    --------
    >>> nan_to_none({"scores": (0.5, math.nan)})
    {'scores': [0.5, None]}
    """
    return _replaced(data, lambda value: isinstance(value, float) and math.isnan(value), None)


def none_to_nan(data: Any) -> Any:
    """Undo `nan_to_none`."""
    return _replaced(data, lambda value: value is None, math.nan)


def _replaced(data: Any, condition: Callable[[Any], bool], new: float | None) -> Any:
    if isinstance(data, Mapping):
        return {name: _replaced(value, condition, new) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_replaced(value, condition, new) for value in data]
    return new if condition(data) else data


def _not_finite(data: Any, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(data, float):
        if not math.isfinite(data):
            yield place or "the value", data
    elif isinstance(data, Mapping):
        for name, value in data.items():
            yield from _not_finite(value, f"{place}.{name}" if place else str(name))
    elif isinstance(data, list | tuple):
        for number, value in enumerate(data):
            yield from _not_finite(value, f"{place}[{number}]")
