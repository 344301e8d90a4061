"""Tokenizers by language, for raw text; `geceval.text.tokenize` is the English one.

They follow Universal Dependencies where its treebanks agree, and change no character. Text that is
tokenized already is never given to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from geceval.text import Spans, Tokenizer, attach_marks, split_sentences, tokenize

_ADDRESS = r"(?:https?://|www\.)\S*[\w/] | [\w.+-]{1,64}@[\w-]+\.[\w.-]*\w"
_NUMBER = r"\d++(?:-[^\W\d_]++)+ | \d+(?:[.,:/٫٬]\d+)*[%٪]?(?!\w)"
_INITIALS = r"(?:[^\W\d_]\.){2,}"
_RUNS = r"\.{2,} | -{2,} | ['’`]{2}"


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What differs from language to language.

    Parameters
    ----------
    first
        Patterns that are tried before the common ones.
    abbreviations
        Abbreviations without their final period.
    joins
        Characters that join two parts of a word.
    has_ordinals
        Whether a number with a period is an ordinal, as in ``3. Mai``.
    """

    first: tuple[str, ...] = ()
    abbreviations: str = ""
    joins: str = "-–'’ʼ"
    has_ordinals: bool = False

    def pattern(self) -> re.Pattern[str]:
        """Return the pattern of a token."""
        short = "|".join(map(re.escape, self.abbreviations.split()))
        parts = (
            _ADDRESS,
            *self.first,
            *([rf"(?<![\w.]){_ORDINAL}"] if self.has_ordinals else []),
            _NUMBER,
            _INITIALS,
            *([rf"(?:{short})\.(?!\w)"] if short else []),
            rf"\w+(?:[{self.joins}]\w+)*",
            _RUNS,
            r"\S",
        )
        return re.compile(" | ".join(parts), re.VERBOSE | re.IGNORECASE)


_ORDINAL = r"\d{1,3}\.(?=\s+[^\W\d_]|[-–]\d)"
_AFTER_HYPHEN = r"(?<=\d\.[-–])\d{1,3}\."
"""The second ordinal of a range, as in ``1.-3.``"""

# Words whose last letters are left out before a vowel: the apostrophe ends a token.
_FR_ELIDED = r"(?<!\w)(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|presqu|entr)['’](?=\w)"
_FR_WHOLE = r"(?<!\w)(?:aujourd['’]hui|presqu['’](?:île|ile)s?|quelqu['’]une?|prud['’]hom\w+)(?!\w)"
_FR_PRONOUN = (
    r"-(?:t-)?(?:ce|ils?|elles?|on|je|tu|nous|vous|moi|toi|lui|leur|les?|la|y|en)(?![\w'’])"
)

_FRENCH = TokenRules(
    first=(
        _FR_WHOLE,
        _FR_ELIDED,
        r"(?<!\w)(?:rendez-vous|vis-à-vis|peut-être|(?:celle?|ceux|celui|celles)-(?:ci|là))(?!\w)",
        rf"(?<=\w){_FR_PRONOUN}",
        rf"[^\W\d_]\w*+(?:[-–](?!{_FR_PRONOUN[1:]})\w++)*+(?={_FR_PRONOUN})",
    ),
    abbreviations="M MM Mme Mlle Dr Pr etc cf p ex av apr",
)
_ITALIAN = TokenRules(
    first=(r"[^\W\d_]++['’](?=\w)", r"(?<!\w)(?:po|mo|di|fa|va|sta|da|be|to)['’](?!\w)"),
    abbreviations="sig sigg dott prof ecc es pag n avv ing",
    joins="-–",
)
_CATALAN = TokenRules(
    first=(r"(?<!\w)[dlmnst]['’](?=\w)",),
    abbreviations="Sr Sra Dr Dra etc pàg núm",
    joins="-–·'’",
)
_SPANISH = TokenRules(abbreviations="Sr Sra Srta Dr Dra D Dª etc pág núm Ud Uds EE UU")
_PORTUGUESE = TokenRules(
    first=(r"(?<!\w)(?:d|n|pel|daquel|naquel)['’](?=\w)",),
    abbreviations="Sr Sra Dr Dra etc pág prof",
)
_UKRAINIAN = TokenRules(abbreviations="ім вул грн див св проф тис млн млрд напр")
_RUSSIAN = TokenRules(abbreviations="ул руб см проф тыс млн млрд напр им акад")
_GERMAN = TokenRules(
    first=(
        r"[^\W\d_]++(?=['’´`]s(?!\w)) | (?<=[^\W\d_])['’´`]s(?!\w)",  # geht|'s
        r"(?<![\w'’´`])['’´`]s(?=\s+\w)",  # 's| war
        r"(?<!\w)[bdiosuvz]\.(?=\s[aäbdghorstu]\.)",  # z.| B.
        r"(?<=(?<!\w)[bdiosuvz]\.\s)[aäbdghorstu]\.",
        r"(?<![\w'’‚‘])[^\W\d_]++(?<=[sßxz])['’](?=\s+\w)",  # Hans' Haus
    ),
    abbreviations="Hr Fr Dr Prof Nr Str St bzw usw ca vgl evtl ggf etc Jh Mio Mrd Abs Bd Tel "
    "inkl max min bes sog Hrsg",
    joins="-–'’",
    has_ordinals=True,
)
_GREEK = TokenRules(
    first=(r"(?<!\w)[όοὅ],τι(?!\w)", r"(?<!\w)[^\W\d_]{1,6}['’᾽](?=\s*[^\W\d_])"),
    abbreviations="κ κα κος π.χ μ.μ π.μ κ.λπ δηλ σελ αρ βλ",
    joins="-–",
)
_TURKISH = TokenRules(
    first=(r"\d+(?:[.,:]\d+)*['’][^\W\d_]+",),
    abbreviations="Dr Prof Doç Av vb vs bkz örn s Sn",
    has_ordinals=True,
)
_COLON = r"\w++:[^\W\d_]++(?!\w)"
_SWEDISH = TokenRules(
    first=(_COLON, r"(?:[^\W\d_]{1,3}\.){2,}"),
    abbreviations="kl nr ca resp etc dvs osv jfr st tel ung bl",
)
_ESTONIAN = TokenRules(
    first=(_AFTER_HYPHEN, r"\d+[^\W\d_]\w*"),
    abbreviations="nr lk jne vt st dr prof sh nt jm tn",
    has_ordinals=True,
)
_FINNISH = TokenRules(
    first=(_AFTER_HYPHEN, _COLON, r"\d+[^\W\d_]\w*"),
    abbreviations="esim ks mm ns nro prof tri s klo jne",
    has_ordinals=True,
)
_WITH_ORDINALS = TokenRules(first=(_AFTER_HYPHEN,), has_ordinals=True)
_CZECH = TokenRules(
    first=(_AFTER_HYPHEN,),
    abbreviations="např atd apod tzv č str tj resp ing dr mgr prof",
    has_ordinals=True,
)
_HEBREW = TokenRules(joins="-–'’\"״׳")
_OTHER = TokenRules()

_RULES = {
    "ca": _CATALAN, "cs": _CZECH, "de": _GERMAN, "el": _GREEK, "es": _SPANISH, "et": _ESTONIAN,
    "fi": _FINNISH, "fr": _FRENCH, "he": _HEBREW, "it": _ITALIAN, "pt": _PORTUGUESE,
    "ru": _RUSSIAN, "sv": _SWEDISH, "tr": _TURKISH, "uk": _UKRAINIAN,
    **dict.fromkeys(("az",), _TURKISH),
    **dict.fromkeys(("be", "bg"), _RUSSIAN),
    **dict.fromkeys(("da", "hr", "hu", "is", "lb", "lt", "lv", "nb", "nn", "no", "pl", "sk", "sl",
                     "sr", "hbs"), _WITH_ORDINALS),
}  # fmt: skip

_BY_CHARACTER = frozenset({"zh", "ja", "th", "km", "lo", "my"})
"""Languages without spaces between words."""

_ENGLISH = frozenset({"", "en", "plain", "universal", "light"})
"""English, and packs of any language."""

_LATIN = r"(?:(?![^\x00-\u02ff])\w)+"
_CHARACTER = re.compile(rf"{_ADDRESS} | {_LATIN}(?:[-.,:'’]{_LATIN})* | \.{{2,}} | \S", re.VERBOSE)


@cache
def tokenizer_for(lang: str | None) -> Tokenizer:
    """Return the tokenizer of a language, by its code.

    Languages without rules of their own have common ones. English and what is no language
    (``"plain"``, None) have `geceval.text.tokenize`.

    Examples
    --------
    >>> text = "L'homme qu'il voit, est-ce vrai ?"
    >>> [text[start:end] for start, end in tokenizer_for("fr")(text)]
    ["L'", 'homme', "qu'", 'il', 'voit', ',', 'est', '-ce', 'vrai', '?']
    """
    code = _code(lang)
    if code in _ENGLISH:
        return tokenize
    pattern = _CHARACTER if code in _BY_CHARACTER else _RULES.get(code, _OTHER).pattern()
    return partial(_tokenize, pattern=pattern)


_AFTER_ORDINAL = re.compile(
    r"""
    (?: Jan | Jän | Feb | Mär | Apr | Mai | Jun | Jul | Aug | Sep | Okt | Nov | Dez
    | Jahr | Jh | Tag | Woche | Monat | Klasse | Schul | Stock | Etage | Platz | Mal\b | Rang
    | Weltkrieg | Reich | Kapitel | Semester | Stunde | Runde | Lebensjahr | Geburtstag | Quartal
    | Liga | Auflage | Bezirk | Halbzeit | Minute | Kilometer | Advent | Teil | Lektion | Generation
    | Mai\b | Ocak | Şub | Mart\b | Nis | Hazi | Tem | Ağu | Eyl | Eki | Kas | Ara )
    """,
    re.VERBOSE,
)
"""Months and other nouns with a capital that follow ordinals, in German and Turkish."""


@cache
def splitter_for(lang: str | None) -> Callable[[str], Spans]:
    """Return the function that splits text of a language into sentences.

    Where numbers with a period are ordinals, they do not end a sentence before a month or the like.

    Examples
    --------
    >>> text = "Er kam am 3. Mai. Es regnete."
    >>> [text[start:end] for start, end in splitter_for("de")(text)]
    ['Er kam am 3. Mai.', 'Es regnete.']
    """
    if not _RULES.get(_code(lang), _OTHER).has_ordinals:
        return split_sentences
    return partial(split_sentences, after_ordinal=_AFTER_ORDINAL)


def _code(lang: str | None) -> str:
    return (lang or "").casefold().partition("-")[0].partition("_")[0]


def _tokenize(text: str, *, pattern: re.Pattern[str]) -> Spans:
    return attach_marks(text, partial(_spans, pattern=pattern))


def _spans(text: str, *, pattern: re.Pattern[str]) -> Spans:
    return tuple(match.span() for match in pattern.finditer(text))


def has_rules(lang: str) -> bool:
    """Whether there are rules for the tokens of a language.

    Examples
    --------
    >>> has_rules("de"), has_rules("th"), has_rules("plain")
    (True, True, False)
    """
    return _code(lang) not in _ENGLISH
