"""Mixed references: every way to correct a sentence that its annotators allow together.

Errors are independent, so each combination of one alternative per error is a reference, a path of
a lattice. A combination in which two errors correct the identical span does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

from geceval.model import Sentence, Tokens
from geceval.references.corrections import (
    Alternative,
    alternatives,
    apply_corrections,
    own_references,
)
from geceval.references.groups import errors_of
from geceval.references.lattice_builder import LatticeBuilder
from geceval.references.reference_lattice import ReferenceLattice, parallel

DEFAULT_LIMIT = 100_000
"""How many combinations of neighboring corrections a lattice looks at in one place."""

DEFAULT_STEPS = 1_000_000_000
"""How many steps a lattice may take, each of about a nanosecond."""


def mixed_references(
    sent: Sentence, *, limit: int = DEFAULT_LIMIT, most_steps: int = DEFAULT_STEPS
) -> ReferenceLattice:
    """Return every reference that mixes the corrections of all annotators.

    Where no combination exists, because required errors share a span, the annotators'
    own references are all there is.

    Parameters
    ----------
    sent
        The sentence.
    limit
        How many combinations of neighboring corrections are looked at in one place.
    most_steps
        How many steps all places together may take. Where combinations were left out because
        of either limit, the lattice is not complete.

    Examples
    --------
    >>> from geceval import Annotation, Edit, Sentence
    >>> these, is_ = Edit(0, 1, (("These",),)), Edit(2, 3, (("are",),))
    >>> first, second = Annotation("0", (these,)), Annotation("1", (these, is_))
    >>> sent = Sentence(("This", "cats", "is", "old"), (first, second))
    >>> [" ".join(words) for words in mixed_references(sent)]
    ['These cats is old', 'These cats are old']
    """
    choices = [alternatives(error, sent.tokens) for error in errors_of(sent)]
    chain = _chain(sent.tokens, choices)
    if chain is not None:
        return chain
    builder = LatticeBuilder(sent.tokens, choices, limit, most_steps)
    found = builder.lattice()
    if found is None:
        found = parallel(sent.tokens, own_references(sent).values())
        found = replace(found, is_complete=builder.is_complete)
    return replace(found, n_steps=min(most_steps, most_steps - builder.steps_left))


def _chain(tokens: Tokens, choices: Iterable[list[Alternative]]) -> ReferenceLattice | None:
    """Return the lattice of errors that stand one after the other, which nearly all do.

    None where they are entangled, reach past the end, or leave no token untouched: then it
    takes the whole machinery.
    """
    spans = []
    for ways in choices:
        corrections = [item for way in ways for item in way]
        if corrections:
            start = min(item.start for item in corrections)
            spans.append((start, max(item.end for item in corrections), ways))
    spans.sort(key=itemgetter(0, 1))
    positions = [0]
    edges: dict[tuple[int, int, Tokens], None] = {}
    reached = n_touched = 0
    inserted = -1
    for start, end, ways in spans:
        inserts = {item.start for way in ways for item in way if item.start == item.end}
        if start < reached or end > len(tokens) or (start in inserts and start == inserted):
            return None
        if start > reached:
            edges[len(positions) - 1, len(positions), tokens[reached:start]] = None
            positions.append(start)
        local = tokens[start:end]
        for way in ways:
            words, eaten, _ = apply_corrections(local, start, way, keeps_last=False)
            if eaten:
                return None
            edges[len(positions) - 1, len(positions), words] = None
        positions.append(end)
        reached = end
        n_touched += end - start
        inserted = end if end in inserts else -1
    if n_touched == len(tokens):
        return None
    if reached < len(tokens):
        edges[len(positions) - 1, len(positions), tokens[reached:]] = None
        positions.append(len(tokens))
    return ReferenceLattice(tuple(positions), tuple(edges))
