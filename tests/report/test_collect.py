"""Everything that a report shows, computed once."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import made_up
from geceval.errors import GecevalError, MismatchError
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.influence import influence, most_influential
from geceval.evaluation.power import power_of
from geceval.evaluation.resampling import Resampling, Test, compare
from geceval.formats import Findings, LoadedFile, load_hypothesis
from geceval.metrics.base import Metric
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Score, SentenceScores, Statistics
from geceval.model import (
    Annotation,
    Corpus,
    Edit,
    Hypothesis,
    OutputReading,
    Sentence,
    apply_edits,
)
from geceval.report.collect import collect
from geceval.report.input_files import File
from geceval.report.results import Results, dumps, save
from geceval.report.results_loader import load
from guard import finishes
from oracles import outcomes as oracle

SYSTEMS = ("good", "fair", "poor")


def metrics() -> list[Metric]:
    return [M2(), Errant(lang="plain"), *make_metrics(["gleu", "ld-source"], {})]


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return made_up.corpus(40, annotators=("0", "1", "2"), absent=0.2)


@pytest.fixture(scope="module")
def results(gold: Corpus) -> Results:
    return collect(
        gold, made_up.systems(gold, *SYSTEMS), metrics(), resampling=Resampling(50), title="T"
    )


def test_collect_scores_are_those_of_score_and_compare(gold: Corpus, results: Results) -> None:
    scored = evaluate(gold, made_up.systems(gold, *SYSTEMS), metrics(), resampling=Resampling(50))
    for result in scored:
        record = results["scores"][result.score.metric][result.system]
        assert result.interval is not None
        assert record["score"] == result.score.value
        assert record["interval"] == (result.interval.low, result.interval.high)
        assert record["parts"] == dict(result.score.parts)
    for metric in metrics():
        counts = {one.system: one.statistics for one in scored if one.score.metric == metric.name}
        samples = {
            one.system: one.samples
            for one in scored
            if one.score.metric == metric.name and one.samples is not None
        }
        rows = compare(metric, counts, resampling=Resampling(75), samples=samples)
        analyses = [power_of(row, len(gold), test="randomization") for row in rows]
        assert results["comparisons"][metric.name] == [
            {
                "first": row.first,
                "second": row.second,
                "difference": row.difference,
                "interval": (row.interval.low, row.interval.high),
                "p": row.p_value,
                "p_adjusted": row.adjusted_p_value,
                **({"detectable": one.detectable} if one is not None else {}),
            }
            for row, one in zip(rows, analyses, strict=True)
        ]
        known = [one.detectable for one in analyses if one is not None]
        assert results["power"][metric.name] == {
            "alpha": 0.05,
            "power": 0.8,
            "detectable": sorted(known)[1],
            "least": min(known),
            "greatest": max(known),
        }


def test_collect_lists_the_sentences_that_move_differences(gold: Corpus, results: Results) -> None:
    scored = evaluate(gold, made_up.systems(gold, *SYSTEMS), metrics(), resampling=Resampling(0))
    for metric in metrics():
        own = {
            one.system: influence(metric, one.statistics)
            for one in scored
            if one.score.metric == metric.name
        }
        records = results["influence"][metric.name]
        pairs = [(record["first"], record["second"]) for record in records]
        assert pairs == [("good", "fair"), ("good", "poor"), ("fair", "poor")]
        for record in records:
            first, second = own[record["first"]], own[record["second"]]
            assert first is not None
            assert second is not None
            expected = most_influential(first, second)
            assert [place for place, _ in record["sentences"]] == [place for place, _ in expected]
            for (_, moved), (_, exact) in zip(record["sentences"], expected, strict=True):
                assert moved == pytest.approx(exact, rel=1e-3)


def test_collect_describes_metrics(results: Results) -> None:
    assert [one["name"] for one in results["metrics"]] == ["m2", "errant", "gleu", "ld-source"]
    assert [one["beta"] for one in results["metrics"]] == [0.5, 0.5, None, None]
    assert [one["has_edits"] for one in results["metrics"]] == [True, True, False, False]
    assert results["metrics"][0]["signature"].startswith("m2|sents:40|refs:2-3|data:")
    assert results["edit_metric"] == "errant"
    assert results["systems"] == list(SYSTEMS)
    assert results["title"] == "T"


def test_collect_intervals_of_precision_and_recall(results: Results) -> None:
    for metric in ("m2", "errant"):
        for record in results["scores"][metric].values():
            for part, (low, high) in record["part_intervals"].items():
                share = record["parts"][part]
                assert share is not None
                assert 0 <= low <= high <= 1
                assert low - 0.1 <= share <= high + 0.1
    assert "part_intervals" not in results["scores"]["gleu"]["good"]


def test_collect_outcomes_equal_a_slow_recount(gold: Corpus, results: Results) -> None:
    for hypothesis in made_up.systems(gold, *SYSTEMS):
        metric = Errant(lang="plain")
        views = metric.marked_edits(gold, hypothesis, metric.score(gold, hypothesis))
        expected: Counter[str] = Counter()
        for sent, view in zip(gold, views, strict=True):
            if view is not None:
                expected += oracle.outcomes(view, len(sent.tokens))
        found = results["outcomes"][hypothesis.name]
        assert found == {name: expected[name] for name in found}
        parts = results["scores"]["errant"][hypothesis.name]["parts"]
        assert found["correct"] == parts["tp"]
        assert found["wrong"] + found["wrong fix"] == parts["fp"]


@pytest.mark.parametrize("system", SYSTEMS)
def test_collect_sentences_can_be_read_back(gold: Corpus, results: Results, system: str) -> None:
    """Sources, outputs, readings and edits stand for what went in."""
    hypothesis = {one.name: one for one in made_up.systems(gold, *SYSTEMS)}[system]
    sentences = results["sentences"]
    own = sentences["systems"][system]
    assert own["chosen"] and own["edits"] and own["missed"] and own["counts"]  # noqa: PT018
    tally: Counter[str] = Counter()
    for number, sent in enumerate(gold):
        output = own["output"][number]
        assert sentences["source"][number].split() == list(sent.tokens)
        expected = sent.tokens if output == 0 else tuple(str(output).split())
        assert expected == hypothesis.sentences[number]
        readings = dict(sentences["gold"][number])
        names = [sentences["annotators"][place] for place in readings]
        assert names == sorted(ann.annotator for ann in sent.annotations)
        edits = [Edit(one[0], one[1], (tuple(one[2].split()),)) for one in own["edits"][number]]
        if sent.annotations:
            assert apply_edits(sent.tokens, edits) == hypothesis.sentences[number]
        chosen = own["chosen"][number]
        assert (chosen == -1) == (not sent.annotations)
        if chosen < 0:
            continue
        for start, end, correction, outcome, _, gold_number in own["edits"][number]:
            tally[("correct", "wrong fix", "wrong")[outcome]] += 1
            if gold_number >= 0:
                assert readings[chosen][gold_number][:3] == (start, end, correction)
        tally["missed"] += sum(not replaced for _, replaced in own["missed"][number])
        counts = own["counts"][number][chosen]
        assert counts is not None
        assert counts[1] == len(own["edits"][number])
        assert counts[2] == len(readings[chosen])
    assert tally == Counter(results["outcomes"][system])


def test_collect_counts_are_those_of_the_chosen_alignment(tmp_path: Path) -> None:
    """An output that can be aligned in two ways has the counts of the one that is scored."""
    gold = Annotation("0", (Edit(1, 2, (("like",),), "R:VERB"),))
    corpus = Corpus((Sentence(("I", "likes", "it"), (gold,)),) * 2)
    output = "I", "like", "it"
    apart = Edit(1, 1, (("like",),), "M:VERB"), Edit(1, 2, ((),), "U:VERB")
    readings = (
        OutputReading("0", (output, output), (apart, gold.edits)),
        OutputReading("0-A1", (output, None), (gold.edits, None)),
    )
    system = Hypothesis("ours", (output, output), (apart, gold.edits), readings)
    found = collect(corpus, [system], [Errant(lang="plain")], resampling=Resampling(0))
    own = found["sentences"]["systems"]["ours"]
    assert own["chosen"] == [0, 0]
    assert own["counts"] == [[(1, 1, 1)], [(1, 1, 1)]]
    save(found, tmp_path / "results.json")
    assert dumps(load(tmp_path / "results.json")) == dumps(found)


def test_collect_types_name_wrong_edits_too(results: Results) -> None:
    types = results["sentences"]["types"]
    for own in results["sentences"]["systems"].values():
        for edits in own["edits"] or []:
            assert all(types[edit[4]] for edit in edits)


def test_collect_numbers_of_gold_edits_are_those_of_the_metric() -> None:
    """ERRANT leaves flags out and puts edits in order: the numbers are those of its own list."""
    edits = (Edit(2, 3, (("cats",),), "B"), Edit(1, 2, (), "UNK"), Edit(0, 1, (("a",),), "A"))
    gold = Corpus((Sentence(("an", "of", "cat"), (Annotation("0", edits),)),))
    found = collect(
        gold,
        [Hypothesis("h", (("a", "of", "cat"),))],
        [Errant(lang="plain")],
        resampling=Resampling(0),
    )
    sentences = found["sentences"]
    assert sentences["gold"] == [[(0, [(0, 1, "a", 0), (2, 3, "cats", 1)])]]
    assert sentences["types"] == ["A", "B"]
    assert sentences["systems"]["h"]["edits"] == [[(0, 1, "a", 0, 0, 0)]]
    assert sentences["systems"]["h"]["missed"] == [[(1, 0)]]


def test_collect_shows_flags_and_alternatives() -> None:
    edits = (Edit(0, 1, (), "Um"), Edit(1, 2, (("x",), ("y",)), "Wci"))
    gold = Corpus((Sentence(("a", "b"), (Annotation("7", edits),), id="s1"),))
    found = collect(gold, [Hypothesis("h", (("a", "y"),))], [M2()], resampling=Resampling(0))
    sentences = found["sentences"]
    assert sentences["ids"] == ["s1"]
    assert sentences["annotators"] == ["7"]
    assert sentences["gold"] == [[(0, [(0, 1, None, 0), (1, 2, "x", 1)])]]
    # M2 does not know the types of wrong edits, but it does know those of right ones.
    assert sentences["systems"]["h"]["edits"] == [[(1, 2, "y", 0, 1, 1)]]
    assert found["types"]["m2"]["h"]["Wci"] == {
        "tp": 1,
        "fp": None,
        "fn": 0,
        "gold": 1,
        "precision": None,
        "recall": 1.0,
        "f": None,
    }


def test_collect_types_of_another_vocabulary_have_no_precision() -> None:
    reading = Annotation("0", (Edit(0, 1, (("the",),), "ArtOrDet"),))
    gold = Corpus((Sentence(("a", "cat"), (reading,)),) * 2)
    hypothesis = Hypothesis("h", (("the", "cat"), ("a", "dog")))
    findings = Findings()
    found = collect(
        gold, [hypothesis], [Errant(lang="plain")], resampling=Resampling(0), findings=findings
    )
    types = found["types"]["errant"]["h"]
    assert types["ArtOrDet"]["recall"] == 0.5
    assert types["ArtOrDet"]["precision"] is None
    (other,) = types.keys() - {"ArtOrDet"}
    assert (types[other]["fp"], types[other]["recall"]) == (1, None)
    assert [one["code"] for one in found["warnings"]] == ["foreign-types"]
    # Findings that were given are used, even if there were none so far.
    assert [one.code for one in findings] == ["foreign-types"]


def test_collect_without_gold_edits_does_not_blame_the_types() -> None:
    gold = Corpus((Sentence(("a", "cat"), (Annotation("0"),)),))
    hypothesis = Hypothesis("h", (("the", "cat"),))
    found = collect(gold, [hypothesis], [Errant(lang="plain")], resampling=Resampling(0))
    (record,) = found["types"]["errant"]["h"].values()
    assert (record["fp"], record["gold"]) == (1, 0)
    assert found["warnings"] == []


def test_collect_baselines(gold: Corpus, results: Results) -> None:
    names = [one["name"] for one in results["baselines"]]
    assert names == ["doing nothing"] + [
        f"annotator {name} (against the others)" for name in gold.annotators
    ]
    assert [one["kind"] for one in results["baselines"]] == ["floor"] + ["ceiling"] * 3
    floor = results["baselines"][0]["scores"]
    source = Hypothesis("source", gold.sources)
    assert floor == {one.name: one.score(gold, source).value for one in metrics()}
    shared = [
        sent for sent in gold if sent.annotation("1") is not None and len(sent.annotations) > 1
    ]
    others = Corpus(tuple(shared)).keep_annotators(["0", "2"])
    output = Hypothesis("1", tuple(sent.corrected("1") or () for sent in shared))
    expected = {one.name: one.score(others, output).value for one in metrics()}
    # How much an annotator changes says nothing about the other annotators.
    assert results["baselines"][2]["scores"] == {**expected, "ld-source": None}


def test_collect_one_system_has_no_comparisons(gold: Corpus) -> None:
    found = collect(gold, made_up.systems(gold, "alone"), [M2()], resampling=Resampling(20))
    assert found["comparisons"] == {"m2": []}
    record = found["scores"]["m2"]["alone"]
    assert (record["rank"], record["cluster"]) == (1, 1)
    assert record["interval"] is not None
    assert found["agreement"]["systems"] is None


def test_collect_tests_can_tell_many_systems_apart() -> None:
    """A thousand resamples cannot, where Holm's method multiplies p-values by 66."""
    gold = made_up.corpus(60, annotators=("0",))
    clear = [
        made_up.system(gold, f"{name}{number}", skill=skill, noise=0)
        for name, skill in (("good", 1.0), ("bad", 0.0))
        for number in range(6)
    ]
    found = collect(gold, clear, [M2()], resampling=Resampling(20))
    assert found["settings"]["test_resamples"] == 1650
    clusters = {name: record["cluster"] for name, record in found["scores"]["m2"].items()}
    assert clusters == {one.name: 1 if one.name.startswith("good") else 2 for one in clear}


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_collect_with_either_test(gold: Corpus, test: Test) -> None:
    hypotheses = made_up.systems(gold, "a", "b")
    found = collect(gold, hypotheses, [M2()], resampling=Resampling(10, test=test))
    assert found["settings"]["test"] == test
    assert found["comparisons"]["m2"][0]["p"] >= 1 / 26


def test_collect_without_resamples(gold: Corpus) -> None:
    found = collect(gold, made_up.systems(gold, "a", "b"), [M2()], resampling=Resampling(0))
    assert found["comparisons"] == {"m2": []}
    assert [record["interval"] for record in found["scores"]["m2"].values()] == [None, None]
    assert {record["cluster"] for record in found["scores"]["m2"].values()} == {1}
    assert found["settings"]["resamples"] == 0


def test_collect_one_annotator_has_no_ceiling() -> None:
    gold = made_up.corpus(10, annotators=("0",))
    found = collect(gold, made_up.systems(gold, "a"), [M2()], resampling=Resampling(0))
    assert [one["kind"] for one in found["baselines"]] == ["floor"]
    assert [cut["name"] for cut in found["slices"]] == ["length", "edits"]


def test_collect_without_a_metric_that_shows_edits(gold: Corpus) -> None:
    found = collect(
        gold, made_up.systems(gold, "a"), make_metrics(["gleu"], {}), resampling=Resampling(0)
    )
    assert found["edit_metric"] is None
    assert (found["outcomes"], found["frequent"], found["types"]) == ({}, {}, {})
    own = found["sentences"]["systems"]["a"]
    assert (own["chosen"], own["edits"], own["missed"], own["counts"]) == (None,) * 4
    assert len(own["scores"]["gleu"]) == len(gold)


def test_collect_odd_names_and_hostile_text() -> None:
    names = ("<b>bold</b>", "a b", "系统", "$x$", "__proto__")
    tokens = ("</script>", "<!--", "\u2028", "&amp;", "x")
    reading = Annotation("<i>", (Edit(4, 5, (("]]>",),), "<type>"),))
    gold = Corpus((Sentence(tokens, (reading,)), Sentence((), (Annotation("<i>"),))))
    systems = [Hypothesis(name, (tokens[:4], ())) for name in names]
    found = collect(gold, systems, [M2()], resampling=Resampling(5))
    assert json.loads(dumps(found))["systems"] == list(names)
    assert found["sentences"]["source"] == [" ".join(tokens), ""]
    assert found["sentences"]["systems"]["a b"]["output"] == [" ".join(tokens[:4]), 0]


class NotKnown(Metric):
    """A metric that never knows."""

    name = title = "unknown"
    columns = ("nothing",)

    def settings(self) -> Mapping[str, object]:
        return {}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:  # noqa: ARG002
        counts = np.zeros((len(corpus), 1, 1), dtype=np.int64)
        mask = np.ones(counts.shape[:2], dtype=bool)
        read = Provenance.of_sources(corpus)
        return Statistics(counts, mask, self.columns, ("none",), read)

    def aggregate(self, statistics: Statistics) -> Score:
        values = np.full(len(statistics), np.nan)
        view = SentenceScores(np.full(len(values), -1), values, {})
        signature = self.signature(statistics)
        return Score(self.name, math.nan, {"part": math.nan}, signature, view)


def test_collect_scores_that_are_not_known(gold: Corpus) -> None:
    found = collect(
        gold,
        made_up.systems(gold, "a", "b", "c", "d"),
        [M2(), NotKnown()],
        resampling=Resampling(5),
    )
    record = found["scores"]["unknown"]["a"]
    assert record["score"] is None
    assert record["interval"] is None
    assert record["parts"] == {"part": None}
    assert found["comparisons"]["unknown"][0] == {
        "first": "a",
        "second": "b",
        "difference": None,
        "interval": None,
        "p": 1.0,
        "p_adjusted": 1.0,
    }
    assert {one["cluster"] for one in found["scores"]["unknown"].values()} == {1}
    assert found["sentences"]["systems"]["a"]["scores"]["unknown"] == [None] * len(gold)
    for matrix in (found["agreement"]["systems"], found["agreement"]["sentences"]):
        assert matrix == [[1, None], [None, None]]
    dumps(found)


def test_collect_inputs_and_warnings(tmp_path: Path, gold: Corpus) -> None:
    path = tmp_path / "some" / "ours.txt"
    path.parent.mkdir()
    path.write_text("x\n", encoding="utf-8")
    findings = Findings()
    for line in (3, 5):
        findings.add("empty", f"line {line} is empty", path=str(path), line=line)
    findings.add("misaligned", "misaligned", severity="error", path="other.txt")
    system = made_up.system(gold, "ours")
    loaded: list[LoadedFile] = []
    load_hypothesis(path, loaded=loaded)
    files = [File("gold", "-", "0"), File("system", str(path), loaded[0].inputs[0].sha256, "ours")]
    found = collect(
        gold, [system], [M2()], resampling=Resampling(0), findings=findings, files=files
    )
    assert found["inputs"] == [
        {
            "role": "gold",
            "name": "standard input",
            "file": "standard input",
            "sha256": "0",
            "sentences": 40,
            "tokens": sum(map(len, gold.sources)),
            "edits": sum(len(ann.edits) for sent in gold for ann in sent.annotations),
        },
        {
            "role": "system",
            "name": "ours",
            "file": "ours.txt",
            # As sha256sum prints it.
            "sha256": "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac",
            "sentences": 40,
            "tokens": sum(map(len, system)),
            "edits": None,
        },
    ]
    assert [(one["severity"], one["file"], one["count"]) for one in found["warnings"]] == [
        ("error", "other.txt", 1),
        ("warning", "ours.txt", 2),
    ]
    assert found["warnings"][1]["message"] == "line 3 is empty"
    assert str(tmp_path) not in dumps(found)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_collect_counts_elsewhere_what_would_hold_up_all_else(gold: Corpus, jobs: int) -> None:
    hypotheses = made_up.systems(gold, "a", "b")
    metrics = [made_up.Slow(), M2()]
    found = collect(gold, hypotheses, metrics, resampling=Resampling(5), jobs=jobs)
    plain = collect(
        gold, hypotheses, [*make_metrics(["ld-source"], {}), M2()], resampling=Resampling(5)
    )
    assert found == plain


@pytest.mark.parametrize(
    ("metric", "message"),
    [(made_up.Refusing(), "this metric refuses everything"), (made_up.Dying(), "died")],
)
def test_collect_errors_elsewhere_are_told_here(gold: Corpus, metric: Metric, message: str) -> None:
    with pytest.raises(GecevalError, match=message):
        collect(gold, made_up.systems(gold, "a"), [M2(), metric], resampling=Resampling(0), jobs=2)


def test_collect_tests_beside_counting(gold: Corpus, results: Results) -> None:
    """With a second core, systems are compared in another thread; nothing differs."""
    systems = made_up.systems(gold, *SYSTEMS)
    found = collect(gold, systems, metrics(), resampling=Resampling(50), title="T", jobs=2)
    assert found == results


class _BrokenTest(M2):
    """Fails when systems are compared."""

    def resample_swapped(self, *_: object) -> NoReturn:
        raise GecevalError("no comparison")


@pytest.mark.parametrize("jobs", [1, 2])
def test_collect_tells_what_failed_beside_counting(gold: Corpus, jobs: int) -> None:
    systems = made_up.systems(gold, "a", "b")
    with pytest.raises(GecevalError, match="no comparison"):
        collect(
            gold,
            systems,
            [_BrokenTest(), *make_metrics(["gleu"])],
            resampling=Resampling(5),
            jobs=jobs,
        )


def test_collect_refuses_output_that_is_too_short(gold: Corpus) -> None:
    short = Hypothesis("short", gold.sources[:-1])
    with pytest.raises(MismatchError, match="short has 39"):
        collect(gold, [short], [M2()], resampling=Resampling(0))


@pytest.mark.parametrize(
    "options",
    [
        {"auto_gold": True},
        {"compat": "errant-3.0.2"},
        {"missing": "noop"},
        {"mode": "span-detection"},
    ],
)
def test_collect_whatever_the_options_of_errant(gold: Corpus, options: dict[str, Any]) -> None:
    metric = Errant(lang="plain", **options)
    found = collect(gold, made_up.systems(gold, "a", "b"), [metric], resampling=Resampling(0))
    for own in found["sentences"]["systems"].values():
        assert own["edits"] is not None and own["chosen"] is not None  # noqa: PT018
        for number, edits in enumerate(own["edits"]):
            readings = dict(found["sentences"]["gold"][number])
            for edit in edits:
                if edit[5] >= 0:
                    same = readings[own["chosen"][number]][edit[5]]
                    assert same[:2] == edit[:2]


def test_collect_needs_something(gold: Corpus) -> None:
    with pytest.raises(GecevalError, match="at least one system"):
        collect(gold, [], [M2()])


def test_collect_is_linear() -> None:
    gold = made_up.corpus(20_000)
    with finishes():
        found = collect(gold, made_up.systems(gold, "a", "b"), [M2()], resampling=Resampling(10))
    assert len(found["sentences"]["source"]) == 20_000
