"""Opening inputs."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
import zstandard

from geceval.errors import FormatError, GecevalError
from geceval.formats import Findings, Input
from geceval.formats.findings import MAX_PER_CODE, Finding
from geceval.formats.inputs import CHUNK_BYTES, HEAD_BYTES, known_encoding
from running import run_python

TEXT = "one\ntwo é 👩‍👩‍👧\n\nthree\n"
LINES = ["one", "two é 👩‍👩‍👧", "", "three"]


def read(data: bytes, path: Path, encoding: str = "utf-8") -> list[str]:
    path.write_bytes(data)
    with Input.open(path, encoding=encoding) as source:
        return list(source.lines())


def error_of(data: bytes, path: Path, encoding: str = "utf-8") -> str:
    with pytest.raises(FormatError) as caught:
        read(data, path, encoding)
    return str(caught.value).removeprefix(str(path))


def noted(data: bytes) -> tuple[list[str], list[Finding]]:
    findings = Findings()
    source = Input(io.BufferedReader(io.BytesIO(data)), name="file", findings=findings)
    return list(source.lines()), list(findings)


@pytest.mark.parametrize("name", ["plain.txt", "plain.gz"])
def test_inputs_plain_file_whatever_its_name(tmp_path: Path, name: str) -> None:
    assert read(TEXT.encode(), tmp_path / name) == LINES


def test_inputs_gzip(tmp_path: Path) -> None:
    assert read(gzip.compress(TEXT.encode()), tmp_path / "f.m2") == LINES


def test_inputs_gzip_of_several_members(tmp_path: Path) -> None:
    data = gzip.compress(b"one\ntw") + gzip.compress(b"o\n")
    assert read(data, tmp_path / "f") == ["one", "two"]


def test_inputs_gzip_cut_off(tmp_path: Path) -> None:
    data = gzip.compress(TEXT.encode() * 99)
    assert error_of(data[:-9], tmp_path / "f").startswith(": cannot be read: ")


def test_inputs_gzip_with_a_wrong_sum(tmp_path: Path) -> None:
    data = gzip.compress(TEXT.encode())
    assert error_of(data[:-5] + b"12345", tmp_path / "f").startswith(": cannot be read: ")


def test_inputs_gzip_that_is_none(tmp_path: Path) -> None:
    assert error_of(b"\x1f\x8bgarbage in here", tmp_path / "f").startswith(": cannot be read: ")


def zstd(text: str) -> bytes:
    return zstandard.ZstdCompressor().compress(text.encode())


def test_inputs_zstd(tmp_path: Path) -> None:
    assert read(zstd(TEXT), tmp_path / "f.m2") == LINES


def test_inputs_zstd_of_several_frames(tmp_path: Path) -> None:
    assert read(zstd("one\ntw") + zstd("") + zstd("o\n"), tmp_path / "f") == ["one", "two"]


def test_inputs_zstd_without_a_size_in_the_frame(tmp_path: Path) -> None:
    compressor = zstandard.ZstdCompressor(write_content_size=False)
    assert read(compressor.compress(TEXT.encode()), tmp_path / "f") == LINES


@pytest.mark.parametrize("kept", [4, 6, 12, -1])
def test_inputs_zstd_cut_off(tmp_path: Path, kept: int) -> None:
    """The library's own reader gives what it has and says nothing."""
    data = zstd(TEXT * 999)[:kept]
    expected = ": cannot be read: compressed file ended before the end of a frame"
    assert error_of(data, tmp_path / "f") == expected


def test_inputs_zstd_with_garbage_after_it(tmp_path: Path) -> None:
    assert error_of(zstd(TEXT) + b"garbage!", tmp_path / "f").startswith(": cannot be read: zstd")


def test_inputs_large_compressed_files(tmp_path: Path) -> None:
    lines = [f"line {number} é" for number in range(300_000)]
    data = "\n".join(lines).encode()
    assert len(data) > 4 * CHUNK_BYTES
    for packed in (data, gzip.compress(data, 1), zstandard.ZstdCompressor().compress(data)):
        assert read(packed, tmp_path / "f") == lines


def test_inputs_standard_input() -> None:
    code = "from geceval.formats import Input; print(list(Input.open('-').lines()))"
    for data in (TEXT.encode(), gzip.compress(TEXT.encode()), zstd(TEXT)):
        assert run_python("-c", code, data=data) == (0, f"{LINES}\n", "")


def test_inputs_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"a\n\xff\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    with Input.open("-") as source, pytest.raises(FormatError) as caught:
        list(source.lines())
    assert str(caught.value).startswith("standard input, line 2: byte 0xff is not valid UTF-8")
    assert not stdin.closed


def test_inputs_byte_order_mark() -> None:
    assert noted(b"\xef\xbb\xbfone\n") == (
        ["one"],
        [Finding("bom", "byte order mark removed", "warning", "file", 1)],
    )


def test_inputs_crlf() -> None:
    assert noted(b"one\r\n\r\ntwo\r") == (
        ["one", "", "two"],
        [Finding("crlf", "3 lines with CRLF line endings, read as LF", "note", "file")],
    )


def test_inputs_carriage_returns_inside_lines_are_noted() -> None:
    """Files of old Macs are one long line."""
    message = "carriage return inside a line, not treated as a line ending"
    assert noted(b"one\n\rtwo\rthree\n") == (
        ["one", "\rtwo\rthree"],
        [Finding("cr", message, "warning", "file", 2)],
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_inputs_wide_encodings(tmp_path: Path, encoding: str) -> None:
    assert read(TEXT.replace("\n", "\r\n").encode(encoding), tmp_path / "f", encoding) == LINES


def test_inputs_utf_16_big_endian_by_its_mark(tmp_path: Path) -> None:
    data = b"\xfe\xff" + TEXT.encode("utf-16-be")
    assert read(data, tmp_path / "f", "utf-16") == LINES
    assert read(data, tmp_path / "f", "UTF-16BE") == LINES


def test_inputs_utf_16_letters_with_line_end_bytes(tmp_path: Path) -> None:
    """Both bytes of U+0A0A look like line ends."""
    assert read("a\u0a0ab\nc".encode("utf-16"), tmp_path / "f", "utf-16") == ["a\u0a0ab", "c"]


@pytest.mark.parametrize(("encoding", "title"), [("utf-16", "UTF-16"), ("utf-32", "UTF-32")])
def test_inputs_wide_encodings_must_be_named(tmp_path: Path, encoding: str, title: str) -> None:
    assert error_of(TEXT.encode(encoding), tmp_path / "f") == (
        f": the file is {title}; give its encoding or convert it"
    )


def test_inputs_utf_16_faults_have_the_right_line(tmp_path: Path) -> None:
    data = b"\xfe\xff" + "a\nb\n".encode("utf-16-be") + b"\xdc\x00" + "\nc\n".encode("utf-16-be")
    assert error_of(data, tmp_path / "f", "utf-16").startswith(", line 3: byte 0xdc is not valid")


@pytest.mark.parametrize(
    ("data", "line", "byte"),
    [
        (b"\xff", 1, "ff"),
        (b"a\nb\xe9c\n", 2, "e9"),
        (b"a\nb\nc\xc3", 3, "c3"),
        (b"a\r\n\xe2\x80\n", 2, "e2"),
        (b"a\n" * 70_000 + b"\xed\xa0\x80", 70_001, "ed"),
        (b"\xc3\xa9\n" * CHUNK_BYTES + b"\xff", CHUNK_BYTES + 1, "ff"),
    ],
)
def test_inputs_invalid_utf_8_is_found(tmp_path: Path, data: bytes, line: int, byte: str) -> None:
    assert error_of(data, tmp_path / "f") == (
        f", line {line}: byte 0x{byte} is not valid UTF-8; "
        "give the encoding of the file if it is another"
    )


def test_inputs_other_encodings(tmp_path: Path) -> None:
    assert read("naïve\n".encode("latin-1"), tmp_path / "f", "latin-1") == ["naïve"]
    assert read("猫\n".encode("gb18030"), tmp_path / "f", "GB18030") == ["猫"]


@pytest.mark.parametrize("name", ["utf-88", "rot13", "hex", "idna", "a\0b", ""])
def test_inputs_unknown_encodings(name: str) -> None:
    with pytest.raises(GecevalError, match=r"^unknown text encoding "):
        known_encoding(name)


def test_inputs_encoding_names_are_made_usual() -> None:
    assert [known_encoding(name) for name in ("UTF8", "utf-8-sig", "Latin1")] == [
        "utf-8", "utf-8", "iso8859-1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1e"]
)
def test_inputs_other_separators_end_no_line(tmp_path: Path, separator: str) -> None:
    assert read(f"a{separator}b\nc".encode(), tmp_path / "f") == [f"a{separator}b", "c"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("\na", ["", "a"]),
    ],
)
def test_inputs_last_line_needs_no_end(tmp_path: Path, text: str, lines: list[str]) -> None:
    assert read(text.encode(), tmp_path / "f") == lines


def test_inputs_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        Input.open(tmp_path / "no")
    assert str(caught.value) == f"{tmp_path / 'no'}: cannot be read: no such file or directory"


def test_inputs_directory(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        Input.open(tmp_path)
    assert str(caught.value) == f"{tmp_path}: cannot be read: is a directory"


def test_inputs_head_is_the_first_text() -> None:
    text = "é" * HEAD_BYTES
    source = Input.from_text(text)
    assert source.head == text[: HEAD_BYTES // 2]
    assert source.text() == text


def test_inputs_text_and_data() -> None:
    assert Input.from_text("\ufeffa\r\nb\n").text() == "a\nb"
    assert Input.from_text("\ufeffa\r\nb\n").data() == b"a\r\nb\n"


def test_inputs_very_long_line(tmp_path: Path) -> None:
    line = "é" * (2 * CHUNK_BYTES)
    assert read(f"{line}\nb".encode(), tmp_path / "f") == [line, "b"]


def test_inputs_errors_and_notes_name_the_file() -> None:
    source = Input.from_text("", name="f")
    source.note("code", "message", line=3)
    assert list(source.findings) == [Finding("code", "message", "warning", "f", 3)]
    assert str(source.error("message", line=3)) == "f, line 3: message"
    assert str(source.error("message")) == "f: message"


def test_findings_are_counted_past_what_is_kept() -> None:
    findings = Findings()
    findings.add("b", "seldom", severity="note")
    for number in range(MAX_PER_CODE + 5):
        findings.add("a", "often", line=number + 1)
    assert (len(findings), len(list(findings))) == (MAX_PER_CODE + 6, MAX_PER_CODE + 1)
    assert findings.summary() == [f"line 1: often (and {MAX_PER_CODE + 4} more)", "seldom"]
    assert findings.summary(notes=False) == findings.summary()[:1]


def test_findings_know_the_worst() -> None:
    findings = Findings()
    assert findings.worst() is None
    findings.add("a", "x", severity="note")
    findings.add("a", "y", severity="error")
    findings.add("b", "z")
    assert findings.worst() == "error"
    assert [code for code, _ in findings.by_code()] == ["a", "b"]
