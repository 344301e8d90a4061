"""GREEN: an F score of n-grams that were rightly kept, deleted and inserted.

Koyama et al. (2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.ngrams import ORDER, NgramMetric, Unit
from geceval.metrics._shared.sums import (
    ROUNDING,
    CorpusSums,
    best_references,
    chosen_counts,
    divide,
)
from geceval.metrics._shared.texts import has_reference, mask_unannotated, sum_rows
from geceval.metrics.options import Beta, Jobs, Range
from geceval.metrics.papers import KOYAMA_2024
from geceval.metrics.statistics import Rows, Score, SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis, MissingPolicy

Average: TypeAlias = Literal["corpus", "sentence"]
Compat: TypeAlias = Literal["gec-metrics"]

_REGIONS = ("tk", "td", "ti", "od", "oi", "ud", "ui")
"""N-grams that are true keeps, deletions and insertions; over- and under-deleted and -inserted."""

_MAX_ORDER = 32


def _columns(order: int) -> tuple[str, ...]:
    return tuple(f"{region}{n}" for n in range(1, order + 1) for region in _REGIONS)


class _Measures(NamedTuple):
    """Precision, recall and F of the orders up to each order, along the last axis."""

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f: NDArray[np.float64]


class Green(NgramMetric, CorpusSums):
    r"""GREEN, an n-gram F score without alignment.

    N-grams that were rightly kept, deleted or inserted are true positives. Precision and recall
    are geometric means over the orders, of counts summed over the corpus against the best
    reference of each sentence.

    Parameters
    ----------
    beta
        Weight of recall in F; the authors recommend 2.
    order
        Length of the longest n-grams.
    unit
        Whether n-grams consist of tokens (``"word"``) or of characters (``"char"``), which
        include the spaces between tokens.
    average
        ``"corpus"`` scores the summed counts; ``"sentence"`` averages sentence scores.
    compat
        ``"gec-metrics"`` reproduces the scores of that library.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    The best reference of a sentence has the highest F; ties are decided by the F of fewer and
    fewer orders, then by the order of references. Precision is 1 and recall is 0 at 0/0, so
    that a sentence with fewer tokens than the order scores 0, even if it is correct.

    With ``compat``, recall is 1 at 0/0, and the first of the references with the highest F is
    chosen.

    References
    ----------
    Koyama, Nagata, Takamura and Okazaki (2024), n-gram F-score for Evaluating Grammatical Error
    Correction, INLG.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "very", "much", "."), (ann,)),))
    >>> ours = Hypothesis("ours", (("I", "like", "it", "very", "much", "."),))
    >>> unchanged = Hypothesis("unchanged", corpus.sources)
    >>> [round(Green().score(corpus, one).value, 4) for one in (ours, unchanged)]
    [1.0, 0.4317]
    """

    name = "green"
    title = "GREEN"
    papers = (KOYAMA_2024,)
    columns: ClassVar[tuple[str, ...]] = _columns(ORDER)
    table_parts = ("P", "R", "mean_sentence_F")

    def __init__(
        self,
        *,
        beta: Beta = 2.0,
        order: Annotated[int, Range(min=1, max=_MAX_ORDER)] = ORDER,
        unit: Unit = "word",
        average: Average = "corpus",
        compat: Compat | None = None,
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(missing=missing, jobs=jobs)
        self.beta: float = beta
        self.order = order
        self.unit: Unit = unit
        self.average: Average = average
        self.compat: Compat | None = compat

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"mean F{self.beta:g}" if self.average == "sentence" else f"F{self.beta:g}"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "beta": self.beta,
            "order": self.order,
            "unit": self.unit,
            "average": self.average,
            "compat": self.compat or "no",
            "missing": self.missing,
        }

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count n-grams by the texts that have them, for each sentence and reference."""
        references, counts = self.count(
            corpus,
            hypothesis,
            lambda counter: partial(counter.regions, n_orders=self.order),
            order=self.order,
        )
        return references.by_reference(counts, _columns(self.order))

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        chosen = self._choose(statistics)
        counts = chosen_counts(statistics.counts, chosen)
        totals = counts.sum(axis=0)
        outcomes = _outcomes(totals[None])
        precision, recall, _ = self._measure(outcomes)
        f = float(self._f_of(outcomes)[0])
        each = self._measure(_outcomes(counts))
        annotated = has_reference(statistics)
        mean = float(each.f[annotated, -1].mean()) if annotated.any() else 0.0
        view = SentenceScores(
            chosen, each.f[:, -1], {"P": each.precision[:, -1], "R": each.recall[:, -1]}
        )
        return Score(
            self.name,
            mean if self.average == "sentence" else f,
            {
                **dict(zip(statistics.columns, totals.tolist(), strict=True)),
                "P": float(precision[0, -1]),
                "R": float(recall[0, -1]),
                "F": f,
                "mean_sentence_F": mean,
            },
            self.signature(statistics),
            mask_unannotated(view, annotated),
        )

    def summands(self, statistics: Statistics) -> NDArray[Any]:
        """Return the counts, or the score, of each sentence against its chosen reference."""
        counts = _outcomes(chosen_counts(statistics.counts, self._choose(statistics)))
        if self.average == "corpus":
            return counts
        annotated = has_reference(statistics)
        return np.column_stack((annotated * self._measure(counts).f[:, -1], annotated))

    def values(self, totals: NDArray[Any]) -> NDArray[np.float64]:
        """Compute the scores of summed counts, or the means of summed scores."""
        if self.average == "corpus":
            return self._f_of(totals)
        means: NDArray[np.float64] = totals[:, 0] / np.maximum(1, totals[:, 1])
        return means

    def _f_of(self, totals: NDArray[Any]) -> NDArray[np.float64]:
        """Compute F of summed counts; it is 0 without any n-grams."""
        return np.where(totals.any(axis=1), self._measure(totals).f[:, -1], 0.0)

    def is_separable(self, statistics: Statistics) -> bool:  # noqa: ARG002
        """Whether the score is a mean over sentences."""
        return self.average == "sentence"

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, NDArray[np.float64]]:
        """Compute precision and recall of many samples of sentences."""
        counts = _outcomes(chosen_counts(statistics.counts, self._choose(statistics)))
        precision, recall, _ = self._measure(sum_rows(counts, rows))
        return {"P": precision[:, -1], "R": recall[:, -1]}

    def _choose(self, statistics: Statistics) -> NDArray[np.int64]:
        """Choose the best reference of each sentence."""
        by_order = self._measure(_outcomes(statistics.counts)).f
        compared = 1 if self.compat else self.order
        return best_references(
            by_order[..., ::-1][..., :compared], statistics.mask, tolerance=ROUNDING
        )

    def _measure(self, outcomes: NDArray[Any]) -> _Measures:
        """Compute the measures of counts as `_outcomes` returns them."""
        tp, fp, fn = np.split(outcomes, 3, axis=-1)
        roots = 1 / np.arange(1, self.order + 1)
        precision = np.cumprod(divide(tp, tp + fp, undefined=1), axis=-1) ** roots
        undefined = 1 if self.compat else 0
        recall = np.cumprod(divide(tp, tp + fn, undefined=undefined), axis=-1) ** roots
        weight = 1 / (1 + self.beta**2)
        f = np.divide(
            precision * recall,
            weight * recall + (1 - weight) * precision,
            out=np.zeros_like(precision),
            where=(precision > 0) & (recall > 0),
        )
        return _Measures(precision, recall, f)


def _outcomes(counts: NDArray[Any]) -> NDArray[Any]:
    """Return true positives of each order, then false positives, then false negatives."""
    order = counts.shape[-1] // len(_REGIONS)
    regions = counts.reshape(*counts.shape[:-1], order, len(_REGIONS))
    tp, fp, fn = regions[..., :3], regions[..., 3:5], regions[..., 5:]
    return np.concatenate([some.sum(axis=-1) for some in (tp, fp, fn)], axis=-1)
