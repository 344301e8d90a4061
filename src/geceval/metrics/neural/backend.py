"""What metrics ask of a model, and how models are loaded."""

# Default methods ignore their arguments.
# ruff: noqa: ARG002

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, os_reason

Floats: TypeAlias = NDArray[np.float64]
BackendName: TypeAlias = Literal["onnx", "transformers"]
"""Kinds of models that are files."""

_SHOWN_HASH = 16


class Backend:
    """A model. Subclasses implement what it can do, and its identity.

    All texts are sentences with spaces between the tokens; results are in their order, and those
    of a text do not depend on other texts.
    """

    uses_references: bool = True
    """Whether `score` compares with references."""

    @property
    def identity(self) -> str:
        """Name the model, with a hash of its weights if they are known, for signatures."""
        return type(self).__name__

    def score(
        self, sources: Sequence[str], outputs: Sequence[str], references: Sequence[str]
    ) -> Floats:
        """Score outputs; a larger score is better."""
        raise self._lacking("scores")

    def score_pairs(self, sources: Sequence[str], outputs: Sequence[str]) -> Floats:
        """Score pairs of source and output by a model that reads both."""
        raise self._lacking("scores of pairs")

    def similarity(self, first: Sequence[str], second: Sequence[str]) -> Floats:
        """Return the similarity of the meanings of two texts, at most 1."""
        raise self._lacking("similarity")

    def perplexity(self, texts: Sequence[str]) -> Floats:
        """Return the perplexity of each text; a smaller one is better."""
        raise self._lacking("perplexity")

    def _lacking(self, what: str) -> GecevalError:
        return GecevalError(f"the model {self.identity} gives no {what}")


def load_backend(kind: BackendName, path: str | Path, *, jobs: int = 1) -> Backend:
    """Load a model from files.

    Parameters
    ----------
    kind
        ``"onnx"``, an ONNX model with a ``tokenizer.json`` in the same folder; or
        ``"transformers"``, a folder that ``save_pretrained`` wrote.
    path
        The model: a file, or a folder.
    jobs
        Threads.
    """
    if not Path(path).exists():
        raise GecevalError(
            f"there is no model {str(path)!r}: give the path of a local file or folder; geceval "
            "downloads no models"
        )
    if kind == "onnx":
        from geceval.metrics.neural.onnx import OnnxBackend

        return OnnxBackend(path, jobs=jobs)
    from geceval.metrics.neural.transformers import TransformersBackend

    return TransformersBackend(path)


def hash_files(paths: Sequence[Path]) -> str:
    """Return a hash of the names and contents of files."""
    state = hashlib.sha256()
    for path in sorted(paths):
        try:
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256")
        except OSError as error:
            raise GecevalError(f"{path}: cannot be read: {os_reason(error)}") from error
        state.update(f"{path.name}\0{content.hexdigest()}\n".encode())
    return state.hexdigest()[:_SHOWN_HASH]


def import_or_explain(module: str, what: str, extra: str = "geceval[neural]") -> Any:
    """Import an optional package, or say what to install."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        message = f"{what} needs {module}; install it with: pip install '{extra}'"
        raise GecevalError(message) from error
