"""``m2_to_ixml`` of imeasure: M2 as I-measure XML."""

from __future__ import annotations

from collections.abc import Sequence

from geceval.compat import ToolResult
from geceval.compat.colon_options import colon_options
from geceval.compat.m2_lines import EditLine, SentenceLines, read_blocks, warn_of_none
from geceval.compat.treebank import treebank_tokens
from geceval.formats import Findings
from geceval.model import Edit
from geceval.references.groups import touching_groups
from geceval.storage.atomic import write_bytes

_USAGE = """\
Usage: python m2_to_ixml.py -in:<file> [-out:<file>]
\t -in:  Input .m2 file.
\t -out: Output file. Default is input filename .ieval.xml.

"""
_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ATTRIBUTE = {**_TEXT, "'": "&apos;", '"': "&quot;"}


def main(arguments: Sequence[str]) -> ToolResult:
    """Convert a file."""
    result = ToolResult()
    options = colon_options(arguments, {"in", "out"}, (), result)
    if "in" not in options:
        result.out.append(_USAGE)
        return result
    findings = Findings()
    _, blocks = read_blocks(options["in"], findings)
    result.warn_of(findings)
    warn_of_none(blocks, "written as empty, not as a word", result)
    sentences = "".join(_sentence(number, block) for number, block in enumerate(blocks, 1))
    document = (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        f'<scripts><script id="1">{sentences}</script></scripts>'
    )
    write_bytes(options.get("out", f"{options['in']}.ieval.xml"), document.encode())
    result.out.append("".join(f"\rSentence {number}..." for number in range(1, len(blocks) + 1)))
    result.print()
    return result


def _sentence(number: int, block: SentenceLines) -> str:
    annotators = block.by_annotator()
    edits = [line for line in block.edits if not line.is_noop]
    groups = touching_groups([Edit(line.start, line.end, ()) for line in edits])
    clusters = [[edits[place] for place in group] for group in groups]
    clusters.sort(key=lambda cluster: (cluster[0].start, cluster[0].end))
    errors = "".join(
        _error(place, cluster, len(annotators)) for place, cluster in enumerate(clusters, 1)
    )
    listing = f"<error-list>{errors}</error-list>" if errors else "<error-list />"
    text = _escaped(block.source, _TEXT)
    head = f'<sentence id="{number}" numann="{len(annotators)}">'
    return f"{head}<text>{text}</text>{listing}</sentence>"


def _error(number: int, cluster: Sequence[EditLine], n_annotators: int) -> str:
    by_annotator: dict[str, list[EditLine]] = {}
    for line in cluster:
        by_annotator.setdefault(line.annotator, []).append(line)
    required = "yes" if len(by_annotator) == n_annotators else "no"
    types = _escaped("/".join(dict.fromkeys(line.type for line in cluster)), _ATTRIBUTE)
    alternatives = "".join(
        f'<alt ann="{_escaped(name, _ATTRIBUTE)}">{"".join(map(_correction, lines))}</alt>'
        for name, lines in sorted(by_annotator.items(), key=_annotator_order)
    )
    return f'<error id="{number}" req="{required}" type="{types}">{alternatives}</error>'


def _annotator_order(item: tuple[str, object]) -> tuple[int, str]:
    name = item[0]
    return (int(name) if name.isdecimal() else 0), name


def _correction(line: EditLine) -> str:
    first = line.correction.split("||")[0]
    text = _escaped(" ".join(treebank_tokens(first)), _TEXT)
    head = f'<c end="{line.end}" start="{line.start}"'
    return f"{head}>{text}</c>" if text else f"{head} />"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
