"""Chunks of the gold standard, and what a system makes of each of them.

A gold chunk is an edit, a token outside of all edits, or a position where nothing is inserted. Only
chunks that an edit of the system touches need a closer look: without one, an unedited chunk is
correct, and an edited one is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geceval.metrics._shared.edits import offsets_of
from geceval.model import Corpus, Edit, Sentence, Tokens, applicable

_NONE = -1


def chunk_edits(edits: Iterable[Edit], tokens: Tokens) -> tuple[Edit, ...]:
    """Return the edits that are chunks: in order, without overlaps, detections and no-ops."""
    changing = (edit for edit in edits if edit.correction != tokens[edit.start : edit.end])
    return tuple(applicable(changing, len(tokens)))


@dataclass(frozen=True, slots=True)
class GoldChunks:
    """The chunks of one annotator, as flat arrays.

    Parameters
    ----------
    offsets
        Chunks of sentence ``i`` are those from ``offsets[i]`` to ``offsets[i + 1]``; an absent
        annotator has none.
    starts, ends
        Half-open token span of each chunk.
    is_edited
        Whether a chunk is an edit.
    edits
        The edits of each sentence.
    edit_chunks
        The chunks of all edits, in order.
    tokens, slots
        The chunk of each unedited token and of each position without an insertion, -1 for others;
        those of a sentence begin at `tokens_of_sentence`, and a sentence has one position more
        than tokens.
    tokens_of_sentence
        Number of tokens and sentences before each sentence.
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    is_edited: NDArray[np.bool_]
    edits: tuple[tuple[Edit, ...], ...]
    edit_chunks: NDArray[np.int64]
    tokens: NDArray[np.int64]
    slots: NDArray[np.int64]
    tokens_of_sentence: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus) -> GoldChunks:
        """Divide sentences by the edits of the only annotator, which are `chunk_edits`."""
        layout = _Layout()
        sizes = [layout.add(sent) for sent in corpus]
        return cls(
            offsets_of(sizes),
            np.array(layout.starts, dtype=np.int32),
            np.array(layout.ends, dtype=np.int32),
            np.array(layout.is_edited, dtype=bool),
            tuple(layout.edits),
            np.flatnonzero(layout.is_edited),
            np.array(layout.tokens, dtype=np.int64),
            np.array(layout.slots, dtype=np.int64),
            offsets_of(len(sent.tokens) + 1 for sent in corpus),
        )

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def sentences(self) -> NDArray[np.int64]:
        """The sentence of each chunk."""
        return np.repeat(np.arange(len(self.edits)), np.diff(self.offsets))

    def compare(self, system: Sequence[tuple[Edit, ...]]) -> ChunkOutcomes:
        """Compare the chunks with those of a system, whose edits are `chunk_edits`."""
        tried = np.zeros(len(self), dtype=bool)
        correct = ~self.is_edited
        wrong: list[int] = []
        found: list[int] = []
        attempted: list[int] = []
        first_edit = 0
        for number, (gold, edits) in enumerate(zip(self.edits, system, strict=True)):
            if edits:
                wrong += self._touched(number, edits)
                for place, edit in enumerate(gold, first_edit):
                    if _is_among(edit, edits):
                        found.append(place)
                    elif any(_is_attempt(other, edit) for other in edits):
                        attempted.append(place)
            first_edit += len(gold)
        correct[wrong] = False
        correct[self.edit_chunks[found]] = True
        tried[wrong] = True
        tried[self.edit_chunks[found + attempted]] = True
        return ChunkOutcomes(tried, correct)

    def _touched(self, sentence: int, edits: Iterable[Edit]) -> list[int]:
        """Return the unedited chunks that edits of a system replace."""
        before = self.tokens_of_sentence[sentence]
        touched: list[int] = []
        for edit in edits:
            chunks = self.slots if edit.is_insertion else self.tokens
            span = slice(before + edit.start, before + max(edit.end, edit.start + 1))
            touched += chunks[span].tolist()
        return [chunk for chunk in touched if chunk != _NONE]


@dataclass(frozen=True, slots=True)
class ChunkOutcomes:
    """Whether a system tried to edit each gold chunk, and whether its own chunk is the same."""

    tried: NDArray[np.bool_]
    correct: NDArray[np.bool_]


class _Layout:
    """Lists that become the arrays of `GoldChunks`."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.is_edited: list[bool] = []
        self.edits: list[tuple[Edit, ...]] = []
        self.tokens: list[int] = []
        self.slots: list[int] = []
        self._first_chunk = self._first_token = 0

    def add(self, sent: Sentence) -> int:
        """Add a sentence, and return its number of chunks."""
        n_tokens = len(sent.tokens)
        edits = sent.annotations[0].edits if sent.annotations else ()
        self.edits.append(edits)
        self._first_chunk, self._first_token = len(self.starts), len(self.tokens)
        # One more than tokens, for the positions of a sentence to begin where its tokens do.
        self.tokens += [_NONE] * (n_tokens + 1)
        self.slots += [_NONE] * (n_tokens + 1)
        if not sent.annotations:
            return 0
        position = 0
        for edit in edits:
            self._add_tokens(position, edit.start)
            if not edit.is_insertion:
                self._add_slot(edit.start)
            self._add(edit.start, edit.end, is_edited=True)
            position = edit.end
        self._add_tokens(position, n_tokens)
        self._add_slot(n_tokens)
        return len(self.starts) - self._first_chunk

    def _add_tokens(self, start: int, end: int) -> None:
        """Add the tokens between two edits."""
        for position in range(start, end):
            self._add_slot(position)
            self.tokens[self._first_token + position] = len(self.starts)
            self._add(position, position + 1)

    def _add_slot(self, position: int) -> None:
        """Add a position, unless the last chunk is an insertion there."""
        is_first = len(self.starts) == self._first_chunk
        if is_first or self.starts[-1] != self.ends[-1]:
            self.slots[self._first_token + position] = len(self.starts)
            self._add(position, position)

    def _add(self, start: int, end: int, *, is_edited: bool = False) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.is_edited.append(is_edited)


def _is_among(edit: Edit, edits: Iterable[Edit]) -> bool:
    return any(
        (edit.start, edit.end, edit.correction) == (other.start, other.end, other.correction)
        for other in edits
    )


def _is_attempt(edit: Edit, gold: Edit) -> bool:
    """Whether an edit of a system concerns a gold edit, which is not the same."""
    if gold.is_insertion:
        return edit.is_insertion and edit.start == gold.start
    return gold.start <= edit.start < gold.end or edit.start <= gold.start < edit.end
