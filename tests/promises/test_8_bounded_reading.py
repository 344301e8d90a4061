"""Promise 8: a file that unfolds to 10 GB ends in one sentence, with less than 500 MB."""

from __future__ import annotations

import gzip
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from promising import GIGABYTE, measured, sentences_of, size

N_BYTES = size(300, 10_000) * 10**6
"""To how much a bomb unfolds."""

MOST = 500 * 10**6
"""Bytes that a run may take, the interpreter and all libraries included."""

PIECES = {
    "a line": b"a" * 2**20,
    "zeros": b"\0" * 2**20,
    "empty lines": b"\n" * 2**20,
    "sentences": b"S This is a sentence .\n\n" * 2**15,
    "JSON": b'{"tokens": ["' + b"a" * 2**20,
    "brackets": b"[" * 2**20,
}
COMMANDS = {
    "check": ("check", "{}"),
    "stats": ("stats", "{}"),
    "convert": ("convert", "{}", "out.m2"),
    "score": ("score", "--gold", "{}", "ours.txt"),
    "hypothesis": ("score", "--gold", "gold.m2", "{}"),
    "report": ("report", "{}", "-o", "page.html"),
    "annotate": ("annotate", "--lang", "plain", "{}", "-o", "out.m2", "--restart"),
    "xml": ("stats", "--format", "nucle", "{}"),
}
SMALL = [("a line", "zst", "check"), ("sentences", "gz", "hypothesis"), ("a line", "gz", "xml")]
BOMBS = [*((piece, "zst") for piece in PIECES), ("a line", "gz"), ("sentences", "gz")]
EVERYTHING = [(*bomb, command) for bomb in BOMBS for command in COMMANDS]


def pieces(piece: bytes) -> Iterator[bytes]:
    for _ in range(N_BYTES // len(piece)):
        yield piece


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bombs")
    (folder / "gold.m2").write_text("S a b\nA 0 1|||R|||c|||REQUIRED|||-NONE-|||0\n")
    (folder / "ours.txt").write_text("a b\n")
    return folder


def bomb(folder: Path, name: str, ending: str) -> str:
    path = folder / f"{name.replace(' ', '-')}.{ending}"
    if path.exists():
        return path.name
    if ending == "gz":
        with gzip.open(path, "wb", compresslevel=6) as out:
            out.writelines(pieces(PIECES[name]))
    else:
        with path.open("wb") as raw, zstandard.ZstdCompressor().stream_writer(raw) as file:
            for piece in pieces(PIECES[name]):
                file.write(piece)
    return path.name


@pytest.mark.parametrize(("name", "ending", "command"), EVERYTHING if size(0, 1) else SMALL)
def test_bombs_are_refused(folder: Path, name: str, ending: str, command: str) -> None:
    file = bomb(folder, name, ending)
    assert (folder / file).stat().st_size < N_BYTES / 300
    arguments = [part.format(file) for part in COMMANDS[command]]
    # The limit spares the machine that runs the tests; without one it is the peak that tells.
    found = measured(*arguments, folder=folder, limits={resource.RLIMIT_AS: 2 * GIGABYTE})
    assert found.peak_bytes < MOST
    assert found.code == 1, found.errors
    assert "Traceback" not in found.errors
    # What is wrong with a file is what `check` is asked for.
    said = found.output if command == "check" else sentences_of(found.errors)[0]
    assert file in said
    assert "not enough memory" not in said
    assert found.cpu_seconds < 60


def test_lines_without_end_are_refused(folder: Path) -> None:
    """Also those that nobody compressed: a pipe or a device has no size that could be looked at."""
    path = folder / "line.txt"
    with path.open("wb") as out:
        out.truncate(N_BYTES)  # Zeros, which take no room on the disk.
    found = measured("stats", path.name, folder=folder, limits={resource.RLIMIT_AS: 2 * GIGABYTE})
    path.unlink()
    assert found.code == 1
    assert found.peak_bytes < MOST
    (said,) = sentences_of(found.errors)
    assert "line.txt" in said
