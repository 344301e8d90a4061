"""Interned texts for n-gram metrics, and the kernel that counts chunks of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from geceval.engines.threads import Latest, in_threads
from geceval.limits import TooLargeError, max_cells
from geceval.metrics._shared.texts import References
from geceval.metrics.base import Metric, check_lengths
from geceval.metrics.options import Jobs
from geceval.metrics.statistics import Counts
from geceval.model import Corpus, Hypothesis, MissingPolicy, Tokens
from geceval.text import Interned, Interner

if TYPE_CHECKING:
    from geceval.kernels.ngrams.counts import NgramCounter

    Counting: TypeAlias = Callable[[NgramCounter], Callable[[int, int], Counts]]
    """A function that returns a method of the kernel, for counting a range of sentences."""

Unit: TypeAlias = Literal["word", "char"]
"""What n-grams consist of."""

ORDER = 4
_CHUNK = 512
_UNITS = {"word": "tokens", "char": "characters"}


def by_order(name: str, max_order: int = ORDER) -> tuple[str, ...]:
    """Name one column for each order.

    Examples
    --------
    >>> by_order("total")
    ('total1', 'total2', 'total3', 'total4')
    """
    return tuple(f"{name}{order}" for order in range(1, max_order + 1))


@dataclass(slots=True)
class PreparedTexts:
    """A corpus interned for the kernel, shared by all systems."""

    references: References
    interner: Interner
    sources: Interned
    texts: Interned


class NgramMetric(Metric):
    """A metric that compares n-grams of source, output and references.

    Parameters
    ----------
    missing
        Whether an annotator without a line in a sentence is ``"absent"``, found nothing to
        correct (``"noop"``) or agrees with the previous annotator (``"same"``).
    jobs
        Threads.
    """

    normalize: ClassVar[Callable[[str], str] | None] = None
    unit: Unit = "word"
    counts_sentences_alone = True

    def __init__(self, *, missing: MissingPolicy = "absent", jobs: Jobs = 1) -> None:
        self.missing: MissingPolicy = missing
        self.jobs = jobs
        # One for each unit, as a metric may count n-grams of both.
        self._latest: dict[Unit, Latest[Corpus, PreparedTexts]] = {
            "word": Latest(),
            "char": Latest(),
        }

    @property
    def score_name(self) -> str:
        """Name of the headline number."""
        return self.title

    def _intern(self, corpus: Corpus, unit: Unit) -> PreparedTexts:
        references = References.of(corpus, missing=self.missing)
        interner = Interner(type(self).normalize)
        sources, texts = (
            interner.intern(self.split(some, unit)) for some in (corpus.sources, references.texts)
        )
        return PreparedTexts(references, interner, sources, texts)

    def split(self, sentences: Iterable[Tokens], unit: Unit) -> Iterable[Sequence[str]]:
        """Split sentences into units; characters include the spaces between tokens."""
        return map(" ".join, sentences) if unit == "char" else sentences

    def count(
        self,
        corpus: Corpus,
        hypothesis: Hypothesis,
        counting: Counting,
        *,
        order: int = ORDER,
        unit: Unit | None = None,
    ) -> tuple[References, Counts]:
        """Run the kernel over chunks of sentences, in threads; it counts up to an order."""
        from geceval.kernels.ngrams.counts import NgramCounter

        check_lengths(corpus, hypothesis)
        unit = unit or self.unit
        prepared = self._latest[unit].get(corpus, partial(self._intern, unit=unit))
        outputs = prepared.interner.intern(self.split(hypothesis.sentences, unit))
        _check_sizes(prepared, hypothesis.name, outputs, order, unit)
        counter = NgramCounter(
            *prepared.sources, *outputs, *prepared.texts, prepared.references.of_sentence
        )
        n_sents = len(hypothesis)

        def run(first: int) -> Counts:
            return counting(counter)(first, min(first + _CHUNK, n_sents))

        # An empty corpus has one empty chunk, for the number of columns.
        starts = range(0, max(1, n_sents), _CHUNK)
        parts = in_threads(run, starts, workers=self.jobs)
        counts: Counts = np.concatenate(parts)  # type: ignore[assignment]
        return prepared.references, counts


def _check_sizes(
    prepared: PreparedTexts, name: str, outputs: Interned, order: int, unit: Unit
) -> None:
    """Raise an error for texts that are too long for the kernel's table of n-grams."""
    of_sentence = prepared.references.of_sentence
    before = prepared.texts.offsets[of_sentence]
    n_units = np.diff(prepared.sources.offsets) + np.diff(outputs.offsets) + np.diff(before)
    n_texts = np.diff(of_sentence) + 2
    cells = order * n_units * n_texts
    for number in np.flatnonzero(cells > max_cells())[:1].tolist():
        shape = (
            f"{n_units[number]:,} {_UNITS[unit]} in {n_texts[number]} texts make "
            f"{cells[number]:,} cells"
        )
        raise TooLargeError(shape, max_cells()).at(name, number)
