"""Every number is finite and within its bounds: scores, parts, sentences and intervals.

``GECEVAL_RANDOM_CORPORA`` says how many corpora are made up for each metric.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import made_up
from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
from geceval.evaluation.resampling import Resampling, bootstrap, compare, interval
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.base import Metric
from geceval.metrics.green import Green
from geceval.metrics.statistics import Interval

N_CORPORA = int(os.environ.get("GECEVAL_RANDOM_CORPORA", "200"))

Bounds = tuple[float, float]
SHARE: Bounds = (0.0, 1.0)
SIGNED: Bounds = (-1.0, 1.0)
COUNT: Bounds = (0.0, math.inf)
# One text may be further from another than it is long, and have more errors than tokens.
SIMILARITY: Bounds = (-math.inf, 1.0)

VALUES: dict[str, Bounds] = {
    "m2": SHARE,
    "wdiff": SHARE,
    "errant": SHARE,
    "cleme": SHARE,
    "cleme2": SHARE,
    "imeasure": SIGNED,
    "gleu": SHARE,
    "green": SHARE,
    "bleu": SHARE,
    "chrf": SHARE,
    **dict.fromkeys(("ter", "wer", "cer"), SIMILARITY),
    "ibleu": (-0.2, 0.8),  # With its usual weight of the source, which is subtracted.
    "sari": SHARE,
    "maxsari": SHARE,
    "ld-reference": SIMILARITY,
    "ld-source": SIMILARITY,
    "grammar": SIMILARITY,
    "pt-m2": SHARE,
    "pt-errant": SHARE,
    "gotoscorer": SHARE,
    "ged": SHARE,
}
_IMEASURE_COUNTS = ("tp", "tn", "fp", "fn", "fpn", "base_tn", "base_fn")
_IMEASURE_SHARES = ("precision", "recall", "f", "acc", "wacc", "wacc_base")
PARTS: dict[str, Bounds] = {
    **dict.fromkeys(("correct", "proposed", "gold", "distance", "length"), COUNT),
    **dict.fromkeys(("errors", "tokens", "limited"), COUNT),
    **dict.fromkeys(("fp_ne", "fp_un", "mean_length"), COUNT),
    **dict.fromkeys(("P", "R", "F", "hit", "wrong", "under", "over"), SHARE),
    **{prefix + name: COUNT for prefix in ("", "d_") for name in _IMEASURE_COUNTS},
    **{prefix + name: SHARE for prefix in ("", "d_") for name in _IMEASURE_SHARES},
    "d_i": SIGNED,
    **dict.fromkeys(("sample_sd", "sample_low", "sample_high"), SHARE),
    **dict.fromkeys((f"precision{order}" for order in range(1, 5)), SHARE),
    **dict.fromkeys(("brevity_penalty", "bleu", "source_bleu"), SHARE),
    **dict.fromkeys(("keep", "delete", "add"), SHARE),
    **dict.fromkeys(("P", "R", "mean_sentence_F", "mean_sentence"), SHARE),
    **dict.fromkeys(Green.columns, COUNT),
    **dict.fromkeys(("ter", "wer", "cer", "edits"), COUNT),
    "mean_sentence_F0.5": SHARE,
    **dict.fromkeys(("F1", "F0.5", "accuracy"), SHARE),
}
# A checker takes its time.
SHARES_OF_CORPORA = {"grammar": 0.1} | dict.fromkeys(
    ("errant", "cleme", "cleme2", "pt-errant", "pt-m2"), 0.25
)
OPTIONS: dict[str, dict[str, Any]] = {
    "grammar": {"cache": False},
    "gotoscorer": {"lang": "plain", "weights": "none"},
    "ged": {"lang": "plain"},
}


def beyond(numbers: Iterable[float], bounds: Bounds) -> list[float]:
    low, high = bounds
    return [number for number in numbers if not (math.isfinite(number) and low <= number <= high)]


def faults(
    metric: Metric, corpus: Corpus, output: Hypothesis, level: float
) -> list[tuple[str, list[float]]]:
    """Name every number that is out of its bounds."""
    bounds = VALUES[metric.name]
    statistics = metric.statistics(corpus, output)
    score = metric.aggregate(statistics)
    found = [("score", beyond([score.value], bounds))]
    found += [(name, beyond([float(part)], PARTS[name])) for name, part in score.parts.items()]
    # A sentence without a score of its own has NaN.
    known = score.sentences.values[~np.isnan(score.sentences.values)]
    found.append(("sentences", beyond(known.tolist(), bounds)))
    for name, values in score.sentences.parts.items():
        array = np.asarray(values, dtype=np.float64)
        found.append(
            (f"{name} of sentences", beyond(array[~np.isnan(array)].tolist(), PARTS[name]))
        )
    if len(statistics):
        reach = bootstrap(metric, statistics, resampling=Resampling(1 + len(corpus), level=level))
        found.append(("interval", beyond([reach.low, reach.high], bounds)))
        found.append(("in interval", beyond([score.value], (reach.low, reach.high))))
    return [fault for fault in found if fault[1]]


@pytest.mark.parametrize("name", standalone_names())
def test_bounds_of_every_number_on_random_corpora(name: str) -> None:
    metric = metric_class(name)(**OPTIONS.get(name, {}))
    chance = random.Random(name)
    for seed in range(math.ceil(N_CORPORA * SHARES_OF_CORPORA.get(name, 1))):
        corpus = made_up.corpus(chance.randrange(1, 6), seed=seed)
        skill, noise = chance.choice(((1, 0), (0, 0), (0, 1), (0.5, 0.5), (1, 1)))
        output = made_up.system(corpus, str(seed), skill=skill, noise=noise)
        level = chance.choice((0.95, 0.5, 1e-9, 1 - 1e-9))
        assert faults(metric, corpus, output, level) == [], f"corpus {seed}"


def _sentence(text: str) -> Sentence:
    return Sentence(tuple(text.split()), (Annotation("0", ()),))


@pytest.mark.parametrize("name", ["bleu", "ibleu"])
def test_bleu_of_a_perfect_output_is_one(name: str) -> None:
    corpus = Corpus((_sentence("a b c d e f"), _sentence("a b c"), _sentence("a")))
    output = Hypothesis("same", corpus.sources)
    score = metric_class(name)().score(corpus, output)
    assert score.value == {"bleu": 1.0, "ibleu": 0.8 - (1 - 0.8)}[name]
    assert max(score.sentences.values.tolist()) <= 1.0


def _mixed() -> tuple[Corpus, Hypothesis, Hypothesis]:
    """Nine sentences with an error each, of which the outputs mend a third and two thirds."""
    edit = Edit(0, 1, (("b",),), "R:X")
    corpus = Corpus(tuple(Sentence(("a", str(i)), (Annotation("0", (edit,)),)) for i in range(9)))
    outputs = [
        Hypothesis(name, tuple((("b" if i % 3 < mended else "a"), str(i)) for i in range(9)))
        for name, mended in (("low", 1), ("high", 2))
    ]
    return corpus, outputs[0], outputs[1]


@pytest.mark.parametrize("level", [1e-12, 0.5, 0.95])
@pytest.mark.parametrize("n_resamples", [1, 2, 1000])
def test_intervals_hold_their_score_and_their_difference(n_resamples: int, level: float) -> None:
    metric = metric_class("m2")()
    corpus, *outputs = _mixed()
    counts = {output.name: metric.statistics(corpus, output) for output in outputs}
    for seed in range(5):
        how = Resampling(n_resamples, level, seed)
        for statistics in counts.values():
            reach = bootstrap(metric, statistics, resampling=how)
            assert reach.low <= metric.aggregate(statistics).value <= reach.high
        (found,) = compare(metric, counts, resampling=how)
        assert found.interval.low <= found.difference <= found.interval.high


def test_interval_that_holds_its_value_is_left_as_it_is() -> None:
    samples = np.linspace(0, 1, 101)
    assert interval(samples, 0.5, around=0.3) == interval(samples, 0.5)
    assert interval(samples, 0.5, around=0.9) == Interval(0.25, 0.9, 0.5)
    assert interval(samples, 0.5, around=0.1) == Interval(0.1, 0.75, 0.5)
