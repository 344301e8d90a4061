"""Sections of a page, with text, tables and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from geceval.presentation.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with its title and description.

    Parameters
    ----------
    name, title
        Short name, also for files, e.g. ``"precision-recall"``, and short title.
    description
        Alternative text.
    """

    name: str
    title: str
    description: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page.

    Parameters
    ----------
    name, title
        Short name, unique on the page, and heading.
    text
        Paragraphs of plain text, separated by blank lines.
    tables, pictures
        Content below the text.
    """

    name: str
    title: str
    text: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
