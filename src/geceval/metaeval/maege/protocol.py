"""Protocols of MAEGE: what is sampled from the lattices, and how results are computed from it.

The text of Choshen and Abend (2018) and the code that made its tables differ. Each difference is
a field of `Protocol`; ``PROTOCOLS["paper"]`` follows the text, ``PROTOCOLS["released"]`` the code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from geceval.errors import UnknownNameError
from geceval.metaeval.human.aggregation import Aggregation
from geceval.metrics.base import Metric
from geceval.metrics.options import Range, check_options

Ties: TypeAlias = Literal["not-discordant", "half", "excluded", "argsort"]
"""How pairs with tied scores are counted."""

RELEASED_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "ld-source": {"length": "first"},
    "ld-reference": {"length": "second"},
    "ibleu": {"source_term": "reward"},
    "grammar": {"raw_tokens": True},
}
"""Options of metrics that are closest to the released code, by the names of the metrics."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """What is sampled, and how results are computed; by default as the paper says.

    Parameters
    ----------
    sentences
        Sentences that ``"all"`` annotators corrected, or that ``"some"`` did and none left
        unchanged.
    chain_annotators
        Minimum number of annotators for a sentence to have chains.
    edits
        Edits that are ``"effective"``, or ``"all"``, so that a detection replaces its span by its
        text or deletes it, and an insertion of nothing is a step.
    insertions
        Order of insertions at the same position, as ``"annotated"`` or as ``"applied"``.
    corpus_source
        Whether the sampled source of a sentence at the corpus level has a uniform ``"subset"``
        of an annotator's edits, or is the ``"output"`` of a uniformly sampled corpus model.
    original_source
        Whether original sources replace sampled ones at ``"both"`` levels, or only at that of
        ``"corpora"``.
    trials
        Whether to ``"round"`` or ``"truncate"`` the number of trials of the corpus models.
    aggregation
        Whether the score of a corpus is the metric's ``"own"``, or the ``"mean"``, ``"trueskill"``
        or ``"expected-wins"`` of its sentence scores.
    quality
        Errors of the original per token, for MAEGE's scores (``"tokens"``), or one more than
        these per character (``"characters"``).
    pairs
        Whether ``"unique"`` or ``"all"`` pairs of corrections count.
    ties
        Whether a pair with tied scores is ``"not-discordant"``, ``"half"`` discordant,
        ``"excluded"``, or ordered by an unstable ``"argsort"``, which reverses some ties in
        chains of more than 17 corrections.
    change_from
        Whether the change by an edit is measured from the ``"previous"`` correction of the
        chain, or from its ``"first"``, the original.
    variants
        Whether metrics have their ``"default"`` options, or those of the ``"released"`` code
        where none are given.

    Examples
    --------
    >>> PROTOCOLS["released"].corpus_source, Protocol(ties="half").label
    ('output', 'paper,ties=half')
    """

    sentences: Literal["all", "some"] = "all"
    chain_annotators: Annotated[int, Range(min=1)] = 1
    edits: Literal["effective", "all"] = "effective"
    insertions: Literal["annotated", "applied"] = "annotated"
    corpus_source: Literal["subset", "output"] = "subset"
    original_source: Literal["both", "corpora"] = "both"
    trials: Literal["round", "truncate"] = "round"
    aggregation: Aggregation = "own"
    quality: Literal["tokens", "characters"] = "tokens"
    pairs: Literal["unique", "all"] = "unique"
    ties: Ties = "not-discordant"
    change_from: Literal["previous", "first"] = "previous"
    variants: Literal["default", "released"] = "default"

    def __post_init__(self) -> None:
        check_options(Protocol, asdict(self))

    @classmethod
    def named(cls, name: str) -> Protocol:
        """Return a protocol by name."""
        try:
            return PROTOCOLS[name]
        except KeyError:
            raise UnknownNameError("protocol", name, PROTOCOLS) from None

    @property
    def label(self) -> str:
        """The name of the closest named protocol, and the options that differ from it."""
        name, others = min(
            ((name, list(self._beyond(known))) for name, known in PROTOCOLS.items()),
            key=lambda item: len(item[1]),
        )
        return ",".join((name, *others))

    def _beyond(self, other: Protocol) -> Iterator[str]:
        known = asdict(other)
        return (f"{name}={value}" for name, value in asdict(self).items() if value != known[name])

    def record(self) -> dict[str, Any]:
        """Return the label and all options for JSON output."""
        return {"label": self.label, **asdict(self)}

    def variant(self, metric: Metric) -> Metric:
        """Return a metric with the options of this protocol, except for those that were given."""
        if self.variants == "default":
            return metric
        options = RELEASED_OPTIONS.get(type(metric).name, {})
        new = {name: value for name, value in options.items() if not metric.is_given(name)}
        return metric.with_options(**new) if new else metric


PAPER = Protocol()
"""The protocol of the paper's text, the default."""

PROTOCOLS: Mapping[str, Protocol] = MappingProxyType(
    {
        "paper": PAPER,
        "released": Protocol(
            sentences="some",
            chain_annotators=2,
            edits="all",
            insertions="applied",
            corpus_source="output",
            original_source="corpora",
            trials="truncate",
            aggregation="mean",
            quality="characters",
            pairs="all",
            ties="argsort",
            change_from="first",
            variants="released",
        ),
    }
)
"""The named protocols."""
