"""The pages of the documentation that set published tables beside ours.

Tests add what they compute to a `Reproduction`, and `make reproduce` writes it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template, ascii_lowercase
from typing import TypeAlias

from geceval.presentation.export import make_folder
from geceval.presentation.figure import drawing, saved_figure
from geceval.presentation.page import Picture
from geceval.presentation.table import Table, markdown_text
from reproduce.published import ComparedCell, Comparison, all_published, number

SECONDS = "seconds.csv"
"""File with the times of the last run."""

MADE = "<!-- Made by make reproduce; do not edit. -->\n\n"

_PLAIN = str.maketrans({"²": "2", "'": None})

_N_COLORS = 64
"""Colors of a picture, which is then small enough for a repository."""

_SMALL = 6
"""Cells of a table that needs no picture."""

_COLUMNS = 4
"""Printed columns of one Markdown table; wider tables are split."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, or another source of published numbers.

    Parameters
    ----------
    title, citation
        Title of its page, and what is to be cited.
    not_compared
        What of it is not compared, and why.
    """

    title: str
    citation: str
    not_compared: tuple[str, ...] = ()


PAPERS = {
    "maxmatch-2012": Paper(
        "MaxMatch (2012)",
        "Daniel Dahlmeier and Hwee Tou Ng. 2012. Better Evaluation for Grammatical Error "
        "Correction. In *Proceedings of NAACL-HLT 2012*, pages 568–572.",
        ("Table 1 needs the outputs of HOO 2011, which are not among the data.",),
    ),
    "imeasure-2015": Paper(
        "I-measure (2015)",
        "Mariano Felice and Ted Briscoe. 2015. Towards a standard evaluation method for "
        "grammatical error detection and correction. In *Proceedings of NAACL-HLT 2015*, pages "
        "578–587.",
        (
            "Tables 4, 5, 7 and 9 and the figures are illustrations.",
            "Table 12 does not name the systems and references of its sentences.",
        ),
    ),
    "extraction-2016": Paper(
        "Edit extraction (2016)",
        "Mariano Felice, Christopher Bryant and Ted Briscoe. 2016. Automatic Extraction of "
        "Learner Errors in ESL Sentences Using Linguistically Enhanced Alignments. In "
        "*Proceedings of COLING 2016*, pages 825–835.",
        (
            "CoNLL 2013 and FCE-test in tables 4 and 7, and tables 3 and 6, need other corpora.",
            "Tables 8 and 9 compare with systems of other authors.",
        ),
    ),
    "maege-2018": Paper(
        "MAEGE (2018)",
        "Leshem Choshen and Omri Abend. 2018. Automatic Metric Validation for Grammatical Error "
        "Correction. In *Proceedings of ACL 2018*, pages 1372–1382.",
        ("Figures 2 and 3 are illustrations.",),
    ),
    "scores": Paper(
        "Scores and human rankings",
        "Results of CoNLL-2014 by the official tools, human rankings of Grundkiewicz et al. "
        "(2015) and of SEEDA (Kobayashi et al., 2024), and a correlation reported by Goto et al. "
        "(2025).",
    ),
}


@dataclass(frozen=True, slots=True)
class Illustration:
    """A figure or a table of ours that has no printed numbers to compare with."""

    paper: str
    about: str
    content: Picture | Table


Part: TypeAlias = Comparison | Illustration


@dataclass
class Reproduction:
    """Everything that one run has compared."""

    parts: list[Part] = field(default_factory=list)

    def compare(self, comparison: Comparison) -> Comparison:
        """Add a comparison, and return it."""
        self.parts.append(comparison)
        return comparison

    def illustrate(self, paper: str, content: Picture | Table, about: str) -> None:
        """Add a figure, or a table without published values."""
        self.parts.append(Illustration(paper, about, content))

    @property
    def comparisons(self) -> list[Comparison]:
        """All comparisons."""
        return [part for part in self.parts if isinstance(part, Comparison)]

    def missing(self) -> list[str]:
        """Return the transcribed tables that were not compared."""
        done = {(one.table.paper, one.table.name) for one in self.comparisons}
        return [
            f"{table.paper}/{table.name}"
            for table in all_published()
            if (table.paper, table.name) not in done
        ]

    def write(self, folder: Path) -> None:
        """Write an index and a page for each paper, with their pictures."""
        make_folder(folder)
        for old in (*folder.glob("*.md"), *folder.glob("*.png")):
            old.unlink()
        for name, paper in PAPERS.items():
            parts = [part for part in self.parts if paper_of(part) == name]
            texts = [f"{MADE}# {paper.title}\n\n{paper.citation}\n"]
            for part in parts:
                picture = picture_of(part)
                texts.append(part_text(part))
                if picture is not None:
                    file = f"{name}-{picture.name}.png"
                    (folder / file).write_bytes(small_png(picture))
                    texts.append(f"![{markdown_text(picture.description)}]({file})\n")
            (folder / f"{name}.md").write_text("\n".join(texts), encoding="utf-8")
        (folder / "index.md").write_text(index_text(self.comparisons), encoding="utf-8")


def paper_of(part: Part) -> str:
    """Return the name of the paper that a part belongs to."""
    return part.paper if isinstance(part, Illustration) else part.table.paper


def title_of(part: Part) -> str:
    """Return the heading of a part."""
    return part.content.title if isinstance(part, Illustration) else part.title


def slug(title: str) -> str:
    """Return a short name for files.

    >>> slug("Table 3, on the paper's chains"), slug("M², CoNLL-2014")
    ('table-3-on-the-papers-chains', 'm2-conll-2014')
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower().translate(_PLAIN)).strip("-")


def part_text(part: Part) -> str:
    """Return the section of a part, without its picture."""
    lines = [f"## {title_of(part)}", part.about]
    if isinstance(part, Illustration):
        if isinstance(part.content, Table):
            lines.append(part.content.as_markdown())
        return "\n\n".join(line.rstrip("\n") for line in lines) + "\n"
    lines.append(f"**{part.n_equal} of {len(part.all_cells)} cells agree in all digits.**")
    lines += [table.as_markdown() for table in comparison_tables(part)]
    lines.append("\n".join(f"- {mark}: {why}" for why, mark in marks(part).items()))
    return "\n\n".join(line.rstrip("\n") for line in lines if line) + "\n"


def marks(comparison: Comparison) -> dict[str, str]:
    """Return a letter for each reason."""
    return dict(zip(comparison.reasons, ascii_lowercase, strict=False))


def comparison_tables(comparison: Comparison) -> Iterator[Table]:
    """Yield tables with the printed value, ours and the agreeing digits of each column."""
    letters = marks(comparison)
    columns = comparison.columns
    for start in range(0, len(columns), _COLUMNS):
        some = columns[start : start + _COLUMNS]
        header = [comparison.table.header[0]]
        for column in some:
            header += [f"{column}, paper", "ours", "digits"]
        yield Table(
            slug(comparison.title),
            comparison.title,
            tuple(header),
            tuple(
                (row, *(text for column in some for text in _cell(cells[column], letters)))
                for row, cells in comparison.cells.items()
            ),
        )


def _cell(cell: ComparedCell, letters: dict[str, str]) -> tuple[str, str, str]:
    if cell.ours is None:
        digits = ""
    elif number(cell.printed) is None:
        digits = "equal" if cell.is_equal else "differs"
    else:
        digits = f"{cell.n_agreeing}/{cell.n_digits}"
    return cell.printed, cell.shown, f"{digits} {letters.get(cell.reason, '')}".strip()


def picture_of(part: Part) -> Picture | None:
    """Return the picture of a part: its figure, or the table colored by agreement."""
    if isinstance(part, Illustration):
        return part.content if isinstance(part.content, Picture) else None
    cells = [list(row.values()) for row in part.cells.values()]
    is_text = any(number(cell.printed) is None for row in cells for cell in row)
    if is_text or len(part.all_cells) <= _SMALL:
        return None
    return _agreement_picture(part, cells)


def small_png(picture: Picture) -> bytes:
    """Return a picture with few colors as PNG."""
    from PIL import Image

    out = io.BytesIO()
    with Image.open(io.BytesIO(saved_figure(picture.figure, "png"))) as image:
        image.convert("RGB").quantize(_N_COLORS).save(out, "PNG", optimize=True)
    return out.getvalue()


def _agreement_picture(comparison: Comparison, cells: Sequence[Sequence[ComparedCell]]) -> Picture:
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("agreement", ["#f4b183", "#fdf3e7", "#9dc3e6"])
    shares = [
        [float("nan") if cell.ours is None else cell.n_agreeing / cell.n_digits for cell in row]
        for row in cells
    ]
    rows, columns = list(comparison.cells), comparison.columns
    width, height = 2.4 + 0.68 * len(columns), 0.9 + 0.34 * len(rows)
    with drawing(width=width, height=height) as (figure, axes):
        axes.imshow(shares, cmap=colors, vmin=0, vmax=1, aspect="auto")
        for y, row in enumerate(cells):
            for x, cell in enumerate(row):
                text = f"{cell.printed}\n{cell.shown}"
                axes.text(x, y, text, ha="center", va="center", fontsize=6.5, color="#111111")
        axes.set_xticks(
            range(len(columns)), columns, rotation=30, ha="left", rotation_mode="anchor", fontsize=8
        )
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(rows)), rows, fontsize=8)
        axes.grid(visible=False)
        axes.tick_params(length=0)
    return Picture(
        slug(comparison.title),
        comparison.title,
        f"{comparison.title}: each cell has the printed value above ours; blue if all digits "
        "agree, orange if none does",
        figure,
    )


def index_text(comparisons: Sequence[Comparison]) -> str:
    """Return the index page."""
    rows = [
        (
            f"[{PAPERS[one.table.paper].title}]({one.table.paper}.md)",
            markdown_text(one.title),
            str(len(one.all_cells)),
            str(one.n_equal),
            str(len(one.all_cells) - one.n_equal),
            "; ".join(reason.rstrip(".") for reason in one.reasons),
        )
        for one in sorted(comparisons, key=lambda one: list(PAPERS).index(one.table.paper))
    ]
    header = ("page", "table", "cells", "all digits equal", "differ", "why")
    lines = [header, (":---", ":---", "---:", "---:", "---:", ":---"), *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    not_compared = "".join(
        f"- {paper.title}: {why}\n" for paper in PAPERS.values() for why in paper.not_compared
    )
    template = Template((Path(__file__).parent / "index.md.template").read_text(encoding="utf-8"))
    return template.substitute(
        cells=f"{sum(len(one.all_cells) for one in comparisons):,}",
        equal=f"{sum(one.n_equal for one in comparisons):,}",
        table=table,
        not_compared=not_compared,
        seconds=SECONDS,
        pages="\n".join(PAPERS),
    )


def read_seconds(folder: Path) -> dict[str, float]:
    """Read how long each test took in an earlier run; nothing if there was none."""
    try:
        text = (folder / SECONDS).read_text(encoding="utf-8")
    except OSError:
        return {}
    return {line[0]: float(line[1]) for line in list(csv.reader(io.StringIO(text)))[1:]}


def write_seconds(folder: Path, seconds: Iterable[tuple[str, float, float]]) -> None:
    """Write how long each test took, and all of them: name, seconds and CPU seconds."""
    lines = list(seconds)
    total = "all", sum(line[1] for line in lines), sum(line[2] for line in lines)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("test", "seconds", "CPU seconds"))
    writer.writerows((name, f"{wall:.1f}", f"{cpu:.1f}") for name, wall, cpu in (*lines, total))
    (folder / SECONDS).write_text(out.getvalue(), encoding="utf-8")
