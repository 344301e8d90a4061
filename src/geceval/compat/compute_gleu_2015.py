"""``compute_gleu`` of 2015: the first GLEU, with a weight of the penalty."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geceval.compat import ToolResult
from geceval.compat.argument_parsing import ToolParser, at_least, parse
from geceval.compat.gleu_counts import Units, check_lengths, ngrams, read_lines, words
from geceval.compat.python2 import printed

ORDER = 4


def main(arguments: Sequence[str]) -> ToolResult:
    """Score systems with each weight."""
    options, result = parse(_parser(), arguments)
    if options is None:
        return result
    if options.n != ORDER:
        result.warn(f"-n {options.n}: n-grams up to {ORDER} are counted, as in the original")
    sources = read_lines(options.source)
    references = [read_lines(path) for path in options.reference]
    names = dict(zip(options.reference, map(len, references), strict=True))
    check_lengths(options.source, len(sources), names)
    before, *gold = [[words(line) for line in lines] for lines in (sources, *references)]
    for path in options.hypothesis:
        lines = read_lines(path)
        check_lengths(options.source, len(sources), {path: len(lines)})
        outputs = [words(line) for line in lines]
        for weight in options.lmbda:
            rows = [
                _statistics(*row, weight)
                for row in zip(before, outputs, zip(*gold, strict=True), strict=True)
            ]
            overall = _score(np.sum(rows, axis=0), min(options.n, ORDER))
            head = f"{Path(path).name} {_weight(weight)}"
            if not options.debug:
                result.print(f"{head} {_printed(overall)}")
                continue
            result.print(head)
            result.print("===== Sentence-level scores =====")
            result.print("SID\tGLEU")
            for number, row in enumerate(rows):
                result.print(f"{number}\t{_score(row, ORDER):.6f}")
            result.print()
            result.print("==== Overall score =====")
            result.print(_printed(overall))
    return result


def _parser() -> ToolParser:
    usage = (
        "%(prog)s [-h] [-r REFERENCE ...] [-s SOURCE] [-o HYPOTHESIS ...] [-n N] [-l L ...] [-d]"
    )
    parser = ToolParser(prog="compute_gleu", usage=usage, is_python2=True)
    parser.add_argument("-r", "--reference", nargs="+", default=["data/dev.ref"])
    parser.add_argument("-s", "--source", default="data/dev.src")
    parser.add_argument("-o", "--hypothesis", nargs="+", default=["data/dev.hyp"])
    parser.add_argument("-n", type=at_least(1), default=ORDER, help="Order of the n-grams.")
    parser.add_argument("-l", "--lmbda", nargs="+", type=_number, default=[0.0], metavar="L")
    parser.add_argument("-d", "--debug", action="store_true", help="Print sentence scores.")
    return parser


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _weight(weight: float) -> str:
    return printed(weight)


def _printed(value: float) -> str:
    return printed(value) if value else "0"


def _statistics(
    source: Units, output: Units, references: Iterable[Units], weight: float
) -> NDArray[np.float64]:
    """Return lengths of output and closest reference, numerators and denominators."""
    targets = list(references)
    closest = min((len(target) for target in targets), key=lambda size: abs(size - len(output)))
    above, below = [], []
    for n in range(1, ORDER + 1):
        ours, before = ngrams(output, n), ngrams(source, n)
        gold = reduce(or_, (ngrams(target, n) for target in targets))
        new = Counter({gram: k for gram, k in gold.items() if gram not in before})
        old = Counter({gram: k for gram, k in before.items() if gram not in gold})
        added = (ours & new).total()
        above.append(added + max(0.0, (ours & gold).total() - weight * (ours & old).total()))
        below.append(added + max(0, len(output) + 1 - n))
    return np.array([len(output), closest, *above, *below], dtype=float)


def _score(row: NDArray[np.float64], used: int) -> float:
    """Score counts; the lengths are interchanged, so that long output is punished."""
    if not row.all():
        return 0.0
    output, reference = row[:2]
    logs = np.log(row[2 : 2 + used] / row[2 + ORDER : 2 + ORDER + used]).sum() / ORDER
    return float(math.exp(min(0.0, 1 - output / reference) + logs))
