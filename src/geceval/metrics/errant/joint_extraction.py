"""Extraction of the edits of several outputs together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from geceval.extraction.annotator import CHUNK
from geceval.limits import TooLargeError
from geceval.model import Corpus, Edit, Hypothesis, Tokens


class JointExtraction:
    """Extracts the edits of several outputs, sentence by sentence.

    The outputs for a sentence have most of their words in common, so most of the work of analyzing
    one serves for the others, and the source is analyzed once. Equal outputs share their edits.

    Parameters
    ----------
    outputs
        Outputs, each with a corpus that has its sources.
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
        targets: dict[Tokens, dict[Tokens, None]] = {}
        for corpus, hypothesis in outputs:
            for source, target in zip(corpus.sources, hypothesis, strict=True):
                targets.setdefault(source, {})[target] = None
        self._pairs = [(source, target) for source, own in targets.items() for target in own]
        self._annotated = annotate(self._pairs)
        self._edits: list[tuple[Edit, ...]] = []
        # Outputs have many edits in common, which are stored once.
        self._same: dict[Edit, Edit] = {}

    def steps(self) -> Sequence[Callable[[], None]]:
        """Return what to call, step by step."""
        return [self._step] * len(range(0, len(self._pairs), CHUNK))

    def _step(self) -> None:
        try:
            found = [edits for edits, *_ in islice(self._annotated, CHUNK)]
        except TooLargeError as error:
            raise error.at(*self._place(error.pair)) from None
        same = self._same.setdefault
        self._edits += [tuple([same(edit, edit) for edit in own]) for own in found]
        if len(self._edits) == len(self._pairs):
            known = dict(zip(self._pairs, self._edits, strict=True))
            for corpus, hypothesis in self._outputs:
                pairs = zip(corpus.sources, hypothesis, strict=True)
                self._store(corpus, hypothesis, [known[pair] for pair in pairs])

    def _place(self, pair: object) -> tuple[str, int]:
        """Return the first output that has a pair, and the index of its sentence."""
        return next(
            (hypothesis.name, number)
            for corpus, hypothesis in self._outputs
            for number, own in enumerate(zip(corpus.sources, hypothesis, strict=True))
            if own == pair
        )
