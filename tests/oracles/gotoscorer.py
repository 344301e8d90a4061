"""GoToScorer, step by step as its specification says: chunks, comparison, weights, sums."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from geceval.model import Edit, Tokens


class Piece(NamedTuple):
    """A chunk: a span, what stands there, and whether it was edited."""

    start: int
    end: int
    string: str
    is_edited: bool


def pieces(tokens: Tokens, edits: Sequence[Edit]) -> list[Piece]:
    """Divide a sentence; the edits are in order and do not overlap."""
    found = [Piece(edit.start, edit.end, " ".join(edit.correction), True) for edit in edits]
    inside = {place for edit in edits for place in range(edit.start, edit.end)}
    found += [
        Piece(place, place + 1, token, False)
        for place, token in enumerate(tokens)
        if place not in inside
    ]
    found.sort(key=lambda piece: (piece.start, piece.end))
    with_slots: list[Piece] = []
    for piece in found:
        if piece.start < piece.end and not _is_insertion(with_slots[-1:]):
            with_slots.append(Piece(piece.start, piece.start, "", False))
        with_slots.append(piece)
    if not _is_insertion(with_slots[-1:]):
        with_slots.append(Piece(len(tokens), len(tokens), "", False))
    return with_slots


def _is_insertion(last: Sequence[Piece]) -> bool:
    return any(piece.start == piece.end for piece in last)


def compare(gold: Piece, system: Sequence[Piece]) -> tuple[bool, bool]:
    """Return whether the system tried to edit a gold chunk, and whether it is correct."""
    tried = met = False
    for piece in system:
        if piece[:2] == gold[:2]:
            if piece.string == gold.string:
                return piece.is_edited, True
        elif gold.start == gold.end or not (
            gold.start <= piece.start < gold.end or piece.start <= gold.start < piece.end
        ):
            continue
        met = True
        tried = tried or piece.is_edited
    return (tried, False) if met else (False, not gold.is_edited)


def outcomes(
    tokens: Tokens, gold: Sequence[Edit], system: Sequence[Edit]
) -> list[tuple[bool, bool, bool]]:
    """Return for each gold chunk whether it is edited, tried and correct."""
    own = pieces(tokens, system)
    return [(piece.is_edited, *compare(piece, own)) for piece in pieces(tokens, gold)]


def sums(
    found: Sequence[tuple[bool, bool, bool]], weights: Sequence[Fraction]
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the weights of true and false positives, false and true negatives."""
    tp = fp = fn = tn = Fraction(0)
    for (is_edited, tried, correct), weight in zip(found, weights, strict=True):
        if tried and correct:
            tp += weight
        elif tried:
            fp += weight
            fn += weight if is_edited else 0
        elif correct:
            tn += weight
        else:
            fn += weight
    return tp, fp, fn, tn
