"""``geceval compare`` and ``geceval demo``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    result = CliRunner().invoke(main, ["demo", "-o", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


def run(example: Path, *arguments: str) -> Result:
    systems = [str(example / f"{name}.txt") for name in ("careful", "eager", "unchanged")]
    gold = str(example / "gold.m2")
    return CliRunner().invoke(
        main, ["compare", "--gold", gold, *systems, "--resamples", "200", *arguments]
    )


def test_compare_json(example: Path) -> None:
    data = json.loads(run(example, "--json").stdout)
    assert (data["schema"], data["test"], data["resamples"]) == (1, "randomization", 200)
    pairs = [(row["first"], row["second"]) for row in data["comparisons"]]
    assert pairs == [("careful", "eager"), ("careful", "unchanged"), ("eager", "unchanged")]
    for row in data["comparisons"]:
        low, high = row["interval"]
        assert low <= row["difference"] <= high
        assert 0 < row["p"] <= row["p_adjusted"] <= 1
        assert row["signature"].startswith("m2|sents:120|")
    # Nothing at all is clearly worse than something.
    assert data["comparisons"][1]["p"] == pytest.approx(1 / 201)
    scores = json.loads(
        CliRunner()
        .invoke(
            main,
            [
                *("score", "--gold", str(example / "gold.m2"), "--json", "--resamples", "0"),
                *(str(example / "careful.txt"), str(example / "eager.txt")),
            ],
        )
        .stdout
    )["results"]
    assert data["comparisons"][0]["difference"] == scores[1]["score"] - scores[0]["score"]


def test_compare_shows_the_ranks_that_tests_leave_open(example: Path) -> None:
    data = json.loads(run(example, "--json").stdout)
    alpha = 1 - 0.95
    for record in data["ranks"]:
        name = record["system"]
        wins = losses = 0
        for row in data["comparisons"]:
            if name in (row["first"], row["second"]) and row["p_adjusted"] < alpha:
                is_better = (row["difference"] > 0) == (row["second"] == name)
                wins, losses = wins + is_better, losses + (not is_better)
        assert (record["best"], record["worst"]) == (1 + losses, 3 - wins)
    assert {record["system"] for record in data["ranks"]} == {"careful", "eager", "unchanged"}
    assert "ranks that the tests leave open" in run(example).stdout
    # With a baseline, not all pairs are tested.
    assert "ranks" not in json.loads(run(example, "--json", "--baseline", "eager").stdout)


def test_compare_is_the_same_for_a_seed(example: Path) -> None:
    assert run(example, "--json").stdout == run(example, "--json").stdout
    assert run(example, "--json").stdout != run(example, "--json", "--seed", "1").stdout


def test_compare_baseline_and_bootstrap(example: Path) -> None:
    data = json.loads(run(example, "--json", "--baseline", "eager", "--test", "bootstrap").stdout)
    assert [(row["first"], row["second"]) for row in data["comparisons"]] == [
        ("eager", "careful"),
        ("eager", "unchanged"),
    ]


def test_compare_table_tsv_latex(example: Path) -> None:
    [_, row, *_] = [line for line in run(example).output.splitlines() if "careful" in line]
    assert row.split()[-1] == "careful"
    assert run(example, "--tsv").stdout.splitlines()[0].split("\t")[:3] == [
        *("first", "second", "difference"),
    ]
    latex = run(example, "--latex").stdout
    assert "\\begin{tabular}{llrrr}" in latex
    [first, *_] = json.loads(run(example, "--json").stdout)["comparisons"]
    assert f"careful & eager & $-${-100 * first['difference']:.2f}" in latex


def test_compare_methods(example: Path) -> None:
    text = run(example, "--methods", "--baseline", "eager").stdout
    assert "Each system is compared with eager by a two-sided test" in text
    assert "with 200 resamples" in text
    assert "adjusted for 2 comparisons" in text
    assert "@article{holm-1979," in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--baseline", "carefull"], 1, "did you mean 'careful'"),
        (["--resamples", "0"], 2, "needs resamples"),
        (["--json", "--latex"], 2, "exclude each other"),
    ],
)
def test_compare_bad_usage(example: Path, arguments: list[str], code: int, message: str) -> None:
    result = run(example, *arguments)
    assert result.exit_code == code
    assert message in result.output


@pytest.mark.parametrize(("resamples", "is_enough"), [("58", False), ("60", True)])
def test_compare_warns_when_nothing_could_be_significant(
    example: Path, resamples: str, is_enough: bool
) -> None:
    """Three pairs at 95 %: the smallest p, 1 / (resamples + 1), times 3 must be below 0.05."""
    data = json.loads(run(example, "--json", "--resamples", resamples).stdout)
    smallest = min(row["p_adjusted"] for row in data["comparisons"])
    assert (smallest < 0.05) == is_enough
    few = "adjusted for 3 comparisons, no difference can be significant with 58 resamples"
    assert data["warnings"] == ([] if is_enough else [f"{few}; --resamples 75 would do"])


def test_compare_needs_two_systems(example: Path) -> None:
    gold, one = str(example / "gold.m2"), str(example / "eager.txt")
    result = CliRunner().invoke(main, ["compare", "--gold", gold, one])
    assert result.exit_code == 2
    assert "at least two systems" in result.output


def test_demo_shows_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0
    for words in (
        "MaxMatch",
        "I-measure",
        "GLEU",
        "careful",
        "eager",
        "unchanged",
        "interval",
        "4 files: valid",
    ):
        assert words in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["geceval-demo-report.html"]


@pytest.mark.parametrize(
    ("lang", "gold", "words"),
    [
        ("de", "gold.m2", ("ERRANT", "R:DET:FORM", "{über → auf ✓}")),
        ("zh", "gold.tsv", ("ERRANT, Chinese, character level", "{早 上 → ∅ ✗}")),
    ],
)
def test_demo_of_other_languages(
    lang: str, gold: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same steps, with files that the commands take as they are."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["demo", "--lang", lang, "-o", "example"])
    assert result.exit_code == 0
    for expected in ("4 files: valid", "careful", "eager", "unchanged", "interval", *words):
        assert expected in result.output
    assert f"geceval report --lang {lang} --gold example/{gold}" in result.output
    page = Path("example/report.html").read_text(encoding="utf-8")
    assert "ERRANT" in page
    assert "is skipped" not in page
    statistics = json.loads(CliRunner().invoke(main, ["stats", f"example/{gold}", "--json"]).stdout)
    assert statistics["sentences"] == 30
    command = ["score", "-m", "errant", "--lang", lang, "--gold", f"example/{gold}", "--json"]
    files = ["example/careful.txt", "example/eager.txt"]
    records = json.loads(CliRunner().invoke(main, [*command, *files]).stdout)["results"]
    careful, eager = (record["parts"] for record in records)
    assert careful["precision"] > eager["precision"]
    assert careful["recall"] < eager["recall"]
    assert f"{careful['precision']:.4f}" in result.output
    readme = Path("example/README.md").read_text(encoding="utf-8")
    assert str(careful["tp"] + careful["fn"]) in readme


def test_demo_data_is_as_its_readme_says(example: Path) -> None:
    checked = CliRunner().invoke(
        main,
        [
            *("check", "--json", str(example / "gold.m2")),
            *(str(example / f"{name}.txt") for name in ("careful", "eager", "unchanged")),
        ],
    )
    data = json.loads(checked.stdout)
    assert checked.exit_code == 0
    assert data["counts"] == {}
    gold = data["files"][0]
    assert gold["sentences"] == 120
    readme = (example / "README.md").read_text(encoding="utf-8")
    for annotator in gold["annotators"].values():
        assert str(annotator["edits"]) in readme
        assert annotator["absent"] == 0


def _many(example: Path, folder: Path) -> list[str]:
    """Write twelve systems: one that does nothing, and others that differ from it clearly."""
    (folder / "none.txt").write_bytes((example / "unchanged.txt").read_bytes())
    for number in range(11):
        (folder / f"system{number}.txt").write_bytes((example / "careful.txt").read_bytes())
    return [str(path) for path in sorted(folder.glob("*.txt"))]


def test_compare_takes_as_many_resamples_as_its_pairs_need(example: Path, tmp_path: Path) -> None:
    gold = ["compare", "--gold", str(example / "gold.m2")]
    systems = _many(example, tmp_path)
    data = json.loads(CliRunner().invoke(main, [*gold, *systems, "--json"]).stdout)
    assert (data["resamples"], len(data["comparisons"]), data["warnings"]) == (1650, 66, [])
    # The eleven that correct something are clearly better than the one that does nothing.
    clear = [row for row in data["comparisons"] if row["p_adjusted"] < 0.05]
    assert len(clear) == 11
    assert all(row["first"] == "none" for row in clear)
    few = CliRunner().invoke(main, [*gold, *systems, "--json", "--resamples", "1000"])
    data = json.loads(few.stdout)
    assert data["resamples"] == 1000
    assert "--resamples 1650 would do" in data["warnings"][0]
    assert not [row for row in data["comparisons"] if row["p_adjusted"] < 0.05]


def test_compare_prints_another_number_of_resamples_than_usual(
    example: Path, tmp_path: Path
) -> None:
    gold = ["compare", "--gold", str(example / "gold.m2")]
    systems = _many(example, tmp_path)
    shown = CliRunner().invoke(main, [*gold, *systems]).stdout
    assert "\n1,650 resamples for 66 comparisons\n" in shown
    pair = CliRunner().invoke(main, [*gold, *systems[:2]]).stdout
    assert "resamples for" not in pair
    against_one = CliRunner().invoke(main, [*gold, *systems, "--baseline", "none", "--json"])
    assert json.loads(against_one.stdout)["resamples"] == 1000
