"""Language packs: what is needed to extract and type edits in a language.

``en`` is English, ``universal`` any language for which there is a spaCy pipeline, ``plain`` any
language at all, without a model.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Protocol

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

_PACKS = {
    "en": "geceval.extraction.lang.en.pack:English",
    "universal": "geceval.extraction.lang.universal:Universal",
    "plain": "geceval.extraction.lang.plain:Plain",
}


class LanguagePack(Protocol):
    """How edits of a language are found and named."""

    @property
    def name(self) -> str:
        """The name by which the pack is asked for."""
        ...

    @property
    def typer(self) -> str:
        """The typer that is used unless another is asked for."""
        ...

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
            A spaCy pipeline, by package name or path; None for that of the pack.
        kind
            What runs it, where the pack has a choice.
        notify
            Is told when another kind has to run it; None for a `GecevalWarning`.
        """
        ...


def pack_names() -> list[str]:
    """Name every pack."""
    return list(_PACKS)


def _remedy(name: str) -> str:
    """Say what to take for a language without a pack; English has one, however it is called."""
    if name.lower().startswith("en"):
        return "did you mean 'en'?"
    if difflib.get_close_matches(name.lower(), ["universal", "plain"], n=1, cutoff=0.7):
        return ""
    return (
        "for a language other than English take 'universal' with a spaCy pipeline as the model, "
        "or 'plain', which needs no model"
    )


def get_pack(name: str) -> LanguagePack:
    """Return a language pack; nothing is loaded before its analyzer is asked for.

    Examples
    --------
    >>> get_pack("en").typer
    'errant'
    """
    target = _PACKS.get(name.casefold())
    if target is None:
        raise UnknownNameError("language", name, _PACKS, remedy=_remedy(name))
    module, _, attribute = target.partition(":")
    pack: LanguagePack = getattr(importlib.import_module(module), attribute)()
    return pack
