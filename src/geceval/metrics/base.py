"""The contract that every metric keeps: statistics → aggregate → score, with a signature.

A metric counts once, per sentence and reference; everything after that (the score, confidence
intervals, paired tests, per-sentence tables) works on the counts alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.errors import GecevalError, MismatchError
from geceval.metrics._shared.provenance import Provenance
from geceval.metrics.options import check_options
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy, Tokens

Counts: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]
Part: TypeAlias = int | float


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of one system.

    Parameters
    ----------
    counts
        Axes ``(n_sents, n_refs, k)``.
    mask
        Axes ``(n_sents, n_refs)``; False where a reference is absent.
    columns
        Names of the ``k`` counts.
    references
        Names of the references, the annotators of the corpus.
    provenance
        What the counts were made from, for the signature.
    readings
        Names of the readings of the output, where it has several: the references stand in
        `counts` and `mask` once for each, all those of the first reading first.
    tokenized
        Whether the output was raw text that geceval split into tokens.
    """

    counts: Counts
    mask: NDArray[np.bool_]
    columns: tuple[str, ...]
    references: tuple[str, ...]
    provenance: Provenance
    readings: tuple[str, ...] = ()
    tokenized: bool = False

    def __post_init__(self) -> None:
        n_pairs = len(self.references) * max(1, len(self.readings))
        expected = (len(self), n_pairs, len(self.columns))
        if self.counts.shape != expected or self.mask.shape != expected[:2]:
            msg = f"counts {self.counts.shape} and mask {self.mask.shape} do not fit {expected}"
            raise ValueError(msg)
        if len(self.provenance) != len(self):
            msg = f"counts of {len(self)} sentences were not made from {len(self.provenance)}"
            raise ValueError(msg)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, rows: Rows) -> Self:
        """Return the statistics of the given sentences, in that order."""
        return replace(
            self,
            counts=self.counts[rows],
            mask=self.mask[rows],
            provenance=self.provenance.take(rows),
        )

    def followed_by(self, other: Statistics) -> Self:
        """Return the sentences of both, for tests that swap them between systems."""
        readings = max(self.readings, other.readings, key=len)
        n_pairs = len(self.references) * max(1, len(readings))
        first, second = self._widened(n_pairs), other._widened(n_pairs)
        counts: Counts = np.concatenate((first[0], second[0]))  # type: ignore[assignment]
        mask = np.concatenate((first[1], second[1]))
        return replace(
            self,
            counts=counts,
            mask=mask,
            provenance=self.provenance.followed_by(other.provenance),
            readings=readings,
        )

    def _widened(self, n_pairs: int) -> tuple[Counts, NDArray[np.bool_]]:
        """Return counts and mask with references that nobody has, up to so many."""
        missing = n_pairs - self.mask.shape[1]
        if not missing:
            return self.counts, self.mask
        counts: Any = np.pad(self.counts, ((0, 0), (0, missing), (0, 0)))
        return counts, np.pad(self.mask, ((0, 0), (0, missing)))


@dataclass(frozen=True, eq=False)
class Swaps:
    """Which sentences two systems swap, in many resamples.

    Parameters
    ----------
    flags
        ``(n_resamples, n_sents)``.
    """

    flags: NDArray[np.bool_]

    @cached_property
    def rows(self) -> tuple[Rows, Rows]:
        """The sentences of both mixtures, where those of the second system follow the first's."""
        n_sents = self.flags.shape[1]
        own = np.arange(n_sents, dtype=np.int64)
        other = own + n_sents
        return np.where(self.flags, other, own), np.where(self.flags, own, other)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The flags as numbers, for sums as products of matrices."""
        return self.flags.astype(np.float64)


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """What a score is made of, sentence by sentence.

    Parameters
    ----------
    chosen
        Index of the reference that was used; -1 where a metric does not choose one.
    values
        The score of each sentence by itself.
    parts
        Named numbers, one array each.
    readings
        Index of the reading of the output that was used, -1 where there is none; None for
        output that has one reading only.
    """

    chosen: NDArray[np.int64]
    values: NDArray[np.float64]
    parts: Mapping[str, NDArray[Any]]
    readings: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one system.

    Parameters
    ----------
    metric
        Name of the metric.
    value
        The number that systems are ranked by.
    parts
        Named numbers that it comes from.
    signature
        Everything that could change the number, in one line.
    sentences
        The view by sentence.
    notes
        What people have to know about the number, a sentence each.
    """

    metric: str
    value: float
    parts: Mapping[str, Part]
    signature: str
    sentences: SentenceScores
    notes: tuple[str, ...] = ()


class Metric(ABC):
    """A way to score corrections.

    Subclasses take keyword-only options, set `name` and `columns`, and implement `statistics`,
    `aggregate` and `settings`. Options are checked against their annotations before `__init__`
    sees them, see `geceval.metrics.options`.
    """

    name: str
    """What the metric is called; that of an instance also says how it differs from another."""
    title: str
    columns: ClassVar[tuple[str, ...]]
    table_parts: ClassVar[tuple[str, ...] | None] = None
    """The parts that tables show, where all of them would be too many."""
    needs_edits: ClassVar[bool] = False
    """Whether annotators' own edits are compared, so that corrected text alone does not do."""
    needs_references: ClassVar[bool] = True
    """Whether outputs are held against what annotators wrote."""
    weighs_references: ClassVar[bool] = False
    """Whether references are sampled or averaged, so that it counts how often a reading stands
    among them."""
    missing: MissingPolicy = "absent"
    """How an annotator without a line in a sentence is read."""
    holds_up: bool = False
    """Whether counting keeps all threads waiting for long, and needs sources and outputs only,
    sentence by sentence: then it is better done in other processes."""

    def __new__(cls, *_: Any, **options: Any) -> Self:
        """Check the options; copying and unpickling come here without any."""
        check_options(cls, options)
        return super().__new__(cls)

    @property
    def score_name(self) -> str:
        """What the headline number is called."""
        return "score"

    @abstractmethod
    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count, for each sentence and reference, all that the score needs."""

    @abstractmethod
    def aggregate(self, statistics: Statistics) -> Score:
        """Make a score of counts; cheap, for it runs on every resample."""

    @abstractmethod
    def settings(self) -> Mapping[str, object]:
        """Every option that can change the number."""

    def configuration(self) -> str:
        """Tell the metric with its settings apart from any other, whatever is scored."""
        return "|".join((type(self).name, *_pairs(self.settings())))

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many choices of sentences; `rows` has the axes ``(n_resamples, n_sents)``."""
        return np.array([self.aggregate(statistics.take(choice)).value for choice in rows])

    def swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems, again and again, with some of their sentences swapped."""
        both = first.followed_by(second)
        one, other = swaps.rows
        return self.resample(both, one), self.resample(both, other)

    def score(self, corpus: Corpus, hypothesis: Hypothesis) -> Score:
        """Score one system."""
        return self.aggregate(self.statistics(corpus, hypothesis))

    def signature(self, statistics: Statistics) -> str:
        """Say in one line what gave the number; equal lines mean comparable numbers."""
        settings = {
            "sents": len(statistics),
            "refs": statistics.provenance.refs,
            "data": statistics.provenance.digest,
            **self.settings(),
        }
        version = f"version:{__version__}"
        return "|".join((type(self).name, *_pairs(settings), *self.remarks(statistics), version))

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        """What else the signature says, which depends on the counts and not on the settings."""
        readings = statistics.readings
        return (
            *([f"readings:{len(readings)}"] if readings else []),
            *(["tokens:geceval"] if statistics.tokenized else []),
        )


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """How a system did on the gold edits of one type."""

    correct: int
    gold: int

    @property
    def recall(self) -> float:
        """The share that it got right."""
        return self.correct / self.gold if self.gold else 1.0


@dataclass(frozen=True, slots=True)
class SystemEdit:
    """An edit that a system made.

    Parameters
    ----------
    start, end
        Half-open token span of the source.
    correction
        What the system wrote there.
    gold
        Number of the gold edit that it matches, within the annotation; None where it is wrong.
    type
        Its error type, where the metric names those of a system's edits.
    """

    start: int
    end: int
    correction: Tokens
    gold: int | None
    type: str = ""

    @property
    def is_correct(self) -> bool:
        """Whether the annotator has this edit."""
        return self.gold is not None


@dataclass(frozen=True, slots=True)
class SentenceEdits:
    """One sentence as a metric sees it: the chosen reading and the edits of the system.

    Where the output of the system has several readings, `reading` names the one that was chosen.
    """

    annotation: Annotation
    edits: tuple[SystemEdit, ...]
    reading: str = ""

    def missed(self, n_tokens: int) -> list[Edit]:
        """Return the gold edits that the system does not have."""
        found = {edit.gold for edit in self.edits}
        return [
            edit
            for number, edit in enumerate(self.annotation.edits)
            if number not in found and edit.fits(n_tokens)
        ]


@runtime_checkable
class ShowsEdits(Protocol):
    """A metric that can show the edits behind a score."""

    def chosen_edits(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[SentenceEdits | None]:
        """Return the edits of each sentence against its chosen reading; None without one."""


def by_type(corpus: Corpus, views: Iterable[SentenceEdits | None]) -> dict[str, TypeCounts]:
    """Count right and gold edits of each gold type, in the chosen readings."""
    gold: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for sent, view in zip(corpus, views, strict=True):
        if view is not None:
            edits = view.annotation.edits
            gold.update(edit.type for edit in edits if edit.fits(len(sent.tokens)))
            correct.update(edits[edit.gold].type for edit in view.edits if edit.gold is not None)
    return {name: TypeCounts(correct[name], count) for name, count in sorted(gold.items())}


def _pairs(settings: Mapping[str, object]) -> Iterator[str]:
    return (f"{key}:{_printed(value)}" for key, value in settings.items())


def _printed(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value)


def check_lengths(corpus: Corpus, hypothesis: Hypothesis) -> None:
    """Refuse a hypothesis that does not have one sentence for each of the corpus."""
    check_counts(corpus, hypothesis)
    check_readings(hypothesis)


def check_counts(corpus: Corpus, hypothesis: Hypothesis) -> None:
    """Refuse a hypothesis that has more or fewer sentences than the corpus."""
    if len(corpus) != len(hypothesis):
        from geceval.validation.misalignment import slip_hint

        raise MismatchError(
            corpus.name or "the gold standard",
            len(corpus),
            hypothesis.name or "the hypothesis",
            len(hypothesis),
            hint=slip_hint(corpus.sources, hypothesis.sentences),
        )


def check_readings(hypothesis: Hypothesis) -> None:
    """Refuse output that has several readings where only one can be used."""
    if hypothesis.readings:
        names = ", ".join(reading.annotator for reading in hypothesis.readings)
        raise GecevalError(
            f"the output of {hypothesis.name or 'the hypothesis'} has several readings of a "
            f"sentence (annotators {names}), of which only m2 and errant choose the best; take "
            "one with 'geceval convert --apply --annotator NAME'"
        )


def f_score(
    correct: NDArray[Any], proposed: NDArray[Any], gold: NDArray[Any], *, beta: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    r"""Precision, recall and :math:`F_\beta` of counts.

    Nothing proposed gives a precision of 1, nothing in the gold a recall of 1, and F is 0 when
    both are 0. Where recall has no weight, F is the precision.

    Examples
    --------
    >>> [value.item() for value in f_score(*map(np.array, (1, 2, 4)), beta=0.5)]
    [0.5, 0.25, 0.4166666666666667]
    >>> [value.item() for value in f_score(*map(np.array, (0, 0, 4)), beta=0)]
    [1.0, 0.0, 1.0]
    """
    ones = np.ones(np.shape(correct))
    precision = np.divide(correct, proposed, out=ones.copy(), where=np.asarray(proposed) > 0)
    recall = np.divide(correct, gold, out=ones.copy(), where=np.asarray(gold) > 0)
    weight = beta * beta
    if not weight:
        # Also where the recall is 0, and the formula below would divide by it.
        return precision, recall, precision.copy()
    below = weight * precision + recall
    f = np.divide(
        (1 + weight) * precision * recall, below, out=np.zeros_like(ones), where=below > 0
    )
    return precision, recall, f
