"""What metrics that compare edits share: gold edits as arrays, and F by running totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics.base import Metric
from geceval.metrics.options import Beta
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Part, Rows, Score, SentenceScores, Statistics, f_score
from geceval.model import Corpus
from geceval.text import Interned, Interner

if TYPE_CHECKING:
    from geceval.kernels.running_totals import RunningChoice

COLUMNS = ("correct", "proposed", "gold")


@dataclass(frozen=True, slots=True)
class GoldArrays:
    """The gold edits of a corpus as flat arrays; the kernel `max_match` explains them."""

    annotations: NDArray[np.int64]
    edits: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    options: NDArray[np.int64]
    corrections: Interned

    @classmethod
    def of(cls, corpus: Corpus, interner: Interner) -> GoldArrays:
        """Flatten the annotations of `corpus`, each sentence's in their order."""
        readings = [ann for sent in corpus for ann in sent.annotations]
        edits = [edit for ann in readings for edit in ann.edits]
        corrections = chain.from_iterable(edit.corrections for edit in edits)
        return cls(
            offsets_of(len(sent.annotations) for sent in corpus),
            offsets_of(len(ann.edits) for ann in readings),
            np.array([edit.start for edit in edits], dtype=np.int32),
            np.array([edit.end for edit in edits], dtype=np.int32),
            offsets_of(len(edit.corrections) for edit in edits),
            interner.intern(corrections),
        )


def offsets_of(sizes: Iterable[int]) -> NDArray[np.int64]:
    """Return where each of some pieces of these sizes begins, and where the last one ends."""
    return np.fromiter(accumulate(sizes, initial=0), dtype=np.int64)


def lay_out(
    corpus: Corpus,
    counts: NDArray[np.int64],
    columns: tuple[str, ...],
    provenance: Provenance,
) -> Statistics:
    """Lay counts by annotation out by sentence and annotator.

    A sentence that nobody annotated takes no part: all of its references are masked.
    """
    references = corpus.annotators
    place = {name: number for number, name in enumerate(references)}
    rows = [number for number, sent in enumerate(corpus) for _ in sent.annotations]
    places = [place[ann.annotator] for sent in corpus for ann in sent.annotations]
    table = np.zeros((len(corpus), len(references), len(columns)), dtype=np.int64)
    mask = np.zeros(table.shape[:2], dtype=bool)
    table[rows, places] = counts
    mask[rows, places] = True
    return Statistics(table, mask, columns, references, provenance)


class RunningF(Metric):
    """A metric whose reference is chosen, sentence by sentence, by F of the running totals.

    The score therefore depends on the order of the sentences.

    Parameters
    ----------
    beta
        How much more recall weighs than precision; 0.5 is usual, and with 0 F is the precision.
    """

    columns = COLUMNS
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
        """Name what `effective` returned, as it is reported."""
        return dict(zip(COLUMNS, effective.T, strict=True))

    def more_parts(self, totals: NDArray[Any]) -> Mapping[str, Part]:  # noqa: ARG002
        """Name numbers beside the usual ones, from the summed columns of the chosen references."""
        return {}

    def choice(self, statistics: Statistics, **rule: bool) -> RunningChoice:
        """Make references ready to be chosen from; see `RunningChoice` for the rules."""
        from geceval.kernels.running_totals import RunningChoice

        counts = self.effective(statistics.counts)
        mask = np.ascontiguousarray(statistics.mask).view(np.uint8)
        return RunningChoice(counts, mask, self.beta, **rule)

    def effective_counts(self, statistics: Statistics) -> NDArray[np.int64]:
        """Return correct, proposed and gold edits as they enter the score."""
        return self.effective(statistics.counts)

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences, choosing references anew in each."""
        totals = self.choice(statistics).resample(rows)
        return f_score(totals[:, 0], totals[:, 1], totals[:, 2], beta=self.beta)[2]

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, NDArray[np.float64]]:
        """Compute precision and recall of many samples of sentences."""
        totals = self.choice(statistics).resample(rows)
        precision, recall, _ = f_score(*totals.T, beta=self.beta)
        return {"precision": precision, "recall": recall}

    def independent_sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Score each sentence as a corpus of one, with no running totals of others."""
        return self.resample(statistics, np.arange(len(statistics), dtype=np.int64)[:, None])

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        totals, chosen = self.choice(statistics).choose()
        precision, recall, f = f_score(*totals, beta=self.beta)
        counts = np.zeros((len(statistics), len(statistics.columns)), dtype=np.int64)
        annotated = chosen >= 0
        counts[annotated] = statistics.counts[annotated, chosen[annotated]]
        chosen, readings = _references_and_readings(statistics, chosen)
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


def _references_and_readings(
    statistics: Statistics, pairs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Split the number of each chosen pair into that of its reference and of its reading."""
    if not statistics.readings:
        return pairs, None
    readings, references = np.divmod(pairs, max(1, len(statistics.references)))
    return np.where(pairs < 0, -1, references), np.where(pairs < 0, -1, readings)
