"""Compressed parts of the page: the sentences, which are most of the document.

A part is JSON, compressed (raw deflate, RFC 1951) and encoded (Base64). The page's script decodes
it with ``DecompressionStream``, after the first screen is shown. The sentences of each system are a
part of their own, which bounds the memory that rendering needs.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

from geceval.report.results import Results
from geceval.storage import strict_json

_LEVEL = 6
_RAW = -zlib.MAX_WBITS
"""Window size of deflate without a header."""


def pack(document: Any) -> str:
    """Compress a JSON document, as text without characters that HTML would interpret.

    Examples
    --------
    >>> unpack(pack({"sentence": "</script>"}))
    {'sentence': '</script>'}
    """
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    text = strict_json.dumps(document, compact=True).encode()
    return base64.b64encode(compressor.compress(text) + compressor.flush()).decode("ascii")


def unpack(packed: str) -> Any:
    """Return the document that `pack` compressed."""
    return json.loads(zlib.decompress(base64.b64decode(packed), _RAW))


def packed_sentences(results: Results) -> Iterator[str]:
    """Yield the sentences without systems, and then those of each system, in order."""
    sentences = results["sentences"]
    yield pack({key: value for key, value in sentences.items() if key != "systems"})
    for system in results["systems"]:
        yield pack(sentences["systems"][system])


def without_sentences(results: Results) -> dict[str, Any]:
    """Return the document without the parts that are packed."""
    return {key: value for key, value in results.items() if key != "sentences"}
