"""An analyser on top of any spaCy pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from geceval.lang.analysis import Analysis
from geceval.lang.remembered import RememberedRules
from geceval.lang.windows import SharedWindows
from geceval.model import Tokens

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

BATCH_WORDS = 10_000
"""Words that go through the pipeline together; the parser needs some 4 kB for each."""

MAX_VOCABULARY = 60_000
"""Entries of spaCy's vocabulary, which only grows, at which the pipeline is loaded anew."""

_Limit: TypeAlias = Callable[[], AbstractContextManager[Any]]


class SpacyAnalyser:
    """Analyses with a spaCy pipeline, many sentences at a time.

    Where the pipeline is of a known kind, equal parts of different sentences are computed
    once; every value is the same as that of the pipeline itself.

    Parameters
    ----------
    load
        Loads the pipeline.
    shortcuts
        Whether to compute equal parts once; otherwise the pipeline runs as it is.

    Examples
    --------
    >>> import spacy
    >>> analyser = SpacyAnalyser(lambda: spacy.blank("en"))
    >>> analyser.analyse([("Hello", "there")])[0].tokens
    ('Hello', 'there')
    """

    def __init__(self, load: Callable[[], Language], *, shortcuts: bool = True) -> None:
        self._load = load
        self._shortcuts = shortcuts
        self._start()

    def _start(self) -> None:
        self._nlp = nlp = self._load()
        self._limit_threads = _limit_threads()
        self._left_out: list[str] = []
        self._windows: SharedWindows | None = None
        self._rules: RememberedRules | None = None
        if self._shortcuts and SharedWindows.suits(nlp):
            self._windows = SharedWindows(nlp)
            self._left_out += ["tok2vec"]
        if self._shortcuts and RememberedRules.suits(nlp):
            self._rules = RememberedRules(nlp)
            self._left_out += ["attribute_ruler", "lemmatizer"]

    @property
    def signature(self) -> str:
        """Language, name and version of the model."""
        meta = self._nlp.meta
        return f"{meta['lang']}_{meta['name']}-{meta['version']}"

    def tokenise(self, text: str) -> Tokens:
        """Split raw text as the pipeline does, white space left out."""
        return tuple(token.text for token in self._nlp.make_doc(text) if not token.is_space)

    def analyse(self, sentences: Sequence[Tokens]) -> list[Analysis]:
        """Analyse each of `sentences`, in order."""
        analyses: list[Analysis] = []
        with self._limit_threads():
            for batch in _batches(sentences):
                analyses += self._analyse_batch(batch)
        return analyses

    def _analyse_batch(self, sentences: Sequence[Tokens]) -> list[Analysis]:
        from spacy.tokens import Doc

        if len(self._nlp.vocab) > MAX_VOCABULARY:
            self._start()
        docs: list[Any] = [Doc(self._nlp.vocab, list(sentence)) for sentence in sentences]
        if self._windows:
            for doc, vectors in zip(docs, self._windows(sentences), strict=True):
                doc.tensor = vectors
        docs = list(self._nlp.pipe(docs, batch_size=len(docs), disable=self._left_out))
        if self._rules is None:
            return [_analysis(sent, doc) for sent, doc in zip(sentences, docs, strict=True)]
        tags, labels, heads = zip(*map(self._tag_and_parse, docs), strict=True)
        # Ruler and lemmatiser change nothing but what they return.
        ruled = self._rules(list(map(_triples, sentences, tags, labels)))
        return [
            Analysis(
                sentence,
                tuple(result.tag for result in results),
                tuple(result.pos for result in results),
                tuple(result.lemma for result in results),
                places,
                tuple(result.label for result in results),
            )
            for sentence, places, results in zip(sentences, heads, ruled, strict=True)
        ]

    def _tag_and_parse(self, doc: Doc) -> tuple[list[str], list[str], tuple[int, ...]]:
        """Return tags, dependency labels and heads; by columns, for tokens are slow."""
        tags, labels, heads = doc.to_array(["TAG", "DEP", "HEAD"]).T
        names = self._nlp.vocab.strings
        return (
            [names[number] for number in tags.tolist()],
            [names[number] for number in labels.tolist()],
            tuple((heads.astype(np.int64) + np.arange(len(doc))).tolist()),
        )


def _batches(sentences: Sequence[Tokens]) -> Iterator[Sequence[Tokens]]:
    """Cut a list of sentences by their words."""
    start = n_words = 0
    for number, sentence in enumerate(sentences):
        n_words += len(sentence)
        if n_words > BATCH_WORDS:
            yield sentences[start : number + 1]
            start, n_words = number + 1, 0
    if start < len(sentences):
        yield sentences[start:]


def _triples(
    words: Tokens, tags: Sequence[str], labels: Sequence[str]
) -> list[tuple[str, str, str]]:
    return list(zip(words, tags, labels, strict=True))


def _analysis(sentence: Tokens, doc: Doc) -> Analysis:
    return Analysis(
        sentence,
        tuple(token.tag_ for token in doc),
        tuple(token.pos_ for token in doc),
        tuple(token.lemma_ for token in doc),
        tuple(token.head.i for token in doc),
        tuple(token.dep_ for token in doc),
    )


def _limit_threads() -> _Limit:
    """Return what keeps numpy's BLAS to one thread: small products only lose by more."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return nullcontext
    controller = ThreadpoolController()
    return lambda: controller.limit(limits=1, user_api="blas")
