"""Metrics whose counts are sums of weights, with references chosen by F of running totals."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.sums import chosen_counts
from geceval.metrics._shared.texts import has_reference
from geceval.metrics.base import Metric
from geceval.metrics.options import Beta
from geceval.metrics.statistics import (
    Rows,
    Score,
    SentenceScores,
    SentenceSums,
    Statistics,
    Swaps,
    f_score,
)

Average: TypeAlias = Literal["corpus", "sentence"]
Floats: TypeAlias = NDArray[np.float64]


class RunningWeights(Metric):
    """A metric of weighted edits: sums of weights in place of counts.

    Parameters
    ----------
    beta
        Weight of recall in F; with 0 F is the precision.
    average
        ``"corpus"`` is F of the totals; ``"sentence"`` is the mean of F over sentences, each
        with its own best reference.
    """

    max_part_resamples = None
    by_errors: bool
    """Whether the sums are those of true positives, false positives and false negatives, by which
    ties between references are broken, rather than of correct, proposed and gold edits."""

    def __init__(self, *, beta: Beta = 0.5, average: Average = "corpus") -> None:
        self.beta: float = beta
        self.average: Average = average

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return self._f_name if self.average == "corpus" else f"mean sentence {self._f_name}"

    @property
    def _f_name(self) -> str:
        return f"F{self.beta:g}"

    def _shown_parts(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the parts that tables show: all but the headline number."""
        other = f"mean_sentence_{self._f_name}" if self.average == "corpus" else self._f_name
        return (*columns[:3], "P", "R", other)

    def _shares(self, precision: Floats, recall: Floats, f: Floats) -> dict[str, Floats]:
        """Name precision, recall and F of totals."""
        return {"P": precision, "R": recall, self._f_name: f}

    def for_sentences(self) -> Metric:
        """Return the mean over sentences, unless the option `average` was given."""
        return self if self.is_given("average") else self.with_options(average="sentence")

    def corpus_sums(self, statistics: Statistics) -> Floats:
        """Return the sums that enter totals, ``(n_sents, n_refs, 3)``."""
        return np.asarray(statistics.counts[..., :3], dtype=np.float64)

    def sentence_sums(self, statistics: Statistics) -> Floats:
        """Return the sums by which sentences are scored one by one."""
        return self.corpus_sums(statistics)

    def f_of(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """Return precision, recall and F of sums."""
        correct, second, third = np.moveaxis(sums, -1, 0)
        others = (correct + second, correct + third) if self.by_errors else (second, third)
        return f_score(correct, *others, beta=self.beta)

    def _choose(
        self, sums: Floats, mask: NDArray[np.bool_], rows: Rows, *, with_choice: bool = True
    ) -> tuple[Floats, Rows]:
        """Choose references by running totals, in many samples of sentences.

        Returns the totals of each sample, and the reference of each sentence, -1 without one,
        unless it is not needed.
        """
        from geceval.kernels.weighted_totals import choose_weighted

        return choose_weighted(
            np.ascontiguousarray(sums),
            np.ascontiguousarray(mask).view(np.uint8),
            np.ascontiguousarray(rows, dtype=np.int64),
            self.beta,
            by_errors=self.by_errors,
            with_choice=with_choice,
        )

    def _totals(self, statistics: Statistics, rows: Rows) -> Floats:
        sums = self.corpus_sums(statistics)
        return self._choose(sums, statistics.mask, rows, with_choice=False)[0]

    def _alone(self, statistics: Statistics) -> tuple[Floats, Rows]:
        """Score each sentence by itself; return the sums of its best reference, and which it is."""
        rows = np.arange(len(statistics), dtype=np.int64)[:, None]
        sums, chosen = self._choose(self.sentence_sums(statistics), statistics.mask, rows)
        return sums, chosen[:, 0]

    def _means(self, statistics: Statistics, rows: Rows) -> Floats:
        """Average F over the sentences with a reference of each sample; 0 if there are none."""
        annotated = has_reference(statistics)
        values = np.where(annotated, self.f_of(self._alone(statistics)[0])[2], 0.0)
        means: Floats = values[rows].sum(axis=1) / np.maximum(1, annotated[rows].sum(axis=1))
        return means

    def resample(self, statistics: Statistics, rows: Rows) -> Floats:
        """Score many samples of sentences, choosing references in each."""
        if self.average == "sentence":
            return self._means(statistics, rows)
        return self.f_of(self._totals(statistics, rows))[2]

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[Floats, Floats]:
        """Score two systems with some of their sentences swapped, choosing references in each."""
        if self.average == "sentence":
            return super().resample_swapped(first, second, swaps)
        from geceval.kernels.weighted_totals import swap_weighted

        both = first.followed_by(second)
        one, other = swap_weighted(
            np.ascontiguousarray(self.corpus_sums(both)),
            np.ascontiguousarray(both.mask).view(np.uint8),
            np.ascontiguousarray(swaps.flags).view(np.uint8),
            self.beta,
            by_errors=self.by_errors,
        )
        return self.f_of(one)[2], self.f_of(other)[2]

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, Floats]:
        """Compute precision, recall and F of many samples of sentences."""
        return self._shares(*self.f_of(self._totals(statistics, rows)))

    def fixed_sums(self, statistics: Statistics) -> SentenceSums | None:
        """Return F as a function of the sums against the chosen references, or the mean of F."""
        if self.average == "sentence":
            return None
        sums = self.corpus_sums(statistics)
        rows = np.arange(len(statistics), dtype=np.int64)[None]
        _, (chosen,) = self._choose(sums, statistics.mask, rows)
        return SentenceSums(chosen_counts(sums, chosen), lambda totals: self.f_of(totals)[2])

    def is_separable(self, statistics: Statistics) -> bool:
        """Whether F is a mean over sentences, or a ratio of sums as without a choice."""
        has_choice = bool(np.any(statistics.mask.sum(axis=1) > 1))
        return self.average == "sentence" or (self.beta > 0 and not has_choice)

    def independent_sentence_scores(self, statistics: Statistics) -> Floats:
        """Score each sentence as a corpus of one."""
        if self.average == "sentence":
            return self.f_of(self._alone(statistics)[0])[2]
        rows = np.arange(len(statistics), dtype=np.int64)[:, None]
        return self.f_of(self._totals(statistics, rows))[2]

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        rows = np.arange(len(statistics), dtype=np.int64)[None]
        sums = self.corpus_sums(statistics)
        (totals,), (chosen,) = self._choose(sums, statistics.mask, rows)
        shares = self._shares(*self.f_of(totals))
        mean = float(self._means(statistics, rows)[0])
        by_sentence = self.average == "sentence"
        if by_sentence:
            own, chosen = self._alone(statistics)
        else:
            own = chosen_counts(sums, chosen)
        values = self.f_of(own)
        names = statistics.columns[:3]
        return Score(
            self.name,
            mean if by_sentence else float(shares[self._f_name]),
            {
                **dict(zip(names, totals.tolist(), strict=True)),
                **{name: float(share) for name, share in shares.items()},
                f"mean_sentence_{self._f_name}": mean,
            },
            self.signature(statistics),
            SentenceScores(
                chosen,
                values[2],
                {**dict(zip(names, own.T, strict=True)), "P": values[0], "R": values[1]},
            ),
        )
