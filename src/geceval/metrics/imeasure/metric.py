"""The I-measure: the improvement of a text by a system, exact for mixed references.

Felice and Briscoe (2015), Towards a standard evaluation method for grammatical error detection
and correction.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest, in_threads
from geceval.errors import OptionError
from geceval.limits import check_pairs
from geceval.metrics._shared.texts import sum_rows, sum_swapped_rows
from geceval.metrics.base import Metric, check_lengths
from geceval.metrics.imeasure.accuracy import COLUMNS, N_COUNTED, Floats, scores_of, with_detection
from geceval.metrics.imeasure.arrays import CHUNK, Ints, PreparedCorpus, SizeLimit
from geceval.metrics.imeasure.search import Best, Criterion, Search
from geceval.metrics.options import Jobs, Range
from geceval.metrics.papers import FELICE_BRISCOE_2015
from geceval.metrics.statistics import (
    Part,
    Rows,
    Score,
    SentenceScores,
    SentenceSums,
    Statistics,
    Swaps,
)
from geceval.metrics.views import Aligned, Column
from geceval.model import Corpus, Hypothesis, Tokens
from geceval.references.corrections import own_references
from geceval.references.nested import applied_only

Aspect: TypeAlias = Literal["correction", "detection"]
Maximized: TypeAlias = Literal[
    "tp", "tn", "fp", "fn", "precision", "recall", "f", "acc", "wacc", "i"
]
Optimized: TypeAlias = Literal["sentence", "corpus"]

DEFAULT_LIMIT = 1_000_000_000
MAX_LIMIT = 10**18

_LARGEST = 5000
_LISTED = 20
"""Sentences listed in a note."""


class IMeasure(Metric):
    r"""The I-measure.

    Source, hypothesis and reference are aligned token by token. The weighted accuracy of the
    columns, relative to that of the unchanged source, measures the improvement: 1 is perfect,
    0 is no better than the source, -1 is all wrong.

    Parameters
    ----------
    mix
        Combine the corrections of all annotators into mixed references; otherwise use the
        annotators' own references.
    weight
        Weight of a changed token relative to an unchanged one, above 1 in the paper.
    beta
        Weight of recall in F; with 0 F is the precision.
    maximize
        The count or metric that the chosen reference of a sentence maximizes.
    aspect
        Whether to maximize it for correction or for detection.
    optimize
        Maximize for each ``"sentence"``, or for the totals of the ``"corpus"`` up to it.
    limit
        Maximum number of steps, each of about a nanosecond, to search for the reference of one
        sentence. Beyond it, the best reference so far is used, at least the best of the
        annotators' own; ``limited`` counts such sentences, and the score's notes list them.
    jobs
        Threads, for optimizing each sentence independently.

    Notes
    -----
    .. math::

        \mathrm{WAcc} = \frac{w\,TP + TN}{w (TP + FP) + TN + FN - (w + 1) FPN / 2}

    I is the difference to the source's WAcc, relative to that of a perfect system, or of the
    worst one if it is negative. The maximum over all mixed references is exact.

    References
    ----------
    Felice and Briscoe (2015), Towards a standard evaluation method for grammatical error
    detection and correction, NAACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> edits = Edit(0, 1, (("These",),)), Edit(2, 3, (("are",),))
    >>> sent = Sentence(("This", "cats", "is", "old"), (Annotation("0", edits),))
    >>> ours = Hypothesis("ours", (("These", "cats", "is", "old"),))
    >>> score = IMeasure().score(Corpus((sent,)), ours)
    >>> score.parts["tp"], score.parts["tn"], score.parts["fn"], round(score.value, 4)
    (1, 2, 1, 0.6)
    """

    name = "imeasure"
    title = "I-measure"
    papers = (FELICE_BRISCOE_2015,)
    table_parts = ("tp", "tn", "fp", "fn", "fpn", "wacc", "wacc_base")
    columns = COLUMNS
    counts_sentences_alone = True

    def __init__(
        self,
        *,
        mix: bool = True,
        weight: Annotated[float, Range(above=0, max=_LARGEST)] = 2.0,
        beta: Annotated[float, Range(min=0, max=_LARGEST)] = 1.0,
        maximize: Maximized = "wacc",
        aspect: Aspect = "correction",
        optimize: Optimized = "sentence",
        limit: Annotated[int, Range(min=1, max=MAX_LIMIT)] = DEFAULT_LIMIT,
        jobs: Jobs = 1,
    ) -> None:
        self.mix = mix
        self.weight = weight
        self.beta: float = beta
        self.maximize: Maximized = maximize
        self.aspect: Aspect = aspect
        self.optimize: Optimized = optimize
        self.limit = limit
        self.jobs = jobs
        self._weight = _fraction("weight", weight)
        self._beta = _fraction("beta", beta) if beta else (0, 1)
        if maximize == "f" and self._beta[0] ** 2 + self._beta[1] ** 2 > _LARGEST:
            raise OptionError(
                f"imeasure: F with a beta of {beta} cannot be maximized; a simple one can"
            )
        self._latest: Latest[Corpus, PreparedCorpus] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "mix": self.mix,
            "weight": self.weight,
            "beta": self.beta,
            "max": f"{self.aspect}-{self.maximize}",
            "opt": self.optimize,
            "limit": self.limit,
        }

    @property
    def _criterion(self) -> Criterion:
        """The criterion to maximize, for the kernels."""
        # With a beta of 0, F is the precision.
        name = "precision" if self.maximize == "f" and not self.beta else self.maximize
        place = get_args(Maximized).index(name)
        beta = self._beta if name == "f" else (1, 1)
        return place, self.aspect == "detection", self._weight, beta

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count the columns of each sentence for the best reference or each annotator's own."""
        check_lengths(corpus, hypothesis)
        prepared = self._prepare(corpus)
        if not self.mix:
            return self._each_annotator(prepared, hypothesis)
        best = self._best(prepared, hypothesis)
        counts = with_detection(best.counts, best.limited)[:, np.newaxis]
        mask = np.ones((len(corpus), 1), dtype=bool)
        return Statistics(counts, mask, COLUMNS, ("mixed",), prepared.provenance)

    def resample(self, statistics: Statistics, rows: Rows) -> Floats:
        """Score many samples of sentences."""
        if self._is_running(statistics):
            totals, _ = self._choose(statistics, rows)
        else:
            totals = sum_rows(self._best_counts(statistics), rows)
        return self._scores(totals)[0]

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[Floats, Floats]:
        """Score two systems with some of their sentences swapped."""
        if self._is_running(first):
            return super().resample_swapped(first, second, swaps)
        one, other = sum_swapped_rows(self, first, second, swaps, self._best_counts)
        return self._scores(one.astype(np.int64))[0], self._scores(other.astype(np.int64))[0]

    def fixed_sums(self, statistics: Statistics) -> SentenceSums:
        """Return the score as a function of sums over sentences."""
        return SentenceSums(self._best_counts(statistics), lambda totals: self._scores(totals)[0])

    def _best_counts(self, statistics: Statistics) -> Ints:
        """Return the counts of each sentence for its chosen reference."""
        _, chosen = self._choose(statistics)
        return _chosen_counts(statistics, chosen)[:, :N_COUNTED]

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        totals, chosen = self._choose(statistics)
        value, parts = self._scores(totals[0])
        counts = _chosen_counts(statistics, chosen)
        values, sentence_parts = self._scores(counts[:, :N_COUNTED])
        limited = counts[:, -1]
        named: dict[str, Part] = {name: part.item() for name, part in parts.items()}
        if limited.any():
            named["limited"] = int(limited.sum())
        return Score(
            self.name,
            float(value),
            named,
            self.signature(statistics),
            SentenceScores(chosen, values, {**sentence_parts, "limited": limited}),
            self._notes(np.flatnonzero(limited)),
        )

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        """Add the number of sentences that reached the limit."""
        n_limited = int(np.any(statistics.counts[..., -1], axis=1).sum())
        limited = [f"limited:{n_limited}"] if n_limited else []
        return (*super().remarks(statistics), *limited)

    def _notes(self, limited: Ints) -> tuple[str, ...]:
        """Return a warning that lists the sentences that reached the limit, if any."""
        if not len(limited):
            return ()
        listing = ", ".join(str(number + 1) for number in limited[:_LISTED])
        more = f" and {len(limited) - _LISTED} more" if len(limited) > _LISTED else ""
        plural = "s" if len(limited) > 1 else ""
        note = (
            f"the search for the best reference was cut short in {len(limited)} sentence{plural} "
            f"(number {listing}{more}), so the score may be too low; a higher limit than "
            f"{self.limit:,} steps may help"
        )
        return (note,)

    def aligned_view(self, corpus: Corpus, hypothesis: Hypothesis) -> list[Aligned]:
        """Align each sentence with its chosen reference."""
        check_lengths(corpus, hypothesis)
        prepared = self._prepare(corpus)
        if self.mix:
            best = self._best(prepared, hypothesis)
            references, limited = best.references, best.limited.tolist()
        else:
            _, chosen = self._choose(self._each_annotator(prepared, hypothesis))
            names = (*prepared.corpus.annotators, "source")
            own = (own_references(sent) for sent in prepared.corpus)
            references = [mine[names[at]] for mine, at in zip(own, chosen, strict=True)]
            limited = [False] * len(references)
        _, columns, offsets = prepared.align(
            prepared.intern(hypothesis.sentences),
            np.arange(len(corpus) + 1),
            prepared.intern(references),
            size_limit=SizeLimit(hypothesis.name),
        )
        pairs = zip(corpus.sources, hypothesis, references, limited, strict=True)
        return [
            Aligned(ref, _columns(columns[offsets[at] : offsets[at + 1]], src, hyp, ref), flag)
            for at, (src, hyp, ref, flag) in enumerate(pairs)
        ]

    def _prepare(self, corpus: Corpus) -> PreparedCorpus:
        return self._latest.get(
            corpus,
            lambda corpus: PreparedCorpus(
                applied_only(corpus.first_alignments()), limit=self.limit
            ),
        )

    # References of annotators.

    def _each_annotator(self, prepared: PreparedCorpus, hypothesis: Hypothesis) -> Statistics:
        """Count the columns for each annotator; sentences without any use the source."""
        corpus = prepared.corpus
        groups, references = prepared.own_references()
        hypotheses = prepared.intern(hypothesis.sentences)
        size_limit = SizeLimit(hypothesis.name)

        def run(first: int) -> Ints:
            last = min(first + CHUNK, len(corpus))
            return prepared.align(
                hypotheses, groups, references, first, last, size_limit=size_limit
            )[0]

        empty = np.zeros((0, N_COUNTED), dtype=np.int64)
        found = in_threads(run, range(0, len(corpus), CHUNK), workers=self.jobs)
        counts = np.concatenate([empty, *found])
        is_annotated = all(sent.annotations for sent in corpus)
        names = (*corpus.annotators, *([] if is_annotated else ["source"]))
        place = {name: number for number, name in enumerate(names)}
        places = [
            place[name]
            for sent in corpus
            for name in ([ann.annotator for ann in sent.annotations] or ["source"])
        ]
        return Statistics.arrange(
            with_detection(counts, np.zeros(len(counts))),
            np.repeat(np.arange(len(corpus)), np.diff(groups)),
            np.array(places, dtype=np.int64),
            COLUMNS,
            names,
            prepared.provenance,
        )

    def _is_running(self, statistics: Statistics) -> bool:
        return self.optimize == "corpus" and len(statistics.references) > 1

    def _choose(self, statistics: Statistics, rows: Rows | None = None) -> tuple[Ints, Ints]:
        """Choose references; return summed counts and, for the last sample, the choices."""
        from geceval.kernels.imeasure.best_reference import choose_references

        counts = statistics.counts[..., :N_COUNTED]
        if rows is None:
            rows = np.arange(len(statistics), dtype=np.int64)[np.newaxis]
        if len(statistics.references) == 1:
            return counts[rows, 0].sum(axis=1), np.zeros(rows.shape[1], dtype=np.int64)
        return choose_references(
            np.ascontiguousarray(counts, dtype=np.int64),
            np.ascontiguousarray(statistics.mask).view(np.uint8),
            np.ascontiguousarray(rows, dtype=np.int64),
            *self._criterion,
            self._is_running(statistics),
        )

    # Mixed references.

    def _best(self, prepared: PreparedCorpus, hypothesis: Hypothesis) -> Best:
        """Find the best mixed reference of every sentence."""
        hypotheses = prepared.intern(hypothesis.sentences)
        check_pairs(hypothesis.name, prepared.corpus.sources, hypothesis.sentences)
        size_limit = SizeLimit(hypothesis.name)
        search = Search(prepared, hypotheses, self._criterion, self.limit, size_limit)
        if self.optimize == "corpus":
            return search.for_totals()
        return search.for_sentences(self.jobs)

    def _scores(self, counts: NDArray[Any]) -> tuple[Floats, dict[str, NDArray[Any]]]:
        return scores_of(counts, self.weight, self.beta)


def _fraction(name: str, value: float) -> tuple[int, int]:
    fraction = Fraction(str(value))
    if max(fraction.numerator, fraction.denominator) > _LARGEST:
        raise OptionError(
            f"imeasure: the option {name} takes a simple number such as 2 or 0.5, not {value}"
        )
    return fraction.numerator, fraction.denominator


def _chosen_counts(statistics: Statistics, chosen: Ints) -> Ints:
    counts = statistics.counts[np.arange(len(statistics)), np.maximum(chosen, 0)]
    return np.where(chosen[:, np.newaxis] >= 0, counts, 0).astype(np.int64)


def _columns(
    columns: NDArray[np.uint8], source: Tokens, hypothesis: Tokens, reference: Tokens
) -> tuple[Column, ...]:
    """Decode the columns of an alignment."""
    rows = iter(source), iter(hypothesis), iter(reference)
    return tuple(
        Column(
            *(next(row) if code & bit else None for row, bit in zip(rows, (4, 2, 1), strict=True))
        )
        for code in columns.tolist()
    )
