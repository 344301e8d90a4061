"""``gleu.py`` of JFLEG: GLEU with references drawn by Python 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geceval.compat import ToolResult
from geceval.compat.argument_parsing import ToolParser, at_least, parse
from geceval.compat.gleu_counts import (
    check_lengths,
    count,
    drawn_scores,
    read_lines,
    smoothed_scores,
    spread,
    words,
)
from geceval.metrics.gleu.samples import sample_references

ORDER = 4
_ONE = "There is one reference. NOTE: GLEU is not computing the confidence interval."


def main(arguments: Sequence[str]) -> ToolResult:
    """Score systems."""
    options, result = parse(_parser(), arguments)
    if options is None:
        return result
    sources = read_lines(options.src)
    references = [read_lines(path) for path in options.ref]
    names = dict(zip(options.ref, map(len, references), strict=True))
    check_lengths(options.src, len(sources), names)
    split = [[words(line) for line in lines] for lines in (sources, *references)]
    result.err.append("Running GLEU...\n")
    order, n_refs = options.n, len(references)
    for path in options.hyp:
        lines = read_lines(path)
        check_lengths(options.src, len(sources), {path: len(lines)})
        counts = count(split[0], [words(line) for line in lines], split[1:], order)
        result.print(path)
        sentences = smoothed_scores(counts, used=order)
        if n_refs == 1:
            result.print(_ONE)
            if options.sent:
                result.warn("--sent with one reference: only the first sentence is printed")
                result.print(f"{sentences[0, 0]:.6f}")
                continue
        if options.sent:
            rows = [np.asarray(scores) for scores in sentences]
            result.print(str([list(spread(row)) for row in rows]))
            continue
        choices = (
            sample_references(
                len(lines), (n_refs,), 0, options.iter if n_refs > 1 else 1, "python3"
            )[0]
            if n_refs > 1
            else np.zeros((len(lines), 1), dtype=np.int64)
        )
        overall = drawn_scores(counts, choices, used=min(order, ORDER))
        if n_refs == 1:
            result.print(f"{overall[0]:.6f}")
        else:
            result.print(str([list(spread(overall))]))
    return result


def _parser() -> ToolParser:
    usage = "%(prog)s [-h] -r REF [REF ...] -s SRC --hyp HYP [HYP ...] [-n N] [--iter K] [--sent]"
    parser = ToolParser(prog="gleu.py", usage=usage)
    parser.add_argument("-r", "--ref", nargs="+", required=True, help="References.")
    parser.add_argument("-s", "--src", required=True, help="Source text.")
    parser.add_argument("--hyp", nargs="+", required=True, help="Outputs.")
    parser.add_argument("-n", type=at_least(1), default=ORDER, help="Order of the n-grams.")
    parser.add_argument("--iter", type=at_least(1), default=500, help="Number of draws.")
    parser.add_argument("--sent", action="store_true", help="Print sentence scores.")
    return parser
