"""TER, WER and CER: edits of words or characters, divided by the length of the reference.

Snover et al. (2006) for TER, as computed by sacreBLEU; distances of WER and CER are computed by
RapidFuzz.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest, in_threads
from geceval.limits import check_pairs
from geceval.metrics._shared.distances import distances
from geceval.metrics._shared.sums import CorpusSums, best_references, chosen_counts, divide
from geceval.metrics._shared.texts import (
    References,
    all_rows,
    has_reference,
    mask_unannotated,
    sum_rows,
)
from geceval.metrics.base import check_lengths
from geceval.metrics.options import Jobs
from geceval.metrics.papers import POST_2018, SNOVER_2006
from geceval.metrics.statistics import Score, SentenceScores, Statistics
from geceval.model import Corpus, Hypothesis, MissingPolicy, Tokens
from geceval.text import Interned, Interner

_CHUNK = 512


class _ErrorRate(CorpusSums):
    """One minus an error rate, so that higher is better.

    Parameters
    ----------
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.
    """

    columns = ("edits", "length")
    counts_sentences_alone = True

    def __init__(self, *, missing: MissingPolicy = "absent", jobs: Jobs = 1) -> None:
        self.missing: MissingPolicy = missing
        self.jobs = jobs
        self._latest: Latest[Corpus, References] = Latest()

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"1 − {self.title}"

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count the edits of each sentence against each reference, and its length."""
        check_lengths(corpus, hypothesis)
        references = self._latest.get(
            corpus, lambda corpus: References.of(corpus, missing=self.missing)
        )
        edits, lengths = self.compare(hypothesis, references)
        return references.by_reference(np.column_stack((edits, lengths)), self.columns)

    @abstractmethod
    def compare(
        self, hypothesis: Hypothesis, references: References
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the edits and the length of each reference."""

    @abstractmethod
    def combine(self, statistics: Statistics) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the reference of each sentence, -1 for none, and its edits and length."""

    def summands(self, statistics: Statistics) -> NDArray[Any]:
        """Return edits and length of each sentence, and whether it has a reference."""
        _, counts = self.combine(statistics)
        return np.column_stack((counts, has_reference(statistics)))

    def values(self, totals: NDArray[Any]) -> NDArray[np.float64]:
        """Compute one minus the error rate; 0 if no sentence has a reference."""
        return np.where(totals[:, 2] > 0, 1 - _rates(totals), 0.0)

    def is_separable(self, statistics: Statistics) -> bool:
        """Whether the rate is a ratio of sums: some sentence has no empty reference."""
        is_filled = (statistics.counts[..., 1] > 0) | ~statistics.mask
        return bool((has_reference(statistics) & is_filled.all(axis=1)).any())

    def aggregate(self, statistics: Statistics) -> Score:
        """Divide the edits of all sentences by the length of their references."""
        totals = sum_rows(self.summands(statistics), all_rows(statistics))
        chosen, counts = self.combine(statistics)
        rates, rate = _rates(counts), type(self).name
        parts = {rate: rates, "edits": counts[:, 0], "length": counts[:, 1]}
        return Score(
            self.name,
            float(self.values(totals)[0]),
            {
                rate: float(_rates(totals)[0]),
                "edits": int(totals[0, 0]),
                "length": totals[0, 1].item(),
            },
            self.signature(statistics),
            mask_unannotated(SentenceScores(chosen, 1 - rates, parts), has_reference(statistics)),
        )


def _rates(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Divide edits by lengths; any edits of an empty reference are a rate of 1."""
    edits, lengths = counts[..., 0], counts[..., 1]
    return divide(edits, lengths, undefined=(edits > 0).astype(np.float64))


class _ClosestReference(_ErrorRate):
    """An error rate against the reference of each sentence with the lowest one."""

    def combine(self, statistics: Statistics) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Choose the reference with the lowest error rate, the first of ties."""
        chosen = best_references(-_rates(statistics.counts)[..., None], statistics.mask)
        return chosen, chosen_counts(statistics.counts, chosen)

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"references": "closest", "case": "mixed", "missing": self.missing}

    def measure(
        self,
        hypothesis: Hypothesis,
        references: References,
        split: Callable[[Tokens], Sequence[str]],
        unit: str,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return distances and lengths in some unit."""
        outputs = list(map(split, hypothesis.sentences))
        texts = list(map(split, references.texts))
        rows = references.rows.tolist()
        edits = distances(
            hypothesis.name,
            [outputs[row] for row in rows],
            texts,
            unit=unit,
            numbers=rows,
            jobs=self.jobs,
        )
        return edits, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))


class WordErrorRate(_ClosestReference):
    """One minus the word error rate (WER).

    Words to insert, delete or substitute, summed over the corpus, divided by the number of words
    of the closest references.

    Parameters
    ----------
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    The closest reference of a sentence has the lowest error rate; ties go to the first. Any edits
    against an empty reference are a rate of 1.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "."), (ann,)),))
    >>> score = WordErrorRate().score(corpus, Hypothesis("unchanged", corpus.sources))
    >>> score.value, dict(score.parts)
    (0.75, {'wer': 0.25, 'edits': 1, 'length': 4})
    """

    name = "wer"
    title = "WER"

    def compare(
        self, hypothesis: Hypothesis, references: References
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distance to each reference and its length, in words."""
        return self.measure(hypothesis, references, tuple, "tokens")


class CharacterErrorRate(_ClosestReference):
    """One minus the character error rate (CER).

    As `WordErrorRate`, in characters, with one space between tokens.

    Parameters
    ----------
    missing, jobs
        As for `WordErrorRate`.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)),))
    >>> corpus = Corpus((Sentence(("I", "likes", "it", "."), (ann,)),))
    >>> score = CharacterErrorRate().score(corpus, Hypothesis("unchanged", corpus.sources))
    >>> score.parts["edits"], score.parts["length"]
    (1, 11)
    """

    name = "cer"
    title = "CER"

    def compare(
        self, hypothesis: Hypothesis, references: References
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the distance to each reference and its length, in characters."""
        return self.measure(hypothesis, references, " ".join, "characters")


class TranslationEditRate(_ErrorRate):
    """One minus the translation edit rate (TER) of sacreBLEU.

    Words to insert, delete or substitute, and blocks of words to shift, summed over the corpus,
    divided by the length of the references.

    Parameters
    ----------
    ignore_case
        Compare lower-cased words, as sacreBLEU does by default.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    With several references, a sentence has the fewest edits against any of them, and their mean
    length. Tokens are not changed otherwise. Edits are counted by a kernel.

    References
    ----------
    Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A Study of Translation Edit Rate with
    Targeted Human Annotation, AMTA. Post (2018), A Call for Clarity in Reporting BLEU Scores, WMT.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Hypothesis, Sentence
    >>> corpus = Corpus((Sentence(tuple("abcde"), (Annotation("0"),)),))
    >>> score = TranslationEditRate().score(corpus, Hypothesis("shifted", (tuple("deabc"),)))
    >>> score.value, dict(score.parts)
    (0.8, {'ter': 0.2, 'edits': 1, 'length': 5.0})
    """

    name = "ter"
    title = "TER"
    papers = (SNOVER_2006, POST_2018)
    # The mean length depends on how often a reference occurs.
    weighs_references = True

    def __init__(
        self, *, ignore_case: bool = True, missing: MissingPolicy = "absent", jobs: Jobs = 1
    ) -> None:
        super().__init__(missing=missing, jobs=jobs)
        self.ignore_case = ignore_case
        self._interned: Latest[References, tuple[Interner, Interned]] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "references": "fewest-edits",
            "length": "mean",
            "case": "lc" if self.ignore_case else "mixed",
            "tok": "none",
            "missing": self.missing,
        }

    def compare(
        self, hypothesis: Hypothesis, references: References
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the edits of each reference and its length, in words."""
        from geceval.kernels.translation_edits import translation_edits

        rows = references.rows.tolist()
        outputs = [hypothesis.sentences[row] for row in rows]
        check_pairs(hypothesis.name, outputs, references.texts, numbers=rows)
        interner, texts = self._interned.get(references, self._intern)
        words = interner.intern(hypothesis.sentences)
        n_texts, sentences = len(rows), np.ascontiguousarray(references.rows)

        def run(first: int) -> NDArray[np.int64]:
            last = min(first + _CHUNK, n_texts)
            return translation_edits(*words, *texts, sentences, first, last)

        chunks = in_threads(run, range(0, max(1, n_texts), _CHUNK), workers=self.jobs)
        return np.concatenate(chunks), np.diff(texts.offsets)

    def _intern(self, references: References) -> tuple[Interner, Interned]:
        interner = Interner(str.lower if self.ignore_case else None)
        return interner, interner.intern(references.texts)

    def combine(self, statistics: Statistics) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Choose the reference with the fewest edits, and average the lengths of all."""
        chosen = best_references(-statistics.counts[..., :1], statistics.mask)
        edits = chosen_counts(statistics.counts, chosen)[:, 0]
        lengths = np.where(statistics.mask, statistics.counts[..., 1], 0).sum(axis=1)
        n_refs = np.maximum(1, statistics.mask.sum(axis=1))
        return chosen, np.column_stack((edits, lengths / n_refs))
