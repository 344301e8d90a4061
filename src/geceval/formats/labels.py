r"""Labels of sentences, such as their CEFR level, first language, domain or document.

A file has one label per line, in the order of the sentences, or is a table with tabs and a header
that names each column::

    level<TAB>L1
    A<TAB>French
    B<TAB>Korean
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import MismatchError
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input, strip_compression
from geceval.model.arguments import check_items, check_text
from geceval.storage.atomic import PathLike

_SMALL = 30
"""Number of sentences below which the interval of a slice is unreliable."""

_FEW = 20
"""Number of sentences up to which most of them may have a label of their own."""

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Labeling:
    """Labels that divide the sentences of a corpus into slices.

    Parameters
    ----------
    name
        What the labels tell, such as ``"level"``.
    labels
        The label of each sentence.

    Examples
    --------
    >>> Labeling("level", ("A", "B", "A")).sizes()
    {'A': 2, 'B': 1}
    """

    name: str
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        check_text(self.name, "the name of a labeling")
        check_items(self.labels, "Labeling.labels", str, "tuple(labels)")

    def __len__(self) -> int:
        return len(self.labels)

    def sizes(self) -> dict[str, int]:
        """Return the number of sentences of each label, in the order of their first sentences."""
        return dict(Counter(self.labels))


def read_labels(
    path: PathLike,
    *,
    n_sents: int,
    corpus: str = "the gold standard",
    findings: Findings | None = None,
    encoding: str = "utf-8",
) -> list[Labeling]:
    """Read the labels of all sentences.

    Parameters
    ----------
    path
        A file with one label per line, or a table with tabs and a header.
    n_sents, corpus
        Number of sentences of the corpus, and its name for messages.
    findings
        Receives warnings: of labels that differ in case only, of small slices, and of columns
        that are skipped because most sentences have a label of their own.
    encoding
        Text encoding.

    Raises
    ------
    FormatError, MismatchError
        If a label is missing, or the number of labels is not that of the sentences.
    """
    findings = Findings() if findings is None else findings
    with Input.open(path, findings=findings, encoding=encoding) as source:
        lines = list(source.lines())
        is_table = bool(lines) and "\t" in lines[0]
        labelings = _columns(source, lines) if is_table else [_only(source, lines)]
        if len(labelings[0]) != n_sents:
            raise MismatchError(
                corpus, n_sents, source.name, len(labelings[0]), hint=_hint(is_table=is_table)
            )
        kept = [one for one in labelings if not _is_identifier(one)]
        if not kept:
            raise source.error(
                "most sentences have a label of their own; labels must group sentences"
            )
        for one in labelings:
            if one in kept:
                _note_odd(source, one)
            else:
                source.note(
                    "label-skipped",
                    f"the column {one.name!r} is skipped: most sentences have a label of their own",
                )
    return kept


def _hint(*, is_table: bool) -> str:
    if is_table:
        return "a table of labels has a header and then one line for each sentence"
    return "a file of labels has one line for each sentence, and no header unless it has tabs"


def _only(source: Input, lines: Sequence[str]) -> Labeling:
    """Read the labels of a file without tabs."""
    labels = []
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            message = "expected a label without tabs, as in the first line"
            raise source.error(message, line=number)
        labels.append(_label(source, line, number))
    name = Path(strip_compression(source.name)).stem or "label"
    return Labeling(name, tuple(labels))


def _columns(source: Input, lines: Sequence[str]) -> list[Labeling]:
    """Read the columns of a table."""
    names = [name.strip() for name in lines[0].split("\t")]
    if not all(names) or len(set(names)) < len(names):
        message = "expected a header with a different name for each column"
        raise source.error(message, line=1)
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(names):
            message = f"expected {len(names)} labels, one for each column, found {len(cells)}"
            raise source.error(message, line=number)
        rows.append([_label(source, cell, number) for cell in cells])
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return [Labeling(name, tuple(labels)) for name, labels in zip(names, columns, strict=True)]


def _label(source: Input, text: str, line: int) -> str:
    label = text.strip()
    if not label:
        message = "a label is missing; give sentences without one a label too, such as 'unknown'"
        raise source.error(message, line=line)
    if label != text:
        message = f"white space around the label {label[:40]!r} is ignored"
        source.note("label-spaces", message, line=line)
    return label


def _is_identifier(labeling: Labeling) -> bool:
    """Whether labels name sentences, or are sentences, instead of grouping them."""
    n_labels, n_sents = len(set(labeling.labels)), len(labeling)
    return n_labels == n_sents > 1 or 2 * n_labels > max(_FEW, n_sents)


def _note_odd(source: Input, labeling: Labeling) -> None:
    sizes = labeling.sizes()
    spellings: dict[str, list[str]] = {}
    for label in sizes:
        spellings.setdefault(label.casefold(), []).append(label)
    for same in spellings.values():
        if len(same) > 1:
            listing = ", ".join(map(repr, same))
            source.note("label-case", f"the labels {listing} differ in case only")
    small = {label: size for label, size in sizes.items() if size < _SMALL}
    if small:
        listing = ", ".join(f"{label!r} ({size})" for label, size in [*small.items()][:_SHOWN])
        more = ", …" if len(small) > _SHOWN else ""
        source.note(
            "small-slice",
            f"{len(small)} of {len(sizes)} slices by {labeling.name} have fewer than {_SMALL} "
            f"sentences, so that their intervals are unreliable: {listing}{more}",
        )
