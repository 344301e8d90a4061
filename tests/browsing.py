"""A real browser, Debian's Chromium, and what people do in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from requirements import skip_or_fail

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

PATIENCE = 20
"""Seconds after which something that takes a blink will never happen."""

CSS = "css selector"


class Browser:
    """A browser with a page in it; elements are found by CSS selectors."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def open(self, path: Path, anchor: str = "") -> None:
        """Open a page from disk, anew even where only the anchor differs."""
        self.driver.get("about:blank")
        self.driver.get(f"{path.as_uri()}{anchor}")
        # The sentences of a report are decoded after the first screen is shown.
        self.until(
            lambda: self.run(
                "return !document.getElementById('packed-0')"
                " || document.documentElement.dataset.loaded === 'yes'"
            )
        )

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(CSS, selector)

    def find_all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(CSS, selector)

    def texts(self, selector: str) -> list[str]:
        """Return the text of elements, whether or not they are in view."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())",
            selector,
        )
        return found

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, element: WebElement | str) -> None:
        """Bring an element into the middle of the window, away from the bar, and click on it."""
        target = self.find(element) if isinstance(element, str) else element
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", target)
        target.click()

    def choose(self, name: str, value: str) -> None:
        from selenium.webdriver.support.ui import Select

        Select(self.find(f"#{name}")).select_by_value(value)

    def focus(self, element: WebElement | str) -> None:
        target = self.find(element) if isinstance(element, str) else element
        self.run("arguments[0].focus()", target)

    def type(self, *keys: str) -> None:
        """Press keys, by their names, where the focus is."""
        from selenium.webdriver import ActionChains, Keys

        ActionChains(self.driver).send_keys(*(getattr(Keys, key) for key in keys)).perform()

    def until(self, condition: Callable[[], Any]) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(lambda _: condition())

    def complaints(self) -> list[str]:
        """Return, once, what was written to the console."""
        entries: list[dict[str, Any]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries]

    @contextmanager
    def emulating(
        self, command: str, settings: dict[str, Any], undo: dict[str, Any]
    ) -> Iterator[None]:
        """Pretend, for a while, that window or system are others."""
        self.driver.execute_cdp_cmd(f"Emulation.{command}", settings)
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd(f"Emulation.{command}", undo)


def start_browser(profile: Path, flags: Sequence[str] = ()) -> Browser:
    """Start Chromium without a window; the test skips, or fails, where there is none."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        missing = "chromium" if program is None else "chromedriver"
        skip_or_fail("chromium", f"no {missing} on the path (Debian: apt install chromium-driver)")
    options = ChromeOptions()
    options.binary_location = program
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--force-prefers-reduced-motion",
        "--window-size=1280,900",
        f"--user-data-dir={profile}",
        *flags,
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # With the paths of both given, selenium looks for nothing and downloads nothing.
    return Browser(Chrome(options=options, service=ChromeService(executable_path=driver)))
