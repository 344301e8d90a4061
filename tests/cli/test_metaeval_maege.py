"""``geceval metaeval maege``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.extraction.annotator import Annotator
from geceval.formats import save
from geceval.metaeval.maege.protocol import PROTOCOLS, Protocol
from geceval.metrics import registry
from geceval.model import apply_edits
from human_examples import write_examples
from toy_metrics import TYPES, marked_corpus


@pytest.fixture
def gold(tmp_path: Path) -> str:
    path = tmp_path / "gold.m2"
    save(marked_corpus(12, n_annotators=3), path)
    return str(path)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A metric that another package brings."""
    point = EntryPoint("counts", "toy_metrics:CountsEdits", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])  # noqa: ARG005
    registry._plugins.cache_clear()
    yield "counts"
    registry._plugins.cache_clear()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["metaeval", "maege", "--lang", "plain", *arguments])


def record(*arguments: str) -> dict[str, object]:
    result = run("--json", *arguments)
    assert result.exit_code == 0, result.output
    data: dict[str, object] = json.loads(result.stdout)
    return data


def test_maege_validates_a_plugin_like_a_built_in_metric(gold: str, plugin: str) -> None:
    found = record(gold, "-m", f"{plugin},gleu", "--seeds", "2")["metrics"]
    assert isinstance(found, list)
    ours, gleu = found
    assert ours["kendall"]["values"] == [1, 1]
    assert {name: row["change"] for name, row in ours["sensitivity"].items()} == dict.fromkeys(
        TYPES, 1
    )
    assert ours.keys() == gleu.keys()
    assert len(gleu["corpora"]) == 2


def test_maege_prints_tables(gold: str) -> None:
    result = run(gold, "-m", "m2,ld-source", "--seeds", "2")
    assert result.exit_code == 0
    assert "12 of 12 sentences" in result.output
    assert "Each annotator is scored against" in result.output
    for part in ("MaxMatch (M²)", "LD S→O", "ρ sd", "SVA", "maege|data:", "\nm2|sents:12|"):
        assert part in result.output


def test_maege_prints_tsv_and_latex(gold: str) -> None:
    tsv = run(gold, "-m", "ld-source", "--tsv")
    assert tsv.stdout.splitlines()[0] == "metric\tρ\tρ p\tr\tr p\tτ\tτ p"
    latex = run(gold, "-m", "ld-source", "--latex")
    assert latex.stdout.count("\\toprule") == 2
    both = run(gold, "-m", "ld-source", "--latex", "--tsv")
    assert both.exit_code == 2


def test_maege_is_deterministic_whatever_the_jobs(gold: str) -> None:
    arguments = (gold, "-m", "m2,gleu,imeasure", "--seed", "7")
    assert record(*arguments) == record(*arguments, "--jobs", "3")
    assert record(*arguments) != record(gold, "-m", "m2,gleu,imeasure", "--seed", "8")


def test_maege_says_what_was_used(gold: str) -> None:
    found = record(
        gold, "-m", "ibleu(source_term=reward)", "--source", "original", "--ties", "half",
        "--chains", "2", "--seed", "3",
    )  # fmt: skip
    assert found["settings"] == {
        "source": "original",
        "seeds": [3],
        "chains": 2,
        "ties": "half",
        "protocol": Protocol(ties="half").record(),
        "models": list(range(11)),
        "variance": 0.9,
        "types": "gold",
        "edits": Annotator("plain").signature,
    }
    signature = found["metrics"][0]["signature"]  # type: ignore[index]
    assert "|source:reward|" in signature
    assert "|average:sentence|" in signature
    usual = record(gold, "-m", "bleu(average=corpus)")
    assert "|average:corpus|" in usual["metrics"][0]["signature"]  # type: ignore[index]


def material(*arguments: str) -> dict[str, object]:
    found = record("-m", "ld-source", *arguments)["material"]
    assert isinstance(found, dict)
    return found


def test_maege_takes_references_from_anywhere(gold: str, tmp_path: Path) -> None:
    assert material(gold)["leave_one_out"] is True
    chosen = material(gold, "--annotator", "0,1")
    assert chosen["annotators"] == ["0", "1"]
    assert chosen["references"] == ["2"]
    assert material(gold, "--ref", "2") == chosen
    assert material(gold, "--ref", "1,2")["annotators"] == ["0"]
    text = tmp_path / "ref.txt"
    corpus = marked_corpus(12, n_annotators=3)
    lines = (" ".join(apply_edits(s.tokens, s.annotations[2].edits)) for s in corpus)
    text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    from_text = material(gold, "--annotator", "0,1", "--ref", str(text))
    assert from_text["references"] == ["ref"]
    assert from_text["counts"] == chosen["counts"]
    from_m2 = material(gold, "--annotator", "0,1", "--ref", f"{gold}:2")
    assert from_m2["references"] == ["gold:2"]
    everyone = run(gold, "-m", "ld-source", "--annotator", "0", "--ref", gold)
    assert "reference gold:0 nearly equals the corrections of annotator 0" in everyone.output


def test_maege_retypes(gold: str) -> None:
    found = record(gold, "-m", "ld-source", "--retype")
    metric = found["metrics"][0]  # type: ignore[index]
    assert set(metric["sensitivity"]).isdisjoint(TYPES)
    plain = record(gold, "-m", "ld-source")["metrics"][0]  # type: ignore[index]
    assert metric["pairs"] == plain["pairs"]


def test_maege_writes_tables_figures_and_a_page(gold: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    page = tmp_path / "page.html"
    result = run(
        gold, "-m", "ld-source", "--tables", str(folder / "tables"), "--figures",
        str(folder / "figures"), "-o", str(page),
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    tables = {path.name for path in (folder / "tables").iterdir()}
    assert {"maege-correlations.csv", "maege-sensitivity.tex", "maege-originals.json"} <= tables
    figures = {path.name for path in (folder / "figures").iterdir()}
    names = ("mixed-references", "corpus-models", "sensitivity", "originals-ld-source")
    assert {f"{name}.{form}" for name in names for form in ("png", "svg")} <= figures
    text = page.read_text(encoding="utf-8")
    assert "Sensitivity by error type" in text
    assert "gold.m2" in text


def test_maege_sets_people_beside_it(gold: str, tmp_path: Path) -> None:
    """It takes what the other study prints, and draws the metrics that both know."""
    folder = tmp_path / "human"
    folder.mkdir()
    write_examples(folder)
    study = CliRunner().invoke(
        main,
        [
            "metaeval", "human", str(folder / "judgments.xml"), "--json", "-m", "m2,gleu",
            "--gold", str(folder / "gold.m2"), "--systems", str(folder / "outputs"),
        ],
    )  # fmt: skip
    people = tmp_path / "human.json"
    people.write_text(study.stdout, encoding="utf-8")
    standings = json.loads(study.stdout)["sets"][-1]["correlations"]["TrueSkill"]
    expected = next(one["spearman"]["value"] for one in standings if one["metric"] == "m2")
    options = ("-m", "m2,ld-source", "--human", str(people))
    assert record(gold, *options)["people"] == {"m2": expected}
    result = run(gold, *options, "--figures", str(tmp_path / "figures"))
    assert "Spearman's ρ with human rankings and with MAEGE" in " ".join(result.output.split())
    assert (tmp_path / "figures" / "human-and-maege.svg").exists()
    people.write_text("{}", encoding="utf-8")
    result = run(gold, *options)
    assert result.exit_code == 1
    assert "human.json: expected the output of 'geceval metaeval human --json'" in result.output


def test_maege_resumes(gold: str, tmp_path: Path) -> None:
    units = str(tmp_path / "units.jsonl")
    first = record(gold, "-m", "ld-source", "--resume", units)
    assert record(gold, "-m", "ld-source", "--resume", units) == first
    folder = tmp_path / "folder"
    folder.mkdir()
    assert record(gold, "-m", "ld-source", "--resume", str(folder)) == first
    assert (folder / "maege.jsonl").read_bytes() == Path(units).read_bytes()
    shown = run(gold, "-m", "ld-source", "--resume", units)
    assert "Results from earlier runs: 1" in shown.output
    refused = run(gold, "-m", "ld-source", "--resume", units, "--source", "original")
    assert refused.exit_code == 1
    assert "holds another study, the source differ" in refused.output


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--annotator", "9"], 1, "annotator"),
        (["--ref", "0,1,2"], 1, "no annotator is left"),
        (["--annotator", "0", "--ref", "0"], 2, "cannot both"),
        (["--ref", "nothing.txt"], 1, "nothing.txt: cannot be read"),
        (["--ref", "1", "--ref", "1"], 1, "given twice"),
        (["--seeds", "0"], 2, "seeds"),
        (["--tables", "/dev/null/x"], 1, "/dev/null/x: cannot be created: not a directory"),
        (["-o", "/dev/null/x.html"], 1, "/dev/null: cannot be created: file exists"),
        (["--ties", "some"], 2, "ties"),
        (["-m", "nosuch"], 2, "nosuch"),
        (["-m", "m2(nosuch=1)"], 2, "nosuch"),
    ],
)
def test_maege_says_what_is_wrong(gold: str, arguments: list[str], code: int, message: str) -> None:
    result = run(gold, "-m", "ld-source", *arguments)
    assert result.exit_code == code
    assert message in result.output


def test_maege_needs_a_second_annotator(tmp_path: Path) -> None:
    path = tmp_path / "one.m2"
    save(marked_corpus(3, n_annotators=1), path)
    result = run(str(path), "-m", "ld-source")
    assert result.exit_code == 1
    assert "single annotator" in result.output
    path.write_text("This is no gold standard .\n", encoding="utf-8")
    result = run(str(path), "-m", "ld-source", "--format", "parallel")
    assert result.exit_code == 1
    assert "has no annotations that could span lattices" in result.output


def test_maege_follows_a_protocol(gold: str) -> None:
    arguments = (gold, "-m", "ibleu", "--protocol", "released")
    found = record(*arguments)
    assert found["settings"]["protocol"] == PROTOCOLS["released"].record()  # type: ignore[index]
    assert "|source:reward|" in found["metrics"][0]["signature"]  # type: ignore[index]
    printed = run(*arguments, "--corpus-source", "subset", "--chain-annotators", "1").output
    assert "Protocol: released,chain_annotators=1,corpus_source=subset." in " ".join(
        printed.split()
    )
    given = record(gold, "-m", "ibleu(source_term=penalty)", "--protocol", "released")
    assert "|source:penalty|" in given["metrics"][0]["signature"]  # type: ignore[index]


def test_maege_has_an_option_for_every_part_of_a_protocol(gold: str) -> None:
    """All options of the released protocol, given one by one, are that protocol."""
    options = [
        text
        for name, value in asdict(PROTOCOLS["released"]).items()
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]
    named = record(gold, "-m", "gleu,ld-reference", "--protocol", "released")
    assert record(gold, "-m", "gleu,ld-reference", *options) == named
    assert record(gold, "-m", "gleu,ld-reference") != named


@pytest.mark.parametrize(
    "wrong",
    [
        ("--protocol", "code"),
        ("--ties", "some"),
        ("--chain-annotators", "0"),
        ("--corpus-source", "outputs"),
    ],
)
def test_maege_refuses_unknown_protocols(gold: str, wrong: tuple[str, str]) -> None:
    result = run(gold, "-m", "gleu", *wrong)
    assert result.exit_code == 2
    assert f"Invalid value for '{wrong[0]}'" in result.output


def test_maege_says_that_chains_lack_annotators(gold: str) -> None:
    result = run(gold, "-m", "gleu", "--chain-annotators", "9")
    assert result.exit_code == 1
    assert "no sentence has the 9 annotators that chains need" in result.output
