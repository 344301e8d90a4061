"""What workers do: annotate a chunk of the input."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

from geceval import __version__
from geceval.engines import Chunk
from geceval.errors import GecevalError
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import (
    SplitRow,
    annotate_split,
    correction_pairs,
    retype,
    split_rows,
    standardize,
)
from geceval.extraction.lang import AnalyzerKind, Notify
from geceval.extraction.lang.analysis import Text, tokens_of
from geceval.extraction.reading import Row
from geceval.extraction.settings import ExtractionSettings
from geceval.extraction.tally import Counts
from geceval.formats import get_format
from geceval.formats.normalization import normalize_sentence, restore_form
from geceval.limits import TooLargeError, allow, max_cells
from geceval.model import Sentence, first_alignments
from geceval.storage.resumable import contrast

RunItem: TypeAlias = Row | SplitRow | Sentence
"""Lines of parallel text, as they are or tokenized, or a sentence of a corpus."""


def item_size(item: RunItem) -> int:
    """Count the tokens of an item; for a line, estimate them by its spaces."""
    if isinstance(item, Sentence):
        return len(item.tokens) * (1 + len(item.annotations))
    if isinstance(item, SplitRow):
        return len(item.source) + sum(len(target) for target in item.targets if target)
    return sum(line.count(" ") + 1 for line in item)


def _pairs(item: SplitRow | Sentence) -> Iterator[tuple[Text, Text]]:
    """Yield the pairs that edits are extracted from."""
    return correction_pairs(item) if isinstance(item, Sentence) else item.pairs


class ChunkAnnotator:
    """Annotates chunks, and returns text in the output format and its counts.

    The model is loaded on first use, in each process.
    """

    def __init__(
        self, settings: ExtractionSettings, format: str, notify: Notify | None = None
    ) -> None:
        self._settings = settings
        self._format = format
        self._notify = notify
        # Worker processes do not inherit the limit.
        self._max_cells = max_cells()
        self._expected: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the model, and use the analyzer that works, without another notification."""
        kind: AnalyzerKind = "fast" if self._annotator.analyzer.kind == "fast" else "spacy"
        settings = replace(self._settings, analyzer=kind)
        # Workers on other machines start in other folders.
        if settings.cache is not None:
            settings = replace(settings, cache=os.path.abspath(settings.cache))
        if settings.model is not None and os.path.exists(settings.model):
            settings = replace(settings, model=os.path.abspath(settings.model))
        state = {
            **vars(self),
            "_settings": settings,
            "_notify": None,
            "_expected": self._annotator.signature,
        }
        del state["_annotator"]
        return state

    @cached_property
    def _annotator(self) -> Annotator:
        annotator = self._settings.annotator(notify=self._notify)
        if self._expected not in (None, annotator.signature):
            raise GecevalError(
                f"the worker on {os.uname().nodename} would extract other edits than this "
                f"command: {contrast(annotator.signature, str(self._expected))}; install the "
                "same versions of packages and models on the whole cluster"
            )
        return annotator

    @property
    def can_prefetch(self) -> bool:
        """Whether a second thread can prefetch analyses."""
        return self._annotator.analyzer.can_prefetch

    def prefetched(self, chunk: Chunk[RunItem]) -> Chunk[RunItem]:
        """Tokenize a chunk, and prefetch its analyses."""
        try:
            items = self._split(chunk.items)
            self._annotator.prefetch(pair for item in items for pair in _pairs(item))
        except Exception:  # noqa: BLE001 - raised again in the order of chunks
            return chunk
        return replace(chunk, items=tuple(items))

    @property
    def signature(self) -> str:
        """Everything that can change an edit."""
        settings = self._settings
        spans = "extracted"
        if settings.keep_spans:
            spans = "minimized" if settings.minimize else "kept"
        tokens = "analyzer" if settings.tokenize else "given"
        form = "" if settings.normalize == "none" else f"|normalize:{settings.normalize}"
        made = f"spans:{spans}|tokens:{tokens}{form}|version:{__version__}"
        return f"{self._annotator.signature}|{made}"

    def __call__(self, chunk: Chunk[RunItem]) -> tuple[str, Counts]:
        """Return the text of the annotated sentences, and their counts."""
        counts = Counts()
        sentences = self.sentences(chunk, counts.lost)
        if not get_format(self._format).has_alignments:
            sentences = list(map(first_alignments, sentences))
        for sent in sentences:
            counts.add_sentence(sent)
        # Remove counts of zero.
        counts.lost = +counts.lost
        return self._text(sentences, chunk.start), counts

    def sentences(self, chunk: Chunk[RunItem], lost: Counter[str]) -> list[Sentence]:
        """Return the annotated sentences, and count what was lost."""
        items = self._split(chunk.items)
        own = [
            tokens_of(item.source) if isinstance(item, SplitRow) else item.tokens for item in items
        ]
        items = self._normalized(items)
        try:
            with allow(cells=self._max_cells):
                sentences = self._annotate(items, lost)
        except TooLargeError as error:
            numbered = enumerate(items, chunk.start)
            owners = (number for number, item in numbered if error.pair in _pairs(item))
            raise error.at("", next(owners, chunk.start)) from None
        if self._settings.normalize != "none":
            sentences = [*map(restore_form, sentences, own)]
        return sentences

    def _annotate(self, items: Sequence[SplitRow | Sentence], lost: Counter[str]) -> list[Sentence]:
        settings, annotator = self._settings, self._annotator
        sentences = [item for item in items if isinstance(item, Sentence)]
        if not sentences:
            rows = [item for item in items if isinstance(item, SplitRow)]
            return annotate_split(rows, annotator)
        if settings.keep_spans:
            return retype(sentences, annotator, minimize=settings.minimize, lost=lost)
        return standardize(sentences, annotator, lost=lost)

    def _split(self, items: Sequence[RunItem]) -> list[SplitRow | Sentence]:
        """Tokenize text, unless it is tokenized already."""
        rows = [item for item in items if isinstance(item, tuple)]
        if rows:
            return [*split_rows(rows, self._annotator, tokenize=self._settings.tokenize)]
        found = [item for item in items if not isinstance(item, tuple)]
        if self._settings.keep_spans or not self._annotator.has_alternatives:
            return found
        return [
            self._annotator.retokenized(item) if isinstance(item, Sentence) else item
            for item in found
        ]

    def _normalized(self, items: list[SplitRow | Sentence]) -> list[SplitRow | Sentence]:
        """Compose the characters of tokens, if this was asked for."""
        if self._settings.normalize == "none":
            return items
        return [
            normalize_sentence(item) if isinstance(item, Sentence) else item.normalized()
            for item in items
        ]

    @property
    def header(self) -> str:
        """What the output begins with: JSON Lines has one header."""
        out = io.StringIO()
        get_format(self._format).writer([], [out])
        return out.getvalue()

    def _text(self, sentences: Sequence[Sentence], start: int) -> str:
        fmt = get_format(self._format)
        out = io.StringIO()
        try:
            fmt.writer(sentences, [out])
        except GecevalError:
            # Find the sentence that the format cannot represent.
            for number, sent in enumerate(sentences, start + 1):
                try:
                    fmt.writer([sent], [io.StringIO()])
                except GecevalError as error:
                    raise GecevalError(f"sentence {number}: {error}") from error
            raise
        return out.getvalue().removeprefix(self.header)
