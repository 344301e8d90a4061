"""The pack for English."""

from __future__ import annotations

from geceval.extraction.lang.analysis import Analyser, AnalyserKind, Notify
from geceval.extraction.lang.en.analyzer import load_analyser


class English:
    """English, with ERRANT's types."""

    name = "en"
    typer = "errant"

    def analyser(
        self,
        model: str | None = None,
        *,
        kind: AnalyserKind = "fast",
        notify: Notify | None = None,
    ) -> Analyser:
        """Load the small English model, or another."""
        return load_analyser(model, kind=kind, notify=notify)
