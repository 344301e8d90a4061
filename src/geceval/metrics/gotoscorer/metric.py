"""GoToScorer: precision, recall and F of chunks, weighted by their difficulty.

Gotou, Nagata, Mita and Hanawa (2020), Taking the Correction Difficulty into Account in Grammatical
Error Correction Evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest
from geceval.errors import OptionError
from geceval.metrics._shared.extracted_edits import (
    ExtractingMetric,
    GoldExtractionOptions,
    chosen_annotator,
)
from geceval.metrics._shared.texts import (
    has_reference,
    mask_unannotated,
    sentence_counts,
    sum_rows,
    sum_swapped_rows,
)
from geceval.metrics.base import check_lengths
from geceval.metrics.errant.metric import with_edits
from geceval.metrics.gotoscorer.difficulty_weights import (
    PLAIN,
    Constants,
    Difficulty,
    TypeDifficulty,
    by_type,
)
from geceval.metrics.gotoscorer.gold_chunks import ChunkOutcomes, GoldChunks, chunk_edits
from geceval.metrics.options import Beta, Range
from geceval.metrics.papers import GOTOU_2020
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import (
    Part,
    Rows,
    Score,
    SentenceScores,
    SentenceSums,
    Statistics,
    Swaps,
)
from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Corpus, Edit, Hypothesis, Tokens

Weights: TypeAlias = Difficulty | Path | str

Constant: TypeAlias = Annotated[float, Range(min=0, max=1000)]

COLUMNS = ("tp", "fp", "fn", "tn", "all")


@dataclass(frozen=True, slots=True)
class _Gold:
    """The edits of the chosen annotator as chunks, shared by all systems."""

    corpus: Corpus
    chunks: GoldChunks
    place: int
    """Index of the annotator among all."""
    provenance: Provenance


class GoToScorer(ExtractingMetric):
    r"""GoToScorer, which weights each chunk by the share of systems that get it wrong.

    Parameters
    ----------
    beta
        Weight of recall in F.
    weights
        Where the weights come from: the systems that are scored together (``"pool"``), a weight
        file or a `Difficulty`; with ``"none"`` all chunks weigh 1.
    ref
        Name of the annotator to score against; the first one by default.
    a, b, c
        Constants of the weight ``a - (n + b) / (N + c)`` of a chunk that n of N systems get
        right.
    **options
        Options of `ExtractingMetric`: where gold edits come from and how edits are extracted.

    Notes
    -----
    Precision, recall and F are 0 at 0/0. Edits of types ``UNK`` and ``Um``, edits that overlap an
    earlier one or lie past the end of the sentence, and edits that change nothing are ignored.
    Sentences that the annotator did not annotate are excluded.

    References
    ----------
    Gotou, Nagata, Mita and Hanawa (2020), Taking the Correction Difficulty into Account in
    Grammatical Error Correction Evaluation, COLING.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> edits = (Edit(1, 2, (("like",),), "R:VERB:SVA"), Edit(2, 3, (("them",),), "R:PRON"))
    >>> corpus = Corpus((Sentence(("I", "likes", "it"), (Annotation("0", edits),)),))
    >>> both = Hypothesis("both", (("I", "like", "them"),))
    >>> one = Hypothesis("one", (("I", "like", "it"),))
    >>> metric = GoToScorer(lang="plain").prepared_for(corpus, [both, one])
    >>> [metric.score(corpus, system).parts["tp"] for system in (both, one)]
    [0.5, 0.0]
    """

    name = "gotoscorer"
    title = "GoToScorer"
    papers = (GOTOU_2020,)
    columns = COLUMNS
    pools_systems = True
    max_part_resamples = None
    table_parts = ("tp", "fp", "fn", "tn", "P", "R", "F1", "accuracy")

    def __init__(
        self,
        *,
        beta: Beta = 0.5,
        weights: Weights = "pool",
        ref: str | None = None,
        a: Constant = PLAIN.a,
        b: Constant = PLAIN.b,
        c: Constant = PLAIN.c,
        **options: Unpack[GoldExtractionOptions],
    ) -> None:
        super().__init__(**options)
        self.beta: float = beta
        self.weights = _loaded(weights)
        if self.is_given("weights"):
            # A copy must not read a file again.
            self._options = {**self._options, "weights": self.weights}
        self.ref = ref
        self.constants = Constants(a, b, c)
        given = [name for name in "abc" if getattr(self.constants, name) != getattr(PLAIN, name)]
        if self.weights == "none" and given:
            raise OptionError(
                f"gotoscorer: the option {given[0]} takes no value with weights=none, which makes "
                "no weights"
            )
        self._latest: Latest[Corpus, _Gold] = Latest()

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"F{self.beta:g}"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "beta": self.beta,
            "difficulty": _described(self.weights, self.constants),
            "ref": "first" if self.ref is None else self.ref,
            **super().settings(),
        }

    def for_sentences(self) -> GoToScorer:
        """Return the metric without weights, if they would come from other systems."""
        if self.weights != "pool":
            return self
        return self.with_options(weights="none", a=PLAIN.a, b=PLAIN.b, c=PLAIN.c)

    def prepared_for(self, corpus: Corpus, hypotheses: Iterable[Hypothesis]) -> GoToScorer:
        """Return the metric with the weights that these systems give."""
        metric = self.with_options(auto_gold=self.extracts_gold(corpus))
        if self.weights != "pool":
            return metric
        return metric.with_options(weights=metric.difficulty(corpus, hypotheses))

    def difficulty(self, corpus: Corpus, hypotheses: Iterable[Hypothesis]) -> Difficulty:
        """Count the systems that get each chunk right.

        Raises
        ------
        OptionError
            For fewer than two systems.
        """
        chunks = self.chunks(corpus)
        n_correct = np.zeros(len(chunks), dtype=np.int64)
        n_systems = 0
        for hypothesis in hypotheses:
            n_correct += self.outcomes(corpus, hypothesis).correct
            n_systems += 1
        if n_systems < 2:
            raise _no_weights()
        return Difficulty(n_systems, n_correct, chunks.offsets)

    def difficulty_by_type(self, corpus: Corpus) -> list[TypeDifficulty]:
        """Return the difficulty of the gold edits of each error type, the most difficult first."""
        if not isinstance(self.weights, Difficulty):
            raise _no_weights()
        self._chunk_weights(corpus)
        return by_type(self.chunks(corpus), self.weights, self.constants)

    # Counting.

    def chunks(self, corpus: Corpus) -> GoldChunks:
        """Return the chunks of the chosen annotator."""
        return self._gold(corpus).chunks

    def outcomes(self, corpus: Corpus, hypothesis: Hypothesis) -> ChunkOutcomes:
        """Compare a system with each gold chunk."""
        check_lengths(corpus, hypothesis)
        edits = self.system_edits(corpus, hypothesis)
        return self.chunks(corpus).compare(
            [chunk_edits(own, sent.tokens) for own, sent in zip(edits, corpus, strict=True)]
        )

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Sum the weights of true and false positives and negatives of each sentence.

        Weights are multiples of `Difficulty.scale`.
        """
        found = self.outcomes(corpus, hypothesis)
        gold, weights = self._gold(corpus), self._chunk_weights(corpus)
        chunks = gold.chunks
        is_wrong = ~found.correct
        classes = (
            found.tried & found.correct,
            found.tried & is_wrong,
            is_wrong & (chunks.is_edited | ~found.tried),
            found.correct & ~found.tried,
            np.ones(len(chunks), dtype=bool),
        )
        counts = np.column_stack([_sums(chunks, weights * one) for one in classes])
        rows = np.flatnonzero(np.diff(chunks.offsets))
        statistics = Statistics.arrange(
            counts[rows],
            rows,
            np.full(len(rows), gold.place),
            COLUMNS,
            corpus.annotators,
            gold.provenance,
        )
        return replace(statistics, extraction=self.extraction(corpus, hypothesis))

    def _gold(self, corpus: Corpus) -> _Gold:
        return self._latest.get(corpus, self._select_edits)

    def _select_edits(self, corpus: Corpus) -> _Gold:
        annotator = chosen_annotator(corpus, self.ref)
        wanted = frozenset() if annotator is None else frozenset({annotator})
        gold = with_edits(
            self.gold_edits(corpus).keep_annotators(wanted),
            lambda sent, ann: chunk_edits(ann.edits, sent.tokens),
        )
        place = corpus.annotators.index(annotator) if annotator is not None else 0
        return _Gold(gold, GoldChunks.of(gold), place, Provenance.of_edits(gold))

    def _chunk_weights(self, corpus: Corpus) -> NDArray[Any]:
        """Return the weight of each chunk, times `_unit`."""
        chunks = self.chunks(corpus)
        if self.weights == "pool":
            raise _no_weights()
        if self.weights == "none":
            return np.ones(len(chunks), dtype=np.int64)
        self.weights.check(chunks, corpus)
        return self.weights.scaled_weights(self.constants)

    # Scoring.

    @property
    def _unit(self) -> float:
        """What a weight of 1 is in the counts."""
        if self.weights == "pool":
            raise _no_weights()
        return 1 if self.weights == "none" else self.weights.scale(self.constants)

    def aggregate(self, statistics: Statistics) -> Score:
        """Score the sums of all sentences."""
        table = sentence_counts(statistics)
        parts = self._parts(table.sum(axis=0))
        values = self._parts(table)
        annotated = has_reference(statistics)
        view = SentenceScores(
            statistics.mask.argmax(axis=1) if statistics.references else annotated - 1,
            values[self.score_name],
            values,
        )
        return Score(
            self.name,
            float(parts[self.score_name]),
            {name: _plain(value) for name, value in parts.items()},
            self.signature(statistics),
            mask_unannotated(view, annotated),
        )

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences; weights stay the same."""
        return self.resample_parts(statistics, rows)[self.score_name]

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, NDArray[np.float64]]:
        """Compute the parts of the score of many samples of sentences."""
        return self._parts(sum_rows(sentence_counts(statistics), rows))

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped."""
        one, other = sum_swapped_rows(self, first, second, swaps, sentence_counts)
        return self._parts(one)[self.score_name], self._parts(other)[self.score_name]

    def fixed_sums(self, statistics: Statistics) -> SentenceSums:
        """Return the score as a function of sums over sentences."""
        return SentenceSums(
            sentence_counts(statistics), lambda totals: self._parts(totals)[self.score_name]
        )

    def is_separable(self, statistics: Statistics) -> bool:  # noqa: ARG002
        """Whether F is a ratio of sums."""
        return self.beta > 0

    def _parts(self, sums: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return the parts of the score of sums, whose last axis are the columns."""
        unit = self._unit
        # Ratios of integers are exact, so the unit cancels out.
        tp, fp, fn, tn, every = np.moveaxis(sums, -1, 0)
        precision, recall = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
        weights = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        return {
            **{name: one if unit == 1 else one / unit for name, one in weights.items()},
            "P": precision,
            "R": recall,
            "F1": _f(precision, recall, 1),
            self.score_name: _f(precision, recall, self.beta),
            "accuracy": _ratio(tp + tn, every),
        }

    # Views.

    def marked_edits(
        self,
        corpus: Corpus,
        hypothesis: Hypothesis,
        score: Score,  # noqa: ARG002
    ) -> list[SentenceEdits | None]:
        """Return the edits of each sentence against the reference; None without one."""
        views: list[SentenceEdits | None] = []
        edits = self.system_edits(corpus, hypothesis)
        gold = self._gold(corpus)
        for sent, own in zip(gold.corpus, edits, strict=True):
            if not sent.annotations:
                views.append(None)
                continue
            ann = sent.annotations[0]
            number = {_key(edit): place for place, edit in enumerate(ann.edits)}
            marked = (
                SystemEdit(edit.start, edit.end, edit.correction, number.get(_key(edit)), edit.type)
                for edit in chunk_edits(own, sent.tokens)
            )
            views.append(SentenceEdits(ann, tuple(marked)))
        return views


def _key(edit: Edit) -> tuple[int, int, Tokens]:
    return edit.start, edit.end, edit.correction


def _loaded(weights: Weights) -> Literal["pool", "none"] | Difficulty:
    if isinstance(weights, Difficulty):
        return weights
    if weights == "pool":
        return "pool"
    return "none" if weights == "none" else Difficulty.read(weights)


def _no_weights() -> OptionError:
    return OptionError(
        "gotoscorer weights chunks by how many systems get them right: score at least two systems "
        "together, or give weights=FILE (--weights), or weights=none for equal weights"
    )


def _described(weights: str | Difficulty, constants: Constants) -> str:
    if isinstance(weights, Difficulty):
        weights = f"{weights.n_systems} systems {weights.digest}"
    return weights if constants == PLAIN else f"{weights} {constants}"


def _sums(chunks: GoldChunks, weights: NDArray[Any]) -> NDArray[Any]:
    """Sum the weights of the chunks of each sentence."""
    sizes = np.diff(chunks.offsets)
    sums = np.bincount(np.repeat(np.arange(len(sizes)), sizes), weights, len(sizes))
    return sums.astype(weights.dtype)


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Divide; 0 where there is nothing to divide by."""
    ratio: NDArray[np.float64] = np.divide(
        part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0
    )
    return ratio


def _f(
    precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float
) -> NDArray[np.float64]:
    weight = beta * beta
    return _ratio((1 + weight) * precision * recall, weight * precision + recall)


def _plain(value: NDArray[Any]) -> Part:
    found: Part = np.asarray(value).item()
    return found
