"""What differs from language to language in the rules of error types."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from geceval.extraction.lang.casing import Lower, lower_for
from geceval.extraction.lang.pack_options import PackOptions
from geceval.extraction.lang.special_pairs import SpecialPair, greek_pair, ukrainian_pair

Strip: TypeAlias = Callable[[str], str]
"""Removes diacritics."""

_VARIANTS = str.maketrans({"ı": "i", "İ": "I", "ł": "l", "Ł": "L"})
_TONOS = frozenset("\u0301\u0308\u0300\u0342")


def without_marks(text: str) -> str:
    """Remove all diacritics.

    Examples
    --------
    >>> without_marks("věta łódź ısı")
    'veta lodz isi'
    """
    decomposed = unicodedata.normalize("NFD", text.translate(_VARIANTS))
    return "".join([char for char in decomposed if not unicodedata.combining(char)])


def _without_accents(text: str) -> str:
    """Remove Greek accents and the dialytika."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join([char for char in decomposed if char not in _TONOS])


def _with_plain_yo(text: str) -> str:
    """Replace the Russian ё."""
    return text.replace("ё", "е").replace("Ё", "Е")


_TATWEEL = "\u0640"
_ARABIC_VARIANTS = str.maketrans("أإآٱؤئى", "اااا\u0648\u064a\u064a")
"""Letters with and without hamza, and the alef maqsura."""


def _without_vowel_signs(text: str) -> str:
    """Remove Arabic and Hebrew vowel signs and the tatweel; a hamza is part of its letter."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        [char for char in composed if char != _TATWEEL and not unicodedata.combining(char)]
    )


_DEFAULT_INFLECTED = frozenset({"ADJ", "ADV", "AUX", "DET", "NOUN", "PRON", "PROPN", "VERB"})


@dataclass(frozen=True, slots=True)
class TypingRules:
    """The table of a language.

    Parameters
    ----------
    language
        Code of the language.
    rare
        Word classes that are no category.
    inflected
        Word classes whose words have forms.
    verb_group
        Word classes of a verb group.
    strip
        Removes the diacritics that make a category of their own; None for no such category.
    fold
        Letters that are variants of others; words that differ in these only are ``ORTH``.
    punctuation
        Whether an edit of punctuation consists of punctuation ``"tokens"``, or its sides differ in
        punctuation ``"characters"``.
    letters
        Characters that are letters of the language, though Unicode says otherwise.
    clitics
        Contracted words.
    relations
        Word classes of dependency relations.
    trust_lemmas
        Whether lemmas of unknown words are trusted where the features differ.
    detail
        Whether types name the feature that differs.
    orth_detail
        Whether they always tell case from spaces.
    close_relatives
        Whether known words at a distance of one letter are misspelled.
    stemmer
        Name of the Snowball stemmer; empty for none.
    pair
        Returns the category of special pairs of words.
    order
        Minimum similarity of words that are reordered and change a little; 0 for the costs of
        letters, None if such edits are no change of order.
    quotation
        Category of edits of quotation marks; empty for none.
    form
        Suffix for another form of a word.
    formless
        Word classes without that suffix.
    morph_otherwise
        Whether one lemma of words that have no forms is ``MORPH``.
    verb_form_across
        Whether one lemma of two classes is ``VERB:FORM`` if the correction is a verb.
    paradigms
        Forms of one pronoun, whatever lemmas the analyzer gives them.
    elided
        Word class and lemma of elided words, whatever the analyzer says.
    alone
        Categories of words that are inserted or deleted alone.
    names
        Names of categories.
    aspect_pairs
        Whether verbs that differ in aspect only are a pair, though their lemmas differ.
    variants
        Whether long and short forms of adjectives are no difference of case.
    contractions
        Words that are contracted, and the contraction.
    """

    language: str = ""
    rare: frozenset[str] = frozenset({"INTJ", "NUM", "SYM", "X"})
    inflected: frozenset[str] = _DEFAULT_INFLECTED
    verb_group: frozenset[str] = frozenset({"PART", "VERB"})
    strip: Strip | None = None
    fold: Mapping[int, int] = field(default_factory=dict)
    punctuation: Literal["tokens", "characters"] = "tokens"
    letters: frozenset[str] = frozenset()
    clitics: frozenset[str] = frozenset()
    relations: Mapping[str, str] = field(default_factory=dict)
    trust_lemmas: bool = False
    detail: bool = False
    orth_detail: bool = False
    close_relatives: bool = False
    stemmer: str = ""
    pair: SpecialPair | None = None
    order: float | None = None
    quotation: str = ""
    form: str = "FORM"
    formless: frozenset[str] = frozenset()
    morph_otherwise: bool = False
    verb_form_across: bool = False
    paradigms: tuple[frozenset[str], ...] = ()
    elided: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    alone: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    aspect_pairs: bool = False
    variants: bool = False
    contractions: Mapping[tuple[str, ...], str] = field(default_factory=dict)

    @property
    def lower(self) -> Lower:
        """Lowercases a word."""
        return lower_for(self.language)


_GERMAN_PRONOUNS = tuple(
    frozenset(forms.split())
    for forms in (
        "ich mich mir meiner",
        "du dich dir",
        "er ihn ihm",
        "sie ihr ihnen",
        "wir uns",
        "ihr euch",
        "wer wen wem",
    )
)

_ROMANCE = TypingRules(verb_group=frozenset({"AUX", "PART", "VERB"}))

_FRENCH_ELISIONS = {
    "l'": ("DET", "le"), "d'": ("ADP", "de"), "qu'": ("SCONJ", "que"), "j'": ("PRON", "je"),
    "m'": ("PRON", "me"), "t'": ("PRON", "te"), "s'": ("PRON", "se"), "n'": ("ADV", "ne"),
    "c'": ("PRON", "ce"), "jusqu'": ("ADP", "jusque"), "lorsqu'": ("SCONJ", "lorsque"),
    "puisqu'": ("SCONJ", "puisque"),
}  # fmt: skip
_ITALIAN_ELISIONS = {
    "l'": ("DET", "il"), "un'": ("DET", "uno"), "d'": ("ADP", "di"), "dell'": ("ADP", "del"),
    "all'": ("ADP", "al"), "dall'": ("ADP", "dal"), "nell'": ("ADP", "nel"),
    "sull'": ("ADP", "sul"), "coll'": ("ADP", "col"), "c'": ("PRON", "ci"),
    "quest'": ("DET", "questo"), "quell'": ("DET", "quello"),
}  # fmt: skip


def _elided(words: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return elided words with either apostrophe."""
    curly = {word.replace("'", "’"): given for word, given in words.items()}
    return {**words, **curly}


_RULES = {
    "de": TypingRules(
        clitics=frozenset({"'s", "´s", "’s"}),
        relations={"svp": "ADP", "ac": "ADP"},
        paradigms=_GERMAN_PRONOUNS,
        verb_form_across=True,
        stemmer="german",
    ),
    "cs": TypingRules(
        rare=frozenset({"SYM", "X"}),
        inflected=(_DEFAULT_INFLECTED | {"NUM"}) - {"DET"},
        verb_group=frozenset({"AUX", "VERB"}),
        strip=without_marks,
        punctuation="characters",
        order=0.0,
        orth_detail=True,
        quotation="QUOTATION",
        form="INFL",
        formless=frozenset({"VERB"}),
        morph_otherwise=True,
        stemmer="czech",
    ),
    "uk": TypingRules(
        rare=frozenset({"INTJ", "SYM", "X"}),
        inflected=_DEFAULT_INFLECTED | {"NUM"},
        punctuation="characters",
        detail=True,
        close_relatives=True,
        letters=frozenset("'’ʼ"),
        pair=ukrainian_pair,
    ),
    "ru": TypingRules(
        rare=frozenset({"INTJ", "SYM", "X"}),
        inflected=frozenset({"ADJ", "ADV", "NOUN", "NUM", "VERB"}),
        strip=_with_plain_yo,
        detail=True,
        aspect_pairs=True,
        variants=True,
        stemmer="russian",
    ),
    "et": TypingRules(
        inflected=_DEFAULT_INFLECTED | {"NUM"},
        verb_group=frozenset({"AUX", "VERB"}),
        trust_lemmas=True,
        order=0.6,
    ),
    "sv": replace(_ROMANCE, stemmer="swedish"),
    "it": replace(
        _ROMANCE, strip=without_marks, stemmer="italian", elided=_elided(_ITALIAN_ELISIONS)
    ),
    "es": replace(_ROMANCE, strip=without_marks, stemmer="spanish"),
    "fr": replace(
        _ROMANCE,
        strip=without_marks,
        stemmer="french",
        contractions={
            ("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des",
        },
        elided=_elided(_FRENCH_ELISIONS),
    ),
    "el": TypingRules(
        strip=_without_accents,
        pair=greek_pair,
        alone={"να": "VERB:FORM", "θα": "VERB:TENSE"},
        names={"ADP": "PREP", "CCONJ": "CONJ", "SCONJ": "CONJ"},
        stemmer="greek",
    ),
    "tr": TypingRules(strip=without_marks, detail=True, stemmer="turkish"),
    "pl": TypingRules(strip=without_marks, stemmer="polish"),
    "ar": TypingRules(strip=_without_vowel_signs, fold=_ARABIC_VARIANTS, stemmer="arabic"),
    "he": TypingRules(strip=_without_vowel_signs),
}  # fmt: skip
"""The languages that differ from the default."""

_STEMMERS = {
    "ca": "catalan", "da": "danish", "eo": "esperanto", "fa": "persian",
    "fi": "finnish", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "lt": "lithuanian", "nb": "norwegian", "nl": "dutch", "nn": "norwegian",
    "pt": "portuguese", "ro": "romanian",
}  # fmt: skip
"""Snowball stemmers of the other languages."""


def rules_for(language: str) -> TypingRules:
    """Return the table of a language; the default for one without a table of its own.

    Examples
    --------
    >>> rules_for("cs").form, rules_for("pl").stemmer
    ('INFL', 'polish')
    """
    rules = _RULES.get(language) or TypingRules(stemmer=_STEMMERS.get(language, ""))
    return replace(rules, language=language)


def order_similarity(rules: TypingRules, options: PackOptions) -> float | None:
    """Return the minimum similarity of reordered words that also change; None if none may."""
    if options.order is None:
        return rules.order
    if options.order == "exact":
        return None
    return 0.0 if rules.order is None else rules.order
