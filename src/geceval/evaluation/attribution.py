"""Attribution: how much of a sentence's score is due to each edit of the output.

Goto et al. (2024), Improving Explainability of Sentence-level Metrics via Edit-level Attribution
for Grammatical Error Correction. The difference between the scores of output and source is shared
among the edits, which are applied to the source in subsets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb, factorial, isfinite
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geceval.errors import GecevalError, OptionError
from geceval.limits import TooLargeError, max_cells
from geceval.metrics.base import Metric
from geceval.metrics.options import Range, Seed, checked
from geceval.metrics.sentence_scorers import score_outputs
from geceval.model import Edit, Sentence, Tokens, apply_edits

Method: TypeAlias = Literal["add", "sub", "shapley", "shapley-sampling"]
Samples: TypeAlias = Annotated[int, Range(min=2, max=1_000_000)]
Scorer: TypeAlias = Callable[[Sequence[Tokens]], Sequence[float] | NDArray[np.float64]]
"""Scores outputs of one sentence."""

METHODS: tuple[Method, ...] = ("add", "sub", "shapley")
"""Methods that are shown together."""

MAX_EXACT = 12
"""Default number of edits up to which Shapley values are exact, from at most 4,096 outputs."""

SAMPLES = 128
"""Default number of sampled orders of edits."""

DEFAULT_SEED = 12345

_CANCELS = 1e-12
"""Contributions whose sum is smaller cancel out."""

_ALL_ORDERS = 8
"""Edits up to which all orders may be listed."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The shares of edits in the difference between the scores of output and source.

    Parameters
    ----------
    method
        How the difference is shared, including whether orders were sampled.
    source_score
        The score of the unchanged source.
    delta
        The score of the output minus that of the source.
    shares
        The share of each edit, or group of edits.
    errors
        Standard errors of sampled shares; None for exact ones.
    samples
        Number of sampled orders; None for exact shares.
    seed
        Random seed of the samples; None for exact shares.
    """

    method: Method
    source_score: float
    delta: float
    shares: tuple[float, ...]
    errors: tuple[float, ...] | None = None
    samples: int | None = None
    seed: int | None = None

    def record(self) -> dict[str, Any]:
        """Return the attribution for JSON output."""
        sampled = {"errors": self.errors, "samples": self.samples, "seed": self.seed}
        return {
            "method": self.method,
            "source_score": self.source_score,
            "delta": self.delta,
            "shares": list(self.shares),
            **({} if self.errors is None else sampled),
        }


class EditedSentence:
    """A source sentence, and the scores of what becomes of it by some of the edits.

    Each distinct text is scored once.

    Parameters
    ----------
    source
        The source.
    edits
        Edits, or groups of edits that are applied together.
    score
        Scores outputs.
    output
        The output of the system, to check that the edits make it; None for no check.
    """

    def __init__(
        self,
        source: Tokens,
        edits: Sequence[Edit | Sequence[Edit]],
        score: Scorer,
        output: Tokens | None = None,
    ) -> None:
        self.source = source
        self.groups = [(edit,) if isinstance(edit, Edit) else tuple(edit) for edit in edits]
        self._score = score
        self._scores: dict[Tokens, float] = {}
        _check_applicable(source, [edit for group in self.groups for edit in group])
        if output is not None and self.output != output:
            raise GecevalError(
                f"the edits make {' '.join(self.output)!r} of the source, not the output "
                f"{' '.join(output)!r}"
            )

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def output(self) -> Tokens:
        """The source with all edits."""
        return self.text((1 << len(self)) - 1)

    def text(self, subset: int) -> Tokens:
        """Return the source with a subset of the edits, given as bits."""
        chosen = (group for number, group in enumerate(self.groups) if subset >> number & 1)
        return apply_edits(self.source, [edit for group in chosen for edit in group])

    def scores(self, subsets: Iterable[int]) -> NDArray[np.float64]:
        """Score the source with each of some subsets of the edits."""
        texts = [self.text(subset) for subset in subsets]
        new = [text for text in dict.fromkeys(texts) if text not in self._scores]
        if new:
            values = [float(value) for value in self._score(new)]
            for text, value in zip(new, values, strict=True):
                if not isfinite(value):
                    raise GecevalError(
                        f"the score of {' '.join(text)!r} is {value}; attribution needs finite "
                        "scores"
                    )
            self._scores.update(zip(new, values, strict=True))
        return np.array([self._scores[text] for text in texts])

    def check_size(self, n_subsets: int) -> None:
        """Raise an error if the outputs of so many subsets are too large to score."""
        n_tokens = len(self.source) + sum(
            len(edit.correction) for group in self.groups for edit in group
        )
        cells = n_subsets * n_tokens
        if cells > max_cells():
            shape = f"{n_subsets:,} outputs of up to {n_tokens:,} tokens make {cells:,} cells"
            raise TooLargeError(shape, max_cells())


def _check_applicable(source: Tokens, edits: Sequence[Edit]) -> None:
    """Raise an error for edits that cannot be applied together."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    reached = 0
    for edit in ordered:
        if not edit.corrects or not edit.fits(len(source)) or edit.start < reached:
            what = "overlaps another edit" if edit.start < reached else "cannot be applied"
            raise GecevalError(
                f"the edit {edit.start}–{edit.end} → {' '.join(edit.correction)!r} {what}, so "
                "it has no share"
            )
        reached = edit.end


@checked
def attribute(
    edited: EditedSentence,
    *,
    method: Method = "shapley",
    max_exact: Annotated[int, Range(min=0, max=20)] = MAX_EXACT,
    samples: Samples = SAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> Attribution:
    """Share the difference between the scores of output and source among the edits.

    Parameters
    ----------
    edited
        The source, the edits and how to score.
    method
        ``"add"``: in proportion to the change of the score by each edit alone. ``"sub"``: in
        proportion to the change if each edit is left out. ``"shapley"``: the mean over all
        orders of the edits of the change when an edit is added. ``"shapley-sampling"``: the same
        with sampled orders.
    max_exact
        Number of edits above which ``"shapley"`` samples orders, as it scores :math:`2^n`
        outputs.
    samples
        Number of distinct orders to sample; all of them if there are no more.
    seed
        Random seed.

    Notes
    -----
    Shares sum to the difference, except that those of ``"add"`` and ``"sub"`` are 0 if the
    contributions cancel out; if they nearly do, shares are large.

    Examples
    --------
    >>> edits = [Edit.replace(1, 2, "like"), Edit.replace(2, 3, "them")]
    >>> edited = EditedSentence(("I", "likes", "it"), edits, lambda texts: [
    ...     ("like" in text) + 2 * ("them" in text) for text in texts])
    >>> attribute(edited).shares
    (1.0, 2.0)
    """
    n_edits = len(edited)
    everything = (1 << n_edits) - 1
    source_score, output_score = edited.scores([0, everything]).tolist()
    delta = output_score - source_score
    if not n_edits:
        return Attribution(method, source_score, 0.0, ())
    if method == "add":
        alone = edited.scores(1 << place for place in range(n_edits)) - source_score
        return Attribution(method, source_score, delta, _in_proportion(alone, delta))
    if method == "sub":
        without = output_score - edited.scores(everything ^ 1 << p for p in range(n_edits))
        return Attribution(method, source_score, delta, _in_proportion(without, delta))
    if method == "shapley" and n_edits <= max_exact:
        return Attribution(method, source_score, delta, _shapley(edited))
    return _sampled(edited, samples, seed, source_score, delta)


def _in_proportion(parts: NDArray[np.float64], delta: float) -> tuple[float, ...]:
    """Share a difference in proportion to contributions; all shares are 0 if these cancel out."""
    total = float(parts.sum())
    if abs(total) < _CANCELS:
        return (0.0,) * len(parts)
    return tuple((parts * delta / total).tolist())


def _shapley(edited: EditedSentence) -> tuple[float, ...]:
    """Compute exact Shapley values from the scores of all subsets."""
    n_edits = len(edited)
    edited.check_size(1 << n_edits)
    subsets = np.arange(1 << n_edits)
    values = edited.scores(range(1 << n_edits))
    sizes = np.bitwise_count(subsets)
    factors = np.array([1 / (n_edits * comb(n_edits - 1, size)) for size in range(n_edits)])
    shares = []
    for place in range(n_edits):
        before = subsets[subsets >> place & 1 == 0]
        gains = values[before | 1 << place] - values[before]
        shares.append(float((factors[sizes[before]] * gains).sum()))
    return tuple(shares)


def _sampled(
    edited: EditedSentence, samples: int, seed: int, source_score: float, delta: float
) -> Attribution:
    """Estimate Shapley values from distinct orders of the edits, or from all of them."""
    orders = _orders(len(edited), samples, seed)
    edited.check_size(orders.size)
    before = np.zeros((len(orders), 1), dtype=object)
    sets = np.concatenate((before, np.cumsum(1 << orders.astype(object), axis=1)), axis=1)
    values = edited.scores(sets.ravel().tolist()).reshape(sets.shape)
    gains = np.empty(orders.shape)
    np.put_along_axis(gains, orders, np.diff(values, axis=1), axis=1)
    has_all_orders = len(edited) <= _ALL_ORDERS and len(orders) == factorial(len(edited))
    spread = 0 * gains[0] if has_all_orders else gains.std(axis=0, ddof=1)
    errors = tuple((spread / np.sqrt(len(orders))).tolist())
    shares = tuple(gains.mean(axis=0).tolist())
    return Attribution("shapley-sampling", source_score, delta, shares, errors, len(orders), seed)


def _orders(n_edits: int, samples: int, seed: int) -> NDArray[np.int64]:
    """Return distinct orders of the edits: all of them if there are no more than `samples`."""
    if n_edits <= _ALL_ORDERS and factorial(n_edits) <= samples:
        return np.array(list(permutations(range(n_edits))), dtype=np.int64)
    rng = np.random.default_rng(seed)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < samples:
        found[tuple(rng.permutation(n_edits).tolist())] = None
    return np.array(list(found), dtype=np.int64)


def check_attributable(metric: Metric) -> None:
    """Raise an error for a metric that cannot score outputs with some of the edits."""
    if not metric.scores_any_output:
        raise OptionError(
            f"{metric.name} only has scores of given outputs, not of those with some of their "
            "edits, so that they cannot be attributed to edits"
        )


@checked
def attribute_by(
    metric: Metric,
    sent: Sentence,
    edits: Sequence[Edit],
    output: Tokens,
    *,
    methods: Sequence[Method] = METHODS,
    samples: Samples = SAMPLES,
    seed: Seed = DEFAULT_SEED,
) -> list[Attribution]:
    """Attribute the score of an output by a metric to its edits, by several methods.

    Parameters
    ----------
    metric
        The metric, which chooses among the references of the sentence as usual.
    sent
        The source and its references; with a single one, that one is used.
    edits, output
        The edits of a system, and its output.
    methods, samples, seed
        As for `attribute`.

    Examples
    --------
    >>> from geceval import Annotation
    >>> from geceval.metrics import metric_class
    >>> edits = (Edit.replace(1, 2, "like"), Edit.replace(2, 3, "them"))
    >>> sent = Sentence(("I", "likes", "it"), (Annotation("0", edits[:1]),))
    >>> (found,) = attribute_by(
    ...     metric_class("m2")(), sent, edits, ("I", "like", "them"), methods=["shapley"]
    ... )
    >>> found.source_score, round(found.delta, 4), [round(share, 4) for share in found.shares]
    (0.0, 0.5556, [0.7778, -0.2222])
    """
    check_attributable(metric)
    own = metric.for_sentences()

    def score(outputs: Sequence[Tokens]) -> NDArray[np.float64]:
        return score_outputs(own, [sent] * len(outputs), outputs)

    edited = EditedSentence(sent.tokens, edits, score, output)
    return [attribute(edited, method=method, samples=samples, seed=seed) for method in methods]
