"""What became of each edit: right, a wrong fix, wrong, or missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Edit, Tokens
from geceval.report.results import FrequentEdit

OUTCOMES = ("correct", "wrong fix", "wrong", "missed")
CORRECT, WRONG_FIX, WRONG, MISSED = range(4)

FREQUENT = ("wrong", "missed", "correct")
"""Kinds of edits whose most frequent ones are listed."""

MOST_FREQUENT = 30
SENTENCES_NAMED = 50


@dataclass(frozen=True, slots=True)
class EditOutcomes:
    """The edits of one sentence, judged.

    Parameters
    ----------
    edits
        What the system did, each with its outcome: `CORRECT`, `WRONG_FIX` or `WRONG`.
    missed
        Numbers of the gold edits that the system does not have, each with whether a wrong fix
        stands in its place.
    """

    edits: tuple[tuple[SystemEdit, int], ...]
    missed: tuple[tuple[int, bool], ...]


def judge(view: SentenceEdits, n_tokens: int) -> EditOutcomes:
    """Judge the edits of a sentence of `n_tokens` tokens against the chosen reading.

    A wrong edit that touches a gold edit which the system does not have is a wrong fix: the
    error was seen but not mended as the annotator would. Other wrong edits are over-corrections.

    Examples
    --------
    >>> from geceval.model import Annotation
    >>> gold = Annotation("0", (Edit(1, 2, (("an",),)), Edit(4, 4, ((",",),))))
    >>> judged = judge(SentenceEdits(gold, (SystemEdit(1, 2, ("the",), None),)), 6)
    >>> [OUTCOMES[outcome] for _, outcome in judged.edits], judged.missed
    (['wrong fix'], ((0, True), (1, False)))
    """
    found = {edit.gold for edit in view.edits}
    missed = [
        (number, gold)
        for number, gold in enumerate(view.annotation.edits)
        if number not in found and gold.fits(n_tokens)
    ]
    wrong = [edit for edit in view.edits if not edit.is_correct]
    return EditOutcomes(
        tuple((edit, _outcome(edit, missed)) for edit in view.edits),
        tuple((number, any(touches(edit, gold) for edit in wrong)) for number, gold in missed),
    )


def _outcome(edit: SystemEdit, missed: Iterable[tuple[int, Edit]]) -> int:
    if edit.is_correct:
        return CORRECT
    return WRONG_FIX if any(touches(edit, gold) for _, gold in missed) else WRONG


def touches(edit: SystemEdit, gold: Edit) -> bool:
    """Whether an edit changes what a gold edit changes; insertions meet at the same place only."""
    if edit.start == edit.end == gold.start == gold.end:
        return True
    return edit.start < gold.end and gold.start < edit.end


def tally(judgments: Iterable[EditOutcomes | None]) -> dict[str, int]:
    """Count outcomes; a gold edit in whose place a wrong fix stands is not counted twice."""
    counts: Counter[int] = Counter()
    for judged in judgments:
        if judged is not None:
            counts.update(outcome for _, outcome in judged.edits)
            counts[MISSED] += sum(not is_replaced for _, is_replaced in judged.missed)
    return {name: counts[number] for number, name in enumerate(OUTCOMES)}


def frequent(
    sources: Sequence[Tokens],
    views: Sequence[SentenceEdits | None],
    judgments: Sequence[EditOutcomes | None],
) -> dict[str, list[FrequentEdit]]:
    """List the edits that are most often wrong, missed and right.

    Wrong fixes count as wrong, and so do the gold edits in whose place they stand as missed.
    """
    places: dict[str, defaultdict[tuple[str, str], list[int]]] = {
        kind: defaultdict(list) for kind in FREQUENT
    }
    for number, (tokens, view, judged) in enumerate(zip(sources, views, judgments, strict=True)):
        if view is None or judged is None:
            continue
        for edit, outcome in judged.edits:
            words = _words(tokens, edit.start, edit.end, edit.correction)
            places["correct" if outcome == CORRECT else "wrong"][words].append(number)
        for gold_number, _ in judged.missed:
            gold = view.annotation.edits[gold_number]
            words = _words(tokens, gold.start, gold.end, gold.correction)
            places["missed"][words].append(number)
    return {kind: _most(found) for kind, found in places.items()}


def _words(tokens: Tokens, start: int, end: int, correction: Tokens) -> tuple[str, str]:
    return " ".join(tokens[start:end]), " ".join(correction)


def _most(places: dict[tuple[str, str], list[int]]) -> list[FrequentEdit]:
    order = sorted(places.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        (old, new, len(where), list(dict.fromkeys(where))[:SENTENCES_NAMED])
        for (old, new), where in order[:MOST_FREQUENT]
    ]
