"""The journal of a run: what is finished, what failed, and where the output of each chunk is.

Chunks are appended to the partial output in order. One that failed leaves a gap, which is recorded
with its place in the output. A resumed run retries it and appends its output to the end; the
pieces are put in order when the output is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

import msgspec

from geceval.extraction.tally import Counts

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Gap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chunk that failed.

    Parameters
    ----------
    start
        Number of its first sentence, from 0.
    sentences
        Number of its sentences.
    offset
        Where its output belongs in the partial file, in bytes.
    reason
        Why it failed.
    """

    start: _Count
    sentences: _Count
    offset: _Count
    reason: str

    def __str__(self) -> str:
        """Return the numbers of the sentences, from 1, and the reason."""
        return f"sentences {self.start + 1} to {self.start + self.sentences}: {self.reason}"


class LatePiece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The output of a chunk that failed in one run and was finished by a later one.

    Parameters
    ----------
    start
        Number of its first sentence, from 0.
    offset
        Where it belongs in the partial file, in bytes.
    begin, end
        Where it is.
    """

    start: _Count
    offset: _Count
    begin: _Count
    end: _Count


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    """What the journal saves besides the counts."""

    position: _Count
    input: str
    failed: list[Gap]
    late: list[LatePiece]


@dataclass(slots=True)
class Journal:
    """What is finished and what failed.

    Parameters
    ----------
    counts
        Counts of the finished sentences.
    position
        Number of sentences that were read and finished or failed.
    input
        Hash of these sentences.
    failed
        Chunks that failed.
    late
        Output that is not in its place.
    """

    counts: Counts = field(default_factory=Counts)
    position: int = 0
    input: str = ""
    failed: list[Gap] = field(default_factory=list)
    late: list[LatePiece] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """Return the journal as JSON data."""
        more = _Record(self.position, self.input, self.failed, self.late)
        return {**self.counts.record(), **msgspec.to_builtins(more)}

    @classmethod
    def restore(cls, record: Mapping[str, Any]) -> Journal:
        """Return the journal of a `record`; raise a `ValueError` if it is not valid."""
        names = set(_Record.__struct_fields__)
        own = {name: value for name, value in record.items() if name in names}
        counts = Counts.restore({name: record[name] for name in record.keys() - names})
        # A `ValidationError` is a `ValueError`.
        more = msgspec.convert(own, type=_Record)
        if more.position != counts.sentences + sum(gap.sentences for gap in more.failed):
            raise ValueError("the numbers of sentences do not match")
        return cls(counts, more.position, more.input, more.failed, more.late)

    def fail_again(self, gap: Gap, reason: str) -> None:
        """Record why the retry of a gap failed."""
        self.failed[self.failed.index(gap)] = msgspec.structs.replace(gap, reason=reason)

    def finish_late(self, gap: Gap, begin: int, end: int) -> None:
        """Record that a gap was filled by what is in this range of the partial file."""
        self.failed.remove(gap)
        self.late.append(LatePiece(gap.start, gap.offset, begin, end))

    def ranges(self, n_bytes: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the partial file in the order of the sentences.

        Examples
        --------
        A gap at byte 4 was filled by bytes 6 to 8.

        >>> journal = Journal(late=[LatePiece(start=1, offset=4, begin=6, end=8)])
        >>> list(journal.ranges(10))
        [(0, 4), (6, 8), (4, 6), (8, 10)]
        """
        elsewhere = sorted((piece.begin, piece.end) for piece in self.late)
        place = 0
        for piece in sorted(self.late, key=lambda piece: (piece.offset, piece.start)):
            yield from _without(elsewhere, place, piece.offset)
            yield piece.begin, piece.end
            place = piece.offset
        yield from _without(elsewhere, place, n_bytes)


def _without(
    excluded: Sequence[tuple[int, int]], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield the parts of a range that are not in sorted other ranges."""
    for low, high in excluded:
        if start < low < end:
            yield start, low
        if start <= low < end:
            start = high
    if start < end:
        yield start, end
