"""``edit_creator`` of m2scorer 3.2: edits between two texts, as M2."""

from __future__ import annotations

import getopt
from collections.abc import Iterator, Sequence

from geceval.compat import ToolResult
from geceval.compat.m2scorer import ScorerOptions, parsed
from geceval.errors import MismatchError
from geceval.formats.inputs import Input
from geceval.metrics.maxmatch import M2
from geceval.metrics.views import SystemEdit
from geceval.model import Annotation, Corpus, Hypothesis, Sentence
from geceval.storage.atomic import open_output
from geceval.text import split_tokens

_USAGE = """\
Usage: m2scorer.py [OPTIONS] source target
where
  source          -   the source input
  target          -   the target side of a parallel corpus or a system output
OPTIONS
  -v    --verbose                   \t-  print verbose output
        --very_verbose              \t-  print lots of verbose output
        --max_unchanged_words N     \t-  Maximum unchanged words when extraction edit. Default 0.
        --ignore_whitespace_casing  \t-  Ignore edits that only affect whitespace and caseing. \
Default no.
        --output  \t                  -  The output file. Otherwise, it prints to standard output \

"""
_OPTIONS = [
    "max_unchanged_words=", "beta=", "verbose", "ignore_whitespace_casing", "very_verbose",
    "output=",
]  # fmt: skip
_USAGE_CODE = 255
_THOUSAND = 1000


def main(arguments: Sequence[str]) -> ToolResult:
    """Write the edits between two texts."""
    try:
        options = parsed(arguments, _OPTIONS, ScorerOptions(max_unchanged_words=0))
    except getopt.GetoptError as error:
        return ToolResult(err=[f"edit_creator: error: {error}\n"], code=1)
    if len(options.files) != 2:
        return ToolResult(err=[_USAGE], code=_USAGE_CODE)
    sources, targets = (_lines(path) for path in options.files)
    if len(sources) != len(targets):
        raise MismatchError(options.files[0], len(sources), options.files[1], len(targets))
    text = "".join(_blocks(sources, targets, options))
    result = ToolResult()
    if options.output is None:
        result.out.append(text)
    else:
        with open_output(options.output) as out:
            out.write(text)
    thousands = "".join(f" {number}" for number in range(0, len(sources), _THOUSAND))
    result.err.append(f"Process line by line: {thousands} Done!\n")
    return result


def _lines(path: str) -> list[str]:
    with Input.open(path) as source:
        return [line.strip() for line in source.lines()]


def _blocks(sources: list[str], targets: list[str], options: ScorerOptions) -> Iterator[str]:
    # Without gold edits, the path is the shortest, with the fewest edits.
    corpus = Corpus(tuple(Sentence(split_tokens(text), (Annotation("0"),)) for text in sources))
    hypothesis = Hypothesis("target", tuple(map(split_tokens, targets)))
    metric = M2(
        max_unchanged=options.max_unchanged_words,
        ignore_whitespace_casing=options.ignore_whitespace_casing,
    )
    views = metric.all_edits(corpus, hypothesis)
    for source, target, (view,) in zip(sources, targets, views, strict=True):
        yield f"S {source}\n"
        if options.verbose:
            yield f"T {target}\n"
        yield from map(_line, view.edits)
        yield "\n"


def _line(edit: SystemEdit) -> str:
    words = " ".join(edit.correction)
    return f"A {edit.start} {edit.end}|||UNK|||{words}|||REQUIRED|||-NONE-|||0\n"
