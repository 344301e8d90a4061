"""What ``score`` and ``compare`` share: their inputs, options and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from geceval.cli._show import progress
from geceval.errors import GecevalError
from geceval.evaluate import Job, make_metrics
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics import get_metric
from geceval.metrics import metric_names as all_metrics
from geceval.metrics.base import Metric, check_lengths
from geceval.model import Corpus, Hypothesis

Command = TypeVar("Command", bound=Callable[..., Any])


def input_options(command: Command) -> Command:
    """Add the options that say what is scored, and how."""
    for option in reversed(
        (
            click.option(
                "-m", "--metric", "metric_names", default="m2", show_default=True, metavar="NAME,…",
                help="Metrics, separated by commas, or 'all' that the inputs allow.",
            ),
            click.option("--gold", metavar="FILE", help="The gold standard."),
            click.option("--src", metavar="FILE", help="In place of --gold: source sentences …"),
            click.option(
                "--ref", "refs", multiple=True, metavar="FILE",
                help="… and corrected sentences, one file for each reference (repeatable).",
            ),
            click.argument("systems", metavar="[NAME=]HYP...", nargs=-1, required=True),
            click.option("--beta", type=float, help="Weight of recall in F.  [0.5]"),
            click.option(
                "--level",
                type=click.Choice(["correction", "recognition", "detection"]),
                help="What makes an edit right (m2): correction, its span, any overlap.",
            ),
            click.option(
                "--max-unchanged", type=click.IntRange(min=0), metavar="N",
                help="Unchanged words an edit may hold (m2).  [2]",
            ),
            click.option(
                "--ignore-whitespace-casing", is_flag=True, default=None,
                help="Leave out edits of spaces and letter case only (m2).",
            ),
            click.option(
                "--bonus", type=click.Choice(["without", "with"]),
                help="Optional edits left alone are no misses, or count as correct (m2).",
            ),
            click.option(
                "--errant-mode", "mode",
                type=click.Choice(["correction", "span-detection", "token-detection"]),
                help="What makes an edit right (errant): correction, its span, each token.",
            ),
            click.option(
                "--auto-gold", is_flag=True, default=None,
                help="Extract the gold edits anew from the corrected sentences (errant).",
            ),
            click.option(
                "--macro", is_flag=True, default=None,
                help="Mean of F over error types (errant).",
            ),
            click.option(
                "--compat", type=click.Choice(["errant-3.0.2"]),
                help="Give the numbers of the original tool, oddities included (errant).",
            ),
            click.option("--language", metavar="NAME", help="Language of the text (errant).  [en]"),
            click.option("--model", metavar="NAME", help="spaCy pipeline to use (errant)."),
            click.option(
                "--analyser", type=click.Choice(["fast", "spacy"]),
                help="What runs the English model; both give the same (errant).  [fast]",
            ),
            click.option(
                "--align", type=click.Choice(["linguistic", "levenshtein"]),
                help="How tokens are aligned (errant).  [linguistic]",
            ),
            click.option(
                "--merge", type=click.Choice(["rules", "all-split", "all-merge", "all-equal"]),
                help="How aligned tokens become edits (errant).  [rules]",
            ),
            click.option("--typer", metavar="NAME", help="What names the types (errant)."),
            click.option(
                "--mix/--no-mix", default=None,
                help="Mix the corrections of all annotators, or take each by itself (imeasure).",
            ),
            click.option(
                "--limit", type=click.IntRange(min=1), metavar="N",
                help="Steps that the search of one sentence may take (imeasure).  [10^9]",
            ),
            click.option(
                "--set", "settings", multiple=True, metavar="NAME=VALUE",
                help="Any other option of a metric, e.g. exact=true for gleu (repeatable).",
            ),
            click.option(
                "--missing-annotator", "missing", type=click.Choice(["absent", "noop"]),
                help="Annotator without a line: did not look, or nothing to correct.  [absent]",
            ),
            click.option(
                "--resamples", type=click.IntRange(min=0), default=1000, show_default=True,
                metavar="N", help="Bootstrap resamples.",
            ),
            click.option(
                "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True),
                default=0.95, show_default=True, help="Confidence level of the intervals.",
            ),
            click.option("--seed", type=int, default=12345, show_default=True, help="Random seed."),
            click.option(
                "--tokenize", is_flag=True,
                help="HYP (and --src, --ref) is raw text: split it into tokens like the source.",
            ),
            click.option(
                "--strict", is_flag=True, help="Fail where a text seems unfit to be scored."
            ),
            click.option(
                "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Threads."
            ),
        )
    ):  # fmt: skip
        command = option(command)
    return command


class Prepared(NamedTuple):
    """Everything that is scored, and what was noticed on the way."""

    corpus: Corpus
    hypotheses: list[Hypothesis]
    metrics: list[Metric]
    findings: Findings


def prepare(
    *,
    metric_names: str,
    gold: str | None,
    src: str | None,
    refs: Sequence[str],
    systems: Sequence[str],
    settings: Sequence[str],
    jobs: int,
    format_name: str | None,
    encoding: str,
    tokenize: bool = False,
    strict: bool = False,
    **given: Any,
) -> Prepared:
    """Make the metrics and load the inputs that `input_options` names."""
    must, may = metric_options(jobs=jobs, settings=settings, **given)
    metrics = make_metrics(metrics_of(metric_names, has_edits=gold is not None), must, may)
    findings = Findings()
    corpus, hypotheses = load_inputs(
        gold,
        src,
        refs,
        systems,
        findings,
        format=format_name,
        encoding=encoding,
        missing=given["missing"],
    )
    if tokenize:
        corpus, hypotheses = _tokenized(corpus, hypotheses, findings, is_raw=gold is None)
    paths = [named_file(system)[1] for system in systems]
    findings.update(_screened(corpus, hypotheses, paths, strict=strict))
    return Prepared(corpus, hypotheses, metrics, findings)


def _tokenized(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], findings: Findings, *, is_raw: bool
) -> tuple[Corpus, list[Hypothesis]]:
    """Split raw text into tokens; a gold standard with edits has its own."""
    from geceval.retokenize import tokenize_corpus, tokenize_hypothesis
    from geceval.screening import is_tokenized

    if is_raw and not is_tokenized(corpus.sources):
        corpus = tokenize_corpus(corpus)
    findings.add(
        "tokenized",
        "raw text was split into tokens by geceval (--tokenize): compare these scores only with "
        "others made so",
    )
    return corpus, [tokenize_hypothesis(corpus, hypothesis) for hypothesis in hypotheses]


def _screened(
    corpus: Corpus, hypotheses: Sequence[Hypothesis], paths: Sequence[str], *, strict: bool
) -> Findings:
    """Look for what makes texts unfit to be scored; with `strict`, refuse them."""
    from geceval.screening import Screen, check_hypothesis, check_sources

    findings = Findings()
    check_sources(corpus.sources, findings, path=corpus.name)
    screen = Screen(corpus.sources)
    for hypothesis, path in zip(hypotheses, paths, strict=True):
        check_lengths(corpus, hypothesis)
        check_hypothesis(corpus, hypothesis, findings, path=path, screen=screen)
    if strict and (lines := findings.summary(notes=False)):
        raise GecevalError("\n".join(lines))
    return findings


def check_outputs(*, as_json: bool, as_tsv: bool, as_latex: bool) -> None:
    """Refuse more than one form of output."""
    if as_json + as_tsv + as_latex > 1:
        raise click.UsageError("--json, --tsv and --latex exclude each other")


def metric_options(
    *, jobs: int, settings: Sequence[str], **given: float | str | bool | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those that a metric must know and those that it may know."""
    must: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    for setting in settings:
        name, sign, value = setting.partition("=")
        if not sign:
            raise click.UsageError(f"--set takes NAME=VALUE, not {setting!r}")
        try:
            must[name.replace("-", "_")] = json.loads(value)
        except ValueError:
            must[name.replace("-", "_")] = value
    return must, {"workers": jobs, "notify": lambda message: click.echo(message, err=True)}


def load_inputs(
    gold: str | None,
    src: str | None,
    refs: Sequence[str],
    systems: Sequence[str],
    findings: Findings,
    *,
    format: str | None,
    encoding: str,
    missing: str | None,
) -> tuple[Corpus, list[Hypothesis]]:
    """Load the gold standard and the systems; say which annotators are missing where."""
    if (gold is None) == (src is None and not refs):
        raise click.UsageError("give --gold, or --src and --ref")
    if gold is not None:
        corpus = load(gold, format=format, findings=findings, encoding=encoding, name=gold)
    elif src is None or not refs:
        raise click.UsageError("--src and --ref belong together")
    else:
        corpus = load(src, *refs, format="parallel", findings=findings, encoding=encoding, name=src)
    if not len(corpus):
        raise GecevalError(f"{corpus.name} has no sentences")
    if not corpus.annotators:
        raise GecevalError(f"{corpus.name} has no annotations to score against")
    if missing is None:
        _note_missing(corpus, findings)
    hypotheses: list[Hypothesis] = []
    for system in systems:
        name, path = named_file(system)
        hypothesis = load_hypothesis(path, name=name, findings=findings, encoding=encoding)
        if any(other.name == hypothesis.name for other in hypotheses):
            raise GecevalError(f"two systems are called {hypothesis.name!r}; name them NAME=FILE")
        hypotheses.append(hypothesis)
    return corpus, hypotheses


def _note_missing(corpus: Corpus, findings: Findings) -> None:
    """Warn when annotators have no line in some sentences, which can be read in two ways."""
    everybody = corpus.annotators
    n_missing = sum(len(sent.annotations) < len(everybody) for sent in corpus)
    if n_missing:
        findings.add(
            "missing-annotator",
            f"{n_missing} of {len(corpus)} sentences lack some annotator, who is taken as absent; "
            "--missing-annotator noop would take it as nothing to correct",
            path=corpus.name,
        )


def named_file(text: str) -> tuple[str | None, str]:
    """Split ``NAME=FILE``; a file that is called so itself is taken as it is."""
    name, sign, path = text.partition("=")
    if not sign or not name or Path(text).exists():
        return None, text
    return name, path


def metrics_of(text: str, *, has_edits: bool) -> list[str]:
    """Split the list of metrics, each once; ``all`` are those that the inputs allow."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise click.UsageError("name at least one metric")
    if names == ["all"]:
        return [name for name in all_metrics() if has_edits or not get_metric(name).needs_edits]
    if not has_edits and (wrong := [name for name in names if get_metric(name).needs_edits]):
        raise click.UsageError(
            f"{', '.join(wrong)} compares annotators' edits: give --gold, not --ref"
        )
    return names


def show_jobs(jobs: Sequence[Job]) -> Iterable[Job]:
    """Show how many systems are scored."""
    return progress(jobs, "scoring", total=len(jobs), every=1)
