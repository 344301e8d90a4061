"""Commands on other languages than English: lang, analyze, and options of all others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from geceval.cli import main
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.metric_choice import usable
from geceval.extraction.lang import PackOptions
from geceval.formats import Findings, load

SOURCE = "Gestern ich kaufe zwei Buch .\nDas Wetter ist schön .\n"
CORRECTED = "Gestern kaufte ich zwei Bücher .\nDas Wetter ist schön .\n"
WORDS = {
    "Gestern": ("gestern", "ADV", "_"),
    "ich": ("ich", "PRON", "Case=Nom"),
    "kaufe": ("kaufen", "VERB", "Tense=Pres"),
    "kaufte": ("kaufen", "VERB", "Tense=Past"),
    "zwei": ("zwei", "NUM", "_"),
    "Buch": ("Buch", "NOUN", "Number=Sing"),
    "Bücher": ("Buch", "NOUN", "Number=Plur"),
}


def conllu(text: str) -> str:
    """Write down the analyses of sentences of the words above."""
    blocks = []
    for line in text.split("\n")[:-1]:
        rows = []
        for number, form in enumerate(line.split(), 1):
            lemma, pos, feats = WORDS.get(form, (form, "PUNCT" if form == "." else "X", "_"))
            rows.append(f"{number}\t{form}\t{lemma}\t{pos}\t_\t{feats}\t_\t_\t_\tKnown=Yes")
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "src.txt": SOURCE,
        "cor.txt": CORRECTED,
        "src.conllu": conllu(SOURCE),
        "cor.conllu": conllu(CORRECTED),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


GERMAN = ("--lang", "de", "--analyses", "src.conllu", "--analyses", "cor.conllu")


def run(*arguments: str) -> Result:
    jobs = ("--jobs", "1") if arguments[0] in ("annotate", "score", "report") else ()
    return CliRunner().invoke(main, [*arguments, *jobs])


def printed(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def types(path: str) -> list[str]:
    return [edit.type for sent in load(path) for ann in sent.annotations for edit in ann.edits]


def annotate(*options: str) -> list[str]:
    done = run(
        "annotate", *GERMAN, "--src", "src.txt", "--cor", "cor.txt", "-o", "out.m2", *options
    )
    assert done.exit_code == 0, done.output
    return types("out.m2")


@pytest.mark.usefixtures("folder")
def test_languages_annotate() -> None:
    assert annotate() == ["M:VERB", "U:VERB", "R:NOUN:FORM"]
    assert annotate("--detail") == ["M:VERB", "U:VERB", "R:NOUN:NUM"]
    assert annotate("--order", "similar") == ["R:WO:SPELL", "R:NOUN:FORM"]
    assert annotate("--merge", "rules-2017")[-1] == "R:NOUN:FORM"


def test_languages_annotate_with_names_of_a_file(folder: Path) -> None:
    (folder / "names.tsv").write_text("Nomenform\tNOUN:FORM\n", encoding="utf-8")
    assert annotate("--map", "names.tsv") == ["M:VERB", "U:VERB", "R:Nomenform"]


@pytest.mark.usefixtures("folder")
def test_languages_annotate_says_what_has_no_analysis() -> None:
    done = run("annotate", *GERMAN[:4], "--src", "src.txt", "--cor", "cor.txt")
    assert done.exit_code == 1
    assert "no analysis of this sentence is in src.conllu: 'Gestern kaufte ich" in done.stderr


@pytest.mark.usefixtures("folder")
def test_languages_options_that_need_others() -> None:
    texts = ("--src", "src.txt", "--cor", "cor.txt")
    for option, needed in (("--split-multiword", "--analyses"), ("--compounds", "--dictionary")):
        done = run("annotate", "--lang", "de", option, *texts)
        assert done.exit_code == 2
        assert f"{option} needs {needed}" in done.stderr
    done = run("annotate", "--lang", "plain", "--detail", *texts)
    assert done.exit_code == 1
    assert "options of the classifier 'rules'" in done.stderr


@pytest.mark.usefixtures("folder")
def test_languages_output_must_not_replace_the_analyses() -> None:
    done = run("annotate", *GERMAN, "--src", "src.txt", "--cor", "cor.txt", "-o", "src.conllu")
    assert done.exit_code != 0
    assert Path("src.conllu").read_text(encoding="utf-8") == conllu(SOURCE)


@pytest.mark.usefixtures("folder")
def test_languages_score_by_all_metrics_of_edits() -> None:
    assert annotate()
    for metric in ("errant", "cleme", "ged", "gotoscorer(weights=none)", "pt-errant(scorer=lev)"):
        options = ("--gold", "out.m2", "cor.txt", "--resamples", "0")
        found = printed("score", "-m", metric, *GERMAN, *options)
        assert "lang:de|model:conllu-" in json.dumps(found)


@pytest.mark.usefixtures("folder")
def test_languages_unknown_language_says_how_to_get_it() -> None:
    for command in (("annotate", "--src", "src.txt", "--cor", "cor.txt"),
                    ("score", "-m", "errant", "--gold", "out.m2", "cor.txt"),
                    ("explain", "a", "b")):  # fmt: skip
        done = run(*command, "--lang", "xx")
        assert done.exit_code in (1, 2)
        assert "unknown language 'xx'" in done.stderr
        assert "--analyses" in done.stderr


@pytest.mark.usefixtures("folder")
def test_languages_report_names_categories_in_words() -> None:
    assert annotate()
    options = ("-m", "errant", "--gold", "out.m2", "cor.txt", "--resamples", "0", "-o", "page.html")
    done = run("report", *GERMAN, *options)
    assert done.exit_code == 0, done.output
    page = Path("page.html").read_text(encoding="utf-8")
    assert "A different form of a noun is needed." in page
    assert "errant" in json.loads(Path("page.json").read_text(encoding="utf-8"))["scores"]


@pytest.mark.usefixtures("folder")
def test_languages_metrics_of_all_include_those_that_need_analyses() -> None:
    """Metrics are tried on a sentence that files of analyses do not have."""
    options = PackOptions(analyses=("src.conllu", "cor.conllu"))
    made = make_metrics(["errant", "gotoscorer"], {}, {"lang": "de", "pack_options": options})
    findings = Findings()
    assert [metric.name for metric in usable(made, findings, n_systems=1)] == ["errant"]
    assert "gotoscorer-skipped" in findings.counts
    missing = make_metrics(["errant"], {}, {"lang": "de", "pack_options": PackOptions(("no",))})
    assert usable(missing, findings) == []


@pytest.mark.usefixtures("folder")
def test_languages_explain_in_words() -> None:
    texts = (SOURCE.split("\n", maxsplit=1)[0], CORRECTED.split("\n", maxsplit=1)[0])
    done = run("explain", *GERMAN, "--detail", *texts)
    assert "NOUN:NUM: A noun is in the wrong number." in done.stdout
    assert "both are forms of “Buch”" in done.stdout
    assert "the set of features changes: Number=Sing → Number=Plur" in done.stdout
    data = printed("explain", *GERMAN, *texts)
    assert data["source"][4]["features"] == "Number=Sing"
    assert data["edits"][-1]["meaning"] == "A different form of a noun is needed."


def test_languages_analyze_writes_what_can_be_read(folder: Path) -> None:
    options = ("--lang", "de", "--model", "plain", "src.txt", "cor.txt", "-o", "all.conllu")
    done = run("analyze", *options)
    assert done.exit_code == 0, done.output
    assert "3 distinct sentences" in done.stderr
    texts = ("--src", "src.txt", "--cor", "cor.txt")
    for given, name in ((("--model", "plain"), "one.m2"), (("--analyses", "all.conllu"), "two.m2")):
        assert run("annotate", "--lang", "de", *given, *texts, "-o", name).exit_code == 0
    assert (folder / "one.m2").read_text() == (folder / "two.m2").read_text()


@pytest.mark.usefixtures("folder")
def test_languages_analyze_protects_its_input() -> None:
    assert run("analyze", "--lang", "de", "src.txt", "-o", "src.txt").exit_code != 0
    assert Path("src.txt").read_text(encoding="utf-8") == SOURCE


def test_languages_are_listed() -> None:
    done = run("lang")
    assert done.exit_code == 0
    assert "German" in done.stdout
    assert "Ukrainian" in done.stdout
    data = printed("lang", "de", "en")
    german, english = data["languages"]
    assert [one["analyzer"] for one in german["analyzers"]] == ["hanta", "light", "plain"]
    assert german["analyzers"][0]["license"] == "LGPL-3.0-or-later"
    assert sum(one["default"] for one in german["analyzers"]) == 1
    assert english["analyzers"][0]["level"] == "full"
    installed = printed("lang", "--installed")["languages"]
    assert all(one["installed"] for pack in installed for one in pack["analyzers"])
    assert run("lang", "xx").exit_code == 1


@pytest.mark.usefixtures("folder")
def test_languages_agreement_of_two_files() -> None:
    assert annotate()
    Path("gold.m2").write_text(
        Path("out.m2").read_text(encoding="utf-8").replace("R:NOUN:FORM", "R:PNOUN"),
        encoding="utf-8",
    )
    usual = ("agreement", "gold.m2", "out.m2")
    data = printed(*usual)
    assert (data["matched_edits"], data["same_types"]) == (3, 2)
    assert data["differences"][0]["example"] == ["Buch", "Bücher"]
    Path("names.tsv").write_text("PNOUN\tNOUN:FORM\n", encoding="utf-8")
    data = printed(*usual, "--map", "names.tsv", "--keep-spans")
    assert data["retyped"]["value"] == 1.0
    shown = run(*usual, "--per-type").stdout
    assert "same type, of matched edits" in shown
    assert "R:PNOUN" in shown
    done = run("agreement", "gold.m2", "--keep-spans")
    assert done.exit_code == 2
    assert "give AUTO as well" in done.stderr


def test_lang_says_what_chinese_types_are_and_how_to_install() -> None:
    output = CliRunner().invoke(main, ["lang", "zh", "uk"]).output
    assert "operations: missing, redundant, substituted, word order" in output
    assert "full: all types" in output
    by_name = json.loads(CliRunner().invoke(main, ["lang", "zh", "uk", "--json"]).output)
    tagger = by_name["languages"][1]["analyzers"][0]
    remedy = f"{tagger['analyzer']} (uk) is not installed: {tagger['remedy']}"
    assert (remedy in output) is not tagger["installed"]


def test_stats_explain_the_operations_of_chinese(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2"
    path.write_text(
        "S 我 在 去\nT0-A0 我 再 去\nA 1 2|||S|||再|||REQUIRED|||-NONE-|||0\n\n", "utf-8"
    )
    assert "R is no replacement here" in CliRunner().invoke(main, ["stats", str(path)]).output
    path.write_text("S a b\nA 1 2|||R:NOUN|||c|||REQUIRED|||-NONE-|||0\n\n", "utf-8")
    assert "R is no" not in CliRunner().invoke(main, ["stats", str(path)]).output
