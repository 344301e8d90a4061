"""Shards of files: every sentence is in exactly one of them, and at the same place in all files."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geceval.errors import FormatError, GecevalError, MismatchError, OptionError
from geceval.formats import Findings, Input, load
from geceval.formats import shards as sharding
from geceval.formats.m2 import read as read_m2
from geceval.formats.shards import Portion, Shard, scan
from geceval.model import Sentence

LINES = st.lists(st.text(alphabet="ab \té😀\u2028\x0b", max_size=12), max_size=40)
ENDS = st.sampled_from(["\n", "\r\n"])
relaxed = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def packed(path: Path, content: bytes, ending: str) -> Path:
    """Write a file, compressed by its ending."""
    target = path.with_name(path.name + ending)
    if ending == ".gz":
        content = gzip.compress(content)
    elif ending == ".zst":
        content = zstandard.compress(content[:50]) + zstandard.compress(content[50:])
    target.write_bytes(content)
    return target


def whole(path: Path) -> list[str]:
    with Input.open(path) as source:
        return list(source.lines())


def cut(paths: Sequence[Path], layout: str, shard: Shard) -> tuple[Portion, list[list[str]]]:
    files = [scan(str(path), layout, encoding="utf-8") for path in paths]
    portion = Portion.of(files, shard)
    texts = []
    for file in files:
        with file.open(portion.first, portion.last, findings=None, encoding="utf-8") as source:
            texts.append(list(source.lines()))
    return portion, texts


@given(
    first=LINES,
    seed=st.integers(0, 9),
    ends=ENDS,
    total=st.integers(1, 9),
    has_end=st.booleans(),
    has_mark=st.booleans(),
    ending=st.sampled_from(["", ".gz", ".zst"]),
    marks=st.sampled_from([3, 1 << 16]),
)
@relaxed
def test_shards_of_parallel_text_are_cut_at_the_same_lines(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: list[str],
    seed: int,
    ends: str,
    total: int,
    has_end: bool,
    has_mark: bool,
    ending: str,
    marks: int,
) -> None:
    """Joined, they are the files; whatever the line ends, and however sparse the places to cut."""
    monkeypatch.setattr(sharding, "_MARKS", marks)
    second = [f"{number * seed} {line[::-1]}" for number, line in enumerate(first)]
    paths = []
    for name, lines in (("a", first), ("b", second)):
        text = ends.join(lines) + (ends if lines and (has_end or not lines[-1]) else "")
        data = (b"\xef\xbb\xbf" if has_mark else b"") + text.encode()
        paths.append(packed(tmp_path / name, data, ending))
    parts = [cut(paths, "parallel", Shard(number, total)) for number in range(1, total + 1)]
    for place, path in enumerate(paths):
        assert [line for _, texts in parts for line in texts[place]] == whole(path)
    position = 0
    for portion, texts in parts:
        assert portion.first == position
        position = portion.last
        assert [len(text) for text in texts] == [len(portion)] * 2
    assert position == parts[0][0].total == len(whole(paths[0]))


M2_BLOCKS = st.lists(
    st.sampled_from(
        [
            "S a cat\nA 0 1|||X|||b|||REQUIRED|||-NONE-|||0\n\n",
            "S \n\n",
            "S\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n",
            "S one two\nS three\nA 2 3|||X|||b|||REQUIRED|||-NONE-|||0\n\n",
            "S x\nA 0 1|||X|||b|||REQUIRED|||-NONE-|||0\nS y\n\n",
            "S é S \n \n\n",
            "S last",
        ]
    ),
    max_size=12,
)


@given(
    blocks=M2_BLOCKS, crlf=st.booleans(), total=st.integers(1, 6), marks=st.sampled_from([2, 999])
)
@relaxed
def test_shards_of_m2_are_cut_between_blocks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    blocks: list[str],
    crlf: bool,
    total: int,
    marks: int,
) -> None:
    monkeypatch.setattr(sharding, "_MARKS", marks)
    text = "".join(blocks[:-1]).replace("S last", "") + "".join(blocks[-1:])
    path = tmp_path / "gold.m2"
    path.write_bytes((text.replace("\n", "\r\n") if crlf else text).encode())
    with Input.open(path) as source:
        expected = list(read_m2([source]))
    file = scan(str(path), "m2", encoding="utf-8")
    found = []
    for number in range(1, total + 1):
        portion = Portion.of([file], Shard(number, total))
        with file.open(portion.first, portion.last, findings=None, encoding="utf-8") as source:
            found += list(portion.checked(read_m2([source])))
    assert found == expected


def test_shards_of_json_lines_all_have_the_header(tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text("".join(f"S word {n}\n\n" for n in range(20)))
    path = tmp_path / "gold.jsonl"
    from geceval.formats import save

    corpus = load(gold, findings=Findings())
    save(corpus, path)
    sentences: list[Sentence] = []
    for number in (1, 2, 3):
        _, (lines,) = cut([path], "jsonl", Shard(number, 3))
        part = tmp_path / f"{number}.jsonl"
        part.write_text("".join(f"{line}\n" for line in lines))
        sentences += load(part).sentences
    assert tuple(sentences) == corpus.sentences


def test_shards_balance_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("".join("x" * (n % 50) + "\n" for n in range(4000)))
    sizes = [sum(map(len, cut([path], "parallel", Shard(n, 8))[1][0])) for n in range(1, 9)]
    assert max(sizes) - min(sizes) < 150


def test_shards_know_the_lines_of_the_file(tmp_path: Path) -> None:
    """Messages name the line of the file, not of the shard."""
    path = tmp_path / "a"
    path.write_bytes(b"".join(b"good line\n" for _ in range(90)) + b"\xff\n" * 10)
    file = scan(str(path), "parallel", encoding="utf-8")
    first, last = file.bounds(Shard(2, 2))
    with (
        file.open(first, last, findings=None, encoding="utf-8") as source,
        pytest.raises(FormatError, match=r"a, line 91: byte 0xff"),
    ):
        list(source.lines())


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/0", "3", "a/b", "1/2/3", "-1/2", "1/99999999"])
def test_shard_numbers(text: str) -> None:
    with pytest.raises(OptionError, match="shard"):
        Shard.parse(text)


def test_shards_refuse_what_cannot_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x\n", encoding="utf-16")
    with pytest.raises(GecevalError, match=r"UTF-16.* cannot be cut into shards; convert"):
        scan(str(path), "parallel", encoding="utf-16")
    with pytest.raises(GecevalError, match="format nucle cannot be cut into shards; convert"):
        scan(str(path), "nucle", encoding="utf-8")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(GecevalError, match="is not a file, so it cannot be cut into shards"):
        scan(str(pipe), "parallel", encoding="utf-8")


def test_shards_of_unequal_files(tmp_path: Path) -> None:
    """Said before anything is done, by every shard."""
    (tmp_path / "a").write_text("1\n2\n3\n")
    (tmp_path / "b").write_text("1\n2\n")
    with pytest.raises(MismatchError, match=r"a has 3 sentences but .*b has 2"):
        cut([tmp_path / "a", tmp_path / "b"], "parallel", Shard(1, 3))


def test_shards_refuse_to_cut_a_block_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n4\n")
    (tmp_path / "b").write_text("S 1\n\nS 2\nS 3\n\nS 4\n\n")
    text = scan(str(tmp_path / "a"), "parallel", encoding="utf-8")
    m2 = scan(str(tmp_path / "b"), "m2", encoding="utf-8")
    portion = Portion.of([text, m2], Shard(2, 2))
    with pytest.raises(GecevalError, match="sentence 3 is in the middle of a block"):
        m2.open(portion.first, portion.last, findings=None, encoding="utf-8")


def test_shards_count_what_they_read(tmp_path: Path) -> None:
    """An unusual layout is refused rather than misread."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n  {"a": 2}\n{"a": 3}\n')
    file = scan(str(path), sharding.OBJECTS, encoding="utf-8")
    portion = Portion.of([file], Shard(1, 1))
    with pytest.raises(GecevalError, match="should have 2 sentences, but 3 or more were read"):
        list(portion.checked(range(3)))
    with pytest.raises(GecevalError, match="should have 2 sentences, but 1 or more"):
        list(portion.checked(range(1)))
