"""The pack that needs no model."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.errors import GecevalError
from geceval.extraction.lang.analysis import Analysis, AnalyzerKind, Notify, Text, tokens_of
from geceval.model import Tokens
from geceval.text import tokenize, tokens_at


class PlainAnalyzer:
    """Knows the tokens and nothing else."""

    kind = ""
    signature = "none"

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze each of `sentences`, in order."""
        return [Analysis.plain(tokens_of(sentence)) for sentence in sentences]

    def tokenize(self, text: str) -> Tokens:
        """Split raw text by rules."""
        return tokens_at(text, tokenize(text))


class Plain:
    """Any language."""

    name = "plain"
    typer = "plain"

    def analyzer(
        self,
        model: str | None = None,
        *,
        kind: AnalyzerKind = "fast",  # noqa: ARG002
        notify: Notify | None = None,  # noqa: ARG002
    ) -> PlainAnalyzer:
        """Return the analyzer; there is no model to choose, and nothing to run it."""
        if model is not None:
            raise GecevalError(f"the language 'plain' takes no model, not {model!r}")
        return PlainAnalyzer()
