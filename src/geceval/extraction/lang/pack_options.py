"""Options of language packs: what they read, and how they name types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

TypeNames: TypeAlias = Literal["universal", "errant"]
"""Names of word classes: those of Universal Dependencies, or ERRANT's."""

Order: TypeAlias = Literal["exact", "similar"]
"""Words that are only reordered, or that also change a little."""


@dataclass(frozen=True, slots=True)
class PackOptions:
    """Options of language packs.

    Parameters
    ----------
    analyses
        CoNLL-U files with analyses, which sentences are looked up in.
    split_multiword
        Whether the words of multiword tokens are the tokens.
    dictionary
        Hunspell dictionary (a path with or without ``.dic``), ``"simplemma"`` or ``"none"``; that
        of the analyzer when None.
    compounds
        Whether a Hunspell dictionary may form compounds.
    detail
        Whether types name the feature that differs; as usual for the language when None.
    names
        ``"errant"`` for ERRANT's names of word classes.
    order
        ``"similar"`` if reordered words may also change a little; as usual for the language when
        None.
    map
        Table of type names: a file with two columns, or the name of a known set.
    """

    analyses: tuple[str, ...] = ()
    split_multiword: bool = False
    dictionary: str | None = None
    compounds: bool = False
    detail: bool | None = None
    names: TypeNames = "universal"
    order: Order | None = None
    map: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """Files that are read."""
        base = (self.dictionary or "").removesuffix(".dic").removesuffix(".aff")
        return (
            *self.analyses,
            *((f"{base}.dic", f"{base}.aff") if base else ()),
            *(() if self.map is None else (self.map,)),
        )
