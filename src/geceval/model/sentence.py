"""Annotated sentences, and the corpora that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias, get_args

from geceval.errors import MismatchError, UnknownNameError
from geceval.model.arguments import check_items, check_text, check_tokens, text_lines
from geceval.model.edit import Edit, Tokens, apply_edits, in_order, minimize_edit, plain_edits
from geceval.model.statistics import CorpusStatistics

MissingPolicy: TypeAlias = Literal["absent", "noop", "same"]
"""Whether a missing annotator did not look, found nothing to correct, or agrees with the one
before."""


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
