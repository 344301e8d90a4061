"""The arithmetic of neural metrics, without any model."""

from __future__ import annotations

import math

import numpy as np
import pytest

from geceval.limits import TooLargeError, allow
from geceval.metrics.neural.arithmetic import (
    cosine,
    greedy_match,
    impara_scores,
    perplexity_of,
    scribendi_scores,
    sigmoid,
    some_scores,
    surface_ratios,
    token_sort_ratio,
)


def test_impara_gate_is_open_at_the_threshold() -> None:
    similarity = np.array([0.9, np.nextafter(0.9, 0), 1.0, -1.0])
    assert impara_scores(np.full(4, 0.3), similarity, 0.9).tolist() == [0.3, 0, 0.3, 0]


def test_scribendi_every_case() -> None:
    """+1 needs a change, a smaller perplexity and similarity; no change is 0; the rest is -1."""
    changed = np.array([True, True, True, True, False, False])
    before = np.full(6, 5.0)
    after = np.array([4.0, 5.0, 6.0, 4.0, 5.0, 4.0])
    ratio = np.array([0.8, 1, 1, 0.79, 1, 1])
    found = scribendi_scores(changed, before, after, ratio, 0.8)
    assert found.tolist() == [1, -1, -1, -1, 0, 0]


def test_some_is_a_weighted_sum() -> None:
    parts = [np.array([1.0, 0.5]), np.array([0.0, 0.5]), np.array([1.0, 0.5])]
    found = some_scores(parts, (0.55, 0.43, 0.02))
    assert found.tolist() == pytest.approx([0.57, 0.5])


def test_sigmoid_has_no_overflow() -> None:
    values = np.array([-1e6, -1.0, 0.0, 1.0, 1e6])
    expected = [0, 1 / (1 + math.e), 0.5, math.e / (1 + math.e), 1]
    assert sigmoid(values).tolist() == pytest.approx(expected)


def test_surface_ratios_are_the_larger_one() -> None:
    pairs = [("a b c d", "d c b a"), ("abcd", "abxd"), ("", ""), ("a", ""), ("He go", "he, go!")]
    sources, outputs = map(list, zip(*pairs, strict=True))
    by_character = surface_ratios("ours", sources, outputs, "character").tolist()
    assert by_character == pytest.approx([1, 6 / 8, 1, 0, 1])
    assert surface_ratios("ours", ["x b c"], ["y b c"], "word").tolist() == pytest.approx([0.8])
    assert surface_ratios("ours", ["x b c"], ["z b c"], "character")[0] == pytest.approx(0.8)
    with allow(cells=10), pytest.raises(TooLargeError, match="ours, sentence 1"):
        surface_ratios("ours", ["a" * 300], ["b" * 300], "character")


def test_token_sort_ratio_is_rounded_to_percent() -> None:
    """A ratio of 0.796 passes the threshold of 0.8, one of 0.789 does not."""
    assert token_sort_ratio("We can not let it go .", "We cannot let it go .") == 0.82
    ratios = [
        token_sort_ratio("a" * n_same + "b" * (n - n_same), "a" * n_same + "c" * (n - n_same))
        for n, n_same in ((49, 39), (57, 45))
    ]
    assert ratios == [0.8, 0.79]


def test_cosine_of_nothing() -> None:
    assert cosine(np.zeros(2), np.ones(2)) == 0
    assert cosine(np.array([1, 0]), np.array([-2, 0])) == -1


def test_greedy_match_by_hand() -> None:
    output = np.array([[1.0, 0], [0, 2], [1, 1]])
    reference = np.array([[0.0, 1], [1, 0]])
    half = math.sqrt(0.5)
    precision, recall, f = greedy_match(output, reference)
    assert precision == pytest.approx((1 + 1 + half) / 3)
    assert recall == pytest.approx(1)
    assert f == pytest.approx(2 * precision / (1 + precision))
    nothing = np.zeros((0, 2))
    assert greedy_match(nothing, reference) == (0, 0, 0)
    assert greedy_match(output, nothing) == (0, 0, 0)
    assert greedy_match(nothing, nothing) == (1, 1, 1)
    assert greedy_match(np.zeros((1, 2)), reference) == (0, 0, 0)


def test_perplexity_by_hand() -> None:
    """Three tokens: the second has probability 1/4 after the first, the third 1/2."""
    logits = np.log(np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [1, 1, 1]])) + 100
    assert perplexity_of(logits, [0, 1, 2]) == pytest.approx(math.sqrt(4 * 2))
    assert perplexity_of(logits[:1], [0]) == 1
    assert perplexity_of(logits[:0], []) == 1
