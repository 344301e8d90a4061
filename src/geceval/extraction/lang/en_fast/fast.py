"""The small English pipeline in a compiled kernel, with the results of spaCy.

The weights are those of the loaded pipeline. Vectors of words, and results of ruler and lemmatizer,
are computed once for all sentences that share them. Rounding differs from spaCy, so spaCy itself
analyzes sentences in which a tag or a transition of the parser has a narrow margin.
``docs/guide/analyzer.md`` explains why each step is exact.
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
from geceval.extraction.lang.en_fast.lexicon import LexiconCache, Word, WordVectors
from geceval.extraction.lang.en_fast.rules import Rules
from geceval.extraction.lang.en_fast.trees import MARK, reattach
from geceval.extraction.lang.en_fast.weights import Floats, read_weights
from geceval.extraction.lang.prefetch import PendingBatch
from geceval.extraction.lang.spacy_analyzer import SpacyAnalyzer, cut
from geceval.kernels.en_fast.embedding import named
from geceval.kernels.en_fast.network import Network

BATCH_WORDS = 10_000
"""Words per batch."""

MARGIN = 1e-4
"""Margin of scores below which spaCy analyzes the sentence.

Scores are at most 50, and differ from spaCy's by at most 0.000015.
"""

_ROOT = "ROOT"

_Numbers: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]


class FastAnalyzer:
    """A faster analyzer with the results of a small English spaCy pipeline; thread-safe.

    Parameters
    ----------
    spacy
        The pipeline.

    Raises
    ------
    OtherArchitectureError
        If the pipeline has another architecture.

    Attributes
    ----------
    n_close
        Number of sentences that spaCy analyzed because of narrow margins.
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
        self._cache = self._new_cache()
        self.n_close = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the pipeline only; the rest is derived from it."""
        return FastAnalyzer, (self._spacy,)

    @property
    def signature(self) -> str:
        """Language, name and version of the model."""
        return self._spacy.signature

    def tokenize(self, text: str) -> SpacedTokens:
        """Tokenize raw text as the pipeline does, without surrounding white space."""
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
        """Compute the scores of tags of one sentence, ``(n_tokens, n_tags)``."""
        cache = self._current_cache()
        words = cache.numbers(_words(sentence))
        rows = self._network.encode(cache.vectors, words, np.array([0, len(words)]))
        tagger = self._weights.parameters
        scores: Floats = rows @ tagger["tagger"] + tagger["tagger_bias"]
        return scores

    def _pending(self, sentences: Sequence[Text]) -> PendingBatch:
        cache = self._current_cache()
        words = cache.numbers(list(chain.from_iterable(map(_words, sentences))))
        offsets = np.cumsum([0, *map(len, sentences)])
        return PendingBatch(
            sentences,
            partial(self._network.decide, cache.vectors, words, offsets),
            partial(self._analyses, sentences, cache, words, offsets),
        )

    def _analyses(
        self,
        sentences: Sequence[Text],
        cache: LexiconCache,
        words: _Numbers,
        offsets: _Offsets,
        decided: tuple[_Numbers, _Numbers, _Numbers, Floats],
    ) -> list[Analysis]:
        """Convert the decisions of the network to analyses."""
        tags, heads, transitions, margins = decided
        labels = self._label(transitions, heads, sentences, offsets)
        numbers, results = cache.results(words, tags, labels, offsets)
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
        """Return the numbers of labels; labels and `heads` of crossing arcs are corrected."""
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

    def _current_cache(self) -> LexiconCache:
        with self._lock:
            if self._cache.is_full:
                self._rules.clear()
                self._cache = self._new_cache()
            return self._cache

    def _new_cache(self) -> LexiconCache:
        return LexiconCache(
            self._embed, self._rules, self._weights.tags, self._labels.names, self._lock
        )


def _words(text: Text) -> Sequence[Word]:
    """Return the words, with space and norm if they change the features of the model."""
    if isinstance(text, tuple):
        return text
    return [
        word if space and norm is None else (word, space, norm)
        for word, space, norm in zip(text.words, text.spaces, text.norms, strict=True)
    ]


def _rename(
    values: _Numbers, names: list[str], numbers: _Numbers, changed: Sequence[str | None]
) -> None:
    """Replace tags or labels that the ruler changes.

    Parameters
    ----------
    values
        Number of the tag or label of each token; changed in place.
    names
        Names by number; new ones are appended.
    numbers
        Number of the ruler's result for each token.
    changed
        New name of each result; None for no change.
    """
    places = [number for number, name in enumerate(changed) if name is not None]
    if places:
        new = np.full(len(changed), -1, dtype=np.int32)
        new[places] = np.arange(len(names), len(names) + len(places))
        names += [name for name in changed if name is not None]
        found = new[numbers]
        np.copyto(values, found, where=found >= 0)


class _Labels:
    """The labels of the parser's transitions; -1, no transition, is a root."""

    def __init__(self, transitions: Sequence[str]) -> None:
        self.by_transition = [*(name.partition("-")[2] for name in transitions), _ROOT]
        proper = [label.partition(MARK)[0] for label in self.by_transition]
        self.names = list(dict.fromkeys(proper))
        self.numbers = np.array([self.names.index(label) for label in proper], dtype=np.int32)
        self.is_marked = np.array([MARK in label for label in self.by_transition])
