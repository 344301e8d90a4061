"""Tables and page sections of a human-judgment study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from geceval.evaluation.ranking import RankRange
from geceval.formats import Input
from geceval.metaeval.correlation import COEFFICIENTS
from geceval.metaeval.human.agreement import Concordance
from geceval.metaeval.human.metric_correlation import Difference, MetricCorrelation, descending
from geceval.metaeval.human.pairwise import PairGroup, PairwiseAccuracy
from geceval.metaeval.human.rankings import Ranking
from geceval.metaeval.human.study import HumanStudy, SetStudy
from geceval.presentation.page import Section
from geceval.presentation.table import Cell, Table
from geceval.storage.strict_json import or_nan, or_none

INTRODUCTION = """
A good metric agrees with human judgments. Metrics score the system outputs on the judged
sentences, and the scores are correlated with the system rankings derived from the judgments.
"""

_CORRELATION = """
Spearman's ρ between metric scores and human scores, over systems. The gray lines of the figure
are 95 % bootstrap intervals over sentences and systems. With few systems, even large differences
between metrics may be due to chance.
"""

CORRELATION_HEADER = (
    "metric", "ρ", "p (ρ)", "low", "high", "r", "p (r)", "τ", "p (τ)", "n",
)  # fmt: skip
CONCORDANCE_HEADER = (
    "metric", "accuracy with ties", "threshold", "τ SEEDA", "accuracy", "τ", "tied", "concordant",
    "discordant", "metric ties", "human ties", "undefined",
)  # fmt: skip


def by_spearman(correlations: Iterable[MetricCorrelation]) -> list[MetricCorrelation]:
    """Sort metrics by rank correlation, best first and undefined last."""
    return sorted(correlations, key=lambda one: descending(one.coefficients["spearman"].value))


def correlation_row(one: MetricCorrelation) -> tuple[Cell, ...]:
    """Return a row under `CORRELATION_HEADER`; the interval is that of ρ."""
    rho, r, tau = (one.coefficients[name] for name in ("spearman", "pearson", "kendall"))
    bounds = one.intervals["spearman"]
    values = (
        rho.value, rho.p_value, bounds.low, bounds.high, r.value, r.p_value, tau.value, tau.p_value,
    )  # fmt: skip
    return (one.title, *map(or_none, values), rho.n)


def concordance_row(title: str, found: Concordance) -> tuple[Cell, ...]:
    """Return a row under `CONCORDANCE_HEADER`."""
    return (
        title, or_none(found.calibrated.accuracy), or_none(found.calibrated.threshold),
        or_none(found.seeda_tau), or_none(found.accuracy), or_none(found.tau),
        or_none(found.tied_share), found.concordant, found.discordant, found.metric_ties,
        found.human_ties, found.undefined,
    )  # fmt: skip


def file_name(*parts: str) -> str:
    """Build a file name from names."""
    text = "-".join(parts).lower().replace("+", "with-")
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in text)


def summary_table(study: HumanStudy) -> Table:
    """Return Spearman's ρ of each metric in each set, as in table 1 of Choshen and Abend (2018)."""
    ranking = study.sets[0].rankings[0].name
    sets = study.sets[::-1]
    by_metric = {
        one.name: {each.metric: each for each in one.correlations[ranking]} for one in sets
    }
    leading = by_spearman(sets[0].correlations[ranking])
    header: list[str] = ["metric"]
    for one in sets:
        header += [f"{one.name} ρ", f"{one.name} p"]
    rows = []
    for each in leading:
        row: list[Cell] = [each.title]
        for one in sets:
            found = by_metric[one.name][each.metric].coefficients["spearman"]
            row += [or_none(found.value), or_none(found.p_value)]
        rows.append(tuple(row))
    title = f"Correlation of metrics with human rankings ({ranking}, Spearman's ρ)"
    return Table("human-correlation", title, tuple(header), tuple(rows), digits=3)


def ranking_table(one: SetStudy) -> Table:
    """Return the human ranking of systems."""
    columns: dict[str, dict[str, Cell]] = {}
    for ranking in one.rankings:
        columns[ranking.name] = dict(ranking.scores)
        if ranking.spread:
            columns["spread"] = dict(ranking.spread)
        if ranking.ranges:
            columns |= _range_columns(f"{ranking.name} ", ranking.ranges)
    columns |= _range_columns("", one.ranges)
    columns["has output"] = {
        name: "yes" if name in one.systems else "no" for name in one.judgments.systems
    }
    rows = tuple(
        (name, *(column[name] for column in columns.values())) for name in one.rankings[0].scores
    )
    title = f"{one.name}: human ranking of systems"
    return Table(file_name("ranking", one.name), title, ("system", *columns), rows, digits=3)


def _range_columns(prefix: str, ranges: Mapping[str, RankRange]) -> dict[str, dict[str, Cell]]:
    return {
        f"{prefix}ranks": {name: f"{one.best}–{one.worst}" for name, one in ranges.items()},
        f"{prefix}cluster": {name: one.cluster for name, one in ranges.items()},
    }


def score_table(one: SetStudy) -> Table:
    """Return the metric scores of systems."""
    rows = tuple(
        (name, *(or_none(metric.scores[name]) for metric in one.metrics))
        for name in one.rankings[0].scores
        if name in one.systems
    )
    header = ("system", *(metric.title for metric in one.metrics))
    title = f"{one.name}: scores on the judged sentences"
    return Table(file_name("scores", one.name), title, header, rows)


def correlation_table(one: SetStudy, ranking: Ranking) -> Table:
    """Return all correlations with one ranking."""
    rows = tuple(correlation_row(each) for each in by_spearman(one.correlations[ranking.name]))
    title = f"{one.name}: correlation with {ranking.name}"
    return Table(
        file_name("correlation", one.name, ranking.name), title, CORRELATION_HEADER, rows, digits=3
    )


def concordance_table(one: SetStudy) -> Table:
    """Return the sentence-level agreement of metrics with human preferences.

    Metrics are sorted by accuracy with calibrated ties, by which those that decide nothing lose.
    """
    found = [
        (each.title, each.concordance)
        for each in one.correlations[one.rankings[0].name]
        if each.concordance is not None
    ]
    found.sort(key=lambda pair: descending(pair[1].calibrated.accuracy))
    return Table(
        file_name("sentences", one.name),
        f"{one.name}: sentence-level preferences",
        CONCORDANCE_HEADER,
        tuple(concordance_row(*pair) for pair in found),
        digits=3,
    )


def rater_table(one: SetStudy) -> Table:
    """Return the agreement within and between judges."""
    rows = tuple(
        (
            kind, found.n, found.agreed / found.n if found.n else None, or_none(found.plain),
            or_none(found.linear), or_none(found.quadratic),
        )
        for kind, found in one.raters.items()
    )  # fmt: skip
    header = ("judges", "pairs", "agreed", "κ", "κ linear", "κ quadratic")
    title = f"{one.name}: agreement between judges"
    return Table(file_name("judges", one.name), title, header, rows, digits=3)


def difference_table(name: str, found: Sequence[Difference]) -> Table:
    """Return Williams' test and the permutation test of all pairs of metrics."""
    rows = tuple(
        (each.first, each.second, or_none(each.r_first), or_none(each.r_second),
         or_none(each.test.t), or_none(each.test.p_value),
         None if each.permutation is None else or_none(each.permutation.difference),
         None if each.permutation is None else or_none(each.permutation.p_value))
        for each in found
    )  # fmt: skip
    header = (
        "metric", "other metric", "r", "r (other)", "t", "p", "difference of means' r", "p (perm.)",
    )  # fmt: skip
    title = f"{name}: pairwise comparison of metrics (Williams' test, permutation test)"
    return Table(file_name("williams", name), title, header, rows, digits=3)


def pairwise_table(name: str, found: Sequence[PairwiseAccuracy]) -> Table:
    """Return the pairwise accuracy of metrics, by the distance of two systems for people."""
    groups = found[0].groups if found else ()
    header = ("metric", *(_group_title(group) for group in groups), "ties")
    rows = tuple(
        (each.title, *(or_none(group.accuracy) for group in each.groups), each.groups[0].ties)
        for each in sorted(found, key=lambda each: descending(each.groups[0].accuracy))
    )
    title = f"{name}: pairs of systems that metrics order as people do"
    return Table(file_name("pairs", name), title, header, rows, digits=3)


def _group_title(group: PairGroup) -> str:
    if group.name == "all" or not group.n:
        return f"{group.name} ({group.n})"
    return f"{group.name} ({group.n}, {group.low:.2f}–{group.high:.2f})"


def rating_table(one: SetStudy) -> Table:
    """Return the correlation of sentence scores with ratings."""
    rows = tuple(
        (
            metric.title,
            *(or_none(one.ratings[metric.name][name].value) for name in COEFFICIENTS),
            one.ratings[metric.name]["pearson"].n,
        )
        for metric in one.metrics
    )
    header = ("metric", "r", "ρ", "τ", "outputs")
    title = f"{one.name}: correlation with the ratings of single outputs"
    return Table(file_name("ratings", one.name), title, header, rows, digits=3)


def set_tables(one: SetStudy) -> list[Table]:
    """Return all tables of one set."""
    if not one.metrics:
        return [ranking_table(one), rater_table(one)]
    return [
        ranking_table(one),
        *(correlation_table(one, ranking) for ranking in one.rankings),
        concordance_table(one),
        *([rating_table(one)] if one.ratings else []),
        pairwise_table(one.name, one.pairwise),
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
            last = json.loads(source.text())["sets"][-1]["correlations"][ranking]
            found = {one["metric"]: one["spearman"]["value"] for one in last}
        except (ValueError, LookupError, TypeError) as error:
            message = "expected the output of 'geceval metaeval human --json'"
            raise source.error(message) from error
    return {name: or_nan(value) for name, value in found.items()}
