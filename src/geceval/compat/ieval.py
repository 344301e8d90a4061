"""``ieval`` of imeasure: the I-measure with the options and the output of the original."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from geceval.compat import ToolResult
from geceval.compat.colon_options import colon_options
from geceval.compat.gleu_counts import read_lines, words
from geceval.compat.python2 import printed
from geceval.errors import GecevalError, MismatchError, OptionError
from geceval.formats import Findings, load
from geceval.formats.inputs import Input
from geceval.formats.safe_xml import parse_xml
from geceval.metrics.imeasure import COUNTS, N_COUNTED, IMeasure, Maximized, scores_of
from geceval.metrics.statistics import Statistics
from geceval.model import Corpus, Hypothesis

USAGE = """
Usage: python ieval.py -ref:<file> -hyp:<file> [-nomix] [-max:<metric>] [-opt:sent|corpus] \
[-b:<n>] [-w:<n>] [-per-sent] [-v] [-vv]

\t -ref   : XML file containing gold standard annotations.
\t -hyp   : Plain text file containing sentence hypotheses (one per line).
\t -nomix : Do not mix corrections from different annotators; match the best individual \
reference instead.
\t          By default, the scorer will mix such corrections in order to maximise matches. \
This option disables\x20
\t          default behaviour.
\t -max   : Maximise scores for the specified metric: dp, dr, df, dacc, dwacc, di, cp, cr, cf, \
cacc, cwacc or ci.
\t          Preceding 'd' is for detection, 'c' for correction. Available metrics are: tp \
(true positives),\x20
\t          tn (true negatives), fp (false positives), fn (false negatives), p (precision), \
r (recall),\x20
\t          f (F measure), acc (accuracy), wacc (weighted accuracy), i (improvement on wacc). \
Default is cwacc.
\t -opt   : Optimise scores at the sentence or corpus level. Default is sent.
\t -b     : Specify beta for the F measure. Default is 1.0.
\t -w     : Specify weight of true and false positives for weighted accuracy. Default is 2.0.
\t -per-sent : Show individual results for each sentence.
\t -v     : Verbose output.
\t -vv    : Very verbose output.

"""
_MAXIMIZED: dict[str, Maximized] = {
    "tp": "tp", "tn": "tn", "fp": "fp", "fn": "fn", "p": "precision", "r": "recall", "f": "f",
    "acc": "acc", "wacc": "wacc", "i": "i",
}  # fmt: skip
_ASPECTS = {"d": "detection", "c": "correction"}
_LEVELS = {"sent": "sentence", "corpus": "corpus"}
_RULE, _SHORT_RULE = "-" * 117, "-" * 40

Scores: TypeAlias = Mapping[str, Any]


def main(arguments: Sequence[str]) -> ToolResult:
    """Score a system."""
    result = ToolResult()
    names, flags = ("ref", "hyp", "max", "opt", "b", "w"), ("nomix", "per-sent", "v", "vv")
    options = colon_options(arguments, names, flags, result)
    if "ref" not in options or "hyp" not in options:
        result.out.append(USAGE)
        return result
    _Evaluation(options, result).run()
    return result


class _Evaluation:
    """One run of the tool."""

    def __init__(self, options: Mapping[str, str], result: ToolResult) -> None:
        self._options = options
        self._result = result
        self._aspect, self._maximized = self._maximize()
        self._level = self._optimize()
        self._beta = self._number("b", 1.0)
        self._weight = self._number("w", 2.0)

    def run(self) -> None:
        """Score, and print everything."""
        result, options = self._result, self._options
        if "vv" in options:
            result.warn("-vv: references are not listed; this is the output of -v")
        findings = Findings()
        corpus, shown = _read_gold(options["ref"], findings, result)
        hypothesis = _read_hypothesis(options["hyp"], result)
        if len(corpus) != len(hypothesis):
            raise MismatchError(options["ref"], len(corpus), options["hyp"], len(hypothesis))
        result.warn_of(findings)
        metric = IMeasure(
            mix="nomix" not in options,
            weight=self._weight,
            beta=self._beta,
            maximize=_MAXIMIZED[self._maximized],
            aspect=cast("Any", _ASPECTS[self._aspect]),
            optimize=cast("Any", _LEVELS[self._level]),
        )
        statistics = metric.statistics(corpus, hypothesis)
        score = metric.aggregate(statistics)
        for note in score.notes:
            result.warn(note)
        counts = _chosen(statistics, score.sentences.chosen)
        self._print_head()
        self._print_sentences(counts, shown)
        self._print_overall(self._scores(counts.sum(axis=0)))

    def _maximize(self) -> tuple[str, str]:
        given = self._options.get("max", "cwacc").lower()
        aspect, metric = given[:1], given[1:]
        if aspect in _ASPECTS and metric in _MAXIMIZED:
            return aspect, metric
        self._result.print(f"Invalid maximising metric: {aspect} {metric}")
        self._result.print("Rolling back to default: c wacc")
        return "c", "wacc"

    def _optimize(self) -> str:
        given = self._options.get("opt", "sent").lower()
        if given in _LEVELS:
            return given
        self._result.print(f"Invalid optimisation parameter: {given}")
        self._result.print("Rolling back to default: sent")
        return "sent"

    def _number(self, name: str, default: float) -> float:
        text = self._options.get(name)
        try:
            return default if text is None else float(text)
        except ValueError:
            raise OptionError(f"-{name} takes a number, not {text!r}") from None

    def _scores(self, counts: NDArray[np.int64]) -> dict[str, Any]:
        """Return all scores of both aspects, as plain numbers."""
        value, parts = scores_of(counts, self._weight, self._beta)
        found = {name: part.item() for name, part in parts.items()}
        total = found["base_tn"] + found["base_fn"]
        found["acc_base"] = found["base_tn"] / total if total else 1.0
        return {**found, "i": float(value), "d_i": float(found["d_i"])}

    def _print_head(self) -> None:
        options, line = self._options, self._result.print
        aspect = _ASPECTS[self._aspect].upper()
        line(_RULE)
        line(f"Hypothesis file    : {options['hyp']}")
        line(f"Gold standard file : {options['ref']}")
        line(f"Maximising metric  : {self._maximized.upper()} - {aspect}")
        line(f"Optimise for       : {_LEVELS[self._level].upper()}")
        line(f"WAcc weight        : {printed(self._weight)}")
        line(f"F beta             : {printed(self._beta)}")
        line(_RULE)

    def _print_columns(self, first: str) -> None:
        names = ["TP", "TN", "FP", "FN", "FPN", "P", "R", f"F_{self._beta:.2f}"]
        names += ["Acc", "Acc_b", "WAcc", "WAcc_b", "I"]
        self._result.print(_RULE)
        self._result.print(f"{first}{''.join(f'  {name:>6}' for name in names)} ")
        self._result.print(_RULE)

    def _print_sentences(
        self, counts: NDArray[np.int64], sentences: Sequence[_ShownSentence]
    ) -> None:
        line = self._result.print
        is_listed, is_verbose = "per-sent" in self._options, bool({"v", "vv"} & {*self._options})
        if is_listed:
            line()
            line("SENTENCE RESULTS")
            self._print_columns("SID     Asp.")
        running = np.zeros(N_COUNTED, dtype=np.int64)
        for (name, text), row in zip(sentences, counts, strict=True):
            if is_verbose:
                line()
                line(_SHORT_RULE)
                line(f"Sentence {name} : {text}")
                line(_SHORT_RULE)
            if is_listed:
                scores = self._scores(row)
                line(f"{name:<6}  Det {_row(scores, 'd_')}")
                line(f"{name:<6}  Cor {_row(scores, '')}")
            if is_verbose:
                running += row
                line()
                self._print_cumulative(self._scores(running))

    def _print_overall(self, scores: Scores) -> None:
        self._result.print()
        self._result.print("OVERALL RESULTS")
        self._print_columns(f"{'Aspect':<12}")
        self._result.print(f"{'Detection':<12}{_row(scores, 'd_')}")
        self._result.print(f"{'Correction':<12}{_row(scores, '')}")
        self._result.print()

    def _print_cumulative(self, scores: Scores) -> None:
        line = self._result.print
        baseline = _baseline(scores)
        line("CUMULATIVE RESULTS:")
        for name, found in (("system", scores), ("baseline", baseline)):
            line(f"Cumulative {name} counts: {_counter(found)}")
            line(f"Cumulative {name} scores: {_dictionary(found)}")


class _ShownSentence(NamedTuple):
    """A sentence as it stands in the XML."""

    name: str
    text: str


_ODD_SPACE = re.compile(r"[^\S \t\n\r\f\v]")
_PRIVATE = 0xF0000


def _joined(text: str) -> str:
    """Make each space that is not an ASCII one a part of its word, as it was for Python 2."""
    return _ODD_SPACE.sub(lambda match: chr(_PRIVATE + ord(match[0])), text)


def _read_gold(
    path: str, findings: Findings, result: ToolResult
) -> tuple[Corpus, list[_ShownSentence]]:
    """Read the XML, whose texts are split at ASCII spaces only."""
    from lxml import etree

    with Input.open(path) as source:
        root = parse_xml(source)
    shown = [
        _ShownSentence(element.get("id", str(number)), "".join(text.itertext()))
        for number, element in enumerate(root.iterfind("script/sentence"), 1)
        if (text := element.find("text")) is not None
    ]
    found = None
    for element in root.iter("text", "c"):
        if element.text and (odd := _ODD_SPACE.search(element.text)):
            found = found or odd[0]
            element.text = _joined(element.text)
    if found is None:
        corpus = load(path, format="ixml", findings=findings)
    else:
        _warn_of_space(path, found, result)
        data = etree.tostring(root, encoding="utf-8")
        with Input(io.BytesIO(data), name=path) as source:
            corpus = load(source, format="ixml", findings=findings)
    if not len(corpus):
        raise GecevalError(f"{path} has no sentences")
    return corpus, shown


def _read_hypothesis(path: str, result: ToolResult) -> Hypothesis:
    """Read the output, whose lines are split at ASCII spaces only."""
    lines = read_lines(path)
    if odd := next(filter(None, map(_ODD_SPACE.search, lines)), None):
        _warn_of_space(path, odd[0], result)
    return Hypothesis(path, tuple(tuple(words(_joined(line))) for line in lines))


def _warn_of_space(path: str, space: str, result: ToolResult) -> None:
    result.warn(
        f"{path}: U+{ord(space):04X} stays inside a word: as in the original, text is split at "
        "ASCII spaces only"
    )


def _chosen(statistics: Statistics, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the counts of each sentence for its chosen reference."""
    rows = np.arange(len(chosen))
    found: NDArray[np.int64] = statistics.counts[rows, chosen, :N_COUNTED].astype(np.int64)
    return found


def _row(scores: Scores, prefix: str) -> str:
    counted = "".join(f"  {scores[f'{prefix}{name}']:>6}" for name in COUNTS)
    names = [f"{prefix}{name}" for name in ("precision", "recall", "f", "acc")]
    names += ["acc_base", f"{prefix}wacc", "wacc_base", f"{prefix}i"]
    return counted + "".join(f"  {100 * scores[name]:>6.2f}" for name in names)


def _baseline(scores: Scores) -> dict[str, Any]:
    """Return the scores of the source itself."""
    missed = scores["base_fn"]
    perfect = float(not missed)
    found: dict[str, Any] = {
        "tp": 0, "tn": scores["base_tn"], "fp": 0, "fn": missed, "fpn": 0, "precision": 1.0,
        "recall": perfect, "f": perfect, "acc": scores["acc_base"], "wacc": scores["wacc_base"],
        "i": 0,
    }  # fmt: skip
    return {**found, **{f"d_{name}": value for name, value in found.items()}}


def _counter(scores: Scores) -> str:
    """Return counts as Python 2 printed nested counters: the largest first, without zeros."""

    def inner(prefix: str) -> str:
        counts = [(name, scores[f"{prefix}{name}"]) for name in COUNTS]
        counts = sorted((pair for pair in counts if pair[1]), key=lambda pair: -pair[1])
        if not counts:
            return "Counter()"
        return f"Counter({{{', '.join(f'{name!r}: {count}' for name, count in counts)}}})"

    return f"Counter({{'c': {inner('')}, 'd': {inner('d_')}}})"


def _dictionary(scores: Scores) -> str:
    """Return scores in the order of a dictionary of Python 2."""
    names = {
        "fp": "fp", "fn": "fn", "acc": "acc", "f": "f", "i": "i", "wacc": "wacc", "fpn": "fpn",
        "tp": "tp", "tn": "tn", "p": "precision", "r": "recall",
    }  # fmt: skip

    def inner(prefix: str) -> str:
        items = (f"{short!r}: {scores[f'{prefix}{name}']!r}" for short, name in names.items())
        return f"{{{', '.join(items)}}}"

    return f"{{'c': {inner('')}, 'd': {inner('d_')}}}"
