"""Analysers that tell what they were asked."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.lang.analysis import Analysis
from geceval.model import Tokens


class Counting:
    """An analyser that notes what it was asked, and knows nothing."""

    kind = ""
    signature = "counting"

    def __init__(self) -> None:
        self.asked: list[Tokens] = []

    def analyse(self, sentences: Sequence[Tokens]) -> list[Analysis]:
        self.asked += sentences
        return [Analysis.plain(sentence) for sentence in sentences]

    def tokenise(self, text: str) -> Tokens:
        return tuple(text.split())
