"""Tables as papers print them: a float with a caption, groups of columns, bold cells and marks.

The text of all cells and headings is escaped; captions are LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from geceval.presentation.table import latex_text
from geceval.visible import visible

DAGGER = r"\textdagger"
DOUBLE_DAGGER = r"\textdaggerdbl"

_LONG = 30
"""Characters of a name that does not fit in a column of its own width."""
_UNBROKEN = 15
"""Characters of a long name after which a line may break anyway."""

_SYMBOLS = str.maketrans(
    {
        # Not all engines know these characters, which names of metrics have.
        "²": r"\textsuperscript{2}",
        "−": "$-$",
        "→": r"\textrightarrow{}",
        # The default font has other characters in their place.
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)
_F_SCORE = re.compile(r"(?<![A-Za-z])F(\d+(?:\.\d+)?)")
_NEGATIVE = re.compile(r"-(?=\d)")


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A cell of a table for a paper.

    Parameters
    ----------
    text
        What the cell shows.
    is_bold
        Whether it is bold.
    mark
        A mark after the text that takes no space in the column, as LaTeX.
    """

    text: str
    is_bold: bool = False
    mark: str = ""

    @property
    def latex(self) -> str:
        """The cell as LaTeX, with a minus sign instead of hyphens before digits."""
        shown = _NEGATIVE.sub("$-$", paper_text(self.text))
        shown = rf"\textbf{{{shown}}}" if self.is_bold else shown
        return rf"{shown}\rlap{{\textsuperscript{{{self.mark}}}}}" if self.mark else shown


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Columns under a common title; a single column may have a heading only."""

    title: str
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    r"""A table for a paper, which needs the package booktabs.

    Parameters
    ----------
    names
        Headings of the first columns, which have names.
    groups
        The other columns, which have numbers.
    rows
        The names and the numbers of each row.
    caption
        The caption, as LaTeX.
    label
        The label, as in ``\ref{tab:label}``.
    comments
        Lines after the table that LaTeX ignores, such as signatures.
    """

    names: tuple[str, ...]
    groups: tuple[ColumnGroup, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[PaperCell, ...]], ...]
    caption: str
    label: str
    comments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        widths = len(self.names), sum(len(group.headings) for group in self.groups)
        if any((len(names), len(cells)) != widths for names, cells in self.rows):
            msg = f"a row of the table {self.label!r} does not match its header"
            raise ValueError(msg)

    def as_latex(self) -> str:
        """Return the table as LaTeX."""
        long = [self._is_long(column) for column in range(len(self.names))]
        headings = [heading for group in self.groups for heading in group.headings]
        columns = "".join(r"p{0.3\linewidth}" if is_long else "l" for is_long in long)
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\begin{{tabular}}{{{columns}{'r' * len(headings)}}}",
                r"\toprule",
                *self._group_lines(),
                _line([*map(paper_text, self.names), *map(heading_text, headings)]),
                r"\midrule",
                *(
                    _line(
                        [
                            *(
                                _breakable(name) if is_long else paper_text(name)
                                for name, is_long in zip(names, long, strict=True)
                            ),
                            *(cell.latex for cell in cells),
                        ]
                    )
                    for names, cells in self.rows
                ),
                r"\bottomrule",
                r"\end{tabular}",
                rf"\caption{{{self.caption}}}",
                rf"\label{{tab:{self.label}}}",
                r"\end{table}",
                *(comment_line(comment) for comment in self.comments),
                "",
            ]
        )

    def _is_long(self, column: int) -> bool:
        return any(len(names[column]) > _LONG for names, _ in self.rows)

    def _group_lines(self) -> list[str]:
        """Return the titles of groups and the rules below them; nothing without titles."""
        if not any(group.title for group in self.groups):
            return []
        cells = [""] * len(self.names)
        rules = []
        start = len(self.names) + 1
        for group in self.groups:
            size = len(group.headings)
            title = heading_text(group.title)
            cells.append(rf"\multicolumn{{{size}}}{{c}}{{{title}}}" if size > 1 else title)
            if group.title:
                rules.append(rf"\cmidrule(lr){{{start}-{start + size - 1}}}")
            start += size
        return [_line(cells), " ".join(rules)]


def heading_text(text: str) -> str:
    r"""Return a heading as LaTeX, with the beta of F scores as a subscript.

    Examples
    --------
    >>> print(heading_text("macro F0.5"), heading_text("M²"))
    macro F\textsubscript{0.5} M\textsuperscript{2}
    """
    return _F_SCORE.sub(r"F\\textsubscript{\1}", paper_text(text))


def paper_text(text: str) -> str:
    """Return text as LaTeX, without characters that not all engines and fonts have."""
    return latex_text(text).translate(_SYMBOLS)


def comment_line(text: str) -> str:
    """Return a line that LaTeX ignores."""
    return f"% {visible(text)}"


def decimal(value: float, decimals: int) -> str:
    """Round a number; there is no negative zero.

    Examples
    --------
    >>> decimal(-0.004, 2), decimal(-12.345, 1)
    ('0.00', '-12.3')
    """
    shown = f"{value:.{decimals}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


_BREAK = r"\allowbreak{}"


def _breakable(name: str) -> str:
    """Return a long name as LaTeX, with possible line breaks in words that have none."""
    pieces = re.findall(rf"[^\W_]{{1,{_UNBROKEN}}}[\W_]*|[\W_]+", name)
    first, *others = pieces
    # Only the first piece stands where LaTeX might parse an argument.
    escaped = paper_text(first)
    for before, piece in zip(pieces, others, strict=False):
        escaped += ("" if before.endswith(" ") else _BREAK) + paper_text(piece)
    return escaped
