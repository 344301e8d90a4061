"""Tables and pictures into folders, in every form."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from geceval.errors import GecevalError
from geceval.formats import open_output
from geceval.formats.inputs import PathLike
from geceval.pictures import save_figure
from geceval.sections import Picture
from geceval.tables import FORMS, Table


def make_folder(folder: PathLike) -> Path:
    """Make a folder where there is none."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise GecevalError(f"{target}: cannot be made: {reason}") from error
    return target


def save_tables(tables: Iterable[Table], folder: PathLike) -> int:
    """Write each table as CSV, Markdown, LaTeX and JSON; return how many tables there are."""
    target = make_folder(folder)
    count = 0
    for table in tables:
        for ending, form in FORMS.items():
            with open_output(target / f"{table.name}.{ending}") as out:
                out.write(form(table))
        count += 1
    return count


def save_pictures(pictures: Iterable[Picture], folder: PathLike) -> int:
    """Write each picture as PNG, SVG and PDF; return how many pictures there are."""
    target = make_folder(folder)
    count = 0
    for picture in pictures:
        save_figure(picture.figure, target, picture.name)
        count += 1
    return count
