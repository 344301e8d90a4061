"""Read and write corpora in many file formats, one module per format.

Each module defines a ``FORMATS`` tuple. `_MODULES` lists the modules in the order in which their
formats are tried on a file of unknown format, the most specific first.
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
from geceval.formats.inputs import Input, strip_compression
from geceval.limits import name_errors
from geceval.model import (
    DIFF,
    Annotation,
    Corpus,
    Hypothesis,
    OutputReading,
    Sentence,
    Tokens,
    apply_edits,
    first_alignments,
)
from geceval.storage.atomic import PathLike, open_output
from geceval.storage.urls import shown_name
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
    "m2_zh",
    "m2",
    "sample_logs",
    "jsonl",
    "parquet",
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


_LABELS = "multiged"
"""Format of system output that labels tokens."""

_TABLE = "tsv"
"""Format of system output with a number and the source before each sentence."""


@cache
def formats() -> dict[str, Format]:
    """Return all formats by name, in the order of detection."""
    return {fmt.name: fmt for fmt in _imported(_MODULES)}


def _imported(modules: Iterable[str]) -> Iterator[Format]:
    """Yield the formats of modules, each imported when it is reached: all of them take long."""
    for name in modules:
        yield from importlib.import_module(f"geceval.formats.{name}").FORMATS


def get_format(name: str) -> Format:
    """Return a format by its name, ignoring case."""
    key = name.casefold()
    # Most formats have the name of their module.
    own = _imported([key] if key in _MODULES else [])
    fmt = next((fmt for fmt in own if fmt.name == key), None) or formats().get(key)
    if fmt is None:
        raise UnknownNameError("format", name, formats())
    return fmt


def detect(source: Input, *, option: str = "--format") -> Format:
    """Detect the format of a file from its content; plain text is the fallback.

    Raises a `FormatError` if the name or the content suggests another format but does not match
    it; the message refers to `option`, the command-line option that sets the format.
    """
    return _checked(_recognized(source), source, option)


def _checked(fmt: Format, source: Input, option: str) -> Format:
    return evidence.check(fmt, source, formats().values(), option=option)


def _recognized(source: Input) -> Format:
    """Return the first format that recognizes the content."""
    for fmt in formats().values():
        if fmt.sniff is not None and fmt.sniff(source.head):
            return fmt
    return get_format("parallel")


def output_format(path: PathLike, name: str | None) -> Format:
    """Return the output format, by name or by file extension."""
    if name is not None:
        return get_format(name)
    stem = strip_compression(os.fspath(path))
    for fmt in _imported(_MODULES):
        if fmt.write is not None and stem.endswith(fmt.suffixes):
            return fmt
    known = ", ".join(sorted(name for name, fmt in formats().items() if fmt.write is not None))
    raise GecevalError(
        f"{shown_name(path)}: no output format for this file extension; choose one of {known}"
    )


@contextlib.contextmanager
def read_sentences(
    paths: Sequence[PathLike | Input],
    *,
    format: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
    text: bool = False,
    lang: str = "",
) -> Iterator[tuple[Format, Iterator[Sentence]]]:
    """Open files and stream their sentences.

    Parameters
    ----------
    paths
        One file, or several: files of one corpus that follow one another, or, for
        formats made of several files (plain text, MultiGEC, …), source and references. Open inputs
        are read from their current position.
    format
        Name of the format; detected from the content when None.
    findings
        Collection to which readers add what they repair or ignore.
    encoding
        Text encoding of the files.
    text
        Whether to accept only plain text, unless `format` is given.
    lang
        Code of the language of raw text, whose tokenizer is used.

    Examples
    --------
    >>> with read_sentences(["gold.m2"]) as (fmt, sentences):  # doctest: +SKIP
    ...     n_edits = sum(len(ann.edits) for sent in sentences for ann in sent.annotations)
    """
    if format is not None:
        get_format(format)  # Report an unknown format before a missing file.
    with contextlib.ExitStack() as stack:
        inputs = open_inputs(stack, paths, findings, encoding, lang=lang)
        if format is not None:
            fmt = get_format(format)
        elif text:
            fmt = get_format("parallel")
            for source in inputs:
                _check_text(source, detect(source), option="--format")
        else:
            fmt = _detect_all(inputs)
        yield fmt, name_errors(fmt.read(inputs), inputs[0].name)


def _detect_all(inputs: Sequence[Input]) -> Format:
    """Detect the format of files of one corpus; a format of several files takes precedence."""
    found = [_recognized(source) for source in inputs]
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
    """Raise an error if a file is not plain text."""
    if fmt.name != "parallel":
        raise source.error(
            f"expected plain text, found {fmt.title} ({fmt.name}); "
            f"use {option} parallel to read it as plain text anyway"
        )


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """The content and findings of a file, or of the files of one corpus; `inputs` are closed."""

    inputs: Sequence[Input]
    format: Format
    sentences: Sequence[Sentence]
    findings: Findings

    @property
    def path(self) -> str:
        """The names of the files."""
        return ", ".join(source.name for source in self.inputs)


def load(
    path: PathLike | Input,
    *more: PathLike | Input,
    format: str | None = None,
    name: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
    text: bool = False,
    lang: str = "",
    loaded: list[LoadedFile] | None = None,
) -> Corpus:
    """Load a gold standard.

    What readers repair or ignore is added to `findings`; by default, errors and warnings become a
    `GecevalWarning` per code and file. The loaded file is appended to `loaded`.

    Examples
    --------
    >>> corpus = load("gold.m2")                        # doctest: +SKIP
    >>> corpus = load("src.txt", "ref0.txt", "ref1.txt")  # doctest: +SKIP
    """
    with _collected(findings) as collected, paused_collector():
        file = load_file(
            (path, *more),
            collected,
            format=format,
            encoding=encoding,
            text=text,
            lang=lang,
            find_controls=loaded is not None,
        )
    if loaded is not None:
        loaded.append(file)
    return Corpus(
        tuple(file.sentences),
        name=_stem(path) if name is None else name,
        extraction=DIFF if file.format.name == "parallel" else "",
    )


def load_file(
    paths: Sequence[PathLike | Input],
    findings: Findings,
    *,
    format: str | None,
    encoding: str,
    text: bool = False,
    lang: str = "",
    find_controls: bool = True,
) -> LoadedFile:
    """Load a file, or the files of one corpus; see `read_sentences` and `Input`."""
    if format is not None:
        get_format(format)  # Report an unknown format before a missing file.
    with contextlib.ExitStack() as stack:
        inputs = open_inputs(
            stack, paths, findings, encoding, find_controls=find_controls, lang=lang
        )
        try:
            fmt, stream = stack.enter_context(read_sentences(inputs, format=format, text=text))
            sentences = tuple(stream)
        finally:
            for source in inputs:
                if source.findings is not findings:
                    findings.update(source.findings)
    return LoadedFile(inputs, fmt, sentences, findings)


@contextlib.contextmanager
def _collected(findings: Findings | None) -> Iterator[Findings]:
    """Collect findings, and add them to `findings` or issue warnings."""
    collected = Findings()
    try:
        yield collected
    finally:
        if findings is not None:
            findings.update(collected)
    if findings is None:
        for line in collected.summary(notes=False):
            warnings.warn(line, GecevalWarning, stacklevel=4)


def open_inputs(
    stack: contextlib.ExitStack,
    paths: Sequence[PathLike | Input],
    findings: Findings | None,
    encoding: str,
    *,
    find_controls: bool = False,
    lang: str = "",
) -> list[Input]:
    """Open the files that are not open yet; `stack` closes them."""
    names = [os.fspath(path) for path in paths if not isinstance(path, Input)]
    if names.count("-") > 1:
        raise GecevalError("standard input ('-') can be read only once")
    inputs = [
        path
        if isinstance(path, Input)
        else stack.enter_context(
            Input.open(path, findings=findings, encoding=encoding, find_controls=find_controls)
        )
        for path in paths
    ]
    for source in inputs:
        source.lang = lang or source.lang
    return inputs


def load_hypothesis(
    path: PathLike | Input,
    *,
    name: str | None = None,
    format: str | None = None,
    findings: Findings | None = None,
    encoding: str = "utf-8",
    loaded: list[LoadedFile] | None = None,
    stored: dict[Tokens, Tokens] | None = None,
) -> Hypothesis:
    """Load the output of one system: plain text, one sentence per line, M2, TSV or labels.

    In M2, the output is the sentence corrected by the first annotator, with its edits. Further
    annotators become alternatives of the hypothesis. MultiGED files have labels instead of
    corrections. In TSV, a number and the source precede each corrected sentence.

    Sentences of plain text that `stored` has, such as those of other systems, are stored once.
    """
    with _collected(findings) as collected, contextlib.ExitStack() as stack:
        inputs = open_inputs(stack, (path,), collected, encoding, find_controls=loaded is not None)
        fmt = get_format(format) if format is not None else _hypothesis_format(inputs[0])
        name = _stem(path) if name is None else name
        if fmt.name == "parallel":
            stored = {} if stored is None else stored
            lines = map(split_tokens, inputs[0].lines())
            hypothesis = Hypothesis(name, tuple([stored.setdefault(one, one) for one in lines]))
            sentences: Iterable[Sentence] = map(Sentence, hypothesis.sentences)
        elif fmt.name == _TABLE:
            sentences = list(fmt.read(inputs))
            hypothesis = _predictions(name, inputs[0], sentences)
        elif fmt.is_output:
            sentences = list(fmt.read(inputs))
            hypothesis = Hypothesis(name, tuple(sent.tokens for sent in sentences))
        else:
            sentences = list(fmt.read(inputs))
            hypothesis = _annotated_hypothesis(name, sentences)
            if fmt.name == _LABELS:
                _check_labels(inputs[0], sentences)
                hypothesis = replace(hypothesis, labeled=True)
        if loaded is not None:
            loaded.append(LoadedFile(inputs, fmt, list(sentences), collected))
    return hypothesis


def _hypothesis_format(source: Input) -> Format:
    """Detect the format of system output: plain text, or one with token edits or labels."""
    from geceval.formats.tsv import has_numbers

    option = "--hyp-format"
    fmt = detect(source, option=option)
    if fmt.name == _LABELS and strip_compression(source.name).endswith(".txt"):
        raise source.error(
            f"expected plain text, found {fmt.title} ({fmt.name}); use {option} {fmt.name} to read "
            f"it as labels, or {option} parallel to read it as plain text anyway"
        )
    if fmt.name == _TABLE and has_numbers(source.head):
        return fmt
    if fmt.name not in ("m2", "m2-char", "m2-zh", "jsonl", _LABELS) and not fmt.is_output:
        _check_text(source, fmt, option=option)
    return fmt


def _predictions(name: str, source: Input, sentences: Sequence[Sentence]) -> Hypothesis:
    """Make a hypothesis from rows of a source and its correction."""
    outputs: list[Tokens] = []
    if not any(sent.annotations or sent.not_annotatable for sent in sentences):
        raise source.error("expected a number, a source and one corrected sentence in each row")
    for number, sent in enumerate(sentences, 1):
        found = len(sent.annotations) + len(sent.not_annotatable)
        if found > 1:
            raise source.error(
                f"expected a number, a source and one corrected sentence, found {found} corrected "
                "sentences; a file with references is a gold standard",
                line=number,
            )
        if sent.annotations:
            outputs.append(apply_edits(sent.tokens, sent.annotations[0].edits))
        else:
            # An empty cell is an empty output; a placeholder leaves the source as it is.
            outputs.append(sent.tokens if sent.not_annotatable else ())
    message = "a table with number, source and output of each sentence: the last column is scored"
    source.note("predictions", message, severity="note")
    rows = tuple(Sentence(sent.tokens, id=sent.id) for sent in sentences)
    return Hypothesis(name, tuple(outputs), rows=rows)


def _check_labels(source: Input, sentences: Iterable[Sentence]) -> None:
    """Raise an error for tokens without labels, such as those of a test set."""
    if not all(sent.annotations for sent in sentences):
        raise source.error("the tokens have no labels, 'c' or 'i', after a tab")


def _annotated_hypothesis(name: str, sentences: Iterable[Sentence]) -> Hypothesis:
    """Make a hypothesis from annotated sentences."""
    listed = [
        sent if sent.annotations else replace(sent, annotations=(Annotation("0"),))
        for sent in sentences
    ]
    firsts = [sent.annotations[0].edits for sent in listed]
    return Hypothesis(
        name,
        tuple(apply_edits(sent.tokens, edits) for sent, edits in zip(listed, firsts, strict=True)),
        tuple(firsts),
        _alternatives(listed),
    )


def _alternatives(sentences: Sequence[Sentence]) -> tuple[OutputReading, ...]:
    """Return the output of each annotator if any sentence has more than one."""
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


def _stem(path: PathLike | Input) -> str:
    """Return the file name without its extensions, such as .m2.gz."""
    if isinstance(path, Input):
        path = path.name
    if os.fspath(path) == "-":
        return "stdin"
    return Path(strip_compression(Path(path).name)).stem


def write_sentences(
    sentences: Iterable[Sentence], path: PathLike, *more: PathLike, format: str | None = None
) -> Format:
    """Write a stream of sentences; the files appear only when complete."""
    fmt = output_format(path, format)
    if more and not fmt.several:
        raise GecevalError(f"{fmt.title} is written to one file, not {1 + len(more)}")
    with contextlib.ExitStack() as stack:
        outputs = [stack.enter_context(open_output(target)) for target in (path, *more)]
        # Other tools would take a second alignment for another annotator.
        if not fmt.has_alignments:
            sentences = map(first_alignments, sentences)
        fmt.writer(sentences, outputs)
    return fmt


def save(corpus: Corpus, path: PathLike, *more: PathLike, format: str | None = None) -> None:
    """Save a corpus; the format is given by name or by the file extension."""
    write_sentences(corpus.sentences, path, *more, format=format)
