"""Plain parallel text: one tokenized sentence per line, a source file and its references.

References have no edits, so they are extracted with a word diff that merges adjacent changes.
`geceval annotate` extracts better ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TextIO

from geceval.errors import GecevalError, MismatchError
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import (
    Sentence,
    annotation_from_target,
    annotator_order,
    apply_edits,
)
from geceval.text import join_tokens, split_tokens

VERTICAL_AS_TEXT = (
    "'geceval convert --format multiged FILE OUT --source' writes one sentence per line"
)
"""How to make plain text of a file with one token per line."""

ONE_PER_LINE = f"the latter has one token per line: {VERTICAL_AS_TEXT}"
"""Hint for such a file in place of plain text."""

_MIN_VERTICAL = 10


def is_vertical(lengths: Sequence[int]) -> bool:
    """Whether lines, by their numbers of tokens, are tokens with blank lines between sentences.

    Examples
    --------
    >>> is_vertical([1, 1, 1, 1, 0] * 3), is_vertical([4, 4, 0] * 5)
    (True, False)
    """
    n_blank = lengths.count(0)
    return n_blank > 0 and lengths.count(1) >= max(_MIN_VERTICAL, 0.9 * (len(lengths) - n_blank))


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read source and references together, one line of each at a time."""
    files = [source.lines() for source in inputs]
    for number, rows in enumerate(zip_longest(*files)):
        lines = [row for row in rows if row is not None]
        if len(lines) < len(files):
            counts = [
                number + (row is not None) + _rest(file)
                for row, file in zip(rows, files, strict=True)
            ]
            other = next(i for i, count in enumerate(counts) if count != counts[0])
            names = inputs[0].name, inputs[other].name
            head = inputs[other].head.split("\n")[:-1]
            hint = ONE_PER_LINE if is_vertical([len(split_tokens(line)) for line in head]) else ""
            raise MismatchError(names[0], counts[0], names[1], counts[other], hint=hint)
        tokens, *targets = map(split_tokens, lines)
        annotations = (
            annotation_from_target(str(column), tokens, target)
            for column, target in enumerate(targets)
        )
        yield Sentence(tokens, tuple(annotations))


def _rest(lines: Iterator[str]) -> int:
    """Count the remaining lines."""
    return sum(1 for _ in lines)


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write the source to the first file and the sentences of each annotator to another.

    Plain text cannot represent an absent annotator; the source takes the place of the reference.
    """
    sources: list[str] = []
    targets: dict[str, dict[int, str]] = {}
    for number, sent in enumerate(sentences):
        sources.append(join_tokens(sent.tokens))
        for ann in sent.annotations:
            corrected = join_tokens(apply_edits(sent.tokens, ann.edits))
            targets.setdefault(ann.annotator, {})[number] = corrected
    annotators = sorted(targets, key=annotator_order)
    if len(outputs) != 1 + len(annotators):
        raise GecevalError(
            f"plain text of {len(annotators)} annotators ({', '.join(annotators)}) needs "
            f"{1 + len(annotators)} files, the source first, not {len(outputs)}"
        )
    outputs[0].writelines(f"{line}\n" for line in sources)
    for annotator, out in zip(annotators, outputs[1:], strict=True):
        lines = targets[annotator]
        out.writelines(f"{lines.get(number, line)}\n" for number, line in enumerate(sources))


FORMATS = (
    # Plain text is the fallback, so it needs no detection.
    Format("parallel", "plain parallel text", (".txt",), None, read, write, several=True),
)
