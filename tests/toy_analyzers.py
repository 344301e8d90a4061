"""Analyzers that tell what they were asked."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.extraction.lang.analysis import Analysis, Text, tokens_of
from geceval.model import Tokens


class Counting:
    """An analyzer that notes what it was asked, and knows nothing."""

    kind = ""
    signature = "counting"

    def __init__(self) -> None:
        self.asked: list[Text] = []

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        self.asked += sentences
        return [Analysis.plain(tokens_of(sentence)) for sentence in sentences]

    def tokenize(self, text: str) -> Tokens:
        return tuple(text.split())
