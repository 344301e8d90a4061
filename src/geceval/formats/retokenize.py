"""Tokenize raw text like its source sentence.

The tokenizer of a gold standard is usually unknown. Raw output takes the token boundaries of the
source where their text is the same, and those of our tokenizer elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate, pairwise

from geceval.model import Annotation, Corpus, Hypothesis, Sentence, Tokens, plain_edits
from geceval.text import Tokenizer, tokenize, tokens_at
from geceval.tokenization import tokenizer_for

_NOT = ("'t", "’t")
_TWO_WORDS = {"cannot": 3, "gimme": 3, "gonna": 3, "gotta": 3, "lemme": 3, "wanna": 3}
"""Words that the Penn Treebank splits in two, with the length of the first token."""


def boundaries(tokens: Iterable[str]) -> set[int]:
    """Return token boundaries as character offsets without spaces.

    Examples
    --------
    >>> boundaries(("do", "n't", "."))
    {2, 5}
    """
    ends = list(accumulate(map(len, tokens)))
    return set(ends[:-1])


def may_be_split(joined: str, place: int) -> bool:
    """Whether tokenizers may split text at an offset: not inside a word, except before ``n't``."""
    return (
        not (joined[place - 1].isalnum() and joined[place].isalnum())
        or joined[place + 1 : place + 3] in _NOT
    )


def _is_treebank_split(joined: str, place: int) -> bool:
    """Whether the Penn Treebank splits a word at an offset."""
    return any(
        joined[place - cut : place - cut + len(word)].lower() == word
        for word, cut in _TWO_WORDS.items()
        if place >= cut
    )


def is_tokenization_only(source: Tokens, text: Tokens) -> bool:
    """Whether two sentences differ only in the tokenization of punctuation and clitics.

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


def tokenize_like(source: Tokens, text: str, tokenizer: Tokenizer = tokenize) -> Tokens:
    """Tokenize raw text like `source`.

    Parameters
    ----------
    source
        Tokens of the source sentence.
    text
        Raw text; white space always separates tokens.
    tokenizer
        Tokenizer of the language, for what differs from the source.

    Examples
    --------
    >>> tokenize_like(("I", "do", "n't", "no", ",", "e.g.", "it", "."), "I don't know, e.g. it's.")
    ('I', 'do', "n't", 'know', ',', 'e.g.', 'it', "'s", '.')
    """
    from rapidfuzz.distance import Indel

    parts = text.split()
    joined, old = "".join(parts), "".join(source)
    places = boundaries(token for part in parts for token in tokens_at(part, tokenizer(part)))
    old_places = boundaries(source)
    for match in Indel.opcodes(old, joined):
        if match.tag != "equal":
            continue
        shift = match.dest_start - match.src_start
        # Only between two characters that are adjacent in the source, too.
        inside = range(match.dest_start + 1, match.dest_end)
        same = {place + shift for place in old_places if place + shift in inside}
        places -= {place for place in places if place in inside} - same
        places |= {
            place
            for place in same
            if may_be_split(joined, place) or _is_treebank_split(joined, place)
        }
    places |= boundaries(parts)
    edges = [0, *sorted(places), len(joined)]
    return tuple(joined[start:end] for start, end in pairwise(edges) if start < end)


def tokenize_hypothesis(corpus: Corpus, hypothesis: Hypothesis, *, lang: str = "") -> Hypothesis:
    """Tokenize the raw output of a system like the source.

    Output with edits is already tokenized and returned unchanged.
    """
    if hypothesis.edits is not None or len(hypothesis) != len(corpus):
        return hypothesis
    tokenizer, made = tokenizer_for(lang), hypothesis.preparation
    return replace(
        hypothesis,
        sentences=tuple(
            sent.tokens
            if sent.tokens == text
            else tokenize_like(sent.tokens, " ".join(text), tokenizer)
            for sent, text in zip(corpus, hypothesis, strict=True)
        ),
        tokenized=True,
        preparation="|".join(
            filter(None, ("" if tokenizer is tokenize else f"tokenizer:{lang}", made))
        ),
    )


def tokenize_corpus(corpus: Corpus, *, lang: str = "") -> Corpus:
    """Tokenize raw parallel text, the references like the source."""
    tokenizer = tokenizer_for(lang)
    return replace(corpus, sentences=tuple(_tokenized(sent, tokenizer) for sent in corpus))


def _tokenized(sent: Sentence, tokenizer: Tokenizer) -> Sentence:
    text = " ".join(sent.tokens)
    tokens = tokens_at(text, tokenizer(text))
    annotations = []
    for ann in sent.annotations:
        corrected = " ".join(sent.corrected(ann.annotator) or ())
        annotations.append(
            Annotation(
                ann.annotator, plain_edits(tokens, tokenize_like(tokens, corrected, tokenizer))
            )
        )
    return replace(sent, tokens=tokens, annotations=tuple(annotations))
