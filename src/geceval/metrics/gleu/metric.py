"""GLEU: n-grams shared with the reference, less those that should have been changed.

Napoles et al. (2015), in the version of 2016 that needs no tuning. It is not the "Google BLEU"
that goes by the same name.
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
    everything,
    no_choice,
    only_known,
    summed,
    swapped_sums,
    takes_part,
)
from geceval.metrics.gleu.swaps import SwappedDraws
from geceval.metrics.options import Jobs, Range
from geceval.metrics.statistics import Rows, Score, SentenceScores, Statistics, Swaps
from geceval.model import Corpus, Hypothesis, MissingPolicy

_SEED_STEP = 101
_LEVEL = 0.95
_BLOCK = 1 << 22
"""Draws that are kept in memory at a time."""

_MAX_ITERATIONS = 1_000_000
"""Draws that can be asked for: the work grows with them, and 500 are the usual."""

_SWAPPED_BLOCK = 125
"""Iterations that are scored at a time where sentences are swapped."""


def _columns(order: int) -> tuple[str, ...]:
    return ("hypothesis", "reference", *by_order("above", order), *by_order("below", order))


class GLEU(NgramMetric):
    r"""The GLEU of Napoles et al.

    Precision of n-grams, by default up to four words, where those of the source that the
    reference does not have count against the output, with the brevity penalty of BLEU. With
    several references, one is drawn for each sentence, again and again; the score is the mean.

    Parameters
    ----------
    order
        Length of the longest n-grams.
    exact
        Score the expectation of the counts instead of drawing; needs no randomness.
    iterations
        How often references are drawn, at most a million times.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the annotator before (``"same"``).
    jobs
        Threads.

    Notes
    -----
    Iteration ``j`` draws with Python's generator, seeded with ``101 j``, one number for each
    sentence that has a reference, in their order. So the same corpus always gets the same
    draws, whatever the system: differences between systems are not blurred by them. When
    sentences are resampled, the sentence that stands at a place takes the draw of that place,
    as if the resampled corpus had been read from a file; intervals thus hold the chance of
    both, sentences and references.

    A sum that is 0 gives a score of 0. The score of a single sentence replaces counts of 0
    by 1 and is the mean over its references.

    References
    ----------
    Napoles, Sakaguchi, Post and Tetreault (2015), Ground Truth for Grammatical Error Correction
    Metrics, ACL; the same (2016), GLEU Without Tuning.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> reading = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "a", "lot"), (reading,)),))
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
        """What the headline number is called."""
        return "GLEU"

    def settings(self) -> Mapping[str, object]:
        """Every option that can change the number."""
        chosen: dict[str, object] = (
            {"references": "expected"}
            if self.exact
            else {"references": "drawn", "draws": self.iterations, "seeds": f"{_SEED_STEP}j"}
        )
        return {"order": self.order, **chosen, "missing": self.missing}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count n-grams for each sentence and reference."""
        prepared = self.prepare(corpus)
        counts = self.count(
            prepared, hypothesis, lambda counter, first, last: counter.gleu(first, last)
        )
        columns = _columns(self.order)
        used = [self.columns.index(column) for column in columns]
        return prepared.references.by_reference(counts[:, used], columns)

    def aggregate(self, statistics: Statistics) -> Score:
        """Score with drawn or expected references."""
        rows = everything(statistics)
        parts: dict[str, float]
        if self.exact:
            totals = summed(_expected(statistics), rows)[0]
            value = float(gleu_of(totals))
            parts = _ratios(totals)
        else:
            scores = self._drawn(statistics, rows)[0]
            value, deviation = float(scores.mean()), float(scores.std())
            reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * deviation
            parts = {
                "draw_sd": deviation,
                "draw_low": max(0.0, value - reach),
                "draw_high": min(1.0, value + reach),
            }
        return Score(self.name, value, parts, self.signature(statistics), _by_sentence(statistics))

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many choices of sentences, each with all draws of references."""
        if self.exact:
            return gleu_of(summed(_expected(statistics), rows))
        means: NDArray[np.float64] = self._drawn(statistics, rows).mean(axis=1)
        return means

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped; draws stay in their places."""
        if not first.mask.any() or not _have_same_references(first, second):
            return super().resample_swapped(first, second, swaps)
        if self.exact:
            one, other = swapped_sums(_expected(first), _expected(second), swaps)
            return gleu_of(one), gleu_of(other)
        draws = SwappedDraws(first, second, swaps)
        blocks = [draws.scores(chosen) for chosen in self._chosen(first.mask)]
        ours, theirs = zip(*blocks, strict=True)
        return np.concatenate(ours, axis=1).mean(axis=1), np.concatenate(theirs, axis=1).mean(
            axis=1
        )

    def _chosen(self, mask: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
        """Yield which reference each sentence takes ``(n_sents, n_iterations)``, in blocks."""
        sizes = mask.sum(axis=1)
        kinds = tuple(np.unique(sizes[sizes > 1]).tolist())
        places = np.cumsum(sizes > 0) - 1
        # Those that are there come first, in their order.
        present = np.argsort(~mask, axis=1, kind="stable")
        for choices in self._draws(len(mask), kinds):
            for first in range(0, choices.shape[2], _SWAPPED_BLOCK):
                block = choices[:, :, first : first + _SWAPPED_BLOCK]
                drawn = np.zeros((len(mask), block.shape[2]), dtype=np.int64)
                for table, size in enumerate(kinds):
                    rows = np.flatnonzero(sizes == size)
                    drawn[rows] = block[table, places[rows]]
                yield np.take_along_axis(present, drawn, axis=1)

    def _drawn(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score choices of sentences ``(n_resamples, n_iterations)``."""
        from geceval.kernels.ngrams.counts import DrawnGleu

        sizes = statistics.mask.sum(axis=1)
        kinds = tuple(np.unique(sizes[sizes > 1]).tolist())
        table_of = np.zeros(max(kinds, default=0) + 1, dtype=np.int64)
        table_of[list(kinds)] = np.arange(len(kinds))
        drawn = DrawnGleu(
            np.ascontiguousarray(statistics.counts[statistics.mask], dtype=np.int64),
            np.concatenate(([0], np.cumsum(sizes))),
        )
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        scores = [
            drawn.scores(choices, table_of, rows) for choices in self._draws(rows.shape[1], kinds)
        ]
        return np.concatenate(scores, axis=1)

    def _draws(self, n_places: int, kinds: tuple[int, ...]) -> Iterator[NDArray[np.uint16]]:
        """Yield all draws, in blocks of iterations."""
        # With one reference each, all draws are the same.
        iterations = self.iterations if kinds else 1
        block = max(1, _BLOCK // max(1, n_places * len(kinds)))
        for first in range(0, iterations, block):
            yield drawn_references(n_places, kinds, first, min(first + block, iterations))


@lru_cache(maxsize=8)
def drawn_references(
    n_places: int, kinds: tuple[int, ...], first: int, last: int
) -> NDArray[np.uint16]:
    """Draw a reference for each place in a corpus and each of some iterations.

    NumPy's legacy generator, whose numbers never change, gives what Python's gives after
    ``random.seed(101 * j)``.

    Returns
    -------
    choices
        ``(n_kinds, n_places, n_iterations)``, for sentences with as many references as
        `kinds` tells.
    """
    generator = np.random.RandomState(0)
    draws = np.empty((last - first, n_places))
    for number in range(first, last):
        generator.seed([number * _SEED_STEP])
        draws[number - first] = generator.random_sample(n_places)
    choices = np.empty((len(kinds), n_places, last - first), dtype=np.uint16)
    for table, n_refs in enumerate(kinds):
        choices[table] = (draws * n_refs).astype(np.uint16).T
    choices.flags.writeable = False
    return choices


def gleu_of(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Make scores of summed counts, the last axis in the order of the columns."""
    defined: NDArray[np.bool_] = np.all(counts > 0, axis=-1)
    safe = np.where(defined[..., None], counts, 1)
    above, below = np.split(safe[..., 2:], 2, axis=-1)
    logs = np.log(above / below).mean(axis=-1)
    penalty = np.minimum(0.0, 1 - safe[..., 1] / safe[..., 0])
    return np.where(defined, np.exp(penalty + logs), 0.0)


def _have_same_references(first: Statistics, second: Statistics) -> bool:
    """Whether references are there for the same sentences, and as long."""
    before, after = (np.where(one.mask, one.counts[..., 1], 0) for one in (first, second))
    return np.array_equal(first.mask, second.mask) and np.array_equal(before, after)


def _ratios(totals: NDArray[Any]) -> dict[str, float]:
    """Name what an expected score comes from."""
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
    """Average over the references that there are; 0 without any."""
    known = mask[..., None]
    sums = np.where(known, values, 0).sum(axis=1)
    means: NDArray[np.float64] = sums / np.maximum(1, known.sum(axis=1))
    return means


def _by_sentence(statistics: Statistics) -> SentenceScores:
    """Score each sentence by itself, counts of 0 replaced by 1."""
    scores = gleu_of(np.maximum(1, statistics.counts))[..., None]
    means = _mean_over_references(scores, statistics.mask)
    variance = _mean_over_references((scores - means[:, None]) ** 2, statistics.mask)
    view = SentenceScores(no_choice(statistics), means[:, 0], {"draw_sd": np.sqrt(variance[:, 0])})
    return only_known(view, takes_part(statistics))
