"""Raw text split into tokens as a source sentence is that it goes with.

Gold standards keep the tokens that somebody once made, by rules that nobody can guess. Raw
output takes the boundaries of the source where it has the same text, and those of our own
tokenizer where it has other text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate, pairwise

from geceval.model import Annotation, Corpus, Hypothesis, Sentence, Tokens, plain_edits
from geceval.text import tokenize, tokens_at

_NOT = ("'t", "’t")
_TWO_WORDS = {"cannot": 3, "gimme": 3, "gonna": 3, "gotta": 3, "lemme": 3, "wanna": 3}
"""What the Penn Treebank writes as two tokens, with the length of the first."""


def boundaries(tokens: Iterable[str]) -> set[int]:
    """Return where tokens meet, counted in characters without the spaces.

    Examples
    --------
    >>> boundaries(("do", "n't", "."))
    {2, 5}
    """
    ends = list(accumulate(map(len, tokens)))
    return set(ends[:-1])


def may_be_split(joined: str, place: int) -> bool:
    """Whether tokenizers split text there: not inside of a word, but for ``n't``."""
    return (
        not (joined[place - 1].isalnum() and joined[place].isalnum())
        or joined[place + 1 : place + 3] in _NOT
    )


def _is_two_words(joined: str, place: int) -> bool:
    """Whether a word that the Penn Treebank cuts in two may be cut there."""
    return any(
        joined[place - cut : place - cut + len(word)].lower() == word
        for word, cut in _TWO_WORDS.items()
        if place >= cut
    )


def is_tokenization_only(source: Tokens, text: Tokens) -> bool:
    """Whether two sentences differ only in how punctuation and clitics are split off.

    Examples
    --------
    >>> is_tokenization_only(("do", "n't", "."), ("don't.",))
    True
    >>> is_tokenization_only(("any", "one"), ("anyone",))
    False
    """
    joined = "".join(source)
    if source == text or joined != "".join(text):
        return False
    return all(may_be_split(joined, place) for place in boundaries(source) ^ boundaries(text))


def tokenize_like(source: Tokens, text: str) -> Tokens:
    """Split raw text into tokens as `source` is split.

    Parameters
    ----------
    source
        The tokens of the sentence that the text is a correction of.
    text
        Raw text; white space in it always parts tokens.

    Examples
    --------
    >>> tokenize_like(("I", "do", "n't", "no", ",", "e.g.", "it", "."), "I don't know, e.g. it's.")
    ('I', 'do', "n't", 'know', ',', 'e.g.', 'it', "'s", '.')
    """
    from rapidfuzz.distance import Indel

    parts = text.split()
    joined, old = "".join(parts), "".join(source)
    places = boundaries(token for part in parts for token in tokens_at(part, tokenize(part)))
    old_places = boundaries(source)
    for match in Indel.opcodes(old, joined):
        if match.tag != "equal":
            continue
        shift = match.dest_start - match.src_start
        # Only between two characters that the source has side by side as well.
        inside = range(match.dest_start + 1, match.dest_end)
        same = {place + shift for place in old_places if place + shift in inside}
        places -= {place for place in places if place in inside} - same
        places |= {
            place for place in same if may_be_split(joined, place) or _is_two_words(joined, place)
        }
    places |= boundaries(parts)
    edges = [0, *sorted(places), len(joined)]
    return tuple(joined[start:end] for start, end in pairwise(edges) if start < end)


def tokenize_hypothesis(corpus: Corpus, hypothesis: Hypothesis) -> Hypothesis:
    """Split the raw output of a system into tokens as the source is split.

    Output that came with edits has its tokens and is returned as it is.
    """
    if hypothesis.edits is not None or len(hypothesis) != len(corpus):
        return hypothesis
    return replace(
        hypothesis,
        sentences=tuple(
            sent.tokens if sent.tokens == text else tokenize_like(sent.tokens, " ".join(text))
            for sent, text in zip(corpus, hypothesis, strict=True)
        ),
        tokenized=True,
    )


def tokenize_corpus(corpus: Corpus) -> Corpus:
    """Split raw parallel text into tokens, the references as the source is split."""
    return replace(corpus, sentences=tuple(map(_tokenized, corpus)))


def _tokenized(sent: Sentence) -> Sentence:
    text = " ".join(sent.tokens)
    tokens = tokens_at(text, tokenize(text))
    readings = []
    for ann in sent.annotations:
        corrected = " ".join(sent.corrected(ann.annotator) or ())
        readings.append(
            Annotation(ann.annotator, plain_edits(tokens, tokenize_like(tokens, corrected)))
        )
    return replace(sent, tokens=tokens, annotations=tuple(readings))
