"""``geceval gate`` and ``geceval power``."""

from __future__ import annotations

import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from geceval.cli import main


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the example data, and make a report on it."""
    folder = tmp_path_factory.mktemp("example")
    with as_file(files("geceval") / "data" / "demo") as demo:
        shutil.copytree(demo, folder, dirs_exist_ok=True)
    systems = [str(folder / f"{name}.txt") for name in ("careful", "eager")]
    arguments = ["report", "--gold", str(folder / "gold.m2"), *systems, "-m", "m2"]
    done = CliRunner().invoke(main, [*arguments, "-o", str(folder / "stored.html")])
    assert done.exit_code == 0, done.output
    return folder


def gate(example: Path, baseline: str, *systems: str, more: tuple[str, ...] = ()) -> Result:
    name, sign, file = baseline.rpartition("=")
    arguments = ["gate", "--gold", str(example / "gold.m2")]
    arguments += ["--baseline", f"{name}{sign}{example / file}"]
    arguments += [str(example / system) for system in systems]
    return CliRunner().invoke(main, [*arguments, *more])


def record(result: Result) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_gate_exit_codes(example: Path) -> None:
    worse = gate(example, "careful.txt", "eager.txt")
    assert worse.exit_code == 3
    assert worse.stdout.rstrip().endswith("FAILED")
    better = gate(example, "eager.txt", "careful.txt", more=("--fail-if", "worse"))
    assert better.exit_code == 0
    assert better.stdout.rstrip().endswith("passed")
    assert (
        gate(example, "eager.txt", "careful.txt", more=("--fail-if", "not-better")).exit_code == 0
    )
    margin = ("--margin", "1", "--non-inferior")
    assert gate(example, "eager.txt", "careful.txt", more=margin).exit_code == 0
    assert gate(example, "careful.txt", "eager.txt", more=margin).exit_code == 3
    assert gate(example, "careful.txt", "eager.txt", more=("--margin", "50")).exit_code == 0


def test_gate_json_equals_compare(example: Path) -> None:
    metrics = ("-m", "m2,gleu", "--resamples", "500", "--json")
    data = record(gate(example, "careful.txt", "eager.txt", more=metrics))
    arguments = ["compare", "--gold", str(example / "gold.m2"), *metrics]
    files = [str(example / "careful.txt"), str(example / "eager.txt")]
    rows = json.loads(CliRunner().invoke(main, [*arguments, *files]).stdout)["comparisons"]
    assert (data["passed"], data["fail_if"], data["alpha"]) == (False, "worse", 0.05)
    assert (data["margin_points"], data["margin"], data["resamples"]) == (0, 0, 500)
    for check, row in zip(data["checks"], rows, strict=True):
        for name in ("metric", "difference", "interval", "p", "signature"):
            assert check[name] == row[name]
        assert check["p_adjusted"] == pytest.approx(min(1.0, 2 * check["p"]), rel=0.51)
        assert check["difference"] == check["score"] - check["baseline_score"]
    assert [check["passed"] for check in data["checks"]] == [False, True]
    assert [check["verdict"] for check in data["checks"]] == ["worse", "not significant"]


def test_gate_margin_is_in_points(example: Path) -> None:
    data = record(gate(example, "careful.txt", "eager.txt", more=("--margin", "0.5", "--json")))
    assert (data["margin_points"], data["margin"], data["test"]) == (0.5, 0.005, "bootstrap")
    help_text = CliRunner().invoke(main, ["gate", "--help"], terminal_width=200).output
    assert "0.5 is half a point, 0.005 in the score" in help_text


@pytest.mark.parametrize(("margin", "code"), [("0.005", "small-margin"), ("30", "large-margin")])
def test_gate_warns_of_unusual_margins(example: Path, margin: str, code: str) -> None:
    assert (
        f"({code})" in gate(example, "careful.txt", "eager.txt", more=("--margin", margin)).stderr
    )


def test_gate_baseline_in_a_results_file(example: Path) -> None:
    """The stored output is scored anew, and gives the same checks as the file did."""
    plain = record(gate(example, "careful.txt", "eager.txt", more=("--json",)))
    stored = gate(example, "careful=stored.json", "eager.txt", more=("--json",))
    assert stored.exit_code == 3
    assert record(stored) == plain
    other = gate(example, "careful=stored.json", "eager.txt", more=("--beta", "1"))
    assert "m2 of careful is" in other.stderr
    assert "0.7704 in" in other.stderr


def test_gate_refuses_results_of_another_gold_standard(example: Path, tmp_path: Path) -> None:
    text = (example / "gold.m2").read_text(encoding="utf-8")
    (tmp_path / "gold.m2").write_text(text.replace("R:PREP", "R:OTHER"), encoding="utf-8")
    arguments = ["gate", "--gold", str(tmp_path / "gold.m2"), str(example / "eager.txt")]
    result = CliRunner().invoke(
        main, [*arguments, "--baseline", f"careful={example / 'stored.json'}"]
    )
    assert result.exit_code == 1
    assert "another gold standard" in result.output


def test_gate_refuses_results_of_other_tokens(tmp_path: Path) -> None:
    """The files are the same, but geceval tokenized the texts when they were scored."""
    raw = {"src": "I likes it.\nHe go home.\n", "ref": "I like it.\nHe goes home.\n"}
    for name, text in {**raw, "old": raw["ref"], "new": raw["src"]}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    src, ref, old, new = (str(tmp_path / f"{name}.txt") for name in ("src", "ref", "old", "new"))
    inputs = ["--src", src, "--ref", ref, "-m", "gleu"]
    page = str(tmp_path / "stored.html")
    done = CliRunner().invoke(main, ["report", *inputs, old, "--tokenize", "-o", page])
    assert done.exit_code == 0, done.output
    arguments = ["gate", *inputs, new, "--baseline", str(tmp_path / "stored.json")]
    assert CliRunner().invoke(main, [*arguments, "--tokenize"]).exit_code == 0
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert "such as --tokenize" in result.output


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ("stored.json", "results of several systems (careful, eager); choose one"),
        ("carefull=stored.json", "did you mean 'careful'"),
        ("eager=stored.json", "are called 'eager'"),
        ("none.json", "cannot be read"),
        ("x=gold.json", "not a results file"),
    ],
)
def test_gate_bad_results_files(example: Path, baseline: str, message: str) -> None:
    (example / "gold.json").write_text((example / "gold.m2").read_text(encoding="utf-8"))
    result = gate(example, baseline, "eager.txt")
    assert result.exit_code == 1
    assert message in result.output.replace("\n", " ")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--non-inferior",), "--non-inferior needs --margin"),
        (("--non-inferior", "--margin", "1", "--fail-if", "not-better"), "allows no loss"),
        (("--fail-if", "not-better", "--margin", "1"), "allows no loss"),
        (("--margin", "-1"), "not in the range"),
        (("--margin", "nan"), "is not a number"),
        (("--margin", "101"), "not in the range"),
        (("--alpha", "5"), "not in the range"),
        (("--fail-if", "better"), "is not one of"),
        (("--resamples", "10"), "the gate decides nothing; use 25"),
        (("--resamples", "0"), "the gate decides nothing"),
        (("--summary", "-", "--json"), "both print to standard output"),
        (("--confidence", "0.9"), "No such option"),
    ],
)
def test_gate_bad_usage(example: Path, more: tuple[str, ...], message: str) -> None:
    result = gate(example, "careful.txt", "eager.txt", more=more)
    assert result.exit_code == 2
    assert message in result.output


def test_gate_needs_a_baseline_and_a_system(example: Path) -> None:
    gold = str(example / "gold.m2")
    one = str(example / "eager.txt")
    assert "--baseline" in CliRunner().invoke(main, ["gate", "--gold", gold, one]).output
    result = CliRunner().invoke(main, ["gate", "--gold", gold, "--baseline", one])
    assert result.exit_code == 2


def test_gate_notes_equal_outputs_and_names_them_apart(example: Path, tmp_path: Path) -> None:
    """In CI, both files often have the same name in different folders."""
    copy = tmp_path / "careful.txt"
    copy.write_bytes((example / "careful.txt").read_bytes())
    result = gate(example, "careful.txt", str(copy), more=("--json",))
    assert result.exit_code == 0
    data = record(result)
    assert (data["checks"][0]["baseline"], data["checks"][0]["system"]) == ("baseline", "careful")
    assert data["warnings"] == ["careful has the same output as the baseline"]


def test_gate_writes_markdown_and_junit(example: Path, tmp_path: Path) -> None:
    summary, junit = tmp_path / "gate.md", tmp_path / "gate.xml"
    files = ("--summary", str(summary), "--junit", str(junit), "-m", "m2,gleu")
    hostile = f"a<b>|&\x1b`*\"'={example / 'careful.txt'}"
    arguments = ["gate", "--gold", str(example / "gold.m2"), "--baseline", hostile]
    result = CliRunner().invoke(main, [*arguments, str(example / "eager.txt"), *files])
    assert result.exit_code == 3
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("### geceval gate: ❌ failed\n")
    assert "| MaxMatch (M²) | eager | 0.7704 | 0.6360 | -0.1345 |" in text
    assert "m2|sents:120" in text
    root = etree.fromstring(junit.read_bytes())
    [suite] = root
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    first, second = suite
    assert first.get("classname") == "geceval.gate.m2"
    assert first.get("name") == "eager against a<b>|&\\x1b`*\"'"
    assert "significantly below the baseline" in (first[0].get("message") or "")
    assert [child.tag for child in second] == ["system-out"]
    printed = gate(example, "eager.txt", "careful.txt", more=("--summary", "-"))
    assert printed.stdout.startswith("### geceval gate: ✅ passed\n")


def test_gate_does_not_write_over_its_inputs(example: Path) -> None:
    for option in ("--summary", "--junit"):
        for name in ("careful.txt", "eager.txt", "gold.m2"):
            before = (example / name).read_bytes()
            more = (option, str(example / name))
            assert gate(example, "careful.txt", "eager.txt", more=more).exit_code in (1, 2)
            assert (example / name).read_bytes() == before
    more = ("--summary", str(example / "stored.json"))
    assert gate(example, "careful=stored.json", "eager.txt", more=more).exit_code in (1, 2)


def power(example: Path, *arguments: str) -> Result:
    files = [str(example / f"{name}.txt") for name in ("careful", "eager")]
    gold = str(example / "gold.m2")
    return CliRunner().invoke(main, ["power", "--gold", gold, *files, *arguments])


def test_power_json_and_table(example: Path) -> None:
    data = record(power(example, "-m", "m2,gleu", "--json"))
    assert (data["alpha"], data["power"], data["resamples"]) == (0.05, 0.8, 2000)
    for pair in data["pairs"]:
        assert (pair["first"], pair["second"], pair["sentences"]) == ("careful", "eager", 120)
        assert 0 < pair["standard_error"] < pair["detectable"] < 0.2
        seen = abs(pair["difference"])
        # A difference that is larger than the detectable one needs fewer sentences.
        assert (pair["needed_sentences"] < 120) == (seen > pair["detectable"])
    shown = power(example).stdout
    assert "MaxMatch (M²): detectable differences" in shown
    assert "sentences needed" in shown
    assert power(example, "--tsv").stdout.startswith("first\tsecond\tsentences\tdifference\t")


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (("--power", "80"), 2, "not in the range"),
        (("--alpha", "0"), 2, "not in the range"),
        (("--resamples", "1"), 2, "at least two resamples"),
        (("--json", "--tsv"), 2, "exclude each other"),
    ],
)
def test_power_bad_usage(example: Path, more: tuple[str, ...], code: int, message: str) -> None:
    result = power(example, *more)
    assert result.exit_code == code
    assert message in result.output


def test_power_of_one_system_or_the_same_twice(example: Path) -> None:
    gold, one = str(example / "gold.m2"), str(example / "eager.txt")
    result = CliRunner().invoke(main, ["power", "--gold", gold, one])
    assert (result.exit_code, "two systems" in result.output) == (2, True)
    result = CliRunner().invoke(main, ["power", "--gold", gold, one, f"same={one}"])
    assert result.exit_code == 1
    assert "compare systems with different outputs" in result.output
