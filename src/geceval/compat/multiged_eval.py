"""The evaluation script of MultiGED-2023: labels of tokens against a gold standard."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.compat import ToolResult
from geceval.compat.argument_parsing import ToolParser, parse
from geceval.formats import Findings, load, load_hypothesis
from geceval.metrics.detection import TokenDetection

WIDTH = 46


def main(arguments: Sequence[str]) -> ToolResult:
    """Score the labels of a system; the first argument is the name of the tool."""
    options, result = parse(_parser(), arguments[1:])
    if options is None:
        return result
    findings = Findings()
    gold = load(options.ref, format="multiged", findings=findings, name=options.ref)
    system = load_hypothesis(options.hyp, format="multiged", findings=findings, name=options.hyp)
    parts = TokenDetection(beta=options.beta).score(gold, system).parts
    names = ("tp", "fp", "fn", "P", "R", f"F{options.beta:g}")
    result.warn_of(findings)
    result.print()
    result.print(" Token-Based Detection ".center(WIDTH, "="))
    result.print("\t".join(("TP", "FP", "FN", "Prec", "Rec", f"F{options.beta}")))
    result.print("\t".join(str(round(parts[name], 4)) for name in names))
    result.print("=" * WIDTH)
    result.print()
    return result


def _parser() -> ToolParser:
    parser = ToolParser(prog="multiged", usage="%(prog)s [-h] -hyp HYP -ref REF [-b BETA]")
    parser.add_argument("-hyp", required=True, help="Labels of a system, token and c or i.")
    parser.add_argument("-ref", required=True, help="Gold labels of the same tokens.")
    parser.add_argument("-b", "--beta", type=float, default=0.5, help="Weight of recall in F.")
    return parser
