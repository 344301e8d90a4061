"""Parts: a second run makes what is missing, and joined they are the output of one run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from geceval.engines import Chunk, ChunkFailure
from geceval.engines.local import LocalEngine
from geceval.errors import GecevalError
from geceval.extraction import runs
from geceval.extraction.files import ExtractionSettings, annotate_files
from geceval.extraction.part_folders import annotate_parts
from geceval.extraction.parts import join_parts
from geceval.formats import Findings, load
from geceval.storage.resumable import PartError

PLAIN = ExtractionSettings("plain")


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Parallel text of 100 sentences, in chunks of a few."""
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 60)
    paths = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    for path, word in zip(paths, ("likes", "like"), strict=True):
        path.write_text("".join(f"I {word} number {n} .\n" for n in range(100)))
    return paths


def make(pair: list[Path], folder: Path, **options: Any) -> Any:
    given = {"settings": PLAIN, "format": "parallel", "part_size": 30, **options}
    return annotate_parts(pair, folder, **given)


def parts_of(folder: Path, suffix: str = "m2") -> list[Path]:
    return sorted(folder.glob(f"*.{suffix}"))


@pytest.mark.parametrize("name", ["m2", "jsonl", "parquet"])
def test_part_folders_joined_are_one_run(pair: list[Path], tmp_path: Path, name: str) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    folder = tmp_path / "parts"
    result = make(pair, folder, to=name)
    parts = parts_of(folder, name)
    assert [path.name for path in parts] == [f"part-0000{n}-of-00004.{name}" for n in (1, 2, 3, 4)]
    assert (result.counts.sentences, result.resumed_at, result.written_format) == (100, 0, name)
    assert sum(len(load(path)) for path in parts) == 100
    join_parts(parts, tmp_path / f"joined.{name}")
    annotate_files(pair, tmp_path / f"one.{name}", settings=PLAIN, format="parallel")
    joined = (tmp_path / f"joined.{name}").read_bytes()
    assert joined == (tmp_path / f"one.{name}").read_bytes()


def test_part_folders_make_only_what_is_missing(pair: list[Path], tmp_path: Path) -> None:
    """Damaged and foreign parts are made again, and reported; intact ones are not touched."""
    folder = tmp_path / "parts"
    make(pair, folder)
    parts = parts_of(folder)
    before = [path.read_bytes() for path in parts]
    parts[0].write_bytes(before[0].replace(b"like", b"lime", 1))
    parts[1].unlink()
    Path(f"{parts[2]}.manifest.json").unlink()
    kept = parts[3].stat().st_mtime_ns
    findings = Findings()
    result = make(pair, folder, resume=True, findings=findings)
    assert [path.read_bytes() for path in parts] == before
    assert parts[3].stat().st_mtime_ns == kept
    assert result.counts.sentences == 100
    assert 0 < result.resumed_at < 30
    assert [finding.path for finding in findings] == [str(parts[0]), str(parts[1])]
    # Other settings: all parts are foreign.
    other = ExtractionSettings("plain", merge="all-split")
    assert make(pair, folder, resume=True, settings=other).resumed_at == 0
    assert make(pair, folder, resume=True, settings=other).resumed_at == 100


def test_part_folders_other_input_is_noticed(pair: list[Path], tmp_path: Path) -> None:
    make(pair, tmp_path / "parts")
    text = pair[1].read_text()
    pair[1].write_text(text.replace("number 99", "number 98"))
    assert make(pair, tmp_path / "parts", resume=True).resumed_at == 0


def test_part_folders_are_not_overwritten(pair: list[Path], tmp_path: Path) -> None:
    make(pair, tmp_path / "parts")
    with pytest.raises(PartError, match="continue with --resume, or begin anew with --restart"):
        make(pair, tmp_path / "parts")
    assert make(pair, tmp_path / "parts", restart=True).resumed_at == 0
    # Parts of another size would be taken for some of these.
    for options in ({}, {"resume": True}, {"restart": True}):
        with pytest.raises(PartError, match=r"parts of another run, such as .* would be 2 now"):
            make(pair, tmp_path / "parts", part_size=50, **options)
    assert len(list((tmp_path / "parts").iterdir())) == 2 * 4
    # Other formats have other names.
    make(pair, tmp_path / "parts", part_size=50, to="jsonl")


def test_part_folders_interrupted_in_a_part(pair: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    make(pair, tmp_path / "whole")

    def interrupt(finished: Iterator[int], *_: object) -> Iterator[int]:
        for count, number in enumerate(finished):
            yield number
            if count == 45:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(pair, folder, progress=interrupt)
    n_finished = len(list(folder.glob("*.manifest.json")))
    assert 1 <= n_finished < 4
    result = make(pair, folder, resume=True, engine=LocalEngine(2))
    assert result.resumed_at > 25 * n_finished
    pairs = zip(parts_of(folder), parts_of(tmp_path / "whole"), strict=True)
    assert all(one.read_bytes() == other.read_bytes() for one, other in pairs)


class OneFails(LocalEngine):
    """Fails at a sentence of the second part."""

    def map(self, function: Any, chunks: Any) -> Any:
        def run(chunk: Chunk[Any]) -> Any:
            if any("number 40 " in item[0] for item in chunk.items):
                return ChunkFailure(chunk, "bad luck")
            return function(chunk)

        return (run(chunk) for chunk in chunks)


def test_part_folders_failed_chunk_costs_its_part(pair: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    result = make(pair, folder, engine=OneFails(), to="jsonl")
    (gap,) = result.failed
    assert gap.start <= 40 < gap.start + gap.sentences
    assert len(parts_of(folder, "jsonl")) == 3
    assert not make(pair, folder, resume=True, to="jsonl").failed
    join_parts(parts_of(folder, "jsonl"), tmp_path / "joined.jsonl")
    annotate_files(pair, tmp_path / "one.jsonl", settings=PLAIN, format="parallel")
    assert (tmp_path / "joined.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_part_folders_need_sentences(pair: list[Path], tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match="at least one sentence, not 0"):
        make(pair, tmp_path / "parts", part_size=0)


def test_part_folders_keep_alternatives(tmp_path: Path) -> None:
    """Chinese edits have alternatives, which the default format keeps as in one run."""
    paths = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    for path, text in zip(paths, ("我在也不想去。\n", "我再也不想去了。\n"), strict=True):
        path.write_text(text * 4, encoding="utf-8")
    chinese = ExtractionSettings("zh")
    result = make(paths, tmp_path / "parts", settings=chinese, part_size=2)
    assert result.written_format == "m2-zh"
    parts = parts_of(tmp_path / "parts")
    assert len(parts) == 2
    join_parts(parts, tmp_path / "joined.m2")
    annotate_files(paths, tmp_path / "one.m2", settings=chinese, format="parallel")
    assert (tmp_path / "joined.m2").read_bytes() == (tmp_path / "one.m2").read_bytes()
