"""What must hold for every metric, built in or plugged in.

A new metric is tested here as soon as it is registered; what it needs beyond a corpus and a
hypothesis must be given in `OPTIONS`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from geceval import Annotation, Corpus, Edit, Hypothesis, MismatchError, Sentence
from geceval.evaluation.resampling import Resampling, bootstrap
from geceval.metrics import metric_class, standalone_names
from geceval.metrics.base import Metric
from geceval.metrics.options import options_of
from geceval.metrics.statistics import Score, Statistics
from oracles import maxmatch as oracle

OPTIONS: dict[str, dict[str, Any]] = {
    "grammar": {"cache": False},
    # Weights belong to the sentences of a corpus; see test_gotoscorer.
    "gotoscorer": {"weights": "none"},
}

# Value of output that equals a reference. A word diff takes "likes cat" → "like cats" for one
# edit where the annotator has two, which is what MaxMatch mends: 3 of 4 edits are right, of 5.
PERFECT = {
    "m2": 1.0,
    "wdiff": oracle.f_score(3, 4, 5)[2],
    "imeasure": 1.0,
    "errant": 1.0,
    "green": 1.0,
    "cleme": 1.0,
    "cleme2": 1.0,
    "bleu": 1.0,
    "chrf": 1.0,
    "ter": 1.0,
    "wer": 1.0,
    "cer": 1.0,
    "ld-reference": 1.0,
    "gotoscorer": 1.0,
    "pt-m2": 1.0,
    "pt-errant": 1.0,
    "ged": 1.0,
}
# Value of output that leaves every error alone. It makes no wrong correction, which CLEME2.0
# rewards.
UNCHANGED = {
    "m2": 0.0,
    "wdiff": 0.0,
    "imeasure": 0.0,
    "errant": 0.0,
    "ld-source": 1.0,
    "gotoscorer": 0.0,
    "pt-m2": 0.0,
    "pt-errant": 0.0,
    "ged": 0.0,
    "cleme": 0.0,
    "cleme2": 0.35 + 0.05,
}
# Why other metrics have no such value.
NOT_FIXED_PERFECT = {
    "gleu": "the reference that is drawn may be another one",
    "ibleu": "nearness to the source is subtracted",
    "sari": "references are mixed, and nothing to add or delete counts as 0",
    "maxsari": "nothing to add or delete counts as 0",
    "ld-source": "it measures how little was changed",
    "grammar": "a checker may object to a reference",
}
NOT_FIXED_UNCHANGED = dict.fromkeys(
    (
        "gleu",
        "green",
        "bleu",
        "ibleu",
        "chrf",
        "ter",
        "wer",
        "cer",
        "sari",
        "maxsari",
        "ld-reference",
    ),
    "what the source shares with the references counts",
) | {"grammar": "a checker does not object to every error, nor to every token of one"}
# Metrics that say how much a system changes, not how well.
NOT_QUALITY = {"ld-source"}

METRICS = standalone_names()
FIXED_PERFECT = [name for name in METRICS if name not in NOT_FIXED_PERFECT]
FIXED_UNCHANGED = [name for name in METRICS if name not in NOT_FIXED_UNCHANGED]
QUALITY = [name for name in METRICS if name not in NOT_QUALITY]
PARALLEL = [name for name in METRICS if "jobs" in options_of(metric_class(name))]


def make(name: str, **options: Any) -> Metric:
    return metric_class(name)(**OPTIONS.get(name, {}), **options)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def edit(start: int, end: int, text: str) -> Edit:
    return Edit(start, end, (words(text),), "R:OTHER")


@pytest.fixture
def corpus() -> Corpus:
    """Sentences with one or two annotators, one without errors, one repeated, one empty."""
    first = Sentence(
        words("He go to school yesterday ."),
        (
            Annotation("0", (edit(1, 2, "went"),)),
            Annotation("1", (edit(1, 2, "did go"), edit(4, 5, "last week"))),
        ),
    )
    second = Sentence(
        words("I likes cat and dog ."),
        (Annotation("0", (edit(1, 2, "like"), edit(2, 3, "cats"), edit(4, 5, "dogs"))),),
    )
    third = Sentence(words("All is well ."), (Annotation("0"), Annotation("1")))
    return Corpus((first, second, third, first, Sentence((), (Annotation("0"),))), name="made up")


def corrected(corpus: Corpus, annotator: str) -> Hypothesis:
    tokens = tuple(
        sent.tokens if target is None else target
        for sent, target in zip(corpus, corpus.references()[annotator], strict=True)
    )
    return Hypothesis("perfect", tokens)


def half_right() -> Hypothesis:
    texts = ("He went to school today .", "I like cat and dogs .", "All is good .", "He go .", "")
    return Hypothesis("half", tuple(map(words, texts)))


def same_score(some: Score, other: Score) -> bool:
    return (
        some.value == other.value
        and dict(some.parts) == dict(other.parts)
        and some.signature == other.signature
        and np.array_equal(some.sentences.values, other.sentences.values, equal_nan=True)
        and np.array_equal(some.sentences.chosen, other.sentences.chosen)
    )


def test_metrics_are_all_listed() -> None:
    """We shouldn't forget a metric: each must say what perfect and unchanged output give."""
    assert set(FIXED_PERFECT) <= PERFECT.keys()
    assert set(FIXED_UNCHANGED) <= UNCHANGED.keys()


@pytest.mark.parametrize("name", FIXED_PERFECT)
def test_metric_perfect_output(name: str, corpus: Corpus) -> None:
    assert make(name).score(corpus, corrected(corpus, "0")).value == pytest.approx(PERFECT[name])


@pytest.mark.parametrize("name", FIXED_UNCHANGED)
def test_metric_source_as_output(name: str, corpus: Corpus) -> None:
    with_errors = Corpus(tuple(s for s in corpus if any(a.edits for a in s.annotations)))
    unchanged = Hypothesis("source", with_errors.sources)
    assert make(name).score(with_errors, unchanged).value == UNCHANGED[name]


@pytest.mark.parametrize("name", QUALITY)
def test_metric_better_output_scores_higher(name: str, corpus: Corpus) -> None:
    metric = make(name)
    source = metric.score(corpus, Hypothesis("source", corpus.sources)).value
    perfect = metric.score(corpus, corrected(corpus, "0")).value
    assert metric.score(corpus, half_right()).value < perfect
    assert source < perfect


@pytest.mark.parametrize("name", METRICS)
def test_metric_does_not_depend_on_other_systems(name: str, corpus: Corpus) -> None:
    metric = make(name)
    systems = [half_right(), corrected(corpus, "0"), Hypothesis("s", corpus.sources)]
    forwards = [metric.score(corpus, system) for system in systems]
    backwards = [make(name).score(corpus, system) for system in reversed(systems)][::-1]
    assert all(map(same_score, forwards, backwards))


@pytest.mark.parametrize("name", METRICS)
def test_metric_sentence_is_a_corpus_of_one(name: str, corpus: Corpus) -> None:
    """The view by sentence agrees with counting and scoring that sentence alone."""
    metric = make(name)
    statistics = metric.statistics(corpus, half_right())
    values = metric.independent_sentence_scores(statistics)
    for number, sent in enumerate(corpus):
        alone = metric.statistics(
            Corpus((sent,)), Hypothesis("h", (half_right().sentences[number],))
        )
        present = [statistics.references.index(ref) for ref in alone.references]
        assert np.array_equal(alone.counts[0], statistics.counts[number, present])
        expected = metric.aggregate(alone).sentences.values[0]
        assert values[number] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
def test_metric_repeated_rows_are_a_longer_corpus(name: str, corpus: Corpus) -> None:
    metric = make(name)
    hypothesis = half_right()
    twice = Corpus(corpus.sentences * 2)
    statistics = metric.statistics(corpus, hypothesis)
    rows = np.concatenate((np.arange(len(corpus)),) * 2)
    longer = metric.score(twice, Hypothesis("h", hypothesis.sentences * 2))
    assert same_score(metric.aggregate(statistics.take(rows)), longer)


@pytest.mark.parametrize("name", METRICS)
def test_metric_resample_equals_aggregate(name: str, corpus: Corpus) -> None:
    metric = make(name)
    statistics = metric.statistics(corpus, half_right())
    rows = np.random.default_rng(3).integers(0, len(corpus), size=(40, len(corpus)))
    expected = [metric.aggregate(statistics.take(row)).value for row in rows]
    assert metric.resample(statistics, rows).tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
def test_metric_resampled_parts_equal_those_of_aggregate(name: str, corpus: Corpus) -> None:
    metric = make(name)
    statistics = metric.statistics(corpus, half_right())
    rows = np.random.default_rng(4).integers(0, len(corpus), size=(20, len(corpus)))
    expected = [metric.aggregate(statistics.take(row)).parts for row in rows]
    found = metric.resample_parts(statistics, rows)
    assert {"precision", "recall"} & expected[0].keys() <= found.keys() <= expected[0].keys()
    for part, values in found.items():
        assert values.tolist() == pytest.approx([one[part] for one in expected], nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
def test_metric_with_the_same_options_is_the_same(name: str, corpus: Corpus) -> None:
    metric = make(name)
    again = metric.with_options()
    assert again is not metric
    assert again.configuration() == metric.configuration()
    assert same_score(again.score(corpus, half_right()), metric.score(corpus, half_right()))


@pytest.mark.parametrize("name", METRICS)
def test_metric_interval_holds_the_score(name: str, corpus: Corpus) -> None:
    metric = make(name)
    statistics = metric.statistics(corpus, half_right())
    interval = bootstrap(metric, statistics, resampling=Resampling(300))
    assert interval.low <= metric.aggregate(statistics).value <= interval.high


@pytest.mark.parametrize("name", METRICS)
def test_metric_statistics_have_the_form_of_the_contract(name: str, corpus: Corpus) -> None:
    statistics = make(name).statistics(corpus, half_right())
    assert isinstance(statistics, Statistics)
    assert statistics.counts.dtype in (np.int64, np.float64)
    assert statistics.counts.shape == (
        len(corpus),
        len(statistics.references),
        len(statistics.columns),
    )
    score = make(name).aggregate(statistics)
    assert isinstance(score.value, float)
    assert all(isinstance(part, int | float) for part in score.parts.values())
    assert len(score.sentences.values) == len(score.sentences.chosen) == len(corpus)


@pytest.mark.parametrize("name", METRICS)
def test_metric_signature_names_what_matters(name: str, corpus: Corpus) -> None:
    metric = make(name)
    signature = metric.score(corpus, half_right()).signature
    assert signature.startswith(f"{name}|sents:{len(corpus)}|refs:")
    assert "version:" in signature
    assert "\n" not in signature


@pytest.mark.parametrize("name", METRICS)
def test_metric_refuses_wrong_line_counts(name: str, corpus: Corpus) -> None:
    short = Hypothesis("short", corpus.sources[:-1])
    with pytest.raises(MismatchError, match="made up has 5 sentences but short has 4"):
        make(name).score(corpus, short)


@pytest.mark.parametrize("name", PARALLEL)
def test_metric_worker_count_changes_nothing(name: str, corpus: Corpus) -> None:
    longer = Corpus(corpus.sentences * 60)
    hypothesis = Hypothesis("h", half_right().sentences * 60)
    one = make(name, jobs=1).statistics(longer, hypothesis)
    several = make(name, jobs=3).statistics(longer, hypothesis)
    assert np.array_equal(one.counts, several.counts)
    assert np.array_equal(one.mask, several.mask)
    assert same_score(make(name).aggregate(one), make(name).aggregate(several))
