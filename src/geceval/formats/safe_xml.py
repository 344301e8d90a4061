"""Parsing XML safely: no entities of its own, no document types, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geceval.formats.inputs import Input

if TYPE_CHECKING:
    from lxml.etree import _Element


def parse_xml(source: Input) -> _Element:
    """Parse a whole file; anything that could reach outside of it is refused."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(source.data(), parser)
    except etree.XMLSyntaxError as error:
        line = error.lineno or None
        raise source.error(f"not well-formed XML: {error.msg}", line=line) from None
    except ValueError as error:
        raise source.error(f"not XML: {error}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise source.error("a document type declaration is not allowed")
    return root
