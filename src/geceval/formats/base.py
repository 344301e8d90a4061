"""What a format is: a name, a way to recognize it, a reader and perhaps a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from geceval.errors import GecevalError
from geceval.formats.inputs import Input
from geceval.model import Sentence

Reader: TypeAlias = Callable[[Sequence[Input]], Iterator[Sentence]]
"""Turns files into sentences, one at a time where the format allows."""

Writer: TypeAlias = Callable[[Iterable[Sentence], Sequence[TextIO]], None]
"""Writes sentences, one at a time, into open files."""


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Parameters
    ----------
    name
        What ``--format`` takes.
    title
        What people call it.
    suffixes
        File name endings that mean this format when a file is written.
    sniff
        Whether the first text of a file looks like this format; None for formats that
        cannot be told from others and must be named.
    read
        The reader. It gets all files of the input: for formats of one file, each file
        in turn; for formats of several, the source first.
    write
        The writer; None for formats that are only read.
    several
        Whether the files of an input belong together (source and references) instead of
        following one another.
    endings
        Further endings of names, which files of this format have although it is not written
        for them.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[str], bool] | None
    read: Reader
    write: Writer | None = None
    several: bool = False
    endings: tuple[str, ...] = ()

    @property
    def writer(self) -> Writer:
        """The writer, or an error that says that there is none."""
        if self.write is None:
            raise GecevalError(f"{self.title} ({self.name}) can only be read, not written")
        return self.write
