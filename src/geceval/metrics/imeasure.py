"""The I-measure: how much better or worse a system makes the text, exactly, for any references.

Felice and Briscoe (2015), Towards a standard evaluation method for grammatical error detection
and correction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, chain
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, UnknownNameError
from geceval.metrics.base import (
    Metric,
    Part,
    Rows,
    Score,
    SentenceScores,
    Statistics,
    check_lengths,
    f_score,
)
from geceval.model import Corpus, Hypothesis, Tokens
from geceval.references import Lattice, mixed_references, own_references
from geceval.text import Interned, Interner

Aspect: TypeAlias = Literal["correction", "detection"]
Maximised: TypeAlias = Literal[
    "tp", "tn", "fp", "fn", "precision", "recall", "f", "acc", "wacc", "i"
]
Optimised: TypeAlias = Literal["sentence", "corpus"]
ColumnClass: TypeAlias = Literal["TP", "TN", "FP", "FN", "FPN"]
Ints: TypeAlias = NDArray[np.int64]

DEFAULT_LIMIT = 1_000_000_000

COUNTS = ("tp", "tn", "fp", "fn", "fpn")
BASE = ("base_tn", "base_fn")
COLUMNS = (*COUNTS, *BASE, *(f"d_{name}" for name in COUNTS), "limited")
_N_COUNTED = len(COUNTS) + len(BASE)
_CHUNK = 32
_LARGEST = 5000


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an alignment; None is a gap."""

    source: str | None
    hypothesis: str | None
    reference: str | None

    @property
    def kind(self) -> ColumnClass:
        """The class of the column for correction.

        Examples
        --------
        >>> Column("a", "the", None).kind
        'FPN'
        """
        if self.source == self.hypothesis:
            return "TN" if self.hypothesis == self.reference else "FN"
        if self.source == self.reference:
            return "FP"
        return "TP" if self.hypothesis == self.reference else "FPN"


@dataclass(frozen=True, slots=True)
class Aligned:
    """A sentence beside the reference that was chosen for it.

    Parameters
    ----------
    reference
        Words of the reference.
    columns
        The alignment of source, hypothesis and reference.
    is_limited
        Whether the reference is the best that was found, not for sure the best there is.
    """

    reference: Tokens
    columns: tuple[Column, ...]
    is_limited: bool


@dataclass(slots=True)
class _Lattices:
    """The lattices of some sentences as flat arrays; see the kernel for their meaning."""

    first: int
    nodes: Ints
    positions: NDArray[np.int32]
    edges: Ints
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    words: Interned
    is_complete: NDArray[np.bool_]

    @classmethod
    def of(cls, first: int, lattices: Sequence[Lattice], prepared: _Prepared) -> _Lattices:
        edges = [edge for lattice in lattices for edge in lattice.edges]
        positions = list(chain.from_iterable(lattice.positions for lattice in lattices))
        return cls(
            first,
            _offsets(len(lattice.positions) for lattice in lattices),
            np.array(positions, dtype=np.int32),
            _offsets(len(lattice.edges) for lattice in lattices),
            np.array([start for start, _, _ in edges], dtype=np.int32),
            np.array([end for _, end, _ in edges], dtype=np.int32),
            prepared.intern([words for _, _, words in edges]),
            np.array([lattice.is_complete for lattice in lattices]),
        )

    def __len__(self) -> int:
        return len(self.is_complete)


@dataclass(slots=True)
class _Best:
    """What was found for some sentences."""

    counts: Ints
    limited: NDArray[np.bool_]
    references: list[Tokens]


@dataclass(slots=True)
class _Prepared:
    """A corpus made ready for the kernels, for all systems that are scored on it."""

    corpus: Corpus
    interner: Interner = field(default_factory=Interner)
    spelling: dict[int, str] = field(default_factory=dict)
    chunks: list[_Lattices] = field(default_factory=list)
    own: tuple[Ints, Interned] | None = None
    sources: Interned = field(init=False)

    def __post_init__(self) -> None:
        self.sources = self.intern(self.corpus.sources)

    def intern(self, sentences: Sequence[Tokens]) -> Interned:
        """Number the tokens of `sentences` and remember which number is which."""
        interned = self.interner.intern(sentences)
        numbers = interned.tokens.tolist()
        self.spelling.update(zip(numbers, chain.from_iterable(sentences), strict=True))
        return interned

    def lattices(self) -> Iterator[_Lattices]:
        """Yield the lattices in chunks, made when they are first asked for."""
        yield from self.chunks
        done = sum(map(len, self.chunks))
        for first in range(done, len(self.corpus), _CHUNK):
            sents = self.corpus.sentences[first : first + _CHUNK]
            self.chunks.append(_Lattices.of(first, [mixed_references(s) for s in sents], self))
            yield self.chunks[-1]

    def own_references(self) -> tuple[Ints, Interned]:
        """Return the annotators' own references, and which of them belong to each sentence."""
        if self.own is None:
            groups = [list(own_references(sent).values()) for sent in self.corpus]
            references = list(chain.from_iterable(groups))
            self.own = _offsets(map(len, groups)), self.intern(references)
        return self.own

    def spell(self, numbers: NDArray[np.int32]) -> Tokens:
        return tuple(self.spelling[number] for number in numbers.tolist())


def _offsets(sizes: Iterable[int]) -> Ints:
    return np.fromiter(accumulate(sizes, initial=0), dtype=np.int64)


class IMeasure(Metric):
    r"""The I-measure.

    Source, hypothesis and reference are aligned token by token. The weighted accuracy of the
    columns, compared with that of leaving the source as it is, tells by how much the system
    improved the text: 1 is perfect, 0 is no better than the source, -1 is all wrong.

    Parameters
    ----------
    mix
        Combine the corrections of all annotators to references; otherwise each annotator's own
        text is one.
    weight
        How much more a changed token weighs than an unchanged one, above 1 in the paper.
    beta
        Weight of recall in F.
    maximise
        What the reference of a sentence is chosen by: any of the counts and metrics.
    aspect
        Whether it is that of correction or of detection.
    optimise
        Choose for each ``"sentence"`` by itself, or for the totals of the ``"corpus"`` up to it.
    limit
        How many steps the search of one sentence may take. Past it the sentence gets the best
        reference that was found, and ``limited`` counts it.
    workers
        Threads; they help only where each sentence is optimised by itself.

    Notes
    -----
    .. math::

        \mathrm{WAcc} = \frac{w\,TP + TN}{w (TP + FP) + TN + FN - (w + 1) FPN / 2}

    I is the part of the way from the source's WAcc to 1 that was made, or to 0 where it is lower.
    All mixed references take part, however many there are, and the maximum is exact.

    References
    ----------
    Felice and Briscoe (2015), Towards a standard evaluation method for grammatical error
    detection and correction, NAACL.

    Examples
    --------
    >>> from geceval import Annotation, Corpus, Edit, Hypothesis, Sentence
    >>> edits = Edit(0, 1, (("These",),)), Edit(2, 3, (("are",),))
    >>> sent = Sentence(("This", "cats", "is", "old"), (Annotation("0", edits),))
    >>> ours = Hypothesis("ours", (("These", "cats", "is", "old"),))
    >>> score = IMeasure().score(Corpus((sent,)), ours)
    >>> score.parts["tp"], score.parts["tn"], score.parts["fn"], round(score.value, 4)
    (1, 2, 1, 0.6)
    """

    name = "imeasure"
    title = "I-measure"
    table_parts = ("tp", "tn", "fp", "fn", "fpn", "wacc", "wacc_base")
    columns = COLUMNS

    def __init__(
        self,
        *,
        mix: bool = True,
        weight: float = 2.0,
        beta: float = 1.0,
        maximise: Maximised = "wacc",
        aspect: Aspect = "correction",
        optimise: Optimised = "sentence",
        limit: int = DEFAULT_LIMIT,
        workers: int = 1,
    ) -> None:
        for kind, value, known in (
            ("metric to maximise", maximise, Maximised),
            ("aspect", aspect, Aspect),
            ("level to optimise", optimise, Optimised),
        ):
            if value not in get_args(known):
                raise UnknownNameError(kind, value, get_args(known))
        if limit < 1:
            raise GecevalError(f"the limit must be a positive number of steps, not {limit}")
        self.mix = mix
        self.weight = weight
        self.beta = beta
        self.maximise: Maximised = maximise
        self.aspect: Aspect = aspect
        self.optimise: Optimised = optimise
        self.limit = limit
        self.workers = workers
        self._weight = _fraction("weight", weight)
        self._beta = _fraction("beta", beta)
        if maximise == "f" and self._beta[0] ** 2 + self._beta[1] ** 2 > _LARGEST:
            raise GecevalError(f"F with a beta of {beta} cannot be maximised; a simple one can")
        self._last: _Prepared | None = None

    def settings(self) -> Mapping[str, object]:
        """Every option that can change the number."""
        return {
            "mix": self.mix,
            "weight": self.weight,
            "beta": self.beta,
            "max": f"{self.aspect}-{self.maximise}",
            "opt": self.optimise,
            "limit": self.limit,
        }

    @property
    def _rule(self) -> tuple[int, bool, tuple[int, int], tuple[int, int]]:
        """What to maximise, as the kernels know it."""
        place = get_args(Maximised).index(self.maximise)
        beta = self._beta if self.maximise == "f" else (1, 1)
        return place, self.aspect == "detection", self._weight, beta

    def statistics(self, corpus: Corpus, hypothesis: Hypothesis) -> Statistics:
        """Count the columns of each sentence: of the best reference, or of each annotator's."""
        check_lengths(corpus, hypothesis)
        prepared = self._prepare(corpus)
        if not self.mix:
            return self._each_annotator(prepared, hypothesis)
        best = self._best(prepared, hypothesis)
        counts = _with_detection(best.counts, best.limited)[:, np.newaxis]
        mask = np.ones((len(corpus), 1), dtype=bool)
        return Statistics(counts, mask, COLUMNS, ("mixed",))

    def resample(self, statistics: Statistics, rows: Rows) -> NDArray[np.float64]:
        """Score many choices of sentences; the references stay if each stands for itself."""
        if self._is_running(statistics):
            totals, _ = self._choose(statistics, rows)
        else:
            _, chosen = self._choose(statistics)
            counts = _chosen_counts(statistics, chosen)[:, :_N_COUNTED]
            n_sents = len(statistics)
            places = rows + n_sents * np.arange(len(rows))[:, np.newaxis]
            times = np.bincount(places.ravel(), minlength=n_sents * len(rows))
            # As floats these sums are quick, and exact as long as a count has 53 bits.
            shape = len(rows), n_sents
            totals = (times.reshape(shape).astype(np.float64) @ counts).astype(np.int64)
        return self._scores(totals)[0]

    def aggregate(self, statistics: Statistics) -> Score:
        """Choose references and score."""
        totals, chosen = self._choose(statistics)
        value, parts = self._scores(totals[0])
        counts = _chosen_counts(statistics, chosen)
        values, sentence_parts = self._scores(counts[:, :_N_COUNTED])
        limited = counts[:, -1]
        named: dict[str, Part] = {name: part.item() for name, part in parts.items()}
        if limited.any():
            named["limited"] = int(limited.sum())
        return Score(
            self.name,
            float(value),
            named,
            self.signature(statistics),
            SentenceScores(chosen, values, {**sentence_parts, "limited": limited}),
        )

    def alignments(self, corpus: Corpus, hypothesis: Hypothesis) -> list[Aligned]:
        """Return each sentence aligned with the reference that was chosen for it."""
        check_lengths(corpus, hypothesis)
        prepared = self._prepare(corpus)
        if self.mix:
            best = self._best(prepared, hypothesis)
            references, limited = best.references, best.limited.tolist()
        else:
            _, chosen = self._choose(self._each_annotator(prepared, hypothesis))
            names = (*corpus.annotators, "source")
            own = (own_references(sent) for sent in corpus)
            references = [mine[names[at]] for mine, at in zip(own, chosen, strict=True)]
            limited = [False] * len(references)
        _, columns, offsets = _aligned(
            prepared,
            prepared.intern(hypothesis.sentences),
            np.arange(len(corpus) + 1),
            prepared.intern(references),
        )
        pairs = zip(corpus.sources, hypothesis, references, limited, strict=True)
        return [
            Aligned(ref, _columns(columns[offsets[at] : offsets[at + 1]], src, hyp, ref), flag)
            for at, (src, hyp, ref, flag) in enumerate(pairs)
        ]

    def _prepare(self, corpus: Corpus) -> _Prepared:
        if self._last is None or self._last.corpus is not corpus:
            self._last = _Prepared(corpus)
        return self._last

    # No mix.

    def _each_annotator(self, prepared: _Prepared, hypothesis: Hypothesis) -> Statistics:
        """Count each annotator's own reference; the source's where nobody annotated a sentence."""
        corpus = prepared.corpus
        groups, references = prepared.own_references()
        hypotheses = prepared.intern(hypothesis.sentences)
        found = self._in_chunks(
            lambda first, last: _aligned(prepared, hypotheses, groups, references, first, last)[0],
            range(0, len(corpus), _CHUNK),
        )
        names = (*corpus.annotators, *(["source"] if _has_unannotated(corpus) else []))
        place = {name: number for number, name in enumerate(names)}
        rows = np.repeat(np.arange(len(corpus)), np.diff(groups))
        places = [
            place[name]
            for sent in corpus
            for name in ([ann.annotator for ann in sent.annotations] or ["source"])
        ]
        table = np.zeros((len(corpus), len(names), len(COLUMNS)), dtype=np.int64)
        mask = np.zeros(table.shape[:2], dtype=bool)
        if found:
            table[rows, places] = _with_detection(np.concatenate(found), np.zeros(len(rows)))
            mask[rows, places] = True
        return Statistics(table, mask, COLUMNS, names)

    def _in_chunks(self, run: Any, starts: range) -> list[Ints]:
        ends = [*starts[1:], starts.stop]
        if self.workers > 1:
            with ThreadPoolExecutor(self.workers) as pool:
                return list(pool.map(run, starts, ends))
        return list(map(run, starts, ends))

    def _is_running(self, statistics: Statistics) -> bool:
        return self.optimise == "corpus" and len(statistics.references) > 1

    def _choose(self, statistics: Statistics, rows: Rows | None = None) -> tuple[Ints, Ints]:
        """Choose references; return summed counts and, for the last choice of rows, the places."""
        from geceval.kernels._imeasure import choose_references

        counts = statistics.counts[..., :_N_COUNTED]
        if rows is None:
            rows = np.arange(len(statistics), dtype=np.int64)[np.newaxis]
        if len(statistics.references) == 1:
            return counts[rows, 0].sum(axis=1), np.zeros(rows.shape[1], dtype=np.int64)
        return choose_references(
            np.ascontiguousarray(counts, dtype=np.int64),
            np.ascontiguousarray(statistics.mask).view(np.uint8),
            np.ascontiguousarray(rows, dtype=np.int64),
            *self._rule,
            self._is_running(statistics),
        )

    # Mix.

    def _best(self, prepared: _Prepared, hypothesis: Hypothesis) -> _Best:
        """Find the best mixed reference of every sentence."""
        hypotheses = prepared.intern(hypothesis.sentences)
        if self.optimise == "corpus":
            found = self._one_by_one(prepared, hypotheses)
        elif self.workers > 1:
            # Lattices are made while the chunks before are searched.
            with ThreadPoolExecutor(self.workers) as pool:
                tasks = [
                    pool.submit(self._search, prepared, hypotheses, lattices)
                    for lattices in prepared.lattices()
                ]
                found = [task.result() for task in tasks]
        else:
            found = [
                self._search(prepared, hypotheses, lattices) for lattices in prepared.lattices()
            ]
        if not found:
            return _Best(np.zeros((0, _N_COUNTED), dtype=np.int64), np.zeros(0, dtype=bool), [])
        return _Best(
            np.concatenate([best.counts for best in found]),
            np.concatenate([best.limited for best in found]),
            list(chain.from_iterable(best.references for best in found)),
        )

    def _one_by_one(self, prepared: _Prepared, hypotheses: Interned) -> list[_Best]:
        """Find references in sentence order, each best for the totals up to it."""
        totals = np.zeros(_N_COUNTED, dtype=np.int64)
        found = []
        for lattices in prepared.lattices():
            for number in range(len(lattices)):
                best = self._search(prepared, hypotheses, lattices, number, totals)
                totals += best.counts[0]
                found.append(best)
        return found

    def _search(
        self,
        prepared: _Prepared,
        hypotheses: Interned,
        lattices: _Lattices,
        only: int | None = None,
        totals: Ints | None = None,
    ) -> _Best:
        """Search the lattices of a chunk, or only one of them."""
        from geceval.kernels._imeasure import best_references

        if totals is None:
            totals = np.zeros(_N_COUNTED, dtype=np.int64)
        start, end = (0, len(lattices)) if only is None else (only, only + 1)
        first, last = lattices.first + start, lattices.first + end
        counts, status, words, offsets = best_references(
            prepared.sources.tokens,
            prepared.sources.offsets,
            hypotheses.tokens,
            hypotheses.offsets,
            lattices.nodes[start : end + 1],
            lattices.positions,
            lattices.edges[start : end + 1],
            lattices.starts,
            lattices.ends,
            lattices.words.tokens,
            lattices.words.offsets,
            first,
            last,
            *self._rule,
            totals,
            self.limit,
        )
        references = [
            prepared.spell(words[offsets[at] : offsets[at + 1]]) for at in range(last - first)
        ]
        for at in np.flatnonzero(status == _NOTHING_FOUND):
            counts[at], references[at] = self._own_best(
                prepared, hypotheses, first + int(at), totals
            )
        return _Best(counts, (status > 0) | ~lattices.is_complete[start:end], references)

    def _own_best(
        self, prepared: _Prepared, hypotheses: Interned, number: int, totals: Ints
    ) -> tuple[Ints, Tokens]:
        """Take the best of the annotators' own references, for a sentence past all bounds."""
        from geceval.kernels._imeasure import choose_references

        groups, references = prepared.own_references()
        counts = _aligned(prepared, hypotheses, groups, references, number, number + 1)[0]
        _, chosen = choose_references(
            (counts + totals)[np.newaxis],
            np.ones((1, len(counts)), dtype=np.uint8),
            np.zeros((1, 1), dtype=np.int64),
            *self._rule,
            False,
        )
        place = groups[number] + chosen[0]
        words = references.tokens[references.offsets[place] : references.offsets[place + 1]]
        return counts[chosen[0]], prepared.spell(words)

    # From counts to scores.

    def _scores(self, counts: NDArray[Any]) -> tuple[NDArray[np.float64], dict[str, NDArray[Any]]]:
        """Return I and all parts of counts whose last axis is correction and baseline."""
        *corrected, base_tn, base_fn = np.moveaxis(counts, -1, 0)
        none = np.zeros_like(base_tn)
        base = self._wacc(none, base_tn, none, base_fn, none)
        value, parts = self._aspect(corrected, base_tn, base_fn, base)
        d_value, d_parts = self._aspect(_detected(corrected), base_tn, base_fn, base)
        detected = {f"d_{name}": part for name, part in d_parts.items()}
        return value, {**parts, **detected, "d_i": d_value}

    def _aspect(
        self,
        counts: Sequence[NDArray[Any]],
        base_tn: NDArray[Any],
        base_fn: NDArray[Any],
        base: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[Any]]]:
        tp, tn, fp, fn, fpn = counts
        precision, recall, f = f_score(tp, tp + fp, tp + fn, beta=self.beta)
        wacc = self._wacc(tp, tn, fp, fn, fpn)
        return improvement(wacc, base), {
            **dict(zip(COUNTS, counts, strict=True)),
            "base_tn": base_tn,
            "base_fn": base_fn,
            "precision": precision,
            "recall": recall,
            "f": f,
            "acc": _share(tp + tn, tp + tn + fp + fn - fpn),
            "wacc": wacc,
            "wacc_base": base,
        }

    def _wacc(
        self,
        tp: NDArray[Any],
        tn: NDArray[Any],
        fp: NDArray[Any],
        fn: NDArray[Any],
        fpn: NDArray[Any],
    ) -> NDArray[np.float64]:
        weight = self.weight
        below = weight * (tp + fp) + tn + fn - (weight + 1) * fpn / 2
        return _share(weight * tp + tn, below)


_NOTHING_FOUND = 2


def improvement(wacc: NDArray[Any], base: NDArray[Any]) -> NDArray[np.float64]:
    """Return I, from the weighted accuracies of a system and of the source itself.

    Examples
    --------
    >>> [improvement(np.array(wacc), np.array(0.5)).item() for wacc in (1, 0.75, 0.5, 0.25, 0)]
    [1.0, 0.5, 0.0, -0.5, -1.0]
    """
    values = np.array(np.floor(wacc), dtype=np.float64)
    worse = wacc < base
    np.divide(wacc - base, 1 - base, out=values, where=wacc > base)
    np.divide(wacc, base, out=values, where=worse)
    np.subtract(values, 1, out=values, where=worse)
    return values


def _share(above: NDArray[Any], below: NDArray[Any]) -> NDArray[np.float64]:
    """Divide; nothing of nothing is all of it."""
    values = np.ones(np.shape(above))
    np.divide(above, below, out=values, where=np.asarray(below) > 0)
    return values


def _fraction(name: str, value: float) -> tuple[int, int]:
    if not 0 < value < math.inf:
        raise GecevalError(f"the {name} must be a positive number, not {value}")
    fraction = Fraction(str(value))
    if max(fraction.numerator, fraction.denominator) > _LARGEST:
        raise GecevalError(f"the {name} must be a simple number such as 2 or 0.5, not {value}")
    return fraction.numerator, fraction.denominator


def _detected(counts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return the counts for detection: a wrong correction of an error still detects it."""
    tp, tn, fp, fn, fpn = counts
    return [tp + fpn, tn, fp - fpn, fn - fpn, np.zeros_like(fpn)]


def _with_detection(counts: Ints, limited: NDArray[Any]) -> Ints:
    """Add the columns that follow from the counts of correction."""
    detected = _detected(list(counts[:, : len(COUNTS)].T))
    return np.column_stack((counts, *detected, limited)).astype(np.int64)


def _chosen_counts(statistics: Statistics, chosen: Ints) -> Ints:
    counts = statistics.counts[np.arange(len(statistics)), np.maximum(chosen, 0)]
    return np.where(chosen[:, np.newaxis] >= 0, counts, 0).astype(np.int64)


def _has_unannotated(corpus: Corpus) -> bool:
    return any(not sent.annotations for sent in corpus)


def _aligned(
    prepared: _Prepared,
    hypotheses: Interned,
    groups: Ints,
    references: Interned,
    first: int = 0,
    last: int | None = None,
) -> tuple[Ints, NDArray[np.uint8], Ints]:
    """Align sentences with some references each."""
    from geceval.kernels._align3 import align_three

    try:
        return align_three(
            prepared.sources.tokens,
            prepared.sources.offsets,
            hypotheses.tokens,
            hypotheses.offsets,
            groups,
            references.tokens,
            references.offsets,
            first,
            len(prepared.corpus) if last is None else last,
            last is None,
        )
    except OverflowError as error:
        number = error.args[0] + 1
        raise GecevalError(f"sentence {number} is too long for an alignment of three") from None


def _columns(
    columns: NDArray[np.uint8], source: Tokens, hypothesis: Tokens, reference: Tokens
) -> tuple[Column, ...]:
    """Spell the columns of an alignment out."""
    rows = iter(source), iter(hypothesis), iter(reference)
    return tuple(
        Column(
            *(next(row) if code & bit else None for row, bit in zip(rows, (4, 2, 1), strict=True))
        )
        for code in columns.tolist()
    )
