"""Hugging Face: scores during training, edits of datasets, and a module for ``evaluate``.

``evaluate.load(METRIC)`` loads geceval as a metric of the package ``evaluate``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, MismatchError, UnknownNameError
from geceval.evaluation.coercion import Reference, Source
from geceval.evaluation.scorer import Metrics, Scorer
from geceval.metrics.statistics import precision_and_recall

METRIC = str(Path(__file__).parent / "gec" / "gec.py")
"""Path of the metric for ``evaluate.load``."""

IGNORED = -100
"""Label of positions that the loss ignores, and that cannot be decoded."""


class Tokenizer(Protocol):
    """A tokenizer of ``transformers``."""

    def batch_decode(self, sequences: Any, *, skip_special_tokens: bool) -> list[str]:
        """Return the text of each sequence."""


class PlainTokenizer(Protocol):
    """A tokenizer of ``tokenizers``."""

    def decode_batch(self, sequences: Any, *, skip_special_tokens: bool) -> list[str]:
        """Return the text of each sequence."""


def compute_metrics(
    tokenizer: Tokenizer | PlainTokenizer,
    sources: Source,
    references: Reference | None = None,
    metrics: Metrics = "m2",
    *,
    prefix: str = "",
    parts: bool = True,
    **options: Any,
) -> Callable[[Any], dict[str, float]]:
    """Return a function that scores predictions, for ``Trainer`` and ``Seq2SeqTrainer``.

    Parameters
    ----------
    tokenizer
        The tokenizer of the model, of ``transformers`` or ``tokenizers``, which decodes
        predictions.
    sources, references, metrics, options
        The gold standard of the evaluation data, in the same order, the metrics and further
        options; see `geceval.Scorer`.
    prefix
        Text before the names of scores.
    parts
        Whether to return precision and recall, too.

    Returns
    -------
    function
        Takes what the trainer gives it: predictions as arrays of token ids or of logits, with or
        without labels. Returns the scores by metric.
    """
    scorer = Scorer(sources, references, metrics, **options)

    def compute(prediction: Any) -> dict[str, float]:
        lines = _decoded(tokenizer, token_ids(prediction))
        if len(lines) != len(scorer.corpus):
            raise MismatchError("sources", len(scorer.corpus), "predictions", len(lines))
        found: dict[str, float] = {}
        for name, score in scorer(lines).items():
            found[f"{prefix}{name}"] = float(score.value)
            if parts:
                shares = precision_and_recall(score.parts) or ()
                found |= {
                    f"{prefix}{name}_{long}": float(score.parts[part])
                    for long, part in zip(("precision", "recall"), shares, strict=False)
                }
        return found

    return compute


def token_ids(prediction: Any) -> NDArray[np.int64]:
    """Return the token ids of predictions.

    Parameters
    ----------
    prediction
        An array of token ids, or of logits, whose best token is taken; a tuple whose first element
        is such an array; or an object with the attribute ``predictions``, as trainers have it.

    Examples
    --------
    >>> token_ids(np.array([[3, 1, -100]])).tolist()
    [[3, 1, -100]]
    >>> token_ids((np.array([[[0.1, 0.9], [0.8, 0.2]]]), None)).tolist()
    [[1, 0]]
    """
    found = getattr(prediction, "predictions", prediction)
    if isinstance(found, Mapping):
        found = found["predictions"]
    while isinstance(found, tuple):
        found = found[0]
    array = np.asarray(found)
    if array.ndim == 3:
        array = array.argmax(axis=-1)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
        raise TypeError(
            "predictions must be token ids, (sentences, tokens), or logits, (sentences, tokens, "
            f"vocabulary), not an array of shape {array.shape} and type {array.dtype}"
        )
    return array.astype(np.int64)


def annotate_batch(
    batch: Mapping[str, Sequence[Any]],
    *,
    source: str = "source",
    correction: str | Sequence[str] = "correction",
    tokens: str = "tokens",
    edits: str = "edits",
    **settings: Any,
) -> dict[str, list[Any]]:
    """Extract typed edits from a batch of rows, for ``datasets.Dataset.map``.

    Use it as ``dataset.map(annotate_batch, batched=True, fn_kwargs={"source": "input", …})``. Each
    process loads the model once.

    Parameters
    ----------
    batch
        Columns by name, each a list of texts.
    source, correction
        Names of the columns with source and corrected sentences; several corrections become the
        annotators 0, 1, ….
    tokens, edits
        Names of the new columns: the tokens of the source, and its edits. An edit has the fields
        ``annotator``, ``start``, ``end``, ``correction`` and ``type``; start and end are positions
        of tokens.
    settings
        Options of `geceval.extraction.files.ExtractionSettings`, such as ``lang`` and ``tokenize``.

    Returns
    -------
    columns
        The new columns.

    Examples
    --------
    >>> batch = {"source": ["I likes it ."], "correction": ["I like it ."]}
    >>> annotate_batch(batch, lang="plain")["edits"]
    [[{'annotator': '0', 'start': 1, 'end': 2, 'correction': 'like', 'type': 'R:SPELL'}]]
    """
    from geceval.engines import Chunk

    names = [source, *([correction] if isinstance(correction, str) else correction)]
    if len(names) < 2:
        raise GecevalError("at least one column of corrections is needed")
    for name in (tokens, edits):
        if name in batch:
            raise GecevalError(f"there is a column {name!r} already; choose another name")
    if tokens == edits:
        raise GecevalError(f"tokens and edits cannot both be the column {tokens!r}")
    if settings.get("keep_spans"):
        raise GecevalError("keep_spans is for a corpus that has edits already, not for texts")
    columns = [_texts(batch, name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(columns[0]):
            raise MismatchError(
                f"column {names[0]}", len(columns[0]), f"column {name}", len(column)
            )
    rows = Chunk(0, tuple(zip(*columns, strict=True)))
    sentences = _annotator(**settings).sentences(rows, Counter())
    return {
        tokens: [list(sent.tokens) for sent in sentences],
        edits: [
            [
                {
                    "annotator": ann.annotator,
                    "start": edit.start,
                    "end": edit.end,
                    "correction": " ".join(edit.correction),
                    "type": edit.type,
                }
                for ann in sent.annotations
                for edit in ann.edits
            ]
            for sent in sentences
        ],
    }


@lru_cache(maxsize=4)
def _annotator(**settings: Any) -> Any:
    """Load an annotator, once for each process and its settings."""
    from geceval.extraction.chunk_annotator import ChunkAnnotator
    from geceval.extraction.settings import ExtractionSettings

    return ChunkAnnotator(ExtractionSettings(**settings), "jsonl")


def _texts(batch: Mapping[str, Sequence[Any]], name: str) -> list[str]:
    if name not in batch:
        raise UnknownNameError("column", name, map(str, batch))
    if isinstance(batch[name], str):
        raise GecevalError(
            f"expected a list in the column {name!r}, found a text: map with batched=True"
        )
    texts = list(batch[name])
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise GecevalError(
                f"expected text in the column {name!r}, found {text!r} in row {number} of the batch"
            )
        if len(text.strip().splitlines()) > 1:
            raise GecevalError(
                f"expected one sentence in the column {name!r}, found line breaks in row {number} "
                "of the batch"
            )
    return texts


def _decoded(tokenizer: Tokenizer | PlainTokenizer, ids: NDArray[np.int64]) -> list[str]:
    """Decode token ids, without ignored positions."""
    sequences = [[int(one) for one in row if one != IGNORED] for row in ids]
    decode = getattr(tokenizer, "batch_decode", None) or getattr(tokenizer, "decode_batch", None)
    if decode is None:
        raise TypeError("tokenizer must have batch_decode or decode_batch")
    return [" ".join(str(text).split()) for text in decode(sequences, skip_special_tokens=True)]
