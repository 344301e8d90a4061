"""Annotated sentences and corpora."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self, TypeAlias, get_args

from geceval.errors import MismatchError, UnknownNameError
from geceval.model.arguments import check_items, check_text, check_tokens, text_lines
from geceval.model.corpus_statistics import CorpusStatistics
from geceval.model.edit import Edit, Tokens, apply_edits, in_order, minimize_edit, plain_edits

MissingPolicy: TypeAlias = Literal["absent", "noop", "same"]
"""Whether an annotator without a line is absent, found nothing to correct, or agrees with the
previous annotator."""


DIFF = "diff"
"""Extraction of a corpus whose edits are plain differences of source and corrected sentences."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The edits of one annotator for one sentence; empty if nothing needs correction.

    Parameters
    ----------
    annotator
        Name of the annotator.
    edits
        The edits.
    target
        The corrected sentence, if a file segments it into other words than the edits do, or gives
        a text that repeats the source, which is not the same as saying that nothing is wrong:
        Chinese texts are converted to simplified characters. Ignored by comparisons.
    """

    annotator: str
    edits: tuple[Edit, ...] = ()
    target: Tokens | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if type(self.annotator) is not str:
            check_text(self.annotator, "the name of an annotator")
        edits = self.edits
        if type(edits) is not tuple or (edits and type(edits[0]) is not Edit):
            check_items(edits, "Annotation.edits", Edit, "(edit,) or tuple(edits)")


def annotation_from_target(annotator: str, source: Tokens, target: Tokens) -> Annotation:
    """Make the annotation that corrects `source` to `target`."""
    edits = plain_edits(source, target)
    return Annotation(annotator, edits, target=None if edits else source)


@dataclass(frozen=True, slots=True)
class RawText:
    """The text of a sentence before tokenization, and the span of each token.

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
    """A source sentence and its annotations.

    An annotator without an annotation is absent. `not_annotatable` has those of the absent
    annotators who stated that the sentence cannot be annotated.

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
    not_annotatable: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        tokens, anns = self.tokens, self.annotations
        if type(tokens) is not tuple or (
            tokens and (type(tokens[0]) is not str or " " in tokens[0])
        ):
            text = tokens if isinstance(tokens, str) else "I like it ."
            check_tokens(tokens, "Sentence.tokens", f"write tuple({text!r}.split())")
        if type(anns) is not tuple or (anns and type(anns[0]) is not Annotation):
            example = "(annotation,) or tuple(annotations)"
            check_items(anns, "Sentence.annotations", Annotation, example)

    def annotation(self, annotator: str) -> Annotation | None:
        """Return the annotation of `annotator`; None if absent."""
        return next((ann for ann in self.annotations if ann.annotator == annotator), None)

    def corrected(self, annotator: str) -> Tokens | None:
        """Return the sentence as corrected by `annotator`; None if absent."""
        ann = self.annotation(annotator)
        return None if ann is None else apply_edits(self.tokens, ann.edits)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Corpus:
    """A gold standard: sentences with annotations.

    Parameters
    ----------
    sentences
        The annotated sentences.
    name
        Name of the corpus.
    extraction
        How edits were derived from corrected sentences: ``"diff"`` for plain differences, otherwise
        the signature of the annotator that extracted them; empty for edits of annotators.
    """

    sentences: tuple[Sentence, ...]
    name: str = ""
    extraction: str = field(default="", compare=False)

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
        """Create a corpus from text, as `geceval.load` does from parallel files.

        Parameters
        ----------
        sources
            Source sentences, with spaces between the tokens.
        references
            Corrected sentences, a list for each annotator; None where absent.
        name
            Name of the corpus.

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
            annotations = (
                annotation_from_target(str(number), tokens, tuple(target.split()))
                for number, column in enumerate(columns)
                if (target := column[place]) is not None
            )
            sents.append(Sentence(tokens, tuple(annotations)))
        return cls(tuple(sents), name, extraction=DIFF)

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    @property
    def has_edits(self) -> bool:
        """Whether there are edits, not only corrected sentences."""
        return self.extraction != DIFF

    @property
    def annotators(self) -> tuple[str, ...]:
        """All annotators of the corpus, numeric names first and in numeric order."""
        names = {ann.annotator for sent in self.sentences for ann in sent.annotations}
        return tuple(sorted(names, key=annotator_order))

    @property
    def sources(self) -> tuple[Tokens, ...]:
        """The source sentences."""
        return tuple(sent.tokens for sent in self.sentences)

    def fill_missing(self, policy: MissingPolicy = "noop") -> Corpus:
        """Return the corpus with an annotation of every annotator in every sentence.

        Parameters
        ----------
        policy
            The annotation of an absent annotator: an empty one (``"noop"``), or that of the
            previous annotator or, without one, of the next, empty in a sentence without
            annotations (``"same"``). ``"absent"`` changes nothing.
        """
        if policy not in get_args(MissingPolicy):
            raise UnknownNameError("policy for missing annotators", policy, get_args(MissingPolicy))
        if policy == "absent":
            return self
        # A further alignment is no annotator of its own.
        annotators = [name for name in self.annotators if not split_alignment(name)[1]]
        repeats = policy == "same"
        filled = (_fill(sent, annotators, repeats=repeats) for sent in self.sentences)
        return replace(self, sentences=tuple(filled))

    def first_alignments(self) -> Corpus:
        """Return the corpus without further alignments of a correction, which are no references."""
        if not any(split_alignment(name)[1] for name in self.annotators):
            return self
        return replace(self, sentences=tuple(map(first_alignments, self.sentences)))

    def keep_annotators(self, annotators: Iterable[str]) -> Corpus:
        """Return the corpus with the annotations of `annotators` only."""
        wanted = frozenset(annotators)
        return replace(
            self, sentences=tuple(keep_annotators(sent, wanted) for sent in self.sentences)
        )

    def references(self, *, missing: MissingPolicy = "absent") -> dict[str, list[Tokens | None]]:
        """Return the corrected sentences of each annotator.

        Parameters
        ----------
        missing
            Where an annotator is absent, ``"absent"`` gives None, ``"noop"`` the source and
            ``"same"`` the text of the previous annotator.
        """
        corpus = self.first_alignments().fill_missing(missing)
        return {
            annotator: [sent.corrected(annotator) for sent in corpus.sentences]
            for annotator in corpus.annotators
        }

    def statistics(self) -> CorpusStatistics:
        """Count sentences, tokens and edits."""
        return CorpusStatistics.of(self.sentences)


_LONGEST_NUMBER = 100
"""Maximum number of digits: Python refuses to parse thousands of them."""


def annotator_order(annotator: str) -> tuple[bool, int, str, int]:
    """Return a sort key: numeric names by value, then all others by name.

    The further alignments of an annotator follow the first.
    """
    name, alignment = split_alignment(annotator)
    is_number = name.isdecimal() and len(name) <= _LONGEST_NUMBER
    return (not is_number, int(name) if is_number else 0, name, alignment)


_ALIGNMENT = re.compile(r"(.+)-A([1-9][0-9]{0,8})")


def alignment_name(annotator: str, number: int) -> str:
    """Return the name of one of the alignments of an annotator's correction, from 0.

    Examples
    --------
    >>> alignment_name("1", 0), alignment_name("1", 2)
    ('1', '1-A2')
    """
    return f"{annotator}-A{number}" if number else annotator


def split_alignment(name: str) -> tuple[str, int]:
    """Split a name into that of the annotator and the number of the alignment.

    Examples
    --------
    >>> split_alignment("1"), split_alignment("1-A2")
    (('1', 0), ('1', 2))
    """
    found = _ALIGNMENT.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 0)


def first_alignments(sent: Sentence) -> Sentence:
    """Return the sentence without the further alignments of an annotator."""
    present = {ann.annotator for ann in sent.annotations}
    first = tuple(
        ann
        for ann in sent.annotations
        if ann.annotator == (base := split_alignment(ann.annotator)[0]) or base not in present
    )
    return sent if len(first) == len(sent.annotations) else replace(sent, annotations=first)


def keep_annotators(sent: Sentence, annotators: frozenset[str]) -> Sentence:
    """Return `sent` with the annotations of `annotators` only."""
    kept = tuple(ann for ann in sent.annotations if ann.annotator in annotators)
    return replace(sent, annotations=kept)


def _fill(sent: Sentence, annotators: Sequence[str], *, repeats: bool) -> Sentence:
    """Add empty annotations for absent annotators, or repeat those of the previous ones."""
    present = {ann.annotator: ann.edits for ann in sent.annotations}
    edits = next((present[name] for name in annotators if name in present), ()) if repeats else ()
    filled = []
    for name in annotators:
        filled.append(Annotation(name, present.get(name, edits)))
        edits = filled[-1].edits if repeats else ()
    known = frozenset(annotators)
    filled += (ann for ann in sent.annotations if ann.annotator not in known)
    return replace(sent, annotations=tuple(filled))


def minimize(sent: Sentence) -> Sentence:
    """Return the sentence with all edits minimized, without those that change nothing.

    The edits are sorted first, as adjacent ones may become insertions at the same position.
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
