"""``errant_compare`` of ERRANT 3.0.2: scores of an M2 file against another."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from geceval.compat import ToolResult
from geceval.compat.argument_parsing import ToolParser, parse
from geceval.compat.m2_lines import EditLine, SentenceLines, read_blocks, warn_of_none
from geceval.errors import GecevalError, MismatchError
from geceval.formats import Findings

_WIDTH, _CATEGORY_WIDTH = 46, 66
_RULE = "-" * 40
_UNKNOWN, _NOOP = "UNK", "noop"

Key: TypeAlias = tuple[Any, ...]
Edits: TypeAlias = dict[Key, list[str]]
"""Categories of the edits with the same key."""


def main(arguments: Sequence[str]) -> ToolResult:
    """Compare two files."""
    options, result = parse(_parser(), arguments)
    if options is None:
        return result
    findings = Findings()
    (_, hypothesis), (_, reference) = (
        read_blocks(path, findings) for path in (options.hyp, options.ref)
    )
    result.warn_of(findings)
    warn_of_none((*hypothesis, *reference), "a word, as in the original, not empty", result)
    _check(options, hypothesis, reference)
    if options.cat in ("1", "2") and any(
        not edit.is_noop and edit.type[1:2] != ":" and edit.type != _UNKNOWN
        for block in (*hypothesis, *reference)
        for edit in block.edits
    ):
        result.warn("some types are not those of ERRANT, so that their categories are cut off")
    total = _Counts(options.beta)
    for number, (ours, theirs) in enumerate(zip(hypothesis, reference, strict=True)):
        total = total.plus(_best(number, ours, theirs, total, options, result))
    if options.cat:
        _print_categories(total, options, result)
    _print_totals(total, options, result)
    return result


def _parser() -> ToolParser:
    parser = ToolParser(prog="errant_compare", usage="%(prog)s [options] -hyp HYP -ref REF")
    parser.add_argument("-hyp", required=True, help="M2 file of a system.")
    parser.add_argument("-ref", required=True, help="M2 file of the reference.")
    parser.add_argument("-b", "--beta", default=0.5, type=float, help="Weight of recall.")
    parser.add_argument("-v", "--verbose", action="store_true", help="Print all edits.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("-dt", action="store_true", help="Token-based detection.")
    mode.add_argument("-ds", action="store_true", help="Span-based detection.")
    mode.add_argument("-cs", action="store_true", help="Span-based correction (default).")
    mode.add_argument("-cse", action="store_true", help="Correction and classification.")
    parser.add_argument("-single", action="store_true", help="Edits of single tokens only.")
    parser.add_argument("-multi", action="store_true", help="Edits of several tokens only.")
    parser.add_argument("-filt", nargs="+", default=[], help="Types to leave out.")
    parser.add_argument("-cat", choices=["1", "2", "3"], help="Scores by operation, type or both.")
    return parser


def _check(
    options: argparse.Namespace,
    hypothesis: Sequence[SentenceLines],
    reference: Sequence[SentenceLines],
) -> None:
    """Refuse files that do not belong together; the original compares them all the same."""
    if len(hypothesis) != len(reference):
        raise MismatchError(options.hyp, len(hypothesis), options.ref, len(reference))
    for number, (ours, theirs) in enumerate(zip(hypothesis, reference, strict=True), 1):
        if ours.source.split() != theirs.source.split():
            raise GecevalError(
                f"sentence {number} differs between {options.hyp} and {options.ref}: both files "
                "must have the same source sentences"
            )


@dataclass(frozen=True, slots=True)
class _Counts:
    """True positives, false positives and false negatives, by category."""

    beta: float
    tp: Counter[str] = field(default_factory=Counter)
    fp: Counter[str] = field(default_factory=Counter)
    fn: Counter[str] = field(default_factory=Counter)

    @property
    def sums(self) -> tuple[int, int, int]:
        return self.tp.total(), self.fp.total(), self.fn.total()

    @property
    def scores(self) -> tuple[float, float, float]:
        return _scores(*self.sums, beta=self.beta)

    def plus(self, other: _Counts) -> _Counts:
        return _Counts(self.beta, self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def categories(self) -> list[str]:
        """The categories in the order in which they appeared."""
        return list(dict.fromkeys([*self.tp, *self.fp, *self.fn]))


def _scores(tp: int, fp: int, fn: int, *, beta: float) -> tuple[float, float, float]:
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    square = beta * beta
    below = square * precision + recall
    f = (1 + square) * precision * recall / below if below else 0.0
    return round(precision, 4), round(recall, 4), round(f, 4)


def _best(
    number: int,
    ours: SentenceLines,
    theirs: SentenceLines,
    total: _Counts,
    options: argparse.Namespace,
    result: ToolResult,
) -> _Counts:
    """Choose the annotators of both files with the best running totals."""
    if options.verbose:
        result.print(_RULE)
        result.print(f"Original sentence {number}: {ours.source}")
    best = None
    for (hyp, found), (ref, gold) in product(_edits(ours, options), _edits(theirs, options)):
        local, order = _compared(found, gold, options.beta)
        overall = total.plus(local)
        tp, fp, fn = overall.sums
        rank = (overall.scores[2], tp, -fp, -fn)
        if best is None or rank > best[0]:
            best = (rank, local, order, hyp, ref)
        if options.verbose:
            result.print(_RULE)
            result.print(f"SENTENCE {number} - HYP {hyp} - REF {ref}")
            result.print(f"HYPOTHESIS EDITS : {_listed(found)}")
            result.print(f"REFERENCE EDITS  : {_listed(gold)}")
            for name, counts in (("Local", local), ("Global", overall)):
                sums = " ".join(map(str, counts.sums))
                scores = " ".join(map(str, counts.scores))
                result.print(f"{f'{name} TP/FP/FN':16} : {sums}")
                result.print(f"{name} P/R/F{options.beta}  : {scores}")
    if best is None:
        raise GecevalError(f"sentence {number + 1} has no annotator")
    _, local, order, hyp, ref = best
    if options.verbose:
        result.print(_RULE)
        result.print(f"^^ HYP {hyp}, REF {ref} chosen for sentence {number}")
        result.print("Local results:")
        _print_local(local, order, result)
    return local


def _edits(block: SentenceLines, options: argparse.Namespace) -> list[tuple[str, Edits]]:
    """Return the edits of each annotator by what makes them equal; a noop is one of them."""
    found = [(name, _keyed(lines, options)) for name, lines in block.by_annotator().items()]
    return found or [("0", {})]


def _keyed(lines: Sequence[EditLine], options: argparse.Namespace) -> Edits:
    found: Edits = {}
    for line in lines:
        if not _is_wanted(line, options):
            continue
        for key in _keys(line, options):
            found.setdefault(key, []).append(line.type)
    return found


def _is_wanted(line: EditLine, options: argparse.Namespace) -> bool:
    if line.type == _UNKNOWN and not (options.dt or options.ds):
        return False
    if line.type in options.filt:
        return False
    longest = max(line.end - line.start, len(line.text.split()))
    if options.single and longest >= 2:
        return False
    return not (options.multi and longest < 2)


def _keys(line: EditLine, options: argparse.Namespace) -> Iterator[Key]:
    if options.dt:
        # An insertion is the token after it.
        for place in range(line.start, max(line.end, line.start + 1)):
            yield place, place + 1
    elif options.ds:
        yield line.start, line.end
    elif options.cse:
        yield line.start, line.end, line.type, line.text
    else:
        yield line.start, line.end, line.text


def _compared(found: Edits, gold: Edits, beta: float) -> tuple[_Counts, list[str]]:
    """Count edits; the categories are in the order in which they appeared."""
    counts = _Counts(beta)
    order: list[str] = []
    for key, categories in found.items():
        if categories[0] == _NOOP:
            continue
        # It is right once for each equal edit of the reference.
        counts_of, names = (counts.tp, gold[key]) if key in gold else (counts.fp, categories)
        counts_of.update(names)
        order += names
    for key, categories in gold.items():
        if key not in found and categories[0] != _NOOP:
            counts.fn.update(categories)
            order += categories
    return counts, list(dict.fromkeys(order))


def _listed(edits: Edits) -> list[Key]:
    """Return the edits as they are printed: none beside a noop, though they count."""
    found = sorted((*key, categories[0]) for key, categories in edits.items())
    return [] if found and found[0][0] < 0 else found


def _print_local(local: _Counts, order: Sequence[str], result: ToolResult) -> None:
    rows = [("Category", "TP", "FP", "FN")]
    rows += [
        (name, str(local.tp[name]), str(local.fp[name]), str(local.fn[name])) for name in order
    ]
    widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
    for row in rows:
        result.print("".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _title(options: argparse.Namespace) -> str:
    if options.dt:
        return "Token-Based Detection"
    if options.ds:
        return "Span-Based Detection"
    if options.cse:
        return "Span-Based Correction + Classification"
    return "Span-Based Correction"


def _print_categories(total: _Counts, options: argparse.Namespace, result: ToolResult) -> None:
    sums: dict[str, list[int]] = {}
    for place, counter in enumerate((total.tp, total.fp, total.fn)):
        for name, count in counter.items():
            sums.setdefault(_category(name, options.cat), [0, 0, 0])[place] += count
    result.print()
    result.print(f" {_title(options)} ".center(_CATEGORY_WIDTH, "="))
    _print_row(("Category", "TP", "FP", "FN", "P", "R", f"F{options.beta}"), result)
    for name, (tp, fp, fn) in sorted(sums.items()):
        scores = map(str, _scores(tp, fp, fn, beta=options.beta))
        _print_row((name, str(tp), str(fp), str(fn), *scores), result)


def _category(name: str, level: str) -> str:
    if name == _UNKNOWN or level == "3":
        return name
    return name[0] if level == "1" else name[2:]


def _print_row(cells: Sequence[str], result: ToolResult) -> None:
    first, *middle, last = cells
    result.print(" ".join([first.ljust(14), *(cell.ljust(8) for cell in middle), last]))


def _print_totals(total: _Counts, options: argparse.Namespace, result: ToolResult) -> None:
    result.print()
    result.print(f" {_title(options)} ".center(_WIDTH, "="))
    result.print("\t".join(("TP", "FP", "FN", "Prec", "Rec", f"F{options.beta}")))
    result.print("\t".join(map(str, (*total.sums, *total.scores))))
    result.print("=" * _WIDTH)
    result.print()
