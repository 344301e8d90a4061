"""GREEN: the kernel against its twin, the choice of references, the scores of the tools."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_up
from geceval import Corpus, Hypothesis, OptionError
from geceval.metrics.green import Green
from oracles import green as oracle
from text_cases import (
    SYSTEMS,
    Case,
    cases,
    conll_corpus,
    conll_corpus_with_absent_unchanged,
    conll_output,
    conll_rows,
    corpus_of,
    toy,
    words,
)

BETAS = st.sampled_from((0.0, 0.5, 1.0, 2.0))


def twin(
    some: list[Case], beta: float, order: int, *, char: bool, compat: bool
) -> tuple[list[oracle.Counts], list[int]]:
    """Return counts and numbers of the chosen references."""
    chosen, numbers = [], []
    for source, hypothesis, refs in some:
        if refs:
            texts: list[Any] = [source, hypothesis, *refs]
            if char:
                texts = list(map(" ".join, texts))
            by_ref = [oracle.counts(texts[0], texts[1], ref, order) for ref in texts[2:]]
            numbers.append(oracle.choose(by_ref, beta, compat=compat))
            chosen.append(by_ref[numbers[-1]])
        else:
            numbers.append(-1)
    return chosen, numbers


def has_ngrams(total: oracle.Counts) -> bool:
    """Whether there are any n-grams; a corpus of nothing scores 0 whatever is defined at 0/0."""
    return any(one for counts in total for one in counts.values())


# Against the twin.


@settings(max_examples=300)
@given(cases(), BETAS, st.integers(1, 6), st.booleans(), st.booleans())
def test_green_equals_oracle(
    some: list[Case], beta: float, order: int, char: bool, compat: bool
) -> None:
    metric = Green(
        beta=beta,
        order=order,
        unit="char" if char else "word",
        compat="gec-metrics" if compat else None,
    )
    score = metric.score(*corpus_of(some))
    chosen, numbers = twin(some, beta, order, char=char, compat=compat)
    assert score.sentences.chosen.tolist() == numbers
    known = score.sentences.values[~np.isnan(score.sentences.values)].tolist()
    expected = [oracle.measures(one, beta, compat=compat)[2] for one in chosen]
    assert known == pytest.approx(expected, abs=1e-12)
    total = oracle.total(chosen) or [dict.fromkeys(oracle.REGIONS, 0)] * order
    precision, recall, f = oracle.measures(total, beta, compat=compat)
    f = f if has_ngrams(total) else 0.0
    assert score.value == pytest.approx(f, abs=1e-12)
    assert score.parts == pytest.approx(
        {f"{name}{n}": count for n, one in enumerate(total, 1) for name, count in one.items()}
        | {"P": precision, "R": recall, "F": f}
        | {"mean_sentence_F": fmean(expected) if expected else 0.0},
        abs=1e-12,
    )
    mean = metric.with_options(average="sentence").score(*corpus_of(some))
    assert mean.value == score.parts["mean_sentence_F"]
    assert mean.parts == score.parts


@settings(max_examples=100)
@given(cases(), BETAS, st.sampled_from(("corpus", "sentence")), st.integers(0, 99))
def test_green_resample_equals_aggregate(
    some: list[Case], beta: float, average: Any, seed: int
) -> None:
    metric = Green(beta=beta, average=average)
    statistics = metric.statistics(*corpus_of(some))
    rows = np.random.default_rng(seed).integers(0, max(1, len(some)), size=(5, len(some)))
    expected = [metric.aggregate(statistics.take(row)).value for row in rows]
    assert metric.resample(statistics, rows).tolist() == pytest.approx(expected, abs=1e-12)


def test_green_does_not_depend_on_jobs_or_chunks() -> None:
    gold = made_up.corpus(1200)
    ours = made_up.system(gold, "ours")
    one, three = (Green(jobs=jobs).statistics(gold, ours) for jobs in (1, 3))
    assert np.array_equal(one.counts, three.counts)
    alone = Green().statistics(
        Corpus(gold.sentences[1190:]), Hypothesis("h", ours.sentences[1190:])
    )
    assert np.array_equal(one.counts[1190:], alone.counts)


# Meaning.


def test_green_toy_values() -> None:
    """Numbers of the authors' tool and of gec-metrics, which agree here."""
    for compat in (None, "gec-metrics"):
        half = Green(beta=0.5, compat=compat).score(*corpus_of(toy("gramamtical")))
        two = Green(compat=compat).score(*corpus_of(toy("gramamtical")))
        assert half.value == pytest.approx(0.6735328193883685, abs=1e-12)
        assert two.value == pytest.approx(0.7185252383158106, abs=1e-12)
        expected = [0.7446781514928144, 0.6099207540894883, 1, 0.6805184816066787]
        assert two.sentences.values.tolist() == pytest.approx(expected, abs=1e-12)
        assert two.sentences.chosen.tolist() == [0] * 4


def test_green_short_sentences_score_zero_but_do_not_spoil_the_corpus() -> None:
    short: Case = (words("a x"), words("a b"), [words("a b")])
    long: Case = (words("a b c d e x"), words("a b c d e f"), [words("a b c d e f")])
    score = Green().score(*corpus_of([short, long]))
    assert score.value == 1.0
    assert score.sentences.values.tolist() == [0.0, 1.0]
    assert score.parts["mean_sentence_F"] == 0.5
    compat = Green(compat="gec-metrics").score(*corpus_of([short, long]))
    assert compat.sentences.values.tolist() == [1.0, 1.0]
    assert Green(order=2).score(*corpus_of([short])).value == 1.0


def test_green_ties_are_decided_by_fewer_orders() -> None:
    """Both references have an F of 0: the second has the better F of single words."""
    some: list[Case] = [(words("a b"), words("a b"), [words("a c"), words("a b")])]
    score = Green().score(*corpus_of(some))
    assert (score.value, score.sentences.chosen.tolist()) == (0.0, [1])
    first = Green(compat="gec-metrics", order=4).score(
        *corpus_of([(words("a"), words("b"), [words("c"), words("b a")])])
    )
    assert first.sentences.chosen.tolist() == [0]


def test_green_choice_depends_on_beta() -> None:
    """Precision wants the reference that asks for less, recall the one that is closer."""
    source, output = words("a b c d e f g h"), words("a b c d e f g i")
    bold, cautious = words("a b c d x y z i"), words("a b c d e f g h")
    some: list[Case] = [(source, output, [bold, cautious])]
    chosen = [
        Green(beta=beta, order=1).score(*corpus_of(some)).sentences.chosen[0]
        for beta in (0.0, 1000.0)
    ]
    assert chosen == [0, 1]


def test_green_empty_texts() -> None:
    nothing: Case = ((), (), [()])
    assert Green().score(*corpus_of([nothing])).sentences.values.tolist() == [0.0]
    assert Green().score(Corpus(()), Hypothesis("h", ())).value == 0.0
    deleted = Green(order=1).score(*corpus_of([(words("a b"), (), [()])]))
    assert (deleted.value, deleted.parts["td1"]) == (1.0, 2)
    wrongly = Green(order=1).score(*corpus_of([(words("a b"), (), [words("a b")])]))
    assert (wrongly.value, wrongly.parts["od1"]) == (0.0, 2)


def test_green_signature_names_the_variant() -> None:
    found = Green(beta=0.5, order=6, unit="char", compat="gec-metrics").configuration()
    assert found == (
        "green|beta:0.5|order:6|unit:char|average:corpus|compat:gec-metrics|missing:absent"
    )
    assert Green().score_name == "F2"
    assert Green(average="sentence").score_name == "mean F2"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": -1}, "beta takes a number from 0 to 1000"),
        ({"order": 0}, "order takes an integer from 1 to 32"),
        ({"unit": "chars"}, "did you mean 'char'"),
        ({"compat": "gecmetrics"}, "did you mean 'gec-metrics'"),
        ({"n": 3}, "unknown option 'n'"),
    ],
)
def test_green_refuses_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Green(**options)


# The scores of the tools.

FILES: dict[str, dict[str, Any]] = {
    "green-system.tsv": {},
    "green-system-noop.tsv": {},
    "green-system-char.tsv": {"unit": "char"},
}


@pytest.mark.parametrize("name", FILES)
def test_green_system_scores(shared_data: Path, name: str) -> None:
    """Every count and score of every row, those of gec-metrics among them."""
    is_noop = name == "green-system-noop.tsv"
    corpus = (conll_corpus_with_absent_unchanged if is_noop else conll_corpus)(shared_data)
    systems = {system: conll_output(shared_data, system) for system in SYSTEMS}
    seen = set()
    for row in conll_rows(shared_data, name):
        system, beta = row.pop("system"), float(row.pop("beta"))
        seen.add((system, beta))
        metric = Green(beta=beta, **FILES[name])
        score = metric.score(corpus, systems[system])
        compat = metric.with_options(compat="gec-metrics").score(corpus, systems[system])
        found = {
            **score.parts,
            "F": score.value,
            "gecmetrics_F": compat.value,
            "gecmetrics_mean_sentence_F": compat.parts["mean_sentence_F"],
        }
        expected = {column: float(value) for column, value in row.items()}
        assert found == pytest.approx(expected, rel=0, abs=1e-12), (system, beta)
    assert len(seen) == len(SYSTEMS) * (3 if name == "green-system.tsv" else 1)


def test_green_counts_of_every_sentence(shared_data: Path) -> None:
    corpus = conll_corpus(shared_data)
    expected: dict[str, list[list[int]]] = {}
    for row in conll_rows(shared_data, "green-counts.tsv.gz"):
        numbers = [int(row[column]) for column in Green.columns]
        expected.setdefault(row["system"], []).append(numbers)
    assert set(expected) <= set(SYSTEMS)
    assert len(expected) >= 8
    for system, counts in expected.items():
        statistics = Green().statistics(corpus, conll_output(shared_data, system))
        assert np.array_equal(statistics.counts.reshape(-1, 28), counts)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_green_chosen_references_and_scores_of_sentences(shared_data: Path, beta: float) -> None:
    corpus = conll_corpus(shared_data)
    expected: dict[str, list[tuple[int, float, float]]] = {}
    for row in conll_rows(shared_data, "green-sentence.tsv.gz"):
        if float(row["beta"]) == beta:
            numbers = int(row["chosen"]), float(row["F"]), float(row["gecmetrics_F"])
            expected.setdefault(row["system"], []).append(numbers)
    assert len(expected) >= 8
    for system, rows in expected.items():
        chosen, values, compat_values = (list(column) for column in zip(*rows, strict=True))
        output = conll_output(shared_data, system)
        view = Green(beta=beta).score(corpus, output).sentences
        assert view.chosen.tolist() == chosen
        assert np.abs(view.values - values).max() < 1e-12
        compat = Green(beta=beta, compat="gec-metrics").score(corpus, output).sentences
        assert np.abs(compat.values - compat_values).max() < 1e-12
