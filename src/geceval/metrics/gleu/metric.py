"""GLEU: n-gram precision with a penalty for n-grams that should have been changed.

Napoles et al. (2015), in the version of 2016 without tuning; not the GLEU of Google.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from statistics import NormalDist
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import WeakCache
from geceval.errors import OptionError
from geceval.metrics._shared.ngrams import ORDER, NgramMetric, Unit, by_order
from geceval.metrics._shared.sums import ROUNDING, best_references, chosen_counts
from geceval.metrics._shared.texts import (
    all_rows,
    has_reference,
    mask_unannotated,
    no_choice,
    sum_rows,
    sum_swapped_rows,
)
from geceval.metrics.gleu.samples import SEED_STEP, grouped_samples, sample_references
from geceval.metrics.gleu.scores import (
    gleu_of,
    penalized_precisions,
    ratios,
    smoothed,
    unsmoothed,
)
from geceval.metrics.gleu.swaps import SwappedSystem, sampled_totals, swapped_scores
from geceval.metrics.gleu.variants import (
    VARIANTS,
    Draws,
    Name,
    Numerator,
    ReferenceUse,
    Smoothing,
    Variant,
)
from geceval.metrics.options import Jobs, Range
from geceval.metrics.papers import NAPOLES_2015, NAPOLES_2016_GLEU
from geceval.metrics.statistics import (
    Counts,
    Rows,
    Score,
    SentenceScores,
    SentenceSums,
    Statistics,
    Swaps,
)
from geceval.model import Corpus, Hypothesis, MissingPolicy

_LEVEL = 0.95
_BLOCK = 1 << 24
"""Sampled references in memory at a time."""

_MAX_ITERATIONS = 1_000_000
"""Upper limit; 500 is usual."""

_KEPT = 20_000_000
"""Maximum number of sampled references that are kept for other systems."""

_SWAPPED_BLOCK = 64
"""Iterations per block for swapped sentences, which stays in the cache of the processor."""

_MAX_SWAPPED_REFERENCES = 256
"""Most references whose indices take a byte each; with more, tests take longer."""


_NAMED_RULES = ("numerator", "smoothing", "empty_length")


def _columns(order: int) -> tuple[str, ...]:
    return ("hypothesis", "reference", *by_order("above", order), *by_order("below", order))


class GLEU(NgramMetric):
    r"""The GLEU of Napoles et al.

    Precision of n-grams, by default up to four words, with a penalty for n-grams of the source
    that are not in the reference, and the brevity penalty of BLEU. With several references, one
    is sampled for each sentence in each iteration; the score is the mean over iterations.

    Parameters
    ----------
    variant
        The implementation to follow: ``"official"``, ``"koyama"`` or ``"koyama-max"`` (the
        package gleu of Koyama, and its option ``-m``), ``"gec-metrics"`` or
        ``"gec-metrics-official"`` (the metrics gleu and gleuofficial of that library). Rules
        that are given by the other options override those of the variant.
    order
        Length of the longest n-grams.
    exact
        Score the expected counts instead of sampling references.
    iterations
        Number of samples of references, at most a million.
    numerator
        ``"script"`` penalizes source n-grams that the reference does not have, and clips the
        numerator of a sentence at 0; ``"formula"``, the one in the paper, also penalizes those
        that it has less often, and does not clip.
    smoothing
        ``"ones"`` replaces counts of 0 by 1 in the score of a sentence; with ``"none"``, an
        order without n-grams has a precision of 1, and other counts of 0 give 0.
    draws
        Whether references are sampled by ``int(random() * n)``, as in ``"python2"``, or by
        ``randint(0, n - 1)`` of ``"python3"``.
    references
        Whether references are sampled (``"drawn"``), counts are averaged over references
        (``"expected"``, as with `exact`), or the ``"best"`` reference of each sentence is used.
    unit
        Whether n-grams consist of tokens (``"word"``) or of characters (``"char"``), which
        include the spaces between tokens.
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
    papers = (NAPOLES_2015, NAPOLES_2016_GLEU)
    weighs_references = True
    columns = _columns(ORDER)

    def __init__(
        self,
        *,
        variant: Name = "official",
        order: Annotated[int, Range(min=1, max=ORDER)] = ORDER,
        exact: bool = False,
        iterations: Annotated[int, Range(min=1, max=_MAX_ITERATIONS)] = 500,
        numerator: Numerator = "script",
        smoothing: Smoothing = "ones",
        draws: Draws = "python2",
        references: ReferenceUse = "drawn",
        unit: Unit = "word",
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(missing=missing, jobs=jobs)
        if exact and self.is_given("references") and references != "expected":
            raise OptionError(
                "gleu: exact means that references are 'expected', which excludes "
                f"references={references!r}"
            )
        self.order = order
        self.iterations = iterations
        self.unit: Unit = unit
        self._totals: WeakCache[Counts, list[NDArray[np.float64]]] = WeakCache()
        rules: dict[str, Any] = {
            "numerator": numerator,
            "smoothing": smoothing,
            "draws": draws,
            "references": references,
        }
        given = {name: rule for name, rule in rules.items() if self.is_given(name)}
        if exact:
            given["references"] = "expected"
        self.variant: Variant = replace(VARIANTS[variant], **given)

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return "GLEU"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        # What equals the official implementation is not named.
        usual = VARIANTS["official"]
        named = {name: getattr(self.variant, name) for name in _NAMED_RULES}
        rules = {name: rule for name, rule in named.items() if rule != getattr(usual, name)}
        sampling: dict[str, object] = {"references": self.variant.references}
        if self.variant.references == "drawn":
            how = "" if self.variant.draws == usual.draws else f"-{self.variant.draws}"
            sampling |= {"draws": self.iterations, "seeds": f"{SEED_STEP}j{how}"}
        unit = {} if self.unit == "word" else {"unit": self.unit}
        return {"order": self.order, **unit, **rules, **sampling, "missing": self.missing}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count n-grams for each sentence and reference."""
        by_formula = self.variant.numerator == "formula"
        references, counts = self.count(
            corpus,
            hypothesis,
            lambda counter: counter.formula_gleu if by_formula else counter.gleu,
        )
        counts[:, :2] = np.maximum(self.variant.empty_length, counts[:, :2])
        columns = _columns(self.order)
        used = [self.columns.index(column) for column in columns]
        return references.by_reference(counts[:, used], columns)

    def aggregate(self, statistics: Statistics) -> Score:
        """Score with sampled, expected or the best references."""
        rows = all_rows(statistics)
        parts: dict[str, float]
        if self.variant.references == "drawn":
            scores = self._sampled(statistics, rows)[0]
            value, deviation = float(scores.mean()), float(scores.std())
            reach = NormalDist().inv_cdf((1 + _LEVEL) / 2) * deviation
            parts = {
                "sample_sd": deviation,
                "sample_low": max(0.0, value - reach),
                "sample_high": min(1.0, value + reach),
            }
        else:
            totals = sum_rows(self._summands(statistics), rows)[0]
            value = float(self._values(totals))
            parts = ratios(totals, undefined=float(self.variant.skips_empty))
        view = self._by_sentence(statistics)
        if self.variant.skips_empty:
            known = view.values[has_reference(statistics)]
            parts["mean_sentence"] = float(known.mean()) if len(known) else 0.0
        return Score(self.name, value, parts, self.signature(statistics), view)

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences, each with all samples of references."""
        if self.variant.references != "drawn":
            return self._values(sum_rows(self._summands(statistics), rows))
        means: NDArray[np.float64] = self._sampled(statistics, rows).mean(axis=1)
        return means

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped, but not sampled references."""
        if not first.mask.any() or not _have_same_references(first, second):
            return super().resample_swapped(first, second, swaps)
        if self.variant.references != "drawn":
            one, other = sum_swapped_rows(self, first, second, swaps, self._summands)
            return self._values(one), self._values(other)
        is_other = self.variant.skips_empty or self.variant.numerator == "formula"
        if is_other or first.mask.shape[1] > _MAX_SWAPPED_REFERENCES:
            return super().resample_swapped(first, second, swaps)
        systems = [
            swaps.shared(self, one, partial(self._swapped, one, swaps)) for one in (first, second)
        ]
        blocks = swapped_scores(*systems)
        one, other = (np.concatenate(scores, axis=1) for scores in zip(*blocks, strict=True))
        return one.mean(axis=1), other.mean(axis=1)

    def fixed_sums(self, statistics: Statistics) -> SentenceSums:
        """Return the score as a function of the expected counts of sentences."""
        return SentenceSums(self._summands(statistics), self._values)

    def _values(self, totals: NDArray[Any]) -> NDArray[np.float64]:
        """Score summed counts."""
        return gleu_of(totals, skips_empty=self.variant.skips_empty)

    def _summands(self, statistics: Statistics) -> NDArray[Any]:
        """Return the expected counts of each sentence, or those of its best reference."""
        if self.variant.references == "best":
            return chosen_counts(statistics.counts, _best(statistics))
        return _mean_over_references(statistics.counts, statistics.mask)

    def _by_sentence(self, statistics: Statistics) -> SentenceScores:
        """Score each sentence by the mean over its references, or by the best one."""
        score = unsmoothed if self.variant.skips_empty else smoothed
        if self.variant.references == "best":
            chosen = _best(statistics)
            view = SentenceScores(chosen, score(chosen_counts(statistics.counts, chosen)), {})
        else:
            scores = score(statistics.counts)[..., None]
            means = _mean_over_references(scores, statistics.mask)
            variance = _mean_over_references((scores - means[:, None]) ** 2, statistics.mask)
            deviation = {"sample_sd": np.sqrt(variance[:, 0])}
            view = SentenceScores(no_choice(statistics), means[:, 0], deviation)
        return mask_unannotated(view, has_reference(statistics))

    def _swapped(self, statistics: Statistics, swaps: Swaps) -> SwappedSystem:
        """Sum what moves when a system swaps sentences."""
        mask = statistics.mask
        totals = self._totals.get(
            statistics.counts, lambda _: sampled_totals(statistics, self._chosen(mask))
        )
        return SwappedSystem(statistics, swaps, self._chosen(mask), totals)

    def _chosen(self, mask: NDArray[np.bool_]) -> Iterable[NDArray[np.uint8]]:
        """Return the sampled reference of each sentence ``(n_sents, n_iterations)``, in blocks."""
        given = mask.tobytes(), mask.shape, self.iterations, self.variant.draws
        is_small = len(mask) * self.iterations <= _KEPT
        return _known_choices(*given) if is_small else _choices(*given)

    def _sampled(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score samples of sentences ``(n_resamples, n_iterations)``."""
        from geceval.kernels.ngrams.sampled_gleu import SampledGleu

        kernel = SampledGleu(
            np.ascontiguousarray(statistics.counts[statistics.mask], dtype=np.int64),
            np.concatenate(([0], np.cumsum(statistics.mask.sum(axis=1)))),
            self.variant.skips_empty,
        )
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        numbers = _reference_numbers(statistics.mask)
        scores = [
            kernel.scores(
                grouped_samples(rows.shape[1], numbers, first, last, self.variant.draws),
                last - first,
                rows,
            )
            for first, last in _blocks(rows.shape[1], numbers, self.iterations)
        ]
        return np.concatenate(scores, axis=1)


def _blocks(n_places: int, numbers: tuple[int, ...], iterations: int) -> Iterator[tuple[int, int]]:
    """Yield the first iteration of each block, and that after its last."""
    # Without a choice, all iterations are equal.
    iterations = iterations if numbers else 1
    block = max(1, _BLOCK // max(1, n_places * len(numbers)))
    for first in range(0, iterations, block):
        yield first, min(first + block, iterations)


def _choices(
    mask_bytes: bytes, shape: tuple[int, int], iterations: int, draws: Draws
) -> Iterator[NDArray[np.uint8]]:
    """Yield the sampled reference of each sentence, in blocks of iterations."""
    mask = np.frombuffer(mask_bytes, dtype=bool).reshape(shape)
    sizes = mask.sum(axis=1)
    numbers = _reference_numbers(mask)
    places = np.cumsum(sizes > 0) - 1
    # Present references first, in their order.
    present = np.argsort(~mask, axis=1, kind="stable").astype(np.uint8)
    for start, end in _blocks(shape[0], numbers, iterations):
        choices = sample_references(shape[0], numbers, start, end, draws)
        for first in range(0, choices.shape[2], _SWAPPED_BLOCK):
            block = choices[:, :, first : first + _SWAPPED_BLOCK]
            if numbers and mask.all():
                # The same, in no memory of its own.
                yield block[0]
                continue
            sampled = np.zeros((len(mask), block.shape[2]), dtype=np.int64)
            for table, size in enumerate(numbers):
                rows = np.flatnonzero(sizes == size)
                sampled[rows] = block[table, places[rows]]
            yield np.take_along_axis(present, sampled, axis=1)


@lru_cache(maxsize=1)
def _known_choices(
    mask_bytes: bytes, shape: tuple[int, int], iterations: int, draws: Draws
) -> list[NDArray[np.uint8]]:
    """Return all of `_choices`, which are the same for all systems."""
    return list(_choices(mask_bytes, shape, iterations, draws))


def _reference_numbers(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the different numbers of references, above 1, that sentences have."""
    sizes = mask.sum(axis=1)
    return tuple(np.unique(sizes[sizes > 1]).tolist())


def _have_same_references(first: Statistics, second: Statistics) -> bool:
    """Whether both have references of the same lengths for the same sentences."""
    before, after = (np.where(one.mask, one.counts[..., 1], 0) for one in (first, second))
    return np.array_equal(first.mask, second.mask) and np.array_equal(before, after)


def _best(statistics: Statistics) -> NDArray[np.int64]:
    """Choose the reference of each sentence with the highest score.

    Ties are decided by the penalized precisions, those of the highest order first.
    """
    counts = statistics.counts
    scores = np.concatenate((unsmoothed(counts)[..., None], penalized_precisions(counts)), axis=-1)
    return best_references(scores, statistics.mask, tolerance=ROUNDING)


def _mean_over_references(values: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Average over present references; 0 without any."""
    known = mask[..., None]
    sums = np.where(known, values, 0).sum(axis=1)
    means: NDArray[np.float64] = sums / np.maximum(1, known.sum(axis=1))
    return means
