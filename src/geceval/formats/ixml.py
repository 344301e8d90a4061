"""I-measure XML: errors with alternative sets of corrections, token offsets.

::

    <scripts><script id="1"><sentence id="1" numann="2">
      <text>This machines is old .</text>
      <error-list>
        <error id="1" req="yes" type="SVA">
          <alt ann="0"><c start="0" end="1">These</c><c start="2" end="3">are</c></alt>
          <alt ann="1"><c start="1" end="2">machine</c></alt>
        </error>
      </error-list>
    </sentence></script></scripts>

The ``<error>`` of an edit becomes its ``group``. Three attributes are extensions, so that an M2
file loses only its comments: ``type`` and ``or`` (alternative corrections, one per line) on
``<c>``, and ``annotators`` (names that ``numann`` does not imply) on ``<sentence>``. The original
tool ignores them and uses the first correction only; so does our I-measure.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO
from xml.sax.saxutils import escape, quoteattr

from geceval.errors import GecevalError
from geceval.formats._shared.spaces import UnicodeSpaces
from geceval.formats.base import Format
from geceval.formats.inputs import Input
from geceval.formats.safe_xml import parse_xml
from geceval.model import MAX_OFFSET, Annotation, Edit, Sentence, Tokens, annotator_order, in_order
from geceval.references.groups import Error, errors_of
from geceval.text import join_tokens, split_tokens

if TYPE_CHECKING:
    from lxml.etree import _Element


def sniff(head: str) -> bool:
    """Recognize the root element."""
    return head.lstrip().startswith("<") and bool(_SNIFF.search(head[:2000]))


_SNIFF = re.compile(r"<scripts[\s/>]")


def read(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read sentences; their ids are those of script and sentence."""
    for source in inputs:
        root = parse_xml(source)
        if root.tag != "scripts":
            raise source.error(f"expected <scripts>, found {root.tag!r}", line=root.sourceline)
        for script in root.iterfind("script"):
            for element in script.iterfind("sentence"):
                name = f"{script.get('id', '1')}-{element.get('id', '')}"
                yield _sentence(element, name, source)


def _sentence(element: _Element, name: str, source: Input) -> Sentence:
    text = element.find("text")
    if text is None:
        raise source.error("a <sentence> needs a <text>", line=element.sourceline)
    words = "".join(text.itertext())
    tokens = split_tokens(words)
    spaces = UnicodeSpaces.of(words, ascii_separates=True)
    if spaces is not None:
        corrections = element.iterfind("error-list/error/alt/c")
        spans = [_span(correction, source) for correction in corrections]
        spaces = spaces.resolve(spans, source, element.sourceline or 0)
    by_annotator: dict[str, list[Edit]] = {}
    for number, error in enumerate(element.iterfind("error-list/error"), 1):
        group = error.get("id", "") or str(number)
        for annotator, edits in _alternatives(error, group, tokens, spaces, source).items():
            by_annotator.setdefault(annotator, []).extend(_or_flag(edit, tokens) for edit in edits)
    _add_unchanged(by_annotator, element, source)
    annotations = tuple(
        Annotation(annotator, tuple(in_order(by_annotator[annotator])))
        for annotator in sorted(by_annotator, key=annotator_order)
    )
    return Sentence(tokens, annotations, id=name)


def _add_unchanged(by_annotator: dict[str, list[Edit]], element: _Element, source: Input) -> None:
    """Add the annotators without corrections, by name or as implied by ``numann``."""
    for annotator in element.get("annotators", "").split():
        by_annotator.setdefault(annotator, [])
    count = _integer(element, "numann", source) if "numann" in element.attrib else len(by_annotator)
    if count > len(by_annotator) + 1000:
        raise source.error(f"numann={count} is implausible", line=element.sourceline)
    if count < len(by_annotator):
        message = f"numann={count} but the sentence has {len(by_annotator)} annotators"
        source.note("numann", message, line=element.sourceline)
    for annotator in _unnamed(by_annotator, count):
        by_annotator[annotator] = []


def _unnamed(named: Collection[str], count: int) -> list[str]:
    """Return names for the rest of `count` annotators: the first free numbers."""
    free = (str(number) for number in itertools.count() if str(number) not in named)
    return list(itertools.islice(free, max(0, count - len(named))))


def _tokens(element: _Element) -> Tokens:
    return split_tokens("".join(element.itertext()))


def _or_flag(edit: Edit, tokens: Tokens) -> Edit:
    """Convert a correction that repeats the source into a flag."""
    repeats = edit.corrections == (tokens[edit.start : edit.end],)
    return replace(edit, corrections=()) if repeats else edit


def _alternatives(
    error: _Element, group: str, tokens: Tokens, spaces: UnicodeSpaces | None, source: Input
) -> dict[str, list[Edit]]:
    """Return the edits of each annotator of one error."""
    edits: dict[str, list[Edit]] = {}
    for alt in error.iterfind("alt"):
        annotator = alt.get("ann", "0")
        found = (_edit(one, error, group, tokens, spaces, source) for one in alt.iterfind("c"))
        mine = [edit for edit in found if edit is not None]
        if annotator in edits:
            mine = _merged(edits[annotator], mine, source, alt)
        edits[annotator] = mine
    return edits


def _merged(first: list[Edit], second: list[Edit], source: Input, alt: _Element) -> list[Edit]:
    """Merge two alternatives of one annotator into edits with several corrections.

    The original tool applies both at once when it does not mix annotators.
    """
    if [(edit.start, edit.end) for edit in first] != [(edit.start, edit.end) for edit in second]:
        message = "ignored a second <alt> of one annotator with different spans"
        source.note("duplicate-alt", message, line=alt.sourceline, severity="error")
        return first
    message = "second <alt> of one annotator: the I-measure uses only the first"
    source.note("duplicate-alt", message, line=alt.sourceline)
    return [_with_alternatives(edit, other) for edit, other in zip(first, second, strict=True)]


def _with_alternatives(edit: Edit, other: Edit) -> Edit:
    # Preserve the order: the first counts.
    new = tuple(option for option in other.corrections if option not in edit.corrections)
    return replace(edit, corrections=edit.corrections + new)


def _edit(
    element: _Element,
    error: _Element,
    group: str,
    tokens: Tokens,
    spaces: UnicodeSpaces | None,
    source: Input,
) -> Edit | None:
    start, end = _span(element, source)
    options = (_tokens(element), *_further(element))
    if spaces is not None:
        moved = spaces.move((start, end), options, source, element.sourceline or 0)
        if moved is None:
            return None
        start, end = moved
    if end > len(tokens):
        source.note(
            "out-of-range",
            f"the edit {start} {end} is out of range: the sentence ends at {len(tokens)}",
            line=element.sourceline,
            severity="error",
        )
    return Edit(
        start,
        end,
        options,
        type=element.get("type", error.get("type", "")),
        required=error.get("req", "yes") != "no",
        group=group,
    )


def _span(element: _Element, source: Input) -> tuple[int, int]:
    start, end = _integer(element, "start", source), _integer(element, "end", source)
    if not 0 <= start <= end:
        raise source.error(
            f"a span needs 0 <= start <= end, found {start} {end}", line=element.sourceline
        )
    if end > MAX_OFFSET:
        message = f"no sentence has a token {MAX_OFFSET:,} or beyond, found {start} {end}"
        raise source.error(message, line=element.sourceline)
    return start, end


def _further(element: _Element) -> Iterator[Tokens]:
    """Yield the alternative corrections."""
    if (text := element.get(_OR)) is not None:
        yield from map(split_tokens, text.split(_LINE))


_OR, _LINE = "or", "\n"


def _integer(element: _Element, name: str, source: Input) -> int:
    text = element.get(name, "")
    try:
        return int(text)
    except ValueError:
        message = f"expected a whole number as {name}=, found {text[:40]!r}"
        raise source.error(message, line=element.sourceline) from None


def write(sentences: Iterable[Sentence], outputs: Sequence[TextIO]) -> None:
    """Write sentences; edits without a group are clustered by shared tokens."""
    out = outputs[0]
    out.write("<?xml version='1.0' encoding='UTF-8'?>\n<scripts>")
    script = None
    for number, sent in enumerate(sentences, 1):
        name, _, sentence_id = (sent.id or "").rpartition("-")
        name, sentence_id = (name, sentence_id) if name else ("1", str(number))
        if name != script:
            out.write(
                f"{'</script>' if script is not None else ''}\n<script id={_attribute(name)}>"
            )
            script = name
        out.write(f'\n<sentence id={_attribute(sentence_id)} numann="{len(sent.annotations)}"')
        out.write(f"{_names(sent)}>")
        out.write(f"\n<text>{_text(join_tokens(sent.tokens))}</text>\n<error-list>")
        for error_id, error in enumerate(errors_of(sent), 1):
            out.write(_error_text(error_id, error, sent.tokens))
        out.write("</error-list>\n</sentence>")
    out.write(f"{'</script>' if script is not None else ''}\n</scripts>\n")


def _names(sent: Sentence) -> str:
    """Return the ``annotators`` attribute where ``numann`` does not imply the names."""
    names = [ann.annotator for ann in sent.annotations]
    correcting = {ann.annotator for ann in sent.annotations if ann.edits}
    if correcting.union(_unnamed(correcting, len(names))) == set(names):
        return ""
    if any(name.split() != [name] for name in names):
        raise GecevalError(f"I-measure XML cannot represent annotator names with spaces: {names}")
    return f" annotators={_attribute(' '.join(names))}"


def _error_text(error_id: int, error: Error, tokens: Tokens) -> str:
    required = "yes" if error.required else "no"
    lines = [f'<error id="{error_id}" req="{required}" type={_attribute(error.type)}>']
    for annotator, edits in error.alternatives.items():
        corrections = "".join(_correction(edit, error, tokens) for edit in edits)
        lines.append(f"<alt ann={_attribute(annotator)}>{corrections}</alt>")
    return "\n".join(lines) + "</error>\n"


def _correction(edit: Edit, error: Error, tokens: Tokens) -> str:
    """Write an edit: its first correction as text, the others as an attribute."""
    first, *others = edit.corrections or (tokens[edit.start : edit.end],)
    kind = f" type={_attribute(edit.type)}" if edit.type != error.type else ""
    more = f" {_OR}={_attribute(_LINE.join(map(join_tokens, others)))}" if others else ""
    return f'<c start="{edit.start}" end="{edit.end}"{kind}{more}>{_text(join_tokens(first))}</c>'


_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def _text(text: str) -> str:
    if match := _NOT_XML.search(text):
        raise GecevalError(f"XML cannot represent the character {match[0]!r} in {text[:60]!r}")
    return escape(text)


def _attribute(text: str) -> str:
    _text(text)
    return quoteattr(text)


FORMATS = (Format("ixml", "I-measure XML", (".xml", ".ixml"), sniff, read, write),)
