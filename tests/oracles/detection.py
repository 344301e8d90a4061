"""Labels of tokens from edits, and the count of the MultiGED script, token by token."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.model import Edit


def labels(edits: Sequence[Edit], n_tokens: int) -> list[str]:
    """Return the error type of each token, ``c`` if it is correct."""
    found = ["c"] * n_tokens
    for edit in edits:
        if edit.type == "UNK":
            continue
        for place in range(n_tokens):
            is_inside = edit.start <= place < edit.end
            if is_inside or edit.start == edit.end == place:
                found[place] = edit.type
    return found


def count(system: Sequence[str], gold: Sequence[str]) -> tuple[int, int, int]:
    """Return true positives, false positives and false negatives."""
    tp = fp = fn = 0
    for own, theirs in zip(system, gold, strict=True):
        tp += own == theirs != "c"
        fp += own not in ("c", theirs)
        fn += theirs not in ("c", own)
    return tp, fp, fn


def macro(system: Sequence[str], gold: Sequence[str], *, skip: str = "") -> tuple[float, float]:
    """Return mean precision and recall over all labels but one, 0 where undefined."""
    names = sorted({*system, *gold} - {skip})
    shares = []
    for name in names:
        both = sum(own == theirs == name for own, theirs in zip(system, gold, strict=True))
        shares.append((both / max(1, system.count(name)), both / max(1, gold.count(name))))
    n_names = max(1, len(names))
    return sum(p for p, _ in shares) / n_names, sum(r for _, r in shares) / n_names
