"""Numbers as papers print them, and how many of their digits come out here.

The files in ``published`` are transcribed from the text of the papers, one for each table or
figure: ``published/PAPER/NAME.tsv``. Cells are kept as they are printed, since the number of
digits is part of what a paper says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TypeAlias

FOLDER = Path(__file__).parent / "published"

_HUGE = 1e9
"""Numbers from here on are shown as powers of ten."""

Value: TypeAlias = float | str | None
"""A value that was computed here; None if it could not be."""


def number(printed: str) -> Decimal | None:
    """Return a printed number; None for text."""
    try:
        found = Decimal(printed)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def significant_digits(printed: str) -> int:
    """Count the digits of a printed number from the first that is not 0; 0 and text have one.

    >>> [significant_digits(text) for text in ("0.214", "-0.070", "13062", "100.00", "0.00", "TP")]
    [3, 2, 5, 5, 1, 1]
    """
    found = number(printed)
    return len(found.as_tuple().digits) if found else 1


def rounded(printed: str, value: float) -> str:
    """Return a value with as many decimals as a printed number has; there is no negative zero.

    >>> rounded("0.214", 0.21449), rounded("512", 160.0), rounded("0.00", -0.001)
    ('0.214', '160', '0.00')
    """
    found = number(printed)
    assert found is not None, printed
    return f"{value:z.{_decimals(found)}f}"


def agreeing_digits(printed: str, value: Value) -> int:
    """Return how many leading digits of a printed number a value confirms.

    All of them, if the value rounds to the printed number. Otherwise the first n significant
    digits agree if the value, rounded as the printed number is, differs from it by at most half a
    unit of the nth digit. Text agrees if it is equal, spaces aside.

    >>> [agreeing_digits("0.214", value) for value in (0.2144, 0.2099, 0.16, 0.35, -0.214)]
    [3, 2, 0, 0, 0]
    >>> [agreeing_digits("13062", value) for value in (13062, 13063.0, 13070, 13636)]
    [5, 4, 3, 1]
    """
    found = number(printed)
    if value is None or isinstance(value, str) or found is None:
        return int(isinstance(value, str) and value.split() == printed.split())
    if math.isnan(value):
        return 0
    difference = abs(Decimal(rounded(printed, value)) - found)
    n_digits = significant_digits(printed)
    if not difference:
        return n_digits
    if not found:
        return 0
    unit = Decimal(1).scaleb(-_decimals(found))
    return next(
        (n for n in range(n_digits - 1, 0, -1) if difference <= unit.scaleb(n_digits - n) / 2), 0
    )


def _decimals(found: Decimal) -> int:
    return max(0, -int(found.as_tuple().exponent))


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a paper.

    Parameters
    ----------
    paper, name
        The paper, e.g. ``"maege-2018"``, and the table, e.g. ``"table-2"``.
    header
        Names of the columns; the first is that of the rows' names.
    rows
        Cells as they are printed, by the names of rows and columns.
    """

    paper: str
    name: str
    header: tuple[str, ...]
    rows: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, paper: str, name: str, lines: Iterable[Sequence[str]]) -> PublishedTable:
        """Make a table of lines of cells, the header first."""
        header, *others = lines
        rows = {line[0]: dict(zip(header[1:], line[1:], strict=True)) for line in others}
        if len(rows) != len(others):
            msg = f"{paper}, {name}: two rows have the same name"
            raise ValueError(msg)
        return cls(paper, name, tuple(header), rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of values."""
        return self.header[1:]

    def floats(self) -> dict[str, dict[str, float]]:
        """Return the printed numbers."""
        return {
            row: {column: float(printed) for column, printed in cells.items()}
            for row, cells in self.rows.items()
        }


def published(paper: str, name: str) -> PublishedTable:
    """Read a table that was transcribed from a paper."""
    text = (FOLDER / paper / f"{name}.tsv").read_text(encoding="utf-8")
    return PublishedTable.of(paper, name, [line.split("\t") for line in text.splitlines()])


def all_published() -> list[PublishedTable]:
    """Return all transcribed tables."""
    return [published(path.parent.name, path.stem) for path in sorted(FOLDER.glob("*/*.tsv"))]


NOT_COMPUTED = "Not computed: LanguageTool was not installed; see `geceval languagetool install`."
"""Why a value is missing."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why cells differ: those in the given rows and columns, or in all."""

    text: str
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None

    def covers(self, row: str, column: str) -> bool:
        """Whether this is the reason for a cell."""
        return (self.rows is None or row in self.rows) and (
            self.columns is None or column in self.columns
        )


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """A printed value, ours, and the reason if they differ."""

    printed: str
    ours: Value
    reason: str = ""

    @property
    def n_digits(self) -> int:
        """Number of digits that could agree."""
        return significant_digits(self.printed)

    @property
    def n_agreeing(self) -> int:
        """Number of digits that agree."""
        return agreeing_digits(self.printed, self.ours)

    @property
    def is_equal(self) -> bool:
        """Whether all digits agree."""
        return self.n_agreeing == self.n_digits

    @property
    def shown(self) -> str:
        """Our value with as many decimals as the printed one; a dash if there is none."""
        if not isinstance(self.ours, float | int):
            return self.ours or "–"
        if math.isnan(self.ours):
            return "–"
        return f"{self.ours:.2g}" if self.ours >= _HUGE else rounded(self.printed, self.ours)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table of a paper, cell by cell beside what comes out here.

    Parameters
    ----------
    table
        The published table.
    title
        Heading, e.g. ``"Table 2, released protocol"``.
    about
        How our values were computed.
    cells
        Cells by the names of rows and columns.
    """

    table: PublishedTable
    title: str
    about: str
    cells: Mapping[str, Mapping[str, ComparedCell]]

    @classmethod
    def of(
        cls,
        table: PublishedTable,
        ours: Mapping[str, Mapping[str, Value]],
        *,
        title: str,
        about: str,
        reasons: Sequence[Reason] = (),
    ) -> Comparison:
        """Compare a table with our values, by the names of rows and columns.

        Columns that we have not are left out. A cell that differs needs a reason, which may be
        that it is unknown. One that was not computed needs no other reason than `NOT_COMPUTED`:
        the only metric that may be absent is that of LanguageTool.
        """
        cells: dict[str, dict[str, ComparedCell]] = {}
        for row, printed in table.rows.items():
            cells[row] = {}
            for column, text in printed.items():
                if column not in ours[row]:
                    continue
                cell = ComparedCell(text, ours[row][column])
                if not cell.is_equal:
                    why = next((one.text for one in reasons if one.covers(row, column)), None)
                    assert why, f"{title}: no reason for {row}, {column}: {text}, {cell.shown}"
                    if cell.ours is None and not why.startswith("Not computed"):
                        why = NOT_COMPUTED
                    cell = ComparedCell(text, cell.ours, why)
                cells[row][column] = cell
        return cls(table, title, about, cells)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the compared columns."""
        return tuple(next(iter(self.cells.values())))

    @property
    def all_cells(self) -> list[ComparedCell]:
        """All cells that were computed."""
        return [
            cell for row in self.cells.values() for cell in row.values() if cell.ours is not None
        ]

    @property
    def n_equal(self) -> int:
        """Number of cells whose digits all agree."""
        return sum(cell.is_equal for cell in self.all_cells)

    @property
    def reasons(self) -> list[str]:
        """The reasons of cells that differ or were not computed, in the order of the cells."""
        found = (cell.reason for row in self.cells.values() for cell in row.values())
        return list(dict.fromkeys(filter(None, found)))

    def n_equal_in(self, column: str) -> int:
        """Count the cells of a column whose digits all agree."""
        return sum(row[column].is_equal for row in self.cells.values())
