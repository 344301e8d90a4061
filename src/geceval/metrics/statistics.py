"""Counts of systems and the scores that are computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.metrics.provenance import Provenance
from geceval.model import Corpus
from geceval.visible import html_table

if TYPE_CHECKING:
    from pandas import DataFrame

Counts: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
Rows: TypeAlias = NDArray[np.int64]
Part: TypeAlias = int | float

_T = TypeVar("_T")


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
        Hash of the data behind the counts, for the signature.
    readings
        Names of the annotators of the output, if it has several: `counts` and `mask` have all
        references for the first of them, then all for the next.
    tokenized
        Whether the output was raw text that geceval tokenized.
    extraction
        Signature of the annotator that extracted the edits; empty without extraction.
    gold_extraction
        Signature of the annotator that extracted the gold edits before the metric saw them.
    preparation
        What else was done to the output, as the signature shows it.
    nested
        Whether annotations with nested edits were divided into readings.
    unit
        What tokens are, if not words.
    """

    counts: Counts
    mask: NDArray[np.bool_]
    columns: tuple[str, ...]
    references: tuple[str, ...]
    provenance: Provenance
    readings: tuple[str, ...] = ()
    tokenized: bool = False
    extraction: str = ""
    gold_extraction: str = ""
    preparation: str = ""
    nested: bool = False
    unit: str = ""

    @classmethod
    def arrange(
        cls,
        counts: Counts,
        rows: Rows,
        places: Rows,
        columns: tuple[str, ...],
        references: tuple[str, ...],
        provenance: Provenance,
    ) -> Self:
        """Arrange counts by sentence (`rows`) and reference (`places`), others are masked."""
        shape = (len(provenance), len(references))
        table: NDArray[Any] = np.zeros((*shape, len(columns)), dtype=counts.dtype)
        mask = np.zeros(shape, dtype=bool)
        table[rows, places] = counts
        mask[rows, places] = True
        return cls(table, mask, columns, references, provenance)

    def __post_init__(self) -> None:
        n_pairs = len(self.references) * max(1, len(self.readings))
        expected = (len(self), n_pairs, len(self.columns))
        if self.counts.shape != expected or self.mask.shape != expected[:2]:
            msg = f"counts {self.counts.shape} and mask {self.mask.shape} do not fit {expected}"
            raise ValueError(msg)
        if len(self.provenance) != len(self):
            msg = f"counts of {len(self)} sentences do not fit hashes of {len(self.provenance)}"
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
        """Append the sentences of another system, for tests that swap sentences."""
        readings = max(self.readings, other.readings, key=len)
        columns = max(self.columns, other.columns, key=len)
        n_pairs = len(self.references) * max(1, len(readings))
        first = self._padded(n_pairs, len(columns))
        second = other._padded(n_pairs, len(columns))
        counts: Counts = np.concatenate((first[0], second[0]))  # type: ignore[assignment]
        mask = np.concatenate((first[1], second[1]))
        return replace(
            self,
            counts=counts,
            mask=mask,
            columns=columns,
            provenance=self.provenance.followed_by(other.provenance),
            readings=readings,
        )

    def with_columns(self, columns: tuple[str, ...]) -> Self:
        """Return the statistics with more columns, which are 0."""
        return replace(
            self, counts=self._padded(self.mask.shape[1], len(columns))[0], columns=columns
        )

    def _padded(self, n_pairs: int, n_columns: int) -> tuple[Counts, NDArray[np.bool_]]:
        """Return counts and mask, padded with masked references and columns of zeros."""
        missing = n_pairs - self.mask.shape[1]
        more = n_columns - len(self.columns)
        if not missing and not more:
            return self.counts, self.mask
        counts: Any = np.pad(self.counts, ((0, 0), (0, missing), (0, more)))
        return counts, np.pad(self.mask, ((0, 0), (0, missing)))


def annotation_indices(corpus: Corpus) -> tuple[Rows, Rows]:
    """Return the sentence and the annotator of each annotation, as indices."""
    place = {name: number for number, name in enumerate(corpus.annotators)}
    pairs = [
        (row, place[ann.annotator]) for row, sent in enumerate(corpus) for ann in sent.annotations
    ]
    rows, places = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return rows, places


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSums:
    """A score as a function of sums over sentences, with references that are already chosen.

    Parameters
    ----------
    table
        What each sentence adds to the sums, ``(n_sents, k)``.
    score
        Computes the scores of many sums, ``(n, k)``.
    """

    table: NDArray[Any]
    score: Callable[[NDArray[Any]], NDArray[np.float64]]


_MAX_FLAGS = 1_500_000
"""Maximum number of flags whose rows or weights, which are much larger, are in memory."""

_MAX_EXACT_FLAGS = 250_000
"""Maximum number of flags that are weights in memory, where their number does not matter."""


@dataclass(frozen=True, eq=False)
class Swaps:
    """Sentences that two systems swap, in many resamples.

    Parameters
    ----------
    flags
        ``(n_resamples, n_sents)``.
    """

    flags: NDArray[np.bool_]
    _shared: dict[tuple[int, int], tuple[object, object, Any]] = field(
        default_factory=dict, init=False, repr=False
    )

    def shared(self, metric: object, statistics: Statistics, compute: Callable[[], _T]) -> _T:
        """Compute something of a system once, for all pairs of systems that it is in."""
        key = id(metric), id(statistics)
        if key not in self._shared:
            # With the objects, so that their numbers remain theirs.
            self._shared[key] = (metric, statistics, compute())
        found: _T = self._shared[key][2]
        return found

    def forget(self) -> None:
        """Forget what `shared` computed, once all pairs are compared."""
        self._shared.clear()

    def rows(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield the rows of both mixtures, in blocks of resamples.

        They are those of statistics in which the second system follows the first.
        """
        if self._is_small:
            yield self._known_rows
        else:
            yield from map(_rows, self._blocks(_MAX_FLAGS))

    def sums(self, table: NDArray[Any]) -> NDArray[np.float64]:
        """Sum the rows of a table over the swapped sentences of each resample."""
        values = table.astype(np.float64)
        if self._is_small:
            return self._known_weights @ values
        # Sums of integers do not depend on the size of blocks.
        size = _MAX_EXACT_FLAGS if np.issubdtype(table.dtype, np.integer) else _MAX_FLAGS
        return np.concatenate([block.astype(np.float64) @ values for block in self._blocks(size)])

    @property
    def _is_small(self) -> bool:
        return self.flags.size <= _MAX_FLAGS

    def _blocks(self, size: int) -> Iterator[NDArray[np.bool_]]:
        """Yield the flags of some resamples at a time, of so many if possible."""
        step = max(1, size // self.flags.shape[1])
        for first in range(0, len(self.flags), step):
            yield self.flags[first : first + step]

    @cached_property
    def _known_rows(self) -> tuple[Rows, Rows]:
        return _rows(self.flags)

    @cached_property
    def _known_weights(self) -> NDArray[np.float64]:
        return self.flags.astype(np.float64)


def _rows(flags: NDArray[np.bool_]) -> tuple[Rows, Rows]:
    own = np.arange(flags.shape[1], dtype=np.int64)
    other = own + flags.shape[1]
    return np.where(flags, other, own), np.where(flags, own, other)


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """Scores of single sentences.

    Parameters
    ----------
    chosen
        Index of the reference that was used; -1 where a metric does not choose one.
    values
        The score of each sentence by itself.
    parts
        Named numbers, one array each.
    readings
        Index of the chosen annotator of the output, -1 for none; None for output of a single
        annotator.
    """

    chosen: NDArray[np.int64]
    values: NDArray[np.float64]
    parts: Mapping[str, NDArray[Any]]
    readings: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    level: float

    def __iter__(self) -> Iterator[float]:
        """Iterate over both ends, so that ``low, high = interval`` works."""
        return iter((self.low, self.high))

    def __str__(self) -> str:
        return f"[{self.low:.4f}, {self.high:.4f}]"


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one system.

    Parameters
    ----------
    metric
        Name of the metric.
    value
        The headline number, by which systems are ranked.
    parts
        Named numbers that the score is computed from.
    signature
        Everything that could change the score, in one line.
    sentences
        Scores of single sentences.
    notes
        Warnings about the score, one sentence each.
    system, score_name, interval
        Name of the system, name of the headline number and confidence interval, if known.

    Examples
    --------
    >>> import geceval
    >>> print(geceval.score(["I like it ."], ["I likes it ."], ["I like it ."], lang="plain"))
    M2 F0.5 = 1.0000 [1.0000, 1.0000] (P 1.0000, R 1.0000)
    """

    metric: str
    value: float
    parts: Mapping[str, Part]
    signature: str
    sentences: SentenceScores
    notes: tuple[str, ...] = ()
    system: str = ""
    score_name: str = "score"
    interval: Interval | None = None

    @property
    def label(self) -> str:
        """Name of the metric and of its headline number, such as ``M2 F0.5``."""
        name, bracket, options = self.metric.partition("(")
        named = name.upper() + bracket + options
        is_named = self.score_name.casefold() in ("score", name.casefold())
        return named if is_named else f"{named} {self.score_name}"

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        names = precision_and_recall(self.parts) or ()
        shares = [
            f"{short} {self.parts[part]:.4f}" for short, part in zip("PR", names, strict=False)
        ]
        pieces = [
            f"{self.label} = {self.value:.4f}",
            *([str(self.interval)] if self.interval is not None else []),
            *([f"({', '.join(shares)})"] if shares else []),
        ]
        return " ".join(pieces)

    def to_dict(self) -> dict[str, Any]:
        """Return the score for JSON, as the command line prints it."""
        record = {
            "system": self.system,
            "metric": self.metric,
            "score": self.value,
            "parts": dict(self.parts),
            "interval": None if self.interval is None else list(self.interval),
            "signature": self.signature,
        }
        return {**record, "notes": list(self.notes)} if self.notes else record

    def to_row(self) -> dict[str, str | Part | None]:
        """Return the score as a row of a table, with its interval and parts as columns."""
        low, high = self.interval if self.interval is not None else (None, None)
        return {
            "system": self.system,
            "metric": self.metric,
            "score": self.value,
            "low": low,
            "high": high,
            **self.parts,
        }

    def to_pandas(self) -> DataFrame:
        """Return a table with one row."""
        return data_frame([self.to_row()])

    def _repr_html_(self) -> str:
        row = {
            name: f"{value:.4f}" if isinstance(value, float) else str(value)
            for name, value in self.to_row().items()
            if value not in ("", None)
        }
        return html_table(list(row), [list(row.values())], caption=self.label)


_PRECISION_AND_RECALL = (("precision", "recall"), ("P", "R"))


def precision_and_recall(parts: Iterable[str]) -> tuple[str, str] | None:
    """Return the names of precision and recall among parts of a score, if any.

    Examples
    --------
    >>> precision_and_recall(["tp", "P", "R"])
    ('P', 'R')
    """
    known = set(parts)
    return next((pair for pair in _PRECISION_AND_RECALL if known.issuperset(pair)), None)


def data_frame(rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Return rows as a table of pandas, which is imported only here."""
    try:
        import pandas as pd
    except ImportError as error:
        raise GecevalError("to_pandas needs pandas: pip install pandas") from error
    return pd.DataFrame(list(rows))


def f_score(
    correct: NDArray[Any], proposed: NDArray[Any], gold: NDArray[Any], *, beta: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    r"""Precision, recall and :math:`F_\beta` of counts.

    Precision is 1 without proposed edits, recall is 1 without gold edits, and F is 0 if both
    are 0. With a `beta` of 0, F is the precision.

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
        # The formula below is undefined for a recall of 0.
        return precision, recall, precision.copy()
    below = weight * precision + recall
    f = np.divide(
        (1 + weight) * precision * recall, below, out=np.zeros_like(ones), where=below > 0
    )
    return precision, recall, f
