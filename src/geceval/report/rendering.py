"""Render results as one self-contained HTML page.

The templates in ``page`` render static text and tables; interactive parts are rendered by the
page's script from the embedded results document.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
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
"""The files of the script, in order."""

_ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
    "<rect width='16' height='16' rx='4' fill='#1f5fa8'/>"
    "<path d='M4 8.5 7 11.5 12 5' fill='none' stroke='white' stroke-width='2'/></svg>"
)
_WIDE = 1.9
"""Aspect ratio above which a figure takes the full width of the page."""

_DIGITS = 4
"""Decimal places of scores."""


def render(results: Results) -> str:
    """Render a report as a self-contained HTML document.

    Parameters
    ----------
    results
        Results of `geceval.report.collect` or `geceval.report.results_loader.load`.
    """
    from geceval.report.figures import figures
    from geceval.report.tables import tables

    all_tables = [_inputs(results), *tables(results)]
    pictures = list(figures(results, for_page=True))
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
        score_note=_score_note(results),
        tables=lambda name: _named(all_tables, name),
        pictures=lambda name: _named(pictures, name),
    )


def render_study(title: str, intro: str, sections: Sequence[Section]) -> str:
    """Render a study as a self-contained HTML document.

    Parameters
    ----------
    title
        The heading of the page.
    intro
        Paragraphs of plain text below it, separated by empty lines.
    sections
        The content, with figures drawn ``for_page`` (see `geceval.presentation.figure`).
        Names of sections, tables and figures must be unique.
    """
    return _page(
        "study.html",
        _STUDY_SCRIPTS,
        title=title,
        version=__version__,
        sections=[(section.name, section.title) for section in sections],
        all_tables=[table for section in sections for table in section.tables],
        intro=intro,
        contents=sections,
    )


def _page(
    template: str, scripts: Iterable[str], *, all_tables: Sequence[Table], **values: Any
) -> str:
    """Render a template with a content security policy that allows only our script and style."""
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
    except ModuleNotFoundError as error:
        raise GecevalError(
            "HTML pages require jinja2: install geceval with the extra 'report'"
        ) from error
    environment = Environment(
        loader=PackageLoader("geceval.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (_svg, _is_wide, _paragraphs, _number, _interval)
    environment.filters |= {function.__name__[1:]: function for function in filters}
    return environment


def _asset(name: str) -> str:
    return (files("geceval.report") / "page" / name).read_text(encoding="utf-8")


def _markup(text: str) -> Markup:
    """Mark trusted or escaped text as safe."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _embedded(document: str) -> Markup:
    """Escape a JSON document for embedding in a script element."""
    for character in "<>&\u2028\u2029":
        document = document.replace(character, f"\\u{ord(character):04x}")
    return _markup(document)


def _record(table: Table) -> dict[str, Any]:
    """Return a table as the script expects it."""
    return {
        "name": table.name,
        "title": table.title,
        "header": table.header,
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "digits": table.digits,
    }


def _cell(cell: Cell) -> Any:
    """Wrap a float in a list, because JSON does not distinguish 1.0 from 1."""
    if not isinstance(cell, float):
        return cell
    if math.isfinite(cell):
        return [cell]
    return ["NaN" if math.isnan(cell) else "Infinity" if cell > 0 else "-Infinity"]


def _svg(picture: Picture) -> Markup:
    return _markup(page_svg(picture.figure, picture.name, picture.description))


def _is_wide(picture: Picture) -> bool:
    width, height = picture.figure.get_size_inches()
    return bool(width > _WIDE * height)


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _named(things: Iterable[Any], name: str) -> list[Any]:
    """Return the items whose name is, or starts with, `name` followed by a hyphen."""
    return [one for one in things if one.name == name or one.name.startswith(f"{name}-")]


def _number(value: float | None, digits: int = _DIGITS) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def _interval(ends: Sequence[float]) -> str:
    """Format an interval with one decimal place less than scores, to save space."""
    low, high = (_number(end, _DIGITS - 1) for end in ends)
    return f"{low} – {high}" if ends[0] < 0 else f"{low}–{high}"


def _inputs(results: Results) -> Table:
    header = ("role", "name", "file", "sentences", "tokens", "edits", "SHA-256")
    rows = tuple(
        tuple(
            record[key]
            for key in ("role", "name", "file", "sentences", "tokens", "edits", "sha256")
        )
        for record in results["inputs"]
    )
    return Table("inputs", "Inputs", header, rows)


def _score_note(results: Results) -> str:
    """Explain how to read the scoreboard."""
    settings = results["settings"]
    percent = f"{100 * settings['level']:g} %"
    if not settings["resamples"]:
        return "Confidence intervals were not requested."
    note = f"Scores with {percent} confidence intervals from {settings['resamples']:,} resamples."
    if not any(results["comparisons"].values()):
        return note
    return (
        f"{note} The number next to a score is its cluster, by paired tests"
        f" ({settings['test']}, {settings['test_resamples']:,} resamples, adjusted for all pairs)."
        " A cluster ends only where every system above is significantly better than every system"
        " below, so systems of the same cluster may still differ significantly. The ranks that a"
        " system may have range from one plus the number of systems that are significantly better"
        " to the number of systems minus those that are significantly worse."
    )


def _sections(results: Results, pictures: Sequence[Picture]) -> list[tuple[str, str]]:
    """Return names and headings of the sections that are not empty."""
    has_edits = results["edit_metric"] is not None
    sections = [
        ("scores", "Scores", True),
        ("precision-recall", "Precision and recall", bool(_named(pictures, "precision-recall"))),
        ("outcomes", "Edit outcomes", has_edits),
        ("types", "Error types", bool(results["types"])),
        ("slices", "Subsets", bool(results["slices"])),
        ("agreement", "Metric agreement", len(results["metrics"]) > 1),
        ("versus", "Pairwise comparison", len(results["systems"]) > 1),
        ("frequent", "Frequent edits", has_edits),
        ("sentences", "Sentences", True),
    ]
    return [(name, heading) for name, heading, is_shown in sections if is_shown]
