"""Many sentences in one request, with the very answers that each would get alone.

Most rules of LanguageTool look at one sentence at a time, so sentences with blank lines between
them do not disturb each other. The others look at the whole text and are dealt with apart. A
sentence is checked alone

- when a rule that looks at the whole text finds something in it. These rules are asked about the
  joined text by themselves, so that no other finding can hide theirs. Of those that count, all but
  one find in a joined text at least something in each sentence in which they find something alone;
- when LanguageTool sees a sentence begin there with a small letter. The rule about capital letters
  is the one exception: what stands before a sentence can keep it silent;
- when a finding reaches over the end of the sentence, or LanguageTool does not see a sentence
  begin where ours does;
- when its text holds anything but printable characters with single spaces between the words.

`SEES_OTHERS` names the rules for which all this is not enough.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

from geceval.grammar.base import Problem
from geceval.grammar.ignored_rules import LANGUAGETOOL_PUBLISHED
from geceval.grammar.languagetool.client import Answer, Match, RefusedError

Mode: TypeAlias = Literal["all", "allButTextLevelOnly", "textLevelOnly"]
Ask: TypeAlias = Callable[[str, Mode], Answer]

SEPARATOR = "\n\n"

SEES_OTHERS = LANGUAGETOOL_PUBLISHED.rules
"""Rules that must be left out: a bracket or quotation mark may pair up with one in another
sentence, and the rules about spaces see the blank lines."""

LARGEST_BATCH = 5_000
"""Characters in a request: enough to hide its cost, few enough to keep several in flight."""


def can_be_joined(text: str) -> bool:
    """Whether a text can stand in a request with others."""
    return text.isprintable() and text == " ".join(text.split())


def batches(texts: Sequence[str], *, join: bool = True) -> Iterator[list[str]]:
    r"""Cut texts into lists that are checked in one request each.

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


def check_batch(ask: Ask, texts: Sequence[str]) -> list[list[Problem]]:
    """Return the problems of each text, as if it had been sent alone.

    A batch that the server refuses, for its length maybe, is tried again in halves.
    """
    if len(texts) == 1:
        return [check_alone(ask, texts[0])]
    try:
        found = _check_joined(ask, texts)
    except RefusedError:
        half = len(texts) // 2
        return check_batch(ask, texts[:half]) + check_batch(ask, texts[half:])
    return [
        check_alone(ask, text) if problems is None else problems
        for text, problems in zip(texts, found, strict=True)
    ]


def check_alone(ask: Ask, text: str) -> list[Problem]:
    """Return the problems of one text."""
    try:
        answer = ask(text, "all")
    except RefusedError as error:
        shown = text if len(text) <= 80 else f"{text[:80]}…"
        raise RefusedError(f"{error} (for the sentence {shown!r})") from error
    return [_problem(text, match, 0) for match in answer.matches]


def _check_joined(ask: Ask, texts: Sequence[str]) -> list[list[Problem] | None]:
    """Check texts together; None for those that must be checked alone."""
    joined = SEPARATOR.join(texts)
    each = ask(joined, "allButTextLevelOnly")
    starts = _starts(texts)
    alone = _begin_small(texts, starts, each.sentences)
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
    """Return where each text begins in the joined one, in UTF-16 units."""
    starts = []
    position = 0
    for text in texts:
        starts.append(position)
        position += utf16_length(text) + len(SEPARATOR)
    return starts


def _touched(match: Match, starts: Sequence[int]) -> range:
    """Return the numbers of the texts that a match lies in."""
    first = bisect.bisect_right(starts, match.start) - 1
    return range(first, max(first + 1, bisect.bisect_left(starts, match.end)))


def _begin_small(
    texts: Sequence[str], starts: Sequence[int], sentences: Sequence[int] | None
) -> set[int]:
    """Number the texts in which some sentence begins with a small letter.

    A text that does not itself begin a sentence of LanguageTool's is counted in, with the one
    before it; so are all where LanguageTool does not tell its sentences.
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
    """Return how many UTF-16 units a text has.

    Examples
    --------
    >>> utf16_length("a😀")
    3
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def code_point(text: str, position: int) -> int:
    """Turn a position in UTF-16 units into one in characters.

    Examples
    --------
    >>> code_point("a😀b", 3)
    2
    """
    if text.isascii():
        return position
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * position]
    return len(units.decode("utf-16-le", "replace"))
