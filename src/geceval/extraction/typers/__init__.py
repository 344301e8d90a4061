"""Error-type classifiers, by name.

``learned:FILE`` is a classifier trained with ``geceval types train``.
"""

from __future__ import annotations

import importlib

from geceval.errors import GecevalError, UnknownNameError
from geceval.extraction.lang.pack_options import PackOptions
from geceval.extraction.typers.base import Typer

__all__ = ["Typer", "get_typer", "typer_names"]

_TYPERS = {
    "errant": "geceval.extraction.typers.errant:ErrantTyper",
    "universal": "geceval.extraction.typers.universal:UniversalTyper",
    "plain": "geceval.extraction.typers.plain:PlainTyper",
    "rules": "geceval.extraction.typers.rule_based:RuleTyper",
}
LEARNED = "learned:"
"""Prefix of the name of a trained classifier; its file follows."""


def typer_names() -> list[str]:
    """Return the names of all classifiers."""
    return list(_TYPERS)


def get_typer(name: str, *, language: str = "", options: PackOptions | None = None) -> Typer:
    """Return a classifier by name.

    Parameters
    ----------
    name
        Name of the classifier.
    language, options
        Name of the language pack and its options, for the classifier ``"rules"``.

    Examples
    --------
    >>> get_typer("plain").signature
    'plain-2'
    """
    if name == "rules":
        from geceval.extraction.typers.rule_based import RuleTyper

        return RuleTyper(language, options)
    if options is not None and (
        options.detail or options.names != "universal" or options.order or options.map
    ):
        raise GecevalError(
            f"--detail, --names, --order and --map are options of the classifier 'rules', which "
            f"other languages have, not of {name.partition(':')[0]!r}"
        )
    if name.startswith(LEARNED):
        from geceval.extraction.typers.learned import LearnedTyper

        return LearnedTyper.load(name.removeprefix(LEARNED))
    if name not in _TYPERS:
        raise UnknownNameError("typer", name, [*_TYPERS, f"{LEARNED}FILE"])
    module, _, attribute = _TYPERS[name].partition(":")
    typer: Typer = getattr(importlib.import_module(module), attribute)()
    return typer
