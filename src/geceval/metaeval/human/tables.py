"""Tables, JSON record and page sections of a human-judgment study."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from geceval.formats import Input
from geceval.metaeval.human.metric_correlation import Difference, Standing, falling
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking
from geceval.metaeval.human.study import HumanStudy, SetStudy
from geceval.presentation.page import Section
from geceval.presentation.table import Cell, Table

INTRODUCTION = """
A good metric agrees with human judgments. Metrics score the system outputs on the judged
sentences, and the scores are correlated with the system rankings derived from the judgments.
"""

_CORRELATION = """
Spearman's ρ between metric scores and human scores, over systems. The gray lines of the figure
are 95 % bootstrap intervals over systems. With few systems, even large differences between metrics
may be due to chance.
"""

CORRELATION_HEADER = (
    "metric", "ρ", "p (ρ)", "low", "high", "r", "p (r)", "τ", "p (τ)", "n",
)  # fmt: skip
CONCORDANCE_HEADER = (
    "metric", "accuracy", "τ", "concordant", "discordant", "metric ties", "human ties",
)  # fmt: skip


def number(value: float) -> float | None:
    """Return None for NaN, as tables and JSON represent it."""
    return None if math.isnan(value) else value


def by_spearman(standings: Iterable[Standing]) -> list[Standing]:
    """Sort metrics by rank correlation, best first and undefined last."""
    return sorted(standings, key=lambda one: falling(one.correlations["spearman"].value))


def correlation_row(one: Standing) -> tuple[Cell, ...]:
    """Return a row under `CORRELATION_HEADER`; the interval is that of ρ."""
    rho, r, tau = (one.correlations[name] for name in ("spearman", "pearson", "kendall"))
    bounds = one.intervals["spearman"]
    values = (
        rho.value, rho.p_value, bounds.low, bounds.high, r.value, r.p_value, tau.value, tau.p_value,
    )  # fmt: skip
    return (one.title, *map(number, values), rho.n)


def concordance_row(one: Standing) -> tuple[Cell, ...]:
    """Return a row under `CONCORDANCE_HEADER`."""
    found = one.concordance
    if found is None:
        return (one.title, None, None, None, None, None, None)
    return (
        one.title, number(found.accuracy), number(found.tau), found.concordant,
        found.discordant, found.metric_ties, found.human_ties,
    )  # fmt: skip


def file_name(*parts: str) -> str:
    """Build a file name from names."""
    text = "-".join(parts).lower().replace("+", "with-")
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in text)


def summary_table(study: HumanStudy) -> Table:
    """Return Spearman's ρ of each metric in each set, as in table 1 of Choshen and Abend (2018)."""
    ranking = study.sets[0].rankings[0].name
    sets = study.sets[::-1]
    by_metric = {one.name: {each.metric: each for each in one.standings[ranking]} for one in sets}
    leading = by_spearman(sets[0].standings[ranking])
    header: list[str] = ["metric"]
    for one in sets:
        header += [f"{one.name} ρ", f"{one.name} p"]
    rows = []
    for each in leading:
        row: list[Cell] = [each.title]
        for one in sets:
            found = by_metric[one.name][each.metric].correlations["spearman"]
            row += [number(found.value), number(found.p_value)]
        rows.append(tuple(row))
    title = f"Correlation of metrics with human rankings ({ranking}, Spearman's ρ)"
    return Table("human-correlation", title, tuple(header), tuple(rows), digits=3)


def ranking_table(one: SetStudy) -> Table:
    """Return the human ranking of systems."""
    skill, wins = one.rankings
    rows = tuple(
        (
            name, skill.scores[name], skill.spread[name], wins.scores[name],
            f"{one.ranges[name].best}–{one.ranges[name].worst}", one.ranges[name].cluster,
            "yes" if name in one.systems else "no",
        )
        for name in skill.scores
    )  # fmt: skip
    header = (
        "system", "TrueSkill", "spread", "Expected Wins", "ranks", "cluster", "has output",
    )  # fmt: skip
    title = f"{one.name}: human ranking of systems"
    return Table(file_name("ranking", one.name), title, header, rows, digits=3)


def score_table(one: SetStudy) -> Table:
    """Return the metric scores of systems."""
    rows = tuple(
        (name, *(number(metric.scores[name]) for metric in one.metrics))
        for name in one.rankings[0].scores
        if name in one.systems
    )
    header = ("system", *(metric.title for metric in one.metrics))
    title = f"{one.name}: scores on the judged sentences"
    return Table(file_name("scores", one.name), title, header, rows)


def correlation_table(one: SetStudy, ranking: Ranking) -> Table:
    """Return all correlations with one ranking."""
    rows = tuple(correlation_row(each) for each in by_spearman(one.standings[ranking.name]))
    title = f"{one.name}: correlation with {ranking.name}"
    return Table(
        file_name("correlation", one.name, ranking.name), title, CORRELATION_HEADER, rows, digits=3
    )


def concordance_table(one: SetStudy) -> Table:
    """Return the sentence-level agreement of metrics with human preferences."""
    found = one.standings[one.rankings[0].name]
    rows = [
        concordance_row(each) for each in sorted(found, key=lambda each: falling(_accuracy(each)))
    ]
    return Table(
        file_name("sentences", one.name),
        f"{one.name}: sentence-level preferences",
        CONCORDANCE_HEADER,
        tuple(rows),
        digits=3,
    )


def _accuracy(one: Standing) -> float:
    return math.nan if one.concordance is None else one.concordance.accuracy


def rater_table(one: SetStudy) -> Table:
    """Return the agreement within and between judges."""
    rows = tuple(
        (
            kind, found.n, found.agreed / found.n if found.n else None, number(found.plain),
            number(found.linear), number(found.quadratic),
        )
        for kind, found in one.raters.items()
    )  # fmt: skip
    header = ("judges", "pairs", "agreed", "κ", "κ linear", "κ quadratic")
    title = f"{one.name}: agreement between judges"
    return Table(file_name("judges", one.name), title, header, rows, digits=3)


def difference_table(name: str, found: Sequence[Difference]) -> Table:
    """Return Williams' test of all pairs of metrics."""
    rows = tuple(
        (each.first, each.second, number(each.r_first), number(each.r_second),
         number(each.test.t), number(each.test.p_value))
        for each in found
    )  # fmt: skip
    header = ("metric", "other metric", "r", "r (other)", "t", "p")
    title = f"{name}: pairwise comparison of metrics (Williams' test)"
    return Table(file_name("williams", name), title, header, rows, digits=3)


def set_tables(one: SetStudy) -> list[Table]:
    """Return all tables of one set."""
    if not one.metrics:
        return [ranking_table(one), rater_table(one)]
    return [
        ranking_table(one),
        *(correlation_table(one, ranking) for ranking in one.rankings),
        concordance_table(one),
        rater_table(one),
        difference_table(one.name, one.differences[one.rankings[0].name]),
        score_table(one),
    ]


def tables(study: HumanStudy) -> list[Table]:
    """Return all tables."""
    first = [summary_table(study)] if study.has_metrics else []
    return [*first, *(table for one in study.sets for table in set_tables(one))]


def sections(study: HumanStudy) -> list[Section]:
    """Return the sections of the study's page."""
    from geceval.metaeval.human.figures import set_pictures, summary_picture

    first = []
    if study.has_metrics:
        first.append(
            Section(
                "correlation",
                "Correlation",
                _CORRELATION,
                (summary_table(study),),
                (summary_picture(study, for_page=True),),
            )
        )
    return [
        *first,
        *(
            Section(
                file_name(one.name),
                one.name,
                describe(one),
                tuple(set_tables(one)),
                tuple(set_pictures(one, for_page=True)),
            )
            for one in study.sets
        ),
    ]


def describe(one: SetStudy) -> str:
    """Describe the judgments of a set."""
    text = (
        f"{len(one.judgments)} judgments of {len(one.judgments.sentences)} sentences by "
        f"{len(one.judgments.judges)} judges; {len(one.judgments.systems)} systems were judged."
    )
    if one.without_output:
        text += (
            " Excluded from the correlations, because no output is available:"
            f" {', '.join(one.without_output)}."
        )
    notes = [ranking.note for ranking in one.rankings if ranking.note]
    return " ".join((text, *(f"{note}." for note in notes)))


def record(study: HumanStudy) -> dict[str, Any]:
    """Return the JSON record, whose format is stable."""
    return {
        "schema": 1,
        "resamples": study.resampling.n,
        "seed": study.resampling.seed,
        "sets": [_set_record(one) for one in study.sets],
    }


def _set_record(one: SetStudy) -> dict[str, Any]:
    return {
        "name": one.name,
        "judgments": len(one.judgments),
        "sentences": len(one.judgments.sentences),
        "judges": list(one.judgments.judges),
        "systems": list(one.systems),
        "without_output": list(one.without_output),
        "rankings": [ranking_record(ranking) for ranking in one.rankings],
        "ranks": {
            name: {"best": found.best, "worst": found.worst, "cluster": found.cluster}
            for name, found in one.ranges.items()
        },
        "judge_agreement": {
            kind: {
                "pairs": found.n, "agreed": found.agreed, "kappa": number(found.plain),
                "kappa_linear": number(found.linear), "kappa_quadratic": number(found.quadratic),
            }
            for kind, found in one.raters.items()
        },
        "metrics": [metric_record(metric) for metric in one.metrics],
        "correlations": {
            name: [standing_record(each) for each in found]
            for name, found in one.standings.items()
        },
        "differences": {
            name: [
                {
                    "first": each.first, "second": each.second, "t": number(each.test.t),
                    "p_value": number(each.test.p_value),
                }
                for each in found
            ]
            for name, found in one.differences.items()
        },
    }  # fmt: skip


def ranking_record(ranking: Ranking) -> dict[str, Any]:
    """Return the JSON record of a human ranking."""
    return {
        "name": ranking.name,
        "scores": dict(ranking.scores),
        "spread": dict(ranking.spread),
        "signature": ranking.signature,
        "note": ranking.note,
    }


def metric_record(metric: MetricScores) -> dict[str, Any]:
    """Return the JSON record of a metric's scores."""
    return {
        "metric": metric.name,
        "scores": {name: number(value) for name, value in metric.scores.items()},
        "signature": metric.signature,
    }


def standing_record(one: Standing) -> dict[str, Any]:
    """Return the JSON record of a metric's correlations."""
    found: dict[str, Any] = {"metric": one.metric}
    for name, correlation in one.correlations.items():
        bounds = one.intervals[name]
        found[name] = {
            "value": number(correlation.value),
            "p_value": number(correlation.p_value),
            "interval": [number(bounds.low), number(bounds.high)],
            "n": correlation.n,
        }
    if one.concordance is not None:
        found["sentences"] = {
            "accuracy": number(one.concordance.accuracy),
            "tau": number(one.concordance.tau),
            "concordant": one.concordance.concordant,
            "discordant": one.concordance.discordant,
            "metric_ties": one.concordance.metric_ties,
            "human_ties": one.concordance.human_ties,
        }
    return found


def read_correlations(path: str, *, ranking: str = "TrueSkill") -> dict[str, float]:
    """Read correlations from the output of ``metaeval human --json``.

    Parameters
    ----------
    path
        The file.
    ranking
        The human ranking to use.

    Returns
    -------
    correlations
        Spearman's ρ of each metric, by name, on the last set of judgments, which is the union
        where there are several.
    """
    with Input.open(path) as source:
        try:
            standings = json.loads(source.text())["sets"][-1]["correlations"][ranking]
            found = {one["metric"]: one["spearman"]["value"] for one in standings}
        except (ValueError, LookupError, TypeError) as error:
            message = "expected the output of 'geceval metaeval human --json'"
            raise source.error(message) from error
    return {name: math.nan if value is None else float(value) for name, value in found.items()}
