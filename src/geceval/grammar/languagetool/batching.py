"""Check many sentences per request, with the same results as one at a time.

Most rules of LanguageTool apply to single sentences, so sentences separated by blank lines do not
affect each other. Rules that apply to the whole text need special care. A sentence is checked alone

- if a whole-text rule matches in it. These rules are run separately on the joined text, so that no
  other match hides theirs. All but one of them match in each sentence of a joined text in which
  they match alone;
- if LanguageTool finds a sentence there that begins with a lowercase letter. The rule about
  capitalization is that exception: preceding text can suppress it;
- if a match crosses the end of the sentence, or LanguageTool finds no sentence start where ours is;
- if its text has characters other than printable ones and single spaces.

`CROSS_SENTENCE_RULES` are those for which this is not sufficient.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

from geceval.grammar.base import Problem
from geceval.grammar.ignored_rules import LANGUAGETOOL_PUBLISHED
from geceval.grammar.languagetool.client import Match, RejectedError, Response

Mode: TypeAlias = Literal["all", "allButTextLevelOnly", "textLevelOnly"]
Request: TypeAlias = Callable[[str, Mode], Response]

SEPARATOR = "\n\n"

CROSS_SENTENCE_RULES = LANGUAGETOOL_PUBLISHED.rules
"""Rules that must be ignored: brackets and quotation marks may be paired across sentences, and
rules about spaces match the blank lines."""

LARGEST_BATCH = 5_000
"""Characters per request: enough to amortize its cost, few enough for concurrent requests."""


def can_be_joined(text: str) -> bool:
    """Whether a text can be joined with others in one request."""
    return text.isprintable() and text == " ".join(text.split())


def batches(texts: Sequence[str], *, join: bool = True) -> Iterator[list[str]]:
    r"""Split texts into batches of one request each.

    Examples
    --------
    >>> list(batches(["One.", "Two.", "Two lines,\none text.", "Three."]))
    [['Two lines,\none text.'], ['One.', 'Two.', 'Three.']]
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        if not join or not can_be_joined(text):
            yield [text]
            continue
        if batch and size + len(text) > LARGEST_BATCH:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text) + len(SEPARATOR)
    if batch:
        yield batch


def check_batch(ask: Request, texts: Sequence[str]) -> list[list[Problem]]:
    """Return the problems of each text, as if it were sent alone.

    A batch that the server rejects, perhaps for its length, is split in half and retried.
    """
    if len(texts) == 1:
        return [check_alone(ask, texts[0])]
    try:
        found = _check_joined(ask, texts)
    except RejectedError:
        half = len(texts) // 2
        return check_batch(ask, texts[:half]) + check_batch(ask, texts[half:])
    return [
        check_alone(ask, text) if problems is None else problems
        for text, problems in zip(texts, found, strict=True)
    ]


def check_alone(ask: Request, text: str) -> list[Problem]:
    """Return the problems of one text."""
    try:
        answer = ask(text, "all")
    except RejectedError as error:
        shown = text if len(text) <= 80 else f"{text[:80]}…"
        raise RejectedError(f"{error} (for the sentence {shown!r})") from error
    return [_problem(text, match, 0) for match in answer.matches]


def _check_joined(ask: Request, texts: Sequence[str]) -> list[list[Problem] | None]:
    """Check joined texts; None for those that must be checked alone."""
    joined = SEPARATOR.join(texts)
    each = ask(joined, "allButTextLevelOnly")
    starts = _starts(texts)
    alone = _begin_lowercase(texts, starts, each.sentences)
    for match in ask(joined, "textLevelOnly").matches:
        alone.update(_touched(match, starts))
    problems: list[list[Problem] | None] = [[] for _ in texts]
    for match in each.matches:
        first = bisect.bisect_right(starts, match.start) - 1
        if match.end > starts[first] + utf16_length(texts[first]):
            alone.update(_touched(match, starts))
        elif (found := problems[first]) is not None:
            found.append(_problem(texts[first], match, starts[first]))
    for number in alone:
        problems[number] = None
    return problems


def _starts(texts: Sequence[str]) -> list[int]:
    """Return the start of each text in the joined one, in UTF-16 code units."""
    starts = []
    position = 0
    for text in texts:
        starts.append(position)
        position += utf16_length(text) + len(SEPARATOR)
    return starts


def _touched(match: Match, starts: Sequence[int]) -> range:
    """Return the indices of the texts that a match touches."""
    first = bisect.bisect_right(starts, match.start) - 1
    return range(first, max(first + 1, bisect.bisect_left(starts, match.end)))


def _begin_lowercase(
    texts: Sequence[str], starts: Sequence[int], sentences: Sequence[int] | None
) -> set[int]:
    """Return the indices of texts with a sentence that begins with a lowercase letter.

    Includes texts whose start is not a sentence start according to LanguageTool, with the preceding
    ones, and all texts if the sentences are unknown.
    """
    if sentences is None:
        return set(range(len(texts)))
    begun = set(sentences)
    alone: set[int] = set()
    for number, start in enumerate(starts):
        if start not in begun:
            alone.update((number, max(0, number - 1)))
    for start in sentences:
        number = bisect.bisect_right(starts, start) - 1
        text = texts[number]
        rest = text[code_point(text, start - starts[number]) :]
        first = next((character for character in rest if character.isalnum()), "")
        if first != first.upper():
            alone.add(number)
    return alone


def _problem(text: str, match: Match, start: int) -> Problem:
    return Problem(
        match.rule,
        code_point(text, match.start - start),
        code_point(text, match.end - start),
        match.message,
    )


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units.

    Examples
    --------
    >>> utf16_length("a😀")
    3
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def code_point(text: str, position: int) -> int:
    """Convert a position in UTF-16 code units into one in characters.

    Examples
    --------
    >>> code_point("a😀b", 3)
    2
    """
    if text.isascii():
        return position
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * position]
    return len(units.decode("utf-16-le", "replace"))
