"""Writing files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import TextIO

import pytest
import zstandard

from geceval.errors import GecevalError
from geceval.formats import Input, open_output
from running import run_python

TEXT = "one\ntwo é\u2028 👩‍👩‍👧\n"


def write(path: Path, text: str = TEXT) -> bytes:
    with open_output(path) as out:
        out.write(text)
    return path.read_bytes()


def test_outputs_plain(tmp_path: Path) -> None:
    assert write(tmp_path / "f.txt") == TEXT.encode()


def test_outputs_gzip(tmp_path: Path) -> None:
    assert gzip.decompress(write(tmp_path / "f.m2.gz")) == TEXT.encode()


def test_outputs_zstd(tmp_path: Path) -> None:
    data = write(tmp_path / "f.m2.zst")
    assert zstandard.ZstdDecompressor().decompressobj().decompress(data) == TEXT.encode()


@pytest.mark.parametrize("name", ["f", "f.gz", "f.zst"])
def test_outputs_are_the_same_bytes_twice(tmp_path: Path, name: str) -> None:
    first = write(tmp_path / name)
    (tmp_path / "other").mkdir()
    assert write(tmp_path / name) == write(tmp_path / "other" / name) == first


@pytest.mark.parametrize("name", ["f", "f.gz", "f.zst"])
def test_outputs_can_be_read_back(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, TEXT * 10_000)
    with Input.open(tmp_path / name) as source:
        assert "\n".join((*source.lines(), "")) == TEXT * 10_000


@pytest.mark.parametrize("name", ["f", "f.gz", "f.zst"])
@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, GecevalError])
def test_outputs_leave_nothing_half_written(
    tmp_path: Path, name: str, error: type[BaseException]
) -> None:
    (tmp_path / name).write_text("old")

    def fail(out: TextIO) -> None:
        out.write("new" * 100_000)
        raise error

    with pytest.raises(error), open_output(tmp_path / name) as out:
        fail(out)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "old")]


def test_outputs_appear_only_at_the_end(tmp_path: Path) -> None:
    with open_output(tmp_path / "f") as out:
        out.write("new")
        assert not (tmp_path / "f").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_outputs_keep_permissions(tmp_path: Path) -> None:
    (tmp_path / "f").touch(mode=0o640)
    (tmp_path / "f").chmod(0o640)
    write(tmp_path / "f")
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


def test_outputs_get_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write(tmp_path / "f")
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_outputs_follow_links(tmp_path: Path) -> None:
    (tmp_path / "target").touch()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == TEXT


def test_outputs_into_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(GecevalError) as caught, open_output(tmp_path / "no" / "f"):
        pass
    assert str(caught.value) == (
        f"{tmp_path / 'no' / 'f'}: cannot be written: no such file or directory"
    )


def test_outputs_onto_a_folder(tmp_path: Path) -> None:
    with pytest.raises(GecevalError) as caught, open_output(tmp_path):
        pass
    assert str(caught.value) == f"{tmp_path}: cannot be written: is a directory"


def test_outputs_of_half_a_character(tmp_path: Path) -> None:
    with pytest.raises(GecevalError) as caught, open_output(tmp_path / "f") as out:
        out.write("a\ud800")
    assert str(caught.value) == (
        f"{tmp_path / 'f'}: half a character, '\\ud800', cannot be written"
    )
    assert list(tmp_path.iterdir()) == []


def test_outputs_to_a_device() -> None:
    with open_output(os.devnull) as out:
        out.write(TEXT)
    assert not Path(os.devnull).is_file()


def test_outputs_onto_a_full_device() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs a device that is always full")
    expected = r"^/dev/full: cannot be written: no space left"
    with pytest.raises(GecevalError, match=expected), open_output("/dev/full") as out:
        out.write(TEXT)


def test_outputs_to_standard_output_are_utf_8() -> None:
    code = (
        "from geceval.formats import open_output\n"
        "print('before')\n"
        f"with open_output('-') as out: out.write({TEXT!r})\n"
        "print('after')\n"
    )
    done = run_python("-c", code, environment={"PYTHONIOENCODING": "ascii"})
    assert done == (0, f"before\n{TEXT}after\n", "")
