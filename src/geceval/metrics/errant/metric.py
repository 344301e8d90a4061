"""ERRANT: precision, recall and F of edits that are extracted and typed by rules.

Bryant, Felice and Briscoe (2017), Automatic Annotation and Evaluation of Error Types for
Grammatical Error Correction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest, WeakCache
from geceval.extraction.annotator import Annotator
from geceval.extraction.categories import CHINESE_LEGEND
from geceval.extraction.corpus import named_readings
from geceval.metrics._shared.edits import RunningF, by_annotator
from geceval.metrics._shared.pairing import (
    EditPairing,
    Mode,
    count_pairs,
    pair,
    pair_like_errant,
)
from geceval.metrics._shared.readings import (
    chosen_readings,
    each_reading,
    pair_readings,
    views_of_readings,
)
from geceval.metrics.base import Metric, check_lengths
from geceval.metrics.errant.edit_extractor import EditExtractor, ExtractionOptions
from geceval.metrics.errant.extraction import ExtractorMetric
from geceval.metrics.errant.pooled import (
    CHINESE,
    check_chinese,
    check_sources_of_edits,
    joined_corrections,
    level_title,
    pooled_gold,
    pooled_output,
)
from geceval.metrics.options import Beta
from geceval.metrics.papers import BRYANT_2017, FELICE_2016
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Part, Rows, Score, SentenceSums, Statistics, Swaps, f_score
from geceval.metrics.views import EditCounts, SentenceEdits, SystemEdit
from geceval.model import (
    Annotation,
    Corpus,
    Edit,
    Hypothesis,
    MissingPolicy,
    Sentence,
    Tokens,
    apply_edits,
    in_order,
)
from geceval.references.nested import NestedPolicy, with_readings

if TYPE_CHECKING:
    from geceval.kernels.running_totals import RunningChoice

Compat: TypeAlias = Literal["errant-3.0.2", "cherrant"]

COLUMNS = ("tp", "fp", "fn")
UNKNOWN = "UNK"
"""The type of a detection, an error without a correction."""

OTHER_TYPES = "(not in the gold)"
"""Name for all types that only the system has."""


@dataclass(frozen=True, slots=True)
class _SharedGold:
    """A corpus with the edits that count, shared by all systems."""

    corpus: Corpus
    types: tuple[str, ...]
    provenance: Provenance
    nested: bool


class Errant(ExtractorMetric, RunningF):
    r"""The ERRANT score.

    The edits of a system are extracted from its output by a linguistic alignment and rules (see
    `Annotator`) and compared with the gold edits.

    Parameters
    ----------
    beta
        Weight of recall in F; with 0 F is the precision.
    mode
        What makes an edit correct: its span and correction (``"correction"``), also its type
        (``"correction+type"``), or its span alone (``"span-detection"``). With
        ``"token-detection"``, each token of an edit counts, and an insertion counts as the token
        after it.
    auto_gold
        Extract the gold edits from the corrected sentences, too, instead of using the spans and
        types of the annotators.
    macro
        Average F over error types.
    compat
        ``"errant-3.0.2"`` gives the numbers of ``errant_compare``, ``"cherrant"`` those of
        ChERRANT's scorer, see Notes.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    nested
        Whether an annotation with edits inside of others is divided into ``"readings"`` without
        overlaps, of which the best is chosen, or scored as it is (``"off"``); always the latter
        with `compat`.
    **extraction
        How edits are extracted: arguments of `Annotator`, with ``lang`` for its pack, or an
        ``annotator`` to use instead.
    jobs
        Number of cores. If there are two or more, a second thread prefetches analyses.

    Notes
    -----
    Precision is 1 without proposed edits, recall is 1 without gold edits. The annotator of a
    sentence maximizes F of the totals up to it, so the order of sentences matters; if the output
    has several annotators as well, the best pair is chosen. Detections, such as edits of type
    ``UNK``, count in the detection modes only.

    Each gold edit matches at most one edit of the system, any of its corrections is correct, and
    edits past the end of the sentence are ignored. With ``compat``, an edit of the system matches
    all equal gold edits, all corrections must be equal, only ``UNK`` is ignored, and annotators
    are compared by F with four digits.

    Chinese edits are those of characters, or of words that are separated by spaces; their
    corrections are compared without spaces. Each alignment of a correction is a reading of its own.
    With ``compat="cherrant"``, the edits of all its alignments are pooled, and an annotator who
    could not annotate a sentence that others did has an edit that every system misses.

    References
    ----------
    Bryant, Felice and Briscoe (2017), Automatic Annotation and Evaluation of Error Types for
    Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> edit = Edit(1, 2, (("like",),), "R:VERB:SVA")
    >>> corpus = Corpus((Sentence(("I", "likes", "it"), (Annotation("0", (edit,)),)),))
    >>> score = Errant(lang="plain").score(corpus, Hypothesis("h", (("I", "like", "them"),)))
    >>> score.parts["tp"], score.parts["fp"], round(score.value, 4)
    (1, 1, 0.5556)
    """

    name = "errant"
    title = "ERRANT"
    papers = (BRYANT_2017, FELICE_2016)
    columns = COLUMNS
    chooses_alignments = True
    counts_sentences_alone = True

    def __init__(
        self,
        *,
        beta: Beta = 0.5,
        mode: Mode = "correction",
        auto_gold: bool = False,
        macro: bool = False,
        compat: Compat | None = None,
        missing: MissingPolicy = "absent",
        nested: NestedPolicy = "readings",
        **extraction: Unpack[ExtractionOptions],
    ) -> None:
        ExtractorMetric.__init__(self, **extraction)
        RunningF.__init__(self, beta=beta)
        check_chinese(self._extractor.lang, compat)
        self.mode: Mode = mode
        self.auto_gold = auto_gold
        self.needs_edits = not auto_gold
        self.macro = macro
        self.compat: Compat | None = compat
        self.missing: MissingPolicy = missing
        self.nested: NestedPolicy = nested
        self._lang = self._extractor.lang
        self._level = self._extractor.pack_options.level
        if self._lang == CHINESE:
            self.title = f"ERRANT, Chinese, {level_title(self._level)}"
            self.type_legend = CHINESE_LEGEND
        self._latest: Latest[Corpus, _SharedGold] = Latest()
        self._edits: WeakCache[Hypothesis, WeakCache[Corpus, list[tuple[Edit, ...]]]] = WeakCache()

    @property
    def uses_detections(self) -> bool:
        """Whether gold edits without corrections are enough for a score."""
        return not self._corrects

    @property
    def _corrects(self) -> bool:
        """Whether corrections are compared, not only spans."""
        return self.mode in ("correction", "correction+type")

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"macro {super().score_name}" if self.macro else super().score_name

    @property
    def retokenizer(self) -> Annotator | None:
        """The annotator of Chinese, whose texts have no spaces between their tokens."""
        return self.annotator if self._lang == CHINESE else None

    @property
    def type_annotator(self) -> Annotator:
        """The annotator that types the edits of systems."""
        return self.annotator

    def typed_edits(
        self, corpus: Corpus, hypothesis: Hypothesis
    ) -> Sequence[tuple[Edit, ...]] | None:
        """Return the edits of an output, unless it has others, or types depend on alignments."""
        if hypothesis.edits is not None or self._lang == CHINESE:
            return None
        return self._extractor.output_edits(corpus, hypothesis)

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "beta": self.beta,
            "mode": self.mode,
            "gold": "auto" if self.auto_gold else "given",
            "macro": self.macro,
            "compat": self.compat or "no",
            "missing": self.missing,
            **({"nested": "off"} if self.nested == "off" else {}),
            **({"lang": CHINESE, "level": self._level} if self._lang == CHINESE else {}),
        }

    # Counting.

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count true and false positives and false negatives for each sentence and annotator."""
        was_extracted = self.auto_gold or hypothesis.edits is None
        hypothesis = self._with_readings(corpus, hypothesis)
        if hypothesis.readings:
            statistics = pair_readings(self.statistics, corpus, hypothesis)
            return replace(statistics, extraction=self._extraction(was_extracted))
        prepared = self._prepare(corpus)
        edits = self._system_edits(corpus, hypothesis)
        pairs = [
            (found, ann)
            for sent, found in zip(prepared.corpus, edits, strict=True)
            for ann in sent.annotations
        ]
        columns: tuple[str, ...] = COLUMNS
        if self.macro:
            comparisons = [self._compare(*one) for one in pairs]
            totals = np.array([one.counts for one in comparisons], dtype=np.int64).reshape(-1, 3)
            counts = np.column_stack((totals, _count_types(comparisons, prepared.types)))
            columns += tuple(f"{count} {name}" for name in prepared.types for count in COLUMNS)
        else:
            counts = np.array([self._count(*one) for one in pairs], dtype=np.int64).reshape(-1, 3)
        return replace(
            by_annotator(prepared.corpus, counts, columns, prepared.provenance),
            extraction=self._extraction(was_extracted),
            nested=prepared.nested,
        )

    def _extraction(self, was_extracted: bool) -> str:
        return self.annotator.signature if was_extracted else ""

    def _with_readings(self, corpus: Corpus, hypothesis: Hypothesis) -> Hypothesis:
        """Return the output with the readings of Chinese text, pooled as ChERRANT does."""
        if self._lang == CHINESE:
            check_lengths(corpus, replace(hypothesis, readings=()))
            hypothesis = self._extractor.with_readings(corpus, hypothesis)
        if self.compat == "cherrant":
            check_sources_of_edits(corpus, hypothesis)
            hypothesis = pooled_output(corpus, hypothesis)
        return hypothesis

    def effective(self, counts: NDArray[Any]) -> NDArray[np.int64]:
        """Return correct, proposed and gold as they enter the score."""
        effective = np.array(counts[..., :3], dtype=np.int64, order="C")
        effective[..., 1:] += effective[..., :1]
        return effective

    def named(self, effective: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Name the counts that `effective` returned."""
        correct, proposed, gold = effective.T
        return {"tp": correct, "fp": proposed - correct, "fn": gold - correct}

    def choice(self, statistics: Statistics, **rule: bool) -> RunningChoice:
        """Return the choice of references by ERRANT's rule."""
        is_rounded = self.compat is not None
        return super().choice(statistics, by_errors=True, rounded=is_rounded, **rule)

    def is_separable(self, statistics: Statistics) -> bool:
        """Whether no sentence has a choice of references, and F is not an average."""
        return not self.macro and super().is_separable(statistics)

    def more_parts(self, totals: NDArray[Any]) -> Mapping[str, Part]:
        """Return the micro-average and the number of types beside a macro-average."""
        if not self.macro:
            return {}
        f, n_types = self._macro(totals)
        micro = f_score(*self.effective(totals), beta=self.beta)[2]
        return {"macro_f": f, "micro_f": float(micro), "types": n_types}

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        score = super().aggregate(statistics)
        if not self.macro:
            return score
        parts = dict(score.parts)
        return replace(score, value=float(parts.pop("macro_f")), parts=parts)

    def fixed_sums(self, statistics: Statistics) -> SentenceSums | None:
        """Return F as a function of the counts against the chosen references, unless averaged."""
        return None if self.macro else super().fixed_sums(statistics)

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many samples of sentences, choosing references in each."""
        if not self.macro:
            return super().resample(statistics, rows)
        choice = self.choice(statistics)
        values = []
        for row in rows:
            _, chosen = choice.choose(row)
            annotated = chosen >= 0
            counts = statistics.counts[row[annotated], chosen[annotated]]
            values.append(self._macro(counts.sum(axis=0))[0])
        return np.array(values)

    def resample_swapped(
        self, first: Statistics, second: Statistics, swaps: Swaps
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score two systems with some of their sentences swapped, choosing references in each."""
        if not self.macro:
            return super().resample_swapped(first, second, swaps)
        return Metric.resample_swapped(self, first, second, swaps)

    def _macro(self, totals: NDArray[Any]) -> tuple[float, int]:
        """Return the mean of F over the types that occur, and their number."""
        by_type = totals[3:].reshape(-1, 3)
        by_type = by_type[by_type.any(axis=1)]
        if not len(by_type):
            return 1.0, 0
        f = f_score(*self.effective(by_type).T, beta=self.beta)[2]
        return float(f.mean()), len(by_type)

    # Views.

    def marked_edits(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> list[SentenceEdits | None]:
        """Return the edits of each sentence against its chosen reference; None without one."""
        hypothesis = self._with_readings(corpus, hypothesis)
        if hypothesis.readings:
            return views_of_readings(self.marked_edits, corpus, hypothesis, score)
        views: list[SentenceEdits | None] = []
        for chosen in self._chosen(corpus, hypothesis, score):
            if chosen is None:
                views.append(None)
                continue
            edits, ann = chosen
            found = self._compare(edits, ann).found
            golds = {unit.number: gold.number for unit, gold in reversed(found)}
            marked = (
                SystemEdit(edit.start, edit.end, edit.correction, golds.get(number), edit.type)
                for number, edit in enumerate(edits)
            )
            views.append(SentenceEdits(ann, tuple(marked)))
        return views

    def counts_by_type(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> dict[str, EditCounts]:
        """Count edits by error type, in the chosen references; true positives by the gold type."""
        return self._table(corpus, hypothesis, score, lambda name: name)

    def by_operation(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> dict[str, EditCounts]:
        """Count edits by operation: M (missing), R (replaced), U (unnecessary)."""
        return self._table(corpus, hypothesis, score, lambda name: self._split(name)[0])

    def by_category(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> dict[str, EditCounts]:
        """Count edits by category, such as ``VERB:SVA``, of any operation."""
        return self._table(corpus, hypothesis, score, lambda name: self._split(name)[1])

    def _split(self, name: str) -> tuple[str, str]:
        """Split an error type into operation and category; only ERRANT's have an operation."""
        if name == UNKNOWN:
            return name, name
        if self._lang == CHINESE:
            operation, _, category = name.partition(":")
            return operation, category
        if self.compat is not None:
            return name[:1], name[2:]
        return (name[0], name[2:]) if name[:2] in ("M:", "R:", "U:") else ("", name)

    def _table(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score, key: Callable[[str], str]
    ) -> dict[str, EditCounts]:
        found: tuple[list[str], list[str], list[str]] = [], [], []
        for chosen in self._chosen(corpus, hypothesis, score):
            if chosen is not None:
                for own, types in zip(found, self._compare(*chosen).types, strict=True):
                    own.extend(types)
        tp, fp, fn = (Counter(map(key, own)) for own in found)
        names = sorted({*tp, *fp, *fn})
        return {name: EditCounts(tp[name], fp[name], fn[name], self.beta) for name in names}

    def _chosen(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> Iterator[tuple[tuple[Edit, ...], Annotation] | None]:
        """Yield the edits of each sentence and its chosen annotation."""
        hypothesis = self._with_readings(corpus, hypothesis)
        if hypothesis.readings:
            ways = [list(self._chosen(corpus, one, score)) for one in each_reading(hypothesis)]
            for sentence, number in enumerate(chosen_readings(hypothesis, score)):
                yield ways[number][sentence] if number >= 0 else None
            return
        prepared = self._prepare(corpus)
        references = prepared.corpus.annotators
        edits = self._system_edits(corpus, hypothesis)
        numbers = score.sentences.chosen.tolist()
        for sent, found, number in zip(prepared.corpus, edits, numbers, strict=True):
            ann = sent.annotation(references[number]) if number >= 0 else None
            if ann is None:
                yield None
                continue
            if self.compat is not None:
                # errant_compare breaks ties by the order of annotators in the file.
                counts = self._compare(found, ann).counts
                ann = next(
                    other
                    for other in sent.annotations
                    if self._compare(found, other).counts == counts
                )
            yield found, ann

    # Edits.

    def _prepare(self, corpus: Corpus) -> _SharedGold:
        return self._latest.get(corpus, self._select_edits)

    def _select_edits(self, corpus: Corpus) -> _SharedGold:
        filled = corpus.fill_missing(self.missing)
        if self.compat == "cherrant":
            filled = pooled_gold(filled)
        elif self.compat is not None:
            filled = _with_annotations(filled)
        divided = filled
        if self.auto_gold:
            divided = filled = extract_gold(self._extractor, filled)
        elif self.compat is None and self.nested == "readings":
            divided = with_readings(filled)
        counted = with_edits(divided, lambda sent, ann: self._counted(ann.edits, sent.tokens))
        names = {edit.type for sent in counted for ann in sent.annotations for edit in ann.edits}
        return _SharedGold(
            counted,
            (*sorted(names), OTHER_TYPES),
            Provenance.of_edits(counted, types=self.macro),
            nested=divided is not filled,
        )

    def _system_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> list[tuple[Edit, ...]]:
        """Return the edits of a system, given or extracted."""
        check_lengths(corpus, hypothesis)
        # Counts, types and marked edits need the same.
        known = self._edits.get(hypothesis, lambda _: WeakCache())
        return known.get(
            corpus,
            lambda corpus: [
                self._counted(found, tokens)
                for found, tokens in zip(
                    self._extractor.system_edits(corpus, hypothesis), corpus.sources, strict=True
                )
            ],
        )

    def _counted(self, edits: tuple[Edit, ...], tokens: Tokens) -> tuple[Edit, ...]:
        """Return the edits that count in this mode."""
        kept = [edit for edit in edits if not self._corrects or edit.type != UNKNOWN]
        if self._lang == CHINESE and self._level == "word":
            kept = list(map(joined_corrections, kept))
        if self.compat is not None:
            return tuple(_as_written(edit, tokens) for edit in kept)
        counted = tuple(
            edit
            for edit in in_order(kept)
            if edit.fits(len(tokens)) and (edit.corrections or not self._corrects)
        )
        # Not a second one, to save memory.
        return edits if counted == edits else counted

    def _count(self, edits: Sequence[Edit], ann: Annotation) -> tuple[int, int, int]:
        if self.compat is not None:
            return self._compare(edits, ann).counts
        return count_pairs(edits, ann.edits, mode=self.mode)

    def _compare(self, edits: Sequence[Edit], ann: Annotation) -> EditPairing:
        compare = pair if self.compat is None else pair_like_errant
        return compare(edits, ann.edits, mode=self.mode)


def _with_annotations(corpus: Corpus) -> Corpus:
    """Add an empty annotation to each sentence without annotators."""
    return replace(
        corpus,
        sentences=tuple(
            sent if sent.annotations else replace(sent, annotations=(Annotation("0"),))
            for sent in corpus
        ),
    )


def with_edits(corpus: Corpus, edits: Callable[[Sentence, Annotation], tuple[Edit, ...]]) -> Corpus:
    """Replace the edits of each annotation, in order."""
    return replace(
        corpus,
        sentences=tuple(
            replace(
                sent,
                annotations=tuple(replace(ann, edits=edits(sent, ann)) for ann in sent.annotations),
            )
            for sent in corpus
        ),
    )


def extract_gold(extractor: EditExtractor, corpus: Corpus) -> Corpus:
    """Extract the gold edits again; detections are preserved."""
    pairs = [
        (sent.tokens, apply_edits(sent.tokens, ann.edits))
        for sent in corpus
        for ann in sent.annotations
    ]
    numbers = [number for number, sent in enumerate(corpus) for _ in sent.annotations]
    extracted = iter(extractor.readings(corpus.name or "the gold standard", pairs, numbers))
    sentences = []
    for sent in corpus:
        annotations: list[Annotation] = []
        for ann in sent.annotations:
            detections = [replace(edit, type=UNKNOWN) for edit in ann.edits if not edit.corrects]
            readings = ((*edits, *detections) for edits in next(extracted))
            annotations += named_readings(ann.annotator, readings)
        sentences.append(replace(sent, annotations=tuple(annotations)))
    return replace(corpus, sentences=tuple(sentences))


def _as_written(edit: Edit, tokens: Tokens) -> Edit:
    """Use the source as the correction of a detection, as M2 files do."""
    return edit if edit.corrections else replace(edit, corrections=(tokens[edit.start : edit.end],))


def _count_types(comparisons: Sequence[EditPairing], types: Sequence[str]) -> NDArray[np.int64]:
    """Count edits by type, one row for each comparison."""
    place = {name: number for number, name in enumerate(types)}
    counts = np.zeros((len(comparisons), len(types), 3), dtype=np.int64)
    for row, comparison in enumerate(comparisons):
        for column, names in enumerate(comparison.types):
            for name in names:
                counts[row, place.get(name, len(types) - 1), column] += 1
    return counts.reshape(len(comparisons), 3 * len(types))
