"""``geceval report``."""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.metadata import PackageNotFoundError
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.cli._shared.report_files import write_outputs
from geceval.cli._shared.show import Stages
from geceval.engines import threads
from report_examples import many_results
from running import run_geceval

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

QUICK = ("-m", "m2,gleu", "--resamples", "20")
SYSTEMS = ("careful", "eager", "unchanged")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder, and with a cache, that are new."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def demo() -> Path:
    return Path(str(files("geceval") / "data" / "demo"))


@pytest.fixture
def inputs(demo: Path) -> list[str]:
    systems = [str(demo / f"{name}.txt") for name in SYSTEMS]
    return ["--gold", str(demo / "gold.m2"), *systems]


def report(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["report", *arguments])


def test_report_writes_page_and_results(inputs: list[str], demo: Path, folder: Path) -> None:
    result = report(*inputs, *QUICK)
    assert result.exit_code == 0, result.output
    assert "report   report.html" in result.output
    assert "results  report.json" in result.output
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["systems"] == list(SYSTEMS)
    assert list(data["scores"]) == ["m2", "gleu"]
    assert data["title"] == "Corrections of gold.m2"
    assert data["settings"] == {
        "level": 0.95,
        "resamples": 20,
        "test_resamples": 75,
        "seed": 12345,
        "test": "randomization",
    }
    assert [one["role"] for one in data["inputs"]] == ["gold", *["system"] * 3]
    gold = (demo / "gold.m2").read_bytes()
    assert data["inputs"][0]["sha256"] == hashlib.sha256(gold).hexdigest()


def test_report_is_made_again_from_results(inputs: list[str], folder: Path) -> None:
    report(*inputs, *QUICK, "-o", "one.html")
    before = (folder / "one.json").read_bytes()
    result = report("one.json", "-o", "two.html")
    assert result.exit_code == 0, result.output
    assert (folder / "one.html").read_bytes() == (folder / "two.html").read_bytes()
    assert (folder / "one.json").read_bytes() == before
    assert not (folder / "two.json").exists()
    report("one.json", "-o", "three.html", "--title", "Anew & <b>", "--results", "three.json")
    assert json.loads((folder / "three.json").read_text(encoding="utf-8"))["title"] == "Anew & <b>"
    assert "Anew &amp; &lt;b&gt;" in (folder / "three.html").read_text(encoding="utf-8")


def test_report_writes_tables_and_figures(inputs: list[str], folder: Path) -> None:
    result = report(*inputs, *QUICK, "--no-results", "--tables", "t", "--figures", "f/g")
    assert result.exit_code == 0, result.output
    assert not (folder / "report.json").exists()
    assert (folder / "t" / "scoreboard.tex").is_file()
    assert (folder / "f" / "g" / "outcomes.pdf").is_file()
    assert "tables   t: " in result.output
    assert "figures  f/g: " in result.output


def test_report_writes_embed_and_summary(inputs: list[str], folder: Path) -> None:
    made = report(*inputs, *QUICK, "--embed", "board.html", "--summary", "board.md")
    assert made.exit_code == 0, made.output
    assert "embed    board.html (" in made.output
    assert "summary  board.md" in made.output
    page = (folder / "board.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 200_000
    summary = (folder / "board.md").read_text(encoding="utf-8")
    assert summary.startswith("## Corrections of gold.m2\n\ncareful ")
    again = report("report.json", "-o", "again.html", "--summary", "-")
    assert again.exit_code == 0, again.output
    assert again.stdout == summary


def test_report_itself_is_small_without_a_file_to_embed(inputs: list[str], folder: Path) -> None:
    assert report(*inputs, *QUICK, "--embed", "board.html").exit_code == 0
    made = report("report.json", "--embed", "-o", "small.html")
    assert made.exit_code == 0, made.output
    assert (folder / "small.html").read_bytes() == (folder / "board.html").read_bytes()


@pytest.mark.parametrize(("n_systems", "is_large"), [(12, False), (25, True)])
def test_report_warns_of_a_large_page_to_embed(
    capsys: pytest.CaptureFixture[str], n_systems: int, is_large: bool
) -> None:
    with Stages() as stages:
        write_outputs(many_results(n_systems, 22), stages, "small.html", is_small=True)
    size = Path("small.html").stat().st_size
    warning = (
        f"warning: small.html takes {size / 1e3:.0f} kB, more than 200 kB; "
        "fewer systems or metrics (-m) make it smaller"
    )
    assert (size > 200_000) == is_large
    assert capsys.readouterr().err.strip() == (warning if is_large else "")


def test_report_accepts_names_of_object_properties(inputs: list[str], folder: Path) -> None:
    """What was written can be read again."""
    gold, path, first, *_ = inputs
    made = report(gold, path, f"__proto__={first}", inputs[3], *QUICK)
    assert made.exit_code == 0, made.output
    again = report("report.json", "-o", "again.html")
    assert again.exit_code == 0, again.output
    assert (folder / "again.html").read_bytes() == (folder / "report.html").read_bytes()


def test_report_embeds_no_output_of_a_system(inputs: list[str], folder: Path) -> None:
    (folder / "careful.txt").write_bytes(b"A sentence .\n")
    made = report(*inputs[:2], *QUICK, "--embed", "careful.txt", *inputs[3:])
    assert made.exit_code == 2
    assert "--embed careful.txt: the name of a page must end in .html" in made.output
    assert (folder / "careful.txt").read_bytes() == b"A sentence .\n"


@pytest.mark.parametrize("option", ["--embed", "--summary"])
def test_report_writes_no_two_things_to_one_file(inputs: list[str], option: str) -> None:
    twice = report(*inputs, *QUICK, "-o", "page.html", option, "page.html")
    assert twice.exit_code == 2
    assert "page.html would be written over; choose another name" in twice.output
    both = report(*inputs, *QUICK, "-o", "-", option, "-")
    assert both.exit_code == 2
    empty = report(*inputs, *QUICK, option, "")
    assert empty.exit_code == 2
    assert "the name of a file to write is empty" in empty.output


def test_report_scores_systems_with_equal_references(inputs: list[str], folder: Path) -> None:
    result = report(*inputs, *QUICK, "--equal-references")
    assert result.exit_code == 0, result.output
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    for metric, fewer in data["equal_references"].items():
        assert fewer.keys() == set(SYSTEMS)
        # One reference less leaves fewer ways to be right.
        assert fewer["careful"] < data["scores"][metric]["careful"]["score"]
    again = report("report.json", "--equal-references")
    assert "--equal-references has no effect on a results file" in again.output


def test_report_to_standard_output(inputs: list[str], folder: Path) -> None:
    code, out, err = run_geceval("report", *inputs, *QUICK, "-o", "-", folder=folder)
    assert code == 0, err
    assert out.startswith("<!doctype html>")
    assert out.rstrip().endswith("</html>")
    assert "report.json" not in {path.name for path in folder.iterdir()}


def test_report_of_texts_alone(demo: Path, folder: Path) -> None:
    source, target = demo / "unchanged.txt", demo / "careful.txt"
    result = report(
        *("--src", str(source), "--ref", str(target), "--ref", str(source)),
        *(f"A & B={demo / 'eager.txt'}", "-m", "gleu,sari", "--resamples", "0"),
    )
    assert result.exit_code == 0, result.output
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["edit_metric"] is None
    assert [one["role"] for one in data["inputs"]] == ["source", "reference", "reference", "system"]
    assert [one["name"] for one in data["inputs"]][1:] == ["careful.txt", "unchanged.txt", "A & B"]
    assert [one["file"] for one in data["inputs"]][3] == "eager.txt"


def test_report_has_the_warnings_of_the_doctor(inputs: list[str], folder: Path) -> None:
    lines = Path(inputs[2]).read_text(encoding="utf-8").split("\n")
    lines[4] = ""
    bad = folder / "bad.txt"
    bad.write_text("\n".join(lines), encoding="utf-8")
    result = report(*inputs[:2], str(bad), *QUICK)
    assert result.exit_code == 0, result.output
    assert "empty, but the source sentence is not" in result.output
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    found = {one["code"]: one for one in data["warnings"]}
    assert found["empty-output"] == {
        "severity": "warning",
        "code": "empty-output",
        "message": "empty, but the source sentence is not",
        "file": "bad.txt",
        "line": 5,
        "count": 1,
    }


def test_report_reads_standard_input(inputs: list[str], folder: Path) -> None:
    text = Path(inputs[2]).read_bytes()
    code, _, err = run_geceval(
        "report", *inputs[:2], "ours=-", *QUICK, "--resamples", "0", data=text, folder=folder
    )
    assert code == 0, err
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["inputs"][1]["sha256"] == hashlib.sha256(text).hexdigest()
    assert data["systems"] == ["ours"]


def test_report_runs_a_checker_only_if_it_is_named(
    inputs: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("geceval.grammar.harper.version", absent)
    result = report(*inputs[:3], "--lang", "plain", "--resamples", "0", "--jobs", "1")
    assert result.exit_code == 0, result.output
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert "grammar" not in data["scores"]
    assert "grammar-optional" in {one["code"] for one in data["warnings"]}
    both = report(*inputs[:3], "-m", "all,grammar", "--resamples", "0")
    assert both.exit_code == 1
    assert "the checker 'harper' needs harper-py" in both.output
    assert threads._LIMIT.get() == threads.MAX_JOBS
    named = report(*inputs[:3], "-m", "grammar", "--resamples", "0")
    assert named.exit_code == 1


def test_report_keeps_results_when_the_page_fails(
    inputs: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = report(*inputs, *QUICK)
    assert result.exit_code == 1
    assert "install geceval with the extra 'report'" in result.output
    assert (folder / "report.json").is_file()
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.txt", "b.txt"], "give --gold, or --src and --ref"),
        (["--gold", "gold.m2"], "Missing argument"),
        (["report.json", "-m", "m2"], "--metric has no effect on a results file"),
        (["report.json", "--beta", "1"], "--beta has no effect on a results file"),
        (["x", "--results", "y", "--no-results"], "exclude each other"),
        (["--gold", "g.m2", "a.txt", "-o", "a.txt"], "a.txt would be written over"),
        (["--gold", "g.json", "a.txt", "-o", "g.html"], "g.json would be written over"),
        (["--gold", "g.m2", "a.txt", "-o", "r.json"], "r.json would be written over"),
    ],
)
def test_report_bad_usage(arguments: list[str], message: str) -> None:
    result = report(*arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_report_of_a_file_that_holds_no_results(demo: Path) -> None:
    result = report(str(demo / "eager.txt"))
    assert result.exit_code == 1
    assert "not a results file" in result.output
    assert "to score a system, give --gold" in result.output


def test_demo_writes_a_report(folder: Path) -> None:
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0, result.output
    assert "geceval-demo-report.html" in result.output
    assert [path.name for path in folder.glob("*.html")] == ["geceval-demo-report.html"]
    result = CliRunner().invoke(main, ["demo", "-o", "example"])
    assert (folder / "example" / "report.html").is_file()
    assert "geceval report --gold example/gold.m2" in result.output
    CliRunner().invoke(main, ["demo", "--report", "mine.html"])
    assert (folder / "mine.html").is_file()


def test_demo_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0, result.output
    assert "no report: HTML pages require jinja2" in result.output


def test_page_needs_no_matplotlib(
    inputs: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page draws its figures itself; only exported figures need matplotlib."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert report(*inputs, *QUICK).exit_code == 0
    assert (folder / "report.html").is_file()
    exported = report("report.json", "--figures", "figures")
    assert exported.exit_code == 1
    assert "figures need matplotlib" in exported.output


def test_stages_pass_everything_on() -> None:
    with Stages() as stages:
        stages.begin("something")
        assert list(stages([1, 2, 3], "counting [x]")) == [1, 2, 3]


def test_report_attributes_scores_to_edits(inputs: list[str], folder: Path) -> None:
    result = report(*inputs, *QUICK, "--attribute", "ld-reference(length=second)")
    assert result.exit_code == 0, result.output
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["attribution"]["metric"] == "ld-reference"
    assert data["attribution"]["configuration"].startswith(
        "ld-reference|unit:character|length:reference"
    )
    careful = data["sentences"]["systems"]["careful"]
    assert [len(own) for own in careful["shares"]] == [len(own) for own in careful["edits"]]
    for wrong in ("gleu,m2", "all"):
        result = report(*inputs, *QUICK, "--attribute", wrong)
        assert result.exit_code == 2
        assert "--attribute takes one metric" in result.output
