"""What doing nothing scores, and what people score against other people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from geceval.model import Corpus, Hypothesis, MissingPolicy

FLOOR = "source unchanged"


@dataclass(frozen=True, slots=True)
class Contestant:
    """A baseline.

    Parameters
    ----------
    kind
        Whether systems should be better, or can hardly be better.
    corpus
        The gold standard that it is held against.
    output
        What it wrote, under its name.
    """

    kind: Literal["floor", "ceiling"]
    corpus: Corpus
    output: Hypothesis


def contestants(corpus: Corpus, *, missing: MissingPolicy = "absent") -> Iterator[Contestant]:
    """Yield the source as it is, and each annotator against all others.

    An annotator's contest has the sentences that this and some other annotator looked at. One
    annotator alone gives no ceiling.

    Parameters
    ----------
    corpus
        The gold standard.
    missing
        How an annotator without a line in a sentence is read. Where it agrees with the one
        before (``"same"``), leaving the sentence out would hide that the two agree.
    """
    yield Contestant("floor", corpus, Hypothesis(FLOOR, corpus.sources))
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
            yield Contestant("ceiling", gold.keep_annotators(others), Hypothesis(name, texts))
