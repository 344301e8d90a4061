"""Selection of metrics that work with the inputs at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from geceval.errors import GecevalError, OptionError
from geceval.evaluation.evaluate import make_metrics
from geceval.extraction.lang.conllu import MissingAnalysisError
from geceval.formats.findings import Findings
from geceval.metrics.base import Metric
from geceval.metrics.registry import checker_names, standalone_names
from geceval.metrics.specs import ALL, MetricSpec, parse_specs
from geceval.model import Annotation, Corpus, Edit, Hypothesis, Sentence

# Tokens of one character each, for metrics of words and of characters.
_EDIT = Edit(1, 2, (("c",),), "R:OTHER")
_CHANGED = (
    Corpus((Sentence(("I", "b", "."), (Annotation("0", (_EDIT,)),)),)),
    Hypothesis("probe", (("I", "c", "."),)),
)
_UNCHANGED = (
    Corpus((Sentence(("I", "c", "."), (Annotation("0", ()),)),)),
    Hypothesis("probe", (("I", "c", "."),)),
)


def choose_metrics(
    specs: Iterable[str | MetricSpec],
    findings: Findings,
    *,
    options: Mapping[str, Any] | None = None,
    texts: Mapping[str, str] | None = None,
    hints: Mapping[str, Any] | None = None,
    has_edits: bool = True,
    extracts: bool = False,
    n_systems: int | None = 2,
    with_checkers: bool = True,
) -> list[Metric]:
    """Make the named metrics, which must work, and of ``all`` those that do.

    Parameters
    ----------
    specs
        Names of metrics, optionally with options; see `geceval.metrics.specs`.
    findings
        Collection for the reasons why metrics of ``all`` are skipped.
    options, texts, hints
        Options of all metrics that know them, the same as text, and defaults; see `make_metrics`.
    has_edits
        Whether the gold standard has edits, not only corrected sentences. Without them, a metric
        that can extract them does so.
    extracts
        Whether edits will be extracted from corrected sentences for metrics that need them.
    n_systems
        Number of systems that are scored together; None if single sentences are scored.
    with_checkers
        Whether ``all`` includes metrics that run a grammar checker; if named, they always do.

    Raises
    ------
    OptionError
        For wrong options, and for a metric that needs edits which are not there.
    """
    parsed = [
        one
        for spec in specs
        for one in ([spec] if isinstance(spec, MetricSpec) else parse_specs(spec))
    ]
    named = [spec for spec in parsed if spec.name != ALL]
    names = {spec.name for spec in named}

    def skip(name: str, error: GecevalError) -> bool:
        if name not in names:
            _note(findings, name, error)
        return name not in names

    others = [name for name in standalone_names() if name not in names]
    if len(named) == len(parsed):
        others = []
    elif not with_checkers:
        for name in sorted(checker_names().intersection(others)):
            others.remove(name)
            findings.add(
                f"{name}-optional",
                f"{name} takes long and is not one of all metrics here: -m all,{name} adds it",
                severity="note",
            )
    metrics = make_metrics(
        [*named, *map(MetricSpec, others)],
        options,
        {**(hints or {}), **({} if has_edits else {"auto_gold": True})},
        texts=texts,
        skip=skip,
    )
    # The named metrics come first, and none of them was skipped.
    chosen, rest = metrics[: len(named)], metrics[len(named) :]
    if not has_edits and not extracts:
        _refuse_edits(chosen)
        rest = [metric for metric in rest if not metric.needs_edits]
    metrics = [*chosen, *usable(rest, findings, n_systems)]
    if not metrics:
        raise GecevalError("; ".join(["none of the metrics can be used here", *findings.summary()]))
    return metrics


def _refuse_edits(metrics: Sequence[Metric]) -> None:
    """Refuse metrics that need gold edits."""
    if wrong := sorted(metric.name for metric in metrics if metric.needs_edits):
        raise OptionError(
            f"{', '.join(wrong)} compares annotators' edits, which --src and --ref do not have: "
            "give --gold, or choose another metric, such as -m gleu, or let --auto-gold extract "
            "edits from the references"
        )


def usable(
    metrics: Sequence[Metric], findings: Findings, n_systems: int | None = 2
) -> list[Metric]:
    """Return the metrics that work here; add findings for the others."""
    found = []
    for metric in metrics:
        try:
            metric.settings()
            # A slow metric takes long to set up, possibly in another process.
            if not metric.runs_in_background:
                try:
                    _try(metric, *_CHANGED, n_systems)
                except MissingAnalysisError:
                    # Files of analyses do not have this sentence; unchanged ones need none.
                    _try(metric, *_UNCHANGED, n_systems)
        # A metric may fail in any way without affecting the others.
        except Exception as error:  # noqa: BLE001
            _note(findings, metric.name, error)
        else:
            found.append(metric)
    return found


def _try(metric: Metric, corpus: Corpus, probe: Hypothesis, n_systems: int | None) -> None:
    """Score a sentence."""
    if n_systems is None:
        metric.for_sentences().score(corpus, probe)
    elif metric.pools_systems:
        metric.prepared_for(corpus, [probe] * n_systems)
    else:
        metric.score(corpus, probe)


def _note(findings: Findings, name: str, error: Exception) -> None:
    what = str(error) if isinstance(error, GecevalError) else f"{type(error).__name__}: {error}"
    findings.add(f"{name}-skipped", f"{name} is skipped: {what}")
