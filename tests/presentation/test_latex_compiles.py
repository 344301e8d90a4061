"""What ``--latex`` and ``--methods`` print is accepted by LaTeX and BibTeX."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from example_runner import copy_example_data
from geceval.cli import main
from requirements import skip_or_fail

PAGE = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\begin{document}
\input{scores}
\input{compared}
\input{methods}
\bibliographystyle{plain}
\bibliography{methods}
\end{document}
"""


def test_latex_of_odd_names_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("pdflatex") is None:
        skip_or_fail("latex", "pdflatex is not installed")
    copy_example_data(tmp_path)
    monkeypatch.chdir(tmp_path)
    systems = ["a_b & 100%=careful.txt", "Zoë #1^~{x}$\\y=eager.txt"]
    common = ["-m", "m2,gleu", "--gold", "gold.m2", *systems, "--resamples", "100"]

    def printed(*words: str) -> str:
        done = CliRunner().invoke(main, list(words))
        assert done.exit_code == 0, done.output
        return done.stdout

    Path("scores.tex").write_text(printed("score", *common, "--latex"), encoding="utf-8")
    Path("compared.tex").write_text(printed("compare", *common, "--latex"), encoding="utf-8")
    text, _, entries = printed("score", *common, "--methods").partition("% BibTeX:\n")
    Path("methods.tex").write_text(text[text.index("We ") :], encoding="utf-8")
    Path("methods.bib").write_text(entries, encoding="utf-8")
    Path("page.tex").write_text(PAGE, encoding="utf-8")
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    for command in (latex, ["bibtex", "page"], latex, latex):
        done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")
    log = Path("page.log").read_text(encoding="utf-8", errors="replace")
    assert "undefined" not in log
    assert Path("page.pdf").stat().st_size > 0
