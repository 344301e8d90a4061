"""Small files that unfold to huge ones, and lines without an end."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from geceval.errors import FormatError
from geceval.formats import Input, inputs
from geceval.formats.inputs import FREE_EXPANSION, MAX_EXPANSION, MAX_LINE
from running import run_geceval, run_python

SIZE = 10 * 10**9
MAX_MEMORY = 500 * 10**6

# Reads a file as every format that there is, and as everything else that is read of a user.
READ_ALL = """
import json, sys
from geceval.errors import GecevalError
from geceval.formats import formats, read_sentences
from geceval.metaeval.human.judgment_files import load_judgments
from geceval.metaeval.maege.material import read_references
from geceval.model import Corpus
from geceval.report.results_loader import load as load_results
from geceval.extraction.typers.learned import LearnedTyper

path = sys.argv[1]

def reader(name, n_files):
    def read():
        with read_sentences([path] * n_files, format=name) as (_, sentences):
            return list(sentences)
    return read

ways = {name: reader(name, 1 + fmt.several) for name, fmt in formats().items()}
ways["judgments"] = lambda: load_judgments(path, "judgments")
ways["results"] = lambda: load_results(path)
ways["types"] = lambda: LearnedTyper.load(path)
ways["references"] = lambda: read_references(path, Corpus(()))
messages = {}
for title, way in ways.items():
    try:
        way()
    except GecevalError as error:
        messages[title] = str(error)
# Not from getrusage, which knows of the process before it became this one.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
peak = int(status["VmHWM"].split()[0]) * 1024
print(json.dumps({"untold": sorted(ways.keys() - messages), "messages": messages, "peak": peak}))
"""


def gzip_bomb(content: bytes, path: Path) -> None:
    """Members of 10 MB, one after the other: one file, for every program that reads gzip."""
    part = content * (10**7 // len(content))
    path.write_bytes(gzip.compress(part) * (SIZE // len(part)))


def zstd_bomb(content: bytes, path: Path) -> None:
    part = content * (10**8 // len(content))
    path.write_bytes(zstandard.compress(part, 19) * (SIZE // len(part)))


BOMBS: dict[str, Callable[[bytes, Path], None]] = {"gz": gzip_bomb, "zst": zstd_bomb}
CONTENTS = {
    "zeros": b"\0",
    "empty lines": b"\n",
    "edits": b"A 0 1|||R:X|||b|||REQUIRED|||-NONE-|||0\n",
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("kind", BOMBS)
def test_bombs_end_in_an_error_with_little_memory(
    tmp_path: Path, kind: str, content: bytes
) -> None:
    path = tmp_path / f"bomb.{kind}"
    BOMBS[kind](content, path)
    assert path.stat().st_size < SIZE / MAX_EXPANSION
    code, out, err = run_python("-c", READ_ALL, str(path))
    assert code == 0, err
    found = json.loads(out)
    assert found["untold"] == []
    assert found["peak"] < MAX_MEMORY
    assert all(message.startswith(str(path)) for message in found["messages"].values())
    assert "decompress it first" in found["messages"]["ixml"]
    assert "decompress it first" in found["messages"]["results"]


def test_bombs_are_one_sentence_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zst"
    zstd_bomb(b"S a\n\n", path)
    code, _, err = run_geceval("stats", str(path))
    assert code == 1
    assert err.startswith(f"Error: {path}: the first ")
    assert err.count("\n") == 1
    assert f"over {MAX_EXPANSION} times as many" in err


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_bombs_are_no_small_or_ordinary_files(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "file"
    same = b"The same .\n" * (FREE_EXPANSION // 11)
    path.write_bytes(compress(same))
    with Input.open(path) as source:
        assert sum(1 for _ in source.lines()) == FREE_EXPANSION // 11
    # As repetitive as text is: one sentence of ten is another.
    text = b"".join(b"Same old sentence number %d .\n" % (i // 10) for i in range(200_000))
    path.write_bytes(compress(text))
    with Input.open(path) as source:
        assert sum(1 for _ in source.lines()) == 200_000


def test_bombs_may_come_after_ordinary_text(tmp_path: Path) -> None:
    path = tmp_path / "file.zst"
    text = "".join(f"sentence {i * i}\n" for i in range(1000)).encode()
    path.write_bytes(zstandard.compress(text + bytes(10**8)))
    with Input.open(path) as source, pytest.raises(FormatError, match="decompress it first"):
        list(source.lines())


def test_line_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.write(b"first\n")
        file.truncate(SIZE)  # Zeros that take no room.
    with Input.open(path) as source, pytest.raises(FormatError) as caught:
        list(source.lines())
    message = f"{path}, line 2: the line is longer than the limit of 16,777,216 characters"
    assert str(caught.value).startswith(message)


def test_line_as_long_as_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * MAX_LINE + b"\nb\n")
    with Input.open(path) as source:
        assert [len(line) for line in source.lines()] == [MAX_LINE, 1]
    path.write_bytes(b"a" * (MAX_LINE + 1) + b"\nb\n")
    with Input.open(path) as source, pytest.raises(FormatError, match="line 1: the line is longer"):
        list(source.lines())


@pytest.mark.parametrize("read", [Input.text, Input.data])
def test_whole_files_have_a_limit(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[Input], str | bytes]
) -> None:
    monkeypatch.setattr(inputs, "MAX_WHOLE", 3_000_000)

    def made(size: int) -> Input:
        return Input(io.BufferedReader(io.BytesIO(b"ab\n" * (size // 3))), name="file")

    assert len(read(made(3_000_000))) in (3_000_000, 2_999_999)
    with pytest.raises(FormatError, match=r"^file: is larger than 3,000,000 bytes"):
        read(made(3_000_003))


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n", "a\n\n", "a\r\nb\r\n", "\r\n\r\n", "a\rb\r"]
)
def test_text_is_its_lines(text: str) -> None:
    whole, lines = Input.from_text(text), Input.from_text(text)
    assert whole.text() == "\n".join(lines.lines())
    assert list(whole.findings) == list(lines.findings)
