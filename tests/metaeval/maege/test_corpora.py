"""Corpora of known quality."""

from __future__ import annotations

from statistics import fmean, pvariance

import numpy as np
import pytest

from geceval.metaeval.maege.corpora import (
    MODELS,
    VARIANCE,
    binomial_of,
    sample_count,
    sample_sentence,
)
from geceval.metaeval.maege.lattice import AnnotationLattice
from geceval.metaeval.maege.protocol import PROTOCOLS, Protocol
from geceval.model import Edit


def lattice(n_edits: int, annotator: str) -> AnnotationLattice:
    tokens = tuple(f"t{number}" for number in range(n_edits))
    edits = tuple(Edit(number, number + 1, ((f"{annotator}!",),)) for number in range(n_edits))
    return AnnotationLattice(tokens, edits, annotator)


def n_applied(text: tuple[str, ...]) -> int:
    return sum(token.endswith("!") for token in text)


@pytest.mark.parametrize("model", MODELS[1:])
def test_binomial_has_the_mean_and_the_variance(model: int) -> None:
    """Up to the rounding of the number of trials."""
    n, p = binomial_of(model)
    exact = model**2 / (model - VARIANCE)
    assert abs(n - exact) <= 0.5
    assert exact * p == pytest.approx(model)
    assert exact * p * (1 - p) == pytest.approx(VARIANCE)
    rng = np.random.default_rng(model)
    counts = [sample_count(rng, model, 1000) for _ in range(4000)]
    assert fmean(counts) == pytest.approx(n * p, abs=0.1)
    assert pvariance(counts) == pytest.approx(n * p * (1 - p), abs=0.15)


def test_counts_are_clipped() -> None:
    rng = np.random.default_rng(0)
    assert {sample_count(rng, 10, 3) for _ in range(200)} == {3}
    assert {sample_count(rng, 0, 3) for _ in range(10)} == {0}
    assert {sample_count(rng, 1, 2) for _ in range(200)} == {0, 1, 2}


def test_draws_of_a_sentence() -> None:
    both = lattice(12, "a"), lattice(12, "b")
    drawn = [sample_sentence(both, sentence=n, seed=5, source="random") for n in range(400)]
    for model in MODELS:
        counts = [n_applied(one.outputs[model].text) for one in drawn]
        n, p = (0, 0.0) if model == 0 else binomial_of(model)
        assert fmean(counts) == pytest.approx(n * p, abs=0.25)
    whose = [draw.annotator for one in drawn for draw in one.outputs]
    assert 0.45 < whose.count("a") / len(whose) < 0.55
    for one in drawn:
        for draw in one.outputs:
            assert set(draw.text) <= {*both[0].tokens, f"{draw.annotator}!"}
    # A subset of twelve edits has six on average.
    assert fmean(n_applied(one.source) for one in drawn) == pytest.approx(6, abs=0.3)


def test_draws_do_not_depend_on_the_source() -> None:
    both = lattice(5, "a"), lattice(3, "b")
    some = sample_sentence(both, sentence=1, seed=2, source="random")
    others = sample_sentence(both, sentence=1, seed=2, source="original")
    assert some.outputs == others.outputs
    assert others.source == both[0].tokens
    assert sample_sentence(both, sentence=1, seed=2, source="random") == some
    assert any(
        sample_sentence(both, sentence=1, seed=seed, source="random") != some for seed in range(5)
    )


def test_trials_are_rounded_or_truncated() -> None:
    assert [binomial_of(model)[0] for model in MODELS[1:]] == [10, 4, 4, 5, 6, 7, 8, 9, 10, 11]
    released = [binomial_of(model, PROTOCOLS["released"])[0] for model in MODELS[1:]]
    assert released == [10, 3, 4, 5, 6, 7, 8, 9, 10, 10]


def test_sources_may_be_outputs() -> None:
    """Most corpora apply nearly all edits, so that such sources do, too."""
    both = lattice(3, "a"), lattice(3, "b")
    some = [
        sample_sentence(
            both, sentence=n, seed=5, source="random", protocol=Protocol(corpus_source="output")
        )
        for n in range(300)
    ]
    for one in some:
        assert one.source in {output.text for output in one.outputs}
    subsets = [sample_sentence(both, sentence=n, seed=5, source="random") for n in range(300)]
    assert [one.outputs for one in some] == [one.outputs for one in subsets]
    assert fmean(n_applied(one.source) for one in subsets) == pytest.approx(1.5, abs=0.2)
    assert fmean(n_applied(one.source) for one in some) > 2
