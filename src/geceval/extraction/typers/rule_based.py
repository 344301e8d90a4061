"""Error types by rules, for any language with parts of speech, lemmas and features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rapidfuzz.distance import Indel, Levenshtein

from geceval.characters import variant_of
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.lang.backends import installed_version
from geceval.extraction.lang.pack_options import PackOptions
from geceval.extraction.lang.typing_rules import order_similarity, rules_for
from geceval.extraction.merge import Change
from geceval.extraction.similar_order import are_reordered
from geceval.extraction.surface import (
    is_punctuation,
    is_word,
    without_punctuation,
    without_quotes,
)
from geceval.extraction.typers.base import OTHER, operation, similarity
from geceval.extraction.typers.type_names import TypeMap

VERSION = 1
"""Version of the rules, in the signature."""

MISSPELLED = 0.5
"""Similarity above which a word that is in no dictionary is misspelled."""

SIMILAR = 0.75
"""Similarity from which on a word is misspelled if there is no dictionary."""

MAX_CACHED = 50_000
"""Size at which the cache of types is cleared."""

_VERBS = frozenset({"AUX", "VERB"})
_SUBJECTS_AND_OBJECTS = ("nsubj", "csubj", "obj", "iobj", "dobj", "sb", "oa", "da")
_POSSESSORS = ("nmod:poss", "det:poss", "poss")
_NOMINAL = {
    "Case": "CASE", "Number": "NUM", "Gender": "GENDER", "Degree": "DEGREE", "Definite": "DEF",
    "Person": "POSS", "Number[psor]": "POSS", "Person[psor]": "POSS",
}  # fmt: skip
_VERBAL = {
    "VerbForm": "FORM", "Tense": "TENSE", "Mood": "MOOD", "Aspect": "ASPECT", "Voice": "VOICE",
    "Reflex": "VOICE", "Person": "PERS", "Number": "NUM", "Gender": "GENDER", "Polarity": "NEG",
}  # fmt: skip
_ERRANT_CLASSES = {"ADP": "PREP", "PROPN": "NOUN", "CCONJ": "CONJ"}


@dataclass(frozen=True, slots=True)
class Word:
    """A token with all that the rules ask of it."""

    token: str
    lower: str
    pos: str
    lemma: str
    feats: str
    known: bool | None
    label: str


class RuleTyper:
    """Classifies edits by the rules that all languages share, and the table of one of them.

    Without parts of speech, another form of a word is ``FORM``, and another word ``OTHER``;
    without lemmas too, only letters decide.

    Parameters
    ----------
    language
        Code of the language.
    options
        Names of types and their detail.

    Examples
    --------
    >>> from geceval.extraction.merge import Rule
    >>> def analyzed(word, lemma):
    ...     return Analysis((word,), ("",), ("NOUN",), (lemma,), (0,), ("",))
    >>> source, target = analyzed("Haus", "Haus"), analyzed("Häuser", "Haus")
    >>> RuleTyper("de").type(Change(0, 1, 0, 1, Rule.ALONE), source, target)
    'R:NOUN:FORM'
    """

    def __init__(self, language: str = "", options: PackOptions | None = None) -> None:
        options = PackOptions() if options is None else options
        self._language = language
        self.rules = rules_for(language)
        self._options = options
        self._detail = self.rules.detail if options.detail is None else options.detail
        self._order = order_similarity(self.rules, options)
        self._stem = _stemmer(self.rules.stemmer)
        self._map = None if options.map is None else TypeMap.load(options.map)
        self._known: dict[tuple[Any, ...], str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the arguments, not the caches."""
        return RuleTyper, (self._language, self._options)

    @property
    def signature(self) -> str:
        """Version of the rules, and all that changes names of types."""
        rules, options = self.rules, self._options
        parts = [
            f"rules-{VERSION}",
            rules.language,
            f"snowball-{installed_version('snowballstemmer')}" if self._stem else "",
            "detail" if self._detail else "",
            "order-similar" if self._order is not None else "",
            "names-errant" if options.names == "errant" else "",
            "" if self._map is None else f"map-{self._map.signature}",
        ]
        return "+".join(filter(None, parts))

    def type(self, change: Change, source: Analysis, target: Analysis) -> str:
        """Return the type of an edit."""
        start, end, first, last, _ = change
        key = (
            *_columns(source, start, end),
            *_columns(target, first, last),
        )
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MAX_CACHED:
                self._known.clear()
            known = self._known[key] = self._type(change, source, target)
        return known

    def _type(self, change: Change, source: Analysis, target: Analysis) -> str:
        before = self._words(source, change.start, change.end)
        after = self._words(target, change.target_start, change.target_end)
        if [word.token for word in before] == [word.token for word in after]:
            return "UNK"
        n_same = _same_ending(before, after)
        if n_same:
            before, after = before[:-n_same], after[:-n_same]
            change = change._replace(end=change.end - n_same, target_end=change.target_end - n_same)
        name = f"{operation(change)}:{self._named(self._category(before, after))}"
        return name if self._map is None else self._map.rename(name)

    def _words(self, sentence: Analysis, start: int, end: int) -> list[Word]:
        rules = self.rules
        words = []
        for place in range(start, end):
            token = sentence.tokens[place]
            lower = sentence.lower(token)
            known = None if sentence.known is None else sentence.known[place]
            given = sentence.pos[place], sentence.lemmas[place]
            pos, lemma = rules.elided.get(lower, given) if given[0] else given
            words.append(
                Word(
                    token,
                    lower,
                    pos,
                    lemma,
                    "" if sentence.feats is None else sentence.feats[place],
                    known,
                    sentence.labels[place],
                )
            )
        return words

    def _category(self, before: list[Word], after: list[Word]) -> str:
        if not before or not after:
            return self._one_side(before or after)
        return (
            self._letters(before, after)
            or (len(before) == len(after) == 1 and self._one_word(before[0], after[0]))
            or self._several(before, after)
        )

    # One side is empty.

    def _one_side(self, words: list[Word]) -> str:
        rules = self.rules
        if len(words) == 1:
            if words[0].lower in rules.clitics:
                return "CONTR"
            if words[0].lower in rules.alone:
                return rules.alone[words[0].lower]
        if all(is_punctuation(word.token) for word in words):
            return "PUNCT"
        return (
            self._common_class(words) or self._verb_group(words) or self._relation(words) or OTHER
        )

    def _common_class(self, words: Sequence[Word]) -> str:
        """Return the word class that all words have, unless it is rare."""
        classes = {word.pos for word in words}
        name = classes.pop()
        return "" if classes or name in self.rules.rare else name

    def _verb_group(self, words: Sequence[Word]) -> str:
        classes = {word.pos for word in words}
        return "VERB" if "VERB" in classes and classes <= self.rules.verb_group else ""

    def _relation(self, words: Sequence[Word]) -> str:
        """Return the word class of the dependency relation that all words have."""
        labels = {word.label for word in words}
        return self.rules.relations.get(labels.pop(), "") if len(labels) == 1 else ""

    # Both sides, by letters only.

    def _letters(self, before: list[Word], after: list[Word]) -> str:
        rules = self.rules
        tokens = [word.token for word in before]
        others = [word.token for word in after]
        variant = variant_of(tokens, others)
        is_punctuated = all(map(is_punctuation, [*tokens, *others]))
        if variant == "WIDTH" or (variant is not None and not is_punctuated):
            return f"ORTH:{variant}" if self._detail else "ORTH"
        if is_punctuated:
            return "PUNCT"
        if rules.punctuation == "characters" and (
            without_punctuation(tokens) == without_punctuation(others)
        ):
            return "PUNCT"
        if marks := self._marks(" ".join(tokens), " ".join(others)):
            return marks
        lowers = [word.lower for word in before]
        other_lowers = [word.lower for word in after]
        if "".join(lowers) == "".join(other_lowers):
            return self._orthography(tokens, others, same_spaces=lowers == other_lowers)
        if rules.quotation and without_quotes(tokens) == without_quotes(others):
            return rules.quotation
        if len(before) > 1 or len(after) > 1:
            if sorted(lowers) == sorted(other_lowers):
                return "WO"
            if self._order is not None and are_reordered(tokens, others, self._order):
                return "WO:SPELL"
        return ""

    def _marks(self, before: str, after: str) -> str:
        """Return the category of texts that differ in diacritics or variants of letters only."""
        rules = self.rules
        if rules.strip is None:
            return ""
        before, after = rules.strip(before), rules.strip(after)
        if before == after:
            return "DIACR"
        return "ORTH" if before.translate(rules.fold) == after.translate(rules.fold) else ""

    def _orthography(
        self, tokens: Sequence[str], others: Sequence[str], *, same_spaces: bool
    ) -> str:
        if not (self._detail or self.rules.orth_detail):
            return "ORTH"
        if same_spaces:
            return "ORTH:CASING"
        return "ORTH:WSPACE" if "".join(tokens) == "".join(others) else "ORTH"

    # One word for one word.

    def _one_word(self, before: Word, after: Word) -> str:
        rules = self.rules
        has_lemma = self._share_lemma(before, after)
        letters = is_word(before.token, rules.letters)
        if before.known is False and letters and not has_lemma:
            alike = Indel.normalized_similarity(before.lower, after.lower)
            return "SPELL" if alike > MISSPELLED else self._common_class((before, after)) or OTHER
        if (
            before.known is None
            and not has_lemma
            and letters
            and similarity(before.lower, after.lower) >= SIMILAR
        ):
            return "SPELL"
        special = rules.pair and rules.pair(before.lower, after.lower)
        return (
            special
            or (self._form(before, after) if has_lemma else "")
            or self._stems(before, after)
            or self._aspect(before, after)
            or self._close(before, after)
            or self._common_class((before, after))
            or self._role(before, after)
            or OTHER
        )

    def _share_lemma(self, before: Word, after: Word) -> bool:
        """Whether both are forms of one word; analyzers invent lemmas for misspelled words."""
        if before.pos == after.pos == "PRON" and any(
            before.lower in forms and after.lower in forms for forms in self.rules.paradigms
        ):
            return True
        if not before.lemma or before.lemma.casefold() != after.lemma.casefold():
            return False
        if before.known is not False and after.known is not False:
            return True
        return self.rules.trust_lemmas and before.feats != after.feats

    def _form(self, before: Word, after: Word) -> str:
        """Return the category of two forms of one word."""
        rules = self.rules
        if not before.pos or not after.pos:
            return "FORM"
        if not {before.pos, after.pos} <= rules.inflected:
            return "MORPH" if rules.morph_otherwise else ""
        if before.pos == after.pos:
            return self._inflection(before, after)
        if rules.verb_form_across and after.pos in _VERBS:
            return f"VERB:{rules.form}"
        return "MORPH"

    def _inflection(self, before: Word, after: Word) -> str:
        rules = self.rules
        if before.pos in rules.formless:
            return before.pos
        suffix = rules.form
        if self._detail:
            suffix = self._feature(before, after) or suffix
        return f"{before.pos}:{suffix}"

    def _feature(self, before: Word, after: Word) -> str:
        """Return the name of the first feature that differs."""
        first, second = features(before.feats), features(after.feats)
        is_verb = before.pos in _VERBS
        if self.rules.variants and not is_verb and first.get("Variant") != second.get("Variant"):
            return ""
        for feature, name in (_VERBAL if is_verb else _NOMINAL).items():
            if first.get(feature) != second.get(feature):
                if is_verb and name in ("PERS", "NUM") and self._options.names == "errant":
                    return "SVA"
                return name
        return ""

    def _stems(self, before: Word, after: Word) -> str:
        if self._stem is None or self._stem(before.lower) != self._stem(after.lower):
            return ""
        if not before.pos or not after.pos:
            return "FORM"
        return "MORPH" if {before.pos, after.pos} <= self.rules.inflected else ""

    def _aspect(self, before: Word, after: Word) -> str:
        """Return the category of verbs that differ in nothing but aspect."""
        if not self.rules.aspect_pairs or not before.pos == after.pos == "VERB":
            return ""
        first, second = features(before.feats), features(after.feats)
        differing = {name for name, _ in first.items() ^ second.items()}
        return "VERB:ASPECT" if differing == {"Aspect"} else ""

    def _close(self, before: Word, after: Word) -> str:
        is_close = (
            self.rules.close_relatives
            and before.known
            and after.known
            and min(len(before.lower), len(after.lower)) > 3
            and Levenshtein.distance(before.lower, after.lower) == 1
        )
        return "SPELL" if is_close else ""

    def _role(self, before: Word, after: Word) -> str:
        """Return the category by dependency relations."""
        if before.label and before.label == after.label and (name := self._relation([after])):
            return name
        if {before.pos, after.pos} == {"DET", "PRON"}:
            if after.label in _POSSESSORS:
                return "DET"
            if after.label.startswith(_SUBJECTS_AND_OBJECTS):
                return "PRON"
        return ""

    # Several words.

    def _several(self, before: list[Word], after: list[Word]) -> str:
        words = [*before, *after]
        if name := self._common_class(words):
            return name
        if {word.pos for word in words} <= self.rules.verb_group:
            has_lemma = self._share_lemma(before[-1], after[-1])
            return f"VERB:{self.rules.form}" if has_lemma else "VERB"
        return OTHER

    # Names.

    def _named(self, category: str) -> str:
        pos, colon, rest = category.partition(":")
        pos = self.rules.names.get(pos, pos)
        if self._options.names == "errant":
            pos = _ERRANT_CLASSES.get(pos, pos)
        return f"{pos}{colon}{rest}"


@lru_cache(20_000)
def features(feats: str) -> dict[str, str]:
    """Parse features as in Universal Dependencies.

    Examples
    --------
    >>> features("Case=Nom|Number=Sing")
    {'Case': 'Nom', 'Number': 'Sing'}
    """
    pairs = (feature.partition("=") for feature in feats.split("|") if "=" in feature)
    return {name: value for name, _, value in pairs}


def _columns(sentence: Analysis, start: int, end: int) -> tuple[Any, ...]:
    """Return all attributes that the rules read."""
    return (
        sentence.tokens[start:end],
        sentence.pos[start:end],
        sentence.lemmas[start:end],
        sentence.labels[start:end],
        sentence.feats and sentence.feats[start:end],
        sentence.known and sentence.known[start:end],
    )


def _same_ending(before: Sequence[Word], after: Sequence[Word]) -> int:
    """Count the last words that only change case, if the rest of the edit changes anything."""
    n_same = 0
    n_before, n_after = len(before), len(after)
    while (
        n_same < n_before
        and n_same < n_after
        and max(n_before, n_after) - n_same > 1
        and before[-1 - n_same].lower == after[-1 - n_same].lower
    ):
        n_same += 1
    rest = [word.token for word in before[: n_before - n_same]]
    return 0 if rest == [word.token for word in after[: n_after - n_same]] else n_same


def _stemmer(name: str) -> Callable[[str], str] | None:
    """Return a Snowball stemmer; None without the package or its language."""
    if not name:
        return None
    try:
        import snowballstemmer
    except ImportError:
        return None
    if name not in snowballstemmer.algorithms():
        return None
    stem: Callable[[str], str] = lru_cache(MAX_CACHED)(snowballstemmer.stemmer(name).stemWord)
    return stem
