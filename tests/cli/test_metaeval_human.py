"""``geceval metaeval human`` and ``geceval metaeval seeda``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.presentation.table import FORMS
from human_examples import JUDGED, appraise, write_examples
from running import run_geceval

ARGUMENTS = ["judgments.xml", "--systems", "outputs", "--gold", "gold.m2", "--resamples", "20"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def human(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["metaeval", "human", *(arguments or ARGUMENTS)])


def test_metaeval_help_lists_studies() -> None:
    result = CliRunner().invoke(main, ["metaeval", "--help"])
    assert result.exit_code == 0
    for name in ("human", "maege", "seeda"):
        assert f"\n  {name} " in result.output
    result = CliRunner().invoke(main, ["metaeval", "humans"])
    assert result.exit_code == 2
    assert "No such command 'humans'. Did you mean 'human'?" in result.output


@pytest.mark.parametrize("name", ["human", "seeda"])
def test_metaeval_help_has_examples(name: str) -> None:
    result = CliRunner().invoke(main, ["metaeval", name, "--help"])
    assert result.exit_code == 0
    assert f"Examples:\n    geceval metaeval {name} " in result.output


def test_human_tables() -> None:
    result = human()
    assert result.exit_code == 0, result.output
    out = " ".join(result.stdout.split())
    assert "Correlation of metrics with human rankings (TrueSkill, Spearman's ρ)" in out
    assert "7 judgments of 5 sentences by 2 judges; 6 systems were judged." in out
    assert "because no output is available: Other" in out
    assert "m2|sents:5|" in out
    assert "no output of Other: judged, but not correlated with metrics" in result.stderr


def write_scores(folder: Path, **scores: float) -> None:
    """Write the same score for all six sentences of a system."""
    rows = [f"{name}\t{n}\t{score}" for name, score in scores.items() for n in range(6)]
    (folder / "scores.tsv").write_text("\n".join(("system\tsentence\tscore", *rows, "")))


def test_human_takes_scores_made_elsewhere(folder: Path) -> None:
    """On judged sentences only, with intervals and beside other metrics."""
    write_scores(folder, Best=0.9, Good=0.8, INPUT=0.7, Bad=0.4, Worst=0.1)
    result = human(*ARGUMENTS, "--json", "-m", "scores:scores.tsv,gleu")
    assert result.exit_code == 0, result.output
    (one,) = json.loads(result.stdout)["sets"]
    assert [each["metric"] for each in one["metrics"]] == ["scores", "gleu"]
    assert one["metrics"][0]["scores"] == {
        "Best": 0.9, "Good": 0.8, "INPUT": 0.7, "Bad": 0.4, "Worst": 0.1
    }  # fmt: skip
    assert "|sents:5|" in one["metrics"][0]["signature"]


def test_human_refuses_scores_that_do_not_fit(folder: Path) -> None:
    write_scores(folder, Best=0.9, Good=0.8, Bad=0.4, Worst=0.1)
    result = human(*ARGUMENTS, "-m", "scores:scores.tsv")
    assert result.exit_code == 1
    assert "INPUT" in result.stderr
    result = human(*ARGUMENTS, "-m", "scores:nothing.tsv")
    assert result.exit_code == 1
    assert "nothing.tsv" in result.stderr


def test_human_follows_the_released_protocol(folder: Path) -> None:
    judged = [(number, judge, [each for each in ranks if each[0] != "Other"])
              for number, judge, ranks in JUDGED]  # fmt: skip
    (folder / "judged.xml").write_text(appraise(judged))
    given = ["judged.xml", *ARGUMENTS[1:5], "--protocol", "released", "-m", "ld-source,gleu"]
    result = human(*given)
    assert result.exit_code == 0, result.output
    assert "as released (TrueSkill, Spearman's ρ)" in " ".join(result.stdout.split())
    assert "|length:source|protocol:released" in "".join(result.stdout.split())
    record = json.loads(human(*given, "--json").stdout)
    assert record["protocol"] == "released"
    assert list(record["sets"]) == ["judged", "combined"]
    assert record["sets"]["judged"]["gleu"]["n"] == 5
    assert record["sets"]["judged"]["gleu"]["spearman"] > 0.5


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--resamples", "20"], 2, "--protocol released does not use --resamples"),
        (["--aggregation", "mean"], 2, "--protocol released does not use --aggregation"),
        (["-o", "page.html"], 2, "--protocol released does not use --out"),
        ([], 1, "the released protocol needs the output of Other"),
    ],
)
def test_human_released_says_what_is_wrong(arguments: list[str], code: int, message: str) -> None:
    result = human(*ARGUMENTS[:5], "--protocol", "released", *arguments)
    assert result.exit_code == code
    assert message in result.stderr


def test_human_released_needs_a_gold_standard() -> None:
    result = human(*ARGUMENTS[:3], "--protocol", "released")
    assert result.exit_code == 2
    assert "metrics need a gold standard" in result.stderr


def test_human_json_is_the_same_whatever_the_number_of_threads() -> None:
    result = human(*ARGUMENTS, "--json", "-m", "m2,gleu")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    (one,) = document["sets"]
    assert (one["name"], one["judgments"], one["without_output"]) == ("judgments", 7, ["Other"])
    assert [each["metric"] for each in one["metrics"]] == ["m2", "gleu"]
    assert document["warnings"] == [
        "outputs: no output of Other: judged, but not correlated with metrics"
    ]
    assert human(*ARGUMENTS, "--json", "-m", "m2,gleu", "--jobs", "2").stdout == result.stdout


@pytest.mark.parametrize(
    ("option", "start"), [("--tsv", "metric\tjudgments ρ"), ("--latex", "\\begin{tabular}{lrr}")]
)
def test_human_tables_to_paste(option: str, start: str) -> None:
    result = human(*ARGUMENTS, option, "-m", "gleu")
    assert result.exit_code == 0
    assert result.stdout.startswith(start)


def test_human_aggregation_and_procedure() -> None:
    result = human(
        *ARGUMENTS, "-m", "gleu", "--aggregation", "expected-wins", "--procedure", "simulated",
        "--json",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["aggregation"] == "expected-wins"
    (one,) = document["sets"]
    assert one["metrics"][0]["signature"].endswith("|aggregation:expected-wins")
    assert min(one["metrics"][0]["scores"].values()) >= 0
    skills = one["rankings"][0]
    assert "procedure:simulated" in skills["signature"]
    assert set(skills["ranges"]) == set(skills["scores"])
    assert one["correlations"]["TrueSkill"][0]["resampled"] in {"systems", "sentences and systems"}


def test_human_ratings(folder: Path) -> None:
    rows = [
        f"{system},{number},{rating + number}"
        for number in range(6)
        for system, rating in (("Best", 90), ("Good", 70), ("Bad", 40), ("Worst", 10))
    ]
    (folder / "ratings.csv").write_text("\n".join(["system,sentence,rating", *rows]) + "\n")
    result = human("ratings.csv", *ARGUMENTS[1:], "-m", "gleu")
    assert result.exit_code == 0, result.output
    assert "Correlation of metrics with human rankings (mean rating" in result.stdout
    assert "ratings: correlation with the ratings of single outputs" in result.stdout


def test_human_sets_are_named_chosen_and_combined(folder: Path) -> None:
    (folder / "more.xml").write_text(appraise(JUDGED[:4]))
    sets = ["first=judgments.xml", "more.xml", *ARGUMENTS[1:], "-m", "m2", "--json"]
    names = [one["name"] for one in json.loads(human(*sets).stdout)["sets"]]
    assert names == ["first", "more", "combined"]
    names = [one["name"] for one in json.loads(human(*sets, "--sets", "more").stdout)["sets"]]
    assert names == ["more"]


def test_human_judges_can_be_left_out() -> None:
    result = human(*ARGUMENTS, "--without-judge", "ben", "-m", "m2", "--json")
    assert json.loads(result.stdout)["sets"][0]["judges"] == ["anna"]


def test_human_writes_tables_figures_and_a_page(folder: Path) -> None:
    result = human(
        *ARGUMENTS, "-m", "m2", "--tables", "tables", "--figures", "figures", "-o", "page.html"
    )
    assert result.exit_code == 0, result.output
    written = {path.name for path in (folder / "tables").iterdir()}
    assert {f"human-correlation.{form}" for form in FORMS} <= written
    drawn = {path.name for path in (folder / "figures").iterdir()}
    assert {"human-correlation.svg", "ranking-judgments.png", "scatter-judgments-m2.pdf"} <= drawn
    page = (folder / "page.html").read_text()
    assert "Metrics and people" in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--first-sentence", "1"], "judgments judges the sentences -1 to 3, but gold.m2 has 0 to"),
        (["--sets", "x"], "there is no set 'x' (there are: judgments)"),
        (["--without-judge", "carl"], "there is no judge 'carl' to ignore (known: anna, be"),
        (["--systems", "nowhere"], "nowhere: cannot be read: no such file or directory"),
        (["--gold", "no.m2"], "no.m2: cannot be read"),
    ],
)
def test_human_bad_data_is_one_sentence(change: list[str], message: str) -> None:
    result = human(*ARGUMENTS, "-m", "gleu", *change)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {message}")


def test_human_two_sets_of_one_name() -> None:
    result = human("judgments.xml", *ARGUMENTS)
    assert result.exit_code == 1
    assert "two sets are called 'judgments'; name them NAME=FILE" in result.output


def test_human_broken_file_names_the_line(folder: Path) -> None:
    text = appraise(JUDGED).replace('rank="1"', 'rank="first"', 1)
    (folder / "judgments.xml").write_text(text)
    code, out, errors = run_geceval("metaeval", "human", *ARGUMENTS, folder=folder)
    assert (code, out) == (1, "")
    assert errors == "Error: judgments.xml, line 5: expected a rank, found 'first'\n"


def test_human_forms_exclude_each_other() -> None:
    result = human(*ARGUMENTS, "--json", "--tsv")
    assert result.exit_code == 2


def test_human_without_gold_looks_at_people_only(folder: Path) -> None:
    arguments = ("judgments.xml", "--systems", "outputs", "--resamples", "20")
    result = human(*arguments, "-o", "people.html", "--tables", "t", "--figures", "f")
    assert result.exit_code == 0, result.output
    out = " ".join(result.stdout.split())
    assert "6 systems were judged." in out
    assert "human ranking of systems" in out
    assert "agreement between judges" in out
    assert "Give --gold, the gold standard, to correlate metrics with these rankings." in out
    assert "Spearman" not in out
    assert {path.stem for path in (folder / "t").iterdir()} == {
        "ranking-judgments", "judges-judgments",
    }  # fmt: skip
    assert {path.stem for path in (folder / "f").iterdir()} == {"ranking-judgments"}
    assert "Spearman" not in (folder / "people.html").read_text(encoding="utf-8")
    with_gold = json.loads(human(*ARGUMENTS, "--json").stdout)["sets"][0]
    alone = json.loads(human(*arguments, "--json").stdout)["sets"][0]
    for part in ("rankings", "ranks", "judge_agreement", "judges"):
        assert alone[part] == with_gold[part]
    assert alone["metrics"] == []
    tsv = human(*arguments, "--tsv").stdout
    assert tsv.startswith("system\tTrueSkill\tExpected Wins\tranks\t")


@pytest.mark.parametrize("options", [["-m", "gleu"], ["--resume", "x"], ["-m", "m2(beta=1.0)"]])
def test_human_metrics_need_gold(options: list[str]) -> None:
    result = human("judgments.xml", "--systems", "outputs", *options)
    assert result.exit_code == 2
    assert "metrics need a gold standard: give --gold" in result.stderr


def test_human_resumes(folder: Path) -> None:
    """A second run scores only what is missing, and prints the same."""
    usual = human(*ARGUMENTS, "--json", "-m", "m2,gleu")
    first = human(*ARGUMENTS, "--json", "-m", "m2", "--resume", "scores.jsonl")
    assert first.exit_code == 0, first.output
    kept = (folder / "scores.jsonl").read_text(encoding="utf-8")
    second = human(*ARGUMENTS, "--json", "-m", "m2,gleu", "--resume", "scores.jsonl")
    assert second.stdout == usual.stdout
    both = (folder / "scores.jsonl").read_text(encoding="utf-8")
    assert both.startswith(kept)
    n_systems = len(json.loads(usual.stdout)["sets"][0]["systems"])
    assert both.count("\n") == 1 + 2 * n_systems
    again = human(*ARGUMENTS, "--json", "-m", "gleu,m2", "--resume", "scores.jsonl")
    assert again.exit_code == 0
    assert (folder / "scores.jsonl").read_text(encoding="utf-8") == both
    other = human(*ARGUMENTS, "-m", "m2(beta=1.0)", "--resume", "scores.jsonl")
    assert other.exit_code == 1
    assert "scores.jsonl: holds m2 with other settings" in other.stderr


def write_seeda(folder: Path) -> None:
    ranks = [(name, place) for place, name in enumerate(("A", "B", "C", "D"), 1)]
    (folder / "judgments_sent.xml").write_text(appraise([(1, "anna", ranks)]))
    rows = "".join(f"| {name} | {place} |\n" for name, place in ranks)
    (folder / "README.md").write_text(f"| | GLEU |\n| --- | --- |\n{rows}")


def test_seeda_published_scores_only(folder: Path) -> None:
    write_seeda(folder)
    (folder / "mine.txt").write_text("4\n3\n2\n1\n")
    arguments = ["metaeval", "seeda", ".", "--window", "3", "--scores", "mine.txt"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert "SEEDA-S: correlation with TrueSkill" in result.stdout
    assert "Give --gold" in result.stdout
    document = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    everything = next(one for one in document["results"] if one["set"] == "all")
    values = {one["metric"]: one["spearman"]["value"] for one in everything["correlations"]}
    assert values == pytest.approx({"published:GLEU": -1.0, "mine": 1.0})
    written = CliRunner().invoke(main, [*arguments, "--tables", "t", "--figures", "f", "-o", "p"])
    assert written.exit_code == 0, written.output
    assert (folder / "t" / "correlation-seeda-s.tex").exists()
    assert (folder / "f" / "windows-seeda-s-trueskill-3.png").exists()
    assert "protocol" in (folder / "p").read_text()
    tsv = CliRunner().invoke(main, [*arguments, "--tsv"]).stdout
    assert tsv.startswith("metric\tbase r\tbase ρ\t+REF-F,GPT-3.5 r")


def test_seeda_bad_usage_and_bad_data(folder: Path) -> None:
    result = CliRunner().invoke(main, ["metaeval", "seeda", "."])
    assert result.exit_code == 1
    assert "expected judgments_edit.xml or judgments_sent.xml, found neither" in result.output
    write_seeda(folder)
    result = CliRunner().invoke(main, ["metaeval", "seeda", ".", "--resume", "scores.jsonl"])
    assert result.exit_code == 2
    result = CliRunner().invoke(main, ["metaeval", "seeda", ".", "-m", "gleu"])
    assert result.exit_code == 2
    assert "our metrics need a gold standard: give --gold" in result.output
    result = CliRunner().invoke(main, ["metaeval", "seeda", ".", "--window", "5"])
    assert result.exit_code == 1
    assert "a window holds 3 to 4 of 4 systems, not 5" in result.output


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["-m", "gluu"], "unknown metric 'gluu'; did you mean 'gleu'?"),
        (["-m", "m2(nonsense=1)"], "m2: unknown option 'nonsense'"),
        (["-m", "gleu(iterations=few)"], "gleu: the option iterations takes an integer"),
    ],
)
def test_human_bad_options_are_bad_usage(change: list[str], message: str) -> None:
    result = human(*ARGUMENTS, "-m", "gleu", *change)
    assert result.exit_code == 2
    assert message in result.output
