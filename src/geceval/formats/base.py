"""Definition of a file format: name, detection, reader and writer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO, TypeAlias

from geceval.errors import GecevalError
from geceval.formats.inputs import Input
from geceval.model import Sentence

Reader: TypeAlias = Callable[[Sequence[Input]], Iterator[Sentence]]
"""Reads sentences from files, as a stream where the format allows."""

Writer: TypeAlias = Callable[[Iterable[Sentence], Sequence[TextIO]], None]
"""Writes a stream of sentences to open files."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Parameters
    ----------
    name
        Identifier, as for ``--format``.
    title
        Name for messages.
    suffixes
        File extensions that select this format for writing.
    sniff
        Function that recognizes the format from the beginning of a file; None for a format that
        cannot be detected.
    read
        Reader. It receives all input files; for formats of several files, the source first.
    write
        Writer; None for read-only formats.
    several
        Whether the input files are parallel (source and references) rather than consecutive.
    endings
        Further file extensions in use for this format, which do not select it for writing.
    is_output
        Whether sentences are the output of a system rather than sources with corrections.
    has_alignments
        Whether several alignments of one correction can be written.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[str], bool] | None
    read: Reader
    write: Writer | None = None
    several: bool = False
    endings: tuple[str, ...] = ()
    is_output: bool = False
    has_alignments: bool = False

    @property
    def writer(self) -> Writer:
        """The writer; raises an error for read-only formats."""
        if self.write is None:
            raise GecevalError(f"{self.title} ({self.name}) can only be read, not written")
        return self.write
