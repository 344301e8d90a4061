"""Sentence splitting and tokenization of the CoNLL shared tasks.

The published M2 files were made with an early statistical sentence splitter and Penn Treebank
tokenizer. These rules were inferred by comparing those files with their texts; they reproduce the
1312 sentences of the CoNLL-2014 test data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from geceval.model import Tokens
from geceval.text import Spans, attach_marks, split_tokens

_RUN = re.compile(r"\S+")
_STOP = re.compile(r"""[.?!](?=["')\]};:*@(\[{?!]|$)""")
_OPENING = "\"'([{"

# Abbreviations; those that may also end a sentence, such as "etc.", do so before a word that
# usually begins one.
_ABBREVIATIONS = frozenset(
    split_tokens(
        "al approx apr aug ave capt cf col corp dec dept dr etc feb gen gov hon inc jan jr jul "
        "lt ltd messrs mr mrs ms mt nov oct ph.d prof rep rev sen sept sgt sr st viz vol vs"
    )
)
# The published files break after "i.e.".
_DOTTED = re.compile(r"(?!i\.e$)(?:[a-z]\.)+[a-z]")
_OPENERS = frozenset(
    split_tokens("a an the this that these those i you he she it we they there here but however")
)

_CONTEXT = 40
"""Length of the prefix of a token that decides whether the period before it ends a sentence."""


def split_sentences(text: str) -> Spans:
    """Split a paragraph into sentences, given as character spans without outer white space.

    A period without white space after it ends no sentence ("home.Then"), unless a quotation
    mark or similar follows, which then begins the next sentence. Sentences may begin in lowercase.

    Examples
    --------
    >>> text = 'He asked "why?" and left. we met Mr. Li, C. Wu, etc. on May 3. The end.'
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['He asked "why?', '" and left.', 'we met Mr. Li, C. Wu, etc. on May 3.', 'The end.']
    """
    spans = []
    start: int | None = None
    runs = list(_RUN.finditer(text))
    for number, run in enumerate(runs):
        if start is None:
            start = run.start()
        following = runs[number + 1][0] if number + 1 < len(runs) else ""
        end = _sentence_end(run[0], following)
        if end is not None:
            spans.append((start, run.start() + end))
            start = run.start() + end if end < len(run[0]) else None
    if start is not None:
        spans.append((start, runs[-1].end()))
    return tuple(spans)


def _sentence_end(run: str, following: str) -> int | None:
    """Return where a sentence ends in a run without white space, or None."""
    stops = list(_STOP.finditer(run))
    if not stops:
        return None
    stop = stops[-1]
    after = run[stop.end() :] or following
    if not after:
        return None
    if stop[0] == "." and not _period_ends(run[: stop.start()], after):
        return None
    return stop.end()


def _period_ends(before: str, after: str) -> bool:
    """Whether the period between `before` and `after` ends a sentence."""
    word = before.lstrip(_OPENING).lower()
    opener = after.lstrip(_OPENING)
    if word.endswith("."):
        return opener[:1].isupper()  # three dots
    if len(word) == 1 and word.isalpha():
        return word in "ai"  # words; other single letters are initials
    if word in _ABBREVIATIONS or _DOTTED.fullmatch(word):
        name = re.match(r"\w*", opener)
        return opener[:1].isupper() and name is not None and name[0].lower() in _OPENERS
    if word.isdigit():
        return not opener[:1].islower()
    return True


# Marks and non-ASCII letters are separate tokens, as in the published files.
_PIECE = re.compile(r"[A-Za-z0-9_.'\-/,&]+|\S")
_INNER_CUT = re.compile(
    r"""
    (?=(?:n't|'(?:ll|re|ve|s|m|d))\b)                            # do|n't, it|'s
  | (?<=\bcan)(?=not\b) | (?<=\bgim)(?=me\b) | (?<=\blem)(?=me\b)
  | (?<=\b(?:gon|wan))(?=na\b) | (?<=\bgot)(?=ta\b)
  | (?<='t)(?=(?:is|was)\b)
  | (?<!\.)(?=\.{3}) | (?<=\.{3})(?!\.)                          # wait|...
  | (?<!-)(?=--) | (?<=--)(?!-)
  | (?=,$) | (?=',?$)                                            # dogs|'|,
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def tokenize(text: str) -> Spans:
    """Split a sentence into Penn Treebank tokens, given as character spans.

    Quotation marks are unchanged. Commas are split off only before white space, a period only at
    the end of the sentence.

    Examples
    --------
    >>> text = "I can't,really, etc. say 'no'."
    >>> [text[start:end] for start, end in tokenize(text)]
    ['I', 'ca', "n't,really", ',', 'etc.', 'say', "'no'", '.']
    """
    return attach_marks(text, lambda bare: tuple(_token_spans(bare)))


def _token_spans(text: str) -> Iterator[tuple[int, int]]:
    end_of_text = len(text.rstrip())
    for match in _PIECE.finditer(text):
        piece, offset = match[0], match.start()
        cuts = [cut.start() for cut in _INNER_CUT.finditer(piece)]
        if match.end() == end_of_text and piece.endswith(".") and not piece.endswith("..."):
            cuts.append(len(piece) - 1)
        start = 0
        for cut in (*cuts, len(piece)):
            if cut > start:
                yield offset + start, offset + cut
                start = cut


def tokenize_correction(text: str, following: str) -> Tokens:
    """Tokenize a correction before the token `following`, which is empty at the sentence end.

    The correction may contain several sentences. Its period stays with the last word if the period
    of the sentence follows.

    Examples
    --------
    >>> tokenize_correction("is clear. Now", "we"), tokenize_correction("is clear.", ".")
    (('is', 'clear', '.', 'Now'), ('is', 'clear.'))
    """
    space = "" if following == "." else " "
    context = f"{text}{space}{following[:_CONTEXT]}"
    tokens = []
    for offset, sentence_end in split_sentences(context):
        for start, end in tokenize(context[offset:sentence_end]):
            if offset + start < len(text):
                tokens.append(text[offset + start : offset + end])
    return tuple(tokens)
