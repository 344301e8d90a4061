"""Reading and writing every file format: one module each, found by name or by content.

The module of a format has a ``FORMATS`` tuple; `_MODULES` lists the modules in the order in
which their formats are tried on a file of unknown format, the most telling first.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from geceval.engines.process import paused_collector
from geceval.errors import GecevalError, GecevalWarning, UnknownNameError
from geceval.formats._shared import evidence
from geceval.formats.base import Format
from geceval.formats.findings import Finding, Findings
from geceval.formats.inputs import Input
from geceval.limits import named
from geceval.model import (
    Annotation,
    Corpus,
    Hypothesis,
    OutputReading,
    Sentence,
    apply_edits,
)
from geceval.storage.atomic import PathLike, open_output
from geceval.text import split_tokens

__all__ = [
    "Finding",
    "Findings",
    "Format",
    "Input",
    "LoadedFile",
    "PathLike",
    "detect",
    "formats",
    "get_format",
    "load",
    "load_file",
    "load_hypothesis",
    "open_output",
    "output_format",
    "read_sentences",
    "save",
    "write_sentences",
]

_MODULES = (
    "m2",
    "jsonl",
    "bea",
    "lang8",
    "ixml",
    "nucle",
    "hoo",
    "fce",
    "multigec",
    "uagec",
    "multiged",
    "clang8",
    "c4200m",
    "tsv",
    "parallel",
)


@cache
def formats() -> dict[str, Format]:
    """Every format by name, in the order of detection."""
    modules = (importlib.import_module(f"geceval.formats.{name}") for name in _MODULES)
    return {fmt.name: fmt for module in modules for fmt in module.FORMATS}


def get_format(name: str) -> Format:
    """Return the format called `name`, in any case."""
    try:
        return formats()[name.casefold()]
    except KeyError:
        raise UnknownNameError("format", name, formats()) from None


def detect(source: Input, *, option: str = "--format") -> Format:
    """Tell the format of a file by its content; plain text is what nothing else claims.

    A file that is called or looks like another format, and yet is none, is refused with a
    `FormatError`; `option` is what the program has to name its format.
    """
    return _checked(_claimed(source), source, option)


def _checked(fmt: Format, source: Input, option: str) -> Format:
    return evidence.check(fmt, source, formats().values(), option=option)


def _claimed(source: Input) -> Format:
    """Return the first format that recognizes the content."""
    for fmt in formats().values():
        if fmt.sniff is not None and fmt.sniff(source.head):
            return fmt
    return get_format("parallel")


def output_format(path: PathLike, name: str | None) -> Format:
    """Choose the format to write by name, or by the ending of the file."""
    if name is not None:
        return get_format(name)
    stem = os.fspath(path)
    for ending in (".gz", ".zst"):
        stem = stem.removesuffix(ending)
    for fmt in formats().values():
        if fmt.write is not None and stem.endswith(fmt.suffixes):
            return fmt
    known = ", ".join(sorted(name for name, fmt in formats().items() if fmt.write is not None))
    raise GecevalError(
        f"{os.fspath(path)}: the ending names no format to write; name one of {known}"
    )


@contextlib.contextmanager
def read_sentences(
    paths: Sequence[PathLike | Input],
    *,
    format: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
    text: bool = False,
) -> Iterator[tuple[Format, Iterator[Sentence]]]:
    """Open files and stream their sentences.

    Parameters
    ----------
    paths
        One file, or several: files of one corpus that follow one another, or, for
        formats made of several files (plain text, MultiGEC, …), source and references. Inputs
        that are open already are read from where they are.
    format
        Name of the format; detected from the content of the files when None.
    findings
        Where readers note what they repair or ignore.
    encoding
        Text encoding of the files.
    text
        Whether the files are meant to be plain text: then others are refused, unless the
        format is named.

    Examples
    --------
    >>> with read_sentences(["gold.m2"]) as (fmt, sentences):  # doctest: +SKIP
    ...     n_edits = sum(len(ann.edits) for sent in sentences for ann in sent.annotations)
    """
    if format is not None:
        get_format(format)  # A wrong name is told before a missing file.
    with contextlib.ExitStack() as stack:
        inputs = _open_all(stack, paths, findings, encoding)
        if format is not None:
            fmt = get_format(format)
        elif text:
            fmt = get_format("parallel")
            for source in inputs:
                _check_text(source, detect(source), option="--format")
        else:
            fmt = _detect_all(inputs)
        yield fmt, named(fmt.read(inputs), inputs[0].name)


def _detect_all(inputs: Sequence[Input]) -> Format:
    """Tell the format of files that belong together; the one that needs them all decides."""
    found = [_claimed(source) for source in inputs]
    joining = (fmt for fmt in found if fmt.several and fmt.name != "parallel")
    if (fmt := next(joining, None)) is not None:
        return fmt
    pairs = zip(found, inputs, strict=True)
    found = [_checked(fmt, source, "--format") for fmt, source in pairs]
    if found[0].name == "parallel":
        for source, fmt in zip(inputs, found, strict=True):
            _check_text(source, fmt, option="--format")
    return found[0]


def _check_text(source: Input, fmt: Format, *, option: str) -> None:
    """Refuse what is not plain text where it is expected."""
    if fmt.name != "parallel":
        raise source.error(
            f"this is {fmt.title} ({fmt.name}), and plain text is expected here; "
            f"give {option} parallel to read it as such all the same"
        )


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file, or the files of one corpus, as read.

    Parameters
    ----------
    inputs
        The files, which are closed by now.
    format
        Their format.
    sentences
        The sentences.
    findings
        What was noticed while reading.
    """

    inputs: Sequence[Input]
    format: Format
    sentences: Sequence[Sentence]
    findings: Findings

    @property
    def path(self) -> str:
        """The names of the files."""
        return ", ".join(source.name for source in self.inputs)


def load(
    path: PathLike,
    *more: PathLike,
    format: str | None = None,
    name: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
    text: bool = False,
    loaded: list[LoadedFile] | None = None,
) -> Corpus:
    """Load a gold standard; with `text`, from plain text of source and references only.

    What readers repair or ignore goes to `findings`; without it, each kind that deserves a
    look gives one `GecevalWarning`. Files are added to `loaded` as they were read.

    Examples
    --------
    >>> corpus = load("gold.m2")                        # doctest: +SKIP
    >>> corpus = load("src.txt", "ref0.txt", "ref1.txt")  # doctest: +SKIP
    """
    with _noted(findings) as noted, paused_collector():
        file = load_file(
            (path, *more),
            noted,
            format=format,
            encoding=encoding,
            text=text,
            find_controls=loaded is not None,
        )
    if loaded is not None:
        loaded.append(file)
    return Corpus(tuple(file.sentences), name=_stem(path) if name is None else name)


def load_file(
    paths: Sequence[PathLike | Input],
    findings: Findings,
    *,
    format: str | None,
    encoding: str,
    text: bool = False,
    find_controls: bool = True,
) -> LoadedFile:
    """Load a file, or the files of one corpus; see `read_sentences` and `Input`."""
    if format is not None:
        get_format(format)  # A wrong name is told before a missing file.
    with contextlib.ExitStack() as stack:
        inputs = _open_all(stack, paths, findings, encoding, find_controls=find_controls)
        try:
            fmt, stream = stack.enter_context(read_sentences(inputs, format=format, text=text))
            sentences = tuple(stream)
        finally:
            for source in inputs:
                if source.findings is not findings:
                    findings.update(source.findings)
    return LoadedFile(inputs, fmt, sentences, findings)


@contextlib.contextmanager
def _noted(findings: Findings | None) -> Iterator[Findings]:
    """Collect findings of some files, and add them to others or warn of them."""
    noted = Findings()
    try:
        yield noted
    finally:
        if findings is not None:
            findings.update(noted)
    if findings is None:
        for line in noted.summary(notes=False):
            warnings.warn(line, GecevalWarning, stacklevel=4)


def _open_all(
    stack: contextlib.ExitStack,
    paths: Sequence[PathLike | Input],
    findings: Findings | None,
    encoding: str,
    *,
    find_controls: bool = False,
) -> list[Input]:
    """Open files that are not open yet."""
    if sum(path == "-" for path in paths) > 1:
        raise GecevalError("standard input ('-') can be read only once")
    return [
        path
        if isinstance(path, Input)
        else stack.enter_context(
            Input.open(path, findings=findings, encoding=encoding, find_controls=find_controls)
        )
        for path in paths
    ]


def load_hypothesis(
    path: PathLike,
    *,
    name: str | None = None,
    format: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
    loaded: list[LoadedFile] | None = None,
) -> Hypothesis:
    """Load the output of one system: plain text, one sentence per line, or M2.

    In M2 the corrections of an annotator are the output, and the edits are kept. Where a
    sentence has several annotators, all of them are kept as the readings of the hypothesis.
    """
    with _noted(findings) as noted, contextlib.ExitStack() as stack:
        inputs = _open_all(stack, (path,), noted, encoding, find_controls=loaded is not None)
        fmt = get_format(format) if format is not None else _hypothesis_format(inputs[0])
        name = _stem(path) if name is None else name
        if fmt.name == "parallel":
            hypothesis = Hypothesis(name, tuple(map(split_tokens, inputs[0].lines())))
            sentences: Iterable[Sentence] = map(Sentence, hypothesis.sentences)
        else:
            sentences = list(fmt.read(inputs))
            hypothesis = _annotated_hypothesis(name, sentences)
        if loaded is not None:
            loaded.append(LoadedFile(inputs, fmt, list(sentences), noted))
    return hypothesis


def _hypothesis_format(source: Input) -> Format:
    """System output is plain text, or one of the formats that hold edits of tokens."""
    option = "--hyp-format"
    fmt = detect(source, option=option)
    if fmt.name not in ("m2", "m2-char", "jsonl"):
        _check_text(source, fmt, option=option)
    return fmt


def _annotated_hypothesis(name: str, sentences: Iterable[Sentence]) -> Hypothesis:
    """Take the readings of each sentence for what the system made of it."""
    listed = [
        sent if sent.annotations else replace(sent, annotations=(Annotation("0"),))
        for sent in sentences
    ]
    firsts = [sent.annotations[0].edits for sent in listed]
    return Hypothesis(
        name,
        tuple(apply_edits(sent.tokens, edits) for sent, edits in zip(listed, firsts, strict=True)),
        tuple(firsts),
        _output_readings(listed),
    )


def _output_readings(sentences: Sequence[Sentence]) -> tuple[OutputReading, ...]:
    """Return what every annotator made of the output, if any sentence has more than one."""
    if all(len(sent.annotations) == 1 for sent in sentences):
        return ()
    names = dict.fromkeys(ann.annotator for sent in sentences for ann in sent.annotations)
    found = {name: [sent.annotation(name) for sent in sentences] for name in names}
    return tuple(
        OutputReading(
            name,
            tuple(sent.corrected(name) for sent in sentences),
            tuple(None if ann is None else ann.edits for ann in annotations),
        )
        for name, annotations in found.items()
    )


def _stem(path: PathLike) -> str:
    """Return the file name without its ending (and without .gz, .zst before that)."""
    if os.fspath(path) == "-":
        return "stdin"
    stem = Path(path).name
    for ending in (".gz", ".zst"):
        stem = stem.removesuffix(ending)
    return Path(stem).stem


def write_sentences(
    sentences: Iterable[Sentence], path: PathLike, *more: PathLike, format: str | None = None
) -> Format:
    """Write a stream of sentences; the files appear only when all of it is written."""
    fmt = output_format(path, format)
    if more and not fmt.several:
        raise GecevalError(f"{fmt.title} is written into one file, not {1 + len(more)}")
    with contextlib.ExitStack() as stack:
        outputs = [stack.enter_context(open_output(target)) for target in (path, *more)]
        fmt.writer(sentences, outputs)
    return fmt


def save(corpus: Corpus, path: PathLike, *more: PathLike, format: str | None = None) -> None:
    """Save a corpus in the format called `format`, or the one that the file name ends in."""
    write_sentences(corpus.sentences, path, *more, format=format)
