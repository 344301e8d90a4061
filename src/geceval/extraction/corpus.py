"""Extract, re-extract and reclassify the edits of sentences in memory.

Minimizing and re-extracting the edits of annotators makes differently annotated data comparable:
Felice, Bryant and Briscoe (2016), section 3.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from geceval.characters import normalized
from geceval.extraction.annotator import CHUNK, Annotator
from geceval.extraction.lang.analysis import Analysis, Text, tokens_of
from geceval.extraction.merge import Change, Rule
from geceval.model import (
    FLAG_TYPES,
    Annotation,
    Edit,
    RawText,
    Sentence,
    Tokens,
    alignment_name,
    applicable,
    apply_edits,
    in_order,
    minimize_edit,
)
from geceval.text import find_tokens

FLAG = "UNK"
"""The type of an error that is flagged but not corrected."""


def annotate_rows(
    rows: Sequence[Sequence[str]], annotator: Annotator, *, tokenize: bool = False
) -> list[Sentence]:
    """Annotate parallel text.

    Parameters
    ----------
    rows
        Texts of a source and its corrections, by the annotators ``0``, ``1``, ….
    annotator
        Extracts and classifies the edits.
    tokenize
        Whether the text is raw and has to be tokenized.

    Examples
    --------
    >>> (sent,) = annotate_rows([("I likke it", "I like it", "I likke it")], Annotator("plain"))
    >>> [len(ann.edits) for ann in sent.annotations]
    [1, 0]
    """
    return annotate_split(split_rows(rows, annotator, tokenize=tokenize), annotator)


@dataclass(frozen=True, slots=True)
class SplitRow:
    """A tokenized source and its corrections, and the raw text of the source, if any.

    A correction is None if an annotator could not give it.
    """

    source: Text
    targets: tuple[Text | None, ...]
    text: str | None

    def normalized(self) -> SplitRow:
        """Compose the characters of all tokens."""
        targets = (None if text is None else normalized(tokens_of(text)) for text in self.targets)
        return SplitRow(normalized(tokens_of(self.source)), tuple(targets), None)

    @property
    def pairs(self) -> Iterator[tuple[Text, Text]]:
        """Pairs of the source and each correction."""
        return ((self.source, target) for target in self.targets if target is not None)


def split_rows(
    rows: Iterable[Sequence[str]], annotator: Annotator, *, tokenize: bool = False
) -> list[SplitRow]:
    """Tokenize parallel text; see `annotate_rows`."""
    result = []
    for row in rows:
        source = annotator.split(row[0], tokenize=tokenize)
        targets = (annotator.split_target(text, source, tokenize=tokenize) for text in row[1:])
        result.append(SplitRow(source, tuple(targets), row[0] if tokenize else None))
    return result


def annotate_split(rows: Sequence[SplitRow], annotator: Annotator) -> list[Sentence]:
    """Annotate tokenized parallel text."""
    readings = annotator.alternatives(pair for row in rows for pair in row.pairs)
    return [
        Sentence(
            tokens := tokens_of(row.source),
            tuple(
                ann
                for number, target in enumerate(row.targets)
                if target is not None
                for ann in named_readings(str(number), next(readings))
            ),
            raw=None if row.text is None else _raw_text(row.text, tokens),
            not_annotatable=tuple(
                str(number) for number, target in enumerate(row.targets) if target is None
            ),
        )
        for row in rows
    ]


def named_readings(name: str, readings: Iterable[tuple[Edit, ...]]) -> Iterator[Annotation]:
    """Yield an annotation for each alignment of an annotator's correction."""
    for number, edits in enumerate(readings):
        yield Annotation(alignment_name(name, number), edits)


def _raw_text(text: str, tokens: Tokens) -> RawText | None:
    spans = find_tokens(text, tokens)
    return None if spans is None else RawText(text, spans)


def correction_pairs(sent: Sentence) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield a sentence with its correction by each annotator."""
    return ((sent.tokens, apply_edits(sent.tokens, ann.edits)) for ann in sent.annotations)


def standardize(
    sentences: Sequence[Sentence], annotator: Annotator, *, lost: Counter[str] | None = None
) -> list[Sentence]:
    """Re-extract the edits of sentences from the corrections of each annotator.

    Flags (edits without a correction that have the type ``UNK``, ``Um`` or none) remain, with the
    type ``UNK``. Other edits that change nothing are dropped.

    Parameters
    ----------
    sentences
        The sentences.
    annotator
        Extracts and classifies the edits.
    lost
        Counter for information that extracted edits cannot represent.
    """
    lost = Counter() if lost is None else lost
    pairs = (pair for sent in sentences for pair in correction_pairs(sent))
    extracted = annotator.alternatives(pairs)
    result = []
    for sent in sentences:
        annotations: list[Annotation] = []
        for ann in sent.annotations:
            _count_lost(sent, ann, lost)
            flags = [replace(edit, type=FLAG) for edit in ann.edits if _is_flag(edit)]
            readings = (tuple(in_order([*flags, *edits])) for edits in next(extracted))
            annotations += named_readings(ann.annotator, readings)
        result.append(replace(sent, annotations=tuple(annotations)))
    return result


def _is_flag(edit: Edit) -> bool:
    """Whether an edit only flags an error."""
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
    known: Mapping[tuple[Tokens, Tokens], Sequence[Edit]] | None = None,
    lost: Counter[str] | None = None,
) -> list[Sentence]:
    """Reclassify the edits of sentences without changing their spans.

    Of several corrections, the first determines the type. An edit that cannot be applied together
    with the others is classified alone. Flags get the type ``UNK``.

    Parameters
    ----------
    sentences
        The sentences.
    annotator
        Classifies the edits.
    minimize
        Whether to strip unchanged words from both ends of edits first.
    known
        Edits that this annotator extracted from some pairs of sentences. Those of the same span
        and correction are not classified again.
    lost
        Counter for edits that were dropped or could not be classified.

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
            _placed(sent.tokens, _normalized(sent, ann, lost, minimize=minimize))
            for ann in sent.annotations
        ]
        for sent in sentences
    ]
    if known:
        placed = [
            [[_as_known(sent.tokens, place, known) for place in places] for places in by_annotation]
            for sent, by_annotation in zip(sentences, placed, strict=True)
        ]
    pairs = [
        (sent.tokens, place.target)
        for sent, by_annotation in zip(sentences, placed, strict=True)
        for places in by_annotation
        for place in places
        if place.target is not None
    ]
    # In chunks, since the analyses of a large corpus take much memory.
    analyses = chain.from_iterable(
        annotator.analyze(pairs[first : first + CHUNK]) for first in range(0, len(pairs), CHUNK)
    )
    return [
        replace(
            sent,
            annotations=tuple(
                replace(ann, edits=tuple(_retyped(place, analyses, annotator) for place in places))
                for ann, places in zip(sent.annotations, by_annotation, strict=True)
            ),
        )
        for sent, by_annotation in zip(sentences, placed, strict=True)
    ]


class _Placed(NamedTuple):
    """An edit and its position in a corrected sentence; None if it is not classified."""

    edit: Edit
    target: Tokens | None = None
    target_start: int = 0


def _normalized(
    sent: Sentence, ann: Annotation, lost: Counter[str], *, minimize: bool
) -> Iterator[Edit]:
    """Yield the edits of an annotation in order, optionally minimized; flags get their type."""
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
    """Locate edits in the sentence with all of them applied, or with only one."""
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


def _as_known(
    tokens: Tokens, place: _Placed, known: Mapping[tuple[Tokens, Tokens], Sequence[Edit]]
) -> _Placed:
    """Return an edit as it was extracted, if it was; otherwise as it is."""
    edit = place.edit
    if place.target is None:
        return place
    for other in known.get((tokens, place.target), ()):
        if (other.start, other.end, other.correction) == (edit.start, edit.end, edit.correction):
            return _Placed(replace(edit, type=other.type))
    return place


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
