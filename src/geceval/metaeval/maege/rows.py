"""Rows to be scored: a source, references and an output, each different one counted once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from geceval.extraction.annotator import Annotator
from geceval.metaeval.maege.material import Material
from geceval.model import Annotation, Corpus, Edit, Sentence, Tokens
from geceval.references.mixed import mixed_references

MAX_PAIRS = 200_000
"""How many pairs of source and reference keep their edits before all are forgotten."""


class Row(NamedTuple):
    """What is scored.

    Parameters
    ----------
    sentence
        Place of the sentence in the material.
    source
        What the output is taken to be a correction of.
    held_out
        Name of the reference that is not used; empty where all are.
    output
        The correction.
    """

    sentence: int
    source: Tokens
    held_out: str
    output: Tokens


@dataclass(slots=True)
class Rows:
    """Different rows, numbered as they come.

    Examples
    --------
    >>> rows = Rows()
    >>> row = Row(0, ("a",), "", ("b",))
    >>> rows.number(row), rows.number(row), len(rows)
    (0, 0, 1)
    """

    numbers: dict[Row, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.numbers)

    def number(self, row: Row) -> int:
        """Return the number of a row, a new one if it was not there."""
        return self.numbers.setdefault(row, len(self.numbers))


class Extractor:
    """Makes a gold standard of rows: edits between each source and its references.

    Parameters
    ----------
    material
        Where the references are.
    annotator
        Finds the edits.
    """

    def __init__(self, material: Material, annotator: Annotator) -> None:
        self.material = material
        self.annotator = annotator
        self._known: dict[tuple[Tokens, Tokens], tuple[Edit, ...]] = {}

    def corpus(self, rows: Sequence[Row]) -> Corpus:
        """Return a corpus with a sentence for each row; equal sources share theirs."""
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
        if len(self._known) > MAX_PAIRS:
            self._known = {}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        self._known.update(zip(new, self.annotator.annotate(new), strict=True))
        sentences = {
            key: Sentence(
                key[1],
                tuple(Annotation(name, self._known[key[1], text]) for name, text in named),
            )
            for key, named in references.items()
        }
        return Corpus(
            tuple(sentences[row.sentence, row.source, row.held_out] for row in rows), "maege"
        )


def count_mixed_references(extractor: Extractor) -> list[int]:
    """Count, for each original sentence, the references that mixing all of its references gives."""
    originals = [
        Row(place, sent.tokens, "", sent.tokens)
        for place, sent in enumerate(extractor.material.sentences)
    ]
    return [mixed_references(sent).count() for sent in extractor.corpus(originals)]
