"""LanguageTool as a checker, with servers that fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fake_languagetool import FakeLanguageTool
from geceval.errors import GecevalError
from geceval.grammar import IgnoredRules, get_checker, get_ignored_rules
from geceval.grammar.languagetool import batching as joined
from geceval.grammar.languagetool import checker as module
from geceval.grammar.languagetool.checker import LanguageTool
from geceval.grammar.languagetool.client import RejectedError, ServerUnavailableError

TEXTS = [f"Text {number} is {'bad ' * (number % 4)}indeed." for number in range(300)]
COUNTS = [number % 4 for number in range(300)]


def counts(checker: LanguageTool, texts: list[str] = TEXTS) -> list[int]:
    return [len(problems) for problems in checker.check(texts)]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined, "LARGEST_BATCH", 300)


@pytest.fixture
def second() -> Iterator[FakeLanguageTool]:
    server = FakeLanguageTool().start()
    yield server
    server.stop()


@pytest.fixture
def own(
    fake: FakeLanguageTool, second: FakeLanguageTool, monkeypatch: pytest.MonkeyPatch
) -> FakeLanguageTool:
    """The first of two servers that stand for our own; the other one takes its place."""
    monkeypatch.setattr(module, "_find_or_start", lambda _: fake.url)
    monkeypatch.setattr(module, "_start", lambda _: second.url)
    return fake


def test_languagetool_counts_in_order(fake: FakeLanguageTool) -> None:
    assert counts(LanguageTool(url=fake.url)) == COUNTS
    assert len(fake.forms) < len(TEXTS) / 2
    assert len(fake.sockets) <= module.DEFAULT_JOBS


def test_languagetool_asks_nothing_about_nothing(fake: FakeLanguageTool) -> None:
    assert LanguageTool(url=fake.url).check(["", " "]) == [[], []]
    assert fake.paths == []


def test_languagetool_sends_what_is_left_out(fake: FakeLanguageTool) -> None:
    ignored = get_ignored_rules("languagetool")
    LanguageTool(url=fake.url, lang="en-GB").check(["A bad thing."])
    sent = fake.forms[0]
    assert sent["language"] == "en-GB"
    assert set(sent["disabledRules"].split(",")) == ignored.rules
    assert set(sent["disabledCategories"].split(",")) == ignored.categories


def test_languagetool_sends_other_languages_one_by_one(fake: FakeLanguageTool) -> None:
    assert counts(LanguageTool(url=fake.url, lang="de-DE"), TEXTS[:20]) == COUNTS[:20]
    assert [form["mode"] for form in fake.forms] == ["all"] * 20


def test_languagetool_with_rules_that_see_others_sends_one_by_one(fake: FakeLanguageTool) -> None:
    checker = LanguageTool(url=fake.url, ignored=IgnoredRules("nothing"))
    assert counts(checker, TEXTS[:20]) == COUNTS[:20]
    assert [form["mode"] for form in fake.forms] == ["all"] * 20
    assert "disabledRules" not in fake.forms[0]


def test_languagetool_worker_count_changes_nothing(fake: FakeLanguageTool) -> None:
    one = LanguageTool(url=fake.url, jobs=1).check(TEXTS)
    assert LanguageTool(url=fake.url, jobs=7).check(TEXTS) == one


@pytest.mark.parametrize("dies_after", [0, 1, 5, 20])
def test_languagetool_that_dies_is_replaced_once(
    own: FakeLanguageTool, second: FakeLanguageTool, dies_after: int
) -> None:
    own.dies_after = dies_after
    told: list[str] = []
    assert counts(LanguageTool(notify=told.append)) == COUNTS
    assert second.forms
    assert told.count("LanguageTool crashed; restarting it") == 1
    assert told[-1] == "checked 300 of 300 sentences"


def test_languagetool_that_dies_twice_is_given_up(
    own: FakeLanguageTool, second: FakeLanguageTool
) -> None:
    own.dies_after = 3
    second.dies_after = 3
    with pytest.raises(GecevalError, match="LanguageTool crashed again after a restart"):
        LanguageTool().check(TEXTS)


def test_languagetool_that_hangs_is_replaced(own: FakeLanguageTool) -> None:
    own.delay = 1.5
    assert counts(LanguageTool(timeout=0.2)) == COUNTS


def test_languagetool_of_others_is_not_replaced(fake: FakeLanguageTool) -> None:
    fake.dies_after = 3
    with pytest.raises(ServerUnavailableError, match="cannot be reached"):
        LanguageTool(url=fake.url).check(TEXTS)


def test_languagetool_with_a_limit_is_asked_in_smaller_pieces(fake: FakeLanguageTool) -> None:
    fake.longest = 100
    assert counts(LanguageTool(url=fake.url)) == COUNTS
    fake.longest = 10
    with pytest.raises(RejectedError, match=r"responded with 413.*for the sentence 'Text "):
        LanguageTool(url=fake.url).check(TEXTS)


@pytest.mark.usefixtures("fake_jars")
def test_languagetool_identity_names_all_that_matters(fake: FakeLanguageTool) -> None:
    label = get_ignored_rules("languagetool").label
    own = get_checker("languagetool")
    assert own.identity == f"languagetool 6.8 en-US {label}"
    given = get_checker("languagetool", url=fake.url, lang="en-GB", raw_tokens=True)
    label = get_ignored_rules("languagetool", raw_tokens=True).label
    assert given.identity == f"languagetool 6.8 en-GB {label} {fake.url}"
    assert fake.forms == []


@pytest.mark.usefixtures("home")
def test_languagetool_without_java_or_jars_says_so() -> None:
    checker = LanguageTool()
    with pytest.raises(
        GecevalError, match=r"LanguageTool 6\.8 is not installed; run 'geceval langu"
    ):
        checker.version  # noqa: B018
    with pytest.raises(GecevalError, match="needs Java 17 or newer, but 'java' was not found"):
        checker.check(["A bad thing."])


def interrupt_when_busy(server: FakeLanguageTool) -> None:
    """Press Ctrl-C as soon as all workers wait for answers."""

    def interrupt() -> None:
        while len(server.forms) < module.DEFAULT_JOBS:
            time.sleep(0.01)
        main = threading.main_thread().ident
        assert main is not None
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()


def test_languagetool_is_interrupted_while_requests_are_in_flight(fake: FakeLanguageTool) -> None:
    """Nobody waits for the answers, and the checker can be used again."""
    fake.delay = 30
    checker = LanguageTool(url=fake.url)

    interrupt_when_busy(fake)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        checker.check(TEXTS)
    assert time.monotonic() - start < 5
    fake.delay = 0
    assert counts(checker) == COUNTS


def test_languagetool_that_is_interrupted_starts_no_server(own: FakeLanguageTool) -> None:
    """The connections that are cut are not taken for a server that died."""
    own.delay = 30
    checker = LanguageTool()

    interrupt_when_busy(own)
    with pytest.raises(KeyboardInterrupt):
        checker.check(TEXTS)
    own.delay = 0
    assert counts(checker) == COUNTS
    assert not checker._was_replaced


def scoring(server: FakeLanguageTool, folder: Path) -> subprocess.Popen[str]:
    """Start to score a system in a process of its own, with a cache that cannot be used."""
    (folder / "ours.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    (folder / "cache").write_text("no folder")
    options = ("-m", f"grammar(checker=languagetool, url={server.url})")
    files = ("--src", "ours.txt", "--ref", "ours.txt", "ours.txt")
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "geceval", "score", *options, *files, "--resamples", "0"],
        cwd=folder,
        env={**os.environ, "GECEVAL_CACHE": str(folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_languagetool_ends_within_a_second_of_ctrl_c(
    fake: FakeLanguageTool, tmp_path: Path
) -> None:
    fake.delay = 30
    with scoring(fake, tmp_path) as process:
        while not fake.forms:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        took = time.monotonic() - start
    assert process.returncode == 130
    assert "Aborted!" in errors
    assert took < 1


def test_languagetool_cache_that_cannot_be_used_is_one_line(
    fake: FakeLanguageTool, tmp_path: Path
) -> None:
    with scoring(fake, tmp_path) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    (warned,) = (line for line in errors.splitlines() if "is not used" in line)
    assert warned.startswith("Warning: the cache ")
    assert "warnings.warn" not in errors
