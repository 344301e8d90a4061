"""Edits of spans of source tokens, and functions to apply and minimize them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, TypeAlias

from geceval.model.arguments import check_corrections, text_lines
from geceval.model.nesting import compatible

if TYPE_CHECKING:
    from geceval.model.diff import Replacement

Tokens: TypeAlias = tuple[str, ...]
"""A tokenized sentence or phrase."""

FLAG_TYPES = frozenset({"UNK", "Um"})
"""Types of detections: ERRANT's ``UNK`` and NUCLE's "unclear meaning"."""

MAX_OFFSET = 1 << 30
"""Largest token offset of an edit, limited by the integers of the kernels."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to a half-open span of source tokens.

    Parameters
    ----------
    start, end
        Token offsets; an insertion has ``start == end`` and is made before that token.
    corrections
        Alternatives, each a tuple of tokens: ``((),)`` deletes the span, ``()`` is a detection
        without a correction.
    type
        Error type, of any tag set; may be empty.
    required
        Whether the correction is required; optional edits matter to bonus scores.
    comment
        Comment of the annotator.
    group
        Name of the group of edits, if the format groups the edits of all annotators by error
        (I-measure XML); otherwise empty.

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
        # Files have many edits, so only the first token of each alternative is checked.
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
        """Create an edit that replaces a span.

        Parameters
        ----------
        start, end
            Token offsets.
        correction, alternatives
            New text, with spaces between the tokens.
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
        """Create an edit that inserts words before the token at `place`.

        Examples
        --------
        >>> edit = Edit.insert(3, "the")
        >>> edit.start, edit.end, edit.corrections
        (3, 3, (('the',),))
        """
        return cls(place, place, _phrases(correction, *alternatives), type)

    @classmethod
    def delete(cls, start: int, end: int, *, type: str = "") -> Self:
        """Create an edit that deletes a span.

        Examples
        --------
        >>> Edit.delete(4, 5).corrections
        ((),)
        """
        return cls(start, end, ((),), type)

    @property
    def is_insertion(self) -> bool:
        """Whether the edit inserts tokens without replacing any."""
        return self.start == self.end

    @property
    def corrects(self) -> bool:
        """Whether the edit has a correction and is not just a detection."""
        return bool(self.corrections) and self.type not in FLAG_TYPES

    @property
    def correction(self) -> Tokens:
        """The first alternative; empty for a deletion and for a detection."""
        return self.corrections[0] if self.corrections else ()

    def fits(self, n_tokens: int) -> bool:
        """Whether the span lies inside a sentence of `n_tokens` tokens."""
        return self.end <= n_tokens

    def overlaps(self, other: Edit) -> bool:
        """Whether two edits cannot both be applied.

        Spans that share a token overlap, as does an insertion strictly inside a span. Adjacent
        spans and insertions at the same position do not.
        """
        return self.start < other.end and other.start < self.end


def _phrases(*texts: str) -> tuple[Tokens, ...]:
    """Tokenize alternatives at spaces."""
    return tuple(tuple(text.split()) for text in text_lines(texts, "corrections"))


def plain_edits(source: Tokens, target: Tokens) -> tuple[Edit, ...]:
    """Return edits that turn `source` into `target`.

    The types are operations only: ``M`` (missing), ``U`` (unnecessary) or ``R`` (replaced).

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


def _operation(change: Replacement) -> str:
    if change.start == change.end:
        return "M"
    return "U" if change.new_start == change.new_end else "R"


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Sort edits by span; the sort is stable."""
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def applicable(edits: Iterable[Edit], n_tokens: int) -> Iterator[Edit]:
    """Return, left to right, the edits that can be applied together.

    Detections, edits past the end of the sentence and edits that overlap an earlier one are
    skipped, and so are edits inside of one whose correction contains theirs.
    """
    return iter(
        compatible([edit for edit in in_order(edits) if edit.corrects and edit.fits(n_tokens)])
    )


def apply_edits(tokens: Sequence[str], edits: Iterable[Edit]) -> Tokens:
    """Apply the first correction of each edit.

    Insertions at the same position keep their order; see `applicable` for skipped edits.

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
    """Trim unchanged tokens at both ends of an edit.

    Tokens are trimmed only if all alternatives share them. The result is None for an edit
    without a change; detections and edits past the end of the sentence are returned unchanged.

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
