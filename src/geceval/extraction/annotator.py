"""Edits out of parallel text: analyze, align, merge, type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from geceval.extraction.align import Method, align_pairs, check_method
from geceval.extraction.lang import Analyzer, AnalyzerKind, LanguagePack, Notify, get_pack
from geceval.extraction.lang.analysis import Analysis, SpacedTokens, Text, as_text
from geceval.extraction.lang.loading import spacy_version
from geceval.extraction.lang.memory_cache import CachedAnalyzer
from geceval.extraction.merge import Change, get_strategy
from geceval.extraction.typers import Typer, get_typer
from geceval.limits import ANALYSIS, TooLargeError, check_pair
from geceval.model import Edit

Pair: TypeAlias = tuple[Sequence[str] | SpacedTokens, Sequence[str] | SpacedTokens]
"""A source sentence and its correction, as tokens or as raw text tokenized by the analyzer."""

CHUNK = 512
"""Number of pairs processed together."""


class Annotator:
    """Extracts typed edits from sentences and their corrections.

    Parameters
    ----------
    pack
        A language pack or the name of one.
    align
        ``"linguistic"`` or ``"levenshtein"`` (see `geceval.extraction.align.align`).
    merge
        ``"rules"``, ``"all-split"``, ``"all-merge"`` or ``"all-equal"`` (see
        `geceval.extraction.merge.merge`).
    typer
        Error-type classifier or its name; that of the language when None.
    model
        Name of a spaCy pipeline; that of the language when None.
    analyzer
        Implementation that runs the model, ``"fast"`` or ``"spacy"``, or an analyzer, which
        several annotators may share.
    cache
        Number of analyzed sentences to cache.
    notify
        Callback for the message that spaCy has to replace the fast analyzer; a `GecevalWarning`
        when None.

    Notes
    -----
    An annotator is thread-safe if its analyzer is, as the fast one.

    Examples
    --------
    >>> annotator = Annotator("plain")
    >>> (edit,) = annotator.edits("I lik it".split(), "I like it".split())
    >>> edit.start, edit.end, edit.correction, edit.type
    (1, 2, ('like',), 'R:SPELL')
    """

    def __init__(
        self,
        pack: LanguagePack | str = "en",
        *,
        align: Method = "linguistic",
        merge: str = "rules",
        typer: Typer | str | None = None,
        model: str | None = None,
        analyzer: Analyzer | AnalyzerKind = "fast",
        cache: int = 10_000,
        notify: Notify | None = None,
    ) -> None:
        pack = get_pack(pack) if isinstance(pack, str) else pack
        self.pack = pack
        check_method(align)
        self.align: Method = align
        self.merge = merge
        self._strategy = get_strategy(merge)
        typer = pack.typer if typer is None else typer
        self.typer: Typer = get_typer(typer) if isinstance(typer, str) else typer
        if isinstance(analyzer, str):
            analyzer = pack.analyzer(model, kind=analyzer, notify=notify)
        self.analyzer = CachedAnalyzer(analyzer, size=cache)

    @property
    def signature(self) -> str:
        """Every setting that can change an edit, and the implementation of the analyzer."""
        parts = {
            "lang": self.pack.name,
            "model": self.analyzer.signature,
            "analyzer": self.analyzer.kind,
            "spacy": spacy_version() if self.analyzer.kind else "",
            "align": self.align,
            "merge": self.merge,
            "types": self.typer.signature,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items() if value)

    def edits(self, source: Sequence[str], target: Sequence[str]) -> tuple[Edit, ...]:
        """Return the edits that transform `source` into `target`."""
        (edits,) = self.annotate([(source, target)])
        return edits

    def annotate(self, pairs: Iterable[Pair]) -> Iterator[tuple[Edit, ...]]:
        """Yield the edits of each pair, in order.

        Pairs are read in chunks, so the stream may be of any length. Consecutive corrections of
        the same source are processed most efficiently.
        """
        stream = iter(pairs)
        done = 0
        while chunk := list(islice(stream, CHUNK)):
            tokens = [(as_text(source), as_text(target)) for source, target in chunk]
            try:
                yield from self._annotate_chunk(tokens)
            except TooLargeError as error:
                raise error.at("", done + tokens.index(error.pair)) from None
            done += len(chunk)

    def prefetch(self, pairs: Iterable[tuple[Text, Text]]) -> None:
        """Prefetch the analyses of the next pairs in a second thread."""
        self.analyzer.prefetch([sent for pair in pairs if pair[0] != pair[1] for sent in pair])

    def _annotate_chunk(self, pairs: list[tuple[Text, Text]]) -> Iterator[tuple[Edit, ...]]:
        changed = [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]
        known = dict(zip(changed, self._typed(changed), strict=True))
        for pair in pairs:
            yield known[pair] if pair[0] != pair[1] else ()

    def _typed(self, pairs: list[tuple[Text, Text]]) -> Iterator[tuple[Edit, ...]]:
        analyzed = self.analyze(pairs)
        alignments = align_pairs(analyzed, method=self.align)
        for (source, target), operations in zip(analyzed, alignments, strict=True):
            yield tuple(
                self.typed(change, source, target)
                for change in self._strategy(operations, source, target)
            )

    def analyze(self, pairs: Sequence[tuple[Text, Text]]) -> list[tuple[Analysis, Analysis]]:
        """Analyze both sides of each pair."""
        for source, target in pairs:
            check_pair(source, target, per_token=ANALYSIS)
        sentences = [sentence for pair in pairs for sentence in pair]
        analyses = self.analyzer.analyze(sentences)
        return list(zip(analyses[::2], analyses[1::2], strict=True))

    def typed(self, change: Change, source: Analysis, target: Analysis) -> Edit:
        """Convert a change into a typed edit."""
        return Edit(
            change.start,
            change.end,
            (target.tokens[change.target_start : change.target_end],),
            self.typer.type(change, source, target),
        )
