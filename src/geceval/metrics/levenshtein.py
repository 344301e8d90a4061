"""Levenshtein similarity of the output to references or to the source.

Choshen and Abend (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest
from geceval.metrics._shared.distances import distances
from geceval.metrics._shared.texts import References, SentenceMean
from geceval.metrics.base import check_lengths
from geceval.metrics.options import Jobs
from geceval.metrics.papers import CHOSHEN_ABEND_2018
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Counts, SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis, MissingPolicy, Tokens

Length: TypeAlias = Literal["first", "second"]


class _Similarity(SentenceMean):
    """One minus the character distance of two texts, divided by the length of one of them."""

    columns = ("distance", "length")
    roles: ClassVar[Mapping[str, str]]
    counts_sentences_alone = True

    def __init__(self, *, length: Length = "first", jobs: Jobs = 1) -> None:
        self.length: Length = length
        self.jobs = jobs

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return self.title

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"unit": "character", "length": self.roles[self.length]}

    def compare(
        self,
        name: str,
        first: Sequence[Tokens],
        second: Sequence[Tokens],
        numbers: Iterable[int] | None = None,
    ) -> Counts:
        """Return the distance of each pair of sentences, and the length to divide by."""
        texts = {"first": list(map(" ".join, first)), "second": list(map(" ".join, second))}
        counts = np.zeros((len(first), 2), dtype=np.int64)
        counts[:, 0] = distances(
            name, *texts.values(), unit="characters", numbers=numbers, jobs=self.jobs
        )
        counts[:, 1] = [len(text) for text in texts[self.length]]
        return counts

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Choose the most similar reference of each sentence, the first of ties."""
        if not statistics.references:
            nothing = np.zeros(len(statistics))
            parts = {"distance": nothing, "length": nothing}
            return SentenceScores(np.full(len(statistics), -1), nothing, parts)
        values = _similarity(statistics.counts)
        best = np.where(statistics.mask, values, -np.inf).argmax(axis=1)
        chosen = statistics.counts[np.arange(len(statistics)), best]
        parts = {"distance": chosen[:, 0], "length": chosen[:, 1]}
        return SentenceScores(best, _similarity(chosen), parts)


def _similarity(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Compute similarities; an empty text counts as one character."""
    similarity: NDArray[np.float64] = 1 - counts[..., 0] / np.maximum(1, counts[..., 1])
    return similarity


class LDReference(_Similarity):
    """Similarity of the output to its closest reference (MinLD O→R).

    Parameters
    ----------
    length
        Divide by the length of the ``"first"`` text, the output, as in the paper's formula, or
        of the ``"second"``, the reference, as in its text.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    References
    ----------
    Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "."), (ann,)),))
    >>> LDReference().score(corpus, Hypothesis("ours", (("I", "likes", "it"),))).value
    0.7
    """

    name = "ld-reference"
    title = "MinLD O→R"
    papers = (CHOSHEN_ABEND_2018,)
    roles: ClassVar[Mapping[str, str]] = {"first": "output", "second": "reference"}

    def __init__(
        self, *, length: Length = "first", missing: MissingPolicy = "absent", jobs: Jobs = 1
    ) -> None:
        super().__init__(length=length, jobs=jobs)
        self.missing: MissingPolicy = missing
        self._latest: Latest[Corpus, References] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {**super().settings(), "missing": self.missing}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Compute the distance of each sentence to each reference."""
        check_lengths(corpus, hypothesis)
        references = self._latest.get(
            corpus, lambda corpus: References.of(corpus, missing=self.missing)
        )
        rows = references.rows.tolist()
        outputs = [hypothesis.sentences[row] for row in rows]
        counts = self.compare(hypothesis.name, outputs, references.texts, rows)
        return references.by_reference(counts, self.columns)


class LDSource(_Similarity):
    """Similarity of the output to the source (LD S→O).

    It needs no references, so all sentences count.

    Parameters
    ----------
    length
        Divide by the length of the ``"first"`` text, the source, as in the paper's formula, or
        of the ``"second"``, the output, as in its text.
    jobs
        Threads.

    References
    ----------
    Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis, Sentence
    >>> corpus = Corpus((Sentence(("I", "likes", "it")),))
    >>> LDSource().score(corpus, Hypothesis("ours", (("I", "like", "it"),))).value
    0.9
    """

    name = "ld-source"
    title = "LD S→O"
    papers = (CHOSHEN_ABEND_2018,)
    needs_references = False
    roles: ClassVar[Mapping[str, str]] = {"first": "source", "second": "output"}

    def __init__(self, *, length: Length = "first", jobs: Jobs = 1) -> None:
        super().__init__(length=length, jobs=jobs)
        self._provenance: Latest[Corpus, Provenance] = Latest()

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Compute the distance of each sentence to its source."""
        check_lengths(corpus, hypothesis)
        counts = self.compare(hypothesis.name, corpus.sources, hypothesis.sentences)[:, None]
        mask = np.ones(counts.shape[:2], dtype=bool)
        return Statistics(
            counts,
            mask,
            self.columns,
            ("source",),
            self._provenance.get(corpus, Provenance.of_sources),
        )
