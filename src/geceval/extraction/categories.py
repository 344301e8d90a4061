"""Descriptions of error types.

A type consists of an operation and a category, such as ``R:VERB:SVA``. The categories are those of
ERRANT, or, for the classifiers ``universal`` and ``rules``, parts of speech and features of
Universal Dependencies.
"""

from __future__ import annotations

OPERATIONS = {
    "M": "something was missing",
    "R": "something was replaced",
    "U": "something was unnecessary",
}
"""Descriptions of operations."""

CHINESE_OPERATIONS = {
    "M": "something was missing",
    "R": "something was redundant",
    "S": "something was substituted",
    "W": "the word order was wrong",
}
"""Descriptions of the operations of Chinese edits, where R is not a replacement."""

CHINESE_LEGEND = "M missing, R redundant, S substituted, W word order; R is no replacement here"
"""What the operations of Chinese edits stand for, to be shown with tables of them."""

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
"""Parts of speech, universal ones and those of ERRANT."""


def with_article(noun: str) -> str:
    """Prefix a noun with the indefinite article.

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
    return _sentence(f"{noun} is wrong, missing or unnecessary")


CATEGORIES = {
    "ADJ": _word_class("ADJ"),
    "ADJ:FORM": "An adjective is in the wrong degree of comparison.",
    "ADV": _word_class("ADV"),
    "CONJ": _word_class("CONJ"),
    "CONTR": "A contraction is used instead of the full form, or vice versa.",
    "DET": _word_class("DET"),
    "MORPH": "A word should be replaced by one with the same stem, usually of another word class.",
    "NOUN": _word_class("NOUN"),
    "NOUN:INFL": "A noun has an inflection that does not exist.",
    "NOUN:NUM": "A noun should be plural instead of singular, or vice versa.",
    "NOUN:POSS": "A possessive ending is wrong, missing or unnecessary.",
    "ORTH": "Only case or spaces are wrong.",
    "OTHER": "No other category applies, often because words were paraphrased.",
    "PART": _word_class("PART"),
    "PREP": _word_class("PREP"),
    "PRON": _word_class("PRON"),
    "PUNCT": _word_class("PUNCT"),
    "SPELL": "A word is misspelled.",
    "UNK": "An error was flagged but not corrected.",
    "VERB": _word_class("VERB"),
    "VERB:FORM": "A verb should have another form: infinitive, gerund or participle.",
    "VERB:INFL": "A verb has an inflection that does not exist.",
    "VERB:SVA": "Subject and verb do not agree.",
    "VERB:TENSE": "A verb or its auxiliaries should be in another tense, aspect, voice or mood.",
    "WO": "The words are correct, but their order is not.",
}
"""Descriptions of ERRANT's categories."""


def describe_chinese(type: str) -> str | None:
    """Return the description of a type of Chinese edits; None if it is unknown.

    Examples
    --------
    >>> describe_chinese("R:NOUN"), describe_chinese("S:SPELL"), describe_chinese("W")
    ('A noun is redundant.', 'A word is misspelled.', 'The word order was wrong.')
    """
    operation, _, category = type.partition(":")
    if not category and operation in CHINESE_OPERATIONS:
        return _sentence(CHINESE_OPERATIONS[operation])
    if category == "MC":
        return "A part of the sentence is missing."
    if category == "QUAN":
        noun = "measure word"
    elif category in CATEGORIES and category not in PARTS_OF_SPEECH:
        return CATEGORIES[category]
    elif (noun := PARTS_OF_SPEECH.get(category, "")) == "":
        return None
    ways = {"M": f"{with_article(noun)} is missing", "R": f"{with_article(noun)} is redundant"}
    return _sentence(ways.get(operation, f"a different {noun} is needed"))


UNIVERSAL_TYPERS = ("rules", "universal")
"""Beginnings of the signatures of classifiers for all languages."""

UNIVERSAL = {
    "DIACR": "Only diacritics are wrong.",
    "FN": "The final ν of a word is missing or unnecessary.",
    "FORM": "A different form of a word is needed.",
    "MORPH": "A word should be replaced by one with the same lemma or stem, usually of another "
    "word class.",
    "ORTH:CASING": "Only case is wrong.",
    "ORTH:APOS": "Only the kind of apostrophe is wrong.",
    "ORTH:FORM": "Only the form of characters that look alike is wrong.",
    "ORTH:INVISIBLE": "Only invisible characters are wrong.",
    "ORTH:WIDTH": "Only the width of characters is wrong.",
    "ORTH:WSPACE": "Only spaces are wrong: words are written together or apart.",
    "QUOTATION": "Only quotation marks are wrong.",
    "WO:SPELL": "The order of the words is wrong, and some are spelled a little differently.",
}
"""Descriptions of categories that ERRANT does not have, or has for English only."""

FEATURES = {
    "ASPECT": "aspect",
    "CASE": "case",
    "DEF": "definiteness",
    "DEGREE": "degree of comparison",
    "GENDER": "gender",
    "MOOD": "mood",
    "NEG": "polarity",
    "NUM": "number",
    "PERS": "person",
    "POSS": "possessor",
    "SVA": "person or number",
    "TENSE": "tense",
    "VOICE": "voice",
}
"""Features of words by their name in types."""


def describe(type: str, *, universal: bool = False) -> str | None:
    """Return the description of a type; None if unknown.

    Parameters
    ----------
    type
        The type.
    universal
        Whether it is one of another language than English, where ``ADJ:FORM`` is any other form of
        an adjective.

    Examples
    --------
    >>> describe("R:NOUN:NUM")
    'A noun should be plural instead of singular, or vice versa.'
    >>> describe("M:PREP"), describe("R:PROPN:FORM")
    ('A preposition is missing.', 'A different form of a name is needed.')
    >>> describe("R:NOUN:CASE"), describe("R:ADJ:FORM", universal=True)
    ('A noun is in the wrong case.', 'A different form of an adjective is needed.')
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
                "R": f"a different {noun} is needed",
                "U": f"{with_article(noun)} is unnecessary",
            }.get(operation, f"{with_article(noun)} is wrong, missing or unnecessary")
        )
    known = {**CATEGORIES, **UNIVERSAL} if universal else {**UNIVERSAL, **CATEGORIES}
    if category in known and not (universal and noun):
        return known[category]
    if noun and detail in ("FORM", "INFL"):
        return f"A different form of {with_article(noun)} is needed."
    if noun and detail in FEATURES:
        return _sentence(f"{with_article(noun)} is in the wrong {FEATURES[detail]}")
    return None
