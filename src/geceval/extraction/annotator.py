"""Edits out of parallel text: analyze, align, merge, type."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, cast

from geceval.errors import GecevalError
from geceval.extraction.align import (
    Method,
    Operation,
    SubstitutionCost,
    align_pairs,
    check_method,
    substitution_cost,
    with_matches,
)
from geceval.extraction.categories import OPERATIONS, UNIVERSAL_TYPERS, describe
from geceval.extraction.contractions import ContractionMerger
from geceval.extraction.lang import (
    Analyzer,
    AnalyzerKind,
    LanguagePack,
    Notify,
    PackOptions,
    get_pack,
)
from geceval.extraction.lang.analysis import Analysis, SpacedTokens, Text, as_text
from geceval.extraction.lang.loading import spacy_version
from geceval.extraction.lang.memory_cache import CachedAnalyzer
from geceval.extraction.lang.typing_rules import order_similarity, rules_for
from geceval.extraction.merge import Change, Strategy, get_strategy
from geceval.extraction.typers import Typer, get_typer
from geceval.limits import ANALYSIS, TooLargeError, check_pair
from geceval.model import Edit
from geceval.model import Sentence as AnnotatedSentence
from geceval.model.arguments import shown
from geceval.text import split_tokens, tokens_at
from geceval.tokenization import has_rules, tokenizer_for

if TYPE_CHECKING:
    from geceval.extraction.lang.zh.alignments import ChineseCost

Sentence: TypeAlias = str | Sequence[str] | SpacedTokens
"""Text with spaces between the tokens, tokens, or raw text tokenized by the analyzer."""

Pair: TypeAlias = tuple[Sentence, Sentence]
"""A source sentence and its correction."""

Aligner: TypeAlias = Callable[[Sequence[tuple[Analysis, Analysis]]], list[list[Operation]]]
"""Aligns pairs of sentences, without returning matches."""

CHUNK = 512
"""Number of pairs processed together."""


class Alignment(NamedTuple):
    """The alignment of two sentences."""

    source: Analysis
    target: Analysis
    operations: tuple[Operation, ...]


class Annotator:
    """Extracts typed edits from sentences and their corrections.

    Parameters
    ----------
    pack
        A language pack or the name of one.
    align
        ``"linguistic"`` or ``"levenshtein"`` (see `geceval.extraction.align.align`).
    merge
        ``"rules"``, ``"rules-2017"``, ``"all-split"``, ``"all-merge"`` or ``"all-equal"`` (see
        `geceval.extraction.merge.merge`).
    typer
        Error-type classifier or its name; that of the language when None.
    model
        Name of a spaCy pipeline; that of the language when None.
    analyzer
        Implementation that runs the model, ``"fast"`` or ``"spacy"``, or an analyzer, which
        several annotators may share.
    options
        Options of the language pack: files to read, and names of types.
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
    >>> (edit,) = annotator.annotate("I lik it", "I like it")
    >>> edit.start, edit.end, edit.correction, edit.type
    (1, 2, ('like',), 'R:SPELL')
    """

    has_alternatives = False
    """Whether a pair may have several alignments with different edits, see `alternatives`."""

    def __new__(cls, pack: LanguagePack | str = "en", **_: Any) -> Self:
        """Create an annotator of the class of the language pack."""
        name = (get_pack(pack) if isinstance(pack, str) else pack).annotator
        kind = _annotator_class(name) if name and cls is Annotator else cls
        return object.__new__(cast("type[Self]", kind))

    def __getnewargs__(self) -> tuple[LanguagePack]:
        """Return the pack for copying and unpickling."""
        return (self.pack,)

    def __init__(
        self,
        pack: LanguagePack | str = "en",
        *,
        align: Method = "linguistic",
        merge: str = "rules",
        typer: Typer | str | None = None,
        model: str | None = None,
        analyzer: Analyzer | AnalyzerKind = "fast",
        options: PackOptions | None = None,
        cache: int = 5_000,
        notify: Notify | None = None,
    ) -> None:
        pack = get_pack(pack) if isinstance(pack, str) else pack
        self.options = options = PackOptions() if options is None else options
        self.pack = pack
        if given := options.chinese:
            raise GecevalError(f"{', '.join(given)} is for the language 'zh', not {pack.name!r}")
        check_method(align)
        self.method: Method = align
        self._align = _aligner(pack, align, options)
        self.strategy = merge
        self._merge = _merger(pack, merge)
        typer = pack.typer if typer is None else typer
        if isinstance(typer, str):
            typer = get_typer(typer, language=pack.name, options=options)
        self.typer: Typer = typer
        if isinstance(analyzer, str):
            analyzer = pack.analyzer(model, kind=analyzer, notify=notify, options=options)
        self.analyzer = CachedAnalyzer(analyzer, size=cache)

    @property
    def signature(self) -> str:
        """Every setting that can change an edit, and the implementation of the analyzer."""
        parts = {
            "lang": self.pack.name,
            "model": self.analyzer.signature,
            "analyzer": self.analyzer.kind,
            "spacy": spacy_version() if self.analyzer.kind else "",
            "align": self.method,
            "merge": self.strategy,
            "types": self.typer.signature,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items() if value)

    def annotate(self, source: Sentence, corrected: Sentence) -> tuple[Edit, ...]:
        """Return the typed edits that transform `source` into `corrected`."""
        (edits,) = self.annotate_pairs([(source, corrected)])
        return edits

    def parse(self, text: str, *, tokenize: bool = False) -> Analysis:
        """Analyze a sentence, with spaces between the tokens or, with `tokenize`, raw text."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a string, not {shown(text)}")
        sentence = self.tokenize(text) if tokenize else split_tokens(text)
        (analysis,) = self.analyzer.analyze([sentence])
        return analysis

    def tokenize(self, text: str) -> Text:
        """Tokenize raw text by the rules of its language, or as its model expects it."""
        if self.analyzer.kind or not has_rules(self.pack.name):
            return self.analyzer.tokenize(text)
        return tokens_at(text, tokenizer_for(self.pack.name)(text))

    def align(self, source: Analysis | Sentence, corrected: Analysis | Sentence) -> Alignment:
        """Align the tokens of two sentences."""
        before, after = self._analysis(source), self._analysis(corrected)
        check_pair(before.tokens, after.tokens, per_token=ANALYSIS)
        (changes,) = self._align([(before, after)])
        return Alignment(before, after, tuple(with_matches(changes, len(before))))

    def merge(self, alignment: Alignment) -> tuple[Change, ...]:
        """Merge the operations of an alignment into edits, which have no type yet.

        Examples
        --------
        >>> annotator = Annotator("plain")
        >>> alignment = annotator.align("I lik it", "I like it")
        >>> [annotator.classify(change, alignment).type for change in annotator.merge(alignment)]
        ['R:SPELL']
        """
        source, target, operations = alignment
        changes = [operation for operation in operations if operation.kind != "M"]
        return tuple(self._merge(changes, source, target))

    def cost(
        self, operation: Operation, alignment: Alignment
    ) -> tuple[float, SubstitutionCost | ChineseCost | None]:
        """Return the cost of a substitution and, if it has some, its parts."""
        source, target, _ = alignment
        if self.method != "linguistic":
            return 1.0, None
        parts = substitution_cost(source, operation.start, target, operation.target_start)
        return parts.total, parts

    def facts(self, change: Change, alignment: Alignment) -> Iterator[str] | None:  # noqa: ARG002
        """Yield the evidence for the type of an edit; None for that of words in general."""
        return None

    def describe(self, type: str) -> tuple[str | None, str | None]:
        """Describe the operation of a type and its meaning, where they are known."""
        universal = self.typer.signature.startswith(UNIVERSAL_TYPERS)
        return OPERATIONS.get(type.partition(":")[0]), describe(type, universal=universal)

    def classify(self, change: Change, alignment: Alignment) -> Edit:
        """Make a typed edit of one that `merge` returned for an alignment."""
        return self.typed(change, alignment.source, alignment.target)

    def _analysis(self, sentence: Analysis | Sentence) -> Analysis:
        if isinstance(sentence, Analysis):
            return sentence
        (analysis,) = self.analyzer.analyze([_as_text(sentence)])
        return analysis

    def split(self, text: str, *, corrected: bool = False, tokenize: bool = False) -> Text:  # noqa: ARG002
        """Split a sentence into tokens: at its spaces or, with `tokenize`, by the analyzer.

        Some languages treat the `corrected` sentence differently from the source.
        """
        return self.tokenize(text) if tokenize else split_tokens(text)

    def split_target(self, text: str, source: Text, *, tokenize: bool = False) -> Text | None:  # noqa: ARG002
        """Split the correction of `source`; None for a placeholder that is no correction."""
        return self.split(text, corrected=True, tokenize=tokenize)

    def retokenized(self, sent: AnnotatedSentence) -> AnnotatedSentence:
        """Return a sentence in the tokens of the language; its edits are then plain differences."""
        return sent

    def alternatives(self, pairs: Iterable[Pair]) -> Iterator[tuple[tuple[Edit, ...], ...]]:
        """Yield, for each pair, the edits of each alignment that gives others.

        There is one, unless the language has several; see `has_alternatives`.
        """
        return ((edits,) for edits in self.annotate_pairs(pairs))

    def annotate_pairs(self, pairs: Iterable[Pair]) -> Iterator[tuple[Edit, ...]]:
        """Yield the edits of each pair, in order.

        Pairs are read in chunks, so the stream may be of any length. Consecutive corrections of
        the same source are processed most efficiently.
        """
        stream = iter(pairs)
        done = 0
        while chunk := list(islice(stream, CHUNK)):
            tokens = [(_as_text(source), _as_text(target)) for source, target in chunk]
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
        alignments = self._align(analyzed)
        for (source, target), operations in zip(analyzed, alignments, strict=True):
            yield tuple(
                self.typed(change, source, target)
                for change in self._merge(operations, source, target)
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


def _annotator_class(name: str) -> type[Annotator]:
    """Return the annotator of a language pack, given as ``module:Class``."""
    module, _, attribute = name.partition(":")
    found: type[Annotator] = getattr(
        importlib.import_module(f"geceval.extraction.lang.{module}"), attribute
    )
    return found


def _aligner(pack: LanguagePack, method: Method, options: PackOptions) -> Aligner:
    """Return the function that aligns pairs of sentences of a language."""
    similarity = None
    if pack.typer == "rules":
        similarity = order_similarity(rules_for(pack.name), options)
    return partial(align_pairs, method=method, similarity=similarity)


def _merger(pack: LanguagePack, name: str) -> Strategy:
    """Return a merging strategy as it is for a language."""
    strategy = get_strategy(name, language=pack.name)
    contractions = rules_for(pack.name).contractions if pack.typer == "rules" else None
    if contractions and name.startswith("rules"):
        return ContractionMerger(strategy, contractions)
    return strategy


def _as_text(sentence: Sentence) -> Text:
    """Split text at spaces; tokens are taken as they are."""
    return split_tokens(sentence) if isinstance(sentence, str) else as_text(sentence)
