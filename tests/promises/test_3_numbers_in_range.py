"""Promise 3: every number is finite and within its documented bounds."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import made_up
from geceval.evaluation.evaluate import Result, evaluate
from geceval.evaluation.resampling import Resampling, compare
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis, Tokens
from geceval.storage import strict_json
from promising import size

UNIT = (0.0, 1.0)
COUNT = (0.0, math.inf)

SCORES: Mapping[str, tuple[float, float]] = {
    "m2": UNIT, "wdiff": UNIT, "errant": UNIT, "imeasure": (-1.0, 1.0), "gleu": UNIT, "bleu": UNIT,
    "green": UNIT, "chrf": UNIT, **dict.fromkeys(("ter", "wer", "cer"), (-math.inf, 1.0)),
    "cleme": UNIT, "cleme2": UNIT,
    "ibleu": (-1.0, 1.0), "sari": UNIT, "maxsari": UNIT,
    "ld-source": (-math.inf, 1.0), "ld-reference": (-math.inf, 1.0), "pt-m2": UNIT,
    "pt-errant": UNIT, "gotoscorer": UNIT, "ged": UNIT,
}  # fmt: skip
"""Bounds of the score; a distance may be larger than the length that it is divided by."""

PARTS: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(
        ("correct", "proposed", "gold", "tp", "fp", "fn", "tn", "fpn", "base_tn", "base_fn",
         "limited", "optional_left", "types", "distance", "length",
         "ter", "wer", "cer", "edits", "fp_ne", "fp_un", "mean_length", "labels",
         *(f"{region}{n}" for region in ("tk", "td", "ti", "od", "oi", "ud", "ui")
           for n in range(1, 7))),
        COUNT,
    ),
    **dict.fromkeys(
        ("precision", "recall", "f", "acc", "wacc", "wacc_base", "precision1", "precision2",
         "precision3", "precision4", "brevity_penalty", "bleu", "source_bleu", "keep", "delete",
         "add", "macro_f", "micro_f", "f_without_bonus", "f_with_bonus", "sample_sd",
         "sample_low", "sample_high",
         "P", "R", "F", "hit", "wrong", "under", "over", "mean_sentence_F", "mean_sentence",
         "mean_sentence_F0.5", "F1", "F0.5", "accuracy",
         *(f"{average}_{part}" for average in ("micro", "macro", "macro_errors")
           for part in ("P", "R", "F0.5"))),
        UNIT,
    ),
    "i": (-1.0, 1.0),
}  # fmt: skip

OPTIONS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "m2": (
        {}, {"beta": 0}, {"beta": 1000}, {"beta": 1e-300}, {"level": "detection"},
        {"level": "recognition", "missing": "noop"}, {"max_unchanged": 0, "bonus": "with"},
    ),
    "wdiff": ({}, {"beta": 1000}),
    "errant": (
        {}, {"beta": 1e-300, "macro": True}, {"mode": "token-detection"}, {"auto_gold": True},
        {"mode": "span-detection", "merge": "all-merge"}, {"compat": "errant-3.0.2"},
    ),
    "cleme": (
        {}, {"beta": 0, "average": "sentence"}, {"beta": 1e-300, "compat": "cleme-1.1"},
        {"assumption": "independent", "average": "sentence"}, {"auto_gold": False, "beta": 1000},
        {"weights": "none", "merge_distance": 1000}, {"average": "sentence", "weights": "none"},
    ),
    "cleme2": (
        {}, {"assumption": "independent", "average": "sentence", "weights": "length"},
        {"hit": 1, "wrong": 0, "under": 0, "over": 0}, {"missing": "noop", "auto_gold": False},
    ),
    "imeasure": (
        {}, {"mix": False}, {"weight": 5000, "beta": 5000}, {"optimize": "corpus"},
        {"weight": 0.01, "aspect": "detection"}, {"limit": 1}, {"maximize": "i"},
    ),
    "gleu": (
        {"iterations": 20}, {"exact": True}, {"iterations": 1, "missing": "same"},
        {"variant": "koyama", "iterations": 3}, {"variant": "koyama-max"},
        {"variant": "gec-metrics", "iterations": 3, "unit": "char"},
        {"variant": "gec-metrics", "exact": True}, {"numerator": "formula", "iterations": 3},
    ),
    "green": (
        {}, {"beta": 0}, {"beta": 1e-300}, {"beta": 1000, "order": 6}, {"unit": "char"},
        {"compat": "gec-metrics"}, {"average": "sentence"},
    ),
    "chrf": ({}, {"beta": 0}, {"beta": 1000, "order": 1}),
    "ter": ({}, {"ignore_case": False}),
    "bleu": ({}, {"average": "sentence"}),
    "ibleu": ({}, {"alpha": 0}, {"source_term": "reward", "average": "sentence"}),
    "ld-source": ({}, {"length": "second"}),
    "ld-reference": ({}, {"length": "second"}),
    "pt-m2": ({}, {"scorer": "lev"}, {"scorer": "self"}, {"average": "sentence"}),
    "pt-errant": (
        {}, {"scorer": "lev"}, {"scorer": "bleu", "average": "sentence"}, {"compat": "pt-m2"},
    ),
    "gotoscorer": ({}, {"missing": "noop"}, {"auto_gold": True}),
    "ged": (
        {}, {"auto_gold": True}, *({"grain": one} for one in ("operation", "category", "both")),
    ),
}  # fmt: skip
BASE: Mapping[str, dict[str, Any]] = {
    name: {"lang": "plain"}
    for name in ("errant", "cleme", "cleme2", "pt-errant", "gotoscorer", "ged")
}
NEEDS_MORE = {"grammar"}


def random_case(seed: int) -> tuple[Corpus, list[Hypothesis]]:
    """Make a small corpus: annotators may be few, absent or none, outputs equal, empty or wild."""
    chance = random.Random(seed)
    annotators = tuple(map(str, range(chance.choice((1, 1, 2, 3)))))
    corpus = made_up.corpus(
        chance.choice((1, 1, 2, 3, 8)),
        annotators=annotators,
        absent=chance.choice((0.0, 0.0, 0.5)),
        seed=seed,
    )
    systems = [
        made_up.system(corpus, f"{seed}", skill=chance.random(), noise=chance.random()),
        Hypothesis("wild", tuple(_wild(chance) for _ in corpus)),
    ]
    if chance.random() < 0.2:
        systems.append(Hypothesis("nothing", ((),) * len(corpus)))
    if chance.random() < 0.2:
        systems.append(Hypothesis("source", corpus.sources))
    return corpus, systems


def _wild(chance: random.Random) -> Tokens:
    return tuple(chance.choices(made_up.WORDS, k=chance.choice((0, 1, 2, 30))))


def random_metric(name: str, chance: random.Random) -> Metric:
    given = chance.choice(OPTIONS.get(name, ({},)))
    return metric_class(name)(**BASE.get(name, {}), **given)


def numbers(result: Result) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """Yield every number of a result, with its name and its bounds.

    A sentence that nobody looked at takes no part, and has no number.
    """
    score = result.score
    bounds = SCORES[result.metric.name]
    known = result.statistics.provenance.n_refs > 0 if result.metric.needs_references else ...
    yield "score", score.value, bounds
    values = score.sentences.values[known].tolist()
    yield from (("score of a sentence", one, bounds) for one in values)
    for name, part in score.parts.items():
        yield name, part, PARTS[name.removeprefix("d_")]
    for name, parts in score.sentences.parts.items():
        limits = PARTS[name.removeprefix("d_")]
        yield from ((f"{name} of a sentence", one, limits) for one in parts[known].tolist())
    if result.interval is not None:
        yield "low", result.interval.low, bounds
        yield "high", result.interval.high, bounds


def check(result: Result) -> None:
    for name, value, (low, high) in numbers(result):
        assert math.isfinite(value), (name, value, result.score.signature)
        assert low <= value <= high, (name, value, result.score.signature)
    interval = result.interval
    if interval is not None:
        assert interval.low <= interval.high
    text = strict_json.dumps(result.score.to_dict())
    json.loads(text, parse_constant=pytest.fail)


METRICS = [name for name in standalone_names() if name not in NEEDS_MORE]


def test_every_metric_has_bounds() -> None:
    assert SCORES.keys() == set(METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_numbers_are_in_range(name: str) -> None:
    n_cases = size(300, 100_000) // len(METRICS)
    chance = random.Random(name)
    for seed in range(n_cases):
        corpus, systems = random_case(seed)
        metric = random_metric(name, chance)
        for result in evaluate(
            corpus, systems, [metric], resampling=Resampling(
                chance.choice((0, 1, 2, 20)), chance.choice((0.95, 0.5, 1e-9, 1 - 1e-12)), seed,
            ),
        ):  # fmt: skip
            check(result)


@pytest.mark.parametrize("name", METRICS)
def test_comparisons_are_in_range(name: str) -> None:
    chance = random.Random(name)
    for seed in range(size(3, 300)):
        corpus, systems = random_case(seed)
        metric = random_metric(name, chance)
        metric = metric.prepared_for(corpus, systems)
        counts = {system.name: metric.statistics(corpus, system) for system in systems}
        for test in ("bootstrap", "randomization"):
            for row in compare(metric, counts, resampling=Resampling(20, test=test, seed=seed)):
                assert 0 <= row.p_value <= 1
                assert np.isfinite([row.difference, row.interval.low, row.interval.high]).all()
                assert row.interval.low <= row.interval.high
