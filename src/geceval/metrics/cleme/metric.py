"""CLEME and CLEME2.0: chunks with the same boundaries in source, output and all references.

Ye et al. (2023), CLEME: Debiasing Multi-reference Evaluation for Grammatical Error Correction;
Ye et al. (2025), CLEME2.0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import OptionError
from geceval.metrics.cleme.base import ChunkMetric, Level, shares
from geceval.metrics.options import Beta, Range
from geceval.metrics.statistics import f_score

Compat: TypeAlias = Literal["cleme-1.1"]
Factor: TypeAlias = Annotated[float, Range(min=0, max=1)]

FACTORS: Mapping[Level, tuple[float, float, float, float]] = {
    "corpus": (0.45, 0.35, 0.15, 0.05),
    "sentence": (0.35, 0.25, 0.20, 0.20),
}
"""Factors of hits, wrong corrections, under- and over-corrections in the score of CLEME2.0."""

_TOLERANCE = 1e-5
"""How far the sum of the factors may be from 1."""


class Cleme(ChunkMetric):
    r"""The CLEME score.

    Source, output and references are divided into chunks with the same boundaries, and a chunk of
    the output is correct if it equals that of a reference. So each text has the same number of
    chunks, and an edit that annotators divide differently counts once.

    Parameters
    ----------
    beta
        Weight of recall in F; with 0 F is the precision.
    weights
        Weigh chunks by their ``"length"``, relative to the mean length of the chunks that
        references change; or ``"none"``. With ``"corpus-length"``, the weights of the corpus
        level are used at both levels.
    compat
        ``"cleme-1.1"`` gives the numbers of the tool, which rounds precision, recall, F and
        accuracy to four digits before references are compared.

    Notes
    -----
    Precision is 1 without changed chunks in the output, recall is 1 without chunks to correct, and
    F is 0 if both are 0. With the dependent assumption, the order of sentences matters.

    References
    ----------
    Ye et al. (2023), CLEME: Debiasing Multi-reference Evaluation for Grammatical Error
    Correction, EMNLP.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis
    >>> corpus = Corpus.from_texts(["I likes it ."], ["I like it ."], ["I like them ."])
    >>> ours = Hypothesis.from_texts(["I like him ."])
    >>> for assumption in ("dependent", "independent"):
    ...     score = Cleme(assumption=assumption, weights="none", lang="plain").score(corpus, ours)
    ...     print([score.parts[name] for name in ("tp", "fp", "fn", "tn")], round(score.value, 4))
    [1, 1, 0, 2] 0.5556
    [1, 1, 0, 2] 0.5556
    """

    name = "cleme"
    title = "CLEME"
    table_parts = ("tp", "fp", "fn", "tn", "P", "R", "acc")

    def __init__(
        self,
        *,
        beta: Beta = 0.5,
        weights: Literal["length", "none", "corpus-length"] = "length",
        compat: Compat | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.beta: float = beta
        self.weights = weights
        self.compat: Compat | None = compat

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"F{self.beta:g}"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "beta": self.beta,
            "weights": self.weights,
            **super().settings(),
            "compat": self.compat or "no",
        }

    @property
    def rule(self) -> Mapping[str, Any]:
        """The rule by which references are chosen."""
        return {"beta": self.beta, "rounded": self.compat is not None}

    def parts_of(self, sums: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return counts, precision, recall, F and accuracy."""
        tp, fp, fn, tn = sums[..., :4].T
        precision, recall, f = f_score(tp, tp + fp, tp + fn, beta=self.beta)
        accuracy = shares(tp + tn, tp + fp + fn + tn, otherwise=1.0)
        counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        return {**counts, "P": precision, "R": recall, "F": f, "acc": accuracy}

    def sentence_parts_of(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Name the values of sentences."""
        f, precision, recall, accuracy = values[..., :4].T
        return {"P": precision, "R": recall, "F": f, "acc": accuracy}

    value_name = "F"


class Cleme2(ChunkMetric):
    r"""The CLEME2.0 score.

    The chunks of CLEME give four rates: of the chunks to correct, how many were hit, corrected
    wrongly and left alone (under-correction); of the changed chunks, how many were correct before
    (over-correction). The score is a weighted mean of what is good about them.

    Parameters
    ----------
    weights
        Weigh chunks by their ``"length"``, as CLEME does, or not at all (``"none"``).
    hit, wrong, under, over
        Factors of the rates in the score, which must add up to 1; by default 0.45, 0.35, 0.15
        and 0.05 for a corpus, and 0.35, 0.25, 0.2 and 0.2 for sentences.

    Notes
    -----
    All rates are 0 if nothing was to be corrected or, for over-correction, nothing was changed. A
    sentence without errors that is left alone has a score of 1 minus the factor of hits.

    References
    ----------
    Ye et al. (2025), CLEME2.0: Towards More Interpretable Evaluation by Disentangling Edits for
    Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis
    >>> corpus = Corpus.from_texts(["I likes it ."], ["I like it ."])
    >>> score = Cleme2(lang="plain").score(corpus, Hypothesis.from_texts(["I like him ."]))
    >>> score.parts["hit"], score.parts["over"], round(score.value, 4)
    (1.0, 0.5, 0.975)
    """

    name = "cleme2"
    title = "CLEME2.0"
    table_parts = ("tp", "fp_ne", "fp_un", "fn", "tn", "hit", "wrong", "under", "over")

    def __init__(
        self,
        *,
        weights: Literal["length", "none"] = "none",
        hit: Factor | None = None,
        wrong: Factor | None = None,
        under: Factor | None = None,
        over: Factor | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.weights = weights
        given = zip((hit, wrong, under, over), FACTORS[self.level], strict=True)
        self.factors = tuple(default if one is None else one for one, default in given)
        if not math.isclose(sum(self.factors), 1, rel_tol=0, abs_tol=_TOLERANCE):
            listing = ", ".join(f"{factor:g}" for factor in self.factors)
            raise OptionError(
                f"cleme2: the factors hit, wrong, under and over must add up to 1, not {listing}"
            )

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {
            "weights": self.weights,
            "factors": ",".join(f"{factor:g}" for factor in self.factors),
            **super().settings(),
        }

    @property
    def rule(self) -> Mapping[str, Any]:
        """The rule by which references are chosen."""
        return {"factors": self.factors}

    def parts_of(self, sums: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return counts and rates, and the score."""
        tp, _, fn, tn, fp_ne, fp_un = sums[..., :6].T
        needed = tp + fp_ne + fn
        hit, wrong, under = (shares(part, needed, otherwise=0.0) for part in (tp, fp_ne, fn))
        over = shares(fp_un, tp + fp_ne + fp_un, otherwise=0.0)
        terms = hit, 1 - wrong, 1 - under, 1 - over
        score = sum(factor * term for factor, term in zip(self.factors, terms, strict=True))
        counts = {"tp": tp, "fp_ne": fp_ne, "fp_un": fp_un, "fn": fn, "tn": tn}
        rates = {"hit": hit, "wrong": wrong, "under": under, "over": over}
        return {**counts, **rates, "score": np.asarray(score)}

    def sentence_parts_of(self, values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Name the values of sentences, where all rates but hits are negative."""
        score, hit, wrong, under, over = values.T
        # Adding 0 makes a negative zero positive.
        rates = {"hit": hit, "wrong": 0 - wrong, "under": 0 - under, "over": 0 - over}
        return {**rates, "score": score}

    value_name = "score"
