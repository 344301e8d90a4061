"""What metrics that extract edits have in common: options, the extractor and the signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

from geceval.extraction.annotator import Annotator
from geceval.metrics.base import Metric
from geceval.metrics.errant.edit_extractor import EditExtractor, ExtractionOptions
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Hypothesis


class ExtractorMetric(Metric):
    """A metric that compares edits which an `EditExtractor` extracts.

    Parameters
    ----------
    lang, align, merge, typer, model, analyzer, pack_options, notify
        How edits are extracted, see `Annotator`.
    annotator
        An annotator to use instead of these options.
    jobs
        Number of cores; a second one prefetches analyses.
    """

    def __init__(self, **extraction: Unpack[ExtractionOptions]) -> None:
        self._extractor = EditExtractor(**extraction)

    @property
    def annotator(self) -> Annotator:
        """The annotator that extracts edits; loaded when it is first needed."""
        return self._extractor.annotator

    def steps_for(
        self, outputs: Sequence[tuple[Corpus, Hypothesis]]
    ) -> Sequence[Callable[[], object]]:
        """Return steps that extract the edits of several outputs."""
        return self._extractor.steps_for(outputs)

    def configuration(self) -> str:
        """Identify the metric, its settings and its annotator, whatever is scored."""
        return f"{super().configuration()}|{self.annotator.signature}"

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        """Add how edits were extracted."""
        return (*super().remarks(statistics), statistics.extraction or "edits:given")
