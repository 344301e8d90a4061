"""Extraction of the edits of several systems together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from geceval.extraction.annotator import CHUNK
from geceval.limits import TooLargeError
from geceval.model import Corpus, Edit, Hypothesis, Tokens


class JointExtraction:
    """Extracts the edits of several systems, sentence by sentence.

    The outputs for a sentence have most of their words in common, so most of the work of analyzing
    one serves for the others, and the source is analyzed once.

    Parameters
    ----------
    outputs
        Outputs of systems, each with a corpus that has its sources; all of the same length.
    annotate
        Yields the edits of sentence pairs by alignment, of which the first is used.
    store
        Called with each output and its edits when all are known.
    """

    def __init__(
        self,
        outputs: Sequence[tuple[Corpus, Hypothesis]],
        annotate: Callable[
            [Sequence[tuple[Tokens, Tokens]]], Iterator[tuple[tuple[Edit, ...], ...]]
        ],
        store: Callable[[Corpus, Hypothesis, list[tuple[Edit, ...]]], None],
    ) -> None:
        self._outputs = outputs
        self._store = store
        each = [zip(corpus.sources, hypothesis, strict=True) for corpus, hypothesis in outputs]
        self._pairs = list(chain.from_iterable(zip(*each, strict=True)))
        self._annotated = annotate(self._pairs)
        self._edits: list[tuple[Edit, ...]] = []

    def steps(self) -> Sequence[Callable[[], None]]:
        """Return what to call, step by step."""
        return [self._step] * len(range(0, len(self._pairs), CHUNK))

    def _step(self) -> None:
        n_outputs = len(self._outputs)
        try:
            found = [edits for edits, *_ in islice(self._annotated, CHUNK)]
        except TooLargeError as error:
            sentence, place = divmod(self._pairs.index(error.pair), n_outputs)
            _, hypothesis = self._outputs[place]
            raise error.at(hypothesis.name, sentence) from None
        # Systems have many edits in common, which are stored once.
        same: dict[Edit, Edit] = {}
        self._edits += [tuple([same.setdefault(edit, edit) for edit in own]) for own in found]
        if len(self._edits) == len(self._pairs):
            for place, (corpus, hypothesis) in enumerate(self._outputs):
                self._store(corpus, hypothesis, self._edits[place::n_outputs])
