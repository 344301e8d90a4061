"""Parquet files: rows of tables, and corpora, by pyarrow (``pip install geceval[files]``).

A corpus has the columns ``id``, ``tokens``, ``annotations`` and ``raw``, with the fields of JSON
Lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TextIO

from geceval.errors import GecevalError, UnknownNameError
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.formats.jsonl import record_of, sentence_of
from geceval.model import Sentence
from geceval.storage.urls import is_url, open_binary

_MAGIC = "PAR1"

_BATCH = 4096
"""Rows that are decoded at a time."""


def is_parquet(source: Input) -> bool:
    """Whether a file is a Parquet file."""
    return source.head.startswith(_MAGIC)


def count_rows(source: Input) -> int:
    """Return the number of rows of a file."""
    with _opened(source) as file:
        n_rows: int = file.metadata.num_rows
        return n_rows


def parquet_rows(
    source: Input, columns: Sequence[str], first: int = 0, last: int | None = None
) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield rows of some columns, each with its number from 1.

    Parameters
    ----------
    source
        The file.
    columns
        Names of the columns, which are all that is read.
    first, last
        Range of the rows, from 0. Row groups outside of it are not read.
    """
    with _opened(source) as file:
        known = file.schema_arrow.names
        for name in columns:
            if name not in known:
                raise source.error(str(UnknownNameError("column", name, known)))
        stop = file.metadata.num_rows if last is None else last
        start = 0
        for group in range(file.metadata.num_row_groups):
            end = start + file.metadata.row_group(group).num_rows
            if start < stop and end > first:
                row = start
                for batch in file.iter_batches(_BATCH, row_groups=[group], columns=list(columns)):
                    for place, record in _records_of(batch, first - row, stop - row):
                        yield row + place + 1, record
                    row += batch.num_rows
            start = end


def _records_of(batch: Any, first: int, last: int) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield the rows of a batch that are in a range, by their place in the batch."""
    low, high = max(0, first), min(batch.num_rows, last)
    if low < high:
        yield from enumerate(batch.slice(low, high - low).to_pylist(), low)


def _opened(source: Input) -> Any:
    pa, pq = _pyarrow()
    if source.size is None:
        raise source.error("a Parquet file cannot be read from a pipe; give the file")
    path = source.path
    try:
        return pq.ParquetFile(open_binary(path) if is_url(path) else path)
    except (pa.ArrowException, OSError) as error:
        raise source.error(f"not a valid Parquet file: {error}") from error


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise GecevalError("Parquet files need pyarrow: pip install 'geceval[files]'") from error
    return pa, pq


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read the sentences of corpora."""
    for source in inputs:
        with _opened(source) as file:
            names = file.schema_arrow.names
        if not {"tokens", "annotations"} <= set(names):
            raise source.error(
                "expected the columns tokens and annotations of a corpus, found "
                f"{', '.join(names)}; to annotate or score text, name its columns with --columns"
            )
        for number, row in parquet_rows(source, [name for name in _COLUMNS if name in names]):
            try:
                yield sentence_of(_without_nulls(row))
            except (KeyError, ValueError, TypeError, AttributeError) as error:
                raise source.error(f"row {number} is not a sentence: {error}") from None


def _without_nulls(value: Any) -> Any:
    """Remove fields without a value, which JSON Lines omits."""
    if isinstance(value, Mapping):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write sentences as a corpus."""
    pa, pq = _pyarrow()
    schema = _schema(pa)
    out = outputs[0]
    out.flush()
    with pq.ParquetWriter(out.buffer, schema, compression="zstd") as writer:
        records = (record_of(sent) for sent in sentences)
        while rows := list(islice(records, _ROWS)):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


_COLUMNS = ("id", "tokens", "annotations", "raw")

_ROWS = 10_000
"""Rows of a row group."""


def _schema(pa: Any) -> Any:
    tokens = pa.list_(pa.string())
    edit = pa.struct(
        [
            ("start", pa.int32()),
            ("end", pa.int32()),
            ("corrections", pa.list_(tokens)),
            ("type", pa.string()),
            ("required", pa.bool_()),
            ("comment", pa.string()),
            ("group", pa.string()),
        ]
    )
    annotation = pa.struct([("annotator", pa.string()), ("edits", pa.list_(edit))])
    raw = pa.struct([("text", pa.string()), ("spans", pa.list_(pa.list_(pa.int32())))])
    return pa.schema(
        [
            ("id", pa.string()),
            ("tokens", tokens),
            ("annotations", pa.list_(annotation)),
            ("raw", raw),
        ]
    )


FORMATS = (
    Format("parquet", "Parquet", (".parquet",), lambda head: head.startswith(_MAGIC), read, write),
)
