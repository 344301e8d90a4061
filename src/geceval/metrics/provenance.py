"""What counts were made from, so that equal signatures mean comparable numbers.

Each sentence has a hash of exactly what a metric reads of it, and the number of references that
were used. Choosing sentences chooses their hashes, so that nothing is read or hashed again when
statistics are resampled, sliced or put together.
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

# JSON keeps lists, strings and numbers apart whatever is in them. As ASCII it does not depend on
# what a version of Python takes for printable, and holds lone surrogates too.
_encode = json.JSONEncoder(ensure_ascii=True, check_circular=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """What the counts of each sentence were made from.

    Parameters
    ----------
    hashes
        A hash of what was read of each sentence.
    n_refs
        How many references of each sentence were used.

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
        """Hash, for each sentence, the source and what was read of each reference.

        References are in the order of the annotators, whose names are of no matter, and made of
        tuples, strings and numbers.
        """
        hashes = []
        n_refs = []
        for source, references in read:
            record = _encode((source, references)).encode("ascii")
            hashes.append(blake2b(record, digest_size=_SENTENCE_BYTES).digest())
            n_refs.append(len(references))
        return cls(
            # The order of bytes is fixed, for the same digest on every machine.
            np.frombuffer(b"".join(hashes), dtype="<u8"),
            np.array(n_refs, dtype=np.int64),
        )

    @classmethod
    def of_sources(cls, corpus: Corpus) -> Self:
        """Hash the sources, for metrics that look at no reference."""
        return cls.of((sent.tokens, ()) for sent in corpus)

    @classmethod
    def of_texts(cls, corpus: Corpus) -> Self:
        """Hash sources and corrected sentences, however they were written down as edits."""
        return cls.of(
            (sent.tokens, [apply_edits(sent.tokens, ann.edits) for ann in readings])
            for sent, readings in _in_order(corpus)
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
        """Hash sources, spans and corrections of the edits, and what else of them counts.

        Parameters
        ----------
        corpus
            The gold standard, as it is counted.
        types, required, groups
            Whether the type of an edit, being required and the error that it belongs to count.
        """
        counted = {"type": types, "required": required, "group": groups}
        of_edit = attrgetter(
            "start", "end", "corrections", *(name for name, counts in counted.items() if counts)
        )
        return cls.of(
            (sent.tokens, [tuple(map(of_edit, ann.edits)) for ann in readings])
            for sent, readings in _in_order(corpus)
        )

    def take(self, rows: NDArray[np.int64]) -> Self:
        """Return that of the given sentences, in that order."""
        return type(self)(self.hashes[rows], self.n_refs[rows])

    def followed_by(self, other: Provenance) -> Self:
        """Return that of the sentences of both."""
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
        """A short hash of everything, in which the order of sentences counts."""
        return blake2b(self.hashes.astype("<u8").tobytes(), digest_size=_CORPUS_BYTES).hexdigest()


def _in_order(corpus: Corpus) -> Iterator[tuple[Sentence, Sequence[Annotation]]]:
    """Yield each sentence with its readings in the order of the annotators."""
    place = {name: number for number, name in enumerate(corpus.annotators)}
    for sent in corpus:
        if len(sent.annotations) > 1:
            yield sent, sorted(sent.annotations, key=lambda ann: place[ann.annotator])
        else:
            yield sent, sent.annotations
