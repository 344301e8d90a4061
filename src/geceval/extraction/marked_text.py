"""Edits of a sentence that show themselves, also in notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from geceval.model import Edit, Tokens, in_order
from geceval.visible import as_html, visible

_COLORS = {"M": "#2e7d32", "U": "#c62828", "R": "#1565c0"}
"""Colors of missing, unnecessary and replaced words."""


class Edits(tuple[Edit, ...]):  # noqa: SLOT001 - tuples cannot have slots
    """The edits of a sentence, as a tuple that also knows the sentence.

    Parameters
    ----------
    source, corrected
        Tokens of both sentences.
    edits
        The edits that transform one into the other.

    Examples
    --------
    >>> import geceval
    >>> edits = geceval.annotate("I lik it", "I like it", lang="plain")
    >>> print(edits)
    I {lik → like R:SPELL} it
    >>> edits[0].type
    'R:SPELL'
    """

    source: Tokens
    corrected: Tokens

    def __new__(cls, source: Tokens, corrected: Tokens, edits: Iterable[Edit]) -> Self:
        """Create the edits of a sentence."""
        found = super().__new__(cls, in_order(edits))
        found.source, found.corrected = source, corrected
        return found

    def __reduce__(self) -> tuple[type[Self], tuple[Tokens, Tokens, tuple[Edit, ...]]]:
        """Copy and pickle the sentence, too."""
        return type(self), (self.source, self.corrected, tuple(self))

    def __str__(self) -> str:
        pieces: list[str] = []
        position = 0
        for edit in self:
            pieces += self.source[position : edit.start]
            old, new = self._sides(edit)
            pieces.append(f"{{{old or '∅'} → {new or '∅'} {edit.type}}}".replace(" }", "}"))
            position = edit.end
        return visible(" ".join([*pieces, *self.source[position:]]))

    def _sides(self, edit: Edit) -> tuple[str, str]:
        return " ".join(self.source[edit.start : edit.end]), " ".join(edit.correction)

    def _repr_html_(self) -> str:
        pieces: list[str] = []
        position = 0
        for edit in self:
            pieces += map(as_html, self.source[position : edit.start])
            old, new = self._sides(edit)
            operation = "R" if old and new else "M" if new else "U"
            pieces.append(
                f'<span style="color:{_COLORS[operation]}" title="{as_html(edit.type)}">'
                + (f"<del>{as_html(old)}</del> " if old else "")
                + (f"<ins>{as_html(new)}</ins> " if new else "")
                + f"<sub>{as_html(edit.type)}</sub></span>"
            )
            position = edit.end
        return f"<p>{' '.join([*pieces, *map(as_html, self.source[position:])])}</p>"


class EditsList(list[Edits]):
    """The edits of several sentences."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return "".join(edits._repr_html_() for edits in self)
