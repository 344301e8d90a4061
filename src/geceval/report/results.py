"""The results file: everything that a report shows, as one JSON document.

`geceval.report.collect` computes it once; page, tables and figures are rendered from it.
``docs/guide/report.md`` describes every field.
"""

from __future__ import annotations

import math
from typing import NotRequired, TypeAlias, TypedDict

from geceval.formats import PathLike, open_output
from geceval.storage import strict_json

SCHEMA = 1
KIND = "report"

Number: TypeAlias = int | float | None
"""A number; None if undefined, because JSON has no NaN."""

Pair: TypeAlias = tuple[float, float]
"""The lower and the upper end of an interval."""


class InputRecord(TypedDict):
    """An input file."""

    role: str
    name: str
    file: str
    sha256: str
    sentences: int
    tokens: int
    edits: int | None


class WarningRecord(TypedDict):
    """Findings about the input with the same code and file."""

    severity: str
    code: str
    message: str
    file: str | None
    line: int | None
    count: int


class ResamplingSettings(TypedDict):
    """Settings of intervals and tests."""

    level: float
    resamples: int
    test_resamples: int
    seed: int
    test: str


class MetricRecord(TypedDict):
    """A metric; `parts` are the parts of its score that tables show."""

    name: str
    title: str
    score_name: str
    signature: str
    parts: list[str]
    has_edits: bool
    beta: float | None


class ScoreRecord(TypedDict):
    """The score of one system by one metric, with its rank.

    `rank_range` is the best and the worst rank that paired tests allow: one plus the number of
    systems that are significantly better, and the number of systems minus those that are
    significantly worse. Every system above the end of a `cluster` is significantly better than
    every system below. Without comparisons, all ranges are 1 to the number of systems, and there
    is one cluster. See `geceval.evaluation.ranking.rank_ranges`. The loader adds the ranges to
    files that were written without them.
    """

    score: Number
    interval: Pair | None
    parts: dict[str, Number]
    rank: int
    rank_range: NotRequired[tuple[int, int]]
    cluster: int
    part_intervals: NotRequired[dict[str, Pair]]


class ComparisonRecord(TypedDict):
    """The difference between two systems: second minus first.

    `detectable` is the smallest true difference that the test would detect with the power of
    `PowerRecord`; missing if it cannot be estimated.
    """

    first: str
    second: str
    difference: Number
    interval: Pair | None
    p: float
    p_adjusted: float
    detectable: NotRequired[float]


class PowerRecord(TypedDict):
    """The differences that tests by one metric can detect on this test set.

    `detectable` is the median of the smallest detectable differences over the pairs of systems,
    `least` and `greatest` are their range; all are for a single test at the two-sided level
    `alpha`, with the probability `power`.
    """

    alpha: float
    power: float
    detectable: float
    least: float
    greatest: float


class InfluenceRecord(TypedDict):
    """The sentences that move the difference between two systems most.

    Each is the index of a sentence, and how much it adds to the difference (second minus first):
    the difference on all sentences minus that on all others. The most influential comes first.
    See `geceval.evaluation.influence`.
    """

    first: str
    second: str
    sentences: list[tuple[int, float]]


class Baseline(TypedDict):
    """Scores of a baseline (``floor``) or upper bound (``ceiling``)."""

    name: str
    kind: str
    scores: dict[str, Number]


class TypeRecord(TypedDict):
    """Counts and scores of one error type; None where types of wrong edits are unknown."""

    tp: int
    fp: int | None
    fn: int
    gold: int
    precision: Number
    recall: Number
    f: Number


class Subset(TypedDict):
    """A subset of the sentences, with scores by metric and system."""

    label: str
    sentences: int
    scores: dict[str, dict[str, Number]]
    intervals: NotRequired[dict[str, dict[str, Pair | None]]]


class Partition(TypedDict):
    """A partition of the corpus by a property of sentences, or by labels.

    Those by labels have intervals and a macro average.
    """

    name: str
    title: str
    label: str
    bins: list[Subset]
    macro: NotRequired[Subset]


Matrix: TypeAlias = list[list[Number]]


class Agreement(TypedDict):
    """Rank correlation between metrics, over systems and over sentences."""

    metrics: list[str]
    systems: Matrix | None
    sentences: Matrix


FrequentEdit: TypeAlias = tuple[str, str, int, list[int]]
"""Source text, correction, count, and indices of the first sentences."""

GoldEdit: TypeAlias = tuple[int, int, str | None, int]
"""Start, end, correction (None for a detection) and index of the type."""

AnnotationRecord: TypeAlias = tuple[int, list[GoldEdit]]
"""Index of the annotator, and edits."""

EditRecord: TypeAlias = tuple[int, int, str, int, int, int]
"""Start, end, correction, outcome, index of the type, index of the gold edit; -1 for none."""

MissedEdit: TypeAlias = tuple[int, int]
"""Index of the gold edit, and whether a wrong fix overlaps it."""

Counts: TypeAlias = tuple[int, int, int]
"""Correct, proposed and gold edits against one annotator."""


ChunkRecord: TypeAlias = tuple[int, int, int, str | None, list[str | None]]
"""Start, end, class, and the text of the output and of each reference; None for the source."""

SentenceChunks: TypeAlias = tuple[int, list[int], list[ChunkRecord]]
"""Index of the chosen annotator (-1 for all) and of all annotators, and the chunks with edits."""


class AttributionRecord(TypedDict):
    """How the shares of edits were computed; the samples are those of sentences with many edits."""

    metric: str
    title: str
    configuration: str
    method: str
    samples: int
    seed: int


class SystemSentences(TypedDict):
    """The output, edits and scores of one system for each sentence; chunks if a metric has them."""

    output: list[str | int]
    chosen: list[int] | None
    edits: list[list[EditRecord]] | None
    missed: list[list[MissedEdit]] | None
    counts: list[list[Counts | None]] | None
    scores: dict[str, list[Number]]
    shares: NotRequired[list[list[Number] | None]]
    chunks: NotRequired[list[SentenceChunks | None]]


class Sentences(TypedDict):
    """All sentences with annotations and system outputs.

    `retyped` has the type of each gold edit by the rules for system edits; see
    `geceval.report.retyping`.
    """

    annotators: list[str]
    types: list[str]
    source: list[str]
    ids: list[str] | None
    gold: list[list[AnnotationRecord]]
    systems: dict[str, SystemSentences]
    retyped: NotRequired[list[list[list[int]]]]


class Results(TypedDict):
    """The whole document.

    `retyped` are counts by type with the gold edits typed as system edits are, by system, if the
    gold standard has other types. `equal_references` are scores of systems against one annotator
    less, by metric, if they were requested.
    """

    schema: int
    kind: str
    version: str
    title: str
    inputs: list[InputRecord]
    warnings: list[WarningRecord]
    settings: ResamplingSettings
    metrics: list[MetricRecord]
    edit_metric: str | None
    chunk_metric: NotRequired[str]
    systems: list[str]
    scores: dict[str, dict[str, ScoreRecord]]
    comparisons: dict[str, list[ComparisonRecord]]
    power: NotRequired[dict[str, PowerRecord]]
    influence: NotRequired[dict[str, list[InfluenceRecord]]]
    baselines: list[Baseline]
    types: dict[str, dict[str, dict[str, TypeRecord]]]
    outcomes: dict[str, dict[str, int]]
    slices: list[Partition]
    agreement: Agreement
    frequent: dict[str, dict[str, list[FrequentEdit]]]
    sentences: Sentences
    attribution: NotRequired[AttributionRecord]
    retyped: NotRequired[dict[str, dict[str, TypeRecord]]]
    equal_references: NotRequired[dict[str, dict[str, Number]]]


def number(value: float, digits: int | None = None) -> Number:
    """Return a number for JSON, optionally rounded to `digits` significant digits.

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
    """Return the document as compact JSON."""
    return strict_json.dumps(results, compact=True)


def save(results: Results, path: PathLike) -> None:
    """Write a results file, compressed if its name ends in ``.gz`` or ``.zst``."""
    with open_output(path) as out:
        # The sentences of each system are one part.
        out.writelines(strict_json.compact_parts(results, 3))
        out.write("\n")
