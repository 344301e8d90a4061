"""``geceval score``."""

from __future__ import annotations

import csv
import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import geceval
from geceval.cli import main
from geceval.cli.score import score_tables
from geceval.evaluation.evaluate import Result as Scored
from geceval.metrics import registry
from geceval.metrics.imeasure import IMeasure
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Score, SentenceScores, Statistics
from geceval.metrics.wdiff import Wdiff
from geceval.model import Corpus, Sentence
from oracles import maxmatch as oracle

GOLD = """\
S He go to school yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||did go|||REQUIRED|||-NONE-|||1

S I likes cat .
A 1 2|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
GOOD = "He went to school yesterday .\nI like cat .\nAll is well .\n"
BAD = "He go to the school yesterday .\nI likes cat .\nAll is good .\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
    (tmp_path / "good.txt").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.txt").write_text(BAD, encoding="utf-8")
    return tmp_path


def run(files: Path, *arguments: str) -> Result:
    given = [arg.replace("@", f"{files}/") for arg in arguments]
    return CliRunner().invoke(main, ["score", "--gold", f"{files}/gold.m2", *given])


def loaded(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_score_json_is_the_contract(files: Path) -> None:
    data = loaded(run(files, "@good.txt", "@bad.txt", "--json", "--resamples", "100"))
    assert list(data) == ["schema", "results", "warnings"]
    assert data["schema"] == 1
    [warning] = data["warnings"]
    assert "2 of 3 sentences lack some annotator, 1 of them beside corrections" in warning
    good, bad = data["results"]
    precision, recall, f = oracle.f_score(2, 2, 3)
    assert good["interval"][0] <= f <= good["interval"][1]
    assert {key: good[key] for key in ("system", "metric", "score", "parts")} == {
        "system": "good",
        "metric": "m2",
        "score": f,
        "parts": {
            "correct": 2,
            "proposed": 2,
            "gold": 3,
            "precision": precision,
            "recall": recall,
        },
    }
    assert bad["score"] == 0.0
    assert good["signature"].startswith("m2|sents:3|refs:1-2|data:")
    assert "|beta:0.5|unchanged:2|level:correction" in good["signature"]


def test_score_without_resamples_has_no_interval(files: Path) -> None:
    data = loaded(run(files, "@good.txt", "--json", "--resamples", "0"))
    assert data["results"][0]["interval"] is None


def test_score_names_systems(files: Path) -> None:
    data = loaded(run(files, "ours=@good.txt", "@bad.txt", "--json", "--resamples", "0"))
    assert [result["system"] for result in data["results"]] == ["ours", "bad"]


def test_score_two_systems_of_one_name(files: Path) -> None:
    result = run(files, "@good.txt", "good=@bad.txt")
    assert result.exit_code == 1
    assert "two systems are called 'good'" in result.output


def test_score_table(files: Path) -> None:
    result = run(files, "@good.txt", "@bad.txt", "--resamples", "50")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert "MaxMatch (M²)" in lines[0]
    [good] = [line for line in lines if line.strip().startswith("good")]
    assert f"{oracle.f_score(2, 2, 3)[2]:.4f}" in good


def test_score_tsv(files: Path) -> None:
    result = run(files, "@good.txt", "--tsv", "--resamples", "0")
    header, row = [line.split("\t") for line in result.stdout.splitlines()]
    assert header == [
        *("system", "metric", "score", "low", "high"),
        *("correct", "proposed", "gold", "precision", "recall"),
    ]
    assert row[:2] + row[3:8] == ["good", "m2", "", "", "2", "2", "3"]


def test_score_latex_escapes_names(files: Path) -> None:
    result = run(files, "a_b&c=@good.txt", "--latex", "--resamples", "0")
    assert "\\begin{tabular}{lrrr}\n\\toprule" in result.stdout
    # Two of two proposed edits are correct, of three in the gold standard.
    assert "a\\_b\\&c & 100.00 & 66.67 & 90.91 \\\\" in result.stdout
    assert "\\bottomrule\n\\end{tabular}" in result.stdout


def test_score_latex_is_one_table_for_all_metrics(files: Path) -> None:
    data = loaded(run(files, "@good.txt", "@bad.txt", "-m", "m2,gleu", "--json"))
    result = run(files, "@good.txt", "@bad.txt", "-m", "m2,gleu", "--latex", "--decimals", "1")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\\begin{tabular}") == 1
    gleu = f"{100 * data['results'][2]['score']:.1f}"
    assert f"good & 100.0 & 66.7 & \\textbf{{90.9}} & \\textbf{{{gleu}}}" in result.stdout
    assert "paired approximate randomization with 1,000 resamples" in result.stdout
    signatures = {record["signature"] for record in data["results"]}
    assert {line[2:] for line in result.stdout.splitlines() if line.startswith("% ")} == signatures


def test_score_methods_names_metric_references_test_and_version(files: Path) -> None:
    result = run(files, "@good.txt", "@bad.txt", "--methods", "--test", "bootstrap")
    assert result.exit_code == 0, result.output
    paragraph, _, bibtex = result.stdout.partition("\n\n")
    assert f"geceval~{geceval.__version__}" in paragraph
    assert "against 1 to 2 references per sentence" in paragraph
    assert "paired bootstrap" in paragraph
    for keys in re.findall(r"\\cite\{([^}]*)\}", paragraph):
        for key in keys.split(","):
            assert f"{{{key},\n" in bibtex


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--baseline", "good"], 2, "--baseline needs --latex or --methods"),
        (["--test", "bootstrap"], 2, "--test needs --latex or --methods"),
        (["--decimals", "1"], 2, "--decimals needs --latex"),
        (["--methods", "--json"], 2, "--methods and --json exclude each other"),
        (["--latex", "--baseline", "goof"], 1, "did you mean 'good'"),
        (["--latex", "--baseline", "good"], 1, "at least two systems"),
        (["--latex", "--baseline", "good", "--resamples", "0"], 2, "needs resamples"),
    ],
)
def test_score_refuses_paper_options_without_effect(
    files: Path, arguments: list[str], code: int, message: str
) -> None:
    result = run(files, "@good.txt", *arguments)
    assert result.exit_code == code
    assert message in result.output


def test_score_per_sentence(files: Path) -> None:
    target = files / "sentences.tsv"
    result = run(files, "@good.txt", "--per-sentence", str(target), "--resamples", "0")
    assert result.exit_code == 0
    rows = list(csv.reader(target.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    assert rows[0] == [
        *("system", "sentence", "annotator", "score"),
        *("correct", "proposed", "gold", "precision", "recall"),
    ]
    assert rows[1] == ["good", "0", "0", "1.0", "1", "1", "1", "1.0", "1.0"]
    assert rows[2][:3] + rows[2][4:7] == ["good", "1", "0", "1", "1", "2"]
    assert float(rows[2][3]) == oracle.f_score(1, 1, 2)[2]
    assert rows[3] == ["good", "2", "0", "1.0", "0", "0", "0", "1.0", "1.0"]


def test_score_per_type(files: Path) -> None:
    data = loaded(run(files, "@good.txt", "--per-type", "--json", "--resamples", "0"))
    assert data["results"][0]["types"] == {
        "R:NOUN:NUM": {"correct": 0, "gold": 1, "recall": 0.0},
        "R:VERB:SVA": {"correct": 1, "gold": 1, "recall": 1.0},
        "R:VERB:TENSE": {"correct": 1, "gold": 1, "recall": 1.0},
    }
    shown = run(files, "@good.txt", "--per-type", "--resamples", "0").output
    assert "R:VERB:SVA" in shown
    assert "1 / 1  1.00" in shown


def test_score_verbose_marks_edits(files: Path) -> None:
    output = run(files, "@good.txt", "@bad.txt", "--verbose", "--resamples", "0").output
    assert "{go → went ✓}" in output
    assert "{cat → cats ○}" in output
    assert "{∅ → the ✗}" in output
    assert "{well → good ✗}" in output


def test_score_imeasure_shows_alignments(files: Path) -> None:
    output = run(files, "@good.txt", "-m", "imeasure", "-v", "--resamples", "0").output
    rows = [line.split() for line in output.splitlines()]
    place = rows.index(["good", "sentence", "1"])
    assert rows[place + 1 : place + 5] == [
        ["I", "likes", "cat", "."],
        ["I", "like", "cat", "."],
        ["I", "like", "cats", "."],
        ["TN", "TP", "FN", "TN"],
    ]


def test_score_several_metrics(files: Path) -> None:
    data = loaded(run(files, "@good.txt", "-m", "m2,wdiff", "--json", "--resamples", "0"))
    assert [result["metric"] for result in data["results"]] == ["m2", "wdiff"]
    target = files / "s.tsv"
    assert run(files, "@good.txt", "-m", "m2,wdiff", "--per-sentence", str(target)).exit_code == 0
    assert (files / "s.m2.tsv").exists()
    assert (files / "s.wdiff.tsv").exists()


def test_score_options_reach_the_metric(files: Path) -> None:
    data = loaded(
        run(
            files,
            "@good.txt",
            "--json",
            *("--beta", "1", "--level", "detection", "--missing-annotator", "noop"),
            *("-m", "m2(max-unchanged=0, bonus=with, ignore_whitespace_casing=yes)"),
            *("--resamples", "0"),
        )
    )
    signature = data["results"][0]["signature"]
    assert "beta:1|unchanged:0|level:detection|casing:ignored|bonus:with|missing:noop" in signature


def test_score_option_that_no_metric_knows(files: Path) -> None:
    result = run(files, "@good.txt", "-m", "wdiff", "--level", "detection")
    assert result.exit_code == 2
    assert "none of these metrics has the option level" in result.output


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["@missing.txt"], 1, "missing.txt: cannot be read: no such file or directory"),
        (["@good.txt", "-m", "m3"], 2, "unknown metric 'm3'; did you mean 'm2'?"),
        (["@good.txt", "--json", "--tsv"], 2, "exclude each other"),
        ([], 2, "Missing argument"),
        (["@good.txt", "-m", ","], 2, "name at least one metric"),
        (
            ["@good.txt", "--beta", "-1"],
            2,
            "m2: the option beta takes a number from 0 to 1000, not -1.0",
        ),
    ],
)
def test_score_bad_usage(files: Path, arguments: list[str], code: int, message: str) -> None:
    result = run(files, *arguments)
    assert result.exit_code == code
    assert message in result.output


def test_score_line_counts_must_agree(files: Path) -> None:
    (files / "short.txt").write_text("He went .\n", encoding="utf-8")
    result = run(files, "@short.txt")
    assert result.exit_code == 1
    assert "gold.m2 has 3 sentences but short has 1" in result.output
    assert "geceval check" in result.output


def test_score_empty_gold(files: Path) -> None:
    (files / "gold.m2").write_text("", encoding="utf-8")
    result = run(files, "@good.txt")
    assert result.exit_code == 1
    assert "has no sentences" in result.output


def test_score_gold_without_annotations(files: Path) -> None:
    (files / "gold.m2").write_text(GOOD, encoding="utf-8")
    result = run(files, "@good.txt", "--format", "parallel")
    assert result.exit_code == 1
    assert "has no annotations to score against" in result.output


def test_score_says_nothing_of_a_policy_that_was_asked_for(files: Path) -> None:
    data = loaded(run(files, "@good.txt", "--json", "--missing-annotator", "absent"))
    assert data["warnings"] == []


def test_score_warns_of_edits_past_the_end(files: Path) -> None:
    with (files / "gold.m2").open("a", encoding="utf-8") as file:
        file.write("\nS a\nA 3 4|||X|||b|||REQUIRED|||-NONE-|||0\n")
    with (files / "good.txt").open("a", encoding="utf-8") as file:
        file.write("a\n")
    data = loaded(run(files, "@good.txt", "--json", "--resamples", "0"))
    warning, _ = data["warnings"]
    assert "line 13: the edit 3 4 is out of range: the sentence ends at 1" in warning
    assert data["results"][0]["parts"]["gold"] == 3


def test_score_reads_hypotheses_from_m2(files: Path) -> None:
    (files / "system.m2").write_text(GOLD, encoding="utf-8")
    data = loaded(run(files, "@system.m2", "--json", "--resamples", "0"))
    assert data["results"][0]["score"] == 1.0


def test_score_uses_plug_in_metrics(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an installed package with the entry point would give."""
    point = EntryPoint("mine", "geceval.metrics.wdiff:Wdiff", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])  # noqa: ARG005
    registry._plugins.cache_clear()
    try:
        assert registry.metric_class("mine") is Wdiff
        assert "mine" in registry.metric_names()
        data = loaded(run(files, "@good.txt", "-m", "mine", "--json", "--resamples", "10"))
        assert data["results"][0]["parts"]["gold"] == 3
    finally:
        registry._plugins.cache_clear()


def test_score_references_from_plain_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(files / "cache"))
    (files / "src.txt").write_text("I likes cat .\nAll is well .\n", encoding="utf-8")
    (files / "ref.txt").write_text("I like cats .\nAll is well .\n", encoding="utf-8")
    arguments = ["--src", f"{files}/src.txt", "--ref", f"{files}/ref.txt", f"{files}/ref.txt"]
    result = CliRunner().invoke(main, ["score", "-m", "bleu,ld-reference", *arguments, "--json"])
    assert [entry["score"] for entry in loaded(result)["results"]] == [pytest.approx(1.0)] * 2
    every = CliRunner().invoke(
        main, ["score", "-m", "all", *arguments, "--json", "--resamples", "0"]
    )
    found = [entry["metric"] for entry in loaded(every)["results"]]
    assert "gleu" in found
    assert "m2" not in found
    refused = CliRunner().invoke(main, ["score", "-m", "m2", *arguments])
    assert refused.exit_code == 2
    assert "m2 compares annotators' edits" in refused.output


@pytest.mark.parametrize(
    "arguments", [[], ["--src", "@good.txt"], ["--gold", "@gold.m2", "--ref", "@good.txt"]]
)
def test_score_gold_or_references(files: Path, arguments: list[str]) -> None:
    given = [arg.replace("@", f"{files}/") for arg in (*arguments, "@good.txt")]
    result = CliRunner().invoke(main, ["score", "-m", "gleu", *given])
    assert result.exit_code == 2
    assert "--ref" in result.output


def test_score_options_in_place_reach_the_metric(files: Path) -> None:
    data = loaded(run(files, "@good.txt", "-m", "bleu(average=sentence)", "--json"))
    assert "sentence" in data["results"][0]["signature"]
    assert run(files, "@good.txt", "-m", "bleu(average)").exit_code == 2
    assert run(files, "@good.txt", "-m", "bleu(nothing=1)").exit_code == 2


def test_score_help_has_examples() -> None:
    result = CliRunner().invoke(main, ["score", "--help"])
    assert "geceval score --gold gold.m2 system.txt" in result.output


def test_score_names_the_sentences_that_reached_the_limit(tmp_path: Path) -> None:
    """In the warnings, in JSON, in the file by sentence; and tables stay rectangular."""
    rest = "|||REQUIRED|||-NONE-|||"
    gold = f"S a b c d\nA 0 1|||R|||x{rest}0\nA 1 2|||R|||y{rest}1\n"
    (tmp_path / "gold.m2").write_text(f"S a b\n\n{gold}\n")
    (tmp_path / "hard.txt").write_text("a b\nx y c e\n")
    (tmp_path / "same.txt").write_text("a b\na b c d\n")
    arguments = [
        "score", "--gold", str(tmp_path / "gold.m2"), "--resamples", "0",
        str(tmp_path / "hard.txt"), str(tmp_path / "same.txt"),
    ]  # fmt: skip
    note = (
        "the search for the best reference was cut short in {} (number {}), so the score may be "
        "too low; a higher limit than 1 steps may help"
    )
    expected = note.format("2 sentences", "1, 2")
    limited = [*arguments, "-m", "imeasure(limit=1)"]
    table = CliRunner().invoke(main, limited)
    assert table.exit_code == 0
    shown = " ".join(table.stderr.split())
    for system in ("hard", "same"):
        assert f"{system}: I-measure: {expected}" in shown
    assert "|limit:1|limited:2|version" in table.stdout
    record = json.loads(CliRunner().invoke(main, [*limited, "--json"]).stdout)
    assert [result["notes"] for result in record["results"]] == [[expected]] * 2
    assert any(expected in warning for warning in record["warnings"])
    target = tmp_path / "sentences.tsv"
    CliRunner().invoke(main, [*limited, "--per-sentence", str(target)])
    rows = list(csv.DictReader(target.read_text().splitlines(), delimiter="\t"))
    assert [row["limited"] for row in rows] == ["1"] * 4
    exact = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    assert all("notes" not in result for result in exact["results"])


def test_score_tables_have_the_parts_of_all_systems() -> None:
    view = SentenceScores(np.zeros(1, dtype=np.int64), np.zeros(1), {})
    read = Provenance.of_sources(Corpus((Sentence(("Fine",)),)))
    results = [
        Scored(
            IMeasure(),
            Score("imeasure", 0.5, parts, "signature", view, system=name),
            Statistics(np.zeros((1, 1, 1)), np.ones((1, 1), dtype=bool), ("tp",), ("0",), read),
        )
        for name, parts in (("first", {"tp": 1}), ("second", {"tp": 2, "limited": 3}))
    ]
    (table,) = score_tables(results)
    assert table.header[-2:] == ("tp", "limited")
    assert [row[-2:] for row in table.rows] == [(1, None), (2, 3)]
