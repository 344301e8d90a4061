"""``geceval agreement``: agreement between the annotators of a gold standard."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from geceval.cli._shared.metric_selection import metric_option, select_metrics
from geceval.cli._shared.options import (
    OutputForm,
    examples,
    form_options,
    jobs_option,
    reading_options,
)
from geceval.cli._shared.scoring import (
    confidence_option,
    missing_option,
    note_coarse_intervals,
    seed_option,
    show_jobs,
)
from geceval.cli._shared.show import print_findings, print_json, print_signatures, print_tables
from geceval.cli._shared.typing_printing import print_typing
from geceval.errors import GecevalError
from geceval.evaluation.annotators import (
    AnnotatorAgreement,
    HumanScore,
    Measured,
    human_scores,
    measure_agreement,
)
from geceval.evaluation.preparation import read_missing
from geceval.evaluation.resampling import DEFAULT_RESAMPLES, Resampling
from geceval.evaluation.typing_agreement import TypingAgreement, measure_typing
from geceval.formats import Findings, load
from geceval.metrics.specs import MetricSpec
from geceval.metrics.statistics import Interval
from geceval.model import Corpus, MissingPolicy
from geceval.presentation.table import Cell, Table
from geceval.validation.system_output import refuse_other_text

_NO_TYPE = "(none)"


@click.command(
    epilog=examples(
        """
        geceval agreement gold.m2
        geceval agreement gold.m2 -m m2,errant,gleu --per-type
        geceval agreement gold.m2 --missing-annotator noop
        geceval agreement gold.m2 --json | jq .alpha
        geceval agreement gold.m2 automatic.m2 --map errant-de
        geceval agreement gold.m2 retyped.m2 --keep-spans --map names.tsv
        """
    )
)
@click.argument("gold", metavar="GOLD")
@click.argument("automatic", metavar="[AUTO]", required=False)
@click.option(
    "--map",
    "map_file",
    metavar="FILE",
    help="With AUTO: rename types; two columns, the new name and the type (or errant-de, …).",
)
@click.option(
    "--keep-spans",
    is_flag=True,
    help="With AUTO: both have the same edits ('annotate --keep-spans --no-minimize').",
)
@click.option("--annotator", metavar="NAME", help="With AUTO: the annotator to compare.")
@metric_option(
    default="all",
    help="Metrics of annotators against each other, or 'all' that can be used (repeatable).",
)
@click.option("--per-type", is_flag=True, help="Also print the agreement by error type.")
@missing_option("absent, or same if the file suggests it")
@click.option(
    "--resamples", type=click.IntRange(min=0), default=DEFAULT_RESAMPLES, show_default=True,
    metavar="N", help="Bootstrap resamples; 0 for no intervals.",
)  # fmt: skip
@confidence_option
@seed_option
@jobs_option
@reading_options
@form_options
def agreement(
    gold: str,
    automatic: str | None,
    map_file: str | None,
    keep_spans: bool,
    annotator: str | None,
    specs: Sequence[MetricSpec],
    per_type: bool,
    missing: MissingPolicy | None,
    resamples: int,
    confidence: float,
    seed: int,
    jobs: int,
    format_name: str | None,
    encoding: str,
    form: OutputForm,
) -> None:
    """Show the agreement between the annotators of a gold standard, or of two files.

    For each pair of annotators: F1 between their edits and spans, and Cohen's kappa of the tokens
    that they mark as wrong; for all of them, Krippendorff's alpha. Each annotator is also scored
    against all others, by every metric, as if they were a system.

    With AUTO, another annotation of the same sentences, such as one by 'geceval annotate', the
    agreement of two readings is shown: of spans with corrections, and of the types of edits that
    both have.
    """
    findings = Findings()
    if automatic is not None:
        found = _typing_agreement(
            gold,
            automatic,
            findings,
            load_options={"format": format_name, "encoding": encoding},
            map_file=map_file,
            annotator=annotator,
            keep_spans=keep_spans,
            resampling=Resampling(resamples, confidence, seed),
        )
        print_typing(found, findings, form, keep_spans=keep_spans, per_type=per_type)
        return
    if map_file is not None or keep_spans or annotator is not None:
        raise click.UsageError(
            "--map, --keep-spans and --annotator compare two files: give AUTO as well"
        )
    given = {} if missing is None else {"missing": missing}
    corpus = load(gold, format=format_name, findings=findings, encoding=encoding)
    if len(corpus.annotators) < 2:
        raise GecevalError(
            f"{gold} has {'one annotator' if corpus.annotators else 'no annotators'}; agreement "
            "needs at least two in one file ('geceval convert src.txt ref0.txt ref1.txt gold.m2' "
            "makes it from texts)"
        )
    _check_text(corpus, gold, findings)
    metrics = select_metrics(specs, findings, jobs=jobs, options=given)
    metrics, policy = read_missing(corpus, metrics, findings, given=missing)
    note_coarse_intervals(resamples, confidence, findings)
    resampling = Resampling(resamples, confidence, seed)
    agreed = measure_agreement(corpus, missing=policy, resampling=resampling, progress=show_jobs)
    scores = human_scores(
        corpus, metrics, missing=policy, resampling=resampling, jobs=jobs, progress=show_jobs
    )
    if form == "json":
        record = {**_record(agreed), "scores": [_score_record(one) for one in scores]}
        print_json(
            {
                "schema": 1,
                "missing": policy,
                **record,
                "warnings": findings.summary(notes=False),
            }
        )
        return
    print_findings(findings, stderr=True, notes=False)
    print_tables(agreement_tables(agreed, scores, per_type=per_type), form)
    if form == "terminal":
        print_signatures(dict.fromkeys(one.score.signature for one in scores))


def _check_text(corpus: Corpus, path: str, findings: Findings) -> None:
    """Raise an error for text in which annotators can only agree on whole sentences."""
    findings.update(refuse_other_text(corpus.sources, "", path=path, by="geceval annotate "))


def _typing_agreement(
    gold: str,
    automatic: str,
    findings: Findings,
    *,
    load_options: Mapping[str, Any],
    map_file: str | None,
    **options: Any,
) -> TypingAgreement:
    from geceval.extraction.typers.type_names import TypeMap

    note_coarse_intervals(options["resampling"].n, options["resampling"].level, findings)
    rename = str if map_file is None else TypeMap.load(map_file).rename
    first, second = (
        load(path, findings=findings, name=path, **load_options) for path in (gold, automatic)
    )
    _check_text(first, gold, findings)
    found = measure_typing(first, second, rename=rename, **options)
    if found.n_excluded:
        findings.add(
            "excluded",
            f"{found.n_excluded:,} sentences are excluded: their gold edits overlap or reach past "
            "the end",
            path=gold,
        )
    return found


def _record(found: AnnotatorAgreement) -> dict[str, Any]:
    return {
        "annotators": list(found.annotators),
        "sentences": found.n_sents,
        "edits": _estimate(found.edits),
        "spans": _estimate(found.spans),
        "alpha": _estimate(found.alpha),
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "sentences": pair.n_sents,
                "first_edits": pair.n_first,
                "second_edits": pair.n_second,
                "common_edits": pair.n_common,
                "edits": _estimate(pair.edits),
                "spans": _estimate(pair.spans),
                "kappa": _estimate(pair.kappa),
            }
            for pair in found.pairs
        ],
        "types": {
            name: {"edits": one.n_edits, "f1": one.edits, "alpha": _number(one.alpha)}
            for name, one in found.types.items()
        },
    }


def _estimate(found: Measured) -> dict[str, Any]:
    return {"value": _number(found.value), "interval": _pair(found.interval)}


def _score_record(one: HumanScore) -> dict[str, Any]:
    return {
        "metric": one.metric.name,
        "annotator": one.annotator,
        "sentences": one.n_sents,
        "score": one.score.value,
        "interval": _pair(one.interval),
        "signature": one.score.signature,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _pair(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def agreement_tables(
    found: AnnotatorAgreement, scores: Sequence[HumanScore], *, per_type: bool
) -> Iterator[Table]:
    """Return the agreement and the scores of annotators as tables."""
    ends = ("low", "high")
    header = ("first", "second", "sentences", "F1 of edits", *ends, "F1 of spans", "κ of tokens")
    yield Table(
        "agreement-pairs",
        "Agreement of pairs of annotators",
        # Names of columns are unique.
        (*header, *(f"κ {end}" for end in ends)),
        tuple(
            (
                *(pair.first, pair.second, pair.n_sents, *_cells(pair.edits)),
                *(_number(pair.spans.value), *_cells(pair.kappa)),
            )
            for pair in found.pairs
        ),
    )
    overall = {
        "F1 of edits": found.edits,
        "F1 of spans": found.spans,
        "Krippendorff's α of tokens": found.alpha,
    }
    yield Table(
        "agreement",
        "Agreement of all annotators",
        ("measure", "sentences", "agreement", *ends),
        tuple((name, found.n_sents, *_cells(one)) for name, one in overall.items()),
    )
    if per_type:
        types = tuple(
            (name or _NO_TYPE, one.n_edits, one.edits, one.alpha)
            for name, one in found.types.items()
        )
        names = ("type", "edits", "F1 of edits", "α of tokens")
        yield Table("agreement-types", "Agreement by error type", names, types)
    if scores:
        rows = tuple(
            (
                one.metric.title,
                one.annotator,
                one.n_sents,
                one.score.value,
                *(_pair(one.interval) or (None, None)),
            )
            for one in scores
        )
        columns = ("metric", "annotator", "sentences", "score", *ends)
        yield Table("human-scores", "Annotators against the others", columns, rows)


def _cells(found: Measured) -> tuple[Cell, ...]:
    return (_number(found.value), *(_pair(found.interval) or (None, None)))
