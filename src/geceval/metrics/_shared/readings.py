"""System output with several annotators, the best of which is chosen for each sentence.

An M2 file of a system may have several annotations of a sentence, called readings. The statistics
have one reference for each pair of a reading and a gold reference, so that choosing a reference
chooses the best pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from geceval.metrics.statistics import Score, Statistics
from geceval.metrics.views import ChunkedSentence, SentenceEdits
from geceval.model import Corpus, Hypothesis

View = TypeVar("View", SentenceEdits, ChunkedSentence)


def each_reading(hypothesis: Hypothesis) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each annotator.

    Sentences without a reading of the annotator have the first one; the statistics mask them.
    """
    for reading in hypothesis.readings:
        sentences = zip(reading.sentences, hypothesis.sentences, strict=True)
        edits = zip(reading.edits, hypothesis.edits or (), strict=True)
        yield Hypothesis(
            hypothesis.name,
            tuple(first if own is None else own for own, first in sentences),
            tuple(first if own is None else own for own, first in edits),
        )


def pair_readings(
    count: Callable[[Corpus, Hypothesis], Statistics], corpus: Corpus, hypothesis: Hypothesis
) -> Statistics:
    """Compare each reading with each reference; the references of one reading are adjacent."""
    parts = [count(corpus, one) for one in each_reading(hypothesis)]
    columns = max((part.columns for part in parts), key=len)
    parts = [part.with_columns(columns) for part in parts]
    masks = [
        part.mask & np.array([own is not None for own in reading.sentences], dtype=bool)[:, None]
        for part, reading in zip(parts, hypothesis.readings, strict=True)
    ]
    return replace(
        parts[0],
        counts=np.concatenate([part.counts for part in parts], axis=1),
        mask=np.concatenate(masks, axis=1),
        readings=tuple(reading.annotator for reading in hypothesis.readings),
    )


def chosen_readings(hypothesis: Hypothesis, score: Score) -> list[int]:
    """Return the index of the chosen reading of each sentence, -1 without one."""
    numbers = score.sentences.readings
    if numbers is None or len(numbers) != len(hypothesis):
        raise ValueError("the score has no chosen readings: it is not a score of this hypothesis")
    return [int(number) for number in numbers]


def views_of_readings(
    view: Callable[[Corpus, Hypothesis, Score], list[View | None]],
    corpus: Corpus,
    hypothesis: Hypothesis,
    score: Score,
) -> list[View | None]:
    """Return the view of the chosen reading of each sentence."""
    views = [view(corpus, one, score) for one in each_reading(hypothesis)]
    found: list[View | None] = []
    for sentence, number in enumerate(chosen_readings(hypothesis, score)):
        shown = views[number][sentence] if number >= 0 else None
        name = hypothesis.readings[number].annotator
        found.append(None if shown is None else replace(shown, reading=name))
    return found
