"""Edits of sentences in memory: extracted from parallel text, extracted anew, or typed anew.

Minimizing the edits of annotators, and extracting them anew, makes differently annotated data
comparable: Felice, Bryant and Briscoe (2016), section 3.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from geceval.extraction.annotator import Annotator
from geceval.extraction.lang.analysis import Analysis, Text, tokens_of
from geceval.extraction.merge import Change, Rule
from geceval.model import (
    FLAG_TYPES,
    Annotation,
    Edit,
    RawText,
    Sentence,
    Tokens,
    applicable,
    apply_edits,
    in_order,
    minimize_edit,
)
from geceval.text import find_tokens, split_tokens

FLAG = "UNK"
"""The type of an error that was seen but not corrected."""


def annotate_rows(
    rows: Sequence[Sequence[str]], annotator: Annotator, *, tokenize: bool = False
) -> list[Sentence]:
    """Annotate parallel text.

    Parameters
    ----------
    rows
        A source and its corrections each, as text; the corrections are those of the
        annotators ``0``, ``1``, ….
    annotator
        Finds and names the edits.
    tokenize
        Whether the text is raw; otherwise there are spaces between the tokens.

    Examples
    --------
    >>> (sent,) = annotate_rows([("I likke it", "I like it", "I likke it")], Annotator("plain"))
    >>> [len(ann.edits) for ann in sent.annotations]
    [1, 0]
    """
    return annotate_split(split_rows(rows, annotator, tokenize=tokenize), annotator)


@dataclass(frozen=True, slots=True)
class SplitRow:
    """A source and its corrections, split; and the text of the source, where it was raw."""

    source: Text
    targets: tuple[Text, ...]
    text: str | None

    @property
    def pairs(self) -> Iterator[tuple[Text, Text]]:
        """The source with each correction."""
        return ((self.source, target) for target in self.targets)


def split_rows(
    rows: Iterable[Sequence[str]], annotator: Annotator, *, tokenize: bool = False
) -> list[SplitRow]:
    """Split parallel text into tokens; see `annotate_rows`."""
    split: Callable[[str], Text] = annotator.analyzer.tokenize if tokenize else split_tokens
    result = []
    for row in rows:
        source, *targets = map(split, row)
        result.append(SplitRow(source, tuple(targets), row[0] if tokenize else None))
    return result


def annotate_split(rows: Sequence[SplitRow], annotator: Annotator) -> list[Sentence]:
    """Annotate parallel text that is split already."""
    edits = annotator.annotate(pair for row in rows for pair in row.pairs)
    return [
        Sentence(
            tokens := tokens_of(row.source),
            tuple(Annotation(str(number), next(edits)) for number in range(len(row.targets))),
            raw=None if row.text is None else _raw_text(row.text, tokens),
        )
        for row in rows
    ]


def _raw_text(text: str, tokens: Tokens) -> RawText | None:
    spans = find_tokens(text, tokens)
    return None if spans is None else RawText(text, spans)


def reading_pairs(sent: Sentence) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield a sentence with what each of its annotators made of it."""
    return ((sent.tokens, apply_edits(sent.tokens, ann.edits)) for ann in sent.annotations)


def standardize(
    sentences: Sequence[Sentence], annotator: Annotator, *, lost: Counter[str] | None = None
) -> list[Sentence]:
    """Extract the edits of sentences anew from what each annotator made of them.

    Errors that were only flagged stay where they are, with the type ``UNK``, if they have a
    type that says so (``UNK``, ``Um``) or none. What changes nothing in spite of another type
    leaves nothing to extract.

    Parameters
    ----------
    sentences
        The sentences.
    annotator
        Finds and names the edits.
    lost
        Where to count what extracted edits cannot say.
    """
    lost = Counter() if lost is None else lost
    extracted = annotator.annotate(pair for sent in sentences for pair in reading_pairs(sent))
    result = []
    for sent in sentences:
        readings = []
        for ann in sent.annotations:
            _count_lost(sent, ann, lost)
            flags = [replace(edit, type=FLAG) for edit in ann.edits if _is_flag(edit)]
            readings.append(replace(ann, edits=tuple(in_order([*flags, *next(extracted)]))))
        result.append(replace(sent, annotations=tuple(readings)))
    return result


def _is_flag(edit: Edit) -> bool:
    """Whether an edit says that there is an error, and nothing else."""
    return not edit.corrects and (edit.type in FLAG_TYPES or not edit.type)


def _count_lost(sent: Sentence, ann: Annotation, lost: Counter[str]) -> None:
    correcting = [edit for edit in ann.edits if edit.corrects]
    lost["no-change"] += sum(not edit.corrects and not _is_flag(edit) for edit in ann.edits)
    n_applied = sum(1 for _ in applicable(correcting, len(sent.tokens)))
    lost["not-applied"] += len(correcting) - n_applied
    lost["alternatives"] += sum(len(edit.corrections) > 1 for edit in correcting)
    lost["optional"] += sum(not edit.required for edit in correcting)
    lost["comments"] += sum(bool(edit.comment) for edit in correcting)


def retype(
    sentences: Sequence[Sentence],
    annotator: Annotator,
    *,
    minimize: bool = True,
    lost: Counter[str] | None = None,
) -> list[Sentence]:
    """Give the edits of sentences new types; their spans stay as they are.

    An edit with several corrections is typed by the first, one that cannot be applied together
    with the others by itself. Errors that were only flagged get the type ``UNK``.

    Parameters
    ----------
    sentences
        The sentences.
    annotator
        Names the edits.
    minimize
        Whether to strip unchanged words from both ends of edits first.
    lost
        Where to count what was left out or could not be typed.

    Examples
    --------
    >>> reading = Annotation("0", (Edit(0, 2, (("I", "like"),), "Vform"),))
    >>> (sent,) = retype([Sentence(("I", "likke"), (reading,))], Annotator("plain"))
    >>> (edit,) = sent.annotations[0].edits
    >>> edit.start, edit.end, edit.type
    (1, 2, 'R:SPELL')
    """
    lost = Counter() if lost is None else lost
    placed = [
        [
            _placed(sent.tokens, _kept(sent, ann, lost, minimize=minimize))
            for ann in sent.annotations
        ]
        for sent in sentences
    ]
    pairs = [
        (sent.tokens, place.target)
        for sent, readings in zip(sentences, placed, strict=True)
        for places in readings
        for place in places
        if place.target is not None
    ]
    analyses = iter(annotator.analyze(pairs))
    return [
        replace(
            sent,
            annotations=tuple(
                replace(ann, edits=tuple(_retyped(place, analyses, annotator) for place in places))
                for ann, places in zip(sent.annotations, readings, strict=True)
            ),
        )
        for sent, readings in zip(sentences, placed, strict=True)
    ]


class _Placed(NamedTuple):
    """An edit, and where it stands in a corrected sentence; None for one that is not typed."""

    edit: Edit
    target: Tokens | None = None
    target_start: int = 0


def _kept(sent: Sentence, ann: Annotation, lost: Counter[str], *, minimize: bool) -> Iterator[Edit]:
    """Yield the edits of a reading in order, perhaps minimized; flags get their type."""
    for edit in in_order(ann.edits):
        if not edit.corrects:
            yield replace(edit, type=FLAG)
            continue
        lost["past-the-end"] += not edit.fits(len(sent.tokens))
        small = minimize_edit(edit, sent.tokens) if minimize else edit
        if small is None:
            lost["no-change"] += 1
        else:
            yield small


def _placed(tokens: Tokens, edits: Iterable[Edit]) -> list[_Placed]:
    """Place edits in the sentence that all of them make together, or each by itself."""
    edits = list(edits)
    target = apply_edits(tokens, edits)
    applied = applicable(edits, len(tokens))
    expected = next(applied, None)
    places = []
    shift = 0
    for edit in edits:
        if edit is expected:
            places.append(_Placed(edit, target, edit.start + shift))
            shift += len(edit.correction) - (edit.end - edit.start)
            expected = next(applied, None)
        elif edit.corrects and edit.fits(len(tokens)):
            places.append(_Placed(edit, apply_edits(tokens, [edit]), edit.start))
        else:
            places.append(_Placed(edit))
    return places


def _retyped(
    place: _Placed, analyses: Iterator[tuple[Analysis, Analysis]], annotator: Annotator
) -> Edit:
    edit = place.edit
    if place.target is None:
        return edit
    source, target = next(analyses)
    end = place.target_start + len(edit.correction)
    change = Change(edit.start, edit.end, place.target_start, end, Rule.ALONE)
    if source.tokens[edit.start : edit.end] == edit.correction:
        return replace(edit, type=FLAG)
    return replace(edit, type=annotator.typer.type(change, source, target))
