"""The pack for English."""

from __future__ import annotations

from geceval.extraction.lang.analysis import Analyzer, AnalyzerKind, Notify
from geceval.extraction.lang.en.analyzer import load_analyzer


class English:
    """English, with ERRANT's types."""

    name = "en"
    typer = "errant"

    def analyzer(
        self,
        model: str | None = None,
        *,
        kind: AnalyzerKind = "fast",
        notify: Notify | None = None,
    ) -> Analyzer:
        """Load the small English model, or another."""
        return load_analyzer(model, kind=kind, notify=notify)
