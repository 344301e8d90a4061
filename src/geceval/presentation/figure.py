"""Figures with matplotlib, in one style for pages and files."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from geceval.errors import GecevalError
from geceval.visible import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

COLORS = (
    "#3a45bf", "#d9560a", "#47806a", "#86143c", "#8567ef", "#4c4874",
    "#3b0f70", "#3e7fae", "#a97272", "#1b4400", "#c4458d", "#5b8f38",
)  # fmt: skip
"""Colors of systems and metrics, which differ in lightness too, for the color-blind."""

OUTCOMES = {
    "correct": "#2e8b57", "wrong fix": "#b06a00", "wrong": "#c0392b", "missed": "#7a869a",
}  # fmt: skip
"""Colors of edit outcomes."""

FILE_FORMATS = ("png", "svg", "pdf")
"""File formats of saved figures."""

_INK = "#123456"
"""Placeholder for the text color of the page."""

_FAINT = "#654321"
"""Placeholder for the color of grids and frames on the page."""

_LONG_WORD = re.compile(r"\S{41,}")
"""A name too long for a figure."""

_DRAWING = RLock()
"""Lock for settings of matplotlib and warning filters, which all threads share."""

_STYLE: dict[str, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    # Names from files may contain $, which must not start a formula.
    "text.parse_math": False,
    # The same numbers give the same files.
    "svg.hashsalt": "geceval",
}


@contextmanager
def drawing(
    *, width: float = 7.0, height: float = 4.2, for_page: bool = False, panels: int = 1
) -> Iterator[tuple[Figure, Any]]:
    """Yield a figure and its axes in our style.

    Parameters
    ----------
    width, height
        Size in inches.
    for_page
        Whether the figure is for a page, which sets the color of its text (see `page_svg`).
    panels
        Number of axes side by side; an array of axes is yielded if there are several.
    """
    mpl, figure_class = _matplotlib()
    ink, faint = (_INK, _FAINT) if for_page else ("#222222", "#cccccc")
    colors = {
        "text.color": ink,
        "axes.labelcolor": ink,
        "axes.edgecolor": faint,
        "xtick.color": faint,
        "ytick.color": faint,
        "xtick.labelcolor": ink,
        "ytick.labelcolor": ink,
        "grid.color": faint,
        "figure.facecolor": "none" if for_page else "white",
        "axes.facecolor": "none" if for_page else "white",
    }
    with _DRAWING, mpl.rc_context({**_STYLE, **colors}), _any_script():
        figure = figure_class(figsize=(width, height))
        axes = figure.subplots(1, panels)
        yield figure, axes


def _matplotlib() -> tuple[Any, type[Figure]]:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise GecevalError(
            "figures need matplotlib: install geceval with the extra 'report'"
        ) from error
    return mpl, Figure


@contextmanager
def _any_script() -> Iterator[None]:
    """Suppress warnings about missing glyphs; on a page, the browser provides them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


def page_svg(figure: Figure, name: str, description: str) -> str:
    """Return a figure made with ``for_page`` as an SVG element.

    It has no style attributes, which a strict content security policy forbids. Text has the color
    and font of the page, grid and frames the color ``--faint``.

    Parameters
    ----------
    figure, name
        The figure, and a name unique on the page.
    description
        Alternative text.
    """
    from lxml import etree

    root = etree.fromstring(saved_figure(figure, "svg"))
    for useless in root.xpath("//*[local-name()='style' or local-name()='metadata']"):
        useless.getparent().remove(useless)
    for element in root.iter():
        style = element.attrib.pop("style", "")
        for declaration in filter(None, map(str.strip, style.split(";"))):
            key, _, value = declaration.partition(":")
            if key.strip() == "font":
                element.set("font-size", _font_size(value))
            elif key.strip() != "font-family":
                element.set(key.strip(), value.strip())
    for attribute in ("width", "height"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-label", visible(description))
    _rename_ids(root, name)
    text = etree.tostring(root, encoding="unicode")
    return text.replace(_INK, "currentColor").replace(_FAINT, "var(--faint)")


def _font_size(shorthand: str) -> str:
    """Return the size from the CSS shorthand ``font``, which is not an SVG attribute."""
    found = re.search(r"[\d.]+px", shorthand)
    return found[0] if found else "10px"


def _rename_ids(root: Any, name: str) -> None:
    """Remove unused ids, and make the others unique on the page."""
    used = set()
    for element in root.iter():
        for key, value in element.attrib.items():
            # Other values that begin with # are colors.
            pattern = r"^#" if key.endswith("href") else r"^url\(#"
            if re.match(pattern, value):
                used.add(re.sub(pattern, "", value).rstrip(")"))
                element.set(key, value.replace("#", f"#{name}-"))
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in used:
            element.set("id", f"{name}-{own}")


def saved_figure(figure: Figure, form: str) -> bytes:
    """Return the file content of a figure in one of `FILE_FORMATS`."""
    out = io.BytesIO()
    _make_visible(figure)
    # Omit the date, so that files are reproducible.
    metadata = {"Date": None} if form == "svg" else {"CreationDate": None} if form == "pdf" else {}
    mpl, _ = _matplotlib()
    # Some settings take effect when a figure is saved, not when it is drawn.
    with _DRAWING, mpl.rc_context(_STYLE), _any_script():
        figure.savefig(out, format=form, dpi=160, metadata=metadata)
    return out.getvalue()


def _make_visible(figure: Figure) -> None:
    """Escape control characters in names, which SVG does not allow, and shorten long names."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, Formatter, FuncFormatter

    def cleaned(formatter: Formatter) -> Formatter:
        return FuncFormatter(lambda value, place: _label(formatter(value, place)))

    for label in figure.findobj(Text):
        if isinstance(label, Text):
            label.set_text(_label(label.get_text()))
    # Tick labels are recreated whenever a figure is drawn.
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, FixedFormatter | FuncFormatter | StrCategoryFormatter):
            axis.set_major_formatter(cleaned(formatter))


def _label(text: str) -> str:
    shown = visible(text, keep="\n")
    return _LONG_WORD.sub(lambda found: f"{found[0][:24]}…{found[0][-12:]}", shown)


def legend_outside(axes: Axes) -> None:
    """Place the legend to the right of the axes."""
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)


# Labels.

_NEAR, _FAR = 9, 46
"""Minimum and maximum distance of a label from its point, in typographic points."""


def label_points(
    figure: Figure,
    axes: Axes,
    points: Sequence[tuple[float, float, str]],
    lines: Sequence[tuple[Sequence[float], Sequence[float]]] = (),
) -> None:
    """Label points without covering points, lines or other labels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Bbox

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    known = [point for point in points if math.isfinite(point[0]) and math.isfinite(point[1])]
    places = [axes.transData.transform(point[:2]) for point in known]
    taken = [
        Bbox.from_bounds(x - 4 * scale, y - 4 * scale, 8 * scale, 8 * scale) for x, y in places
    ]
    taken += [Bbox(axes.transData.transform(np.column_stack(line))) for line in lines]
    inside = axes.get_window_extent(renderer)
    for (recall, precision, name), own in zip(known, places, strict=True):
        label = axes.annotate(
            name, (recall, precision), xytext=(0, 0), textcoords="offset points", fontsize=8,
            zorder=4, ha="center", va="center",
        )  # fmt: skip
        size = label.get_window_extent(renderer)
        best = min(
            _offsets(size.width / scale, size.height / scale),
            key=lambda offset: _penalty(own, offset, size, scale, taken, inside),
        )
        label.set_position(best)
        taken.append(_box(own, best, size, scale))
        if math.hypot(*best) > size.width / scale / 2 + 2 * _NEAR:
            x, y = axes.transData.inverted().transform(
                (own[0] + best[0] * scale, own[1] + best[1] * scale)
            )
            axes.plot([recall, x], [precision, y], color="#999999", linewidth=0.5, zorder=2)


def _offsets(width: float, height: float) -> Iterator[tuple[float, float]]:
    """Yield offsets for the center of a label, the nearest first."""
    for distance in range(_NEAR, _FAR, 6):
        for turn in range(16):
            angle = turn * math.pi / 8
            x, y = math.cos(angle), math.sin(angle)
            yield x * (distance + width / 2), y * (distance + height / 2)


def _box(own: Any, offset: tuple[float, float], size: Bbox, scale: float) -> Bbox:
    from matplotlib.transforms import Bbox

    x, y = own[0] + offset[0] * scale, own[1] + offset[1] * scale
    return Bbox.from_bounds(x - size.width / 2, y - size.height / 2, size.width, size.height)


def _penalty(
    own: Any,
    offset: tuple[float, float],
    size: Bbox,
    scale: float,
    taken: Sequence[Bbox],
    inside: Bbox,
) -> tuple[float, float]:
    """Return the penalty of an offset: overlaps, then distance."""
    box = _box(own, offset, size, scale)
    covered = sum(box.overlaps(other) for other in taken)
    is_outside = (
        box.x0 < inside.x0 or box.x1 > inside.x1 or box.y0 < inside.y0 or box.y1 > inside.y1
    )
    return covered + is_outside, math.hypot(offset[0] * 0.8, offset[1])
