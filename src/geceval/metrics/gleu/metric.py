"""GLEU: n-gram precision with a penalty for n-grams that should have been changed.

Napoles et al. (2015), in the version of 2016 without tuning; not the GLEU of Google.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.ngrams import ORDER, NgramMetric, by_order
from geceval.metrics._shared.texts import (
    all_rows,
    has_reference,
    mask_unannotated,
    no_choice,
    sum_rows,
    sum_swapped_rows,
)
from geceval.metrics.gleu.swaps import SwappedGleu
from geceval.metrics.options import Jobs, Range
from geceval.metrics.statistics import Rows, Score, SentenceScores, Statistics, Swaps
from geceval.model import Corpus, Hypothesis, MissingPolicy

_SEED_STEP = 101
_LEVEL = 0.95
_BLOCK = 1 << 22
"""Sampled references in memory at a time."""

_MAX_ITERATIONS = 1_000_000
"""Upper limit; 500 is usual."""

_SWAPPED_BLOCK = 125
"""Iterations per block for swapped sentences."""


def _columns(order: int) -> tuple[str, ...]:
    return ("hypothesis", "reference", *by_order("above", order), *by_order("below", order))


class GLEU(NgramMetric):
    r"""The GLEU of Napoles et al.

    Precision of n-grams, by default up to four words, with a penalty for n-grams of the source
    that are not in the reference, and the brevity penalty of BLEU. With several references, one
    is sampled for each sentence in each iteration; the score is the mean over iterations.

    Parameters
    ----------
    order
        Length of the longest n-grams.
    exact
        Score the expected counts instead of sampling references.
    iterations
        Number of samples of references, at most a million.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    Iteration ``j`` samples one number for each sentence with a reference, in order, by Python's
    generator with the seed ``101 j``. All systems on one corpus therefore have the same samples,
    which do not blur their differences. In a resampled corpus, samples belong to positions, as if
    it had been read from a file; intervals include the variance of both sentences and references.

    The score is 0 if a summed count is 0. The score of a single sentence replaces counts of 0
    by 1 and is the mean over its references.

    References
    ----------
    Napoles, Sakaguchi, Post and Tetreault (2015), Ground Truth for Grammatical Error Correction
    Metrics, ACL; the same (2016), GLEU Without Tuning.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "a", "lot"), (ann,)),))
    >>> GLEU().score(corpus, Hypothesis("ours", (("I", "like", "it", "a", "lot"),))).value
    1.0
    """

    name = "gleu"
    title = "GLEU"
    weighs_references = True
    columns = _columns(ORDER)

    def __init__(
        self,
        *,
        order: Annotated[int, Range(min=1, max=ORDER)] = ORDER,
        exact: bool = False,
        iterations: Annotated[int, Range(min=1, max=_MAX_ITERATIONS)] = 500,
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(missing=missing, jobs=jobs)
        self.order = order
        self.exact = exact
        self.iterations = iterations

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return "GLEU"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        sampling: dict[str, object] = (
            {"references": "expected"}
            if self.exact
            else {"references": "sampled", "samples": self.iterations, "seeds": f"{_SEED_STEP}j"}
        )
        return {"order": self.order, **sampling, "missing": self.missing}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count n-grams for each sentence and reference."""
        references, counts = self.count(corpus, hypothesis, lambda counter: counter.gleu)
        columns = _columns(self.order)
        used = [self.columns.index(column) for column in columns]
        return references.by_reference(counts[:, used], columns)

    def aggregate(self, statistics: Statistics) -> Score:
        """Score with sampled or expected references."""
        rows = all_rows(statistics)
        parts: dict[str, float]
        if self.exact:
            totals = sum_rows(_expected(statistics), rows)[0]
            value = float(gleu_of(totals))
            parts = _ratios(totals)
        else:
            scores = self._sampled(statistics, rows)[0]
            value, deviation = float(scores.mean()), float(scores.std())
            reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * deviation
            parts = {
                "sample_sd": deviation,
                "sample_low": max(0.0, value - reach),
                "sample_high": min(1.0, value + reach),
            }
        return Score(self.name, value, parts, self.signature(statistics), _by_sentence(statistics))

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences, each with all samples of references."""
        if self.exact:
            return gleu_of(sum_rows(_expected(statistics), rows))
        means: NDArray[np.float64] = self._sampled(statistics, rows).mean(axis=1)
        return means

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped, but not sampled references."""
        if not first.mask.any() or not _have_same_references(first, second):
            return super().resample_swapped(first, second, swaps)
        if self.exact:
            one, other = sum_swapped_rows(_expected(first), _expected(second), swaps)
            return gleu_of(one), gleu_of(other)
        swapped = SwappedGleu(first, second, swaps)
        blocks = [swapped.scores(chosen) for chosen in self._chosen(first.mask)]
        one, other = (np.concatenate(scores, axis=1) for scores in zip(*blocks, strict=True))
        return one.mean(axis=1), other.mean(axis=1)

    def _chosen(self, mask: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
        """Yield the sampled reference of each sentence ``(n_sents, n_iterations)``, in blocks."""
        sizes = mask.sum(axis=1)
        numbers = _reference_numbers(mask)
        places = np.cumsum(sizes > 0) - 1
        # Present references first, in their order.
        present = np.argsort(~mask, axis=1, kind="stable")
        for choices in self._samples(len(mask), numbers):
            for first in range(0, choices.shape[2], _SWAPPED_BLOCK):
                block = choices[:, :, first : first + _SWAPPED_BLOCK]
                sampled = np.zeros((len(mask), block.shape[2]), dtype=np.int64)
                for table, size in enumerate(numbers):
                    rows = np.flatnonzero(sizes == size)
                    sampled[rows] = block[table, places[rows]]
                yield np.take_along_axis(present, sampled, axis=1)

    def _sampled(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score samples of sentences ``(n_resamples, n_iterations)``."""
        from geceval.kernels.ngrams.counts import DrawnGleu

        numbers = _reference_numbers(statistics.mask)
        table_of = np.zeros(max(numbers, default=0) + 1, dtype=np.int64)
        table_of[list(numbers)] = np.arange(len(numbers))
        kernel = DrawnGleu(
            np.ascontiguousarray(statistics.counts[statistics.mask], dtype=np.int64),
            np.concatenate(([0], np.cumsum(statistics.mask.sum(axis=1)))),
        )
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        samples = self._samples(rows.shape[1], numbers)
        return np.concatenate([kernel.scores(some, table_of, rows) for some in samples], axis=1)

    def _samples(self, n_places: int, numbers: tuple[int, ...]) -> Iterator[NDArray[np.uint16]]:
        """Yield sampled references, in blocks of iterations."""
        # Without a choice, all iterations are equal.
        iterations = self.iterations if numbers else 1
        block = max(1, _BLOCK // max(1, n_places * len(numbers)))
        for first in range(0, iterations, block):
            yield sample_references(n_places, numbers, first, min(first + block, iterations))


def _reference_numbers(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the different numbers of references, above 1, that sentences have."""
    sizes = mask.sum(axis=1)
    return tuple(np.unique(sizes[sizes > 1]).tolist())


@lru_cache(maxsize=8)
def sample_references(
    n_places: int, numbers: tuple[int, ...], first: int, last: int
) -> NDArray[np.uint16]:
    """Sample a reference for each position of a corpus in each of some iterations.

    NumPy's legacy generator, which is stable, gives the numbers of Python's after
    ``random.seed(101 * j)``.

    Returns
    -------
    choices
        ``(len(numbers), n_places, n_iterations)``, for sentences with each of these `numbers`
        of references.
    """
    generator = np.random.RandomState(0)
    uniform = np.empty((last - first, n_places))
    for iteration in range(first, last):
        generator.seed([iteration * _SEED_STEP])
        uniform[iteration - first] = generator.random_sample(n_places)
    choices = np.empty((len(numbers), n_places, last - first), dtype=np.uint16)
    for table, n_refs in enumerate(numbers):
        choices[table] = (uniform * n_refs).astype(np.uint16).T
    choices.flags.writeable = False
    return choices


def gleu_of(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Compute the scores of summed counts, the last axis in the order of the columns."""
    defined: NDArray[np.bool_] = np.all(counts > 0, axis=-1)
    safe = np.where(defined[..., None], counts, 1)
    above, below = np.split(safe[..., 2:], 2, axis=-1)
    logs = np.log(above / below).mean(axis=-1)
    penalty = np.minimum(0.0, 1 - safe[..., 1] / safe[..., 0])
    return np.where(defined, np.exp(penalty + logs), 0.0)


def _have_same_references(first: Statistics, second: Statistics) -> bool:
    """Whether both have references of the same lengths for the same sentences."""
    before, after = (np.where(one.mask, one.counts[..., 1], 0) for one in (first, second))
    return np.array_equal(first.mask, second.mask) and np.array_equal(before, after)


def _ratios(totals: NDArray[Any]) -> dict[str, float]:
    """Return the precisions and the brevity penalty of summed counts."""
    above, below = np.split(totals[2:], 2)
    precisions = np.divide(above, below, out=np.zeros(len(above)), where=below > 0)
    penalty = np.exp(min(0.0, 1 - totals[1] / totals[0])) if totals[0] else 0.0
    return {
        **dict(zip(by_order("precision", len(above)), precisions.tolist(), strict=True)),
        "brevity_penalty": float(penalty),
    }


def _expected(statistics: Statistics) -> NDArray[np.float64]:
    """Average the counts of each sentence over its references."""
    return _mean_over_references(statistics.counts, statistics.mask)


def _mean_over_references(values: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Average over present references; 0 without any."""
    known = mask[..., None]
    sums = np.where(known, values, 0).sum(axis=1)
    means: NDArray[np.float64] = sums / np.maximum(1, known.sum(axis=1))
    return means


def _by_sentence(statistics: Statistics) -> SentenceScores:
    """Score each sentence, with counts of 0 replaced by 1."""
    scores = gleu_of(np.maximum(1, statistics.counts))[..., None]
    means = _mean_over_references(scores, statistics.mask)
    variance = _mean_over_references((scores - means[:, None]) ** 2, statistics.mask)
    view = SentenceScores(
        no_choice(statistics), means[:, 0], {"sample_sd": np.sqrt(variance[:, 0])}
    )
    return mask_unannotated(view, has_reference(statistics))
