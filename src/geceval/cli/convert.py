"""``geceval convert``: conversion between file formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from geceval.cli._shared.options import (
    examples,
    json_option,
    output_format_option,
    reading_options,
)
from geceval.cli._shared.protect import protect
from geceval.cli._shared.show import (
    counted,
    finding_records,
    print_findings,
    print_json,
    progress,
    say,
)
from geceval.errors import GecevalError, UnknownNameError
from geceval.formats import (
    Findings,
    PathLike,
    output_format,
    read_sentences,
    write_sentences,
)
from geceval.model import (
    Corpus,
    Sentence,
    annotator_order,
    applicable,
    apply_edits,
    keep_annotators,
    minimize,
)

_FIRST_CORRECTION = {
    "ixml": "the I-measure takes the first, the others are stored for geceval only",
    "parallel": "the first is written",
    "tsv": "the first is written",
}
"""How formats that cannot store alternative corrections handle them."""


@dataclass(slots=True)
class Conversion:
    """Formats, files and counts of a conversion."""

    read: str = ""
    written: str = ""
    files: tuple[str, ...] = ()
    sentences: int = 0
    edits: int = 0
    not_applied: int = 0
    with_alternatives: int = 0


def convert_files(
    sources: Sequence[PathLike],
    target: PathLike,
    *,
    findings: Findings,
    format_name: str | None,
    to_name: str | None,
    annotators: Sequence[str],
    apply: bool,
    source_only: bool,
    minimal: bool,
    encoding: str,
) -> Conversion:
    """Convert files; sentence by sentence where the written format allows.

    Parameters
    ----------
    sources
        Files to read; for formats of several files the source first.
    target
        File to write.
    annotators
        Annotators to select; all if empty.
    apply
        Write corrected sentences as plain text instead of edits.
    source_only
        Write source sentences as plain text.
    minimal
        Trim unchanged tokens at both ends of edits.
    """
    result = Conversion()
    is_text = apply or source_only
    fmt = output_format(target, "parallel" if is_text and to_name is None else to_name)
    result.written = fmt.name
    with read_sentences(sources, format=format_name, findings=findings, encoding=encoding) as (
        source_format,
        stream,
    ):
        result.read = source_format.name
        sentences = progress(stream, "converting")
        if annotators:
            sentences = _select(sentences, annotators)
        if minimal:
            sentences = map(minimize, sentences)
        sentences = _counted(sentences, result)
        if apply:
            sentences = _corrected(sentences, result)
        elif source_only:
            sentences = (Sentence(sent.tokens) for sent in sentences)
        targets: tuple[PathLike, ...] = (target,)
        if fmt.name == "parallel" and not is_text:
            corpus = Corpus(tuple(sentences))
            sentences = iter(corpus)
            targets = _parallel_names(target, corpus.annotators)
        write_sentences(sentences, *targets, format=fmt.name)
    result.files = tuple(map(str, targets))
    return result


def _select(sentences: Iterator[Sentence], annotators: Sequence[str]) -> Iterator[Sentence]:
    wanted = frozenset(annotators)
    seen: set[str] = set()
    for sent in sentences:
        seen.update(ann.annotator for ann in sent.annotations)
        yield keep_annotators(sent, wanted)
    for name in annotators:
        if name not in seen:
            raise UnknownNameError("annotator", name, seen)


def _counted(sentences: Iterator[Sentence], result: Conversion) -> Iterator[Sentence]:
    for sent in sentences:
        result.sentences += 1
        for ann in sent.annotations:
            result.edits += len(ann.edits)
            result.with_alternatives += sum(len(edit.corrections) > 1 for edit in ann.edits)
        yield sent


def _corrected(sentences: Iterator[Sentence], result: Conversion) -> Iterator[Sentence]:
    """Apply the edits of the only annotator; a sentence without one stays as it is."""
    names: set[str] = set()
    for sent in sentences:
        names.update(ann.annotator for ann in sent.annotations)
        if len(names) > 1:
            known = ", ".join(sorted(names, key=annotator_order))
            raise GecevalError(f"several annotators ({known}, …): name one with --annotator")
        tokens = sent.tokens
        for ann in sent.annotations:
            tokens = apply_edits(sent.tokens, ann.edits)
            n_corrections = sum(edit.corrects for edit in ann.edits)
            n_applied = sum(1 for _ in applicable(ann.edits, len(sent.tokens)))
            result.not_applied += n_corrections - n_applied
        yield Sentence(tokens)


def _parallel_names(target: PathLike, annotators: Sequence[str]) -> tuple[PathLike, ...]:
    """Name the files of parallel text: ``out.src.txt``, ``out.ref0.txt`` and so on."""
    if str(target) == "-":
        raise GecevalError(
            "parallel text is several files and cannot go to standard output; "
            "--apply or --source writes one text"
        )
    path = Path(target)
    endings = path.suffixes[-2:] if path.suffix in (".gz", ".zst") else path.suffixes[-1:]
    ending = "".join(endings)
    stem = path.name.removesuffix(ending)
    for name in annotators:
        if "/" in name or "\0" in name:
            raise GecevalError(f"the annotator {name!r} cannot be part of a file name")
    labels = ("src", *(f"ref{name}" for name in annotators))
    return tuple(path.parent / f"{stem}.{label}{ending}" for label in labels)


@click.command(
    epilog=examples(
        """
        geceval convert official.sgml gold.m2
        geceval convert gold.m2 gold.xml
        geceval convert src.txt ref0.txt ref1.txt gold.m2
        geceval convert gold.m2 corrected.txt --apply --annotator 1
        geceval convert gold.m2 src.txt --source
        zcat gold.m2.gz | geceval convert - gold.jsonl
        """
    )
)
@click.argument("files", metavar="IN... OUT", nargs=-1, required=True)
@output_format_option("by the extension of OUT")
@click.option(
    "--annotator", "annotators", multiple=True, help="Select this annotator (repeatable)."
)
@click.option("--apply", is_flag=True, help="Write the corrected sentences as plain text.")
@click.option(
    "--source", "source_only", is_flag=True, help="Write the source sentences as plain text."
)
@click.option(
    "--minimize", "minimal", is_flag=True, help="Trim unchanged tokens at both ends of edits."
)
@reading_options
@json_option
def convert(
    files: tuple[str, ...], apply: bool, source_only: bool, as_json: bool, **options: Any
) -> None:
    """Convert between file formats.

    Several input files are read as source and references, in this order. ``-`` is standard
    input or output; names that end in .gz or .zst are compressed.
    """
    if len(files) < 2:
        raise click.UsageError("give at least one file to read and the file to write")
    if apply and source_only:
        raise click.UsageError("--apply and --source exclude each other")
    *sources, target = files
    if as_json and target == "-":
        raise click.UsageError("--json and '-' would both write to standard output")
    protect(sources, [target])
    findings = Findings()
    result = convert_files(
        sources, target, findings=findings, apply=apply, source_only=source_only, **options
    )
    if as_json:
        print_json({"schema": 1, **asdict(result), "findings": finding_records(findings)})
        return
    print_findings(findings, stderr=True)
    if result.not_applied:
        say(f"{counted(result.not_applied, 'edit')} not applied: past the end or over another")
    if result.with_alternatives and not source_only and result.written in _FIRST_CORRECTION:
        edits = f"{counted(result.with_alternatives, 'edit')} with several corrections"
        say(f"{edits}: {_FIRST_CORRECTION[result.written]}")
    say(
        f"{counted(result.sentences, 'sentence')}, {counted(result.edits, 'edit')}: "
        f"{result.read} → {result.written} ({', '.join(result.files)})"
    )
