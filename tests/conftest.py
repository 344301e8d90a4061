"""Fixtures and settings that all tests share."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from geceval.storage.folders import cache_folder

settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("dev"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--run-reproduce",
        action="store_true",
        help="run the slow comparisons with published numbers",
    )
    parser.addoption(
        "--reproduction",
        metavar="DIR",
        help="with --run-reproduce: write the comparisons to DIR, as Markdown and PNG",
    )


def pytest_configure(config: pytest.Config) -> None:
    # The width of whoever runs the tests must not change what commands print in them.
    os.environ.pop("COLUMNS", None)
    # Hundreds of processes are started, each of which would compile all that it imports.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # What a shell starts in the background ignores Ctrl-C, and so would all that tests interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _keep_out_of_the_users_cache(config)
    # A full collection takes up to a second, for the tests themselves are millions of objects.
    gc.set_threshold(*gc.get_threshold()[:2], 500)
    config.addinivalue_line("markers", "reproduce: slow, runs with --run-reproduce only")


def _keep_out_of_the_users_cache(config: pytest.Config) -> None:
    """Give all tests, and all processes that they start, a cache folder for this run.

    What is installed in the user's, LanguageTool, is seen from there.
    """
    if hasattr(config, "workerinput"):
        return  # The process that started this one has seen to it.
    folder = tempfile.TemporaryDirectory(prefix="geceval-tests-")
    config.add_cleanup(folder.cleanup)
    installed = cache_folder() / "languagetool"
    if installed.is_dir():
        (Path(folder.name) / "languagetool").symlink_to(installed)
    os.environ["GECEVAL_CACHE"] = folder.name


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--run-reproduce"):
        if find_shared_data() is None:
            raise pytest.UsageError(
                "the published data were not found: set GECEVAL_DATA to the folder with conll14, "
                "jfleg, maege and seeda"
            )
        return
    slow = [item for item in items if item.get_closest_marker("reproduce")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


def find_shared_data() -> Path | None:
    """Return the folder with the published data sets, which are not part of the repository."""
    root = Path(__file__).resolve().parents[1]
    named = os.environ.get("GECEVAL_DATA")
    folder = Path(named) if named else root.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with CoNLL-2014, JFLEG and SEEDA; the test is skipped where there is none."""
    folder = find_shared_data()
    if folder is None:
        pytest.skip("shared data not found: set GECEVAL_DATA to run this test")
    return folder
