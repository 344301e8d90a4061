"""Sample logs of lm-evaluation-harness and inspect-ai, as the output of a system.

lm-evaluation-harness writes one JSON object per line with ``doc_id`` and ``filtered_resps``;
inspect-ai writes one JSON object, or a ZIP archive (``.eval``) with one for each sample.
"""

from __future__ import annotations

import io
import json
import re
import reprlib
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from geceval.errors import FormatError
from geceval.formats.base import Format
from geceval.formats.inputs import MAX_WHOLE, Input
from geceval.model import Sentence
from geceval.text import split_tokens

_LM_EVAL = re.compile(r'\s*\{"doc_id"\s*:')
_INSPECT = re.compile(r'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_ZIP = "PK\x03\x04"
_JOURNAL = "_journal/start.json"
_ZSTANDARD = 93
"""Compression method of ZIP archives that Python reads from version 3.14 on."""


def sniff_lm_eval(head: str) -> bool:
    """Recognize the samples of lm-evaluation-harness."""
    return _LM_EVAL.match(head) is not None


def sniff_inspect(head: str) -> bool:
    """Recognize a log of inspect-ai."""
    return _INSPECT.match(head) is not None or (head.startswith(_ZIP) and _JOURNAL in head[:200])


def read_lm_eval(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read the outputs of samples, in the order of documents; of several filters, the first."""
    for source in inputs:
        found: dict[int, str] = {}
        chosen = None
        for number, line in source.numbered_lines():
            if not line.strip():
                continue
            sample = _parsed(source, line, number)
            document = sample.get("doc_id")
            if not isinstance(document, int):
                raise source.error('expected a sample with a number "doc_id"', line=number)
            name = sample.get("filter")
            chosen = name if chosen is None else chosen
            if name != chosen:
                message = f"ignored outputs of the filter {name}; those of {chosen} were read"
                source.note("other-filter", message, line=number)
                continue
            if document in found:
                raise source.error(f"document {document} has a second output", line=number)
            found[document] = _first_text(source, sample.get("filtered_resps"), number)
        for expected, document in enumerate(sorted(found)):
            if document != expected:
                raise source.error(f"document {expected} has no output, but {document} has one")
            yield _sentence(source, found[document], f"document {document}")


def _first_text(source: Input, value: object, line: int) -> str:
    """Return the first text of nested lists."""
    while isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, str):
        message = f'expected text in "filtered_resps", found {reprlib.repr(value)}'
        raise source.error(message, line=line)
    return value


def read_inspect(inputs: Sequence[Input]) -> Iterator[Sentence]:
    """Read the outputs of samples, in the order of the data set."""
    for source in inputs:
        header, samples = _archived(source) if source.head.startswith(_ZIP) else _whole(source)
        found: dict[object, str] = {}
        for sample in samples:
            identifier = sample.get("id")
            if identifier in found:
                raise source.error(
                    f"sample {identifier} has several epochs; expected one output for each sample"
                )
            found[identifier] = _completion(source, sample)
        for identifier in _order(header) or list(found):
            if identifier not in found:
                raise source.error(f"sample {identifier} has no output")
            yield _sentence(source, found[identifier], f"sample {identifier}")


def _order(header: Mapping[str, Any]) -> list[object]:
    """Return the identifiers of samples in the order of the data set, if the log has them."""
    match header:
        case {"eval": {"dataset": {"sample_ids": list(identifiers)}}}:
            return identifiers
    return []


def _whole(source: Input) -> tuple[Mapping[str, Any], list[Any]]:
    log = _parsed(source, source.text(), None)
    samples = log.get("samples")
    if not isinstance(samples, list) or not all(isinstance(one, dict) for one in samples):
        raise source.error('expected a list of "samples", found none')
    return log, samples


def _archived(source: Input) -> tuple[Mapping[str, Any], list[Any]]:
    from zstandard import ZstdError

    data = source.data()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_size(source, archive)
            entries = {
                info.filename: _content(archive, info, data)
                for info in archive.infolist()
                if info.filename == "header.json" or info.filename.startswith("samples/")
            }
    except (
        zipfile.BadZipFile, ZstdError, zlib.error, struct.error, EOFError, ValueError,
        NotImplementedError, RuntimeError,
    ) as error:  # fmt: skip
        raise source.error(f"expected a log of inspect-ai: {error}") from None
    header = _parsed(source, entries.pop("header.json", b"{}"), None)
    return header, [_parsed(source, content, None) for content in entries.values()]


def _check_size(source: Input, archive: zipfile.ZipFile) -> None:
    """Raise an error for an archive that would fill the memory."""
    size = sum(info.file_size for info in archive.infolist())
    if size > MAX_WHOLE:
        raise source.error(f"expands to {size:,} bytes, more than the limit of {MAX_WHOLE:,}")


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes) -> bytes:
    """Return an entry of an archive; Zstandard is not known to all versions of Python."""
    if info.compress_type != _ZSTANDARD:
        with archive.open(info) as entry:
            return entry.read()
    import zstandard

    name, extra = struct.unpack_from("<HH", data, info.header_offset + 26)
    start = info.header_offset + 30 + name + extra
    packed = data[start : start + info.compress_size]
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=info.file_size)


def _completion(source: Input, sample: Mapping[str, Any]) -> str:
    """Return the text that the model wrote."""
    match sample.get("output"):
        case {"choices": [{"message": {"content": str(content)}}, *_]}:
            return content
        case {"choices": [{"message": {"content": list(parts)}}, *_]}:
            texts = [part.get("text") for part in parts if isinstance(part, dict)]
            return "\n".join(text for text in texts if isinstance(text, str))
    raise source.error(f"sample {sample.get('id')} has no output")


def _parsed(source: Input, text: str | bytes, line: int | None) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise source.error(f"expected JSON: {error}", line=line) from None
    if not isinstance(value, dict):
        raise source.error(f"expected a JSON object, found {reprlib.repr(value)}", line=line)
    return value


def _sentence(source: Input, text: str, place: str) -> Sentence:
    """Return the first line of an output."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        source.note("several-lines", f"{place}: only the first line of the output was read")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _surrogate(source, place) from None
    return Sentence(split_tokens(lines[0]) if lines else ())


def _surrogate(source: Input, place: str) -> FormatError:
    return source.error(f"{place}: lone surrogate in the output")


FORMATS = (
    Format(
        "lm-eval",
        "samples of lm-evaluation-harness",
        (),
        sniff_lm_eval,
        read_lm_eval,
        is_output=True,
    ),
    Format(
        "inspect",
        "log of inspect-ai",
        (),
        sniff_inspect,
        read_inspect,
        endings=(".eval",),
        is_output=True,
    ),
)
