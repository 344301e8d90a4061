"""Token-level error detection: precision, recall and F of the tokens that are marked as incorrect.

Volodina et al. (2023), MultiGED-2023 Shared Task at NLP4CALL: Multilingual Grammatical Error
Detection. Yuan et al. (2021), Multi-Class Grammatical Error Detection for Correction: A Tale of
Two Systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from geceval.engines.threads import Latest
from geceval.metrics._shared.edits import COLUMNS, RunningF, by_annotator
from geceval.metrics._shared.extracted_edits import (
    ExtractingMetric,
    GoldExtractionOptions,
    chosen_annotator,
)
from geceval.metrics.base import check_counts
from geceval.metrics.detection.token_labels import (
    Grain,
    TokenLabels,
    are_detections,
    check_tokens,
    label_tokens,
    marking,
)
from geceval.metrics.errant.metric import with_edits
from geceval.metrics.options import Beta
from geceval.metrics.papers import VOLODINA_2023, YUAN_2021
from geceval.metrics.provenance import Provenance
from geceval.metrics.statistics import Part, Rows, Score, Statistics
from geceval.metrics.views import EditCounts
from geceval.model import Corpus, Hypothesis

if TYPE_CHECKING:
    from geceval.kernels.running_totals import RunningChoice

CORRECT = "c"
_LOST = len(COLUMNS)
"""Column of insertions that mark no token."""
_OF_LABELS = _LOST + 1
"""First column of the counts of labels: correct, proposed and gold of each."""


@dataclass(frozen=True, slots=True)
class _GoldLabels:
    """The labels of all annotations, shared by all systems."""

    corpus: Corpus
    labels: list[TokenLabels]
    names: frozenset[str]
    provenance: Provenance


class TokenDetection(ExtractingMetric, RunningF):
    r"""Error detection by tokens: precision, recall and F of incorrect tokens.

    Labels are given (MultiGED) or made from edits: each token in the span of an edit is incorrect,
    and an insertion marks the token after it. An insertion at the end of a sentence marks none.

    Parameters
    ----------
    beta
        Weight of recall in F; with 0 F is the precision.
    grain
        What a label says: only that a token is incorrect (``"binary"``), or also the
        ``"operation"``, the ``"category"`` or ``"both"``, the whole error type.
    ref
        Name of the annotator to score against; by default, one is chosen for each sentence.
    **options
        Options of `ExtractingMetric`: where gold edits come from and how edits are extracted.

    Notes
    -----
    Precision is 1 without false positives, recall is 1 without false negatives. With several
    annotators, that of a sentence maximizes F of the totals up to it, as in ERRANT. A token of
    several edits has the type of the last one. Edits of type ``UNK`` are ignored, unless a file
    has no others and so consists of labels. With types, a label is right if it is the same; a
    wrong one is a false positive and a false negative. Macro-averages are over all labels that
    occur, of which correct tokens are one, and F is that of mean precision and mean recall.

    References
    ----------
    Volodina, Bryant, Caines, De Clercq, Frey, Ershova, Rosen and Vinogradova (2023),
    MultiGED-2023 Shared Task at NLP4CALL: Multilingual Grammatical Error Detection, NLP4CALL.
    Yuan, Taslimipoor, Davis and Bryant (2021), Multi-Class Grammatical Error Detection for
    Correction: A Tale of Two Systems, EMNLP.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> edits = (Edit(1, 2, (("like",),), "R:VERB:SVA"), Edit(3, 3, ((".",),), "M:PUNCT"))
    >>> corpus = Corpus((Sentence(("I", "likes", "it"), (Annotation("0", edits),)),))
    >>> score = TokenDetection(lang="plain").score(corpus, Hypothesis("h", (("I", "do", "it"),)))
    >>> score.parts["tp"], score.parts["fp"], score.parts["fn"], score.value
    (1, 0, 0, 1.0)
    """

    name = "ged"
    title = "error detection (GED)"
    papers = (VOLODINA_2023, YUAN_2021)
    columns: ClassVar[tuple[str, ...]] = (*COLUMNS, "lost")
    needs_edits = False
    scores_labels = True

    def __init__(
        self,
        *,
        beta: Beta = 0.5,
        grain: Grain = "binary",
        ref: str | None = None,
        **options: Unpack[GoldExtractionOptions],
    ) -> None:
        ExtractingMetric.__init__(self, **options)
        RunningF.__init__(self, beta=beta)
        self.grain: Grain = grain
        self.table_parts = ("tp", "fp", "fn", "P", "R") if grain == "binary" else None
        self.ref = ref
        self.known_labels: frozenset[str] = frozenset()
        self._latest: Latest[Corpus, _GoldLabels] = Latest()

    @property
    def uses_detections(self) -> bool:
        """Whether gold edits without corrections are enough for a score."""
        return self.grain == "binary"

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return super().score_name if self.grain == "binary" else f"micro F{self.beta:g}"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "beta": self.beta,
            "labels": self.grain,
            "ref": "chosen" if self.ref is None else self.ref,
            **super().settings(),
        }

    def prepared_for(self, corpus: Corpus, hypotheses: Iterable[Hypothesis]) -> TokenDetection:
        """Return the metric with the labels that these systems have."""
        metric = self.with_options(auto_gold=self.extracts_gold(corpus))
        if self.grain != "binary":
            labels = (metric.system_labels(corpus, one) for one in hypotheses)
            metric.known_labels = frozenset().union(*map(_names, labels))
        return metric

    # Counting.

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count correct, proposed and gold labels for each sentence and annotator."""
        system = self.system_labels(corpus, hypothesis)
        gold = self._latest.get(corpus, self._gold_labels)
        names = self._label_names(gold.names, _names(system))
        place = {name: number for number, name in enumerate(names)}
        own = iter(gold.labels)
        rows = [
            _count(labels, next(own), len(sent.tokens), place)
            for sent, labels in zip(gold.corpus, system, strict=True)
            for _ in sent.annotations
        ]
        columns = self.columns
        columns += tuple(f"{count} {name}" for name in names for count in COLUMNS)
        counts = np.array(rows, dtype=np.int64).reshape(-1, len(columns))
        return replace(
            by_annotator(gold.corpus, counts, columns, gold.provenance),
            extraction=self.extraction(corpus, hypothesis),
        )

    def _label_names(self, *names: frozenset[str]) -> list[str]:
        """Return the labels to count one by one: correct tokens first; none if binary."""
        if self.grain == "binary":
            return []
        return [CORRECT, *sorted(self.known_labels.union(*names))]

    def system_labels(self, corpus: Corpus, hypothesis: Hypothesis) -> list[TokenLabels]:
        """Return the labels that a system gives, or those of its edits."""
        if hypothesis.labeled:
            check_counts(corpus, hypothesis)
            check_tokens(corpus, hypothesis)
        edits = self.system_edits(corpus, hypothesis)
        name = hypothesis.name or "the hypothesis"
        are_labels = hypothesis.labeled or are_detections(edits)
        sentences = ((own, len(sent.tokens)) for own, sent in zip(edits, corpus, strict=True))
        return label_tokens(sentences, self.grain, name, are_labels=are_labels)

    def _gold_labels(self, corpus: Corpus) -> _GoldLabels:
        gold = self.gold_edits(corpus)
        if self.ref is not None and (annotator := chosen_annotator(corpus, self.ref)) is not None:
            gold = gold.keep_annotators([annotator])
        name = corpus.name or "the gold standard"
        are_labels = are_detections(ann.edits for sent in gold for ann in sent.annotations)
        gold = with_edits(
            gold, lambda sent, ann: marking(ann.edits, len(sent.tokens), are_labels=are_labels)
        )
        annotations = ((ann.edits, len(sent.tokens)) for sent in gold for ann in sent.annotations)
        labels = label_tokens(annotations, self.grain, name, are_labels=are_labels)
        provenance = Provenance.of_edits(gold, types=self.grain != "binary")
        return _GoldLabels(gold, labels, _names(labels), provenance)

    # Scoring.

    def named(self, effective: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Name the counts that `effective` returned."""
        correct, proposed, gold = effective.T
        return {"tp": correct, "fp": proposed - correct, "fn": gold - correct}

    def choice(self, statistics: Statistics, **rule: bool) -> RunningChoice:
        """Return the choice of references by ERRANT's rule."""
        return super().choice(statistics, by_errors=True, **rule)

    def more_parts(self, totals: NDArray[np.int64]) -> Mapping[str, Part]:
        """Return the macro-averages of labels, and what no token was marked for."""
        if self.grain == "binary":
            return {"lost": int(totals[_LOST])}
        by_label = totals[_OF_LABELS:].reshape(-1, 3)
        occurs = np.asarray(by_label.any(axis=1))
        parts: dict[str, Part] = {"lost": int(totals[_LOST]), "labels": int(occurs.sum())}
        for name, kept in (
            ("macro", by_label[occurs]),
            ("macro_errors", by_label[1:][occurs[1:]]),
        ):
            parts |= _named(f"{name}_", *_macro(kept, self.beta), beta=self.beta)
        return parts

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        score = super().aggregate(statistics)
        parts = dict(score.parts)
        n_lost = int(parts.pop("lost"))
        shares = float(parts.pop("precision")), float(parts.pop("recall")), score.value
        first = {name: parts.pop(name) for name in ("tp", "fp", "fn")}
        prefix = "" if self.grain == "binary" else "micro_"
        note = (
            "insertions at the end of a sentence mark no token and are ignored: "
            f"{n_lost:,} of output and references together"
        )
        return replace(
            score,
            parts={**first, **_named(prefix, *shares, beta=self.beta), **parts},
            notes=(*score.notes, note) if n_lost else score.notes,
        )

    def resample_parts(self, statistics: Statistics, rows: Rows) -> dict[str, NDArray[np.float64]]:
        """Compute precision and recall of many samples of sentences."""
        parts = super().resample_parts(statistics, rows)
        prefix = "" if self.grain == "binary" else "micro_"
        return {f"{prefix}P": parts["precision"], f"{prefix}R": parts["recall"]}

    def counts_by_type(
        self, corpus: Corpus, hypothesis: Hypothesis, score: Score
    ) -> dict[str, EditCounts] | None:
        """Count tokens by label, in the chosen references; None if labels have no types."""
        if self.grain == "binary":
            return None
        statistics = self.statistics(corpus, hypothesis)
        chosen = score.sentences.chosen
        annotated = chosen >= 0
        totals = statistics.counts[annotated, chosen[annotated]].sum(axis=0)
        names = [column.partition(" ")[2] for column in statistics.columns[_OF_LABELS::3]]
        return {
            name: EditCounts(correct, proposed - correct, gold - correct, self.beta)
            for name, (correct, proposed, gold) in zip(
                names, totals[_OF_LABELS:].reshape(-1, 3).tolist(), strict=True
            )
            if name != CORRECT and (proposed or gold)
        }


def _names(labels: Iterable[TokenLabels]) -> frozenset[str]:
    return frozenset(name for one in labels for name in one.of_token.values())


def _count(
    system: TokenLabels, gold: TokenLabels, n_tokens: int, place: Mapping[str, int]
) -> list[int]:
    """Count correct, proposed and gold labels, and each label by itself."""
    theirs, own = gold.of_token, system.of_token
    right = [name for token, name in own.items() if theirs.get(token) == name]
    row = [len(right), len(own), len(theirs), system.n_lost + gold.n_lost]
    if place:
        by_label = [[0, 0, 0] for _ in place]
        for column, names in enumerate((right, own.values(), theirs.values())):
            for name in names:
                by_label[place[name]][column] += 1
        by_label[place[CORRECT]] = [
            n_tokens - len(own.keys() | theirs.keys()),
            n_tokens - len(own),
            n_tokens - len(theirs),
        ]
        row += [count for counts in by_label for count in counts]
    return row


def _macro(by_label: NDArray[np.int64], beta: float) -> tuple[float, float, float]:
    """Average precision and recall over labels, 0 where undefined, and combine the means."""
    if not len(by_label):
        return 0.0, 0.0, 0.0
    correct, proposed, gold = by_label.T
    precision = float((correct / np.maximum(1, proposed)).mean())
    recall = float((correct / np.maximum(1, gold)).mean())
    weight = beta * beta
    below = weight * precision + recall
    f = (1 + weight) * precision * recall / below if below else 0.0
    return precision, recall, f if weight else precision


def _named(
    prefix: str, precision: float, recall: float, f: float, *, beta: float
) -> dict[str, Part]:
    return {f"{prefix}P": precision, f"{prefix}R": recall, f"{prefix}F{beta:g}": f}
