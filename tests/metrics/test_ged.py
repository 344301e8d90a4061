"""Error detection by tokens: labels, counts and averages, against an oracle and the shared task."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up
from geceval.errors import GecevalError, MismatchError, UnknownNameError
from geceval.evaluation.evaluate import evaluate
from geceval.evaluation.resampling import Resampling, compare
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.detection import TokenDetection
from geceval.metrics.detection.token_labels import Grain
from geceval.metrics.statistics import f_score
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens, apply_edits
from oracles import detection as oracle
from strategies import edits as any_edits
from strategies import phrases

SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "NTHU", "PKU", "RAC", "UFC")
TYPED: tuple[Grain, ...] = ("operation", "category", "both")
LANGUAGES = ("cs", "de", "en", "it", "sv")


def labeled(name: str, text: str, *marks: int) -> Hypothesis:
    tokens = tuple(text.split())
    flags = tuple(Edit(place, place + 1, (), "UNK") for place in marks)
    return Hypothesis(name, (tokens,), (flags,), labeled=True)


def gold(text: str, *edits: Edit) -> Corpus:
    return Corpus((Sentence(tuple(text.split()), (Annotation("0", edits),)),), "gold")


def counts(metric: TokenDetection, corpus: Corpus, system: Hypothesis) -> tuple[Any, ...]:
    parts = metric.score(corpus, system).parts
    return tuple(parts[name] for name in ("tp", "fp", "fn"))


# Labels.


def test_ged_tokens_of_edits_are_incorrect() -> None:
    corpus = gold("a b c d", Edit(0, 2, ((),)), Edit(3, 3, (("x",),)))
    assert counts(TokenDetection(), corpus, labeled("h", "a b c d", 0, 2, 3)) == (2, 1, 1)


def test_ged_says_how_many_insertions_are_lost() -> None:
    corpus = gold("a b", Edit(2, 2, ((".",),)))
    score = TokenDetection(lang="plain").score(corpus, Hypothesis("h", (("a", "b", "!"),)))
    assert (score.parts["tp"], score.parts["fp"], score.parts["fn"]) == (0, 0, 0)
    [note] = score.notes
    assert note == (
        "insertions at the end of a sentence mark no token and are ignored: "
        "2 of output and references together"
    )


def test_ged_ignores_unknown_errors_beside_corrections() -> None:
    flag, change = Edit(0, 1, (), "UNK"), Edit(1, 2, (("x",),), "R:OTHER")
    system = labeled("h", "a b c", 0, 1)
    assert counts(TokenDetection(), gold("a b c", flag, change), system) == (1, 1, 0)
    # Without any correction, the file has labels.
    assert counts(TokenDetection(), gold("a b c", flag), system) == (1, 1, 0)
    marks = Hypothesis("h", (("a", "b", "c"),), ((Edit(2, 3, (), "UNK"),),))
    assert counts(TokenDetection(), gold("a b c", flag), marks) == (0, 1, 1)


def test_ged_the_last_edit_of_a_token_names_it() -> None:
    first, second = Edit(1, 1, (("x",),), "M:DET"), Edit(1, 2, (("y",),), "R:NOUN")
    corpus = gold("a b", first, second)
    metric = TokenDetection(grain="both", lang="plain")
    score = metric.score(corpus, Hypothesis("h", (("a", "y"),), ((second,),)))
    assert score.parts["tp"] == 1
    table = metric.counts_by_type(corpus, Hypothesis("h", (("a", "y"),), ((second,),)), score)
    assert table is not None
    assert {name: (one.tp, one.fp, one.fn) for name, one in table.items()} == {"R:NOUN": (1, 0, 0)}


# The oracle.


@st.composite
def cases(draw: st.DrawFn) -> tuple[Tokens, list[Edit], list[Edit]]:
    word = st.sampled_from(("a", "b", "c"))
    tokens = draw(phrases(word))
    types = st.sampled_from(("M:DET", "R:NOUN", "R:DET", "U:NOUN:NUM"))
    edit = st.builds(lambda one, kind: replace(one, type=kind), any_edits(tokens, word), types)
    return tokens, draw(st.lists(edit, max_size=4)), draw(st.lists(edit, max_size=4))


def at_grain(labels: list[str], grain: Grain) -> list[str]:
    cuts = {"operation": slice(1), "category": slice(2, None), "both": slice(None)}
    if grain == "binary":
        return ["c" if name == "c" else "i" for name in labels]
    return [name if name == "c" else name[cuts[grain]] for name in labels]


@given(cases(), st.sampled_from(("binary", *TYPED)))
def test_ged_equals_the_oracle(case: tuple[Tokens, list[Edit], list[Edit]], grain: Grain) -> None:
    tokens, theirs, own = case
    # Without corrections, the edits would be labels.
    theirs = [one if one.corrections else replace(one, corrections=((),)) for one in theirs]
    own = [one if one.corrections else replace(one, corrections=((),)) for one in own]
    corpus = Corpus((Sentence(tokens, (Annotation("0", tuple(theirs)),)),))
    system = Hypothesis("h", (apply_edits(tokens, own),), (tuple(own),))
    parts = TokenDetection(grain=grain, auto_gold=False).score(corpus, system).parts
    gold_labels = at_grain(oracle.labels(theirs, len(tokens)), grain)
    own_labels = at_grain(oracle.labels(own, len(tokens)), grain)
    expected = oracle.count(own_labels, gold_labels)
    assert tuple(parts[name] for name in ("tp", "fp", "fn")) == expected
    if grain != "binary":
        assert parts["labels"] == len({*own_labels, *gold_labels})
        for name, skip in (("macro", ""), ("macro_errors", "c")):
            shares = oracle.macro(own_labels, gold_labels, skip=skip)
            assert (parts[f"{name}_P"], parts[f"{name}_R"]) == pytest.approx(shares)


# References and contract.


def test_ged_chooses_references_or_takes_one() -> None:
    corpus = made_up.corpus(20, absent=0.2)
    system = made_up.system(corpus, "one")
    metric = TokenDetection(lang="plain")
    chosen = metric.score(corpus, system)
    alone = [metric.with_options(ref=name).score(corpus, system) for name in ("0", "1")]
    assert chosen.value >= max(score.value for score in alone)
    for name, score in zip(("0", "1"), alone, strict=True):
        expected = metric.score(corpus.keep_annotators([name]), system)
        assert dict(score.parts) == dict(expected.parts)
    assert "|ref:chosen|" in chosen.signature
    with pytest.raises(UnknownNameError, match="unknown annotator '7'"):
        metric.with_options(ref="7").score(corpus, system)


def test_ged_systems_with_different_labels_can_be_compared() -> None:
    corpus = gold("a b", Edit(0, 1, (("x",),), "R:NOUN"))
    systems = [
        Hypothesis(name, (("x", "b"),), ((Edit(0, 1, (("x",),), name),),))
        for name in ("R:NOUN", "R:VERB", "R:ADJ")
    ]
    results = evaluate(corpus, systems, [TokenDetection(grain="both")], resampling=Resampling(20))
    statistics = {result.system: result.statistics for result in results}
    rows = compare(results[0].metric, statistics, resampling=Resampling(20))
    assert [row.difference for row in rows] == [-1, -1, 0]
    assert [result.score.parts["labels"] for result in results] == [2, 3, 3]


@pytest.mark.parametrize("grain", TYPED)
def test_ged_resampled_parts_equal_those_of_aggregate(grain: Grain) -> None:
    corpus = made_up.corpus(15)
    metric = TokenDetection(grain=grain, ref="0", lang="plain", auto_gold=True)
    statistics = metric.statistics(corpus, made_up.system(corpus, "one"))
    rows = np.random.default_rng(1).integers(0, len(corpus), size=(10, len(corpus)))
    expected = [metric.aggregate(statistics.take(row)) for row in rows]
    assert metric.resample(statistics, rows).tolist() == [one.value for one in expected]
    for name, values in metric.resample_parts(statistics, rows).items():
        assert values.tolist() == [one.parts[name] for one in expected]


# What people give by mistake.


@pytest.mark.parametrize("name", [name for name in standalone_names() if name != "ged"])
def test_ged_labels_are_refused_by_other_metrics(name: str) -> None:
    needed: dict[str, dict[str, Any]] = {
        "grammar": {"cache": False},
        "gotoscorer": {"weights": "none"},
    }
    corpus = gold("a b", Edit(0, 1, (("x",),), "R:NOUN"))
    with pytest.raises(GecevalError, match="labels of tokens but no corrections"):
        metric_class(name)(**needed.get(name, {})).score(corpus, labeled("h", "a b", 0))


def test_ged_labels_of_other_tokens_are_refused() -> None:
    corpus = gold('a " c', Edit(0, 1, (("x",),)))
    metric = TokenDetection()
    for text, message in (
        ("a b c", "h, sentence 1: token 2 \\(about line 2\\) is 'b', but '\"' in the gold"),
        ('a \\" c', "quotes are escaped"),
        ('a "', "it has 2 tokens, but the gold standard has 3"),
    ):
        with pytest.raises(GecevalError, match=message):
            metric.score(corpus, labeled("h", text))
    with pytest.raises(MismatchError):
        metric.score(Corpus(corpus.sentences * 2, "gold"), labeled("h", 'a " c'))


def test_ged_types_need_corrections_of_errants_types() -> None:
    corpus = gold("a b", Edit(0, 1, (("x",),), "ArtOrDet"))
    system = Hypothesis("h", (("x", "b"),), ((Edit(0, 1, (("x",),), "R:DET"),),))
    assert TokenDetection(grain="both").score(corpus, system).parts["tp"] == 0
    with pytest.raises(GecevalError, match="'ArtOrDet', which has no operation: use grain=both"):
        TokenDetection(grain="operation").score(corpus, system)
    for one, other in (
        (corpus, labeled("h", "a b")),
        (gold("a b", Edit(0, 1, (), "UNK")), system),
    ):
        with pytest.raises(GecevalError, match="only labels tokens as correct or incorrect"):
            TokenDetection(grain="both").score(one, other)


# Published numbers.


def table(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


def rounded(score: Any, names: tuple[str, ...]) -> list[str]:
    return [str(round(score.parts[name], 4)) for name in names]


@pytest.mark.parametrize("language", LANGUAGES)
def test_ged_equals_the_script_of_multiged(
    language: str, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "lang" / "multiged"
    corpus = load(folder / f"{language}.gold.tsv", findings=Findings())
    files = {"mixed": folder / f"{language}.mixed.tsv"}
    for name, label in (("none", "c"), ("all", "i")):
        files[name] = tmp_path / f"{name}.tsv"
        lines = (folder / f"{language}.gold.tsv").read_text("utf-8").split("\n")
        made = (line and f"{line.split(chr(9))[0]}\t{label}" for line in lines)
        files[name].write_text("\n".join(made), encoding="utf-8")
    rows = [row for row in table(folder / "expected.tsv") if row["language"] == language]
    assert len(rows) == 6
    for row in rows:
        system = load_hypothesis(files[row["system"]], findings=Findings())
        beta = float(row["beta"])
        score = TokenDetection(beta=beta).score(corpus, system)
        names = ("tp", "fp", "fn", "P", "R", f"F{beta:g}")
        assert rounded(score, names) == list(row.values())[3:]


@pytest.fixture(scope="module")
def conll(shared_data: Path) -> tuple[Corpus, dict[str, Hypothesis]]:
    folder = shared_data / "conll14"
    annotated = load(folder / "gold" / "official-2014.combined.m2", findings=Findings())
    references = [
        (folder / "gold" / f"official-2014.ref{number}.txt").read_text("utf-8").splitlines()
        for number in (0, 1)
    ]
    corpus = Corpus.from_texts([" ".join(tokens) for tokens in annotated.sources], *references)
    systems = {
        name: load_hypothesis(folder / "systems" / f"{name}.txt", findings=Findings())
        for name in SYSTEMS
    }
    return corpus, {**systems, "INPUT": Hypothesis("INPUT", corpus.sources)}


@pytest.mark.parametrize("ref", ["0", "1"])
def test_ged_equals_the_converted_corrections(
    ref: str, conll: tuple[Corpus, dict[str, Hypothesis]], shared_data: Path
) -> None:
    corpus, systems = conll
    folder = shared_data / "conll14" / "scores"
    metric = TokenDetection(ref=ref)
    rows = [row for row in table(folder / "detection-system.tsv") if row["ref"] == ref]
    scores = {row["system"]: metric.score(corpus, systems[row["system"]]) for row in rows}
    for row in rows:
        assert rounded(scores[row["system"]], tuple(row)[2:]) == list(row.values())[2:]
    for row in table(folder / "detection-sentence.tsv.gz"):
        if row["ref"] == ref:
            parts = scores[row["system"]].sentences.parts
            found = [str(parts[name][int(row["sent"])]) for name in ("tp", "fp", "fn")]
            assert found == list(row.values())[3:]


@pytest.mark.parametrize("ref", ["0", "1"])
def test_ged_equals_the_averages_over_classes(
    ref: str, conll: tuple[Corpus, dict[str, Hypothesis]], shared_data: Path
) -> None:
    corpus, systems = conll
    rows = table(shared_data / "conll14" / "scores" / "detection-multiclass.tsv")
    for row in rows:
        if row["ref"] == ref:
            metric = TokenDetection(ref=ref, grain=TYPED[int(row["cat"]) - 1])
            parts = metric.score(corpus, systems[row["system"]]).parts
            names = tuple(row)[3:]
            expected = [float(row[name]) for name in names]
            assert [parts[name] for name in names] == pytest.approx(expected, rel=0, abs=1e-15)


def test_ged_f_is_the_f_of_all_metrics() -> None:
    corpus = made_up.corpus(20)
    parts = TokenDetection(lang="plain").score(corpus, made_up.system(corpus, "one")).parts
    sizes = (parts["tp"], parts["tp"] + parts["fp"], parts["tp"] + parts["fn"])
    assert parts["F0.5"] == f_score(*map(np.array, sizes), beta=0.5)[2]
