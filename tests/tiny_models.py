"""ONNX models of a few numbers, written by hand, and a tokenizer of words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOAT, INT64 = 1, 7
WORDS = ("He", "She", "go", "goes", "went", "home", ".", "the", "[UNK]")


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _field(number: int, value: int | str | bytes) -> bytes:
    """Write a field of a protocol buffer."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, values: NDArray[np.float32]) -> bytes:
    dims = b"".join(_field(1, size) for size in values.shape)
    return dims + _field(2, FLOAT) + _field(8, name) + _field(9, values.astype("<f4").tobytes())


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    tensor = _field(1, kind) + _field(2, dims)
    return _field(1, name) + _field(2, _field(1, tensor))


def _node(kind: str, inputs: Sequence[str], output: str, attributes: bytes = b"") -> bytes:
    names = b"".join(_field(1, name) for name in inputs)
    return names + _field(2, output) + _field(3, kind) + _field(4, kind) + attributes


def _model(nodes: Sequence[bytes], table: NDArray[Any], output: bytes) -> bytes:
    graph = b"".join(_field(1, node) for node in nodes)
    graph += _field(2, "tiny") + _field(5, _tensor("table", table.astype(np.float32)))
    graph += _field(11, _value("input_ids", INT64, ("n", "t"))) + _field(12, output)
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


def lookup_model(table: NDArray[Any], name: str) -> bytes:
    """A row of the table for each token: an encoder, or a bigram model named ``logits``."""
    gather = _node("Gather", ["table", "input_ids"], name)
    return _model([gather], table, _value(name, FLOAT, ("n", "t", table.shape[1])))


def mean_model(weights: NDArray[Any]) -> bytes:
    """A regression head: the mean of the weights of the tokens."""
    axes = _field(1, "axes") + _field(8, 1) + _field(20, 7)
    keep = _field(1, "keepdims") + _varint(3 << 3) + _varint(0) + _field(20, 2)
    nodes = [
        _node("Gather", ["table", "input_ids"], "found"),
        _node("ReduceMean", ["found"], "mean", _field(5, axes) + _field(5, keep)),
    ]
    return _model(nodes, weights.reshape(-1, 1), _value("mean", FLOAT, ("n", 1)))


def save(folder: Path, model: bytes) -> Path:
    """Write a model, and a tokenizer of `WORDS` next to it."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    folder.mkdir()
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, WORDS[-1]))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.enable_truncation(3)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(model)
    return folder
