"""A scorer that is prepared once and called often."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from geceval.characters import Normalization
from geceval.errors import GecevalWarning, MismatchError, OptionError
from geceval.evaluation.coercion import (
    Axis,
    Output,
    Reference,
    Source,
    Systems,
    as_gold,
    as_hypotheses,
    as_hypothesis,
)
from geceval.evaluation.evaluate import Result, evaluate, note_scores
from geceval.evaluation.metric_choice import choose_metrics
from geceval.evaluation.preparation import prepare_gold, prepare_outputs
from geceval.evaluation.resampling import (
    DEFAULT_LEVEL,
    DEFAULT_SEED,
    Resampling,
    Test,
    compare,
)
from geceval.evaluation.scoreboard import Comparisons, Scoreboard, Scores
from geceval.evaluation.slices import score_slices
from geceval.formats import Findings, LoadedFile
from geceval.formats.labels import Labeling
from geceval.metrics.base import Metric
from geceval.metrics.specs import parse_specs
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.model.arguments import shown

if TYPE_CHECKING:
    from typing_extensions import TypeIs

OneMetric: TypeAlias = str | Metric
Metrics: TypeAlias = OneMetric | Sequence[OneMetric]


class Scorer:
    """Scores many outputs against one gold standard, which is prepared only once.

    Parameters
    ----------
    sources
        Source sentences, or a whole gold standard, as a file or a `Corpus`.
    references
        Corrected sentences: a list of strings, or a list of such lists, one for each annotator or
        one for each sentence, or files; None if `sources` is a gold standard.
    metrics
        Metrics, by name, with options as in ``"m2(beta=1)"``, or from `get_metric`.
    lang
        Language of the text, for metrics that analyze it. Metrics of edits extract them from the
        references, unless there is a gold standard with edits.
    tokenize
        Whether the text is raw and has to be tokenized.
    normalize
        ``"nfc"`` to compare texts in Unicode's composed form.
    references_by
        ``"annotator"`` or ``"sentence"``: what each list of `references` belongs to, if their
        lengths do not tell.
    missing
        Whether an annotator without an annotation is absent, found no error (``"noop"``) or agrees
        with the previous one (``"same"``); by default, as each metric and the data suggest.
    resamples, confidence, seed
        Number of bootstrap resamples for confidence intervals, by default none, their level, and
        the random seed.
    jobs
        Maximum number of cores.
    strict
        Whether text that looks wrong is an error rather than a `GecevalWarning`.
    options
        Options of the metrics, such as ``beta=1``.

    Examples
    --------
    >>> scorer = Scorer(["I likes it ."], ["I like it ."], metrics=["m2", "gleu"], lang="plain")
    >>> scorer(["I like it ."])["m2"].value
    1.0
    """

    def __init__(
        self,
        sources: Source,
        references: Reference | None = None,
        metrics: Metrics = "m2",
        *,
        lang: str = "en",
        tokenize: bool = False,
        normalize: Normalization = "none",
        references_by: Axis | None = None,
        missing: MissingPolicy | None = None,
        resamples: int = 0,
        confidence: float = DEFAULT_LEVEL,
        seed: int = DEFAULT_SEED,
        jobs: int = 1,
        strict: bool = False,
        **options: Any,
    ) -> None:
        self.resampling = Resampling(resamples, confidence, seed)
        self.jobs = jobs
        self.strict = strict
        self.findings = Findings()
        self.files: list[LoadedFile] = []
        corpus = as_gold(
            sources,
            references,
            references_by=references_by,
            findings=self.findings,
            loaded=self.files,
        )
        self.gold = prepare_gold(
            corpus,
            _made(metrics, options, self.findings, corpus, missing=missing, lang=lang, jobs=jobs),
            findings=self.findings,
            tokenize=tokenize,
            strict=strict,
            missing=missing,
            extraction={"pack": lang, "options": options.get("pack_options")},
            lang="" if lang == "en" else lang,
            normalize=normalize,
        )
        warn_of(self.findings)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the order of the scores."""
        return tuple(self.gold.metrics)

    @property
    def corpus(self) -> Corpus:
        """The gold standard, as it is scored against."""
        return self.gold.corpus

    def __call__(self, hypotheses: Output) -> Scores:
        """Score the output of one system: strings, a file or a `Hypothesis`."""
        findings = Findings()
        hypothesis = as_hypothesis(hypotheses, "hypotheses", findings=findings)
        scores = [result.score for result in self._results([hypothesis], findings)]
        # Strings have no name but that of the argument, which messages show.
        if not isinstance(hypotheses, (Hypothesis, str, os.PathLike)):
            scores = [replace(score, system="") for score in scores]
        return Scores(scores)

    def evaluate(
        self, systems: Systems, *, slices: Mapping[str, Sequence[str]] | None = None
    ) -> Scoreboard:
        """Score several systems; see `evaluate`."""
        findings = Findings()
        labelings = [Labeling(name, tuple(labels)) for name, labels in (slices or {}).items()]
        for one in labelings:
            if len(one) != len(self.corpus):
                raise MismatchError("sources", len(self.corpus), f"slices {one.name!r}", len(one))
        results = self._results(as_hypotheses(systems, findings=findings), findings)
        sliced = [
            score_slices(result, labeling, resampling=self.resampling)
            for labeling in labelings
            for result in results
        ]
        warned = [*self.findings.summary(notes=False), *findings.summary(notes=False)]
        scores = [result.score for result in results]
        return Scoreboard(scores, warned, sliced, results, self.resampling)

    def compare(
        self,
        systems: Systems,
        *,
        baseline: str | None = None,
        test: Test = "randomization",
        resamples: int | None = None,
    ) -> dict[str, Comparisons]:
        """Compare systems by each metric; see `compare`."""
        findings = Findings()
        hypotheses = as_hypotheses(systems, findings=findings)
        n_pairs = math.comb(len(hypotheses), 2) if baseline is None else len(hypotheses) - 1
        level, seed = self.resampling.level, self.resampling.seed
        if resamples is None:
            resamples = Resampling(level=level).for_comparisons(n_pairs).n
        resampling = Resampling(resamples, level, seed, test)
        results = self._results(hypotheses, findings, Resampling(0))
        return {
            metric.name: _compared(
                [result for result in results if result.metric.name == metric.name],
                baseline,
                resampling,
            )
            for metric in self.metrics
        }

    def _results(
        self,
        hypotheses: Sequence[Hypothesis],
        findings: Findings,
        resampling: Resampling | None = None,
    ) -> list[Result]:
        outputs = prepare_outputs(self.gold, hypotheses, findings=findings, strict=self.strict)
        results = evaluate(
            self.gold.corpus,
            outputs,
            self.gold.metrics,
            resampling=self.resampling if resampling is None else resampling,
            jobs=self.jobs,
        )
        note_scores(results, findings)
        warn_of(findings)
        return results


def _made(
    metrics: Metrics,
    options: dict[str, Any],
    findings: Findings,
    corpus: Corpus,
    *,
    missing: MissingPolicy | None,
    lang: str,
    jobs: int,
) -> list[Metric]:
    """Make the metrics that are given by name."""
    given = [metrics] if is_one_metric(metrics) else metrics
    if not isinstance(given, Iterable) or not (given := list(given)):
        raise TypeError(f"metrics must be a list of metrics, not {shown(metrics)}")
    if wrong := [one for one in given if not isinstance(one, (str, Metric))]:
        raise TypeError(f"a metric must be a name or come from get_metric, not {shown(wrong[0])}")
    specs = [spec for one in given if isinstance(one, str) for spec in parse_specs(one)]
    if options and not specs:
        raise TypeError(f"options of metrics ({', '.join(options)}) must be given to get_metric")
    made = [one for one in given if isinstance(one, Metric)]
    if specs:
        options = options if missing is None else {**options, "missing": missing}
        made += choose_metrics(
            specs,
            findings,
            options=options,
            hints={"lang": lang, "jobs": jobs},
            has_edits=corpus.has_edits,
            extracts=True,
        )
    names = [metric.name for metric in made]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise OptionError(f"the metric {twice} is given twice")
    return made


def is_one_metric(given: Metrics) -> TypeIs[OneMetric]:
    """Whether one metric is given, not a list."""
    return isinstance(given, (str, Metric))


def _compared(
    results: Sequence[Result], baseline: str | None, resampling: Resampling
) -> Comparisons:
    metric = results[0].metric
    rows = compare(
        metric,
        {result.system: result.statistics for result in results},
        baseline=baseline,
        resampling=resampling,
    )
    return Comparisons(
        metric.name,
        tuple(rows),
        results[-1].score.signature,
        resampling.test,
        resampling.n,
        resampling.seed,
    )


def warn_of(findings: Findings) -> None:
    """Issue a warning for each line of a summary of findings."""
    for line in findings.summary(notes=False):
        warnings.warn(line, GecevalWarning, stacklevel=4)
