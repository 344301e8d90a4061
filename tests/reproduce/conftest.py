"""What the comparisons share: the pages that they fill, and a line that says how far it is."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reproduce.pages import Reproduction, read_seconds, write_seconds

REPRODUCTION = pytest.StashKey[Reproduction]()


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def name_of(item: pytest.Item) -> str:
    return f"{item.path.name}::{item.name}"


class Clock:
    """Time each test, and say before each how many are left and for how long."""

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self._plugins = config.pluginmanager
        self._expected = read_seconds(folder)
        self._items: list[str] = []
        self.seconds: list[tuple[str, float, float]] = []

    def left(self) -> str:
        """Estimate the time left from the last run and from the speed of this one."""
        if not self._expected:
            return "unknown time"
        usual = self._expected["all"] / max(1, len(self._expected) - 1)
        expected = [self._expected.get(name, usual) for name in self._items]
        done = sum(expected[: len(self.seconds)])
        pace = sum(wall for _, wall, _ in self.seconds) / done if done else 1.0
        return f"about {pace * sum(expected[len(self.seconds) :]) / 60:.0f} min"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._items = [name_of(item) for item in session.items]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        reporter = self._plugins.get_plugin("terminalreporter")
        assert reporter is not None
        reporter.ensure_newline()
        reporter.write_line(
            f"{len(self.seconds) + 1} of {len(self._items)}, {self.left()} left: {name_of(item)}"
        )
        wall, cpu = time.perf_counter(), cpu_seconds()
        result = yield
        self.seconds.append((name_of(item), time.perf_counter() - wall, cpu_seconds() - cpu))
        return result


def pytest_configure(config: pytest.Config) -> None:
    config.stash[REPRODUCTION] = Reproduction()
    folder = config.getoption("--reproduction")
    if folder is not None:
        config.pluginmanager.register(Clock(config, Path(folder)), "reproduction-clock")


@pytest.fixture(scope="session")
def reproduction(request: pytest.FixtureRequest) -> Reproduction:
    """What is compared, for the pages."""
    return request.config.stash[REPRODUCTION]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    folder = session.config.getoption("--reproduction")
    if folder is None:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    clock = session.config.pluginmanager.get_plugin("reproduction-clock")
    assert reporter is not None
    assert isinstance(clock, Clock)
    found = session.config.stash[REPRODUCTION]
    reporter.ensure_newline()
    if exitstatus != pytest.ExitCode.OK or (missing := found.missing()):
        why = "a test failed" if exitstatus else f"not compared: {', '.join(missing)}"
        reporter.write_line(f"no pages written to {folder}: {why}")
        session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED
        return
    found.write(Path(folder))
    write_seconds(Path(folder), clock.seconds)
    n_cells = sum(len(one.all_cells) for one in found.comparisons)
    n_equal = sum(one.n_equal for one in found.comparisons)
    reporter.write_line(
        f"{n_equal} of {n_cells} published cells agree in all digits; pages written to {folder}"
    )
