"""What ``import geceval`` offers: plain functions on strings, files or the model.

Every function returns the numbers of the command of the same name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

from geceval.errors import MismatchError
from geceval.evaluation.coercion import (
    Lines,
    Output,
    Reference,
    Source,
    Systems,
    as_hypotheses,
    as_lines,
)
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.preparation import prepare_outputs
from geceval.evaluation.resampling import (
    DEFAULT_RESAMPLES,
    Test,
)
from geceval.evaluation.scoreboard import Comparisons, Scoreboard, Scores
from geceval.evaluation.scorer import Metrics, OneMetric, Scorer, is_one_metric, warn_of
from geceval.extraction.align import Method
from geceval.extraction.annotator import Annotator
from geceval.extraction.explain import Explanation
from geceval.extraction.explain import explain as explain_pair
from geceval.extraction.lang import AnalyzerKind, PackOptions
from geceval.extraction.lang.analysis import Text
from geceval.extraction.marked_text import Edits, EditsList
from geceval.formats import Findings, LoadedFile, PathLike
from geceval.formats.conversion import Conversion, convert_files
from geceval.metrics.base import Metric
from geceval.metrics.registry import metric_class
from geceval.metrics.statistics import Score
from geceval.model import Tokens
from geceval.model.arguments import shown
from geceval.storage.atomic import protecting
from geceval.validation.check import ValidationReport, validate_files
from geceval.validation.system_output import refuse_other_text

T = TypeVar("T")


def get_metric(name: str, **options: Any) -> Metric:
    """Make a metric by its name, with options.

    Examples
    --------
    >>> get_metric("m2", beta=1).score_name
    'F1'
    """
    return metric_class(name)(**options)


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
    return _only(scores) if is_one_metric(metric) else scores


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
    return _only(values) if is_one_metric(metric) else values


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
    progress: Progress = silent,
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
    progress
        Shows how many items of each stage are finished.
    """
    from geceval.report.collect import collect
    from geceval.report.input_files import File
    from geceval.report.rendering import render
    from geceval.report.results import save
    from geceval.storage.atomic import open_output

    scorer = Scorer(sources, references, metrics, resamples=resamples, **options)
    findings = Findings()
    findings.update(scorer.findings)
    loaded: list[LoadedFile] = []
    hypotheses = as_hypotheses(systems, findings=findings, loaded=loaded)
    outputs = prepare_outputs(scorer.gold, hypotheses, findings=findings, strict=scorer.strict)
    corpus = scorer.gold.corpus
    read = [source for file in (*scorer.files, *loaded) for source in file.inputs]
    files = [File("gold", corpus.name or "gold", _digest(corpus.sources))]
    files += [File("system", one.name, _digest(one.sentences), one.name) for one in outputs]
    with protecting(source.name for source in read):
        collected = collect(
            corpus,
            outputs,
            scorer.gold.metrics,
            findings=findings,
            files=files,
            resampling=scorer.resampling,
            title=title or f"Corrections of {corpus.name or 'the gold standard'}",
            missing=scorer.gold.missing,
            jobs=scorer.jobs,
            progress=progress,
        )
        if results is not None:
            save(collected, results)
        with open_output(path) as out:
            out.write(render(collected))
    warn_of(findings)


def load_annotator(
    lang: str = "en",
    *,
    align: Method = "linguistic",
    merge: str = "rules",
    typer: str | None = None,
    model: str | None = None,
    analyzer: AnalyzerKind = "fast",
    pack_options: PackOptions | None = None,
) -> Annotator:
    """Load an annotator, which extracts and classifies edits step by step or at once.

    Parameters
    ----------
    lang, align, merge, typer, model, analyzer
        Language, alignment, merging, classifier, spaCy pipeline and its implementation; see
        `geceval.extraction.annotator.Annotator`.
    pack_options
        Options of the language pack, such as files of analyses or, for Chinese, the level.

    Examples
    --------
    >>> annotator = load_annotator("plain")
    >>> source, corrected = annotator.parse("I lik it"), annotator.parse("I like it")
    >>> alignment = annotator.align(source, corrected)
    >>> [annotator.classify(edit, alignment).type for edit in annotator.merge(alignment)]
    ['R:SPELL']
    """
    return Annotator(
        lang,
        align=align,
        merge=merge,
        typer=typer,
        model=model,
        analyzer=analyzer,
        options=pack_options,
    )


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
        (
            annotator.split(one, tokenize=tokenize),
            annotator.split(other, corrected=True, tokenize=tokenize),
        )
        for one, other in zip(before, after, strict=True)
    ]
    warn_of(refuse_other_text([_tokens(one) for one, _ in pairs], annotator.pack.name))
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
    before = annotator.split(source, tokenize=tokenize)
    warn_of(refuse_other_text([_tokens(before)], annotator.pack.name))
    after = annotator.split(corrected, corrected=True, tokenize=tokenize)
    return explain_pair(before, after, annotator)


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
    warn_of(findings)
    return result


def _only(found: Mapping[str, T]) -> T:
    """Return the result of the only metric."""
    if len(found) != 1:
        raise TypeError(f"metric must be a list to name several metrics: {', '.join(found)}")
    return next(iter(found.values()))


def _tokens(text: Text) -> Tokens:
    return text if isinstance(text, tuple) else text.tokens


def _digest(sentences: Iterable[Tokens]) -> str:
    """Return the checksum of sentences as plain text."""
    text = "".join(f"{' '.join(tokens)}\n" for tokens in sentences)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
