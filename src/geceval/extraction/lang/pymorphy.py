"""Russian and Ukrainian by pymorphy3, word by word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from geceval.extraction.lang.analysis import Analysis, Text, tokens_of
from geceval.extraction.lang.backends import PYMORPHY_RU, PYMORPHY_UK, installed_version
from geceval.extraction.lang.casing import lower_for
from geceval.extraction.lang.typing_rules import rules_for
from geceval.extraction.surface import is_punctuation, is_word
from geceval.model import Tokens
from geceval.text import tokenize, tokens_at

MAX_WORDS = 200_000
"""Number of words of which the reading is cached."""

_CLASSES = {
    "NOUN": "NOUN", "ADJF": "ADJ", "ADJS": "ADJ", "COMP": "ADJ", "VERB": "VERB", "INFN": "VERB",
    "PRTF": "VERB", "PRTS": "VERB", "GRND": "VERB", "NUMR": "NUM", "ADVB": "ADV", "NPRO": "PRON",
    "PRED": "ADV", "PREP": "ADP", "CONJ": "CCONJ", "PRCL": "PART", "INTJ": "INTJ",
}  # fmt: skip
_ORDER = (
    "ADP", "CCONJ", "SCONJ", "PART", "PRON", "DET", "NUM", "ADV", "AUX", "VERB", "ADJ", "NOUN",
)  # fmt: skip
"""Closed classes before open ones; abbreviations and names last."""

_LAST = {"Abbr", "Name", "Surn", "Patr", "Geox", "Orgn", "Trad", "Init"}
_COPULAS = frozenset({"быть", "бути"})
_FEATURES = {
    "nomn": "Case=Nom", "gent": "Case=Gen", "gen2": "Case=Gen", "datv": "Case=Dat",
    "accs": "Case=Acc", "ablt": "Case=Ins", "loct": "Case=Loc", "loc2": "Case=Loc",
    "voct": "Case=Voc", "masc": "Gender=Masc", "femn": "Gender=Fem", "neut": "Gender=Neut",
    "sing": "Number=Sing", "plur": "Number=Plur", "impf": "Aspect=Imp", "perf": "Aspect=Perf",
    "past": "Tense=Past", "pres": "Tense=Pres", "futr": "Tense=Fut", "indc": "Mood=Ind",
    "impr": "Mood=Imp", "1per": "Person=1", "2per": "Person=2", "3per": "Person=3",
    "actv": "Voice=Act", "pssv": "Voice=Pass", "Supr": "Degree=Sup", "Cmp2": "Degree=Cmp",
    "COMP": "Degree=Cmp", "Refl": "Reflex=Yes", "ADJS": "Variant=Short", "INFN": "VerbForm=Inf",
    "PRTF": "VerbForm=Part", "PRTS": "VerbForm=Part|Variant=Short", "GRND": "VerbForm=Conv",
    "VERB": "VerbForm=Fin",
}  # fmt: skip
_APOSTROPHES = str.maketrans("’ʼ", "''")


class PymorphyReading(NamedTuple):
    """The reading of a word that is used."""

    tag: str
    pos: str
    lemma: str
    feats: str
    is_known: bool


class PymorphyAnalyzer:
    """An analyzer that looks each word up, without context.

    Parameters
    ----------
    language
        ``"ru"`` or ``"uk"``.
    """

    kind = ""

    def __init__(self, language: str) -> None:
        backend = PYMORPHY_UK if language == "uk" else PYMORPHY_RU
        backend.check()
        import pymorphy3

        self._language = language
        self._letters = rules_for(language).letters
        self.lower = lower_for(language)
        dictionary = f"pymorphy3-dicts-{language}"
        self.signature = (
            f"pymorphy3-{installed_version('pymorphy3')}+{dictionary}-"
            f"{installed_version(dictionary)}"
        )
        self._morph = pymorphy3.MorphAnalyzer(lang=language)
        self._reading = lru_cache(MAX_WORDS)(self._look_up)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the language."""
        return PymorphyAnalyzer, (self._language,)

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        return [self._analysis(tokens_of(sentence)) for sentence in sentences]

    def tokenize(self, text: str) -> Tokens:
        """Tokenize raw text by rules."""
        return tokens_at(text, tokenize(text))

    def _analysis(self, tokens: Tokens) -> Analysis:
        readings = list(map(self._reading, tokens))
        return Analysis(
            tokens,
            tuple([reading.tag for reading in readings]),
            tuple([reading.pos for reading in readings]),
            tuple([reading.lemma for reading in readings]),
            tuple(range(len(tokens))),
            ("",) * len(tokens),
            feats=tuple([reading.feats for reading in readings]),
            known=tuple([reading.is_known for reading in readings]),
            lower=self.lower,
        )

    def _look_up(self, token: str) -> PymorphyReading:
        if is_punctuation(token):
            return PymorphyReading("", "PUNCT", token, "", True)
        word = token.translate(_APOSTROPHES)
        is_name = token[:1].isupper()
        # The readings come most likely first, and `min` takes the first of the best.
        best = min(
            self._morph.parse(word),
            key=lambda parse: _rank(parse.tag.grammemes, _class(parse), is_name=is_name),
        )
        pos = _class(best)
        if pos == "PROPN" and not is_name:
            pos = "NOUN"
        return PymorphyReading(
            str(best.tag),
            pos,
            best.normal_form,
            _features(best.tag.grammemes),
            not is_word(token, self._letters) or self._morph.word_is_known(word),
        )


def _class(parse: Any) -> str:
    """Return the universal word class of a reading."""
    grammemes = parse.tag.grammemes
    pos = parse.tag.POS
    if pos is None:
        return "NUM" if "NUMB" in grammemes or "ROMN" in grammemes else "X"
    if pos == "VERB" and parse.normal_form in _COPULAS:
        return "AUX"
    if pos == "CONJ" and "subord" in grammemes:
        return "SCONJ"
    if pos == "ADJF" and "Apro" in grammemes:
        return "DET"
    if pos == "NOUN" and not _LAST.isdisjoint(grammemes) and "Abbr" not in grammemes:
        return "PROPN"
    return _CLASSES.get(pos, "X")


def _rank(grammemes: Iterable[str], pos: str, *, is_name: bool) -> tuple[bool, int]:
    """Return the order of preference: names last, or at all only for capitalized words."""
    is_last = not _LAST.isdisjoint(grammemes)
    place = _ORDER.index(pos) if pos in _ORDER else len(_ORDER)
    return is_last and not is_name, place + (100 if is_last else 0)


def _features(grammemes: Iterable[str]) -> str:
    found = {
        part for grammeme in grammemes for part in _FEATURES.get(grammeme, "").split("|") if part
    }
    if any(part.startswith("Gender=") for part in found) and "Number=Plur" not in found:
        found.add("Number=Sing")
    return "|".join(sorted(found))
