"""Cohen's κ and Krippendorff's α against published examples and independent packages."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geceval.evaluation.chance_agreement import (
    alpha_of_coincidences,
    cohen_kappa,
    kappa_of_tables,
    krippendorff_alpha,
)

# The examples of Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
BINARY = ("0100000010", "1110010000")
NOMINAL = ("aabbdcccedda", "babbbccceddd")
MISSING = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def units(raters: tuple[str, ...]) -> list[list[str]]:
    return [[value for value in unit if value != "."] for unit in zip(*raters, strict=True)]


@pytest.mark.parametrize(("raters", "alpha"), [(BINARY, 0.095), (NOMINAL, 0.692), (MISSING, 0.743)])
def test_alpha_of_the_textbook(raters: tuple[str, ...], alpha: float) -> None:
    assert krippendorff_alpha(units(raters)) == pytest.approx(alpha, abs=0.0005)


def test_kappa_of_the_textbook() -> None:
    """Cohen (1960), table 1: two judges, three categories, proportions of 200 patients."""
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    assert kappa_of_tables(table) == pytest.approx(0.492, abs=0.0005)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_an_independent_package(seed: int) -> None:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    chance = random.Random(seed)
    rated = [
        [(rater, chance.choice("abc")) for rater in range(4) if chance.random() < 0.8]
        for _ in range(60)
    ]
    triples = [
        (str(rater), str(number), value)
        for number, unit in enumerate(rated)
        for rater, value in unit
        if len(unit) > 1
    ]
    expected = agreement.AnnotationTask(data=triples).alpha()
    found = krippendorff_alpha([[value for _, value in unit] for unit in rated])
    assert found == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 0, 1])), min_size=1))
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    if len({*first, *second}) == 1:
        assert cohen_kappa(first, second) == 1.0
        return
    labels = [-1, 0, 1]
    for weights in (None, "linear", "quadratic"):
        # All labels are named, so that being a step apart means the same to both.
        expected = metrics.cohen_kappa_score(first, second, labels=labels, weights=weights)
        assert cohen_kappa(first, second, weights=weights) == pytest.approx(expected, abs=1e-12)


def test_tables_are_evaluated_together() -> None:
    rng = np.random.default_rng(4)
    tables = rng.integers(0, 9, (5, 2, 2))
    assert kappa_of_tables(tables).tolist() == [float(kappa_of_tables(one)) for one in tables]
    even = tables + tables.transpose(0, 2, 1)
    assert alpha_of_coincidences(even).tolist() == [
        float(alpha_of_coincidences(one)) for one in even
    ]


def test_agreement_without_ratings_or_with_one_value() -> None:
    assert math.isnan(cohen_kappa([], []))
    assert math.isnan(krippendorff_alpha([]))
    assert math.isnan(krippendorff_alpha([["a"], []]))
    assert cohen_kappa([1, 1], [1, 1]) == 1.0
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]) == 1.0
