"""Merging by the rules of 2017, by recursion: what stands before an edit is looked at anew."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from geceval.extraction.align import Operation
from geceval.extraction.lang.analysis import Analysis
from geceval.extraction.surface import is_punctuation

Span = tuple[int, int, int, int]
CONTENT = {"ADJ", "ADV", "NOUN", "VERB"}


def merge_anew(  # noqa: C901 - all rules in one place, in their order
    run: Sequence[Operation], source: Analysis, target: Analysis, *, fold_case: bool
) -> list[Span]:
    """Merge the operations of a run without matches."""

    def words(operation: Operation) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (
            source.tokens[operation.start : operation.end],
            target.tokens[operation.target_start : operation.target_end],
        )

    def classes(operations: Sequence[Operation]) -> set[str]:
        return {
            name
            for one in operations
            for name in (
                *source.pos[one.start : one.end],
                *target.pos[one.target_start : one.target_end],
            )
        }

    def joined(operations: Sequence[Operation]) -> list[Span]:
        if not operations:
            return []
        first, last = operations[0], operations[-1]
        return [(first.start, last.end, first.target_start, last.target_end)]

    def anew(operations: Sequence[Operation]) -> list[Span]:
        return merge_anew(operations, source, target, fold_case=fold_case)

    for place, operation in enumerate(run):
        before, after = words(operation)
        following = run[place + 1] if place + 1 < len(run) else None
        if following is not None and following.kind == "S":
            (one,), (other,) = words(following)
            marked = any(is_punctuation(word) or word[:1].isupper() for word in (*before, *after))
            if marked and one.lower() == other.lower() and one[:1] != other[:1]:
                pair = joined(run[place : place + 2])
                return [*anew(run[:place]), *pair, *anew(run[place + 2 :])]
        if operation.kind == "T":
            return [*anew(run[:place]), *joined([operation]), *anew(run[place + 1 :])]
        if following is not None:
            more = words(following)
            sides = [*before, *more[0]], [*after, *more[1]]
            texts = ["".join(side) for side in sides]
            for mark in "'’´`":
                texts = [text.replace(mark, "") for text in texts]
            if fold_case:
                texts = [text.lower() for text in texts]
            if min(map(len, sides)) == 1 < max(map(len, sides)) and texts[0] == texts[1]:
                pair = joined(run[place : place + 2])
                return [*anew(run[:place]), *pair, *anew(run[place + 2 :])]
        if operation.kind == "S":
            steps = Levenshtein.opcodes(before[0], after[0])
            length = sum(
                max(step.src_end - step.src_start, step.dest_end - step.dest_start)
                for step in steps
            )
            cost = Levenshtein.distance(before[0], after[0]) / length
            one_class = place > 0 and is_one(classes(run[: place + 1]))
            follows = place > 0 and run[place - 1].kind == "S"
            if (cost < 0.3 and not one_class) or follows:
                return [*anew(run[:place]), *joined([operation]), *anew(run[place + 1 :])]
    if not run:
        return []
    if "DET" in classes(run[-1:]):
        return [*joined(run[:-1]), *joined(run[-1:])]
    if CONTENT & classes(run) or is_one(classes(run)):
        return joined(run)
    return [span for one in run for span in joined([one])]


def is_one(classes: set[str]) -> bool:
    """Whether there is one part of speech; those that are not known are not one."""
    return len(classes) == 1 and classes != {""}
