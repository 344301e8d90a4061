"""Resumable files of studies."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from geceval.errors import FormatError, GecevalError
from geceval.metaeval import store as module
from geceval.metaeval.store import StudyStore


def opened(path: Path) -> StudyStore[str]:
    return StudyStore("toy", str, {"gold": "1"}, {"m2": "beta:0.5"}, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two lines after the first."""
    path = tmp_path / "results.jsonl"
    study = opened(path)
    study.add("m2", 1, "a")
    study.add("m2", 2, "b")
    return path


def test_results_are_restored(path: Path) -> None:
    study = opened(path)
    assert [study["m2", part] for part in (1, 2)] == ["a", "b"]


def test_store_drops_a_last_line_that_was_cut_off(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    study = opened(path)
    assert study.n_restored == 1
    assert ("m2", 2) not in study
    study.add("m2", 2, "b")
    assert path.read_bytes() == whole


def test_store_leaves_a_foreign_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "essay.txt"
    for text in ("An essay", "An essay\nwithout an end"):
        path.write_text(text)
        with pytest.raises(GecevalError, match="is not a file of an unfinished study"):
            opened(path)
        assert path.read_text() == text


@pytest.mark.parametrize("end", ["\n", ""])
def test_store_reads_no_line_beyond_the_cap(
    path: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 1000)
    with path.open("a") as out:
        out.write("{" + " " * 1000 + end)
    before = path.read_bytes()
    with pytest.raises(FormatError, match=r"line 4: damaged .it has more than 1,000 bytes"):
        opened(path)
    assert path.read_bytes() == before


def test_store_reads_no_file_beyond_the_cap(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WHOLE", 100)
    with pytest.raises(FormatError, match="more than the 100 bytes that are allowed"):
        opened(path)


def test_store_restores_nan_and_validates_results(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"

    def scores(length: int) -> StudyStore[list[float]]:
        return StudyStore(
            "toy", list[float], {}, {"m2": ""}, path, is_valid=lambda found: len(found) == length
        )

    scores(2).add("m2", "ours", [0.5, math.nan])
    value, unknown = scores(2)["m2", "ours"]
    assert value == 0.5
    assert math.isnan(unknown)
    with pytest.raises(FormatError, match=r"line 2: damaged .it does not fit the data"):
        scores(3)
