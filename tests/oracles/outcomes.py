"""What became of edits, counted by cells: slow and plain.

Tokens and the gaps between them are cells in a row. An edit of tokens takes their cells and the
gaps between them, an insertion takes one gap; two edits meet where they share a cell.
"""

from __future__ import annotations

from collections import Counter

from geceval.metrics.views import SentenceEdits


def cells(start: int, end: int) -> set[int]:
    """Gap ``i`` is cell ``2 i``, token ``i`` is cell ``2 i + 1``."""
    return {2 * start} if start == end else set(range(2 * start + 1, 2 * end))


def outcomes(view: SentenceEdits, n_tokens: int) -> Counter[str]:
    """Count the outcomes of one sentence."""
    found = {edit.gold for edit in view.edits if edit.gold is not None}
    left = {
        number: cells(edit.start, edit.end)
        for number, edit in enumerate(view.annotation.edits)
        if number not in found and edit.end <= n_tokens
    }
    counts: Counter[str] = Counter(correct=sum(edit.gold is not None for edit in view.edits))
    replaced = set()
    for edit in view.edits:
        if edit.gold is None:
            met = {number for number, taken in left.items() if taken & cells(edit.start, edit.end)}
            replaced |= met
            counts["wrong fix" if met else "wrong"] += 1
    counts["missed"] = len(left.keys() - replaced)
    return counts
