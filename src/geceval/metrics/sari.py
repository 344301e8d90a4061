"""SARI and MAX-SARI: what was rightly kept, deleted and added.

Xu et al. (2016), and Choshen and Abend (2018).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.ngrams import ORDER, NgramMetric
from geceval.metrics._shared.texts import SentenceMean, no_choice, of_any_reference
from geceval.metrics.statistics import SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis

_COLUMNS = ("keep", "delete", "add")


class _KeepAddDelete(NgramMetric, SentenceMean):
    """What SARI and MAX-SARI share: the three parts, on lower-cased tokens."""

    columns = _COLUMNS
    normalize = str.lower

    @property
    def score_name(self) -> str:
        """What the headline number is called."""
        return self.title

    def settings(self) -> Mapping[str, object]:
        """Every option that can change the number."""
        return {"order": ORDER, "case": "lower", "undefined": 0, "missing": self.missing}


class Sari(_KeepAddDelete):
    """SARI, with all references of a sentence together.

    Lower-cased n-grams up to four words. Keeping is scored by F1, deleting by precision,
    adding by F1; each is averaged over the orders, SARI is the mean of the three, and the
    corpus has the mean of its sentences.

    Parameters
    ----------
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the annotator before (``"same"``).
    jobs
        Threads.

    Notes
    -----
    As in the authors' script, a ratio that is not defined is 0: a right sentence that is left
    alone has nothing to add or delete, and scores 1/3.

    References
    ----------
    Xu, Napoles, Pavlick, Chen and Callison-Burch (2016), Optimizing Statistical Machine
    Translation for Text Simplification, TACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> reading = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "a", "lot"), (reading,)),))
    >>> ours = Hypothesis("ours", (("I", "like", "it", "a", "lot"),))
    >>> round(Sari().score(corpus, ours).value, 4)
    0.9167
    """

    name = "sari"
    weighs_references = True
    title = "SARI"

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Score the three parts of each sentence, the same for each of its references."""
        prepared = self.prepare(corpus)
        counts = self.count(
            prepared, hypothesis, lambda counter, first, last: counter.sari(first, last)
        )
        return prepared.references.by_sentence(counts, self.columns)

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Average the three parts of each sentence."""
        return _scores(no_choice(statistics), of_any_reference(statistics))


class MaxSari(_KeepAddDelete):
    """SARI of each sentence with the single reference that suits it best.

    Parameters
    ----------
    missing, jobs
        As for `Sari`.

    Notes
    -----
    With one reference it is SARI. With several, SARI mixes them, so that output that equals
    one of them need not be the best there is; MAX-SARI mends that.

    References
    ----------
    Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> readings = (Annotation("0"), Annotation("1", (Edit(1, 2, (("like",),)),)))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "a", "lot"), readings),))
    >>> ours = Hypothesis("ours", (("I", "like", "it", "a", "lot"),))
    >>> score = MaxSari().score(corpus, ours)
    >>> round(score.value, 4), score.sentences.chosen.tolist()
    (0.9167, [1])
    """

    name = "maxsari"
    title = "MAX-SARI"

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Score the three parts of each sentence with each reference."""
        prepared = self.prepare(corpus)
        counts = self.count(
            prepared, hypothesis, lambda counter, first, last: counter.single_sari(first, last)
        )
        return prepared.references.by_reference(counts, self.columns)

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Take the best reference of each sentence, of equals the first."""
        if not statistics.references:
            return _scores(no_choice(statistics), of_any_reference(statistics))
        totals = np.where(statistics.mask, statistics.counts.sum(axis=2), -1.0)
        best = totals.argmax(axis=1)
        return _scores(best, statistics.counts[np.arange(len(statistics)), best])


def _scores(chosen: NDArray[np.int64], counts: NDArray[Any]) -> SentenceScores:
    parts = dict(zip(_COLUMNS, counts.T, strict=True))
    return SentenceScores(chosen, counts.mean(axis=1), parts)
