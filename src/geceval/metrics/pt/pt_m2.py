"""PT-M²: the edits of MaxMatch, weighted by a scorer of sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated

from geceval.engines.threads import Latest
from geceval.metrics._shared.edits import COLUMNS
from geceval.metrics._shared.texts import References
from geceval.metrics.base import check_lengths
from geceval.metrics.maxmatch import M2, MAX_UNCHANGED
from geceval.metrics.options import Beta, Jobs, Range
from geceval.metrics.papers import GONG_2022
from geceval.metrics.provenance import Provenance
from geceval.metrics.pt.running import Average
from geceval.metrics.pt.weighted_edits import SENTENCE_COLUMNS, WeightedEdits
from geceval.metrics.sentence_scorers import SentenceScorer
from geceval.metrics.statistics import Statistics
from geceval.metrics.views import SentenceEdits
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.references.nested import applied_only


class PtM2(WeightedEdits):
    """M² with weighted edits (PT-M²).

    The edits are those of MaxMatch. Each counts by how much it changes the score of the source,
    if it is the only edit made.

    Parameters
    ----------
    scorer
        What weighs edits: a metric, optionally with options, ``"chrf"``, ``"lev"`` or
        ``"self"``, for which all weights are 1.
    beta
        Weight of recall in F; with 0 F is the precision.
    average
        ``"corpus"`` is F of the totals; ``"sentence"`` is the mean of F over sentences, each
        with its own best reference.
    max_unchanged
        Maximum number of unchanged words in an edit.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.

    Notes
    -----
    Precision is 1 without proposed edits, or if they weigh nothing, and likewise recall. A
    sentence that is scored by itself and whose edits all weigh nothing is scored without weights.
    The annotator of a sentence maximizes F of the totals up to it, so the order of sentences
    matters.

    References
    ----------
    Gong, Liu, Huang and Zhang (2022), Revisiting Grammatical Error Correction Evaluation and
    Beyond, EMNLP.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> ann = Annotation("0", (Edit(1, 2, (("like",),)), Edit(2, 3, (("them",),))))
    >>> corpus = Corpus((Sentence(("I", "likes", "it"), (ann,)),))
    >>> score = PtM2(scorer="lev").score(corpus, Hypothesis("h", (("I", "like", "it"),)))
    >>> round(score.value, 4), round(score.parts["correct"], 4), round(score.parts["gold"], 4)
    (0.5556, 0.0909, 0.4545)
    """

    name = "pt-m2"
    title = "PT-M²"
    papers = (GONG_2022,)
    columns = (*COLUMNS, *SENTENCE_COLUMNS)
    needs_edits = True
    by_errors = False

    def __init__(
        self,
        *,
        scorer: str | SentenceScorer = "gleu",
        beta: Beta = 0.5,
        average: Average = "corpus",
        max_unchanged: Annotated[int, Range(min=0, max=MAX_UNCHANGED)] = 2,
        missing: MissingPolicy = "absent",
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(scorer=scorer, beta=beta, average=average)
        self.table_parts = self._shown_parts(self._columns)
        self.missing: MissingPolicy = missing
        base = partial(M2, max_unchanged=max_unchanged, missing=missing, nested="off", jobs=jobs)
        self._base = base()
        self._base_of_nested = base(long_edits="always")
        self._latest: Latest[Corpus, tuple[References, Provenance]] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            **super().settings(),
            "unchanged": self._base.max_unchanged,
            "missing": self.missing,
        }

    def all_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[SentenceEdits]]:
        """Return the edits that MaxMatch chooses for each annotation."""
        outer = applied_only(corpus)
        base = self._base if outer is corpus else self._base_of_nested
        return base.all_edits(outer, hypothesis)

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Sum the weights of correct, proposed and gold edits, by sentence and annotator."""
        check_lengths(corpus, hypothesis)
        references, provenance = self._prepare(corpus)
        counts = self._count(corpus, hypothesis)
        return replace(references.by_reference(counts, self._columns), provenance=provenance)

    def _references(self, corpus: Corpus) -> References:
        return self._prepare(corpus)[0]

    def _prepare(self, corpus: Corpus) -> tuple[References, Provenance]:
        return self._latest.get(
            corpus,
            lambda corpus: (
                References.of(_without_types(applied_only(corpus)), missing=self.missing),
                Provenance.of_edits(
                    applied_only(corpus.first_alignments()).fill_missing(self.missing)
                ),
            ),
        )


def _without_types(corpus: Corpus) -> Corpus:
    """Remove types, so that all corrections are applied, as M² counts them, even of ``Um``."""
    return replace(
        corpus,
        sentences=tuple(
            replace(
                sent,
                annotations=tuple(
                    replace(ann, edits=tuple(replace(edit, type="") for edit in ann.edits))
                    for ann in sent.annotations
                ),
            )
            for sent in corpus
        ),
    )
