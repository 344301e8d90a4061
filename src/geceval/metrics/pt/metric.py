"""PT-ERRANT and PT-M²: edits weighted by a scorer of sentences.

Gong, Liu, Huang and Zhang (2022), Revisiting Grammatical Error Correction Evaluation and Beyond.
The published weights are those of neural scorers; here any scorer can be used.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Literal, TypeAlias

import numpy as np

from geceval.engines.threads import Latest
from geceval.errors import OptionError
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import AnalyzerKind, Notify
from geceval.metrics._shared.edits import COLUMNS
from geceval.metrics._shared.texts import References
from geceval.metrics.base import check_lengths
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.metrics.errant.metric import UNKNOWN, Merge, check_names
from geceval.metrics.maxmatch import M2, MAX_UNCHANGED
from geceval.metrics.options import Beta, Jobs, Range
from geceval.metrics.provenance import Provenance
from geceval.metrics.pt.running import Average, Floats, RunningWeights
from geceval.metrics.pt.weighting import (
    Compared,
    Weights,
    even_if_all_zero,
    sums_of_all,
    sums_of_distinct,
    weigh,
)
from geceval.metrics.sentence_scorers import CachedScorer, SentenceScorer, get_scorer
from geceval.metrics.statistics import Score, Statistics
from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Annotation, Corpus, Edit, Hypothesis, MissingPolicy, Tokens

Compat: TypeAlias = Literal["pt-m2"]

SELF = "self"
"""Name of the scorer that gives every edit the weight 1."""

_SENTENCE_COLUMNS = tuple(f"sentence_{name}" for name in COLUMNS)


class _WeightedEdits(RunningWeights):
    """Edits of a system and of annotators, each weighted by a scorer.

    By the rules of PT-M², equal edits count once, and a sentence scored by itself whose edits all
    weigh nothing is scored without weights.
    """

    _scores_distinct_edits: bool
    """Whether the rules are those of PT-M²."""

    def __init__(self, *, scorer: str | SentenceScorer, beta: Beta, average: Average) -> None:
        super().__init__(beta=beta, average=average)
        self._scorer: CachedScorer | None = None
        if isinstance(scorer, str) and scorer != SELF:
            try:
                scorer = get_scorer(scorer)
            except OptionError as error:
                what = "the option scorer takes a metric"
                raise OptionError(f"{type(self).name}: {what}: {error}") from error
        if not isinstance(scorer, str):
            self._scorer = CachedScorer(scorer)

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"scorer": self._scorer_signature, "beta": self.beta, "average": self.average}

    @cached_property
    def _scorer_signature(self) -> str:
        return SELF if self._scorer is None else self._scorer.scorer.signature

    @abstractmethod
    def all_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[SentenceEdits]]:
        """Return the edits of each sentence against each of its annotations."""

    def weights(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[Weights]]:
        """Return the weight of each edit, by sentence, annotation, and span and correction."""
        compared = self._compared(corpus, hypothesis)
        found = iter(weigh([one for ones in compared for one in ones], self._scorer))
        return [[next(found) for _ in ones] for ones in compared]

    def _compared(self, corpus: Corpus, hypothesis: Hypothesis) -> list[list[Compared]]:
        references = iter(self._references(corpus).texts)
        return [
            [Compared.of(sent.tokens, next(references), view) for view in views]
            for sent, views in zip(corpus, self.all_edits(corpus, hypothesis), strict=True)
        ]

    @abstractmethod
    def _references(self, corpus: Corpus) -> References:
        """Return the corrected sentences of all annotators."""

    def _count(self, corpus: Corpus, hypothesis: Hypothesis) -> Floats:
        """Return the sums of weights, one row for each annotation."""
        compared = [one for ones in self._compared(corpus, hypothesis) for one in ones]
        weights = weigh(compared, self._scorer)
        pairs = list(zip(compared, weights, strict=True))
        if not self._scores_distinct_edits:
            return np.array([sums_of_all(*pair) for pair in pairs], float).reshape(-1, 3)
        sums = [
            (*sums_of_distinct(one, own), *sums_of_distinct(one, even_if_all_zero(own)))
            for one, own in pairs
        ]
        return np.array(sums, float).reshape(-1, 6)

    @property
    def _columns(self) -> tuple[str, ...]:
        if self._scores_distinct_edits:
            return (*COLUMNS, *_SENTENCE_COLUMNS)
        return "tp", "fp", "fn"

    def sentence_sums(self, statistics: Statistics) -> Floats:
        """Return the sums by which sentences are scored one by one."""
        columns = slice(3, 6) if self._scores_distinct_edits else slice(3)
        return np.asarray(statistics.counts[..., columns], dtype=np.float64)

    def effective(self, sums: Floats) -> Floats:
        """Return the weights of correct, proposed and gold edits."""
        if self._scores_distinct_edits:
            return sums
        correct, wrong, missed = np.moveaxis(sums, -1, 0)
        return np.stack((correct, correct + wrong, correct + missed), axis=-1)

    def criteria(self, totals: Floats) -> Sequence[Floats]:
        """Return what the choice of a reference maximizes, the most important first."""
        f = self.f_of(totals)[2]
        first, second, third = np.moveaxis(totals, -1, 0)
        if self._scores_distinct_edits:
            return f, first, -(second + self.beta**2 * third)
        return f, first, -second, -third

    def marked_edits(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[SentenceEdits | None]:
        """Return the edits of each sentence against its chosen reference; None without one."""
        names = self._references(corpus).names
        chosen = [names[number] if number >= 0 else None for number in score.sentences.chosen]
        return [
            next((view for view in views if view.annotation.annotator == name), None)
            for name, views in zip(chosen, self.all_edits(corpus, hypothesis), strict=True)
        ]


class PtM2(_WeightedEdits):
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
    columns = (*COLUMNS, *_SENTENCE_COLUMNS)
    needs_edits = True
    _scores_distinct_edits = True

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
        self.missing: MissingPolicy = missing
        self._base = M2(max_unchanged=max_unchanged, missing=missing, jobs=jobs)
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
        return self._base.all_edits(corpus, hypothesis)

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
                References.of(_without_types(corpus), missing=self.missing),
                Provenance.of_edits(corpus.fill_missing(self.missing)),
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


class PtErrant(_WeightedEdits):
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
    lang, align, merge, typer, model, analyzer, notify
        How edits are extracted, see `Annotator`.
    annotator
        An annotator to use instead of these seven options.

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
    columns = ("tp", "fp", "fn")

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
        notify: Notify | None = None,
        annotator: Annotator | None = None,
    ) -> None:
        super().__init__(scorer=scorer, beta=beta, average=average)
        check_names(lang, typer)
        self.compat: Compat | None = compat
        self._scores_distinct_edits = compat is not None
        self.missing: MissingPolicy = missing
        options = {"align": align, "merge": merge, "typer": typer, "model": model}
        self._extractor = EditExtractor(
            annotator, {"pack": lang, **options, "analyzer": analyzer, "notify": notify}
        )
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
