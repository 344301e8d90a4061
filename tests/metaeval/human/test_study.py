"""Metrics against people, on the sentences that were judged."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from geceval.errors import GecevalError, MismatchError
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.formats import Findings
from geceval.formats.inputs import Input
from geceval.metaeval.correlation import pearson, spearman, williams
from geceval.metaeval.human.agreement import (
    Concordance,
    JudgedPairs,
    Kappa,
    TieCalibration,
    rater_agreement,
)
from geceval.metaeval.human.figures import pictures
from geceval.metaeval.human.judgment_files import read_judgments
from geceval.metaeval.human.judgments import Judgment, Judgments, Place
from geceval.metaeval.human.metric_correlation import differences
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.records import record
from geceval.metaeval.human.study import HumanStudy, check_identical, load_systems, study
from geceval.metaeval.human.tables import sections, summary_table, tables
from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis
from human_examples import CORPUS, JUDGED, SYSTEMS, appraise, write_examples
from toy_metrics import Infinite

INPUT = Hypothesis("INPUT", CORPUS.sources)


def metrics() -> list[Metric]:
    return make_metrics(["m2", "gleu", "ld-source"], {})


@pytest.fixture(scope="module")
def judgments() -> Judgments:
    return read_judgments(Input.from_text(appraise(JUDGED)), "made up")


@pytest.fixture(scope="module")
def found(judgments: Judgments) -> HumanStudy:
    return study([judgments], CORPUS, [*SYSTEMS, INPUT], metrics(), resampling=Resampling(50))


def test_human_scores_judged_sentences_only(found: HumanStudy, judgments: Judgments) -> None:
    (one,) = found.sets
    assert one.systems == ("Bad", "Best", "Good", "INPUT", "Worst")
    assert one.without_output == ("Other",)
    judged = Corpus(tuple(CORPUS.sentences[number] for number in judgments.sentences))
    assert len(judged) == 5
    for metric, scores in zip(metrics(), one.metrics, strict=True):
        assert scores.scores == {
            system.name: metric.score(judged, Hypothesis("", system.sentences[:5])).value
            for system in [*SYSTEMS, INPUT]
        }


def test_human_goes_on_where_it_stopped(judgments: Judgments, tmp_path: Path) -> None:
    """Jobs that were finished are not done again, and nothing else changes."""
    path = tmp_path / "scores.jsonl"
    done: list[tuple[str, str]] = []

    def stop_after(entries: Sequence[Any], stage: str, n: int) -> Iterator[Any]:
        for entry in entries:
            if len(done) == n:
                raise KeyboardInterrupt
            done.append((stage, entry.hypothesis.name))
            yield entry

    def run(n: int) -> HumanStudy:
        return study(
            [judgments],
            CORPUS,
            [*SYSTEMS, INPUT],
            metrics(),
            resampling=Resampling(50),
            resume=path,
            progress=lambda entries, stage: stop_after(entries, stage, n),
        )

    with pytest.raises(KeyboardInterrupt):
        run(7)
    again = run(100)
    assert len(done) == len(set(done)) == 3 * 5
    usual = study([judgments], CORPUS, [*SYSTEMS, INPUT], metrics(), resampling=Resampling(50))
    assert record(again) == record(usual)
    for one, other in zip(again.sets[0].metrics, usual.sets[0].metrics, strict=True):
        for name, values in one.sentences.items():
            np.testing.assert_array_equal(values, other.sentences[name])


def test_human_refuses_scores_of_other_data(judgments: Judgments, tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    options = {"resampling": Resampling(5), "resume": path}
    study([judgments], CORPUS, [*SYSTEMS, INPUT], metrics()[:1], **options)  # type: ignore[arg-type]
    changed = [replace(SYSTEMS[0], sentences=SYSTEMS[1].sentences), *SYSTEMS[1:], INPUT]
    with pytest.raises(GecevalError, match="another study, the data differ"):
        study([judgments], CORPUS, changed, metrics()[:1], **options)  # type: ignore[arg-type]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(lines[0] + '{"metric": "m2", "settings": "m2"}\n', encoding="utf-8")
    with pytest.raises(GecevalError, match=r"other settings|line 2: damaged"):
        study([judgments], CORPUS, [*SYSTEMS, INPUT], metrics()[:1], **options)  # type: ignore[arg-type]


def test_human_correlates_scores_with_both_rankings(found: HumanStudy) -> None:
    (one,) = found.sets
    assert [ranking.name for ranking in one.rankings] == ["TrueSkill", "Expected Wins"]
    for ranking in one.rankings:
        for metric, correlated in zip(one.metrics, one.correlations[ranking.name], strict=True):
            human = [ranking.scores[name] for name in one.systems]
            automatic = [metric.scores[name] for name in one.systems]
            assert correlated.coefficients["pearson"] == pearson(automatic, human)
            assert correlated.coefficients["spearman"] == spearman(automatic, human)
            interval = correlated.intervals["spearman"]
            assert -1 <= interval.low <= interval.high <= 1


def test_human_preferences_in_sentences(found: HumanStudy, judgments: Judgments) -> None:
    """M² does not follow one judge in a sentence, and finds a half-right output worth its faults.

    The second is of the sentence where an output with one error corrected and one made is ranked
    behind the source.
    """
    (one,) = found.sets
    agreed = one.correlations["TrueSkill"][0].concordance
    assert agreed is not None
    comparisons = list(judgments.keep_systems(one.systems).comparisons())
    human_ties = sum(not each.outcome for each in comparisons)
    assert (agreed.discordant, agreed.human_ties, human_ties) == (2, 1, 1)
    total = agreed.concordant + agreed.discordant + agreed.metric_ties + agreed.human_ties
    assert total == len(comparisons)
    assert agreed.accuracy == agreed.concordant / (agreed.concordant + 2)
    assert agreed.tau == pytest.approx(2 * agreed.accuracy - 1)


def test_human_several_sets_are_also_combined(judgments: Judgments) -> None:
    other = Judgments("other", judgments.items[:4])
    both = study(
        [judgments, other], CORPUS, [*SYSTEMS, INPUT], metrics(), resampling=Resampling(10)
    )
    assert [one.name for one in both.sets] == ["made up", "other", "combined"]
    assert [len(one.judgments) for one in both.sets] == [7, 4, 11]
    header = summary_table(both).header
    assert header == (
        "metric", "combined ρ", "combined p", "other ρ", "other p", "made up ρ", "made up p",
    )  # fmt: skip
    some = study(
        [judgments, other],
        CORPUS,
        [*SYSTEMS, INPUT],
        metrics(),
        names=["combined"],
        resampling=Resampling(10),
    )
    assert [one.name for one in some.sets] == ["combined"]
    assert some.sets[0].metrics[0].scores == both.sets[2].metrics[0].scores
    with pytest.raises(GecevalError, match="there is no set 'x'"):
        study([judgments], CORPUS, SYSTEMS, metrics(), names=["x"])


def test_human_bad_input(judgments: Judgments) -> None:
    short = Corpus(CORPUS.sentences[:3], "short")
    with pytest.raises(GecevalError, match=r"made up judges the sentences 0 to 4, but short has"):
        study([judgments], short, [], metrics())
    with pytest.raises(GecevalError, match="a correlation needs three systems, but only 2"):
        study([judgments], CORPUS, SYSTEMS[:2], metrics())
    with pytest.raises(MismatchError):
        study([judgments], CORPUS, [Hypothesis("Best", CORPUS.sources[:4])], metrics())


def test_human_systems_are_found_in_a_folder(tmp_path: Path) -> None:
    write_examples(tmp_path)
    (tmp_path / "outputs" / "unknown.txt").write_text("a\n")
    findings = Findings()
    loaded = load_systems(tmp_path / "outputs", ["Bad", "Best", "INPUT", "Other"], CORPUS, findings)
    assert loaded == [SYSTEMS[2], SYSTEMS[0], INPUT]
    messages = {finding.code: finding.message for finding in findings}
    assert messages == {
        "system-without-output": "no output of Other: judged, but not correlated with metrics",
        "unjudged-system": "not judged: good.txt, unknown.txt, worst.txt",
    }
    with pytest.raises(GecevalError, match="nowhere: cannot be read: no such file"):
        load_systems(tmp_path / "nowhere", ["A"], CORPUS, findings)


def test_human_shifted_numbers_are_noticed() -> None:
    places = (Place(("Best", "Good"), 1), Place(("Bad",), 2))
    findings = Findings()
    check_identical(Judgments("set", (Judgment(0, "anna", places),)), SYSTEMS, findings)
    assert findings.counts == {"identical-outputs-differ": 1}
    assert "1 of 1 groups of identical outputs contain different outputs" in str(
        next(iter(findings))
    )


def test_rater_agreement_between_judges_and_with_oneself() -> None:
    def item(judge: str, *ranks: int) -> Judgment:
        places = tuple(Place((name,), rank) for name, rank in zip("ABC", ranks, strict=True))
        return Judgment(0, judge, places)

    found = rater_agreement(
        Judgments("set", (item("anna", 1, 2, 3), item("anna", 1, 2, 2), item("ben", 1, 2, 3)))
    )
    # A and B, A and C, B and C: anna with herself, and ben with her twice.
    assert (found["intra"].n, found["intra"].agreed) == (3, 2)
    assert (found["inter"].n, found["inter"].agreed) == (6, 5)
    alone = rater_agreement(Judgments("set", (item("anna", 1, 2, 3),)))
    assert alone["inter"].n == 0
    assert math.isnan(alone["inter"].plain)
    assert isinstance(alone["intra"], Kappa)


def test_concordance_by_hand() -> None:
    places = (Place(("A", "B"), 1), Place(("C",), 2), Place(("D",), 2), Place(("E",), 3))
    scores = {"A": 0.5, "B": 0.5, "C": 0.5, "D": 0.9, "E": math.nan, "F": 1.0}
    judgments = Judgments("set", (Judgment(7, "anna", places),))
    found = JudgedPairs(judgments, {7: 1}, set(scores)).concordance(
        {name: np.array([0.0, score]) for name, score in scores.items()}
    )
    # A = C, A < D by the metric; C and D are as good; nothing is known of E.
    assert found == Concordance(
        concordant=0,
        discordant=1,
        metric_ties=1,
        human_ties=1,
        both_ties=0,
        undefined=3,
        # A and B share an output, and each is compared with C and D.
        seeda_tau=-2 / 4,
        # As ties, all three are right only about C and D.
        calibrated=TieCalibration(1 / 3, 0.4),
    )
    assert (found.accuracy, found.tau) == (0.0, -1.0)
    assert (found.tied_share, found.tie_accuracy) == (0.5, 0.0)
    assert math.isnan(Concordance(0, 0, 3, 4).accuracy)
    assert Concordance(0, 0, 3, 4, both_ties=4).tie_accuracy == 4 / 7


def test_differences_between_metrics(found: HumanStudy) -> None:
    (one,) = found.sets
    ranking = one.rankings[0]
    for each in differences(one.metrics, ranking, one.systems):
        assert each.r_first >= each.r_second
        first, second = (
            next(metric for metric in one.metrics if metric.title == title)
            for title in (each.first, each.second)
        )
        between = pearson(first.of(one.systems), second.of(one.systems)).value
        assert each.test == williams(each.r_first, each.r_second, between, 5)


def test_differences_put_undefined_correlations_last(found: HumanStudy) -> None:
    (one,) = found.sets
    constant = MetricScores("x", "X", dict.fromkeys(one.systems, 1.0), {}, "")
    (each,) = differences([constant, one.metrics[0]], one.rankings[0], one.systems)
    assert (each.second, math.isnan(each.r_second)) == ("X", True)
    assert math.isnan(each.test.p_value)


def test_human_tables_record_and_page(found: HumanStudy) -> None:
    names = [table.name for table in tables(found)]
    assert len(set(names)) == len(names) == 9
    (one,) = record(found)["sets"]
    assert one["without_output"] == ["Other"]
    assert one["metrics"][0]["signature"].startswith("m2|sents:5|")
    assert [each["metric"] for each in one["correlations"]["TrueSkill"]] == [
        "m2", "gleu", "ld-source",
    ]  # fmt: skip
    parts = sections(found)
    assert [part.name for part in parts] == ["correlation", "made-up"]
    drawn = [picture.name for picture in pictures(found)]
    assert drawn == [picture.name for part in parts for picture in part.pictures]
    assert len(set(drawn)) == 5


def test_human_page_renders(found: HumanStudy) -> None:
    from geceval.report.rendering import render_study

    page = render_study("Title", "Intro", sections(found))
    assert "made up: human ranking of systems" in page
    assert page.count("<svg") >= 5


def test_human_refuses_scores_that_are_not_finite(judgments: Judgments) -> None:
    with pytest.raises(GecevalError, match="'infinite' gives inf as the score of the system"):
        study([judgments], CORPUS, [*SYSTEMS, INPUT], [Infinite()])
