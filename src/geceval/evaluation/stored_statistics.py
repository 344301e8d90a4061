"""Statistics in a file, and those of shards joined to the statistics of the whole corpus.

Scores are computed from statistics alone, so that joined statistics give the score that a single
run would have given, to the last bit.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geceval.errors import GecevalError, os_reason
from geceval.evaluation.evaluate import Result
from geceval.extraction.lang.pack_options import PackOptions
from geceval.metrics.base import Metric
from geceval.metrics.provenance import Provenance
from geceval.metrics.registry import metric_class
from geceval.metrics.statistics import Statistics
from geceval.model import annotator_order
from geceval.storage import strict_json
from geceval.storage.atomic import PathLike, write_bytes
from geceval.storage.urls import open_binary, shown_name

SCHEMA = 1

_FORMAT = "geceval-statistics"
_ARRAYS = ("counts", "mask", "hashes", "n_refs")
# These change no score, and may not be representable.
_EXCLUDED_OPTIONS = frozenset({"jobs", "notify"})

_MADE_ALIKE = {
    "extraction": "how edits were extracted",
    "gold_extraction": "how gold edits were extracted",
    "preparation": "how outputs were prepared",
    "tokenized": "whether outputs were tokenized",
    "unit": "what tokens are",
}
"""Fields of statistics that have to be the same in all parts, and what they are."""


@dataclass(frozen=True, slots=True)
class StoredStatistics:
    """The statistics of one system by one metric."""

    metric: Metric
    system: str
    statistics: Statistics

    @property
    def key(self) -> str:
        """What is counted: the metric with its settings, and the system."""
        return f"{self.metric.name} ({self.metric.configuration()}) of {self.system}"


def check_metrics(metrics: Iterable[Metric]) -> None:
    """Refuse metrics whose counts of a sentence depend on others."""
    for metric in metrics:
        if not metric.counts_sentences_alone:
            raise GecevalError(
                f"{metric.title} cannot be counted in shards, because what it counts in a sentence "
                "depends on more than the sentence; score the whole gold standard with it"
            )


def store(result: Result) -> StoredStatistics:
    """Return the statistics of a result."""
    return StoredStatistics(result.metric, result.system, result.statistics)


def save_statistics(entries: Sequence[StoredStatistics], path: PathLike) -> None:
    """Save statistics as an ``.npz`` file; equal statistics give equal bytes."""
    write_bytes(path, _packed(entries))


def _packed(entries: Sequence[StoredStatistics]) -> bytes:
    header = {"format": _FORMAT, "schema": SCHEMA, "entries": [_record(one) for one in entries]}
    arrays: dict[str, Any] = {
        "header": np.frombuffer(strict_json.dumps(header).encode(), dtype=np.uint8)
    }
    for number, one in enumerate(entries):
        found = one.statistics
        values = (found.counts, found.mask, found.provenance.hashes, found.provenance.n_refs)
        arrays |= {f"{number}.{name}": value for name, value in zip(_ARRAYS, values, strict=True)}
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def _record(entry: StoredStatistics) -> dict[str, Any]:
    metric, found = entry.metric, entry.statistics
    return {
        "metric": type(metric).name,
        "options": _options(metric),
        "name": metric.name,
        "title": metric.title,
        "configuration": metric.configuration(),
        "system": entry.system,
        "columns": found.columns,
        "references": found.references,
        "readings": found.readings,
        "tokenized": found.tokenized,
        "extraction": found.extraction,
        "gold_extraction": found.gold_extraction,
        "preparation": found.preparation,
        "nested": found.nested,
        "unit": found.unit,
    }


def _options(metric: Metric) -> dict[str, Any]:
    """Return the options that were given to a metric."""
    given = {
        name: value
        for name, value in metric.given_options.items()
        if name not in _EXCLUDED_OPTIONS and value != PackOptions()
    }
    for name, value in given.items():
        if not isinstance(value, str | int | float | bool | None):
            raise GecevalError(
                f"the option {name} of {metric.title} cannot be saved with the statistics"
            )
    return given


def load_statistics(path: PathLike) -> list[StoredStatistics]:
    """Load what `save_statistics` has saved."""
    name = shown_name(path)
    try:
        # At once, because an archive is not read from start to end.
        with (
            open_binary(path) as file,
            np.load(io.BytesIO(file.read()), allow_pickle=False) as arrays,
        ):
            header = json.loads(arrays["header"].tobytes())
            if header.get("format") != _FORMAT or header.get("schema") != SCHEMA:
                raise GecevalError(f"{name}: not statistics of this version of geceval")
            return [_entry(record, n, arrays) for n, record in enumerate(header["entries"])]
    except OSError as error:
        raise GecevalError(f"{name}: cannot be read: {os_reason(error)}") from error
    except (ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise GecevalError(f"{name}: not a file of statistics: {error}") from error


def _entry(record: Mapping[str, Any], number: int, arrays: Mapping[str, Any]) -> StoredStatistics:
    metric = metric_class(record["metric"])(**record["options"])
    metric = metric.with_name(record["name"], record["title"])
    if metric.configuration() != record["configuration"]:
        raise GecevalError(
            f"the statistics of {metric.title} were counted with {record['configuration']}, which "
            f"is {metric.configuration()} here; use the same version of geceval and its models"
        )
    counts, mask, hashes, n_refs = (arrays[f"{number}.{name}"] for name in _ARRAYS)
    statistics = Statistics(
        counts,
        mask,
        tuple(record["columns"]),
        tuple(record["references"]),
        Provenance(hashes, n_refs),
        readings=tuple(record["readings"]),
        tokenized=record["tokenized"],
        extraction=record["extraction"],
        gold_extraction=record["gold_extraction"],
        preparation=record["preparation"],
        nested=record["nested"],
        unit=record["unit"],
    )
    return StoredStatistics(metric, record["system"], statistics)


def join_shards(shards: Sequence[Sequence[StoredStatistics]]) -> list[StoredStatistics]:
    """Join the statistics of all shards, in order, for each metric and system.

    Raises
    ------
    GecevalError
        If the shards do not have the same metrics and systems, or if an annotator is missing in
        some of them and is not taken as absent.
    """
    first = shards[0]
    for number, shard in enumerate(shards[1:], 2):
        mine, others = {one.key for one in first}, {one.key for one in shard}
        if differing := sorted(mine ^ others):
            raise GecevalError(
                f"the shards 1 and {number} do not have the same metrics and systems: only one of "
                f"them has {differing[0]}; give all shards the same options, and "
                "--missing-annotator if some annotators are missing"
            )
    by_key = [{one.key: one.statistics for one in shard} for shard in shards]
    return [
        replace(one, statistics=join_statistics(one.metric, [shard[one.key] for shard in by_key]))
        for one in first
    ]


def join_statistics(metric: Metric, parts: Sequence[Statistics]) -> Statistics:
    """Join the statistics of consecutive sentences.

    A reference that a part lacks is absent there.
    """
    first = parts[0]
    names = {name for part in parts for name in part.references}
    references = first.references
    if any(part.references != references for part in parts):
        if getattr(metric, "missing", "absent") != "absent":
            raise GecevalError(
                "some annotators have no line in a whole shard, so that the others cannot be "
                f"completed as {metric.title} does; score with --missing-annotator absent, or "
                "without shards"
            )
        references = tuple(sorted(names, key=annotator_order))
    readings = first.readings
    if any(part.readings != readings for part in parts):
        raise GecevalError(
            "the output does not have the same annotators in all shards; select one with 'geceval "
            "convert --apply --annotator NAME'"
        )
    if any(part.nested != first.nested for part in parts):
        raise GecevalError(
            "only some shards have edits inside of others, which decide how all edits are read; "
            "score with --nested off, or without shards"
        )
    for name, what in _MADE_ALIKE.items():
        values = sorted({str(getattr(part, name)) or "none" for part in parts})
        if len(values) > 1:
            raise GecevalError(
                f"{what} differs between parts, so {metric.title} would be of mixed data: "
                f"{' and '.join(values)}; count all of them with the same options and versions"
            )
    columns = max((part.columns for part in parts), key=len)
    full = [_widened(part, references, columns) for part in parts]
    return replace(
        first,
        counts=np.concatenate([part.counts for part in full]),
        mask=np.concatenate([part.mask for part in full]),
        columns=columns,
        references=references,
        provenance=Provenance(
            np.concatenate([part.provenance.hashes for part in parts]),
            np.concatenate([part.provenance.n_refs for part in parts]),
        ),
    )


def _widened(part: Statistics, references: tuple[str, ...], columns: tuple[str, ...]) -> Statistics:
    """Return statistics with all references, those that it lacks masked, and all columns."""
    if columns[: len(part.columns)] != part.columns:
        raise GecevalError("the shards count different things")
    part = part.with_columns(columns)
    if part.references == references:
        return part
    n_readings = max(1, len(part.readings))
    place = {name: number for number, name in enumerate(references)}
    own = [
        reading * len(references) + place[name]
        for reading in range(n_readings)
        for name in part.references
    ]
    shape = (len(part), n_readings * len(references))
    counts: Any = np.zeros((*shape, len(columns)), dtype=part.counts.dtype)
    mask = np.zeros(shape, dtype=bool)
    counts[:, own], mask[:, own] = part.counts, part.mask
    return replace(part, counts=counts, mask=mask, references=references)
