"""Sentences that do not go with their source: slipped lines, and the output for another text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from geceval.model import Tokens
from geceval.validation.pairs import SHORTEST_TELLING, UNLIKE, Doubt, Pair, Text, of_all

SLIP_REACH = 5
"""How many lines away the right partner of a slipped line is looked for."""

_UNLIKE_LETTERS, _ALIKE_LETTERS = 0.6, 0.75
"""The shares of letters below which sentences do not go together, and above which they do; two
English sentences that have nothing to do with each other share half of their letters."""

_LONGEST_COMPARED = 2000
_MOST_SOUGHT = 200
"""Sentences whose partner is looked for nearby, so that any other text is told quickly."""


def alignment(pair: Pair) -> Iterator[Doubt]:
    """Find sentences that go with another source than theirs, or with none."""
    unlike = list(_unlike(pair.source, pair.text, pair.distant))
    slipped = [
        number for number in unlike[:_MOST_SOUGHT] if _has_partner(pair.source, pair.text, number)
    ]
    lines = tuple(number + 1 for number in unlike)
    if slipped:
        n_sought = min(len(unlike), _MOST_SOUGHT)
        n_slipped = len(slipped) * len(unlike) // n_sought
        about = "about " if n_slipped > len(slipped) else ""
        count = of_all(n_slipped, len(pair.text.sentences))
        yield Doubt(
            "slip",
            f"{about}{count} go with a neighbor of their source, not with it, and count as "
            "wrong: look for a line that is missing, doubled, swapped or cut in two",
            tuple(number + 1 for number in slipped),
        )
    elif pair.are_most(lines):
        yield Doubt(
            "unlike",
            f"{pair.of_all(lines)} have nothing in common with their source: "
            "it seems to be the output for another text",
            lines,
        )


def _unlike(source: Text, text: Text, numbers: Sequence[int]) -> Iterator[int]:
    """Yield the sentences that have next to nothing in common with their source."""
    from rapidfuzz.distance import Indel

    for number in numbers:
        old, new = source.sentences[number], text.sentences[number]
        # An empty line is like every other one: it says nothing.
        if not (old and new) or max(len(old), len(new)) > _LONGEST_COMPARED:
            continue
        if Indel.normalized_similarity(old, new, score_cutoff=UNLIKE):
            continue
        # Text that is tokenized or cased in another way has the same letters.
        if not Indel.normalized_similarity(
            "".join(old).lower(),
            "".join(new).lower(),
            score_cutoff=_UNLIKE_LETTERS,
        ):
            yield number


def _has_partner(
    source: Text, text: Text, number: int, *, shortest: int = SHORTEST_TELLING
) -> bool:
    """Whether a sentence goes with the source of a neighbor, or its source with a neighbor."""
    from rapidfuzz.distance import Indel

    for other in range(max(0, number - SLIP_REACH), number + SLIP_REACH + 1):
        for one, many in ((source, text), (text, source)):
            if other == number or other >= len(many.sentences):
                continue
            if min(len(one.sentences[number]), len(many.sentences[other])) < shortest:
                continue
            if Indel.normalized_similarity(
                "".join(one.sentences[number]).lower(),
                "".join(many.sentences[other]).lower(),
                score_cutoff=_ALIKE_LETTERS,
            ):
                return True
    return False


def find_slip(sources: Sequence[Tokens], texts: Sequence[Tokens]) -> int | None:
    """Find the first line where two texts stop going together.

    That is a line that is unlike its partner while a line nearby is like it, so that a
    line seems to be missing, doubled or cut in two; None where there is none. The texts may
    have different numbers of lines.

    Examples
    --------
    >>> lines = [tuple(line.split()) for line in ("a b c", "d e f", "g h i", "j k l")]
    >>> find_slip(lines, lines[:1] + lines[2:])
    1
    """
    source, text = Text(sources), Text(texts)
    numbers = range(min(len(sources), len(texts)))
    for number in islice(_unlike(source, text, numbers), _MOST_SOUGHT):
        # Where a line is known to be missing, short ones tell as well.
        if _has_partner(source, text, number, shortest=1):
            return number
    return None


def slip_hint(sources: Sequence[Tokens], texts: Sequence[Tokens]) -> str:
    """Say where two texts with different numbers of sentences seem to slip."""
    slip = find_slip(sources, texts)
    if slip is not None:
        return f"they seem to slip at sentence {slip + 1}"
    shorter = min(len(sources), len(texts))
    if not any(Text(texts).lengths[shorter:]) and not any(Text(sources).lengths[shorter:]):
        return "blank lines at the end are too many"
    return "no line was found where they slip: look at their ends, or use 'geceval check'"
