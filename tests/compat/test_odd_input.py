"""Replacements refuse what means nothing, and read odd files as the originals did."""

from __future__ import annotations

from pathlib import Path

import pytest

from geceval.compat import run_tool

LINE = "REQUIRED|||-NONE-"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "src": "a b\nc\n",
        "ref": "a x\nc\n",
        "hyp": "a x\nd\n",
        "empty": "",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


FILES = {
    "compute_gleu": ["-s", "src", "-r", "ref", "ref", "-o", "hyp"],
    "compute_gleu_2015": ["-s", "src", "-r", "ref", "ref", "-o", "hyp"],
    "jfleg_gleu": ["-s", "src", "-r", "ref", "ref", "--hyp", "hyp"],
    "gleu": ["-s", "src", "-r", "ref", "ref", "-o", "hyp"],
    "sgleu": ["-s", "src", "-r", "ref", "ref", "-o", "hyp"],
    "mgleu": ["-s", "src", "-r", "ref", "ref", "-o", "hyp"],
}


@pytest.mark.parametrize("tool", FILES)
@pytest.mark.parametrize("option", ["-n 0", "-n -1", "--iter 0", "--iter -3", "-n x"])
@pytest.mark.usefixtures("folder")
def test_numbers_that_mean_nothing_are_wrong_usage(tool: str, option: str) -> None:
    assert run_tool(tool, FILES[tool]).code == 0
    done = run_tool(tool, [*FILES[tool], *option.split()])
    assert (done.code, done.out) == (2, [])
    assert "usage: " in done.err[-1]


@pytest.mark.parametrize("tool", FILES)
@pytest.mark.usefixtures("folder")
def test_gleu_of_nothing_is_no_number(tool: str) -> None:
    words = ["empty" if word in ("src", "ref", "hyp") else word for word in FILES[tool]]
    done = run_tool(tool, words)
    assert (done.code, done.out) == (1, [])
    assert "empty has no sentences" in "".join(done.err)
    none = [word for word in FILES[tool] if word != "ref"]
    assert (run_tool(tool, none).code, run_tool(tool, none).out) == (2, [])


@pytest.mark.parametrize(
    "command",
    ["m2scorer empty empty", "errant_compare -hyp empty -ref empty", "m2_to_ixml -in:empty"],
)
@pytest.mark.usefixtures("folder")
def test_a_gold_standard_of_nothing_is_refused(command: str) -> None:
    tool, *words = command.split()
    done = run_tool(tool, words)
    assert (done.code, done.out) == (1, [])
    assert "empty has no sentences" in "".join(done.err)


def test_m2scorer_shows_each_sentence_of_a_block_with_its_own_edits(folder: Path) -> None:
    (folder / "gold.m2").write_text(
        f"S a b c\nS d e f\nA 0 1|||T|||x|||{LINE}|||0\nA 4 5|||T|||y|||{LINE}|||0\n\n",
        encoding="utf-8",
    )
    (folder / "out").write_text("x b c\nd y f\n", encoding="utf-8")
    done = run_tool("m2scorer", ["-v", "out", "gold.m2"])
    gold = [line for line in "".join(done.out).splitlines() if line.startswith("GOLD EDITS    :")]
    assert gold == [
        "GOLD EDITS    : [(0, 1, u'a', [u'x'])]",
        "GOLD EDITS    : [(1, 2, u'e', [u'y'])]",
    ]
    assert "several 'S ' lines" in "".join(done.err)


def test_m2scorer_does_not_show_an_edit_that_it_drops(folder: Path) -> None:
    (folder / "gold.m2").write_text(
        f"S a\nA 0 1|||T|||x|||{LINE}|||0\nA 5 6|||T|||y|||{LINE}|||0\n\n", encoding="utf-8"
    )
    (folder / "out").write_text("x\n", encoding="utf-8")
    done = run_tool("m2scorer", ["-v", "out", "gold.m2"])
    shown = "".join(done.out)
    assert "GOLD EDITS    : [(0, 1, u'a', [u'x'])]\n" in shown
    assert "# gold        : 1\n" in shown
    assert "out of range" in "".join(done.err)


def test_ieval_splits_at_ascii_spaces_only(folder: Path) -> None:
    (folder / "gold.xml").write_text(
        '<scripts><script id="7"><sentence id="a-1" numann="1">'
        "<text>He  go\u00a0home &amp; x</text>"
        '<error-list><error id="1" req="yes" type="V"><alt ann="0">'
        '<c start="1" end="2">goes\u00a0home</c></alt></error></error-list></sentence></script>'
        "</scripts>",
        encoding="utf-8",
    )
    (folder / "out").write_text("He goes\u00a0home & x\n", encoding="utf-8")
    done = run_tool("ieval", ["-ref:gold.xml", "-hyp:out", "-v", "-per-sent"])
    lines = "".join(done.out).splitlines()
    # Four words, not five, and the text and its name as they stand in the file.
    assert "Sentence a-1 : He  go\u00a0home & x" in lines
    assert "a-1     Cor        1       3       0       0       0" in "".join(lines)
    assert "".join(done.err).count("U+00A0 stays inside a word") == 2
    # Without -per-sent, its heading and rows are missing and nothing else.
    without = run_tool("ieval", ["-ref:gold.xml", "-hyp:out", "-v"])
    rest = [line for line in lines if not line.startswith("a-1 ")]
    assert "".join(without.out).splitlines() == rest[:8] + rest[13:]


@pytest.mark.parametrize("option", ["-auto", "-gold"])
def test_errant_m2_old_cats_keeps_the_types_of_marks(option: str, folder: Path) -> None:
    pytest.importorskip("spacy")
    (folder / "in.m2").write_text(
        f"S She goes home\nA 1 2|||Um||||||{LINE}|||0\nA 3 3|||Mec|||.|||{LINE}|||0\n"
        f"A -1 -1|||noop|||-NONE-|||{LINE}|||0\n\n",
        encoding="utf-8",
    )
    done = run_tool("errant_m2", [option, "-old_cats", "in.m2", "-out", "out.m2"])
    assert done.code == 0
    kind = "M:PUNCT" if option == "-auto" else "Mec"
    assert (folder / "out.m2").read_text(encoding="utf-8") == (
        f"S She goes home\nA 1 2|||Um||||||{LINE}|||0\nA 3 3|||{kind}|||.|||{LINE}|||0\n\n"
    )
    assert "1 noop lines beside edits" in "".join(done.err)


def test_errant_parallel_makes_no_tokens_of_spaces(folder: Path) -> None:
    pytest.importorskip("spacy")
    (folder / "raw").write_text("I go home.  He go too.\n", encoding="utf-8")
    (folder / "cor").write_text("I go home. He goes too.\n", encoding="utf-8")
    done = run_tool("errant_parallel", ["-orig", "raw", "-cor", "cor", "-out", "out.m2", "-tok"])
    assert (folder / "out.m2").read_text(encoding="utf-8") == (
        f"S I go home . He go too .\nA 5 6|||R:VERB:SVA|||goes|||{LINE}|||0\n\n"
    )
    assert "1 lines have several spaces in a row" in "".join(done.err)
