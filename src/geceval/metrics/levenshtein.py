"""How many characters the output is away from a reference, or from the source.

The two measures of similarity of Choshen and Abend (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest
from geceval.limits import BITS, check_pairs
from geceval.metrics._shared.texts import References, SentenceMean
from geceval.metrics.base import check_lengths
from geceval.metrics.options import Jobs
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Counts, SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis, MissingPolicy, Tokens

Length: TypeAlias = Literal["first", "second"]


_CHUNK = 2000
"""How many pairs are compared at a time."""


class _Similarity(SentenceMean):
    """1 less the distance of two texts, in characters, divided by the length of one of them."""

    columns = ("distance", "length")
    roles: ClassVar[Mapping[str, str]]

    def __init__(self, *, length: Length = "first", jobs: Jobs = 1) -> None:
        self.length: Length = length
        self.jobs = jobs

    @property
    def score_name(self) -> str:
        """What the headline number is called."""
        return self.title

    def settings(self) -> Mapping[str, object]:
        """Every option that can change the number."""
        return {"unit": "character", "length": self.roles[self.length]}

    def compare(
        self,
        name: str,
        first: Sequence[Tokens],
        second: Sequence[Tokens],
        numbers: Iterable[int] | None = None,
    ) -> Counts:
        """Return distance and length of pairs of sentences of a system."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        texts = {"first": list(map(" ".join, first)), "second": list(map(" ".join, second))}
        check_pairs(name, *texts.values(), numbers=numbers, unit="characters", at_once=BITS)
        counts = np.zeros((len(first), 2), dtype=np.int64)
        # In pieces, for nothing can interrupt it in between.
        for start in range(0, len(first), _CHUNK):
            piece = slice(start, start + _CHUNK)
            counts[piece, 0] = cpdist(
                texts["first"][piece],
                texts["second"][piece],
                scorer=Levenshtein.distance,
                dtype=np.int64,
                workers=self.jobs,
            )
        counts[:, 1] = [len(text) for text in texts[self.length]]
        return counts

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Take the most similar reference of each sentence, of equals the first."""
        if not statistics.references:
            nothing = np.zeros(len(statistics))
            parts = {"distance": nothing, "length": nothing}
            return SentenceScores(np.full(len(statistics), -1), nothing, parts)
        values = _similarity(statistics.counts)
        best = np.where(statistics.mask, values, -np.inf).argmax(axis=1)
        taken = statistics.counts[np.arange(len(statistics)), best]
        return SentenceScores(
            best, _similarity(taken), {"distance": taken[:, 0], "length": taken[:, 1]}
        )


def _similarity(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Make similarities of distances; an empty text counts as one character long."""
    similarity: NDArray[np.float64] = 1 - counts[..., 0] / np.maximum(1, counts[..., 1])
    return similarity


class LdReference(_Similarity):
    """Similarity of the output to its closest reference (MinLD O→R).

    Parameters
    ----------
    length
        Divide by the length of the ``"first"`` text, the output, as the formula is printed, or
        of the ``"second"``, the reference, as the paper's text says.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the annotator before (``"same"``).
    jobs
        Threads.

    References
    ----------
    Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> reading = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "."), (reading,)),))
    >>> LdReference().score(corpus, Hypothesis("ours", (("I", "likes", "it"),))).value
    0.7
    """

    name = "ld-reference"
    title = "MinLD O→R"
    roles: ClassVar[Mapping[str, str]] = {"first": "output", "second": "reference"}

    def __init__(
        self, *, length: Length = "first", missing: MissingPolicy = "absent", jobs: Jobs = 1
    ) -> None:
        super().__init__(length=length, jobs=jobs)
        self.missing: MissingPolicy = missing
        self._latest: Latest[Corpus, References] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Every option that can change the number."""
        return {**super().settings(), "missing": self.missing}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Measure the distance of each sentence to each reference."""
        check_lengths(corpus, hypothesis)
        references = self._latest.get(
            corpus, lambda corpus: References.of(corpus, missing=self.missing)
        )
        rows = references.rows.tolist()
        outputs = [hypothesis.sentences[row] for row in rows]
        counts = self.compare(hypothesis.name, outputs, references.texts, rows)
        return references.by_reference(counts, self.columns)


class LdSource(_Similarity):
    """Similarity of the output to the source (LD S→O): how little a system changes.

    It needs no references, so all sentences take part.

    Parameters
    ----------
    length
        Divide by the length of the ``"first"`` text, the source, as the formula is printed, or
        of the ``"second"``, the output, as the paper's text says.
    jobs
        Threads.

    References
    ----------
    Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis, Sentence
    >>> corpus = Corpus((Sentence(("I", "likes", "it")),))
    >>> LdSource().score(corpus, Hypothesis("ours", (("I", "like", "it"),))).value
    0.9
    """

    name = "ld-source"
    title = "LD S→O"
    needs_references = False
    roles: ClassVar[Mapping[str, str]] = {"first": "source", "second": "output"}

    def __init__(self, *, length: Length = "first", jobs: Jobs = 1) -> None:
        super().__init__(length=length, jobs=jobs)
        self._provenance: Latest[Corpus, Provenance] = Latest()

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Measure the distance of each sentence to its source."""
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
