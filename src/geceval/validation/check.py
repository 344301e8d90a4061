"""The input doctor: what is in the files, and what would spoil a score.

`examine` looks at a gold standard (or a source) and at texts that must go with it line by
line; `repair` mends what can be mended without guessing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from geceval.errors import FormatError, GecevalError
from geceval.formats import (
    Findings,
    Format,
    Input,
    LoadedFile,
    PathLike,
    detect,
    get_format,
    load_file,
)
from geceval.formats.findings import Severity
from geceval.formats.parallel import reading_from_target
from geceval.formats.retokenize import is_tokenization_only, tokenize_like
from geceval.model import (
    Annotation,
    Corpus,
    CorpusStatistics,
    Edit,
    Sentence,
    Tokens,
    annotator_order,
    in_order,
)
from geceval.references.missing import MissingReadings
from geceval.text import split_tokens
from geceval.validation.misalignment import find_slip
from geceval.validation.pairs import Doubt
from geceval.validation.screening import Screen, check_sources, note
from geceval.visible import invisible_controls, visible

_LISTED = {
    "tokenization": "tokenized in another way than the source, which counts as wrong edits",
    "empty-output": "an empty sentence for one that is not",
}
"""What is told of every single sentence rather than of all of them together."""

_MOST_SINGLE = 8
"""Files after which none is expected to be one corpus together with the first."""

_TOKENS = frozenset({"detokenized", "tokenization"})
"""Doubts about how a text is split into tokens."""


@dataclass(slots=True)
class FileReport:
    """What one file holds."""

    path: str
    format: str
    title: str
    statistics: CorpusStatistics


@dataclass(slots=True)
class Examination:
    """What all files hold and what was found."""

    files: list[FileReport] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    loaded: list[LoadedFile] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found that would spoil a score."""
        return self.findings.worst() != "error"


def examine(
    paths: Sequence[PathLike], *, format: str | None = None, encoding: str = "utf-8"
) -> Examination:
    """Look at files that belong together.

    Parameters
    ----------
    paths
        A gold standard or a source text first; texts after it are held against its
        sentences line by line.
    format
        Name of the format of the first file; detected when None.
    encoding
        Text encoding of all files.
    """
    if format is not None:
        get_format(format)  # A wrong name is a fault of the caller, not of the file.
    if sum(os.fspath(path) == "-" for path in paths) > 1:
        raise GecevalError("standard input ('-') can be read only once")
    result = Examination()
    first: LoadedFile | None = None
    with ExitStack() as stack:
        for number, group in enumerate(_groups(paths, format, encoding, stack)):
            findings = Findings()
            try:
                name = format if number == 0 else None
                loaded = load_file(group, findings, format=name, encoding=encoding)
            except FormatError as error:
                result.findings.update(findings)
                result.findings.add(
                    "unreadable", error.message, severity="error", path=error.path, line=error.line
                )
                continue
            if number == 0:
                first = loaded
            _examine(result, loaded, first)
    return result


def examine_loaded(files: Sequence[LoadedFile]) -> Examination:
    """Examine files that were read already, with `find_controls`; see `examine`."""
    result = Examination()
    for file in files:
        _examine(result, file, files[0])
    return result


def separate_texts(texts: LoadedFile) -> list[LoadedFile]:
    """Return source and references, which were read together, one by one."""
    separate = []
    for number, source in enumerate(texts.inputs):
        sentences = [
            Sentence(sent.corrected(str(number - 1)) or () if number else sent.tokens)
            for sent in texts.sentences
        ]
        findings = Findings()
        for one in texts.findings:
            if one.path == source.name:
                findings.add(
                    one.code, one.message, severity=one.severity, path=one.path, line=one.line
                )
        separate.append(LoadedFile([source], texts.format, sentences, findings))
    return separate


def _examine(result: Examination, file: LoadedFile, first: LoadedFile | None) -> None:
    """Examine one file, and compare it with the first one where that is another."""
    result.loaded.append(file)
    result.findings.update(file.findings)
    statistics = CorpusStatistics.of(file.sentences)
    result.files.append(FileReport(file.path, file.format.name, file.format.title, statistics))
    _check_sentences(file, result.findings)
    _check_controls(file, result.findings)
    if file is first:
        sources = [sent.tokens for sent in file.sentences]
        check_sources(sources, result.findings, path=file.path, is_text=_is_text(file))
    elif first is not None:
        _compare(first, file, result.findings)


def _is_text(file: LoadedFile) -> bool:
    return file.format.name == "parallel"


def check_head(
    format: str,
    names: Sequence[str],
    head: Sequence[Sentence | tuple[str, ...]],
    findings: Findings,
) -> None:
    """Check the first sentences of a corpus or of parallel text that is read as a stream.

    Parameters
    ----------
    format
        Name of the format.
    names
        The files.
    head
        Sentences, or lines of parallel text side by side.
    findings
        Where doubts are noted.
    """
    sentences = [_sentence(item) for item in head]
    sources = [sent.tokens for sent in sentences]
    is_text = format == "parallel"
    check_sources(sources, findings, path=names[0], is_text=is_text)
    if is_text:
        screen = Screen(sources)
        for number, name in enumerate(names[1:]):
            for doubt in screen.doubts([sent.corrected(str(number)) or () for sent in sentences]):
                note(doubt, findings, path=name, is_text=True)


def _sentence(item: Sentence | tuple[str, ...]) -> Sentence:
    if isinstance(item, Sentence):
        return item
    tokens, *targets = map(split_tokens, item)
    readings = (reading_from_target(str(n), tokens, target) for n, target in enumerate(targets))
    return Sentence(tokens, tuple(readings))


def _groups(
    paths: Sequence[PathLike], format: str | None, encoding: str, stack: ExitStack
) -> list[list[PathLike | Input]]:
    """Put the files at the beginning together that are one corpus, as HOO source and edits.

    Files that have to be opened to know that stay open, so that each is read once.
    """
    opened: list[PathLike | Input] = []
    found: list[Format] = []
    # Where none of many files joins others, none will: they are outputs of systems.
    while (
        format is None
        and len(opened) < len(paths)
        and (len(found) < _MOST_SINGLE or any(fmt.several for fmt in found))
    ):
        try:
            source = Input.open(
                paths[len(opened)], findings=Findings(), encoding=encoding, find_controls=True
            )
            opened.append(stack.enter_context(source))
            fmt = detect(source)
        except FormatError:
            break
        if fmt.name == "parallel":
            break
        found.append(fmt)
    files = [*opened, *paths[len(opened) :]]
    n_gold = len(found) if any(fmt.several for fmt in found) else 1
    return [files[:n_gold], *([path] for path in files[n_gold:])]


def _check_sentences(loaded: LoadedFile, findings: Findings) -> None:
    if not loaded.sentences:
        findings.add("no-sentences", "no sentences", severity="error", path=loaded.path)
    everybody = {ann.annotator for sent in loaded.sentences for ann in sent.annotations}
    absences: Counter[str] = Counter()
    for number, sent in enumerate(loaded.sentences, 1):
        where = f"line {number}" if _is_text(loaded) else f"sentence {number}"
        if not sent.tokens:
            findings.add("empty", f"{where} is empty", path=loaded.path)
        absences.update(everybody - {ann.annotator for ann in sent.annotations})
        for ann in sent.annotations:
            for problem in _edit_problems(ann):
                findings.add(
                    problem.code,
                    f"{where}, annotator {ann.annotator}: {problem.message}",
                    severity=problem.severity,
                    path=loaded.path,
                )
    meaning = _meaning(loaded.sentences) if absences else ""
    for annotator in sorted(absences, key=annotator_order):
        findings.add(
            "absent",
            f"annotator {annotator} has no line in {absences[annotator]} of "
            f"{len(loaded.sentences)} sentences: {meaning}",
            severity="note",
            path=loaded.path,
        )


def _check_controls(file: LoadedFile, findings: Findings) -> None:
    """Check for characters that belong to no text and that nobody sees."""
    n_before = findings.counts["controls"]
    # Some readers leave them out, and say so.
    if not findings.counts["control-character"]:
        for source in file.inputs:
            for number, found in source.controls:
                _note_controls(found, findings, source.name, number)
    if findings.counts["controls"] > n_before:
        return
    # Formats may escape them.
    for number, sent in enumerate(file.sentences, 1):
        corrections = (
            token
            for ann in sent.annotations
            for edit in ann.edits
            for correction in edit.corrections
            for token in correction
        )
        if found := invisible_controls(" ".join((*sent.tokens, *corrections))):
            if _is_text(file):
                _note_controls(found, findings, file.path, number)
            else:
                _note_controls(found, findings, file.path, None, f"sentence {number}: ")


def _note_controls(
    found: Sequence[str], findings: Findings, path: str, line: int | None, where: str = ""
) -> None:
    shown = ", ".join(visible(character) for character in found)
    message = f"{where}control characters in the text ({shown}), which count as letters"
    findings.add("controls", message, path=path, line=line)


def _meaning(sentences: Sequence[Sentence]) -> str:
    """Say what a missing annotator may mean in this file."""
    found = MissingReadings.of(Corpus(tuple(sentences)))
    if not found.open:
        return "nobody corrected anything there, so it does not matter what that means"
    if found.suggested == "same":
        return f"the file seems to mean the same as the annotator before; {found.why}"
    if found.suggested == "noop":
        return f"the file seems to mean nothing to correct; {found.why}"
    return "absent, nothing to correct, or the same as the annotator before?"


@dataclass(frozen=True, slots=True)
class _Problem:
    code: str
    message: str
    severity: Severity


def _edit_problems(ann: Annotation) -> Iterator[_Problem]:
    """Find duplicates and overlaps among the edits of one reading."""
    distinct: list[Edit] = []
    for edit, is_repeated in _repetitions(ann):
        if is_repeated:
            yield _Problem("duplicate", f"the edit {_show(edit)} stands twice", "error")
        else:
            distinct.append(edit)
    distinct = in_order(distinct)
    for number, edit in enumerate(distinct):
        for other in distinct[number + 1 :]:
            if other.start >= edit.end:
                break
            if edit.overlaps(other):
                message = f"{_show(edit)} and {_show(other)} overlap, only one can be applied"
                yield _Problem("overlap", message, "warning")


def _repetitions(ann: Annotation) -> Iterator[tuple[Edit, bool]]:
    """Say of each edit whether it repeats one before it; insertions may ("very very")."""
    seen: set[tuple[int, int, tuple[Tokens, ...]]] = set()
    for edit in ann.edits:
        key = (edit.start, edit.end, edit.corrections)
        yield edit, key in seen and not edit.is_insertion
        seen.add(key)


def _show(edit: Edit) -> str:
    new = " | ".join(" ".join(option) or "∅" for option in edit.corrections) or "?"
    return f"{edit.start}–{edit.end} → {new}"


def _compare(first: LoadedFile, other: LoadedFile, findings: Findings) -> None:
    """Hold a text against the sentences it belongs to."""
    sources = [sent.tokens for sent in first.sentences]
    texts = [sent.tokens for sent in other.sentences]
    if len(sources) != len(texts):
        message = f"{len(texts)} sentences, but {first.path} has {len(sources)}"
        slip = find_slip(sources, texts)
        lines = () if slip is None else (slip + 1,)
        message += "" if slip is None else "; they seem to slip here"
        doubts = [Doubt("line-count", message, lines)]
    else:
        doubts = Screen(sources).doubts(texts)
    for doubt in doubts:
        for one in _listed(doubt):
            note(one, findings, path=other.path, is_text=_is_text(other))


def _listed(doubt: Doubt) -> Iterator[Doubt]:
    """Take apart what is told of every single sentence."""
    if doubt.code in _LISTED and doubt.lines:
        # Rare ones may well be right, but somebody who asks is told.
        severity = "warning" if doubt.severity == "note" else doubt.severity
        for line in doubt.lines:
            yield Doubt(doubt.code, _LISTED[doubt.code], (line,), severity)
    else:
        yield doubt


@dataclass(slots=True)
class Repair:
    """A mended file and what was done to it."""

    sentences: list[Sentence]
    format: Format
    done: list[str] = field(default_factory=list)


def repair(
    path: PathLike,
    *,
    against: PathLike | None = None,
    format: str | None = None,
    against_format: str | None = None,
    encoding: str = "utf-8",
) -> Repair:
    """Mend one file.

    What readers repair or leave out (byte order marks, CRLF, missing blank lines, …) goes
    away by reading; edits past the end of the sentence and edits that stand twice are left
    out; in a text held `against` another file, blank lines at the end that are too many are
    left out, raw text is split into tokens as the source is, and sentences that are only
    tokenized in another way take the tokens of the source. Overlapping edits and slipped lines
    need a person.

    Raises
    ------
    GecevalError
        For a text that cannot be mended as a whole: half of it would be worse than none.
    """
    loaded = load_file([path], Findings(), format=format, encoding=encoding)
    other = None
    if _is_text(loaded) and against is not None:
        other = load_file([against], Findings(), format=against_format, encoding=encoding)
    return repair_loaded(loaded, against=other)


def repair_loaded(file: LoadedFile, *, against: LoadedFile | None = None) -> Repair:
    """Repair a file that was read already; see `repair`."""
    result = Repair(list(file.sentences), file.format)
    result.done.extend(_read_repairs(file.findings))
    if _is_text(file) and against is not None:
        _mend_text(result, file.path, [sent.tokens for sent in against.sentences])
    else:
        _mend_edits(result)
    return result


def _read_repairs(findings: Findings) -> Iterator[str]:
    """Tell what reading alone has mended; edits past the end are told when they go."""
    for code, group in findings.by_code():
        if code == "out-of-range":
            continue
        yield from map(str, group)
        if more := findings.counts[code] - len(group):
            yield f"{more} more of '{code}'"


def _mend_edits(result: Repair) -> None:
    for number, sent in enumerate(result.sentences):
        readings = tuple(
            _mend_reading(ann, sent, number + 1, result.done) for ann in sent.annotations
        )
        result.sentences[number] = replace(sent, annotations=readings)


def _mend_reading(ann: Annotation, sent: Sentence, number: int, done: list[str]) -> Annotation:
    kept: list[Edit] = []
    where = f"sentence {number}, annotator {ann.annotator}"
    for edit, is_repeated in _repetitions(ann):
        if not edit.fits(len(sent.tokens)):
            done.append(f"{where}: left out {_show(edit)}, past the end of the sentence")
        elif is_repeated:
            done.append(f"{where}: left out the second {_show(edit)}")
        else:
            kept.append(edit)
    return replace(ann, edits=tuple(kept))


def _mend_text(result: Repair, path: str, sources: Sequence[Tokens]) -> None:
    while len(result.sentences) > len(sources) and not result.sentences[-1].tokens:
        result.done.append(f"line {len(result.sentences)}: left out, blank and one too many")
        result.sentences.pop()
    if len(result.sentences) != len(sources):
        raise GecevalError(
            f"{path}: {len(result.sentences)} instead of {len(sources)} lines, "
            "and only a person can tell which go together"
        )
    texts = [sent.tokens for sent in result.sentences]
    doubts = [doubt for doubt in Screen(sources).doubts(texts) if doubt.code in _TOKENS]
    # Habits of a file are in sentences with real corrections as well.
    is_habit = any(doubt.code == "detokenized" or not doubt.lines for doubt in doubts)
    mended = [
        _mended_tokens(source, text, is_raw=is_habit)
        for source, text in zip(sources, texts, strict=True)
    ]
    _refuse_half(path, sources, mended)
    changed = [number for number, text in enumerate(texts) if text != mended[number]]
    if is_habit and changed:
        result.done.append(f"{len(changed):,} lines: split into tokens as the source is")
    for number in changed:
        if not is_habit:
            result.done.append(f"line {number + 1}: took the tokens of the source")
        result.sentences[number] = Sentence(mended[number])


def _mended_tokens(source: Tokens, text: Tokens, *, is_raw: bool) -> Tokens:
    if is_tokenization_only(source, text):
        return source
    return tokenize_like(source, " ".join(text)) if is_raw and source != text else text


def _refuse_half(path: str, sources: Sequence[Tokens], mended: Sequence[Tokens]) -> None:
    """Refuse a text of which some is still tokenized in another way."""
    pairs = zip(sources, mended, strict=True)
    rest = [(source, text) for source, text in pairs if source != text]
    screen = Screen([source for source, _ in rest])
    for doubt in screen.doubts([text for _, text in rest]):
        if doubt.code in _TOKENS:
            raise GecevalError(
                f"{path}: cannot be mended, tokenize it as the source is: {doubt.message}"
            )
