"""What CLEME and CLEME2.0 have in common: extraction, counting, choice of references, views."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest
from geceval.errors import OptionError
from geceval.metrics._shared.edits import references_and_readings
from geceval.metrics._shared.readings import pair_readings, views_of_readings
from geceval.metrics._shared.texts import has_reference
from geceval.metrics.base import Metric, check_lengths
from geceval.metrics.cleme.chunks import TN, Assumption, Change, Chunks, changes_of
from geceval.metrics.cleme.scored_chunks import (
    N_CLASSES,
    ScoredChoice,
    ScoredChunks,
    weighted_sums,
)
from geceval.metrics.errant.edit_extractor import UntypedExtractionOptions
from geceval.metrics.errant.extraction import ExtractorMetric
from geceval.metrics.options import Default, Range, resolved
from geceval.metrics.provenance import Provenance
from geceval.metrics.pt.weighting import EditWeigher, weigher_of
from geceval.metrics.sentence_scorers import SentenceScorer
from geceval.metrics.statistics import (
    Rows,
    Score,
    SentenceScores,
    Statistics,
    Swaps,
    annotation_indices,
)
from geceval.metrics.views import ChunkedSentence
from geceval.model import (
    Annotation,
    Corpus,
    Hypothesis,
    MissingPolicy,
    Sentence,
    Tokens,
    apply_edits,
)
from geceval.references.nested import applied_only

if TYPE_CHECKING:
    from geceval.kernels.chunk_choice import ChunkChoice

Average: TypeAlias = Literal["corpus", "sentence"]
Weights: TypeAlias = Literal["length", "none", "corpus-length"]
Distance: TypeAlias = Annotated[int, Range(min=0, max=1000)]
Floats: TypeAlias = NDArray[np.float64]

COLUMNS = ("tp", "fp_ne", "fp_un", "fn", "tn", "gold", "gold_length")
"""Chunks by class; number and total length of the chunks that the reference changes."""

ALL_REFERENCES = ("all",)
"""Name of the references if chunks are compared with all of them."""

LENGTH_WEIGHTS: Mapping[tuple[Average, Assumption], tuple[tuple[float, float, float], ...]] = {
    ("corpus", "dependent"): ((2, 0.75, 1.25),) * 3,
    ("corpus", "independent"): ((2, 0.75, 1.25),) * 3,
    ("sentence", "dependent"): ((10, 1.0, 10), (10, 0.25, 1.0), (10, 1.0, 1.0)),
    ("sentence", "independent"): ((10, 2.5, 10), (10, 0.25, 1.0), (10, 1.0, 1.0)),
}
"""Alpha, lowest and highest weight of true positives, false positives and false negatives."""

COUNTS = ("tp", "fp", "fp_ne", "fp_un", "fn", "tn")
"""Parts that are numbers of chunks without weights."""

_FIXED_WEIGHTS = ("none", "scorer")
"""Weights that depend on no other sentences."""

_MIN_CHUNKS = 16
"""Columns for the chunks of a sentence; more if a sentence has more."""

# Columns of the results of `ChunkChoice`: sums, values of sentences, and numbers about all.
_FP = 1
_N_SUMS = 6
_N_SENTS = 11
MEAN_LENGTH = 12


_Counted: TypeAlias = tuple[list[int], list[int]]
"""Counts of a sentence against a reference or all of them, and its chunks as numbers."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A corpus with the references that count, shared by all systems."""

    corpus: Corpus
    changes: list[list[list[Change]]]
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    provenance: Provenance
    unchanged: dict[int, list[_Counted]] = field(default_factory=dict)
    """What is counted in sentences that systems leave unchanged, which are many."""


class _ChunkingOptions(TypedDict, total=False):
    assumption: Annotated[Assumption, Default("dependent")]
    average: Annotated[Average, Default("corpus")]
    merge_distance: Annotated[Distance, Default(0)]
    auto_gold: Annotated[bool, Default(True)]
    scorer: Annotated[str | SentenceScorer | None, Default(None)]
    missing: Annotated[MissingPolicy, Default("absent")]


class ChunkOptions(_ChunkingOptions, UntypedExtractionOptions):
    """Options of `ChunkMetric` with the same default in all metrics."""


class ChunkMetric(ExtractorMetric):
    """A metric of chunks with the same boundaries in source, output and all references.

    Parameters
    ----------
    assumption
        Compare the chunks with those of one reference (``"dependent"``), or each chunk with those
        of all references (``"independent"``).
    average
        ``"corpus"`` scores the totals of all sentences, ``"sentence"`` averages sentence scores.
    weights
        Weigh chunks by their ``"length"``, relative to the mean length of the chunks that
        references change, or not at all (``"none"``). Averages of sentences have weights of their
        own; ``"corpus-length"`` uses those of totals.
    merge_distance
        Maximum number of tokens between edits that share a chunk.
    auto_gold
        Extract the gold edits from the corrected sentences; otherwise, the edits of the
        annotators are used.
    scorer
        A metric or another scorer of sentences, as for `PtErrant`: weigh each chunk by how much
        it alone changes the score of the source, in place of `weights`.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    """

    columns = COLUMNS
    max_part_resamples = None
    counts_sentences_alone = True
    value_name: ClassVar[str]
    """The part that is the headline number."""

    def __init__(self, *, weights: Weights, **options: Unpack[ChunkOptions]) -> None:
        super().__init__(**resolved(UntypedExtractionOptions, options))
        chunking = resolved(_ChunkingOptions, options)
        self.assumption = chunking["assumption"]
        self.average = chunking["average"]
        self._weigher = self._weigher_of(chunking["scorer"])
        self.weights: Weights | Literal["scorer"] = "scorer" if self._weigher else weights
        self.merge_distance = chunking["merge_distance"]
        self.auto_gold = chunking["auto_gold"]
        self.needs_edits = not self.auto_gold
        # The mean length of reference chunks depends on how often a reference occurs.
        self.weighs_references = self.weights not in _FIXED_WEIGHTS
        self.missing = chunking["missing"]
        self._latest: Latest[Corpus, _Prepared] = Latest()

    def _weigher_of(self, scorer: str | SentenceScorer | None) -> EditWeigher | None:
        if scorer is None:
            return None
        if self.is_given("weights"):
            raise OptionError(f"{type(self).name}: the option scorer replaces the option weights")
        return weigher_of(scorer, type(self).name)

    @property
    @abstractmethod
    def rule(self) -> Mapping[str, Any]:
        """The rule by which references are chosen, for `ChunkChoice`."""

    @abstractmethod
    def parts_of(self, results: Floats) -> dict[str, Floats]:
        """Name the results of `ChunkChoice`: the parts of the scores of totals."""

    @abstractmethod
    def sentence_values(self, parts: Mapping[str, Floats]) -> tuple[Floats, ...]:
        """Return the parts by which references of a sentence are compared, in order."""

    @abstractmethod
    def sentence_parts_of(self, values: Floats) -> dict[str, Floats]:
        """Name the values of sentences, or their means."""

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "assumption": self.assumption,
            "average": self.average,
            "weights": self.weights,
            **({} if self._weigher is None else {"scorer": self._weigher.scorer.signature}),
            "distance": self.merge_distance,
            "gold": "auto" if self.auto_gold else "given",
            "missing": self.missing,
        }

    def for_sentences(self) -> Metric:
        """Return the mean over sentences, unless the option `average` was given."""
        return self if self.is_given("average") else self.with_options(average="sentence")

    def is_separable(self, statistics: Statistics) -> bool:  # noqa: ARG002
        """Whether the score is a mean over sentences, whose weights depend on no other ones."""
        return self.average == "sentence" and self.weights in _FIXED_WEIGHTS

    # Counting.

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count the chunks of each sentence by class, and list them if their lengths matter."""
        if hypothesis.readings:
            return pair_readings(self.statistics, corpus, hypothesis)
        prepared = self._prepare(corpus)
        columns, table = (
            self._counted_columns(prepared, corpus, hypothesis)
            if self._weigher is None
            else (COLUMNS[:N_CLASSES], self._weighted(self._weigher, prepared, corpus, hypothesis))
        )
        if self.assumption == "dependent" or self._weigher is not None:
            rows, places, names = prepared.rows, prepared.places, prepared.corpus.annotators
        else:
            rows, names = np.unique(prepared.rows), ALL_REFERENCES
            places = np.zeros_like(rows)
        was_extracted = self.auto_gold or hypothesis.edits is None
        return replace(
            Statistics.arrange(table, rows, places, columns, names, prepared.provenance),
            extraction=self.annotator.signature if was_extracted else "",
        )

    def _counted_columns(
        self, prepared: _Prepared, corpus: Corpus, hypothesis: Hypothesis
    ) -> tuple[tuple[str, ...], NDArray[Any]]:
        """Return the counts of chunks, and the chunks if their lengths matter."""
        counted = self._counts(prepared, corpus, hypothesis)
        counts = [row for row, _ in counted]
        table = np.array(counts, dtype=np.int64).reshape(-1, len(COLUMNS))
        if self.weights == "none":
            return COLUMNS, table
        listed = _listed([chunks for _, chunks in counted])
        names = tuple(f"chunk {number}" for number in range(1, listed.shape[1] + 1))
        return (*COLUMNS, *names), np.column_stack((table, listed))

    def _counts(
        self, prepared: _Prepared, corpus: Corpus, hypothesis: Hypothesis
    ) -> list[_Counted]:
        """Count the chunks of all sentences with references."""
        counted: list[_Counted] = []
        unchanged = prepared.unchanged
        for number, (tokens, changes, references) in enumerate(
            self._changes(prepared, corpus, hypothesis)
        ):
            if not references:
                continue
            own = None if changes else unchanged.get(number)
            if own is None:
                chunks = Chunks.of(tokens, changes, references, distance=self.merge_distance)
                own = list(self._count(chunks))
                if not changes:
                    unchanged[number] = own
            counted += own
        return counted

    def _weighted(
        self, weigher: EditWeigher, prepared: _Prepared, corpus: Corpus, hypothesis: Hypothesis
    ) -> Floats:
        """Sum the weights of the chunks of all sentences by class, for each reference."""
        scored: list[ScoredChunks] = []
        found = self._changes(prepared, corpus, hypothesis)
        for sent, (tokens, changes, references) in zip(prepared.corpus, found, strict=True):
            if references:
                chunks = Chunks.of(tokens, changes, references, distance=self.merge_distance)
                texts = [apply_edits(tokens, ann.edits) for ann in sent.annotations]
                scored += ScoredChunks.of(chunks, texts, self.assumption)
        return weighted_sums(scored, weigher)

    def _count(self, one: Chunks) -> Iterator[_Counted]:
        """Yield the counts of a sentence, for each reference or for all together."""
        lengths = one.lengths()
        gold = [one.gold_lengths(number) for number in range(len(one.references))]
        if self.assumption == "independent":
            gold = [[length for own in gold for length in own]]
        for classes, own in zip(one.classify(self.assumption), gold, strict=True):
            row = [0, 0, 0, 0, one.n_gaps]
            for kind in classes:
                row[kind] += 1
            pairs = zip(classes, lengths, strict=True)
            yield (
                [*row, len(own), sum(own)],
                [1 + kind + 4 * length for kind, length in pairs if kind != TN],
            )

    def _choice(self, statistics: Statistics) -> ChunkChoice | ScoredChoice:
        """Return the choice of references."""
        if self._weigher is not None:
            return self._scored_choice(statistics)
        return self._counted_choice(statistics)

    def _scored_choice(self, statistics: Statistics) -> ScoredChoice:
        tp, fp_ne, fp_un, fn, tn = np.moveaxis(np.asarray(statistics.counts, np.float64), -1, 0)
        sums = np.stack((tp, fp_ne + fp_un, fn, tn, fp_ne, fp_un), axis=-1)

        def values(sums: Floats) -> tuple[Floats, ...]:
            results = np.zeros((sums.size // _N_SUMS, MEAN_LENGTH + 1))
            results[:, :_N_SUMS] = sums.reshape(-1, _N_SUMS)
            found = self.sentence_values(self.parts_of(results))
            return tuple(one.reshape(sums.shape[:-1]) for one in found)

        return ScoredChoice(sums, statistics.mask, values, running=self.average == "corpus")

    def _counted_choice(self, statistics: Statistics) -> ChunkChoice:
        from geceval.kernels.chunk_choice import ChunkChoice

        average: Average = "corpus" if self.weights == "corpus-length" else self.average
        is_weighted = self.weights != "none"
        return ChunkChoice(
            statistics.counts.astype(np.int64, copy=False),
            np.ascontiguousarray(statistics.mask).view(np.uint8),
            weights=LENGTH_WEIGHTS[average, self.assumption] if is_weighted else (),
            running=self.average == "corpus",
            **self.rule,
        )

    # Scores.

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        result, chosen, own = self._choice(statistics).choose()
        parts = {name: part.item() for name, part in self._parts(result).items()}
        value = float(parts[self.value_name])
        # The headline number is in all tables, called the score.
        parts.pop("score", None)
        return Score(
            self.name,
            value,
            parts,
            self.signature(statistics),
            self._sentences(statistics, chosen, own),
            self._notes(result),
        )

    def _sentences(
        self, statistics: Statistics, pairs: NDArray[np.int64], own: Floats
    ) -> SentenceScores:
        """Return the scores of sentences by themselves, with the weights of the corpus."""
        parts = self._parts(np.column_stack((own, np.ones((len(own), 2)))))
        parts.pop("mean_length", None)
        values = parts.pop(self.value_name)
        chosen, readings = references_and_readings(statistics, pairs)
        if self.assumption == "independent":
            chosen = np.full_like(chosen, -1)
        values = np.where(has_reference(statistics), values, np.nan)
        return SentenceScores(chosen, values, parts, readings)

    def resample(self, statistics: Statistics, rows: Rows) -> Floats:
        """Score many samples of sentences, choosing references in each."""
        return self._parts(self._choice(statistics).resample(rows))[self.value_name]

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[Floats, Floats]:
        """Score two systems with some of their sentences swapped, choosing references in each."""
        if self.average == "sentence" or self._weigher is not None:
            return super().resample_swapped(first, second, swaps)
        flags = np.ascontiguousarray(swaps.flags).view(np.uint8)
        one, other = self._counted_choice(first.followed_by(second)).swap(flags)
        return self._parts(one)[self.value_name], self._parts(other)[self.value_name]

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, Floats]:
        """Compute the parts of the score of many samples of sentences."""
        parts = self._parts(self._choice(statistics).resample(rows))
        parts.pop("score", None)
        return parts

    def independent_sentence_scores(self, statistics: Statistics) -> Floats:
        """Score each sentence as a corpus of one, with its own mean length of chunks."""
        scores = self.resample(statistics, np.arange(len(statistics), dtype=np.int64)[:, None])
        return np.where(has_reference(statistics), scores, np.nan)

    def _parts(self, results: Floats) -> dict[str, Floats]:
        """Name the results of `ChunkChoice`, one row for each sample or sentence."""
        parts = self.parts_of(results)
        if self.average == "sentence":
            n_sents = np.maximum(1, results[..., _N_SENTS])
            parts |= self.sentence_parts_of((results[..., _N_SUMS:_N_SENTS].T / n_sents).T)
        if self.weights == "none":
            parts |= {name: parts[name].astype(np.int64) for name in COUNTS if name in parts}
        return parts

    def _notes(self, result: Floats) -> tuple[str, ...]:
        """Return a warning if there is no mean length to weigh false positives by."""
        if self.weights in _FIXED_WEIGHTS or result[MEAN_LENGTH] or not result[_FP]:
            return ()
        note = "no reference changes anything, so chunks are weighted by a mean length of 0"
        return (note,)

    # Views.

    def chunk_view(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[ChunkedSentence | None]:
        """Divide each sentence into chunks; None without references."""
        if hypothesis.readings:
            return views_of_readings(self.chunk_view, corpus, hypothesis, score)
        prepared = self._prepare(corpus)
        names = prepared.corpus.annotators
        views: list[ChunkedSentence | None] = []
        for sent, found, number in zip(
            prepared.corpus,
            self._changes(prepared, corpus, hypothesis),
            score.sentences.chosen.tolist(),
            strict=True,
        ):
            annotators = tuple(ann.annotator for ann in sent.annotations)
            if not annotators:
                views.append(None)
                continue
            chosen = names[number] if number >= 0 else None
            one = Chunks.of(*found, distance=self.merge_distance)
            classes = one.classify(self.assumption)[annotators.index(chosen) if chosen else 0]
            views.append(ChunkedSentence(annotators, chosen, one.view(classes)))
        return views

    # Edits.

    def _prepare(self, corpus: Corpus) -> _Prepared:
        return self._latest.get(corpus, self._select_references)

    def _select_references(self, corpus: Corpus) -> _Prepared:
        filled = applied_only(corpus.first_alignments().fill_missing(self.missing))
        place = {name: number for number, name in enumerate(filled.annotators)}
        kept = [replace(sent, annotations=_kept(sent, place)) for sent in filled]
        if self.auto_gold:
            kept = self._extracted(kept, corpus.name)
        selected = replace(filled, sentences=tuple(kept))
        changes = [
            [changes_of(ann.edits, len(sent.tokens)) for ann in sent.annotations] for sent in kept
        ]
        rows, places = annotation_indices(selected)
        return _Prepared(selected, changes, rows, places, Provenance.of_edits(selected))

    def _extracted(self, sentences: Sequence[Sentence], name: str) -> list[Sentence]:
        """Extract the edits of all annotations from the corrected sentences."""
        pairs = [
            (sent.tokens, apply_edits(sent.tokens, ann.edits))
            for sent in sentences
            for ann in sent.annotations
        ]
        numbers = [number for number, sent in enumerate(sentences) for _ in sent.annotations]
        found = iter(self._extractor.extract(name or "the gold standard", pairs, numbers))
        return [
            replace(
                sent,
                annotations=tuple(replace(ann, edits=next(found)) for ann in sent.annotations),
            )
            for sent in sentences
        ]

    def _changes(
        self, prepared: _Prepared, corpus: Corpus, hypothesis: Hypothesis
    ) -> Iterator[tuple[Tokens, list[Change], list[list[Change]]]]:
        """Yield each sentence with the edits of the output and of all references."""
        check_lengths(corpus, hypothesis)
        edits = self._extractor.system_edits(corpus, hypothesis)
        for tokens, own, references in zip(corpus.sources, edits, prepared.changes, strict=True):
            yield tokens, changes_of(own, len(tokens)), references


def _kept(sent: Sentence, place: Mapping[str, int]) -> tuple[Annotation, ...]:
    """Return the annotations in order, without empty references; the first if all are empty."""
    annotations = sorted(sent.annotations, key=lambda ann: place[ann.annotator])
    if not sent.tokens:
        return tuple(annotations)
    kept = [ann for ann in annotations if apply_edits(sent.tokens, ann.edits)]
    return tuple(kept or annotations[:1])


def _listed(chunks: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return the chunks of each reference as rows of numbers, padded with 0."""
    width = max(_MIN_CHUNKS, *map(len, chunks)) if chunks else _MIN_CHUNKS
    table = np.zeros((len(chunks), width), dtype=np.int64)
    for row, own in zip(table, chunks, strict=True):
        row[: len(own)] = own
    return table


def _annotated(statistics: Statistics) -> NDArray[np.bool_]:
    return has_reference(statistics)


def shares(part: Floats, whole: Floats, *, otherwise: float) -> Floats:
    """Divide, with another value where there is nothing to divide by."""
    default = np.full(np.shape(part), otherwise)
    found: Floats = np.divide(part, whole, out=default, where=np.asarray(whole) > 0)
    return found
