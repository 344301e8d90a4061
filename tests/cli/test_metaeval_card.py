"""``geceval metaeval card`` and ``geceval metaeval gmeg``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from human_examples import write_examples, write_gmeg

STUDIES = [
    "--gold", "gold.m2", "--human", "judgments.xml", "--systems", "outputs", "--lang", "plain",
    "--seeds", "1", "--resamples", "20",
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_examples(tmp_path)
    # A second annotator, so that MAEGE has a reference.
    gold = tmp_path / "gold.m2"
    blocks = gold.read_text().removesuffix("\n").split("\n\n")
    second = "A 1 2|||SVA|||is|||REQUIRED|||-NONE-|||1"
    gold.write_text("\n\n".join(f"{block}\n{second}" for block in blocks) + "\n")
    write_gmeg(tmp_path / "GMEG")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["metaeval", *arguments])


def test_card_prints_all_studies() -> None:
    result = run("card", "gleu", *STUDIES)
    assert result.exit_code == 0, result.output
    for title in ("MAEGE: corrections of known", "judgments: agreement with people", "Speed and"):
        assert title in result.stdout
    assert "The other cards were made of other data, and are not shown beside it." in result.stdout
    assert result.stdout.count("gleu|sents:5|") == 1


def test_card_without_data() -> None:
    result = run("card", "ld-source")
    assert result.exit_code == 0, result.output
    assert "Give --gold, and --human or --seeda, for the results of studies." in result.stdout


def test_cards_are_exported_and_compared(folder: Path) -> None:
    result = run("card", "gleu,m2", *STUDIES, "--export", "cards.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert str(folder) not in (folder / "cards.json").read_text()
    result = run("card", "ld-source", *STUDIES, "--compare", "cards.json", "-o", "card.html")
    assert result.exit_code == 0, result.output
    assert "other data" not in result.stdout
    assert "MaxMatch" in (folder / "card.html").read_text(encoding="utf-8")
    result = run("card", "gleu,m2", "--json")
    assert [one["metric"] for one in json.loads(result.stdout)["cards"]] == ["gleu", "m2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["glue"], "glue"),
        (["gleu,m2"], "of several metrics, cards are written with --json or --export only"),
        (["gleu", "--seeda", "S"], "need a gold standard: give --gold"),
        (["gleu", "--gold", "gold.m2", "--human", "judgments.xml"], "--human and --systems are"),
        (["gleu", "--gold", "gold.m2", "-o", "gold.m2"], "gold.m2"),
    ],
)
def test_card_wrong_usage(arguments: list[str], message: str) -> None:
    result = run("card", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_card_refuses_other_files() -> None:
    result = run("card", "gleu", "--compare", "gold.m2")
    assert result.exit_code == 1
    assert "gold.m2: expected cards of metrics" in result.stderr


def test_gmeg_correlates_with_ratings() -> None:
    result = run("gmeg", "GMEG", "--domain", "wiki", "-m", "gleu", "--resamples", "20")
    assert result.exit_code == 0, result.output
    assert "wiki test: correlation with the ratings of single outputs" in result.stdout
    assert "no output of ref: rated, but not correlated with metrics" in result.stderr
    result = run("gmeg", "GMEG", "--domain", "wiki", "-m", "gleu", "--resamples", "20", "--json")
    (one,) = json.loads(result.stdout)["sets"]
    assert one["rankings"][0]["name"] == "mean rating"
    assert one["ratings"]["gleu"]["pearson"]["n"] == 23


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--split", "dev"], 1, "expected dev/wiki, found none; give a copy of GMEG-Data"),
        (["--resume", "r.jsonl"], 2, "--resume takes one set"),
        (["--format", "m2"], 2, "--format does not apply"),
        (["-m", "m2"], 2, "compares annotators' edits"),
        (["--domain", "news"], 2, "'news' is not one of"),
    ],
)
def test_gmeg_says_what_is_wrong(arguments: list[str], code: int, message: str) -> None:
    result = run("gmeg", "GMEG", *arguments)
    assert result.exit_code == code, result.output
    assert message in " ".join(result.stderr.split())
