"""Edit outcomes: correct, wrong fix, wrong or missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Annotation, Edit, Tokens
from geceval.report.results import FrequentEdit

OUTCOMES = ("correct", "wrong fix", "wrong", "missed")
CORRECT, WRONG_FIX, WRONG, MISSED = range(4)

FREQUENT = ("wrong", "missed", "correct")
"""Lists of frequent edits."""

MOST_FREQUENT = 30
"""Maximum length of a list of frequent edits."""

MAX_POSITIONS = 50
"""Maximum number of sentences listed for a frequent edit."""


@dataclass(frozen=True, slots=True)
class EditOutcomes:
    """Outcomes of the edits of one sentence.

    Parameters
    ----------
    annotation
        The chosen annotation.
    edits
        Edits of the system, each with its outcome: `CORRECT`, `WRONG_FIX` or `WRONG`.
    missed
        Indices of the gold edits without a match, each with whether (1) or not (0) a wrong fix
        overlaps it.
    """

    annotation: Annotation
    edits: tuple[tuple[SystemEdit, int], ...]
    missed: tuple[tuple[int, int], ...]


def classify_edits(view: SentenceEdits, n_tokens: int) -> EditOutcomes:
    """Compare the edits of a sentence of `n_tokens` tokens with the chosen annotation.

    A false positive that overlaps an unmatched gold edit is a wrong fix: the system detected the
    error but corrected it differently. Other false positives are wrong edits.

    Examples
    --------
    >>> gold = Annotation("0", (Edit(1, 2, (("an",),)), Edit(4, 4, ((",",),))))
    >>> found = classify_edits(SentenceEdits(gold, (SystemEdit(1, 2, ("the",), None),)), 6)
    >>> [OUTCOMES[outcome] for _, outcome in found.edits], found.missed
    (['wrong fix'], ((0, 1), (1, 0)))
    """
    matched = {edit.gold for edit in view.edits}
    missed = [
        (index, gold)
        for index, gold in enumerate(view.annotation.edits)
        if index not in matched and gold.fits(n_tokens)
    ]
    wrong = [edit for edit in view.edits if not edit.is_correct]
    return EditOutcomes(
        view.annotation,
        tuple((edit, _outcome(edit, missed)) for edit in view.edits),
        tuple((index, int(any(overlaps(edit, gold) for edit in wrong))) for index, gold in missed),
    )


def _outcome(edit: SystemEdit, missed: Iterable[tuple[int, Edit]]) -> int:
    if edit.is_correct:
        return CORRECT
    return WRONG_FIX if any(overlaps(edit, gold) for _, gold in missed) else WRONG


def overlaps(edit: SystemEdit, gold: Edit) -> bool:
    """Return whether two edits overlap; insertions overlap only at the same position."""
    if edit.start == edit.end == gold.start == gold.end:
        return True
    return edit.start < gold.end and gold.start < edit.end


def count_outcomes(sentences: Iterable[EditOutcomes | None]) -> dict[str, int]:
    """Count outcomes; a gold edit that a wrong fix overlaps is not counted twice."""
    known = [found for found in sentences if found is not None]
    counts = Counter(outcome for found in known for _, outcome in found.edits)
    counts[MISSED] = sum(not is_replaced for found in known for _, is_replaced in found.missed)
    return {name: counts[outcome] for outcome, name in enumerate(OUTCOMES)}


def frequent_edits(
    sources: Sequence[Tokens], sentences: Sequence[EditOutcomes | None]
) -> dict[str, list[FrequentEdit]]:
    """List the most frequent wrong, missed and correct edits.

    A wrong fix counts as a wrong edit, and the gold edits that it overlaps as missed.
    """
    positions: dict[str, defaultdict[tuple[str, str], list[int]]] = {
        kind: defaultdict(list) for kind in FREQUENT
    }
    for position, (tokens, found) in enumerate(zip(sources, sentences, strict=True)):
        if found is None:
            continue
        for edit, outcome in found.edits:
            kind = "correct" if outcome == CORRECT else "wrong"
            positions[kind][_text(tokens, edit)].append(position)
        for index, _ in found.missed:
            positions["missed"][_text(tokens, found.annotation.edits[index])].append(position)
    return {kind: _most_frequent(found) for kind, found in positions.items()}


def _text(tokens: Tokens, edit: SystemEdit | Edit) -> tuple[str, str]:
    return " ".join(tokens[edit.start : edit.end]), " ".join(edit.correction)


def _most_frequent(positions: dict[tuple[str, str], list[int]]) -> list[FrequentEdit]:
    order = sorted(positions.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        (source, correction, len(found), list(dict.fromkeys(found))[:MAX_POSITIONS])
        for (source, correction), found in order[:MOST_FREQUENT]
    ]
