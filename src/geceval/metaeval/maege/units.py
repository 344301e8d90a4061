"""What a MAEGE study finds out piece by piece, and the file that keeps the pieces.

A unit is what one metric gives with one seed at one level. Units are written as they are finished,
one JSON document per line, so that a study that was stopped goes on where it stopped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

import msgspec

from geceval.metaeval.correlation import Correlation, spearman
from geceval.metaeval.maege.corpora import MODELS
from geceval.metaeval.maege.sensitivity import ScoreChange
from geceval.metaeval.maege.sentence_level import Pairs
from geceval.metaeval.store import Count, Line, Real, StudyStore
from geceval.storage.strict_json import or_nan, or_none

KIND = "geceval-maege-units"

Level: TypeAlias = Literal["corpus", "sentence"]


@dataclass(frozen=True, slots=True)
class CorpusUnit:
    """The scores of the corpora of all models, and how they were made."""

    scores: tuple[float, ...]
    signature: str

    @property
    def spearman(self) -> Correlation:
        """How well the scores order the corpora."""
        return spearman(self.scores, MODELS)

    def record(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        return {"scores": [or_none(score) for score in self.scores], "signature": self.signature}

    @classmethod
    def restore(cls, record: Mapping[str, Any]) -> CorpusUnit:
        """Make a unit of a record."""
        valid = msgspec.convert(record, _CorpusRecord)
        return cls(tuple(map(or_nan, valid["scores"])), valid["signature"])


@dataclass(frozen=True, slots=True)
class SentenceUnit:
    """What a metric makes of the chains.

    Parameters
    ----------
    n_chains, n_elements
        How many chains and elements of chains were scored.
    pairs
        Pairs of the same chain, and how the metric orders them.
    pearson
        Pearson's *r* of the scores of all elements.
    mean_gain
        By how much better corrections score higher, on average over the pairs.
    changes
        Changes of the score by type.
    by_errors
        Number of originals and their mean score by the number of their errors.
    """

    n_chains: int
    n_elements: int
    pairs: Pairs
    pearson: Correlation
    mean_gain: float
    changes: Mapping[str, ScoreChange]
    by_errors: Mapping[int, tuple[int, float]]

    def record(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        pairs, pearson = self.pairs, self.pearson
        return {
            "chains": self.n_chains,
            "elements": self.n_elements,
            "pairs": [pairs.n, pairs.discordant, pairs.ties, pairs.unscored],
            "pearson": [or_none(pearson.value), or_none(pearson.p_value), pearson.n],
            "mean_gain": or_none(self.mean_gain),
            "changes": {
                name: [change.n, or_none(change.mean), or_none(change.error)]
                for name, change in self.changes.items()
            },
            "by_errors": {
                str(size): [n, or_none(mean)] for size, (n, mean) in self.by_errors.items()
            },
        }

    @classmethod
    def restore(cls, record: Mapping[str, Any]) -> SentenceUnit:
        """Make a unit of a record."""
        valid = msgspec.convert(record, _SentenceRecord, strict=False)
        value, p_value, n = valid["pearson"]
        return cls(
            valid["chains"],
            valid["elements"],
            Pairs(*valid["pairs"]),
            Correlation(or_nan(value), or_nan(p_value), n),
            or_nan(valid["mean_gain"]),
            {
                name: ScoreChange(n, or_nan(mean), or_nan(error))
                for name, (n, mean, error) in valid["changes"].items()
            },
            {size: (n, or_nan(mean)) for size, (n, mean) in valid["by_errors"].items()},
        )


_N_MODELS = len(MODELS)


class _CorpusRecord(TypedDict):
    scores: Annotated[list[Real], msgspec.Meta(min_length=_N_MODELS, max_length=_N_MODELS)]
    signature: str


class _SentenceRecord(TypedDict):
    chains: Count
    elements: Count
    pairs: tuple[Count, Count, Count, Count]
    pearson: tuple[Real, Real, Count]
    mean_gain: Real
    changes: dict[str, tuple[Count, Real, Real]]
    by_errors: dict[Count, tuple[Count, Real]]


class _UnitLine(Line):
    seed: int
    level: Level
    unit: dict[str, Any]


Unit: TypeAlias = CorpusUnit | SentenceUnit
Key: TypeAlias = tuple[int, Level, str]
"""Seed, level and metric."""


class UnitStore:
    """Units in memory and, where a file is named, on disk.

    Parameters
    ----------
    made_from
        Everything that decides what is in a unit, but seed, level and metric.
    metrics
        Settings of each metric; a file with units of other settings is refused.
    path
        The file; it is begun where it is not there, and continued where it is.

    Raises
    ------
    GecevalError
        When the file is made from something else, or is none of ours.
    """

    def __init__(
        self,
        made_from: Mapping[str, str],
        metrics: Mapping[str, str],
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        self._store = StudyStore(KIND, _UnitLine, made_from, metrics, path)
        self._units: dict[Key, Unit] = {}
        for number, record in self._store.records.items():
            key = record["seed"], record["level"], record["metric"]
            kind = CorpusUnit if record["level"] == "corpus" else SentenceUnit
            try:
                self._units[key] = kind.restore(record["unit"])
            except msgspec.ValidationError as error:
                raise self._store.damaged(number, error) from error
        self.n_restored = len(self._units)

    def __contains__(self, key: Key) -> bool:
        return key in self._units

    def corpus(self, seed: int, metric: str) -> CorpusUnit:
        """Return the unit of the corpus level."""
        unit = self._units[seed, "corpus", metric]
        assert isinstance(unit, CorpusUnit)  # noqa: S101 - for the type checker
        return unit

    def sentence(self, seed: int, metric: str) -> SentenceUnit:
        """Return the unit of the sentence level."""
        unit = self._units[seed, "sentence", metric]
        assert isinstance(unit, SentenceUnit)  # noqa: S101 - for the type checker
        return unit

    def add(self, seed: int, metric: str, unit: Unit) -> None:
        """Keep a unit that is finished, unless it was there already."""
        level: Level = "corpus" if isinstance(unit, CorpusUnit) else "sentence"
        if (seed, level, metric) in self._units:
            return
        self._units[seed, level, metric] = unit
        self._store.add(metric, {"seed": seed, "level": level, "unit": unit.record()})
