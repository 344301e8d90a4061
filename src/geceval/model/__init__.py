"""The data model: edits, annotations, sentences, corpora and hypotheses.

Everything here is immutable, compares by value and speaks of token offsets only; formats
convert characters and bytes at the border. See ``docs/guide/model.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

from geceval.errors import MismatchError, UnknownNameError
from geceval.model.arguments import (
    check_corrections,
    check_items,
    check_sentences,
    check_text,
    check_tokens,
    text_lines,
)

if TYPE_CHECKING:
    from geceval.model.diff import Change

Tokens: TypeAlias = tuple[str, ...]
"""A tokenized sentence or phrase."""

MissingPolicy: TypeAlias = Literal["absent", "noop", "same"]
"""Whether a missing annotator did not look, found nothing to correct, or agrees with the one
before."""

FLAG_TYPES = frozenset({"UNK", "Um"})
"""Types of errors that nobody corrected, ERRANT's ``UNK`` and NUCLE's "unclear meaning"."""


MAX_OFFSET = 1 << 30
"""The last place of a token that an edit may name: what counts edits has room for no larger one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to a half-open span of source tokens.

    Parameters
    ----------
    start, end
        Token offsets; an insertion has ``start == end`` and goes before that token.
    corrections
        Alternatives, each a tuple of tokens: ``((),)`` deletes the span, ``()`` only
        flags it (an error was seen, no correction given).
    type
        Error type in whatever vocabulary the annotation uses; may be empty.
    required
        Whether the correction is required; optional edits matter to bonus scores.
    comment
        Free text of the annotator.
    group
        Name of the error this edit belongs to, where the format groups the edits of all
        annotators into errors with alternatives (I-measure XML); otherwise empty.

    Examples
    --------
    >>> edit = Edit(1, 2, (("are",),), "R:VERB:SVA")
    >>> edit.is_insertion, edit.corrects
    (False, True)
    """

    start: int
    end: int
    corrections: tuple[Tokens, ...]
    type: str = ""
    required: bool = True
    comment: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end <= MAX_OFFSET:
            limit = f" <= {MAX_OFFSET:,}" if self.end > MAX_OFFSET else ""
            msg = f"an edit needs 0 <= start <= end{limit}, not {self.start} {self.end}"
            raise ValueError(msg)
        # Files hold many edits: a look at the first token of each alternative has to do.
        corrections = self.corrections
        if type(corrections) is not tuple:
            check_corrections(self.start, self.end, corrections)
        for option in corrections:
            if type(option) is not tuple or (
                option and (type(option[0]) is not str or " " in option[0])
            ):
                check_corrections(self.start, self.end, corrections)

    @classmethod
    def replace(
        cls, start: int, end: int, correction: str, *alternatives: str, type: str = ""
    ) -> Self:
        """Make an edit that writes other words in place of a span.

        Parameters
        ----------
        start, end
            Token offsets.
        correction, alternatives
            What to write there, as text with spaces between the tokens.
        type
            Error type.

        Examples
        --------
        >>> Edit.replace(1, 2, "like", "do like").corrections
        (('like',), ('do', 'like'))
        """
        return cls(start, end, _phrases(correction, *alternatives), type)

    @classmethod
    def insert(cls, place: int, correction: str, *alternatives: str, type: str = "") -> Self:
        """Make an edit that adds words before the token at `place`.

        Examples
        --------
        >>> edit = Edit.insert(3, "the")
        >>> edit.start, edit.end, edit.corrections
        (3, 3, (('the',),))
        """
        return cls(place, place, _phrases(correction, *alternatives), type)

    @classmethod
    def delete(cls, start: int, end: int, *, type: str = "") -> Self:
        """Make an edit that takes a span out.

        Examples
        --------
        >>> Edit.delete(4, 5).corrections
        ((),)
        """
        return cls(start, end, ((),), type)

    @property
    def is_insertion(self) -> bool:
        """Whether the edit only adds tokens."""
        return self.start == self.end

    @property
    def corrects(self) -> bool:
        """Whether the edit says what to write instead (not a mere flag)."""
        return bool(self.corrections) and self.type not in FLAG_TYPES

    @property
    def correction(self) -> Tokens:
        """The first alternative; empty for a deletion and for a flag."""
        return self.corrections[0] if self.corrections else ()

    def fits(self, n_tokens: int) -> bool:
        """Whether the span lies inside a sentence of `n_tokens` tokens."""
        return self.end <= n_tokens

    def overlaps(self, other: Edit) -> bool:
        """Whether two edits cannot both be applied.

        Spans that share a token overlap, and so does an insertion strictly inside a span.
        Touching spans and insertions at one place do not.
        """
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's reading of one sentence; no edits means "nothing to correct"."""

    annotator: str
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        if type(self.annotator) is not str:
            check_text(self.annotator, "the name of an annotator")
        edits = self.edits
        if type(edits) is not tuple or (edits and type(edits[0]) is not Edit):
            check_items(edits, "Annotation.edits", Edit, "(edit,) or tuple(edits)")


@dataclass(frozen=True, slots=True)
class RawText:
    """The text a sentence had before tokenization, and where each token stands in it.

    Parameters
    ----------
    text
        The untokenized sentence.
    spans
        One half-open character span per token.
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        check_text(self.text, "RawText.text")
        spans = self.spans
        if type(spans) is not tuple or (spans and type(spans[0]) is not tuple):
            check_items(spans, "RawText.spans", tuple, "((start, end), …)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A source sentence and what each annotator made of it.

    An annotator who is not in `annotations` did not look at this sentence.

    Examples
    --------
    >>> edit = Edit(1, 2, (("is",),), "R:VERB:SVA")
    >>> sent = Sentence(("This", "are", "it"), (Annotation("0", (edit,)),))
    >>> sent.corrected("0")
    ('This', 'is', 'it')
    """

    tokens: Tokens
    annotations: tuple[Annotation, ...] = ()
    id: str | None = None
    raw: RawText | None = None

    def __post_init__(self) -> None:
        tokens, readings = self.tokens, self.annotations
        if type(tokens) is not tuple or (
            tokens and (type(tokens[0]) is not str or " " in tokens[0])
        ):
            text = tokens if isinstance(tokens, str) else "I like it ."
            check_tokens(tokens, "Sentence.tokens", f"write tuple({text!r}.split())")
        if type(readings) is not tuple or (readings and type(readings[0]) is not Annotation):
            check_items(
                readings, "Sentence.annotations", Annotation, "(annotation,) or tuple(annotations)"
            )

    def annotation(self, annotator: str) -> Annotation | None:
        """Return the reading of `annotator`, or None where that annotator is absent."""
        for ann in self.annotations:
            if ann.annotator == annotator:
                return ann
        return None

    def corrected(self, annotator: str) -> Tokens | None:
        """Return the sentence as `annotator` corrected it, or None where absent."""
        ann = self.annotation(annotator)
        return None if ann is None else apply_edits(self.tokens, ann.edits)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A gold standard: sentences with annotations."""

    sentences: tuple[Sentence, ...]
    name: str = ""

    def __post_init__(self) -> None:
        check_items(
            self.sentences,
            "Corpus.sentences",
            Sentence,
            "tuple(sentences), or Corpus.from_texts(sources, references) for lines of text",
        )

    @classmethod
    def from_texts(
        cls, sources: Iterable[str], *references: Iterable[str | None], name: str = ""
    ) -> Self:
        """Make a corpus of text, as `geceval.load` does of plain parallel files.

        Parameters
        ----------
        sources
            Source sentences, with spaces between the tokens.
        references
            Corrected sentences, a list for each annotator; None where one did not look.
        name
            What the corpus is called.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["I likes it ."], ["I like it ."])
        >>> corpus.sentences[0].annotations[0].edits[0].corrections
        (('like',),)
        """
        lines = text_lines(sources, "sources")
        columns = [
            text_lines(column, f"reference {number}", may_be_absent=True)
            for number, column in enumerate(references)
        ]
        for number, column in enumerate(columns):
            if len(column) != len(lines):
                raise MismatchError("sources", len(lines), f"reference {number}", len(column))
        sents = []
        for place, line in enumerate(lines):
            tokens = tuple(line.split())
            readings = (
                Annotation(str(number), plain_edits(tokens, tuple(target.split())))
                for number, column in enumerate(columns)
                if (target := column[place]) is not None
            )
            sents.append(Sentence(tokens, tuple(readings)))
        return cls(tuple(sents), name)

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    @property
    def annotators(self) -> tuple[str, ...]:
        """Every annotator of the corpus, numeric names in numeric order and first."""
        names = {ann.annotator for sent in self.sentences for ann in sent.annotations}
        return tuple(sorted(names, key=annotator_order))

    @property
    def sources(self) -> tuple[Tokens, ...]:
        """The source sentences."""
        return tuple(sent.tokens for sent in self.sentences)

    def fill_missing(self, policy: MissingPolicy = "noop") -> Corpus:
        """Return the corpus with a reading of every annotator in every sentence.

        Parameters
        ----------
        policy
            What a reading is that is not there: ``"noop"``, nothing to correct; ``"same"``, that
            of the annotator before, or of the first one where nobody comes before, or nothing to
            correct in a sentence that has no reading at all. ``"absent"`` fills nothing in.
        """
        if policy not in get_args(MissingPolicy):
            raise UnknownNameError("policy for missing annotators", policy, get_args(MissingPolicy))
        if policy == "absent":
            return self
        annotators = self.annotators
        fill = _repeat if policy == "same" else _fill
        return replace(self, sentences=tuple(fill(sent, annotators) for sent in self.sentences))

    def keep_annotators(self, annotators: Iterable[str]) -> Corpus:
        """Return the corpus with the readings of `annotators` only."""
        wanted = frozenset(annotators)
        return replace(
            self, sentences=tuple(keep_annotators(sent, wanted) for sent in self.sentences)
        )

    def references(self, *, missing: MissingPolicy = "absent") -> dict[str, list[Tokens | None]]:
        """Corrected sentences of each annotator, in sentence order.

        Parameters
        ----------
        missing
            ``"absent"`` gives None where an annotator did not look at a sentence,
            ``"noop"`` gives the source there, ``"same"`` what the annotator before wrote.
        """
        corpus = self.fill_missing(missing)
        return {
            annotator: [sent.corrected(annotator) for sent in corpus.sentences]
            for annotator in self.annotators
        }

    def statistics(self) -> CorpusStatistics:
        """Count what is in the corpus."""
        return CorpusStatistics.of(self.sentences)


@dataclass(frozen=True, slots=True)
class OutputReading:
    """What one annotator of a system's output made of each sentence; None where absent."""

    annotator: str
    sentences: tuple[Tokens | None, ...]
    edits: tuple[tuple[Edit, ...] | None, ...]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The output of one system, one tokenized sentence per source sentence.

    Parameters
    ----------
    name
        What the system is called.
    sentences
        What it wrote.
    edits
        The edits of each sentence, where the output came with edits. They are a way to see
        it, so two hypotheses are equal whatever their edits.
    readings
        Everything that annotators made of the sentences, where some sentence has more than one
        reading: `sentences` and `edits` are then those of the first annotator of each. Metrics
        of edits choose among them, others refuse the hypothesis.
    tokenized
        Whether the sentences were raw text that geceval split into tokens; signatures say so.
    """

    name: str
    sentences: tuple[Tokens, ...]
    edits: tuple[tuple[Edit, ...], ...] | None = field(default=None, compare=False)
    readings: tuple[OutputReading, ...] = field(default=(), compare=False)
    tokenized: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        check_text(self.name, "the name of a system")
        sents = self.sentences
        if (
            type(sents) is not tuple
            or not all(type(sent) is tuple for sent in sents)
            or not _are_tokens(chain.from_iterable(sents))
        ):
            check_sentences(sents)

    @classmethod
    def from_texts(cls, lines: Iterable[str], *, name: str = "") -> Self:
        """Make a hypothesis of text, one sentence per line with spaces between the tokens.

        Examples
        --------
        >>> Hypothesis.from_texts(["I like it ."], name="ours").sentences
        (('I', 'like', 'it', '.'),)
        """
        return cls(name, tuple(tuple(line.split()) for line in text_lines(lines, "lines")))

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Tokens]:
        return iter(self.sentences)


@dataclass(slots=True)
class AnnotatorStatistics:
    """What one annotator did."""

    sentences: int = 0
    unchanged: int = 0
    edits: int = 0


@dataclass(slots=True)
class CorpusStatistics:
    """Counts over a stream of sentences; `add` one sentence at a time."""

    sentences: int = 0
    tokens: int = 0
    empty: int = 0
    unannotated: int = 0
    edits: int = 0
    insertions: int = 0
    deletions: int = 0
    replacements: int = 0
    flags: int = 0
    optional: int = 0
    with_alternatives: int = 0
    annotators: dict[str, AnnotatorStatistics] = field(default_factory=dict)
    types: Counter[str] = field(default_factory=Counter)
    edits_per_reading: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> CorpusStatistics:
        """Count all of `sentences`."""
        stats = cls()
        for sent in sentences:
            stats.add(sent)
        return stats

    def add(self, sent: Sentence) -> None:
        """Count one more sentence."""
        self.sentences += 1
        self.tokens += len(sent.tokens)
        self.lengths[len(sent.tokens)] += 1
        self.empty += not sent.tokens
        self.unannotated += not sent.annotations
        for ann in sent.annotations:
            person = self.annotators.setdefault(ann.annotator, AnnotatorStatistics())
            person.sentences += 1
            person.unchanged += not ann.edits
            person.edits += len(ann.edits)
            self.edits_per_reading[len(ann.edits)] += 1
            for edit in ann.edits:
                self._add_edit(edit)

    def _add_edit(self, edit: Edit) -> None:
        self.edits += 1
        self.types[edit.type] += 1
        self.optional += not edit.required
        self.with_alternatives += len(edit.corrections) > 1
        if not edit.corrects:
            self.flags += 1
        elif edit.is_insertion:
            self.insertions += 1
        elif not edit.correction:
            self.deletions += 1
        else:
            self.replacements += 1


def _are_tokens(values: Iterable[object]) -> bool:
    """Whether all values are text without spaces, as cheaply as can be told."""
    try:
        return " " not in "".join(values)  # type: ignore[arg-type]
    except TypeError:
        return False


def _phrases(*texts: str) -> tuple[Tokens, ...]:
    """Split alternatives that are given as text."""
    return tuple(tuple(text.split()) for text in text_lines(texts, "corrections"))


def plain_edits(source: Tokens, target: Tokens) -> tuple[Edit, ...]:
    """Find edits that turn `source` into `target`.

    The types say what happens only: ``M`` something was missing, ``U`` something was
    unnecessary, ``R`` something was replaced.

    Examples
    --------
    >>> edits = plain_edits(("I", "likes", "cat"), ("I", "like", "the", "cat"))
    >>> [(edit.start, edit.end, edit.corrections, edit.type) for edit in edits]
    [(1, 2, (('like', 'the'),), 'R')]
    """
    from geceval.model.diff import changes

    return tuple(
        Edit(
            change.start,
            change.end,
            (target[change.new_start : change.new_end],),
            _operation(change),
        )
        for change in changes(source, target)
    )


def _operation(change: Change) -> str:
    if change.start == change.end:
        return "M"
    return "U" if change.new_start == change.new_end else "R"


_LONGEST_NUMBER = 100
"""Digits past which a name is just a name: Python refuses to read thousands of them."""


def annotator_order(annotator: str) -> tuple[bool, int, str]:
    """Sort key: numeric names by value, then all others by name."""
    is_number = annotator.isdecimal() and len(annotator) <= _LONGEST_NUMBER
    return (not is_number, int(annotator) if is_number else 0, annotator)


def keep_annotators(sent: Sentence, annotators: frozenset[str]) -> Sentence:
    """Return `sent` with the readings of `annotators` only."""
    kept = tuple(ann for ann in sent.annotations if ann.annotator in annotators)
    return replace(sent, annotations=kept)


def _fill(sent: Sentence, annotators: Sequence[str]) -> Sentence:
    """Give `sent` a reading of each annotator, empty where there was none."""
    present = {ann.annotator: ann for ann in sent.annotations}
    filled = tuple(present.get(name, Annotation(name)) for name in annotators)
    return replace(sent, annotations=filled)


def _repeat(sent: Sentence, annotators: Sequence[str]) -> Sentence:
    """Give `sent` a reading of each annotator, that of the one before where there was none."""
    present = {ann.annotator: ann.edits for ann in sent.annotations}
    edits = next((present[name] for name in annotators if name in present), ())
    filled = []
    for name in annotators:
        edits = present.get(name, edits)
        filled.append(Annotation(name, edits))
    return replace(sent, annotations=tuple(filled))


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Sort edits by span; those with the same span keep their order."""
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def applicable(edits: Iterable[Edit], n_tokens: int) -> Iterator[Edit]:
    """Yield, left to right, the edits that can be applied together.

    Flags and edits past the end of the sentence are left out, and so is an edit that
    overlaps one before it.
    """
    reached = 0
    for edit in in_order(edits):
        if edit.corrects and edit.fits(n_tokens) and edit.start >= reached:
            reached = edit.end
            yield edit


def apply_edits(tokens: Sequence[str], edits: Iterable[Edit]) -> Tokens:
    """Apply the first correction of each edit.

    Insertions at one place keep their order; see `applicable` for what is left alone.

    Examples
    --------
    >>> edits = [Edit(1, 1, (("very",),)), Edit(1, 1, (("really",),)), Edit(1, 2, ((),))]
    >>> apply_edits(["A", "B", "C"], edits)
    ('A', 'very', 'really', 'C')
    """
    result: list[str] = []
    position = 0
    for edit in applicable(edits, len(tokens)):
        result.extend(tokens[position : edit.start])
        result.extend(edit.correction)
        position = edit.end
    result.extend(tokens[position:])
    return tuple(result)


def minimize_edit(edit: Edit, tokens: Sequence[str]) -> Edit | None:
    """Trim the tokens that an edit leaves as they are at both of its ends.

    All alternatives must share what is trimmed. An edit that changes nothing gives None;
    a flag, and an edit past the end of the sentence, are returned as they are.

    Examples
    --------
    >>> minimize_edit(Edit(0, 3, (("a", "x", "c"),)), ["a", "b", "c"])
    Edit(start=1, end=2, corrections=(('x',),), type='', required=True, comment='', group='')
    """
    if not edit.corrects or not edit.fits(len(tokens)):
        return edit
    span = tuple(tokens[edit.start : edit.end])
    options = edit.corrections
    if all(option == span for option in options):
        return None
    shortest = min(len(span), *map(len, options))
    head = 0
    while head < shortest and all(option[head] == span[head] for option in options):
        head += 1
    tail = 0
    while tail < shortest - head and all(
        option[len(option) - 1 - tail] == span[len(span) - 1 - tail] for option in options
    ):
        tail += 1
    if not head and not tail:
        return edit
    return replace(
        edit,
        start=edit.start + head,
        end=edit.end - tail,
        corrections=tuple(option[head : len(option) - tail] for option in options),
    )


def minimize(sent: Sentence) -> Sentence:
    """Return the sentence with every edit minimized and those that change nothing left out.

    The edits are put in order first: two that meet may both become insertions at one place.
    """
    annotations = tuple(
        replace(
            ann,
            edits=tuple(
                small
                for edit in in_order(ann.edits)
                if (small := minimize_edit(edit, sent.tokens)) is not None
            ),
        )
        for ann in sent.annotations
    )
    return replace(sent, annotations=annotations)
