"""``compute_gleu`` of gec-ranking: GLEU of 2016, with references drawn by Python 2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
_USAGE = """\
%(prog)s [-h] -r [REFERENCE [REFERENCE ...]] -s SOURCE -o
                    [HYPOTHESIS [HYPOTHESIS ...]] [-n N] [-d] [--iter ITER]"""


def main(arguments: Sequence[str]) -> ToolResult:
    """Score systems."""
    options, result = parse(_parser(), arguments)
    if options is None:
        return result
    if options.n != ORDER:
        result.warn(
            f"-n {options.n}: as in the original, n-grams up to {ORDER} are counted, the first "
            f"{min(options.n, ORDER)} precisions are multiplied, and the 4th root is taken"
        )
    sources = read_lines(options.source)
    references = [read_lines(path) for path in options.reference]
    names = dict(zip(options.reference, map(len, references), strict=True))
    check_lengths(options.source, len(sources), names)
    split = [[words(line) for line in lines] for lines in (sources, *references)]
    for path in options.hypothesis:
        lines = read_lines(path)
        check_lengths(options.source, len(sources), {path: len(lines)})
        counts = count(split[0], [words(line) for line in lines], split[1:], ORDER)
        n_refs = len(references)
        # With one reference, there is nothing to draw.
        n_draws = options.iter if n_refs > 1 else 1
        choices = sample_references(len(lines), (n_refs,), 0, n_draws)[0]
        overall = drawn_scores(counts, choices, used=min(options.n, ORDER))
        if not options.debug:
            name = path if path == "-" else Path(path).name
            result.print(f"{name} {overall.mean():.6f}")
            continue
        result.print()
        result.print("===== Sentence-level scores =====")
        result.print("SID Mean Stdev 95%CI GLEU")
        for number, scores in enumerate(smoothed_scores(counts, used=ORDER)):
            result.print(f"{number} {' '.join(spread(np.asarray(scores)))}")
        result.print()
        result.print("==== Overall score =====")
        result.print("Mean Stdev 95%CI GLEU")
        result.print(" ".join(spread(overall)))
    return result


def _parser() -> ToolParser:
    parser = ToolParser(prog="compute_gleu", usage=_USAGE, is_python2=True)
    parser.add_argument("-r", "--reference", nargs="+", required=True, help="References.")
    parser.add_argument("-s", "--source", required=True, help="Source text.")
    parser.add_argument(
        "-o", "--hypothesis", nargs="+", required=True, help="Outputs; - for input."
    )
    parser.add_argument("-n", type=at_least(1), default=ORDER, help="Order of the n-grams.")
    parser.add_argument("-d", "--debug", action="store_true", help="Print sentence scores.")
    parser.add_argument("--iter", type=at_least(1), default=500, help="Number of draws.")
    return parser
