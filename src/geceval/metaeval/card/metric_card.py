"""The card of a metric: its results in all studies, its speed, and whether it is deterministic."""

from __future__ import annotations

import hashlib
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from typing import Any

import msgspec
import numpy as np

from geceval import __version__
from geceval.formats import load, load_hypothesis
from geceval.formats.inputs import Input
from geceval.metaeval.human.metric_correlation import MetricCorrelation
from geceval.metaeval.human.pairwise import PairwiseAccuracy
from geceval.metaeval.human.study import HumanStudy
from geceval.metaeval.maege.summary import Study
from geceval.metaeval.seeda.dataset import GRANULARITIES
from geceval.metaeval.seeda.study import SeedaStudy
from geceval.metrics.base import Metric
from geceval.metrics.registry import metric_class
from geceval.model import Corpus, Hypothesis
from geceval.storage.atomic import PathLike
from geceval.storage.strict_json import nan_to_none, none_to_nan

SCHEMA = 1
RANKING = "TrueSkill"
"""The human ranking that cards are about."""

_COMPARED_SPEED = "gleu"
_REPEATS = 5


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """HumanAgreement of a metric with people in one set of judgments and systems.

    Parameters
    ----------
    name
        Name of the set.
    data
        Hash of judgments, gold standard and systems: only equal ones can be compared.
    n_systems
        Number of systems.
    spearman, low, high, pearson, kendall
        Correlations over systems, and the interval of Spearman's ρ.
    pair_accuracy
        The share of pairs of systems in the order of people.
    sentence_accuracy, threshold
        Accuracy in sentences with calibrated ties.
    seeda_tau, tied_share
        SEEDA's τ, and the share of decided pairs that the metric leaves tied.
    signature
        Signature of the scores.
    """

    name: str
    data: str
    n_systems: int
    spearman: float
    low: float
    high: float
    pearson: float
    kendall: float
    pair_accuracy: float
    sentence_accuracy: float
    threshold: float
    seeda_tau: float
    tied_share: float
    signature: str


@dataclass(frozen=True, slots=True)
class TypeChange:
    """Mean score change by corrections of an error type, and whether it is significant."""

    n: int
    mean: float
    is_certain: bool


@dataclass(frozen=True, slots=True)
class MaegeResult:
    """Results of MAEGE.

    Parameters
    ----------
    data
        Signature of the study: only equal ones can be compared.
    spearman
        Correlation of the scores of corpora with their models.
    pearson, kendall
        Correlations in sentences.
    sensitivity
        Score changes by error type.
    signature
        Signature of the scores.
    """

    data: str
    spearman: float
    pearson: float
    kendall: float
    sensitivity: Mapping[str, TypeChange]
    signature: str


@dataclass(frozen=True, slots=True)
class Behavior:
    """What a metric does on the bundled example.

    Parameters
    ----------
    sentences_per_second
        Sentences per second of CPU time, on the machine that made the card.
    relative_speed
        The same divided by that of GLEU, measured at the same time.
    is_deterministic
        Whether scoring twice gives the same numbers.
    """

    sentences_per_second: float
    relative_speed: float
    is_deterministic: bool


@dataclass(frozen=True, slots=True)
class Card:
    """All results of one metric.

    Parameters
    ----------
    metric, title, configuration
        Name, title and settings of the metric.
    version
        Version of geceval.
    maege
        Results of MAEGE; None if there was no gold standard.
    agreements
        HumanAgreement with people, in each set.
    behavior
        Speed and determinism.
    """

    metric: str
    title: str
    configuration: str
    version: str
    maege: MaegeResult | None
    agreements: tuple[HumanAgreement, ...]
    behavior: Behavior


def make_cards(
    metrics: Sequence[Metric],
    *,
    maege: Study | None = None,
    human: HumanStudy | None = None,
    seeda: SeedaStudy | None = None,
    corpus: Corpus | None = None,
) -> list[Card]:
    """Make the cards of metrics from finished studies of these metrics.

    Parameters
    ----------
    metrics
        The metrics.
    maege, human, seeda
        Finished studies.
    corpus
        The gold standard of the studies of human judgments.
    """
    results = {} if maege is None else _maege_results(maege)
    return [
        Card(
            metric.name,
            metric.title,
            metric.configuration(),
            __version__,
            results.get(metric.name),
            (
                *(_human_agreements(human, corpus, metric.name) if human else ()),
                *(_seeda_agreements(seeda, corpus, metric.name) if seeda else ()),
            ),
            _behavior(metric),
        )
        for metric in metrics
    ]


def _maege_results(study: Study) -> dict[str, MaegeResult]:
    record = none_to_nan(study.record())
    return {
        one["metric"]: MaegeResult(
            study.signature,
            one["spearman"]["mean"],
            one["pearson"]["mean"],
            one["kendall"]["mean"],
            {
                name: TypeChange(change["n"], change["change"], bool(change["is_certain"]))
                for name, change in one["sensitivity"].items()
            },
            one["signature"],
        )
        for one in record["metrics"]
    }


def _human_agreements(
    study: HumanStudy, corpus: Corpus | None, metric: str
) -> list[HumanAgreement]:
    found = []
    for one in study.sets:
        data = _digest(one.judgments.items, one.systems, corpus)
        scores = next(each for each in one.metrics if each.name == metric)
        correlation = next(each for each in one.correlations[RANKING] if each.metric == metric)
        pairs = next(each for each in one.pairwise if each.metric == metric)
        found.append(_agreement(one.name, data, correlation, pairs, scores.signature))
    return found


def _seeda_agreements(
    study: SeedaStudy, corpus: Corpus | None, metric: str
) -> list[HumanAgreement]:
    signature = next(each.signature for each in study.metrics if each.name == metric)
    found = []
    for one in study.results:
        if one.ranking == RANKING:
            data = _digest(study.seeda.judgments[one.granularity].items, one.systems, corpus)
            correlation = next(each for each in one.correlations if each.metric == metric)
            pairs = next(each for each in one.pairwise if each.metric == metric)
            name = f"{GRANULARITIES[one.granularity]} {one.systems_name}"
            found.append(_agreement(name, data, correlation, pairs, signature))
    return found


def _agreement(
    name: str, data: str, found: MetricCorrelation, pairs: PairwiseAccuracy, signature: str
) -> HumanAgreement:
    rho, bounds, agreed = (
        found.coefficients["spearman"], found.intervals["spearman"], found.concordance,
    )  # fmt: skip
    return HumanAgreement(
        name,
        data,
        rho.n,
        rho.value,
        bounds.low,
        bounds.high,
        found.coefficients["pearson"].value,
        found.coefficients["kendall"].value,
        pairs.groups[0].accuracy,
        math.nan if agreed is None else agreed.calibrated.accuracy,
        math.nan if agreed is None else agreed.calibrated.threshold,
        math.nan if agreed is None else agreed.seeda_tau,
        math.nan if agreed is None else agreed.tied_share,
        signature,
    )


def _digest(judgments: object, systems: object, corpus: Corpus | None) -> str:
    sentences = [] if corpus is None else [(one.tokens, one.annotations) for one in corpus]
    return hashlib.sha256(repr((judgments, systems, sentences)).encode()).hexdigest()[:16]


def _example() -> tuple[Corpus, list[Hypothesis]]:
    with as_file(files("geceval") / "data" / "demo") as folder:
        names = ("unchanged", "careful", "eager")
        return load(folder / "gold.m2"), [load_hypothesis(folder / f"{one}.txt") for one in names]


def speed_of(metric: Metric) -> float:
    """Return how many sentences of the bundled example are scored in a second of CPU time.

    Loading models and analyzing sources is not included: an output without changes comes first.
    """
    corpus, (unchanged, *hypotheses) = _example()
    times = []
    for _ in range(_REPEATS):
        # A new metric, which has not yet seen these outputs.
        fresh = metric.with_options()
        fresh.score(corpus, unchanged)
        start = time.process_time()
        for hypothesis in hypotheses:
            fresh.score(corpus, hypothesis)
        times.append(time.process_time() - start)
    return len(corpus) * len(hypotheses) / max(statistics.median(times), 1e-9)


def _behavior(metric: Metric) -> Behavior:
    # One after the other, so that a busy machine slows down both.
    compared, speed = speed_of(metric_class(_COMPARED_SPEED)()), speed_of(metric)
    corpus, hypotheses = _example()
    first, second = (
        [one.with_options().score(corpus, hypothesis) for hypothesis in hypotheses]
        for one in (metric, metric)
    )
    is_same = all(
        one.value == other.value
        and np.array_equal(one.sentences.values, other.sentences.values, equal_nan=True)
        for one, other in zip(first, second, strict=True)
    )
    return Behavior(speed, speed / compared, is_same)


def record(cards: Sequence[Card]) -> dict[str, Any]:
    """Return the JSON record, whose format is stable."""
    content: dict[str, Any] = nan_to_none(
        {"schema": SCHEMA, "cards": [asdict(card) for card in cards]}
    )
    return content


def load_cards(path: PathLike) -> list[Card]:
    """Read cards from a file with their JSON record."""
    with Input.open(path) as source:
        try:
            return _read(source.text())
        except ValueError as error:
            raise source.error(f"expected cards of metrics ({error})") from error


def built_in_cards() -> list[Card]:
    """Return the shipped cards of the built-in metrics, made by ``make cards``."""
    return _read((files("geceval") / "data" / "cards.json").read_text(encoding="utf-8"))


def _read(text: str) -> list[Card]:
    content = msgspec.json.decode(text, type=dict[str, Any])
    if content.get("schema") != SCHEMA:
        msg = f"the schema is {content.get('schema')}, not {SCHEMA}"
        raise ValueError(msg)
    return msgspec.convert(none_to_nan(content.get("cards")), list[Card], strict=False)
