"""Error-type classifiers, by name.

``learned:FILE`` is a classifier trained with ``geceval types train``.
"""

from __future__ import annotations

import importlib

from geceval.errors import UnknownNameError
from geceval.extraction.typers.base import Typer

__all__ = ["Typer", "get_typer", "typer_names"]

_TYPERS = {
    "errant": "geceval.extraction.typers.errant:ErrantTyper",
    "universal": "geceval.extraction.typers.universal:UniversalTyper",
    "plain": "geceval.extraction.typers.plain:PlainTyper",
}
LEARNED = "learned:"
"""Prefix of the name of a trained classifier; its file follows."""


def typer_names() -> list[str]:
    """Return the names of all classifiers."""
    return list(_TYPERS)


def get_typer(name: str) -> Typer:
    """Return a classifier by name.

    Examples
    --------
    >>> get_typer("plain").signature
    'plain'
    """
    if name.startswith(LEARNED):
        from geceval.extraction.typers.learned import LearnedTyper

        return LearnedTyper.load(name.removeprefix(LEARNED))
    if name not in _TYPERS:
        raise UnknownNameError("typer", name, [*_TYPERS, f"{LEARNED}FILE"])
    module, _, attribute = _TYPERS[name].partition(":")
    typer: Typer = getattr(importlib.import_module(module), attribute)()
    return typer
