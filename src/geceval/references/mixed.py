"""Mixed references: all combinations of the annotators' corrections of a sentence.

Each combination of one alternative per error is a reference, and a path of a lattice, unless two
errors correct the same span.
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
"""Maximum number of combinations in one block of a lattice."""

DEFAULT_STEPS = 1_000_000_000
"""Maximum number of steps for a lattice, each of about a nanosecond."""


def mixed_references(
    sent: Sentence, *, limit: int = DEFAULT_LIMIT, most_steps: int = DEFAULT_STEPS
) -> ReferenceLattice:
    """Return the lattice of all mixed references.

    If no combination exists, because required errors share a span, it has the annotators' own
    references.

    Parameters
    ----------
    sent
        The sentence.
    limit
        Maximum number of combinations in one block.
    most_steps
        Maximum number of steps for all blocks. If combinations are skipped because of either
        limit, the lattice is not complete.

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
    """Return the lattice of errors that follow one another, as nearly all do.

    None if they interact, exceed the sentence or cover all tokens, as only `LatticeBuilder`
    supports.
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
