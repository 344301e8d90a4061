"""Scores of systems as tables for a paper."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import made_up
from geceval.errors import UnknownNameError
from geceval.evaluation.evaluate import Result, evaluate, make_metrics
from geceval.evaluation.methods_text import PairedTests
from geceval.evaluation.resampling import Resampling
from geceval.model import Corpus, Hypothesis, apply_edits
from geceval.presentation.paper_table import DAGGER, DOUBLE_DAGGER, PaperCell
from geceval.report.paper_scores import comparison_paper_table, paired_tests, score_paper_table
from toy_metrics import CountsEdits

RESAMPLING = Resampling(200)


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return made_up.corpus(40)


def outputs(gold: Corpus) -> dict[str, Hypothesis]:
    perfect = [apply_edits(sent.tokens, sent.annotations[0].edits) for sent in gold]
    half = [
        new if place % 2 else sent.tokens
        for place, (sent, new) in enumerate(zip(gold, perfect, strict=True))
    ]
    sentences = {"unchanged": gold.sources, "half": half, "perfect": perfect, "twin": perfect}
    return {name: Hypothesis(name, tuple(map(tuple, own))) for name, own in sentences.items()}


def results(
    gold: Corpus,
    *systems: str,
    metrics: Sequence[str] = ("m2",),
    resampling: Resampling = RESAMPLING,
) -> list[Result]:
    found = outputs(gold)
    made = make_metrics(metrics)
    return evaluate(gold, [found[name] for name in systems], made, resampling=resampling)


def scores(found: Sequence[Result], tests: PairedTests | None = None) -> dict[str, PaperCell]:
    """Return the cells of F, the third number, by system."""
    return {name: cells[2] for (name,), cells in score_paper_table(found, tests).rows}


def test_ties_for_the_best_are_all_bold(gold: Corpus) -> None:
    cells = scores(results(gold, "half", "perfect", "twin"))
    assert [name for name, cell in cells.items() if cell.is_bold] == ["perfect", "twin"]
    assert cells["perfect"].text == "100.00"


def test_one_system_is_not_bold_and_has_nothing_to_be_tested_against(gold: Corpus) -> None:
    found = results(gold, "half")
    assert paired_tests(found, resampling=RESAMPLING) is None
    assert not scores(found)["half"].is_bold
    assert "bold" not in score_paper_table(found).caption


def test_marks_against_the_best(gold: Corpus) -> None:
    found = results(gold, "unchanged", "half", "perfect", "twin")
    tests = paired_tests(found, resampling=RESAMPLING)
    assert tests is not None
    assert tests.n_comparisons == 6
    marks = {name: cell.mark for name, cell in scores(found, tests).items()}
    assert marks == {"unchanged": DAGGER, "half": DAGGER, "perfect": "", "twin": ""}
    caption = score_paper_table(found, tests).caption
    assert "significantly worse than the best system ($p < 0.05$" in caption
    assert "adjusted for 6 comparisons by Holm's method" in caption


def test_marks_against_a_baseline(gold: Corpus) -> None:
    found = results(gold, "unchanged", "half", "perfect")
    tests = paired_tests(found, resampling=RESAMPLING, baseline="half")
    marks = {name: cell.mark for name, cell in scores(found, tests).items()}
    assert marks == {"unchanged": DOUBLE_DAGGER, "half": "", "perfect": DAGGER}
    with pytest.raises(UnknownNameError):
        paired_tests(found, resampling=RESAMPLING, baseline="hal")


def test_nothing_significant_is_said(gold: Corpus) -> None:
    found = results(gold, "perfect", "twin")
    tests = paired_tests(found, resampling=RESAMPLING)
    caption = score_paper_table(found, tests).caption
    assert "No system differs significantly from the best system" in caption


def test_intervals_stand_in_a_table_of_one_metric(gold: Corpus) -> None:
    def headings(found: Sequence[Result]) -> list[tuple[str, ...]]:
        return [group.headings for group in score_paper_table(found).groups]

    assert headings(results(gold, "half")) == [("P", "R", "F0.5", "95 % CI")]
    without = results(gold, "half", resampling=Resampling(0))
    assert headings(without) == [("P", "R", "F0.5")]
    assert "CI" not in score_paper_table(without).caption
    several = results(gold, "half", metrics=["m2", "gleu", "imeasure", "wer"])
    assert headings(several) == [("P", "R", "F0.5"), ("GLEU",), ("I-measure",), ("1 − WER",)]


def test_numbers_of_another_scale_are_not_in_percent(gold: Corpus) -> None:
    class Counted(CountsEdits):
        is_share = False

    found = outputs(gold)
    own = evaluate(gold, [found["half"]], [Counted()], resampling=Resampling(0))
    table = score_paper_table(own)
    assert table.rows[0][1][0].text == f"{own[0].score.value:.2f}"
    assert "not in percent" in table.caption


def test_comparisons(gold: Corpus) -> None:
    found = results(gold, "unchanged", "perfect", metrics=["m2", "gleu"])
    tests = paired_tests(found, resampling=RESAMPLING)
    assert tests is not None
    [(names, cells)] = comparison_paper_table(found, tests).rows
    assert names == ("unchanged", "perfect")
    assert cells[0] == PaperCell("+100.00", mark=DAGGER)
    assert cells[1].text == "0.005"
    assert len(cells) == 4
