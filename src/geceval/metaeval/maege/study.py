"""The MAEGE study: evaluation of metrics on corrections of known quality.

Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.errors import GecevalError
from geceval.evaluation.entries import Entry
from geceval.evaluation.evaluate import count, score_subset
from geceval.extraction.annotator import Annotator
from geceval.metaeval.correlation import scipy_module
from geceval.metaeval.human.aggregation import aggregated
from geceval.metaeval.maege.corpora import SentenceSample, sample_sentence
from geceval.metaeval.maege.material import Material
from geceval.metaeval.maege.protocol import PAPER, Protocol
from geceval.metaeval.maege.rows import Extractor, Row
from geceval.metaeval.maege.sentence_level import SentenceLevel
from geceval.metaeval.maege.summary import MetricStudy, SeedResult, Study, StudySettings
from geceval.metaeval.store import StudyStore
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Hypothesis

KIND = "geceval-maege-results"

Job: TypeAlias = tuple[int, str]
"""A seed and a metric."""


def study(
    material: Material,
    metrics: Mapping[str, Metric],
    annotator: Annotator,
    *,
    settings: StudySettings | None = None,
    types: str = "gold",
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[Sequence[Job]], Iterable[Job]] = iter,
) -> Study:
    """Evaluate metrics.

    Parameters
    ----------
    material
        Lattices and references.
    metrics
        Metrics by name.
    annotator
        Extracts the edits between sources and references.
    settings
        Settings of the study.
    types
        Signature of the error types of the material.
    resume
        A file for finished results, to resume from.
    progress
        Wraps the list of jobs to show progress.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Sentence
    >>> from geceval.metaeval.maege.material import span
    >>> from geceval.metrics import metric_class
    >>> first = Annotation("0", (Edit(1, 2, (("like",),)), Edit(2, 3, (("them",),))))
    >>> second = Annotation("1", (Edit(1, 2, (("liked",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "they"), (first, second)),))
    >>> found = study(span(corpus), {"ld": metric_class("ld-source")()}, Annotator("plain"))
    >>> found.metrics["ld"].results[0].pairs.n
    4
    """
    settings = StudySettings() if settings is None else settings
    if not metrics:
        raise GecevalError("name at least one metric")
    material.check_protocol(settings.protocol)
    metrics = {name: settings.protocol.variant(metric) for name, metric in metrics.items()}
    scipy_module("stats")  # Fail early if scipy is missing.
    store = StudyStore(
        KIND,
        SeedResult,
        {
            "the version of geceval": __version__,
            "the data": material.digest,
            "the source": settings.source,
            "the number of chains": str(settings.n_chains),
            # All treatments of ties are computed from the same counts.
            "the protocol": replace(settings.protocol, ties=PAPER.ties).label,
            "the edits": annotator.signature,
        },
        {name: metric.configuration() for name, metric in metrics.items()},
        resume,
    )
    jobs = [
        (seed, name) for seed in settings.seeds for name in metrics if (name, seed) not in store
    ]
    extractor = Extractor(material, annotator)
    sample: _Sample | None = None
    applied: dict[int, tuple[float, ...]] = {}
    for seed, name in progress(jobs):
        if sample is None or sample.seed != seed:
            sample = _Sample.draw(extractor, seed, settings)
            applied[seed] = sample.applied
        store.add(name, seed, sample.result(metrics[name]))
    return Study(
        material,
        settings,
        annotator.signature,
        types,
        {
            name: MetricStudy(
                name,
                metric.title,
                tuple(store[name, seed] for seed in settings.seeds),
                settings.protocol.ties,
            )
            for name, metric in metrics.items()
        },
        tuple(
            applied.get(seed) or _mean_applied(_sample_corpora(material, seed, settings))
            for seed in settings.seeds
        ),
        store.n_restored,
    )


def _mean_applied(samples: Iterable[SentenceSample]) -> tuple[float, ...]:
    """Return the mean number of edits that each corpus model actually applies."""
    counts = [[output.n_edits for output in sample.outputs] for sample in samples]
    return tuple(np.mean(counts, axis=0).tolist())


def _sample_corpora(
    material: Material, seed: int, settings: StudySettings
) -> Iterator[SentenceSample]:
    for sent in material.sentences:
        yield sample_sentence(
            sent.lattices,
            sentence=sent.number,
            seed=seed,
            source=settings.source,
            protocol=settings.protocol,
        )


@dataclass(frozen=True, slots=True)
class _Sample:
    """The samples of one seed, at both levels.

    The rows of both levels are scored together, in one pass for each metric.
    """

    seed: int
    gold: Corpus
    outputs: Hypothesis
    corpora: NDArray[np.int64]
    sentences: SentenceLevel
    applied: tuple[float, ...]
    protocol: Protocol

    @classmethod
    def draw(cls, extractor: Extractor, seed: int, settings: StudySettings) -> _Sample:
        material = extractor.material
        rows: dict[Row, int] = {}
        corpora = []
        samples = list(_sample_corpora(material, seed, settings))
        for number, sample in enumerate(samples):
            corpora.append(
                [
                    rows.setdefault(
                        Row(number, sample.source, material.held_out(one.annotator), one.text),
                        len(rows),
                    )
                    for one in sample.outputs
                ]
            )
        sentences = SentenceLevel.sample(
            material,
            rows,
            seed=seed,
            n_chains=settings.n_chains,
            source=settings.chain_source,
            protocol=settings.protocol,
        )
        outputs = Hypothesis("maege", tuple(row.output for row in rows))
        return cls(
            seed,
            extractor.corpus(rows),
            outputs,
            np.array(corpora).T,
            sentences,
            _mean_applied(samples),
            settings.protocol,
        )

    def result(self, metric: Metric) -> SeedResult:
        """Score everything with a metric."""
        statistics = count(metric, Entry(self.gold, self.outputs))
        level = self.sentences
        scores = metric.independent_sentence_scores(statistics)
        return SeedResult(
            self._corpus_scores(metric, statistics, scores),
            metric.signature(statistics.take(self.corpora[0])),
            level.n_chains,
            len(level.elements),
            level.count_pairs(scores),
            level.pearson(scores),
            level.mean_gain(scores),
            level.steps.changes(scores),
            level.by_errors(scores),
        )

    def _corpus_scores(
        self, metric: Metric, statistics: Statistics, scores: NDArray[np.float64]
    ) -> tuple[float, ...]:
        """Score the corpora of all models."""
        aggregation = self.protocol.aggregation
        if aggregation == "own":
            corpora = [score_subset(metric, "maege", statistics, rows) for rows in self.corpora]
            return tuple(float(score.value) for score in corpora)
        if aggregation == "mean":
            return tuple(_known_mean(scores[rows]) for rows in self.corpora)
        return tuple(aggregated(scores[self.corpora], aggregation)[0].tolist())


def _known_mean(scores: NDArray[np.float64]) -> float:
    """Return the mean over sentences that have a score; NaN without any."""
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if len(known) else math.nan
