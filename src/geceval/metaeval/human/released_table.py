"""Table 1 of Choshen and Abend (2018) as its numbers were made.

The released code normalizes text, and has a metric rank systems by TrueSkill over its sentence
scores, as people do; `geceval.metaeval.human.study` does neither.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError
from geceval.evaluation.entries import Entry, Progress, silent
from geceval.evaluation.evaluate import count_all
from geceval.metaeval.correlation import Correlation, spearman
from geceval.metaeval.human.aggregation import DIGITS
from geceval.metaeval.human.judgments import Judgments, combined
from geceval.metaeval.human.rankings import Outcomes, Ranking
from geceval.metaeval.human.trueskill import trueskill
from geceval.metrics.base import Metric
from geceval.model import Annotation, Corpus, Hypothesis, Sentence, Tokens, plain_edits
from geceval.presentation.table import Table
from geceval.storage.strict_json import or_none

_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(tokens: Tokens) -> Tokens:
    """Remove punctuation, lower-case all but the first letter, and append a period.

    Examples
    --------
    >>> normalized(("He", "'s", "in", "New", "York", "!"))
    ('He', 's', 'in', 'new', 'york', '.')
    """
    words = " ".join(tokens).translate(_WITHOUT_PUNCTUATION).lower().split()
    text = " ".join(words)
    return (*(text[:1].upper() + text[1:]).split(), ".")


def normalized_corpus(corpus: Corpus) -> Corpus:
    """Normalize the sources and the corrected sentences; edits are extracted anew."""
    references = corpus.references()
    return Corpus(
        tuple(
            _normalized_sentence(sent, {name: texts[row] for name, texts in references.items()})
            for row, sent in enumerate(corpus)
        ),
        corpus.name,
    )


def _normalized_sentence(sent: Sentence, references: Mapping[str, Tokens | None]) -> Sentence:
    source = normalized(sent.tokens)
    return Sentence(
        source,
        tuple(
            Annotation(name, plain_edits(source, normalized(text)))
            for name, text in references.items()
            if text is not None
        ),
    )


def rank_by_sentences(scores: Mapping[str, NDArray[np.float64]], systems: Sequence[str]) -> Ranking:
    """Rank systems by TrueSkill, with a comparison of each pair in each sentence.

    Parameters
    ----------
    scores
        Sentence scores of a metric, by system.
    systems
        The systems.
    """
    table = np.round([scores[name] for name in systems], DIGITS)
    first, second = table[:, None], table[None]
    ties = (first == second).sum(axis=2)
    np.fill_diagonal(ties, 0)
    return trueskill(Outcomes(tuple(systems), (first > second).sum(axis=2), ties))


def released_correlations(
    judgments: Sequence[Judgments],
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    metrics: Sequence[Metric],
    *,
    progress: Progress = silent,
) -> dict[str, dict[str, Correlation]]:
    """Correlate metrics with people as the released code does.

    Text is normalized. In single sets, a metric ranks systems by all sentences, and in the
    combined one by those that were judged. Pairs of identical outputs do not count for people.

    Parameters
    ----------
    judgments
        Sets of judgments, which are also combined.
    corpus, hypotheses, metrics
        The gold standard, the outputs of all judged systems, and the metrics.
    progress
        Shows how many systems are finished.

    Returns
    -------
    correlations
        Spearman's ρ, by name of the set and of the metric.
    """
    outputs = {one.name: one.sentences for one in hypotheses}
    sets = [one.grouped(outputs) for one in judgments]
    if missing := sorted({name for one in sets for name in one.systems} - outputs.keys()):
        raise GecevalError(f"the released protocol needs the output of {', '.join(missing)}")
    gold = normalized_corpus(corpus)
    entries = [Entry(gold, Hypothesis(one.name, tuple(map(normalized, one)))) for one in hypotheses]
    scores: dict[str, dict[str, NDArray[np.float64]]] = {one.name: {} for one in metrics}
    for metric, entry, counts in count_all(metrics, entries, progress=progress):
        scores[metric.name][entry.hypothesis.name] = metric.aggregate(counts).sentences.values
    found = {}
    union = combined(sets)
    for one in (*sets, union):
        systems = one.systems
        rows = list(one.sentences if one is union else range(len(corpus)))
        people = trueskill(Outcomes.of(one, identical=False)).of(systems)
        found[one.name] = {
            name: spearman(
                rank_by_sentences({system: own[system][rows] for system in systems}, systems).of(
                    systems
                ),
                people,
            )
            for name, own in scores.items()
        }
    return found


def correlation_table(
    found: Mapping[str, Mapping[str, Correlation]], metrics: Sequence[Metric]
) -> Table:
    """Return Spearman's ρ of each metric in each set, the combined one first."""
    sets = list(found)[::-1]
    header = ["metric", *(f"{name} {what}" for name in sets for what in ("ρ", "p"))]
    rows = []
    for metric in metrics:
        every = [found[name][metric.name] for name in sets]
        cells = (or_none(cell) for one in every for cell in (one.value, one.p_value))
        rows.append((metric.title, *cells))
    title = "Correlation of metrics with human rankings as released (TrueSkill, Spearman's ρ)"
    return Table("human-correlation-released", title, tuple(header), tuple(rows), digits=3)
