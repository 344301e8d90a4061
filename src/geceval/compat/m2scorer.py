"""``m2scorer`` 3.2: M² with the options and the output of the official scorer."""

from __future__ import annotations

import getopt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from geceval.compat import ToolResult
from geceval.compat.m2_lines import EditLine, SentenceLines, read_blocks
from geceval.compat.python2 import listed, literal, printed
from geceval.errors import MismatchError, OptionError
from geceval.formats import Findings, load_hypothesis
from geceval.formats.inputs import Input
from geceval.metrics.maxmatch import M2
from geceval.metrics.views import SentenceEdits, SystemEdit
from geceval.model import Tokens
from geceval.text import split_tokens

USAGE = """\
Usage: m2scorer.py [OPTIONS] proposed_sentences gold_source
where
  proposed_sentences   -   system output, sentence per line
  source_gold          -   source sentences with gold token edits
OPTIONS
  -v    --verbose                   -  print verbose output
        --very_verbose              -  print lots of verbose output
        --max_unchanged_words N     -  Maximum unchanged words when extraction edit. Default 2.
        --beta B                    -  Beta value for F-measure. Default 0.5.
        --ignore_whitespace_casing  -  Ignore edits that only affect whitespace and caseing. \
Default no.
"""
_OPTIONS = [
    "max_unchanged_words=", "beta=", "verbose", "ignore_whitespace_casing", "very_verbose",
]  # fmt: skip
_USAGE_CODE = 255
_RULE = "-" * 43
_SMALL_TABLE = 8
_SMALL_TABLE_KEYS = 5


@dataclass(slots=True)
class ScorerOptions:
    """Options of the original, by its names."""

    max_unchanged_words: int = 2
    beta: float = 0.5
    verbose: bool = False
    very_verbose: bool = False
    ignore_whitespace_casing: bool = False
    output: str | None = None
    files: list[str] = field(default_factory=list)


def main(arguments: Sequence[str]) -> ToolResult:
    """Score a system."""
    try:
        options = parsed(arguments, _OPTIONS, ScorerOptions())
    except getopt.GetoptError as error:
        return ToolResult(err=[f"m2scorer: error: {error}\n"], code=1)
    if len(options.files) != 2:
        return ToolResult(err=[USAGE], code=_USAGE_CODE)
    result = ToolResult()
    if options.very_verbose:
        result.warn("the graphs of the original are not shown")
    _score(options, result)
    return result


def parsed(arguments: Sequence[str], names: list[str], options: ScorerOptions) -> ScorerOptions:
    """Parse options as Python's ``getopt`` does, which all tools of m2scorer use."""
    found, options.files = getopt.getopt(list(arguments), "v", names)
    for name, value in found:
        match name:
            case "-v" | "--verbose":
                options.verbose = True
            case "--very_verbose":
                options.very_verbose = True
            case "--ignore_whitespace_casing":
                options.ignore_whitespace_casing = True
            case "--max_unchanged_words":
                options.max_unchanged_words = _number(int, name, value)
            case "--beta":
                options.beta = _number(float, name, value)
            case "--output":
                options.output = value
    return options


Kind = TypeVar("Kind", int, float)


def _number(kind: type[Kind], name: str, value: str) -> Kind:
    try:
        return kind(value)
    except ValueError:
        raise OptionError(f"{name} takes a number, not {value!r}") from None


def _score(options: ScorerOptions, result: ToolResult) -> None:
    system, gold = options.files
    findings = Findings()
    corpus, blocks = read_blocks(gold, findings)
    hypothesis = load_hypothesis(system, format="parallel", findings=findings)
    if len(corpus) != len(hypothesis):
        raise MismatchError(gold, len(corpus), system, len(hypothesis))
    metric = M2(
        beta=options.beta,
        max_unchanged=options.max_unchanged_words,
        ignore_whitespace_casing=options.ignore_whitespace_casing,
        nested="off",
    )
    _warn_of_accidents(blocks, result)
    result.warn_of(findings)
    views = metric.all_edits(corpus, hypothesis)
    running = _RunningTotals(options.beta)
    texts = _texts(system) if options.verbose else ()
    for number, (sent, own) in enumerate(zip(corpus, views, strict=True)):
        ordered = _as_in_python2(own)
        counted = [running.with_counts(_counts(view, len(sent.tokens))) for view in ordered]
        if options.verbose:
            for view, totals in zip(ordered, counted, strict=True):
                _print_annotator(result, view, blocks[number], sent.tokens, texts[number], totals)
        best = running.choose(counted)
        if options.verbose:
            name = ordered[best].annotation.annotator
            result.print(f">> Chosen Annotator for line {number + 1} : {name}")
            result.print()
    totals = running.totals
    label = f"F_{options.beta:.1f}"
    if options.verbose:
        result.print(f"CORRECT EDITS  : {totals.correct}")
        result.print(f"PROPOSED EDITS : {totals.proposed}")
        result.print(f"GOLD EDITS     : {totals.gold}")
        result.print(f"P = {printed(totals.precision)}")
        result.print(f"R = {printed(totals.recall)}")
        result.print(f"{label} = {printed(totals.f)}")
    result.print(f"Precision   : {totals.precision:.4f}")
    result.print(f"Recall      : {totals.recall:.4f}")
    result.print(f"{label}       : {totals.f:.4f}")


@dataclass(frozen=True, slots=True)
class _EditTotals:
    """Counts up to a sentence, and their scores."""

    correct: int
    proposed: int
    gold: int
    beta: float

    @property
    def precision(self) -> float:
        return self.correct / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 1.0

    @property
    def f(self) -> float:
        """F of precision and recall, as at the end."""
        square = self.beta * self.beta
        below = square * self.precision + self.recall
        return (1 + square) * self.precision * self.recall / below if below else 0.0

    @property
    def running_f(self) -> float:
        """F of counts, by which annotators are chosen."""
        square = self.beta * self.beta
        below = square * self.gold + self.proposed
        return (1 + square) * self.correct / below if below else 1.0

    @property
    def rank(self) -> tuple[float, int, float]:
        return self.running_f, self.correct, -(self.proposed + self.beta * self.beta * self.gold)


class _RunningTotals:
    """Chooses annotators by the totals of all sentences up to each."""

    def __init__(self, beta: float) -> None:
        self.totals = _EditTotals(0, 0, 0, beta)

    def with_counts(self, counts: tuple[int, int, int]) -> _EditTotals:
        totals = self.totals
        correct, proposed, gold = counts
        return _EditTotals(
            totals.correct + correct,
            totals.proposed + proposed,
            totals.gold + gold,
            totals.beta,
        )

    def choose(self, options: Sequence[_EditTotals]) -> int:
        """Add the best counts, of equal ones the first, and return their index."""
        best = max(range(len(options)), key=lambda number: (*options[number].rank, -number))
        self.totals = options[best]
        return best


def _counts(view: SentenceEdits, n_tokens: int) -> tuple[int, int, int]:
    gold = sum(edit.fits(n_tokens) for edit in view.annotation.edits)
    return sum(edit.is_correct for edit in view.edits), len(view.edits), gold


def _as_in_python2(views: Sequence[SentenceEdits]) -> list[SentenceEdits]:
    """Order annotators like the keys of a dictionary of Python 2."""

    def key(view: SentenceEdits) -> tuple[int, int, str]:
        name = view.annotation.annotator
        number = int(name) if name.isdecimal() else 0
        slot = number % _SMALL_TABLE if len(views) <= _SMALL_TABLE_KEYS else number
        return slot, number, name

    return sorted(views, key=key)


def _warn_of_accidents(blocks: Sequence[SentenceLines], result: ToolResult) -> None:
    """Warn of gold edits that the original counts by accident."""
    doubled, flags = [], []
    for block in blocks:
        tokens = split_tokens(block.source)
        seen = set()
        for edit in block.edits:
            key = edit._replace(number=0)
            if key in seen and edit.start != edit.end:
                doubled.append(edit.number)
            seen.add(key)
            if not edit.is_noop and split_tokens(edit.text) == tokens[edit.start : edit.end]:
                flags.append(edit.number)
    for numbers, message in (
        (doubled, "a gold edit stands there twice; it is counted right once"),
        (flags, "the correction repeats the source, so that no system can get it right"),
    ):
        if numbers:
            more = f" (and {len(numbers) - 1} more)" if len(numbers) > 1 else ""
            result.warn(f"line {numbers[0]}: {message}{more}")


def _texts(path: str) -> list[str]:
    with Input.open(path) as source:
        return [line.strip() for line in source.lines()]


class _ShownEdit(NamedTuple):
    """An edit as it is printed."""

    start: int
    end: int
    source: str
    correction: str

    def __str__(self) -> str:
        return f"({self.start}, {self.end}, {literal(self.source)}, {literal(self.correction)})"


def _shown(edit: SystemEdit, tokens: Tokens) -> _ShownEdit:
    source = " ".join(tokens[edit.start : edit.end])
    return _ShownEdit(edit.start, edit.end, source, " ".join(edit.correction))


def _trimmed(edit: SystemEdit, tokens: Tokens) -> _ShownEdit:
    """Cut equal words off, at the left first; slide what is not right to the right."""
    start, end, words = edit.start, edit.end, list(edit.correction)
    if not edit.is_correct:
        start, end, words = _slid(start, end, words, tokens)
    while start < end and words and tokens[start] == words[0]:
        start, words = start + 1, words[1:]
    while start < end and words and tokens[end - 1] == words[-1]:
        end, words = end - 1, words[:-1]
    return _ShownEdit(start, end, " ".join(tokens[start:end]), " ".join(words))


def _slid(start: int, end: int, words: list[str], tokens: Tokens) -> tuple[int, int, list[str]]:
    """Move an insertion or a deletion over words that it repeats."""
    if start == end:
        while words and end < len(tokens) and tokens[end] == words[0]:
            start, end, words = start + 1, end + 1, [*words[1:], words[0]]
    elif not words:
        while end < len(tokens) and tokens[start] == tokens[end]:
            start, end = start + 1, end + 1
    return start, end, words


def _print_annotator(
    result: ToolResult,
    view: SentenceEdits,
    block: SentenceLines,
    tokens: Tokens,
    text: str,
    totals: _EditTotals,
) -> None:
    lines = block.by_annotator().get(view.annotation.annotator, [])
    proposed = [_trimmed(edit, tokens) for edit in view.edits]
    correct = [_shown(edit, tokens) for edit in view.edits if edit.is_correct]
    result.print(f">> Annotator: {view.annotation.annotator}")
    for mark in _marks(correct, proposed, view):
        result.print(mark)
    result.print(f"SOURCE        : {block.source.strip()}")
    result.print(f"HYPOTHESIS    : {text}")
    result.print(f"EDIT SEQ      : {listed(map(str, proposed))}")
    counted = (line for line in lines if not line.is_noop and line.end <= len(tokens))
    gold = (_gold_literal(line, tokens) for line in counted)
    result.print(f"GOLD EDITS    : {listed(gold)}")
    result.print(f"CORRECT EDITS : {listed(map(str, correct))}")
    result.print(f"# correct     : {totals.correct}")
    result.print(f"# proposed    : {totals.proposed}")
    result.print(f"# gold        : {totals.gold}")
    result.print(f"precision     : {printed(totals.precision)}")
    result.print(f"recall        : {printed(totals.recall)}")
    result.print(f"f_{totals.beta:.1f}         : {printed(totals.running_f)}")
    result.print(_RULE)


def _gold_literal(line: EditLine, tokens: Tokens) -> str:
    source = literal(" ".join(tokens[line.start : line.end]))
    options = listed(
        "''" if text == "-NONE-" else literal(text, is_unicode=True)
        for text in line.text.split("||")
    )
    return f"({line.start}, {line.end}, {source}, {options})"


def _marks(
    correct: Sequence[_ShownEdit], proposed: Sequence[_ShownEdit], view: SentenceEdits
) -> Iterator[str]:
    """Mark right deletions beside proposed insertions, and the other way round."""
    gold = {
        (edit.start, edit.end, " ".join(words))
        for edit in view.annotation.edits
        for words in edit.corrections
    }
    for edit in correct:
        is_deletion = edit.start < edit.end and not edit.correction
        is_insertion = edit.start == edit.end
        if not is_deletion and not is_insertion:
            continue
        ends = {edit.start, edit.end}
        beside = [
            other
            for other in proposed
            if (other.start == other.end if is_deletion else not other.correction)
            and (other.start in ends or other.end in ends)
            and other != edit
        ]
        if beside:
            is_gold = any((one.start, one.end, one.correction) in gold for one in beside)
            yield f"{'!' if is_gold else '&' if is_deletion else '*'} {edit}"
