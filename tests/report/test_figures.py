"""The figures of a report."""

from __future__ import annotations

import io
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import made_up
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.presentation.export import save_pictures
from geceval.presentation.figure import drawing, label_points, page_svg
from geceval.report.charts import iso_f_curves
from geceval.report.collect import collect
from geceval.report.figures import figures
from geceval.report.results import Results

pytest.importorskip("matplotlib")

NAMES = [
    *("precision-recall-m2", "precision-recall-errant", "outcomes"),
    *("types-m2", "types-errant", "types-retyped"),
    *("by-length", "by-edits", "by-agreement", "metric-agreement"),
]


@pytest.fixture(scope="module")
def results() -> Results:
    gold = made_up.corpus(60)
    metrics = [M2(), Errant(lang="plain"), *make_metrics(["gleu"], {})]
    systems = made_up.systems(gold, "ours", "a $b$ <i>", "c", "系统 ✓", "e")
    return collect(gold, systems, metrics, resampling=Resampling(20))


def test_figures_are_all_there(results: Results) -> None:
    assert [one.name for one in figures(results)] == NAMES


def test_figures_go_into_a_page(results: Results) -> None:
    for picture in figures(results):
        svg = page_svg(picture.figure, picture.name, picture.description)
        assert "<b>" not in svg
        assert picture.title
        assert picture.description.endswith(".")


@pytest.fixture(scope="module")
def saved(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures") / "new"
    assert save_pictures(figures(results), folder) == len(NAMES)
    return folder


def test_save_figures(saved: Path) -> None:
    assert {path.name for path in saved.iterdir()} == {
        f"{name}.{form}" for name in NAMES for form in ("png", "svg", "pdf")
    }


def test_figures_show_names_as_they_are(saved: Path) -> None:
    drawn = (saved / "outcomes.svg").read_text(encoding="utf-8")
    assert "a $b$ &lt;i&gt;" in drawn
    assert "系统" in drawn


def test_figures_are_the_same_files_each_time(
    results: Results, saved: Path, tmp_path: Path
) -> None:
    save_pictures(figures(results), tmp_path)
    for path in saved.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_figures_of_little(tmp_path: Path) -> None:
    """One system that does nothing, no resamples, one metric."""
    gold = made_up.corpus(3, annotators=("0",))
    found = collect(
        gold,
        [made_up.system(gold, "none", skill=0, noise=0)],
        [M2()],
        resampling=Resampling(0),
    )
    save_pictures(figures(found), tmp_path)
    assert (tmp_path / "precision-recall-m2.png").stat().st_size
    nothing = collect(
        gold, made_up.systems(gold, "a"), make_metrics(["gleu"], {}), resampling=Resampling(0)
    )
    assert {one.name for one in figures(nothing)} <= {"by-length", "by-edits"}


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("limits", [((0, 1), (0, 1)), ((-0.01, 0.3), (0.2, 1.01))])
def test_iso_f_curves_have_the_f_they_say(
    beta: float, limits: tuple[tuple[float, float], tuple[float, float]]
) -> None:
    with drawing() as (_, axes):
        axes.set_xlim(*limits[0])
        axes.set_ylim(*limits[1])
        iso_f_curves(axes, beta)
        assert len(axes.lines) >= 3
        for line, label in zip(axes.lines, axes.texts, strict=True):
            recall, precision = np.array(line.get_data(), dtype=float)
            f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            np.testing.assert_allclose(f, float(label.get_text()))
        assert (axes.get_xlim(), axes.get_ylim()) == limits


def test_labels_keep_clear_of_each_other() -> None:
    chance = np.random.default_rng(5)
    points = [(x, y, f"System {n}") for n, (x, y) in enumerate(chance.random((14, 2)) * 0.4 + 0.2)]
    with drawing(width=6.4, height=5) as (figure, axes):
        axes.plot([x for x, *_ in points], [y for _, y, _ in points], "o")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        label_points(figure, axes, points)
        figure.canvas.draw()
        boxes: list[Any] = [label.get_window_extent() for label in axes.texts]
        assert [label.get_text() for label in axes.texts] == [name for *_, name in points]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_plain_text_is_no_formula() -> None:
    with drawing() as (figure, axes):
        axes.plot([0, 1], [0, 1], label="a $b$")
        axes.set_xticks([0, 1], ["$x$", r"\frac"])
        axes.legend()
        label_points(figure, axes, [(0.5, 0.5, "c $d$")])
        out = io.StringIO()
        figure.savefig(out, format="svg")
    for name in ("a $b$", "$x$", r"\frac", "c $d$"):
        assert f">{name}</text>" in out.getvalue()
