"""Annotated shards: joined, they are the output of a single run, or they are refused."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from extraction.test_files import write_pairs
from geceval.errors import GecevalError
from geceval.extraction import runs
from geceval.extraction.files import AnnotationSummary, ExtractionSettings, annotate_files
from geceval.extraction.parts import join_parts
from geceval.formats.columns import PairColumns
from geceval.formats.shards import Shard
from geceval.storage.manifests import Manifest, PartFileError, manifest_path
from requirements import skip_or_fail

PLAIN = ExtractionSettings(lang="plain")
COLUMNS = PairColumns(("input", "output"))
N_PAIRS = 60


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 60)
    paths = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    write_pairs(paths, N_PAIRS)
    return paths


def rows(pair: list[Path]) -> list[dict[str, Any]]:
    sides = (path.read_text().split("\n")[:-1] for path in pair)
    return [{"id": 1, "input": a, "output": b} for a, b in zip(*sides, strict=True)]


def plain(pair: list[Path]) -> tuple[list[Path], dict[str, Any]]:
    return pair, {"format": "parallel"}


def compressed(pair: list[Path]) -> tuple[list[Path], dict[str, Any]]:
    """One of them by gzip, the other by zstd."""
    targets = [pair[0].with_name("src.txt.gz"), pair[1].with_name("cor.txt.zst")]
    targets[0].write_bytes(gzip.compress(pair[0].read_bytes()))
    targets[1].write_bytes(zstandard.compress(pair[1].read_bytes()))
    return targets, {"format": "parallel"}


def json_lines(pair: list[Path]) -> tuple[list[Path], dict[str, Any]]:
    path = pair[0].with_name("pairs.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(pair)))
    return [path], {"format": "parallel", "columns": COLUMNS}


def parquet(pair: list[Path]) -> tuple[list[Path], dict[str, Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        skip_or_fail("pyarrow", "Parquet files are read by it")
    path = pair[0].with_name("pairs.parquet")
    pq.write_table(pa.Table.from_pylist(rows(pair)), path, row_group_size=50)
    return [path], {"format": "parallel", "columns": COLUMNS}


def gold(pair: list[Path]) -> tuple[list[Path], dict[str, Any]]:
    path = pair[0].with_name("gold.m2.gz")
    annotate_files(pair, path, settings=PLAIN, format="parallel")
    return [path], {}


def corpus(pair: list[Path]) -> tuple[list[Path], dict[str, Any]]:
    path = pair[0].with_name("gold.jsonl")
    annotate_files(pair, path, settings=PLAIN, format="parallel")
    return [path], {"format": None}


Inputs = Callable[[list[Path]], tuple[list[Path], dict[str, Any]]]


def annotate(sources: list[Path], target: Path, **options: Any) -> AnnotationSummary:
    return annotate_files(sources, target, **{"settings": PLAIN, **options})


def parts_of(
    sources: list[Path], folder: Path, total: int, name: str, **options: Any
) -> list[Path]:
    folder.mkdir(exist_ok=True)
    parts = []
    for number in range(1, total + 1):
        parts.append(folder / f"{number}-{name}")
        annotate(sources, parts[-1], shard=Shard(number, total), **options)
    return parts


@pytest.mark.parametrize(
    ("inputs", "total", "name"),
    [
        (plain, 1, "out.m2"),
        (plain, 8, "out.m2"),
        (compressed, 5, "out.m2.gz"),
        (json_lines, 3, "out.jsonl"),
        (parquet, 4, "out.jsonl.zst"),
        (gold, 3, "out.m2"),
        (corpus, 5, "out.jsonl"),
    ],
)
def test_parts_joined_are_the_output_of_one_run(
    pair: list[Path], tmp_path: Path, inputs: Inputs, total: int, name: str
) -> None:
    sources, options = inputs(pair)
    annotate(sources, tmp_path / f"one-{name}", **options)
    parts = parts_of(sources, tmp_path / "parts", total, name, **options)
    assert sum(Manifest.read(part).sentences for part in parts) == N_PAIRS
    joined = join_parts(parts[::-1], tmp_path / name)
    assert joined.n_parts == total
    assert joined.counts.sentences == N_PAIRS
    assert (tmp_path / name).read_bytes() == (tmp_path / f"one-{name}").read_bytes()
    # Merging can be run again.
    join_parts(parts, tmp_path / name)
    assert (tmp_path / name).read_bytes() == (tmp_path / f"one-{name}").read_bytes()


@pytest.mark.parametrize("inputs", [plain, json_lines, parquet])
def test_parts_more_than_sentences(pair: list[Path], tmp_path: Path, inputs: Inputs) -> None:
    for path in pair:
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]))
    sources, options = inputs(pair)
    annotate(sources, tmp_path / "one.jsonl", **options)
    parts = parts_of(sources, tmp_path / "parts", 7, "out.jsonl", **options)
    join_parts(parts, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_parts_interrupted_shard_is_resumed_and_a_finished_one_left_alone(
    pair: list[Path], tmp_path: Path
) -> None:
    options = {"format": "parallel", "shard": Shard(2, 3)}
    annotate(pair, tmp_path / "expected.m2", **options)
    target = tmp_path / "out.m2"

    def stop(finished: Iterator[int], total: Callable[[], int | None], done: int) -> Iterator[int]:
        del done
        for number in finished:
            assert total() == Manifest.read(tmp_path / "expected.m2").sentences
            yield number
            if number > 10:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        annotate(pair, target, progress=stop, **options)
    assert not manifest_path(target).exists()
    with pytest.raises(GecevalError, match=r"the shard is not the same \(it was 2/3, now .* 3/3"):
        annotate(pair, target, **{**options, "shard": Shard(3, 3)}, resume=True)
    resumed = annotate(pair, target, **options, resume=True)
    assert 0 < resumed.resumed_at < resumed.counts.sentences
    assert target.read_bytes() == (tmp_path / "expected.m2").read_bytes()
    before = target.stat()
    again = annotate(pair, target, **options, resume=True)
    assert again.counts == resumed.counts
    assert again.resumed_at == again.counts.sentences
    assert target.stat().st_ino == before.st_ino
    # A damaged one is made again.
    target.write_bytes(target.read_bytes().replace(b"cat", b"dog", 1))
    annotate(pair, target, **options, resume=True)
    assert target.read_bytes() == (tmp_path / "expected.m2").read_bytes()


@pytest.fixture
def parts(pair: list[Path], tmp_path: Path) -> list[Path]:
    return parts_of(pair, tmp_path / "parts", 4, "out.m2", format="parallel")


def test_parts_missing_and_doubled(parts: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "all.m2"
    with pytest.raises(PartFileError, match="2 of 4 shards are missing: 2, 4"):
        join_parts([parts[0], parts[2]], target)
    with pytest.raises(PartFileError, match="are both the shard 2/4; give one of them"):
        join_parts([*parts, parts[1]], target)
    assert not target.exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b"cat", b"dog", 1),
        lambda data: data[:-1],
        lambda data: data + b"\n",
        lambda data: data[: len(data) // 2],
        lambda _: b"",
    ],
)
def test_parts_damaged(parts: list[Path], tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    parts[2].write_bytes(spoil(parts[2].read_bytes()))
    with pytest.raises(PartFileError, match=r"was changed or damaged .*; run the shard 3/4 again"):
        join_parts(parts, tmp_path / "all.m2")
    assert not (tmp_path / "all.m2").exists()


def test_parts_are_watched_as_a_whole(parts: list[Path], tmp_path: Path) -> None:
    """Many small parts take long, too, so that progress is that of all of them."""
    seen: list[tuple[str, int | None, int]] = []

    def watch(blocks: Any, what: str, total: int | None) -> Any:
        listed = list(blocks)
        seen.append((what, total, len(listed)))
        return listed

    join_parts(parts, tmp_path / "all.m2", watch=watch)
    assert seen == [("verifying parts", 4, 4), ("merging parts", 4, 4)]


def test_parts_without_manifests(parts: list[Path], tmp_path: Path) -> None:
    manifest = manifest_path(parts[1])
    text = manifest.read_text()
    manifest.write_text(text.replace('"first": ', '"first": 1'))
    with pytest.raises(PartFileError, match="is damaged; run the shard again"):
        join_parts(parts, tmp_path / "all.m2")
    manifest.write_text(text.replace('"schema": 1', '"schema": 9'))
    with pytest.raises(PartFileError, match="another version has written it"):
        join_parts(parts, tmp_path / "all.m2")
    manifest.unlink()
    with pytest.raises(PartFileError, match="is not a finished part; run its shard again"):
        join_parts(parts, tmp_path / "all.m2")
    manifest.write_text(text)
    parts[1].unlink()
    with pytest.raises(PartFileError, match="cannot be read"):
        join_parts(parts, tmp_path / "all.m2")
    manifest.unlink()
    with pytest.raises(PartFileError, match="there is no such file, so it is not a finished part"):
        join_parts(parts, tmp_path / "all.m2")


def test_parts_of_other_settings_and_inputs(
    parts: list[Path], pair: list[Path], tmp_path: Path
) -> None:
    other, options = tmp_path / "other.m2", {"format": "parallel", "shard": Shard(3, 4)}
    mixed = [parts[0], parts[1], other, parts[3]]
    settings = ExtractionSettings(lang="plain", merge="all-split")
    annotate(pair, other, **options, settings=settings)
    with pytest.raises(
        PartFileError, match=r"differ in the settings \(merge:all-split and merge:rules\)"
    ):
        join_parts(mixed, tmp_path / "all.m2")
    annotate(pair, other, **{**options, "shard": Shard(3, 5)})
    with pytest.raises(PartFileError, match="they differ in the number of shards"):
        join_parts(mixed, tmp_path / "all.m2")
    # A change in another shard is noticed, too.
    pair[1].write_text(pair[1].read_text()[:-2] + "x\n")
    annotate(pair, other, **options)
    with pytest.raises(PartFileError, match="they differ in the input files"):
        join_parts(mixed, tmp_path / "all.m2")


def test_parts_of_moved_inputs_belong_together(
    parts: list[Path], pair: list[Path], tmp_path: Path
) -> None:
    """Nodes of a cluster may have copies of their own."""
    copies = [Path(shutil.copy(path, tmp_path / f"copy-{path.name}")) for path in pair]
    annotate(copies, parts[3], format="parallel", shard=Shard(4, 4))
    join_parts(parts, tmp_path / "all.m2")


def test_parts_are_not_renamed_to_another_format(parts: list[Path], tmp_path: Path) -> None:
    with pytest.raises(GecevalError, match=r"the parts are M2 \(m2\), but .* like geceval JSON"):
        join_parts(parts, tmp_path / "all.jsonl")


@pytest.mark.parametrize("name", ["out.xml", "-"])
def test_parts_that_could_not_be_joined(pair: list[Path], tmp_path: Path, name: str) -> None:
    target: Any = name if name == "-" else tmp_path / name
    with pytest.raises(GecevalError, match=r"cannot be joined|needs a file to write"):
        annotate(pair, target, format="parallel", shard=Shard(1, 2))


def test_parts_with_failed_chunks_are_not_finished(
    pair: list[Path], tmp_path: Path, parts: list[Path]
) -> None:
    """The numbers of sentences are those of the input, and the manifest comes with the rest."""
    from extraction.test_files import Flawed, failed_records

    first = Manifest.read(parts[1]).first
    expected = parts[1].read_bytes()
    target = tmp_path / "again.m2"
    options = {"format": "parallel", "shard": Shard(2, 4)}
    summary = annotate(pair, target, **options, engine=Flawed(first + 7))
    assert len(summary.failed) == 1
    (record,) = failed_records(target)
    assert record["first"] <= first + 8 <= record["last"]
    source = pair[0].read_text().split("\n")
    assert record["sentences"][0][0] == source[record["first"] - 1]
    with pytest.raises(PartFileError, match="is not a finished part"):
        join_parts([parts[0], target, *parts[2:]], tmp_path / "all.m2")
    annotate(pair, target, **options, resume=True)
    assert target.read_bytes() == expected


def test_tables_without_shards(pair: list[Path], tmp_path: Path) -> None:
    annotate(pair, tmp_path / "expected.m2", format="parallel")
    for inputs in (json_lines, parquet):
        sources, options = inputs(pair)
        annotate(sources, tmp_path / "out.m2", **options)
        assert (tmp_path / "out.m2").read_bytes() == (tmp_path / "expected.m2").read_bytes()
        wrong = {**options, "columns": PairColumns(("input", "outputs"))}
        with pytest.raises(GecevalError, match="unknown column 'outputs'"):
            annotate(sources, tmp_path / "wrong.m2", **wrong)


def test_tables_that_cannot_be_cut(pair: list[Path], tmp_path: Path) -> None:
    """A line break may be within a cell of CSV."""
    table = tmp_path / "pairs.csv"
    table.write_text("input,output\na,b\n")
    options = {"columns": COLUMNS, "format": "parallel"}
    annotate([table], tmp_path / "out.m2", **options)
    with pytest.raises(GecevalError, match="only tables in JSON Lines or Parquet can be cut"):
        annotate([table], tmp_path / "out.m2", **options, shard=Shard(1, 2))
    del pair
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(GecevalError, match="not a valid Parquet file"):
        annotate([tmp_path / "bad.parquet"], tmp_path / "out.m2", **options)
