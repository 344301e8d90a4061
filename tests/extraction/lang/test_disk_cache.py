from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from geceval.errors import GecevalWarning
from geceval.extraction.lang.analysis import Analysis, Text, tokens_of
from geceval.extraction.lang.disk_cache import StoredAnalyzer
from geceval.model import Tokens


class Counting:
    """An analyzer that remembers what it was asked."""

    kind = "counting"

    def __init__(self, signature: str = "model-1.0") -> None:
        self.signature = signature
        self.asked: list[Text] = []

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        self.asked += sentences
        return [
            Analysis(
                sentence,
                tuple(f"T{len(word)}" for word in sentence),
                ("NOUN",) * len(sentence),
                tuple(word.lower() for word in sentence),
                tuple(range(len(sentence))),
                ("dep",) * len(sentence),
            )
            for sentence in map(tokens_of, sentences)
        ]

    def tokenize(self, text: str) -> Tokens:
        return tuple(text.split("-"))


SENTENCES: list[Text] = [("A", "cat"), (), ("Ünïcode", "😀", "\ud800"), ("A", "cat")]


def test_stored_analyses_outlive_the_analyzer(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    expected = Counting().analyze(SENTENCES)
    analyzer = StoredAnalyzer(first, tmp_path / "a" / "b")
    assert analyzer.analyze(SENTENCES) == expected
    assert first.asked == SENTENCES[:3]
    again = StoredAnalyzer(second, tmp_path / "a" / "b")
    assert again.analyze([*SENTENCES, ("new",)])[:4] == expected
    assert second.asked == [("new",)]


def test_stored_models_are_kept_apart(tmp_path: Path) -> None:
    """Also when their names are no names of files."""
    for signature in ("model-1.0", "model-1.1", "../odd/name"):
        analyzer = Counting(signature)
        stored = StoredAnalyzer(analyzer, tmp_path)
        stored.analyze(SENTENCES)
        assert stored.signature == signature
        assert len(analyzer.asked) == 3
    assert len(list(tmp_path.glob("*.sqlite"))) == 3


def test_stored_many_sentences(tmp_path: Path) -> None:
    sentences: list[Text] = [(f"w{number}",) for number in range(1201)]
    for n_asked in (1201, 0):
        analyzer = Counting()
        stored = StoredAnalyzer(analyzer, tmp_path)
        assert [analysis.tokens for analysis in stored.analyze(sentences)] == sentences
        assert len(analyzer.asked) == n_asked


def test_stored_two_at_a_time(tmp_path: Path) -> None:
    one, two = StoredAnalyzer(Counting(), tmp_path), StoredAnalyzer(Counting(), tmp_path)
    assert one.analyze(SENTENCES) == two.analyze(SENTENCES)
    assert two.tokenize("a-b") == ("a", "b")


def unusable_file(folder: Path) -> None:
    path = StoredAnalyzer(Counting(), folder).cache.path
    path.parent.mkdir()
    path.write_bytes(b"no data base at all" * 100)


def damaged_value(folder: Path) -> None:
    stored = StoredAnalyzer(Counting(), folder)
    stored.analyze(SENTENCES)
    with closing(sqlite3.connect(stored.cache.path)) as base, base:
        base.execute("UPDATE cache SET value = x'00'")


def file_in_the_way(folder: Path) -> None:
    folder.touch()


@pytest.mark.parametrize("spoil", [unusable_file, damaged_value, file_in_the_way])
def test_stored_cache_that_cannot_be_used_is_one_warning(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    folder = tmp_path / "cache"
    spoil(folder)
    counting = Counting()
    stored = StoredAnalyzer(counting, folder)
    with pytest.warns(GecevalWarning, match=r"the cache .* is not used: ") as warned:
        found = [stored.analyze(SENTENCES) for _ in range(3)]
    assert found == [Counting().analyze(SENTENCES)] * 3
    assert len(warned) == 1
    assert len(counting.asked) == 9
