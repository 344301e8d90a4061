"""How implementations of GLEU differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Name: TypeAlias = Literal["official", "koyama", "koyama-max", "gec-metrics", "gec-metrics-official"]
Numerator: TypeAlias = Literal["script", "formula"]
Smoothing: TypeAlias = Literal["ones", "none"]
Draws: TypeAlias = Literal["python2", "python3"]
ReferenceUse: TypeAlias = Literal["drawn", "expected", "best"]


@dataclass(frozen=True, slots=True)
class Variant:
    """The rules of an implementation.

    Parameters
    ----------
    numerator
        ``"script"`` penalizes source n-grams that the reference does not have, and clips the
        numerator of a sentence at 0; ``"formula"`` also penalizes those that it has less often,
        and does not clip.
    smoothing
        ``"ones"`` replaces counts of 0 by 1 in the score of a sentence. With ``"none"``, an order
        without n-grams has a precision of 1, in sentences and in the corpus.
    draws
        How a reference is sampled: by ``int(random() * n)`` as in Python 2, or by
        ``randint(0, n - 1)`` of Python 3.
    references
        Whether references are sampled (``"drawn"``), counts are averaged over references
        (``"expected"``), or each sentence has its ``"best"`` reference.
    empty_length
        Length of an empty sentence in the brevity penalty.
    """

    numerator: Numerator = "script"
    smoothing: Smoothing = "ones"
    draws: Draws = "python2"
    references: ReferenceUse = "drawn"
    empty_length: int = 0

    @property
    def skips_empty(self) -> bool:
        """Whether an order without n-grams has a precision of 1."""
        return self.smoothing == "none"


VARIANTS: dict[Name, Variant] = {
    "official": Variant(),
    "koyama": Variant(smoothing="none"),
    "koyama-max": Variant(smoothing="none", references="best"),
    "gec-metrics": Variant("formula", "none", "python3", empty_length=1),
    "gec-metrics-official": Variant("script", "none", "python3", empty_length=1),
}
