"""Numbers and texts as Python 2 printed them."""

from __future__ import annotations

from collections.abc import Iterable

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_LAST_ASCII, _LAST_BYTE, _LAST_BASIC = 0x7F, 0xFF, 0xFFFF


def printed(number: float) -> str:
    """Return a float as the statement ``print`` wrote it.

    Examples
    --------
    >>> [printed(number) for number in (1, 2 / 3, 1e-5, 1e20)]
    ['1.0', '0.666666666667', '1e-05', '1e+20']
    """
    text = f"{number:.12g}"
    return text if any(char in text for char in ".en") else f"{text}.0"


def literal(text: str, *, is_unicode: bool | None = None) -> str:
    r"""Return a text as ``repr`` wrote it; by default an empty one is no unicode string.

    Examples
    --------
    >>> print(literal("it's"), literal('it\'s "so"'), literal("é\u2019"), literal(""))
    u"it's" u'it\'s "so"' u'\xe9\u2019' ''
    """
    quote = '"' if "'" in text and '"' not in text else "'"
    prefix = "u" if (bool(text) if is_unicode is None else is_unicode) else ""
    return f"{prefix}{quote}{''.join(_escaped(char, quote) for char in text)}{quote}"


def _escaped(char: str, quote: str) -> str:
    code = ord(char)
    if char == quote:
        return f"\\{char}"
    if char in _ESCAPES:
        return _ESCAPES[char]
    if " " <= char < chr(_LAST_ASCII):
        return char
    if code <= _LAST_BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _LAST_BASIC else f"\\U{code:08x}"


def listed(items: Iterable[str]) -> str:
    """Return a list of representations as ``repr`` wrote it."""
    return f"[{', '.join(items)}]"
