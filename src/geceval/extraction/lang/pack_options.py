"""Options of language packs: what they read, and how they name types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

TypeNames: TypeAlias = Literal["universal", "errant"]
"""Names of word classes: those of Universal Dependencies, or ERRANT's."""

Order: TypeAlias = Literal["exact", "similar"]
"""Words that are only reordered, or that also change a little."""

Level: TypeAlias = Literal["char", "word"]
"""What a token of Chinese is."""

LEVELS = get_args(Level)

Alignments: TypeAlias = Literal["first", "all"]
"""Which of the cheapest alignments of Chinese sentences are used."""


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
    level
        Chinese: whether tokens are characters or, for segmented text, words.
    simplify
        Chinese: whether corrections are converted to simplified characters.
    alignments
        Chinese: ``"all"`` to use all cheapest alignments that differ in their edits.
    resources
        Chinese: folder with ``cilin.txt`` and ``confusion_dict.txt``.
    """

    analyses: tuple[str, ...] = ()
    split_multiword: bool = False
    dictionary: str | None = None
    compounds: bool = False
    detail: bool | None = None
    names: TypeNames = "universal"
    order: Order | None = None
    map: str | None = None
    level: Level = "char"
    simplify: bool = True
    alignments: Alignments = "all"
    resources: str | None = None

    @property
    def chinese(self) -> list[str]:
        """Names of the given options that only Chinese has."""
        given = {
            "--level": self.level != "char",
            "--no-simplify": not self.simplify,
            "--alignments": self.alignments != "all",
            "--resources": self.resources is not None,
        }
        return [name for name, is_given in given.items() if is_given]

    @property
    def files(self) -> tuple[str, ...]:
        """Files that are read."""
        base = (self.dictionary or "").removesuffix(".dic").removesuffix(".aff")
        return (
            *self.analyses,
            *((f"{base}.dic", f"{base}.aff") if base else ()),
            *(() if self.map is None else (self.map,)),
        )
