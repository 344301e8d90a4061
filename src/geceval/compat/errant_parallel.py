"""``errant_parallel`` of ERRANT 3.0.2: edits from parallel text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from geceval.compat import ToolResult
from geceval.compat.argument_parsing import ToolParser, add_extraction, annotator_of, parse
from geceval.compat.m2_lines import EditLine, noop
from geceval.errors import MismatchError
from geceval.extraction.corpus import annotate_rows
from geceval.formats.inputs import Input
from geceval.model import Annotation, Sentence
from geceval.storage.atomic import open_output

_SPACES = re.compile(r"\s{2}|[^\S ]")
"""What spaCy's tokenizer makes a token of."""


def main(arguments: Sequence[str]) -> ToolResult:
    """Write the edits of parallel text to an M2 file."""
    options, result = parse(_parser(), arguments)
    if options is None:
        return result
    paths = [options.orig, *options.cor]
    columns = [_lines(path) for path in paths]
    for path, column in zip(paths[1:], columns[1:], strict=True):
        if len(column) != len(columns[0]):
            raise MismatchError(paths[0], len(columns[0]), path, len(column))
    rows = [row for row in zip(*columns, strict=True) if row[0]]
    if blank := len(columns[0]) - len(rows):
        result.warn(
            f"{blank} blank source lines are left out, so that sentences are numbered otherwise"
        )
    if options.tok and (runs := sum(any(map(_SPACES.search, row)) for row in rows)):
        result.warn(
            f"{runs} lines have several spaces in a row: the original makes tokens of them, which "
            "M2 cannot hold; here they separate tokens"
        )
    result.print("Loading resources...")
    annotator = annotator_of(options)
    result.print("Processing parallel files...")
    sentences = annotate_rows(rows, annotator, tokenize=options.tok)
    with open_output(options.out) as out:
        for row, sent in zip(rows, sentences, strict=True):
            out.write(_block(row, sent))
    return result


def _parser() -> ToolParser:
    parser = ToolParser(
        prog="errant_parallel",
        usage="%(prog)s [-h] [options] -orig ORIG -cor COR [COR ...] -out OUT",
    )
    parser.add_argument("-orig", required=True, help="Source text, one sentence per line.")
    parser.add_argument("-cor", nargs="+", default=[], required=True, help="Corrected texts.")
    parser.add_argument("-out", required=True, help="M2 file to write.")
    parser.add_argument("-tok", action="store_true", help="Tokenize raw text.")
    add_extraction(parser)
    return parser


def _lines(path: str) -> list[str]:
    with Input.open(path) as source:
        return [line.strip() for line in source.lines()]


def _block(row: Sequence[str], sent: Sentence) -> str:
    lines = [f"S {' '.join(sent.tokens)}\n"]
    for corrected, ann in zip(row[1:], sent.annotations, strict=True):
        # The original compares texts, not tokens.
        if corrected == row[0]:
            lines.append(noop(ann.annotator).written())
        else:
            lines += edit_lines(ann)
    return "".join(lines) + "\n"


def edit_lines(ann: Annotation) -> list[str]:
    """Return the lines of the edits of an annotator."""
    return [
        EditLine(
            0, edit.start, edit.end, edit.type, " ".join(edit.correction), ann.annotator
        ).written()
        for edit in ann.edits
    ]
