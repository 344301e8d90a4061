"""Render results as one self-contained HTML page.

The templates in ``page`` render static text and tables; interactive parts are rendered by the
page's script from the embedded results document.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from geceval import __version__
from geceval.errors import GecevalError
from geceval.metrics.statistics import precision_and_recall
from geceval.presentation.figure import COLORS, page_svg
from geceval.presentation.page import Picture, Section
from geceval.presentation.table import Cell, Table
from geceval.report.first_screen import (
    DIGITS,
    UNIT,
    pair_rows,
    people,
    reference_rows,
    score_entries,
    score_rows,
    shown_number,
)
from geceval.report.headline import headline
from geceval.report.notes import (
    badge_text,
    findings_shown,
    method_note,
    people_note,
    reading_guide,
)
from geceval.report.packing import packed_sentences, without_sentences
from geceval.report.pair_tests import best_first
from geceval.report.results import Results
from geceval.report.short_names import short_names
from geceval.report.tables import meanings, people_table, power_table, scoreboard
from geceval.storage import strict_json

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_STUDY_SCRIPTS = ("dom", "tips", "forms", "tables", "page", "study")
_EMBED_SCRIPTS = ("dom", "tips", "forms", "tables", "page", "board", "embed")
_REPORT_SCRIPTS = (
    "dom", "tips", "board", "results", "forms", "tables", "page", "charts", "people", "precision",
    "corrections", "types", "filters", "list", "sentence", "browser", "scatter", "deciding",
    "only", "versus", "slices", "metrics", "frequent", "report",
)  # fmt: skip
"""The files of the script, in order."""

_ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
    "<rect width='16' height='16' rx='4' fill='#1f5fa8'/>"
    "<path d='M4 8.5 7 11.5 12 5' fill='none' stroke='white' stroke-width='2'/></svg>"
)
_EMBED_WITHOUT = (
    "Heat maps",
    "Outcomes of edits as stacked bars",
    "Figures: drawn at the size shown, with text of the page's sizes",
    "The sentences that decide between two systems",
    "Edits: each outcome has its own color, sign and underline",
    "The sentence browser",
)
"""Sections of the style, by their headings, that only the report needs."""

_STYLE_SECTION = re.compile(r"^/\* (.+)\. \*/\n\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *(//.*|/\*\*([^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_RANGE = re.compile(r"(?<=\d)–(?=\d)")

_MISSING = "HTML pages require jinja2: install geceval with the extra 'report'"
_DENSITIES = ((9, "dense crowded"), (6, "dense"))
"""Numbers of systems above which their rows move together, to leave the matrix in sight."""
_MATRIX_WIDTHS = ((14, "large"), (10, "wide"))
"""Numbers of systems above which the matrix is as wide as the page, or wider than half of it."""
_MOST_BESIDE = 10
"""Number of metrics up to which two tables of them fit beside each other."""
_MARKS = 8
"""Number of outlines of marks, in the script's ``MARKS`` and in the style."""
_WIDE = 1.9
"""Aspect ratio above which a figure takes the full width of the page."""


def render(results: Results) -> str:
    """Render a report as a self-contained HTML document.

    Parameters
    ----------
    results
        Results of `geceval.report.collect` or `geceval.report.results_loader.load`.
    """
    board = scoreboard(results)
    of_people = people_table(results)
    about_tables = [*power_table(results), _inputs(results)]
    of_types = list(meanings(results))
    by_severity = sorted(results["warnings"], key=lambda one: one["severity"] != "error")
    grave = [one for one in by_severity if one["severity"] == "error"]
    return _page(
        "report.html",
        _REPORT_SCRIPTS,
        title=results["title"],
        version=results["version"],
        sections=_sections(results),
        all_tables=[board, of_people, *of_types, *about_tables],
        results_json=_embedded(strict_json.dumps(without_sentences(results), compact=True)),
        packed=[_markup(part) for part in packed_sentences(results)],
        people_table=of_people,
        people_note=people_note(results),
        has_people=bool(people(results)),
        meanings=of_types,
        about_tables=about_tables,
        findings=findings_shown(by_severity),
        grave=findings_shown(grave),
        badge=badge_text(results, grave),
        method=method_note(results),
        edit_title=_edit_title(results),
        most_beside=_MOST_BESIDE,
        **_first_screen(results),
    )


def render_embed(results: Results) -> str:
    """Render the headline, the scoreboard and the pairwise tests alone, for another site.

    Parameters
    ----------
    results
        Results of `geceval.report.collect` or `geceval.report.results_loader.load`.
    """
    return _page(
        "embed.html",
        _EMBED_SCRIPTS,
        title=results["title"],
        version=results["version"],
        sections=[],
        all_tables=[scoreboard(results)],
        **_first_screen(results),
    )


def _first_screen(results: Results) -> dict[str, Any]:
    """Return what the templates of the scoreboard need."""
    n_colors = len(COLORS)
    pairs = pair_rows(results)
    labels = short_names(results["systems"])
    board = {
        "systems": results["systems"],
        "labels": labels,
        "order": best_first(results, results["metrics"][0]["name"]),
        "metrics": [{"name": one["name"], "title": one["title"]} for one in results["metrics"]],
        "level": results["settings"]["level"],
        "colors": n_colors,
        "scores": score_entries(results),
        "unit": UNIT,
        "pairs": pairs,
    }
    return {
        "results": results,
        "headline": headline(results),
        "looks": {name: _look(place) for place, name in enumerate(results["systems"])},
        "labels": dict(zip(results["systems"], labels, strict=True)),
        "score_rows": score_rows(results),
        "references": reference_rows(results),
        "pairs": any(pairs.values()),
        "guide": reading_guide(results),
        "density": _above(_DENSITIES, len(results["systems"])),
        "width": _above(_MATRIX_WIDTHS, len(results["systems"])),
        "board_json": _embedded(strict_json.dumps(board, compact=True)),
    }


def _above(classes: Iterable[tuple[int, str]], number: int) -> str:
    """Return the class of the first limit that a number exceeds, if any."""
    return next((name for limit, name in classes if number > limit), "")


def _look(place: int) -> str:
    """Return the classes of a system's color and mark, as the script's ``lookOf`` does."""
    n_colors = len(COLORS)
    return f"c{place % n_colors} m{(place + place // n_colors) % _MARKS}"


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
    style = _style(_EMBED_WITHOUT if template == "embed.html" else ())
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
        raise GecevalError(_MISSING) from error
    environment = Environment(
        loader=PackageLoader("geceval.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (_svg, _is_wide, _paragraphs, _number, _interval, _unbroken, _minus)
    environment.filters |= {function.__name__[1:]: function for function in filters}
    return environment


def _asset(name: str) -> str:
    text = (files("geceval.report") / "page" / name).read_text(encoding="utf-8")
    # Comments are for those who read the source, and a third of the script.
    return _COMMENT.sub("", text) if name.endswith(".js") else text


def _style(without: Sequence[str]) -> str:
    """Return the style without some of its sections, and without indentation."""
    _, *parts = _STYLE_SECTION.split(_asset("report.css"))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    shown = "".join(sections[name] for name in sections if name not in without)
    return re.sub(r"\n\s*", "\n", shown)


def _markup(text: str) -> Markup:
    """Mark trusted or escaped text as safe."""
    try:
        from markupsafe import Markup
    except ModuleNotFoundError as error:
        raise GecevalError(_MISSING) from error
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


def _number(value: float | None) -> str:
    return shown_number(value)


def _interval(ends: Sequence[float]) -> str:
    """Format an interval with one decimal place less than scores, to save space."""
    low, high = (shown_number(end, DIGITS - 1) for end in ends)
    return f"{low} – {high}" if ends[0] < 0 else f"{low}–{high}"


def _minus(text: str) -> str:
    """Give a number a true minus sign."""
    return re.sub("^-", "−", text)


def _unbroken(text: str) -> str:
    """Keep ranges such as 1–3 and percentages on one line."""
    return _RANGE.sub("–\u2060", text).replace(" %", "\u00a0%")


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


def _edit_title(results: Results) -> str:
    names = {metric["name"]: metric["title"] for metric in results["metrics"]}
    return names.get(results["edit_metric"] or "", "")


def _people_heading(results: Results) -> str:
    return "People" if people(results) else "Doing nothing"


def _sections(results: Results) -> list[tuple[str, str]]:
    """Return names and headings of the sections that are not empty."""
    has_edits = results["edit_metric"] is not None
    has_shares = any(precision_and_recall(metric["parts"]) for metric in results["metrics"])
    sections = [
        ("scores", "Scores", True),
        ("people", _people_heading(results), bool(results["baselines"])),
        ("precision-recall", "Precision and recall", has_shares),
        ("outcomes", "Over- and under-correction", has_edits),
        ("types", "Error types", bool(results["types"])),
        ("versus", "A versus B", len(results["systems"]) > 1),
        ("slices", "Slices", any(len(one["bins"]) > 1 for one in results["slices"])),
        ("agreement", "Metrics", len(results["metrics"]) > 1),
        ("frequent", "Frequent edits", has_edits),
        ("sentences", "Sentences", True),
        ("about", "About", True),
    ]
    return [(name, heading) for name, heading, is_shown in sections if is_shown]
