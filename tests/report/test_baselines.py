"""Doing nothing, people, and systems with as many references as people have."""

from __future__ import annotations

from statistics import fmean

import pytest

import made_up
from geceval.evaluation.evaluate import make_metrics
from geceval.evaluation.resampling import Resampling
from geceval.metrics.maxmatch import M2
from geceval.model import Corpus, Hypothesis
from geceval.report.baselines import equal_references, find_baselines
from geceval.report.collect import collect
from geceval.report.tables import people_table


def test_equal_references_by_hand() -> None:
    """Each annotator is left out in turn, and the scores are averaged."""
    gold = made_up.corpus(40, annotators=("0", "1", "2"))
    [system] = made_up.systems(gold, "ours")
    found = equal_references(gold, [system], [M2()])

    expected = [
        M2().score(gold.keep_annotators([one for one in "012" if one != left]), system).value
        for left in "012"
    ]
    assert found == {"m2": {"ours": pytest.approx(fmean(expected))}}


def test_equal_references_are_those_of_a_person() -> None:
    """A system that writes what a person wrote scores as that person does, if left out."""
    gold = made_up.corpus(40, annotators=("0", "1"))
    people = {}
    for name in gold.annotators:
        texts = tuple(sent.corrected(name) or sent.tokens for sent in gold)
        people[name] = Hypothesis(name, texts)
    scores = {
        entry.hypothesis.name: M2().score(entry.corpus, entry.hypothesis).value
        for entry in find_baselines(gold)
    }
    found = equal_references(gold, list(people.values()), [M2()])["m2"]
    for name in gold.annotators:
        own = M2().score(gold.keep_annotators([name]), people[name]).value
        against = scores[f"annotator {name} (against the others)"]
        assert found[name] == pytest.approx((own + against) / 2)


def test_equal_references_of_absent_annotators() -> None:
    gold = made_up.corpus(40, annotators=("0", "1"), absent=0.3)
    [system] = made_up.systems(gold, "ours")
    values = []
    for left, other in (("0", "1"), ("1", "0")):
        rows = [row for row, sent in enumerate(gold) if len(sent.annotations) == 2]
        shared = Corpus(tuple(gold.sentences[row] for row in rows)).keep_annotators([other])
        own = Hypothesis("ours", tuple(system.sentences[row] for row in rows))
        assert left != other
        values.append(M2().score(shared, own).value)
    found = equal_references(gold, [system], [M2()])
    assert found["m2"]["ours"] == pytest.approx(fmean(values))


def test_equal_references_need_two_annotators() -> None:
    gold = made_up.corpus(10, annotators=("0",))
    assert equal_references(gold, made_up.systems(gold, "ours"), [M2()]) == {}


def test_people_table_has_systems_on_request() -> None:
    gold = made_up.corpus(30, annotators=("0", "1", "2"))
    metrics = [M2(), *make_metrics(["gleu", "ld-source"], {})]
    systems = made_up.systems(gold, "a", "b")
    plain = collect(gold, systems, metrics, resampling=Resampling(0))
    equal = collect(gold, systems, metrics, resampling=Resampling(0), has_equal_references=True)

    assert [row[:2] for row in people_table(plain).rows] == [
        ("doing nothing", 3),
        *((f"annotator {name} (against the others)", 2) for name in "012"),
        ("people, mean of 3", 2),
    ]
    rows = people_table(equal).rows[5:]
    assert [row[1] for row in rows] == [3, 2, 3, 2]
    for more, fewer in zip(rows[::2], rows[1::2], strict=True):
        assert more[0] == fewer[0]
        assert more[2] == equal["scores"]["m2"][str(more[0])]["score"]
        assert fewer[2] == equal["equal_references"]["m2"][str(more[0])]
        # A metric without references has no other score.
        assert fewer[4] is None
