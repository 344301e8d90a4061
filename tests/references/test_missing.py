"""Annotators without a line: what it means, and what each reading changes."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import made_up
from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence, UnknownNameError, load
from geceval.cli import main
from geceval.formats import Findings, load_hypothesis, write_sentences
from geceval.metaeval.maege.material import read_references, span
from geceval.metrics import metric_class, metric_names
from geceval.model import MissingPolicy
from geceval.references.missing import MissingAnnotations, policy_for
from geceval.report.baselines import find_baselines
from geceval.validation.check import validate_files

SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "NTHU", "PKU", "RAC", "UFC")


def fix(word: str) -> tuple[Edit, ...]:
    return (Edit(0, 1, ((word,),), "R:X"),)


def sentence(**readings: str) -> Sentence:
    """A sentence of two tokens; a reading is a correction of the first, or empty."""
    return Sentence(
        ("a", "b"),
        tuple(Annotation(name[1:], fix(new) if new else ()) for name, new in readings.items()),
    )


# The policy.


def test_same_repeats_the_annotator_before() -> None:
    corpus = Corpus(
        (
            sentence(_0="x", _1="y", _2=""),
            sentence(_0="x", _2="z"),
            sentence(_1="y"),
            sentence(_2="z"),
            sentence(_0="", _1="y"),
            Sentence(("a", "b")),
        )
    )
    x, y, z = ((word, "b") for word in "xyz")
    source = ("a", "b")
    assert corpus.references(missing="same") == {
        "0": [x, x, y, z, source, source],
        "1": [y, x, y, z, y, source],
        "2": [source, z, y, z, y, source],
    }
    filled = corpus.fill_missing("same")
    assert all(
        tuple(ann.annotator for ann in sent.annotations) == ("0", "1", "2") for sent in filled
    )
    assert filled.fill_missing("same") == filled
    assert corpus.fill_missing("absent") is corpus
    assert corpus.fill_missing() == corpus.fill_missing("noop")


def test_same_follows_the_order_of_annotators_not_of_lines() -> None:
    corpus = Corpus((sentence(_10="x", _2="y"), sentence(_2="", _3="z", _10="")))
    assert corpus.annotators == ("2", "3", "10")
    assert corpus.references(missing="same")["3"][0] == ("y", "b")


def test_unknown_policy_is_refused() -> None:
    corpus = Corpus((sentence(_0="x"),))
    with pytest.raises(UnknownNameError, match="did you mean 'same'"):
        corpus.fill_missing("sam")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="policy for missing annotators"):
        corpus.references(missing="perhaps")  # type: ignore[arg-type]


WITH_POLICY = ["m2", "errant", "cleme", "cleme2", "gleu", "green", "bleu", "ibleu", "chrf", "ter",
               "wer", "cer", "sari", "maxsari", "ld-reference"]  # fmt: skip
WEIGHING = [name for name in metric_names() if metric_class(name).weighs_references]


def scores(name: str, corpus: Corpus, hypothesis: Hypothesis, **options: Any) -> tuple[Any, ...]:
    if name in ("errant", "cleme", "cleme2"):
        options["lang"] = "plain"
    score = metric_class(name)(**options).score(corpus, hypothesis)
    return score.value, dict(score.parts)


@pytest.mark.parametrize("name", WITH_POLICY)
def test_same_is_a_corpus_in_which_readings_are_repeated(name: str) -> None:
    gold = made_up.corpus(30, annotators=("0", "1", "2"), absent=0.3)
    system = made_up.system(gold, "ours")
    filled = gold.fill_missing("same")
    assert scores(name, gold, system, missing="same") == scores(name, filled, system)


def test_metrics_that_weigh_references_are_those_that_same_changes() -> None:
    """With several readings beside a missing one, repeating one of them gives it more weight."""
    assert WEIGHING == ["cleme", "gleu", "ter", "sari"]
    gold = made_up.corpus(40, annotators=("0", "1", "2"), absent=0.3)
    system = made_up.system(gold, "ours")
    changed = [
        name
        for name in WITH_POLICY
        if scores(name, gold, system, missing="same") != scores(name, gold, system)
    ]
    assert changed == WEIGHING
    assert scores("imeasure", gold.fill_missing("same"), system) == scores("imeasure", gold, system)


# What the content tells.


def corpus_with(
    rng: random.Random, *, duplicates: bool, noops: bool, absent: float = 0.0
) -> Corpus:
    """Two annotators who agree on an edit now and then, hence on whole readings if these are short.

    Parameters
    ----------
    rng
        Of the chance.
    duplicates, noops
        Whether the second reading is written where it equals the first, or has no edits.
    absent
        How likely it is that the second annotator did not look.
    """
    sentences = []
    for _ in range(400):
        size = rng.choice((0, 1, 1, 2, 3, 4))
        tokens = tuple(f"w{number}" for number in range(8))
        first = tuple(Edit(at, at + 1, (("x",),), "T") for at in range(size))
        agrees = rng.random() < 0.3**size
        second = first if agrees else tuple(Edit(at, at + 1, (("y",),), "T") for at in range(size))
        if rng.random() < 0.15:
            second = ()
        readings = [Annotation("0", first), Annotation("1", second)]
        is_left_out = bool(first) and (
            (first == second and not duplicates) or (not second and not noops)
        )
        if is_left_out or rng.random() < absent:
            readings.pop()
        sentences.append(Sentence(tokens, tuple(readings)))
    return Corpus(tuple(sentences))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"duplicates": False, "noops": True}, "same"),
        ({"duplicates": True, "noops": False}, "noop"),
        ({"duplicates": True, "noops": True, "absent": 0.3}, None),
        ({"duplicates": True, "noops": True}, None),
    ],
)
def test_missing_readings_are_told_by_the_rest(
    written: dict[str, Any], expected: MissingPolicy | None
) -> None:
    for seed in range(20):
        found = MissingAnnotations.of(corpus_with(random.Random(seed), **written))
        assert found.suggested == expected


def test_missing_readings_of_little_tell_nothing() -> None:
    few = Corpus((sentence(_0="x", _1=""), sentence(_0="x")))
    found = MissingAnnotations.of(few)
    assert (found.lacking, found.open, found.noops, found.suggested) == (1, 1, 1, None)
    assert policy_for(few, None) == "absent"
    assert MissingAnnotations.of(Corpus(())).suggested is None


# CoNLL-2014.


@pytest.fixture(scope="module")
def gold_folder(shared_data: Path) -> Path:
    return shared_data / "conll14" / "gold"


@pytest.fixture(scope="module")
def combined(gold_folder: Path) -> Corpus:
    return load(gold_folder / "official-2014.combined.m2", findings=Findings())


def test_conll_missing_annotator_made_the_same_corrections(
    combined: Corpus, gold_folder: Path
) -> None:
    """The combined file, read as `same`, is what the annotators' own files say."""
    filled = combined.fill_missing("same")
    for annotator in ("0", "1"):
        own = load(gold_folder / f"official-2014.{annotator}.m2", findings=Findings())
        for sent, theirs in zip(filled, own, strict=True):
            mine = sent.annotation(annotator)
            assert mine is not None
            assert [(e.start, e.end, e.corrections) for e in mine.edits] == [
                (e.start, e.end, e.corrections) for e in theirs.annotations[0].edits
            ]


def test_conll_content_speaks_for_same(combined: Corpus, gold_folder: Path) -> None:
    found = MissingAnnotations.of(combined)
    assert (found.lacking, found.open, found.noops, found.reweighted) == (224, 88, 275, 0)
    assert found.suggested == "same"
    for name, expected in (("bryant-ng-10", "noop"), ("official-2014.combined-withalt", None)):
        other = load(gold_folder / f"{name}.m2", findings=Findings())
        assert MissingAnnotations.of(other).suggested == expected


@pytest.mark.parametrize("name", ["m2", "errant", "imeasure", "gleu", "sari", "bleu"])
def test_conll_same_changes_no_score_of_a_system(
    name: str, combined: Corpus, shared_data: Path
) -> None:
    for system in SYSTEMS[:2]:
        path = shared_data / "conll14" / "systems" / f"{system}.txt"
        output = load_hypothesis(path, findings=Findings())
        expected = scores(name, combined, output)
        assert scores(name, combined.fill_missing("same"), output) == expected


def test_conll_same_is_the_gold_of_the_reference_files(combined: Corpus, gold_folder: Path) -> None:
    texts = [
        [
            tuple(line.split())
            for line in (gold_folder / f"official-2014.ref{number}.txt")
            .read_text(encoding="utf-8")
            .removesuffix("\n")
            .split("\n")
        ]
        for number in (0, 1)
    ]
    assert list(combined.references(missing="same").values()) == texts


def test_conll_same_gives_the_lattices_of_the_separate_annotators(
    combined: Corpus, gold_folder: Path
) -> None:
    """In the file with ten annotators, 7 and 3 are the official two, and nothing is left out."""
    ten = load(gold_folder / "bryant-ng-10.m2", findings=Findings())
    references = read_references(gold_folder / "BN1.txt", combined)
    absent, same = (span(combined, references=references, missing=one) for one in ("absent", None))
    separate = span(ten, annotators=("7", "3"), references=references)
    counted = [dict(one.counts) for one in (absent, same, separate)]
    assert [counts["kept"] for counts in counted] == [802, 890, 890]
    assert counted[1] == counted[2]


# Where it is used.


@pytest.fixture
def gold_file(tmp_path: Path) -> Path:
    corpus = corpus_with(random.Random(1), duplicates=False, noops=True)
    path = tmp_path / "gold.m2"
    write_sentences(corpus, path)
    (tmp_path / "ours.txt").write_text(
        "".join(" ".join(tokens) + "\n" for tokens in corpus.sources), encoding="utf-8"
    )
    return path


def scored(gold: Path, *options: str) -> dict[str, Any]:
    given = ["score", "--gold", str(gold), str(gold.parent / "ours.txt"), "--json"]
    result = CliRunner().invoke(main, [*given, "--resamples", "0", *options])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def policies(found: dict[str, Any]) -> dict[str, str]:
    return {
        one["metric"]: next(
            part.removeprefix("missing:")
            for part in one["signature"].split("|")
            if part.startswith("missing:")
        )
        for one in found["results"]
    }


def test_score_takes_same_where_references_are_weighed(gold_file: Path) -> None:
    found = scored(gold_file, "-m", "m2,gleu,sari,bleu")
    assert policies(found) == {"m2": "absent", "gleu": "same", "sari": "same", "bleu": "absent"}
    (warning,) = found["warnings"]
    assert "taken as same by gleu, sari, absent by others; the file means same" in warning
    assert "absent gives 1-2 references; noop gives 2 references, and all scores" in warning
    assert "same gives 2 references, and no score of a system changes" in warning


def test_score_decides_for_each_metric_that_does_not(gold_file: Path) -> None:
    found = scored(gold_file, "-m", "gleu(order=2),gleu,gleu(missing=noop)")
    assert policies(found) == {
        "gleu(order=2)": "same",
        "gleu": "same",
        "gleu(missing=noop)": "noop",
    }
    assert "taken as same by gleu(order=2), gleu, absent by others" in found["warnings"][0]


@pytest.mark.parametrize("policy", ["absent", "noop", "same"])
@pytest.mark.parametrize(
    "options",
    [
        ["-m", "m2,gleu", "--missing-annotator", "{}"],
        ["-m", "m2(missing={}),gleu(missing={})"],
        ["-m", "gleu(missing={}),m2", "--missing-annotator", "{}"],
    ],
)
def test_score_takes_what_is_asked_for(gold_file: Path, policy: str, options: list[str]) -> None:
    found = scored(gold_file, *(option.replace("{}", policy) for option in options))
    assert policies(found) == {"m2": policy, "gleu": policy}
    assert "--missing-annotator" not in options or found["warnings"] == []


def test_check_tells_what_a_missing_line_means(gold_file: Path, gold_folder: Path) -> None:
    def notes(path: Path) -> list[str]:
        return [one.message for one in validate_files([path]).findings if one.code == "absent"]

    (note,) = notes(gold_file)
    assert "probably the same as the preceding annotator" in note
    (note,) = notes(gold_folder / "official-2014.combined.m2")
    assert "1 has no line in 224 of 1312 sentences" in note
    assert "probably the same as the preceding annotator" in note
    assert "nothing to correct?" not in note
    assert "probably nothing to correct" in notes(gold_folder / "bryant-ng-10.m2")[0]


def test_check_says_where_it_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "gold.m2"
    write_sentences(Corpus((sentence(_0="x", _1="y"), sentence(_0=""))), path)
    (note,) = [one.message for one in validate_files([path]).findings if one.code == "absent"]
    assert "scores do not depend on it" in note


def test_people_are_held_against_people_who_agree_with_them() -> None:
    """Sentences that are missing because two agree are not left out of what people score."""
    corpus = corpus_with(random.Random(3), duplicates=False, noops=True)
    found = MissingAnnotations.of(corpus)
    sizes = {
        policy: [len(one.hypothesis) for one in find_baselines(corpus, missing=policy)][1:]
        for policy in ("absent", "same")
    }
    assert sizes["same"] == [len(corpus)] * 2
    assert sizes["absent"] == [len(corpus) - found.lacking] * 2
    metric = metric_class("m2")()
    absent, same = (
        [
            metric.score(one.corpus, one.hypothesis).value
            for one in find_baselines(corpus, missing=policy)
        ]
        for policy in ("absent", "same")
    )
    assert same[0] == absent[0]
    assert same[1] > absent[1]
    assert same[2] > absent[2]


def test_lattices_of_annotators_who_agree() -> None:
    corpus = corpus_with(random.Random(4), duplicates=False, noops=True)
    found = MissingAnnotations.of(corpus)
    findings = Findings()
    absent, same = span(corpus), span(corpus, missing="same", findings=findings)
    assert len(same.sentences) == len(absent.sentences) + found.open
    assert findings.counts["maege-repeated"] == 1
    assert span(corpus, missing=None).digest == same.digest
    assert span(corpus, missing="noop").counts["kept"] == absent.counts["kept"]
    used = {sent.number for sent in absent.sentences}
    number = next(sent.number for sent in same.sentences if sent.number not in used)
    sent = next(one for one in same.sentences if one.number == number)
    first, second = sent.lattices
    assert first.edits == second.edits
    assert [lattice.annotator for lattice in sent.lattices] == ["0", "1"]


def test_report_uses_what_the_file_means(gold_file: Path, tmp_path: Path) -> None:
    arguments = ["report", "--gold", str(gold_file), str(gold_file.parent / "ours.txt")]
    ends = ["-m", "m2,gleu", "--resamples", "0", "-o", str(tmp_path / "page.html")]
    baselines = {}
    for name, more in (("file", []), ("absent", ["--missing-annotator", "absent"])):
        result = CliRunner().invoke(main, [*arguments, *ends, *more])
        assert result.exit_code == 0, result.output
        found = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
        baselines[name] = [one["scores"]["m2"] for one in found["baselines"]]
    assert baselines["file"][0] == baselines["absent"][0]
    assert all(np.array(baselines["file"][1:]) > np.array(baselines["absent"][1:]))


def test_maege_uses_what_the_file_means(gold_file: Path) -> None:
    kept = {}
    for name, more in (("file", []), ("absent", ["--missing-annotator", "absent"])):
        arguments = ["metaeval", "maege", str(gold_file), "-m", "ld-source", "--lang", "plain"]
        result = CliRunner().invoke(main, [*arguments, "--json", *more])
        assert result.exit_code == 0, result.output
        kept[name] = json.loads(result.stdout)["material"]["counts"]["kept"]
    assert kept["file"] > kept["absent"]
