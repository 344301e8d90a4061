"""ERRANT: precision, recall and F of edits that are extracted and typed by rules.

Bryant, Felice and Briscoe (2017), Automatic Annotation and Evaluation of Error Types for
Grammatical Error Correction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import AnalyzerKind, Notify, get_pack, pack_names
from geceval.extraction.typers import LEARNED, get_typer, typer_names
from geceval.metrics._shared.edits import RunningF, by_annotator
from geceval.metrics._shared.pairing import EditPairing, Mode, pair, pair_like_errant
from geceval.metrics._shared.readings import (
    chosen_readings,
    each_reading,
    pair_readings,
    views_of_readings,
)
from geceval.metrics.base import Metric, check_lengths
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.metrics.options import Beta, Jobs
from geceval.metrics.papers import BRYANT_2017, FELICE_2016
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Part, Rows, Score, Statistics, Sums, Swaps, f_score
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

Compat: TypeAlias = Literal["errant-3.0.2"]
Merge: TypeAlias = Literal["rules", "all-split", "all-merge", "all-equal"]

COLUMNS = ("tp", "fp", "fn")
UNKNOWN = "UNK"
"""The type of a detection, an error without a correction."""

OTHER_TYPES = "(not in the gold)"
"""Name for all types that only the system has."""


def check_names(lang: str, typer: str | None) -> None:
    """Raise an error for unknown names at construction, not during extraction."""
    if lang not in pack_names():
        get_pack(lang)
    if typer is not None and typer not in typer_names() and not typer.startswith(LEARNED):
        get_typer(typer)


@dataclass(frozen=True, slots=True)
class _SharedGold:
    """A corpus with the edits that count, shared by all systems."""

    corpus: Corpus
    types: tuple[str, ...]
    provenance: Provenance
    nested: bool


class Errant(RunningF):
    r"""The ERRANT score.

    The edits of a system are extracted from its output by a linguistic alignment and rules (see
    `Annotator`) and compared with the gold edits.

    Parameters
    ----------
    beta
        Weight of recall in F; with 0 F is the precision.
    mode
        What makes an edit correct: its span and correction (``"correction"``) or its span
        (``"span-detection"``). With ``"token-detection"``, each token of an edit counts, and
        an insertion counts as the token after it.
    auto_gold
        Extract the gold edits from the corrected sentences, too, instead of using the spans and
        types of the annotators.
    macro
        Average F over error types.
    compat
        ``"errant-3.0.2"`` gives the numbers of ``errant_compare``, see Notes.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    nested
        Whether an annotation with edits inside of others is divided into ``"readings"`` without
        overlaps, of which the best is chosen, or scored as it is (``"off"``); always the latter
        with `compat`.
    lang, align, merge, typer, model, analyzer, notify
        How edits are extracted, see `Annotator`.
    annotator
        An annotator to use instead of these seven options.
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
        lang: str = "en",
        align: Method = "linguistic",
        merge: Merge = "rules",
        typer: str | None = None,
        model: str | None = None,
        analyzer: AnalyzerKind = "fast",
        notify: Notify | None = None,
        annotator: Annotator | None = None,
        jobs: Jobs = 1,
    ) -> None:
        super().__init__(beta=beta)
        check_names(lang, typer)
        self.mode: Mode = mode
        self.auto_gold = auto_gold
        self.needs_edits = not auto_gold
        self.macro = macro
        self.compat: Compat | None = compat
        self.missing: MissingPolicy = missing
        self.nested: NestedPolicy = nested
        options = {"align": align, "merge": merge, "typer": typer, "model": model}
        self._extractor = EditExtractor(
            annotator, {"pack": lang, **options, "analyzer": analyzer, "notify": notify}, jobs=jobs
        )
        self._latest: Latest[Corpus, _SharedGold] = Latest()

    @property
    def uses_detections(self) -> bool:
        """Whether gold edits without corrections are enough for a score."""
        return self.mode != "correction"

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"macro {super().score_name}" if self.macro else super().score_name

    @property
    def annotator(self) -> Annotator:
        """The annotator that extracts edits; loaded when it is first needed."""
        return self._extractor.annotator

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
        }

    def configuration(self) -> str:
        """Identify the metric, its settings and its annotator, whatever is scored."""
        return f"{super().configuration()}|{self.annotator.signature}"

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        """Add how edits were extracted."""
        return (*super().remarks(statistics), statistics.extraction or "edits:given")

    # Counting.

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count true and false positives and false negatives for each sentence and annotator."""
        if hypothesis.readings:
            return pair_readings(self.statistics, corpus, hypothesis)
        prepared = self._prepare(corpus)
        edits = self._system_edits(corpus, hypothesis)
        comparisons = [
            self._compare(found, ann)
            for sent, found in zip(prepared.corpus, edits, strict=True)
            for ann in sent.annotations
        ]
        counts = np.array([one.counts for one in comparisons], dtype=np.int64).reshape(-1, 3)
        columns: tuple[str, ...] = COLUMNS
        if self.macro:
            counts = np.column_stack((counts, _count_types(comparisons, prepared.types)))
            columns += tuple(f"{count} {name}" for name in prepared.types for count in COLUMNS)
        was_extracted = self.auto_gold or hypothesis.edits is None
        return replace(
            by_annotator(prepared.corpus, counts, columns, prepared.provenance),
            extraction=self.annotator.signature if was_extracted else "",
            nested=prepared.nested,
        )

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

    def fixed_sums(self, statistics: Statistics) -> Sums | None:
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
        if self.compat is not None:
            return name[:1], name[2:]
        return (name[0], name[2:]) if name[:2] in ("M:", "R:", "U:") else ("", name)

    def _table(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score, key: Callable[[str], str]
    ) -> dict[str, EditCounts]:
        tp, fp, fn = counters = Counter[str](), Counter[str](), Counter[str]()
        for chosen in self._chosen(corpus, hypothesis, score):
            if chosen is not None:
                types = self._compare(*chosen).types
                for counter, names in zip(counters, types, strict=True):
                    counter.update(map(key, names))
        names = sorted(set().union(*counters))
        return {name: EditCounts(tp[name], fp[name], fn[name], self.beta) for name in names}

    def _chosen(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> Iterator[tuple[tuple[Edit, ...], Annotation] | None]:
        """Yield the edits of each sentence and its chosen annotation."""
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
        if self.compat is not None:
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
        edits = self._extractor.system_edits(corpus, hypothesis)
        return [
            self._counted(found, tokens)
            for found, tokens in zip(edits, corpus.sources, strict=True)
        ]

    def _counted(self, edits: Iterable[Edit], tokens: Tokens) -> tuple[Edit, ...]:
        """Return the edits that count in this mode."""
        kept = [edit for edit in edits if self.mode != "correction" or edit.type != UNKNOWN]
        if self.compat is not None:
            return tuple(_as_written(edit, tokens) for edit in kept)
        return tuple(
            edit
            for edit in in_order(kept)
            if edit.fits(len(tokens)) and (edit.corrections or self.mode != "correction")
        )

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
    extracted = iter(extractor.extract(corpus.name or "the gold standard", pairs, numbers))

    def edits(_: Sentence, ann: Annotation) -> tuple[Edit, ...]:
        detections = [replace(edit, type=UNKNOWN) for edit in ann.edits if not edit.corrects]
        return (*next(extracted), *detections)

    return with_edits(corpus, edits)


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
