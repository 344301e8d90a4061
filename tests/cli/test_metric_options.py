"""Options of metrics on the command line, which metrics are meant, and which file is what."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.extraction.annotator import Annotator
from geceval.metrics import registry
from geceval.metrics.wdiff import Wdiff

GOLD = """\
S I likes cat .
A 1 2|||SVA|||like|||REQUIRED|||-NONE-|||0
A 2 3|||Nn|||cats|||REQUIRED|||-NONE-|||0

S All is well .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
SOURCE = "I likes cat .\nAll is well .\n"
GOOD = "I like cat .\nAll is well .\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "gold.m2": GOLD,
        "src.txt": SOURCE,
        "good.txt": GOOD,
        "other.txt": SOURCE,
        "ref0.txt": "I like cats .\nAll is well .\n",
        "ref1.txt": "I like a cat .\nAll is well .\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def score(*arguments: str) -> Result:
    return run("score", "--resamples", "0", *arguments)


def scored(*arguments: str) -> dict[str, Any]:
    result = score("--json", *arguments)
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def names(data: dict[str, Any]) -> list[str]:
    return [one["metric"] for one in data["results"]]


# Values.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "gleu(exact=maybe)"], "gleu: the option exact takes true or false"),
        (
            ["-m", "m2(max_unchanged=2.5)"],
            "m2: the option max_unchanged takes an integer from 0 to",
        ),
        (["-m", "m2(beta=abc)"], "m2: the option beta takes a number from 0 to 1000, not 'abc'"),
        (["--beta", "nan"], "m2: the option beta takes a number from 0 to 1000, not nan"),
        (["--beta", "much"], "m2: the option beta takes a number from 0 to 1000, not 'much'"),
        (["--beta", "1e300"], "m2: the option beta takes a number from 0 to 1000"),
        (["--level", "corection"], "did you mean 'correction'?"),
        (["-m", "m2(bta=1)"], "m2: unknown option 'bta'; did you mean 'beta'?"),
        (["-m", "gleu", "--beta", "1"], "none of these metrics has the option beta"),
        (["-m", "m2(beta=1, beta=2)"], "the option beta is given twice"),
        (["-m", "m2(=1)"], "character 4: expected the name of an option but found '='"),
        (["-m", f"imeasure(limit={'9' * 25})"], "imeasure: the option limit takes an integer"),
        (["-m", "errant(notify=x)"], "errant: the option notify takes a function"),
        (["-m", "errant", "--lang", "klingon"], "unknown language 'klingon'"),
        (["-m", "ld-source(jobs=1000000)"], "ld-source: the option jobs takes an integer"),
        (["--jobs", "1000000"], "1000000 is not in the range 1<=x<=1024"),
        (["-m", "m2,M2"], "the metric m2 is chosen twice with the same options"),
        (["-m", "m2", "-m", "m2(beta=0.5)"], "the metric m2(beta=0.5) is chosen twice"),
        (["--seed", "-1"], "-1 is not in the range"),
        (["--confidence", "nan"], "confidence"),
    ],
)
def test_wrong_options_are_bad_usage(arguments: list[str], message: str) -> None:
    result = score("--gold", "gold.m2", "good.txt", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "references"),
    [("False", "drawn"), ("no", "drawn"), ("0", "drawn"), ("True", "expected"), ("on", "expected")],
)
def test_options_in_place_are_truth_values(text: str, references: str) -> None:
    data = scored("-m", f"gleu(exact={text})", "--gold", "gold.m2", "good.txt")
    assert f"references:{references}" in data["results"][0]["signature"]


def test_choices_and_names_in_any_case() -> None:
    arguments = ("--level", "Detection", "--format", "M2")
    data = scored(*arguments, "-m", "MaxMatch(bonus=OFF)", "--gold", "gold.m2", "good.txt")
    assert "|level:detection|" in data["results"][0]["signature"]
    assert "lang:plain" in run_errant("Plain")


def run_errant(language: str) -> str:
    data = scored("-m", "ERRANT", "--lang", language, "--gold", "gold.m2", "good.txt")
    signature: str = data["results"][0]["signature"]
    return signature


def test_intervals_that_need_more_resamples() -> None:
    arguments = ("--gold", "gold.m2", "good.txt", "--json")
    few = run("score", *arguments, "--resamples", "100", "--confidence", "0.999")
    assert json.loads(few.stdout)["warnings"] == [
        "a 99.9 % interval needs at least 2,000 resamples, not 100"
    ]
    enough = run("score", *arguments, "--resamples", "40", "--confidence", "0.95")
    assert json.loads(enough.stdout)["warnings"] == []


def test_options_in_place_win_over_those_of_all_metrics() -> None:
    data = scored("--beta", "2", "-m", "m2,wdiff(beta=1)", "--gold", "gold.m2", "good.txt")
    assert [
        "beta:2" in data["results"][0]["signature"],
        "beta:1" in data["results"][1]["signature"],
    ]


# Which metrics.


def test_one_metric_with_different_options() -> None:
    """Each has a name of its own in tables, JSON and files, but an ordinary signature."""
    arguments = ("-m", "m2, m2(beta=1), M2(beta=1, level=detection)", "--gold", "gold.m2")
    data = scored(*arguments, "good.txt", "--per-sentence", "sentences.tsv")
    assert names(data) == ["m2", "m2(beta=1)", "m2(beta=1, level=detection)"]
    alone = scored("--beta", "1", "--gold", "gold.m2", "good.txt")["results"][0]
    assert data["results"][1] == {**alone, "metric": "m2(beta=1)"}
    assert len(list(Path().glob("sentences.*.tsv"))) == 3
    table = score(*arguments, "good.txt").stdout
    assert "MaxMatch (M²), beta=1, level=detection\n" in table
    compared = run("compare", *arguments, "good.txt", "other.txt", "--json")
    assert [one["metric"] for one in json.loads(compared.stdout)["comparisons"]] == names(data)
    page = run("report", *arguments, "good.txt", "other.txt", "--resamples", "20",
               "--tables", "tables", "--figures", "figures")  # fmt: skip
    assert page.exit_code == 0, page.output
    results = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert list(results["scores"]) == names(data)


def test_repeated_metrics_accumulate() -> None:
    data = scored("-m", "wdiff", "-m", "M2,gleu", "--gold", "gold.m2", "good.txt")
    assert names(data) == ["wdiff", "m2", "gleu"]
    compared = run("compare", "-m", "gleu", "-m", "m2", "--gold", "gold.m2", "good.txt",
                   "other.txt", "--json")  # fmt: skip
    assert [one["metric"] for one in json.loads(compared.stdout)["comparisons"]] == ["gleu", "m2"]


def test_repeated_metrics_accumulate_in_a_report() -> None:
    result = run("report", "-m", "gleu", "-m", "m2", "--gold", "gold.m2", "good.txt",
                 "--resamples", "0")  # fmt: skip
    assert result.exit_code == 0, result.output
    data = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert list(data["scores"]) == ["gleu", "m2"]


def test_repeated_metrics_accumulate_in_maege() -> None:
    Path("two.m2").write_text(
        "".join(
            f"{block}\nA 1 2|||SVA|||liked|||REQUIRED|||-NONE-|||1\n\n"
            for block in GOLD.strip().split("\n\n")
        ),
        encoding="utf-8",
    )
    result = run("metaeval", "maege", "two.m2", "-m", "m2", "-m", "ld-source", "--lang", "plain",
                 "--annotator", "0", "--json")  # fmt: skip
    assert result.exit_code == 0, result.output
    found = [one["metric"] for one in json.loads(result.stdout)["metrics"]]
    assert found == ["m2", "ld-source"]


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Install metrics as other packages would."""

    def install(**values: str) -> None:
        points = [EntryPoint(name, value, registry.GROUP) for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: points)  # noqa: ARG005
        registry._plugins.cache_clear()

    yield install
    registry._plugins.cache_clear()


class Broken(Wdiff):
    """A metric that cannot be made."""

    name = "broken"

    def __init__(self) -> None:
        msg = "no such table"
        raise LookupError(msg)


class Failing(Wdiff):
    """A metric that cannot score."""

    name = "failing"

    def statistics(self, *_: object) -> Any:
        msg = "not today"
        raise RuntimeError(msg)


CHEAP = ("--lang", "plain")


def test_all_skips_broken_plug_ins(
    plug_in: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mine", sys.modules[__name__])
    plug_in(absent="no_such_package:Metric", broken="mine:Broken", failing="mine:Failing",
            lost="mine:NoSuchClass")  # fmt: skip
    data = scored("-m", "all", *CHEAP, "--gold", "gold.m2", "good.txt")
    assert {"m2", "errant", "gleu"} <= set(names(data))
    assert not {"absent", "broken", "failing", "lost", "grammar"} & set(names(data))
    warnings = "\n".join(data["warnings"])
    assert "absent is skipped: the metric 'absent' cannot be loaded: ModuleNotFound" in warnings
    assert "broken is skipped: the metric 'broken' cannot be set up: LookupError" in warnings
    assert "lost is skipped: the metric 'lost' cannot be loaded: AttributeError" in warnings
    assert "failing is skipped: RuntimeError: not today" in warnings
    assert "grammar is skipped: unknown language of Harper 'plain'" in warnings
    for name in ("absent", "broken", "lost"):
        result = score("-m", name, "--gold", "gold.m2", "good.txt")
        assert result.exit_code == 1
        assert f"the metric '{name}' cannot be" in result.output
    assert run("score", "--help").exit_code == 0


def test_all_without_edits_skips_broken_plug_ins(plug_in: Callable[..., None]) -> None:
    plug_in(absent="no_such_package:Metric")
    data = scored("-m", "all", "--src", "src.txt", "--ref", "ref0.txt", "good.txt")
    assert "gleu" in names(data)
    assert "m2" not in names(data)
    skipped = [line for line in data["warnings"] if line.startswith("absent is skipped")]
    assert len(skipped) == 1


def test_all_skips_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("geceval.grammar.harper.version", absent)
    monkeypatch.setattr(
        "geceval.metrics.errant.edit_extractor._shared_annotator",
        lambda **_: Annotator(model="no"),
    )
    arguments = ("--gold", "gold.m2", "good.txt")
    data = scored("-m", "all", *arguments)
    assert "gleu" in names(data)
    assert not {"errant", "grammar"} & set(names(data))
    warnings = "\n".join(data["warnings"])
    assert "pip install 'geceval[grammar]'" in warnings
    assert "errant is skipped: the spaCy pipeline 'no' is not installed" in warnings
    named = score("-m", "grammar,all", *arguments)
    assert named.exit_code == 1
    assert "pip install 'geceval[grammar]'" in named.output


def test_all_does_not_skip_wrong_options() -> None:
    result = score("-m", "all", *CHEAP, "--beta", "-1", "--gold", "gold.m2", "good.txt")
    assert result.exit_code == 2
    assert "m2: the option beta takes a number" in result.output


def test_all_skips_metrics_that_do_not_know_the_language() -> None:
    data = scored("-m", "all", "--lang", "xx", "--gold", "gold.m2", "good.txt")
    assert "m2" in names(data)
    skipped = [line.split(" is ")[0] for line in data["warnings"]]
    assert skipped == ["errant", "cleme", "cleme2", "grammar", "gotoscorer", "ged", "pt-errant"]


# Which file is what.

COMMANDS = ("score", "compare", "report")
PARALLEL = ("-m", "gleu", "--resamples", "100", "--src", "src.txt")


@pytest.mark.parametrize("command", COMMANDS)
def test_references_among_the_systems_are_refused(command: str) -> None:
    result = run(command, *PARALLEL, "--ref", "ref0.txt", "ref1.txt", "good.txt")
    assert result.exit_code == 2
    assert "ref1.txt is named like ref0.txt but would be scored as a system" in result.output
    assert "NAME=ref1.txt" in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_systems_with_a_name_are_systems(command: str) -> None:
    result = run(command, *PARALLEL, "--ref", "ref0.txt", "human=ref1.txt", "good.txt")
    assert result.exit_code == 0, result.output
    assert "only reference" not in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_files_after_the_only_reference_are_pointed_out(command: str) -> None:
    result = run(command, *PARALLEL, "--ref", "ref0.txt", "other.txt", "good.txt")
    assert result.exit_code == 0, result.output
    said = "ref0.txt is the only reference, and other.txt, good.txt are scored as systems"
    assert said in " ".join(result.output.split())
    clear = run(command, "other.txt", "good.txt", *PARALLEL, "--ref", "ref0.txt")
    assert "only reference" not in clear.output
    several = run(
        command, *PARALLEL, "--ref", "ref0.txt", "--ref=ref1.txt", "other.txt", "good.txt"
    )
    assert several.exit_code == 0
    assert "only reference" not in several.output


@pytest.mark.parametrize(
    "name", ["test.ref.b", "refB.txt", "References.txt", "REF.txt", "my_ref.txt"]
)
def test_files_called_references_are_no_systems(folder: Path, name: str) -> None:
    (folder / name).write_text(GOOD, encoding="utf-8")
    result = score("-m", "gleu", "--src", "src.txt", "--ref", "other.txt", name, "good.txt")
    assert result.exit_code == 2
    assert f"{name} looks like a reference but would be scored as a system" in result.output
    assert score("--gold", "gold.m2", name).exit_code == 0


@pytest.mark.parametrize("name", ["refined.txt", "preferred.txt", "prefix.txt"])
def test_other_names_are_systems(folder: Path, name: str) -> None:
    (folder / name).write_text(GOOD, encoding="utf-8")
    data = scored("-m", "gleu", "--src", "src.txt", "--ref", "ref0.txt", name)
    assert data["warnings"] == []


def test_two_gold_standards_are_refused(folder: Path) -> None:
    for number in (0, 1):
        (folder / f"gold.{number}.m2").write_text(GOLD, encoding="utf-8")
    result = score("--gold", "gold.0.m2", "gold.1.m2", "good.txt")
    assert result.exit_code == 2
    assert "gold.1.m2 is named like gold.0.m2 but would be scored as a system" in result.output
    assert "--gold takes one file" in result.output


def test_a_system_that_equals_a_reference_is_pointed_out() -> None:
    data = scored("-m", "gleu", "--src", "src.txt", "--ref", "ref0.txt", "ref0.txt")
    assert data["warnings"] == ["ref0.txt is scored but equals a reference"]
