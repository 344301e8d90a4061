"""ERRANT's English types.

The rules are those of the package ``errant``, used as a library. It reads only a few attributes of
spaCy tokens, so lightweight objects replace them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.loading import importing_spacy
from geceval.extraction.merge import Change

MAX_CACHED = 20_000
"""Size at which the cache of types is cleared."""


class ErrantTyper:
    """Classifies English edits with the rules of ``errant``.

    The type is cached for edits whose type depends on their own words only.

    Raises
    ------
    GecevalError
        If ``errant`` is not installed.
    """

    def __init__(self) -> None:
        try:
            with importing_spacy():
                import errant
                from errant.en import classifier
        except ImportError as error:
            raise GecevalError(
                "ERRANT's types need the package errant; install it, or use the classifier "
                "'universal' or 'plain'"
            ) from error
        self._classify: Any = classifier.classify
        with _SPEEDING_UP:
            _speed_up(classifier.stemmer)
        self.signature = f"errant-{errant.__version__}"
        self._known: dict[tuple[Any, ...], str] = {}

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Return the type of an edit."""
        start, end, first, last, _ = change
        # All attributes that the lightweight tokens expose, and the spaces of raw text.
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
                f"ERRANT's types need an English model with Penn Treebank tags; {error} is unknown"
            ) from error
        if not any(side.was_read_beyond for side in sides):
            if len(self._known) >= MAX_CACHED:
                self._known.clear()
            self._known[key] = edit.type
        return edit.type


_SPEEDING_UP = Lock()


def _speed_up(stemmer: Any) -> None:
    """Cache the stemmer, and load its rules before threads use it."""
    if not hasattr(stemmer.stem, "cache_info"):
        stemmer.stem("words")
        stemmer.stem = lru_cache(MAX_CACHED)(stemmer.stem)


@cache
def _pos_number(name: str) -> int:
    """Return spaCy's ID of a universal part of speech."""
    from spacy.symbols import IDS

    number: int = IDS[name]
    return number


class _Edit:
    """An edit in the form that ERRANT's rules expect; they set its type."""

    def __init__(
        self, before: Sequence[_Token], before_text: str, after: Sequence[_Token], after_text: str
    ) -> None:
        self.o_toks = before
        self.c_toks = after
        self.o_str = before_text
        self.c_str = after_text
        self.type = ""


class _Sentence:
    """A sentence of lightweight tokens that records access beyond the edit."""

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
        # Forms and lemmas are only compared with each other, so strings can replace IDs.
        self.lower = self.lower_ = self.text.lower()
        self.tag_ = analysis.tags[place]
        self.pos = _pos_number(analysis.pos[place])
        self.lemma = analysis.lemmas[place]
        self.dep_ = analysis.labels[place]

    @property
    def head(self) -> _Token:
        """The syntactic head."""
        self._sentence.was_read_beyond = True
        return _Token(self._sentence, self._sentence.analysis.heads[self._place])

    @property
    def children(self) -> list[_Token]:
        """The syntactic dependents."""
        self._sentence.was_read_beyond = True
        return [
            _Token(self._sentence, place)
            for place, head in enumerate(self._sentence.analysis.heads)
            if head == self._place != place
        ]
