"""Settings and results of a MAEGE study."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import fmean, median, stdev
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from geceval import __version__
from geceval.errors import GecevalError
from geceval.evaluation.resampling import DEFAULT_SEED, benjamini_hochberg
from geceval.metaeval.correlation import Correlation, spearman
from geceval.metaeval.maege.chains import Source, check_source
from geceval.metaeval.maege.corpora import MODELS, VARIANCE
from geceval.metaeval.maege.material import Material
from geceval.metaeval.maege.protocol import PAPER, Protocol, Ties
from geceval.metaeval.maege.sensitivity import LEVEL, ScoreChange, over_seeds
from geceval.metaeval.maege.sentence_level import Pairs
from geceval.storage.strict_json import nan_to_none

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class StudySettings:
    """Settings of a study.

    Parameters
    ----------
    source
        Whether sources are sampled, or always the original sentences (section 8 of the paper).
    seeds
        Random seeds; the study is repeated with each.
    n_chains
        Number of chains through each lattice.
    protocol
        What is sampled, and how results are computed.
    """

    source: Source = "random"
    seeds: tuple[int, ...] = (DEFAULT_SEED,)
    n_chains: int = 1
    protocol: Protocol = PAPER

    def __post_init__(self) -> None:
        check_source(self.source)
        if not self.seeds or min(self.seeds) < 0:
            raise GecevalError("at least one seed is needed, and none below 0")
        if self.n_chains < 1:
            raise GecevalError(f"at least one chain is needed, not {self.n_chains}")

    @property
    def chain_source(self) -> Source:
        """The source at the level of sentences."""
        return self.source if self.protocol.original_source == "both" else "random"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A correlation over several seeds.

    Parameters
    ----------
    values, p_values
        One for each seed; NaN if all scores of the metric are equal.
    """

    values: tuple[float, ...]
    p_values: tuple[float, ...]

    @classmethod
    def over(cls, found: Iterable[Correlation]) -> Estimate:
        """Collect the correlations of all seeds."""
        every = list(found)
        return cls(tuple(one.value for one in every), tuple(one.p_value for one in every))

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fmean(self._known(self.values) or [math.nan])

    @property
    def spread(self) -> float:
        """The standard deviation over the seeds; NaN with fewer than two."""
        known = self._known(self.values)
        return stdev(known) if len(known) > 1 else math.nan

    @property
    def p_value(self) -> float:
        """The median of the p-values."""
        return median(self._known(self.p_values) or [math.nan])

    @staticmethod
    def _known(values: Iterable[float]) -> list[float]:
        return [value for value in values if not math.isnan(value)]

    def record(self) -> dict[str, Any]:
        """Return the JSON record; NaN is not replaced."""
        return {
            "mean": self.mean,
            "spread": self.spread,
            "p_value": self.p_value,
            "values": self.values,
            "p_values": self.p_values,
        }


@dataclass(frozen=True, slots=True)
class SeedResult:
    """Results of one metric with one seed.

    Parameters
    ----------
    corpus_scores
        Scores of the corpora of all models.
    signature
        Signature of these scores.
    n_chains, n_elements
        Number of chains and of their elements.
    pairs
        How the metric orders pairs of the same chain.
    pearson
        Pearson's *r* of the scores of all elements.
    mean_gain
        Mean score difference of better and worse corrections, over all pairs.
    changes
        Score changes by error type.
    by_errors
        Number of originals and their mean score, by number of errors.
    """

    corpus_scores: Annotated[
        tuple[float, ...], Meta(min_length=len(MODELS), max_length=len(MODELS))
    ]
    signature: str
    n_chains: int
    n_elements: int
    pairs: Pairs
    pearson: Correlation
    mean_gain: float
    changes: Mapping[str, ScoreChange]
    by_errors: Mapping[int, tuple[int, float]]


@dataclass(frozen=True)
class MetricStudy:
    """Results of one metric.

    Parameters
    ----------
    name, title
        Name and title of the metric.
    results
        Results with each seed.
    ties
        How Kendall's τ treats pairs with tied scores.
    """

    name: str
    title: str
    results: tuple[SeedResult, ...]
    ties: Ties

    @property
    def signature(self) -> str:
        """The signature of the scores of corpora."""
        return self.results[0].signature

    @cached_property
    def spearman(self) -> Estimate:
        """Spearman's *ρ* between the scores of corpora and their models."""
        return Estimate.over(spearman(one.corpus_scores, MODELS) for one in self.results)

    @cached_property
    def pearson(self) -> Estimate:
        """Pearson's *r* between the scores of sentences and those of MAEGE."""
        return Estimate.over(one.pearson for one in self.results)

    @cached_property
    def kendall(self) -> Estimate:
        """Kendall's *τ* over pairs of corrections."""
        return Estimate.over(one.pairs.kendall(self.ties) for one in self.results)

    @cached_property
    def corpus_scores(self) -> tuple[float, ...]:
        """Mean score of each corpus model over the seeds."""
        scores = np.array([one.corpus_scores for one in self.results])
        return tuple(scores.mean(axis=0).tolist())

    @cached_property
    def changes(self) -> Mapping[str, ScoreChange]:
        """Score changes by error type, averaged over seeds."""
        return over_seeds(one.changes for one in self.results)

    @cached_property
    def by_errors(self) -> Mapping[int, tuple[int, float]]:
        """Number of originals and their mean score, by number of errors; averaged over seeds."""
        found: dict[int, list[tuple[int, float]]] = {}
        for result in self.results:
            for size, one in result.by_errors.items():
                found.setdefault(size, []).append(one)
        return {
            size: (round(fmean(n for n, _ in every)), fmean(mean for _, mean in every))
            for size, every in sorted(found.items())
        }

    def record(self, adjusted: Mapping[str, float]) -> dict[str, Any]:
        """Return the JSON record, with the adjusted p-value by type; NaN is not replaced."""
        return {
            "metric": self.name,
            "title": self.title,
            "signature": self.signature,
            "spearman": self.spearman.record(),
            "pearson": self.pearson.record(),
            "kendall": self.kendall.record(),
            "corpora": [one.corpus_scores for one in self.results],
            "pairs": [
                {**asdict(one.pairs), "mean_gain": one.mean_gain} for one in self.results
            ],
            "sensitivity": {
                name: {"n": change.n, "change": change.mean, "error": change.error,
                       "p_value": change.p_value, "adjusted_p_value": adjusted[name],
                       "is_certain": adjusted[name] <= LEVEL}
                for name, change in self.changes.items()
            },
            "originals": {str(size): [n, mean] for size, (n, mean) in self.by_errors.items()},
        }  # fmt: skip


@dataclass(frozen=True)
class Study:
    """A finished study.

    Parameters
    ----------
    material
        Lattices and references.
    settings
        Settings of the study.
    extraction
        Signature of the edits between sources and references.
    types
        Signature of the error types.
    metrics
        Results of each metric.
    applied
        For each seed, the mean number of edits that each corpus model applies.
    n_restored
        Number of results from earlier runs.
    """

    material: Material
    settings: StudySettings
    extraction: str
    types: str
    metrics: Mapping[str, MetricStudy]
    applied: tuple[tuple[float, ...], ...]
    n_restored: int = 0

    @property
    def upper_bound(self) -> Estimate:
        """Spearman's *ρ* of a metric that counts the applied edits.

        A model applies at most all edits of a sentence. The best corpora are therefore similar,
        and their order is random even for a perfect metric.
        """
        return Estimate.over(spearman(means, MODELS) for means in self.applied)

    @cached_property
    def adjusted(self) -> Mapping[str, Mapping[str, float]]:
        """Adjusted p-values of score changes, by metric and error type.

        They are adjusted by the method of Benjamini and Hochberg for the whole table; NaN if
        there are too few sentences to test.
        """
        tested = {
            (metric, name): change.p_value
            for metric, found in self.metrics.items()
            for name, change in found.changes.items()
            if not math.isnan(change.p_value)
        }
        known = dict(zip(tested, benjamini_hochberg(list(tested.values())), strict=True))
        return {
            metric: {name: known.get((metric, name), math.nan) for name in found.changes}
            for metric, found in self.metrics.items()
        }

    def is_significant(self, metric: str, name: str) -> bool:
        """Whether the score change of a metric for an error type is significant."""
        return self.adjusted[metric][name] <= LEVEL

    @property
    def signature(self) -> str:
        """Everything that can change a result, except the settings of the metrics."""
        material, settings = self.material, self.settings
        references = "others" if material.leave_one_out else str(len(material.references))
        pairs = {
            "data": material.digest[:12],
            "sents": len(material.sentences),
            "annotators": ",".join(material.annotators),
            "refs": references,
            "source": settings.source,
            "models": f"{MODELS[0]}-{MODELS[-1]}",
            "variance": VARIANCE,
            "chains": settings.n_chains,
            "ties": settings.protocol.ties,
            "protocol": settings.protocol.label,
            "seeds": ",".join(map(str, settings.seeds)),
            "types": self.types,
            "edits": self.extraction.replace("|", ";"),
            "version": __version__,
        }
        return "|".join(("maege", *(f"{key}:{value}" for key, value in pairs.items())))

    def record(self) -> dict[str, Any]:
        """Return the JSON record, whose format is stable."""
        material, settings = self.material, self.settings
        some = next(iter(self.metrics.values())).results[0]
        record: dict[str, Any] = nan_to_none(
            {
                "schema": SCHEMA,
                "kind": "maege",
                "version": __version__,
                "signature": self.signature,
                "material": {
                    "name": material.name,
                    "sha256": material.digest,
                    "annotators": material.annotators,
                    "references": material.references,
                    "leave_one_out": material.leave_one_out,
                    "counts": material.counts,
                    "chains": some.n_chains,
                    "elements": some.n_elements,
                },
                "settings": {
                    "source": settings.source,
                    "seeds": settings.seeds,
                    "chains": settings.n_chains,
                    "ties": settings.protocol.ties,
                    "protocol": settings.protocol.record(),
                    "models": MODELS,
                    "variance": VARIANCE,
                    "types": self.types,
                    "edits": self.extraction,
                },
                "applied": self.applied,
                "ceiling": self.upper_bound.record(),
                "metrics": [
                    metric.record(self.adjusted[name]) for name, metric in self.metrics.items()
                ],
            }
        )
        return record
