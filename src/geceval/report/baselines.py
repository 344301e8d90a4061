"""Baselines and upper bounds: the unchanged source, and annotators against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from geceval.evaluation.entries import Entry
from geceval.model import Corpus, Hypothesis, MissingPolicy

UNCHANGED = "source unchanged"


def find_baselines(corpus: Corpus, *, missing: MissingPolicy = "absent") -> Iterator[Entry]:
    """Yield the unchanged source, and each annotator against all others.

    An annotator is scored on the sentences that at least one other annotator annotated too. With
    a single annotator there is no upper bound.

    Parameters
    ----------
    corpus
        The gold standard.
    missing
        Treatment of absent annotators. If they agree with the previous one (``"same"``),
        skipping the sentence would hide the agreement.
    """
    yield Entry(corpus, Hypothesis(UNCHANGED, corpus.sources), "floor")
    corpus = corpus.fill_missing(missing)
    annotators = corpus.annotators
    if len(annotators) < 2:
        return
    for annotator in annotators:
        shared = [
            (sent, output)
            for sent in corpus
            if len(sent.annotations) > 1 and (output := sent.corrected(annotator)) is not None
        ]
        if shared:
            others = [name for name in annotators if name != annotator]
            gold = replace(corpus, sentences=tuple(sent for sent, _ in shared))
            name = f"annotator {annotator} (against the others)"
            texts = tuple(text for _, text in shared)
            yield Entry(gold.keep_annotators(others), Hypothesis(name, texts), "ceiling")
