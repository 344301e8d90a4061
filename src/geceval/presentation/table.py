"""Tables of results, and the forms in which people take them away.

Cells may hold text of others: names of systems, types, tokens. In no form does it act, as a
formula of a spreadsheet, as HTML, or as a command of LaTeX. Control characters are escaped in all
forms but JSON, which is exact.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from geceval.storage import strict_json
from geceval.visible import visible

Cell: TypeAlias = str | int | float | None
"""What stands in a table; None where there is nothing to tell."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header.

    Parameters
    ----------
    name
        A short name that can serve as that of a file, e.g. ``"scoreboard"``.
    title
        What the table tells, in a few words.
    header
        Names of the columns.
    rows
        One tuple of cells for each row.
    digits
        Digits after the point of numbers that are not whole, where they are shown to people;
        CSV and JSON keep them all.

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
            msg = f"a row of the table {self.name!r} does not fit its header"
            raise ValueError(msg)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each column holds numbers only, which are set flush right."""
        return tuple(
            all(row[column] is None or isinstance(row[column], int | float) for row in self.rows)
            for column in range(len(self.header))
        )

    def shown(self, cell: Cell) -> str:
        """Print a cell for people."""
        if cell is None:
            return ""
        return f"{cell:.{self.digits}f}" if isinstance(cell, float) else str(cell)

    def as_csv(self) -> str:
        """Return comma-separated values, numbers with all of their digits.

        A text that a spreadsheet would take for a formula has an apostrophe before it.
        """
        return _separated([map(_no_formula, row) for row in (self.header, *self.rows)], ",")

    def as_tsv(self) -> str:
        """Return tab-separated values for programs, numbers as people see them.

        Texts are exact, but for control characters: no cell has a tab or an end of line in it.
        """
        rows = (self.header, *map(self._shown_row, self.rows))
        return _separated([map(visible, row) for row in rows], "\t")

    def as_json(self) -> str:
        """Return a document with a mapping for each row; what is no number is null."""
        rows = [dict(zip(self.header, map(_finite, row), strict=True)) for row in self.rows]
        document = {"name": self.name, "title": self.title, "rows": rows}
        return strict_json.dumps(document, indent=2) + "\n"

    def as_markdown(self) -> str:
        """Return a table as GitHub and many others read it, in which no text is markup."""
        rules = ["---:" if is_number else ":---" for is_number in self.numeric]
        rows = [map(_markdown, self.header), rules]
        rows += [map(_markdown, self._shown_row(row)) for row in self.rows]
        return "".join(f"| {' | '.join(row)} |\n" for row in rows)

    def as_latex(self) -> str:
        """Return a tabular that needs the package booktabs."""
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
"""The forms in which tables are saved, by the ending of their files."""


def _separated(rows: Iterable[Iterable[Cell]], separator: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _finite(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


# The patterns are, to the letter, those of forms.js.
_FORMULA = re.compile("^ *[=+@＝＋－＠-]")
_NUMBER = re.compile(r"^[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$")


def _no_formula(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    shown = visible(cell)
    return f"'{shown}" if _FORMULA.search(shown) and not _NUMBER.search(shown) else shown


_MARKUP = re.compile(
    r"[\\`*\[\]<>|~$]"
    r"|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])"  # within a word it means nothing
    r"|&(?=#?[0-9A-Za-z]+;)"
    r"|:(?=//)|(?<=[Ww][Ww][Ww])\."  # addresses become links by themselves
)


def _markdown(cell: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", visible(" ".join(cell.split())))


_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {character: f"\\{character}" for character in "&%$#_{}"}
)


_LATEX_ARGUMENT = re.compile(r"^( *)([\[*])")
"""What the end of the row before, or a rule, would take for an argument of its own."""


def _latex(cell: str) -> str:
    return _LATEX_ARGUMENT.sub(r"\1{\2}", visible(cell).translate(_LATEX))


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex, cells)) + " \\\\"
