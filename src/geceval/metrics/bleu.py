"""BLEU and iBLEU, with the arithmetic of sacreBLEU.

Papineni et al. (2002), and Sun and Zhou (2012).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.ngrams import ORDER, NgramMetric, by_order
from geceval.metrics._shared.texts import (
    SentenceMean,
    all_rows,
    has_reference,
    mask_unannotated,
    no_choice,
    sentence_counts,
    sum_rows,
    sum_swapped_rows,
)
from geceval.metrics.options import Jobs, Range
from geceval.metrics.papers import PAPINENI_2002, POST_2018, SUN_ZHOU_2012
from geceval.metrics.statistics import (
    Part,
    Rows,
    Score,
    SentenceScores,
    SentenceSums,
    Statistics,
    Swaps,
)
from geceval.model import Corpus, Hypothesis, MissingPolicy

Average: TypeAlias = Literal["corpus", "sentence"]
SourceTerm: TypeAlias = Literal["penalty", "reward"]

_SMOOTHING = "exp"
_COUNTS = ("length", "reference", *by_order("match"), *by_order("total"))


@cache
def _sacrebleu_version() -> str:
    return version("sacrebleu")


class _Scored(NamedTuple):
    """A score between 0 and 1 and its parts."""

    value: float
    precisions: tuple[float, ...]
    brevity_penalty: float


# Cached, as sentences that several systems leave unchanged have equal counts.
@lru_cache(maxsize=1 << 15)
def bleu_of(counts: tuple[int, ...], *, is_sentence: bool) -> _Scored:
    """Compute the score of counts; the order of a single sentence is limited by its length."""
    from sacrebleu.metrics.bleu import BLEU

    length, reference, *rest = counts
    score = BLEU.compute_bleu(
        rest[:ORDER],
        rest[ORDER:],
        length,
        reference,
        smooth_method=_SMOOTHING,
        effective_order=is_sentence,
    )
    precisions = tuple(precision / 100 for precision in score.precisions)
    # Rounding may give slightly more than 100.
    return _Scored(min(1.0, score.score / 100), precisions, score.bp)


def _sentence_scores(counts: NDArray[np.int64]) -> list[_Scored]:
    return [bleu_of(tuple(row), is_sentence=True) for row in counts.tolist()]


def _values_of(scored: Iterable[_Scored]) -> NDArray[np.float64]:
    return np.array([one.value for one in scored], dtype=np.float64)


def bleus_of(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute the scores of many corpora from counts ``(n_corpora, 10)``.

    Counts that need smoothing are scored one by one, by `bleu_of`.
    """
    is_plain = (counts > 0).all(axis=1)
    length, reference, *rest = counts[is_plain].T.astype(np.float64)
    ratios = np.array(rest[:ORDER]) / np.array(rest[ORDER:])
    values = np.empty(len(counts))
    values[is_plain] = np.exp(np.minimum(0.0, 1 - reference / length) + np.log(ratios).mean(axis=0))
    for number in np.flatnonzero(~is_plain).tolist():
        values[number] = bleu_of(tuple(counts[number].tolist()), is_sentence=False).value
    return values


class BLEU(NgramMetric, SentenceMean):
    """BLEU up to four words, against all references together.

    Parameters
    ----------
    average
        ``"corpus"`` scores the summed counts, as usual; ``"sentence"`` averages sentence
        scores.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    Tokens are not changed. The reference length is the closest one. Precisions of 0 are smoothed
    as in NIST's ``mteval`` (``exp``). N-grams are counted by a kernel, and scores computed by
    sacreBLEU, here between 0 and 1.

    References
    ----------
    Papineni, Roukos, Ward and Zhu (2002), BLEU: a Method for Automatic Evaluation of Machine
    Translation, ACL. Post (2018), A Call for Clarity in Reporting BLEU Scores, WMT.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "."), (ann,)),))
    >>> round(BLEU().score(corpus, Hypothesis("ours", (("I", "like", "it", "!"),))).value, 4)
    0.5946
    """

    name = "bleu"
    title = "BLEU"
    papers = (PAPINENI_2002, POST_2018)
    columns: ClassVar[tuple[str, ...]] = _COUNTS

    def __init__(
        self,
        *,
        average: Average = "corpus",
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(missing=missing, jobs=jobs)
        self.average: Average = average

    def for_sentences(self) -> BLEU:
        """Return the mean over sentences, unless the option `average` was given."""
        return self if self.is_given("average") else self.with_options(average="sentence")

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "order": ORDER,
            "average": self.average,
            "smooth": _SMOOTHING,
            "tok": "none",
            "case": "mixed",
            "missing": self.missing,
            "sacrebleu": _sacrebleu_version(),
        }

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count matches and n-grams of each sentence, shared by its references."""
        references, counts = self.count(corpus, hypothesis, lambda counter: counter.bleu)
        flat = counts.reshape(-1, 2 * len(_COUNTS))[:, : len(self.columns)]
        return references.by_sentence(flat, self.columns)

    def is_separable(self, statistics: Statistics) -> bool:  # noqa: ARG002
        """Whether the score is a mean over sentences."""
        return self.average == "sentence"

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences."""
        if self.average == "sentence":
            return super().resample(statistics, rows)
        return self._values(sum_rows(sentence_counts(statistics), rows))

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped."""
        if self.average == "sentence":
            return super().resample_swapped(first, second, swaps)
        one, other = sum_swapped_rows(self, first, second, swaps, sentence_counts)
        return self._values(one.astype(np.int64)), self._values(other.astype(np.int64))

    def fixed_sums(self, statistics: Statistics) -> SentenceSums | None:
        """Return the score as a function of sums over sentences."""
        if self.average == "sentence":
            return super().fixed_sums(statistics)
        return SentenceSums(sentence_counts(statistics), self._values)

    def _values(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        """Score many sums of counts."""
        return bleus_of(totals)

    def aggregate(self, statistics: Statistics) -> Score:
        """Score the summed counts, or average over sentences."""
        if self.average == "sentence":
            return super().aggregate(statistics)
        totals = sum_rows(sentence_counts(statistics), all_rows(statistics))[0]
        value, parts = self.parts(totals.tolist())
        view = mask_unannotated(self.sentence_scores(statistics), has_reference(statistics))
        return Score(self.name, value, parts, self.signature(statistics), view)

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Score each sentence by itself."""
        counts = sentence_counts(statistics)
        values, parts = self.sentence_parts(counts)
        return SentenceScores(no_choice(statistics), values, parts if len(counts) else {})

    def sentence_parts(
        self, counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        """Return the scores of sentences and their parts."""
        scored = _sentence_scores(counts)
        precisions = np.array([one.precisions for one in scored]).reshape(-1, ORDER)
        penalties = np.array([one.brevity_penalty for one in scored])
        by_name = dict(zip(by_order("precision"), precisions.T, strict=True))
        return _values_of(scored), {**by_name, "brevity_penalty": penalties}

    def parts(self, counts: Sequence[int]) -> tuple[float, dict[str, Part]]:
        """Return the score of summed counts and its parts."""
        score = bleu_of(tuple(counts), is_sentence=False)
        return score.value, {
            **dict(zip(by_order("precision"), score.precisions, strict=True)),
            "brevity_penalty": score.brevity_penalty,
        }


class IBLEU(BLEU):
    r"""BLEU with a term for similarity to the source.

    Parameters
    ----------
    alpha
        Weight of the references; that of the source is ``1 - alpha``.
    source_term
        ``"penalty"`` subtracts similarity to the source, as in the published formula;
        ``"reward"`` adds it.
    average, missing, jobs
        As for `BLEU`.

    Notes
    -----
    :math:`\alpha\,\mathrm{BLEU}(O, R) - (1 - \alpha)\,\mathrm{BLEU}(O, S)`. The MAEGE paper
    prints this formula, but says that it rewards similarity to the source, and its code adds the
    second term; hence the option.

    References
    ----------
    Sun and Zhou (2012), Joint Learning of a Dual SMT System for Paraphrase Generation, ACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "."), (ann,)),))
    >>> round(IBLEU().score(corpus, Hypothesis("ours", (("I", "like", "it", "."),))).value, 4)
    0.7293
    """

    name = "ibleu"
    title = "iBLEU"
    papers = (SUN_ZHOU_2012, PAPINENI_2002)
    columns: ClassVar[tuple[str, ...]] = (*_COUNTS, *(f"source_{name}" for name in _COUNTS))

    def __init__(
        self,
        *,
        alpha: Annotated[float, Range(min=0, max=1)] = 0.8,
        source_term: SourceTerm = "penalty",
        average: Average = "corpus",
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(average=average, missing=missing, jobs=jobs)
        self.alpha = alpha
        self.source_term: SourceTerm = source_term

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"alpha": self.alpha, "source": self.source_term, **super().settings()}

    def parts(self, counts: Sequence[int]) -> tuple[float, dict[str, Part]]:
        """Return the score of summed counts and its parts."""
        half = len(_COUNTS)
        bleu, source_bleu = (
            bleu_of(tuple(some), is_sentence=False).value for some in (counts[:half], counts[half:])
        )
        value = self.alpha * bleu + self._source_weight * source_bleu
        return value, {"bleu": bleu, "source_bleu": source_bleu}

    def sentence_parts(
        self, counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        """Return the scores of sentences and their parts."""
        half = len(_COUNTS)
        bleu, source_bleu = (
            _values_of(_sentence_scores(some)) for some in (counts[:, :half], counts[:, half:])
        )
        values = self.alpha * bleu + self._source_weight * source_bleu
        return values, {"bleu": bleu, "source_bleu": source_bleu}

    @property
    def _source_weight(self) -> float:
        return (1 if self.source_term == "reward" else -1) * (1 - self.alpha)

    def _values(self, totals: NDArray[np.int64]) -> NDArray[np.float64]:
        half = len(_COUNTS)
        bleus, source_bleus = bleus_of(totals[:, :half]), bleus_of(totals[:, half:])
        return self.alpha * bleus + self._source_weight * source_bleus
