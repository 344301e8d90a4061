"""Pages of the documentation: their fenced blocks, and what the examples in them print.

A block is an example that the tests run, in the order of the page, in a folder with the example
data. A comment on the line before its fence changes that:

- ``<!-- not run: needs … -->`` for what this machine may lack, with the reason;
- ``<!-- file: NAME -->`` for a block that is the content of a file.

A block without a language right after an example is what its last command prints. ``[…]`` stands
for text that was left out; blank lines and the version do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>not run|file): (?P<value>.*?) -->\n)?"
    r"(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_VERSION = re.compile(r"version:[\w.+]+")
_LEFT_OUT = "[…]"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page.

    Parameters
    ----------
    language
        What follows the fence.
    text
        Its lines.
    line
        Number of its first line in the page.
    reason
        Why it is not run.
    file
        Name of the file that it is the content of.
    follows
        Whether there are only blank lines between it and the block before.
    """

    language: str
    text: str
    line: int
    reason: str = ""
    file: str = ""
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A command or a piece of Python, and what it prints, if that is shown."""

    kind: str
    text: str
    line: int
    shown: str | None = None


def name_of(page: Path) -> str:
    """Return the path of a page from the root of the project."""
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    end = -1
    for found in _BLOCK.finditer(text):
        follows = end >= 0 and not text[end : found.start()].strip()
        end = found.end()
        mark, value = found["mark"], found["value"] or ""
        yield Block(
            found["language"].strip(),
            found["text"],
            text.count("\n", 0, found.start("text")) + 1,
            value if mark == "not run" else "",
            value if mark == "file" else "",
            follows,
        )


def commands(block: Block) -> Iterator[Example]:
    """Yield the commands of a console block (lines with ``$``), or of a block of shell.

    A block of shell with a here-document is one command.
    """
    if block.language == "sh" and "<<" in block.text:
        yield Example("shell", block.text, block.line)
        return
    lines = block.text.replace("\\\n", "\\\0").split("\n")
    if block.language == "sh":
        lines = [f"$ {line}" for line in lines if line]
    command = ""
    shown: list[str] = []
    for line in [*lines, "$ "]:
        if line.startswith("$ "):
            if command:
                output = "\n".join(shown)
                yield Example("shell", command, block.line, output if output.strip() else None)
            command, shown = line[2:].replace("\\\0", "\\\n"), []
        elif command:
            shown.append(line)


def examples(text: str) -> list[Example]:
    """Return the examples of a page, in order, with what they print."""
    found: list[Example] = []
    was_run = False
    for block in blocks(text):
        if block.file:
            found.append(Example("file", f"{block.file}\n{block.text}", block.line))
        elif block.language in ("console", "sh", "python"):
            was_run = not block.reason
            if block.reason:
                continue
            if block.language != "python":
                found += commands(block)
            else:
                kind = "doctest" if block.text.startswith(">>> ") else "python"
                found.append(Example(kind, block.text, block.line))
            continue
        elif not block.language and block.follows and was_run:
            last = found[-1]
            assert last.shown is None, f"line {block.line}: output twice"
            found[-1] = Example(last.kind, last.text, last.line, block.text)
        was_run = False
    return found


def _plain(text: str) -> str:
    lines = (line.rstrip() for line in _VERSION.sub("version:0", text).splitlines())
    return "\n".join(line for line in lines if line)


def is_shown(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed."""
    pattern = ".*?".join(re.escape(part) for part in _plain(shown).split(_LEFT_OUT))
    return re.fullmatch(pattern, _plain(printed), re.DOTALL) is not None
