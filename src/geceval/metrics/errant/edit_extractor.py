"""Extraction of the edits of systems and annotators, once for all equal sentence pairs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from threading import Lock
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, Unpack
from weakref import WeakKeyDictionary

from geceval.engines.process import switch_interval
from geceval.engines.threads import WeakCache, allowed
from geceval.errors import GecevalError
from geceval.extraction.align import Method
from geceval.extraction.annotator import CHUNK, Annotator
from geceval.extraction.lang import AnalyzerKind, Notify, PackOptions, get_pack, pack_names
from geceval.extraction.lang.prefetch import SWITCH_INTERVAL
from geceval.extraction.typers import LEARNED, get_typer, typer_names
from geceval.limits import ANALYSIS, TooLargeError, check_pairs
from geceval.metrics.errant.joint_extraction import JointExtraction
from geceval.metrics.options import Default, Jobs, resolved
from geceval.model import (
    Corpus,
    Edit,
    Hypothesis,
    OutputReading,
    Tokens,
    alignment_name,
    apply_edits,
)

SentencePair: TypeAlias = tuple[Tokens, Tokens]

Merge: TypeAlias = Literal["rules", "rules-2017", "all-split", "all-merge", "all-equal"]

MAX_PAIRS = 200_000
"""Sentence pairs after which the cache is cleared."""

_LOADING = Lock()

Readings: TypeAlias = tuple[tuple[Edit, ...], ...]
"""The edits of a pair by alignment; there is one, unless the language has several."""


_ARGUMENTS = {"lang": "pack", "pack_options": "options"}
"""Arguments of `Annotator` with other names than the options."""


@dataclass(frozen=True, slots=True)
class _Extracted:
    """What an annotator extracted: the edits of pairs and, without looking at them, of outputs."""

    pairs: dict[SentencePair, Readings] = field(default_factory=dict)
    outputs: WeakCache[Hypothesis, WeakCache[Corpus, list[tuple[Edit, ...]]]] = field(
        default_factory=WeakCache
    )


_caches: WeakKeyDictionary[Annotator, _Extracted] = WeakKeyDictionary()
"""Edits by annotator, so that metrics with the same one extract them once."""


# The order of these fields is that of the options in listings.


class _Alignment(TypedDict, total=False):
    lang: Annotated[str, Default("en")]
    align: Annotated[Method, Default("linguistic")]
    merge: Annotated[Merge, Default("rules")]


class _Types(TypedDict, total=False):
    typer: Annotated[str | None, Default(None)]


class _Analysis(TypedDict, total=False):
    model: Annotated[str | None, Default(None)]
    analyzer: Annotated[AnalyzerKind, Default("fast")]
    pack_options: Annotated[PackOptions | None, Default(None)]
    notify: Annotated[Notify | None, Default(None)]
    annotator: Annotated[Annotator | None, Default(None)]


class UntypedExtractionOptions(_Alignment, _Analysis):
    """Options of metrics that ignore the types of edits, and use one core."""


class SerialExtractionOptions(_Alignment, _Types, _Analysis):
    """Options of metrics that use one core."""


class ExtractionOptions(SerialExtractionOptions, total=False):
    """Options of extraction; `ExtractorMetric` describes them."""

    jobs: Annotated[Jobs, Default(1)]


class EditExtractor:
    """Extracts edits and caches them for all that have the same annotator; threads may share it.

    Parameters
    ----------
    lang, align, merge, typer, model, analyzer, pack_options, notify
        How edits are extracted, see `Annotator`, which is loaded when it is first needed.
    annotator
        An annotator to use instead of these options.
    jobs
        Number of cores; a second one prefetches analyses.
    """

    def __init__(self, **options: Unpack[ExtractionOptions]) -> None:
        self._options = resolved(ExtractionOptions, options)
        _check_names(self._options["lang"], self._options["typer"])
        self._annotator = self._options["annotator"]

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the arguments, without the callback for messages."""
        options = self._options.copy()
        options["notify"] = None
        return partial(EditExtractor, **options), ()

    @property
    def lang(self) -> str:
        """Name of the language pack."""
        given = self._options["annotator"]
        return self._options["lang"] if given is None else given.pack.name

    @property
    def pack_options(self) -> PackOptions:
        """Options of the language pack."""
        given = self._options["annotator"]
        return self._options["pack_options"] or PackOptions() if given is None else given.options

    @property
    def annotator(self) -> Annotator:
        """The annotator, shared by all metrics with the same options."""
        if self._annotator is None:
            arguments: dict[str, Any] = {
                _ARGUMENTS.get(name, name): value
                for name, value in self._options.items()
                if name not in ("annotator", "jobs")
            }
            with _LOADING:
                self._annotator = _shared_annotator(**arguments)
        return self._annotator

    def extract(
        self, name: str, pairs: Sequence[SentencePair], numbers: Sequence[int] | None = None
    ) -> list[tuple[Edit, ...]]:
        """Extract the edits of sentence pairs, by the first alignment; see `readings`."""
        return [readings[0] for readings in self.readings(name, pairs, numbers)]

    def readings(
        self, name: str, pairs: Sequence[SentencePair], numbers: Sequence[int] | None = None
    ) -> list[Readings]:
        """Extract the edits of sentence pairs, by alignment.

        Parameters
        ----------
        name
            Name of the system or corpus, for messages.
        pairs
            Source and corrected sentences.
        numbers
            Index of each pair's sentence; all in order by default.
        """
        numbers = range(len(pairs)) if numbers is None else numbers
        sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
        check_pairs(name, sources, targets, numbers=numbers, per_token=ANALYSIS)
        cache = _cache_of(self.annotator).pairs
        new = [pair for pair in dict.fromkeys(pairs) if pair not in cache]
        try:
            cache.update(zip(new, self._annotate(new), strict=True))
        except TooLargeError as error:
            raise error.at(name, numbers[pairs.index(error.pair)]) from None
        return [cache[pair] for pair in pairs]

    def _annotate(self, pairs: Sequence[SentencePair]) -> Iterator[Readings]:
        annotator = self.annotator
        if allowed(self._options["jobs"]) < 2 or not annotator.analyzer.can_prefetch:
            yield from annotator.alternatives(pairs)
            return
        with switch_interval(SWITCH_INTERVAL):
            for start in range(0, len(pairs), CHUNK):
                end = start + CHUNK
                annotator.prefetch(pairs[end : end + CHUNK])
                yield from annotator.alternatives(pairs[start:end])

    def with_readings(self, corpus: Corpus, hypothesis: Hypothesis) -> Hypothesis:
        """Return the output with the edits of each alignment, unless it has edits.

        This is for languages with several alignments. The sentences are what the edits make of
        the source, since words that are only segmented differently are not edited.
        """
        if hypothesis.edits is not None or not self.annotator.has_alternatives:
            return hypothesis
        pairs = list(zip(corpus.sources, hypothesis, strict=True))
        found = self.readings(hypothesis.name, pairs)
        most = max(map(len, found), default=1)
        alternatives = (
            OutputReading(
                alignment_name("0", number),
                tuple(
                    apply_edits(source, ways[number]) if number < len(ways) else None
                    for (source, _), ways in zip(pairs, found, strict=True)
                ),
                tuple(ways[number] if number < len(ways) else None for ways in found),
            )
            for number in range(most)
        )
        return replace(
            hypothesis,
            sentences=tuple(
                apply_edits(source, ways[0]) for (source, _), ways in zip(pairs, found, strict=True)
            ),
            edits=tuple(ways[0] for ways in found),
            readings=tuple(alternatives) if most > 1 else (),
        )

    def system_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> Sequence[tuple[Edit, ...]]:
        """Return the edits of a system, which are extracted if the output is text."""
        if hypothesis.edits is None:
            return self.output_edits(corpus, hypothesis)
        check_edits(corpus, hypothesis, hypothesis.edits)
        return hypothesis.edits

    def output_edits(self, corpus: Corpus, hypothesis: Hypothesis) -> Sequence[tuple[Edit, ...]]:
        """Extract the edits of a system from its sentences."""
        check_pairs(hypothesis.name, corpus.sources, hypothesis.sentences, per_token=ANALYSIS)
        # Most metrics of edits ask for the same, and looking up long sentences takes time.
        known = _cache_of(self.annotator).outputs.get(hypothesis, lambda _: WeakCache())
        return known.get(corpus, lambda corpus: self._extract_output(corpus, hypothesis))

    def _extract_output(self, corpus: Corpus, hypothesis: Hypothesis) -> list[tuple[Edit, ...]]:
        return self.extract(hypothesis.name, list(zip(corpus.sources, hypothesis, strict=True)))

    def steps_for(
        self, outputs: Sequence[tuple[Corpus, Hypothesis]]
    ) -> Sequence[Callable[[], None]]:
        """Return steps that extract the edits of several outputs, see `JointExtraction`.

        There are none for less than two outputs whose edits are still unknown.
        """
        texts = [
            (corpus, one)
            for corpus, one in outputs
            if one.edits is None and len(one) == len(corpus)
        ]
        # The annotator is loaded only if there is something to extract.
        if len(texts) < 2 or self.annotator.has_alternatives:
            return ()
        known = _cache_of(self.annotator).outputs
        new = [
            (corpus, one)
            for corpus, one in texts
            if corpus not in known.get(one, lambda _: WeakCache())
        ]
        if len(new) < 2:
            return ()
        for corpus, one in new:
            check_pairs(one.name, corpus.sources, one.sentences, per_token=ANALYSIS)

        def store(corpus: Corpus, hypothesis: Hypothesis, edits: list[tuple[Edit, ...]]) -> None:
            known.get(hypothesis, lambda _: WeakCache()).get(corpus, lambda _: edits)

        return JointExtraction(new, self._annotate, store).steps()


def _check_names(lang: str, typer: str | None) -> None:
    """Raise an error for unknown names at construction, not during extraction."""
    if lang not in pack_names():
        get_pack(lang)
    if typer is not None and typer not in typer_names() and not typer.startswith(LEARNED):
        get_typer(typer)


def check_edits(
    corpus: Corpus,
    hypothesis: Hypothesis,
    edits: Sequence[tuple[Edit, ...]],
    *,
    is_same: Callable[[Tokens, Tokens], bool] = operator.eq,
) -> None:
    """Raise an error for edits of other sentences, by what they make of the source."""
    for number, (sent, found, output) in enumerate(zip(corpus, edits, hypothesis, strict=True), 1):
        if not is_same(apply_edits(sent.tokens, found), output):
            raise GecevalError(
                f"the edits of {hypothesis.name or 'the hypothesis'} are not edits of sentence "
                f"{number} of {corpus.name or 'the gold standard'}: the source is another one"
            )


def _cache_of(annotator: Annotator) -> _Extracted:
    with _LOADING:
        cache = _caches.get(annotator)
        # Other threads may still read the old cache, so it is replaced rather than cleared.
        if cache is None or len(cache.pairs) > MAX_PAIRS:
            cache = _caches[annotator] = _Extracted()
        return cache


_shared_annotator = lru_cache(maxsize=2)(Annotator)
