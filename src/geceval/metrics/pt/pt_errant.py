"""PT-ERRANT: the edits of ERRANT, weighted by a scorer of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias, Unpack

from geceval.engines.threads import Latest
from geceval.metrics._shared.texts import References
from geceval.metrics.base import check_lengths
from geceval.metrics.errant.edit_extractor import SerialExtractionOptions
from geceval.metrics.errant.extraction import ExtractorMetric
from geceval.metrics.errant.metric import UNKNOWN
from geceval.metrics.options import Beta
from geceval.metrics.papers import GONG_2022
from geceval.metrics.pt.running import Average
from geceval.metrics.pt.weighted_edits import ERRORS, WeightedEdits
from geceval.metrics.pt.weighting import Key
from geceval.metrics.sentence_scorers import SentenceScorer
from geceval.metrics.statistics import Statistics
from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy

Compat: TypeAlias = Literal["pt-m2"]


class PtErrant(ExtractorMetric, WeightedEdits):
    """ERRANT with weighted edits (PT-ERRANT).

    The edits of systems and references are extracted from their texts, see `Annotator`. Each
    counts by how much it changes the score of the source, if it is the only edit made.

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
    compat
        ``"pt-m2"`` gives the numbers of PT-M2's program, see Notes; by default they are those
        of gec-metrics.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    **extraction
        How edits are extracted: arguments of `Annotator`, with ``lang`` for its pack, or an
        ``annotator`` to use instead.

    Notes
    -----
    Precision is 1 if wrong edits weigh nothing, and recall is 1 if missed edits weigh nothing.
    The annotator of a sentence maximizes F of the totals up to it, so the order of sentences
    matters; ties are broken by more true positives, fewer false positives and fewer false
    negatives.

    With ``compat="pt-m2"``, equal edits count once, ties are broken as in M², and a sentence that
    is scored by itself and whose edits all weigh nothing is scored without weights.

    References
    ----------
    Gong, Liu, Huang and Zhang (2022), Revisiting Grammatical Error Correction Evaluation and
    Beyond, EMNLP.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis
    >>> corpus = Corpus.from_texts(["I likes it"], ["I like them"])
    >>> score = PtErrant(scorer="lev", lang="plain").score(
    ...     corpus, Hypothesis("h", (("I", "like", "it"),))
    ... )
    >>> round(score.value, 4), round(score.parts["tp"], 4), round(score.parts["fn"], 4)
    (0.5556, 0.0909, 0.3636)
    """

    name = "pt-errant"
    title = "PT-ERRANT"
    papers = (GONG_2022,)
    columns = ERRORS

    def __init__(
        self,
        *,
        scorer: str | SentenceScorer = "gleu",
        beta: Beta = 0.5,
        average: Average = "corpus",
        compat: Compat | None = None,
        missing: MissingPolicy = "absent",
        **extraction: Unpack[SerialExtractionOptions],
    ) -> None:
        WeightedEdits.__init__(self, scorer=scorer, beta=beta, average=average)
        ExtractorMetric.__init__(self, **extraction)
        self.compat: Compat | None = compat
        self.by_errors = compat is None
        self.table_parts = self._shown_parts(self._columns)
        self.missing: MissingPolicy = missing
        self._latest: Latest[Corpus, list[list[_ExtractedReference]]] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {**super().settings(), "compat": self.compat or "no", "missing": self.missing}

    def all_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[SentenceEdits]]:
        """Return the extracted edits of each sentence against those of each reference."""
        gold = self._latest.get(corpus, self._extract_gold)
        found = self._extractor.output_edits(corpus, hypothesis)
        return [
            [reference.view(edits) for reference in references]
            for edits, references in zip(map(_typed, found), gold, strict=True)
        ]

    def _extract_gold(self, corpus: Corpus) -> list[list[_ExtractedReference]]:
        """Extract the edits of the references of each sentence."""
        references = self._references(corpus)
        rows = references.rows.tolist()
        pairs = [
            (corpus.sentences[row].tokens, text)
            for row, text in zip(rows, references.texts, strict=True)
        ]
        gold = self._extractor.extract(corpus.name or "the gold standard", pairs, rows)
        found = [
            _ExtractedReference.of(Annotation(references.names[place], _typed(edits)))
            for place, edits in zip(references.places.tolist(), gold, strict=True)
        ]
        return [found[start:end] for start, end in pairwise(references.of_sentence.tolist())]

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Sum the weights of true and false positives and false negatives."""
        check_lengths(corpus, hypothesis)
        counts = self._count(corpus, hypothesis)
        return replace(
            self._references(corpus).by_reference(counts, self._columns),
            extraction=self.annotator.signature,
        )

    def _references(self, corpus: Corpus) -> References:
        return References.of(corpus, missing=self.missing)


def _typed(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits whose type is known."""
    return tuple([edit for edit in edits if edit.type != UNKNOWN])


@dataclass(frozen=True, slots=True)
class _ExtractedReference:
    """The edits of a reference, and the place of the first with each span and correction."""

    annotation: Annotation
    places: Mapping[Key, int]

    @classmethod
    def of(cls, ann: Annotation) -> _ExtractedReference:
        places: dict[Key, int] = {}
        for number, edit in enumerate(ann.edits):
            places.setdefault((edit.start, edit.end, edit.correction), number)
        return cls(ann, places)

    def view(self, edits: Sequence[Edit]) -> SentenceEdits:
        """Mark the edits that the reference has, too, whatever their types."""
        keys = [(edit.start, edit.end, edit.correction) for edit in edits]
        marked = [
            SystemEdit(*key, self.places.get(key), edit.type)
            for key, edit in zip(keys, edits, strict=True)
        ]
        return SentenceEdits(self.annotation, tuple(marked))
