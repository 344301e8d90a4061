"""The file that an unfinished study goes on from."""

from __future__ import annotations

from pathlib import Path

import pytest

from geceval.errors import FormatError, GecevalError
from geceval.metaeval import store as module
from geceval.metaeval.store import Kept, Line


class Record(Line):
    """A line with something in it."""

    text: str


def opened(path: Path) -> Kept[Record]:
    return Kept("toy", Record, {"gold": "1"}, {"m2": "beta:0.5"}, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two lines after the first."""
    path = tmp_path / "kept.jsonl"
    study = opened(path)
    study.add("m2", {"text": "a"})
    study.add("m2", {"text": "b"})
    return path


def test_kept_goes_on_from_its_lines(path: Path) -> None:
    assert [record["text"] for record in opened(path).records.values()] == ["a", "b"]


def test_kept_drops_a_last_line_that_was_cut_off(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    study = opened(path)
    assert list(study.records) == [2]
    study.add("m2", {"text": "b"})
    assert path.read_bytes() == whole


def test_kept_leaves_a_foreign_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "essay.txt"
    for text in ("An essay", "An essay\nwithout an end"):
        path.write_text(text)
        with pytest.raises(GecevalError, match="is not a file of an unfinished study"):
            opened(path)
        assert path.read_text() == text


@pytest.mark.parametrize("end", ["\n", ""])
def test_kept_reads_no_line_beyond_the_cap(
    path: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 1000)
    with path.open("a") as out:
        out.write("{" + " " * 1000 + end)
    before = path.read_bytes()
    with pytest.raises(FormatError, match=r"line 4: damaged .it has more than 1,000 bytes"):
        opened(path)
    assert path.read_bytes() == before


def test_kept_reads_no_file_beyond_the_cap(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WHOLE", 100)
    with pytest.raises(FormatError, match="more than the 100 bytes that are allowed"):
        opened(path)
