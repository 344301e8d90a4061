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
from numpy.typing import NDArray

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

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    figure.draw_without_rendering()
    scale = figure.dpi / 72
    known = [point for point in points if math.isfinite(point[0]) and math.isfinite(point[1])]
    places = [axes.transData.transform(point[:2]) for point in known]
    taken = [(x - 4 * scale, y - 4 * scale, x + 4 * scale, y + 4 * scale) for x, y in places]
    for line in lines:
        ends = axes.transData.transform(np.column_stack(line))
        taken.append((*ends.min(axis=0), *ends.max(axis=0)))
    inside = axes.get_window_extent(renderer)
    for (recall, precision, name), own in zip(known, places, strict=True):
        label = axes.annotate(
            name, (recall, precision), xytext=(0, 0), textcoords="offset points", fontsize=8,
            zorder=4, ha="center", va="center",
        )  # fmt: skip
        size = label.get_window_extent(renderer)
        offsets = _offsets(size.width / scale, size.height / scale)
        boxes = _boxes(own, offsets, size, scale)
        distances = np.hypot(offsets[:, 0] * 0.8, offsets[:, 1])
        place = np.lexsort((distances, _penalties(boxes, taken, inside)))[0]
        best = tuple(offsets[place].tolist())
        label.set_position(best)
        taken.append(tuple(boxes[place]))
        if math.hypot(*best) > size.width / scale / 2 + 2 * _NEAR:
            x, y = axes.transData.inverted().transform(
                (own[0] + best[0] * scale, own[1] + best[1] * scale)
            )
            axes.plot([recall, x], [precision, y], color="#999999", linewidth=0.5, zorder=2)


def _offsets(width: float, height: float) -> NDArray[np.float64]:
    """Return offsets for the center of a label, the nearest first."""
    angles = [turn * math.pi / 8 for turn in range(16)]
    return np.array(
        [
            (math.cos(angle) * (distance + width / 2), math.sin(angle) * (distance + height / 2))
            for distance in range(_NEAR, _FAR, 6)
            for angle in angles
        ]
    )


def _boxes(own: Any, offsets: NDArray[np.float64], size: Bbox, scale: float) -> NDArray[np.float64]:
    """Return the corners of a label at each offset."""
    extent = np.array((size.width, size.height))
    low = own + offsets * scale - extent / 2
    return np.column_stack((low, low + extent))


def _penalties(boxes: NDArray[np.float64], taken: Sequence[Any], inside: Bbox) -> NDArray[np.int64]:
    """Count how many boxes each box overlaps, and whether it leaves the axes."""
    others = np.array(taken).reshape(-1, 4)
    overlaps = np.logical_and(
        boxes[:, None, :2] <= others[None, :, 2:], others[None, :, :2] <= boxes[:, None, 2:]
    ).all(axis=2)
    is_outside = (boxes[:, :2] < inside.min).any(axis=1) | (boxes[:, 2:] > inside.max).any(axis=1)
    found: NDArray[np.int64] = overlaps.sum(axis=1) + is_outside
    return found
