"""Our ERRANT tools print what the installed originals print, on files with odd edits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from geceval.compat import run_tool

_ORIGINAL = "from errant.commands.compare_m2 import main; main()"
HYPOTHESIS = """\
S She go home
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0

S We like the cats
A 2 3|||U:DET|||-NONE-|||REQUIRED|||-NONE-|||0
A 4 4|||M:PUNCT|||.|||REQUIRED|||-NONE-|||2
A 2 3|||UNK|||the|||REQUIRED|||-NONE-|||2

S Fine

"""
REFERENCE = """\
S She go home
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||1
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
A 3 3|||M:PUNCT|||.|||REQUIRED|||-NONE-|||1

S We like the cats
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0

S Fine
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""


@pytest.mark.parametrize(
    "options",
    [
        ["-v"],
        ["-v", "-multi", "-cat", "1"],
        ["-v", "-single", "-cse", "-cat", "2"],
        ["-v", "-dt", "-filt", "M:PUNCT", "UNK"],
        ["-ds", "-b", "2", "-cat", "3"],
    ],
    ids=" ".join,
)
def test_errant_compare_counts_edits_beside_a_noop(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("errant")
    monkeypatch.chdir(tmp_path)
    Path("hyp.m2").write_text(HYPOTHESIS, encoding="utf-8")
    Path("ref.m2").write_text(REFERENCE, encoding="utf-8")
    words = ["-hyp", "hyp.m2", "-ref", "ref.m2", *options]
    original = subprocess.run(  # noqa: S603 - a program that is installed with geceval
        [sys.executable, "-c", _ORIGINAL, *words], check=True, capture_output=True, text=True
    )
    done = run_tool("errant_compare", words)
    assert "".join(done.out) == original.stdout
    assert "-NONE-: a word" in "".join(done.err)


def test_errant_m2_keeps_the_marks_of_an_annotator_who_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("errant")
    monkeypatch.chdir(tmp_path)
    Path("in.m2").write_text(
        "S She goes home\nA 1 2|||Um|||goes|||REQUIRED|||-NONE-|||0\n"
        "A 3 3|||Um||||||REQUIRED|||-NONE-|||1\nA 3 3|||Mec|||.|||REQUIRED|||-NONE-|||1\n\n",
        encoding="utf-8",
    )
    assert run_tool("errant_m2", ["-auto", "in.m2", "-out", "out.m2"]).code == 0
    assert Path("out.m2").read_text(encoding="utf-8") == (
        "S She goes home\nA 1 2|||UNK|||goes|||REQUIRED|||-NONE-|||0\n"
        "A 3 3|||UNK||||||REQUIRED|||-NONE-|||1\nA 3 3|||M:PUNCT|||.|||REQUIRED|||-NONE-|||1\n\n"
    )


def test_m2scorer_prints_the_source_line_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text("S a  b \n\n", encoding="utf-8")
    Path("out.txt").write_text("a b\n", encoding="utf-8")
    assert "SOURCE        : a  b\n" in "".join(
        run_tool("m2scorer", ["-v", "out.txt", "gold.m2"]).out
    )
