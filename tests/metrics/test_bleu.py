"""BLEU and iBLEU: equal to sacreBLEU."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu.metrics.bleu as sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from geceval import Corpus, Hypothesis, OptionError, Sentence
from geceval.metrics.bleu import BLEU, IBLEU
from geceval.model import annotation_from_target
from oracles import ngrams as oracle

TOKENS = st.lists(st.sampled_from("abc"), max_size=9).map(tuple)

Words = tuple[str, ...]
Case = tuple[Words, Words, list[Words]]


@st.composite
def corpora(draw: st.DrawFn, *, min_refs: int = 1, min_size: int = 1) -> list[Case]:
    """Sentences with equally many references, as sacreBLEU wants them."""
    n_refs = draw(st.integers(min_refs, 3))
    case = st.tuples(TOKENS, TOKENS, st.lists(TOKENS, min_size=n_refs, max_size=n_refs))
    return draw(st.lists(case, min_size=min_size, max_size=5))


def words(text: str) -> Words:
    return tuple(text.split())


def corpus_of(cases: list[Case]) -> tuple[Corpus, Hypothesis]:
    sentences = (
        Sentence(
            source,
            tuple(annotation_from_target(str(i), source, ref) for i, ref in enumerate(refs)),
        )
        for source, _, refs in cases
    )
    return Corpus(tuple(sentences)), Hypothesis("h", tuple(hyp for _, hyp, _ in cases))


def sacre(*, is_sentence: bool = False) -> sacrebleu.BLEU:
    return sacrebleu.BLEU(tokenize="none", effective_order=is_sentence, force=True)


def sacre_corpus(hypotheses: list[Words], references: list[list[Words]]) -> float:
    """Score sentences with references given sentence by sentence."""
    streams = [[" ".join(ref) for ref in stream] for stream in zip(*references, strict=True)]
    score: float = sacre().corpus_score(list(map(" ".join, hypotheses)), streams).score
    return min(1.0, score / 100)  # It may be rounded to more.


def sacre_sentence(hypothesis: Words, references: list[Words]) -> float:
    score = sacre(is_sentence=True).sentence_score(
        " ".join(hypothesis), list(map(" ".join, references))
    )
    return min(1.0, score.score / 100)


@settings(max_examples=200)
@given(corpora())
def test_bleu_equals_sacrebleu(cases: list[Case]) -> None:
    corpus, hypothesis = corpus_of(cases)
    score = BLEU().score(corpus, hypothesis)
    assert score.value == sacre_corpus([hyp for _, hyp, _ in cases], [refs for *_, refs in cases])
    sentences = [sacre_sentence(hyp, refs) for _, hyp, refs in cases]
    assert score.sentences.values.tolist() == sentences
    mean = BLEU(average="sentence").score(corpus, hypothesis).value
    assert mean == pytest.approx(np.mean(sentences), abs=1e-12)


@settings(max_examples=200)
@given(corpora(min_refs=0))
def test_bleu_counts_equal_sacrebleu_and_oracle(cases: list[Case]) -> None:
    statistics = BLEU().statistics(*corpus_of(cases))
    extractor = sacre()
    for number, (_, hyp, refs) in enumerate(cases):
        if not refs:
            assert not statistics.mask[number].any()
            continue
        expected = extractor._compute_segment_statistics(
            " ".join(hyp), extractor._extract_reference_info(list(map(" ".join, refs)))
        )
        assert oracle.bleu_counts(hyp, refs) == expected
        assert statistics.counts[number].tolist() == [expected] * len(refs)


@settings(max_examples=200)
@given(corpora(), st.sampled_from([0.0, 0.5, 0.8, 1.0]), st.booleans(), st.booleans())
def test_ibleu_equals_its_formula(
    cases: list[Case], alpha: float, reward: bool, by_sentence: bool
) -> None:
    corpus, hypothesis = corpus_of(cases)
    metric = IBLEU(
        alpha=alpha,
        source_term="reward" if reward else "penalty",
        average="sentence" if by_sentence else "corpus",
    )
    sign = 1 if reward else -1
    sentences = [
        alpha * sacre_sentence(hyp, refs) + sign * (1 - alpha) * sacre_sentence(hyp, [source])
        for source, hyp, refs in cases
    ]
    hypotheses = [hyp for _, hyp, _ in cases]
    bleu = sacre_corpus(hypotheses, [refs for *_, refs in cases])
    source_bleu = sacre_corpus(hypotheses, [[source] for source, *_ in cases])
    expected = (
        np.mean(sentences) if by_sentence else alpha * bleu + sign * (1 - alpha) * source_bleu
    )
    score = metric.score(corpus, hypothesis)
    assert score.value == pytest.approx(expected, abs=1e-12)
    assert score.sentences.values.tolist() == pytest.approx(sentences, abs=1e-12)
    if not by_sentence:
        assert score.parts == pytest.approx({"bleu": bleu, "source_bleu": source_bleu})


@settings(max_examples=100)
@given(corpora(min_refs=0), st.integers(0, 99), st.sampled_from(["corpus", "sentence"]))
def test_bleu_resample_equals_aggregate(cases: list[Case], seed: int, average: str) -> None:
    rows = np.random.default_rng(seed).integers(0, len(cases), size=(5, len(cases)))
    for kind in (BLEU, IBLEU):
        metric = kind(average=average)  # type: ignore[arg-type]
        statistics = metric.statistics(*corpus_of(cases))
        expected = [metric.aggregate(statistics.take(row)).value for row in rows]
        # Many scores are made at a time, and rounded in another order than a single one.
        assert metric.resample(statistics, rows) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_bleu_unannotated_sentences_take_no_part() -> None:
    case: Case = (words("a b c d"), words("a b c e"), [words("a b c d e"), words("b c")])
    other: Case = (words("a b c"), words("a b d"), [words("a b d"), words("a b")])
    nobody: Case = (words("a a a a a"), words("a a a a a"), [])
    for metric in (BLEU(), BLEU(average="sentence"), IBLEU(), IBLEU(average="sentence")):
        expected = metric.score(*corpus_of([case, other]))
        score = metric.score(*corpus_of([case, nobody, other]))
        assert (score.value, score.parts) == (expected.value, expected.parts)
        assert np.isnan(score.sentences.values).tolist() == [False, True, False]


def test_bleu_closest_reference_length_ties_to_the_shorter() -> None:
    case: Case = ((), words("a b c d"), [words("a b c d e"), words("a b c")])
    assert BLEU().statistics(*corpus_of([case])).counts[0, 0, :2].tolist() == [4, 3]


def test_bleu_keeps_case_and_tokens() -> None:
    same: Case = ((), words("It 's ( here ) ."), [words("It 's ( here ) .")])
    other: Case = ((), words("it 's ( here ) ."), [words("It 's ( here ) .")])
    assert BLEU().score(*corpus_of([same])).value == pytest.approx(1.0)
    assert BLEU().statistics(*corpus_of([other])).counts[0, 0, 2] == 5


def test_bleu_empty_corpus() -> None:
    for metric in (BLEU(), BLEU(average="sentence"), IBLEU()):
        score = metric.score(Corpus(()), Hypothesis("h", ()))
        assert (score.value, len(score.sentences.values)) == (0.0, 0)


def test_bleu_refuses_unknown_options() -> None:
    with pytest.raises(OptionError, match=r"average .*did you mean 'sentence'"):
        BLEU(average="sentences")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"source_term .*did you mean 'reward'"):
        IBLEU(source_term="rewards")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"alpha takes a number from 0 to 1, not 1\.5"):
        IBLEU(alpha=1.5)


def test_bleu_signature_names_sacrebleu() -> None:
    case: Case = (words("a"), words("a"), [words("a")])
    signature = IBLEU(source_term="reward").score(*corpus_of([case])).signature
    assert signature.startswith("ibleu|sents:1|refs:1|data:")
    assert (
        "|alpha:0.8|source:reward|order:4|average:corpus|smooth:exp|tok:none|"
        "case:mixed|missing:absent|sacrebleu:"
    ) in signature
