"""TER equal to sacreBLEU, WER and CER equal to a textbook implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.metrics.ter import TER

from geceval import Annotation, Corpus, Hypothesis, OptionError, Sentence
from geceval.kernels.translation_edits import translation_edits
from geceval.metrics.error_rates import CharacterErrorRate, TranslationEditRate, WordErrorRate
from geceval.text import Interner
from oracles import ngrams as oracle
from text_cases import (
    Case,
    Words,
    cases,
    conll_corpus,
    conll_output,
    corpus_of,
    for_sacrebleu,
    full_cases,
    words,
)

SHUFFLED = st.lists(st.sampled_from("abcdef"), max_size=12).flatmap(
    lambda one: st.tuples(st.just(one), st.permutations(one) | st.lists(st.sampled_from("abcdef")))
)


def edits(pairs: list[tuple[list[str], list[str]]]) -> list[int]:
    """Count edits by the kernel."""
    interner = Interner()
    hypotheses, references = (interner.intern(side) for side in zip(*pairs, strict=True))
    sentences = np.arange(len(pairs))
    counts = translation_edits(*hypotheses, *references, sentences, 0, len(pairs))
    return [int(count) for count in counts]


def sacre(some: list[Case], **options: Any) -> float:
    score: float = TER(**options).corpus_score(*for_sacrebleu(some)).score
    return score


# TER.


@settings(max_examples=300)
@given(SHUFFLED)
def test_ter_kernel_equals_sacrebleu(pair: tuple[list[str], list[str]]) -> None:
    assert edits([pair]) == [translation_edit_rate(*pair)[0]]


@pytest.mark.parametrize("seed", range(3))
def test_ter_kernel_equals_sacrebleu_on_long_sentences(seed: int) -> None:
    """Longer than the beam and the distance of shifts, with more candidates than are tried."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 130, size=2)
    hyp, ref = (list(map(str, rng.integers(0, 4 + 40 * (seed % 3), size))) for size in sizes)
    moved = [*ref[20:], *ref[:20]]
    pairs = [(hyp, ref), (moved, ref), (hyp[:3], ref), (ref, hyp[:2])]
    assert edits(pairs) == [translation_edit_rate(*pair)[0] for pair in pairs]


@settings(max_examples=150)
@given(full_cases(), st.booleans())
def test_ter_equals_sacrebleu(some: list[Case], ignore_case: bool) -> None:
    """To the last digit, for the corpus and for each sentence."""
    score = TranslationEditRate(ignore_case=ignore_case).score(*corpus_of(some))
    expected = sacre(some, case_sensitive=not ignore_case)
    assert 100 * score.parts["ter"] == expected
    assert score.value == 1 - score.parts["ter"]
    for number, case in enumerate(some):
        rate = sacre([case], case_sensitive=not ignore_case)
        assert 100 * score.sentences.parts["ter"][number] == rate


def test_ter_takes_the_fewest_edits_and_the_mean_length() -> None:
    some: list[Case] = [((), words("a b c"), [words("a b d"), words("a b c d e f g")])]
    score = TranslationEditRate().score(*corpus_of(some))
    assert score.parts == {"ter": 1 / 5, "edits": 1, "length": 5.0}
    assert score.sentences.chosen.tolist() == [0]


def test_ter_ignores_case_as_sacrebleu_does() -> None:
    some: list[Case] = [((), words("The cat"), [words("the cat")])]
    assert TranslationEditRate().score(*corpus_of(some)).value == 1.0
    assert TranslationEditRate(ignore_case=False).score(*corpus_of(some)).value == 0.5
    assert "|case:lc|" in TranslationEditRate().configuration()
    assert "|case:mixed|" in TranslationEditRate(ignore_case=False).configuration()


def test_ter_does_not_depend_on_jobs() -> None:
    some: list[Case] = [((), words("b a c d"), [words("a b c d"), words("d c b a")])] * 700
    one, three = (TranslationEditRate(jobs=jobs).statistics(*corpus_of(some)) for jobs in (1, 3))
    assert np.array_equal(one.counts, three.counts)
    assert len({tuple(counts.ravel().tolist()) for counts in one.counts}) == 1


def test_ter_equal_sentences_need_no_table() -> None:
    """However long they are; a million words would need a terabyte."""
    long = ("a",) * 1_000_000
    corpus = Corpus((Sentence(long, (Annotation("0"),)),))
    score = TranslationEditRate().score(corpus, Hypothesis("same", (long,)))
    assert score.parts["edits"] == 0


def test_ter_of_conll(shared_data: Path) -> None:
    """A whole system, with an empty reference and sentences in the wrong place."""
    corpus, output = conll_corpus(shared_data), conll_output(shared_data, "NTHU")
    found = TranslationEditRate(jobs=2).score(corpus, output)
    references = [list(texts) for texts in corpus.references().values()]
    some: list[Case] = [
        ((), hyp, [ref or () for ref in refs])
        for hyp, *refs in zip(output, *references, strict=True)
    ]
    part = slice(0, 250)  # All of it takes sacreBLEU most of a minute.
    assert len(some) == 1312
    few = TranslationEditRate().score(*corpus_of(some[part]))
    assert 100 * few.parts["ter"] == sacre(some[part])
    assert found.sentences.values[part].tolist() == few.sentences.values.tolist()


# WER and CER.


def rates(hypothesis: Any, references: list[Any]) -> tuple[int, int, int]:
    """Return number, edits and length of the closest reference."""
    found = []
    for number, ref in enumerate(references):
        n_edits, length = oracle.distance(hypothesis, ref), len(ref)
        found.append((n_edits / length if length else float(n_edits > 0), number, n_edits, length))
    _, number, n_edits, length = min(found)
    return number, n_edits, length


@settings(max_examples=200)
@given(cases(), st.booleans())
def test_error_rates_equal_oracle(some: list[Case], char: bool) -> None:
    def split(tokens: Words) -> Any:
        return " ".join(tokens) if char else tokens

    metric = CharacterErrorRate() if char else WordErrorRate()
    score = metric.score(*corpus_of(some))
    closest = [rates(split(hyp), [split(ref) for ref in refs]) for _, hyp, refs in some if refs]
    n_edits, length = (sum(one[column] for one in closest) for column in (1, 2))
    rate = n_edits / length if length else float(n_edits > 0)
    assert score.parts == {metric.name: rate, "edits": n_edits, "length": length}
    assert score.value == (1 - rate if closest else 0.0)
    known = score.sentences.chosen >= 0
    assert score.sentences.chosen[known].tolist() == [number for number, *_ in closest]
    assert score.sentences.parts["edits"][known].tolist() == [one[1] for one in closest]
    assert np.isnan(score.sentences.values[~known]).all()


@pytest.mark.parametrize("kind", [TranslationEditRate, WordErrorRate, CharacterErrorRate])
def test_error_rates_at_zero(kind: type[Any]) -> None:
    """An empty reference: right to leave nothing, and wrong altogether to leave something."""
    some: list[Case] = [((), (), [()]), ((), words("a"), [()])]
    score = kind().score(*corpus_of(some))
    assert score.sentences.values.tolist() == [1.0, 0.0]
    assert score.value == 0.0
    assert kind().score(*corpus_of(some[:1])).value == 1.0
    assert kind().score(Corpus(()), Hypothesis("h", ())).value == 0.0
    nobody = kind().score(Corpus((Sentence(("a",)),)), Hypothesis("h", (("a",),)))
    assert nobody.value == 0.0


@pytest.mark.parametrize("kind", [TranslationEditRate, WordErrorRate, CharacterErrorRate])
def test_error_rates_may_be_more_than_one(kind: type[Any]) -> None:
    score = kind().score(*corpus_of([((), words("a b c"), [words("d")])]))
    assert score.value < 0
    assert score.parts[kind.name] > 1


@pytest.mark.parametrize("kind", [TranslationEditRate, WordErrorRate, CharacterErrorRate])
def test_error_rates_rank_better_systems_higher(kind: type[Any]) -> None:
    source, reference = words("he go to school"), words("he goes to school")
    values = [
        kind().score(*corpus_of([(source, output, [reference])])).value
        for output in (reference, source, words("they go school"))
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    assert kind().score_name == f"1 − {kind.title}"


def test_error_rates_name_the_rate_not_the_metric() -> None:
    """Parts keep their names when a metric is used twice with other options."""
    metric = TranslationEditRate().with_name("ter(ignore_case=no)", "TER (ignore_case=no)")
    score = metric.score(*corpus_of([((), words("a"), [words("a")])]))
    assert list(score.parts) == list(score.sentences.parts) == ["ter", "edits", "length"]


@pytest.mark.parametrize("kind", [TranslationEditRate, WordErrorRate, CharacterErrorRate])
@settings(max_examples=60)
@given(some=cases(), seed=st.integers(0, 99))
def test_error_rates_resample_equals_aggregate(
    kind: type[Any], some: list[Case], seed: int
) -> None:
    metric = kind()
    statistics = metric.statistics(*corpus_of(some))
    rows = np.random.default_rng(seed).integers(0, max(1, len(some)), size=(5, len(some)))
    expected = [metric.aggregate(statistics.take(row)).value for row in rows]
    assert metric.resample(statistics, rows).tolist() == pytest.approx(expected, abs=1e-12)


def test_error_rates_refuse_wrong_options() -> None:
    with pytest.raises(OptionError, match="ter: the option ignore_case takes true or false"):
        TranslationEditRate(ignore_case="yes")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="wer: unknown option 'ignore_case'"):
        WordErrorRate(ignore_case=True)  # type: ignore[call-arg]
