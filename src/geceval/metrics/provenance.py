"""Hashes of the data behind statistics, so that equal signatures mean comparable scores.

Each sentence has a hash of exactly the data that a metric uses, and its number of references.
Resampled and concatenated statistics take the hashes of their sentences; nothing is hashed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from operator import attrgetter
from typing import Self

import numpy as np
from numpy.typing import NDArray

from geceval.model import Annotation, Corpus, Sentence, Tokens, apply_edits

_SENTENCE_BYTES = 8
_CORPUS_BYTES = 5

# JSON is unambiguous. In ASCII it does not depend on the Unicode version of Python, and can
# represent lone surrogates.
_encode = json.JSONEncoder(ensure_ascii=True, check_circular=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """Hashes of the data behind the counts of each sentence.

    Parameters
    ----------
    hashes
        A hash of each sentence.
    n_refs
        Number of references of each sentence.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Sentence
    >>> corpus = Corpus((Sentence(("I", "like", "it"), (Annotation("0"),)),))
    >>> found = Provenance.of_texts(corpus)
    >>> found.refs, found.digest
    ('1', '97c84d4b6d')
    """

    hashes: NDArray[np.uint64]
    n_refs: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hashes)

    @classmethod
    def of(cls, read: Iterable[tuple[Tokens, Sequence[object]]]) -> Self:
        """Hash the source and the references of each sentence.

        References are in the order of annotators, whose names do not matter, and consist of
        tuples, strings and numbers.
        """
        hashes = []
        n_refs = []
        for source, references in read:
            record = _encode((source, references)).encode("ascii")
            hashes.append(blake2b(record, digest_size=_SENTENCE_BYTES).digest())
            n_refs.append(len(references))
        return cls(
            # The byte order is fixed, for the same digest on every machine.
            np.frombuffer(b"".join(hashes), dtype="<u8"),
            np.array(n_refs, dtype=np.int64),
        )

    @classmethod
    def of_sources(cls, corpus: Corpus) -> Self:
        """Hash the sources, for metrics without references."""
        return cls.of((sent.tokens, ()) for sent in corpus)

    @classmethod
    def of_texts(cls, corpus: Corpus) -> Self:
        """Hash sources and corrected sentences, regardless of the edits between them."""
        return cls.of(
            (sent.tokens, [apply_edits(sent.tokens, ann.edits) for ann in annotations])
            for sent, annotations in _in_order(corpus)
        )

    @classmethod
    def of_edits(
        cls,
        corpus: Corpus,
        *,
        types: bool = False,
        required: bool = False,
        groups: bool = False,
    ) -> Self:
        """Hash sources, spans and corrections of the edits.

        Parameters
        ----------
        corpus
            The gold standard.
        types, required, groups
            Whether to include the type and the group of an edit, and whether it is required.
        """
        more = {"type": types, "required": required, "group": groups}
        of_edit = attrgetter("start", "end", "corrections", *(name for name in more if more[name]))
        return cls.of(
            (sent.tokens, [tuple(map(of_edit, ann.edits)) for ann in annotations])
            for sent, annotations in _in_order(corpus)
        )

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return the provenance of the given sentences, in that order."""
        return type(self)(self.hashes[rows], self.n_refs[rows])

    def followed_by(self, other: Provenance) -> Self:
        """Append the provenance of other sentences."""
        return type(self)(
            np.concatenate((self.hashes, other.hashes)),
            np.concatenate((self.n_refs, other.n_refs)),
        )

    @property
    def refs(self) -> str:
        """The number of references of a sentence, or the lowest and the highest."""
        if not len(self):
            return "0"
        low, high = int(self.n_refs.min()), int(self.n_refs.max())
        return str(low) if low == high else f"{low}-{high}"

    @property
    def digest(self) -> str:
        """A short hash of all sentences in order."""
        return blake2b(self.hashes.astype("<u8").tobytes(), digest_size=_CORPUS_BYTES).hexdigest()


def _in_order(corpus: Corpus) -> Iterator[tuple[Sentence, Sequence[Annotation]]]:
    """Yield each sentence with its annotations in the order of annotators."""
    place = {name: number for number, name in enumerate(corpus.annotators)}
    for sent in corpus:
        if len(sent.annotations) > 1:
            yield sent, sorted(sent.annotations, key=lambda ann: place[ann.annotator])
        else:
            yield sent, sent.annotations
