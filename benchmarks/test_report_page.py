"""How long the page of a report takes to open and to answer, with 20,000 sentences.

Times are those of the browser, from an action until what it shows is on the screen. The median of
each is to stay under 150 ms, and opening under 2 s; on a machine whose browser takes longer than
`LOOP_MS` for the loop below, so much longer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from geceval.report.rendering import render

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from browsing import Browser, start_browser
from report_examples import example_results

SENTENCES = 20_000
LIMIT = 150
OPEN_LIMIT = 2000

LOOP_MS = 60
LOOP = """
let best = Infinity;
let total = 0;
for (let round = 0; round < 6; round++) {
  const start = performance.now();
  for (let number = 0; number < 1e7; number++) total += number % 7;
  best = Math.min(best, performance.now() - start);
}
return total && best;
"""
"""The best of several rounds: the first ones are slow until the loop is compiled."""

ACTIONS = {
    "search": "set('search', ['sister', 'music', 'oops', 'the'][round % 4], 'input')",
    "filter by system": "set('filter-system', ['careful', 'eager'][round % 2])",
    "filter by type": "set('filter-type', round % 4)",
    "filter by outcome": "set('filter-outcome', round % 4)",
    "sort by score": "set('sort', ['number', 'score'][round % 2])",
    "sort by two systems": "set('sort', ['number', 'systems'][round % 2])",
    "sort by two metrics": "set('sort', ['number', 'metrics'][round % 2])",
    "scroll": "list.scrollTop = 10000 * (1 + round)",
    "open a sentence": "list.querySelectorAll('.row')[3 + round % 3].click()",
    "A versus B": "set('versus-b', ['eager', 'unchanged'][round % 2])",
    "cell of the heat-map": "pressOne('#types-map td button')",
    "frequent edit": "pressOne('#frequent-tables td button')",
}
"""What people do, as a script."""

TIMED = """
const [round, done] = arguments;
const list = document.getElementById('list');
const set = (id, value, event = 'change') => {
  document.getElementById(id).value = value;
  document.getElementById(id).dispatchEvent(new Event(event));
};
const pressOne = (selector) => {
  const all = document.querySelectorAll(selector);
  all[round % all.length].click();
};
const start = performance.now();
// The frame after the next comes when this one is on the screen.
const finish = () => requestAnimationFrame(() => requestAnimationFrame(
  () => done(performance.now() - start)));
// Search waits for people to stop typing.
if (WAITS) list.addEventListener('drawn', finish, {once: true});
else finish();
ACTION;
"""


@pytest.fixture(scope="module")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render(example_results(SENTENCES)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(large_page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    browser = start_browser(tmp_path_factory.mktemp("profile"))
    browser.open(large_page)
    yield browser
    browser.driver.quit()


@pytest.mark.parametrize("action", ACTIONS)
def test_answer(
    benchmark: Any, browser: Browser, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    waits = str(action == "search").lower()
    script = TIMED.replace("WAITS", waits).replace("ACTION", ACTIONS[action])
    times: list[float] = []
    rounds = count()

    def act() -> None:
        times.append(browser.driver.execute_async_script(script, next(rounds)))

    browser.run("scrollTo(0, 0)")
    loop = browser.run(LOOP)
    benchmark.pedantic(act, rounds=8)
    loop = min(loop, browser.run(LOOP))
    middle = median(times)
    with capsys.disabled():
        print(f"\n{action}: {middle:.0f} ms, at most {max(times):.0f} ms; loop {loop:.0f} ms")
    assert middle < LIMIT * max(1, loop / LOOP_MS)


def test_open(
    benchmark: Any, browser: Browser, large_page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Until the list of sentences is there."""
    benchmark.pedantic(browser.open, args=(large_page,), rounds=3)
    times = browser.run("return performance.getEntriesByType('navigation')[0].toJSON()")
    loaded = browser.run("return performance.getEntriesByName('loaded')[0].startTime")
    loop = browser.run(LOOP)
    size = large_page.stat().st_size / 1e6
    first = times["loadEventEnd"]
    with capsys.disabled():
        print(f"\n{size:.1f} MB open after {first:.0f} ms, sentences after {loaded:.0f} ms")
    assert loaded < OPEN_LIMIT * max(1, loop / LOOP_MS)
