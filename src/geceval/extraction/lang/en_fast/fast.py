"""The small English pipeline by our own kernel, with the results of spaCy.

The weights are those of the loaded pipeline. Words, windows of words, and what ruler and
lemmatizer say, are computed once for all sentences that share them. Sums are rounded in another
order than in spaCy, so where a tag or a transition of the parser was chosen by a hair, spaCy itself
analyses the sentence. ``docs/guide/analyzer.md`` tells why each step is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from threading import RLock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.extraction.lang.analysis import Analysis, SpacedTokens, Text, words_of
from geceval.extraction.lang.en_fast.lexicon import Memory, Word, WordVectors
from geceval.extraction.lang.en_fast.rules import Rules
from geceval.extraction.lang.en_fast.trees import MARK, reattach
from geceval.extraction.lang.en_fast.weights import Floats, read_weights
from geceval.extraction.lang.prefetch import PendingBatch
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer, cut
from geceval.kernels.en_fast.embedding import named
from geceval.kernels.en_fast.network import Network

BATCH_WORDS = 10_000
"""Words that are analyzed together."""

MARGIN = 1e-4
"""What is decided by less than this is left to spaCy.

Scores go up to 50, and ours differ from spaCy's by 0.000015 at most.
"""

_ROOT = "ROOT"

_Numbers: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]


class FastAnalyzer:
    """Analyses as a small English spaCy pipeline does, many times faster.

    Several threads may use one analyzer at the same time.

    Parameters
    ----------
    spacy
        The pipeline itself.

    Raises
    ------
    OtherArchitectureError
        When the pipeline is of another kind.

    Attributes
    ----------
    n_close
        How many sentences were left to spaCy, because something was decided by a hair.
    """

    kind = "fast"
    can_prefetch = True

    def __init__(self, spacy: SpacyAnalyzer) -> None:
        self._spacy = spacy
        self._weights = read_weights(spacy.nlp)
        self._network = Network(**self._weights.parameters)
        self._embed = WordVectors(spacy.nlp, self._weights)
        self._rules = Rules(spacy.nlp)
        self._labels = _Labels(self._weights.transitions)
        self._lock = RLock()
        self._memory = self._new_memory()
        self.n_close = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the pipeline; everything else is read from it."""
        return FastAnalyzer, (self._spacy,)

    @property
    def signature(self) -> str:
        """Language, name and version of the model."""
        return self._spacy.signature

    def tokenize(self, text: str) -> SpacedTokens:
        """Split raw text as the pipeline does; white space around it is left out."""
        with self._lock:
            return self._spacy.tokenize(text)

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze each of `sentences`, in order."""
        analyses: list[Analysis] = []
        for batch in cut(sentences, BATCH_WORDS):
            pending = self._pending(batch)
            pending.run()
            analyses += pending.analyses()
        return analyses

    def pending(self, sentences: Sequence[Text]) -> list[PendingBatch]:
        """Return batches to analyze; any thread can run the kernel."""
        return [self._pending(batch) for batch in cut(sentences, BATCH_WORDS)]

    def tag_scores(self, sentence: Text) -> Floats:
        """Compute what decides the tags of one sentence, ``(n_tokens, n_tags)``."""
        memory = self._memory_with_room()
        words = memory.numbers(_words(sentence))
        rows = self._network.encode(memory.vectors, words, np.array([0, len(words)]))
        tagger = self._weights.parameters
        scores: Floats = rows @ tagger["tagger"] + tagger["tagger_bias"]
        return scores

    def _pending(self, sentences: Sequence[Text]) -> PendingBatch:
        memory = self._memory_with_room()
        words = memory.numbers(list(chain.from_iterable(map(_words, sentences))))
        offsets = np.cumsum([0, *map(len, sentences)])
        return PendingBatch(
            sentences,
            partial(self._network.decide, memory.vectors, words, offsets),
            partial(self._analyses, sentences, memory, words, offsets),
        )

    def _analyses(
        self,
        sentences: Sequence[Text],
        memory: Memory,
        words: _Numbers,
        offsets: _Offsets,
        decided: tuple[_Numbers, _Numbers, _Numbers, Floats],
    ) -> list[Analysis]:
        """Make analyses of what the network decided."""
        tags, heads, transitions, margins = decided
        labels = self._label(transitions, heads, sentences, offsets)
        numbers, results = memory.results(words, tags, labels, offsets)
        tag_names, label_names = list(self._weights.tags), list(self._labels.names)
        _rename(tags, tag_names, numbers, [result.tag for result in results])
        _rename(labels, label_names, numbers, [result.label for result in results])
        analyses = map(
            Analysis,
            map(words_of, sentences),
            named(tag_names, tags, offsets),
            named([result.pos for result in results], numbers, offsets),
            named([result.lemma for result in results], numbers, offsets),
            named(list(range(max(map(len, sentences)))), heads, offsets),
            named(label_names, labels, offsets),
        )
        is_close = (margins < MARGIN).tolist()
        return [
            self._by_spacy(sentence) if close else analysis.of(sentence)
            for sentence, analysis, close in zip(sentences, analyses, is_close, strict=True)
        ]

    def _label(
        self, transitions: _Numbers, heads: _Numbers, sentences: Sequence[Text], offsets: _Offsets
    ) -> _Numbers:
        """Number the labels; where arcs cross, correct labels and `heads`."""
        labels = self._labels.numbers[transitions]
        marked = np.flatnonzero(self._labels.is_marked[transitions])
        for number in sorted({*(np.searchsorted(offsets, marked, side="right") - 1).tolist()}):
            part = slice(offsets[number], offsets[number + 1])
            places = heads[part].tolist()
            names = [self._labels.by_transition[number] for number in transitions[part].tolist()]
            reattach(places, names, [word.isspace() for word in words_of(sentences[number])])
            heads[part] = places
            labels[part] = [self._labels.names.index(name) for name in names]
        return labels

    def _by_spacy(self, sentence: Text) -> Analysis:
        with self._lock:
            self.n_close += 1
            (analysis,) = self._spacy.analyze([sentence])
        return analysis

    def _memory_with_room(self) -> Memory:
        with self._lock:
            if self._memory.is_full:
                self._rules.forget()
                self._memory = self._new_memory()
            return self._memory

    def _new_memory(self) -> Memory:
        return Memory(self._embed, self._rules, self._weights.tags, self._labels.names, self._lock)


def _words(text: Text) -> Sequence[Word]:
    """Tell words apart that the model sees otherwise, for what follows them or is their norm."""
    if isinstance(text, tuple):
        return text
    return [
        word if space and norm is None else (word, space, norm)
        for word, space, norm in zip(text.words, text.spaces, text.norms, strict=True)
    ]


def _rename(
    values: _Numbers, names: list[str], numbers: _Numbers, changed: Sequence[str | None]
) -> None:
    """Put the names that the ruler gives instead in the place of those that were decided.

    Parameters
    ----------
    values
        By token, the number of its tag or label; changed in place.
    names
        Names by number; new ones are added.
    numbers
        By token, the number of what the ruler says of it.
    changed
        By that number, the new name; None for those that stay.
    """
    places = [number for number, name in enumerate(changed) if name is not None]
    if places:
        new = np.full(len(changed), -1, dtype=np.int32)
        new[places] = np.arange(len(names), len(names) + len(places))
        names += [name for name in changed if name is not None]
        found = new[numbers]
        np.copyto(values, found, where=found >= 0)


class _Labels:
    """The labels that transitions of the parser give; -1, no transition, makes a root."""

    def __init__(self, transitions: Sequence[str]) -> None:
        self.by_transition = [*(name.partition("-")[2] for name in transitions), _ROOT]
        proper = [label.partition(MARK)[0] for label in self.by_transition]
        self.names = list(dict.fromkeys(proper))
        self.numbers = np.array([self.names.index(label) for label in proper], dtype=np.int32)
        self.is_marked = np.array([MARK in label for label in self.by_transition])
