"""Chinese text as characters: white space, tokens and simplified characters."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from geceval.errors import GecevalError
from geceval.model import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MISSING_PART = "[缺失成分]"
"""Placeholder for a part that is missing from a sentence; it is one token."""

_TOKEN = re.compile(rf"{re.escape(MISSING_PART)}|.", re.DOTALL)


def characters(text: str) -> Tokens:
    """Split text into characters, without white space.

    Examples
    --------
    >>> characters("我有 10 [缺失成分]")
    ('我', '有', '1', '0', '[缺失成分]')
    """
    return tuple(_TOKEN.findall("".join(text.split())))


def are_characters(tokens: Iterable[str]) -> bool:
    """Whether tokens are characters: each has one, or is the placeholder.

    Examples
    --------
    >>> are_characters("我有"), are_characters(("我有",))
    (True, False)
    """
    return all(len(token) == 1 or token == MISSING_PART for token in tokens)


@cache
def _converter() -> Any:
    try:
        import opencc
    except ImportError as error:
        raise GecevalError(
            "Chinese text needs OpenCC to convert traditional characters: pip install "
            "'geceval[zh]', or take --no-simplify"
        ) from error
    return opencc.OpenCC("t2s")


def simplified(text: str) -> str:
    """Convert traditional characters to simplified ones.

    Examples
    --------
    >>> simplified("學習漢語")
    '学习汉语'
    """
    # A lone surrogate, which no encoding has, would be an error of the library.
    return "".join(
        part if _SURROGATES.match(part) else str(_converter().convert(part))
        for part in _SURROGATES.split(text)
    )


_SURROGATES = re.compile("([\ud800-\udfff]+)")


def converter_version() -> str:
    """Return the version of OpenCC."""
    _converter()
    return version("opencc")
