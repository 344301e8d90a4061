"""The pages of the server in a real browser: paste, upload, follow, submit, compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from browsing import Browser
from serving import FAIR, GOLD, GOOD, RunningServer, new_database, running_server, write

HOSTILE = "<script>window.hacked = 1</script>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running_server(new_database(tmp_path_factory.mktemp("pages"))) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, server: RunningServer) -> Callable[[str], None]:
    def open_page(path: str) -> None:
        browser.driver.get(f"{server.url}{path}")

    return open_page


def fill(browser: Browser, selector: str, text: str) -> None:
    """Replace the text of a field, as typing does."""
    browser.run(
        "arguments[0].value = arguments[1];"
        "arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
        browser.find(selector),
        text,
    )


def test_edits_appear_as_one_types(browser: Browser, visit: Callable[[str], None]) -> None:
    visit("/")
    browser.until(lambda: browser.texts("#edits li code") == ["R:VERB:SVA", "R:NOUN:NUM"])
    fill(browser, "#source", "He like it .")
    fill(browser, ".correction", "He likes it .")
    browser.until(lambda: browser.texts("#edits li code") == ["R:VERB:SVA"])
    assert "Subject and verb do not agree" in browser.texts("#edits li")[0]
    assert browser.texts("#alignment tbody tr")[1].startswith("likelikessubstitution")
    fill(browser, "#reference", "He loves it .")
    browser.until(lambda: browser.texts("#scores .sentence .edit.missed"))
    assert "MaxMatch (M²)" in browser.texts("#scores td")
    fill(browser, ".correction", "two\nlines")
    browser.until(lambda: "2" in browser.texts("#problem")[0])
    # The browser, too, says that the server refused it.
    assert all("422" in complaint for complaint in browser.complaints())


def test_text_is_never_taken_for_markup(browser: Browser, visit: Callable[[str], None]) -> None:
    visit("/")
    browser.until(lambda: browser.texts("#edits li"))
    fill(browser, "#source", f"a {HOSTILE} <img src=x onerror=hacked()>")
    fill(browser, ".correction", f"b {HOSTILE} <b>")
    browser.until(lambda: any("img" in text for text in browser.texts("#edits .sentence")))
    assert browser.run("return window.hacked") is None
    assert browser.find_all("#edits img, #edits b, #edits script") == []


def test_files_are_checked_scored_and_reported(
    browser: Browser, visit: Callable[[str], None], tmp_path: Path
) -> None:
    visit("/score")
    gold = write(tmp_path, "gold.m2", GOLD + f"S {HOSTILE} .\n\n")
    output = write(tmp_path, "<img src=x onerror=hacked()>.txt", GOOD + f"{HOSTILE} .\n")
    browser.find("#gold").send_keys(str(gold))
    browser.find("#outputs").send_keys(str(output))
    browser.press("#files button")
    browser.until(lambda: browser.find("#checked").is_displayed())
    assert "Nothing here would make the scores wrong" in browser.find("#findings").text
    browser.until(lambda: browser.find_all("#metrics input"))
    for box in browser.find_all("#metrics input:checked"):
        if box.get_attribute("value") != "m2":
            browser.press(box)
    browser.press("#scoring button")
    browser.until(lambda: "/reports/" in browser.driver.current_url)
    browser.until(lambda: browser.find_all("main"))
    assert "onerror=hacked" in browser.find("main").text
    assert browser.run("return window.hacked") is None
    visit("/score")
    browser.until(lambda: browser.find_all("#reports a"))


def test_wrong_files_are_not_scored(
    browser: Browser, visit: Callable[[str], None], tmp_path: Path
) -> None:
    visit("/score")
    browser.find("#gold").send_keys(str(write(tmp_path, "gold.m2", GOLD)))
    browser.find("#outputs").send_keys(str(write(tmp_path, "short.txt", "one line\n")))
    browser.press("#files button")
    browser.until(lambda: browser.find("#checked").is_displayed())
    assert "scores would be wrong" in browser.find("#findings").text
    assert not browser.find("#scoring").is_displayed()


CLIPPED = """
return [...document.querySelectorAll("form, select")]
  .filter((one) => one.scrollHeight > one.clientHeight + 1)
  .map((one) => one.id || one.name);
"""
"""Forms and choices of which only a part can be seen."""


def test_a_task_is_created_and_submissions_are_compared(
    browser: Browser, visit: Callable[[str], None], tmp_path: Path
) -> None:
    visit("/board")
    browser.until(lambda: browser.find_all("#metrics input"))
    browser.press("details summary")
    assert browser.run(CLIPPED) == []
    for name, value in (("name", "autumn"), ("title", f"Autumn {HOSTILE}")):
        browser.find(f"#new-task [name={name}]").send_keys(value)
    gold = write(tmp_path, "gold.m2", GOLD)
    browser.find("#new-task [name=gold]").send_keys(str(gold))
    for box in browser.find_all("#metrics input:checked"):
        if box.get_attribute("value") != "m2":
            browser.press(box)
    browser.press("#new-task button")
    browser.until(lambda: any("hidden" in text for text in browser.texts("#tasks tr")))
    browser.until(lambda: not any("validated" in text for text in browser.texts("#tasks tr")))
    visit("/board/autumn")
    browser.until(lambda: browser.texts("h1") == [f"Autumn {HOSTILE}"])
    assert browser.run(CLIPPED) == []
    for name, text in (("good", GOOD), ("fair", FAIR)):
        browser.find("#submit [name=system]").send_keys(name)
        browser.find("#submit [name=output]").send_keys(str(write(tmp_path, f"{name}.txt", text)))
        browser.press("#submit button")
        browser.until(partial(on_board, browser, name))
    for box in browser.find_all("#board input"):
        browser.press(box)
    browser.until(lambda: browser.texts("#comparison tbody td"))
    assert browser.texts("#comparison th")[1:3] == ["good", "fair"]
    assert browser.run("return window.hacked") is None


def on_board(browser: Browser, name: str) -> bool:
    return name in " ".join(browser.texts("#board td"))


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_pages_fit_the_window(browser: Browser, visit: Callable[[str], None], width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    with browser.emulating("setDeviceMetricsOverride", size, {**size, "width": 0, "height": 0}):
        for path in ("/", "/score", "/board", "/api"):
            visit(path)
            browser.until(lambda: browser.find_all("main"))
            wide = browser.run("return document.documentElement.scrollWidth")
            assert wide <= width, path
            assert browser.run(CLIPPED) == [], path
