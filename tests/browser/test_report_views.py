"""The first screen of the page and its views, of eight systems, in a real browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import made_up
from browsing import CSS, Browser
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.report.collect import collect
from geceval.report.rendering import render, render_embed
from geceval.report.results import Results, save
from geceval.report.results_loader import load
from report_examples import many_results

Show: TypeAlias = Callable[..., None]

NAMES = ("AMU", "CAMB", "CUUI", "IITB", "NTHU", "POST", "RAC", "UFC")


@pytest.fixture(scope="module")
def results() -> Results:
    """Results whose gold edits have other types than those of the metric."""
    gold = made_up.corpus(80)
    systems = [
        made_up.system(gold, name, skill=0.85 - place / 10, noise=0.02 + place / 60)
        for place, name in enumerate(NAMES)
    ]
    metrics = [M2(), Errant(lang="plain"), *make_metrics(["gleu", "imeasure"], {})]
    return collect(gold, systems, metrics, resampling=Resampling(200))


@pytest.fixture(scope="module")
def page(results: Results) -> str:
    return render(results)


@pytest.fixture(scope="module")
def crowded_page() -> str:
    """A page of eight systems with as many metrics as a report has, and equal references."""
    gold = made_up.corpus(80)
    names = (
        "m2 wdiff errant cleme cleme2 imeasure gleu green bleu ibleu chrf ter wer cer sari "
        "maxsari ld-reference ld-source gotoscorer ged pt-m2 pt-errant"
    )
    metrics = make_metrics(names.split(), {"lang": "plain"})
    results = collect(
        gold,
        made_up.systems(gold, *NAMES),
        metrics,
        resampling=Resampling(50),
        has_equal_references=True,
    )
    for tables in (*results["types"].values(), results["retyped"]):
        for types in tables.values():
            some = next(iter(types.values()))
            types.update({f"R:OTHER:{number}": some for number in range(20)})
    results["warnings"] = [
        {
            "severity": "warning",
            "code": "example",
            "message": f"finding {number} of a report that has " + "much to say " * 15,
            "file": "gold.m2",
            "line": number,
            "count": 2,
        }
        for number in range(1, 6)
    ]
    return render(results)


@contextmanager
def window(browser: Browser, width: int, height: int = 900) -> Iterator[None]:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    undo = {"width": 0, "height": 0, "deviceScaleFactor": 0, "mobile": False}
    with browser.emulating("setDeviceMetricsOverride", size, undo):
        yield


def bottom(browser: Browser, selector: str) -> float:
    found: float = browser.run(
        "return document.querySelector(arguments[0]).getBoundingClientRect().bottom", selector
    )
    return found


def test_answer_is_on_the_first_screen(browser: Browser, show: Show, page: str) -> None:
    with window(browser, 1440):
        show(page)
        for part in (".headline", ".scoreboard", "#matrix table", ".reading-guide"):
            assert bottom(browser, part) <= 900, part
        wide = browser.run(
            "return document.querySelector('.scoreboard').getBoundingClientRect().width"
        )
    assert wide > 1300
    # Menus of tables are all that is folded.
    assert browser.find_all("#top details, #scores details:not(.menu)") == []


def test_matrix_of_twelve_systems_is_on_the_first_screen(browser: Browser, show: Show) -> None:
    gold = made_up.corpus(30)
    systems = made_up.systems(gold, *NAMES, "IPN", "PKU", "SJTU", "UMC")
    metrics = [M2(), Errant(lang="plain"), *make_metrics(["gleu", "imeasure"], {})]
    html = render(collect(gold, systems, metrics, resampling=Resampling(50)))
    with window(browser, 1440):
        show(html)
        assert bottom(browser, "#matrix table") <= 900
        assert len(browser.find_all("#matrix tbody tr")) == 12
    for width in (820, 390):
        with window(browser, width):
            show(html)
            assert browser.run("return document.documentElement.scrollWidth") <= width
            # What is pressed with a finger keeps its size.
            height = browser.run("return document.querySelector('#matrix td button').offsetHeight")
            assert height >= 20


def test_bars_share_one_scale(browser: Browser, show: Show, page: str, results: Results) -> None:
    show(page)
    order = browser.texts(".scoreboard tbody th")
    points = browser.run(
        "return [...document.querySelectorAll('td[data-metric=\"gleu\"] .point')]"
        ".map(line => Number(line.getAttribute('x1')))"
    )
    scores = [results["scores"]["gleu"][name]["score"] or 0 for name in order]
    ends = [results["scores"]["gleu"][name]["interval"] or (0, 0) for name in order]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)

    expected = [2 + 96 * (score - low) / (high - low) for score in scores]
    assert points == pytest.approx(expected, abs=1e-6)


def test_cell_of_the_scoreboard_explains_itself(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    for metric in ("m2", "gleu"):
        for name in ("CAMB", "UFC"):
            record = results["scores"][metric][name]
            assert record["interval"] is not None
            text = browser.run(
                "const row = [...document.querySelectorAll('.scoreboard tbody tr')]"
                ".find(r => r.querySelector('th').dataset.value === arguments[1]);"
                "const cell = row.querySelector('[data-metric=\"' + arguments[0] + '\"]');"
                "cell.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));"
                "return document.querySelector('.tip').textContent",
                metric,
                name,
            )
            low, high = record["interval"]
            best, worst = record["rank_range"]
            ranks = str(best) if best == worst else f"{best}–{worst}"
            assert f"{record['score']:.4f}, 95\u00a0% interval {low:.4f} to {high:.4f}" in text
            assert f"{8 - worst} significantly worse, so its rank is {ranks}." in text
            assert text.endswith(
                f"Cluster {record['cluster']} of "
                f"{max(one['cluster'] for one in results['scores'][metric].values())}."
            )


def test_matrix_tells_wins_and_losses(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    alpha = 1 - results["settings"]["level"]

    for metric in ("m2", "gleu"):
        browser.run(
            "const s = document.querySelector('#matrix select'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('change'))",
            metric,
        )
        order = browser.texts("#matrix tbody th")
        shown = {}
        for name, row in zip(order, browser.find_all("#matrix tbody tr"), strict=True):
            cells = row.find_elements("tag name", "td")
            for other, cell in zip(order, cells, strict=True):
                for button in cell.find_elements("tag name", "button"):
                    shown[name, other] = str(button.get_attribute("class"))
        assert len(shown) == 8 * 7
        for record in results["comparisons"][metric]:
            first, second = record["first"], record["second"]
            expected = ["undecided", "undecided"]
            if record["p_adjusted"] < alpha and record["difference"]:
                expected = ["win", "loss"] if record["difference"] < 0 else ["loss", "win"]
            assert [shown[first, second], shown[second, first]] == expected
        assert {"win", "loss", "undecided"} == set(shown.values())


def test_cell_of_the_matrix_explains_itself_and_opens_the_pair(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    cell = browser.find("#matrix tbody tr:nth-child(1) td:nth-child(4) button")
    [first, *_], third = browser.texts("#matrix tbody th"), browser.texts("#matrix tbody th")[2]

    browser.focus(cell)
    [tip] = browser.texts(".tip:not([hidden])")
    [record] = [
        one
        for one in results["comparisons"]["m2"]
        if {one["first"], one["second"]} == {first, third}
    ]
    assert tip.startswith(f"{first} − {third} by MaxMatch (M²): ")
    assert f"{abs(record['difference'] or 0):.4f}" in tip
    p_value = record["p_adjusted"]
    assert (f"adjusted p = {p_value:.4f}" if p_value >= 0.0001 else "adjusted p <") in tip
    browser.type("ENTER")
    assert browser.find("#versus-a").get_attribute("value") == first
    assert browser.find("#versus-b").get_attribute("value") == third
    assert bottom(browser, "#versus h2") < 200


def test_figures_of_a_column_are_below_each_other(browser: Browser, show: Show, page: str) -> None:
    """Also those of people, which have no ranks."""
    with window(browser, 1440):
        show(page)
        for column in (2, 3, 4, 5):
            ends = browser.run(
                "return [...document.querySelectorAll('.scoreboard tr > :nth-child(' + arguments[0]"
                " + ') .value')].map(e => e.getBoundingClientRect().right)",
                column,
            )
            assert len(ends) > 8
            assert max(ends) - min(ends) < 1


@pytest.mark.parametrize(
    ("n_systems", "width", "is_upright"),
    [(3, 1440, False), (8, 1440, False), (8, 390, True), (12, 1440, True), (20, 1440, True)],
)
def test_names_above_the_matrix_are_not_cut(
    browser: Browser, show: Show, n_systems: int, width: int, is_upright: bool
) -> None:
    with window(browser, width):
        show(render_embed(many_results(n_systems, 1)))
        cut = browser.run(
            "return [...document.querySelectorAll('#matrix th span, #matrix td span')].filter("
            "e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map(e => e.textContent)"
        )
        assert cut == []
        assert bool(browser.find_all("#matrix .upright")) == is_upright


def test_twenty_sentences_decide(browser: Browser, show: Show, page: str, results: Results) -> None:
    show(page)
    browser.choose("versus-a", "CAMB")
    browser.choose("versus-b", "IITB")
    [record] = [
        one
        for one in results["influence"]["m2"]
        if (one["first"], one["second"]) == ("CAMB", "IITB")
    ]
    assert len(record["sentences"]) == 20

    # Influences are on second minus first, the page shows A minus B.
    expected = [f"{'−' if value > 0 else '+'}{abs(value):.4f}" for _, value in record["sentences"]]
    assert browser.texts(".deciding .favor") == expected
    numbers = [f"Sentence {number + 1}" for number, _ in record["sentences"]]
    assert browser.texts(".deciding button") == numbers
    assert len(browser.find_all(".deciding > li:first-child .line")) >= 3
    assert browser.find_all(".deciding .edit.gold")
    browser.press(".deciding button")
    assert browser.texts("#detail h3") == [numbers[0]]


def test_deciding_sentences_by_error_type(browser: Browser, show: Show, page: str) -> None:
    show(page)
    choices = browser.find_all(".type-filter button")
    assert [one.get_attribute("aria-pressed") for one in choices[:2]] == ["true", "false"]
    assert choices[0].text == "all types (20)"
    shown = "return [...document.querySelectorAll('.deciding > li')].filter(e => !e.hidden).length"
    assert browser.run(shown) == 20
    for one in choices[1:]:
        browser.press(one)
        count = int(one.text.rpartition("(")[2].rstrip(")"))
        assert 0 < count <= 20
        assert browser.run(shown) == count
        assert one.get_attribute("aria-pressed") == "true"
    browser.press(choices[0])
    assert browser.run(shown) == 20


def test_scores_of_the_largest_advantages_are_in_sight(
    browser: Browser, show: Show, page: str
) -> None:
    """Long sentences do not push them out of their table."""
    for width in (1440, 820, 390):
        with window(browser, width):
            show(page)
            over = browser.run(
                "return [...document.querySelectorAll('.compact .scroll')]"
                ".map(e => e.scrollWidth - e.clientWidth)"
            )
            assert over
            assert max(over) <= 1


def test_types_of_both_vocabularies(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    sources = [str(one.get_attribute("value")) for one in browser.find_all("#types-source option")]
    assert sources == ["retyped", "m2", "errant"]
    labels = browser.texts("#types-source option")
    assert labels[0] == "ERRANT types (precision, recall, F; gold re-typed)"
    assert labels[1] == "gold types (recall): MaxMatch (M²)"

    inputs = browser.find_all("#types-measure input")
    assert all(one.is_enabled() for one in inputs)
    browser.choose("types-source", "m2")
    assert [one.is_enabled() for one in inputs] == [False, False, True, True]
    browser.choose("types-source", "retyped")
    browser.press("#types-level label:nth-of-type(3) input")
    browser.press("#types-measure label:nth-of-type(4) input")
    records = results["retyped"]["CAMB"]
    totals: dict[str, int] = {}
    for name, record in records.items():
        totals[name[:1]] = totals.get(name[:1], 0) + record["gold"]
    rows = {
        row[0][:1]: int(row[1])
        for row in cells_of(browser, "#types-map", "CAMB")
        if row[0][:1] in "MRU"
    }
    assert rows == {name: count for name, count in totals.items() if name in rows}
    assert rows


def cells_of(browser: Browser, holder: str, system: str) -> list[tuple[str, str]]:
    """Return the first cell of each row, and that of a system."""
    column = browser.texts(f"{holder} thead th").index(system)
    first = browser.texts(f"{holder} tbody td:nth-child(1)")
    return list(
        zip(first, browser.texts(f"{holder} tbody td:nth-child({column + 1})"), strict=True)
    )


def test_types_of_few_gold_edits_are_dimmed(browser: Browser, show: Show, page: str) -> None:
    show(page)
    for row in browser.find_all("#types-map tbody tr"):
        count = int(row.find_element(CSS, "td:nth-child(2)").text)
        dimmed = row.find_elements(CSS, "button.few")
        assert bool(dimmed) == (count < 10)


def test_types_as_difference_to_a_baseline(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    before = dict(cells_of(browser, "#types-map", "UFC"))
    browser.choose("types-baseline", "AMU")
    own, baseline = results["retyped"]["UFC"], results["retyped"]["AMU"]

    assert dict(cells_of(browser, "#types-map", "UFC")) != before
    for name, shown in cells_of(browser, "#types-map", "UFC"):
        if shown == "–":
            continue
        difference = (own[name]["f"] or 0) - (baseline[name]["f"] or 0)
        assert float(shown.replace("−", "-")) == pytest.approx(difference, abs=0.0051)
    for name, shown in cells_of(browser, "#types-map", "AMU"):
        assert shown == f"{baseline[name]['f']:.2f}"


def test_cell_of_a_type_leads_to_its_sentences(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    """Types of the gold edits are those assigned anew."""
    show(page)
    cell = browser.find("#types-map tbody tr:nth-child(1) td:nth-child(3) button")
    [name, system] = [
        browser.texts("#types-map tbody td")[0],
        browser.texts("#types-map thead th")[2],
    ]
    sentences = results["sentences"]
    wanted = sentences["types"].index(name)
    view = sentences["systems"][system]
    found = 0
    for row, chosen in enumerate(view["chosen"] or []):
        who = [one for one, _ in sentences["gold"][row]].index(chosen)
        types = sentences["retyped"][row][who]
        edits, missed = (view["edits"] or [])[row], (view["missed"] or [])[row]
        own = [types[edit[5]] if edit[3] == 0 else edit[4] for edit in edits]
        found += wanted in [*own, *(types[gold] for gold, replaced in missed if not replaced)]

    browser.press(cell)
    browser.until(lambda: browser.texts("#count") == [f"{found} of 80 sentences"])


def test_outcomes_lead_to_sentences(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    rows = browser.texts("#outcomes-bars tbody td:first-child")
    assert sorted(rows) == sorted(NAMES)
    counts = results["outcomes"][rows[0]]
    made = counts["correct"] + counts["wrong fix"] + counts["wrong"]
    cells = browser.texts("#outcomes-bars tbody tr:first-child td")
    assert cells[2:6] == [str(counts[k]) for k in ("correct", "wrong fix", "missed", "wrong")]
    assert cells[6:] == [
        f"{counts['wrong'] / made:.2f}",
        f"{counts['missed'] / (counts['correct'] + counts['wrong fix'] + counts['missed']):.2f}",
    ]
    browser.press("#outcomes-bars tbody tr:first-child .of-missed")
    assert browser.find("#filter-outcome").get_attribute("value") == "3"
    assert browser.find("#filter-system").get_attribute("value") == rows[0]


def test_every_table_has_one_export(browser: Browser, show: Show, page: str) -> None:
    show(page)

    tables = browser.run(
        "return [...document.querySelectorAll('main table')].map(t => "
        "t.closest('figure').querySelectorAll('figcaption .menu').length)"
    )
    assert len(tables) > 12
    assert set(tables) == {1}
    assert browser.run("return document.querySelectorAll('main .menu').length") == len(tables)


def test_figures_are_drawn_at_the_size_shown(browser: Browser, show: Show, page: str) -> None:
    """Their text is as large as the small text of the page."""
    for width in (1440, 390):
        with window(browser, width):
            show(page)
            browser.until(lambda: len(browser.find_all(".chart svg")) >= 5)
            sizes = browser.run(
                "return [...document.querySelectorAll('.chart svg')].map(svg => "
                "svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
            )
            assert sizes == pytest.approx([1] * len(sizes), abs=0.01)


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_text_of_figures_stays_inside(browser: Browser, show: Show, page: str, width: int) -> None:
    """Nor does it cover other text, such as titles of metrics and the ends of their strips."""
    with window(browser, width):
        show(page)
        browser.until(lambda: len(browser.find_all(".chart svg")) >= 5)
        outside = browser.run(
            "return [...document.querySelectorAll('.picture .chart text')].filter(e => {"
            " const [t, p] = [e, e.closest('.picture')].map(x => x.getBoundingClientRect());"
            " return t.left < p.left - 1 || t.right > p.right + 1 }).map(e => e.textContent)"
        )
        assert outside == []
        covered = browser.run(
            "const boxes = [...document.querySelectorAll('#people-strips .chart text')]"
            ".map(e => [e.textContent, e.getBoundingClientRect()]); const found = [];"
            "boxes.forEach(([a, x], i) => boxes.slice(i + 1).forEach(([b, y]) => {"
            " if (x.left < y.right && y.left < x.right && x.top + 2 < y.bottom"
            " && y.top + 2 < x.bottom) found.push([a, b]) })); return found"
        )
        assert covered == []


def test_a_system_has_one_color(browser: Browser, show: Show, page: str) -> None:
    show(page)
    browser.until(lambda: browser.find_all("#pr-panels .mark"))
    colors = browser.run(
        "const all = {};"
        "for (const e of document.querySelectorAll('.scoreboard .system, .headline .system,"
        " #matrix .system, #outcomes-bars .system')) {"
        " const name = e.textContent; (all[name] ??= []).push("
        "getComputedStyle(e, '::before').color) }"
        "for (const e of document.querySelectorAll('.legend-line li:has(.mark)')) {"
        " all[e.textContent].push(getComputedStyle(e.querySelector('.mark')).fill) }"
        "return all"
    )
    assert set(colors) == set(NAMES)
    assert all(len(set(found)) == 1 for found in colors.values())
    assert len({found[0] for found in colors.values()}) == 8


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_page_of_eight_systems_is_never_wider_than_the_window(
    browser: Browser, show: Show, page: str, width: int
) -> None:
    with window(browser, width):
        show(page)
        assert browser.run("return document.documentElement.scrollWidth") <= width
        sticky = browser.run(
            "return ['.scoreboard thead th', '.scoreboard tbody th', '#types-map td:first-child']"
            ".map(s => getComputedStyle(document.querySelector(s)).position)"
        )
        assert sticky == ["sticky"] * 3


def test_long_names_fit_a_phone(browser: Browser, show: Show) -> None:
    gold = made_up.corpus(20)
    systems = made_up.systems(gold, "a-long-name-" * 12, "A" * 150)
    results = collect(gold, systems, [M2(), Errant(lang="plain")], resampling=Resampling(50))
    with window(browser, 390):
        for html in (render(results), render_embed(results)):
            show(html)
            assert browser.run("return document.documentElement.scrollWidth") <= 390


def n_printed_pages(browser: Browser, width: float, height: float) -> int:
    """Print to PDF on paper of some inches."""
    browser.until(lambda: len(browser.find_all(".chart svg")) >= 5)
    paper = {"paperWidth": width, "paperHeight": height}
    printed: dict[str, Any] = browser.driver.execute_cdp_cmd(
        "Page.printToPDF", {"printBackground": True, "preferCSSPageSize": True, **paper}
    )
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", base64.b64decode(printed["data"])))


A4, LETTER = (8.27, 11.69), (8.5, 11.0)


@pytest.mark.parametrize("paper", [A4, LETTER])
def test_print_has_at_most_six_pages(
    browser: Browser, show: Show, page: str, paper: tuple[float, float]
) -> None:
    show(page)
    assert 2 <= n_printed_pages(browser, *paper) <= 6


@pytest.mark.parametrize("paper", [A4, LETTER])
def test_print_of_all_metrics_with_equal_references_has_at_most_six_pages(
    browser: Browser, show: Show, crowded_page: str, paper: tuple[float, float]
) -> None:
    show(crowded_page)
    assert len(browser.find_all(".scoreboard thead th")) == 23
    assert 4 <= n_printed_pages(browser, *paper) <= 6


def test_print_has_all_columns_of_a_wide_table(browser: Browser, show: Show) -> None:
    """Paper does not scroll: the table is printed in parts, each with the names."""
    results = many_results(8, 22)
    show(render_embed(results))
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    try:
        # The narrower of the usual papers, landscape, without margins.
        paper = browser.emulating("setEmulatedMedia", {"media": "print"}, {"media": ""})
        with window(browser, 979), paper:
            assert not browser.find(".scoreboard").is_displayed()
            parts = browser.find_all(".print-parts table")
            assert len(parts) > 1
            titles = []
            for part in parts:
                heads = part.find_elements(CSS, "thead th")
                assert heads[0].text == "System"
                titles += [head.text.split(" F")[0] for head in heads[1:]]
                assert len(part.find_elements(CSS, "tbody th")) == 8
                assert browser.run("return arguments[0].offsetWidth", part) <= 979
            assert [one.split("\n")[0] for one in titles] == [
                metric["title"] for metric in results["metrics"]
            ]
    finally:
        browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert browser.find(".scoreboard").is_displayed()
    assert browser.find_all(".print-parts") == []


def test_slices_are_chosen(browser: Browser, show: Show, page: str, results: Results) -> None:
    show(page)
    for partition in results["slices"]:
        browser.choose("slices-by", partition["name"])
        browser.choose("slices-metric", "gleu")
        labels = browser.texts("#slices-view tbody td:nth-child(1)")
        assert labels == [one["label"] for one in partition["bins"]]
        shown = dict(cells_of(browser, "#slices-view", "CAMB"))
        for one in partition["bins"]:
            score = one["scores"]["gleu"]["CAMB"]
            assert score is not None
            assert shown[one["label"]] == f"{score:.4f}"


def test_metrics_are_calibrated_against_each_other(browser: Browser, show: Show, page: str) -> None:
    show(page)
    browser.press("#agreement-view tbody tr:nth-child(1) td:nth-child(4) button")
    assert browser.find("#calibration-x").get_attribute("value") == "m2"
    assert browser.find("#calibration-y").get_attribute("value") == "gleu"
    browser.until(lambda: browser.find_all("#calibration-view .knot"))
    title = browser.texts("#calibration-view figcaption")[0]
    assert title.startswith("How GLEU ranks the sentences that MaxMatch (M²) ranks alike")
    # A metric ranks its own sentences as itself does: all points lie on the diagonal.
    browser.choose("calibration-y", "m2")
    browser.until(lambda: browser.find_all("#calibration-view .knot"))
    away = browser.run(
        "const line = document.querySelector('#calibration-view .diagonal');"
        "const at = n => Number(line.getAttribute(n));"
        "return [...document.querySelectorAll('#calibration-view .knot')].map(k => {"
        " const x = (Number(k.getAttribute('cx')) - at('x1')) / (at('x2') - at('x1'));"
        " const y = (Number(k.getAttribute('cy')) - at('y1')) / (at('y2') - at('y1'));"
        " return Math.abs(x - y) })"
    )
    assert away
    assert max(away) < 1e-6
    browser.press("#calibration-browse")
    assert browser.find("#sort").get_attribute("value") == "metrics"


def test_names_of_object_properties_are_names(browser: Browser, show: Show, tmp_path: Path) -> None:
    """They mean something in JavaScript, unless they are kept apart."""
    gold = made_up.corpus(20)
    gold = replace(
        gold,
        sentences=tuple(
            replace(
                sent,
                annotations=tuple(
                    replace(
                        ann, edits=tuple(replace(edit, type="constructor") for edit in ann.edits)
                    )
                    for ann in sent.annotations
                ),
            )
            for sent in gold
        ),
    )
    names = ("__proto__", "toString", "<b>x</b>")
    metrics = [M2(), Errant(lang="plain"), *make_metrics(["gleu"], {})]
    results = collect(gold, made_up.systems(gold, *names), metrics, resampling=Resampling(50))
    save(results, tmp_path / "results.json")
    show(render(load(tmp_path / "results.json")))

    assert sorted(browser.texts(".scoreboard tbody th")) == sorted(names)
    assert len(browser.find_all("#matrix td button")) == 6
    for value in ("retyped", "m2", "errant"):
        browser.choose("types-source", value)
        assert set(names) <= set(browser.texts("#types-map thead th"))
    browser.choose("types-source", "retyped")
    for level in (1, 2, 3):
        browser.press(f"#types-level label:nth-of-type({level}) input")
        assert browser.find_all("#types-map td button")
    browser.choose("types-baseline", "__proto__")
    browser.choose("versus-a", "__proto__")
    browser.choose("versus-b", "toString")
    assert "__proto__ − toString" in browser.texts("#versus-verdict")[0]
    assert browser.find_all(".deciding li")
    for name in ("frequent-system", "filter-system", "calibration-system"):
        browser.choose(name, "__proto__")
    assert browser.texts("#chips li") == ["__proto__ ×"]
    assert "__proto__" in browser.texts("#frequent-tables figcaption")[0]
    # No object got properties by that name.
    assert browser.run("return Object.keys(Object.prototype).length") == 0


def test_embedded_page_loads_cleanly(browser: Browser, show: Show, results: Results) -> None:
    show(render_embed(results))

    assert len(browser.find_all(".scoreboard svg.range")) == 8 * 4
    assert len(browser.find_all("#matrix td span[tabindex]")) == 8 * 7
    browser.focus("#matrix td span[tabindex]")
    assert "adjusted p" in browser.texts(".tip:not([hidden])")[0]
    assert browser.find("#theme").is_displayed()


def processor_time(browser: Browser) -> float:
    """Return the seconds that the page's thread worked so far, however busy the machine is."""
    found = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    parts = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    return float(sum(one["value"] for one in found if one["name"] in parts))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("versus-a", "UFC"),
        ("versus-metric", "gleu"),
        ("types-source", "errant"),
        ("slices-metric", "gleu"),
        ("calibration-system", "AMU"),
        ("filter-system", "AMU"),
    ],
)
def test_interactions_answer_at_once(
    browser: Browser, show: Show, page: str, name: str, value: str
) -> None:
    browser.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    show(page)
    before = processor_time(browser)
    browser.choose(name, value)
    browser.run("document.body.offsetHeight")
    spent = processor_time(browser) - before
    browser.driver.execute_cdp_cmd("Performance.disable", {})
    assert 0 < spent < 0.15


def test_headings_are_text_on_paper(browser: Browser, show: Show, page: str) -> None:
    """Chromium leaves buttons out of the headings that it repeats on the next page."""
    show(page)
    heads = browser.texts("main thead th")
    n_buttons = len(browser.find_all("main thead th button.sort"))
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    try:
        assert browser.find_all("main thead th button") == []
        with browser.emulating("setEmulatedMedia", {"media": "print"}, {"media": ""}):
            positions = browser.run(
                "return [...document.querySelectorAll('main thead .sort')]"
                ".map(e => [getComputedStyle(e).position, getComputedStyle(e).transform].join())"
            )
            assert set(positions) == {"static,none"}
            assert not any(one.is_displayed() for one in browser.find_all(".screen-only"))
    finally:
        browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert len(browser.find_all("main thead th button.sort")) == n_buttons
    assert browser.texts("main thead th") == heads
    systems = browser.texts(".scoreboard tbody th")
    browser.press(".scoreboard thead th:nth-child(2) button")
    assert browser.texts(".scoreboard tbody th") == systems[::-1]


def test_tables_of_metrics_are_headed_by_titles(
    browser: Browser, show: Show, results: Results
) -> None:
    show(render(results))
    titles = [metric["title"] for metric in results["metrics"]]

    for table in ("1", "2"):
        figure = f"#agreement-view figure:nth-of-type({table})"
        assert browser.texts(f"{figure} thead th")[1:] == titles
        assert browser.texts(f"{figure} tbody td:first-child") == titles


def test_titles_of_many_metrics_stand_upright(
    browser: Browser, show: Show, crowded_page: str
) -> None:
    with window(browser, 1440):
        show(crowded_page)
        sizes = browser.run(
            "return [...document.querySelectorAll('#agreement-view thead th.number .sort')]"
            ".map(e => [e.offsetWidth, e.scrollWidth, e.parentElement.offsetWidth])"
        )
        assert len(sizes) == 2 * 22
        assert all(inner <= outer and own <= outer for own, inner, outer in sizes)
    # Wrapped headings must not make columns wider than others, and the table than the paper.
    paper = browser.emulating("setEmulatedMedia", {"media": "print"}, {"media": ""})
    with window(browser, 979), paper:
        widths = browser.run(
            "return [...document.querySelectorAll('#agreement-view figure:first-child th.number')]"
            ".map(e => e.offsetWidth)"
        )
    assert len(widths) == 22
    assert max(widths) - min(widths) <= 1
    assert sum(widths) < 1.2 * 979


def test_letters_of_other_vocabularies_are_no_operations(browser: Browser, show: Show) -> None:
    """In Chinese, R is a redundant word, not a replacement."""
    gold = made_up.corpus(20)
    gold = replace(
        gold,
        sentences=tuple(
            replace(
                sent,
                annotations=tuple(
                    replace(ann, edits=tuple(replace(edit, type="R") for edit in ann.edits))
                    for ann in sent.annotations
                ),
            )
            for sent in gold
        ),
    )
    metrics = [M2(), Errant(lang="plain")]
    results = collect(gold, made_up.systems(gold, "A", "B"), metrics, resampling=Resampling(0))
    show(render(results))

    browser.choose("types-source", "m2")
    assert browser.texts("#types-map tbody td:first-child") == ["R"]


def test_a_versus_b_tells_what_its_test_detects(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    level = results["settings"]["level"]
    seen = set()
    for row in results["comparisons"]["m2"]:
        browser.choose("versus-a", row["first"])
        browser.choose("versus-b", row["second"])
        is_open = row["p_adjusted"] >= 1 - level
        seen.add(is_open)
        text = f"detects a true difference of {row['detectable']:.4f} with a probability of 80"
        assert (text in browser.texts("#versus-verdict")[0]) == is_open
    assert seen == {True, False}


def test_numbers_follow_names_written_from_right_to_left(browser: Browser, show: Show) -> None:
    gold = made_up.corpus(20)
    names = ("מערכת", "ours")
    metrics = [M2(), *make_metrics(["gleu"], {})]
    results = collect(gold, made_up.systems(gold, *names), metrics, resampling=Resampling(50))
    show(render(results))
    browser.choose("versus-a", "מערכת")
    browser.choose("versus-b", "ours")

    places = browser.run(
        """
        const text = document.getElementById("versus-verdict").firstChild;
        const left = (word) => {
          const at = text.data.indexOf(word);
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + word.length);
          return range.getBoundingClientRect().left;
        };
        return arguments[0].map(left);
        """,
        ["מערכת", f"{results['scores']['m2']['מערכת']['score']:.4f}", "ours"],
    )
    assert places == sorted(set(places))
    isolation = "return getComputedStyle(document.querySelector('.headline b')).unicodeBidi"
    assert browser.run(isolation) == "isolate"
