"""Conversion of files from one format to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import GecevalError, UnknownNameError
from geceval.formats import Findings, PathLike, output_format, read_sentences, write_sentences
from geceval.model import (
    Corpus,
    Sentence,
    annotator_order,
    applicable,
    apply_edits,
    first_alignments,
    keep_annotators,
    minimize,
)


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
    alignments: int = 0
    """Further alignments that the written format cannot represent."""


def convert_files(
    sources: Sequence[PathLike],
    target: PathLike,
    *,
    findings: Findings,
    format_name: str | None = None,
    to_name: str | None = None,
    annotators: Sequence[str] = (),
    apply: bool = False,
    source_only: bool = False,
    minimal: bool = False,
    encoding: str = "utf-8",
    lang: str = "",
    progress: Callable[[Iterator[Sentence]], Iterator[Sentence]] = iter,
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
    encoding
        Text encoding of the files to read.
    lang
        Code of the language of raw text, whose tokenizer is used.
    progress
        Shows how many sentences were converted.
    """
    result = Conversion()
    is_text = apply or source_only
    fmt = output_format(target, "parallel" if is_text and to_name is None else to_name)
    result.written = fmt.name
    reading = read_sentences(
        sources, format=format_name, findings=findings, encoding=encoding, lang=lang
    )
    with reading as (source_format, stream):
        result.read = source_format.name
        sentences = progress(stream)
        if annotators:
            sentences = _select(sentences, annotators)
        if minimal:
            sentences = map(minimize, sentences)
        if not fmt.has_alignments:
            sentences = _first_alignments(sentences, result)
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


def _first_alignments(sentences: Iterator[Sentence], result: Conversion) -> Iterator[Sentence]:
    """Drop further alignments of the same corrections, and count them."""
    for sent in sentences:
        first = first_alignments(sent)
        result.alignments += len(sent.annotations) - len(first.annotations)
        yield first


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
