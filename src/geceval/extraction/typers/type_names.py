"""Tables of type names, by which the types of one set are compared with those of another."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache

from geceval.errors import GecevalError
from geceval.formats.inputs import Input

OPERATIONS = frozenset({"M", "R", "U"})

_SETS = {
    "errant-de": """
        PNOUN PROPN
        PNOUN:FORM PROPN:FORM
        CONJ CCONJ
        * X
    """,
    "errant-tr": """
        DA DIACR
        PUNC PUNCT
    """,
    "estgec": """
        WS:CASE WS:CASE
        CASE CASE
        WS WS
        WS WS:*
        NOM:FORM NOM:FORM
        NOM:FORM NOM:FORM:*
        VERB:FORM VERB:FORM:*
        LEX LEX
        LEX LEX:*
        SPELL SPELL:*
        CASE ORTH:CASING
        WS ORTH:WSPACE
        WS:CASE ORTH
        NOM:FORM NOUN:*
        NOM:FORM PROPN:*
        NOM:FORM ADJ:*
        NOM:FORM PRON:*
        NOM:FORM NUM:*
        NOM:FORM DET:*
        VERB:FORM VERB:*
        VERB:FORM AUX:*
        PUNCT PUNCT
        SPELL SPELL
        WO WO*
        LEX *
    """,
    "merrant": """
        VERB:TENSE AUX
        VERB:TENSE AUX:*
    """,
    "ua-gec": """
        Spelling ?:SPELL
        Spelling ?:ORTH*
        Punctuation ?:PUNCT
        G/Case ?:*:CASE
        G/Number ?:*:NUM
        G/Gender ?:*:GENDER
        G/Tense ?:VERB:TENSE
        G/Tense ?:AUX:TENSE
        G/Tense ?:VERB:FORM
        G/Tense ?:AUX:FORM
        G/Aspect ?:*:ASPECT
        G/VerbVoice ?:*:VOICE
        G/Comparison ?:*:DEGREE
        G/Prep ?:ADP
        G/Conjunction ?:CCONJ
        G/Conjunction ?:SCONJ
        G/Particle ?:PART
        G/UngrammaticalStructure ?:*
    """,
}
"""Tables of known sets: their name and, as a pattern, ours."""


class TypeMap:
    """Renames types by the first row of a table whose pattern matches.

    A pattern without an operation matches categories, and the operation stays; one that matches
    the whole type replaces all of it. Types that match no row stay as they are.

    Parameters
    ----------
    rows
        Pairs of a new name and a pattern, with ``*`` and ``?`` as wildcards.
    name
        Name of the table, for signatures.

    Examples
    --------
    >>> names = TypeMap([("Spelling", "?:SPELL"), ("PNOUN", "PROPN")])
    >>> names.rename("R:SPELL"), names.rename("M:PROPN"), names.rename("R:OTHER")
    ('Spelling', 'M:PNOUN', 'R:OTHER')
    """

    def __init__(self, rows: Iterable[tuple[str, str]], *, name: str = "rows") -> None:
        self.rows = tuple(rows)
        self.signature = name
        self.rename = lru_cache(10_000)(self._rename)

    @classmethod
    def load(cls, name: str) -> TypeMap:
        """Return the table of a known set, or read a file with two columns."""
        if name in _SETS:
            lines = _SETS[name].strip().split("\n")
            return cls([(theirs, ours) for theirs, ours in map(str.split, lines)], name=name)
        if not os.path.exists(name) and not os.path.dirname(name):
            known = ", ".join(_SETS)
            raise GecevalError(f"{name}: no such file, and no known set of types ({known})")
        rows = []
        with Input.open(name) as source:
            for number, line in source.numbered_lines():
                if not line.strip() or line.startswith("#"):
                    continue
                columns = line.split("\t") if "\t" in line else line.split()
                if len(columns) != 2 or not all(column.strip() for column in columns):
                    raise source.error(
                        "expected two columns, the name of a type and the type that it stands "
                        "for in geceval",
                        line=number,
                    )
                rows.append((columns[0].strip(), columns[1].strip()))
            if not rows:
                raise source.error("the table of types is empty")
        digest = hashlib.sha256(repr(rows).encode()).hexdigest()
        return cls(rows, name=digest[:8])

    def _rename(self, type: str) -> str:
        operation, colon, category = type.partition(":")
        if operation not in OPERATIONS or not colon:
            operation, category = "", type
        for theirs, ours in self.rows:
            if fnmatchcase(category, ours):
                return f"{operation}:{theirs}" if operation else theirs
            if fnmatchcase(type, ours):
                return theirs
        return type
