"""Output of several annotators: the best pair of a reading and a reference is chosen."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from geceval.errors import GecevalError
from geceval.evaluation.resampling import Resampling, bootstrap, paired_p_value
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics import metric_class, metric_names
from geceval.metrics._shared.edits import RunningF
from geceval.metrics._shared.pairing import Mode
from geceval.metrics.errant import Errant
from geceval.metrics.maxmatch import M2
from geceval.metrics.statistics import Score, Statistics
from geceval.metrics.views import count_by_type
from geceval.model import Annotation, Corpus, Edit, Hypothesis, OutputReading, Sentence, apply_edits
from running import run_geceval

SOURCE = ("a", "b", "c", "d")
Cell: TypeAlias = tuple[int, int, int]
"""Correct, proposed and gold edits of one pair."""


def random_edits(rng: np.random.Generator) -> tuple[Edit, ...]:
    places = [place for place in range(len(SOURCE)) if rng.random() < 0.5]
    return tuple(
        Edit(place, place + 1, ((str(rng.choice(["x", "y"])),),), str(rng.choice(["R:A", "R:B"])))
        for place in places
    )


def random_sentences(rng: np.random.Generator, n_sents: int, names: str) -> list[Sentence]:
    """Sentences that one to all of these annotators looked at."""
    sentences = []
    for _ in range(n_sents):
        known = [name for name in names if rng.random() < 0.7] or [names[0]]
        readings = tuple(Annotation(name, random_edits(rng)) for name in known)
        sentences.append(Sentence(SOURCE, readings))
    return sentences


def as_hypothesis(sentences: list[Sentence], names: str) -> Hypothesis:
    firsts = [sent.annotations[0].edits for sent in sentences]
    readings = []
    for name in names:
        found = [sent.annotation(name) for sent in sentences]
        readings.append(
            OutputReading(
                name,
                tuple(sent.corrected(name) for sent in sentences),
                tuple(None if ann is None else ann.edits for ann in found),
            )
        )
    outputs = tuple(apply_edits(SOURCE, edits) for edits in firsts)
    return Hypothesis("ours", outputs, tuple(firsts), tuple(readings))


def cell(metric: RunningF, sent: Sentence, gold: Annotation, own: Annotation) -> Cell:
    """Count one pair by itself."""
    corpus = Corpus((Sentence(sent.tokens, (gold,)),))
    output = Hypothesis("h", (apply_edits(sent.tokens, own.edits),), (own.edits,))
    counts = metric.effective(metric.statistics(corpus, output).counts)[0, 0]
    return int(counts[0]), int(counts[1]), int(counts[2])


def f_score(correct: int, proposed: int, gold: int, *, beta: float = 0.5) -> float:
    p = correct / proposed if proposed > correct else 1.0
    r = correct / gold if gold > correct else 1.0
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0


def errant_rank(total: Cell, own: Cell) -> tuple[float, ...]:
    correct, proposed, gold = own
    return round(f_score(*total), 4), correct, correct - proposed, correct - gold


def exact_rank(total: Cell, own: Cell) -> tuple[float, ...]:
    correct, proposed, gold = own
    return round(f_score(*total), 12), correct, correct - proposed, correct - gold


def m2_rank(total: Cell, own: Cell) -> tuple[float, ...]:
    correct, proposed, gold = own
    return round(f_score(*total), 12), correct, -(proposed + 0.25 * gold)


def brute_force(
    metric: RunningF,
    gold: list[Sentence],
    output: list[Sentence],
    rank: Callable[[Cell, Cell], tuple[float, ...]],
) -> tuple[Cell, list[tuple[str, str]]]:
    """Go through all pairs of each sentence; of equal ones the first is taken."""
    totals = (0, 0, 0)
    chosen = []
    for right, own in zip(gold, output, strict=True):
        best = None
        for reading in own.annotations:
            for reference in sorted(right.annotations, key=lambda ann: ann.annotator):
                counts = cell(metric, right, reference, reading)
                total = tuple(map(sum, zip(totals, counts, strict=True)))
                key = rank(total, counts)  # type: ignore[arg-type]
                if best is None or key > best[0]:
                    best = key, counts, (reading.annotator, reference.annotator)
        assert best is not None
        totals = tuple(map(sum, zip(totals, best[1], strict=True)))  # type: ignore[assignment]
        chosen.append(best[2])
    return totals, chosen


def named(score: Score, statistics: Statistics) -> list[tuple[str, str]]:
    assert score.sentences.readings is not None
    pairs = zip(score.sentences.readings.tolist(), score.sentences.chosen.tolist(), strict=True)
    return [(statistics.readings[own], statistics.references[gold]) for own, gold in pairs]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("metric", "rank"),
    [
        (M2(), m2_rank),
        (Errant(lang="plain"), exact_rank),
        (Errant(lang="plain", compat="errant-3.0.2"), errant_rank),
    ],
    ids=["m2", "errant", "compat"],
)
def test_readings_best_pair_by_brute_force(
    metric: RunningF, rank: Callable[[Cell, Cell], tuple[float, ...]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    gold = random_sentences(rng, 12, "013")
    output = random_sentences(rng, 12, "0b")
    corpus, hypothesis = Corpus(tuple(gold)), as_hypothesis(output, "0b")
    statistics = metric.statistics(corpus, hypothesis)
    score = metric.aggregate(statistics)
    totals, chosen = brute_force(metric, gold, output, rank)
    effective = metric.effective(statistics.counts)
    assert score.sentences.readings is not None
    pairs = score.sentences.readings * len(statistics.references) + score.sentences.chosen
    found = effective[np.arange(len(pairs)), pairs].sum(axis=0)
    assert tuple(found.tolist()) == totals
    assert named(score, statistics) == chosen
    assert "|readings:2|" in score.signature


def test_readings_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ours.m2"
    path.write_text(OUTPUT)
    hypothesis = load_hypothesis(path)
    assert hypothesis.sentences == (("I", "like", "it"), ("Bye",), ("a", "b"))
    assert hypothesis.readings == (
        OutputReading(
            "0",
            (("I", "like", "it"), ("Bye",), None),
            ((Edit(1, 2, (("like",),), "R:VERB"),), (), None),
        ),
        OutputReading(
            "1",
            (("I", "liked", "it"), None, ("a", "b")),
            ((Edit(1, 2, (("liked",),), "R:VERB"),), None, ()),
        ),
    )


def test_readings_of_one_annotator_each_are_one(tmp_path: Path) -> None:
    path = tmp_path / "ours.m2"
    path.write_text(OUTPUT.partition("\n\n")[2])
    assert load_hypothesis(path).readings == ()


OUTPUT = """S I likes it
A 1 2|||R:VERB|||like|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||liked|||REQUIRED|||-NONE-|||1

S Bye

S a b
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
"""
GOLD = """S I likes it
A 1 2|||R:VERB|||liked|||REQUIRED|||-NONE-|||4

S Bye
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||4

S a b
A 0 1|||R:X|||c|||REQUIRED|||-NONE-|||4
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A gold standard, an output with two readings, and one with the first of them."""
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "ours.m2").write_text(OUTPUT)
    (tmp_path / "first.txt").write_text("I like it\nBye\na b\n")
    return tmp_path


@pytest.mark.parametrize("metric", [M2(), Errant(lang="plain")], ids=["m2", "errant"])
def test_readings_are_shown(folder: Path, metric: M2 | Errant) -> None:
    corpus, hypothesis = load(folder / "gold.m2"), load_hypothesis(folder / "ours.m2")
    score = metric.score(corpus, hypothesis)
    assert (score.parts["precision"], score.parts["recall"]) == (1.0, 0.5)
    views = metric.marked_edits(corpus, hypothesis, score)
    assert [view and (view.reading, view.annotation.annotator) for view in views] == [
        ("1", "4"),
        ("0", "4"),
        ("1", "4"),
    ]
    assert views[0] is not None
    assert [(edit.correction, edit.is_correct) for edit in views[0].edits] == [(("liked",), True)]
    assert {name: count.correct for name, count in count_by_type(corpus, views).items()} == {
        "R:VERB": 1,
        "R:X": 0,
    }
    if isinstance(metric, Errant):
        table = metric.counts_by_type(corpus, hypothesis, score)
        assert {name: (one.tp, one.fp, one.fn) for name, one in table.items()} == {
            "R:VERB": (1, 0, 0),
            "R:X": (0, 0, 1),
        }


@pytest.mark.parametrize("metric", [M2(), Errant(lang="plain")], ids=["m2", "errant"])
def test_readings_do_not_hinder_tests(metric: RunningF) -> None:
    """Systems with several readings and with one are compared sentence by sentence."""
    rng = np.random.default_rng(5)
    corpus = Corpus(tuple(random_sentences(rng, 30, "01")))
    outputs = random_sentences(rng, 30, "ab")
    several = metric.statistics(corpus, as_hypothesis(outputs, "ab"))
    firsts = tuple(sent.annotations[0].edits for sent in outputs)
    single = metric.statistics(
        corpus, Hypothesis("one", tuple(apply_edits(SOURCE, edits) for edits in firsts), firsts)
    )
    for one, other in ((several, single), (single, several)):
        both = one.followed_by(other)
        assert len(both) == 60
        assert both.readings == ("a", "b")
        rows = np.arange(60, dtype=np.int64)
        halves = [metric.resample(both, rows[None, :30]), metric.resample(both, rows[None, 30:])]
        wanted = [metric.aggregate(one).value, metric.aggregate(other).value]
        assert np.concatenate(halves).tolist() == wanted
    assert metric.aggregate(several).value >= metric.aggregate(single).value
    interval = bootstrap(metric, several, resampling=Resampling(50))
    assert interval.low <= metric.aggregate(several).value <= interval.high
    assert 0 < paired_p_value(metric, several, single, resampling=Resampling(50)) <= 1


@pytest.mark.parametrize("name", ["gleu", "imeasure", "bleu", "sari", "ld-source", "wdiff"])
def test_readings_are_refused_by_other_metrics(folder: Path, name: str) -> None:
    assert name in metric_names()
    corpus, hypothesis = load(folder / "gold.m2"), load_hypothesis(folder / "ours.m2")
    with pytest.raises(GecevalError) as caught:
        metric_class(name)().statistics(corpus, hypothesis)
    assert str(caught.value) == (
        "the output of ours has several annotators (0, 1), which only m2, errant and cleme "
        "support; select one with 'geceval convert --apply --annotator NAME'"
    )


def test_readings_in_the_program(folder: Path) -> None:
    code, _, errors = run_geceval(
        "score", "--gold", "gold.m2", "ours.m2", "first.txt", "--resamples", "0",
        "--per-sentence", "sentences.tsv", folder=folder,
    )  # fmt: skip
    assert (code, errors) == (0, "")
    with (folder / "sentences.tsv").open() as lines:
        table = list(csv.DictReader(lines, delimiter="\t"))
    rows = [(row["system"], row["annotator"], row["reading"]) for row in table]
    assert rows == [
        ("ours", "4", "1"), ("ours", "4", "0"), ("ours", "4", "1"),
        ("first", "4", ""), ("first", "4", ""), ("first", "4", ""),
    ]  # fmt: skip
    _, out, _ = run_geceval("score", "--gold", "gold.m2", "ours.m2", "-v", folder=folder)
    assert "ours sentence 0, reading 1, annotator 4, F 1.0000" in out
    code, _, errors = run_geceval(
        "score", "--gold", "gold.m2", "first.txt", "ours.m2", "-m", "gleu", folder=folder
    )
    assert code == 1
    assert "the output of ours has several annotators" in errors


# The original tool.

_CHOSEN = re.compile(r"\^\^ HYP (\S+), REF (\S+) chosen")


@pytest.mark.parametrize(
    ("case", "mode"),
    [
        ("odd", "correction"),
        ("odd-span-detection", "span-detection"),
        ("odd-token-detection", "token-detection"),
        ("verbose", "correction"),
        ("span-detection", "span-detection"),
        ("token-detection", "token-detection"),
    ],
)
def test_readings_as_in_errant_compare(shared_data: Path, case: str, mode: Mode) -> None:
    folder = shared_data / "compat" / "errant_compare" / case
    (output,), (gold,) = folder.glob("*.hyp.m2"), folder.glob("*.ref.m2")
    corpus, hypothesis = load(gold, findings=Findings()), load_hypothesis(output)
    assert len(hypothesis.readings) == 2
    metric = Errant(lang="plain", compat="errant-3.0.2", mode=mode)
    score = metric.score(corpus, hypothesis)
    said = (folder / "stdout.txt").read_text()
    numbers = said.rpartition("F0.5\n")[2].split("\t")[:3]
    assert [str(score.parts[name]) for name in ("tp", "fp", "fn")] == numbers
    views = metric.marked_edits(corpus, hypothesis, score)
    chosen = [(view.reading, view.annotation.annotator) for view in views if view is not None]
    assert chosen == _CHOSEN.findall(said)
