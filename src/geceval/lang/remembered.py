"""What spaCy's attribute ruler and rule lemmatiser say of a token, remembered.

Both are slow, and both look at little. A lemma depends on the word, its part of speech and its
morphology. A pattern of the ruler reads the word, its tag and its dependency label; a few
patterns read those of the next token too, and they can only hold for tokens with certain words.
So what was found for a word, tag and label is true wherever they meet again, and for those
certain words wherever the neighbours are the same as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from spacy.language import Language

MAX_KEYS = 50_000
"""How many results are kept before all are forgotten."""

Token: TypeAlias = tuple[str, str, str]
"""A word, its tag and its dependency label."""

_Key: TypeAlias = tuple[Token | None, Token, Token | None]
"""A token and, only where a pattern could read them, its neighbours."""


class Result(NamedTuple):
    """A token after ruler and lemmatiser."""

    tag: str
    pos: str
    lemma: str
    label: str


class _Ruled(NamedTuple):
    """A token after the ruler; None is what the ruler left alone."""

    tag: str | None
    pos: str
    morphology: str
    lemma: str
    label: str | None


class _UnknownPatternError(Exception):
    """A pattern reads more than is understood here."""


class RememberedRules:
    """The attribute ruler and the lemmatiser of a pipeline, asked once for each case.

    Parameters
    ----------
    nlp
        A pipeline for which `suits` holds.
    """

    def __init__(self, nlp: Language) -> None:
        self._vocab = nlp.vocab
        self._ruler: Any = nlp.get_pipe("attribute_ruler")
        self._lemmatiser: Any = nlp.get_pipe("lemmatizer")
        patterns = _patterns(self._ruler)
        self._mentioned = _Words(spec for pattern in patterns for spec in pattern.specs)
        # The ruler changes one token of a pattern; only that one needs its neighbours.
        self._contextual = _Words(
            pattern.specs[pattern.changed] for pattern in patterns if len(pattern.specs) > 1
        )
        self._stand_in = self._unmentioned_word()
        _speed_up(self._lemmatiser)
        self._results: dict[_Key, Result] = {}
        self._ruled: dict[_Key, _Ruled] = {}

    @staticmethod
    def suits(nlp: Language) -> bool:
        """Whether a pipeline ends with a ruler and a lemmatiser that are understood here."""
        from spacy.lang.en.lemmatizer import EnglishLemmatizer
        from spacy.pipeline import AttributeRuler

        if nlp.pipe_names[-2:] != ["attribute_ruler", "lemmatizer"]:
            return False
        ruler, lemmatiser = (pipe for _, pipe in nlp.pipeline[-2:])
        # Their own classes, not heirs: these might look at more.
        if type(ruler) is not AttributeRuler or type(lemmatiser) is not EnglishLemmatizer:
            return False
        if lemmatiser.mode != "rule" or lemmatiser.overwrite:
            return False
        try:
            _patterns(ruler)
        except _UnknownPatternError:
            return False
        return True

    def __call__(self, sentences: Sequence[Sequence[Token]]) -> list[list[Result]]:
        """Return what becomes of each token of `sentences`."""
        if len(self._results) > MAX_KEYS:
            self._forget()
        keys = [self._keys(sentence) for sentence in sentences]
        new = {key for sentence in keys for key in sentence} - self._results.keys()
        if new:
            self._learn(sorted(new, key=repr))
        return [[self._results[key] for key in sentence] for sentence in keys]

    def _keys(self, sentence: Sequence[Token]) -> list[_Key]:
        keys: list[_Key] = [(None, token, None) for token in sentence]
        contextual = self._contextual
        for place, token in enumerate(sentence):
            if contextual[token[0]]:
                keys[place] = (
                    sentence[place - 1] if place else None,
                    token,
                    sentence[place + 1] if place + 1 < len(sentence) else None,
                )
        return keys

    def _learn(self, keys: list[_Key]) -> None:
        """Ask the ruler about each key, and the lemmatiser about all of them at once."""
        from spacy.tokens import Doc

        ruled = [self._rule(key) for key in keys]
        doc = Doc(
            self._vocab,
            words=[word for _, (word, _, _), _ in keys],
            pos=[rule.pos for rule in ruled],
            morphs=[rule.morphology for rule in ruled],
            lemmas=[rule.lemma for rule in ruled],
        )
        self._lemmatiser(doc)
        for key, rule, token in zip(keys, ruled, doc, strict=True):
            _, (_, tag, label), _ = key
            self._results[key] = Result(
                tag if rule.tag is None else rule.tag,
                rule.pos,
                token.lemma_,
                label if rule.label is None else rule.label,
            )

    def _rule(self, key: _Key) -> _Ruled:
        """Ask the ruler, once for all words that no pattern mentions."""
        before, token, after = key
        plain: _Key = (
            before and self._plain(before),
            self._plain(token),
            after and self._plain(after),
        )
        if plain not in self._ruled:
            self._ruled[plain] = self._ask_ruler(plain)
        return self._ruled[plain]

    def _plain(self, token: Token) -> Token:
        word, tag, label = token
        return (word if self._mentioned[word] else self._stand_in), tag, label

    def _ask_ruler(self, key: _Key) -> _Ruled:
        from spacy.tokens import Doc

        tokens = [token for token in key if token is not None]
        words, tags, labels = zip(*tokens, strict=True)
        place = 0 if key[0] is None else 1
        doc = Doc(
            self._vocab,
            words=list(words),
            tags=list(tags),
            deps=list(labels),
            heads=list(range(len(words))),
        )
        self._ruler(doc)
        token = doc[place]
        return _Ruled(
            None if token.tag_ == tags[place] else token.tag_,
            token.pos_,
            str(token.morph),
            token.lemma_,
            None if token.dep_ == labels[place] else token.dep_,
        )

    def _unmentioned_word(self) -> str:
        word = "x"
        while self._mentioned[word]:
            word += "x"
        return word

    def _forget(self) -> None:
        self._results.clear()
        self._ruled.clear()
        self._mentioned.clear()
        self._contextual.clear()
        self._lemmatiser.cache.clear()


def _speed_up(lemmatiser: Any) -> None:
    """Turn the lemmatiser's lists of known forms into sets; it only asks what is in them."""
    forms = lemmatiser.lookups.get_table("lemma_index")
    for pos in list(forms):
        forms[pos] = frozenset(forms[pos])


class _Pattern(NamedTuple):
    """What one pattern of the ruler asks of neighbouring tokens, and which of them it changes."""

    specs: tuple[dict[str, Any], ...]
    changed: int


def _patterns(ruler: Any) -> list[_Pattern]:
    """Read the patterns of a ruler, making sure that nothing in them is beyond us."""
    patterns = []
    for rule in ruler.patterns:
        for specs in rule["patterns"]:
            if len(specs) > 2:
                raise _UnknownPatternError
            for spec in specs:
                _check(spec)
            patterns.append(_Pattern(tuple(specs), rule["index"] % len(specs)))
    for pattern in patterns:
        if len(pattern.specs) > 1 and "LOWER" not in pattern.specs[pattern.changed]:
            raise _UnknownPatternError
    return patterns


def _check(spec: dict[str, Any]) -> None:
    if not spec.keys() <= {"TAG", "DEP", "LOWER", "IS_SPACE"}:
        raise _UnknownPatternError
    lower = spec.get("LOWER", "")
    if isinstance(lower, dict) and not lower.keys() <= {"IN", "REGEX"}:
        raise _UnknownPatternError


class _Words(dict[str, bool]):
    """Whether a word is among those that some patterns mention."""

    def __init__(self, specs: Iterable[dict[str, Any]]) -> None:
        super().__init__()
        self._literals: set[str] = set()
        self._expressions: list[re.Pattern[str]] = []
        for spec in specs:
            lower = spec.get("LOWER", {})
            if isinstance(lower, str):
                self._literals.add(lower)
            else:
                self._literals.update(lower.get("IN", ()))
                if "REGEX" in lower:
                    self._expressions.append(re.compile(lower["REGEX"]))

    def __missing__(self, word: str) -> bool:
        lower = word.lower()
        self[word] = mentioned = (
            lower in self._literals
            or word.isspace()
            or any(expression.search(lower) for expression in self._expressions)
        )
        return mentioned
