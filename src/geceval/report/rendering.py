"""Showing results as one self-contained page.

Text and tables that do not change are written by the templates in ``page``; what people choose
themselves is drawn by the page's own script, from the results document that is embedded in it.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from geceval import __version__
from geceval.errors import GecevalError
from geceval.presentation.figure import page_svg
from geceval.presentation.page import Picture, Section
from geceval.presentation.table import Cell, Table
from geceval.report.results import Results, dumps
from geceval.storage import strict_json

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_STUDY_SCRIPTS = ("dom", "forms", "tables", "page", "study")
_REPORT_SCRIPTS = (
    "dom", "results", "forms", "tables", "page", "scores", "filters", "list", "sentence",
    "browser", "scatter", "versus", "frequent", "report",
)  # fmt: skip
"""The files that make up the script, in this order."""

_ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
    "<rect width='16' height='16' rx='4' fill='#1f5fa8'/>"
    "<path d='M4 8.5 7 11.5 12 5' fill='none' stroke='white' stroke-width='2'/></svg>"
)
_WIDE = 1.9
"""Times the height past which a picture gets the whole width of the page."""

_DIGITS = 4
"""Digits after the point of scores."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A picture as the page holds it."""

    name: str
    title: str
    svg: Markup
    is_wide: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """A section of a study as the page holds it."""

    name: str
    title: str
    paragraphs: Sequence[str]
    tables: Sequence[Table]
    pictures: Sequence[_Drawn]


def render(results: Results) -> str:
    """Return the page of a report, a whole HTML document that needs nothing else.

    Parameters
    ----------
    results
        What `geceval.report.collect` made, or `geceval.report.results_loader.load` read.
    """
    from geceval.report.figures import figures
    from geceval.report.tables import tables

    all_tables = [_inputs(results), *tables(results)]
    pictures = [_drawn(picture) for picture in figures(results, for_page=True)]
    return _page(
        "report.html",
        _REPORT_SCRIPTS,
        title=results["title"],
        version=results["version"],
        sections=_sections(results, pictures),
        all_tables=all_tables,
        results=results,
        results_json=_embedded(dumps(results)),
        inputs=all_tables[0],
        facts=_facts(results),
        score_note=_score_note(results),
        number=_number,
        interval=_interval,
        has_clusters=lambda metric: _has_clusters(results, metric),
        tables=lambda name: _named(all_tables, name),
        pictures=lambda name: _named(pictures, name),
    )


def render_study(title: str, intro: str, sections: Sequence[Section]) -> str:
    """Return the page of a study, a whole HTML document that needs nothing else.

    Parameters
    ----------
    title
        The heading of the page.
    intro
        Paragraphs of plain text below it, separated by empty lines.
    sections
        The content; figures are drawn ``for_page`` (see `geceval.presentation.figure`).
        Names of sections, of tables and of pictures are unique on the page.
    """
    parts = [
        _Part(
            section.name,
            section.title,
            _paragraphs(section.text),
            section.tables,
            [_drawn(picture) for picture in section.pictures],
        )
        for section in sections
    ]
    return _page(
        "study.html",
        _STUDY_SCRIPTS,
        title=title,
        version=__version__,
        sections=[(part.name, part.title) for part in parts],
        all_tables=[table for part in parts for table in part.tables],
        intro=_paragraphs(intro),
        parts=parts,
    )


def _page(
    template: str, scripts: Iterable[str], *, all_tables: Sequence[Table], **values: Any
) -> str:
    """Fill in a template, with a policy that lets nothing run but our own script and style."""
    environment = _environment()
    style = _asset("report.css")
    script = "(() => {\n'use strict';\n" + "\n".join(_asset(f"js/{name}.js") for name in scripts)
    script += "})();\n"
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )
    tables = strict_json.dumps([_record(table) for table in all_tables])
    return environment.get_template(template).render(
        policy=policy,
        icon="data:image/svg+xml;base64," + base64.b64encode(_ICON.encode()).decode(),
        style=_markup(style),
        script=_markup(script),
        tables_json=_embedded(tables),
        **values,
    )


def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise GecevalError(
            "a page needs jinja2: install geceval with the extra 'report'"
        ) from error
    return Environment(
        loader=PackageLoader("geceval.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _asset(name: str) -> str:
    return (files("geceval.report") / "page" / name).read_text(encoding="utf-8")


def _markup(text: str) -> Markup:
    """Mark text that is ours, or was made safe, so that it is not escaped."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _embedded(document: str) -> Markup:
    """Make a JSON document safe inside a script element."""
    for character in "<>&\u2028\u2029":
        document = document.replace(character, f"\\u{ord(character):04x}")
    return _markup(document)


def _record(table: Table) -> dict[str, Any]:
    """Write a table down for the script, which makes the same forms of it as we do."""
    return {
        "name": table.name,
        "title": table.title,
        "header": table.header,
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "digits": table.digits,
    }


def _cell(cell: Cell) -> Any:
    """Put a float into a list of one, for JSON's numbers do not tell 1.0 from 1."""
    if not isinstance(cell, float):
        return cell
    if math.isfinite(cell):
        return [cell]
    return ["NaN" if math.isnan(cell) else "Infinity" if cell > 0 else "-Infinity"]


def _drawn(picture: Picture) -> _Drawn:
    svg = page_svg(picture.figure, picture.name, picture.description)
    width, height = picture.figure.get_size_inches()
    return _Drawn(picture.name, picture.title, _markup(svg), width > _WIDE * height)


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _named(things: Iterable[Any], name: str) -> list[Any]:
    """Return what has a name, or a name that begins with it and a hyphen."""
    return [one for one in things if one.name == name or one.name.startswith(f"{name}-")]


def _number(value: float | None, digits: int = _DIGITS) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def _interval(ends: Sequence[float]) -> str:
    """Print an interval with a digit less than scores, for there is little room."""
    low, high = (_number(end, _DIGITS - 1) for end in ends)
    return f"{low} – {high}" if ends[0] < 0 else f"{low}–{high}"


def _inputs(results: Results) -> Table:
    header = ("role", "name", "file", "sentences", "tokens", "edits", "SHA-256")
    rows = tuple(
        (
            record["role"],
            record["name"],
            record["file"],
            record["sentences"],
            record["tokens"],
            record["edits"],
            record["sha256"],
        )
        for record in results["inputs"]
    )
    return Table("inputs", "Inputs", header, rows)


def _facts(results: Results) -> list[tuple[int, str]]:
    sentences = results["sentences"]
    return [
        (len(results["systems"]), "system"),
        (len(sentences["source"]), "sentence"),
        (len(sentences["annotators"]), "annotator"),
        (len(results["metrics"]), "metric"),
    ]


def _score_note(results: Results) -> str:
    """Say how to read the scoreboard."""
    settings = results["settings"]
    percent = f"{100 * settings['level']:g} %"
    if not settings["resamples"]:
        return "Scores without intervals, for none were asked for."
    note = f"Below each score is its {percent} interval from {settings['resamples']:,} resamples."
    if not any(results["comparisons"].values()):
        return note
    return (
        f"{note} The number beside it is its cluster. A cluster begins with a system that is"
        " significantly worse than every system of the cluster before it, by paired tests"
        f" ({settings['test']}, {settings['test_resamples']:,} resamples, adjusted for all pairs)."
        " Two systems of one cluster may still differ significantly: the table of comparisons"
        " tells."
    )


def _has_clusters(results: Results, metric: str) -> bool:
    """Whether a metric tells any systems apart."""
    return any(record["cluster"] > 1 for record in results["scores"][metric].values())


def _sections(results: Results, pictures: Sequence[_Drawn]) -> list[tuple[str, str]]:
    """List the sections that there is something to show in, by name and heading."""
    has_edits = results["edit_metric"] is not None
    sections = [
        ("scores", "Scores", True),
        ("precision-recall", "Precision and recall", bool(_named(pictures, "precision-recall"))),
        ("outcomes", "Outcomes", has_edits),
        ("types", "Error types", bool(results["types"])),
        ("slices", "Kinds of sentences", bool(results["slices"])),
        ("agreement", "Metrics", len(results["metrics"]) > 1),
        ("versus", "A versus B", len(results["systems"]) > 1),
        ("frequent", "Frequent edits", has_edits),
        ("sentences", "Sentences", True),
    ]
    return [(name, heading) for name, heading, is_shown in sections if is_shown]
