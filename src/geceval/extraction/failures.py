"""``NAME.failed``: the chunks of an output that failed, with their sentences and the reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from geceval.engines import ATTEMPTS, ChunkFailure
from geceval.errors import GecevalError
from geceval.extraction.corpus import SplitRow
from geceval.extraction.lang.analysis import tokens_of
from geceval.model import Sentence
from geceval.storage import strict_json
from geceval.storage.atomic import PathLike, write_errors
from geceval.storage.urls import local_name

SCHEMA = 1

_HEADER = {"format": "geceval-failed", "schema": SCHEMA}


class FailureLog:
    """A file of failed chunks, one JSON object for each; it exists only if there are any.

    Parameters
    ----------
    target
        The output; the file is named after it.

    Raises
    ------
    GecevalError
        If another file has the name.
    """

    def __init__(self, target: PathLike) -> None:
        self.path = Path(f"{local_name(target)}.failed")
        if self.path.exists():
            with self.path.open("rb") as file:
                start = file.read(1024)
            if start and not start.startswith(b'{"format": "geceval-failed"'):
                raise GecevalError(
                    f"{self.path} is needed for chunks that fail, but it is another file; rename it"
                )

    def clear(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)

    def add(self, failure: ChunkFailure[Any]) -> None:
        """Append a chunk."""
        chunk = failure.chunk
        record = {
            "first": chunk.start + 1,
            "last": chunk.start + len(chunk.items),
            "attempts": ATTEMPTS,
            "reason": failure.reason,
            "trace": failure.trace,
            "sentences": [_texts(item) for item in chunk.items],
        }
        with write_errors(self.path), self.path.open("a", encoding="utf-8") as file:
            if not file.tell():
                file.write(strict_json.dumps(_HEADER) + "\n")
            file.write(strict_json.dumps(record) + "\n")


def _texts(item: Any) -> list[str]:
    """Return the source of a sentence and, for parallel text, its corrections."""
    if isinstance(item, Sentence):
        return [" ".join(item.tokens)]
    if isinstance(item, SplitRow):
        texts = (item.source, *item.targets)
        return ["" if text is None else " ".join(tokens_of(text)) for text in texts]
    return list(item)
