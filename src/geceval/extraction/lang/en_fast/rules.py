"""Cached results of spaCy's attribute ruler and rule lemmatizer.

Both are slow and depend on little. A lemma depends on the word, its part of speech and its
morphology. A pattern of the ruler reads the word, its tag and its dependency label; a few patterns
also read those of a neighbor, and match only certain words. Results are therefore cached by word,
tag and label, and for these words also by neighbors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from geceval.extraction.lang.en_fast.weights import OtherArchitectureError

if TYPE_CHECKING:
    from spacy.language import Language

Token: TypeAlias = tuple[str, str, str]
"""A word, its tag and its dependency label."""

Case: TypeAlias = tuple[Token | None, Token, Token | None]
"""A token and, for `Rules.reads_neighbors` only, its neighbors."""


class RuledToken(NamedTuple):
    """The results of ruler and lemmatizer; a tag or label of None is unchanged."""

    pos: str
    lemma: str
    tag: str | None
    label: str | None


class _Ruled(NamedTuple):
    """The result of the ruler; the lemmatizer computes an empty lemma.

    Whether the word is its own lemma does not depend on the word.
    """

    pos: str
    morphology: _Morphology
    is_base: bool
    lemma: str
    tag: str | None
    label: str | None


class Rules:
    """The attribute ruler and the lemmatizer of a pipeline.

    Parameters
    ----------
    nlp
        The pipeline.

    Raises
    ------
    OtherArchitectureError
        If the pipeline does not end with a supported ruler and lemmatizer.
    """

    def __init__(self, nlp: Language) -> None:
        self._vocab = nlp.vocab
        self._ruler, self._lemmatizer = _components(nlp)
        patterns = _patterns(self._ruler)
        self._read = _Mentioned(spec for pattern in patterns for spec in pattern.specs)
        # The ruler changes one token of a pattern, which depends on the other.
        longer = [pattern for pattern in patterns if len(pattern.specs) > 1]
        self._changed = _Mentioned(pattern.specs[pattern.changed] for pattern in longer)
        self._beside = _Mentioned(pattern.specs[1 - pattern.changed] for pattern in longer)
        _speed_up(self._lemmatizer)
        self.clear()

    def reads_label(self, label: str) -> bool:
        """Whether some pattern mentions a label; all others are equivalent."""
        return self._read.has_label(label)

    def reads_neighbors(self, word: str) -> bool:
        """Whether some pattern changes a word depending on its neighbors."""
        return self._changed.has_word(word)

    def results(self, cases: Sequence[Case]) -> list[RuledToken]:
        """Return the results for the token of each case."""
        plain = [self._plain(case) for case in cases]
        new = [case for case in dict.fromkeys(plain) if case not in self._ruled]
        if new:
            self._ruled.update(zip(new, self._run_ruler(new), strict=True))
        return [
            self._result(case[1][0], self._ruled[key])
            for case, key in zip(cases, plain, strict=True)
        ]

    def clear(self) -> None:
        """Clear all caches."""
        self._ruled: dict[Case, _Ruled] = {}
        self._lemmatizer.cache.clear()
        for mentioned in (self._read, self._changed, self._beside):
            mentioned.clear()

    def _result(self, word: str, ruled: _Ruled) -> RuledToken:
        lemma = ruled.lemma
        if not lemma and ruled.is_base:
            lemma = word.lower()
        elif not lemma:
            token = _Light(word, ruled.pos, ruled.morphology)
            lemma = self._lemmatizer.lemmatize(token)[0]
        return RuledToken(ruled.pos, lemma, ruled.tag, ruled.label)

    def _plain(self, case: Case) -> Case:
        """Normalize what the ruler does not read."""
        before, (word, tag, label), after = case
        word, label = self._read.plain(word, label)
        return self._plain_neighbor(before), (word, tag, label), self._plain_neighbor(after)

    def _plain_neighbor(self, token: Token | None) -> Token | None:
        if token is None:
            return None
        word, label = self._beside.plain(token[0], token[2])
        return word, "", label

    def _run_ruler(self, cases: Sequence[Case]) -> list[_Ruled]:
        """Run the ruler on all cases in one document; most tokens ignore their neighbors."""
        from spacy.tokens import Doc

        no_token = (self._read.other, "", self._read.other)
        tokens: list[Token] = []
        places = []
        for before, token, after in cases:
            needs_neighbors = self.reads_neighbors(token[0])
            if needs_neighbors:
                tokens.append(before or no_token)
            places.append(len(tokens))
            tokens.append(token)
            if needs_neighbors:
                tokens.append(after or no_token)
        words, tags, labels = map(list, zip(*tokens, strict=True))
        heads = list(range(len(tokens)))
        doc = Doc(self._vocab, words=words, tags=tags, deps=labels, heads=heads)
        self._ruler(doc)
        return [self._read_token(doc[place], tags[place], labels[place]) for place in places]

    def _read_token(self, token: Any, tag: str, label: str) -> _Ruled:
        morphology = _Morphology(token.morph)
        return _Ruled(
            token.pos_,
            morphology,
            self._lemmatizer.is_base_form(_Light(token.text, token.pos_, morphology)),
            token.lemma_,
            None if token.tag_ == tag else token.tag_,
            None if token.dep_ == label else token.dep_,
        )


class _Morphology:
    """Morphological features, converted once."""

    __slots__ = ("_features", "key")

    def __init__(self, found: Any) -> None:
        self.key: int = found.key
        self._features: dict[str, str] = found.to_dict()

    def to_dict(self) -> dict[str, str]:
        """Return the features by name."""
        return self._features


class _Light:
    """The attributes of a spaCy token that the lemmatizer reads."""

    __slots__ = ("morph", "orth", "pos", "pos_", "text")

    def __init__(self, word: str, pos: str, morphology: _Morphology) -> None:
        # The numbers are cache keys only, for which strings serve as well.
        self.orth = self.text = word
        self.pos = self.pos_ = pos
        self.morph = morphology


def _components(nlp: Language) -> tuple[Any, Any]:
    """Return ruler and lemmatizer; subclasses are rejected, as they may read more."""
    from spacy.lang.en.lemmatizer import EnglishLemmatizer
    from spacy.pipeline import AttributeRuler

    if nlp.pipe_names[-2:] != ["attribute_ruler", "lemmatizer"]:
        raise OtherArchitectureError("it does not end with attribute_ruler and lemmatizer")
    (_, ruler), (_, lemmatizer) = nlp.pipeline[-2:]
    if type(ruler) is not AttributeRuler:
        raise OtherArchitectureError("its attribute_ruler is of another kind")
    if type(lemmatizer) is not EnglishLemmatizer or lemmatizer.mode != "rule":
        raise OtherArchitectureError("its lemmatizer is of another kind")
    if lemmatizer.overwrite:
        raise OtherArchitectureError("its lemmatizer changes lemmas of the attribute_ruler")
    return ruler, lemmatizer


def _speed_up(lemmatizer: Any) -> None:
    """Turn the lemmatizer's lists of known forms into sets, for fast membership tests."""
    forms = lemmatizer.lookups.get_table("lemma_index")
    for pos in list(forms):
        forms[pos] = frozenset(forms[pos])


class _Pattern(NamedTuple):
    """The conditions of a pattern on adjacent tokens, and the index of the changed one."""

    specs: tuple[dict[str, Any], ...]
    changed: int


def _patterns(ruler: Any) -> list[_Pattern]:
    """Read the patterns of a ruler; raise an error for unsupported ones."""
    patterns = []
    for rule in ruler.patterns:
        for specs in rule["patterns"]:
            changed = rule["index"] % len(specs)
            if not all(map(_is_known, specs)) or not _is_known_context(specs, changed):
                raise OtherArchitectureError(f"its attribute_ruler has the pattern {specs}")
            patterns.append(_Pattern(tuple(specs), changed))
    return patterns


def _is_known(spec: dict[str, Any]) -> bool:
    if not spec.keys() <= {"TAG", "DEP", "LOWER", "IS_SPACE"}:
        return False
    lower, label = spec.get("LOWER", ""), spec.get("DEP", "")
    return (not isinstance(lower, dict) or lower.keys() <= {"IN", "REGEX"}) and (
        not isinstance(label, dict) or label.keys() <= {"IN", "NOT_IN"}
    )


def _is_known_context(specs: Sequence[dict[str, Any]], changed: int) -> bool:
    """Whether a pattern of two tokens requires certain words, beside certain words or labels.

    Then it changes no other words, and never matches beside a word and label not mentioned.
    """
    if len(specs) == 1:
        return True
    beside = specs[1 - changed]
    return (
        len(specs) == 2
        and "LOWER" in specs[changed]
        and "TAG" not in beside
        and ("LOWER" in beside or "NOT_IN" not in beside.get("DEP", "NOT_IN"))
    )


class _Mentioned:
    """The words and labels that some conditions mention; all others are equivalent."""

    def __init__(self, specs: Iterable[dict[str, Any]]) -> None:
        self._words: set[str] = set()
        self._labels: set[str] = set()
        expressions = []
        for spec in specs:
            lower = spec.get("LOWER", {})
            self._words.update(_values(lower, "IN"))
            self._labels.update(_values(spec.get("DEP", {}), "IN", "NOT_IN"))
            if isinstance(lower, dict) and "REGEX" in lower:
                expressions.append(f"(?:{lower['REGEX']})")
        self._expression = re.compile("|".join(expressions) or "(?!)")
        self._known: dict[str, bool] = {}
        self.other = "x"
        while self.has_word(self.other) or self.other in self._labels:
            self.other += "x"

    def has_word(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            lower = word.lower()
            self._known[word] = known = (
                lower in self._words or word.isspace() or self._expression.search(lower) is not None
            )
        return known

    def has_label(self, label: str) -> bool:
        return label in self._labels

    def clear(self) -> None:
        self._known.clear()

    def plain(self, word: str, label: str) -> tuple[str, str]:
        """Replace a word and a label that are not mentioned."""
        return (
            word if self.has_word(word) else self.other,
            label if self.has_label(label) else self.other,
        )


def _values(asked: str | dict[str, Any], *lists: str) -> list[str]:
    """Return the values of a condition: a string itself, or the given lists."""
    if isinstance(asked, str):
        return [asked]
    return [value for name in lists for value in asked.get(name, ())]
