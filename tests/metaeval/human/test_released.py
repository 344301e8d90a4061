"""Table 1 of the MAEGE paper as released."""

from __future__ import annotations

import numpy as np
import pytest

from geceval.errors import GecevalError
from geceval.evaluation.evaluate import make_metrics
from geceval.formats.inputs import Input
from geceval.metaeval.human.judgment_files import read_judgments
from geceval.metaeval.human.judgments import Judgments
from geceval.metaeval.human.rankings import Outcomes
from geceval.metaeval.human.released_table import (
    normalized,
    normalized_corpus,
    rank_by_sentences,
    released_correlations,
)
from geceval.metaeval.human.trueskill import trueskill
from geceval.model import Hypothesis
from human_examples import CORPUS, JUDGED, SYSTEMS, appraise, ranked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("However , I CAN ' t .", "However i can t ."),
        ("' He said", "He said ."),
        ("", "."),
        (". . .", "."),
        ("Über-all 3 1/2", "Überall 3 12 ."),
    ],
)
def test_released_text(text: str, expected: str) -> None:
    assert normalized(tuple(text.split())) == tuple(expected.split())


def test_released_corpus_has_normalized_references() -> None:
    found = normalized_corpus(CORPUS)
    assert found.sources[0] == ("It", "are", "the", "number", "one", "she", "say", ".")
    (reference,) = found.references().values()
    assert reference[0] == ("It", "is", "the", "number", "one", "she", "says", ".")


def test_released_ranking_of_a_metric_is_that_of_judges_who_agree_with_it() -> None:
    scores = {"A": np.array([3.0, 1, 2]), "B": np.array([2.0, 1, 3]), "C": np.array([1.0, 0, 1])}
    same = trueskill(Outcomes.of(ranked("A>B>C", "AB>C", "B>A>C")))
    assert rank_by_sentences(scores, ["A", "B", "C"]) == same


def test_released_correlations_of_all_sets() -> None:
    judgments = read_judgments(Input.from_text(appraise(JUDGED)), "one")
    systems = [name for name in judgments.systems if name != "Other"]
    sets = [judgments.keep_systems(systems), Judgments("two", judgments.items[:4])]
    outputs = [*SYSTEMS, Hypothesis("INPUT", CORPUS.sources)]
    found = released_correlations(sets, CORPUS, outputs, make_metrics(["gleu", "ld-source"], {}))
    assert {name: list(each) for name, each in found.items()} == {
        name: ["gleu", "ld-source"] for name in ("one", "two", "combined")
    }
    assert found["combined"]["gleu"].n == 5
    assert found["combined"]["gleu"].value > 0.5
    with pytest.raises(GecevalError, match="the released protocol needs the output of Other"):
        released_correlations([judgments], CORPUS, outputs, make_metrics(["gleu"], {}))
