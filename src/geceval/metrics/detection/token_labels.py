"""Labels of tokens, made from edits or given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from geceval.errors import GecevalError
from geceval.model import Corpus, Edit, Hypothesis

Grain: TypeAlias = Literal["binary", "operation", "category", "both"]

INCORRECT = "i"
_UNKNOWN = "UNK"
_OPERATIONS = ("M:", "R:", "U:")


@dataclass(frozen=True, slots=True)
class TokenLabels:
    """The incorrect tokens of a sentence with their labels, and the insertions without a token."""

    of_token: Mapping[int, str]
    n_lost: int


def label_tokens(
    sentences: Iterable[tuple[Iterable[Edit], int]], grain: Grain, name: str, *, are_labels: bool
) -> list[TokenLabels]:
    """Label the tokens in the spans of edits.

    Parameters
    ----------
    sentences
        Edits and number of tokens.
    grain
        What a label says about the error type.
    name
        Name of the system or corpus, for messages.
    are_labels
        Whether the edits are labels, without corrections and types.

    Examples
    --------
    >>> edits = [Edit(1, 1, (("a",),), "M:DET"), Edit(1, 3, ((),), "U:NOUN"), Edit(3, 3, (("!",),))]
    >>> label_tokens([(edits, 3)], "binary", "h", are_labels=False)
    [TokenLabels(of_token={1: 'i', 2: 'i'}, n_lost=1)]
    """
    if are_labels and grain != "binary":
        raise GecevalError(
            f"{name} only labels tokens as correct or incorrect; grain={grain} needs the error "
            "types of corrections"
        )
    return [
        _labels(edits, n_tokens, grain, name, are_labels=are_labels)
        for edits, n_tokens in sentences
    ]


def marking(edits: Iterable[Edit], n_tokens: int, *, are_labels: bool) -> tuple[Edit, ...]:
    """Return the edits that mark tokens; those of type ``UNK`` only do if they are labels."""
    return tuple(
        edit for edit in edits if edit.fits(n_tokens) and (are_labels or edit.type != _UNKNOWN)
    )


def _labels(
    edits: Iterable[Edit], n_tokens: int, grain: Grain, name: str, *, are_labels: bool
) -> TokenLabels:
    """Label the tokens of a sentence; later edits overwrite earlier ones."""
    found: dict[int, str] = {}
    n_lost = 0
    for edit in marking(edits, n_tokens, are_labels=are_labels):
        label = _label(edit, grain, name)
        if edit.start == n_tokens:
            n_lost += 1
        else:
            span = range(edit.start, max(edit.end, edit.start + 1))
            found.update(dict.fromkeys(span, label))
    return TokenLabels(found, n_lost)


def _label(edit: Edit, grain: Grain, name: str) -> str:
    if grain == "binary":
        return INCORRECT
    if grain == "both":
        return edit.type
    if not edit.type.startswith(_OPERATIONS):
        raise GecevalError(
            f"{name} has the error type {edit.type!r}, which has no {grain}: use grain=both, or "
            "extract the gold edits with --auto-gold"
        )
    return edit.type[0] if grain == "operation" else edit.type[2:]


def are_detections(edits: Iterable[Iterable[Edit]]) -> bool:
    """Whether there are edits and none of them corrects: they are labels of tokens.

    Examples
    --------
    >>> are_detections([(), (Edit(0, 1, (), "UNK"),)]), are_detections([(), ()])
    (True, False)
    """
    corrects = [edit.corrects for own in edits for edit in own]
    return bool(corrects) and not any(corrects)


def check_tokens(corpus: Corpus, hypothesis: Hypothesis) -> None:
    """Raise an error unless labels are those of the source tokens."""
    if (difference := first_difference(corpus, hypothesis)) is not None:
        raise GecevalError(f"{hypothesis.name or 'the hypothesis'}, {difference}")


def first_difference(corpus: Corpus, hypothesis: Hypothesis) -> str | None:
    """Describe the first sentence whose labels are those of other tokens than the source's."""
    line = 1
    for number, (sent, tokens) in enumerate(zip(corpus, hypothesis, strict=False), 1):
        if sent.tokens != tokens:
            return f"sentence {number:,}: {_difference(sent.tokens, tokens, line)}"
        line += len(tokens) + 1
    return None


def _difference(source: Sequence[str], tokens: Sequence[str], line: int) -> str:
    """Describe the first token that differs; `line` is that of the first one."""
    shared = min(len(source), len(tokens))
    place = next((i for i in range(shared) if source[i] != tokens[i]), shared)
    where = f"token {place + 1} (about line {line + place:,})"
    if place == shared:
        return (
            f"it has {len(tokens)} tokens, but the gold standard has {len(source)}; {where} is in "
            "one file only, or a blank line is"
        )
    hint = ""
    if source[place].replace("\\", "") == tokens[place].replace("\\", ""):
        hint = '; quotes are escaped as \\" in one of the files'
    return (
        f"{where} is {tokens[place]!r}, but {source[place]!r} in the gold standard; labels "
        f"must be those of its tokens{hint}"
    )
