"""Inputs and options of the commands that score systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar, get_args

import click
from click.core import ParameterSource

from geceval.characters import Normalization
from geceval.cli._shared.label_files import check_no_labels, without_labels
from geceval.cli._shared.metric_selection import files_of, metric_option, select_metrics
from geceval.cli._shared.options import (
    Command,
    add_options,
    choice_option,
    jobs_option,
    known_format,
    no_nan,
    normalize_option,
    pack_options,
    reading_options,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.roles import check_roles
from geceval.cli._shared.scored_files import (
    check_annotated,
    load_gold_files,
    load_systems,
    named_file,
)
from geceval.cli._shared.sharding import ShardOpener
from geceval.cli._shared.show import progress, say
from geceval.errors import GecevalError
from geceval.evaluation.preparation import prepare_gold, prepare_outputs
from geceval.evaluation.resampling import DEFAULT_RESAMPLES, DEFAULT_SEED, Test
from geceval.evaluation.stored_statistics import check_metrics
from geceval.extraction.lang import has_alternatives
from geceval.extraction.lang.pack_options import PackOptions
from geceval.formats import Findings, LoadedFile
from geceval.formats.columns import Columns, read_columns
from geceval.formats.labels import Labeling
from geceval.formats.shards import Portion, Shard
from geceval.metrics.base import Metric
from geceval.metrics.options import options_of
from geceval.metrics.registry import metric_class
from geceval.metrics.specs import ALL, MetricSpec
from geceval.model import Corpus, Hypothesis, MissingPolicy
from geceval.references.nested import NestedPolicy

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


confidence_option = click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    callback=no_nan,
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals.",
)
alpha_option = click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    callback=no_nan,
    default=0.05,
    show_default=True,
    help="Two-sided significance level.",
)


def _parsed_columns(
    ctx: click.Context, param: click.Parameter, given: str | None
) -> Columns | None:
    try:
        return None if given is None else Columns.parse(given)
    except GecevalError as error:
        raise click.BadParameter(str(error), ctx, param) from error


columns_option = click.option(
    "--columns",
    metavar="ROLE=NAME,…",
    callback=_parsed_columns,
    help="Columns of a table (CSV, TSV, JSON Lines) that HYP is: source, reference, hypothesis, "
    "slice; all but the source repeatable.",
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


nested_option = click.option(
    "--nested",
    type=click.Choice(get_args(NestedPolicy)),
    help="Edits inside of others: choose the best reading, with the outer or with the inner ones, "
    "or count all (m2, errant).  [readings]",
)


def auto_gold_option(metrics: str) -> Callable[[Command], Command]:
    """Add ``--auto-gold``, for some metrics."""
    return click.option(
        "--auto-gold",
        is_flag=True,
        flag_value="yes",
        help=f"Extract the gold edits from the corrected sentences ({metrics}).",
    )


input_options = add_options(
    click.option("--gold", metavar="FILE", help="Gold standard."),
    click.option("--src", metavar="FILE", help="Source sentences, with --ref instead of --gold."),
    click.option(
        "--ref",
        "refs",
        multiple=True,
        metavar="FILE",
        help="Reference corrections of --src, one file (repeatable).",
    ),
    click.argument("systems", metavar="[NAME=]HYP...", nargs=-1, required=True),
    click.option(
        "--hyp-format",
        metavar="NAME",
        callback=known_format,
        help="Format of each HYP, e.g. parallel (plain text).  [detected]",
    ),
)
text_options = add_options(
    click.option(
        "--tokenize", is_flag=True, help="Tokenize HYP (and --src, --ref), which is raw text."
    ),
    normalize_option,
    click.option("--strict", is_flag=True, help="Treat warnings about the texts as errors."),
    jobs_option,
    reading_options,
)


def resampling_options(
    resamples: int | None = DEFAULT_RESAMPLES, *, confidence: bool = True
) -> Callable[[Command], Command]:
    """Add the options of confidence intervals.

    Without a default, the number of resamples depends on the number of comparisons. Commands with
    a significance level have no confidence level.
    """
    return add_options(
        click.option(
            "--resamples", type=click.IntRange(min=0), default=resamples, metavar="N",
            show_default=resamples is not None or f"{DEFAULT_RESAMPLES}, more for many pairs",
            help="Bootstrap resamples." if resamples else "Resamples for intervals and tests.",
        ),
        *([confidence_option] if confidence else []),
        seed_option,
    )  # fmt: skip


def scoring_options(
    *, resamples: int | None = DEFAULT_RESAMPLES, metrics: str = "m2", confidence: bool = True
) -> Callable[[Command], Command]:
    """Add the options of inputs, metrics and resampling; see `resampling_options`."""
    return add_options(
        metric_option(
            default=metrics,
            help="Metrics, or 'all' that can be used (repeatable); see 'geceval metrics'.",
        ),
        input_options,
        click.option(
            "--beta", metavar="N", help="Weight of recall in F (m2, errant, wdiff, cleme)."
        ),
        click.option(
            "--level", metavar="NAME",
            help="What must be right (m2): correction, recognition or detection; with --lang zh, "
            "char or word (errant).",
        ),
        click.option(
            "--no-mix", "mix", is_flag=True, flag_value="no",
            help="Do not mix the corrections of several annotators (imeasure).",
        ),
        auto_gold_option("errant, ged, gotoscorer; m2 and wdiff with --ref"),
        click.option(
            "--compat", metavar="NAME",
            help="Reproduce another implementation exactly: errant-3.0.2 (errant), "
            "cherrant (errant, Chinese), gec-metrics (green), cleme-1.1 (cleme).",
        ),
        click.option(
            "--lang", metavar="NAME",
            help="Language of the text (errant, cleme, ged, gotoscorer, grammar, --tokenize); with "
            "zh, all metrics compare characters.",
        ),
        pack_options,
        click.option(
            "--weights", metavar="FILE",
            help="Weights of chunks by 'geceval difficulty' (gotoscorer).",
        ),
        missing_option(WEIGHED_MISSING),
        nested_option,
        resampling_options(resamples, confidence=confidence),
        text_options,
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

    @property
    def gold_files(self) -> list[str]:
        """The gold standard, or the source and the references."""
        return [self.gold] if self.gold is not None else [self.src or "", *self.refs]

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
    hypotheses: Sequence[Hypothesis]
    metrics: Sequence[Metric]
    findings: Findings
    inputs: Inputs
    missing: MissingPolicy
    """Policy for annotators without a line where annotators are compared with each other."""
    labelings: Sequence[Labeling] = ()
    """Labels of the sentences, from columns of a table."""
    portion: Portion | None = None
    """The sentences of a shard."""


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
    normalize: Normalization = "none",
    auto_gold: str | None = None,
    columns: Columns | None = None,
    shard: Shard | None = None,
    outputs: Iterable[str | None] = (),
    loaded: list[LoadedFile] | None = None,
    with_checkers: bool = True,
    options: PackOptions,
    **texts: str | None,
) -> Prepared:
    """Create the metrics and load the inputs given by `scoring_options`.

    Parameters
    ----------
    outputs
        Files that will be written, which must not be inputs.
    loaded
        Receives the files as they were read: the gold standard, or source and references
        together, and then the systems.
    columns
        Roles of the columns of a table, which is then the only file.
    with_checkers
        Whether ``-m all`` includes metrics that run a grammar checker.
    shard
        The part of all files to load.
    options
        Options of the language pack.
    texts
        Options for all metrics that know them.
    """
    lang = texts.get("lang") or "en"
    if has_alternatives(lang):
        specs = _chinese_metrics(specs)
        texts = _known_texts(specs, texts)
    inputs = Inputs(gold, src, refs, systems)
    files = [*files_of(specs), *options.files, texts.get("weights")]
    protect([gold, src, *refs, *inputs.system_files, *files], outputs)
    findings = Findings()
    if columns is None:
        inputs.check()
        check_roles(gold, refs, systems, findings)
    else:
        _check_table(inputs)
    has_edits = gold is not None
    extracts = not has_edits and auto_gold is not None
    # The language is that of the texts, also for metrics that do not analyze them.
    language = texts.pop("lang", None)
    given = {"missing": missing, "auto_gold": None if extracts else auto_gold, **texts}
    metrics = select_metrics(
        specs,
        findings,
        jobs=jobs,
        options={name: value for name, value in given.items() if value is not None},
        lang=language,
        pack_options=options,
        has_edits=has_edits,
        extracts=extracts,
        n_systems=len(systems) if columns is None else len(columns.hypotheses),
        with_checkers=with_checkers,
    )
    labelings: Sequence[Labeling] = ()
    paths = inputs.system_files
    parts = ShardOpener(findings, encoding)
    if shard is not None:
        if tokenize or columns is not None:
            given_option = "--tokenize" if tokenize else "--columns"
            raise click.UsageError(f"--shard and {given_option} exclude each other")
        check_metrics(metrics)
        gold_format = "parallel" if gold is None else format_name
        parts.cut([(path, gold_format) for path in inputs.gold_files], paths, hyp_format, shard)
        # Their lines are counted from its start.
        paths = [f"{path} (shard {shard})" for path in paths]
    if columns is not None:
        table = read_columns(systems[0], columns, findings=findings, encoding=encoding)
        corpus, hypotheses, labelings = table.corpus, table.hypotheses, table.labelings
        paths = [f"{systems[0]}, column {one.name}" for one in hypotheses]
    else:
        corpus = load_gold_files(
            inputs.gold_files,
            findings,
            format=format_name,
            encoding=encoding,
            is_text=gold is None,
            lang=lang or "",
            loaded=loaded,
            opened=parts.open,
        )
        hypotheses = load_systems(
            systems,
            findings,
            format=hyp_format,
            encoding=encoding,
            loaded=loaded,
            opened=parts.open,
        )
    check_annotated(corpus)
    named = {spec.name for spec in specs}
    metrics = without_labels(metrics, corpus, hypotheses, findings, named=named)
    if tokenize:
        check_no_labels(hypotheses)
    prepared = prepare_gold(
        corpus,
        metrics,
        findings=findings,
        tokenize=tokenize,
        strict=strict,
        missing=missing,
        extraction={"pack": lang, "options": options, "notify": say},
        lang=language or "",
        normalize=normalize,
    )
    hypotheses = prepare_outputs(
        prepared, hypotheses, findings=findings, strict=strict, paths=paths
    )
    return Prepared(
        prepared.corpus,
        hypotheses,
        prepared.metrics,
        findings,
        inputs,
        prepared.missing,
        labelings,
        parts.portion,
    )


def _chinese_metrics(specs: Sequence[MetricSpec]) -> Sequence[MetricSpec]:
    """Replace the default metric, which Chinese text is not scored with, by ERRANT.

    If all metrics are the default, ERRANT is the first.
    """
    ctx = click.get_current_context(silent=True)
    source = ctx.get_parameter_source("specs") if ctx is not None else None
    if source is not ParameterSource.DEFAULT:
        return specs
    return [MetricSpec("errant"), *(spec for spec in specs if spec.name == ALL)]


def _known_texts(
    specs: Sequence[MetricSpec], texts: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Leave out the language if no metric has it: all metrics compare the tokens of Chinese."""
    has_language = any(
        spec.name == ALL or "lang" in options_of(metric_class(spec.name)) for spec in specs
    )
    return {name: value for name, value in texts.items() if name != "lang" or has_language}


def _check_table(inputs: Inputs) -> None:
    """Refuse other files beside a table."""
    if inputs.gold is not None or inputs.src is not None or inputs.refs:
        raise click.UsageError(
            "--columns takes sources and references from the table: --gold, --src and --ref "
            "exclude it"
        )
    if len(inputs.systems) != 1:
        raise click.UsageError(f"--columns takes one table, not {len(inputs.systems)} files")


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
