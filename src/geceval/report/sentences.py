"""Every sentence as the page shows it: readings, outputs, judged edits and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from geceval.evaluation.evaluate import Result
from geceval.metrics.views import SentenceEdits
from geceval.model import Annotation, Corpus, Edit, Hypothesis
from geceval.report.outcomes import CORRECT, EditOutcomes, judge
from geceval.report.results import (
    Counted,
    GoldEdit,
    JudgedEdit,
    MissedEdit,
    Reading,
    Sentences,
    SystemSentences,
    number,
)
from geceval.report.system_scores import Scoring

DIGITS = 5
"""Significant digits of the score of a sentence."""


class Numbering:
    """Gives names numbers, in the order in which they are first met."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}

    def __getitem__(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    @property
    def names(self) -> list[str]:
        """All names so far."""
        return list(self._numbers)


@dataclass(frozen=True, slots=True)
class EditView:
    """The edits of one system as the metric that shows them sees them."""

    views: Sequence[SentenceEdits | None]
    judgments: Sequence[EditOutcomes | None]
    counts: list[list[Counted | None]]


def view_edits(corpus: Corpus, hypothesis: Hypothesis, result: Result) -> EditView | None:
    """Judge the edits behind a score, if the metric marks edits."""
    views = result.metric.marked_edits(corpus, hypothesis, result.score)
    if views is None:
        return None
    judgments = [
        None if view is None else judge(view, len(sent.tokens))
        for sent, view in zip(corpus, views, strict=True)
    ]
    return EditView(views, judgments, _counts(result))


def _counts(result: Result) -> list[list[Counted | None]]:
    """Return the counts against each annotator, if the metric has them."""
    statistics = result.statistics
    counts = result.metric.effective_counts(statistics)
    if counts is None:
        return [[None] * len(statistics.references) for _ in range(len(statistics))]
    return [
        [tuple(row) if known else None for row, known in zip(rows, mask, strict=True)]
        for rows, mask in zip(counts.tolist(), statistics.mask.tolist(), strict=True)
    ]


def write_sentences(
    corpus: Corpus,
    hypotheses: Sequence[Hypothesis],
    scorings: Sequence[Scoring],
    shown: Scoring | None,
    views: Mapping[str, EditView],
) -> Sentences:
    """Write every sentence down.

    Parameters
    ----------
    corpus
        The gold standard.
    hypotheses
        The systems.
    scorings
        What all metrics say of them.
    shown
        What the metric says whose view of edits is shown.
    views
        That view, for each system.
    """
    table = _Table(corpus)
    first = hypotheses[0]
    seen = _readings(corpus, first, None if shown is None else shown.results[first.name], views)
    gold = table.gold(seen)
    systems = {
        hypothesis.name: table.system(
            hypothesis,
            [scoring.results[hypothesis.name] for scoring in scorings],
            views.get(hypothesis.name),
        )
        for hypothesis in hypotheses
    }
    ids = [sent.id for sent in corpus]
    return Sentences(
        annotators=table.annotators.names,
        types=table.types.names,
        source=[" ".join(sent.tokens) for sent in corpus],
        ids=[name or "" for name in ids] if any(ids) else None,
        gold=gold,
        systems=systems,
    )


def _readings(
    corpus: Corpus,
    hypothesis: Hypothesis,
    result: Result | None,
    views: Mapping[str, EditView],
) -> list[dict[str, Annotation]]:
    """Return the gold edits of each sentence and annotator, as the metric sees them.

    A metric may leave edits out, put them in another order or extract them anew; the numbers
    of gold edits that it gives are those of its own view.
    """
    seen: list[dict[str, Annotation]] = [{} for _ in corpus]
    for view in views.values():
        _note(seen, view.views)
    if result is not None:
        for place in range(len(result.statistics.references)):
            # Pretend that this annotator was chosen wherever there is a choice.
            chosen = np.where(result.statistics.mask[:, place], place, -1)
            score = replace(result.score, sentences=replace(result.score.sentences, chosen=chosen))
            _note(seen, result.metric.marked_edits(corpus, hypothesis, score))
    for sent, known in zip(corpus, seen, strict=True):
        for ann in sent.annotations:
            known.setdefault(ann.annotator, ann)
    return seen


def _note(seen: list[dict[str, Annotation]], views: Sequence[SentenceEdits | None] | None) -> None:
    for known, view in zip(seen, views or [None] * len(seen), strict=True):
        if view is not None:
            known.setdefault(view.annotation.annotator, view.annotation)


@dataclass(slots=True)
class _Table:
    """Writes sentences down with numbers for annotators and types."""

    corpus: Corpus
    annotators: Numbering = field(init=False)
    types: Numbering = field(default_factory=Numbering)

    def __post_init__(self) -> None:
        self.annotators = Numbering(self.corpus.annotators)

    def gold(self, seen: Sequence[Mapping[str, Annotation]]) -> list[list[Reading]]:
        """Write down the readings of all sentences."""
        return [
            sorted(
                (self.annotators[name], [self._gold_edit(edit) for edit in ann.edits])
                for name, ann in known.items()
            )
            for known in seen
        ]

    def _gold_edit(self, edit: Edit) -> GoldEdit:
        correction = " ".join(edit.correction) if edit.corrects else None
        return edit.start, edit.end, correction, self.types[edit.type]

    def system(
        self, hypothesis: Hypothesis, results: Sequence[Result], view: EditView | None
    ) -> SystemSentences:
        """Write down what one system made of the sentences."""
        written = SystemSentences(
            output=[
                0 if output == sent.tokens else " ".join(output)
                for sent, output in zip(self.corpus, hypothesis, strict=True)
            ],
            chosen=None,
            edits=None,
            missed=None,
            counts=None,
            scores={
                result.score.metric: [
                    number(value, DIGITS) for value in result.score.sentences.values.tolist()
                ]
                for result in results
            },
        )
        if view is not None:
            pairs = zip(view.views, view.judgments, strict=True)
            written["chosen"] = [self._chosen(one) for one in view.views]
            written["edits"] = [self._edits(one, judged) for one, judged in pairs]
            written["missed"] = [_missed(judged) for judged in view.judgments]
            written["counts"] = view.counts
        return written

    def _chosen(self, view: SentenceEdits | None) -> int:
        return -1 if view is None else self.annotators[view.annotation.annotator]

    def _edits(self, view: SentenceEdits | None, judged: EditOutcomes | None) -> list[JudgedEdit]:
        if view is None or judged is None:
            return []
        edits: list[JudgedEdit] = []
        for edit, outcome in judged.edits:
            gold = -1 if edit.gold is None else edit.gold
            name = view.annotation.edits[gold].type if outcome == CORRECT else edit.type
            kind = self.types[name] if name or outcome == CORRECT else -1
            edits.append((edit.start, edit.end, " ".join(edit.correction), outcome, kind, gold))
        return edits


def _missed(judged: EditOutcomes | None) -> list[MissedEdit]:
    if judged is None:
        return []
    return [(number, int(is_replaced)) for number, is_replaced in judged.missed]
