"""The front door: strings in, scores out, and never a number for input that was misunderstood."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import geceval
from geceval import Corpus, Edit, GecevalError, Hypothesis, MismatchError
from geceval.cli import main
from geceval.metrics import standalone_names

SOURCES = ["I likes cat .", "All is well .", "He go home ."]
FIRST = ["I like cats .", "All is well .", "He goes home ."]
SECOND = ["I like a cat .", "All is fine .", "He went home ."]
OURS = ["I like cats .", "All is well .", "He go to home ."]
THEIRS = ["I likes cats .", "All is good .", "He go home ."]
SYSTEMS = {"ours": OURS, "theirs": THEIRS}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"src": SOURCES, "ref0": FIRST, "ref1": SECOND, "ours": OURS, "theirs": THEIRS}
    for name, lines in files.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    geceval.save(Corpus.from_texts(SOURCES, FIRST, SECOND), tmp_path / "gold.m2")
    return tmp_path


def printed(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


TEXTS = ("--src", "src.txt", "--ref", "ref0.txt", "--ref", "ref1.txt")
FILES = ("ours.txt", "theirs.txt")


@pytest.mark.parametrize("references", [[FIRST, SECOND], [*zip(FIRST, SECOND, strict=True)]])
@pytest.mark.parametrize("metrics", [["gleu", "bleu", "sari", "ld-reference"], ["m2", "errant"]])
def test_api_evaluate_equals_the_command_line(metrics: list[str], references: Any) -> None:
    ours = geceval.evaluate(SYSTEMS, SOURCES, references, metrics, lang="plain").to_dict()
    needed = ("--auto-gold",) if "m2" in metrics else ()
    lang = ("--lang", "plain") if "errant" in metrics else ()
    theirs = printed("score", "-m", ",".join(metrics), *TEXTS, *needed, *lang, *FILES)
    assert ours == theirs


def test_api_evaluate_of_files_equals_the_command_line() -> None:
    ours = geceval.evaluate([*FILES], "gold.m2", metrics=["m2", "gleu"])
    assert ours.to_dict() == printed("score", "-m", "m2,gleu", "--gold", "gold.m2", *FILES)
    text = geceval.evaluate([*FILES], "src.txt", ["ref0.txt", "ref1.txt"], ["gleu"])
    assert text.to_dict() == printed("score", "-m", "gleu", *TEXTS, *FILES)


def test_api_compare_equals_the_command_line() -> None:
    ours = geceval.compare(SYSTEMS, Path("gold.m2"), metric="m2")
    theirs = printed("compare", "--gold", "gold.m2", *FILES)
    assert {**ours.to_dict(), "warnings": []} == theirs
    with_baseline = geceval.compare(SYSTEMS, "gold.m2", baseline="theirs", test="bootstrap")
    assert (with_baseline[0].first, with_baseline.test) == ("theirs", "bootstrap")


def test_api_sentence_scores_equal_the_command_line(folder: Path) -> None:
    values = geceval.sentence_scores(OURS, "gold.m2", metric=["m2", "gleu"])
    printed("score", "-m", "m2", "--gold", "gold.m2", "ours.txt", "--per-sentence", "one.tsv")
    rows = (folder / "one.tsv").read_text("utf-8").splitlines()
    assert [float(row.split("\t")[3]) for row in rows[1:]] == values["m2"]
    assert geceval.sentence_scores(OURS, "gold.m2") == values["m2"]


POOLED: dict[str, dict[str, Any]] = {"gotoscorer": {"weights": "none"}}


@pytest.mark.parametrize("name", [one for one in standalone_names() if one != "grammar"])
def test_api_every_metric_takes_strings(name: str) -> None:
    options = POOLED.get(name, {})
    score = geceval.score(
        OURS, SOURCES, [FIRST, SECOND], name, lang="plain", resamples=20, **options
    )
    assert score.metric == name
    assert score.interval is not None
    assert score.interval.low <= score.value <= score.interval.high
    made = geceval.get_metric(name)
    assert isinstance(made, getattr(geceval.metrics, type(made).__name__))


def test_api_scorer_gives_the_same_scores_every_time() -> None:
    scorer = geceval.Scorer(SOURCES, [FIRST, SECOND], ["m2", "gleu"], lang="plain")
    once = geceval.score(OURS, SOURCES, [FIRST, SECOND], ["m2", "gleu"], lang="plain", resamples=0)
    assert [scorer(OURS).to_dict() for _ in range(3)] == [once.to_dict()] * 3
    assert scorer(THEIRS)["m2"].value != once["m2"].value
    assert [metric.name for metric in scorer.metrics] == ["m2", "gleu"]


def test_api_gold_edits_are_extracted_and_the_signature_says_so() -> None:
    extracted = geceval.score(OURS, SOURCES, FIRST, lang="plain")
    assert "|gold:auto|lang:plain|" in extracted.signature
    assert "gold:auto" not in geceval.score(OURS, "gold.m2").signature
    corpus = Corpus.from_texts(SOURCES, FIRST)
    assert geceval.score(OURS, corpus, lang="plain").to_dict() == extracted.to_dict()
    assert "gold:auto" not in geceval.score(OURS, SOURCES, FIRST, "gleu").signature


def test_api_options_reach_the_metric() -> None:
    by_option = geceval.score(OURS, "gold.m2", beta=1)
    assert by_option.to_dict() == geceval.score(OURS, "gold.m2", metric="m2(beta=1)").to_dict()
    made = geceval.get_metric("m2", beta=1)
    assert by_option.to_dict() == geceval.score(OURS, "gold.m2", metric=made).to_dict()
    assert isinstance(made, geceval.metrics.M2)
    with pytest.raises(geceval.OptionError, match="did you mean 'beta'"):
        geceval.score(OURS, "gold.m2", betta=1)


def test_api_scores_are_pleasant() -> None:
    score = geceval.score(Hypothesis.from_texts(OURS, name="<ours>"), "gold.m2")
    interval = score.interval
    assert interval is not None
    low, high = interval
    assert str(score) == (
        f"M2 F0.5 = {score.value:.4f} [{low:.4f}, {high:.4f}] "
        f"(P {score.parts['precision']:.4f}, R {score.parts['recall']:.4f})"
    )
    assert float(score) == score.value
    frame = score.to_pandas()
    assert frame.loc[0, "score"] == score.value
    html = score._repr_html_()
    assert "&lt;ours&gt;" in html
    assert "<ours>" not in html
    assert pickle.loads(pickle.dumps(score)).to_dict() == score.to_dict()  # noqa: S301


def test_api_collections_are_pleasant() -> None:
    scores = geceval.score(OURS, "gold.m2", metric=["m2", "gleu"])
    assert [*scores] == ["m2", "gleu"]
    assert str(scores).splitlines() == [str(scores["m2"]), str(scores["gleu"])]
    assert list(scores.to_pandas()["metric"]) == ["m2", "gleu"]
    assert "M2 F0.5" in scores._repr_html_()
    with pytest.raises(KeyError, match="did you mean 'gleu'"):
        scores["glue"]
    systems = geceval.evaluate(SYSTEMS, "gold.m2")
    assert isinstance(systems.to_pandas(), pd.DataFrame)
    assert "theirs" in systems._repr_html_()
    assert str(systems).startswith("ours: M2 F0.5 = ")
    comparisons = geceval.compare(SYSTEMS, "gold.m2")
    assert list(comparisons.to_pandas()["second"]) == ["theirs"]
    assert "ours → theirs: M2 " in str(comparisons)
    assert "<table>" in comparisons._repr_html_()


def test_api_annotate_and_explain() -> None:
    edits = geceval.annotate("This are <b> .", "This is <b> .")
    assert list(edits) == [Edit(1, 2, (("is",),), "R:VERB:SVA")]
    assert str(edits) == "This {are → is R:VERB:SVA} <b> ."
    assert "&lt;b&gt;" in edits._repr_html_()
    assert "<b>" not in edits._repr_html_()
    several = geceval.annotate(SOURCES, FIRST)
    assert [len(one) for one in several] == [2, 0, 1]
    assert several[0] == geceval.annotate(SOURCES[0], FIRST[0])
    raw = geceval.annotate("He don't go.", "He doesn't go.", tokenize=True)
    assert [(edit.start, edit.correction) for edit in raw] == [(1, ("does",))]
    explanation = geceval.explain("This are it .", "This is it .")
    assert "R:VERB:SVA: " in str(explanation)
    assert "<li>R:VERB:SVA" in explanation._repr_html_()
    again = pickle.loads(pickle.dumps(edits))  # noqa: S301
    assert (again, again.source) == (edits, edits.source)


def test_api_annotator_has_the_verbs_of_errant() -> None:
    annotator = geceval.load_annotator("en")
    source, corrected = annotator.parse("This are it ."), annotator.parse("This is it .")
    assert source.tags[1] == "VBP"
    alignment = annotator.align(source, corrected)
    (change,) = annotator.merge(alignment)
    edit = annotator.classify(change, alignment)
    assert (edit,) == annotator.annotate("This are it .", "This is it .")
    assert (edit,) == annotator.annotate(["This", "are", "it", "."], ("This", "is", "it", "."))
    assert annotator.align("a b", "a c").operations[1].kind == "S"


def test_api_check_and_convert(folder: Path) -> None:
    assert geceval.check("gold.m2", "ours.txt").is_valid
    (folder / "short.txt").write_text("I like cats .\n", "utf-8")
    assert not geceval.check("gold.m2", "short.txt").is_valid
    result = geceval.convert("gold.m2", "gold.xml")
    assert (result.sentences, result.written) == (3, "ixml")
    geceval.convert(["src.txt", "ref0.txt"], "one.m2")
    assert geceval.load("one.m2") == geceval.load("one.m2", name="one")
    with pytest.raises(geceval.OptionError, match="would be written over"):
        geceval.convert("gold.m2", "gold.m2", to="m2")


def test_api_write_report(folder: Path) -> None:
    geceval.write_report(
        "report.html", SYSTEMS, SOURCES, [FIRST, SECOND], ["m2", "gleu"], results="results.json",
        resamples=20, lang="plain",
    )  # fmt: skip
    page = (folder / "report.html").read_text("utf-8")
    assert "theirs" in page
    again = CliRunner().invoke(main, ["report", "results.json", "-o", "again.html"])
    assert again.exit_code == 0, again.output
    assert (folder / "again.html").read_text("utf-8") == page


def test_api_paths_are_not_written_over() -> None:
    with pytest.raises(geceval.OptionError, match="would be written over"):
        geceval.write_report("ours.txt", ["ours.txt"], "gold.m2", metrics="m2", resamples=0)


def test_api_warns_about_suspicious_texts() -> None:
    shifted = [OURS[-1], *OURS[:-1]]
    with pytest.warns(geceval.GecevalWarning, match="neighboring source line"):
        geceval.score(shifted * 3, SOURCES * 3, FIRST * 3, "gleu")
    with pytest.raises(GecevalError, match="neighboring source line"):
        geceval.score(shifted * 3, SOURCES * 3, FIRST * 3, "gleu", strict=True)


def test_api_tokenizes_raw_text() -> None:
    raw = ["I like cats.", "All is well.", "He goes home."]
    with pytest.warns(geceval.GecevalWarning, match="tokenized by geceval"):
        score = geceval.score(raw, SOURCES, FIRST, "gleu", tokenize=True)
    assert score.value == 1
    assert "tokens:geceval" in score.signature


untyped: Any = geceval
"""The package for calls that a type checker refuses."""

WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a string for a list": (
        lambda: untyped.score("I like cats .", SOURCES, FIRST),
        TypeError,
        r"^hypotheses must be a list of strings, not the string 'I like cats \.', and no file",
    ),
    "a string for sources": (
        lambda: untyped.score(OURS, "I likes cat .", FIRST), TypeError, r"^sources must be a list",
    ),
    "a string for references": (
        lambda: untyped.score(OURS, SOURCES, "I like cats ."), TypeError, r"^references must be",
    ),
    "tokens for hypotheses": (
        lambda: untyped.score([line.split() for line in OURS], SOURCES, FIRST),
        TypeError,
        r"^hypotheses\[0\] must be a string with spaces between the tokens, not the list",
    ),
    "tokens for references": (
        lambda: untyped.score(OURS, SOURCES, [line.split() for line in FIRST]),
        TypeError,
        r"^references\[0\] must be the corrections of a sentence, not tokens",
    ),
    "as many references as sentences": (
        lambda: untyped.score(OURS, SOURCES, [FIRST, SECOND, FIRST], "gleu"),
        TypeError,
        r"references_by='annotator' or references_by='sentence'$",
    ),
    "too few hypotheses": (
        lambda: untyped.score(OURS[:2], SOURCES, FIRST, "gleu"),
        MismatchError,
        r"^sources has 3 sentences but hypotheses has 2",
    ),
    "too few references": (
        lambda: untyped.score(OURS, SOURCES, FIRST[:2]),
        MismatchError,
        r"^sources has 3 sentences but references has 2$",
    ),
    "references that fit nothing": (
        lambda: untyped.score(OURS, SOURCES, [FIRST[:2], SECOND[:2]]),
        MismatchError,
        r"references are 2 lists of 2 strings; expected a list of 3 for each annotator",
    ),
    "no references": (
        lambda: untyped.score(OURS, SOURCES), TypeError, r"^references must be given with source",
    ),
    "None for hypotheses": (
        lambda: untyped.score(None, SOURCES, FIRST),
        TypeError,
        r"^hypotheses must be a list of strings, not None$",
    ),
    "None for a sentence": (
        lambda: untyped.score([*OURS[:2], None], SOURCES, FIRST),
        TypeError,
        r"^hypotheses\[2\] must be a string with spaces between the tokens, not None$",
    ),
    "a number for a sentence": (
        lambda: untyped.score([*OURS[:2], 3], SOURCES, FIRST),
        TypeError,
        r"^hypotheses\[2\] must be a string",
    ),
    "empty sources": (
        lambda: untyped.score([], [], []), TypeError, r"^sources must have at least one sentence",
    ),
    "empty hypotheses": (
        lambda: untyped.score([], SOURCES, FIRST),
        TypeError,
        r"^hypotheses must have at least one sentence",
    ),
    "a mapping of systems": (
        lambda: untyped.score(SYSTEMS, SOURCES, FIRST),
        TypeError,
        r"^hypotheses must be a list of strings, not the dict",
    ),
    "a table": (
        lambda: untyped.score(pd.DataFrame({"a": OURS}), SOURCES, FIRST),
        TypeError,
        r"select one column$",
    ),
    "a set": (
        lambda: untyped.score(set(OURS), SOURCES, FIRST), TypeError, r"not the set",
    ),
    "a whole text": (
        lambda: untyped.score(["\n".join(OURS)], ["\n".join(SOURCES)], ["\n".join(FIRST)]),
        ValueError,
        r"^sources\[0\] has line breaks: expected one sentence",
    ),
    "a corpus and references": (
        lambda: untyped.score(OURS, Corpus.from_texts(SOURCES, FIRST), FIRST),
        TypeError,
        r"^references must not be given with a corpus",
    ),
    "a corpus for a system": (
        lambda: untyped.score(Corpus.from_texts(SOURCES, FIRST), SOURCES, FIRST),
        TypeError,
        r"^hypotheses must be the output of a system, not a gold standard",
    ),
    "two metrics in a string": (
        lambda: untyped.score(OURS, SOURCES, FIRST, "gleu,bleu"),
        TypeError,
        r"^metric must be a list to name several metrics: gleu, bleu$",
    ),
    "the same metric twice": (
        lambda: untyped.score(OURS, "gold.m2", metric=[geceval.metrics.M2(), "m2"]),
        geceval.OptionError,
        r"^the metric m2 is given twice$",
    ),
    "a class for a metric": (
        lambda: untyped.score(OURS, "gold.m2", metric=[geceval.metrics.M2]),
        TypeError,
        r"^a metric must be a name or come from get_metric",
    ),
    "no metric": (
        lambda: untyped.score(OURS, "gold.m2", metric=[]), TypeError, r"^metrics must be a list",
    ),
    "lists of strings for systems": (
        lambda: untyped.evaluate(OURS, SOURCES, FIRST),
        TypeError,
        r"^systems\[0\] must be the output of a system, not the string",
    ),
    "no system": (
        lambda: untyped.evaluate({}, SOURCES, FIRST), TypeError, r"^systems must be the output of",
    ),
    "one system to compare": (
        lambda: untyped.compare({"ours": OURS}, SOURCES, FIRST, "gleu"),
        GecevalError,
        r"at least two systems",
    ),
    "a missing file": (
        lambda: untyped.score(Path("missing.txt"), "gold.m2"), GecevalError, r"missing\.txt",
    ),
    "files and strings": (
        lambda: untyped.score(OURS, "src.txt", FIRST),
        TypeError,
        r"^references\[0\] must be a file",
    ),
    "a pair of a string and a list": (
        lambda: untyped.annotate("I likes cat .", FIRST),
        TypeError,
        r"^source and corrected must be two strings or two lists of strings",
    ),
    "unequal lists to annotate": (
        lambda: untyped.annotate(SOURCES, FIRST[:1]), MismatchError, r"source has 3 sentences",
    ),
    "tokens to annotate": (
        lambda: untyped.annotate([["I"]], [["I"]]),
        TypeError,
        r"^source\[0\] must be a string",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_api_wrong_input_is_an_error(case: str) -> None:
    call, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("axis", ["annotator", "sentence"])
def test_api_references_can_be_explicit(axis: Any) -> None:
    square = [FIRST, SECOND, FIRST]
    if axis == "sentence":
        square = [list(row) for row in zip(*square, strict=True)]
    score = geceval.score(OURS, SOURCES, square, "gleu", references_by=axis)
    assert score.value == geceval.score(OURS, SOURCES, [*square, square[0]][:3], "gleu",
                                        references_by=axis).value  # fmt: skip
    assert "refs:3" in score.signature


def test_api_references_may_be_ragged() -> None:
    ragged = [[FIRST[0], SECOND[0]], [FIRST[1]], [FIRST[2], SECOND[2]]]
    absent: list[list[str | None]] = [[*FIRST], [SECOND[0], None, SECOND[2]]]
    one = geceval.score(OURS, SOURCES, ragged, "ld-reference")
    assert one.to_dict() == geceval.score(OURS, SOURCES, absent, "ld-reference").to_dict()


def test_api_series_and_generators_are_lists() -> None:
    expected = geceval.score(OURS, SOURCES, FIRST, "gleu").to_dict()
    series = geceval.score(pd.Series(OURS), pd.Series(SOURCES), pd.Series(FIRST), "gleu")
    lazy = geceval.score((line for line in OURS), iter(SOURCES), tuple(FIRST), "gleu")
    assert series.to_dict() == lazy.to_dict() == expected


def test_api_slices_equal_the_command_line(folder: Path) -> None:
    labels = ["A", "B", "A"]
    (folder / "level.txt").write_text("".join(f"{one}\n" for one in labels), "utf-8")
    ours = geceval.evaluate(SYSTEMS, "gold.m2", slices={"level": labels}).to_dict()
    theirs = printed("score", "--gold", "gold.m2", *FILES, "--slices", "level.txt")
    assert ours["results"] == theirs["results"]
    assert ours["results"][0]["slices"]["level"]["labels"]["A"]["sentences"] == 2
    with pytest.raises(MismatchError, match="sources has 3 sentences but slices 'level' has 1"):
        geceval.evaluate(SYSTEMS, SOURCES, FIRST, "gleu", slices={"level": ["A"]})
