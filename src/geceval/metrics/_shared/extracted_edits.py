"""Metrics that compare the edits of outputs and references, both given or extracted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypedDict, Unpack

from geceval.errors import UnknownNameError
from geceval.extraction.annotator import Annotator
from geceval.extraction.lang import PackOptions
from geceval.metrics.base import Metric, check_counts, check_readings
from geceval.metrics.errant.edit_extractor import ExtractionOptions
from geceval.metrics.errant.extraction import ExtractorMetric
from geceval.metrics.errant.metric import extract_gold
from geceval.metrics.errant.pooled import CHINESE
from geceval.metrics.options import Default, resolved
from geceval.model import Corpus, Edit, Hypothesis, MissingPolicy
from geceval.references.diffs import has_texts_only


class _GoldOptions(TypedDict, total=False):
    auto_gold: Annotated[bool | None, Default(None)]
    missing: Annotated[MissingPolicy, Default("absent")]


class GoldExtractionOptions(_GoldOptions, ExtractionOptions):
    """Options of `ExtractingMetric`."""


class ExtractingMetric(ExtractorMetric):
    """A metric that compares edits, and extracts them where there is only text.

    Parameters
    ----------
    auto_gold
        Extract the gold edits from the corrected sentences (true), or use those of the
        annotators (false). By default, edits are extracted if the references are text.
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    **extraction
        How edits are extracted: arguments of `Annotator`, with ``lang`` for its pack, or an
        ``annotator`` to use instead.
    """

    def __init__(self, **options: Unpack[GoldExtractionOptions]) -> None:
        gold = resolved(_GoldOptions, options)
        self.auto_gold = gold["auto_gold"]
        self.missing = gold["missing"]
        extraction = resolved(ExtractionOptions, options)
        if extraction["lang"] == CHINESE:
            # There is one reading of a sentence.
            given = extraction["pack_options"] or PackOptions()
            extraction["pack_options"] = replace(given, alignments="first")
        super().__init__(**extraction)

    @property
    def retokenizer(self) -> Annotator | None:
        """The annotator of Chinese, whose texts have no spaces between their tokens."""
        return self.annotator if self._extractor.lang == CHINESE else None

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        gold = {None: "auto-for-text", True: "auto", False: "given"}[self.auto_gold]
        return {"gold": gold, "missing": self.missing}

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
        filled = corpus.first_alignments().fill_missing(self.missing)
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
