"""An analyzer that runs a spaCy pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from geceval.engines.blas import one_blas_thread
from geceval.extraction.lang.analysis import Analysis, SpacedTokens, Text, words_of
from geceval.extraction.lang.casing import Lower

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

BATCH_WORDS = 10_000
"""Words in a batch; the parser needs about 4 kB for each."""

MAX_VOCABULARY = 60_000
"""Size of spaCy's vocabulary, which only grows, at which the pipeline is reloaded."""


class SpacyAnalyzer:
    """An analyzer that runs a spaCy pipeline on batches of sentences.

    Threads may share it, but a lock lets only one at a time use the pipeline.

    Parameters
    ----------
    load
        Function that loads the pipeline.
    load_tokenizer
        Function that loads it with its tokenizer, called on first use; None if `load` does so.
    features
        Whether to provide morphological features.
    lower
        Lowercases a word of the language.

    Examples
    --------
    >>> import spacy
    >>> analyzer = SpacyAnalyzer(lambda: spacy.blank("en"))
    >>> analyzer.analyze([("Hello", "there")])[0].tokens
    ('Hello', 'there')
    """

    kind = "spacy"

    def __init__(
        self,
        load: Callable[[], Language],
        load_tokenizer: Callable[[], Language] | None = None,
        *,
        features: bool = False,
        lower: Lower = str.lower,
    ) -> None:
        self._features = features
        self.lower = lower
        self._load = load
        self._load_tokenizer = load_tokenizer or load
        self.nlp = load()
        self._tokenizer = None if load_tokenizer else self.nlp
        self._lock = RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the functions that load the pipeline, not the pipeline."""
        load_tokenizer = None if self._load_tokenizer is self._load else self._load_tokenizer
        made = partial(SpacyAnalyzer, features=self._features, lower=self.lower)
        return made, (self._load, load_tokenizer)

    @property
    def signature(self) -> str:
        """Language, name and version of the model."""
        meta = self.nlp.meta
        return f"{meta['lang']}_{meta['name']}-{meta['version']}"

    def tokenize(self, text: str) -> SpacedTokens:
        """Tokenize raw text like the pipeline, without white space at both ends."""
        with self._lock:
            if self._tokenizer is None or len(self._tokenizer.vocab) > MAX_VOCABULARY:
                self._tokenizer = self._load_tokenizer()
            # Calling the pipeline would limit the text to a million characters.
            doc = self._tokenizer.tokenizer(text.strip())
            return SpacedTokens(
                tuple([token.text for token in doc]),
                tuple([bool(token.whitespace_) for token in doc]),
                tuple([token.norm_ if token.norm != token.lex.norm else None for token in doc]),
            )

    def analyze(self, sentences: Sequence[Text]) -> list[Analysis]:
        """Analyze sentences, in order."""
        analyses: list[Analysis] = []
        with one_blas_thread():
            for batch in cut(sentences, BATCH_WORDS):
                with self._lock:
                    analyses += self._analyze_batch(batch)
        return analyses

    def _analyze_batch(self, sentences: Sequence[Text]) -> list[Analysis]:
        if len(self.nlp.vocab) > MAX_VOCABULARY:
            self.nlp = self._load()
        docs = [document(self.nlp.vocab, sentence) for sentence in sentences]
        docs = list(self.nlp.pipe(docs, batch_size=len(docs)))
        analyses = [_analysis(sentence, doc) for sentence, doc in zip(sentences, docs, strict=True)]
        if not self._features:
            return analyses
        return [
            replace(
                analysis,
                feats=tuple([str(token.morph) for token in doc if not token.text.isspace()]),
                lower=self.lower,
            )
            for analysis, doc in zip(analyses, docs, strict=True)
        ]


def document(vocab: Vocab, text: Text) -> Doc:
    """Create the document that the tokenizer of the pipeline would create."""
    from spacy.tokens import Doc

    if isinstance(text, tuple):
        return Doc(vocab, list(text))
    doc = Doc(vocab, list(text.words), list(text.spaces))
    for token, norm in zip(doc, text.norms, strict=True):
        if norm is not None:
            token.norm_ = norm
    return doc


def cut(sentences: Sequence[Text], n_words: int) -> Iterator[Sequence[Text]]:
    """Split sentences into batches of about `n_words` words."""
    start = n_pending = 0
    for number, sentence in enumerate(sentences):
        n_pending += len(sentence)
        if n_pending > n_words:
            yield sentences[start : number + 1]
            start, n_pending = number + 1, 0
    if start < len(sentences):
        yield sentences[start:]


def _analysis(sentence: Text, doc: Doc) -> Analysis:
    """Convert a document by columns, which is faster than by tokens."""
    columns = doc.to_array(["TAG", "POS", "LEMMA", "DEP", "HEAD"]).T
    names = doc.vocab.strings
    tags, pos, lemmas, labels = (
        tuple([names[number] for number in column.tolist()]) for column in columns[:4]
    )
    heads = columns[4].astype(np.int64) + np.arange(len(doc))
    words = words_of(sentence)
    return Analysis(words, tags, pos, lemmas, tuple(heads.tolist()), labels).of(sentence)
