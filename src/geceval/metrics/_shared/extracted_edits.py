"""Metrics that compare the edits of outputs and references, both given or extracted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

from geceval.errors import UnknownNameError
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import AnalyzerKind, Notify, PackOptions
from geceval.metrics.base import Metric, check_counts, check_readings
from geceval.metrics.errant.edit_extractor import EditExtractor
from geceval.metrics.errant.metric import Merge, check_names, extract_gold
from geceval.metrics.errant.pooled import CHINESE
from geceval.metrics.options import Jobs
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Edit, Hypothesis, MissingPolicy
from geceval.references.diffs import has_texts_only


class ExtractionOptions(TypedDict, total=False):
    """Options of `ExtractingMetric`."""

    auto_gold: bool | None
    missing: MissingPolicy
    lang: str
    align: Method
    merge: Merge
    typer: str | None
    model: str | None
    analyzer: AnalyzerKind
    pack_options: PackOptions | None
    notify: Notify | None
    annotator: Annotator | None
    jobs: Jobs


class ExtractingMetric(Metric):
    """A metric that compares edits, and extracts them where there is only text.

    Parameters
    ----------
    auto_gold
        Extract the gold edits from the corrected sentences (true), or use those of the
        annotators (false). By default, edits are extracted if the references are text.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    lang, align, merge, typer, model, analyzer, pack_options, notify
        How edits are extracted, see `Annotator`.
    annotator
        An annotator to use instead of these eight options.
    jobs
        Number of cores; a second one prefetches analyses.
    """

    def __init__(
        self,
        *,
        auto_gold: bool | None = None,
        missing: MissingPolicy = "absent",
        lang: str = "en",
        align: Method = "linguistic",
        merge: Merge = "rules",
        typer: str | None = None,
        model: str | None = None,
        analyzer: AnalyzerKind = "fast",
        pack_options: PackOptions | None = None,
        notify: Notify | None = None,
        annotator: Annotator | None = None,
        jobs: Jobs = 1,
    ) -> None:
        check_names(lang, typer)
        self._lang = lang if annotator is None else annotator.pack.name
        self.auto_gold = auto_gold
        self.missing: MissingPolicy = missing
        if lang == CHINESE:
            # There is one reading of a sentence.
            pack_options = replace(pack_options or PackOptions(), alignments="first")
        options = {
            "pack": lang,
            "align": align,
            "merge": merge,
            "typer": typer,
            "model": model,
            "analyzer": analyzer,
            "options": pack_options,
            "notify": notify,
        }
        self._extractor = EditExtractor(annotator, options, jobs=jobs)

    @property
    def retokenizer(self) -> Annotator | None:
        """The annotator of Chinese, whose texts have no spaces between their tokens."""
        return self.annotator if self._lang == CHINESE else None

    @property
    def annotator(self) -> Annotator:
        """The annotator that extracts edits; loaded when it is first needed."""
        return self._extractor.annotator

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        gold = {None: "auto-for-text", True: "auto", False: "given"}[self.auto_gold]
        return {"gold": gold, "missing": self.missing}

    def configuration(self) -> str:
        """Identify the metric, its settings and its annotator, whatever is scored."""
        return f"{super().configuration()}|{self.annotator.signature}"

    def remarks(self, statistics: Statistics) -> tuple[str, ...]:
        """Add how edits were extracted."""
        return (*super().remarks(statistics), statistics.extraction or "edits:given")

    def prepared_for(self, corpus: Corpus, hypotheses: Iterable[Hypothesis]) -> Metric:  # noqa: ARG002
        """Decide whether to extract the gold edits, so that the signature says it."""
        if self.auto_gold is not None:
            return self
        return self.with_options(auto_gold=self.extracts_gold(corpus))

    def extracts_gold(self, corpus: Corpus) -> bool:
        """Whether the gold edits of a corpus are extracted."""
        return has_texts_only(corpus) if self.auto_gold is None else self.auto_gold

    def gold_edits(self, corpus: Corpus) -> Corpus:
        """Return the corpus with the gold edits, given or extracted; detections are preserved."""
        filled = corpus.fill_missing(self.missing)
        return extract_gold(self._extractor, filled) if self.extracts_gold(corpus) else filled

    def system_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> Sequence[tuple[Edit, ...]]:
        """Return the edits of a system, given or extracted."""
        check_counts(corpus, hypothesis)
        check_readings(hypothesis)
        return self._extractor.system_edits(corpus, hypothesis)

    def extraction(self, corpus: Corpus, hypothesis: Hypothesis) -> str:
        """Return the signature of the annotator if it extracted any edits."""
        was_used = hypothesis.edits is None or self.extracts_gold(corpus)
        return self.annotator.signature if was_used else ""


def chosen_annotator(corpus: Corpus, name: str | None) -> str | None:
    """Return the annotator to score against: the one of that name, or the first.

    None for a corpus without annotations.
    """
    known = corpus.annotators
    if name is None or not known:
        return next(iter(known), None)
    if name not in known:
        raise UnknownNameError("annotator", name, known)
    return name
