"""Scores of systems with swapped sentences: quick ways must give what the plain way gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import made_up
from geceval.kernels.running_totals import RunningChoice
from geceval.metrics import metric_class, standalone_names, statistics
from geceval.metrics._shared.texts import sum_rows
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Swaps
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "bleu": [{}, {"average": "sentence"}],
    "ibleu": [{}, {"source_term": "reward"}],
    "errant": [{"lang": "plain"}, {"lang": "plain", "macro": True}],
    "cleme": [
        {"lang": "plain"},
        {"lang": "plain", "weights": "none", "compat": "cleme-1.1"},
        {"lang": "plain", "assumption": "independent", "average": "sentence"},
    ],
    "cleme2": [{"lang": "plain"}, {"lang": "plain", "weights": "length", "average": "sentence"}],
    "gleu": [
        {}, {"exact": True}, {"iterations": 1}, {"iterations": 130}, {"order": 3},
        {"variant": "gec-metrics", "iterations": 20}, {"variant": "koyama-max"},
    ],
    "green": [{}, {"average": "sentence"}, {"compat": "gec-metrics", "order": 2}],
    "imeasure": [{}, {"mix": False}],
    "gotoscorer": [{"lang": "plain", "weights": "none"}],
    "ged": [{"lang": "plain"}],
}  # fmt: skip
CASES = [
    (name, options)
    for name in standalone_names()
    if name != "grammar"
    for options in OPTIONS.get(name, [{}])
]


def plain(metric: Metric, gold: Corpus, one: Hypothesis, other: Hypothesis) -> None:
    """Compare the metric's own way with that of the base class."""
    first, second = metric.statistics(gold, one), metric.statistics(gold, other)
    flags = np.random.default_rng(3).integers(0, 2, size=(40, len(gold))).astype(bool)
    swaps = Swaps(flags)
    found = metric.resample_swapped(first, second, swaps)
    expected = Metric.resample_swapped(metric, first, second, swaps)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("annotators", [("0",), ("0", "1"), ("0", "1", "2", "3")])
def test_swapped_is_what_swapping_gives(
    name: str, options: dict[str, Any], annotators: tuple[str, ...]
) -> None:
    gold = made_up.corpus(30, annotators=annotators, absent=0.3 if len(annotators) > 1 else 0.1)
    one, other = made_up.systems(gold, "one", "other")
    plain(metric_class(name)(**options), gold, one, other)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_swapped_of_output_without_any_words(name: str, options: dict[str, Any]) -> None:
    gold = made_up.corpus(5)
    nothing = Hypothesis("nothing", ((),) * len(gold))
    plain(metric_class(name)(**options), gold, nothing, made_up.system(gold, "some"))


@pytest.mark.parametrize("name", ["m2", "gleu", "bleu", "sari"])
def test_swapped_in_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large flags are used in blocks, which changes nothing."""
    gold = made_up.corpus(20)
    metric = metric_class(name)()
    first, second = (metric.statistics(gold, one) for one in made_up.systems(gold, "a", "b"))
    flags = np.random.default_rng(5).integers(0, 2, size=(30, len(gold))).astype(bool)
    expected = metric.resample_swapped(first, second, Swaps(flags))
    monkeypatch.setattr(statistics, "_MAX_FLAGS", 7 * len(gold))
    blocks = Swaps(flags)
    assert [len(one) for one, _ in blocks.rows()] == [7, 7, 7, 7, 2]
    np.testing.assert_array_equal(metric.resample_swapped(first, second, blocks), expected)
    plain = Metric.resample_swapped(metric, first, second, blocks)
    np.testing.assert_allclose(plain, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n_annotators", [256, 257])
def test_swapped_with_more_references_than_a_byte_has_values(n_annotators: int) -> None:
    gold = made_up.corpus(4, annotators=tuple(map(str, range(n_annotators))))
    plain(metric_class("gleu")(iterations=60), gold, *made_up.systems(gold, "one", "other"))


def test_swapped_with_sums_beyond_16_bits() -> None:
    """Sums that 16 bits hold are stored in them, and others are not."""
    words = tuple("abcdefghij" * 400)
    short, long = Annotation("0", (Edit(5, 4000, ((),)),)), Annotation("1", ())
    gold = Corpus((Sentence(words, (short, long)),) * 30)
    outputs = [Hypothesis("one", (words,) * 30), Hypothesis("other", (words[:9],) * 30)]
    plain(metric_class("gleu")(iterations=9), gold, *outputs)


def test_swapped_without_references() -> None:
    gold = Corpus(tuple(Sentence(tokens) for tokens in (("a", "b"), ("c",))))
    plain(metric_class("gleu")(), gold, *made_up.systems(gold, "one", "other"))


def test_swapped_swaps_nothing_or_everything() -> None:
    gold = made_up.corpus(20)
    metric = metric_class("gleu")()
    first, second = (metric.statistics(gold, one) for one in made_up.systems(gold, "a", "b"))
    swaps = Swaps(np.array([[False] * len(gold), [True] * len(gold)]))
    one, other = metric.resample_swapped(first, second, swaps)
    values = [metric.aggregate(counts).value for counts in (first, second)]
    assert one == pytest.approx(values)
    assert other == pytest.approx(values[::-1])


def test_swapped_sentences_are_those_of_two_systems() -> None:
    choice = RunningChoice(np.ones((4, 1, 3), dtype=np.int64), np.ones((4, 1), dtype=np.uint8), 0.5)
    assert choice.swap(np.zeros((1, 2), dtype=np.uint8)).tolist() == [[[2, 2, 2]], [[2, 2, 2]]]
    with pytest.raises(ValueError, match="flags must fit"):
        choice.swap(np.zeros((1, 3), dtype=np.uint8))


def test_swapped_joins_systems_of_one_rule_only() -> None:
    mask = np.ones((1, 1), dtype=np.uint8)
    proper, improper = np.array([[[1, 2, 3]]]), np.array([[[2, 1, 1]]])
    choice = RunningChoice(proper, mask, 0.5)
    both = choice.followed_by(RunningChoice(proper + 1, mask, 0.5))
    assert both.resample(np.array([[0, 1], [1, 1]])).tolist() == [[3, 5, 7], [4, 6, 8]]
    with pytest.raises(ValueError, match="same rule"):
        choice.followed_by(RunningChoice(proper, mask, 1.0))
    with pytest.raises(ValueError, match="proper"):
        choice.followed_by(RunningChoice(improper, mask, 0.5))


@pytest.mark.parametrize("is_proper", [True, False])
def test_swapped_counts_may_be_improper(is_proper: bool) -> None:
    """More correct than proposed edits, as some bonus may give; then nothing is left out."""
    gold = made_up.corpus(30, annotators=("0", "1", "2"))
    metric = metric_class("m2")()
    first, second = (metric.statistics(gold, one) for one in made_up.systems(gold, "a", "b"))
    if not is_proper:
        first.counts[::3, :, 0] += 5
    swaps = Swaps(np.random.default_rng(3).integers(0, 2, size=(40, len(gold))).astype(bool))
    found = metric.resample_swapped(first, second, swaps)
    np.testing.assert_array_equal(found, Metric.resample_swapped(metric, first, second, swaps))


@pytest.mark.parametrize("size", [1, 2**60])
def test_sums_of_counts_are_exact(size: int) -> None:
    rng = np.random.default_rng(1)
    table = size + rng.integers(0, 9, size=(50, 3))
    rows = rng.integers(0, 50, size=(20, 5))
    assert sum_rows(table, rows).tolist() == [table[row].sum(axis=0).tolist() for row in rows]
    assert sum_rows(table, rows[:0]).shape == (0, 3)
