"""Gold standards with nested edits: each such annotation becomes several readings to choose from.

In EstGEC, for example, an edit of the word order contains the corrections of the edits inside it. A
system cannot have both, so it would miss half of the edits however good it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from geceval.engines.threads import WeakCache
from geceval.model import (
    Annotation,
    Corpus,
    Sentence,
    first_reading,
    in_order,
    is_nested,
    readings,
)

NestedPolicy: TypeAlias = Literal["readings", "off"]
"""Whether annotations with nested edits are divided into readings, or scored as they are."""


@dataclass(frozen=True, slots=True)
class NestedEdits:
    """How many annotations of a gold standard have nested edits.

    Parameters
    ----------
    annotations
        Annotations with an edit whose correction contains that of an edit inside it.
    sentences
        Sentences with such an annotation.
    """

    annotations: int
    sentences: int

    @classmethod
    def of(cls, corpus: Corpus) -> NestedEdits:
        """Count the annotations with nested edits."""
        counts = [sum(is_nested(ann.edits) for ann in sent.annotations) for sent in corpus]
        return cls(sum(counts), sum(map(bool, counts)))

    def __bool__(self) -> bool:
        return self.annotations > 0


def with_readings(corpus: Corpus) -> Corpus:
    """Divide annotations with overlapping edits into readings, if any edits are nested.

    The first reading has the name of the annotator and the edits that are applied to the sentence,
    outer edits instead of those inside them. Further ones are added as annotators named ``"0
    (inner)"``, so that metrics choose the best. No reading has overlapping edits. Edits are sorted
    by span, since files of this kind list inner edits first and metrics may compare in order.

    Examples
    --------
    >>> from geceval import Edit
    >>> edits = (Edit.replace(0, 1, "here"), Edit.replace(0, 3, "we are here"))
    >>> sent = Sentence(("hear", "are", "we"), (Annotation("0", edits),))
    >>> [ann.annotator for ann in with_readings(Corpus((sent,))).sentences[0].annotations]
    ['0', '0 (inner)']
    """
    if not has_nested(corpus):
        return corpus
    return replace(corpus, sentences=tuple(map(_divided, corpus)))


def applied_only(corpus: Corpus) -> Corpus:
    """Keep the first reading of each annotation, whose edits are applied, if any are nested.

    For metrics that do not choose between readings.
    """
    if not has_nested(corpus):
        return corpus
    return replace(corpus, sentences=tuple(map(_applied, corpus)))


_known: WeakCache[Corpus, bool] = WeakCache()


def has_nested(corpus: Corpus) -> bool:
    """Whether any edits of a gold standard are nested, which decides how all are read."""
    return _known.get(corpus, _find_nested)


def _find_nested(corpus: Corpus) -> bool:
    return any(is_nested(ann.edits) for sent in corpus for ann in sent.annotations)


def _applied(sent: Sentence) -> Sentence:
    n_tokens = len(sent.tokens)
    annotations = (
        replace(ann, edits=first_reading(in_order(ann.edits), n_tokens)) for ann in sent.annotations
    )
    return replace(sent, annotations=tuple(annotations))


def _divided(sent: Sentence) -> Sentence:
    annotations = (one for ann in sent.annotations for one in _readings(ann, len(sent.tokens)))
    return replace(sent, annotations=tuple(annotations))


def _readings(ann: Annotation, n_tokens: int) -> Iterator[Annotation]:
    for number, edits in enumerate(readings(in_order(ann.edits), n_tokens)):
        which = ("", " (inner)")[number] if number < 2 else f" (inner {number})"
        yield Annotation(f"{ann.annotator}{which}", edits)
