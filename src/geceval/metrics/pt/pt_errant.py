"""PT-ERRANT: the edits of ERRANT, weighted by a scorer of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, TypeAlias

from geceval.engines.threads import Latest
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import AnalyzerKind, Notify, PackOptions
from geceval.metrics._shared.texts import References
from geceval.metrics.base import check_lengths
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.metrics.errant.metric import UNKNOWN, Merge, check_names
from geceval.metrics.options import Beta
from geceval.metrics.papers import GONG_2022
from geceval.metrics.pt.running import Average
from geceval.metrics.pt.weighted_edits import ERRORS, WeightedEdits
from geceval.metrics.sentence_scorers import SentenceScorer
from geceval.metrics.statistics import Statistics
from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy, Tokens

Compat: TypeAlias = Literal["pt-m2"]


class PtErrant(WeightedEdits):
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
    lang, align, merge, typer, model, analyzer, pack_options, notify
        How edits are extracted, see `Annotator`.
    annotator
        An annotator to use instead of these eight options.

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
        lang: str = "en",
        align: Method = "linguistic",
        merge: Merge = "rules",
        typer: str | None = None,
        model: str | None = None,
        analyzer: AnalyzerKind = "fast",
        pack_options: PackOptions | None = None,
        notify: Notify | None = None,
        annotator: Annotator | None = None,
    ) -> None:
        super().__init__(scorer=scorer, beta=beta, average=average)
        check_names(lang, typer)
        self.compat: Compat | None = compat
        self.by_errors = compat is None
        self.missing: MissingPolicy = missing
        options = {
            "pack": lang,
            "align": align,
            "merge": merge,
            "typer": typer,
            "model": model,
            "analyzer": analyzer,
            "options": pack_options,
            "notify": notify,
        }
        self._extractor = EditExtractor(annotator, options)
        self._latest: Latest[Corpus, References] = Latest()

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {**super().settings(), "compat": self.compat or "no", "missing": self.missing}

    def configuration(self) -> str:
        """Identify the metric, its settings and its annotator, whatever is scored."""
        return f"{super().configuration()}|{self._extractor.annotator.signature}"

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        """Add how edits were extracted."""
        return (*super().remarks(statistics), statistics.extraction)

    def all_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[SentenceEdits]]:
        """Return the extracted edits of each sentence against those of each reference."""
        references = self._references(corpus)
        sources = [corpus.sentences[row].tokens for row in references.rows.tolist()]
        gold = self._extract(
            corpus.name or "the gold standard",
            list(zip(sources, references.texts, strict=True)),
            references.rows.tolist(),
        )
        system = self._extract(hypothesis.name, list(zip(corpus.sources, hypothesis, strict=True)))
        annotations = [
            Annotation(references.names[place], edits)
            for place, edits in zip(references.places.tolist(), gold, strict=True)
        ]
        borders = pairwise(references.of_sentence.tolist())
        return [
            [_view(edits, ann) for ann in annotations[start:end]]
            for edits, (start, end) in zip(system, borders, strict=True)
        ]

    def _extract(
        self, name: str, pairs: list[tuple[Tokens, Tokens]], numbers: list[int] | None = None
    ) -> list[tuple[Edit, ...]]:
        return [
            tuple(edit for edit in edits if edit.type != UNKNOWN)
            for edits in self._extractor.extract(name, pairs, numbers)
        ]

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Sum the weights of true and false positives and false negatives."""
        check_lengths(corpus, hypothesis)
        counts = self._count(corpus, hypothesis)
        return replace(
            self._references(corpus).by_reference(counts, self._columns),
            extraction=self._extractor.annotator.signature,
        )

    def _references(self, corpus: Corpus) -> References:
        return self._latest.get(corpus, lambda corpus: References.of(corpus, missing=self.missing))


def _view(edits: Sequence[Edit], ann: Annotation) -> SentenceEdits:
    """Mark the edits that a reference has, too, whatever their types."""
    gold: dict[tuple[int, int, Tokens], int] = {}
    for number, edit in enumerate(ann.edits):
        gold.setdefault((edit.start, edit.end, edit.correction), number)
    marked = (
        SystemEdit(
            edit.start,
            edit.end,
            edit.correction,
            gold.get((edit.start, edit.end, edit.correction)),
            edit.type,
        )
        for edit in edits
    )
    return SentenceEdits(ann, tuple(marked))
