"""Files of the statistics of shards, each with its manifest, and joining them."""

from __future__ import annotations

from collections.abc import Sequence

from geceval import __version__
from geceval.evaluation.evaluate import Result
from geceval.evaluation.stored_statistics import (
    StoredStatistics,
    check_metrics,
    join_shards,
    load_statistics,
    save_statistics,
    store,
)
from geceval.formats.shards import Portion
from geceval.storage.atomic import PathLike
from geceval.storage.manifests import (
    hash_file,
    in_order,
    remove_manifest,
)


def write_statistics(results: Sequence[Result], path: PathLike, portion: Portion | None) -> None:
    """Save the statistics of results; those of a shard with a manifest."""
    entries = [store(result) for result in results]
    remove_manifest(path)
    save_statistics(entries, path)
    if portion is None:
        return
    check_metrics(one.metric for one in entries)
    settings = {"the version of geceval": __version__}
    counts = {"metrics": len(entries)}
    portion.manifest("statistics", settings, hash_file(path), counts).write(path)


def join_statistics_files(parts: Sequence[PathLike]) -> list[StoredStatistics]:
    """Join the statistics of all shards of a gold standard.

    Raises
    ------
    PartFileError
        If a part is missing, doubled or damaged, or was made from other inputs or settings.
    """
    shards = []
    for part, manifest in in_order(parts):
        manifest.verify(part)
        shards.append(load_statistics(part))
    return join_shards(shards)
