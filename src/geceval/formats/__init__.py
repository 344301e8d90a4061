"""Reading and writing every file format: one module each, found by name or by content.

The module of a format has a ``FORMATS`` tuple; `_MODULES` lists the modules in the order in
which their formats are tried on a file of unknown format, the most telling first.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from geceval.errors import GecevalError, GecevalWarning, UnknownNameError
from geceval.formats.base import Format
from geceval.formats.findings import Finding, Findings
from geceval.formats.inputs import Input, PathLike
from geceval.formats.outputs import open_output
from geceval.model import Corpus, Hypothesis, Sentence, apply_edits
from geceval.text import split_tokens

__all__ = [
    "Finding",
    "Findings",
    "Format",
    "Input",
    "PathLike",
    "detect",
    "formats",
    "get_format",
    "load",
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


def detect(source: Input) -> Format:
    """Tell the format of a file by its content; plain text is what nothing else claims."""
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
    paths: Sequence[PathLike],
    *,
    format: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
) -> Iterator[tuple[Format, Iterator[Sentence]]]:
    """Open files and stream their sentences.

    Parameters
    ----------
    paths
        One file, or several: files of one corpus that follow one another, or, for
        formats made of several files (plain text, MultiGEC, …), source and references.
    format
        Name of the format; detected from the content of the files when None.
    findings
        Where readers note what they repair or ignore.
    encoding
        Text encoding of the files.

    Examples
    --------
    >>> with read_sentences(["gold.m2"]) as (fmt, sentences):  # doctest: +SKIP
    ...     n_edits = sum(len(ann.edits) for sent in sentences for ann in sent.annotations)
    """
    if format is not None:
        get_format(format)  # A wrong name is told before a missing file.
    if sum(os.fspath(path) == "-" for path in paths) > 1:
        raise GecevalError("standard input ('-') can be read only once")
    with contextlib.ExitStack() as stack:
        inputs = [
            stack.enter_context(Input.open(path, findings=findings, encoding=encoding))
            for path in paths
        ]
        fmt = _detect_all(inputs) if format is None else get_format(format)
        yield fmt, fmt.read(inputs)


def _detect_all(inputs: Sequence[Input]) -> Format:
    """Tell the format of files that belong together; the one that needs them all decides."""
    found = [detect(source) for source in inputs]
    joining = (fmt for fmt in found if fmt.several and fmt.name != "parallel")
    return next(joining, found[0])


def load(
    path: PathLike,
    *more: PathLike,
    format: str | None = None,
    name: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
) -> Corpus:
    """Load a gold standard.

    What readers repair or ignore goes to `findings`; without it, each kind that deserves a
    look gives one `GecevalWarning`.

    Examples
    --------
    >>> corpus = load("gold.m2")                        # doctest: +SKIP
    >>> corpus = load("src.txt", "ref0.txt", "ref1.txt")  # doctest: +SKIP
    """
    noted = Findings() if findings is None else findings
    with (
        read_sentences((path, *more), format=format, findings=noted, encoding=encoding) as (
            _,
            sentences,
        ),
        _without_collector(),
    ):
        corpus = Corpus(tuple(sentences), name=_stem(path) if name is None else name)
    if findings is None:
        _warn(noted)
    return corpus


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Keep Python from looking for cycles among the many new objects: there are none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def load_hypothesis(
    path: PathLike,
    *,
    name: str | None = None,
    format: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
) -> Hypothesis:
    """Load the output of one system: plain text, one sentence per line, or M2.

    In M2 the corrections of the first annotator are the output, and its edits are kept.
    """
    noted = Findings() if findings is None else findings
    with Input.open(path, findings=noted, encoding=encoding) as source:
        fmt = get_format(format) if format is not None else _hypothesis_format(source)
        name = _stem(path) if name is None else name
        if fmt.name == "parallel":
            hypothesis = Hypothesis(name, tuple(map(split_tokens, source.lines())))
        else:
            hypothesis = _annotated_hypothesis(name, fmt.read([source]))
    if findings is None:
        _warn(noted)
    return hypothesis


def _warn(findings: Findings) -> None:
    """Warn once for each kind of finding that deserves it."""
    for line in findings.summary(notes=False):
        warnings.warn(line, GecevalWarning, stacklevel=3)


def _hypothesis_format(source: Input) -> Format:
    """System output is plain text unless it is clearly annotated."""
    fmt = detect(source)
    return fmt if fmt.name in ("m2", "m2-char", "jsonl") else get_format("parallel")


def _annotated_hypothesis(name: str, sentences: Iterable[Sentence]) -> Hypothesis:
    """Take the first reading of each sentence for what the system made of it."""
    outputs, edits = [], []
    for sent in sentences:
        found = sent.annotations[0].edits if sent.annotations else ()
        outputs.append(apply_edits(sent.tokens, found))
        edits.append(found)
    return Hypothesis(name, tuple(outputs), tuple(edits))


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
