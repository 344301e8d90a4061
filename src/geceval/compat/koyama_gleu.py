"""``gleu``, ``sgleu`` and ``mgleu`` of the package gleu 1.1.0."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
from numpy.typing import NDArray

from geceval.compat import ToolResult
from geceval.compat.argument_parsing import ToolParser, at_least, parse
from geceval.compat.gleu_counts import GleuCounts, check_lengths, count, read_lines, words
from geceval.metrics.gleu.samples import sample_references


def main(arguments: Sequence[str]) -> ToolResult:
    """Score systems; the first argument is the name of the tool."""
    tool, *rest = arguments
    options, result = parse(_parser(tool), rest)
    if options is None:
        return result
    sources = read_lines(options.source)
    references = [read_lines(path) for path in options.references]
    outputs = [read_lines(path) for path in options.outputs]
    for paths, texts in ((options.references, references), (options.outputs, outputs)):
        check_lengths(options.source, len(sources), dict(zip(paths, map(len, texts), strict=True)))
    split = list if options.token == "char" else words  # noqa: S105 - a unit of text
    before, *gold = [[split(line) for line in lines] for lines in (sources, *references)]
    counts = [count(before, [split(line) for line in lines], gold, options.n) for lines in outputs]
    if tool == "gleu":
        _print_corpus(counts, options, result)
    elif tool == "mgleu":
        for path, own in zip(options.outputs, counts, strict=True):
            values = _sentence_values(own, options)
            result.print(f"{path}\t{_rounded(sum(values) / len(values), options)}")
    elif options.verbose:
        _print_sentences(counts, (sources, references, outputs), options, result)
    else:
        for row in zip(*(_sentence_values(own, options) for own in counts), strict=True):
            result.print("\t".join(_rounded(value, options) for value in row))
    return result


def _parser(tool: str) -> ToolParser:
    usage = "%(prog)s [-h] -s SOURCE -r REFERENCE [REFERENCE ...] -o OUTPUT [OUTPUT ...] [options]"
    parser = ToolParser(prog=tool, usage=usage)
    parser.add_argument("-s", "--src", "--source", dest="source", required=True)
    parser.add_argument("-r", "--ref", "--references", dest="references", nargs="+", required=True)
    parser.add_argument("-o", "--out", "--outputs", dest="outputs", nargs="+", required=True)
    parser.add_argument("-n", type=at_least(1), default=4, help="Order of the n-grams.")
    parser.add_argument("-i", "--iter", type=at_least(1), default=500, help="Number of draws.")
    parser.add_argument("-d", "--digit", type=at_least(0), default=2, help="Digits.")
    parser.add_argument("-p", "--proc", type=int, help="Processes; has no effect.")
    parser.add_argument("-t", "--token", choices=["word", "char"], default="word")
    parser.add_argument("-m", "--max", action="store_true", help="The best reference.")
    parser.add_argument("-f", "--fix", "--fix-seed", dest="fix", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    return parser


@dataclass(frozen=True, slots=True)
class _Totals:
    """Counts of one or many sentences."""

    match: NDArray[np.int64]
    penalty: NDArray[np.int64]
    above: NDArray[np.int64]
    below: NDArray[np.int64]
    hypothesis: int
    reference: int

    @classmethod
    def of(cls, counts: GleuCounts, chosen: NDArray[np.integer]) -> _Totals:
        """Add up all sentences, each with its chosen reference.

        In a sum, a penalty counts only as far as there are matches to take away.
        """
        rows = np.arange(len(chosen))
        penalties = counts.penalty if len(chosen) == 1 else counts.match - counts.above
        return cls(
            counts.match[rows, chosen].sum(axis=0),
            penalties[rows, chosen].sum(axis=0),
            counts.above[rows, chosen].sum(axis=0),
            counts.below[rows, chosen].sum(axis=0),
            int(counts.hypothesis[rows, chosen].sum()),
            int(counts.reference[rows, chosen].sum()),
        )

    @property
    def precisions(self) -> list[float]:
        """Precision of each order; 1 where there are no n-grams."""
        pairs = zip(self.above.tolist(), self.below.tolist(), strict=True)
        return [above / below if below else 1.0 for above, below in pairs]

    @property
    def mean(self) -> float:
        """Geometric mean of the precisions."""
        precisions = self.precisions
        if not all(precisions):
            return 0.0
        return math.exp(sum(map(math.log, precisions)) / len(precisions))

    @property
    def brevity(self) -> float:
        if not self.hypothesis:
            return 0.0 if self.reference else 1.0
        return min(1.0, math.exp(1 - self.reference / self.hypothesis))

    @property
    def value(self) -> float:
        return self.brevity * self.mean


def _one(counts: GleuCounts, place: int, number: int) -> _Totals:
    """Return the counts of one sentence against one reference."""
    part = GleuCounts(*(column[place : place + 1] for column in counts))
    return _Totals.of(part, np.array([number]))


def _best(counts: GleuCounts, place: int) -> int:
    """Return the best reference: by its score, then by precisions from the highest order down."""
    found = [_one(counts, place, number) for number in range(counts.match.shape[1])]
    ranks = [(one.value, one.precisions[::-1]) for one in found]
    return ranks.index(max(ranks))


def _sentence_values(counts: GleuCounts, options: argparse.Namespace) -> list[float]:
    values = []
    for place in range(len(counts.match)):
        found = [_one(counts, place, number).value for number in range(counts.match.shape[1])]
        values.append(max(found) if options.max else sum(found) / len(found))
    return values


def _print_corpus(
    counts: Sequence[GleuCounts], options: argparse.Namespace, result: ToolResult
) -> None:
    n_refs = len(options.references)
    if n_refs > 1 and not options.max and not options.fix:
        result.warn("the draws of the original are not reproducible; those of -f are used")
    for path, own in zip(options.outputs, counts, strict=True):
        places = range(len(own.match))
        if n_refs == 1 or options.max:
            chosen = np.array([_best(own, place) for place in places], dtype=np.int64)
            totals = _Totals.of(own, chosen)
            if options.max and options.verbose:
                result.print(path)
                _print_table(totals, options, result)
                continue
            value = totals.value
        else:
            choices = sample_references(len(own.match), (n_refs,), 0, options.iter)[0]
            value = float(np.mean([_Totals.of(own, draw).value for draw in choices.T]))
        result.print(f"{path}\t{_rounded(value, options)}")


def _print_sentences(
    counts: Sequence[GleuCounts],
    texts: tuple[list[str], list[list[str]], list[list[str]]],
    options: argparse.Namespace,
    result: ToolResult,
) -> None:
    sources, references, outputs = texts
    for place, source in enumerate(sources):
        for system, own in enumerate(counts):
            best = _best(own, place)
            for number, reference in enumerate(references):
                mark = "*" if number == best else " "
                result.print(f"S-{place + 1}   \t{source}")
                result.print(f"H-{place + 1}-{system + 1} \t{outputs[system][place]}")
                result.print(f"R-{place + 1}-{number + 1}{mark}\t{reference[place]}")
                _print_table(_one(own, place, number), options, result)


def _print_table(totals: _Totals, options: argparse.Namespace, result: ToolResult) -> None:
    columns = zip(
        totals.match.tolist(),
        totals.penalty.tolist(),
        totals.above.tolist(),
        totals.below.tolist(),
        totals.precisions,
        strict=True,
    )
    rows = [["", "match", "penal", "numer", "denom", "p", "bp", "gleu"]]
    for order, (*counted, precision) in enumerate(columns, 1):
        rows.append([str(order), *map(str, counted), *_cells(precision, totals, options)])
    sums = (totals.match, totals.penalty, totals.above, totals.below)
    rows.append(
        ["total", *(str(int(one.sum())) for one in sums), *_cells(totals.mean, totals, options)]
    )
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    rule = f"+{'+'.join('-' * width for width in widths)}+"
    lines = [
        f"|{'|'.join(cell.center(width) for cell, width in zip(row, widths, strict=True))}|"
        for row in rows
    ]
    for line in (rule, lines[0], rule, *lines[1:], rule):
        result.print(line)


def _cells(precision: float, totals: _Totals, options: argparse.Namespace) -> list[str]:
    values = (precision, totals.brevity, precision * totals.brevity)
    return [_rounded(value, options) for value in values]


def _rounded(value: float, options: argparse.Namespace) -> str:
    """Return a percentage, rounded half up from its shortest decimal form."""
    unit = Decimal(1).scaleb(-options.digit)
    return str(Decimal(str(100 * value)).quantize(unit, ROUND_HALF_UP))
