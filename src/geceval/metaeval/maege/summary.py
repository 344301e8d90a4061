"""What a MAEGE study was asked for and what it found out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median, stdev
from typing import Any

import numpy as np

from geceval import __version__
from geceval.errors import GecevalError
from geceval.evaluation.resampling import DEFAULT_SEED
from geceval.metaeval.correlation import Correlation, spearman
from geceval.metaeval.maege.chains import Source, check_source
from geceval.metaeval.maege.corpora import MODELS, VARIANCE
from geceval.metaeval.maege.material import Material
from geceval.metaeval.maege.sensitivity import ScoreChange, over_seeds
from geceval.metaeval.maege.sentence_level import Ties, check_ties
from geceval.metaeval.maege.units import CorpusUnit, SentenceUnit
from geceval.storage.strict_json import or_none

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class StudySettings:
    """How a study is done.

    Parameters
    ----------
    source
        Whether sources are sampled, or always the original sentences (section 8 of the paper).
    seeds
        The study is done once with each.
    n_chains
        Chains through each lattice.
    ties
        What a pair is to Kendall's τ on which a metric gives both the same score.
    """

    source: Source = "random"
    seeds: tuple[int, ...] = (DEFAULT_SEED,)
    n_chains: int = 1
    ties: Ties = "not-discordant"

    def __post_init__(self) -> None:
        check_source(self.source)
        check_ties(self.ties)
        if not self.seeds or min(self.seeds) < 0:
            raise GecevalError("at least one seed is needed, and none below 0")
        if self.n_chains < 1:
            raise GecevalError(f"at least one chain is needed, not {self.n_chains}")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A correlation over several seeds.

    Parameters
    ----------
    values, p_values
        One for each seed; NaN where a metric gives the same score throughout.
    """

    values: tuple[float, ...]
    p_values: tuple[float, ...]

    @classmethod
    def over(cls, found: Iterable[Correlation]) -> Estimate:
        """Gather the correlations of all seeds."""
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
        """Return what can be written as JSON."""
        return {
            "mean": or_none(self.mean),
            "spread": or_none(self.spread),
            "p_value": or_none(self.p_value),
            "values": [or_none(value) for value in self.values],
            "p_values": [or_none(value) for value in self.p_values],
        }


@dataclass(frozen=True)
class MetricStudy:
    """What was found out about one metric.

    Parameters
    ----------
    name, title
        What it is called.
    corpora, sentences
        What each seed gave at either level.
    ties
        The rule for ties.
    """

    name: str
    title: str
    corpora: tuple[CorpusUnit, ...]
    sentences: tuple[SentenceUnit, ...]
    ties: Ties

    @property
    def signature(self) -> str:
        """The signature of the scores of corpora."""
        return self.corpora[0].signature

    @cached_property
    def spearman(self) -> Estimate:
        """Spearman's *ρ* between the scores of corpora and their models."""
        return Estimate.over(unit.spearman for unit in self.corpora)

    @cached_property
    def pearson(self) -> Estimate:
        """Pearson's *r* between the scores of sentences and those of MAEGE."""
        return Estimate.over(unit.pearson for unit in self.sentences)

    @cached_property
    def kendall(self) -> Estimate:
        """Kendall's *τ* over pairs of corrections."""
        return Estimate.over(unit.pairs.kendall(self.ties) for unit in self.sentences)

    @cached_property
    def corpus_scores(self) -> tuple[float, ...]:
        """The score of each corpus model, mean over the seeds."""
        scores = np.array([unit.scores for unit in self.corpora])
        return tuple(scores.mean(axis=0).tolist())

    @cached_property
    def changes(self) -> Mapping[str, ScoreChange]:
        """Changes of the score by error type, over all seeds."""
        return over_seeds(unit.changes for unit in self.sentences)

    @cached_property
    def by_errors(self) -> Mapping[int, tuple[int, float]]:
        """How many originals have so many errors, and their mean score; means over the seeds."""
        found: dict[int, list[tuple[int, float]]] = {}
        for unit in self.sentences:
            for size, one in unit.by_errors.items():
                found.setdefault(size, []).append(one)
        return {
            size: (round(fmean(n for n, _ in every)), fmean(mean for _, mean in every))
            for size, every in sorted(found.items())
        }

    def record(self) -> dict[str, Any]:
        """Return what can be written as JSON."""
        return {
            "metric": self.name,
            "title": self.title,
            "signature": self.signature,
            "spearman": self.spearman.record(),
            "pearson": self.pearson.record(),
            "kendall": self.kendall.record(),
            "corpora": [unit.record()["scores"] for unit in self.corpora],
            "pairs": [
                {"n": unit.pairs.n, "discordant": unit.pairs.discordant, "ties": unit.pairs.ties,
                 "unscored": unit.pairs.unscored, "mean_gain": or_none(unit.mean_gain)}
                for unit in self.sentences
            ],
            "sensitivity": {
                name: {"n": change.n, "change": or_none(change.mean),
                       "error": or_none(change.error), "is_certain": change.is_certain}
                for name, change in self.changes.items()
            },
            "originals": {str(size): [n, mean] for size, (n, mean) in self.by_errors.items()},
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Study:
    """A finished study.

    Parameters
    ----------
    material
        What it was done with.
    settings
        How it was done.
    extraction
        How the edits were found that metrics compare.
    types
        Whose error types the sensitivity is about.
    metrics
        What was found out about each metric.
    applied
        With each seed, how many edits the corpus of each model applies on average.
    n_restored
        How many units came from an earlier run.
    """

    material: Material
    settings: StudySettings
    extraction: str
    types: str
    metrics: Mapping[str, MetricStudy]
    applied: tuple[tuple[float, ...], ...]
    n_restored: int = 0

    @property
    def ceiling(self) -> Estimate:
        """Spearman's *ρ* of a metric that counts the edits that were applied.

        Where sentences have fewer edits than a model wants, it applies those that there are; so
        the best corpora are alike, and their order is chance even to a perfect metric.
        """
        return Estimate.over(spearman(means, MODELS) for means in self.applied)

    @property
    def signature(self) -> str:
        """Everything that could change a number, but the metrics' own settings, in one line."""
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
            "ties": settings.ties,
            "seeds": ",".join(map(str, settings.seeds)),
            "types": self.types,
            "edits": self.extraction.replace("|", ";"),
            "version": __version__,
        }
        return "|".join(("maege", *(f"{key}:{value}" for key, value in pairs.items())))

    def record(self) -> dict[str, Any]:
        """Return what machines read; the form is kept stable."""
        material, settings = self.material, self.settings
        some = next(iter(self.metrics.values())).sentences[0]
        return {
            "schema": SCHEMA,
            "kind": "maege",
            "version": __version__,
            "signature": self.signature,
            "material": {
                "name": material.name,
                "sha256": material.digest,
                "annotators": list(material.annotators),
                "references": list(material.references),
                "leave_one_out": material.leave_one_out,
                "counts": dict(material.counts),
                "chains": some.n_chains,
                "elements": some.n_elements,
            },
            "settings": {
                "source": settings.source,
                "seeds": list(settings.seeds),
                "chains": settings.n_chains,
                "ties": settings.ties,
                "models": list(MODELS),
                "variance": VARIANCE,
                "types": self.types,
                "edits": self.extraction,
            },
            "applied": [list(means) for means in self.applied],
            "ceiling": self.ceiling.record(),
            "metrics": [metric.record() for metric in self.metrics.values()],
        }
