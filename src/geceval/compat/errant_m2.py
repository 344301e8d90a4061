"""``errant_m2`` of ERRANT 3.0.2: standardize the edits of an M2 file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from geceval.compat import ToolResult
from geceval.compat.argument_parsing import ToolParser, add_extraction, annotator_of, parse
from geceval.compat.m2_lines import EditLine, SentenceLines, noop, read_blocks, warn_of_none
from geceval.extraction.annotator import Annotator
from geceval.extraction.corpus import FLAG, retype
from geceval.formats import Findings
from geceval.model import Annotation, Edit, Sentence, Tokens, apply_edits
from geceval.storage.atomic import open_output
from geceval.text import split_tokens

_FLAGS = frozenset({"Um", "UNK"})


def main(arguments: Sequence[str]) -> ToolResult:
    """Standardize edits."""
    options, result = parse(_parser(), arguments)
    if options is None:
        return result
    findings = Findings()
    _, blocks = read_blocks(options.m2_file, findings)
    result.warn_of(findings)
    result.print("Loading resources...")
    annotator = annotator_of(options)
    result.print("Processing M2 file...")
    readings = [[_Reading(block, name) for name in _names(block)] for block in blocks]
    every = list(chain.from_iterable(readings))
    if skipped := sum(one.n_skipped for one in every):
        result.warn(f"{skipped} edits overlap an earlier one of their annotator and are left out")
    warn_of_none(blocks, "deletions, not a word as in the original", result)
    if ignored := sum(one.n_noops for one in every):
        result.warn(f"{ignored} noop lines beside edits of the same annotator are left out")
    if options.auto:
        _extract(every, annotator, keeps_types=options.old_cats)
    else:
        _type(every, annotator, minimize=not options.no_min, keeps_types=options.old_cats)
    with open_output(options.out) as out:
        for block, own in zip(blocks, readings, strict=True):
            out.write(f"S {block.source}\n")
            out.writelines(line.written() for reading in own for line in reading.lines)
            out.write("\n")
    return result


def _parser() -> ToolParser:
    parser = ToolParser(
        prog="errant_m2", usage="%(prog)s [-h] (-auto | -gold) [options] m2_file -out OUT"
    )
    parser.add_argument("m2_file", help="M2 file to standardize.")
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("-auto", action="store_true", help="Extract edits anew.")
    kind.add_argument("-gold", action="store_true", help="Keep edits and type them anew.")
    parser.add_argument("-out", required=True, help="M2 file to write.")
    parser.add_argument("-no_min", action="store_true", help="Do not minimize edits (-gold).")
    parser.add_argument("-old_cats", action="store_true", help="Keep error types.")
    add_extraction(parser)
    return parser


def _names(block: SentenceLines) -> list[str]:
    """Return the annotators in the order of their names as text, so that 10 precedes 2."""
    return sorted(block.by_annotator())


class _Reading:
    """The edits of an annotator of a sentence, before and after.

    Parameters
    ----------
    block, annotator
        The sentence and the annotator.

    Attributes
    ----------
    edits
        Edits that can be applied together, in order.
    flags
        Lines that mark errors without correcting them.
    order
        Places of the lines, by their numbers in the file.
    lines
        What is written in the end.
    """

    def __init__(self, block: SentenceLines, annotator: str) -> None:
        own = block.by_annotator()[annotator]
        self.tokens = split_tokens(block.source)
        self.annotator = annotator
        self.is_noop = own[0].is_noop
        self.edits: list[EditLine] = []
        self.flags: list[EditLine] = []
        self.lines: list[EditLine] = [noop(annotator)] if self.is_noop else []
        self.n_skipped = self.n_noops = 0
        given = [] if self.is_noop else sorted(own, key=_place)
        self.order = {line.number: place for place, line in enumerate(given)}
        for line in given:
            self._add(line)

    def _add(self, line: EditLine) -> None:
        if line.is_noop:
            self.n_noops += 1
        elif line.type in _FLAGS:
            self.flags.append(line)
        elif self.edits and line.start < self.edits[-1].end:
            self.n_skipped += 1
        else:
            self.edits.append(line)

    @property
    def corrected(self) -> Tokens:
        """The sentence with all edits applied."""
        return apply_edits(self.tokens, [_as_edit(line) for line in self.edits])


def _place(line: EditLine) -> tuple[int, int]:
    return line.start, line.end


def _as_edit(line: EditLine) -> Edit:
    return Edit(line.start, line.end, (split_tokens(line.correction),), line.type)


def _as_line(edit: Edit, annotator: str) -> EditLine:
    return EditLine(0, edit.start, edit.end, edit.type, " ".join(edit.correction), annotator)


def _extract(readings: Sequence[_Reading], annotator: Annotator, *, keeps_types: bool) -> None:
    """Extract edits from the corrected sentences; only the types of flags can be kept."""
    corrected = [one for one in readings if not one.is_noop]
    pairs = ((one.tokens, one.corrected) for one in corrected)
    for reading, edits in zip(corrected, annotator.annotate_pairs(pairs), strict=True):
        found = [_as_line(edit, reading.annotator) for edit in edits]
        reading.lines = sorted([*_flags(reading, keeps_types=keeps_types), *found], key=_place)


def _flags(reading: _Reading, *, keeps_types: bool) -> list[EditLine]:
    """Return the lines that mark errors only."""
    if keeps_types:
        return reading.flags
    return [line._replace(type=FLAG) for line in reading.flags]


def _type(
    readings: Sequence[_Reading], annotator: Annotator, *, minimize: bool, keeps_types: bool
) -> None:
    """Type edits without changing what they correct."""
    kept = [
        [_trimmed(line, reading.tokens) if minimize else line for line in reading.edits]
        for reading in readings
    ]
    changing = [
        [line for line in lines if not _repeats(line, reading.tokens)]
        for reading, lines in zip(readings, kept, strict=True)
    ]
    sentences = [
        Sentence(
            reading.tokens,
            (Annotation(reading.annotator, tuple(map(_as_edit, lines))),),
        )
        for reading, lines in zip(readings, changing, strict=True)
    ]
    typed = retype(sentences, annotator, minimize=False)
    for reading, lines, sent in zip(readings, kept, typed, strict=True):
        if reading.is_noop:
            continue
        names = iter(sent.annotations[0].edits)
        found = [
            line
            if keeps_types
            else line._replace(type=FLAG if _repeats(line, reading.tokens) else next(names).type)
            for line in lines
        ]
        # In the order of the edits as they were given, before they were cut.
        every = [*found, *_flags(reading, keeps_types=keeps_types)]
        every.sort(key=lambda line: reading.order[line.number])
        reading.lines = [line._replace(text=line.correction) for line in every]


def _repeats(line: EditLine, tokens: Tokens) -> bool:
    return split_tokens(line.correction) == tokens[line.start : line.end]


def _trimmed(line: EditLine, tokens: Tokens) -> EditLine:
    """Cut equal words off, at the left first."""
    start, end, words = line.start, line.end, split_tokens(line.correction)
    while start < end and words and tokens[start] == words[0]:
        start, words = start + 1, words[1:]
    while start < end and words and tokens[end - 1] == words[-1]:
        end, words = end - 1, words[:-1]
    return line._replace(start=start, end=end, text=" ".join(words))
