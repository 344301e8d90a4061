"""Components of figures: iso-F curves and heat maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from geceval.presentation.figure import COLORS
from geceval.report.results import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARKERS = "osD^v<>phX*P"


def color_of(number: int) -> str:
    """Return the color of a system."""
    return COLORS[number % len(COLORS)]


def marker_of(number: int) -> str:
    """Return the marker of a system; color and marker together rarely repeat."""
    return _MARKERS[(number + number // len(COLORS)) % len(_MARKERS)]


def iso_f_curves(axes: Axes, beta: float) -> None:
    """Draw iso-F curves over the visible part of a precision-recall plot."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    weight = beta * beta
    # Each curve is parameterized by the ratio of recall to precision.
    ratio = np.geomspace(1e-4, 1e4, 2000)
    look: dict[str, Any] = {"color": "#999999", "zorder": 1}
    for f in _levels(weight, (left, right), (bottom, top)):
        recall = f * (weight + ratio) / (1 + weight)
        precision = recall / ratio
        visible = (recall >= left) & (recall <= min(right, 1)) & (precision >= bottom)
        visible &= precision <= min(top, 1)
        if visible.sum() < 2:
            continue
        axes.plot(recall[visible], precision[visible], linewidth=0.8, linestyle=(0, (4, 3)), **look)
        end = recall[visible][-1], precision[visible][-1]
        axes.annotate(
            f"{f:g}",
            end,
            xytext=(2, 1),
            textcoords="offset points",
            fontsize=7,
            va="bottom",
            **look,
        )
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)


def _levels(weight: float, xlim: tuple[float, float], ylim: tuple[float, float]) -> list[float]:
    """Return at most about ten round values of F within the visible part."""
    corners = [
        (1 + weight) * precision * recall / (weight * precision + recall)
        for recall, precision in ((xlim[0], ylim[0]), (xlim[1], ylim[1]))
        if recall > 0 and precision > 0
    ]
    low, high = (
        (min(corners), max(corners)) if len(corners) == 2 else (0.0, max(corners, default=1))
    )
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 1.0) if (high - low) / step <= 10)
    first = math.floor(low / step) + 1
    return [
        round(n * step, 2) for n in range(first, 1 + round(1 / step)) if n * step < min(high, 1)
    ]


def heat_map(
    figure: Figure,
    axes: Axes,
    values: Matrix,
    rows: Sequence[str],
    columns: Sequence[str],
    label: str | None,
    *,
    low: float,
    high: float,
) -> None:
    """Draw an annotated heat map; undefined values stay empty."""
    table = np.array(values, dtype=np.float64)
    colors = "RdYlBu" if low < 0 else "YlGnBu"
    mesh = axes.pcolormesh(
        np.ma.masked_invalid(table),
        cmap=colors,
        vmin=low,
        vmax=high,
        edgecolors="white",
        linewidth=0.6,
    )
    grounds = mesh.to_rgba(table)
    for (row, column), value in np.ndenumerate(table):
        if np.isfinite(value):
            red, green, blue, _ = grounds[row, column]
            ink = "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
            text = f"{value:.2f}".replace("0.", ".", 1)
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", size=7, color=ink)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows, size=8)
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns, size=8, rotation=45, ha="right")
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if label is not None:
        figure.colorbar(mesh, ax=axes, label=label, shrink=0.6, aspect=30)
