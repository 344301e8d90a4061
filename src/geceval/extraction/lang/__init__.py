"""Language packs: the analyzer and the default typer of a language.

``en`` is English, ``universal`` any language with a spaCy pipeline, ``plain`` any language at all,
without a model. The packs of other languages share one set of typing rules, and differ in what
can analyze them.
"""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass

from geceval.errors import GecevalError, UnknownNameError
from geceval.extraction.lang.analysis import Analysis, Analyzer, AnalyzerKind, Notify
from geceval.extraction.lang.backends import (
    CHINESE,
    HANTA,
    LIGHT,
    PLAIN,
    PYMORPHY_RU,
    PYMORPHY_UK,
    LanguageBackend,
)
from geceval.extraction.lang.pack_options import PackOptions

__all__ = [
    "Analysis",
    "Analyzer",
    "AnalyzerKind",
    "LanguagePack",
    "Notify",
    "PackOptions",
    "get_pack",
    "has_alternatives",
    "pack_names",
]


@dataclass(frozen=True, slots=True)
class LanguagePack:
    """The analyzer and the default typer of a language.

    Parameters
    ----------
    name
        Name of the pack; for a language, its code.
    typer
        Name of the default typer.
    module
        Module of this package with the function ``load_analyzer``, imported on first use; empty
        to load the first installed of the `backends`.
    title
        Name of the language.
    backends
        What can analyze the language, the best first.
    annotator
        Class that replaces `geceval.extraction.annotator.Annotator`, as ``module:Class`` of this
        package; empty for none.
    """

    name: str
    typer: str
    module: str = ""
    title: str = ""
    backends: tuple[LanguageBackend, ...] = ()
    annotator: str = ""

    @property
    def has_alternatives(self) -> bool:
        """Whether sentences may have several alignments, which only some formats represent."""
        return bool(self.annotator)

    @property
    def backend(self) -> LanguageBackend:
        """The first of the backends that is installed."""
        return next(one for one in self.backends if one.is_installed)

    def analyzer(
        self,
        model: str | None = None,
        *,
        kind: AnalyzerKind = "fast",
        notify: Notify | None = None,
        options: PackOptions | None = None,
    ) -> Analyzer:
        """Load the analyzer.

        Parameters
        ----------
        model
            Name of a backend, or package name or path of a spaCy pipeline; None for the default
            of the pack.
        kind
            Implementation that runs the model, where the pack has a choice.
        notify
            Function to call if another implementation has to be used; None for a
            `GecevalWarning`.
        options
            Files that replace or complement the model.
        """
        options = PackOptions() if options is None else options
        if self.module and not options.analyses:
            if options.dictionary is not None:
                raise GecevalError(f"the language {self.name!r} takes no dictionary")
            module = importlib.import_module(f"{__name__}.{self.module}")
            analyzer: Analyzer = module.load_analyzer(model, kind=kind, notify=notify)
            return analyzer
        from geceval.extraction.lang.backend_loading import load_backend

        return load_backend(self, model, options, kind=kind, notify=notify)


_TITLES = {
    "ar": "Arabic", "ast": "Asturian", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech",
    "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "enm": "Middle English",
    "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "ga": "Irish", "gd": "Scottish Gaelic", "gl": "Galician",
    "grc": "Ancient Greek", "gv": "Manx", "hbs": "Serbo-Croatian", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian",
    "ka": "Georgian", "la": "Latin", "lb": "Luxembourgish", "lt": "Lithuanian", "lv": "Latvian",
    "mk": "Macedonian", "ml": "Malayalam", "ms": "Malay", "nb": "Norwegian Bokmål", "nl": "Dutch",
    "nn": "Norwegian Nynorsk", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "se": "Northern Sami", "sk": "Slovak", "sl": "Slovene", "sq": "Albanian",
    "sv": "Swedish", "sw": "Swahili", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian",
}  # fmt: skip
"""Languages that simplemma knows the words of, except English."""

_WITHOUT_WORDS = {
    "ja": "Japanese", "km": "Khmer", "ko": "Korean", "lo": "Lao", "my": "Burmese", "th": "Thai",
}  # fmt: skip
"""Languages that it does not know; all but Korean are written without spaces."""

_TAGGERS: dict[str, tuple[LanguageBackend, ...]] = {
    "de": (HANTA,),
    "ru": (PYMORPHY_RU,),
    "uk": (PYMORPHY_UK,),
}

_PACKS = {
    "en": LanguagePack("en", "errant", "en.analyzer", "English"),
    "universal": LanguagePack(
        "universal", "universal", "universal", "any language with a spaCy pipeline"
    ),
    "plain": LanguagePack("plain", "plain", "plain", "any language, by letters"),
    "zh": LanguagePack(
        "zh", "chinese", "zh.chinese", "Chinese", (CHINESE,), "zh.chinese:ChineseAnnotator"
    ),
    "light": LanguagePack("light", "rules", "", "any language that simplemma knows", (LIGHT,)),
    **{
        code: LanguagePack(
            code, "rules", title=title, backends=(*_TAGGERS.get(code, ()), LIGHT, PLAIN)
        )
        for code, title in _TITLES.items()
    },
    **{
        code: LanguagePack(code, "rules", title=title, backends=(PLAIN,))
        for code, title in _WITHOUT_WORDS.items()
    },
}


def pack_names() -> list[str]:
    """Return the names of all packs."""
    return list(_PACKS)


def _remedy(name: str) -> str:
    """Suggest a pack for an unknown name; variants of a language (``en-US``) mean the language."""
    code = name.lower().replace("_", "-").partition("-")[0]
    if code in _PACKS:
        return f"did you mean {code!r}?"
    titles = {pack.title.lower(): pack.name for pack in _PACKS.values()}
    if close := difflib.get_close_matches(name.lower(), titles, n=1, cutoff=0.8):
        return f"did you mean {titles[close[0]]!r}?"
    special = ["universal", "plain", "light"]
    if close := difflib.get_close_matches(name.lower(), special, n=1, cutoff=0.7):
        return f"did you mean {close[0]!r}?"
    return (
        "for a language that has no pack take 'universal' with a spaCy pipeline as the model or "
        "with --analyses, a CoNLL-U file of any parser, or 'plain', which needs no model; "
        "'geceval lang' lists the packs"
    )


def get_pack(name: str) -> LanguagePack:
    """Return a language pack by name, without loading a model.

    Examples
    --------
    >>> get_pack("en").typer
    'errant'
    >>> get_pack("de").title
    'German'
    """
    pack = _PACKS.get(name.casefold())
    if pack is None:
        raise UnknownNameError("language", name, (), remedy=_remedy(name))
    return pack


def has_alternatives(name: str) -> bool:
    """Whether a language has several alignments of a sentence, and no spaces between its tokens.

    A name without a pack has none: some metrics know other languages.

    Examples
    --------
    >>> has_alternatives("zh"), has_alternatives("en-GB")
    (True, False)
    """
    pack = _PACKS.get(name.casefold())
    return pack is not None and pack.has_alternatives
