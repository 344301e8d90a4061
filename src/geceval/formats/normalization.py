"""Unicode normalization of corpora and system outputs, so that equal text is compared as equal.

A letter with an accent may be one character (NFC) or a letter and a combining mark (NFD). They look
the same and count as different words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace

from geceval.characters import is_composed, normalized
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence, Tokens

NFC = "normalize:nfc"
"""Part of signatures."""


def normalize_sentence(sent: Sentence) -> Sentence:
    """Compose the characters of a sentence and of its corrections.

    Examples
    --------
    >>> normalize_sentence(Sentence(("Ha\u0308user",))).tokens == ("Häuser",)
    True
    """
    if not _needs_it(sent):
        return sent
    return replace(
        sent,
        tokens=normalized(sent.tokens),
        annotations=tuple(_with_form(ann, normalized) for ann in sent.annotations),
        raw=None,
    )


def _needs_it(sent: Sentence) -> bool:
    return not (
        all(map(is_composed, sent.tokens))
        and all(
            is_composed(token)
            for ann in sent.annotations
            for edit in ann.edits
            for option in edit.corrections
            for token in option
        )
    )


def _with_form(ann: Annotation, form: Callable[[Tokens], Tokens]) -> Annotation:
    return replace(ann, edits=tuple(_edit_with_form(edit, form) for edit in ann.edits))


def _edit_with_form(edit: Edit, form: Callable[[Tokens], Tokens]) -> Edit:
    return replace(edit, corrections=tuple(map(form, edit.corrections)))


def normalize_corpus(corpus: Corpus) -> Corpus:
    """Compose the characters of all sentences."""
    sentences = tuple(map(normalize_sentence, corpus))
    if all(new is old for new, old in zip(sentences, corpus, strict=True)):
        return corpus
    return replace(corpus, sentences=sentences)


def normalize_hypothesis(hypothesis: Hypothesis) -> Hypothesis:
    """Compose the characters of the output of a system, and record it for signatures."""

    def edits_of(edits: tuple[Edit, ...] | None) -> tuple[Edit, ...] | None:
        return None if edits is None else tuple(_edit_with_form(one, normalized) for one in edits)

    return replace(
        hypothesis,
        sentences=tuple(map(normalized, hypothesis.sentences)),
        edits=None
        if hypothesis.edits is None
        else tuple(edits_of(edits) or () for edits in hypothesis.edits),
        readings=tuple(
            replace(
                reading,
                sentences=tuple(
                    None if tokens is None else normalized(tokens) for tokens in reading.sentences
                ),
                edits=tuple(map(edits_of, reading.edits)),
            )
            for reading in hypothesis.readings
        ),
        preparation="|".join(filter(None, (hypothesis.preparation, NFC))),
    )


def restore_form(sent: Sentence, tokens: Tokens) -> Sentence:
    """Give a normalized sentence its own tokens again, and its corrections the same form."""
    if sent.tokens == tokens:
        return sent
    annotations = sent.annotations
    if all(unicodedata.is_normalized("NFD", token) for token in tokens):
        annotations = tuple(_with_form(ann, _decomposed) for ann in annotations)
    return replace(sent, tokens=tokens, annotations=annotations)


def _decomposed(tokens: Tokens) -> Tokens:
    return tuple(unicodedata.normalize("NFD", token) for token in tokens)
