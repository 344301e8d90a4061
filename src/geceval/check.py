"""The input doctor: what is in the files, and what would spoil a score.

`examine` looks at a gold standard (or a source) and at texts that must go with it line by
line; `repair` mends what can be mended without guessing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

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
from geceval.missing import MissingReadings
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

SLIP_REACH = 5
"""How many lines away the right partner of a slipped line is looked for."""

_UNLIKE, _ALIKE = 0.3, 0.6


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

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found that would spoil a score."""
        return self.findings.worst() != "error"


@dataclass(slots=True)
class _Loaded:
    """One file in memory."""

    path: str
    format: Format
    sentences: list[Sentence]

    @property
    def is_text(self) -> bool:
        return self.format.name == "parallel"


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
        if number == 0:
            first = loaded
        elif first is not None:
            _compare(first, loaded, result.findings)
    return result


def _joined_files(paths: Sequence[PathLike], format: str | None, encoding: str) -> int:
    """Count the files at the beginning that are one corpus together, as HOO source and edits."""
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
    everybody = {ann.annotator for sent in loaded.sentences for ann in sent.annotations}
    absences: Counter[str] = Counter()
    for number, sent in enumerate(loaded.sentences, 1):
        where = f"line {number}" if loaded.is_text else f"sentence {number}"
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


def _compare(first: _Loaded, other: _Loaded, findings: Findings) -> None:
    """Hold a text against the sentences it belongs to."""
    sources = [sent.tokens for sent in first.sentences]
    texts = [sent.tokens for sent in other.sentences]
    slip = find_slip(sources, texts)

    def note(code: str, number: int, message: str, severity: Severity) -> None:
        # Only in plain text is the number of a sentence that of its line.
        line = number if other.is_text else None
        where = "" if other.is_text else f"sentence {number}: "
        findings.add(code, where + message, severity=severity, path=other.path, line=line)

    if len(sources) != len(texts):
        message = f"{len(texts)} sentences, but {first.path} has {len(sources)}"
        if slip is None:
            findings.add("line-count", message, severity="error", path=other.path)
        else:
            note("line-count", slip + 1, f"{message}; they seem to slip here", "error")
        return
    if slip is not None:
        message = f"goes with a neighbour of the sentence of {first.path}, not with it"
        note("slip", slip + 1, message, "error")
    for number, (source, text) in enumerate(zip(sources, texts, strict=True), 1):
        if is_tokenisation_only(source, text):
            message = "tokenised in another way than the source, which counts as wrong edits"
            note("tokenisation", number, message, "error")
        elif source and not text:
            note("empty-output", number, "an empty sentence for one that is not", "warning")


def is_tokenisation_only(source: Tokens, text: Tokens) -> bool:
    """Whether two sentences differ only in how punctuation and clitics are split off.

    Examples
    --------
    >>> is_tokenisation_only(("do", "n't", "."), ("don't.",))
    True
    >>> is_tokenisation_only(("any", "one"), ("anyone",))
    False
    """
    joined = "".join(source)
    if source == text or joined != "".join(text):
        return False
    return not any(
        joined[place - 1].isalnum()
        and joined[place].isalnum()
        and joined[place + 1 : place + 3] not in _NOT
        for place in _boundaries(source) ^ _boundaries(text)
    )


_NOT = ("'t", "’t")


def _boundaries(tokens: Tokens) -> set[int]:
    """Return where tokens meet, counted in characters without the spaces."""
    return set(accumulate(map(len, tokens[:-1])))


def find_slip(sources: Sequence[Tokens], texts: Sequence[Tokens]) -> int | None:
    """Find the first line where two texts stop going together.

    That is a line that is unlike its partner while a line nearby is like it, so that a
    line seems to be missing, doubled or cut in two; None where there is none.

    Examples
    --------
    >>> lines = [tuple(line.split()) for line in ("a b c", "d e f", "g h i", "j k l")]
    >>> find_slip(lines, lines[:1] + lines[2:])
    1
    """
    from rapidfuzz.distance import Indel

    for number in range(min(len(sources), len(texts))):
        source, text = sources[number], texts[number]
        # An empty line is like every other one: it says nothing.
        if not (source and text) or Indel.normalized_similarity(source, text, score_cutoff=_UNLIKE):
            continue
        nearby = range(max(0, number - SLIP_REACH), number + SLIP_REACH + 1)
        for other in nearby:
            if other == number:
                continue
            pairs = [(source, texts[other : other + 1]), (text, sources[other : other + 1])]
            for line, candidates in pairs:
                if candidates and Indel.normalized_similarity(
                    line, candidates[0], score_cutoff=_ALIKE
                ):
                    return number
    return None


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
    left out and sentences that are only tokenised in another way take the tokens of the
    source. Overlapping edits and slipped lines need a person.
    """
    findings = Findings()
    loaded = _load([path], format, encoding, findings)
    result = Repair(loaded.sentences, loaded.format)
    result.done.extend(_read_repairs(findings))
    if loaded.is_text and against is not None:
        other = _load([against], against_format, encoding, Findings())
        _mend_text(result, loaded.path, [sent.tokens for sent in other.sentences])
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
    for number, (sent, source) in enumerate(zip(result.sentences, sources, strict=True)):
        if is_tokenisation_only(source, sent.tokens):
            result.done.append(f"line {number + 1}: took the tokens of the source")
            result.sentences[number] = Sentence(source)
