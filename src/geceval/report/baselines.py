"""Baselines and upper bounds: the unchanged source, and annotators against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from geceval.evaluation.annotators import leave_one_out
from geceval.evaluation.entries import Entry
from geceval.model import Corpus, Hypothesis, MissingPolicy

UNCHANGED = "source unchanged"


def find_baselines(corpus: Corpus, *, missing: MissingPolicy = "absent") -> Iterator[Entry]:
    """Yield the unchanged source, and each annotator against all others.

    Parameters
    ----------
    corpus
        The gold standard.
    missing
        Treatment of absent annotators; see `geceval.evaluation.annotators.leave_one_out`.
    """
    yield Entry(corpus, Hypothesis(UNCHANGED, corpus.sources), "floor")
    for entry in leave_one_out(corpus, missing=missing):
        name = f"annotator {entry.hypothesis.name} (against the others)"
        yield replace(entry, hypothesis=replace(entry.hypothesis, name=name))
