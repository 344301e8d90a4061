"""How long a page of 12 systems, 3 metrics and 20,000 sentences takes to open and to answer.

Times are those of the browser, from an action until what it shows is on the screen. The median of
each is to stay under 150 ms, and opening under 2 s; on a machine whose browser takes longer than
`LOOP_MS` for the loop below, so much longer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count, cycle, islice
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import pytest

from geceval import Corpus, Hypothesis
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.report.collect import collect
from geceval.report.rendering import render
from geceval.report.results import Results

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from browsing import Browser, start_browser

Value = TypeVar("Value")

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
    "search": "set('search', ['sister', 'student', 'oops', 'the'][round % 4], 'input')",
    "filter by system": "pick('filter-system')",
    "filter by type": "pick('filter-type')",
    "filter by outcome": "pick('filter-outcome')",
    "sort by score": "set('sort', ['number', 'score'][round % 2])",
    "sort by two systems": "set('sort', ['number', 'systems'][round % 2])",
    "sort by two metrics": "set('sort', ['number', 'metrics'][round % 2])",
    "scroll": "list.scrollTop = 10000 * (1 + round)",
    "open a sentence": "list.querySelectorAll('.row')[3 + round % 3].click()",
    "A versus B: system": "pick('versus-b')",
    "A versus B: metric": "pick('versus-metric')",
    "A versus B: swap": "document.getElementById('versus-swap').click()",
    "A versus B: type": "pressOne('.type-filter button')",
    "cell of the matrix": "pressOne('#matrix td button')",
    "cell of the heat map": "pressOne('#types-map td button')",
    "baseline of the heat map": "pick('types-baseline')",
    "frequent edit": "pressOne('#frequent-tables td button')",
    "theme": "document.getElementById('theme').click()",
}
"""What people do, as a script."""

TIMED = """
const [round, done] = arguments;
const list = document.getElementById('list');
const set = (id, value, event = 'change') => {
  document.getElementById(id).value = value;
  document.getElementById(id).dispatchEvent(new Event(event));
};
const pick = (id) => {
  const { options } = document.getElementById(id);
  set(id, options[round % options.length].value);
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


def repeat_sentences(results: Results) -> None:
    """Make as many sentences as there are to be; the scores remain those of the few."""

    def more(values: list[Value]) -> list[Value]:
        return list(islice(cycle(values), SENTENCES))

    sentences: Any = results["sentences"]
    few = len(sentences["source"])
    for record in (sentences, *sentences["systems"].values()):
        for field, value in record.items():
            if isinstance(value, list) and len(value) == few:
                record[field] = more(value)
    for system in results["sentences"]["systems"].values():
        system["scores"] = {metric: more(own) for metric, own in system["scores"].items()}


@pytest.fixture(scope="module")
def large_page(
    two_annotators: Corpus, systems: list[Hypothesis], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    named = [Hypothesis(f"s{place:02}", one.sentences) for place, one in enumerate(systems)]
    metrics = [M2(), Errant(lang="plain"), *make_metrics(["gleu"], {})]
    results = collect(two_annotators, named, metrics, resampling=Resampling(100))
    repeat_sentences(results)
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render(results), encoding="utf-8")
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

    where = "versus" if action.startswith("A versus B") else "top"
    browser.run("document.getElementById(arguments[0]).scrollIntoView()", where)
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
