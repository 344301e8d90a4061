"""Grammar checkers, which find errors in a sentence without references."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from geceval.errors import GecevalError, UnknownNameError
from geceval.grammar.base import Checker, IgnoredRules, Notify, Problem

__all__ = ["Checker", "CheckerName", "IgnoredRules", "Problem", "get_checker", "get_ignored_rules"]

CheckerName: TypeAlias = Literal["harper", "languagetool"]


def get_ignored_rules(name: str, *, raw_tokens: bool = False) -> IgnoredRules:
    """Return the ignored rules of a checker, for detokenized or tokenized text."""
    from geceval.grammar import ignored_rules

    if name not in get_args(CheckerName):
        raise UnknownNameError("checker", name, get_args(CheckerName))
    kind = "PUBLISHED" if raw_tokens else "DETOKENIZED"
    found: IgnoredRules = getattr(ignored_rules, f"{name.upper()}_{kind}")
    return found


def get_checker(
    name: str,
    *,
    url: str | None = None,
    lang: str = "en-US",
    raw_tokens: bool = False,
    jobs: int = 1,
    notify: Notify | None = None,
) -> Checker:
    """Return a checker by name.

    Examples
    --------
    >>> get_checker("harper").name
    'harper'
    """
    ignored = get_ignored_rules(name, raw_tokens=raw_tokens)
    if name == "languagetool":
        from geceval.grammar.languagetool.checker import LanguageTool

        return LanguageTool(
            url=url,
            lang=lang,
            ignored=ignored,
            jobs=jobs,
            notify=notify,
        )
    if url is not None:
        raise GecevalError("only the checker 'languagetool' accepts the address of a server")
    from geceval.grammar.harper import Harper

    return Harper(lang=lang, ignored=ignored, jobs=jobs)
