"""A browser for the tests of pages; see ``browsing.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browsing import Browser, start_browser


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests; use `browser`, which listens to what it complains about."""
    browser = start_browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.driver.quit()


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """The browser; whatever it complains about (errors, breaches of the policy) fails the test."""
    chromium.complaints()
    yield chromium
    complaints = chromium.complaints()
    chromium.driver.get("about:blank")
    assert complaints == []


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Callable[..., None]:
    """Show a page, opened from disk."""

    def open_page(html: str, anchor: str = "") -> None:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        browser.open(path, anchor)

    return open_page
