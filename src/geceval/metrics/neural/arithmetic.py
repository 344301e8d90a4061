"""The arithmetic of neural metrics, apart from the models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.limits import BITS, check_pairs

Floats: TypeAlias = NDArray[np.float64]
Unit: TypeAlias = Literal["character", "word"]


def sigmoid(values: NDArray[Any]) -> Floats:
    """Map logits to numbers between 0 and 1.

    Examples
    --------
    >>> sigmoid(np.array([0.0, 800.0, -800.0])).tolist()
    [0.5, 1.0, 0.0]
    """
    small = np.exp(-np.abs(np.asarray(values, dtype=np.float64)))
    shares: Floats = np.where(np.asarray(values) >= 0, 1, small) / (1 + small)
    return shares


def impara_scores(quality: Floats, similarity: Floats, threshold: float) -> Floats:
    """Score quality, but 0 where the output is less similar to the source than a threshold.

    Examples
    --------
    >>> impara_scores(np.array([0.7, 0.8]), np.array([0.95, 0.5]), 0.9).tolist()
    [0.7, 0.0]
    """
    return np.where(similarity >= threshold, quality, 0.0)


def scribendi_scores(
    is_changed: NDArray[np.bool_],
    source_perplexity: Floats,
    perplexity: Floats,
    ratio: Floats,
    threshold: float,
) -> Floats:
    """Score +1 for a better and similar output, 0 for an unchanged one and -1 for all others.

    Examples
    --------
    >>> changed = np.array([True, True, True, False])
    >>> before, after = np.array([9.0, 9, 9, 9]), np.array([8.0, 9, 8, 9])
    >>> scribendi_scores(changed, before, after, np.array([0.9, 0.9, 0.7, 1]), 0.8).tolist()
    [1.0, -1.0, -1.0, 0.0]
    """
    is_better = (perplexity < source_perplexity) & (ratio >= threshold)
    return np.where(is_changed, np.where(is_better, 1.0, -1.0), 0.0)


def some_scores(parts: Sequence[Floats], weights: Sequence[float]) -> Floats:
    """Weigh grammaticality, fluency and meaning preservation.

    Examples
    --------
    >>> some_scores([np.array([1.0]), np.array([0.5]), np.array([0.0])], [0.5, 0.25, 0.25])
    array([0.625])
    """
    total: Floats = np.asarray(weights, np.float64) @ np.asarray(parts, np.float64)
    return total


def surface_ratios(name: str, sources: Sequence[str], outputs: Sequence[str], unit: Unit) -> Floats:
    """Return the larger of token sort ratio and Levenshtein ratio of source and output.

    Examples
    --------
    >>> surface_ratios("ours", ["He go home"], ["home He go"], "character").tolist()
    [1.0]
    """
    check_pairs(name, sources, outputs, unit="characters", at_once=BITS)
    ratios = [
        max(token_sort_ratio(*pair), levenshtein_ratio(*pair, unit))
        for pair in zip(sources, outputs, strict=True)
    ]
    return np.array(ratios, dtype=np.float64)


def token_sort_ratio(source: str, output: str) -> float:
    """Return the similarity without case, punctuation and the order of words.

    It is rounded to whole percent, as the program of the authors has it.

    Examples
    --------
    >>> token_sort_ratio("We can not let it go .", "We cannot let it go .")
    0.82
    """
    from rapidfuzz import fuzz
    from rapidfuzz.utils import default_process

    return round(fuzz.token_sort_ratio(source, output, processor=default_process)) / 100


def levenshtein_ratio(source: str, output: str, unit: Unit = "character") -> float:
    """Return :math:`1 - d / (n + m)` with substitutions that cost 2, of characters or words.

    Examples
    --------
    >>> round(levenshtein_ratio("We can not let it go .", "We cannot let it go ."), 4)
    0.9767
    """
    from rapidfuzz.distance import Indel

    first, second = (source.split(), output.split()) if unit == "word" else (source, output)
    return float(Indel.normalized_similarity(first, second))


def cosine(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the cosine of two vectors; 0 if one of them is 0."""
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size else 0.0


def greedy_match(output: NDArray[Any], reference: NDArray[Any]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of BERTScore, from vectors of tokens.

    Each token is compared with the most similar one on the other side (Zhang et al. 2020).
    Without tokens on one side, all are 0; without any, they are 1.

    Examples
    --------
    >>> greedy_match(np.eye(2), np.eye(2)[:1])
    (0.5, 1.0, 0.6666666666666666)
    """
    if not len(output) or not len(reference):
        return (1.0,) * 3 if len(output) == len(reference) else (0.0,) * 3
    rows, columns = _unit_rows(output), _unit_rows(reference)
    similarity = rows @ columns.T
    precision = float(similarity.max(axis=1).mean())
    recall = float(similarity.max(axis=0).mean())
    whole = precision + recall
    return precision, recall, 2 * precision * recall / whole if whole else 0.0


def _unit_rows(vectors: NDArray[Any]) -> Floats:
    rows = np.asarray(vectors, dtype=np.float64)
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = np.divide(rows, sizes, out=np.zeros_like(rows), where=sizes > 0)
    return unit


def perplexity_of(logits: NDArray[Any], ids: Sequence[int]) -> float:
    """Return the perplexity of tokens, each predicted from those before it.

    The first token is not predicted; a text of fewer than two tokens has the perplexity 1.

    Parameters
    ----------
    logits
        ``(n_tokens, n_vocabulary)``: those after each token.
    ids
        The tokens.

    Examples
    --------
    >>> round(perplexity_of(np.zeros((3, 8)), [5, 1, 2]), 9)
    8.0
    """
    if len(ids) < 2:
        return 1.0
    rows = np.asarray(logits[:-1], dtype=np.float64)
    top = rows.max(axis=1, keepdims=True)
    normalizers = top[:, 0] + np.log(np.exp(rows - top).sum(axis=1))
    losses = normalizers - rows[np.arange(len(rows)), list(ids[1:])]
    return float(np.exp(losses.mean()))
