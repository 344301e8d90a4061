"""A paragraph that says how systems were evaluated, for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from geceval import __version__
from geceval.errors import GecevalError
from geceval.evaluation.evaluate import Result
from geceval.evaluation.resampling import Comparison, Resampling
from geceval.metrics.base import Metric
from geceval.metrics.papers import (
    EFRON_TIBSHIRANI_1993,
    HOLM_1979,
    KOEHN_2004,
    RIEZLER_MAXWELL_2005,
    Paper,
    distinct,
)
from geceval.presentation.paper_table import comment_line, heading_text, paper_text

GECEVAL = Paper(
    "geceval",
    "misc",
    ("{geceval contributors}",),
    "geceval",
    None,
    {"howpublished": "Software", "note": f"Version {__version__}"},
)
"""The entry of geceval, as in ``CITATION.cff``."""

_TESTS = {
    "randomization": ("paired approximate randomization", RIEZLER_MAXWELL_2005),
    "bootstrap": ("paired bootstrap", KOEHN_2004),
}


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Paired tests of systems.

    Parameters
    ----------
    comparisons
        The comparisons by each metric: all pairs, or each system with the baseline.
    resampling
        Settings of the tests.
    baseline
        Name of the system that the others were compared with.
    """

    comparisons: Mapping[str, Sequence[Comparison]]
    resampling: Resampling
    baseline: str | None = None

    @property
    def n_comparisons(self) -> int:
        """Number of comparisons by each metric."""
        return max(map(len, self.comparisons.values()))

    @property
    def test_name(self) -> str:
        """Name of the test."""
        return _TESTS[self.resampling.test][0]

    @property
    def paper(self) -> Paper:
        """Paper of the test."""
        return _TESTS[self.resampling.test][1]

    @property
    def alpha(self) -> str:
        """Significance level, as text."""
        return f"{1 - self.resampling.level:.6g}"


def methods_text(
    results: Sequence[Result],
    *,
    intervals: Resampling | None = None,
    tests: PairedTests | None = None,
) -> str:
    """Return a paragraph in LaTeX, the signatures as comments, and BibTeX entries.

    Parameters
    ----------
    results
        Results of all systems and metrics.
    intervals
        Settings of the confidence intervals, if there are any.
    tests
        Paired tests, if there are any.

    Raises
    ------
    GecevalError
        If there are no results.
    """
    if not results:
        raise GecevalError("there are no results to describe")
    groups = [list(group) for _, group in groupby(results, key=lambda one: one.metric.name)]
    papers = [GECEVAL, *(paper for own in groups for paper in own[0].metric.papers)]
    sentences = [_opening(groups[0]), *map(_metric_sentence, groups)]
    if intervals is not None and intervals.n:
        sentences.append(_interval_sentence(intervals))
        papers.append(EFRON_TIBSHIRANI_1993)
    if tests is not None:
        sentences.append(_test_sentence(tests))
        papers += [tests.paper, HOLM_1979]
    signatures = dict.fromkeys(result.score.signature for result in results)
    return "\n".join(
        [
            " ".join(sentences),
            "",
            comment_line("Signatures of the scores:"),
            *map(comment_line, signatures),
            "",
            comment_line("BibTeX:"),
            *(paper.bibtex for paper in distinct(papers)),
            "",
        ]
    )


def _opening(results: Sequence[Result]) -> str:
    n_systems, n_sents = len(results), len(results[0].statistics)
    return (
        f"We evaluate {_counted(n_systems, 'system')} on {_counted(n_sents, 'sentence')} with "
        f"geceval~{paper_text(__version__)}{_cited([GECEVAL])}."
    )


def _metric_sentence(results: Sequence[Result]) -> str:
    """Describe a metric: its name, headline number, papers, references and settings."""
    metric = results[0].metric
    # The configuration begins with the name of the metric.
    _, *settings = metric.configuration().split("|")
    remarks = (remark for result in results for remark in metric.remarks(result.statistics))
    settings += [setting for remark in remarks for setting in remark.split("|")]
    shown = ", ".join(map(_setting, dict.fromkeys(settings)))
    described = f", with the settings {shown}" if shown else ""
    name = heading_text(full_name(metric))
    return (
        f"{name[:1].upper()}{name[1:]}{_cited(metric.papers)} is computed "
        f"{_references(results[0])}{described}."
    )


def full_name(metric: Metric) -> str:
    """Return the name of a metric, with that of its headline number if it says more.

    Examples
    --------
    >>> from geceval import get_metric
    >>> [full_name(get_metric(name)) for name in ("m2", "gleu", "imeasure", "wer")]
    ['MaxMatch (M²) F0.5', 'GLEU', 'I-measure', '1 − WER']
    """
    number, title = metric.score_name, metric.title
    if number == "score" or number.casefold() in title.casefold():
        return title
    return number if title.casefold() in number.casefold() else f"{title} {number}"


def _setting(pair: str) -> str:
    name, colon, value = pair.partition(":")
    return "~=~".join(map(paper_text, (name, value))) if colon else paper_text(name)


def _references(result: Result) -> str:
    n_refs = result.statistics.provenance.n_refs
    if not result.metric.needs_references or not n_refs.any():
        return "without references"
    low, high = int(n_refs.min()), int(n_refs.max())
    if low == high:
        return f"against {_counted(low, 'reference')} per sentence"
    return f"against {low} to {high} references per sentence"


def _interval_sentence(resampling: Resampling) -> str:
    return (
        rf"Confidence intervals ({100 * resampling.level:g}\,\%) are percentile bootstrap "
        f"intervals{_cited([EFRON_TIBSHIRANI_1993])} over {resampling.n:,} resamples of the "
        f"sentences (seed~{resampling.seed})."
    )


def _test_sentence(tests: PairedTests) -> str:
    resampling = tests.resampling
    compared = (
        "All pairs of systems are compared"
        if tests.baseline is None
        else f"Each system is compared with {paper_text(tests.baseline)}"
    )
    return (
        f"{compared} by a two-sided test of {tests.test_name}{_cited([tests.paper])} with "
        f"{resampling.n:,} resamples (seed~{resampling.seed}); p-values are adjusted for "
        f"{_counted(tests.n_comparisons, 'comparison')} by each metric with Holm's "
        f"method{_cited([HOLM_1979])}, and differences are significant if $p < {tests.alpha}$."
    )


def _cited(papers: Iterable[Paper]) -> str:
    keys = ",".join(paper.key for paper in papers)
    return rf"~\cite{{{keys}}}" if keys else ""


def _counted(count: int, noun: str) -> str:
    return f"one {noun}" if count == 1 else f"{count:,} {noun}s"
