"""Answers on disk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from geceval.errors import GecevalError, GecevalWarning
from geceval.grammar.base import Problem
from geceval.grammar.cache import CachedChecker, answer_cache
from geceval.storage.folders import cache_folder

ODD = "odd 😀 \udc80 text"


class Counting:
    """Objects to the first character of each text, and remembers what it was asked."""

    name = "counting"

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.asked: list[str] = []

    @property
    def identity(self) -> str:
        return f"{self.name} {self.version}"

    def check(self, texts: Sequence[str]) -> list[list[Problem]]:
        self.asked += texts
        return [[Problem("FIRST", 0, 1, f"“{text[0]}”")] for text in texts]


def test_cache_asks_once_for_each_text(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.sqlite"
    checker = Counting()
    first = CachedChecker(checker, answer_cache(path)).check(["a", "b", " ", "a", ODD])
    assert checker.asked == ["a", "b", ODD]
    again = CachedChecker(Counting(), answer_cache(path))
    assert again.check([ODD, "a", "b", " ", "a"]) == [first[4], *first[:4]]
    assert again._checker.asked == []  # type: ignore[attr-defined]
    assert first[0] == [Problem("FIRST", 0, 1, "“a”")]
    assert first[2] == []


def test_cache_holds_for_one_version_only(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    CachedChecker(Counting("1"), answer_cache(path)).check(["a"])
    newer = Counting("2")
    cached = CachedChecker(newer, answer_cache(path))
    cached.check(["a"])
    assert newer.asked == ["a"]
    assert (cached.name, cached.version, cached.identity) == ("counting", "2", "counting 2")


def test_cache_keeps_what_was_checked_before_an_interruption(tmp_path: Path) -> None:
    class Breaking(Counting):
        def check(self, texts: Sequence[str]) -> list[list[Problem]]:
            if self.asked:
                raise GecevalError("gone")
            return super().check(texts)

    texts = [f"text {number}" for number in range(1200)]
    with pytest.raises(GecevalError, match="gone"):
        CachedChecker(Breaking(), answer_cache(tmp_path / "c")).check(texts)
    rest = Counting()
    assert len(CachedChecker(rest, answer_cache(tmp_path / "c")).check(texts)) == 1200
    assert rest.asked == texts[500:]


@pytest.mark.parametrize("content", [b"this is no database at all" * 100, b"SQLite format 3\0bad"])
def test_cache_that_cannot_be_read_is_not_used(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(content)
    checker = Counting()
    with pytest.warns(GecevalWarning, match="is not used"):
        found = CachedChecker(checker, answer_cache(path)).check(["a"])
    assert len(found[0]) == len(checker.asked) == 1


def test_cache_in_a_folder_that_cannot_be_made_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(GecevalWarning, match="is not used"):
        found = CachedChecker(Counting(), answer_cache(tmp_path / "file" / "c")).check(["a"])
    assert len(found[0]) == 1


def test_cache_is_shared_by_processes(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    code = (
        "import sys; from pathlib import Path; from geceval.grammar.base import Problem\n"
        "from geceval.grammar.cache import answer_cache\n"
        "cache = answer_cache(Path(sys.argv[1]))\n"
        "for i in range(30): cache.put({f'{sys.argv[2]} {i}'.encode(): [Problem('R', i, i, '')]})\n"
    )
    running = [
        subprocess.Popen(  # noqa: S603
            [sys.executable, "-W", "error", "-c", code, str(path), str(number)]
        )
        for number in range(3)
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    keys = [f"{number} {i}".encode() for number in range(3) for i in range(30)]
    found = answer_cache(path).get(keys)
    assert set(found) == set(keys)
    assert found[b"2 7"] == [Problem("R", 7, 7, "")]


def test_cache_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GECEVAL_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("GECEVAL_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "geceval"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "geceval"


def test_cache_folder_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("GECEVAL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache_folder().is_dir()
    assert cache_folder() == cache_folder()
    assert cache_folder().stat().st_mode & 0o077 == 0


def test_cache_in_a_folder_that_may_not_be_looked_into_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(self: Path, **_: object) -> bool:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "exists", forbidden)
    with pytest.warns(GecevalWarning, match="is not used: .*Permission denied"):
        assert answer_cache(tmp_path / "answers.sqlite").get([b"key"]) == {}
