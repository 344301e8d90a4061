"""Language packs: the analyzer and the default typer of a language.

``en`` is English, ``universal`` any language with a spaCy pipeline, ``plain`` any language at all,
without a model.
"""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass

from geceval.errors import UnknownNameError
from geceval.extraction.lang.analysis import Analysis, Analyzer, AnalyzerKind, Notify

__all__ = [
    "Analysis",
    "Analyzer",
    "AnalyzerKind",
    "LanguagePack",
    "Notify",
    "get_pack",
    "pack_names",
]


@dataclass(frozen=True, slots=True)
class LanguagePack:
    """The analyzer and the default typer of a language.

    Parameters
    ----------
    name
        Name of the pack.
    typer
        Name of the default typer.
    module
        Module of this package with the function ``load_analyzer``, imported on first use.
    """

    name: str
    typer: str
    module: str

    def analyzer(
        self,
        model: str | None = None,
        *,
        kind: AnalyzerKind = "fast",
        notify: Notify | None = None,
    ) -> Analyzer:
        """Load the analyzer.

        Parameters
        ----------
        model
            Package name or path of a spaCy pipeline; None for the default of the pack.
        kind
            Implementation that runs the model, where the pack has a choice.
        notify
            Function to call if another implementation has to be used; None for a
            `GecevalWarning`.
        """
        module = importlib.import_module(f"{__name__}.{self.module}")
        analyzer: Analyzer = module.load_analyzer(model, kind=kind, notify=notify)
        return analyzer


_PACKS = {
    "en": LanguagePack("en", "errant", "en.analyzer"),
    "universal": LanguagePack("universal", "universal", "universal"),
    "plain": LanguagePack("plain", "plain", "plain"),
}


def pack_names() -> list[str]:
    """Return the names of all packs."""
    return list(_PACKS)


def _remedy(name: str) -> str:
    """Suggest a pack for an unknown name; variants of English (``en-US``) mean ``en``."""
    if name.lower().startswith("en"):
        return "did you mean 'en'?"
    if difflib.get_close_matches(name.lower(), ["universal", "plain"], n=1, cutoff=0.7):
        return ""
    return (
        "for a language other than English take 'universal' with a spaCy pipeline as the model, "
        "or 'plain', which needs no model"
    )


def get_pack(name: str) -> LanguagePack:
    """Return a language pack by name, without loading a model.

    Examples
    --------
    >>> get_pack("en").typer
    'errant'
    """
    pack = _PACKS.get(name.casefold())
    if pack is None:
        raise UnknownNameError("language", name, _PACKS, remedy=_remedy(name))
    return pack
