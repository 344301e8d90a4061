"""Parse XML safely: no custom entities, no document types, no network access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geceval.formats.inputs import Input

if TYPE_CHECKING:
    from lxml.etree import _Element


def parse_xml(source: Input) -> _Element:
    """Parse a whole file; external references and document types are rejected."""
    from lxml import etree

    # The declaration in the file applies, unless the user gave an encoding.
    is_declared = source.encoding == "utf-8"
    data = source.data() if is_declared else source.text().encode()
    parser = etree.XMLParser(
        encoding=None if is_declared else "utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = error.lineno or None
        raise source.error(f"not well-formed XML: {error.msg}", line=line) from None
    except ValueError as error:
        raise source.error(f"not XML: {error}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise source.error("a document type declaration is not allowed")
    return root
