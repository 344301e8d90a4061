"""Inputs and options of the commands that score systems."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar, get_args

import click

from geceval.cli._shared.metric_selection import metric_option, select_metrics
from geceval.cli._shared.options import (
    Command,
    add_options,
    choice_option,
    jobs_option,
    known_format,
    no_nan,
    reading_options,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.roles import check_roles
from geceval.cli._shared.show import progress
from geceval.errors import GecevalError
from geceval.evaluation.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED, Test
from geceval.formats import Findings, LoadedFile, load, load_hypothesis
from geceval.metrics.base import Metric, check_counts
from geceval.metrics.specs import MetricSpec
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.references.missing import MissingAnnotations

Item = TypeVar("Item")

WEIGHED_MISSING = (
    "absent; same for metrics that sample or average references, if the file suggests it"
)
"""Default of ``--missing-annotator`` for metrics, some of which weigh references."""

test_option = choice_option(
    "--test",
    get_args(Test),
    default="randomization",
    help="Approximate randomization or paired bootstrap.",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=DEFAULT_SEED,
    show_default=True,
    help="Random seed.",
)


def missing_option(default: str) -> Callable[[Command], Command]:
    """Add ``--missing-annotator``, with a description of its default."""
    return click.option(
        "--missing-annotator",
        "missing",
        type=click.Choice(get_args(MissingPolicy)),
        help="An annotator without a line is absent, found no error (noop) or agrees with the "
        f"previous one (same).  [{default}]",
    )


def scoring_options(
    *, resamples: int | None = DEFAULT_RESAMPLES, metrics: str = "m2"
) -> Callable[[Command], Command]:
    """Add the options of inputs, metrics and resampling.

    Without a default, the number of resamples depends on the number of comparisons.
    """
    return add_options(
        metric_option(
            default=metrics,
            help="Metrics, or 'all' that can be used (repeatable); see 'geceval metrics'.",
        ),
        click.option("--gold", metavar="FILE", help="Gold standard."),
        click.option(
            "--src", metavar="FILE", help="Source sentences, with --ref instead of --gold."
        ),
        click.option(
            "--ref", "refs", multiple=True, metavar="FILE",
            help="Reference corrections of --src, one file (repeatable).",
        ),
        click.argument("systems", metavar="[NAME=]HYP...", nargs=-1, required=True),
        click.option(
            "--hyp-format", metavar="NAME", callback=known_format,
            help="Format of each HYP, e.g. parallel (plain text).  [detected]",
        ),
        click.option(
            "--beta", metavar="N", help="Weight of recall in F (m2, errant, wdiff, cleme)."
        ),
        click.option(
            "--level", metavar="NAME",
            help="What must be right (m2): correction, recognition or detection.",
        ),
        click.option(
            "--no-mix", "mix", is_flag=True, flag_value="no",
            help="Do not mix the corrections of several annotators (imeasure).",
        ),
        click.option(
            "--auto-gold", is_flag=True, flag_value="yes",
            help="Extract the gold edits from the corrected sentences (errant).",
        ),
        click.option(
            "--compat", metavar="NAME",
            help="Reproduce another implementation exactly: errant-3.0.2, cleme-1.1.",
        ),
        click.option(
            "--lang", metavar="NAME", help="Language of the text (errant, cleme, grammar)."
        ),
        missing_option(WEIGHED_MISSING),
        click.option(
            "--resamples", type=click.IntRange(min=0), default=resamples, metavar="N",
            show_default=resamples is not None or f"{DEFAULT_RESAMPLES}, more for many pairs",
            help="Bootstrap resamples." if resamples else "Resamples for intervals and tests.",
        ),
        click.option(
            "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True),
            callback=no_nan, default=0.95, show_default=True,
            help="Confidence level of the intervals.",
        ),
        seed_option,
        click.option(
            "--tokenize", is_flag=True,
            help="Tokenize HYP (and --src, --ref), which is raw text.",
        ),
        click.option(
            "--strict", is_flag=True, help="Treat warnings about the texts as errors."
        ),
        jobs_option,
        reading_options,
    )  # fmt: skip


class Inputs(NamedTuple):
    """Files that a scoring command reads; systems as ``NAME=FILE`` or ``FILE``."""

    gold: str | None
    src: str | None
    refs: Sequence[str]
    systems: Sequence[str]

    @property
    def system_files(self) -> list[str]:
        """The files of the systems."""
        return [named_file(system)[1] for system in self.systems]

    def check(self) -> None:
        """Refuse missing or contradictory files."""
        gold, src, refs, systems = self
        if gold is not None and (src is not None or refs):
            raise click.UsageError(
                f"--gold and {'--src' if src is not None else '--ref'} exclude each other: a gold "
                "standard has its own sources and references"
            )
        if src is not None and not refs:
            raise click.UsageError("--src needs --ref, the corrected sentences")
        if refs and src is None:
            raise click.UsageError("--ref needs --src, the source sentences")
        if gold is None and src is None:
            likely = next((path for path in systems if path.endswith((".m2", ".m2.gz"))), None)
            hint = f"; if {likely} is it, write --gold {likely}" if likely is not None else ""
            raise click.UsageError(
                f"no gold standard is given: give --gold, or --src and --ref{hint}"
            )
        if [gold, src, *refs, *self.system_files].count("-") > 1:
            raise click.UsageError("standard input (-) can be read only once: give files")


class Prepared(NamedTuple):
    """Loaded inputs, metrics and findings."""

    corpus: Corpus
    hypotheses: list[Hypothesis]
    metrics: list[Metric]
    findings: Findings
    inputs: Inputs
    missing: MissingPolicy
    """Policy for annotators without a line where annotators are compared with each other."""


def prepare(
    *,
    specs: Sequence[MetricSpec],
    gold: str | None,
    src: str | None,
    refs: Sequence[str],
    systems: Sequence[str],
    jobs: int,
    format_name: str | None,
    hyp_format: str | None,
    encoding: str,
    tokenize: bool,
    strict: bool,
    missing: MissingPolicy | None,
    outputs: Iterable[str | None] = (),
    loaded: list[LoadedFile] | None = None,
    **options: str | None,
) -> Prepared:
    """Create the metrics and load the inputs given by `scoring_options`.

    Parameters
    ----------
    outputs
        Files that will be written, which must not be inputs.
    loaded
        Receives the files as they were read: the gold standard, or source and references
        together, and then the systems.
    options
        Options for all metrics that know them.
    """
    inputs = Inputs(gold, src, refs, systems)
    typers = (spec.options.get("typer") for spec in specs)
    models = (typer.removeprefix("learned:") for typer in typers if typer)
    protect([gold, src, *refs, *inputs.system_files, *models], outputs)
    inputs.check()
    findings = Findings()
    check_roles(gold, refs, systems, findings)
    given = {"missing": missing, **options}
    metrics = select_metrics(
        specs,
        findings,
        jobs=jobs,
        options={name: value for name, value in given.items() if value is not None},
        has_edits=gold is not None,
    )
    corpus = _load_gold(inputs, findings, format_name, encoding, loaded)
    hypotheses = _load_systems(systems, findings, hyp_format, encoding, loaded)
    if tokenize:
        corpus, hypotheses = _tokenized(corpus, hypotheses, findings, is_raw=gold is None)
    findings.update(_screened(corpus, hypotheses, inputs.system_files, strict=strict))
    metrics, policy = read_missing(corpus, metrics, findings, given=missing)
    return Prepared(corpus, hypotheses, metrics, findings, inputs, policy)


def _tokenized(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], findings: Findings, *, is_raw: bool
) -> tuple[Corpus, list[Hypothesis]]:
    """Tokenize raw text; a gold standard with edits is already tokenized."""
    from geceval.formats.retokenize import tokenize_corpus, tokenize_hypothesis
    from geceval.validation.system_output import is_tokenized

    if is_raw and not is_tokenized(corpus.sources):
        corpus = tokenize_corpus(corpus)
    findings.add(
        "tokenized",
        "raw text was tokenized by geceval (--tokenize): compare these scores only with "
        "others tokenized so",
    )
    return corpus, [tokenize_hypothesis(corpus, hypothesis) for hypothesis in hypotheses]


def _screened(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], paths: Sequence[str], *, strict: bool
) -> Findings:
    """Validate texts before they are scored; with `strict`, refuse them on any warning."""
    from geceval.validation.system_output import OutputValidator, check_hypothesis, check_sources

    findings = Findings()
    check_sources(corpus.sources, findings, path=corpus.name)
    validator = OutputValidator(corpus.sources)
    for hypothesis, path in zip(hypotheses, paths, strict=True):
        check_counts(corpus, hypothesis)
        check_hypothesis(corpus, hypothesis, findings, path=path, validator=validator)
    if strict and (lines := findings.summary(notes=False)):
        raise GecevalError("\n".join(lines))
    return findings


def _load_gold(
    inputs: Inputs,
    findings: Findings,
    format: str | None,
    encoding: str,
    loaded: list[LoadedFile] | None,
) -> Corpus:
    files = [inputs.gold] if inputs.gold is not None else [inputs.src or "", *inputs.refs]
    is_text = inputs.gold is None
    corpus = load(
        *files,
        format=None if is_text and format != "parallel" else format,
        findings=findings,
        encoding=encoding,
        name=_file_name(files[0]),
        text=is_text,
        loaded=loaded,
    )
    if not len(corpus):
        raise GecevalError(f"{corpus.name} has no sentences")
    if not corpus.annotators:
        raise GecevalError(
            f"{corpus.name} has no annotations to score against; --gold takes a file that has "
            "them, such as M2, and the outputs of systems are named without an option"
        )
    return corpus


def _load_systems(
    systems: Sequence[str],
    findings: Findings,
    format: str | None,
    encoding: str,
    loaded: list[LoadedFile] | None,
) -> list[Hypothesis]:
    hypotheses: list[Hypothesis] = []
    for system in systems:
        name, path = named_file(system)
        hypothesis = load_hypothesis(
            path, name=name, format=format, findings=findings, encoding=encoding, loaded=loaded
        )
        if not len(hypothesis):
            raise GecevalError(f"{_file_name(path)} has no sentences")
        if any(other.name == hypothesis.name for other in hypotheses):
            raise GecevalError(f"two systems are called {hypothesis.name!r}; name them NAME=FILE")
        hypotheses.append(hypothesis)
    return hypotheses


def _file_name(path: str) -> str:
    return "standard input" if path == "-" else path


def read_missing(
    corpus: Corpus,
    metrics: Sequence[Metric],
    findings: Findings,
    *,
    given: MissingPolicy | None,
) -> tuple[list[Metric], MissingPolicy]:
    """Decide how to interpret annotators without a line in some sentences, and report it.

    Unless the user has `given` a policy, for all metrics or for one, metrics that weigh references
    get the policy that the content of the file suggests.

    Returns
    -------
    metrics
        The metrics, each with its policy.
    policy
        The policy for everything else that samples or counts references.
    """
    if given is not None:
        return list(metrics), given

    def is_open(metric: Metric) -> bool:
        return metric.weighs_references and not metric.is_given("missing")

    found = MissingAnnotations.of(corpus)
    policy: MissingPolicy = "same" if found.suggested == "same" else "absent"
    if found.open:
        names = ", ".join(metric.name for metric in metrics if is_open(metric))
        findings.add("missing-annotator", _explained(found, policy, names), path=corpus.name)
    return [
        metric.with_options(missing=policy) if is_open(metric) else metric for metric in metrics
    ], policy


def _explained(found: MissingAnnotations, policy: MissingPolicy, weighing: str) -> str:
    """Describe the missing lines, their interpretation and the effect of each policy."""
    taken = f"same by {weighing}, absent by others" if policy == "same" and weighing else "absent"
    advice = f"; the file means {found.suggested}, for {found.why}" if found.suggested else ""
    each = "; ".join(f"{one} gives {found.changes(one)}" for one in get_args(MissingPolicy))
    return (
        f"{found.lacking} of {found.sentences} sentences lack some annotator, {found.open} of them "
        f"beside corrections (taken as {taken}{advice}); with --missing-annotator, {each}"
    )


def named_file(text: str) -> tuple[str | None, str]:
    """Split ``NAME=FILE``, unless a file of that whole name exists."""
    name, sign, path = text.partition("=")
    if not sign or os.path.exists(text):
        return None, text
    if not name.strip():
        raise click.UsageError(f"there is no name before '=' in {text!r}: write NAME=FILE")
    return name, path


def note_coarse_intervals(resamples: int, level: float, findings: Findings) -> None:
    """Warn if there are too few resamples for the confidence level."""
    needed = math.ceil(round(2 / (1 - level), 6))
    if 0 < resamples < needed:
        findings.add(
            "few-resamples",
            f"a {100 * level:g} % interval needs at least {needed:,} resamples, not {resamples:,}",
        )


def show_jobs(items: Sequence[Item], stage: str) -> Iterable[Item]:
    """Show how many items of a stage are finished."""
    return progress(items, stage, total=len(items), every=1)
