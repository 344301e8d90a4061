"""CLEME and CLEME2.0: chunks with the same boundaries in source, output and all references.

Ye et al. (2023), CLEME: Debiasing Multi-reference Evaluation for Grammatical Error Correction;
Ye et al. (2025), CLEME2.0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, Unpack

import numpy as np

from geceval.errors import OptionError
from geceval.metrics.cleme.base import (
    MEAN_LENGTH,
    Average,
    ChunkMetric,
    ChunkOptions,
    Floats,
    Weights,
    shares,
)
from geceval.metrics.options import Beta, Range
from geceval.metrics.papers import YE_2023, YE_2025
from geceval.metrics.statistics import Statistics, f_score

Compat: TypeAlias = Literal["cleme-1.1"]
Factor: TypeAlias = Annotated[float, Range(min=0, max=1)]

FACTORS: Mapping[Average, tuple[float, float, float, float]] = {
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
    >>> corpus = Corpus.from_texts(["I likes my cat"], ["I like my cat"], ["I likes my cats"])
    >>> ours = Hypothesis.from_texts(["I like my cats"])
    >>> for assumption in ("dependent", "independent"):
    ...     score = Cleme(assumption=assumption, weights="none", lang="plain").score(corpus, ours)
    ...     print([score.parts[name] for name in ("tp", "fp", "fn", "tn")], round(score.value, 4))
    [1, 1, 0, 2] 0.5556
    [2, 0, 0, 2] 1.0
    """

    name = "cleme"
    title = "CLEME"
    papers = (YE_2023,)
    value_name = "F"
    weighs_references = True
    table_parts = ("tp", "fp", "fn", "tn", "P", "R", "acc")

    def __init__(
        self,
        *,
        weights: Weights = "length",
        beta: Beta = 0.5,
        compat: Compat | None = None,
        **options: Unpack[ChunkOptions],
    ) -> None:
        super().__init__(weights=weights, **options)
        self.beta: float = beta
        self.compat: Compat | None = compat

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return f"F{self.beta:g}"

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        return {"beta": self.beta, **super().settings(), "compat": self.compat or "no"}

    @property
    def rule(self) -> Mapping[str, Any]:
        """The rule by which references are chosen."""
        return {"beta": self.beta, "rounded": self.compat is not None}

    def is_separable(self, statistics: Statistics) -> bool:
        """Whether F is a mean over sentences, or a ratio of sums as without a choice."""
        has_choice = bool(np.any(statistics.mask.sum(axis=1) > 1))
        is_fixed = self.weights in ("none", "scorer")
        is_ratio = is_fixed and self.beta > 0 and not has_choice
        return is_ratio or super().is_separable(statistics)

    def parts_of(self, results: Floats) -> dict[str, Floats]:
        """Return counts, precision, recall, F, accuracy and the mean length."""
        tp, fp, fn, tn = results[..., :4].T
        precision, recall, f = f_score(tp, tp + fp, tp + fn, beta=self.beta)
        accuracy = shares(tp + tn, tp + fp + fn + tn, otherwise=1.0)
        counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        shown = {"P": precision, "R": recall, "F": f, "acc": accuracy}
        lengths = {} if self.weights == "scorer" else {"mean_length": results[..., MEAN_LENGTH]}
        return {**counts, **shown, **lengths}

    def sentence_values(self, parts: Mapping[str, Floats]) -> tuple[Floats, ...]:
        """Return F, precision, recall and accuracy, rounded if the tool does so."""
        values = tuple(parts[name] for name in ("F", "P", "R", "acc"))
        return tuple(np.round(one, 4) for one in values) if self.compat else values

    def sentence_parts_of(self, values: Floats) -> dict[str, Floats]:
        """Name the values of sentences."""
        f, precision, recall, accuracy = values[..., :4].T
        return {"P": precision, "R": recall, "F": f, "acc": accuracy}


class Cleme2(ChunkMetric):
    r"""The CLEME2.0 score.

    The chunks of CLEME give four rates: of the chunks to correct, how many were hit, corrected
    wrongly and left alone (under-correction); of the changed chunks, how many were correct before
    (over-correction). The score is a weighted mean of what is good about them.

    Parameters
    ----------
    hit, wrong, under, over
        Factors of the rates in the score, which must add up to 1; by default 0.45, 0.35, 0.15
        and 0.05 for a corpus, and 0.35, 0.25, 0.2 and 0.2 for sentences.

    Notes
    -----
    All rates are 0 if nothing was to be corrected or, for over-correction, nothing was changed. A
    sentence without errors that is left alone has a score of 1 minus the factor of hits.

    References
    ----------
    Ye et al. (2025), CLEME2.0: Towards Interpretable Evaluation by Disentangling Edits for
    Grammatical Error Correction, ACL.

    Examples
    --------
    >>> from geceval import Corpus, Hypothesis
    >>> corpus = Corpus.from_texts(["I likes my cat"], ["I like my cat"])
    >>> score = Cleme2(lang="plain").score(corpus, Hypothesis.from_texts(["I like my cats"]))
    >>> score.parts["hit"], score.parts["over"], round(score.value, 4)
    (1.0, 0.5, 0.975)
    """

    name = "cleme2"
    title = "CLEME2.0"
    papers = (YE_2025,)
    value_name = "score"
    table_parts = ("tp", "fp_ne", "fp_un", "fn", "tn", "hit", "wrong", "under", "over")

    def __init__(
        self,
        *,
        weights: Weights = "none",
        hit: Factor | None = None,
        wrong: Factor | None = None,
        under: Factor | None = None,
        over: Factor | None = None,
        **options: Unpack[ChunkOptions],
    ) -> None:
        super().__init__(weights=weights, **options)
        given = {"hit": hit, "wrong": wrong, "under": under, "over": over}
        pairs = zip(given.values(), FACTORS[self.average], strict=True)
        self.factors = tuple(default if one is None else float(one) for one, default in pairs)
        if not math.isclose(sum(self.factors), 1, rel_tol=0, abs_tol=_TOLERANCE):
            changed = next(name for name, factor in given.items() if factor is not None)
            listing = ", ".join(f"{factor:g}" for factor in self.factors)
            raise OptionError(
                f"cleme2: the option {changed} takes a factor that adds up to 1 with the other "
                f"factors; those of hit, wrong, under and over are {listing}"
            )

    def settings(self) -> Mapping[str, object]:
        """Return every option that can change the score."""
        factors = ",".join(map(repr, self.factors))
        return {"factors": factors, **super().settings()}

    @property
    def rule(self) -> Mapping[str, Any]:
        """The rule by which references are chosen."""
        return {"factors": self.factors}

    def parts_of(self, results: Floats) -> dict[str, Floats]:
        """Return counts, rates and the score, and the mean length if it matters."""
        tp, _, fn, tn, fp_ne, fp_un = results[..., :6].T
        needed = tp + fp_ne + fn
        hit, wrong, under = (shares(part, needed, otherwise=0.0) for part in (tp, fp_ne, fn))
        over = shares(fp_un, tp + fp_ne + fp_un, otherwise=0.0)
        terms = hit, 1 - wrong, 1 - under, 1 - over
        score = sum(factor * term for factor, term in zip(self.factors, terms, strict=True))
        counts = {"tp": tp, "fp_ne": fp_ne, "fp_un": fp_un, "fn": fn, "tn": tn}
        rates = {"hit": hit, "wrong": wrong, "under": under, "over": over}
        has_lengths = self.weights not in ("none", "scorer")
        lengths = {"mean_length": results[..., MEAN_LENGTH]} if has_lengths else {}
        return {**counts, **rates, "score": np.asarray(score), **lengths}

    def sentence_values(self, parts: Mapping[str, Floats]) -> tuple[Floats, ...]:
        """Return the score, the hit rate and the other rates, negated."""
        return parts["score"], parts["hit"], -parts["wrong"], -parts["under"], -parts["over"]

    def sentence_parts_of(self, values: Floats) -> dict[str, Floats]:
        """Name the values of sentences, where all rates but hits are negative."""
        score, hit, wrong, under, over = values.T
        # Adding 0 makes a negative zero positive.
        rates = {"hit": hit, "wrong": 0 - wrong, "under": 0 - under, "over": 0 - over}
        return {**rates, "score": score}
