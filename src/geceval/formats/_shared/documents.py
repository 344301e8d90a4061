"""Split documents with character edits into tokenized sentences with token edits.

Several formats contain whole essays. Sentences that an edit crosses are joined, so that no edit is
lost or altered. Character edits within one token are merged into one token edit.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from geceval.model import FLAG_TYPES, Annotation, Edit, RawText, Sentence
from geceval.text import (
    Spans,
    Tokenizer,
    split_sentences,
    token_edit,
    tokenize,
    tokens_at,
    touched_tokens,
)

_MAX_ALTERNATIVES = 64


@dataclass(frozen=True, slots=True)
class CharacterEdit:
    """An edit of a half-open span of characters.

    `replacements` are alternative texts; None flags an error without correcting it.
    """

    start: int
    end: int
    replacements: tuple[str, ...] | None
    type: str = ""
    required: bool = True
    comment: str = ""


class DocumentBuilder:
    """Builds a document incrementally, with its edits.

    Examples
    --------
    >>> draft = DocumentBuilder()
    >>> draft.add("I ")
    >>> draft.add_edit("goed", ("went",), "R:VERB:INFL")
    >>> draft.text, draft.edits[0].start
    ('I goed', 2)
    """

    def __init__(self) -> None:
        self.edits: list[CharacterEdit] = []
        self.size = 0
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """The text built so far."""
        return "".join(self._parts)

    def add(self, text: str | None) -> None:
        """Add text without an edit."""
        if text:
            self._parts.append(text)
            self.size += len(text)

    def add_edit(
        self,
        written: str,
        replacements: tuple[str, ...] | None,
        type: str = "",
        *,
        required: bool = True,
        comment: str = "",
    ) -> None:
        """Add text that an edit replaces.

        A correction that repeats the text flags an error without correcting it.
        """
        start = self.size
        self.add(written)
        if replacements is not None and set(replacements) == {written}:
            replacements = None
        edit = CharacterEdit(start, self.size, replacements, type, required, comment)
        self.edits.append(edit)


def split_document(
    text: str,
    by_annotator: Mapping[str, Sequence[CharacterEdit]],
    *,
    id: str | None = None,
    splitter: Callable[[str], Spans] = split_sentences,
    tokenizer: Tokenizer = tokenize,
) -> Iterator[Sentence]:
    """Split a document into sentences with the edits of each annotator, in text order.

    Parameters
    ----------
    text
        The document as the learner wrote it.
    by_annotator
        Character edits of each annotator.
    id
        Identifier of the document; those of its sentences are ``id-0``, ``id-1``, …

    Examples
    --------
    >>> edits = [CharacterEdit(2, 6, ("went",), "R:VERB:INFL")]
    >>> [sent] = split_document("I goed.", {"0": edits})
    >>> sent.tokens, sent.corrected("0")
    (('I', 'goed', '.'), ('I', 'went', '.'))
    """
    ordered = {
        annotator: sorted((_trimmed(edit, text) for edit in edits), key=_place)
        for annotator, edits in by_annotator.items()
    }
    sentences = _joined(splitter(text), itertools.chain.from_iterable(ordered.values()))
    if not sentences and any(ordered.values()):
        sentences = [(0, len(text))]
    shares = {
        annotator: _distribute(edits, sentences) for annotator, edits in ordered.items() if edits
    }
    for number, (start, end) in enumerate(sentences):
        raw = RawText(text[start:end], tokenizer(text[start:end]))
        annotations = []
        for annotator in by_annotator:
            share = shares[annotator][number] if annotator in shares else []
            local = [_local(edit, start, end) for edit in share]
            annotations.append(Annotation(annotator, _token_edits(raw, local, tokenizer)))
        yield Sentence(
            tokens_at(raw.text, raw.spans),
            tuple(annotations),
            id=None if id is None else f"{id}-{number}",
            raw=raw,
        )


def _place(edit: CharacterEdit) -> tuple[int, int]:
    return edit.start, edit.end


def _trimmed(edit: CharacterEdit, text: str) -> CharacterEdit:
    """Strip unchanged white space from both ends of an edit.

    An edit that still reaches into the space between two sentences then changes it.
    """
    sides = [text[edit.start : edit.end], *(edit.replacements or ())]
    lead = min(len(side) - len(side.lstrip()) for side in sides)
    sides = [side[lead:] for side in sides]
    trail = min(len(side) - len(side.rstrip()) for side in sides)
    if not lead and not trail:
        return edit
    options = tuple(side[: len(side) - trail] for side in sides[1:])
    return replace(
        edit,
        start=edit.start + lead,
        end=edit.end - trail,
        replacements=None if edit.replacements is None else options,
    )


def _joined(sentences: Spans, edits: Iterable[CharacterEdit]) -> list[tuple[int, int]]:
    """Join adjacent sentences that an edit crosses."""
    places = sorted(map(_place, edits))
    joined: list[tuple[int, int]] = []
    position = 0
    reach = -1
    last_end = 0
    for start, end in sentences:
        # The edit must span the space between two sentences, or a character of both.
        least = 0 if last_end < start else 1
        while position < len(places) and places[position][0] <= last_end - least:
            reach = max(reach, places[position][1])
            position += 1
        if joined and reach >= start + least:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        last_end = end
    return joined


def _distribute(
    edits: Iterable[CharacterEdit], sentences: Sequence[tuple[int, int]]
) -> list[list[CharacterEdit]]:
    """Assign each edit to its sentence."""
    shares: list[list[CharacterEdit]] = [[] for _ in sentences]
    for edit in edits:
        number = max(0, bisect.bisect_right(sentences, edit.start, key=itemgetter(0)) - 1)
        # An edit of the white space before the next sentence belongs to that sentence.
        if (
            edit.start > sentences[number][1]
            and number + 1 < len(sentences)
            and edit.end >= sentences[number + 1][0]
        ):
            number += 1
        shares[number].append(edit)
    return shares


def _local(edit: CharacterEdit, start: int, end: int) -> CharacterEdit:
    """Convert the offsets of an edit to those in the sentence from `start` to `end`."""
    options = edit.replacements
    # Replace the separating white space that is not part of the sentence.
    if options is not None and edit.end < start:
        options = tuple(f"{new} " for new in options)
    elif options is not None and edit.start > end:
        options = tuple(f" {new}" for new in options)
    return replace(
        edit,
        start=min(max(edit.start, start), end) - start,
        end=min(max(edit.end, start), end) - start,
        replacements=options,
    )


def _token_edits(
    raw: RawText, edits: Sequence[CharacterEdit], tokenizer: Tokenizer
) -> tuple[Edit, ...]:
    """Convert the character edits of one annotator into token edits.

    Edits that touch the same token are merged, so that all remain applicable. Flags and edits that
    overlap already are converted separately.
    """
    apart: list[CharacterEdit] = []
    groups: list[list[CharacterEdit]] = []
    reach = 0
    touched = 0
    for edit in edits:
        if not edit.replacements or edit.type in FLAG_TYPES or edit.start < reach:
            apart.append(edit)
            continue
        first, last = touched_tokens(raw.spans, edit.start, edit.end)
        if groups and first < touched:
            groups[-1].append(edit)
        else:
            groups.append([edit])
        reach, touched = edit.end, last
    result = _merged_groups(raw, groups, tokenizer)
    result.extend((_place(edit), _token_edit(raw, edit, tokenizer)) for edit in apart)
    result.sort(key=itemgetter(0))
    return tuple(edit for _, edit in result)


def _merged_groups(
    raw: RawText, groups: Sequence[Sequence[CharacterEdit]], tokenizer: Tokenizer
) -> list[tuple[tuple[int, int], Edit]]:
    """Merge each group, and adjacent groups until their token edits do not overlap."""

    def converted(edits: Sequence[CharacterEdit]) -> tuple[CharacterEdit, Edit]:
        edit = _merged(raw.text, edits)
        return edit, _token_edit(raw, edit, tokenizer)

    pairs = [converted(group) for group in groups]
    while True:
        chains: list[list[tuple[CharacterEdit, Edit]]] = []
        reached = 0
        for pair in pairs:
            if chains and pair[1].start < reached:
                chains[-1].append(pair)
            else:
                chains.append([pair])
            reached = max(reached, pair[1].end)
        if len(chains) == len(pairs):
            return [(_place(edit), local) for edit, local in pairs]
        pairs = [
            chain[0] if len(chain) == 1 else converted([edit for edit, _ in chain])
            for chain in chains
        ]


def _merged(text: str, edits: Sequence[CharacterEdit]) -> CharacterEdit:
    """Merge consecutive edits into one."""
    if len(edits) == 1:
        return edits[0]
    unchanged = ["", *(text[one.end : two.start] for one, two in itertools.pairwise(edits))]
    choices = itertools.product(*(edit.replacements or () for edit in edits))
    return CharacterEdit(
        edits[0].start,
        edits[-1].end,
        tuple(
            "".join(itertools.chain.from_iterable(zip(unchanged, choice, strict=True)))
            for choice in itertools.islice(choices, _MAX_ALTERNATIVES)
        ),
        "+".join(dict.fromkeys(edit.type for edit in edits if edit.type)),
        any(edit.required for edit in edits),
        "; ".join(dict.fromkeys(edit.comment for edit in edits if edit.comment)),
    )


def _token_edit(raw: RawText, edit: CharacterEdit, tokenizer: Tokenizer) -> Edit:
    local = token_edit(raw, edit.start, edit.end, edit.replacements, tokenizer)
    return replace(local, type=edit.type, required=edit.required, comment=edit.comment)
