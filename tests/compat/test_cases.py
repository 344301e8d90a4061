"""Replacements print what the original tools printed, to the byte."""

from __future__ import annotations

import gzip
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from conftest import find_shared_data
from geceval.cli import main
from geceval.compat import ALIASES, TOOLS, run_tool
from geceval.compat.treebank import treebank_tokens

DATA = find_shared_data()
NOT_INPUTS = {
    "cmd.txt", "stdout.txt", "stdout.txt.gz", "stderr.txt", "stderr-last-line.txt", "exit.txt",
    "stdin.txt", "out",
}  # fmt: skip
REFUSED = ("too-few-lines", "lengths-differ")
"""Cases in which the original printed a wrong number, or nothing but a traceback."""


def cases() -> list[Path]:
    if DATA is None:
        return []
    found = (case for case in sorted((DATA / "compat").glob("*/*")) if case.is_dir())
    return [case for case in found if words_of(case)[0] in {*TOOLS, *ALIASES}]


def words_of(case: Path) -> list[str]:
    return shlex.split((case / "cmd.txt").read_text(encoding="utf-8"))


def content(path: Path) -> bytes | None:
    if path.exists():
        return path.read_bytes()
    packed = path.with_name(f"{path.name}.gz")
    return gzip.decompress(packed.read_bytes()) if packed.exists() else None


def prepare(case: Path, folder: Path) -> None:
    assert DATA is not None
    for path in case.iterdir():
        if path.name not in NOT_INPUTS:
            shutil.copy(path, folder / path.name)
    for name, target in (("gold", "conll14/gold"), ("systems", "conll14/systems")):
        (folder / name).symlink_to(DATA / target)
    (folder / "jfleg").symlink_to(DATA / "jfleg")


@pytest.mark.skipif(DATA is None, reason="shared data not found: set GECEVAL_DATA")
@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.parent.name}/{case.name}")
def test_output_is_that_of_the_original(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    given = io.BytesIO(content(case / "stdin.txt") or b"")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(given, encoding="utf-8"))
    tool, *arguments = words_of(case)
    done = run_tool(tool, arguments)
    out, err = "".join(done.out).encode(), "".join(done.err).encode()
    code = int((case / "exit.txt").read_text()) if (case / "exit.txt").exists() else 0
    if case.name.endswith(REFUSED):
        assert (done.code, out) == (1, b"")
        assert re.search(rb"error: .*\d", err)
        return
    assert done.code == code, err
    compare = COMPARISONS.get(f"{case.parent.name}/{case.name}", equal)
    compare(out, content(case / "stdout.txt") or b"")
    if (said := content(case / "stderr.txt")) is not None:
        assert said in err
    for path in sorted((case / "out").glob("*")) if (case / "out").exists() else ():
        name = path.name.removesuffix(".gz")
        compare((tmp_path / name).read_bytes(), content(case / "out" / name) or b"")


def equal(found: bytes, expected: bytes) -> None:
    assert found == expected


def as_many_edits(found: bytes, expected: bytes) -> None:
    """Of equally good edits, the original takes any: as many as ours in each sentence."""
    ours, theirs = (text.decode().split("\n\n") for text in (found, expected))
    assert [block.count("\nA ") for block in ours] == [block.count("\nA ") for block in theirs]


NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def same_numbers(found: bytes, expected: bytes) -> None:
    """Counters and dictionaries are compared by the numbers in them, other lines to the byte."""
    ours, theirs = found.splitlines(), expected.splitlines()
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        if b"{" in other:
            numbers = [sorted(map(float, NUMBER.findall(line))) for line in (one, other)]
            assert numbers[0] == pytest.approx(numbers[1], abs=1e-12)
        else:
            assert one == other


TYPES = re.compile(rb'type="([^"]*)"')


def same_types(found: bytes, expected: bytes) -> None:
    """The types of an error come in any order."""

    def sorted_types(text: bytes) -> bytes:
        return TYPES.sub(lambda match: b"/".join(sorted(match[1].split(b"/"))), text)

    assert sorted_types(found) == sorted_types(expected)


def without_none(found: bytes, expected: bytes) -> None:
    """The original takes ``-NONE-`` for a word; we write an empty correction."""
    same_types(found, re.sub(rb">-NONE-</c>", b" />", expected))


COMPARISONS = {
    "edit_creator/verbose-unchanged-2": as_many_edits,
    "ieval/verbose": same_numbers,
    "m2_to_ixml/named": same_types,
    "m2_to_ixml/default-name": without_none,
}
"""What is not compared to the byte."""


def test_the_command_prints_bytes_and_returns_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text("S é a\nA 0 1|||T|||b|||REQUIRED|||-NONE-|||0\n\n", "utf-8")
    (tmp_path / "out.txt").write_text("b a\n", "utf-8")
    for words, code, first in (
        (["m2scorer", "-v", "out.txt", "gold.m2"], 0, b">> Annotator: 0"),
        (["m2scorer"], 255, b""),
        (["m2scorer", "missing.txt", "gold.m2"], 1, b""),
        (["errant_compare"], 2, b""),
    ):
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "geceval", "compat", *words],
            cwd=tmp_path, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert done.stdout.startswith(first)
        assert b"Traceback" not in done.stderr
        assert done.stderr or code == 0


def test_launchers_are_installed_once(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    assert CliRunner().invoke(main, ["compat", "--install", str(folder)]).exit_code == 0
    assert {path.name for path in folder.iterdir()} == {*TOOLS, *ALIASES}
    (tmp_path / "gold.m2").write_text("S a\n\n")
    (tmp_path / "out.txt").write_text("a\n")
    done = subprocess.run(  # noqa: S603 - our own program
        [str(folder / "m2scorer.py"), "out.txt", "gold.m2"],
        cwd=tmp_path, capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout.startswith("Precision   : 1.0000\n")
    again = CliRunner().invoke(main, ["compat", "--install", str(folder)])
    assert again.exit_code != 0


def test_treebank_tokens_are_those_of_nltk() -> None:
    from nltk.tokenize import TreebankWordTokenizer

    tokenizer = TreebankWordTokenizer()
    for text in (
        '"no"', "can't leave", "He said ''so''", "cannot", "gonna, wanna go", "'tis", "a.b.",
        "(a) [b] {c} <d>", "x--y ...", "the boys' toys", "we'll they've I'd", '"', "'", "''", "",
        'say "it" now', "What?!", "e.g. this.", "more'n d'ye gimme lemme gotta", "it's 'quoted'",
        "$5 & 6%", "1,000:2",
    ):  # fmt: skip
        assert treebank_tokens(text) == tokenizer.tokenize(text), text


@given(st.text("ab'\".,:;!?()[]<>-` nt&", max_size=12))
def test_treebank_tokens_of_any_text(text: str) -> None:
    from nltk.tokenize import TreebankWordTokenizer

    assert treebank_tokens(text) == TreebankWordTokenizer().tokenize(text)


def test_xml_of_conll14_is_that_of_the_original(shared_data: Path, tmp_path: Path) -> None:
    for path in sorted((shared_data / "conll14" / "gold").glob("*.ieval.xml")):
        source = path.with_name(path.name.removesuffix(".ieval.xml") + ".m2")
        if source.exists():
            made = tmp_path / path.name
            assert run_tool("m2_to_ixml", [f"-in:{source}", f"-out:{made}"]).code == 0
            same_types(made.read_bytes(), path.read_bytes())
