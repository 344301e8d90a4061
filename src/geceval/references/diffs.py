"""References that are texts, whose edits are those of a word diff."""

from __future__ import annotations

from geceval.model import Corpus

_OPERATIONS = frozenset({"M", "R", "U"})
"""Error types of a word diff, by which references without edits are known."""


def has_texts_only(corpus: Corpus) -> bool:
    """Whether the edits of a corpus are those of a word diff, because its references are text.

    Examples
    --------
    >>> has_texts_only(Corpus.from_texts(["I likes it ."], ["I like it ."]))
    True
    """
    types = {edit.type for sent in corpus for ann in sent.annotations for edit in ann.edits}
    return bool(types) and types <= _OPERATIONS
