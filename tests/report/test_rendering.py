"""The page as text; ``tests/browser`` looks at it with a browser's eyes."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Sequence
from importlib.resources import files
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from lxml import html

from geceval.presentation.figure import COLORS, drawing
from geceval.presentation.page import Picture, Section
from geceval.presentation.table import Table
from geceval.report.first_screen import score_rows
from geceval.report.packing import unpack
from geceval.report.rendering import _EMBED_WITHOUT, _style, render, render_embed, render_study
from geceval.report.results import Baseline, PowerRecord, Results, WarningRecord
from geceval.report.tables import tables
from geceval.storage import strict_json
from report_examples import (
    HOSTILE,
    example_results,
    many_results,
    with_one_system,
    without_edits,
)

GROUNDS = ("ground", "surface", "raised")


@pytest.fixture(scope="module")
def results() -> Results:
    return example_results()


@pytest.fixture(scope="module")
def page(results: Results) -> str:
    return render(results)


@pytest.fixture(scope="module")
def hostile_page() -> str:
    return render(example_results(hostile=True))


@pytest.fixture(scope="module")
def study() -> str:
    table = Table("ranks", "Ranks", ("metric", "rho"), (("m2", 0.5), (HOSTILE, None)))
    with drawing(for_page=True) as (figure, axes):
        axes.plot([0, 1], [1, 0])
    section = Section(
        "first",
        f"First {HOSTILE}",
        "One paragraph\nof two lines.\n\nAnother & more.",
        (table,),
        (Picture("line", "A line", "it falls", figure),),
    )
    return render_study("Study", "Why.\n\nHow.", [section, Section("second", "Second")])


def embedded(page: str, name: str) -> Any:
    found = html.fromstring(page).get_element_by_id(name)
    return json.loads(found.text or "")


def test_page_is_the_same_each_time(results: Results, page: str) -> None:
    assert render(results) == page


def held_sentences(page: str, systems: Sequence[str]) -> Any:
    tree = html.fromstring(page)
    first, *others = (unpack(text) for text in tree.xpath("//script[@type='text/plain']/text()"))
    return {**first, "systems": dict(zip(systems, others, strict=True))}


def test_page_holds_the_results_document(results: Results, page: str) -> None:
    held = embedded(page, "results")
    assert "sentences" not in held
    held["sentences"] = held_sentences(page, results["systems"])
    assert held == json.loads(json.dumps(results))


def test_page_holds_the_tables_that_it_shows(results: Results, page: str) -> None:
    held = {table["name"]: table for table in embedded(page, "tables")}

    assert sorted(held) == sorted(html.fromstring(page).xpath("//@data-table"))
    for table in (one for one in tables(results) if one.name in held):
        rows = [[[cell] if isinstance(cell, float) else cell for cell in row] for row in table.rows]
        assert held[table.name] == {
            "name": table.name,
            "title": table.title,
            "header": list(table.header),
            "rows": rows,
            "digits": table.digits,
        }


@pytest.mark.parametrize("which", ["page", "hostile_page", "study"])
def test_page_loads_nothing(which: str, request: pytest.FixtureRequest) -> None:
    """No address leads away from the page, and nothing in it could run but its own script."""
    tree = html.fromstring(request.getfixturevalue(which))

    addresses = [*tree.xpath("//@src"), *tree.xpath("//@href"), *tree.xpath("//@action")]
    assert [one for one in addresses if not one.startswith(("#", "data:"))] == []
    assert tree.xpath("//@style") == []
    assert [name for one in tree.iter() for name in one.attrib if name.startswith("on")] == []
    assert [one.get("type") for one in tree.xpath("//script")].count(None) == 1


@pytest.mark.parametrize("which", ["page", "study"])
def test_page_allows_its_own_script_and_style_only(
    which: str, request: pytest.FixtureRequest
) -> None:
    text: str = request.getfixturevalue(which)
    tree = html.fromstring(text)
    [policy] = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)

    def source(code: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"

    assert rules == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "img-src": "data:",
        "style-src": source(style),
        "script-src": source(script),
    }


def test_page_escapes_all_text(hostile_page: str) -> None:
    tree = html.fromstring(hostile_page)

    assert HOSTILE not in hostile_page
    assert "</script><!--" not in hostile_page
    assert tree.findtext(".//title") == f"Made up {HOSTILE}"
    systems = embedded(hostile_page, "results")["systems"]
    assert HOSTILE in held_sentences(hostile_page, systems)["source"][0]
    assert f"{HOSTILE}careful" in tree.xpath("//table[@class='scoreboard']//th/@data-value")
    assert f"{HOSTILE}careful" in tree.xpath("//p[@class='headline']/b/@data-tip")
    assert HOSTILE not in render_embed(example_results(hostile=True))


def test_page_tells_language_title_and_headings(page: str) -> None:
    tree = html.fromstring(page)

    assert tree.get("lang") == "en"
    assert [one.text for one in tree.xpath("//h1")] == ["Made up"]
    linked = tree.xpath("//nav//a/@href")
    assert linked == [f"#{one}" for one in tree.xpath("//main/section[not(@class)]/@id")]
    # Levels are not skipped.
    levels = [int(one.tag[1]) for one in tree.xpath("//h1|//h2|//h3")]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_page_has_each_id_once(page: str) -> None:
    ids = html.fromstring(page).xpath("//@id")

    assert sorted(set(ids)) == sorted(ids)


def test_scoreboard_shows_scores_intervals_and_baselines(results: Results, page: str) -> None:
    [table] = html.fromstring(page).xpath("//table[@class='scoreboard']")
    record = results["scores"]["m2"]["careful"]
    assert record["score"] is not None
    assert record["interval"] is not None
    low, high = record["interval"]

    [row] = [one for one in table.xpath("./tbody/tr") if "careful" in one.text_content()]
    cell = row.xpath("./td")[0]
    best, worst = record["rank_range"]
    ranks = str(best) if best == worst else f"{best}–{worst}"
    assert " ".join(cell.text_content().split()) == (
        f"{record['score']:.4f} rank {ranks} cluster {'I' * record['cluster']} {low:.3f}–{high:.3f}"
    )
    [board] = html.fromstring(page).xpath("//script[@id='board']/text()")
    entry = json.loads(board)["scores"]["m2"][results["systems"].index("careful")]
    assert entry[:3] == pytest.approx([record["score"], low, high], rel=1e-7)
    assert entry[3:] == [best, worst, record["cluster"]]
    assert [" ".join(row.text_content().split()) for row in table.xpath("./tfoot/tr")] == [
        "doing nothing 0.0000 0.5000",
        "annotator 0 0.9000 –",
    ]


def test_scoreboard_is_sorted_by_the_first_metric(results: Results, page: str) -> None:
    tree = html.fromstring(page)
    scores = results["scores"]["m2"]
    order = sorted(results["systems"], key=lambda name: -(scores[name]["score"] or 0))

    assert tree.xpath("//table[@class='scoreboard']/tbody//th/span/text()") == order
    [first, _] = tree.xpath("//table[@class='scoreboard']/thead//th[@class='number']")
    assert first.get("aria-sort") == "descending"


def test_mean_of_people_takes_three() -> None:
    """With two annotators each is shown; with more, the mean is, and each further below."""
    results = example_results()
    floor, first = results["baselines"]
    results["baselines"] = [
        floor,
        *(
            Baseline(name=f"p{n}", kind=first["kind"], scores={"m2": n / 10, "gleu": None})
            for n in (3, 4, 8)
        ),
    ]
    tree = html.fromstring(render(results))

    rows = [" ".join(row.text_content().split()) for row in tree.xpath("//tfoot/tr")]
    assert rows == ["doing nothing 0.0000 0.5000", "people, mean of 3 0.5000 –"]
    people = tree.xpath("//figure[@data-table='people']//tbody/tr/td[1]/text()")
    assert people == ["doing nothing", "p3", "p4", "p8", "people, mean of 3"]
    text = tree.text_content()
    assert "scored against all 3 annotators, a person against only 2 of them" in text


def test_guide_explains_the_rows_of_people_that_there_are() -> None:
    results = example_results()
    floor, first = results["baselines"]

    def terms(n_people: int) -> dict[str, str]:
        results["baselines"] = [
            floor,
            *(
                Baseline(name=f"p{n}", kind=first["kind"], scores=first["scores"])
                for n in range(n_people)
            ),
        ]
        tree = html.fromstring(render(results))
        names, texts = (tree.xpath(f"//div[@class='reading-guide']//{tag}") for tag in ("dt", "dd"))
        return {name.text: text.text for name, text in zip(names, texts, strict=True)}

    assert {"Annotator", "People"}.isdisjoint(terms(0))
    assert terms(2)["Annotator"] == "A person, scored against the other annotator."
    assert terms(3)["People"] == "The mean of 3 annotators, each scored against the others."
    assert "Annotator" not in terms(3)


def test_systems_beside_people_have_their_marks() -> None:
    results = example_results()
    results["equal_references"] = {
        metric: {name: record["score"] for name, record in scores.items()}
        for metric, scores in results["scores"].items()
    }
    tree = html.fromstring(render(results))

    [board] = tree.xpath("//table[@class='scoreboard']/tbody")
    marks = {one.text: one.get("class") for one in board.xpath(".//th/span")}
    spans = tree.xpath("//figure[@data-table='people']//tbody//td[1]/span")
    assert [one.text for one in spans] == [name for name in marks for _ in range(2)]
    assert all(one.get("class") == marks[one.text] for one in spans)


def test_sections_without_edits_are_left_out() -> None:
    names = html.fromstring(render(without_edits(5))).xpath("//main/section/@id")

    assert {"outcomes", "types", "slices", "frequent"}.isdisjoint(names)
    assert {"scores", "versus", "sentences"} <= set(names)


def test_one_system_has_no_versus() -> None:
    tree = html.fromstring(render(with_one_system(5)))

    assert "versus" not in tree.xpath("//main/section/@id")
    assert tree.xpath("//*[contains(@class, 'cluster')]") == []


def test_page_says_how_the_tests_were_made() -> None:
    results = example_results()
    results["settings"]["test_resamples"] = 1650
    assert "paired tests (randomization, 1,650 resamples, adjusted for all pairs)" in render(
        results
    )


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1])
def test_text_stands_out_from_its_ground(page: str, scheme: int) -> None:
    """In light and in dark, by the measure of WCAG 2 (AA)."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", page)
    colors = {name: both[scheme] for name, *both in pairs}
    plain = [(text, ground) for text in ("ink", "muted", "accent") for ground in GROUNDS]
    soft = ("correct", "wrong-fix", "wrong", "missed", "win", "loss")
    edits = [(name, f"{name}-soft") for name in soft]
    others = [("accent", "accent-soft"), ("muted", "accent-soft")]
    others += [("surface", name) for name in soft[:4]]
    heat = [("ink", "heat-low"), ("ink", "heat-high")]

    def contrast(text: str, ground: str) -> float:
        dark, light = sorted(map(luminance, (colors[text], colors[ground])))
        return (light + 0.05) / (dark + 0.05)

    weak = [pair for pair in plain + edits + others + heat if contrast(*pair) < 4.5]
    assert weak == []


def test_study_has_text_tables_and_pictures(study: str) -> None:
    tree = html.fromstring(study)

    assert [one.text for one in tree.xpath("//section[@id='top']/p")] == ["Why.", "How."]
    assert [one.text for one in tree.xpath("//section[@id='first']/p")] == [
        "One paragraph of two lines.",
        "Another & more.",
    ]
    assert tree.xpath("//h2/text()") == [f"First {HOSTILE}", "Second"]
    assert tree.xpath("//nav//a/@href") == ["#first", "#second"]
    assert tree.xpath("//td/text()") == ["m2", "0.5000", HOSTILE]
    assert tree.xpath("//figure[@class='picture']/*[@role='img']/@aria-label") == ["it falls"]


def test_study_holds_numbers_that_json_does_not_know() -> None:
    numbers = (float("nan"), float("inf"), -float("inf"))
    table = Table("odd", "Odd", ("a", "b", "c"), (numbers,))

    page = render_study("Study", "", [Section("one", "One", "", (table,))])

    assert embedded(page, "tables")[0]["rows"] == [[["NaN"], ["Infinity"], ["-Infinity"]]]


def test_page_has_no_errors() -> None:
    """A report that was written has succeeded, so its findings are warnings at most."""
    results = example_results()
    first = results["warnings"][0]
    results["warnings"] = [{**first, "severity": "error"}, first, {**first, "severity": "note"}]

    badges = html.fromstring(render(results)).xpath("//*[contains(@class, 'badge')]")

    assert [(one.get("class"), one.text) for one in badges] == [
        ("badge warning", "Scores would change if the inputs were fixed"),
        ("badge warning", "changes scores"),
        ("badge note", "may change scores"),
        ("badge note", "note"),
    ]


def test_badge_names_the_systems_with_wrong_files() -> None:
    results = example_results()
    first = results["warnings"][0]

    def badge(*systems: str) -> str:
        results["warnings"] = [
            {**first, "severity": "error", "file": f"{name}.txt"} for name in systems
        ]
        tree = html.fromstring(render(results))
        return str(tree.xpath("//section[@id='top']//*[contains(@class, 'badge')]")[0].text)

    assert badge("eager", "eager") == "eager would score otherwise if its file were fixed"
    assert badge("eager", "careful") == (
        "eager and careful would score otherwise if their files were fixed"
    )
    assert badge("eager", "careful", "unchanged") == (
        "3 systems would score otherwise if their files were fixed"
    )


def test_long_names_are_short_where_they_are_shown() -> None:
    """What all names have in common is left out for lack of room; the hint has the whole name."""
    results = many_results(3, 1)
    text = strict_json.dumps(results)
    for number in range(3):
        text = text.replace(f"system-{number}", f"a-large-model-tuned-on-essays-{number}-of-3-runs")
    tree = html.fromstring(render_embed(json.loads(text)))

    assert tree.xpath("//table[@class='scoreboard']/tbody//th/span/text()") == [
        f"…on-essays-{number}-of…" for number in range(3)
    ]
    tips = tree.xpath("//table[@class='scoreboard']/tbody//th/@data-tip")
    assert tips == [f"a-large-model-tuned-on-essays-{number}-of-3-runs" for number in range(3)]


def test_badge_on_top_takes_what_would_change_a_score(page: str) -> None:
    """The example has a warning, which may change scores: it is told at the end only."""
    tree = html.fromstring(page)

    assert tree.xpath("//section[@id='top']//*[contains(@class, 'badge')]") == []
    assert len(tree.xpath("//section[@id='about']//*[contains(@class, 'badge')]")) == 1


def test_findings_that_say_the_same_are_one_sentence() -> None:
    results = example_results()
    results["warnings"] = [
        WarningRecord(
            severity="warning", code="c", message=message, file=file, line=line, count=count
        )
        for message, file, line, count in (
            ("odd tokens", "a.txt", 3, 5),
            ("odd tokens", "b.txt", None, 1),
            ("too short", None, None, 1),
        )
    ]
    tree = html.fromstring(render(results))

    found = [
        " ".join(one.text_content().split()) for one in tree.xpath("//ul[@class='findings']/li")
    ]
    assert found == [
        "may change scores a.txt, line 3; b.txt: odd tokens. And 4 more of this kind.",
        "may change scores Too short.",
    ]


def test_bold_scores_are_those_that_nothing_beats() -> None:
    """A cluster may be a chain in which the first is significantly better than the last."""
    results = many_results(3, 1)
    first = results["metrics"][0]["name"]
    ranges = ((1, 2), (1, 3), (2, 3))
    for name, ends in zip(results["systems"], ranges, strict=True):
        results["scores"][first][name]["rank_range"] = ends
        results["scores"][first][name]["cluster"] = 1

    best = {row.name: row.cells[0].is_best for row in score_rows(results)}
    assert best == dict(zip(results["systems"], (True, True, False), strict=True))
    # Where nothing beats anything, nothing is marked.
    for record in results["scores"][first].values():
        record["rank_range"] = (1, 3)
    assert not any(row.cells[0].is_best for row in score_rows(results))


def test_embedded_style_has_what_the_page_needs() -> None:
    """The sections that it lacks are named by their headings, which must exist."""
    style = files("geceval.report").joinpath("page/report.css").read_text(encoding="utf-8")
    for heading in _EMBED_WITHOUT:
        assert f"\n/* {heading}. */\n\n" in style
    small, whole = _style(_EMBED_WITHOUT), _style(())
    assert ".scoreboard" in small
    assert ".browser" in whole
    assert ".row-text" not in small
    assert len(small) < 0.75 * len(whole)


def test_page_says_what_clusters_and_rank_ranges_are(page: str, results: Results) -> None:
    """Systems of one cluster may differ: a test of that very pair decides, not the cluster."""
    text = " ".join(html.fromstring(page).xpath("//main")[0].text_content().split())
    assert "cannot be told apart" not in text
    assert "a cluster ends only where every system above is significantly better than" in text
    assert "Systems of the same cluster may still differ significantly" in text
    assert "from one plus the number of systems that are significantly better" in text
    assert f"{results['settings']['test_resamples']:,} resamples, adjusted for all pairs" in text


def test_page_says_what_the_test_set_can_detect() -> None:
    results = example_results()
    power = PowerRecord(alpha=0.05, power=0.8, detectable=0.0213, least=0.01, greatest=0.03)
    results["power"] = {"m2": power}

    assert "This test set can detect differences of 0.021 by MaxMatch (M²)" in render(results)


def test_embedded_page_is_small() -> None:
    """Also for as many systems and metrics as a shared task may have."""
    page = render_embed(many_results(12, 22))

    assert len(page.encode()) < 200_000
    tree = html.fromstring(page)
    assert len(tree.xpath("//table[@class='scoreboard']/tbody/tr")) == 12
    assert tree.xpath("//section/@id") == ["top"]
    assert tree.xpath("//script[@id='results']") == []
    assert len(embedded(page, "board")["pairs"]["m0"]) == 66


def simulated(color: str, matrix: list[list[float]]) -> list[float]:
    """Return what is left of a color for the color-blind, in OKLab."""
    rgb = np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(matrix) @ linear, 0, 1)
    cones = np.cbrt(
        np.array(
            [
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ]
        )
        @ seen
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    found: list[float] = (lab @ cones).tolist()
    return found


DEFICIENCIES: dict[str, list[list[float]]] = {
    "none": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
"""Simulations of Machado, Oliveira and Fernandes (2009)."""


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("scheme", [0, 1])
def test_systems_have_colors_that_differ(page: str, scheme: int, deficiency: str) -> None:
    """Of eight systems, any two differ for everybody, and all stand out from the ground."""
    pairs = re.findall(r"--(c\d+): light-dark\((#\w{6}), (#\w{6})\)", page)
    colors = [both[scheme] for _, *both in pairs]
    ground = luminance(("#ffffff", "#191f27")[scheme])

    assert len(colors) == len(COLORS)
    if scheme == 0:
        assert tuple(colors) == COLORS
    contrasts = [sorted((luminance(color), ground)) for color in colors]
    assert min((light + 0.05) / (dark + 0.05) for dark, light in contrasts) > 3
    seen = [simulated(color, DEFICIENCIES[deficiency]) for color in colors[:8]]
    assert min(math.dist(one, other) for one, other in combinations(seen, 2)) > 0.08
