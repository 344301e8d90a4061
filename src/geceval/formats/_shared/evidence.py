"""Evidence that a file is not plain text: its name and the look of its lines.

Plain text is the fallback of format detection, so a corrupt file of any format would be read as
sentences and give plausible but wrong scores. Naming the format overrides the evidence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from geceval.formats.base import Format
from geceval.formats.inputs import Input, strip_compression

_SHOWN = 40
_WEAK = ("parallel", "tsv")
"""Fallback formats, whose detection is weak evidence."""


def check(found: Format, source: Input, known: Iterable[Format], *, option: str) -> Format:
    """Check a detected format against the name and the first lines of a file.

    Returns the format to read; for a blank file, that of its extension. Error messages refer to
    `option`, the command-line option that sets the format.
    """
    ending = os.path.splitext(strip_compression(source.name))[1].lower()
    named = [fmt for fmt in known if ending in (*fmt.suffixes, *fmt.endings)] if ending else []
    is_text = found.name == "parallel"
    if is_text and "\0" in source.head:
        message = "contains null bytes: it is binary, or text in UTF-16; give its encoding"
        raise source.error(f"{message} with --encoding")
    if found.is_output:
        return found
    if named and found not in named and not any(fmt.name == "parallel" for fmt in named):
        if not source.head.strip():
            return next((fmt for fmt in named if ending in fmt.suffixes), named[0])
        if found.name in _WEAK:
            raise source.error(_contradiction(source, ending, named, option))
        message = f"the file extension is {ending}, but the content was read as {found.title}"
        source.note("extension-mismatch", message)
    elif is_text:
        _check_lines(source, option)
    return found


def _contradiction(source: Input, ending: str, named: Sequence[Format], option: str) -> str:
    titles = " or ".join(f"{fmt.title} ({fmt.name})" for fmt in named)
    number, line = _first_line(source.head)
    return (
        f"the file extension is {ending}, but this is not {titles}: line {number} is "
        f"{_shown(line)}; rename it, or give its format with {option} (parallel is plain text)"
    )


def _remedy(option: str) -> str:
    return f"use {option} parallel to read it as plain text"


def _shown(line: str) -> str:
    return repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")


def _first_line(head: str) -> tuple[int, str]:
    """Return the number and text of the first line that is not blank."""
    for number, line in enumerate(head.split("\n"), 1):
        if line.strip():
            return number, line.rstrip("\r")
    return 1, ""


_XML = re.compile(r"<(\?xml|!DOCTYPE)\b", re.IGNORECASE)
_JSON = re.compile(r"""\{"[^"]*"\s*:|\["[^"]*"\s*,|\[\{""")
_M2_EDIT = re.compile(r"^A -?[0-9]+ -?[0-9]+\|\|\|", re.MULTILINE)
_LABEL = re.compile(r"\S+\t[ci]\r?")


def _check_lines(source: Input, option: str) -> None:
    """Raise an error for text that partly looks like another format."""
    head = source.head
    number, first = _first_line(head)
    what = None
    if _XML.match(first.lstrip()):
        what = f"line {number} begins an XML file of an unknown format"
    elif _JSON.match(first.lstrip()):
        what = f"line {number} looks like JSON ({_shown(first)}) of an unknown format"
    elif edit := _M2_EDIT.search(head):
        number = head.count("\n", 0, edit.start()) + 1
        what = f"line {number} looks like an M2 edit, but the file does not begin with 'S '"
    else:
        what = _tabs(head)
    if what is not None:
        raise source.error(f"{what}; {_remedy(option)}")


def _tabs(head: str) -> str | None:
    """Describe most lines if they contain tabs."""
    # The last line of the head may be truncated.
    lines = [line for line in (head.rpartition("\n")[0] or head).split("\n") if line.strip()]
    half = max(1, len(lines) // 2)
    if sum(_LABEL.fullmatch(line) is not None for line in lines) > half:
        return "most lines are a token and a label (MultiGED), but not all of them"
    if sum("\t" in line.strip() for line in lines) > half:
        return "most lines contain tabs, but not the same number, as in a table"
    return None
