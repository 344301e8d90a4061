"""MAEGE: what metrics prefer, measured with corrections whose order of quality is known.

Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval import __version__
from geceval.errors import GecevalError
from geceval.evaluation.entries import Entry
from geceval.evaluation.evaluate import count, score_subset
from geceval.extraction.annotator import Annotator
from geceval.metaeval.correlation import scipy_stats
from geceval.metaeval.maege.chains import Source
from geceval.metaeval.maege.corpora import SentenceDraws, draw_sentence
from geceval.metaeval.maege.material import Material
from geceval.metaeval.maege.rows import Extractor, Row, Rows
from geceval.metaeval.maege.sentence_level import SentenceLevel, count_pairs
from geceval.metaeval.maege.summary import MetricStudy, Study, StudySettings
from geceval.metaeval.maege.units import CorpusUnit, SentenceUnit, UnitStore
from geceval.metrics.base import Metric
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Hypothesis

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
    """Validate metrics.

    Parameters
    ----------
    material
        Lattices and references.
    metrics
        Metrics by the names that the results give them.
    annotator
        Finds the edits between sources and references.
    settings
        How it is done.
    types
        What the error types of the material are called in the signature.
    resume
        A file that keeps what is finished; what is in it is not done again.
    progress
        Wraps the list of jobs to show how many are done.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Sentence
    >>> from geceval.metaeval.maege.material import span
    >>> from geceval.metrics import get_metric
    >>> first = Annotation("0", (Edit(1, 2, (("like",),)), Edit(2, 3, (("them",),))))
    >>> second = Annotation("1", (Edit(1, 2, (("liked",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "they"), (first, second)),))
    >>> found = study(span(corpus), {"ld": get_metric("ld-source")()}, Annotator("plain"))
    >>> found.metrics["ld"].sentences[0].pairs.n
    4
    """
    settings = StudySettings() if settings is None else settings
    if not metrics:
        raise GecevalError("name at least one metric")
    scipy_stats()  # What is missing should be told before the work is done.
    store = UnitStore(
        {
            "the version of geceval": __version__,
            "the data": material.digest,
            "the source": settings.source,
            "the number of chains": str(settings.n_chains),
            "the edits": annotator.signature,
        },
        {name: metric.configuration() for name, metric in metrics.items()},
        resume,
    )
    jobs = [
        (seed, name)
        for seed in settings.seeds
        for name in metrics
        if (seed, "corpus", name) not in store or (seed, "sentence", name) not in store
    ]
    extractor = Extractor(material, annotator)
    drawn: _Drawn | None = None
    for seed, name in progress(jobs):
        if drawn is None or drawn.seed != seed:
            drawn = _Drawn.draw(material, extractor, seed, settings)
        for unit in drawn.units(metrics[name]):
            store.add(seed, name, unit)
    return Study(
        material,
        settings,
        annotator.signature,
        types,
        {
            name: MetricStudy(
                name,
                metric.title,
                tuple(store.corpus(seed, name) for seed in settings.seeds),
                tuple(store.sentence(seed, name) for seed in settings.seeds),
                settings.ties,
            )
            for name, metric in metrics.items()
        },
        tuple(_applied(material, seed, settings.source) for seed in settings.seeds),
        store.n_restored,
    )


def _applied(material: Material, seed: int, source: Source) -> tuple[float, ...]:
    """Return how many edits the corpus of each model really applies, on average."""
    counts = [
        [draw.n_edits for draw in _draw(material, place, seed, source).outputs]
        for place in range(len(material.sentences))
    ]
    return tuple(np.mean(counts, axis=0).tolist())


def _draw(material: Material, place: int, seed: int, source: Source) -> SentenceDraws:
    sent = material.sentences[place]
    return draw_sentence(sent.lattices, sentence=sent.number, seed=seed, source=source)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Everything that was drawn with one seed, ready to be scored.

    The rows of both levels are counted together, in one pass for each metric.
    """

    seed: int
    rows: tuple[Row, ...]
    corpus: Corpus
    corpora: NDArray[np.int64]
    sentences: SentenceLevel

    @classmethod
    def draw(
        cls, material: Material, extractor: Extractor, seed: int, settings: StudySettings
    ) -> _Drawn:
        rows = Rows()
        corpora = [
            _corpus_rows(material, place, seed, settings.source, rows)
            for place in range(len(material.sentences))
        ]
        sentences = SentenceLevel.draw(
            material, rows, seed=seed, n_chains=settings.n_chains, source=settings.source
        )
        every = tuple(rows)
        return cls(seed, every, extractor.corpus(every), np.array(corpora).T, sentences)

    def units(self, metric: Metric) -> tuple[CorpusUnit, SentenceUnit]:
        """Score everything with a metric."""
        outputs = Hypothesis("maege", tuple(row.output for row in self.rows))
        statistics = count(metric, Entry(self.corpus, outputs))
        return self._corpus_unit(metric, statistics), self._sentence_unit(metric, statistics)

    def _corpus_unit(self, metric: Metric, statistics: Statistics) -> CorpusUnit:
        scores = [score_subset(metric, "maege", statistics, rows) for rows in self.corpora]
        return CorpusUnit(tuple(float(score.value) for score in scores), scores[0].signature)

    def _sentence_unit(self, metric: Metric, statistics: Statistics) -> SentenceUnit:
        level = self.sentences
        scores = metric.independent_sentence_scores(statistics)
        return SentenceUnit(
            level.n_chains,
            len(level.elements),
            count_pairs(scores, level.lower, level.upper),
            level.pearson(scores),
            level.mean_gain(scores),
            level.steps.changes(scores),
            level.by_errors(scores),
        )


def _corpus_rows(
    material: Material, place: int, seed: int, source: Source, rows: Rows
) -> list[int]:
    """Draw the outputs of all corpus models for one sentence; return the numbers of their rows."""
    drawn = _draw(material, place, seed, source)
    return [
        rows.number(Row(place, drawn.source, material.held_out(draw.annotator), draw.text))
        for draw in drawn.outputs
    ]
