"""The kernel against its twin, with random weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from geceval.kernels.en_fast.embedding import Embedding, distinct, named
from geceval.kernels.en_fast.network import Network
from oracles import network as oracle

CLOSE = 1e-3
N_WORDS = 12
KINDS = [0, 1, 2, 2, 2, 3, 3, 4]


def weights(seed: int, *, depth: int = 4, n_tags: int = 50, kinds: list[int] = KINDS) -> Any:
    """Random weights of a size that keeps scores apart."""
    random = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 0.3) -> NDArray[np.float32]:
        return (random.standard_normal(shape) * scale).astype(np.float32)

    return {
        "layers": normal(depth, 96, 864),
        "bias": normal(depth, 288),
        "gain": normal(depth, 96),
        "shift": normal(depth, 96),
        "tagger": normal(96, n_tags),
        "tagger_bias": normal(n_tags),
        "reducer": normal(96, 64),
        "reducer_bias": normal(64),
        "features": normal(64, 1024),
        "padding": normal(1024),
        "hidden_bias": normal(128),
        "transitions": normal(64, len(kinds)),
        # Reducing and arcs are made likely, so that there are trees and not only stacks.
        "transition_bias": normal(len(kinds), scale=8.0),
        "kinds": np.array(kinds, dtype=np.uint8),
    }


def vectors(seed: int) -> NDArray[np.float32]:
    values = np.random.default_rng(seed).standard_normal((N_WORDS, 96)).astype(np.float32)
    values[0] = 0
    return values


def compare(given: Any, sentences: list[list[int]], seed: int) -> tuple[int, int]:
    """Compare all sentences; return how many were compared and how many were too close."""
    table = vectors(seed)
    offsets = np.cumsum([0, *map(len, sentences)])
    words = np.array([word for sent in sentences for word in sent], dtype=np.int32)
    tags, heads, transitions, margins = Network(**given).decide(table, words, offsets)
    n_close = 0
    for number, sentence in enumerate(sentences):
        part = slice(offsets[number], offsets[number + 1])
        expected = oracle.decide(given, table[sentence])
        if expected.margin < CLOSE:
            n_close += 1
            continue
        assert tags[part].tolist() == expected.tags
        assert heads[part].tolist() == expected.heads
        assert transitions[part].tolist() == expected.transitions
        if sentence and expected.margin < np.inf:
            assert margins[number] == pytest.approx(expected.margin, abs=CLOSE)
    return len(sentences), n_close


words = st.integers(1, N_WORDS - 1)


@settings(max_examples=30)
@given(st.lists(st.lists(words, max_size=25), max_size=8), st.integers(0, 30))
def test_network_equals_its_twin(sentences: list[list[int]], seed: int) -> None:
    compare(weights(seed), sentences, seed)


@pytest.mark.parametrize("seed", range(3))
def test_network_many_sentences(seed: int) -> None:
    """More rows than are multiplied at once; hardly any decision is too close to compare."""
    random = np.random.default_rng(seed)
    sentences = [random.integers(1, N_WORDS, size).tolist() for size in range(1, 60, 3)]
    compared, close = compare(weights(seed), sentences, seed)
    assert close < compared / 10


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_network_other_depths(depth: int) -> None:
    compare(weights(3, depth=depth), [[1, 2, 3, 4], [], [5], [2, 3, 4, 5, 6]], 3)


@pytest.mark.parametrize("n_transitions", [5, 106, 112])
def test_network_numbers_of_transitions_and_tags(n_transitions: int) -> None:
    kinds = [0, 1, *([2, 3] * 60)[: n_transitions - 3], 4]
    compare(weights(4, n_tags=n_transitions, kinds=kinds), [[1, 2, 3, 4, 5, 6, 7]] * 2, 4)


def test_network_long_sentence() -> None:
    sentence = np.random.default_rng(0).integers(1, N_WORDS, 700).tolist()
    table = vectors(0)
    network, given_weights = Network(**weights(0)), weights(0)
    encoded = network.encode(table, np.array(sentence, dtype=np.int32), np.array([0, 700]))
    exact = {name: values.astype(np.float64) for name, values in given_weights.items()}
    np.testing.assert_allclose(encoded, oracle.encode(exact, table[sentence]), rtol=1e-4, atol=1e-4)


def test_network_is_the_same_with_other_sentences_around() -> None:
    """Equal windows are shared, and change nothing for anybody."""
    network, table = Network(**weights(1)), vectors(1)
    sentences = [[1, 2, 3], [3, 2, 1], [1, 2, 3, 4], [], [1], [2, 3, 4, 4, 4, 4, 1]]
    together = network.decide(
        table,
        np.array([word for sent in sentences for word in sent], dtype=np.int32),
        np.cumsum([0, *map(len, sentences)]),
    )
    alone = [
        network.decide(table, np.array(sent, dtype=np.int32), np.array([0, len(sent)]))
        for sent in sentences
    ]
    for place, values in enumerate(together):
        assert values.tolist() == np.concatenate([one[place] for one in alone]).tolist()


@pytest.mark.parametrize("n_words", [0, 1, 23, 24, 100])
def test_embedding_equals_its_twin(n_words: int) -> None:
    random = np.random.default_rng(n_words)
    shapes = {
        "tables": (70, 96),
        "weights": (288, 288),
        "bias": (288,),
        "gain": (96,),
        "shift": (96,),
    }
    given_weights: Any = {
        name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()
    }
    rows = random.integers(0, 70, (n_words, 3, 4)).astype(np.int32)
    found = Embedding(**given_weights).embed(rows)
    np.testing.assert_allclose(found, oracle.embed(given_weights, rows), rtol=1e-3, atol=1e-4)


def test_embedding_refuses_other_shapes() -> None:
    zeros: Any = {
        "tables": np.zeros((5, 96), dtype=np.float32),
        "weights": np.zeros((192, 288), dtype=np.float32),
        "bias": np.zeros(288, dtype=np.float32),
        "gain": np.zeros(96, dtype=np.float32),
        "shift": np.zeros(96, dtype=np.float32),
    }
    with pytest.raises(ValueError, match="2 features are needed, not 3"):
        Embedding(**zeros).embed(np.zeros((1, 3, 4), dtype=np.int32))
    with pytest.raises(ValueError, match="weights of the shape"):
        Embedding(**{**zeros, "gain": zeros["bias"]})


def test_network_nothing() -> None:
    network = Network(**weights(0))
    for result in network.decide(vectors(0), np.array([], dtype=np.int32), np.array([0])):
        assert result.tolist() == []


@pytest.mark.parametrize(
    "name", ["layers", "tagger", "reducer", "features", "transitions", "padding"]
)
def test_network_refuses_other_shapes(name: str) -> None:
    wrong = weights(0)
    wrong[name] = wrong[name][..., :-1].copy()
    with pytest.raises(ValueError, match="weights of the shape"):
        Network(**wrong)


def test_network_refuses_too_many_moves() -> None:
    with pytest.raises(ValueError, match="too many"):
        Network(**weights(0, kinds=[0, 1, *[2] * 111]))
    with pytest.raises(ValueError, match="too many"):
        Network(**weights(0, kinds=[0, 1, 2, 3, 9]))


triples = st.lists(st.tuples(*[st.integers(-3, 3) | st.integers(-(2**31), 2**31 - 1)] * 3))


@given(triples)
def test_distinct_numbers_in_order(rows: list[tuple[int, int, int]]) -> None:
    columns = np.array(rows, dtype=np.int32).reshape(-1, 3).T.copy()
    numbers, found = distinct(*columns)
    expected = list(dict.fromkeys(rows))
    assert list(map(tuple, found.tolist())) == expected
    assert numbers.tolist() == [expected.index(row) for row in rows]


def test_named_cuts_into_sentences() -> None:
    numbers = np.array([1, 0, 0, 2], dtype=np.int32)
    found = named(["a", "b", "c"], numbers, np.array([0, 1, 1, 4]))
    assert found == [("b",), (), ("a", "a", "c")]
