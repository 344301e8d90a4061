"""Chunks with the same boundaries in the source, the output and all references.

Overlapping and touching edits of all texts form an interval. The intervals, and the gaps between
them, are the chunks of the sentence. In a gap all texts equal the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from geceval.metrics.views import ChunkClass, TextChunk
from geceval.model import Edit, Tokens, in_order

Assumption: TypeAlias = Literal["dependent", "independent"]

Change: TypeAlias = tuple[int, int, Tokens | None]
"""Start, end and new tokens of an edit; None for a detection, which changes no token."""

Span: TypeAlias = tuple[int, int]

Piece: TypeAlias = Tokens | None
"""The tokens of a text in an interval; None if it has no edits there."""

CLASSES: tuple[ChunkClass, ...] = ("TP", "FPne", "FPun", "FN", "TN")
"""Classes of chunks, in the order of the counts."""

TP, FP_NE, FP_UN, FN, TN = range(5)


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of a sentence.

    Parameters
    ----------
    tokens
        The source.
    intervals
        The chunks with edits of any text.
    hypothesis, references
        The tokens of each text in each interval.
    """

    tokens: Tokens
    intervals: list[Span]
    hypothesis: list[Piece]
    references: list[list[Piece]]

    @classmethod
    def of(
        cls,
        tokens: Tokens,
        hypothesis: Sequence[Change],
        references: Sequence[Sequence[Change]],
        *,
        distance: int = 0,
    ) -> Chunks:
        """Divide a sentence into chunks; edits up to `distance` tokens apart share an interval.

        Examples
        --------
        >>> chunks = Chunks.of(("I", "likes", "cat"), [(1, 2, ("like",))], [[(2, 2, ("the",))]])
        >>> chunks.intervals, chunks.hypothesis, chunks.references
        ([(1, 2)], [('like',)], [[('likes', 'the')]])
        """
        spans = _intervals((hypothesis, *references), distance)
        return cls(
            tokens,
            spans,
            _pieces(tokens, hypothesis, spans),
            [_pieces(tokens, changes, spans) for changes in references],
        )

    @property
    def n_gaps(self) -> int:
        """Number of chunks without edits; intervals do not touch, so a gap is never empty."""
        if not self.intervals:
            return 1
        starts_with_gap = self.intervals[0][0] > 0
        ends_with_gap = self.intervals[-1][1] < len(self.tokens)
        return len(self.intervals) - 1 + starts_with_gap + ends_with_gap

    def classify(self, assumption: Assumption) -> list[list[int]]:
        """Return the class of each interval, for each reference or for all together."""
        sources = [self.tokens[start:end] for start, end in self.intervals]
        if assumption == "independent":
            columns = zip(*self.references, strict=True)
            pieces = zip(sources, self.hypothesis, columns, strict=True)
            return [[_independent(*one) for one in pieces]]
        return [
            [_dependent(*one) for one in zip(sources, self.hypothesis, reference, strict=True)]
            for reference in self.references
        ]

    def lengths(self) -> list[int]:
        """Return the length of each interval, in the source or the output, whichever is longer."""
        return [
            end - start if piece is None else max(end - start, len(piece))
            for (start, end), piece in zip(self.intervals, self.hypothesis, strict=True)
        ]

    def gold_lengths(self, reference: int) -> list[int]:
        """Return the lengths of the intervals that a reference changes."""
        pieces = zip(self.intervals, self.references[reference], strict=True)
        return [max(end - start, len(piece)) for (start, end), piece in pieces if piece is not None]

    def view(self, classes: Sequence[int]) -> tuple[TextChunk, ...]:
        """Return all chunks from left to right, given the classes of the intervals."""
        return tuple(self._view(classes))

    def _view(self, classes: Sequence[int]) -> Iterator[TextChunk]:
        position = 0
        texts = (self.hypothesis, *self.references)
        for number, (start, end) in enumerate(self.intervals):
            if start > position:
                yield self._gap(position, start)
            source = self.tokens[start:end]
            found = [source if text[number] is None else text[number] or () for text in texts]
            yield TextChunk(start, source, found[0], tuple(found[1:]), CLASSES[classes[number]])
            position = end
        if position < len(self.tokens) or not self.intervals:
            yield self._gap(position, len(self.tokens))

    def _gap(self, start: int, end: int) -> TextChunk:
        source = self.tokens[start:end]
        return TextChunk(start, source, source, (source,) * len(self.references), CLASSES[TN])


def changes_of(edits: Iterable[Edit], n_tokens: int) -> list[Change]:
    """Return the edits that count, from left to right: those within the sentence.

    Examples
    --------
    >>> changes_of([Edit(2, 3, (), "UNK"), Edit(0, 1, (("A",), ("The",)))], 3)
    [(0, 1, ('A',)), (2, 3, None)]
    """
    return [
        (edit.start, edit.end, edit.correction if edit.corrects else None)
        for edit in in_order(edits)
        if edit.fits(n_tokens)
    ]


def _intervals(texts: Iterable[Sequence[Change]], distance: int) -> list[Span]:
    """Merge the spans of the edits of all texts."""
    found: list[Span] = []
    for start, end in sorted([change[:2] for changes in texts for change in changes]):
        if found and start <= found[-1][1] + distance:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _pieces(tokens: Tokens, changes: Sequence[Change], intervals: Sequence[Span]) -> list[Piece]:
    """Return the tokens of a text in each interval.

    The edits are in order, and each lies in an interval. Those that overlap an earlier one of the
    text are not applied.
    """
    found: list[Piece] = [None] * len(intervals)
    if not changes:
        return found
    number, n_changes = 0, len(changes)
    for place, (first, last) in enumerate(intervals):
        if number == n_changes:
            break
        if changes[number][0] > last:
            continue
        text: list[str] = []
        position = first
        while number < n_changes and changes[number][0] <= last:
            start, end, new = changes[number]
            if new is not None and start >= position:
                text += tokens[position:start]
                text += new
                position = end
            number += 1
        text += tokens[position:last]
        found[place] = tuple(text)
    return found


def _independent(source: Tokens, hypothesis: Piece, references: Sequence[Piece]) -> int:
    if hypothesis is None:
        return TN if None in references else FN
    if any((source if piece is None else piece) == hypothesis for piece in references):
        return TP
    return FP_UN if all(piece is None for piece in references) else FP_NE


def _dependent(source: Tokens, hypothesis: Piece, reference: Piece) -> int:
    wanted = source if reference is None else reference
    if hypothesis is None:
        return TN if wanted == source else FN
    if hypothesis == wanted:
        return TP
    return FP_UN if reference is None else FP_NE
