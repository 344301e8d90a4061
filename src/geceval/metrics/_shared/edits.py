"""Gold edits as arrays, and metrics that choose references by F of running totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.sums import chosen_counts
from geceval.metrics.base import Metric
from geceval.metrics.options import Beta
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import (
    Part,
    Rows,
    Score,
    SentenceScores,
    SentenceSums,
    Statistics,
    Swaps,
    annotation_indices,
    f_score,
)
from geceval.model import Corpus
from geceval.text import Interned, Interner

if TYPE_CHECKING:
    from geceval.kernels.running_totals import RunningChoice

COLUMNS = ("correct", "proposed", "gold")


@dataclass(frozen=True, slots=True)
class GoldArrays:
    """The gold edits of a corpus as flat arrays; see the kernel `max_match`."""

    annotations: NDArray[np.int64]
    edits: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    options: NDArray[np.int64]
    corrections: Interned

    @classmethod
    def of(cls, corpus: Corpus, interner: Interner) -> GoldArrays:
        """Flatten the annotations of `corpus`."""
        annotations = [ann for sent in corpus for ann in sent.annotations]
        edits = [edit for ann in annotations for edit in ann.edits]
        corrections = chain.from_iterable(edit.corrections for edit in edits)
        return cls(
            offsets_of(len(sent.annotations) for sent in corpus),
            offsets_of(len(ann.edits) for ann in annotations),
            np.array([edit.start for edit in edits], dtype=np.int32),
            np.array([edit.end for edit in edits], dtype=np.int32),
            offsets_of(len(edit.corrections) for edit in edits),
            interner.intern(corrections),
        )


def offsets_of(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Return the start of each item in a flat array, and the end of the last one."""
    return np.fromiter(accumulate(sizes, initial=0), dtype=np.int64)


def by_annotator(
    corpus: Corpus, counts: NDArray[np.int64], columns: tuple[str, ...], provenance: Provenance
) -> Statistics:
    """Arrange the counts of annotations by sentence and annotator."""
    rows, places = annotation_indices(corpus)
    return Statistics.arrange(counts, rows, places, columns, corpus.annotators, provenance)


class RunningF(Metric):
    """A metric that chooses the reference of each sentence by F of the running totals.

    The score depends on the order of the sentences.

    Parameters
    ----------
    beta
        Weight of recall in F; 0.5 is usual, and with 0 F is the precision.
    """

    columns: ClassVar[tuple[str, ...]] = COLUMNS
    needs_edits = True
    max_part_resamples = None

    def __init__(self, *, beta: Beta = 0.5) -> None:
        self.beta: float = beta

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"F{self.beta:g}"

    def effective(self, counts: NDArray[Any]) -> NDArray[np.int64]:
        """Return correct, proposed and gold as they enter the score."""
        return np.ascontiguousarray(counts[..., :3], dtype=np.int64)

    def named(self, effective: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Name the counts that `effective` returned."""
        return dict(zip(COLUMNS, effective.T, strict=True))

    def more_parts(self, totals: NDArray[Any]) -> Mapping[str, Part]:  # noqa: ARG002
        """Return additional parts, from the summed columns of the chosen references."""
        return {}

    def choice(self, statistics: Statistics, **rule: bool) -> RunningChoice:
        """Return the choice of references; see `RunningChoice` for the rules."""
        from geceval.kernels.running_totals import RunningChoice

        counts = self.effective(statistics.counts)
        mask = np.ascontiguousarray(statistics.mask).view(np.uint8)
        return RunningChoice(counts, mask, self.beta, **rule)

    def is_separable(self, statistics: Statistics) -> bool:
        """Whether F is a ratio of sums: no sentence has a choice of references."""
        return self.beta > 0 and bool(np.all(statistics.mask.sum(axis=1) <= 1))

    def effective_counts(self, statistics: Statistics) -> NDArray[np.int64]:
        """Return correct, proposed and gold edits as they enter the score."""
        return self.effective(statistics.counts)

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences, choosing references in each."""
        totals = self.choice(statistics).resample(rows)
        return f_score(totals[:, 0], totals[:, 1], totals[:, 2], beta=self.beta)[2]

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped, choosing references in each."""
        ours, theirs = (
            swaps.shared(self, one, partial(self.choice, one)) for one in (first, second)
        )
        both = (
            ours.followed_by(theirs)
            if ours.is_proper and theirs.is_proper
            else self.choice(first.followed_by(second))
        )
        mixtures = both.swap(np.ascontiguousarray(swaps.flags).view(np.uint8))
        one, other = (f_score(*totals.T, beta=self.beta)[2] for totals in mixtures)
        return one, other

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, NDArray[np.float64]]:
        """Compute precision and recall of many samples of sentences."""
        totals = self.choice(statistics).resample(rows)
        precision, recall, _ = f_score(*totals.T, beta=self.beta)
        return {"precision": precision, "recall": recall}

    def fixed_sums(self, statistics: Statistics) -> SentenceSums | None:
        """Return F as a function of the counts against the chosen references."""
        _, chosen = self.choice(statistics).choose()
        counts = chosen_counts(statistics.counts, chosen)
        return SentenceSums(
            self.effective(counts), lambda totals: f_score(*totals.T, beta=self.beta)[2]
        )

    def independent_sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Score each sentence as a corpus of one, without running totals."""
        return self.resample(statistics, np.arange(len(statistics), dtype=np.int64)[:, None])

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        totals, chosen = self.choice(statistics).choose()
        precision, recall, f = f_score(*totals, beta=self.beta)
        counts = chosen_counts(statistics.counts, chosen)
        chosen, readings = references_and_readings(statistics, chosen)
        per_sentence = self.effective(counts)
        parts = self.named(per_sentence)
        values = f_score(*per_sentence.T, beta=self.beta)
        return Score(
            self.name,
            float(f),
            {
                **{name: int(total) for name, total in self.named(totals).items()},
                "precision": float(precision),
                "recall": float(recall),
                **self.more_parts(counts.sum(axis=0)),
            },
            self.signature(statistics),
            SentenceScores(
                chosen, values[2], {**parts, "precision": values[0], "recall": values[1]}, readings
            ),
        )


def references_and_readings(
    statistics: Statistics, pairs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Split chosen pairs into indices of references and of annotators of the output."""
    if not statistics.readings:
        return pairs, None
    readings, references = np.divmod(pairs, max(1, len(statistics.references)))
    return np.where(pairs < 0, -1, references), np.where(pairs < 0, -1, readings)
