r"""MultiGED-2023 TSV for error detection: one token per line, labeled correct or incorrect.

::

    He	c
    go	i
    home	c

A blank line ends a sentence. Incorrect tokens are flagged but not corrected. Further columns are
ignored. The test sets were published without labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.model import Annotation, Edit, Sentence

_EXPECTED = "expected 'TOKEN<tab>LABEL' with the label 'c' or 'i'"
_LABELS = frozenset({"c", "i"})
_ANNOTATOR = "0"
_FLAG = "UNK"
_ESCAPED = '\\"'
_SNIFFED_LINES = 20
_SNIFFED_SHARE = 0.8


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read sentences with a flag on each incorrect token."""
    for source in inputs:
        tokens: list[str] = []
        labels: list[str] = []
        n_escaped = 0
        for token, label in _rows(source):
            if token:
                n_escaped += token == _ESCAPED
                tokens.append(token)
                labels.append(label)
            elif tokens:
                yield _sentence(tokens, labels)
                tokens, labels = [], []
        if tokens:
            yield _sentence(tokens, labels)
        if n_escaped:
            message = f'quotes with a backslash (\\"), which is kept: {n_escaped:,}'
            source.note("escaped-quotes", message, severity="note")


def _rows(source: Input) -> Iterator[tuple[str, str]]:
    """Yield tokens and labels; both are empty for a blank line, labels also in unlabeled files."""
    has_labels: bool | None = None
    n_longer = 0
    for number, line in enumerate(source.lines(), 1):
        if not line or line.isspace():
            yield "", ""
            continue
        token, _, rest = line.partition("\t")
        label, _, more = rest.partition("\t")
        n_longer += bool(more)
        if has_labels is None:
            has_labels = bool(label)
        if label not in _LABELS and (label or has_labels):
            raise source.error(f"{_EXPECTED}, found {line[:40]!r}", line=number)
        if label and not has_labels:
            message = (
                f"expected a token without a label, as in the preceding lines, found {line[:40]!r}"
            )
            raise source.error(message, line=number)
        yield _token(source, token, number), label
    if n_longer:
        message = f"columns after token and label are ignored, in {n_longer:,} lines"
        source.note("further-columns", message, severity="note")


def _token(source: Input, token: str, number: int) -> str:
    """Return a token without white space, which would split it in other formats."""
    parts = token.split()
    if parts == [token]:
        return token
    if not parts:
        raise source.error(f"{_EXPECTED}, found no token", line=number)
    source.note("space-in-token", f"removed white space from the token {token[:40]!r}", line=number)
    return "".join(parts)


def _sentence(tokens: Iterable[str], labels: Sequence[str]) -> Sentence:
    if not labels[0]:
        return Sentence(tuple(tokens))
    flags = tuple(
        Edit(position, position + 1, (), _FLAG)
        for position, label in enumerate(labels)
        if label == "i"
    )
    return Sentence(tuple(tokens), (Annotation(_ANNOTATOR, flags),))


_SNIFF = re.compile(r"[^\t]+\t[ci](\t.*)?\r?")


def sniff(head: str) -> bool:
    """Recognize labeled tokens in most of the first lines; the reader refuses the others."""
    # The last line may be truncated.
    complete = head.rpartition("\n")[0] or head
    lines = (line for line in complete.split("\n") if line.strip())
    first = list(islice(lines, _SNIFFED_LINES))
    n_labeled = sum(_SNIFF.fullmatch(line) is not None for line in first)
    return bool(first) and n_labeled >= _SNIFFED_SHARE * len(first)


FORMATS = (Format("multiged", "MultiGED-2023 TSV", (), sniff, read, endings=(".tsv",)),)
