"""The page as people use it, in a real browser."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pytest

import made_up
from browsing import CSS, Browser
from geceval.evaluation.resampling import Resampling
from geceval.metrics import metric_class
from geceval.metrics.maxmatch import M2
from geceval.presentation.page import Section
from geceval.presentation.table import FORMS, Table
from geceval.report.collect import collect
from geceval.report.rendering import render, render_study
from geceval.report.results import Results
from geceval.report.short_names import short_names
from geceval.report.tables import tables
from hostile_tables import HOSTILE_TABLE
from report_examples import HOSTILE, TYPES, example_results, with_one_system, without_edits

Show: TypeAlias = Callable[..., None]

ODD = Table(
    "odd_one",
    "Odd & strange",
    ("name", "a,b", "x_1", "x_1", "1"),
    (
        ('say "hi", \\ ^ ~ {}', 1.0, 1, None, -0.0),
        ("a|b   c\u2028<i>", 0.03125, 0, 2, 1e-05),
        ("", 1e16, 7, None, 123456.5),
        ("über → ∅", 0.00005, -3, None, 1 / 3),
        ("#$%&_", -0.00001, 10**15, 5, 1e-323),
        (HOSTILE, 2.5, 0, None, 0.1 + 0.2),
    ),
)
"""Everything that the forms of tables treat in a way of its own."""


@pytest.fixture(scope="module")
def results() -> Results:
    return example_results()


@pytest.fixture(scope="module")
def page(results: Results) -> str:
    return render(results)


def wait_for_count(browser: Browser, expected: str) -> None:
    browser.until(lambda: browser.texts("#count") == [expected])


def sentences_with(results: Results, system: str, wanted: Callable[[Any, Any], bool]) -> int:
    """Count the sentences that have an edit of a kind: outcome and type; 3 is missed."""
    view = results["sentences"]["systems"][system]
    gold = results["sentences"]["gold"]
    assert view["edits"] is not None
    assert view["missed"] is not None
    return sum(
        any(wanted(edit[3], edit[4]) for edit in edits)
        or any(wanted(3, gold[number][0][1][missed][3]) for missed, _ in all_missed)
        for number, (edits, all_missed) in enumerate(
            zip(view["edits"], view["missed"], strict=True)
        )
    )


def counted(found: int, of: int) -> str:
    return f"{found} of {of} sentences"


def test_page_loads_cleanly(browser: Browser, show: Show, page: str, results: Results) -> None:
    """The fixture looks for errors and for breaches of the policy."""
    show(page)

    assert browser.driver.title == results["title"]
    assert browser.texts("#count") == ["60 sentences"]
    assert browser.find("#theme").is_displayed()
    assert len(browser.find_all(".scoreboard svg.range")) == 6


def test_policy_stops_foreign_script(browser: Browser, show: Show, page: str) -> None:
    show(page)

    ran = browser.run(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s); return window.ran ?? null"
    )

    assert ran is None
    [complaint] = browser.complaints()
    assert "Content Security Policy" in complaint


def test_header_sorts_by_mouse(browser: Browser, show: Show, page: str, results: Results) -> None:
    show(page)
    systems = ".scoreboard tbody th"
    scores = results["scores"]["m2"]
    order = sorted(results["systems"], key=lambda name: scores[name]["score"] or 0)
    [_, header, _] = browser.find_all(".scoreboard thead th")
    label = header.find_element("tag name", "button")

    assert browser.texts(systems) == order[::-1]
    assert header.get_attribute("aria-sort") == "descending"
    browser.press(label)
    assert browser.texts(systems) == order
    assert header.get_attribute("aria-sort") == "ascending"
    browser.press(label)
    assert browser.texts(systems) == order[::-1]
    assert header.get_attribute("aria-sort") == "descending"


def test_header_sorts_by_keyboard(browser: Browser, show: Show, page: str) -> None:
    show(page)
    header = browser.find(".scoreboard thead th")
    label = header.find_element("tag name", "button")

    browser.focus(label)
    browser.type("ENTER")
    assert header.get_attribute("aria-sort") == "ascending"
    browser.type("SPACE")
    assert header.get_attribute("aria-sort") == "descending"
    assert browser.texts(".scoreboard tbody th") == ["unchanged", "eager", "careful"]
    assert browser.driver.switch_to.active_element == label


def test_people_and_doing_nothing_stay_below(browser: Browser, show: Show, page: str) -> None:
    show(page)

    browser.press(".scoreboard thead button")

    assert len(browser.texts(".scoreboard tfoot th")) == 2


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_filters_find_edits(
    browser: Browser, show: Show, page: str, results: Results, kind: int
) -> None:
    """Outcome and type are asked of one and the same edit."""
    show(page)

    browser.choose("filter-system", "eager")
    browser.choose("filter-outcome", str(kind))

    view = results["sentences"]["systems"]["eager"]
    edits, missed = view["edits"], view["missed"]
    assert edits is not None
    assert missed is not None
    found = [
        any(edit[3] == kind for edit in edits[number])
        or (kind == 3 and any(replaced == 0 for _, replaced in missed[number]))
        for number in range(60)
    ]
    wait_for_count(browser, counted(sum(found), 60))
    assert int(browser.texts("#list .row-number")[0]) == found.index(True) + 1


def test_heat_map_leads_to_sentences(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    cell = browser.find("#types button[aria-label^='careful, R:PREP:']")

    browser.press(cell)

    found = sentences_with(results, "careful", lambda _, own: own == TYPES.index("R:PREP"))
    wait_for_count(browser, counted(found, 60))
    assert browser.find("#filter-system").get_attribute("value") == "careful"
    assert browser.texts("#filter-type option:checked") == ["R:PREP"]
    assert browser.driver.switch_to.active_element == browser.find("#list")


def test_heat_map_shows_other_measures(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    """M² knows no types of wrong edits, so that F and precision cannot be chosen."""
    show(page)
    inputs = browser.find_all("#types-measure input")

    assert [one.is_enabled() for one in inputs] == [False, False, True, True]
    assert inputs[2].is_selected()
    browser.press(inputs[3])
    gold = results["types"]["m2"]["careful"]
    shown = dict(
        zip(
            browser.texts("#types-map td:nth-child(1)"),
            browser.texts("#types-map td:nth-child(2)"),
            strict=True,
        )
    )
    assert shown == {name: str(record["gold"]) for name, record in gold.items()}


def test_frequent_edit_leads_to_sentences(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    browser.choose("frequent-system", "eager")
    old, new, _, where = results["frequent"]["eager"]["wrong"][0]
    first = browser.find("#frequent-tables td button")

    assert first.text == f"{old or '∅'} → {new or '∅'}"
    browser.press(first)
    wait_for_count(browser, counted(len(set(where)), 60))
    assert browser.texts("#list .row-number")[:3] == [str(number + 1) for number in where[:3]]


def test_search_finds_outputs_too(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    outputs = [system["output"] for system in results["sentences"]["systems"].values()]
    expected = sum(any("oops" in str(output[number]) for output in outputs) for number in range(60))

    browser.find("#search").send_keys("OOPS")

    wait_for_count(browser, counted(expected, 60))
    browser.find("#search").send_keys("zzz")
    wait_for_count(browser, counted(0, 60))
    browser.press("#chips button")
    wait_for_count(browser, "60 sentences")
    assert browser.find("#search").get_attribute("value") == ""


@pytest.mark.parametrize("sort", ["score", "systems", "metrics"])
def test_sentences_are_sorted_by_what_is_shown(
    browser: Browser, show: Show, page: str, sort: str
) -> None:
    show(page)
    browser.choose("filter-system", "eager")
    browser.choose("sort", sort)
    before = browser.texts("#sort-order")

    values = [float(one.replace("−", "-")) for one in browser.texts("#list .row-value")]
    assert len(set(values)) > 1
    assert values == sorted(values, reverse="Descending" in before[0])
    assert browser.find("#sort-systems").is_displayed() == (sort == "systems")
    assert browser.find("#sort-metrics").is_displayed() == (sort == "metrics")
    browser.press("#sort-order")
    values = [float(one.replace("−", "-")) for one in browser.texts("#list .row-value")]
    assert values == sorted(values, reverse="Descending" not in before[0])


def test_list_is_moved_by_keyboard(browser: Browser, show: Show, page: str) -> None:
    show(page)
    browser.focus("#list")

    browser.type("ARROW_DOWN", "ARROW_DOWN")
    assert browser.texts("#detail h3") == ["Sentence 3"]
    browser.type("END")
    assert browser.texts("#detail h3") == ["Sentence 60"]
    browser.until(lambda: "60" in browser.texts("#list .row-number"))
    active = browser.find("#list").get_attribute("aria-activedescendant")
    assert browser.texts(f"#{active} .row-number") == ["60"]
    assert browser.texts("#list [aria-selected='true'] .row-number") == ["60"]


def test_deep_link_opens_a_sentence(browser: Browser, show: Show, page: str) -> None:
    show(page, "#s42")

    assert browser.texts("#detail h3") == ["Sentence 42"]
    assert browser.find("#detail").is_displayed()
    top = browser.run("return document.getElementById('sentences').getBoundingClientRect().top")
    assert abs(top) < 100
    browser.run("location.hash = '#s7'")
    browser.until(lambda: browser.texts("#detail h3") == ["Sentence 7"])
    browser.press("#detail button[aria-label='Next']")
    assert browser.driver.current_url.endswith("#s8")


def test_next_sentence_by_keyboard(browser: Browser, show: Show, page: str) -> None:
    """The focus stays on a button that every sentence has anew, until there is no next one."""
    show(page, "#s58")
    browser.focus("#detail [aria-label='Next']")

    browser.type("ENTER", "ENTER")

    assert browser.texts("#detail h3") == ["Sentence 60"]
    assert browser.driver.switch_to.active_element == browser.find("#detail")
    assert not browser.find("#detail [aria-label='Next']").is_enabled()


@pytest.mark.parametrize("anchor", ["#s0", "#s61", "#s99999999999999999999", "#sx"])
def test_deep_link_to_nothing_is_harmless(
    browser: Browser, show: Show, page: str, anchor: str
) -> None:
    show(page, anchor)

    assert browser.texts("#detail h3") == ["Sentence 1"]


def test_edits_are_told_apart_without_color(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    outcomes = ["correct", "wrong-fix", "wrong", "missed"]
    signs = [
        browser.run(
            "return getComputedStyle(document.querySelector(arguments[0]), '::before').content",
            f".legend .{name}",
        )
        for name in outcomes
    ]
    lines = [
        browser.find(f".legend .{name}").value_of_css_property("text-decoration-style")
        for name in outcomes
    ]

    assert len(set(signs)) == 4
    assert len(set(lines)) == 4
    number = next(
        number
        for number, edits in enumerate(results["sentences"]["systems"]["eager"]["edits"] or [])
        if edits and edits[0][3] == 1
    )
    browser.choose("filter-system", "eager")
    browser.choose("filter-outcome", "1")
    start, end, *_ = (results["sentences"]["systems"]["eager"]["edits"] or [])[number][0]
    old = " ".join(results["sentences"]["source"][number].split()[start:end])
    gold = results["sentences"]["gold"][number][0][1]
    wanted = next(edit for edit in gold if (edit[0], edit[1]) == (start, end))
    assert browser.texts("#list .row-number")[0] == str(number + 1)
    shown = " ".join(browser.texts("#list .edit.wrong-fix")[0].split())
    assert shown == f"[wrong fix: {old} oops{old or '∅'} → {wanted[2] or '∅'}]".replace(":  ", ": ")


def test_choice_of_annotator_is_explained(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    """The score so far is that of all sentences up to this one, with each annotator."""
    show(page, "#s2")
    browser.press("#detail .reading .why summary")
    browser.until(lambda: browser.find_all("#detail .reading .why td"))

    counts = results["sentences"]["systems"]["careful"]["counts"]
    assert counts is not None
    rows = []
    for name, own in zip(("0 (chosen)", "1"), counts[1], strict=True):
        assert own is not None
        assert counts[0][0] is not None
        correct, proposed, gold = (x + y for x, y in zip(counts[0][0], own, strict=True))
        precision, recall = correct / proposed, correct / gold
        f = 1.25 * precision * recall / (0.25 * precision + recall)
        rows.append([name, *map(str, own), f"{f:.6f}"])
    figure = browser.find("#detail .reading .why figure")
    shown = [
        [cell.text for cell in row.find_elements("tag name", "td")]
        for row in figure.find_elements(CSS, "tbody tr")
    ]
    assert shown == rows


def test_shares_of_edits_are_shown(browser: Browser, show: Show) -> None:
    gold = made_up.corpus(12, annotators=("0",))
    results = collect(
        gold,
        made_up.systems(gold, "good"),
        [M2()],
        resampling=Resampling(0),
        attribution=metric_class("gleu")(),
    )
    own = results["sentences"]["systems"]["good"]
    assert own["edits"] is not None
    number = next(row for row, shares in enumerate(own["shares"]) if shares)
    show(render(results), f"#s{number + 1}")
    folds = browser.find_all("#detail .reading details.why")
    fold = next(one for one in folds if "Share of each edit in GLEU" in one.text)
    fold.find_element(CSS, "summary").click()
    shown = [row.text.split()[-1] for row in fold.find_elements(CSS, "tbody tr")]
    shares = [share or 0 for share in own["shares"][number] or []]
    assert [float(share.replace("−", "-")) for share in shown] == pytest.approx(shares, abs=1e-4)


def test_colors_can_be_chosen(browser: Browser, show: Show, page: str) -> None:
    show(page)

    def ground() -> str:
        return browser.find("body").value_of_css_property("background-color")

    toggle = browser.find("#theme")
    light = ground()
    assert toggle.text == "Dark"
    toggle.click()
    assert toggle.text == "Light"
    assert ground() != light
    browser.driver.refresh()
    assert ground() != light
    browser.find("#theme").click()
    assert ground() == light


def test_colors_follow_the_system(browser: Browser, show: Show, page: str) -> None:
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    with browser.emulating("setEmulatedMedia", dark, {"features": []}):
        show(page)
        browser.run("localStorage.clear()")
        browser.driver.refresh()
        assert browser.texts("#theme") == ["Light"]


@pytest.fixture
def clipboard(browser: Browser) -> Iterator[Callable[[], str]]:
    """Read what was copied."""
    browser.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )

    def read() -> str:
        script = "navigator.clipboard.readText().then(arguments[0], e => arguments[0](String(e)))"
        text: str = browser.driver.execute_async_script(script)
        return text

    yield read
    browser.driver.execute_cdp_cmd("Browser.resetPermissions", {})


def copy_table(browser: Browser, figure: str, ending: str) -> None:
    menu = browser.find(f"{figure} .menu")
    browser.press(menu.find_element("tag name", "summary"))
    menu.find_element(CSS, f"[data-copy='{ending}']").click()
    browser.until(lambda: browser.texts("#status")[0].startswith("Copied"))
    assert menu.get_attribute("open") is None


def test_scoreboard_is_copied_as_latex(
    browser: Browser, show: Show, page: str, results: Results, clipboard: Callable[[], str]
) -> None:
    show(page)

    copy_table(browser, "[data-table='scoreboard']", "tex")

    [table] = [one for one in tables(results) if one.name == "scoreboard"]
    assert clipboard() == table.as_latex()


def test_copying_works_without_the_clipboard_api(
    browser: Browser, show: Show, page: str, results: Results, clipboard: Callable[[], str]
) -> None:
    """Browsers may keep the API from pages that were opened from disk."""
    show(page)
    browser.run("navigator.clipboard.writeText = () => Promise.reject(Error('no'))")

    copy_table(browser, "[data-table='scoreboard']", "csv")

    [table] = [one for one in tables(results) if one.name == "scoreboard"]
    assert clipboard() == table.as_csv()


def random_numbers() -> Table:
    """Numbers of all sizes, and many that lie just between two that can be shown."""
    chance = random.Random(7)
    sizes = [chance.uniform(-1, 1) * 10.0 ** chance.randint(-30, 15) for _ in range(300)]
    ties = [chance.randint(-4000, 4000) / 2 ** chance.randint(0, 12) for _ in range(300)]
    return Table("random", "Random", ("a", "b"), tuple(zip(sizes, ties, strict=True)))


@pytest.mark.parametrize("ending", FORMS)
def test_forms_are_those_of_python(
    browser: Browser, show: Show, clipboard: Callable[[], str], ending: str
) -> None:
    others = (
        Table("empty", "Empty", ("a", "b"), ()),
        Table("one", "One", ("a",), (("",), (None,), ("x",))),
        Table("whole", "Whole", ("n", "t"), ((0.5, "a"), (1.5, "b"), (2.5, "c"), (-0.5, "d")), 0),
        Table("odd", "No numbers", ("n",), ((float("nan"),), (float("inf"),), (-float("inf"),))),
    )
    section = Section("one", "One", "", (ODD, HOSTILE_TABLE, *others, random_numbers()))
    show(render_study("Study", "", [section]))

    for table in section.tables:
        copy_table(browser, f"[data-table='{table.name}']", ending)
        assert clipboard() == FORMS[ending](table)


def test_a_versus_b(browser: Browser, show: Show, page: str, results: Results) -> None:
    show(page)
    browser.choose("versus-a", "careful")
    browser.choose("versus-b", "unchanged")
    browser.choose("versus-metric", "gleu")
    scores = [
        results["sentences"]["systems"][name]["scores"]["gleu"] for name in ("careful", "unchanged")
    ]
    differences = [(a or 0) - (b or 0) for a, b in zip(*scores, strict=True)]

    assert browser.texts(".wins li") == [
        f"careful better: {sum(one > 0 for one in differences)} sentences",
        f"tied: {sum(one == 0 for one in differences)} sentences",
        f"unchanged better: {sum(one < 0 for one in differences)} sentences",
    ]
    [record] = [
        one
        for one in results["comparisons"]["gleu"]
        if (one["first"], one["second"]) == ("careful", "unchanged")
    ]
    assert record["difference"] is not None
    # Comparisons tell second minus first, the page A minus B.
    sign = "−" if record["difference"] > 0 else "+"
    shown = (
        f"careful − unchanged by GLEU: {sign}{abs(record['difference']):.4f}, 95\u00a0% interval"
    )
    assert shown in browser.texts("#versus-verdict")[0]
    first = browser.find("#versus-view .compact button.link")
    best = max(range(60), key=differences.__getitem__)
    assert first.text == str(best + 1)
    browser.press(first)
    assert browser.texts("#detail h3") == [f"Sentence {best + 1}"]
    browser.press("#versus-swap")
    assert browser.texts(".wins li")[0].startswith("unchanged better")
    browser.choose("versus-b", "unchanged")
    assert browser.texts("#versus-verdict, #versus-view") == ["Select two different systems.", ""]


def test_spot_of_the_scatter_leads_to_its_sentences(
    browser: Browser, show: Show, page: str
) -> None:
    show(page)
    assert browser.find_all(".scatter circle") == []
    browser.run("document.querySelector('.versus').scrollIntoView()")
    browser.until(lambda: browser.find_all(".scatter circle"))
    spots = browser.find_all(".scatter circle")
    sizes = [int(str(spot.get_attribute("aria-label")).partition(" ")[0]) for spot in spots]
    assert sum(sizes) == 60
    assert sizes == sorted(sizes, reverse=True)

    browser.focus(spots[0])
    browser.type("ENTER")
    wait_for_count(browser, counted(sizes[0], 60))

    browser.focus(spots[0])
    browser.type("ARROW_RIGHT", "SPACE")
    if sizes[1] > 1:
        wait_for_count(browser, counted(sizes[1], 60))
    [reachable] = browser.find_all(".scatter [tabindex='0']")
    assert reachable == spots[1]


def test_edits_of_one_system_alone(
    browser: Browser, show: Show, page: str, results: Results
) -> None:
    show(page)
    browser.choose("versus-a", "eager")
    browser.choose("versus-b", "careful")
    systems = results["sentences"]["systems"]
    pairs = zip(systems["eager"]["edits"] or [], systems["careful"]["edits"] or [], strict=True)
    alone = [
        (number, one)
        for number, (edits, others) in enumerate(pairs)
        for one in edits
        if one[:3] not in [other[:3] for other in others]
    ]

    captions = browser.texts("#versus-view figcaption")
    assert any(one.startswith(f"Edits made only by eager ({len(alone)};") for one in captions)

    source = results["sentences"]["source"]
    texts = [
        (" ".join(source[number].split()[start:end]) or "∅", new or "∅")
        for number, (start, end, new, *_) in alone
    ]
    # Those that are equally frequent are in the order of their first sentences.
    correct = Counter(text for text, (_, edit) in zip(texts, alone, strict=True) if edit[3] == 0)
    expected = [
        [" → ".join(text), str(count), str(correct[text])]
        for text, count in Counter(texts).most_common(12)
    ]
    rows = browser.run(
        "return [...document.querySelector('#versus-view > .columns:last-child table').tBodies[0]"
        ".rows].map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert rows == expected

    browser.press("#versus-view > .columns:last-child td button")
    most = max(texts, key=texts.count)
    sentences = {number for text, (number, _) in zip(texts, alone, strict=True) if text == most}
    wait_for_count(browser, counted(len(sentences), 60))


def test_hostile_text_shows_as_text(browser: Browser, show: Show) -> None:
    results = example_results(hostile=True)
    show(render(results))
    name = f"{HOSTILE}careful"

    assert browser.driver.title == results["title"]
    assert browser.texts("#list .row-text")[0] == results["sentences"]["source"][0]
    assert browser.texts("#detail .source") == [results["sentences"]["source"][0]]
    # The name is long, and its hint has all of it.
    assert browser.texts(".scoreboard tbody th")[0] == short_names(results["systems"])[0]
    assert browser.find(".scoreboard tbody th").get_attribute("data-tip") == name
    assert name in browser.texts("#filter-system option")
    browser.choose("filter-system", name)
    assert HOSTILE in browser.texts("#detail .reading")[2]
    assert browser.find_all("main script") == []


def test_many_sentences_keep_the_page_small(browser: Browser, show: Show) -> None:
    show(render(example_results(20_000)))

    assert browser.texts("#count") == ["20,000 sentences"]
    assert 5 < len(browser.find_all("#list .row")) < 60
    browser.run("document.getElementById('list').scrollTop = 600000")
    browser.until(lambda: int(browser.texts("#list .row-number")[0]) > 9000)
    assert 5 < len(browser.find_all("#list .row")) < 60
    assert len(browser.find_all(".scatter circle")) < 49 * 49
    assert browser.run("return document.querySelectorAll('*').length") < 8000


@pytest.mark.parametrize("width", [360, 820, 1440])
def test_page_is_never_wider_than_the_window(
    browser: Browser, show: Show, page: str, width: int
) -> None:
    window = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    undo = {"width": 0, "height": 0, "deviceScaleFactor": 0, "mobile": False}
    with browser.emulating("setDeviceMetricsOverride", window, undo):
        show(page)
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_page_without_edits_loads_cleanly(browser: Browser, show: Show) -> None:
    results = without_edits(8)
    show(render(results))

    browser.choose("filter-system", "eager")
    output = results["sentences"]["systems"]["eager"]["output"][0]
    source = results["sentences"]["source"][0]
    assert browser.texts("#list .row-text")[0] == (output or source)


def test_page_of_one_system_loads_cleanly(browser: Browser, show: Show) -> None:
    show(render(with_one_system(8)))

    assert browser.texts("#count") == ["8 sentences"]
    sorts = ["sentence number", "score", "difference between metrics"]
    assert browser.texts("#sort option") == sorts


def test_study_loads_cleanly(browser: Browser, show: Show) -> None:
    show(render_study("A study", "Why.", [Section("one", "One", "Text.", (ODD,))]))

    assert browser.texts("h1") == ["A study"]
    assert browser.texts("tbody td:first-child") == [str(row[0]) for row in ODD.rows]
    browser.press("th:nth-child(3) button")
    numbers = sorted((row[2] for row in ODD.rows if isinstance(row[2], int)), reverse=True)
    assert browser.texts("tbody td:nth-child(3)") == [str(one).replace("-", "−") for one in numbers]
