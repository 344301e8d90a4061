"""Scorers of single sentences against one reference, from any metric.

A sentence scorer is all that edit weights and attribution need: metrics, plug-ins, neural models
and functions of the user have this interface.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from importlib.metadata import version
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import OptionError
from geceval.metrics.base import Metric
from geceval.metrics.options import options_of
from geceval.metrics.registry import metric_class
from geceval.metrics.specs import ALL, MetricSpec, parse_specs
from geceval.model import Annotation, Corpus, Hypothesis, Sentence, Tokens, plain_edits

Triple: TypeAlias = tuple[Tokens, Tokens, Tokens]
"""Source, output and reference."""

_CHUNK = 2048
"""Sentences scored at a time, so that memory is bounded and work can be interrupted."""


class SentenceScorer(Protocol):
    """Scores sentences, each by itself and against one reference."""

    @property
    def signature(self) -> str:
        """Name and settings, for the signature of scores."""

    def score(
        self, sources: Sequence[Tokens], outputs: Sequence[Tokens], references: Sequence[Tokens]
    ) -> Sequence[float] | NDArray[np.float64]:
        """Score each output."""


class MetricScorer:
    """A metric as a scorer of single sentences.

    Parameters
    ----------
    metric
        The metric, of which the variant for single sentences is used.

    Examples
    --------
    >>> scorer = MetricScorer(metric_class("ld-reference")(length="second"))
    >>> scorer.score([("I", "lik", "it")], [("I", "like", "it")], [("I", "like", "them")]).tolist()
    [0.6363636363636364]
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric.for_sentences()

    @cached_property
    def signature(self) -> str:
        """Name and settings of the metric."""
        name, *settings = self.metric.configuration().split("|")
        return f"{name}({','.join(settings)})"

    def score(
        self, sources: Sequence[Tokens], outputs: Sequence[Tokens], references: Sequence[Tokens]
    ) -> NDArray[np.float64]:
        """Score each output against its reference."""
        pairs = list(zip(sources, references, strict=True))
        sentences = {
            (source, reference): Sentence(
                source, (Annotation("0", plain_edits(source, reference)),)
            )
            for source, reference in dict.fromkeys(pairs)
        }
        return score_outputs(self.metric, [sentences[pair] for pair in pairs], outputs)


def score_outputs(
    metric: Metric, sentences: Sequence[Sentence], outputs: Sequence[Tokens]
) -> NDArray[np.float64]:
    """Score each output by itself, against all references of its sentence."""
    values = [
        metric.independent_sentence_scores(
            metric.statistics(
                Corpus(tuple(sentences[start : start + _CHUNK])),
                Hypothesis("", tuple(outputs[start : start + _CHUNK])),
            )
        )
        for start in range(0, len(sentences), _CHUNK)
    ]
    return np.concatenate(values) if values else np.zeros(0)


class ChrfScorer:
    """Sentence chrF of sacreBLEU, between 0 and 1.

    Popović (2015), chrF: character n-gram F-score for automatic MT evaluation.
    """

    @property
    def signature(self) -> str:
        """Name and settings."""
        return f"chrf(order:6,beta:2,words:0,space:no,sacrebleu:{_sacrebleu_version()})"

    def score(
        self,
        sources: Sequence[Tokens],  # noqa: ARG002
        outputs: Sequence[Tokens],
        references: Sequence[Tokens],
    ) -> list[float]:
        """Score each output against its reference."""
        from sacrebleu.metrics.chrf import CHRF

        chrf = CHRF()
        return [
            chrf.sentence_score(" ".join(output), [" ".join(reference)]).score / 100
            for output, reference in zip(outputs, references, strict=True)
        ]


@cache
def _sacrebleu_version() -> str:
    return version("sacrebleu")


_SHORT = {"lev": MetricSpec("ld-reference", {"length": "second"})}
"""Short names of metrics with options."""


def get_scorer(spec: str) -> SentenceScorer:
    """Return the scorer that a specification names.

    Parameters
    ----------
    spec
        A metric, optionally with options (see `geceval.metrics.specs`), ``"chrf"`` or ``"lev"``,
        the similarity of characters divided by the length of the reference.

    Examples
    --------
    >>> get_scorer("lev").signature
    'ld-reference(unit:character,length:reference,missing:absent)'
    """
    if spec.strip().casefold() == "chrf":
        return ChrfScorer()
    found = _SHORT.get(spec.strip().casefold())
    specs = [found] if found is not None else parse_specs(spec)
    if len(specs) != 1 or specs[0].name == ALL:
        raise OptionError(f"a scorer is one metric, not {spec!r}")
    kind = metric_class(specs[0].name)
    if not kind.scores_any_output:
        raise OptionError(f"{specs[0].name} only has scores of given outputs, and scores no others")
    declared = options_of(kind)
    return MetricScorer(
        kind(
            **{
                name: declared[name].parse(text) if name in declared else text
                for name, text in specs[0].options.items()
            }
        )
    )
