"""chrF and chrF++: an F score of n-grams of characters, and of words, as computed by sacreBLEU.

Popović (2015, 2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from string import punctuation
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.ngrams import NgramMetric, Unit
from geceval.metrics._shared.sums import CorpusSums, best_references, chosen_counts
from geceval.metrics._shared.texts import (
    References,
    all_rows,
    has_reference,
    mask_unannotated,
    sum_rows,
)
from geceval.metrics.options import Beta, Jobs, Range
from geceval.metrics.papers import POPOVIC_2015, POPOVIC_2017, POST_2018, Paper
from geceval.metrics.statistics import Rows, Score, SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis, MissingPolicy, Tokens

_ORDER = 6
_MAX_ORDER = 32
_MAX_WORDS = 4
_KINDS = ("output", "reference", "match")


def _columns(order: int, words: int) -> tuple[str, ...]:
    return (
        *(f"{kind}{n}" for n in range(1, order + 1) for kind in _KINDS),
        *(f"words_{kind}{n}" for n in range(1, words + 1) for kind in _KINDS),
    )


class Chrf(NgramMetric, CorpusSums):
    r"""The chrF of sacreBLEU, against the best reference of each sentence.

    Precision and recall of character n-grams are averaged over the orders and combined in an
    F score. With ``words=2``, n-grams of words count as further orders: chrF++.

    Parameters
    ----------
    beta
        Weight of recall in F.
    order
        Length of the longest n-grams, in characters.
    words
        Length of the longest n-grams of words; 0 for none, 2 for chrF++.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    Characters are without spaces, and case counts. A word that ends in a punctuation mark is
    divided before it, and otherwise a word that begins with one after it. Of several references,
    a sentence has the one with its highest F, the first of ties; counts are summed over the
    corpus. Orders without n-grams in output or reference are ignored. The score is between 0
    and 1; that of sacreBLEU is 100 times as high.

    References
    ----------
    Popović (2015), chrF: Character n-gram F-score for Automatic MT Evaluation, WMT. Popović
    (2017), chrF++: Words Helping Character n-grams, WMT. Post (2018), A Call for Clarity in
    Reporting BLEU Scores, WMT.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "."), (ann,)),))
    >>> round(Chrf().score(corpus, Hypothesis("unchanged", corpus.sources)).value, 4)
    0.5129
    >>> round(Chrf(words=2).score(corpus, Hypothesis("unchanged", corpus.sources)).value, 4)
    0.5204
    """

    name = "chrf"
    title = "chrF"
    papers: tuple[Paper, ...] = (POPOVIC_2015, POST_2018)
    unit: Unit = "char"
    columns: ClassVar[tuple[str, ...]] = _columns(_ORDER, 0)
    max_part_resamples = None

    def __init__(
        self,
        *,
        beta: Beta = 2.0,
        order: Annotated[int, Range(min=1, max=_MAX_ORDER)] = _ORDER,
        words: Annotated[int, Range(min=0, max=_MAX_WORDS)] = 0,
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(missing=missing, jobs=jobs)
        self.beta: float = beta
        self.order = order
        self.words = words
        if words:
            self.papers = (POPOVIC_2015, POPOVIC_2017, POST_2018)

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"{self.title}{self.beta:g}{'+' * self.words}"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "beta": self.beta,
            "order": self.order,
            "words": self.words,
            "space": False,
            "case": "mixed",
            "references": "best",
            "missing": self.missing,
        }

    def split(self, sentences: Iterable[Tokens], unit: Unit) -> Iterable[Sequence[str]]:
        """Return the characters of sentences without white space, or their words."""
        texts = map(" ".join, sentences)
        if unit == "word":
            return (_words(text) for text in texts)
        return ("".join(text.split()) for text in texts)

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count n-grams of output and reference, and those they share."""
        references, table = self._count(corpus, hypothesis, "char", self.order)
        if self.words:
            of_words = self._count(corpus, hypothesis, "word", self.words)[1]
            table = np.concatenate((table, of_words), axis=1)
        return references.by_reference(table, _columns(self.order, self.words))

    def _count(
        self, corpus: Corpus, hypothesis: Hypothesis, unit: Unit, order: int
    ) -> tuple[References, NDArray[Any]]:
        """Count n-grams of one unit, up to an order."""
        references, counts = self.count(
            corpus,
            hypothesis,
            lambda counter: partial(counter.regions, n_orders=order),
            order=order,
            unit=unit,
        )
        kept, _, inserted, missed, over, under, lacking = counts.reshape(-1, order, 7).T
        in_both = kept + inserted
        in_reference = in_both + missed + lacking
        # Where the reference has no n-grams, sacreBLEU does not count those of the output.
        in_output = np.where(in_reference > 0, in_both + over + under, 0)
        table = np.stack((in_output, in_reference, in_both), axis=-1).transpose(1, 0, 2)
        return references, table.reshape(-1, len(_KINDS) * order)

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        chosen = self._choose(statistics)
        counts = chosen_counts(statistics.counts, chosen)
        precision, recall, f = self._measure(sum_rows(counts, all_rows(statistics)))
        each_precision, each_recall, values = self._measure(counts)
        view = SentenceScores(chosen, values, {"precision": each_precision, "recall": each_recall})
        return Score(
            self.name,
            float(f[0]),
            {"precision": float(precision[0]), "recall": float(recall[0])},
            self.signature(statistics),
            mask_unannotated(view, has_reference(statistics)),
        )

    def summands(self, statistics: Statistics) -> NDArray[np.int64]:
        """Return the counts of the chosen reference of each sentence."""
        return chosen_counts(statistics.counts, self._choose(statistics))

    def values(self, totals: NDArray[Any]) -> NDArray[np.float64]:
        """Compute the scores of summed counts."""
        return self._measure(totals)[2]

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, NDArray[np.float64]]:
        """Compute precision and recall of many samples of sentences."""
        precision, recall, _ = self._measure(sum_rows(self.summands(statistics), rows))
        return {"precision": precision, "recall": recall}

    def _choose(self, statistics: Statistics) -> NDArray[np.int64]:
        """Choose the reference of each sentence with the highest score."""
        scores = self._measure(statistics.counts)[2]
        return best_references(scores[..., None], statistics.mask)

    def _measure(
        self, counts: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Compute precision, recall and F; additions are in the order of sacreBLEU's."""
        in_output, in_reference, in_both = np.moveaxis(
            counts.reshape(*counts.shape[:-1], self.order + self.words, len(_KINDS)), -1, 0
        )
        is_known = (in_output > 0) & (in_reference > 0)
        n_known = np.maximum(1, is_known.sum(axis=-1))
        precision, recall = (
            _running_sum(in_both / np.where(is_known, below, 1), is_known) / n_known
            for below in (in_output, in_reference)
        )
        weight = self.beta**2
        f = np.divide(
            (1 + weight) * precision * recall,
            weight * precision + recall,
            out=np.zeros_like(precision),
            where=precision + recall > 0,
        )
        return precision, recall, f


def _words(text: str) -> list[str]:
    """Split a text into words, each divided from one punctuation mark at its end or start."""
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def _running_sum(values: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Add the known values along the last axis, from left to right."""
    total = np.zeros(values.shape[:-1])
    for order in range(values.shape[-1]):
        total += np.where(known[..., order], values[..., order], 0.0)
    return total
