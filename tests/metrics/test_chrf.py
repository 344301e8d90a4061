"""chrF: equal to sacreBLEU, and to a twin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from geceval import Corpus, Hypothesis, OptionError, Sentence
from geceval.metrics.chrf import Chrf
from oracles import ngrams as oracle
from text_cases import (
    Case,
    cases,
    conll_corpus,
    conll_output,
    corpus_of,
    for_sacrebleu,
    full_cases,
    words,
)


def sacre(some: list[Case], metric: CHRF) -> float:
    score: float = metric.corpus_score(*for_sacrebleu(some)).score
    return score


@settings(max_examples=200)
@given(full_cases(), st.sampled_from((0, 1, 2, 3)), st.integers(1, 8), st.integers(0, 4))
def test_chrf_equals_sacrebleu(some: list[Case], beta: int, order: int, n_words: int) -> None:
    """To the last digit, for the corpus and for each sentence."""
    score = Chrf(beta=beta, order=order, words=n_words).score(*corpus_of(some))
    metric = CHRF(char_order=order, word_order=n_words, beta=beta)
    assert 100 * score.value == sacre(some, metric)
    expected = [sacre([case], metric) for case in some]
    assert (100 * score.sentences.values).tolist() == expected


@settings(max_examples=200)
@given(cases(), st.sampled_from((0.5, 2.0)), st.integers(1, 7))
def test_chrf_equals_oracle(some: list[Case], beta: float, order: int) -> None:
    score = Chrf(beta=beta, order=order).score(*corpus_of(some))
    chosen = []
    for (_, hyp, refs), number in zip(some, score.sentences.chosen.tolist(), strict=True):
        by_ref = [oracle.chrf_counts(hyp, ref, order) for ref in refs]
        if not refs:
            assert number == -1
            continue
        best = max(oracle.chrf(one, beta) for one in by_ref)
        assert oracle.chrf(by_ref[number], beta) == pytest.approx(best, abs=1e-12)
        chosen.append(by_ref[number])
    total = [
        tuple(sum(column) for column in zip(*same, strict=True))
        for same in zip(*chosen, strict=True)
    ]
    assert score.value == pytest.approx(oracle.chrf(total, beta), abs=1e-12)


@settings(max_examples=60)
@given(cases(), st.integers(0, 99))
def test_chrf_resample_equals_aggregate(some: list[Case], seed: int) -> None:
    metric = Chrf()
    statistics = metric.statistics(*corpus_of(some))
    rows = np.random.default_rng(seed).integers(0, max(1, len(some)), size=(5, len(some)))
    scores = [metric.aggregate(statistics.take(row)) for row in rows]
    expected = [score.value for score in scores]
    assert metric.resample(statistics, rows).tolist() == pytest.approx(expected, abs=1e-12)
    for name, found in metric.resample_parts(statistics, rows).items():
        assert found.tolist() == pytest.approx([score.parts[name] for score in scores])


def test_chrf_takes_the_best_reference_of_each_sentence() -> None:
    some: list[Case] = [
        ((), words("a b c"), [words("x y z"), words("a b d")]),
        ((), words("a b c"), [words("a b c"), words("a b c")]),
    ]
    score = Chrf().score(*corpus_of(some))
    assert score.sentences.chosen.tolist() == [1, 0]
    assert score.sentences.values[1] == 1.0


def test_chrf_ignores_spaces_but_not_case() -> None:
    joined: list[Case] = [((), words("in side"), [words("inside")])]
    assert Chrf().score(*corpus_of(joined)).value == 1.0
    upper: list[Case] = [((), words("INSIDE"), [words("inside")])]
    assert Chrf().score(*corpus_of(upper)).value == 0.0


def test_chrf_of_nothing_is_zero() -> None:
    assert Chrf().score(Corpus(()), Hypothesis("h", ())).value == 0.0
    nobody = Chrf().score(Corpus((Sentence(("a",)),)), Hypothesis("h", (("a",),)))
    assert nobody.value == 0.0
    assert np.isnan(nobody.sentences.values).all()
    empty: list[Case] = [((), (), [()])]
    assert Chrf().score(*corpus_of(empty)).sentences.values.tolist() == [0.0]


def test_chrf_signature_and_options() -> None:
    assert Chrf().configuration() == (
        "chrf|beta:2|order:6|words:0|space:no|case:mixed|references:best|missing:absent"
    )
    assert Chrf(beta=3).score_name == "chrF3"
    with pytest.raises(OptionError, match="order takes an integer from 1 to 32, not 0"):
        Chrf(order=0)


@pytest.mark.parametrize(
    "text", ["(hi)", "hi !", "- --", "don't , ok", '"yes" 3.5 .5 5.', "a.b (c", "“x” …", "e.g."]
)
def test_chrf_divides_words_as_sacrebleu_does(text: str) -> None:
    some: list[Case] = [((), words(text), [words("( hi ) don't ok \" 3.5 . a.b c “x” e.g .")])]
    score = Chrf(words=2).score(*corpus_of(some))
    assert 100 * score.value == sacre(some, CHRF(word_order=2))
    assert Chrf(words=2).score_name == "chrF2++"
    assert "|words:2|" in score.signature


@pytest.mark.parametrize("n_words", [0, 2])
def test_chrf_of_conll(shared_data: Path, n_words: int) -> None:
    corpus, output = conll_corpus(shared_data), conll_output(shared_data, "CAMB")
    references = [[" ".join(ref or ()) for ref in texts] for texts in corpus.references().values()]
    outputs = [" ".join(tokens) for tokens in output]
    expected = CHRF(word_order=n_words).corpus_score(outputs, references).score
    assert 100 * Chrf(words=n_words).score(corpus, output).value == expected
