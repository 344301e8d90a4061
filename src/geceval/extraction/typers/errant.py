"""ERRANT's English types.

The rules are those of the package ``errant``, called as a library; it needs spaCy's tokens only
for a few attributes, so light tokens with the same attributes take their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.merge import Change

MAX_KNOWN = 20_000
"""How many typed edits are remembered before all are forgotten."""


class ErrantTyper:
    """Types English edits as ``errant`` does.

    An edit whose type was decided by its own words alone is typed once, however often it comes.

    Raises
    ------
    GecevalError
        Where ``errant`` is not installed.
    """

    def __init__(self) -> None:
        try:
            import errant
            from errant.en import classifier
        except ImportError as error:
            raise GecevalError(
                "ERRANT's types need the package errant; install it, or choose the typer "
                "'universal' or 'plain'"
            ) from error
        self._classify: Any = classifier.classify
        with _SPEEDING_UP:
            _speed_up(classifier.stemmer)
        self.signature = f"errant-{errant.__version__}"
        self._known: dict[tuple[Any, ...], str] = {}

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Name the type of an edit."""
        start, end, first, last, _ = change
        # Everything that light tokens show of themselves; and the spaces of raw text.
        key = (
            source.spaces and source.spaces[start:end],
            target.spaces and target.spaces[first:last],
            source.tokens[start:end],
            source.tags[start:end],
            source.pos[start:end],
            source.lemmas[start:end],
            source.labels[start:end],
            target.tokens[first:last],
            target.tags[first:last],
            target.pos[first:last],
            target.lemmas[first:last],
            target.labels[first:last],
        )
        known = self._known.get(key)
        if known is not None:
            return known
        sides = _Sentence(source), _Sentence(target)
        edit = _Edit(
            sides[0].tokens(start, end),
            source.text(start, end),
            sides[1].tokens(first, last),
            target.text(first, last),
        )
        try:
            self._classify(edit)
        except KeyError as error:
            raise GecevalError(
                f"ERRANT's types need an English model with Penn Treebank tags, without {error}"
            ) from error
        if not any(side.was_read_beyond for side in sides):
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = edit.type
        return edit.type


_SPEEDING_UP = Lock()


def _speed_up(stemmer: Any) -> None:
    """Let the stemmer remember words, and let it read its rules before threads come."""
    if not hasattr(stemmer.stem, "cache_info"):
        stemmer.stem("words")
        stemmer.stem = lru_cache(MAX_KNOWN)(stemmer.stem)


@cache
def _pos_number(name: str) -> int:
    """Return spaCy's number of a universal part of speech."""
    from spacy.symbols import IDS

    number: int = IDS[name]
    return number


class _Edit:
    """An edit as ERRANT's rules want it; they set its type."""

    def __init__(
        self, before: Sequence[_Token], before_text: str, after: Sequence[_Token], after_text: str
    ) -> None:
        self.o_toks = before
        self.c_toks = after
        self.o_str = before_text
        self.c_str = after_text
        self.type = ""


class _Sentence:
    """A sentence that gives light tokens and notes who looks beyond the edit."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.was_read_beyond = False

    def tokens(self, start: int, end: int) -> list[_Token]:
        return [_Token(self, place) for place in range(start, end)]


class _Token:
    """The attributes of a spaCy token that ERRANT's rules read."""

    __slots__ = ("_place", "_sentence", "dep_", "lemma", "lower", "lower_", "pos", "tag_", "text")

    def __init__(self, sentence: _Sentence, place: int) -> None:
        analysis = sentence.analysis
        self._sentence = sentence
        self._place = place
        self.text = analysis.tokens[place]
        # Forms and lemmas are only compared with each other: their strings do for numbers.
        self.lower = self.lower_ = self.text.lower()
        self.tag_ = analysis.tags[place]
        self.pos = _pos_number(analysis.pos[place])
        self.lemma = analysis.lemmas[place]
        self.dep_ = analysis.labels[place]

    @property
    def head(self) -> _Token:
        """The token it depends on."""
        self._sentence.was_read_beyond = True
        return _Token(self._sentence, self._sentence.analysis.heads[self._place])

    @property
    def children(self) -> list[_Token]:
        """The tokens that depend on it."""
        self._sentence.was_read_beyond = True
        return [
            _Token(self._sentence, place)
            for place, head in enumerate(self._sentence.analysis.heads)
            if head == self._place != place
        ]
