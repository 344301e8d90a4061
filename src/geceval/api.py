"""What ``import geceval`` offers: plain functions on strings, files or the model.

Every function returns the numbers of the command of the same name.
"""

from __future__ import annotations

import hashlib
import math
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from geceval.errors import GecevalWarning, MismatchError, OptionError
from geceval.evaluation.coercion import (
    Axis,
    Lines,
    Output,
    Reference,
    Source,
    Systems,
    as_gold,
    as_hypotheses,
    as_hypothesis,
    as_lines,
)
from geceval.evaluation.evaluate import Result, note_scores
from geceval.evaluation.evaluate import evaluate as evaluate_systems
from geceval.evaluation.metric_choice import choose_metrics
from geceval.evaluation.preparation import prepare_gold, prepare_outputs
from geceval.evaluation.resampling import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    DEFAULT_SEED,
    Resampling,
    Test,
)
from geceval.evaluation.resampling import compare as compare_systems
from geceval.evaluation.scoreboard import Comparisons, Scoreboard, Scores
from geceval.evaluation.slices import score_slices
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.explain import Explanation
from geceval.extraction.explain import explain as explain_pair
from geceval.extraction.lang import AnalyzerKind
from geceval.extraction.lang.analysis import Text
from geceval.extraction.marked_text import Edits, EditsList
from geceval.formats import Findings, LoadedFile, PathLike
from geceval.formats.conversion import Conversion, convert_files
from geceval.formats.labels import Labeling
from geceval.metrics.base import Metric
from geceval.metrics.registry import metric_class
from geceval.metrics.specs import parse_specs
from geceval.metrics.statistics import Score
from geceval.model import Corpus, Hypothesis, MissingPolicy, Tokens
from geceval.model.arguments import shown
from geceval.storage.atomic import protecting
from geceval.text import split_tokens
from geceval.validation.check import ValidationReport, validate_files

if TYPE_CHECKING:
    from typing_extensions import TypeIs

T = TypeVar("T")
OneMetric: TypeAlias = str | Metric
Metrics: TypeAlias = OneMetric | Sequence[OneMetric]


def get_metric(name: str, **options: Any) -> Metric:
    """Make a metric by its name, with options.

    Examples
    --------
    >>> get_metric("m2", beta=1).score_name
    'F1'
    """
    return metric_class(name)(**options)


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
        self._jobs = jobs
        self._strict = strict
        self._findings = Findings()
        self._files: list[LoadedFile] = []
        corpus = as_gold(
            sources,
            references,
            references_by=references_by,
            findings=self._findings,
            loaded=self._files,
        )
        self._gold = prepare_gold(
            corpus,
            _made(metrics, options, self._findings, corpus, missing=missing, lang=lang, jobs=jobs),
            findings=self._findings,
            tokenize=tokenize,
            strict=strict,
            missing=missing,
            extraction={"pack": lang},
        )
        _warn(self._findings)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the order of the scores."""
        return tuple(self._gold.metrics)

    @property
    def corpus(self) -> Corpus:
        """The gold standard, as it is scored against."""
        return self._gold.corpus

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
        warned = [*self._findings.summary(notes=False), *findings.summary(notes=False)]
        return Scoreboard([result.score for result in results], warned, sliced)

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
        outputs = prepare_outputs(self._gold, hypotheses, findings=findings, strict=self._strict)
        results = evaluate_systems(
            self._gold.corpus,
            outputs,
            self._gold.metrics,
            resampling=self.resampling if resampling is None else resampling,
            jobs=self._jobs,
        )
        note_scores(results, findings)
        _warn(findings)
        return results

    def write_report(
        self, path: PathLike, systems: Systems, *, title: str = "", results: PathLike | None = None
    ) -> None:
        """Write an HTML report; see `write_report`."""
        from geceval.report.collect import collect
        from geceval.report.input_files import File
        from geceval.report.rendering import render
        from geceval.report.results import save
        from geceval.storage.atomic import open_output

        findings = Findings()
        findings.update(self._findings)
        loaded: list[LoadedFile] = []
        hypotheses = as_hypotheses(systems, findings=findings, loaded=loaded)
        outputs = prepare_outputs(self._gold, hypotheses, findings=findings, strict=self._strict)
        corpus = self._gold.corpus
        read = [source for file in (*self._files, *loaded) for source in file.inputs]
        files = [File("gold", corpus.name or "gold", _digest(corpus.sources))]
        files += [File("system", one.name, _digest(one.sentences), one.name) for one in outputs]
        with protecting(source.name for source in read):
            collected = collect(
                corpus,
                outputs,
                self._gold.metrics,
                findings=findings,
                files=files,
                resampling=self.resampling,
                title=title or f"Corrections of {corpus.name or 'the gold standard'}",
                missing=self._gold.missing,
                jobs=self._jobs,
            )
            if results is not None:
                save(collected, results)
            with open_output(path) as out:
                out.write(render(collected))
        _warn(findings)


@overload
def score(
    hypotheses: Output,
    sources: Source,
    references: Reference | None = None,
    metric: OneMetric = "m2",
    *,
    lang: str = "en",
    tokenize: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    **options: Any,
) -> Score: ...
@overload
def score(
    hypotheses: Output,
    sources: Source,
    references: Reference | None = None,
    metric: Sequence[OneMetric] = ...,
    *,
    lang: str = "en",
    tokenize: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    **options: Any,
) -> Scores: ...
def score(
    hypotheses: Output,
    sources: Source,
    references: Reference | None = None,
    metric: Metrics = "m2",
    *,
    lang: str = "en",
    tokenize: bool = False,
    resamples: int = DEFAULT_RESAMPLES,
    **options: Any,
) -> Score | Scores:
    """Score the output of one system.

    Parameters
    ----------
    hypotheses
        The output: a list of strings, one sentence each with spaces between the tokens, a file,
        or a `Hypothesis`.
    sources, references, lang, tokenize
        The gold standard, its language, and whether text is raw; see `Scorer`.
    metric
        A metric, by name, with options as in ``"m2(beta=1)"``, or from `get_metric`; or a list.
    resamples
        Number of bootstrap resamples for confidence intervals; 0 for none.
    options
        Further options of `Scorer`, such as ``confidence``, and of the metric.

    Returns
    -------
    score
        A `Score`, or `Scores` for a list of metrics.

    Examples
    --------
    >>> sources = ["I likes it .", "You came ."]
    >>> references = ["I like it .", "You came ."]
    >>> print(score(["I like it .", "You come ."], sources, references, "gleu", resamples=0))
    GLEU = 0.7652
    """
    scorer = Scorer(
        sources,
        references,
        metric,
        lang=lang,
        tokenize=tokenize,
        resamples=resamples,
        **options,
    )
    scores = scorer(hypotheses)
    return _only(scores) if _is_one(metric) else scores


@overload
def sentence_scores(
    hypotheses: Output,
    sources: Source,
    references: Reference | None = None,
    metric: OneMetric = "m2",
    **options: Any,
) -> list[float]: ...
@overload
def sentence_scores(
    hypotheses: Output,
    sources: Source,
    references: Reference | None = None,
    metric: Sequence[OneMetric] = ...,
    **options: Any,
) -> dict[str, list[float]]: ...
def sentence_scores(
    hypotheses: Output,
    sources: Source,
    references: Reference | None = None,
    metric: Metrics = "m2",
    **options: Any,
) -> list[float] | dict[str, list[float]]:
    """Score each sentence of the output of one system, as ``score --per-sentence`` does.

    Parameters
    ----------
    hypotheses, sources, references, metric, options
        See `score`.

    Returns
    -------
    scores
        One number for each sentence; for a list of metrics, such a list for each of them.

    Examples
    --------
    >>> sources = ["I likes it .", "You came ."]
    >>> sentence_scores(["I like it .", "You came ."], sources, [sources], "ld-source")
    [0.9166666666666666, 1.0]
    """
    scores = Scorer(sources, references, metric, **options)(hypotheses)
    values = {name: list(map(float, one.sentences.values)) for name, one in scores.items()}
    return _only(values) if _is_one(metric) else values


def evaluate(
    systems: Systems,
    sources: Source,
    references: Reference | None = None,
    metrics: Metrics = "m2",
    *,
    slices: Mapping[str, Sequence[str]] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    **options: Any,
) -> Scoreboard:
    """Score several systems.

    Parameters
    ----------
    systems
        Outputs by name, each a list of strings, a file or a `Hypothesis`; or a list of them.
    sources, references, metrics, options
        The gold standard, the metrics and further options; see `Scorer`.
    slices
        Labels of the sentences by what they tell, such as ``{"level": ["A", "B"]}``; each label is
        scored by itself, with a macro average.
    resamples
        Number of bootstrap resamples for confidence intervals; 0 for none.

    Examples
    --------
    >>> systems = {"ours": ["I like it ."], "theirs": ["I likes it ."]}
    >>> print(evaluate(systems, ["I likes it ."], ["I like it ."], "gleu", resamples=0))
    ours: GLEU = 1.0000
    theirs: GLEU = 0.0000
    """
    scorer = Scorer(sources, references, metrics, resamples=resamples, **options)
    return scorer.evaluate(systems, slices=slices)


def compare(
    systems: Systems,
    sources: Source,
    references: Reference | None = None,
    metric: OneMetric = "m2",
    *,
    baseline: str | None = None,
    test: Test = "randomization",
    resamples: int | None = None,
    **options: Any,
) -> Comparisons:
    """Compare systems: differences with intervals and p-values.

    Parameters
    ----------
    systems
        Outputs of at least two systems; see `evaluate`.
    sources, references, metric, options
        The gold standard, the metric and further options; see `Scorer`.
    baseline
        Compare the others with this system only.
    test, resamples
        Paired test, ``"randomization"`` or ``"bootstrap"``, and its number of resamples; by
        default enough for all pairs.

    Examples
    --------
    >>> systems = {"ours": ["I like it ."] * 9, "theirs": ["I likes it ."] * 9}
    >>> found = compare(systems, ["I likes it ."] * 9, ["I like it ."] * 9, "gleu")
    >>> found[0].difference, found[0].p_value < 0.05
    (-1.0, True)
    """
    scorer = Scorer(sources, references, metric, **options)
    return _only(scorer.compare(systems, baseline=baseline, test=test, resamples=resamples))


def write_report(
    path: PathLike,
    systems: Systems,
    sources: Source,
    references: Reference | None = None,
    metrics: Metrics = "all",
    *,
    title: str = "",
    results: PathLike | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    **options: Any,
) -> None:
    """Write an HTML report on systems.

    Parameters
    ----------
    path
        HTML file to write.
    systems
        Outputs of systems; see `evaluate`.
    sources, references, metrics, options
        The gold standard, the metrics and further options; see `Scorer`.
    title
        Heading of the page.
    results
        Results file to write, from which the page can be rendered again.
    resamples
        Number of resamples for intervals and tests; 0 for none.
    """
    scorer = Scorer(sources, references, metrics, resamples=resamples, **options)
    scorer.write_report(path, systems, title=title, results=results)


def load_annotator(
    lang: str = "en",
    *,
    align: Method = "linguistic",
    merge: str = "rules",
    typer: str | None = None,
    model: str | None = None,
    analyzer: AnalyzerKind = "fast",
) -> Annotator:
    """Load an annotator, which extracts and classifies edits step by step or at once.

    Parameters
    ----------
    lang, align, merge, typer, model, analyzer
        Language, alignment, merging, classifier, spaCy pipeline and its implementation; see
        `geceval.extraction.annotator.Annotator`.

    Examples
    --------
    >>> annotator = load_annotator("plain")
    >>> source, corrected = annotator.parse("I lik it"), annotator.parse("I like it")
    >>> alignment = annotator.align(source, corrected)
    >>> [annotator.classify(edit, alignment).type for edit in annotator.merge(alignment)]
    ['R:SPELL']
    """
    return Annotator(lang, align=align, merge=merge, typer=typer, model=model, analyzer=analyzer)


@overload
def annotate(source: str, corrected: str, **options: Any) -> Edits: ...
@overload
def annotate(source: Lines, corrected: Lines, **options: Any) -> EditsList: ...
def annotate(
    source: str | Lines,
    corrected: str | Lines,
    *,
    lang: str = "en",
    tokenize: bool = False,
    **options: Any,
) -> Edits | EditsList:
    """Extract the typed edits of a sentence and its correction, or of many.

    Parameters
    ----------
    source, corrected
        Two sentences, or two lists of sentences, with spaces between the tokens.
    lang
        Language of the text.
    tokenize
        Whether the text is raw and has to be tokenized.
    options
        Further options of `load_annotator`.

    Returns
    -------
    edits
        The edits of the sentence, or of each sentence.

    Examples
    --------
    >>> print(annotate("I lik it", "I like it", lang="plain"))
    I {lik → like R:SPELL} it
    """
    is_pair = isinstance(source, str) and isinstance(corrected, str)
    if not is_pair and (isinstance(source, str) or isinstance(corrected, str)):
        raise TypeError(
            "source and corrected must be two strings or two lists of strings, not "
            f"{shown(source)} and {shown(corrected)}"
        )
    before = [source] if isinstance(source, str) else as_lines(source, "source")
    after = [corrected] if isinstance(corrected, str) else as_lines(corrected, "corrected")
    if len(before) != len(after):
        raise MismatchError("source", len(before), "corrected", len(after))
    annotator = load_annotator(lang, **options)
    pairs = [
        (_split(one, annotator, tokenize=tokenize), _split(other, annotator, tokenize=tokenize))
        for one, other in zip(before, after, strict=True)
    ]
    found = EditsList(
        Edits(_tokens(one), _tokens(other), edits)
        for (one, other), edits in zip(pairs, annotator.annotate_pairs(pairs), strict=True)
    )
    return found[0] if is_pair else found


def explain(
    source: str, corrected: str, *, lang: str = "en", tokenize: bool = False, **options: Any
) -> Explanation:
    """Explain the alignment, merging and typing of the edits of a sentence.

    Parameters
    ----------
    source, corrected, lang, tokenize, options
        See `annotate`.

    Examples
    --------
    >>> explain("I lik it", "I like it", lang="plain").edits[0].facts
    ('the spelling of the two words is 75 % similar',)
    """
    for what, value in (("source", source), ("corrected", corrected)):
        if not isinstance(value, str):
            raise TypeError(f"{what} must be a string, not {shown(value)}")
    annotator = load_annotator(lang, **options)
    return explain_pair(
        _split(source, annotator, tokenize=tokenize),
        _split(corrected, annotator, tokenize=tokenize),
        annotator,
    )


def check(gold: PathLike, *others: PathLike, format: str | None = None) -> ValidationReport:
    """Validate a gold standard or source, and texts that are aligned with it line by line.

    Parameters
    ----------
    gold, others
        Files.
    format
        Format of the first file; detected when None.
    """
    return validate_files((gold, *others), format=format)


def convert(
    source: PathLike | Sequence[PathLike],
    target: PathLike,
    *,
    format: str | None = None,
    to: str | None = None,
    annotators: Sequence[str] = (),
    apply: bool = False,
    source_only: bool = False,
    minimize: bool = False,
    encoding: str = "utf-8",
) -> Conversion:
    """Convert files to another format.

    Parameters
    ----------
    source
        File to read, or source and references.
    target
        File to write.
    format, to
        Formats of both; detected from the content and by the extension of `target`.
    annotators
        Annotators to select; all if empty.
    apply, source_only
        Write the corrected, or the source sentences, as plain text.
    minimize
        Trim unchanged tokens at both ends of edits.
    encoding
        Text encoding of the files to read.
    """
    sources = [source] if isinstance(source, str) or not isinstance(source, Sequence) else source
    findings = Findings()
    with protecting(sources):
        result = convert_files(
            sources,
            target,
            findings=findings,
            format_name=format,
            to_name=to,
            annotators=[annotators] if isinstance(annotators, str) else annotators,
            apply=apply,
            source_only=source_only,
            minimal=minimize,
            encoding=encoding,
        )
    _warn(findings)
    return result


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
    given = [metrics] if _is_one(metrics) else metrics
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


def _is_one(given: Metrics) -> TypeIs[OneMetric]:
    """Whether one metric is given, not a list."""
    return isinstance(given, (str, Metric))


def _only(found: Mapping[str, T]) -> T:
    """Return the result of the only metric."""
    if len(found) != 1:
        raise TypeError(f"metric must be a list to name several metrics: {', '.join(found)}")
    return next(iter(found.values()))


def _compared(
    results: Sequence[Result], baseline: str | None, resampling: Resampling
) -> Comparisons:
    metric = results[0].metric
    rows = compare_systems(
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


def _split(text: str, annotator: Annotator, *, tokenize: bool) -> Text:
    return annotator.analyzer.tokenize(text) if tokenize else split_tokens(text)


def _tokens(text: Text) -> Tokens:
    return text if isinstance(text, tuple) else text.tokens


def _digest(sentences: Iterable[Tokens]) -> str:
    """Return the checksum of sentences as plain text."""
    text = "".join(f"{' '.join(tokens)}\n" for tokens in sentences)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _warn(findings: Findings) -> None:
    for line in findings.summary(notes=False):
        warnings.warn(line, GecevalWarning, stacklevel=4)
