"""Misaligned lines, and outputs of a different source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from geceval.formats.parallel import ONE_PER_LINE, is_vertical
from geceval.model import Tokens
from geceval.validation.pairs import MIN_TOKENS, UNRELATED, Issue, Pair, Text, of_all

SEARCH_DISTANCE = 5
"""Distance, in lines, within which the counterpart of a misaligned line is searched."""

_UNRELATED_CHARACTERS, _COUNTERPART_CHARACTERS = 0.6, 0.75
"""Character similarity below which sentences are unrelated, and above which they are counterparts;
that of two unrelated English sentences is about 0.5."""

_MAX_TOKENS = 2000
_MAX_SEARCHED = 200
"""Maximum number of sentences whose counterpart is searched, which bounds the time."""


def check_alignment(pair: Pair) -> Iterator[Issue]:
    """Find misaligned or unrelated sentences."""
    unrelated = list(_unrelated(pair.source, pair.text, pair.distant))
    searched = unrelated[:_MAX_SEARCHED]
    misaligned = [one for one in searched if _has_counterpart(pair.source, pair.text, one)]
    lines = tuple(number + 1 for number in unrelated)
    if misaligned:
        n_misaligned = len(misaligned) * len(unrelated) // len(searched)
        about = "about " if n_misaligned > len(misaligned) else ""
        count = of_all(n_misaligned, len(pair.text.sentences))
        yield Issue(
            "misaligned",
            f"{about}{count} match a neighboring source line instead of their own: "
            "look for a missing, duplicate, swapped or split line",
            tuple(number + 1 for number in misaligned),
        )
    elif pair.are_most(lines):
        yield Issue(
            "unrelated",
            f"{pair.of_all(lines)} have almost nothing in common with their source: "
            "this is probably the output for a different text",
            lines,
        )


def _unrelated(source: Text, text: Text, numbers: Sequence[int]) -> Iterator[int]:
    """Yield the sentences that have almost nothing in common with their source."""
    from rapidfuzz.distance import Indel

    for number in numbers:
        old, new = source.sentences[number], text.sentences[number]
        # An empty line carries no evidence.
        if not (old and new) or max(len(old), len(new)) > _MAX_TOKENS:
            continue
        if Indel.normalized_similarity(old, new, score_cutoff=UNRELATED):
            continue
        # Text with different tokenization or casing has the same characters.
        if not Indel.normalized_similarity(
            "".join(old).lower(),
            "".join(new).lower(),
            score_cutoff=_UNRELATED_CHARACTERS,
        ):
            yield number


def _has_counterpart(
    source: Text, text: Text, number: int, *, min_tokens: int = MIN_TOKENS
) -> bool:
    """Whether a sentence or its source matches a neighboring line of the other text."""
    from rapidfuzz.distance import Indel

    for other in range(max(0, number - SEARCH_DISTANCE), number + SEARCH_DISTANCE + 1):
        for one, many in ((source, text), (text, source)):
            if other == number or other >= len(many.sentences):
                continue
            if min(len(one.sentences[number]), len(many.sentences[other])) < min_tokens:
                continue
            if Indel.normalized_similarity(
                "".join(one.sentences[number]).lower(),
                "".join(many.sentences[other]).lower(),
                score_cutoff=_COUNTERPART_CHARACTERS,
            ):
                return True
    return False


def find_misalignment(sources: Sequence[Tokens], texts: Sequence[Tokens]) -> int | None:
    """Find the first misaligned line of two texts.

    It is unrelated to the line of the same number but matches one nearby, as after a missing,
    duplicate or split line. The texts may have different numbers of lines. None if there is no
    such line.

    Examples
    --------
    >>> lines = [tuple(line.split()) for line in ("a b c", "d e f", "g h i", "j k l")]
    >>> find_misalignment(lines, lines[:1] + lines[2:])
    1
    """
    source, text = Text(sources), Text(texts)
    numbers = range(min(len(sources), len(texts)))
    for number in islice(_unrelated(source, text, numbers), _MAX_SEARCHED):
        # Where a line is known to be missing, short lines are evidence, too.
        if _has_counterpart(source, text, number, min_tokens=1):
            return number
    return None


def misalignment_hint(sources: Sequence[Tokens], texts: Sequence[Tokens]) -> str:
    """Return a hint at where two texts of different lengths become misaligned."""
    if is_vertical(Text(texts).lengths):
        return ONE_PER_LINE
    first = find_misalignment(sources, texts)
    if first is not None:
        return f"misaligned from sentence {first + 1} on"
    shorter = min(len(sources), len(texts))
    if not any(Text(texts).lengths[shorter:]) and not any(Text(sources).lengths[shorter:]):
        return "there are extra blank lines at the end"
    return "no misaligned line was found: compare their ends, or run 'geceval check'"
