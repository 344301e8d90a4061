"""Escape control characters in untrusted text.

Terminals execute control sequences, and bidirectional controls disguise text. File names and the
content of files are escaped before they are displayed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

_LEGITIMATE = "\t\n\r\u061c\u200e\u200f"
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}

_ACTIVE = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional
    "\u2028\u2029"  # line and paragraph separators
)
_ACTIVE_CHARACTER = re.compile(f"[{_ACTIVE}]")


def visible(text: str, *, keep: str = "") -> str:
    r"""Escape control characters and bidirectional controls.

    Parameters
    ----------
    text
        Untrusted text: from a file, a name, or a message with either.
    keep
        Characters not to escape, such as line breaks of a message.

    Examples
    --------
    >>> print(visible("red \x1b[31m"), visible("a\u202eb\tc"))
    red \x1b[31m a\u202eb\tc
    """
    if text.isprintable():
        return text
    return _ACTIVE_CHARACTER.sub(
        lambda found: found[0] if found[0] in keep else _escaped(found[0]), text
    )


_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff]")
_LRI, _RLI, _FSI, _PDI = ISOLATES = "\u2066\u2067\u2068\u2069"


def isolated(text: str) -> str:
    r"""Isolate text with right-to-left letters, so that it does not reorder what is around it.

    For text that was escaped by `visible`.

    Examples
    --------
    >>> isolated("abc"), isolated("שלום")
    ('abc', '\u2068שלום\u2069')
    """
    return f"{_FSI}{text}{_PDI}" if _RIGHT_TO_LEFT.search(text) else text


def lay_out(sentence: str, pieces: Iterable[tuple[str, bool]]) -> str:
    r"""Join pieces of a sentence in its own direction.

    Parameters
    ----------
    sentence
        The sentence, whose first letter decides.
    pieces
        Escaped pieces, and whether they have signs that are read from left to right.
    """
    listed = list(pieces)
    first = next(filter(str.isalpha, sentence), "")
    if not _RIGHT_TO_LEFT.match(first):
        return " ".join(piece for piece, _ in listed)
    joined = " ".join(f"{_LRI}{piece}{_PDI}" if is_signed else piece for piece, is_signed in listed)
    return f"{_RLI}{joined}{_PDI}"


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "") -> str:
    """Return an HTML table of untrusted text, as notebooks show it.

    Examples
    --------
    >>> html_table(["system"], [["<A>"]])
    '<table><thead><tr><th>system</th></tr></thead><tbody><tr><td>&lt;A&gt;</td></tr></tbody></table>'
    """

    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(["<tr>", *(f"<{tag}>{as_html(cell)}</{tag}>" for cell in cells), "</tr>"])

    title = f"<caption>{as_html(caption)}</caption>" if caption else ""
    body = "".join(row(cells, "td") for cells in rows)
    return f"<table>{title}<thead>{row(header, 'th')}</thead><tbody>{body}</tbody></table>"


def as_html(text: str) -> str:
    """Escape control characters and HTML."""
    return html.escape(visible(text))


def invisible_controls(text: str) -> list[str]:
    r"""Return the distinct control characters of a line that text does not need.

    Tabs, carriage returns and the directional marks of some scripts are legitimate.

    Examples
    --------
    >>> invisible_controls("a\x00b\tc \u200f \x00\x1b")
    ['\x00', '\x1b']
    """
    if text.isprintable():
        return []
    found = dict.fromkeys(_ACTIVE_CHARACTER.findall(text))
    return [character for character in found if character not in _LEGITIMATE]


def _escaped(character: str) -> str:
    short = _SHORT.get(character)
    if short is not None:
        return short
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
