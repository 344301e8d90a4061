"""Scores of subsets of the corpus: by length, gold edits, annotator agreement, and by labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.evaluate import refuse, score_subset
from geceval.evaluation.resampling import Resampling
from geceval.evaluation.slices import SlicedResult, score_slices
from geceval.formats.labels import Labeling
from geceval.model import Annotation, Corpus, Sentence
from geceval.report.results import Number, Partition, Subset, number
from geceval.report.score_records import SystemResults, interval_ends


@dataclass(frozen=True, slots=True)
class Property:
    """A numeric property of sentences that divides a corpus into subsets.

    Parameters
    ----------
    name, title, label
        Short name, heading and axis label.
    values
        The value of each sentence; NaN excludes a sentence.
    bins
        The lowest value and the label of each subset, in ascending order.
    """

    name: str
    title: str
    label: str
    values: NDArray[np.float64]
    bins: tuple[tuple[float, str], ...]

    def rows(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Yield the label and the sentences of each subset that is not empty."""
        lowest = np.array([low for low, _ in self.bins])
        bin_of = np.searchsorted(lowest, self.values, side="right") - 1
        bin_of[np.isnan(self.values)] = -1
        for index, (_, label) in enumerate(self.bins):
            rows = np.flatnonzero(bin_of == index)
            if len(rows):
                yield label, rows


_LENGTHS = (
    (0, "0"), (1, "1–10"), (11, "11–20"), (21, "21–30"), (31, "31–40"), (41, "41–60"), (61, "61+"),
)  # fmt: skip
_EDITS = ((0, "0"), (1, "1"), (2, "2"), (3, "3"), (4, "4"), (5, "5–6"), (7, "7–9"), (10, "10+"))
_AGREEMENT = (
    (0, "none"),
    (1e-9, "to 0.25"),
    (0.25 + 1e-9, "to 0.5"),
    (0.5 + 1e-9, "to 0.75"),
    (0.75 + 1e-9, "below 1"),
    (1 - 1e-9, "1"),
)


def properties(corpus: Corpus) -> list[Property]:
    """Return the properties that divide `corpus`; agreement needs two annotators."""
    found = [
        Property(
            "length",
            "Score by length of the sentence",
            "tokens of the source",
            np.array([len(sent.tokens) for sent in corpus], dtype=np.float64),
            _LENGTHS,
        ),
        Property(
            "edits",
            "Score by number of gold edits",
            "gold edits (mean over annotators, rounded)",
            np.floor(np.array([_mean_edits(sent) for sent in corpus]) + 0.5),
            _EDITS,
        ),
    ]
    if len(corpus.annotators) > 1:
        found.append(
            Property(
                "agreement",
                "Score by agreement of the annotators",
                "share of edits that annotators have in common (mean F1)",
                np.array([annotator_agreement(sent.annotations) for sent in corpus]),
                _AGREEMENT,
            )
        )
    return found


def _mean_edits(sent: Sentence) -> float:
    if not sent.annotations:
        return float("nan")
    return sum(len(ann.edits) for ann in sent.annotations) / len(sent.annotations)


def annotator_agreement(annotations: Sequence[Annotation]) -> float:
    """Return the mean F1 between the edits of all pairs of annotators.

    Two annotations without edits agree. With fewer than two annotations it is NaN.

    Examples
    --------
    >>> from geceval.model import Edit
    >>> an, comma = Edit(1, 2, (("an",),)), Edit(3, 3, ((",",),))
    >>> first = Annotation("0", (an, comma))
    >>> annotator_agreement([first, Annotation("1", (an, comma, Edit(4, 5, ((),))))])
    0.8
    """
    sets = [{(edit.start, edit.end, edit.corrections) for edit in ann.edits} for ann in annotations]
    shares = [
        2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0
        for one, other in combinations(sets, 2)
    ]
    return sum(shares) / len(shares) if shares else float("nan")


def score_subsets(
    corpus: Corpus,
    by_metric: Mapping[str, SystemResults],
    *,
    on_invalid: Callable[[str], object] = refuse,
    progress: Progress = silent,
) -> list[Partition]:
    """Score all subsets; `on_invalid` is called for scores that are not finite."""

    def score(rows: NDArray[np.int64], subset: str) -> dict[str, dict[str, Number]]:
        return {
            metric: {
                name: number(
                    score_subset(
                        one.metric, f"{name} ({subset})", one.statistics, rows, on_invalid
                    ).value
                )
                for name, one in systems.items()
            }
            for metric, systems in by_metric.items()
        }

    return [
        Partition(
            name=one.name,
            title=one.title,
            label=one.label,
            bins=[
                Subset(label=label, sentences=len(rows), scores=score(rows, f"{one.name} {label}"))
                for label, rows in progress(list(one.rows()), f"scoring subsets by {one.name}")
            ],
        )
        for one in properties(corpus)
    ]


def score_labelings(
    labelings: Sequence[Labeling],
    by_metric: Mapping[str, SystemResults],
    *,
    resampling: Resampling,
    on_invalid: Callable[[str], object] = refuse,
    progress: Progress = silent,
) -> list[Partition]:
    """Score the slices of each labeling, with intervals and a macro average."""
    found = []
    for labeling in labelings:
        scores = {
            metric: {
                name: score_slices(one, labeling, resampling=resampling, on_invalid=on_invalid)
                for name, one in systems.items()
            }
            for metric, systems in progress(
                list(by_metric.items()), f"scoring slices by {labeling.name}"
            )
        }
        n_slices = len(labeling.sizes())
        *bins, macro = (_slice(scores, place) for place in range(n_slices + 1))
        found.append(
            Partition(
                # The prefix distinguishes a labeling from properties such as the length.
                name=f"label-{labeling.name}",
                title=f"Score by {labeling.name}",
                label=labeling.name,
                bins=bins,
                macro=macro,
            )
        )
    return found


def _slice(scores: Mapping[str, Mapping[str, SlicedResult]], place: int) -> Subset:
    """Return the record of one slice, or of the macro average, which is last."""
    found = {
        metric: {name: (*one.slices, one.macro)[place] for name, one in systems.items()}
        for metric, systems in scores.items()
    }
    first = next(iter(next(iter(found.values())).values()))
    return Subset(
        label=first.label,
        sentences=first.n_sents,
        scores={
            metric: {name: number(one.value) for name, one in systems.items()}
            for metric, systems in found.items()
        },
        intervals={
            metric: {name: interval_ends(one.interval) for name, one in systems.items()}
            for metric, systems in found.items()
        },
    )
