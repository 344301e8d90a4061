"""The annotator of Chinese: all cheapest alignments of characters, or of segmented words."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from geceval.errors import GecevalError, GecevalWarning
from geceval.extraction.align import Method, Operation, with_matches
from geceval.extraction.annotator import (
    CHUNK,
    Alignment,
    Annotator,
    Pair,
    Sentence,
)
from geceval.extraction.categories import CHINESE_OPERATIONS, describe_chinese
from geceval.extraction.lang import (
    Analyzer,
    AnalyzerKind,
    LanguagePack,
    Notify,
    PackOptions,
    get_pack,
)
from geceval.extraction.lang.analysis import Analysis, Text, as_text, tokens_of
from geceval.extraction.lang.memory_cache import CachedAnalyzer
from geceval.extraction.lang.zh.alignments import (
    MAX_ALIGNMENTS,
    Cheapest,
    ChineseCost,
    cheapest_alignments,
    substitution_cost,
    total_cost,
)
from geceval.extraction.lang.zh.han_text import (
    are_characters,
    characters,
    converter_version,
    simplified,
)
from geceval.extraction.lang.zh.pieces import merge_pieces
from geceval.extraction.lang.zh.resources import (
    is_han,
    load_resources,
    readings,
    readings_version,
)
from geceval.extraction.lang.zh.word_types import REORDERED, ChineseTyper, WordTagger
from geceval.extraction.merge import Change
from geceval.extraction.typers import Typer
from geceval.formats.tsv import CANNOT_ANNOTATE, NO_ERROR
from geceval.limits import PER_TOKEN, TooLargeError, check_pair
from geceval.model import Annotation, Edit, Tokens, apply_edits, first_alignments, plain_edits
from geceval.model import Sentence as AnnotatedSentence


class ChineseAnalyzer:
    """An analyzer of characters, or of words with tags."""

    kind = ""

    def __init__(self, options: PackOptions) -> None:
        self._level = options.level
        self._tagger = WordTagger()

    @property
    def signature(self) -> str:
        """The level and, for words, where tags are from."""
        return "characters" if self._level == "char" else f"words|tags:{self._tagger.signature}"

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        return [self._analysis(tokens_of(sentence)) for sentence in sentences]

    def _analysis(self, tokens: Tokens) -> Analysis:
        unknown = ("",) * len(tokens)
        tags = unknown if self._level == "char" else tuple(map(self._tagger.tag, tokens))
        return Analysis(tokens, tags, unknown, tokens, tuple(range(len(tokens))), unknown)

    def tokenize(self, text: str) -> Tokens:
        """Split text into characters."""
        return characters(text)


def load_analyzer(
    model: str | None,
    *,
    kind: AnalyzerKind = "fast",  # noqa: ARG001
    notify: Notify | None = None,  # noqa: ARG001
) -> ChineseAnalyzer:
    """Return the analyzer of characters; naming a model is an error."""
    if model is not None:
        raise GecevalError(f"the language 'zh' takes no model, not {model!r}")
    return ChineseAnalyzer(PackOptions())


class ChineseAnnotator(Annotator):
    """Extracts edits of characters, or of words of segmented text.

    Parameters
    ----------
    pack
        The pack, or its name.
    options
        Level, conversion to simplified characters, alignments and resources.
    notify
        Callback for messages; a `GecevalWarning` when None.
    align, merge, typer, model, analyzer, cache
        As in `Annotator`; only the defaults of the first four exist.

    Examples
    --------
    >>> (edit,) = Annotator("zh").annotate("我在去", "我再去")
    >>> edit.start, edit.end, edit.correction, edit.type
    (1, 2, ('再',), 'S')
    """

    has_alternatives = True

    def __init__(
        self,
        pack: LanguagePack | str = "zh",
        *,
        align: Method = "linguistic",
        merge: str = "rules",
        typer: Typer | str | None = None,
        model: str | None = None,
        analyzer: Analyzer | AnalyzerKind = "fast",  # noqa: ARG002 - there is one analyzer
        options: PackOptions | None = None,
        cache: int = 10_000,
        notify: Notify | None = None,
    ) -> None:
        given = {"--align": align != "linguistic", "--merge": merge != "rules"}
        given |= {"--typer": typer not in (None, "chinese"), "--model": model is not None}
        if wrong := [name for name, is_given in given.items() if is_given]:
            raise GecevalError(
                f"Chinese has its own alignment, merging and types: {', '.join(wrong)} cannot be "
                "chosen with the language 'zh'"
            )
        self.pack = get_pack(pack) if isinstance(pack, str) else pack
        self.options = PackOptions() if options is None else options
        self.method = align
        self.strategy = merge
        self.resources = load_resources(self.options.resources)
        self.typer = ChineseTyper(self.options.level)
        self.analyzer = CachedAnalyzer(ChineseAnalyzer(self.options), size=cache)
        self._notify = notify
        self._has_told = notify is None

    def __getstate__(self) -> dict[str, object]:
        """Exclude the callback for messages, which cannot be copied to other processes."""
        return {**vars(self), "_notify": _ignored}

    @property
    def signature(self) -> str:
        """Every setting that can change an edit."""
        options = self.options
        parts = {
            "lang": self.pack.name,
            "level": self.analyzer.signature,
            "types": self.typer.signature,
            "alignments": f"all-{MAX_ALIGNMENTS}" if options.alignments == "all" else "first",
            "simplified": f"opencc-{converter_version()}" if options.simplify else "no",
            "pinyin": f"pypinyin-{readings_version()}",
        }
        stated = "|".join(f"{name}:{value}" for name, value in parts.items())
        return f"{stated}|{self.resources.signature}"

    def split(self, text: str, *, corrected: bool = False, tokenize: bool = False) -> Tokens:
        """Split text into characters, or segmented text into words; simplify a correction."""
        if self.options.level == "word" and tokenize:
            raise GecevalError("geceval does not segment Chinese text: --level word takes words")
        # White space is no part of the text, so it does not affect the conversion.
        parts = text.split() if self.options.level == "word" else ["".join(text.split())]
        if corrected and self.options.simplify:
            parts = list(map(simplified, parts))
        return tuple(parts) if self.options.level == "word" else characters(parts[0])

    def split_target(self, text: str, source: Text, *, tokenize: bool = False) -> Tokens | None:
        """Split the correction of `source`; None if it says that there can be none."""
        placeholder = text.strip()
        if placeholder == CANNOT_ANNOTATE:
            return None
        if placeholder == NO_ERROR:
            return tokens_of(source)
        return self.split(text, corrected=True, tokenize=tokenize)

    def retokenized(self, sent: AnnotatedSentence) -> AnnotatedSentence:
        """Return a sentence in the tokens of the language; its edits are then plain differences.

        Only the first alignment of each annotator remains, whose correction is the same.
        """
        source = self.split(" ".join(sent.tokens))
        annotations, declined = [], [*sent.not_annotatable]
        for ann in first_alignments(sent).annotations:
            if not ann.edits and ann.target is None:
                # Nothing is wrong, not even traditional characters.
                annotations.append(Annotation(ann.annotator))
                continue
            text = " ".join(apply_edits(sent.tokens, ann.edits))
            target = self.split_target(text, source)
            if target is None:
                declined.append(ann.annotator)
            else:
                annotations.append(Annotation(ann.annotator, plain_edits(source, target)))
        return AnnotatedSentence(
            source, tuple(annotations), id=sent.id, not_annotatable=tuple(declined)
        )

    def annotate_pairs(self, pairs: Iterable[Pair]) -> Iterator[tuple[Edit, ...]]:
        """Yield the edits of each pair, in order, by its first alignment."""
        return (readings[0] for readings in self._readings(pairs, limit=1))

    def alternatives(self, pairs: Iterable[Pair]) -> Iterator[tuple[tuple[Edit, ...], ...]]:
        """Yield, for each pair, the edits of each alignment that gives others."""
        return self._readings(pairs, limit=self._limit)

    @property
    def _limit(self) -> int:
        return MAX_ALIGNMENTS if self.options.alignments == "all" else 1

    def _readings(
        self, pairs: Iterable[Pair], *, limit: int
    ) -> Iterator[tuple[tuple[Edit, ...], ...]]:
        self._tell_resources()
        stream = iter(pairs)
        done = 0
        while chunk := list(islice(stream, CHUNK)):
            tokens = [
                (self._as_tokens(source), self._as_tokens(target, corrected=True))
                for source, target in chunk
            ]
            changed = [pair for pair in dict.fromkeys(tokens) if pair[0] != pair[1]]
            try:
                analyzed = self.analyze(changed)
                found = self._cheapest(analyzed, limit=limit)
            except TooLargeError as error:
                raise error.at("", done + tokens.index(error.pair)) from None
            known = {
                pair: self._edits(*both, cheapest)
                for pair, both, cheapest in zip(changed, analyzed, found, strict=True)
            }
            for pair in tokens:
                yield known.get(pair, ((),))
            done += len(chunk)

    def _as_tokens(self, sentence: Sentence, *, corrected: bool = False) -> Tokens:
        if isinstance(sentence, str):
            return self.split(sentence, corrected=corrected)
        tokens = tokens_of(as_text(sentence))
        if self.options.level == "char" and not are_characters(tokens):
            raise GecevalError(
                f"the tokens of {' '.join(tokens)[:40]!r} are not characters: give text, or "
                "--level word for the edits of words"
            )
        return tokens

    def _cheapest(
        self, pairs: Sequence[tuple[Analysis, Analysis]], *, limit: int
    ) -> list[Cheapest]:
        found = cheapest_alignments(pairs, self.resources, level=self.options.level, limit=limit)
        if limit > 1 and (n_limited := sum(one.is_limited for one in found)):
            verb = "sentence has" if n_limited == 1 else "sentences have"
            self._tell(
                f"{n_limited:,} {verb} more than {limit:,} cheapest alignments, of which the first "
                f"{limit:,} were used"
            )
        return found

    def _edits(
        self, source: Analysis, target: Analysis, cheapest: Cheapest
    ) -> tuple[tuple[Edit, ...], ...]:
        """Return the distinct lists of edits of all alignments."""
        readings = (
            tuple(
                self.typed(change, source, target)
                for change in self._merged(operations, source, target)
            )
            for operations in cheapest.alignments
        )
        return tuple(dict.fromkeys(readings))

    def _merged(
        self, operations: Sequence[Operation], source: Analysis, target: Analysis
    ) -> list[Change]:
        changes = [one for one in operations if one.kind != "M"]
        return merge_pieces(changes, source.tokens, target.tokens, level=self.options.level)

    def analyze(self, pairs: Sequence[tuple[Text, Text]]) -> list[tuple[Analysis, Analysis]]:
        """Analyze both sides of each pair."""
        for source, target in pairs:
            check_pair(source, target, per_token=PER_TOKEN)
        analyses = self.analyzer.analyze([sentence for pair in pairs for sentence in pair])
        return list(zip(analyses[::2], analyses[1::2], strict=True))

    def parse(self, text: str, *, tokenize: bool = False) -> Analysis:
        """Analyze a sentence."""
        (analysis,) = self.analyzer.analyze([self.split(text, tokenize=tokenize)])
        return analysis

    def align(self, source: Analysis | Sentence, corrected: Analysis | Sentence) -> Alignment:
        """Align the tokens of two sentences; the first alignment of several."""
        before, after = (
            one
            if isinstance(one, Analysis)
            else self.analyzer.analyze([self._as_tokens(one, corrected=one is corrected)])[0]
            for one in (source, corrected)
        )
        check_pair(before.tokens, after.tokens, per_token=PER_TOKEN)
        (found,) = self._cheapest([(before, after)], limit=1)
        operations = with_matches(found.alignments[0], len(before))
        return Alignment(before, after, tuple(operations))

    def merge(self, alignment: Alignment) -> tuple[Change, ...]:
        """Merge the operations of an alignment into edits, which have no type yet."""
        source, target, operations = alignment
        return tuple(self._merged(operations, source, target))

    def cost(self, operation: Operation, alignment: Alignment) -> tuple[float, ChineseCost]:
        """Return the cost of a substitution and its parts."""
        source, target, _ = alignment
        row, column = operation.start, operation.target_start
        are_words = self.options.level == "word"
        parts = substitution_cost(
            source.tokens[row],
            target.tokens[column],
            self.resources,
            tags=(source.tags[row], target.tags[column]) if are_words else None,
        )
        return total_cost(parts, self.options.level), parts

    def facts(self, change: Change, alignment: Alignment) -> Iterator[str]:
        """Yield what the tokens of a substitution have in common."""
        source, target, _ = alignment
        before = source.tokens[change.start : change.end]
        after = target.tokens[change.target_start : change.target_end]
        if len(before) != len(after) or change.rule in REORDERED:
            return
        for one, two in zip(before, after, strict=True):
            if one == two or not is_han(one + two):
                continue
            if len(one) == len(two) == 1 and (common := readings(one) & readings(two)):
                yield f"“{one}” and “{two}” are both read {', '.join(sorted(common))}"
            if self.resources.are_confused(one, two):
                yield f"“{one}” and “{two}” are in the list of confusions"
            meanings = [self.resources.thesaurus.get(word) for word in (one, two)]
            if None not in meanings:
                codes = " and ".join("".join(meaning) for meaning in meanings if meaning)
                yield f"their classes in the thesaurus are {codes}"

    def describe(self, type: str) -> tuple[str | None, str | None]:
        """Describe the operation of a type and its meaning, where they are known."""
        operation, _, category = type.partition(":")
        return CHINESE_OPERATIONS.get(operation), describe_chinese(type) if category else None

    def _tell_resources(self) -> None:
        """Say once what is missing; users of Python see it in the signature."""
        missing = self.resources.missing
        if self.options.level == "word" and self.analyzer.signature.endswith("none"):
            missing.append("tags of words (pip install jieba), so that most types are OTHER,")
        if missing and not self._has_told:
            self._tell(
                f"Chinese edits are extracted without {' and '.join(missing)}: a score may differ "
                "from published ones by about 0.001; see --resources"
            )
        self._has_told = True

    def _tell(self, message: str) -> None:
        if self._notify is not None:
            self._notify(message)
        else:
            warnings.warn(message, GecevalWarning, stacklevel=3)


def _ignored(_: str) -> None:
    """Ignore a message that the main process has shown."""
