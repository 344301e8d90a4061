"""Whether a text is in the language that it is said to be in: by script, and by common words.

A model or the rules of another language would still give edits and types, and wrong ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from statistics import median

from geceval.characters import UNSPACED_SCRIPTS, count_scripts
from geceval.errors import GecevalError
from geceval.formats.findings import Findings
from geceval.validation.pairs import MOST, Issue, Text, of_all

_SCRIPTS = {
    "Arabic": "ar ckb fa ps ug ur", "Armenian": "hy", "Bengali": "as bn", "CJK": "ja yue zh",
    "Cyrillic": "be bg kk ky mk mn ru sr tg tt uk", "Devanagari": "hi mr ne sa",
    "Ethiopic": "am ti", "Georgian": "ka", "Greek": "el grc", "Gujarati": "gu",
    "Gurmukhi": "pa", "Hangul": "ko", "Hebrew": "he yi", "Kannada": "kn", "Khmer": "km",
    "Lao": "lo", "Malayalam": "ml", "Myanmar": "my", "Sinhala": "si", "Tamil": "ta",
    "Telugu": "te", "Thai": "th", "Tibetan": "bo",
    "Latin": "af ast az bs ca cs cy da de en enm eo es et eu fi fr ga gd gl gv hbs hr hu id is it "
    "la lb lt lv ms mt nb nl nn no pl pt ro se sk sl sq sv sw tl tr vi",
}  # fmt: skip
_SCRIPT_OF = {code: script for script, codes in _SCRIPTS.items() for code in codes.split()}
_SEVERAL_SCRIPTS = frozenset({"az", "hbs", "kk", "mn", "sr"})

# Words that are frequent in one language, and not spelled like frequent words of its neighbors.
_COMMON = {
    "bg": "и на да се за от че не са ще това като съм който но",
    "ca": "i de la el que els les per amb una és no al del però",
    "cs": "a se na je že to v jsem s jsou ale jako které jsme byl",
    "da": "og er det at en til på jeg ikke som med af den der har",
    "de": "und der die das ist nicht ich ein eine zu mit den von auch sich dass wir für",
    "en": "the and of to is that it was with are have for be this you they not were",
    "es": "de la que el en y los se las un por con no una para es muy pero",
    "et": "ja on ei et see ma ka oli kui oma ning mis ta minu väga",
    "fi": "ja on ei se että oli hän mutta kun ovat minä myös tai joka niin",
    "fr": "de la le et les des est un une que dans pour pas qui je il sur nous",
    "hu": "a az és hogy nem egy is van volt de ez meg csak vagy már",
    "it": "di che e la il un per non una sono è con del ho mi anche della",
    "nb": "og er det at en til på jeg ikke som med av den var har",
    "nl": "de het een en van is dat in te niet ik op voor zijn met maar ook aan",
    "pl": "i w na się nie że do jest to z jak ale są mnie było",
    "pt": "de que o e a do da em um para com não uma os é mais mas",
    "ro": "și de la în a nu pe că cu o este să din care sunt",
    "ru": "и в не на я что с это он как по но она все мы был",
    "sv": "och att det är jag en som på för inte med av har till den om",
    "tr": "ve bir bu için çok da de ne ama gibi daha ben var olarak",
    "uk": "і в не на що я та до з у це як але є він було",
}
_FREQUENT, _TIMES = 0.1, 3.0
"""Proportion of common words in text of a language, and how many times as many it has as text of
another language."""

_MIN_WORDS = 100
"""Number of words from which on the most common words are meaningful."""

_LONG = {"CJK": 6.0}
_LONG_ELSEWHERE = 12.0
"""Mean number of letters from which on the tokens of a script without spaces are no words; about
half as many where most sentences are one or two tokens."""

_FEW_TOKENS, _SHORTER = 2, 0.6


class LanguageProfile:
    """The scripts and common words of a text.

    Examples
    --------
    >>> LanguageProfile(Text([("Это", "хорошо", "."), ("Да", "!")])).script
    'Cyrillic'
    """

    def __init__(self, text: Text) -> None:
        self._text = text

    @cached_property
    def scripts(self) -> Mapping[str, int]:
        """Number of letters by script."""
        return count_scripts(word * number for word, number in self._text.words.items())

    @cached_property
    def script(self) -> str | None:
        """The script of most letters."""
        total = sum(self.scripts.values())
        script = max(self.scripts, key=self.scripts.__getitem__, default=None)
        return script if script and self.scripts[script] > MOST * total else None

    @cached_property
    def languages(self) -> Mapping[str, float]:
        """Proportion of the words that are common in each language; empty for short texts."""
        words: Counter[str] = Counter()
        for word, number in self._text.words.items():
            if word.isalpha():
                words[word.lower()] += number
        total = words.total()
        if total < _MIN_WORDS:
            return {}
        return {
            code: sum(words[word] for word in common.split()) / total
            for code, common in _COMMON.items()
        }

    def token_length(self, script: str) -> float:
        """Mean number of letters of the tokens that have letters of a script."""
        lengths = {
            word: count_scripts([word])[script] * number
            for word, number in self._text.words.items()
        }
        n_tokens = sum(self._text.words[word] for word, length in lengths.items() if length)
        return sum(lengths.values()) / n_tokens if n_tokens else 0.0


def check_language(text: Text, lang: str) -> Issue | None:
    """Find text whose script, or whose most common words, do not fit its language.

    Examples
    --------
    >>> issue = check_language(Text([("Это", "хорошо", ".")] * 9), "en")
    >>> issue.code, issue.message
    ('language', 'most letters are Cyrillic, but the language is en: set it with --lang ru \
(Russian), uk (Ukrainian), bg (Bulgarian) or mk (Macedonian)')
    """
    code = lang.casefold().partition("-")[0].partition("_")[0]
    expected = _SCRIPT_OF.get(code)
    if expected is None:
        return None
    profile = LanguageProfile(text)
    found = profile.script
    if found is not None and found != expected and code not in _SEVERAL_SCRIPTS:
        # The words of such a script are nothing that a model of another language knows.
        is_unspaced = found in UNSPACED_SCRIPTS
        return Issue(
            "language",
            f"most letters are {_NAMES.get(found, found)}, but the language is {lang}: "
            f"set it with --lang{_hint(found)}",
            severity="error" if is_unspaced else "warning",
        )
    shares = profile.languages
    best = max(shares, key=shares.__getitem__, default=code)
    if code in shares and shares[best] >= max(_FREQUENT, _TIMES * shares[code]):
        return Issue(
            "language",
            f"{100 * shares[best]:.0f} % of the words are common words of the language {best}, and "
            f"{100 * shares[code]:.0f} % of {lang}: set the language with --lang {best}",
            severity="warning",
        )
    return None


_NAMES = {"CJK": "Chinese or Japanese"}

_LIKELY = {
    "Arabic": " ar (Arabic) or fa (Persian)",
    "Cyrillic": " ru (Russian), uk (Ukrainian), bg (Bulgarian) or mk (Macedonian)",
    "Devanagari": " hi (Hindi)",
    "Greek": " el (Greek)",
    "Hebrew": " he (Hebrew)",
}
"""Languages of a script that have packs."""


def _hint(script: str) -> str:
    """Return the code of the only language of a script, or of the likely ones."""
    if script == "CJK":
        return " zh (Chinese), ja (Japanese) or plain (any segmented text)"
    codes = _SCRIPTS.get(script, "").split()
    return f" {codes[0]}" if len(codes) == 1 else _LIKELY.get(script, "")


def check_segmentation(text: Text, *, by: str = "") -> Issue | None:
    """Find text of a script without spaces whose tokens are whole phrases or sentences.

    Parameters
    ----------
    text
        The text.
    by
        The command whose option is the remedy; empty for that which is run.

    Examples
    --------
    >>> check_segmentation(Text([("我今天早上吃了一个苹果。",)])).code
    'unsegmented'
    >>> check_segmentation(Text([("我", "今天", "早上", "吃", "了", "苹果", "。")])) is None
    True
    """
    profile = LanguageProfile(text)
    script = profile.script
    if script not in UNSPACED_SCRIPTS:
        return None
    longest = _LONG.get(script, _LONG_ELSEWHERE)
    if median(filter(None, text.lengths)) <= _FEW_TOKENS:
        longest *= _SHORTER
    if profile.token_length(script) < longest:
        return None
    lines = tuple(
        number
        for number, tokens in enumerate(text.sentences, 1)
        if tokens and sum(map(len, tokens)) >= MIN_LETTERS * len(tokens)
    )
    remedy = (
        f"use {by}--lang zh for Chinese by characters, or separate the tokens with spaces"
        if script == "CJK"
        else f"use {by}--tokenize --lang{_hint(script)} for characters, or separate the tokens "
        "with spaces"
    )
    return Issue(
        "unsegmented",
        f"{of_all(len(lines), len(text.sentences))} are not segmented into words or characters, so "
        f"that a whole sentence counts as one word: {remedy}",
        lines,
    )


MIN_LETTERS = 3
"""Mean length of tokens from which on a sentence may be unsegmented."""


def refuse_unusable(findings: Findings) -> None:
    """Raise an error if text would be taken for something else, and get a plausible score.

    Examples
    --------
    >>> findings = Findings()
    >>> findings.add("unsegmented", "there are no words", severity="error", path="zh.txt", line=1)
    >>> refuse_unusable(findings)
    Traceback (most recent call last):
    geceval.errors.GecevalError: zh.txt, line 1: there are no words
    """
    for finding in findings:
        if finding.code in _UNUSABLE and finding.severity == "error":
            raise GecevalError(str(finding))


_UNUSABLE = frozenset({"unsegmented", "language"})
