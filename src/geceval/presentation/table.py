"""Tables of results, and their export formats.

Cells may contain untrusted text: names of systems, types, tokens. It is escaped so that it is never
a spreadsheet formula, HTML or a LaTeX command. Control characters are escaped in all formats but
JSON, which is exact.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from geceval.storage import strict_json
from geceval.visible import visible

Cell: TypeAlias = str | int | float | None
"""A cell of a table; None if empty."""


class Signed(float):
    """A number that shows its sign.

    Examples
    --------
    >>> f"{Signed(0.5):.2f}"
    '+0.50'
    """

    def __format__(self, spec: str) -> str:
        return format(float(self), f"+{spec}")


@dataclass(frozen=True)
class Table:
    """A table with a header.

    Parameters
    ----------
    name, title
        Short name, also for files, e.g. ``"scoreboard"``, and short title.
    header, rows
        Column names, and the cells of each row.
    digits
        Decimal places of floats; CSV and JSON have full precision.

    Examples
    --------
    >>> table = Table("scores", "Scores", ("system", "F0.5"), (("A & B", 0.51234), ("C", None)))
    >>> print(table.as_markdown())
    | system | F0.5 |
    | :--- | ---: |
    | A & B | 0.5123 |
    | C |  |
    <BLANKLINE>
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    digits: int = 4

    def __post_init__(self) -> None:
        if any(len(row) != len(self.header) for row in self.rows):
            msg = f"a row of the table {self.name!r} does not match its header"
            raise ValueError(msg)

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each column is numeric, and therefore right-aligned."""
        return tuple(
            all(row[column] is None or isinstance(row[column], int | float) for row in self.rows)
            for column in range(len(self.header))
        )

    def shown(self, cell: Cell) -> str:
        """Format a cell for display."""
        if cell is None:
            return ""
        return f"{cell:.{self.digits}f}" if isinstance(cell, float) else str(cell)

    def as_csv(self) -> str:
        """Return comma-separated values, with numbers in full precision.

        Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
        """
        return _separated([map(_no_formula, row) for row in (self.header, *self.rows)], ",")

    def as_tsv(self) -> str:
        """Return tab-separated values, with rounded numbers.

        Text is exact except for escaped control characters: no cell contains tabs or line breaks.
        """
        rows = (self.header, *map(self._shown_row, self.rows))
        return _separated([map(visible, row) for row in rows], "\t")

    def as_json(self) -> str:
        """Return JSON with a mapping per row; numbers that are not finite are null."""
        rows = [dict(zip(self.header, map(_finite, row), strict=True)) for row in self.rows]
        document = {"name": self.name, "title": self.title, "rows": rows}
        return strict_json.dumps(document, indent=2) + "\n"

    def as_markdown(self) -> str:
        """Return a GitHub-flavored Markdown table, with all markup escaped."""
        rules = ["---:" if is_number else ":---" for is_number in self.numeric]
        rows = [map(markdown_text, self.header), rules]
        rows += [map(markdown_text, self._shown_row(row)) for row in self.rows]
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)

    def as_latex(self) -> str:
        """Return a LaTeX tabular, which needs the package booktabs."""
        columns = "".join("r" if is_number else "l" for is_number in self.numeric)
        return "\n".join(
            [
                f"\\begin{{tabular}}{{{columns}}}",
                "\\toprule",
                _latex_row(self.header),
                "\\midrule",
                *(_latex_row(self._shown_row(row)) for row in self.rows),
                "\\bottomrule",
                "\\end{tabular}",
                "",
            ]
        )

    def _shown_row(self, row: Sequence[Cell]) -> list[str]:
        return [self.shown(cell) for cell in row]


FORMS: Mapping[str, Callable[[Table], str]] = {
    "csv": Table.as_csv,
    "md": Table.as_markdown,
    "tex": Table.as_latex,
    "json": Table.as_json,
}
"""Export formats of tables, by file extension."""


def _separated(rows: Iterable[Iterable[Cell]], separator: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


# The same patterns as in forms.js.
_FORMULA = re.compile("^ *[=+@＝＋－＠-]")
_NUMBER = re.compile(r"^[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$")


def _no_formula(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    shown = visible(cell)
    return f"'{shown}" if _FORMULA.search(shown) and not _NUMBER.search(shown) else shown


_MARKUP = re.compile(
    r"[\\`*\[\]<>|~$]"
    r"|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])"  # no markup within a word
    r"|&(?=#?[0-9A-Za-z]+;)"
    r"|:(?=//)|(?<=[Ww][Ww][Ww])\."  # URLs become links
)


def markdown_text(cell: str) -> str:
    """Escape all markup of text, in one line."""
    return _MARKUP.sub(r"\\\g<0>", visible(" ".join(cell.split())))


_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {character: f"\\{character}" for character in "&%$#_{}"}
)


_LATEX_ARGUMENT = re.compile(r"^( *)([\[*])")
"""Text that a preceding row end or rule would parse as its argument."""


def latex_text(cell: str) -> str:
    """Escape all that LaTeX would interpret."""
    return _LATEX_ARGUMENT.sub(r"\1{\2}", visible(cell).translate(_LATEX))


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + " \\\\"
