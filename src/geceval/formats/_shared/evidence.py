"""What speaks against reading a file as plain text: its name, and what its lines look like.

Plain text is what nothing else claims, so a spoiled file of any format would be read as sentences
and give plausible nonsense. Whoever means it names the format.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from geceval.formats.base import Format
from geceval.formats.inputs import Input

_SHOWN = 40
_WEAK = ("parallel", "tsv")
"""Formats that claim files for want of a better one."""


def check(found: Format, source: Input, known: Iterable[Format], *, option: str) -> Format:
    """Hold what the content of a file says against its name and against half a look.

    Parameters
    ----------
    found
        The format that claims the content.
    source
        The file.
    known
        Every format.
    option
        The option of the program that names the format of this file.

    Returns
    -------
    fmt
        The format to read; for a blank file the one that its name tells.
    """
    ending = _ending(source.name)
    named = [fmt for fmt in known if ending in (*fmt.suffixes, *fmt.endings)] if ending else []
    is_text = found.name == "parallel"
    if is_text and "\0" in source.head:
        message = "holds zero bytes: it is no text, or text in UTF-16; name its encoding"
        raise source.error(f"{message} with --encoding if it is")
    if named and found not in named and not any(fmt.name == "parallel" for fmt in named):
        if not source.head.strip():
            return next((fmt for fmt in named if ending in fmt.suffixes), named[0])
        if found.name in _WEAK:
            raise source.error(_contradiction(source, ending, named, option))
        message = f"the name ends in {ending}, but this is {found.title} and read as such"
        source.note("other-name", message)
    elif is_text:
        _look(source, option)
    return found


def _ending(name: str) -> str:
    """Return the ending of a file name, before those of compression."""
    for ending in (".gz", ".zst"):
        name = name.removesuffix(ending)
    return os.path.splitext(name)[1].lower()


def _contradiction(source: Input, ending: str, named: Sequence[Format], option: str) -> str:
    titles = " or ".join(f"{fmt.title} ({fmt.name})" for fmt in named)
    number, line = _first_line(source.head)
    return (
        f"the name ends in {ending}, but this is not {titles}: line {number} is "
        f"{_shown(line)}; rename it, or name its format with {option} (parallel is plain text)"
    )


def _remedy(option: str) -> str:
    return f"give {option} parallel to read it as plain text"


def _shown(line: str) -> str:
    return repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")


def _first_line(head: str) -> tuple[int, str]:
    """Return the first line that is not blank, with its number."""
    for number, line in enumerate(head.split("\n"), 1):
        if line.strip():
            return number, line.rstrip("\r")
    return 1, ""


_XML = re.compile(r"<(\?xml|!DOCTYPE)\b", re.IGNORECASE)
_JSON = re.compile(r"""\{"[^"]*"\s*:|\["[^"]*"\s*,|\[\{""")
_M2_EDIT = re.compile(r"^A -?[0-9]+ -?[0-9]+\|\|\|", re.MULTILINE)
_LABEL = re.compile(r"\S+\t[ci]\r?")


def _look(source: Input, option: str) -> None:
    """Refuse text that looks like half of another format."""
    head = source.head
    number, first = _first_line(head)
    what = None
    if _XML.match(first.lstrip()):
        what = f"line {number} begins an XML file, but none of a known kind"
    elif _JSON.match(first.lstrip()):
        what = f"line {number} looks like JSON ({_shown(first)}), but of no known kind"
    elif edit := _M2_EDIT.search(head):
        number = head.count("\n", 0, edit.start()) + 1
        what = f"line {number} looks like an edit of M2, but the file does not begin with 'S '"
    else:
        what = _tabs(head)
    if what is not None:
        raise source.error(f"{what}; {_remedy(option)}")


def _tabs(head: str) -> str | None:
    """Say what most lines look like where they hold tabs."""
    # The last line of the head may be cut off.
    lines = [line for line in (head.rpartition("\n")[0] or head).split("\n") if line.strip()]
    half = max(1, len(lines) // 2)
    if sum(_LABEL.fullmatch(line) is not None for line in lines) > half:
        return "most lines are a token and a label (MultiGED), but not all of them"
    if sum("\t" in line.strip() for line in lines) > half:
        return "most lines hold tabs, but not as many each as a table has"
    return None
