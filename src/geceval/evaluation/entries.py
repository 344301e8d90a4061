"""Inputs of the scoring loop: outputs with their gold standards, and progress displays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

from geceval.metrics.base import Metric
from geceval.model import Corpus, Hypothesis

Item = TypeVar("Item")

Kind: TypeAlias = Literal["system", "floor", "ceiling"]
"""A system, a baseline that systems should beat, or an upper bound for them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An output and the gold standard that it is scored against."""

    corpus: Corpus
    hypothesis: Hypothesis
    kind: Kind = "system"

    def suits(self, metric: Metric) -> bool:
        """Return whether a metric applies.

        Upper bounds need references, and are not scored together with the systems.
        """
        if self.kind != "system" and not metric.scores_any_output:
            return False
        return self.kind != "ceiling" or (metric.needs_references and not metric.pools_systems)


class Progress(Protocol):
    """Iterates over items and shows how many are finished."""

    def __call__(self, items: Sequence[Item], stage: str) -> Iterable[Item]:
        """Return an iterable over the items of a stage."""


def silent(items: Sequence[Item], stage: str) -> Iterable[Item]:  # noqa: ARG001
    """Show no progress."""
    return items
