"""The types that users of the API see, under mypy (as all of the tests are) and pyright.

The function below is checked by type checkers only; nothing calls it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import assert_type

import geceval
from geceval import Comparisons, Corpus, Edit, Hypothesis, Score, Scoreboard, Scores
from requirements import skip_or_fail


def types_of_the_api(lines: list[str], corpus: Corpus, hypothesis: Hypothesis) -> None:
    assert_type(geceval.score(lines, lines, lines), Score)
    assert_type(geceval.score(lines, lines, [lines, lines], "gleu"), Score)
    assert_type(geceval.score(hypothesis, corpus, metric=geceval.get_metric("m2")), Score)
    assert_type(geceval.score(lines, lines, lines, ["m2", "gleu"]), Scores)
    assert_type(geceval.score(Path("a.txt"), "gold.m2").value, float)
    assert_type(geceval.sentence_scores(lines, lines, lines), list[float])
    assert_type(geceval.sentence_scores(lines, lines, lines, ["m2"]), dict[str, list[float]])
    assert_type(geceval.evaluate({"ours": lines}, corpus), Scoreboard)
    assert_type(geceval.compare([hypothesis, hypothesis], corpus), Comparisons)
    assert_type(geceval.Scorer(lines, lines)(lines), Scores)
    assert_type(geceval.annotate("a", "b")[0], Edit)
    assert_type(geceval.annotate(lines, lines)[0][0], Edit)
    assert_type(geceval.metrics.M2(beta=1.0), geceval.metrics.M2)
    assert_type(geceval.load("gold.m2"), Corpus)


def test_typing_pyright_agrees() -> None:
    pyright = shutil.which("pyright")
    if pyright is None:
        skip_or_fail("pyright", "install it with 'npm install --global pyright'")
    root = Path(__file__).parents[2]
    command = [pyright, "--outputjson", "--pythonpath", sys.executable, str(Path(__file__))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)  # noqa: S603
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert [one for one in found if one["severity"] == "error"] == []
