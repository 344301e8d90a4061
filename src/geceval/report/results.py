"""The results file: everything that a report shows, as one JSON document.

``docs/guide/report.md`` describes it field by field. It is made once (`geceval.report.collect`)
and shown as often as one likes, as a page, as tables and as figures.
"""

from __future__ import annotations

import math
from typing import NotRequired, TypeAlias, TypedDict

from geceval.formats import PathLike, open_output
from geceval.storage import strict_json

SCHEMA = 1
KIND = "report"

Number: TypeAlias = int | float | None
"""None stands for a number that is not defined, for JSON has no NaN; counts stay whole."""

Pair: TypeAlias = tuple[float, float]
"""The low and the high end of an interval."""


class InputRecord(TypedDict):
    """A file that went in."""

    role: str
    name: str
    file: str
    sha256: str
    sentences: int
    tokens: int
    edits: int | None


class WarningRecord(TypedDict):
    """What the input doctor noticed: one record for each kind and file."""

    severity: str
    code: str
    message: str
    file: str | None
    line: int | None
    count: int


class ResamplingSettings(TypedDict):
    """How intervals and tests were made."""

    level: float
    resamples: int
    test_resamples: int
    seed: int
    test: str


class MetricRecord(TypedDict):
    """A metric; `parts` are those that tables show."""

    name: str
    title: str
    score_name: str
    signature: str
    parts: list[str]
    has_edits: bool
    beta: float | None


class ScoreRecord(TypedDict):
    """The score of one system by one metric, and its place among the others."""

    score: Number
    interval: Pair | None
    parts: dict[str, Number]
    rank: int
    cluster: int
    part_intervals: NotRequired[dict[str, Pair]]


class ComparisonRecord(TypedDict):
    """How two systems differ: second minus first."""

    first: str
    second: str
    difference: Number
    interval: Pair | None
    p: float
    p_adjusted: float


class Baseline(TypedDict):
    """What doing nothing scores, and what people score."""

    name: str
    kind: str
    scores: dict[str, Number]


class TypeRecord(TypedDict):
    """How a system did on one error type; None where types of wrong edits are unknown."""

    tp: int
    fp: int | None
    fn: int
    gold: int
    precision: Number
    recall: Number
    f: Number


class Bin(TypedDict):
    """Some of the sentences, and what all systems score on them."""

    label: str
    sentences: int
    scores: dict[str, dict[str, Number]]


class Slice(TypedDict):
    """The corpus cut by something that sentences differ in."""

    name: str
    title: str
    label: str
    bins: list[Bin]


Matrix: TypeAlias = list[list[Number]]


class Agreement(TypedDict):
    """Rank correlation between metrics, over systems and over sentences."""

    metrics: list[str]
    systems: Matrix | None
    sentences: Matrix


FrequentEdit: TypeAlias = tuple[str, str, int, list[int]]
"""Old words, new words, how often, and the first sentences where."""

GoldEdit: TypeAlias = tuple[int, int, str | None, int]
"""Start, end, correction (None for a mere flag) and number of the type."""

Reading: TypeAlias = tuple[int, list[GoldEdit]]
"""Number of the annotator, and edits."""

JudgedEdit: TypeAlias = tuple[int, int, str, int, int, int]
"""Start, end, correction, outcome, number of the type, number of the gold edit; -1 for none."""

MissedEdit: TypeAlias = tuple[int, int]
"""Number of the gold edit, and whether a wrong fix stands in its place."""

Counted: TypeAlias = tuple[int, int, int]
"""Correct, proposed and gold edits against one annotator."""


class SystemSentences(TypedDict):
    """What one system made of each sentence."""

    output: list[str | int]
    chosen: list[int] | None
    edits: list[list[JudgedEdit]] | None
    missed: list[list[MissedEdit]] | None
    counts: list[list[Counted | None]] | None
    scores: dict[str, list[Number]]


class Sentences(TypedDict):
    """Every sentence with its readings and with what the systems made of it."""

    annotators: list[str]
    types: list[str]
    source: list[str]
    ids: list[str] | None
    gold: list[list[Reading]]
    systems: dict[str, SystemSentences]


class Results(TypedDict):
    """The whole document."""

    schema: int
    kind: str
    version: str
    title: str
    inputs: list[InputRecord]
    warnings: list[WarningRecord]
    settings: ResamplingSettings
    metrics: list[MetricRecord]
    edit_metric: str | None
    systems: list[str]
    scores: dict[str, dict[str, ScoreRecord]]
    comparisons: dict[str, list[ComparisonRecord]]
    baselines: list[Baseline]
    types: dict[str, dict[str, dict[str, TypeRecord]]]
    outcomes: dict[str, dict[str, int]]
    slices: list[Slice]
    agreement: Agreement
    frequent: dict[str, dict[str, list[FrequentEdit]]]
    sentences: Sentences


def number(value: float, digits: int | None = None) -> Number:
    """Return a number as JSON can hold it, perhaps rounded to so many significant digits.

    Examples
    --------
    >>> number(0.123456789, 5), number(float("nan")), number(1.0, 5)
    (0.12346, None, 1)
    """
    if not math.isfinite(value):
        return None
    if digits is None:
        return value
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def dumps(results: Results) -> str:
    """Return the document as JSON, as short as it gets."""
    return strict_json.dumps(results, compact=True)


def save(results: Results, path: PathLike) -> None:
    """Write a results file; ``.gz`` and ``.zst`` are compressed."""
    with open_output(path) as out:
        out.write(dumps(results) + "\n")
