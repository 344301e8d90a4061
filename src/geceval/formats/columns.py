"""Tables whose columns are sources, references, outputs of systems and labels.

A table is a CSV or TSV file with a header, JSON Lines with an object for each sentence, or a
Parquet file. A mapping of columns names their roles:
``source=text,reference=gold,hypothesis=ours,slice=level``.
"""

from __future__ import annotations

import csv
import json
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from geceval.errors import OptionError, UnknownNameError
from geceval.formats.findings import Findings
from geceval.formats.inputs import Input, strip_compression
from geceval.formats.labels import Labeling
from geceval.formats.parquet import is_parquet, parquet_rows
from geceval.model import Corpus, Hypothesis
from geceval.storage.atomic import PathLike

Role: TypeAlias = Literal["source", "reference", "hypothesis", "slice"]
"""What a column is."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, by their roles.

    Examples
    --------
    >>> Columns.parse("source=src,reference=a,reference=b,hypothesis=ours").references
    ('a', 'b')
    """

    source: str
    references: tuple[str, ...]
    hypotheses: tuple[str, ...]
    slices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Columns:
        """Parse ``role=column`` with commas in between; roles other than the source may repeat."""
        found = _by_role(text, get_args(Role), needed=("source", "reference", "hypothesis"))
        return cls(
            found["source"][0],
            tuple(found["reference"]),
            tuple(found["hypothesis"]),
            tuple(found["slice"]),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return (self.source, *self.references, *self.hypotheses, *self.slices)


@dataclass(frozen=True, slots=True)
class PairColumns:
    """The columns of a table of sources and their corrections.

    Examples
    --------
    >>> PairColumns.parse("source=input,correction=output").names
    ('input', 'output')
    """

    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> PairColumns:
        """Parse ``role=column`` with commas in between; there may be several corrections."""
        roles = ("source", "correction")
        found = _by_role(text, roles, needed=roles)
        return cls((*found["source"], *found["correction"]))


def _by_role(text: str, roles: Sequence[str], *, needed: Sequence[str]) -> dict[str, list[str]]:
    """Parse a mapping of columns; only the source is a single column."""
    found: dict[str, list[str]] = {role: [] for role in roles}
    for item in text.split(","):
        role, sign, column = (part.strip() for part in item.partition("="))
        if not sign or not column:
            raise OptionError(
                f"expected a column as ROLE=NAME, not {item.strip()!r}; the roles are "
                f"{', '.join(found)}"
            )
        if role not in found:
            raise UnknownNameError("role of a column", role, found)
        found[role].append(column)
    for role in needed:
        if not found[role]:
            raise OptionError(f"no column is named as {role}: write {role}=NAME")
    if len(found["source"]) > 1:
        raise OptionError("only one column can be the source")
    named = [column for columns in found.values() for column in columns]
    if twice := next((name for name in named if named.count(name) > 1), None):
        raise OptionError(f"the column {twice!r} is named twice")
    return found


@dataclass(frozen=True, slots=True)
class TableContent:
    """The gold standard, the systems and the labels of a table."""

    corpus: Corpus
    hypotheses: list[Hypothesis]
    labelings: list[Labeling]


def read_columns(
    path: PathLike, columns: Columns, *, findings: Findings | None = None, encoding: str = "utf-8"
) -> TableContent:
    """Read a table.

    In JSON Lines, a reference may be a list of strings, and null where an annotator is absent.
    Systems have the names of their columns.

    Raises
    ------
    FormatError
        If a column is missing or a value is not text.
    """
    with Input.open(path, findings=findings, encoding=encoding) as source:
        rows = list(_rows(source, columns.names))
        if not rows:
            raise source.error("expected a row for each sentence, found none")
    texts: dict[str, list[str]] = {
        name: [_text(source, row[name], name, line) for line, row in rows]
        for name in (columns.source, *columns.hypotheses, *columns.slices)
    }
    references = [
        [_texts(source, row[name], name, line) for line, row in rows] for name in columns.references
    ]
    annotators = [
        [one[number] if number < len(one) else None for one in column]
        for column in references
        for number in range(max(map(len, column)))
    ]
    return TableContent(
        Corpus.from_texts(texts[columns.source], *annotators, name=source.name),
        [Hypothesis.from_texts(texts[name], name=name) for name in columns.hypotheses],
        [Labeling(name, tuple(texts[name])) for name in columns.slices],
    )


def is_json_lines(source: Input) -> bool:
    """Whether a table is JSON Lines."""
    return source.head.lstrip().startswith("{")


def read_pairs(
    source: Input, columns: PairColumns, rows: tuple[int, int] | None = None
) -> Iterator[tuple[str, ...]]:
    """Stream the source and the corrections of each row of a table.

    `rows` is a range of rows, of Parquet files only.
    """
    for line, row in _rows(source, columns.names, *(rows or ())):
        yield tuple(_text(source, row[name], name, line) for name in columns.names)


def _rows(
    source: Input, names: Sequence[str], *rows_of_parquet: int
) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield each row with its line number."""
    if is_json_lines(source):
        rows = _objects(source)
    elif is_parquet(source):
        rows = parquet_rows(source, names, *rows_of_parquet)
    else:
        rows = _records(source)
    for line, row in rows:
        for name in names:
            if name not in row:
                error = UnknownNameError("column", name, map(str, row))
                raise source.error(str(error), line=line)
        yield line, row


def _objects(source: Input) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in source.numbered_lines():
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise source.error(f"expected a JSON object: {error}", line=number) from None
        if not isinstance(row, dict):
            raise source.error(f"expected a JSON object, found {reprlib.repr(row)}", line=number)
        yield number, row


def _records(source: Input) -> Iterator[tuple[int, Mapping[str, object]]]:
    first = source.head.split("\n")[0]
    is_tabbed = strip_compression(source.name).endswith(".tsv") or "\t" in first
    lines = (f"{line}\n" for line in source.lines())
    reader = csv.reader(lines, delimiter="\t" if is_tabbed else ",", strict=True)
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            raise source.error("the header names a column twice", line=1)
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                message = f"expected {len(header)} cells as in the header, found {len(row)}"
                raise source.error(message, line=reader.line_num)
            yield reader.line_num, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise source.error(f"not a table: {error}", line=reader.line_num) from None


def _text(source: Input, value: object, name: str, line: int) -> str:
    if not isinstance(value, str):
        message = f"expected text in the column {name!r}, found {reprlib.repr(value)}"
        raise source.error(message, line=line)
    if len(value.strip().splitlines()) > 1:
        message = f"expected one sentence in the column {name!r}, found line breaks"
        raise source.error(message, line=line)
    return value


def _texts(source: Input, value: object, name: str, line: int) -> Sequence[str | None]:
    """Return the references of one sentence; None where an annotator is absent."""
    values = value if isinstance(value, list) else [value]
    return [None if one is None else _text(source, one, name, line) for one in values]
