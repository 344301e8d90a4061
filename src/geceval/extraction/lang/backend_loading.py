"""Load what analyzes a language: a backend by name, a spaCy pipeline, or CoNLL-U files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analyzer, AnalyzerKind, Notify
from geceval.extraction.lang.backends import LIGHT
from geceval.extraction.lang.casing import lower_for
from geceval.extraction.lang.pack_options import PackOptions
from geceval.extraction.lang.typing_rules import rules_for

if TYPE_CHECKING:
    from geceval.extraction.lang import LanguagePack
    from geceval.extraction.lang.dictionaries import Dictionary


def load_backend(
    pack: LanguagePack,
    model: str | None,
    options: PackOptions,
    *,
    kind: AnalyzerKind = "fast",
    notify: Notify | None = None,
) -> Analyzer:
    """Load the analyzer of a language pack.

    Parameters
    ----------
    pack
        The language pack.
    model
        Name of a backend, or package name or path of a spaCy pipeline; by default, the first
        backend that is installed, or only the files of analyses.
    options
        Files that replace or complement the model.
    kind, notify
        See `LanguagePack.analyzer`.
    """
    language = pack.name
    if pack.name == "light":
        language, model = _light_language(model, options)
    fallback: Analyzer | None = None
    if not options.analyses or model is not None:
        fallback = _model(pack, language, model, kind=kind, notify=notify)
        if not options.analyses:
            return _with_dictionary(fallback, language, options)
    from geceval.extraction.lang.conllu import ConlluAnalyzer

    analyzer = ConlluAnalyzer(
        options.analyses,
        split_multiword=options.split_multiword,
        lower=lower_for(language),
        fallback=fallback and _with_dictionary(fallback, language, PackOptions()),
        notify=notify,
    )
    # Files may say themselves which words are known.
    if options.dictionary is None:
        return analyzer
    return _with_dictionary(analyzer, language, options)


def _light_language(model: str | None, options: PackOptions) -> tuple[str, str | None]:
    """Return the language of the pack ``light``, which is named like a model, and its backend."""
    from geceval.extraction.lang import get_pack

    if model is None:
        if options.analyses:
            return "", "plain"
        raise GecevalError(
            "the language 'light' needs the code of a language as its model, such as --model de"
        )
    return get_pack(model).name, "light"


def _model(
    pack: LanguagePack,
    language: str,
    model: str | None,
    *,
    kind: AnalyzerKind,
    notify: Notify | None,
) -> Analyzer:
    """Load a backend or a spaCy pipeline."""
    names = [backend.name for backend in pack.backends]
    if model is None:
        model = pack.backend.name
        _say_what_is_better(pack, notify)
    if model == "light":
        from geceval.extraction.lang.light import LightAnalyzer

        return LightAnalyzer(language)
    if model == "plain":
        from geceval.extraction.lang.plain import PlainAnalyzer

        return PlainAnalyzer(lower_for(language))
    if model in names and model == "hanta":
        from geceval.extraction.lang.hanta import HantaAnalyzer

        return HantaAnalyzer()
    if model in names and model == "pymorphy3":
        from geceval.extraction.lang.pymorphy import PymorphyAnalyzer

        return PymorphyAnalyzer(language)
    if pack.module:
        return pack.analyzer(model, kind=kind, notify=notify)
    from geceval.extraction.lang.loading import load_pipeline
    from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer

    return SpacyAnalyzer(partial(load_pipeline, model), features=True, lower=lower_for(language))


def _say_what_is_better(pack: LanguagePack, notify: Notify | None) -> None:
    """Tell that types are coarse because the best backend is not installed."""
    best = pack.backends[0]
    if notify is not None and not best.is_installed and best.level != pack.backend.level:
        notify(
            f"{pack.title} is analyzed without a tagger ({pack.backend.name}), so types are "
            f"coarse; for finer ones {best.remedy.partition(', or')[0]}, or give --analyses, a "
            "CoNLL-U file of any parser"
        )


def _with_dictionary(analyzer: Analyzer, language: str, options: PackOptions) -> Analyzer:
    """Add a dictionary, where the user names one or the analyzer has none itself."""
    from geceval.extraction.lang.dictionaries import DictionaryAnalyzer
    from geceval.extraction.lang.plain import PlainAnalyzer
    from geceval.extraction.lang.pymorphy import PymorphyAnalyzer

    if options.dictionary is None and (
        isinstance(analyzer, (PlainAnalyzer, PymorphyAnalyzer)) or not _is_in_simplemma(language)
    ):
        return analyzer
    found = _dictionary(options.dictionary or "simplemma", language, options)
    letters = rules_for(language).letters
    return DictionaryAnalyzer(analyzer, found, lower=lower_for(language), letters=letters)


def _dictionary(name: str, language: str, options: PackOptions) -> Dictionary | None:
    from geceval.extraction.lang.dictionaries import HunspellDictionary, WordList

    if name == "none":
        return None
    if name == "simplemma":
        return WordList(language)
    return HunspellDictionary(name, compounds=options.compounds)


def _is_in_simplemma(language: str) -> bool:
    from geceval.extraction.lang import get_pack, pack_names

    return LIGHT.is_installed and language in pack_names() and LIGHT in get_pack(language).backends
