"""Rows to be scored: a source, references and an output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from geceval.extraction.annotator import Annotator
from geceval.metaeval.maege.material import Material
from geceval.model import Annotation, Corpus, Edit, Sentence, Tokens
from geceval.references.mixed import mixed_references

MAX_PAIRS = 200_000
"""Maximum number of cached pairs of source and reference before the cache is cleared."""


class Row(NamedTuple):
    """An output to be scored.

    Parameters
    ----------
    sentence
        Index of the sentence in the material.
    source
        The source of the output.
    held_out
        Name of the excluded reference; empty if all are used.
    output
        The correction.
    """

    sentence: int
    source: Tokens
    held_out: str
    output: Tokens


class Extractor:
    """Extracts the edits between sources and references.

    Parameters
    ----------
    material
        Lattices and references.
    annotator
        Extracts edits.
    """

    def __init__(self, material: Material, annotator: Annotator) -> None:
        self.material = material
        self.annotator = annotator
        self._cache: dict[tuple[Tokens, Tokens], tuple[Edit, ...]] = {}

    def corpus(self, rows: Iterable[Row]) -> Corpus:
        """Return a gold standard with a sentence for each row."""
        sources = dict.fromkeys((row.sentence, row.source, row.held_out) for row in rows)
        references = {
            key: [
                (name, text)
                for name, text in self.material.sentences[key[0]].references
                if name != key[2]
            ]
            for key in sources
        }
        pairs = [(key[1], text) for key, named in references.items() for _, text in named]
        if len(self._cache) > MAX_PAIRS:
            self._cache = {}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._cache]
        self._cache.update(zip(new, self.annotator.annotate_pairs(new), strict=True))
        sentences = {
            key: Sentence(
                key[1],
                tuple(Annotation(name, self._cache[key[1], text]) for name, text in named),
            )
            for key, named in references.items()
        }
        return Corpus(
            tuple(sentences[row.sentence, row.source, row.held_out] for row in rows), "maege"
        )


def count_mixed_references(extractor: Extractor) -> list[int]:
    """Count the mixed references of each original sentence."""
    originals = [
        Row(place, sent.tokens, "", sent.tokens)
        for place, sent in enumerate(extractor.material.sentences)
    ]
    return [mixed_references(sent).count() for sent in extractor.corpus(originals)]
