"""XML with inline edits, marked by elements of one name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from geceval.formats._shared.documents import DocumentBuilder
from geceval.formats.inputs import Input

if TYPE_CHECKING:
    from lxml.etree import _Element


def tag_of(element: _Element) -> str:
    """Return the lowercase name of an element; files use both cases."""
    return element.tag.lower() if isinstance(element.tag, str) else ""


class MarkedText(DocumentBuilder, ABC):
    """The text of an element as the learner wrote it, and its edits."""

    mark: ClassVar[str]
    """Name of the elements that are edits; all others only contain text."""

    def __init__(self, element: _Element, source: Input) -> None:
        super().__init__()
        self._source = source
        self._walk(element)

    def _walk(self, element: _Element) -> None:
        self.add(element.text)
        for child in element:
            if tag_of(child) == self.mark:
                self._add_marked(child)
            else:
                self._walk(child)
            self.add(child.tail)

    @abstractmethod
    def _add_marked(self, edit: _Element) -> None:
        """Add an outermost edit, and handle nested ones."""

    def _count_nested(self, edit: _Element) -> int:
        return sum(tag_of(inner) == self.mark for inner in edit.iterdescendants())
