"""What a page about a study is made of: sections with text, tables and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from geceval.presentation.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with its words.

    Parameters
    ----------
    name
        A short name that can serve as that of a file, e.g. ``"precision-recall"``.
    title
        What it shows, in a few words.
    description
        What is to be seen in it, for people who cannot see it.
    figure
        What was drawn.
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
    name
        A short name, unique on the page.
    title
        The heading.
    text
        Paragraphs of plain text, separated by empty lines.
    tables, pictures
        What is shown below the text.
    """

    name: str
    title: str
    text: str = ""
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
