"""The weights of a small English pipeline, in the order of the kernel.

Layers are checked by name, which describes the architecture, and parameters by shape. Pipelines
with another architecture are rejected.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from spacy.language import Language

Floats: TypeAlias = NDArray[np.float32]

COMPONENTS = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer"]

WIDTH = 96
PIECES = 3
HIDDEN = 64
FEATURES = 8
MAX_TRANSITIONS = 112

# Features that depend on a word, the space after it and its norm.
_COLUMNS = {"NORM", "ORTH", "LOWER", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE"}
_HASHED = "ints-getitem>>hashembed"
_EMBED = (
    "extract_features>>list2ragged>>with_array({})"
    ">>with_array(maxout>>layernorm>>dropout)>>ragged2list"
)
_LAYER = "residual(expand_window>>maxout>>layernorm>>dropout)"
_TAGGER = "tok2vec-listener>>with_array(softmax)"
_PARSER = ["tok2vec-listener>>list2array>>linear", "precomputable_affine", "linear"]

# Kinds of transitions as the kernel numbers them, by the first letter of their names: shift,
# reduce, left arc, right arc, new sentence.
_KINDS = "SDLRB"


class OtherArchitectureError(Exception):
    """The pipeline has an unsupported architecture; the message says which part."""


class EmbeddingParameters(TypedDict):
    """Arguments of `geceval.kernels.en_fast.embedding.Embedding`."""

    tables: Floats
    weights: Floats
    bias: Floats
    gain: Floats
    shift: Floats


class _Encoder(TypedDict):
    layers: Floats
    bias: Floats
    gain: Floats
    shift: Floats


class _Tagger(TypedDict):
    tagger: Floats
    tagger_bias: Floats


class _Parser(TypedDict):
    reducer: Floats
    reducer_bias: Floats
    features: Floats
    padding: Floats
    hidden_bias: Floats
    transitions: Floats
    transition_bias: Floats
    kinds: NDArray[np.uint8]


class Parameters(_Encoder, _Tagger, _Parser):
    """Arguments of `geceval.kernels.en_fast.network.Network`."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights that determine tags and trees.

    Parameters
    ----------
    columns
        Names of the attributes of spaCy that the embedding reads.
    hashes
        For each of them the size of its table, its start among all tables, and the seed of the
        hash function for its rows.
    embedding
        Parameters from rows of the tables to vectors.
    parameters
        Parameters from vectors to tags and transitions.
    tags, transitions
        Their names.
    """

    columns: tuple[str, ...]
    hashes: tuple[tuple[int, int, int], ...]
    embedding: EmbeddingParameters
    parameters: Parameters
    tags: tuple[str, ...]
    transitions: tuple[str, ...]


def read_weights(nlp: Language) -> Weights:
    """Read the weights of a pipeline.

    Raises
    ------
    OtherArchitectureError
        If the pipeline has another architecture.
    """
    if nlp.pipe_names != COMPONENTS:
        raise OtherArchitectureError(f"its components are {', '.join(nlp.pipe_names)}")
    tok2vec: Any = nlp.get_pipe("tok2vec")
    tagger: Any = nlp.get_pipe("tagger")
    parser: Any = nlp.get_pipe("parser")
    for name, pipe, number in (
        ("tok2vec", tok2vec, 2),
        ("tagger", tagger, 2),
        ("parser", parser, 3),
    ):
        _check(len(pipe.model.layers) == number, name)
    embed, encode = tok2vec.model.layers
    columns = _read_columns(embed)
    tags = tuple(tagger.labels)
    transitions = tuple(parser.moves.class_name(number) for number in range(parser.moves.n_moves))
    return Weights(
        columns,
        *_read_embedding(embed, len(columns)),
        {
            **_read_encoder(encode),
            **_read_tagger(tagger.model, len(tags)),
            **_read_parser(parser, transitions),
        },
        tags,
        transitions,
    )


def digest(nlp: Language) -> str:
    """Return a hash of the parameters of a pipeline."""
    content = hashlib.blake2b(digest_size=16)
    for name in COMPONENTS[:3]:
        pipe: Any = nlp.get_pipe(name)
        for node in pipe.model.walk():
            for parameter in node.param_names:
                content.update(f"{node.name} {parameter}".encode())
                content.update(np.ascontiguousarray(node.get_param(parameter)).data)
    return content.hexdigest()


def _read_columns(embed: Any) -> tuple[str, ...]:
    columns = tuple(embed.layers[0].attrs.get("columns", ()))
    _check(embed.name == _EMBED.format("|".join([_HASHED] * len(columns))), "tok2vec")
    _check(_COLUMNS.issuperset(columns), "tok2vec")
    return columns


def _read_embedding(
    embed: Any, n_columns: int
) -> tuple[tuple[tuple[int, int, int], ...], EmbeddingParameters]:
    hashes, tables, start = [], [], 0
    for number, branch in enumerate(embed.layers[2].layers[0].layers):
        getter, table = branch.layers
        _check(getter.attrs["index"] == (slice(0, None), number), "tok2vec")
        size = table.get_dim("nV")
        hashes.append((size, start, table.attrs["seed"]))
        tables.append(_parameter(table, "E", size, WIDTH))
        start += size
    maxout, norm = embed.layers[3].layers[0].layers[0].layers
    weights = _parameter(maxout, "W", WIDTH, PIECES, n_columns * WIDTH)
    return tuple(hashes), {
        "tables": np.concatenate(tables),
        "weights": weights.transpose(2, 1, 0).reshape(n_columns * WIDTH, PIECES * WIDTH),
        "bias": _parameter(maxout, "b", WIDTH, PIECES).T.reshape(-1),
        "gain": _parameter(norm, "G", WIDTH),
        "shift": _parameter(norm, "b", WIDTH),
    }


def _read_encoder(encode: Any) -> _Encoder:
    residuals = encode.layers[0].layers
    _check(encode.name == f"with_array({'>>'.join([_LAYER] * len(residuals))})", "tok2vec")
    # Padding must separate sentences.
    _check(encode.attrs["pad"] == len(residuals), "tok2vec")
    layers, bias, gain, shift = [], [], [], []
    for residual in residuals:
        window, rest = residual.layers[0].layers
        _check(window.attrs["window_size"] == 1, "tok2vec")
        maxout, norm = rest.layers[0].layers
        weights = _parameter(maxout, "W", WIDTH, PIECES, 3 * WIDTH)
        # Inputs first, then positions in a window, then pieces, each with all outputs.
        weights = weights.reshape(WIDTH, PIECES, 3, WIDTH).transpose(3, 2, 1, 0)
        layers.append(weights.reshape(WIDTH, 3 * PIECES * WIDTH))
        bias.append(_parameter(maxout, "b", WIDTH, PIECES).T.reshape(-1))
        gain.append(_parameter(norm, "G", WIDTH))
        shift.append(_parameter(norm, "b", WIDTH))
    return {
        "layers": np.stack(layers),
        "bias": np.stack(bias),
        "gain": np.stack(gain),
        "shift": np.stack(shift),
    }


def _read_tagger(model: Any, n_tags: int) -> _Tagger:
    _check(model.name == _TAGGER, "tagger")
    softmax = model.layers[1].layers[0]
    return {
        "tagger": _parameter(softmax, "W", n_tags, WIDTH).T,
        "tagger_bias": _parameter(softmax, "b", n_tags),
    }


def _read_parser(pipe: Any, transitions: tuple[str, ...]) -> _Parser:
    model = pipe.model
    _check([layer.name for layer in model.layers] == _PARSER, "parser")
    _check(model.attrs["has_upper"] and not model.attrs["unseen_classes"], "parser")
    _check(pipe.cfg.get("beam_width", 1) == 1 and not pipe.cfg.get("learn_tokens"), "parser")
    # Labels of subtokens would need a special rule.
    _check(all(name[0] in _KINDS and not name.endswith("subtok") for name in transitions), "parser")
    _check(len(transitions) <= MAX_TRANSITIONS, "parser")
    reduce, lower, upper = model.layers
    linear = reduce.layers[-1]
    hidden = _parameter(lower, "W", FEATURES, HIDDEN, 2, HIDDEN)
    padding = _parameter(lower, "pad", 1, FEATURES, HIDDEN, 2)
    # For each feature both pieces, each with all outputs.
    return {
        "reducer": _parameter(linear, "W", HIDDEN, WIDTH).T,
        "reducer_bias": _parameter(linear, "b", HIDDEN),
        "features": hidden.transpose(3, 0, 2, 1).reshape(HIDDEN, FEATURES * 2 * HIDDEN),
        "padding": padding.transpose(0, 1, 3, 2).reshape(-1),
        "hidden_bias": _parameter(lower, "b", HIDDEN, 2).T.reshape(-1),
        "transitions": _parameter(upper, "W", len(transitions), HIDDEN).T,
        "transition_bias": _parameter(upper, "b", len(transitions)),
        "kinds": np.array([_KINDS.index(name[0]) for name in transitions], dtype=np.uint8),
    }


def _check(is_known: bool, name: str) -> None:
    if not is_known:
        raise OtherArchitectureError(f"its {name} is of another kind")


def _parameter(layer: Any, name: str, *shape: int) -> Floats:
    values: Floats = layer.get_param(name)
    if not isinstance(values, np.ndarray) or values.shape != shape or values.dtype != np.float32:
        raise OtherArchitectureError(f"its layer {layer.name} is not of the shape {shape}")
    return values
