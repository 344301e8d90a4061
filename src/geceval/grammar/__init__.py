"""Grammar checkers, which count what is wrong with a sentence without any reference."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from geceval.errors import GecevalError, UnknownNameError
from geceval.grammar.base import Checker, LeftOut, Notify, Problem

__all__ = ["Checker", "CheckerName", "LeftOut", "Problem", "get_checker", "left_out_of"]

CheckerName: TypeAlias = Literal["harper", "languagetool"]


def left_out_of(name: str, *, raw_tokens: bool = False) -> LeftOut:
    """Return the rules of a checker that do not count, for running or for tokenized text."""
    from geceval.grammar import ignored_rules as left_out

    if name not in get_args(CheckerName):
        raise UnknownNameError("checker", name, get_args(CheckerName))
    kind = "PUBLISHED" if raw_tokens else "DETOKENIZED"
    found: LeftOut = getattr(left_out, f"{name.upper()}_{kind}")
    return found


def get_checker(
    name: str,
    *,
    url: str | None = None,
    language: str = "en-US",
    raw_tokens: bool = False,
    workers: int = 1,
    notify: Notify | None = None,
) -> Checker:
    """Make a checker by name.

    Examples
    --------
    >>> get_checker("harper").name
    'harper'
    """
    left_out = left_out_of(name, raw_tokens=raw_tokens)
    if name == "languagetool":
        from geceval.grammar.languagetool.checker import LanguageTool

        return LanguageTool(
            url=url,
            language=language,
            left_out=left_out,
            workers=workers,
            notify=notify,
        )
    if url is not None:
        raise GecevalError("only the checker 'languagetool' takes the address of a server")
    from geceval.grammar.harper import Harper

    return Harper(language=language, left_out=left_out, workers=workers)
