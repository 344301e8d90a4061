"""The baseline that MaxMatch was made to improve on: edits as a word diff shows them.

Dahlmeier and Ng (2012), section 3 and table 2: a longest common subsequence of the two sentences
is kept and everything between its words is one edit each, however the annotators cut it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from geceval.engines.threads import Latest
from geceval.limits import BITS, check_pairs
from geceval.metrics._shared.edits import COLUMNS, RunningF, lay_out
from geceval.metrics.base import check_lengths
from geceval.metrics.options import Beta
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Edit, Hypothesis, Tokens
from geceval.model.diff import changes


class Wdiff(RunningF):
    """Precision, recall and F of the edits of a word diff.

    Everything but the extraction of edits is as in MaxMatch, so the difference between the two
    scores is what MaxMatch gains.

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

    def __init__(self, *, beta: Beta = 0.5) -> None:
        super().__init__(beta=beta)
        self._provenance: Latest[Corpus, Provenance] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Every option that can change the number."""
        return {"beta": self.beta}

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count correct, proposed and gold edits for each sentence and annotator."""
        check_lengths(corpus, hypothesis)
        check_pairs(hypothesis.name, corpus.sources, hypothesis, at_once=BITS)
        counts = []
        for sent, words in zip(corpus, hypothesis, strict=True):
            edits = [
                (change.start, change.end, words[change.new_start : change.new_end])
                for change in changes(sent.tokens, words)
            ]
            for ann in sent.annotations:
                gold = [edit for edit in ann.edits if edit.fits(len(sent.tokens))]
                counts.append((_count_found(edits, gold), len(edits), len(gold)))
        table = np.array(counts, dtype=np.int64).reshape(-1, 3)
        return lay_out(corpus, table, COLUMNS, self._provenance.get(corpus, Provenance.of_edits))


def _count_found(edits: Sequence[tuple[int, int, Tokens]], gold: Sequence[Edit]) -> int:
    """Count edits that are in the gold list, each once, never going back in its order."""
    correct = position = 0
    for start, end, words in edits:
        for number in range(position, len(gold)):
            other = gold[number]
            if (other.start, other.end) == (start, end) and words in other.corrections:
                correct += 1
                position = number + 1
                break
    return correct
