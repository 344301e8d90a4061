"""The analyzer without a model."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis, AnalyzerKind, Notify, Text, tokens_of
from geceval.extraction.lang.casing import Lower
from geceval.model import Tokens
from geceval.text import tokenize, tokens_at


class PlainAnalyzer:
    """An analyzer that provides tokens and lowercase lemmas only.

    Parameters
    ----------
    lower
        Lowercases a word of the language.
    """

    kind = ""
    signature = "none"

    def __init__(self, lower: Lower = str.lower) -> None:
        self.lower = lower

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        return [Analysis.plain(tokens_of(sentence), lower=self.lower) for sentence in sentences]

    def tokenize(self, text: str) -> Tokens:
        """Tokenize raw text by rules."""
        return tokens_at(text, tokenize(text))


def load_analyzer(
    model: str | None,
    *,
    kind: AnalyzerKind = "fast",  # noqa: ARG001
    notify: Notify | None = None,  # noqa: ARG001
) -> PlainAnalyzer:
    """Return the analyzer; naming a model is an error."""
    if model is not None:
        raise GecevalError(f"the language 'plain' takes no model, not {model!r}")
    return PlainAnalyzer()
