"""``geceval metaeval maege``: evaluation of metrics on corrections of known quality."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from geceval.cli._shared.metric_selection import metric_option, select_metrics
from geceval.cli._shared.options import (
    OutputForm,
    add_options,
    choice_option,
    examples,
    lang_option,
    model_option,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.scoring import missing_option, seed_option, show_jobs
from geceval.cli._shared.show import (
    console,
    print_findings,
    print_json,
    print_signatures,
    print_tables,
    text,
)
from geceval.cli.metaeval._output import study_options, write_study
from geceval.errors import GecevalError
from geceval.formats import Findings, load
from geceval.metaeval.maege.chains import Source
from geceval.metaeval.maege.material import (
    Material,
    Reference,
    own_references,
    read_references,
    span,
)
from geceval.metaeval.maege.protocol import PROTOCOLS, Protocol
from geceval.metaeval.maege.study import study
from geceval.metaeval.maege.summary import Study, StudySettings
from geceval.metrics.options import descriptions_of, options_of
from geceval.metrics.specs import MetricSpec
from geceval.model import Corpus, MissingPolicy
from geceval.presentation.export import make_folder
from geceval.presentation.table import Table
from geceval.storage.strict_json import or_none

if TYPE_CHECKING:
    from geceval.extraction.annotator import Annotator

CACHED_SENTENCES = 50_000
"""Size of the cache of analyzed sentences: seeds have many in common."""


def _protocol_options() -> Iterator[Callable[[Any], Any]]:
    """Yield an option for each field of a protocol, which by default is that of the protocol."""
    described = descriptions_of(Protocol)
    for name, option in options_of(Protocol).items():
        kind = (
            click.Choice([str(choice) for choice in option.choices], case_sensitive=False)
            if option.choices
            else click.IntRange(min=int(option.range.min))
        )
        yield click.option(
            f"--{name.replace('_', '-')}",
            name,
            type=kind,
            metavar=None if option.choices else "N",
            help=f"{described[name].replace(chr(34), '')}  [by protocol]",
        )


@click.command(
    epilog=examples(
        """
        geceval metaeval maege gold.m2
        geceval metaeval maege gold.m2 -m gleu,m2 --seeds 3 --jobs 2
        geceval metaeval maege gold.m2 --ref ref0.txt --ref ref1.txt
        geceval metaeval maege gold.m2 --annotator 0,1 --ref 2,3,4
        geceval metaeval maege gold.m2 --ref more.m2:2,3 --source original
        geceval metaeval maege gold.m2 --ref ref0.txt --protocol released
        geceval metaeval maege gold.m2 --protocol released --corpus-source subset
        geceval metaeval maege gold.m2 --figures figures --tables tables -o maege.html
        geceval metaeval maege gold.m2 --seeds 10 --resume maege.jsonl --json
        geceval metaeval maege gold.m2 --human human.json --figures figures
        """
    )
)
@click.argument("gold", metavar="GOLD")
@click.option(
    "--annotator",
    "annotators",
    multiple=True,
    metavar="NAME,…",
    help="Annotators whose edits span the lattices (repeatable).  [all that are no references]",
)
@click.option(
    "--ref",
    "refs",
    multiple=True,
    metavar="NAME,…|FILE[:NAME,…]",
    help="References: annotators of GOLD, an M2 file or some of its annotators, or corrected text "
    "(repeatable).  [the other annotators]",
)
@metric_option(
    default="all", help="Metrics, or 'all' that can be used (repeatable); see 'geceval metrics'."
)
@choice_option(
    "--source",
    get_args(Source),
    default="random",
    help="Sample sources from the lattices, or use the original sentences.",
)
@click.option(
    "--seeds",
    "n_seeds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of runs, each with another seed, counted up from --seed.",
)
@seed_option
@click.option(
    "--chains",
    "n_chains",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of chains through each lattice.",
)
@choice_option(
    "--protocol",
    list(PROTOCOLS),
    default="paper",
    help="What is sampled and how results are computed: as the paper says, or as the code that "
    "made its tables. The next options change single parts.",
)
@add_options(*_protocol_options())
@click.option(
    "--retype", is_flag=True, help="Use the error types of ERRANT instead of those of GOLD."
)
@lang_option
@model_option
@missing_option("absent, or same if the file suggests it")
@click.option(
    "--human",
    metavar="FILE",
    help="Output of 'geceval metaeval human --json', to compare with MAEGE.",
)
@study_options
def maege(
    specs: Sequence[MetricSpec],
    n_seeds: int,
    seed: int,
    jobs: int,
    human: str | None,
    resume: str | None,
    form: OutputForm,
    tables_folder: str | None,
    figures_folder: str | None,
    output: str | None,
    **given: Any,
) -> None:
    """Evaluate metrics on corrections of known quality (MAEGE).

    GOLD is a gold standard, preferably with several annotators. Applying only some of an
    annotator's edits gives corrections of every quality; a good metric ranks them correctly.
    If --resume names a folder, results are saved to maege.jsonl in it.
    """
    from geceval.extraction.annotator import Annotator
    from geceval.metaeval.human.tables import read_correlations

    chosen = {name: given.pop(name) for name in options_of(Protocol)}
    protocol = replace(
        Protocol.named(given.pop("protocol")),
        **{name: value for name, value in chosen.items() if value is not None},
    )
    settings = StudySettings(
        given["source"], tuple(range(seed, seed + n_seeds)), given["n_chains"], protocol
    )
    references = [path for item in given["refs"] for path in (item, item.rpartition(":")[0])]
    protect([given["gold"], human, *filter(None, references)], (_resumed(resume), output))
    # Fail before a long computation whose results cannot be written.
    page_folder = str(Path(output).parent) if output else None
    for folder in filter(None, (tables_folder, figures_folder, page_folder)):
        make_folder(folder)
    human_scores = None if human is None else read_correlations(human)
    findings = Findings()
    annotator = Annotator(given["lang"], model=given["model"], cache=CACHED_SENTENCES)
    metrics = [
        metric.for_sentences()
        for metric in select_metrics(
            specs, findings, jobs=jobs, annotator=annotator, n_systems=None
        )
    ]
    material = _material(annotator, findings, protocol, **given)
    found = study(
        material,
        {metric.name: metric for metric in metrics},
        annotator,
        settings=settings,
        types=annotator.typer.signature if given["retype"] else "gold",
        resume=_resumed(resume),
        progress=partial(show_jobs, stage="metrics × seeds"),
    )
    _write(
        found,
        annotator,
        human_scores,
        tables_folder=tables_folder,
        figures_folder=figures_folder,
        output=output,
    )
    if form == "json":
        record = found.record()
        if human_scores is not None:
            record["people"] = {
                name: or_none(human_scores[name]) for name in found.metrics if name in human_scores
            }
        print_json({**record, "warnings": findings.summary(notes=False)})
        return
    print_findings(findings, stderr=True, notes=False)
    shown = _shown_tables(found, human_scores)
    if form == "terminal":
        _print(found, shown)
    else:
        print_tables(shown, form)


def _resumed(named: str | None) -> Path | None:
    """Return the file of finished results, which may be given by its folder."""
    if named is None:
        return None
    path = Path(named)
    return path / "maege.jsonl" if path.is_dir() else path


def _material(
    annotator: Annotator,
    findings: Findings,
    protocol: Protocol,
    *,
    gold: str,
    lang: str,
    annotators: Sequence[str],
    refs: Sequence[str],
    missing: MissingPolicy | None,
    retype: bool,
    format_name: str | None,
    encoding: str,
    **_: Any,
) -> Material:
    from geceval.validation.languages import refuse_unusable
    from geceval.validation.system_output import check_sources

    corpus = load(gold, format=format_name, findings=findings, encoding=encoding, name=gold)
    if not corpus.annotators:
        raise GecevalError(f"{gold} has no annotations that could span lattices")
    check_sources(corpus.sources, findings, path=gold, lang=lang)
    refuse_unusable(findings)
    references, named = _references(corpus, refs, missing, findings, encoding)
    if annotators:
        spanning = [name for some in annotators for name in _names(some)]
    else:
        spanning = [name for name in corpus.annotators if name not in named]
    if both := [name for name in spanning if name in named]:
        raise click.UsageError(f"annotator {both[0]} cannot both span lattices and be a reference")
    if not spanning:
        raise GecevalError(f"{gold}: no annotator is left to span lattices")
    if retype:
        corpus = _retyped(corpus, spanning, annotator)
    return span(
        corpus,
        annotators=spanning,
        references=references,
        missing=missing,
        findings=findings,
        protocol=protocol,
    )


def _names(text_: str) -> list[str]:
    return [name.strip() for name in text_.split(",") if name.strip()]


def _references(
    corpus: Corpus,
    refs: Sequence[str],
    missing: MissingPolicy | None,
    findings: Findings,
    encoding: str,
) -> tuple[list[Reference] | None, list[str]]:
    """Load the references, and name those that are annotators of the gold standard."""
    if not refs:
        return None, []
    references: list[Reference] = []
    named: list[str] = []
    for item in refs:
        names = _names(item)
        if names and all(name in corpus.annotators for name in names):
            named += names
            references += own_references(corpus, names, missing=missing)
            continue
        path, sign, some = item.rpartition(":")
        has_names = bool(sign) and not Path(item).exists()
        references += read_references(
            path if has_names else item,
            corpus,
            annotators=_names(some) if has_names else None,
            missing=missing,
            findings=findings,
            encoding=encoding,
        )
    repeated = {one.name for one in references if sum(o.name == one.name for o in references) > 1}
    if repeated:
        raise GecevalError(f"reference {min(repeated)} is given twice")
    return references, named


def _retyped(corpus: Corpus, spanning: Sequence[str], annotator: Annotator) -> Corpus:
    from geceval.extraction.corpus import retype

    spanned = corpus.keep_annotators(spanning)
    new = iter(retype(spanned.sentences, annotator, minimize=False))
    return replace(
        corpus,
        sentences=tuple(
            replace(
                sent,
                annotations=(
                    *(ann for ann in sent.annotations if ann.annotator not in spanning),
                    *next(new).annotations,
                ),
            )
            for sent in corpus
        ),
    )


def _shown_tables(found: Study, human: Mapping[str, float] | None) -> list[Table]:
    from geceval.metaeval.maege.tables import correlations, people, sensitivity

    beside = [people(found, human)] if human else []
    return [correlations(found), *beside, sensitivity(found)]


def _write(
    found: Study,
    annotator: Annotator,
    human: Mapping[str, float] | None,
    **wanted: str | None,
) -> None:
    from geceval.metaeval.maege.figures import pictures
    from geceval.metaeval.maege.rows import Extractor, count_mixed_references
    from geceval.metaeval.maege.tables import INTRODUCTION, sections, tables

    @cache
    def mixed() -> list[int]:
        return count_mixed_references(Extractor(found.material, annotator))

    write_study(
        f"Metrics measured on {Path(found.material.name).name}",
        INTRODUCTION,
        tables=lambda: tables(found, human=human),
        pictures=lambda: pictures(found, mixed=mixed(), human=human),
        sections=lambda: sections(found, mixed=mixed(), human=human),
        **wanted,
    )


def _print(found: Study, shown: Iterable[Table]) -> None:
    """Print the tables."""
    from geceval.metaeval.maege.tables import summary

    out = console()
    for paragraph in summary(found).split("\n\n"):
        out.print(text(paragraph))
    if found.n_restored:
        out.print(f"[dim]Results from earlier runs: {found.n_restored}[/dim]")
    print_tables(shown, "terminal")
    print_signatures((found.signature, *(metric.signature for metric in found.metrics.values())))
