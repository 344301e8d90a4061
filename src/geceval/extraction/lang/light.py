"""The analyzer without a tagger: lemmas by simplemma."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from geceval.extraction.lang.analysis import Analysis, Text, tokens_of
from geceval.extraction.lang.backends import LIGHT, installed_version
from geceval.extraction.lang.casing import lower_for
from geceval.extraction.surface import is_punctuation
from geceval.model import Tokens
from geceval.text import tokenize, tokens_at

MAX_WORDS = 200_000
"""Number of words of which the lemma is cached."""


class LightAnalyzer:
    """An analyzer that provides lemmas, and no word classes except that of punctuation.

    Parameters
    ----------
    language
        Code of the language.
    """

    kind = ""

    def __init__(self, language: str) -> None:
        LIGHT.check()
        import simplemma

        self._language = language
        self.lower = lower_for(language)
        self.signature = f"simplemma-{installed_version('simplemma')}-{language}"
        self._lemma = lru_cache(MAX_WORDS)(lambda token: simplemma.lemmatize(token, language))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the language."""
        return LightAnalyzer, (self._language,)

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        return [self._analysis(tokens_of(sentence)) for sentence in sentences]

    def tokenize(self, text: str) -> Tokens:
        """Tokenize raw text by rules."""
        return tokens_at(text, tokenize(text))

    def _analysis(self, tokens: Tokens) -> Analysis:
        unknown = ("",) * len(tokens)
        return Analysis(
            tokens,
            unknown,
            tuple(["PUNCT" if is_punctuation(token) else "" for token in tokens]),
            tuple(map(self._lemma, tokens)),
            tuple(range(len(tokens))),
            unknown,
            lower=self.lower,
        )
