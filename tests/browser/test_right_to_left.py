"""Sentences written from right to left, and words of them in other sentences, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from browsing import Browser
from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.evaluation.resampling import Resampling
from geceval.metrics.maxmatch import M2
from geceval.report.collect import collect
from geceval.report.rendering import render

Show: TypeAlias = Callable[..., None]

ARABIC = Sentence(
    ("ذهبت", "الى", "المدرسه", "امس", "."),
    (Annotation("0", (Edit.replace(1, 2, "إلى"), Edit.replace(2, 3, "المدرسة"))),),
)
ENGLISH = Sentence(
    ("The", "word", "الكلمه", "mean", "שלום", "."),
    (Annotation("0", (Edit.replace(2, 3, "الكلمة"), Edit.replace(3, 4, "means"))),),
)


@pytest.fixture(scope="module")
def page() -> str:
    corpus = Corpus((ARABIC, ENGLISH))
    outputs = tuple(sent.corrected("0") or sent.tokens for sent in corpus)
    systems = [Hypothesis("A", outputs), Hypothesis("B", corpus.sources)]
    return render(collect(corpus, systems, [M2()], resampling=Resampling(50)))


def lefts(browser: Browser, selector: str) -> list[float]:
    """Return where elements begin on the screen."""
    found: list[float] = browser.run(
        "return [...document.querySelectorAll(arguments[0])]"
        ".map(element => element.getBoundingClientRect().left)",
        selector,
    )
    return found


def is_ordered(places: Sequence[float], *, rightmost_first: bool) -> bool:
    return len(set(places)) > 1 and list(places) == sorted(places, reverse=rightmost_first)


@pytest.mark.parametrize(("number", "is_arabic"), [(1, True), (2, False)])
def test_right_to_left_marks_follow_the_sentence(
    browser: Browser, show: Show, page: str, number: int, is_arabic: bool
) -> None:
    """Source and correction of an edit stand in the direction of their sentence."""
    edits = "#detail .reading:first-of-type .text .edit"
    # Wide enough for a sentence on one line, whatever other tests have left.
    size = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    with browser.emulating("setDeviceMetricsOverride", size, {**size, "width": 0, "height": 0}):
        show(page, f"#s{number}")
        browser.until(lambda: browser.texts("#detail h3") == [f"Sentence {number}"])
        assert is_ordered(lefts(browser, edits), rightmost_first=is_arabic)
        assert is_ordered(
            lefts(browser, f"{edits}:nth-of-type(1) :is(del, ins)"), rightmost_first=is_arabic
        )


def test_right_to_left_arrows_point_to_the_correction(
    browser: Browser, show: Show, page: str
) -> None:
    show(page)
    ordered: list[bool] = browser.run(
        """
        return [...document.querySelectorAll("#frequent .link")].map(link => {
          const text = link.firstChild;
          const at = text.data.indexOf("→");
          const left = (from, to) => {
            const range = document.createRange();
            range.setStart(text, from);
            range.setEnd(text, to);
            return range.getBoundingClientRect().left;
          };
          const places = [left(0, at - 1), left(at, at + 1), left(at + 2, text.length)];
          return places[0] < places[1] && places[1] < places[2];
        });
        """
    )
    assert ordered == [True] * 4
