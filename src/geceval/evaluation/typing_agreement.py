"""Agreement of two annotations of the same sentences: gold edits, and extracted ones.

An edit is matched if start, end and correction are equal. Equal edits are paired as often as they
occur on both sides. Types are compared where edits are matched.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from geceval.errors import GecevalError, MismatchError, UnknownNameError
from geceval.evaluation.annotators import Floats, Measured, estimates
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.extraction.typers.type_names import OPERATIONS
from geceval.model import Corpus, Edit, Sentence, applicable
from geceval.visible import visible

Rename: TypeAlias = Callable[[str], str]
"""Renames a type."""

_SHOWN = 60
"""Maximum length of a sentence in a message."""


class MatchedEdit(NamedTuple):
    """An edit of both annotations, and its type in each."""

    before: str
    after: str
    gold: str
    automatic: str


@dataclass(frozen=True, slots=True)
class AgreementShare:
    """Number of matched edits of a group, and of those with the same type."""

    matched: int
    same: int

    @property
    def share(self) -> float:
        """Share of the edits with the same type."""
        return self.same / self.matched if self.matched else math.nan


@dataclass(frozen=True, slots=True)
class TypeDifference:
    """Two types that the annotations give the same edit."""

    gold: str
    automatic: str
    count: int
    example: tuple[str, str]


@dataclass(frozen=True, slots=True)
class TypingAgreement:
    """Agreement of gold edits with extracted ones.

    Parameters
    ----------
    n_sents, n_excluded
        Number of sentences, and of those that were excluded because gold edits overlap or reach
        past the end.
    n_gold, n_automatic, n_matched, n_same
        Number of edits on each side, of matched edits, and of those with the same type.
    precision, recall, f1
        Agreement on spans and corrections.
    types, kappa
        Share of matched edits with the same type, and Cohen's κ of their types.
    operations, categories
        Shares by operation and category of the gold type.
    differences
        Pairs of types that differ, the most frequent first.
    """

    n_sents: int
    n_excluded: int
    n_gold: int
    n_automatic: int
    n_matched: int
    n_same: int
    precision: Measured
    recall: Measured
    f1: Measured
    types: Measured
    kappa: Measured
    operations: dict[str, AgreementShare] = field(default_factory=dict)
    categories: dict[str, AgreementShare] = field(default_factory=dict)
    differences: tuple[TypeDifference, ...] = ()


def measure_typing(
    gold: Corpus,
    automatic: Corpus,
    *,
    annotator: str | None = None,
    rename: Rename = str,
    keep_spans: bool = False,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> TypingAgreement:
    """Measure the agreement of two annotations of the same sentences.

    Parameters
    ----------
    gold, automatic
        The annotations, of one annotator each.
    annotator
        Name of the annotator, if a corpus has several.
    rename
        Renames the types of both, so that they can be compared.
    keep_spans
        Whether the edits of both are the same and only types are compared; an error otherwise.
    resampling
        Settings of the intervals, for which sentences are resampled.

    Raises
    ------
    MismatchError
        If the numbers of sentences differ.
    GecevalError
        If the sentences differ, a corpus has several annotators, or there are no edits.
    """
    _check_sentences(gold, automatic)
    pairs = list(zip(_readings(gold, annotator), _readings(automatic, annotator), strict=True))
    kept = [
        (sent, own, other)
        for sent, (own, other) in zip(gold, pairs, strict=True)
        if _is_sound(sent, own)
    ]
    if not any(own for _, own, _ in kept):
        raise GecevalError(f"{gold.name or 'the gold standard'} has no edits to agree on")
    renamed = _renamer([own for _, own, _ in kept], [other for _, _, other in kept], rename)
    matched = [_matched(sent, own, other, renamed) for sent, own, other in kept]
    sizes = [(len(own), len(other)) for _, own, other in kept]
    n_gold, n_automatic = (sum(side) for side in zip(*sizes, strict=True))
    edits = [edit for some in matched for edit in some]
    if keep_spans and len(edits) < max(n_gold, n_automatic):
        raise GecevalError(
            f"{len(edits):,} of {n_gold:,} gold edits have the same span in "
            f"{automatic.name or 'the other annotation'}, not all: make it with 'geceval annotate "
            "--keep-spans --no-minimize'"
        )
    counts, n_types = _counts(sizes, matched)
    precision, recall, f1, types, kappa = estimates(
        counts,
        (_precision, _recall, _f1, _share, lambda totals: _kappa(totals, n_types)),
        resampling,
    )
    return TypingAgreement(
        len(kept),
        len(gold) - len(kept),
        n_gold,
        n_automatic,
        len(edits),
        sum(edit.gold == edit.automatic for edit in edits),
        precision,
        recall,
        f1,
        types,
        kappa,
        _shares(edits, _operation),
        _shares(edits, _category),
        _differences(edits),
    )


def _check_sentences(gold: Corpus, automatic: Corpus) -> None:
    names = gold.name or "the gold standard", automatic.name or "the other annotation"
    if len(gold) != len(automatic):
        raise MismatchError(names[0], len(gold), names[1], len(automatic))
    for number, (sent, other) in enumerate(zip(gold, automatic, strict=True), 1):
        if sent.tokens != other.tokens:
            shown = visible(" ".join(other.tokens)[:_SHOWN])
            raise GecevalError(
                f"sentence {number} of {names[1]} is another one than in {names[0]}: {shown!r}"
            )


def _readings(corpus: Corpus, annotator: str | None) -> list[list[Edit]]:
    """Return the correcting edits of the annotator of each sentence."""
    known = corpus.annotators
    name = corpus.name or "the corpus"
    if len(known) > 1:
        if annotator is None:
            raise GecevalError(
                f"{name} has {len(known)} annotators, of which one is compared: choose it with "
                f"--annotator (known: {', '.join(known)})"
            )
        if annotator not in known:
            raise UnknownNameError("annotator", annotator, known)
    chosen = annotator if len(known) > 1 else next(iter(known), "")
    readings = []
    for sent in corpus:
        found = sent.annotation(chosen or "")
        readings.append([edit for edit in found.edits if edit.corrects] if found else [])
    return readings


def _is_sound(sent: Sentence, edits: Sequence[Edit]) -> bool:
    """Whether all edits can be applied together."""
    return sum(1 for _ in applicable(edits, len(sent.tokens))) == len(edits)


def _renamer(
    gold: Iterable[Sequence[Edit]], automatic: Iterable[Sequence[Edit]], rename: Rename
) -> Rename:
    """Return a function that renames types, without operations if only one side has them."""
    sides = [{rename(edit.type) for some in side for edit in some} for side in (gold, automatic)]
    if all(any(_operation(name) for name in names) for names in sides):
        return rename
    return lambda name: _category(rename(name))


def _operation(name: str) -> str:
    operation, colon, _ = name.partition(":")
    return operation if colon and operation in OPERATIONS else ""


def _category(name: str) -> str:
    return name.partition(":")[2] if _operation(name) else name


def _matched(
    sent: Sentence, gold: Sequence[Edit], automatic: Sequence[Edit], rename: Rename
) -> list[MatchedEdit]:
    """Pair equal edits, each at most once."""
    waiting: dict[tuple[object, ...], list[Edit]] = defaultdict(list)
    for edit in reversed(automatic):
        waiting[edit.start, edit.end, edit.correction].append(edit)
    return [
        MatchedEdit(
            " ".join(sent.tokens[edit.start : edit.end]),
            " ".join(edit.correction),
            rename(edit.type),
            rename(others.pop().type),
        )
        for edit in gold
        if (others := waiting[edit.start, edit.end, edit.correction])
    ]


def _counts(
    sizes: Sequence[tuple[int, int]], matched: Sequence[Sequence[MatchedEdit]]
) -> tuple[Floats, int]:
    """Count, by sentence, edits of both sides, matches, same types, and each type of both sides."""
    names = sorted({name for some in matched for edit in some for name in edit[2:]})
    places = {name: place for place, name in enumerate(names)}
    counts = np.zeros((len(sizes), 4 + 2 * len(names)))
    counts[:, :2] = sizes
    for row, some in enumerate(matched):
        counts[row, 2] = len(some)
        counts[row, 3] = sum(edit.gold == edit.automatic for edit in some)
        for edit in some:
            counts[row, 4 + places[edit.gold]] += 1
            counts[row, 4 + len(names) + places[edit.automatic]] += 1
    return counts, len(names)


def _divided(part: Floats, whole: Floats, otherwise: float) -> Floats:
    return np.divide(part, whole, out=np.full_like(whole, otherwise), where=whole > 0)


def _precision(totals: Floats) -> Floats:
    return _divided(totals[..., 2], totals[..., 1], 1.0)


def _recall(totals: Floats) -> Floats:
    return _divided(totals[..., 2], totals[..., 0], 1.0)


def _f1(totals: Floats) -> Floats:
    return _divided(2 * totals[..., 2], totals[..., 0] + totals[..., 1], 1.0)


def _share(totals: Floats) -> Floats:
    return _divided(totals[..., 3], totals[..., 2], math.nan)


def _kappa(totals: Floats, n_types: int) -> Floats:
    """Return Cohen's κ; annotations that always give the same type agree (1)."""
    n_matched = totals[..., 2]
    first, second = totals[..., 4 : 4 + n_types], totals[..., 4 + n_types :]
    expected = _divided((first * second).sum(axis=-1), n_matched**2, math.nan)
    observed = _share(totals)
    return np.where(n_matched > 0, 1 - _divided(1 - observed, 1 - expected, 0.0), math.nan)


def _shares(
    edits: Iterable[MatchedEdit], group_of: Callable[[str], str]
) -> dict[str, AgreementShare]:
    """Count same types by a group of the gold type, the largest first."""
    matched: Counter[str] = Counter()
    same: Counter[str] = Counter()
    for edit in edits:
        group = group_of(edit.gold)
        matched[group] += 1
        same[group] += edit.gold == edit.automatic
    return {
        group: AgreementShare(count, same[group])
        for group, count in sorted(matched.items(), key=lambda item: (-item[1], item[0]))
        if group
    }


def _differences(edits: Iterable[MatchedEdit]) -> tuple[TypeDifference, ...]:
    found: dict[tuple[str, str], list[MatchedEdit]] = defaultdict(list)
    for edit in edits:
        if edit.gold != edit.automatic:
            found[edit.gold, edit.automatic].append(edit)
    return tuple(
        TypeDifference(*types, len(some), some[0][:2])
        for types, some in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    )
