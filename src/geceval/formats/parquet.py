"""Rows of Parquet files, read by pyarrow (``pip install geceval[files]``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from geceval.errors import GecevalError, UnknownNameError
from geceval.formats.inputs import Input
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
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise GecevalError(
            f"{source.name} is a Parquet file, which needs pyarrow: pip install 'geceval[files]'"
        ) from error
    if source.size is None:
        raise source.error("a Parquet file cannot be read from a pipe; give the file")
    path = source.path
    try:
        return pq.ParquetFile(open_binary(path) if is_url(path) else path)
    except (pa.ArrowException, OSError) as error:
        raise source.error(f"not a valid Parquet file: {error}") from error
