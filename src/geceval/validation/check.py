"""Validate input files and optionally fix them.

`validate_files` checks a gold standard (or a source) and the texts aligned with it line by line;
`fix_file` fixes what has only one possible fix.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from geceval.errors import FormatError, GecevalError
from geceval.formats import (
    Findings,
    Format,
    Input,
    PathLike,
    detect,
    get_format,
    read_sentences,
)
from geceval.formats.findings import Severity
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
from geceval.validation.misalignment import find_misalignment
from geceval.validation.pairs import Issue
from geceval.validation.system_output import OutputValidator, add_issue, check_sources
from geceval.visible import invisible_controls, visible

_HEAD = 1000
"""Number of sentences checked at the beginning of a stream."""

_LISTED = {
    "tokenization": "tokenized differently from the source, which counts as false positives",
    "empty-output": "empty, but the source sentence is not",
}
"""Messages of issues that are reported once per sentence rather than once per file."""

_TOKENS = frozenset({"detokenized", "tokenization"})
"""Codes of tokenization issues."""


@dataclass(slots=True)
class FileReport:
    """Format and statistics of one file."""

    path: str
    format: str
    title: str
    statistics: CorpusStatistics


@dataclass(slots=True)
class ValidationReport:
    """Statistics of all files, and the findings."""

    files: list[FileReport] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)

    @property
    def is_valid(self) -> bool:
        """Whether no finding is an error."""
        return self.findings.worst() != "error"


@dataclass(slots=True)
class _Loaded:
    """A file in memory."""

    path: str
    format: Format
    sentences: list[Sentence]

    @property
    def is_text(self) -> bool:
        return self.format.name == "parallel"


def validate_files(
    paths: Sequence[PathLike], *, format: str | None = None, encoding: str = "utf-8"
) -> ValidationReport:
    """Validate a gold standard or source, and the texts aligned with it.

    Parameters
    ----------
    paths
        The gold standard or source first, then texts to compare with it line by line.
    format
        Format of the first file; detected when None.
    encoding
        Encoding of all files.
    """
    if format is not None:
        get_format(format)  # An unknown name is an error of the caller, not a finding.
    if sum(os.fspath(path) == "-" for path in paths) > 1:
        raise GecevalError("standard input ('-') can be read only once")
    result = ValidationReport()
    first: _Loaded | None = None
    n_gold = _joined_files(paths, format, encoding)
    for number, group in enumerate([paths[:n_gold], *([path] for path in paths[n_gold:])]):
        name = format if number == 0 else None
        try:
            loaded = _load(group, name, encoding, result.findings)
        except FormatError as error:
            result.findings.add(
                "unreadable", error.message, severity="error", path=error.path, line=error.line
            )
            continue
        result.files.append(
            FileReport(
                loaded.path,
                loaded.format.name,
                loaded.format.title,
                CorpusStatistics.of(loaded.sentences),
            )
        )
        _check_sentences(loaded, result.findings)
        _check_controls(group, loaded, encoding, result.findings)
        if number == 0:
            first = loaded
            sources = [sent.tokens for sent in loaded.sentences]
            check_sources(sources, result.findings, path=loaded.path, is_text=loaded.is_text)
        elif first is not None:
            _compare(first, loaded, result.findings)
    return result


def check_first_sentences(
    paths: Sequence[PathLike], findings: Findings, *, format: str | None, encoding: str
) -> None:
    """Check the first sentences of a corpus or of parallel text that is read as a stream.

    Files that are unreadable or can be read only once are skipped.
    """
    if not all(os.path.isfile(path) for path in paths):
        return
    try:
        with read_sentences(paths, format=format, encoding=encoding) as (fmt, stream):
            head = list(islice(stream, _HEAD))
    except GecevalError:
        return
    is_text = fmt.name == "parallel"
    names = [os.fspath(path) for path in paths]
    check_sources([sent.tokens for sent in head], findings, path=names[0], is_text=is_text)
    if is_text:
        validator = OutputValidator([sent.tokens for sent in head])
        for number, name in enumerate(names[1:]):
            for issue in validator.issues([sent.corrected(str(number)) or () for sent in head]):
                add_issue(issue, findings, path=name, is_text=True)


def _joined_files(paths: Sequence[PathLike], format: str | None, encoding: str) -> int:
    """Count the leading files that form one corpus, such as HOO source and edits."""
    if format is not None or any(os.fspath(path) == "-" for path in paths):
        return 1
    found = []
    for path in paths:
        try:
            with Input.open(path, encoding=encoding) as source:
                fmt = detect(source)
        except FormatError:
            break
        if fmt.name == "parallel":
            break
        found.append(fmt)
    return len(found) if any(fmt.several for fmt in found) else 1


def _load(
    paths: Sequence[PathLike], name: str | None, encoding: str, findings: Findings
) -> _Loaded:
    with read_sentences(paths, format=name, findings=findings, encoding=encoding) as (fmt, stream):
        names = ("standard input" if os.fspath(path) == "-" else os.fspath(path) for path in paths)
        return _Loaded(", ".join(names), fmt, list(stream))


def _check_sentences(loaded: _Loaded, findings: Findings) -> None:
    if not loaded.sentences:
        findings.add("no-sentences", "no sentences", severity="error", path=loaded.path)
    annotators = {ann.annotator for sent in loaded.sentences for ann in sent.annotations}
    absences: Counter[str] = Counter()
    # Where nothing is corrected, errors are only marked, and that is what the file is for.
    is_corrected = any(
        edit.corrections
        for sent in loaded.sentences
        for ann in sent.annotations
        for edit in ann.edits
    )
    for number, sent in enumerate(loaded.sentences, 1):
        where = f"line {number}" if loaded.is_text else f"sentence {number}"
        if not sent.tokens:
            findings.add("empty", f"{where} is empty", path=loaded.path)
        absences.update(annotators - {ann.annotator for ann in sent.annotations})
        for ann in sent.annotations:
            problems = _edit_problems(ann)
            if is_corrected:
                problems = chain(problems, _repeating_edits(ann, sent.tokens))
            for problem in problems:
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


def _check_controls(
    paths: Sequence[PathLike], loaded: _Loaded, encoding: str, findings: Findings
) -> None:
    """Find invisible control characters."""
    n_before = findings.counts["controls"]
    for path in paths:
        # Some readers remove and report them.
        if os.path.isfile(path) and not findings.counts["control-character"]:
            with Input.open(path, encoding=encoding) as source:
                for number, line in enumerate(source.lines(), 1):
                    _note_controls(line, findings, os.fspath(path), number)
    if findings.counts["controls"] > n_before:
        return
    # Some formats escape them, and standard input cannot be read twice.
    for number, sent in enumerate(loaded.sentences, 1):
        corrections = (
            token
            for ann in sent.annotations
            for edit in ann.edits
            for correction in edit.corrections
            for token in correction
        )
        text = " ".join((*sent.tokens, *corrections))
        if loaded.is_text:
            _note_controls(text, findings, loaded.path, number)
        else:
            _note_controls(text, findings, loaded.path, None, f"sentence {number}: ")


def _note_controls(
    text: str, findings: Findings, path: str, line: int | None, where: str = ""
) -> None:
    if found := invisible_controls(text):
        shown = ", ".join(visible(character) for character in found)
        message = f"{where}control characters ({shown}) count as part of the text"
        findings.add("controls", message, path=path, line=line)


def _meaning(sentences: Sequence[Sentence]) -> str:
    """Explain what a missing annotator may mean in this file."""
    found = MissingReadings.of(Corpus(tuple(sentences)))
    if not found.open:
        return "those sentences have no corrections, so scores do not depend on it"
    if found.suggested == "same":
        return f"probably the same as the preceding annotator; {found.why}"
    if found.suggested == "noop":
        return f"probably nothing to correct; {found.why}"
    return "absent, nothing to correct, or the same as the preceding annotator?"


@dataclass(frozen=True, slots=True)
class _Problem:
    code: str
    message: str
    severity: Severity


def _repeating_edits(ann: Annotation, tokens: Tokens) -> Iterator[_Problem]:
    """Find edits that change nothing: readers keep them as flags, or as they are."""
    for edit in ann.edits:
        if set(edit.corrections) <= {tokens[edit.start : edit.end]}:
            message = "repeats the source, so that no system can get it right"
            yield _Problem("no-change", f"the edit {edit.start}–{edit.end} {message}", "warning")


def _edit_problems(ann: Annotation) -> Iterator[_Problem]:
    """Find duplicate and overlapping edits of one annotator."""
    distinct: list[Edit] = []
    for edit, is_repeated in _repetitions(ann):
        if is_repeated:
            yield _Problem("duplicate", f"duplicate edit {_show(edit)}", "error")
        else:
            distinct.append(edit)
    distinct = in_order(distinct)
    for number, edit in enumerate(distinct):
        for other in distinct[number + 1 :]:
            if other.start >= edit.end:
                break
            if edit.overlaps(other):
                message = f"{_show(edit)} and {_show(other)} overlap; only one can be applied"
                yield _Problem("overlap", message, "warning")


def _repetitions(ann: Annotation) -> Iterator[tuple[Edit, bool]]:
    """Yield each edit and whether it is a duplicate; insertions may repeat ("very very")."""
    seen: set[tuple[int, int, tuple[Tokens, ...]]] = set()
    for edit in ann.edits:
        key = (edit.start, edit.end, edit.corrections)
        yield edit, key in seen and not edit.is_insertion
        seen.add(key)


def _show(edit: Edit) -> str:
    new = " | ".join(" ".join(option) or "∅" for option in edit.corrections) or "?"
    return f"{edit.start}–{edit.end} → {new}"


def _compare(first: _Loaded, other: _Loaded, findings: Findings) -> None:
    """Compare a text with the source sentences."""
    sources = [sent.tokens for sent in first.sentences]
    texts = [sent.tokens for sent in other.sentences]
    if len(sources) != len(texts):
        message = f"{len(texts)} sentences, but {first.path} has {len(sources)}"
        first_line = find_misalignment(sources, texts)
        lines = () if first_line is None else (first_line + 1,)
        message += "" if first_line is None else "; misaligned from here on"
        issues = [Issue("line-count", message, lines)]
    else:
        issues = OutputValidator(sources).issues(texts)
    for issue in issues:
        for one in _listed(issue):
            add_issue(one, findings, path=other.path, is_text=other.is_text)


def _listed(issue: Issue) -> Iterator[Issue]:
    """Split issues that are reported once per sentence."""
    if issue.code in _LISTED and issue.lines:
        # Rare cases may be correct, but a validation reports them all.
        severity = "warning" if issue.severity == "note" else issue.severity
        for line in issue.lines:
            yield Issue(issue.code, _LISTED[issue.code], (line,), severity)
    else:
        yield issue


@dataclass(slots=True)
class FixedFile:
    """Sentences of a fixed file, and the changes made."""

    sentences: list[Sentence]
    format: Format
    changes: list[str] = field(default_factory=list)


def fix_file(
    path: PathLike,
    *,
    against: PathLike | None = None,
    format: str | None = None,
    against_format: str | None = None,
    encoding: str = "utf-8",
) -> FixedFile:
    """Fix one file.

    Readers already repair byte order marks, CRLF, missing blank lines and the like. Out-of-range
    and duplicate edits are removed. In a text aligned with another file (`against`), extra blank
    lines at the end are removed, raw text is tokenized like the source, and sentences that differ
    from the source only in tokenization take its tokens. Overlapping edits and misaligned lines
    have to be fixed by hand.

    Raises
    ------
    GecevalError
        If a text can only be fixed in part.
    """
    findings = Findings()
    loaded = _load([path], format, encoding, findings)
    result = FixedFile(loaded.sentences, loaded.format)
    result.changes.extend(_read_repairs(findings))
    if loaded.is_text and against is not None:
        other = _load([against], against_format, encoding, Findings())
        _fix_text(result, loaded.path, [sent.tokens for sent in other.sentences])
    else:
        _fix_edits(result)
    return result


def _read_repairs(findings: Findings) -> Iterator[str]:
    """Yield what the reader repaired; out-of-range edits are reported when removed."""
    for code, group in findings.by_code():
        if code == "out-of-range":
            continue
        yield from map(str, group)
        if more := findings.counts[code] - len(group):
            yield f"{more} more '{code}'"


def _fix_edits(result: FixedFile) -> None:
    for number, sent in enumerate(result.sentences):
        readings = tuple(
            _fix_annotation(ann, sent, number + 1, result.changes) for ann in sent.annotations
        )
        result.sentences[number] = replace(sent, annotations=readings)


def _fix_annotation(ann: Annotation, sent: Sentence, number: int, changes: list[str]) -> Annotation:
    edits: list[Edit] = []
    where = f"sentence {number}, annotator {ann.annotator}"
    for edit, is_repeated in _repetitions(ann):
        if not edit.fits(len(sent.tokens)):
            changes.append(f"{where}: removed out-of-range edit {_show(edit)}")
        elif is_repeated:
            changes.append(f"{where}: removed duplicate edit {_show(edit)}")
        else:
            edits.append(edit)
    return replace(ann, edits=tuple(edits))


def _fix_text(result: FixedFile, path: str, sources: Sequence[Tokens]) -> None:
    while len(result.sentences) > len(sources) and not result.sentences[-1].tokens:
        result.changes.append(f"line {len(result.sentences)}: removed extra blank line")
        result.sentences.pop()
    if len(result.sentences) != len(sources):
        raise GecevalError(
            f"{path}: {len(result.sentences)} lines instead of {len(sources)}; "
            "align the lines by hand"
        )
    texts = [sent.tokens for sent in result.sentences]
    issues = [issue for issue in OutputValidator(sources).issues(texts) if issue.code in _TOKENS]
    # Sentences with real corrections follow the conventions of the file, too.
    is_systematic = any(issue.code == "detokenized" or not issue.lines for issue in issues)
    fixed = [
        _fixed_tokens(source, text, is_raw=is_systematic)
        for source, text in zip(sources, texts, strict=True)
    ]
    _check_fixed(path, sources, fixed)
    changed = [number for number, text in enumerate(texts) if text != fixed[number]]
    if is_systematic and changed:
        result.changes.append(f"{len(changed):,} lines: tokenized like the source")
    for number in changed:
        if not is_systematic:
            result.changes.append(f"line {number + 1}: replaced by the tokens of the source")
        result.sentences[number] = Sentence(fixed[number])


def _fixed_tokens(source: Tokens, text: Tokens, *, is_raw: bool) -> Tokens:
    if is_tokenization_only(source, text):
        return source
    return tokenize_like(source, " ".join(text)) if is_raw and source != text else text


def _check_fixed(path: str, sources: Sequence[Tokens], fixed: Sequence[Tokens]) -> None:
    """Raise an error if part of a text is still tokenized differently from the source."""
    pairs = zip(sources, fixed, strict=True)
    rest = [(source, text) for source, text in pairs if source != text]
    validator = OutputValidator([source for source, _ in rest])
    for issue in validator.issues([text for _, text in rest]):
        if issue.code in _TOKENS:
            raise GecevalError(
                f"{path}: cannot be fixed; tokenize it like the source: {issue.message}"
            )
