"""Scores of parts of a corpus."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import made_up
from geceval.evaluation.evaluate import evaluate, make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.report.score_records import group_by_metric
from geceval.report.subsets import annotator_agreement, properties, score_subsets


def label_of_length(sent: Sentence) -> str | None:
    n_tokens = len(sent.tokens)
    ranges = ("0", "1–10", "11–20", "21–30", "31–40", "41–60")
    for label in ranges:
        low, _, high = label.partition("–")
        if int(low) <= n_tokens <= int(high or low):
            return label
    return "61+"


def label_of_edits(sent: Sentence) -> str | None:
    if not sent.annotations:
        return None
    total = sum(len(ann.edits) for ann in sent.annotations)
    rounded = (2 * total + len(sent.annotations)) // (2 * len(sent.annotations))
    if rounded <= 4:
        return str(rounded)
    return "5–6" if rounded <= 6 else "7–9" if rounded <= 9 else "10+"


def label_of_agreement(sent: Sentence) -> str | None:
    shares = []
    for place, one in enumerate(sent.annotations):
        for other in sent.annotations[place + 1 :]:
            keys = [
                {(edit.start, edit.end, edit.corrections) for edit in ann.edits}
                for ann in (one, other)
            ]
            both = sum(key in keys[1] for key in keys[0])
            size = len(keys[0]) + len(keys[1])
            shares.append(2 * both / size if size else 1.0)
    if not shares:
        return None
    mean = sum(shares) / len(shares)
    for top, label in ((0, "none"), (0.25, "to 0.25"), (0.5, "to 0.5"), (0.75, "to 0.75")):
        if mean <= top + 1e-12:
            return label
    return "1" if mean > 1 - 1e-12 else "below 1"


LABELS = {
    "length": label_of_length,
    "edits": label_of_edits,
    "agreement": label_of_agreement,
}


@pytest.mark.parametrize("absent", [0.0, 0.4])
def test_subsets_equal_a_slow_recount(absent: float) -> None:
    """Every bin holds the right sentences, and scores what they score by themselves."""
    gold = made_up.corpus(60, annotators=("0", "1", "2"), absent=absent)
    hypotheses = made_up.systems(gold, "good", "bad")
    metrics = make_metrics(["m2", "gleu", "sari"], {})
    results = evaluate(gold, hypotheses, metrics, resampling=Resampling(0))
    found = score_subsets(gold, group_by_metric(results))
    assert [cut["name"] for cut in found] == list(LABELS)
    for cut in found:
        labels = [LABELS[cut["name"]](sent) for sent in gold]
        assert {one["label"] for one in cut["bins"]} == {label for label in labels if label}
        for one in cut["bins"]:
            rows = [number for number, label in enumerate(labels) if label == one["label"]]
            assert one["sentences"] == len(rows)
            part = replace(gold, sentences=tuple(gold.sentences[row] for row in rows))
            for metric in make_metrics(["m2", "gleu", "sari"], {}):
                for hypothesis in hypotheses:
                    output = Hypothesis("part", tuple(hypothesis.sentences[row] for row in rows))
                    found_score = one["scores"][metric.name][hypothesis.name]
                    assert found_score == pytest.approx(metric.score(part, output).value)


def test_subsets_by_agreement_need_a_second_annotator() -> None:
    gold = made_up.corpus(10, annotators=("0",))
    assert [one.name for one in properties(gold)] == ["length", "edits"]


def test_annotator_agreement_by_hand() -> None:
    an, comma = Edit(1, 2, (("an",),)), Edit(3, 3, ((",",),))
    both, one, none = Annotation("0", (an, comma)), Annotation("1", (an,)), Annotation("2")
    assert annotator_agreement([both, one]) == pytest.approx(2 / 3)
    assert annotator_agreement([none, none]) == 1.0
    assert annotator_agreement([both, one, none]) == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert math.isnan(annotator_agreement([both]))


def test_subsets_by_edits_exclude_sentences_without_annotations() -> None:
    gold = Corpus((Sentence(("a", "b"), (Annotation("0"),)), Sentence(("c",))))
    bins = {
        one.name: [(label, rows.tolist()) for label, rows in one.rows()] for one in properties(gold)
    }
    assert bins == {"length": [("1–10", [0, 1])], "edits": [("0", [0])]}
