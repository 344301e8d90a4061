"""Validate input files and optionally fix them.

`validate_files` checks a gold standard (or a source) and the texts aligned with it line by line;
`fix_file` fixes what has only one possible fix.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from geceval.characters import Normalization
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
from geceval.formats.normalization import normalize_sentence
from geceval.formats.retokenize import is_tokenization_only, tokenize_like
from geceval.model import (
    Annotation,
    Corpus,
    CorpusStatistics,
    Edit,
    Sentence,
    Tokens,
    annotation_from_target,
    annotator_order,
    in_order,
    without_inner,
)
from geceval.references.missing import MissingAnnotations
from geceval.text import split_tokens, tokens_at
from geceval.tokenization import tokenizer_for
from geceval.validation.character_forms import check_characters
from geceval.validation.languages import refuse_unusable
from geceval.validation.misalignment import find_misalignment
from geceval.validation.pairs import Issue
from geceval.validation.system_output import OutputValidator, add_issue, check_sources
from geceval.visible import invisible_controls, visible

_LISTED = {
    "tokenization": "tokenized differently from the source, which counts as false positives",
    "empty-output": "empty, but the source sentence is not",
}
"""Messages of issues that are reported once per sentence rather than once per file."""

_MOST_SINGLE = 8
"""Number of files after which no further file is expected to be part of the first corpus."""

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
    loaded: list[LoadedFile] = field(default_factory=list)

    @property
    def is_valid(self) -> bool:
        """Whether no finding is an error."""
        return self.findings.worst() != "error"


def validate_files(
    paths: Sequence[PathLike],
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    lang: str = "",
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
    lang
        Code of the language; empty if it is not known.
    """
    if format is not None:
        get_format(format)  # An unknown name is an error of the caller, not a finding.
    if sum(os.fspath(path) == "-" for path in paths) > 1:
        raise GecevalError("standard input ('-') can be read only once")
    result = ValidationReport()
    first: LoadedFile | None = None
    with ExitStack() as stack:
        for number, group in enumerate(_groups(paths, format, encoding, stack)):
            findings = Findings()
            try:
                name = format if number == 0 else None
                loaded = load_file(group, findings, format=name, encoding=encoding, lang=lang)
            except FormatError as error:
                result.findings.update(findings)
                result.findings.add(
                    "unreadable", error.message, severity="error", path=error.path, line=error.line
                )
                continue
            if number == 0:
                first = loaded
            _validate(result, loaded, first, lang)
    return result


def validate_loaded(files: Sequence[LoadedFile], *, lang: str = "") -> ValidationReport:
    """Validate files that were loaded with `find_controls`; see `validate_files`."""
    result = ValidationReport()
    for file in files:
        _validate(result, file, files[0], lang)
    return result


def separate_texts(texts: LoadedFile) -> list[LoadedFile]:
    """Separate source and references that were read together."""
    separate = []
    for number, source in enumerate(texts.inputs):
        sentences = [
            Sentence(sent.corrected(str(number - 1)) or () if number else sent.tokens)
            for sent in texts.sentences
        ]
        findings = Findings()
        for finding in texts.findings:
            if finding.path == source.name:
                findings.append(finding)
        separate.append(LoadedFile([source], texts.format, sentences, findings))
    return separate


def _validate(
    result: ValidationReport, file: LoadedFile, first: LoadedFile | None, lang: str = ""
) -> None:
    """Validate one file, and compare it with the first unless it is the first."""
    result.loaded.append(file)
    result.findings.update(file.findings)
    statistics = CorpusStatistics.of(file.sentences)
    result.files.append(FileReport(file.path, file.format.name, file.format.title, statistics))
    _check_sentences(file, result.findings)
    _check_controls(file, result.findings)
    check_characters(file, result.findings)
    if file is first:
        sources = [sent.tokens for sent in file.sentences]
        check_sources(sources, result.findings, path=file.path, is_text=_is_text(file), lang=lang)
    elif first is not None:
        _compare(first, file, result.findings)


def _is_text(file: LoadedFile) -> bool:
    return file.format.name == "parallel"


def check_head(
    format: str,
    names: Sequence[str],
    head: Sequence[Sentence | tuple[str, ...]],
    findings: Findings,
    *,
    lang: str = "",
    normalize: Normalization = "none",
    tokenize: bool = False,
) -> None:
    """Check the first sentences, or lines of parallel text, of files read as a stream.

    Parameters
    ----------
    format, names
        Format and names of the files.
    head
        The first sentences or lines.
    findings
        Collection to add to.
    lang
        Code of the language.
    normalize
        ``"nfc"`` if text will be compared in its composed form.
    tokenize
        Whether lines are raw text that will be tokenized.
    """
    split = partial(_raw_tokens, lang=lang) if tokenize else split_tokens
    sentences = [_sentence(item, split) for item in head]
    if normalize == "nfc":
        sentences = [*map(normalize_sentence, sentences)]
    sources = [sent.tokens for sent in sentences]
    is_text = format == "parallel"
    check_sources(sources, findings, path=names[0], is_text=is_text, lang=lang)
    if is_text and not tokenize:
        validator = OutputValidator(sources)
        for number, name in enumerate(names[1:]):
            for issue in validator.issues(
                [sent.corrected(str(number)) or () for sent in sentences]
            ):
                add_issue(issue, findings, path=name, is_text=True)
    refuse_unusable(findings)


def _raw_tokens(text: str, *, lang: str) -> Tokens:
    return tokens_at(text, tokenizer_for(lang)(text))


def _sentence(item: Sentence | tuple[str, ...], split: Callable[[str], Tokens]) -> Sentence:
    if isinstance(item, Sentence):
        return item
    tokens, *targets = map(split, item)
    annotations = (
        annotation_from_target(str(n), tokens, target) for n, target in enumerate(targets)
    )
    return Sentence(tokens, tuple(annotations))


def _groups(
    paths: Sequence[PathLike], format: str | None, encoding: str, stack: ExitStack
) -> list[list[PathLike | Input]]:
    """Group the first files if they are one corpus, such as HOO source and edits.

    Files opened for detection stay open, so that each is read once.
    """
    opened: list[PathLike | Input] = []
    found: list[Format] = []
    # Many files that do not belong together are outputs of systems.
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
    annotators = {ann.annotator for sent in loaded.sentences for ann in sent.annotations}
    absences: Counter[str] = Counter()
    # A file without corrections is a detection corpus.
    is_corrected = any(
        edit.corrections
        for sent in loaded.sentences
        for ann in sent.annotations
        for edit in ann.edits
    )
    for number, sent in enumerate(loaded.sentences, 1):
        where = f"line {number}" if _is_text(loaded) else f"sentence {number}"
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


def _check_controls(file: LoadedFile, findings: Findings) -> None:
    """Find invisible control characters."""
    n_before = findings.counts["controls"]
    # Some readers remove and report them.
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
    message = f"{where}control characters ({shown}) count as part of the text"
    findings.add("controls", message, path=path, line=line)


def _meaning(sentences: Sequence[Sentence]) -> str:
    """Explain what a missing annotator may mean in this file."""
    found = MissingAnnotations.of(Corpus(tuple(sentences)))
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
    """Find edits that change nothing; readers may represent them as detections."""
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
    listed = in_order(distinct)
    distinct = [*without_inner(listed)]
    if n_inner := len(listed) - len(distinct):
        message = f"edits inside of others, which contain their corrections: {n_inner}"
        yield _Problem("nested", message, "note")
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


def _compare(first: LoadedFile, other: LoadedFile, findings: Findings) -> None:
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
            add_issue(one, findings, path=other.path, is_text=_is_text(other))


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
    loaded = load_file([path], Findings(), format=format, encoding=encoding)
    other = None
    if _is_text(loaded) and against is not None:
        other = load_file([against], Findings(), format=against_format, encoding=encoding)
    return fix_loaded(loaded, against=other)


def fix_loaded(file: LoadedFile, *, against: LoadedFile | None = None) -> FixedFile:
    """Fix a loaded file; see `fix_file`."""
    result = FixedFile(list(file.sentences), file.format)
    result.changes.extend(_read_repairs(file.findings))
    if _is_text(file) and against is not None:
        _fix_text(result, file.path, [sent.tokens for sent in against.sentences])
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
        annotations = tuple(
            _fix_annotation(ann, sent, number + 1, result.changes) for ann in sent.annotations
        )
        result.sentences[number] = replace(sent, annotations=annotations)


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
