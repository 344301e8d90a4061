"""The baseline of M2: edits of a word diff.

Dahlmeier and Ng (2012), section 3 and table 2: the tokens between those of a longest common
subsequence are one edit each, regardless of the gold edits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from geceval.engines.threads import Latest
from geceval.limits import BITS, check_pairs
from geceval.metrics._shared.edits import COLUMNS, RunningF, by_annotator
from geceval.metrics.base import check_lengths
from geceval.metrics.options import Beta
from geceval.metrics.papers import DAHLMEIER_NG_2012
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Edit, Hypothesis, Tokens, without_inner
from geceval.model.diff import changes


class Wdiff(RunningF):
    """Precision, recall and F of the edits of a word diff.

    Only the extraction of edits differs from M2.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> edits = (Edit(1, 2, (("to",),)), Edit(2, 2, (("the",),)))
    >>> corpus = Corpus((Sentence(("go", "with", "sea"), (Annotation("0", edits),)),))
    >>> Wdiff().score(corpus, Hypothesis("ours", (("go", "to", "the", "sea"),))).parts["correct"]
    0
    """

    name = "wdiff"
    title = "word diff"
    counts_sentences_alone = True
    papers = (DAHLMEIER_NG_2012,)

    def __init__(self, *, beta: Beta = 0.5) -> None:
        super().__init__(beta=beta)
        self._provenance: Latest[Corpus, Provenance] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"beta": self.beta}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count correct, proposed and gold edits for each sentence and annotator."""
        check_lengths(corpus, hypothesis)
        check_pairs(hypothesis.name, corpus.sources, hypothesis.sentences, at_once=BITS)
        counts = []
        for sent, words in zip(corpus, hypothesis, strict=True):
            edits = [
                (change.start, change.end, words[change.new_start : change.new_end])
                for change in changes(sent.tokens, words)
            ]
            for ann in sent.annotations:
                gold = [edit for edit in without_inner(ann.edits) if edit.fits(len(sent.tokens))]
                counts.append((_count_found(edits, gold), len(edits), len(gold)))
        table = np.array(counts, dtype=np.int64).reshape(-1, 3)
        return by_annotator(
            corpus, table, COLUMNS, self._provenance.get(corpus, Provenance.of_edits)
        )


def _count_found(edits: Sequence[tuple[int, int, Tokens]], gold: Sequence[Edit]) -> int:
    """Count edits that match gold edits one to one and in order."""
    correct = position = 0
    for start, end, words in edits:
        for number in range(position, len(gold)):
            other = gold[number]
            if (other.start, other.end) == (start, end) and words in other.corrections:
                correct += 1
                position = number + 1
                break
    return correct
