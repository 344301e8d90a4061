"""Annotated shards: their manifests, and joining them."""

from __future__ import annotations

import codecs
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from geceval.errors import GecevalError
from geceval.extraction.outputs import APPENDABLE
from geceval.extraction.tally import Counts
from geceval.formats import (
    Format,
    PathLike,
    get_format,
    open_output,
    output_format,
    read_sentences,
    write_sentences,
)
from geceval.formats.inputs import Input
from geceval.formats.shards import Portion, Watch
from geceval.storage.manifests import (
    Manifest,
    PartFileError,
    hash_file,
    in_order,
    remove_manifest,
)
from geceval.storage.urls import is_url, shown_name

_TABLE = "parquet"
"""A format whose parts are joined sentence by sentence."""


def check_part(target: PathLike, fmt: Format) -> None:
    """Refuse an output that cannot be a part."""
    name = os.fspath(target)
    if name == "-" or (not is_url(name) and Path(name).exists() and not Path(name).is_file()):
        raise GecevalError(f"a shard needs a file to write, not {name!r}: name it with -o")
    if fmt.name not in (*APPENDABLE, _TABLE):
        raise GecevalError(
            f"parts in {fmt.title} ({fmt.name}) cannot be joined: write shards as M2, JSON "
            "Lines or Parquet, merge them, and convert the result"
        )


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """The output of a shard, once it is finished.

    Parameters
    ----------
    target
        Its file.
    portion
        Its sentences.
    settings
        Everything but the input that determines the output.
    """

    target: PathLike
    portion: Portion
    settings: Mapping[str, str]

    def counts(self) -> Counts | None:
        """Return the counts of an intact file of the same shard, if there is one."""
        try:
            found = Manifest.read(self.target)
            if found != self._manifest((found.size, found.sha256), found.counts):
                return None
            found.verify(self.target)
            return Counts.restore(found.counts)
        except (PartFileError, ValueError):
            return None

    def remove(self) -> None:
        """Remove the manifest of another file of that name."""
        remove_manifest(self.target)

    def write(self, counts: Counts) -> None:
        """Write the manifest."""
        self._manifest(hash_file(self.target), counts.record()).write(self.target)

    def _manifest(self, content: tuple[int, str], counts: Mapping[str, Any]) -> Manifest:
        return self.portion.manifest("annotations", self.settings, content, counts)


@dataclass(frozen=True, slots=True)
class JoinedParts:
    """Summary of `join_parts`: the counts, the number of parts, and the name of the format."""

    counts: Counts
    n_parts: int
    format: str


def join_parts(
    parts: Sequence[PathLike], target: PathLike, *, watch: Watch | None = None
) -> JoinedParts:
    """Join the annotated shards of one input to the file that a single run would have written.

    All parts are verified before anything is written, and the output appears when it is complete.

    Parameters
    ----------
    parts
        The files of all shards, in any order, each with its manifest.
    target
        Output file; ``-`` is standard output.
    watch
        Wraps the blocks of each part, to show progress.

    Raises
    ------
    PartFileError
        If a part is missing, doubled or damaged, or was made from other inputs or settings.
    """
    listed = in_order(parts)
    format_name = listed[0][1].settings[OUTPUT_FORMAT]
    _check_format(target, format_name)
    counts = Counts()
    n_blocks = sum(manifest.n_blocks for _, manifest in listed)
    verified = chain.from_iterable(manifest.blocks(part) for part, manifest in listed)
    deque(_watched(verified, "verifying parts", n_blocks, watch), maxlen=0)
    for _, manifest in listed:
        counts.add(Counts.restore(manifest.counts))
    if format_name == _TABLE:
        with read_sentences([part for part, _ in listed], format=_TABLE) as (_, sentences):
            write_sentences(sentences, target, format=_TABLE)
        return JoinedParts(counts, len(listed), format_name)
    blocks = _joined([part for part, _ in listed], has_header=format_name == "jsonl")
    is_plain = not any(shown_name(part).endswith((".gz", ".zst")) for part, _ in listed)
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open_output(target) as out:
        for block in _watched(blocks, "merging parts", n_blocks if is_plain else None, watch):
            out.write(decoder.decode(block))
    return JoinedParts(counts, len(listed), format_name)


OUTPUT_FORMAT = "the output format"
"""The setting that names the format of a part."""


def _check_format(target: PathLike, format_name: str) -> None:
    """Refuse a file name that says another format."""
    if os.fspath(target) == "-":
        return
    named = output_format(target, None)
    if named.name != format_name and format_name.split("-", maxsplit=1)[0] != named.name:
        raise GecevalError(
            f"the parts are {get_format(format_name).title} ({format_name}), but "
            f"{shown_name(target)} is named like {named.title} ({named.name}); merge them first, "
            "and use 'geceval convert' then"
        )


def _joined(parts: Sequence[PathLike], *, has_header: bool) -> Iterator[bytes]:
    """Yield the text of all parts, with the first line of the first one only if it is a header."""
    is_header_needed = True
    for part in parts:
        skip_header = has_header and not is_header_needed
        with Input.open(part) as source:
            for block in source.blocks():
                is_header_needed = False
                data = block
                if skip_header:
                    _, end, data = block.partition(b"\n")
                    skip_header = not end
                yield data


def _watched(
    blocks: Iterator[bytes], what: str, total: int | None, watch: Watch | None
) -> Iterator[bytes]:
    return blocks if watch is None else iter(watch(blocks, what, total))
