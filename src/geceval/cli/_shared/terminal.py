"""Tables that fit a terminal without truncating their content.

Imported only when something is printed, because rich is slow to import.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from geceval.cli._shared.encoding import shown_as
from geceval.visible import ISOLATES, visible

Kind: TypeAlias = Literal["text", "number", "bar"]

WIDTH_OF_FILES = 160
"""Line width of text in a file or pipe, which has no width; tables are not wrapped."""

_PLAIN_HEAD = Box(str(SIMPLE_HEAD).replace("─", "-"), ascii=True)
_MIN_TEXT = 7
_LONGEST_WORD = 16
_MIN_BAR = 8
_MAX_BLOCKS = 3
_HEAD_LINES = 4
_NUMBER = re.compile(r"[^\w\s]*\d[\d.,]*[^\w\s]*")


class Terminal(Console):
    """A console that never crops lines; the terminal wraps long ones."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(file=sys.stderr if stderr else sys.stdout, highlight=False)
        self.has_width = self.is_terminal or "COLUMNS" in os.environ
        if not self.has_width:
            self.width = WIDTH_OF_FILES

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Render, escaping control characters other than those of styles.

        User data are escaped before; this is a second line of defense. What isolates text that is
        written from right to left is our own.
        """
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield segment._replace(text=visible(segment.text, keep=f"\n{ISOLATES}"))

    def print(self, *objects: Any, **options: Any) -> None:
        """Print objects without cropping them."""
        options.setdefault("crop", False)
        super().print(*objects, **options)

    def rule(self, title: Any = "", **options: Any) -> None:
        """Print a title in a horizontal line, or alone if there is no room."""
        if cell_len(str(title)) + 4 > self.width:
            self.print(f"[bold]{title}[/]")
        else:
            super().rule(title, **options)

    @property
    def spinner(self) -> str:
        """Name of the spinner."""
        return "dots" if self.encoding.startswith("utf") else "line"


@dataclass(frozen=True, slots=True)
class _Column:
    header: Text
    cells: tuple[Text, ...]
    kind: Kind

    @property
    def natural(self) -> int:
        """The width in which nothing is folded."""
        least = _MIN_TEXT if self.kind == "text" else 0
        return max(least, _width(self.header), *map(_width, self.cells), 0)

    @property
    def floor(self) -> int:
        """The minimum width: numbers are not broken, headers and texts are folded."""
        if self.kind == "bar":
            return self.natural
        word = min(_LONGEST_WORD, _longest(self.header.plain.split()))
        if self.kind == "number":
            return max(word, *map(_width, self.cells), 0)
        words = [word for cell in self.cells for word in cell.plain.split()]
        numbers = [word for word in words if _NUMBER.fullmatch(word)]
        return max(_MIN_TEXT, word, min(_LONGEST_WORD, _longest(words)), _longest(numbers))

    def scaled(self, width: int) -> _Column:
        """Return bars that fit a width."""
        longest = max((len(cell) for cell in self.cells), default=0)
        lengths = [max(1, round(len(cell) * width / longest)) for cell in self.cells]
        cells = tuple(cell[:length] for cell, length in zip(self.cells, lengths, strict=True))
        return _Column(self.header, cells, self.kind)


def _text(console: Console, markup: Any, style: str = "") -> Text:
    return Text.from_markup(shown_as(str(markup), console.encoding), style=style)


def _width(text: Text) -> int:
    return _longest(text.plain.split("\n"))


def _longest(pieces: Sequence[str]) -> int:
    return max(map(cell_len, pieces), default=0)


class FittingTable(Table):
    """A table that adapts to the available width.

    Texts are folded first. If that is not enough, the columns are split into several blocks, each
    with the names of the rows. If even one column does not fit, or a few rows would need many
    blocks, each row becomes a list. Numbers are never broken, and no character is dropped.
    """

    def __init__(self, title: str | None) -> None:
        super().__init__(title=title)
        self._kinds: list[Kind] = []

    def add(self, header: str, kind: Kind = "text") -> None:
        """Add a column."""
        self._kinds.append(kind)
        self.add_column(header)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the layout that fits."""
        has_width = not isinstance(console, Terminal) or console.has_width
        width = options.max_width if has_width else sys.maxsize
        if self.title:
            yield _text(console, self.title, style="bold")
        columns = [
            _Column(
                _text(console, column.header),
                tuple(_text(console, cell) for cell in column.cells),
                kind,
            )
            for column, kind in zip(self.columns, self._kinds, strict=True)
        ]
        box = _PLAIN_HEAD if options.ascii_only else SIMPLE_HEAD
        for part in self._laid_out(_with_room(columns, width), width, box):
            yield from console.render(part, options.update(max_width=max(1, _total(part))))

    def _laid_out(self, columns: Sequence[_Column], width: int, box: Box) -> Iterator[Table]:
        n_keys = _n_keys(columns)
        blocks = _blocks(columns, n_keys, width)
        if blocks is None or self._is_shorter_stacked(len(columns), len(blocks)):
            yield from self._stacked(columns, width)
            return
        for block in blocks:
            yield self._block(block, _widths(block, width), box)

    def _is_shorter_stacked(self, n_columns: int, n_blocks: int) -> bool:
        """Whether lists of the rows take less room than the blocks."""
        n_rows = len(self.rows)
        if n_blocks <= (_MAX_BLOCKS if n_rows > 1 else 1):
            return False
        return n_rows * (n_columns + 1) < n_blocks * (n_rows + _HEAD_LINES)

    def _block(self, columns: Sequence[_Column], widths: Sequence[int], box: Box) -> Table:
        block = Table(box=box, padding=(0, 1, 0, 0), pad_edge=False)
        for column, width in zip(columns, widths, strict=True):
            block.add_column(
                column.header,
                justify="right" if column.kind == "number" else "left",
                width=width,
                overflow="fold",
            )
        for row, cells in zip(
            self.rows, zip(*(c.cells for c in columns), strict=True), strict=True
        ):
            block.add_row(*cells, style=row.style)
        return block

    def _stacked(self, columns: Sequence[_Column], width: int) -> Iterator[Table]:
        """Yield each row as a list of names and values."""
        least = max([_MIN_TEXT, *(col.floor for col in columns if col.kind == "number")])
        room = max(1, min(width // 2 - 2, width - 2 - least))
        names = min(_longest([column.header.plain for column in columns]), room)
        values = max(width - names - 2, least)
        for number, row in enumerate(self.rows):
            block = Table.grid(padding=(0, 2, 0, 0))
            block.add_column(width=names, overflow="fold", style="dim")
            block.add_column(width=values, overflow="fold")
            for column in columns:
                block.add_row(column.header, column.cells[number], style=row.style)
            block.add_row("", "")
            yield block


def _total(table: Table) -> int:
    """Return the width of a table with fixed columns."""
    widths = [(column.width or 0) for column in table.columns]
    if table.box is None:
        return sum(widths) + 2 * (len(widths) - 1)
    return _with_spaces(widths)


def _with_spaces(widths: Sequence[int]) -> int:
    """Return the total width of columns, including the space around them."""
    return sum(widths) + 2 * len(widths)


def _n_keys(columns: Sequence[_Column]) -> int:
    """Return the number of columns that name a row: the texts before the first number."""
    kinds = [column.kind for column in columns]
    before = next((place for place, kind in enumerate(kinds) if kind != "text"), 1)
    return max(1, min(before, len(columns) - 1))


def _with_room(columns: Sequence[_Column], width: int) -> list[_Column]:
    """Scale the bars to the room that other columns leave, or drop them."""
    if all(column.kind != "bar" for column in columns):
        return list(columns)
    others = [column.natural for column in columns if column.kind != "bar"]
    room = width - _with_spaces([*others, 0])
    found = []
    for column in columns:
        if column.kind != "bar" or room >= column.natural:
            found.append(column)
        elif room >= _MIN_BAR:
            found.append(column.scaled(room))
    return found


def _blocks(columns: Sequence[_Column], n_keys: int, width: int) -> list[list[_Column]] | None:
    """Distribute columns over as few blocks as possible; None if some column fits in none."""
    if _with_spaces([column.floor for column in columns]) <= width:
        return [list(columns)]
    keys = list(columns[:n_keys])
    blocks: list[list[_Column]] = []
    for column in columns[n_keys:]:
        if blocks and _with_spaces([one.floor for one in (*blocks[-1], column)]) <= width:
            blocks[-1].append(column)
        elif _with_spaces([one.floor for one in (*keys, column)]) <= width:
            blocks.append([*keys, column])
        else:
            return None
    return blocks


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """Give columns their minimum width, and the rest to those that need more."""
    found = [column.floor for column in columns]
    left = width - _with_spaces(found)
    # The names of rows come first.
    for place, column in enumerate(columns):
        more = min(left, column.natural - found[place])
        found[place] += more
        left -= more
    return found
