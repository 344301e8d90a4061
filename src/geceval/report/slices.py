"""The corpus cut by length, by gold edits and by how alike the annotators are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import refuse, score_subset
from geceval.model import Annotation, Corpus, Sentence
from geceval.report.results import Bin, Number, Slice, number
from geceval.report.system_scores import Scoring


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to cut a corpus.

    Parameters
    ----------
    name, title, label
        Short name, heading, and what stands at the axis.
    values
        What is measured of each sentence; NaN takes it out.
    bins
        The lowest value of each bin and its name, in order.
    """

    name: str
    title: str
    label: str
    values: NDArray[np.float64]
    bins: tuple[tuple[float, str], ...]

    def rows(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Yield the name of each bin and the sentences in it; empty bins are left out."""
        lowest = np.array([low for low, _ in self.bins])
        place = np.searchsorted(lowest, self.values, side="right") - 1
        place[np.isnan(self.values)] = -1
        for wanted, (_, label) in enumerate(self.bins):
            rows = np.flatnonzero(place == wanted)
            if len(rows):
                yield label, rows


_LENGTHS = (
    (0, "0"), (1, "1–10"), (11, "11–20"), (21, "21–30"), (31, "31–40"), (41, "41–60"), (61, "61+"),
)  # fmt: skip
_EDITS = ((0, "0"), (1, "1"), (2, "2"), (3, "3"), (4, "4"), (5, "5–6"), (7, "7–9"), (10, "10+"))
_LIKENESS = (
    (0, "none"),
    (1e-9, "to 0.25"),
    (0.25 + 1e-9, "to 0.5"),
    (0.5 + 1e-9, "to 0.75"),
    (0.75 + 1e-9, "below 1"),
    (1 - 1e-9, "1"),
)


def cuts(corpus: Corpus) -> list[Cut]:
    """Return the ways to cut `corpus`; agreement needs two annotators."""
    found = [
        Cut(
            "length",
            "Score by length of the sentence",
            "tokens of the source",
            np.array([len(sent.tokens) for sent in corpus], dtype=np.float64),
            _LENGTHS,
        ),
        Cut(
            "edits",
            "Score by number of gold edits",
            "gold edits (mean over annotators, rounded)",
            np.floor(np.array([mean_edits(sent) for sent in corpus]) + 0.5),
            _EDITS,
        ),
    ]
    if len(corpus.annotators) > 1:
        found.append(
            Cut(
                "agreement",
                "Score by agreement of the annotators",
                "share of edits that annotators have in common (mean F1)",
                np.array([likeness(sent.annotations) for sent in corpus]),
                _LIKENESS,
            )
        )
    return found


def mean_edits(sent: Sentence) -> float:
    """Return how many edits the annotators have on average; NaN without annotators."""
    if not sent.annotations:
        return float("nan")
    return sum(len(ann.edits) for ann in sent.annotations) / len(sent.annotations)


def likeness(readings: Sequence[Annotation]) -> float:
    """Return the mean F1 between the edits of all pairs of annotators.

    Two who found nothing to correct agree. It is NaN where fewer than two looked.

    Examples
    --------
    >>> from geceval.model import Edit
    >>> an, comma = Edit(1, 2, (("an",),)), Edit(3, 3, ((",",),))
    >>> likeness([Annotation("0", (an, comma)), Annotation("1", (an, comma, Edit(4, 5, ((),))))])
    0.8
    """
    sets = [{(edit.start, edit.end, edit.corrections) for edit in ann.edits} for ann in readings]
    shares = [
        2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0
        for one, other in combinations(sets, 2)
    ]
    return sum(shares) / len(shares) if shares else float("nan")


def slices(
    corpus: Corpus,
    scorings: Sequence[Scoring],
    *,
    on_fault: Callable[[str], object] = refuse,
    progress: Progress = silent,
) -> list[Slice]:
    """Score every bin of every slicing; `on_fault` is told of scores that are not finite."""
    return [
        Slice(
            name=cut.name,
            title=cut.title,
            label=cut.label,
            bins=[
                Bin(
                    label=label,
                    sentences=len(rows),
                    scores=_scores(scorings, rows, f"{cut.name} {label}", on_fault),
                )
                for label, rows in progress(list(cut.rows()), f"slicing by {cut.name}")
            ],
        )
        for cut in cuts(corpus)
    ]


def _scores(
    scorings: Sequence[Scoring],
    rows: NDArray[np.int64],
    subset: str,
    on_fault: Callable[[str], object],
) -> dict[str, dict[str, Number]]:
    return {
        one.metric.name: {
            name: number(
                score_subset(
                    one.metric, f"{name} ({subset})", result.statistics, rows, on_fault
                ).value
            )
            for name, result in one.results.items()
        }
        for one in scorings
    }
