"""Tokenization, sentence splitting, conversion of offsets, and interning of tokens."""

from __future__ import annotations

import bisect
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, pairwise
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
"""A function that splits raw text into token spans."""


def split_tokens(line: str) -> Tokens:
    """Split tokenized text at white space."""
    # Tokens that occur often are stored once, which saves most of the memory of large files.
    return tuple(map(sys.intern, line.split()))


def join_tokens(tokens: Sequence[str]) -> str:
    """Join tokens with spaces; raise an error if they could not be read back.

    Examples
    --------
    >>> join_tokens(("I", "like", "it"))
    'I like it'
    """
    text = " ".join(tokens)
    if split_tokens(text) != tuple(tokens):
        wrong = next(token for token in tokens if split_tokens(token) != (token,))
        raise GecevalError(
            f"the token {wrong!r} in {text[:60]!r} is empty or contains white space, and could "
            "not be read back"
        )
    return text


# Clitics are separate tokens as in the Penn Treebank, to match tokenized gold files.
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

    A rule-based tokenizer in the style of the Penn Treebank that changes no character:
    ``text[start:end]`` is the token. No token boundary precedes a combining mark, a joiner or a
    part of an emoji.

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
    """Tokenize without combining marks and the like, which are then attached to their base.

    Python does not count them as letters, so `tokenizer` would split them off.
    """
    bases = _bases(text)
    if bases is None:
        return tokenizer(text)
    bases.append(len(text))
    bare = "".join(_letter(text[start:end]) for start, end in pairwise(bases))
    # A token extends to the next base, so it includes what is attached to its last one.
    return tuple((bases[start], bases[end]) for start, end in tokenizer(bare))


def _letter(piece: str) -> str:
    """Return one character for a base and what is attached to it, the composed one if any."""
    composed = piece if len(piece) == 1 else unicodedata.normalize("NFC", piece)
    return composed if len(composed) == 1 else piece[0]


_MAY_BE_ATTACHED = re.compile(r"(?![\x00-\u02ff])[^\w\s]")
_JOINER, _NON_JOINER = "\u200d", "\u200c"
# Skin tones, and the tags of regional flags.
_OF_EMOJI = re.compile("[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


def _bases(text: str) -> list[int] | None:
    """Return the positions of base characters, or None if all characters are.

    Combining marks, joiners, variation selectors and the parts of an emoji are attached to the
    preceding character, unless that is white space.
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
    """Whether a character is attached to the preceding one, which is not white space."""
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
    """Return the tokens at `spans`."""
    return tuple(text[start:end] for start, end in spans)


def find_tokens(text: str, tokens: Sequence[str]) -> Spans | None:
    """Locate the tokens of a text that otherwise contains only white space.

    Returns
    -------
    spans
        None if the text does not consist of these tokens.
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


# Possessive, and never from inside a run of marks, so that runs of periods take linear time.
_SENTENCE_END = r"""
    (?<![.!?…]) [.!?…]++ (?: ["'’”»)\]]++ CLOSING | \ ?[\u00a0\u202f]?[»](?=\s) )*+
    (?= \s+ (?: ["'‘“„‚»(\[] | « [\ \u00a0\u202f]? )*+ (?P<next>\S) )
  | (?: (?<=[\u0370-\u03ff\u1f00-\u1fff]) ; | [\u037e؟۔।॥።։។၊။།] )++ ["'’”»)\]]*+ (?=\s)
  | [。！？]++ [’”」』）]*+
  | \n
    """
_END, _END_WITH_LOW_QUOTES = (
    re.compile(_SENTENCE_END.replace("CLOSING", marks), re.VERBOSE)
    for marks in ("", r"| [“‘«](?=\s)")
)
_LOW_QUOTES = re.compile("[„‚»]")
"""Opening marks of text in which ``“``, ``‘`` and ``«`` may be closing ones."""
_NOT_AN_END = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|cf|No|[^\W\d_])\.$")
_LONGEST_ABBREVIATION = len("Prof.")


def split_sentences(text: str, *, after_ordinal: re.Pattern[str] | None = None) -> Spans:
    """Split text into sentences, given as character spans without outer white space.

    A line break ends a sentence, and so does a period, question mark or exclamation mark, unless a
    lowercase letter follows, ignoring opening quotation marks and brackets. Marks of other scripts,
    such as a Greek question mark or a danda, end a sentence, too.

    Parameters
    ----------
    text
        Raw text.
    after_ordinal
        Pattern of words before which a number with a period is an ordinal; None if it never is.

    Examples
    --------
    >>> text = "I met Mr. Li. He smiled!  We left."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['I met Mr. Li.', 'He smiled!', 'We left.']
    """
    spans = []
    start = 0
    end_mark = _END_WITH_LOW_QUOTES if _LOW_QUOTES.search(text) else _END
    for match in end_mark.finditer(text):
        if _ends_sentence(match, start, after_ordinal):
            spans.append((start, match.end()))
            start = match.end()
    spans.append((start, len(text)))
    trimmed = (_trim(text, start, end) for start, end in spans)
    return tuple(span for span in trimmed if span[0] < span[1])


_ORDINAL_END = re.compile(r"(?<![\w.])\d{1,3}\.$")
_LONGEST_ORDINAL = len(" 123.")


def _ends_sentence(
    match: re.Match[str], start: int, after_ordinal: re.Pattern[str] | None = None
) -> bool:
    """Whether a matched mark ends the sentence that begins at `start`."""
    follower = match["next"]
    if follower is not None and follower.islower():
        return False
    end = match.end()
    if (
        after_ordinal is not None
        and follower is not None
        and _ORDINAL_END.search(match.string, max(start, end - _LONGEST_ORDINAL), end)
        and after_ordinal.match(match.string, match.start("next"))
    ):
        return False
    return not _NOT_AN_END.search(match.string, max(start, end - _LONGEST_ABBREVIATION), end)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Strip white space from both ends of a span."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def raw_text(text: str, tokenizer: Tokenizer = tokenize) -> RawText:
    """Tokenize `text` and return it with its token spans."""
    return RawText(text, tokenizer(text))


_NEIGHBORS = 16
"""Tokens to consider on each side of an edit, which bounds the time for unspaced text."""


def token_edit(
    raw: RawText,
    start: int,
    end: int,
    replacements: Sequence[str] | None,
    tokenizer: Tokenizer = tokenize,
) -> Edit:
    """Convert a character edit into an equivalent token edit.

    A span that begins or ends inside a token is extended to the whole token, whose rest becomes
    part of the correction.

    Parameters
    ----------
    raw
        The sentence.
    start, end
        Half-open character span in ``raw.text``.
    replacements
        Alternative texts; None for a flag.

    Returns
    -------
    edit
        An edit with span and corrections only.

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
    # Adjacent tokens may merge with the new text.
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
    # Exclude the unchanged neighbors.
    n_same = _n_common(options, tokens_at(text, spans[left:first]))
    options = [new[n_same:] for new in options]
    left += n_same
    n_same = _n_common([new[::-1] for new in options], tokens_at(text, spans[last:right])[::-1])
    options = [new[: len(new) - n_same] for new in options]
    return Edit(left, right - n_same, tuple(options))


def touched_tokens(spans: Spans, start: int, end: int) -> tuple[int, int]:
    """Return the half-open range of tokens that overlap with a character span.

    An empty span touches only a token that it is inside.

    Examples
    --------
    >>> spans = tokenize("medium size city")
    >>> touched_tokens(spans, 0, 8), touched_tokens(spans, 6, 7)
    ((0, 2), (1, 1))
    """
    first = bisect.bisect_right(spans, start, key=itemgetter(1))
    return first, max(first, bisect.bisect_left(spans, end, key=itemgetter(0)))


def _n_common(options: Sequence[Tokens], tokens: Tokens) -> int:
    """Return the length of the longest prefix of `tokens` that all options share."""
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
    """A thread-safe mapping of tokens to integers, for kernels.

    Everything that is compared must share one interner.

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
        # Otherwise two threads could assign one number to different tokens.
        with self._lock:
            tokens = np.fromiter(numbers, dtype=np.int32, count=int(offsets[-1]))
        return Interned(tokens, offsets)


class _Numbers(dict[str, int]):
    """Numbers by token; a new token gets the next number."""

    def __init__(self, normalize: Callable[[str], str] | None) -> None:
        super().__init__()
        self._normalize = normalize
        self.seen: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        form = self._normalize(token) if self._normalize else token
        number = self[token] = self.seen.setdefault(form, len(self.seen))
        return number
