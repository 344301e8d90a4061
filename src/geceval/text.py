"""Tokens: splitting, finding them in raw text, and interning them for the kernels."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from geceval.errors import GecevalError
from geceval.model import Edit, RawText, Tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Int32Array = NDArray[np.int32]
    Int64Array = NDArray[np.int64]

Spans: TypeAlias = tuple[tuple[int, int], ...]
"""Half-open character spans, one per token."""

Tokenizer: TypeAlias = Callable[[str], Spans]
"""Anything that splits raw text into spans."""


def split_tokens(line: str) -> Tokens:
    """Split tokenized text at white space."""
    return tuple(line.split())


def join_tokens(tokens: Sequence[str]) -> str:
    """Write tokens as text; those that would not be read back as they are, are refused.

    Examples
    --------
    >>> join_tokens(("I", "like", "it"))
    'I like it'
    """
    text = " ".join(tokens)
    if split_tokens(text) != tuple(tokens):
        wrong = next(token for token in tokens if split_tokens(token) != (token,))
        raise GecevalError(
            f"the token {wrong!r} in {text[:60]!r} is empty or holds white space, and would be "
            "read back as something else"
        )
    return text


# Clitics stand apart as in the Penn Treebank, so that raw text meets tokenized gold files.
_WORD = re.compile(
    r"""
    (?:https?://|www\.)\S*[\w/]                       # addresses
  | [\w.+-]{1,64}@[\w-]+\.[\w.-]*\w                   # mail addresses, bounded as in RFC 5321
  | \d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|%)?(?!\w)       # numbers, dates, times, ordinals
  | (?:[^\W\d_]\.){2,}                                # e.g. U.S.
  | (?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e)\.       # usual abbreviations
  | \w+(?=n['’]t\b)                                   # do|n't
  | n['’]t\b
  | ['’](?:s|m|d|re|ve|ll)\b                          # it|'s
  | \w+(?:[-–'’](?!(?:s|m|d|re|ve|ll|t)\b)\w+)*       # words, hyphenated, o'clock
  | \.{2,} | -{2,} | ['’`]{2}                         # runs that are one mark
  | \S                                                # anything else by itself
    """,
    re.VERBOSE | re.IGNORECASE,
)


def tokenize(text: str) -> Spans:
    """Split raw text into tokens, given as character spans.

    A plain rule-based tokenizer in the manner of the Penn Treebank that changes no
    character: ``text[start:end]`` is the token. It needs no model and serves the formats
    that hold raw text. No token is cut before a combining mark, a joiner or a part of an emoji.

    Examples
    --------
    >>> text = "I don't know, it's 3.50 euros."
    >>> [text[start:end] for start, end in tokenize(text)]
    ['I', 'do', "n't", 'know', ',', 'it', "'s", '3.50', 'euros', '.']
    """
    return attach_marks(text, _word_spans)


def _word_spans(text: str) -> Spans:
    return tuple(match.span() for match in _WORD.finditer(text))


def attach_marks(text: str, tokenizer: Tokenizer) -> Spans:
    """Tokenize as if combining marks and their like were not there; each stays with its base.

    They are no letters to Python and would be cut off. Text without them is left to
    `tokenizer` as it is.
    """
    kept = _bases(text)
    if kept is None:
        return tokenizer(text)
    bare = "".join(text[place] for place in kept)
    kept.append(len(text))
    # A token reaches up to the next base, so what is attached to its last one belongs to it.
    return tuple((kept[start], kept[end]) for start, end in tokenizer(bare))


_MAY_BE_ATTACHED = re.compile(r"(?![\x00-\u02ff])[^\w\s]")
_JOINER, _NON_JOINER = "\u200d", "\u200c"
# Skin tones, and the tags that make a flag of a region.
_OF_EMOJI = re.compile("[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


def _bases(text: str) -> list[int] | None:
    """Return where the characters stand that do not belong to the one before them.

    Combining marks, joiners, variation selectors and the parts of an emoji belong to the
    character before them, unless that is white space. None where there is no such character.
    """
    attached: set[int] = set()
    for match in _MAY_BE_ATTACHED.finditer(text):
        place = match.start()
        if place and not text[place - 1].isspace() and _is_attached(text, place, attached):
            attached.add(place)
    if not attached:
        return None
    return [place for place in range(len(text)) if place not in attached]


def _is_attached(text: str, place: int, attached: set[int]) -> bool:
    """Whether a character belongs to the one before it, which is not white space."""
    character, before = text[place], text[place - 1]
    category = unicodedata.category(character)
    if character in (_JOINER, _NON_JOINER) or category.startswith("M"):
        return True
    if before == _JOINER:
        return category == "So" and place - 1 in attached
    if _FLAG_LETTER.match(character):
        return bool(_FLAG_LETTER.match(before)) and place - 1 not in attached
    return bool(_OF_EMOJI.match(character)) and not before.isalnum()


def tokens_at(text: str, spans: Spans) -> Tokens:
    """Return the tokens that stand at `spans`."""
    return tuple(text[start:end] for start, end in spans)


def find_tokens(text: str, tokens: Sequence[str]) -> Spans | None:
    """Find tokens one after the other in a text that holds nothing else but white space.

    Returns
    -------
    spans
        None where the text is not made of these tokens.
    """
    spans = []
    position = 0
    for token in tokens:
        start = text.find(token, position)
        if start < 0 or text[position:start].strip():
            return None
        position = start + len(token)
        spans.append((start, position))
    return None if text[position:].strip() else tuple(spans)


# Possessive, and never from inside a run of marks: text of nothing but full stops stays cheap.
_SENTENCE_END = re.compile(
    r"""
    (?<![.!?…]) [.!?…]++ ["'’”»)\]]*+ (?= \s+ ["'‘“«(\[]*+ (?P<next>\S) )
  | [。！？]++ [’”」』）]*+
  | \n
    """,
    re.VERBOSE,
)
_NOT_AN_END = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|cf|No|[^\W\d_])\.$")
_LONGEST_ABBREVIATION = len("Prof.")


def split_sentences(text: str) -> Spans:
    """Split running text into sentences, given as character spans without outer white space.

    A line end always ends a sentence; otherwise a full stop, question or exclamation mark
    does when something other than a lower-case letter follows, opening quotation marks and
    brackets aside.

    Examples
    --------
    >>> text = "I met Mr. Li. He smiled!  We left."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['I met Mr. Li.', 'He smiled!', 'We left.']
    """
    spans = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ends_sentence(match, start):
            spans.append((start, match.end()))
            start = match.end()
    spans.append((start, len(text)))
    trimmed = (_trim(text, start, end) for start, end in spans)
    return tuple(span for span in trimmed if span[0] < span[1])


def _ends_sentence(match: re.Match[str], start: int) -> bool:
    """Whether the mark that was found ends the sentence that begins at `start`."""
    follower = match["next"]
    if follower is not None and follower.islower():
        return False
    end = match.end()
    return not _NOT_AN_END.search(match.string, max(start, end - _LONGEST_ABBREVIATION), end)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out white space at both ends of a span."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def raw_text(text: str, tokenizer: Tokenizer = tokenize) -> RawText:
    """Tokenize `text` and keep where each token stands."""
    return RawText(text, tokenizer(text))


_NEIGHBORS = 16
"""How many tokens on each side of an edit are looked at: text without spaces stays cheap."""


def token_edit(
    raw: RawText,
    start: int,
    end: int,
    replacements: Sequence[str] | None,
    tokenizer: Tokenizer = tokenize,
) -> Edit:
    """Turn a character edit into a token edit that has the same effect.

    A span that begins or ends inside a token is widened to the whole token, and the rest
    of the token becomes part of the correction.

    Parameters
    ----------
    raw
        The sentence.
    start, end
        Half-open character span in ``raw.text``.
    replacements
        Alternative texts; None for an error that is only flagged.

    Returns
    -------
    edit
        With its span and corrections only; use `dataclasses.replace` for the rest.

    Examples
    --------
    >>> raw = raw_text("medium size city")
    >>> edit = token_edit(raw, 0, 11, ["medium-sized"])
    >>> edit.start, edit.end, edit.corrections
    (0, 2, (('medium-sized',),))
    >>> token_edit(raw, 11, 11, ["d"]).corrections
    (('sized',),)
    """
    text, spans = raw.text, raw.spans
    first, last = touched_tokens(spans, start, end)
    if replacements is None:
        return Edit(first, last, ())
    # Neighbors that stand right against the new text may become one token with it.
    left, left_edge = first, min(start, spans[first][0]) if first < last else start
    while max(0, first - _NEIGHBORS) < left and spans[left - 1][1] == left_edge:
        left -= 1
        left_edge = spans[left][0]
    right, right_edge = last, max(end, spans[last - 1][1]) if first < last else end
    while right < min(len(spans), last + _NEIGHBORS) and spans[right][0] == right_edge:
        right_edge = spans[right][1]
        right += 1
    before, after = text[left_edge:start], text[end:right_edge]
    options = [_words(before + new + after, tokenizer) for new in replacements]
    # Give back the neighbors that stayed as they were.
    kept = _n_common(options, tokens_at(text, spans[left:first]))
    options = [new[kept:] for new in options]
    left += kept
    kept = _n_common([new[::-1] for new in options], tokens_at(text, spans[last:right])[::-1])
    options = [new[: len(new) - kept] for new in options]
    return Edit(left, right - kept, tuple(options))


def touched_tokens(spans: Spans, start: int, end: int) -> tuple[int, int]:
    """Return the half-open range of tokens that a character span shares a character with.

    An empty span touches only the token that it stands inside of.

    Examples
    --------
    >>> spans = tokenize("medium size city")
    >>> touched_tokens(spans, 0, 8), touched_tokens(spans, 6, 7)
    ((0, 2), (1, 1))
    """
    first = bisect.bisect_right(spans, start, key=itemgetter(1))
    return first, max(first, bisect.bisect_left(spans, end, key=itemgetter(0)))


def _n_common(options: Sequence[Tokens], tokens: Tokens) -> int:
    """Count the first of `tokens` with which every option begins."""
    for i, token in enumerate(tokens):
        if not all(new[i : i + 1] == (token,) for new in options):
            return i
    return len(tokens)


def _words(text: str, tokenizer: Tokenizer) -> Tokens:
    return tokens_at(text, tokenizer(text))


class Interned(NamedTuple):
    """Sentences as integers: sentence ``i`` is ``tokens[offsets[i]:offsets[i + 1]]``."""

    tokens: Int32Array
    offsets: Int64Array


class Interner:
    """Numbers for tokens, the same token always the same number.

    Kernels compare integers only; one interner serves everything that is compared, and threads
    may share it.

    Parameters
    ----------
    normalize
        Applied to each distinct token first, e.g. `str.lower` to ignore case.

    Examples
    --------
    >>> interner = Interner()
    >>> interner.intern([("a", "b"), (), ("b",)])
    Interned(tokens=array([0, 1, 1], dtype=int32), offsets=array([0, 2, 2, 3]))
    """

    __slots__ = ("_lock", "_numbers")

    def __init__(self, normalize: Callable[[str], str] | None = None) -> None:
        self._numbers = _Numbers(normalize)
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._numbers.seen)

    @property
    def tokens(self) -> list[str]:
        """The tokens, in the order of their numbers."""
        return list(self._numbers.seen)

    def intern(self, sentences: Iterable[Sequence[str]]) -> Interned:
        """Number the tokens of `sentences`."""
        import numpy as np

        listed = list(sentences)
        offsets = np.fromiter(accumulate(map(len, listed), initial=0), dtype=np.int64)
        numbers = map(self._numbers.__getitem__, chain.from_iterable(listed))
        # One thread at a time: what two of them see first must not get one number.
        with self._lock:
            tokens = np.fromiter(numbers, dtype=np.int32, count=int(offsets[-1]))
        return Interned(tokens, offsets)


class _Numbers(dict[str, int]):
    """Numbers by token; one that is asked for the first time gets the next."""

    def __init__(self, normalize: Callable[[str], str] | None) -> None:
        super().__init__()
        self._normalize = normalize
        self.seen: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        form = self._normalize(token) if self._normalize else token
        number = self[token] = self.seen.setdefault(form, len(self.seen))
        return number
