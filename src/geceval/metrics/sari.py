"""SARI and MAX-SARI: correctly kept, deleted and added n-grams.

Xu et al. (2016), and Choshen and Abend (2018).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.ngrams import ORDER, NgramMetric
from geceval.metrics._shared.texts import SentenceMean, no_choice, sentence_counts
from geceval.metrics.papers import CHOSHEN_ABEND_2018, XU_2016
from geceval.metrics.statistics import SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis

_COLUMNS = ("keep", "delete", "add")


class _KeepAddDelete(NgramMetric, SentenceMean):
    """The base of SARI and MAX-SARI, with three parts on lower-cased tokens."""

    columns = _COLUMNS
    normalize = str.lower

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"order": ORDER, "case": "lower", "undefined": 0, "missing": self.missing}


class SARI(_KeepAddDelete):
    """SARI, with all references of a sentence together.

    Kept and added n-grams, lower-cased and of up to four words, are scored by F1, and deleted
    ones by precision. Each part is averaged over the orders, SARI is the mean of the three parts,
    and the score of a corpus is the mean over sentences.

    Parameters
    ----------
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    As in the authors' script, an undefined ratio is 0: a correct sentence that is left unchanged
    has no n-grams to add or delete, and scores 1/3.

    References
    ----------
    Xu, Napoles, Pavlick, Chen and Callison-Burch (2016), Optimizing Statistical Machine
    Translation for Text Simplification, TACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "a", "lot"), (ann,)),))
    >>> ours = Hypothesis("ours", (("I", "like", "it", "a", "lot"),))
    >>> round(SARI().score(corpus, ours).value, 4)
    0.9167
    """

    name = "sari"
    weighs_references = True
    title = "SARI"
    papers = (XU_2016,)

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Compute the three parts of each sentence, shared by its references."""
        references, counts = self.count(corpus, hypothesis, lambda counter: counter.sari)
        return references.by_sentence(counts, self.columns)

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Average the three parts of each sentence."""
        return _scores(no_choice(statistics), sentence_counts(statistics))


class MaxSARI(_KeepAddDelete):
    """SARI with the best single reference of each sentence.

    Parameters
    ----------
    missing, jobs
        As for `SARI`.

    Notes
    -----
    With one reference it equals SARI. With several, SARI mixes them, so that output equal to one
    of them may not have the best score; MAX-SARI fixes that.

    References
    ----------
    Choshen and Abend (2018), Automatic Metric Validation for Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> anns = (Annotation("0"), Annotation("1", (Edit(1, 2, (("like",),)),)))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "a", "lot"), anns),))
    >>> ours = Hypothesis("ours", (("I", "like", "it", "a", "lot"),))
    >>> score = MaxSARI().score(corpus, ours)
    >>> round(score.value, 4), score.sentences.chosen.tolist()
    (0.9167, [1])
    """

    name = "maxsari"
    title = "MAX-SARI"
    papers = (XU_2016, CHOSHEN_ABEND_2018)

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Compute the three parts of each sentence for each reference."""
        references, counts = self.count(corpus, hypothesis, lambda counter: counter.single_sari)
        return references.by_reference(counts, self.columns)

    def sentence_scores(self, statistics: Statistics) -> SentenceScores:
        """Choose the best reference of each sentence, the first of ties."""
        if not statistics.references:
            return _scores(no_choice(statistics), sentence_counts(statistics))
        totals = np.where(statistics.mask, statistics.counts.sum(axis=2), -1.0)
        best = totals.argmax(axis=1)
        return _scores(best, statistics.counts[np.arange(len(statistics)), best])


def _scores(chosen: NDArray[np.int64], counts: NDArray[Any]) -> SentenceScores:
    parts = dict(zip(_COLUMNS, counts.T, strict=True))
    return SentenceScores(chosen, counts.mean(axis=1), parts)
