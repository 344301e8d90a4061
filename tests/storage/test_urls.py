"""Files at URLs; the file system in memory is a real one of fsspec."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from geceval.errors import GecevalError
from geceval.extraction.files import ExtractionSettings, annotate_files
from geceval.extraction.part_folders import annotate_parts
from geceval.extraction.parts import join_parts
from geceval.formats.columns import Columns, PairColumns, read_columns
from geceval.formats.inputs import Input
from geceval.storage.atomic import open_output, write_bytes
from geceval.storage.urls import (
    file_exists,
    is_url,
    open_binary,
    plain_path,
    remove_file,
    shown_name,
)

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")

SOURCE = "I likes it .\nHe go home .\n" * 30
CORRECTION = "I like it .\nHe goes home .\n" * 30
SETTINGS = ExtractionSettings("plain")
PRIVATE = "https://me:hunter2@host:1/data.txt?token=hunter3"


@pytest.fixture
def memory() -> Iterator[Any]:
    """A file system in memory with a parallel corpus."""
    files = fsspec.filesystem("memory")
    files.pipe("/corpus/src.txt", SOURCE.encode())
    files.pipe("/corpus/cor.txt", CORRECTION.encode())
    yield files
    files.rm("/corpus", recursive=True)


PAIR = ["memory://corpus/src.txt", "memory://corpus/cor.txt"]


def expected(folder: Path) -> bytes:
    """Return the output of local files."""
    (folder / "src.txt").write_text(SOURCE)
    (folder / "cor.txt").write_text(CORRECTION)
    paths = [folder / "src.txt", folder / "cor.txt"]
    annotate_files(paths, folder / "out.m2", settings=SETTINGS, format="parallel")
    return (folder / "out.m2").read_bytes()


@pytest.mark.parametrize("name", ["out.m2", "out.m2.gz", "out.m2.zst"])
def test_urls_annotate_from_and_to(memory: Any, tmp_path: Path, name: str) -> None:
    url = f"memory://corpus/new/{name}"
    annotate_files(PAIR, url, settings=SETTINGS, format="parallel")
    with Input.open(url) as source:
        assert source.data() == expected(tmp_path)
    assert list(memory.find("/corpus/new")) == [f"/corpus/new/{name}"]


def test_urls_interrupted_output_is_absent_and_resumed(memory: Any, tmp_path: Path) -> None:
    url = "memory://corpus/out.m2"

    def interrupt(finished: Iterator[int], *_: object) -> Iterator[int]:
        for number in finished:
            yield number
            raise KeyboardInterrupt

    options: Any = {"settings": SETTINGS, "format": "parallel"}
    with pytest.raises(KeyboardInterrupt):
        annotate_files(PAIR, url, progress=interrupt, **options)
    assert not memory.exists("/corpus/out.m2")
    result = annotate_files(PAIR, url, resume=True, **options)
    assert result.resumed_at
    assert memory.cat("/corpus/out.m2") == expected(tmp_path)


def test_urls_failed_upload_leaves_the_old_file(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pipe("/corpus/old.txt", b"old")
    # Half a character cannot be written.
    with pytest.raises(GecevalError), open_output("memory://corpus/old.txt") as out:
        out.write("new \ud800")
    assert memory.cat("/corpus/old.txt") == b"old"

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("quota of hunter2 exceeded")

    monkeypatch.setattr(type(memory), "open", fail)
    with pytest.raises(GecevalError) as caught:
        write_bytes("memory://me:hunter2@corpus/old.txt", b"new")
    assert str(caught.value) == (
        "memory://corpus/old.txt: cannot be written: runtimeerror: quota of … exceeded"
    )


def test_urls_parts_are_continued(memory: Any, tmp_path: Path) -> None:
    """A bucket holds all that the next run needs, on any machine."""
    options: Any = {"settings": SETTINGS, "format": "parallel", "part_size": 20}
    annotate_parts(PAIR, "memory://corpus/parts", **options)
    parts = [f"memory:/{path}" for path in memory.find("/corpus/parts") if path.endswith(".m2")]
    assert len(parts) == 3
    memory.pipe(parts[1].removeprefix("memory:/"), b"damaged")
    remove_file(parts[2])
    result = annotate_parts(PAIR, "memory://corpus/parts", resume=True, **options)
    assert (result.resumed_at, result.counts.sentences) == (20, 60)
    join_parts(parts, "memory://corpus/joined.m2")
    assert memory.cat("/corpus/joined.m2") == expected(tmp_path)


def test_urls_parquet_columns(memory: Any, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    sources, targets = SOURCE.splitlines(), CORRECTION.splitlines()
    table = pa.table({"before": sources, "after": targets, "ours": targets})
    with memory.open("/corpus/table.parquet", "wb") as file:
        pq.write_table(table, file, row_group_size=7)
    columns = PairColumns.parse("source=before,correction=after")
    url = "memory://corpus/table.parquet"
    annotate_files([url], "memory://corpus/out.m2", settings=SETTINGS, columns=columns)
    assert memory.cat("/corpus/out.m2") == expected(tmp_path)
    roles = Columns.parse("source=before,reference=after,hypothesis=ours")
    assert read_columns(url, roles).hypotheses[0].sentences[1] == ("He", "goes", "home", ".")


def test_urls_of_local_files(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/two%20words.txt"
    write_bytes(url, b"text")
    assert (tmp_path / "two words.txt").read_bytes() == b"text"
    with open_binary(url) as file:
        assert file.read() == b"text"
    assert file_exists(url)
    remove_file(url)
    remove_file(url)
    assert not file_exists(url)
    with pytest.raises(GecevalError, match="a file on another machine"):
        plain_path("file://host/data.txt")


def test_urls_names() -> None:
    assert [is_url(one) for one in ("a.txt", "C:\\a", "-", "gs://a/b", "s3://a")] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert shown_name(PRIVATE) == "https://host:1/data.txt"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory://corpus/none.txt", "memory://corpus/none.txt: cannot be read: no such file"),
        ("nowhere://a/b", "nowhere://a/b: Protocol not known: nowhere"),
    ],
)
def test_urls_that_cannot_be_read(url: str, message: str) -> None:
    with pytest.raises(GecevalError) as caught:
        Input.open(url)
    assert str(caught.value) == message


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("package", ["fsspec", "s3fs"])
def test_urls_need_packages(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """The error comes before the work, names the package, and no credentials."""
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(GecevalError, match=package) as caught:
        annotate_files(PAIR, "s3://key:hunter2@bucket/out.m2", settings=SETTINGS, format="parallel")
    assert "hunter2" not in str(caught.value)
