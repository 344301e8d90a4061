"""Validation of the arguments of the model's classes.

The classes validate their arguments quickly; these functions explain what is wrong and how to
fix it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, overload

_LONGEST_SHOWN = 60


def shown(value: object) -> str:
    """Describe a value and its type, truncated if it is long.

    Examples
    --------
    >>> shown("I like it ."), shown(["a"]), shown(None)
    ("the string 'I like it .'", "the list ['a']", 'None')
    """
    text = repr(value)
    if len(text) > _LONGEST_SHOWN:
        text = f"{text[:_LONGEST_SHOWN]}…"
    kind = "string" if isinstance(value, str) else type(value).__name__
    return text if value is None else f"the {kind} {text}"


def check_tokens(value: Any, what: str, remedy: str) -> None:
    """Raise an error unless `value` is a tuple of tokens.

    Parameters
    ----------
    value
        The argument.
    what
        Name of the argument, e.g. ``Sentence.tokens``.
    remedy
        How to fix it.

    Raises
    ------
    TypeError
        For anything but a tuple of strings.
    ValueError
        For a token that contains a space and is probably a whole sentence.
    """
    if not isinstance(value, tuple):
        raise TypeError(f"{what} must be a tuple of tokens, not {shown(value)}; {remedy}")
    for place, token in enumerate(value):
        if not isinstance(token, str):
            raise TypeError(f"{what}[{place}] must be a token, not {shown(token)}; {remedy}")
        if " " in token:
            raise ValueError(f"{what}[{place}] is {token!r}, but a token has no spaces; {remedy}")


def check_corrections(start: int, end: int, value: Any) -> None:
    """Raise an error unless `value` is a tuple of alternatives, each a tuple of tokens."""
    text = _as_text(value) or "like"
    remedy = f"write Edit.replace({start}, {end}, {text!r}) or {(tuple(text.split()),)!r}"
    if not isinstance(value, tuple):
        raise TypeError(
            f"Edit.corrections must be a tuple of alternatives, not {shown(value)}; {remedy}"
        )
    for place, option in enumerate(value):
        check_tokens(option, f"Edit.corrections[{place}]", remedy)


def _as_text(value: Any) -> str:
    """Guess the intended words."""
    while isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        return value
    words = value if isinstance(value, Sequence) else ()
    return " ".join(word for word in words if isinstance(word, str))


def check_items(value: Any, what: str, kind: type, example: str) -> None:
    """Raise an error unless `value` is a tuple of instances of `kind`."""
    if not isinstance(value, tuple):
        raise TypeError(
            f"{what} must be a tuple of {kind.__name__}, not {shown(value)}; write {example}"
        )
    for place, item in enumerate(value):
        if not isinstance(item, kind):
            raise TypeError(f"{what}[{place}] must be of type {kind.__name__}, not {shown(item)}")


def check_sentences(value: Any) -> None:
    """Raise an error unless `value` is a tuple of sentences, each a tuple of tokens."""
    remedy = "for lines of text write Hypothesis.from_texts(lines, name=…)"
    if not isinstance(value, tuple):
        raise TypeError(
            f"Hypothesis.sentences must be a tuple of sentences, not {shown(value)}; {remedy}"
        )
    for place, sent in enumerate(value):
        text = sent if isinstance(sent, str) else "I like it ."
        what = f"Hypothesis.sentences[{place}]"
        check_tokens(sent, what, f"{remedy}, for tokens tuple({text!r}.split())")


def check_text(value: Any, what: str) -> None:
    """Raise an error unless `value` is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, not {shown(value)}")


@overload
def text_lines(value: Iterable[str], what: str) -> list[str]: ...
@overload
def text_lines(
    value: Iterable[str | None], what: str, *, may_be_absent: Literal[True]
) -> list[str | None]: ...
def text_lines(
    value: Iterable[str | None], what: str, *, may_be_absent: bool = False
) -> Sequence[str | None]:
    """Return sentences as a list; raise an error for a single string and for other types."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{what} must be a list of strings, not {shown(value)}; write [{value!r}]")
    lines = list(value)
    for place, line in enumerate(lines):
        if not (isinstance(line, str) or (line is None and may_be_absent)):
            raise TypeError(
                f"{what}[{place}] must be a string with spaces between the tokens, "
                f"not {shown(line)}"
            )
    return lines
