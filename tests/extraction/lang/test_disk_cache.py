from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from geceval.errors import GecevalError
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
    analyzer.close()
    again = StoredAnalyzer(second, tmp_path / "a" / "b")
    assert again.analyze([*SENTENCES, ("new",)])[:4] == expected
    assert second.asked == [("new",)]
    again.close()


def test_stored_models_are_kept_apart(tmp_path: Path) -> None:
    """Also when their names are no names of files."""
    for signature in ("model-1.0", "model-1.1", "../odd/name"):
        analyzer = Counting(signature)
        stored = StoredAnalyzer(analyzer, tmp_path)
        stored.analyze(SENTENCES)
        assert stored.signature == signature
        assert len(analyzer.asked) == 3
        stored.close()
    assert len(list(tmp_path.glob("*.sqlite"))) == 3


def test_stored_many_sentences(tmp_path: Path) -> None:
    sentences: list[Text] = [(f"w{number}",) for number in range(1201)]
    for n_asked in (1201, 0):
        analyzer = Counting()
        stored = StoredAnalyzer(analyzer, tmp_path)
        assert [analysis.tokens for analysis in stored.analyze(sentences)] == sentences
        assert len(analyzer.asked) == n_asked
        stored.close()


def test_stored_two_at_a_time(tmp_path: Path) -> None:
    one, two = StoredAnalyzer(Counting(), tmp_path), StoredAnalyzer(Counting(), tmp_path)
    assert one.analyze(SENTENCES) == two.analyze(SENTENCES)
    assert two.tokenize("a-b") == ("a", "b")
    one.close()
    two.close()


def test_stored_unusable_file(tmp_path: Path) -> None:
    stored = StoredAnalyzer(Counting(), tmp_path)
    stored.close()
    stored.path.write_bytes(b"no data base at all" * 100)
    with pytest.raises(GecevalError, match=r"the cache .* cannot be used: file is not a database"):
        StoredAnalyzer(Counting(), tmp_path)


def test_stored_damaged_value(tmp_path: Path) -> None:
    stored = StoredAnalyzer(Counting(), tmp_path)
    stored.analyze(SENTENCES)
    stored._base.execute("UPDATE analyses SET value = x'00'")
    with pytest.raises(GecevalError, match=r"cannot be used: .*remove it"):
        stored.analyze(SENTENCES)
    stored.close()


def test_stored_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GecevalError, match="cannot be used"):
        StoredAnalyzer(Counting(), tmp_path / "file")
