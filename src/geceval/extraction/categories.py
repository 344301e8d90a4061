"""What the names of error types mean, in words.

A type is an operation and a category, such as ``R:VERB:SVA``. The categories are those of
ERRANT; the typer ``universal`` puts universal parts of speech in their place.
"""

from __future__ import annotations

OPERATIONS = {
    "M": "something was missing",
    "R": "something was replaced",
    "U": "something was unnecessary",
}
"""What an edit does."""

PARTS_OF_SPEECH = {
    "ADJ": "adjective",
    "ADP": "preposition",
    "ADV": "adverb",
    "AUX": "auxiliary",
    "CCONJ": "conjunction",
    "CONJ": "conjunction",
    "DET": "determiner",
    "INTJ": "interjection",
    "NOUN": "noun",
    "NUM": "number",
    "PART": "particle",
    "PREP": "preposition",
    "PRON": "pronoun",
    "PROPN": "name",
    "PUNCT": "punctuation mark",
    "SCONJ": "subordinating conjunction",
    "SYM": "symbol",
    "VERB": "verb",
}
"""Parts of speech, universal ones and those that ERRANT calls otherwise."""


def with_article(noun: str) -> str:
    """Put the indefinite article before a noun.

    Examples
    --------
    >>> with_article("adverb"), with_article("noun")
    ('an adverb', 'a noun')
    """
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _word_class(name: str) -> str:
    noun = with_article(PARTS_OF_SPEECH[name])
    return _sentence(f"{noun} was chosen badly, is missing or is too many")


CATEGORIES = {
    "ADJ": _word_class("ADJ"),
    "ADJ:FORM": "An adjective is in the wrong degree of comparison.",
    "ADV": _word_class("ADV"),
    "CONJ": _word_class("CONJ"),
    "CONTR": "A short form is used where the full one belongs, or the other way round.",
    "DET": _word_class("DET"),
    "MORPH": "A related word with the same stem belongs here, mostly of another word class.",
    "NOUN": _word_class("NOUN"),
    "NOUN:INFL": "A noun is inflected in a way that does not exist.",
    "NOUN:NUM": "A noun is singular where it should be plural, or the other way round.",
    "NOUN:POSS": "A possessive ending is wrong, is missing or is too many.",
    "ORTH": "Only case or spaces are wrong.",
    "OTHER": "None of the other categories fits, often because words were rewritten freely.",
    "PART": _word_class("PART"),
    "PREP": _word_class("PREP"),
    "PRON": _word_class("PRON"),
    "PUNCT": _word_class("PUNCT"),
    "SPELL": "A word is misspelt.",
    "UNK": "An error was seen, but nobody corrected it.",
    "VERB": _word_class("VERB"),
    "VERB:FORM": "An infinitive, gerund or participle is used where another of them belongs.",
    "VERB:INFL": "A verb is inflected in a way that does not exist.",
    "VERB:SVA": "Subject and verb do not agree.",
    "VERB:TENSE": "A verb or its auxiliaries should be in another tense, aspect, voice or mood.",
    "WO": "The words are right, their order is not.",
}
"""What is wrong, one sentence for each of ERRANT's categories."""


def describe(type: str) -> str | None:
    """Say what a type means; None for one that is not known.

    Examples
    --------
    >>> describe("R:NOUN:NUM")
    'A noun is singular where it should be plural, or the other way round.'
    >>> describe("M:PREP"), describe("R:PROPN:FORM")
    ('A preposition is missing.', 'Another form of a name belongs here.')
    """
    operation, _, category = type.partition(":")
    if operation not in OPERATIONS:
        operation, category = "", type
    pos, _, detail = category.partition(":")
    noun = PARTS_OF_SPEECH.get(pos)
    if noun and category == pos:
        return _sentence(
            {
                "M": f"{with_article(noun)} is missing",
                "R": f"another {noun} belongs here",
                "U": f"{with_article(noun)} is too many",
            }.get(operation, f"{with_article(noun)} was chosen badly, is missing or is too many")
        )
    if category in CATEGORIES:
        return CATEGORIES[category]
    if noun and detail == "FORM":
        return f"Another form of {with_article(noun)} belongs here."
    return None
