"""Tables and pictures into folders, in every form."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from geceval.errors import GecevalError, os_reason
from geceval.formats import open_output
from geceval.presentation.figure import FILE_FORMS, saved_figure
from geceval.presentation.page import Picture
from geceval.presentation.table import FORMS, Table
from geceval.storage.atomic import PathLike, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNSAFE = re.compile(r"[^\w+.-]|^[.-]")
_LONGEST_NAME = 100


def file_name(name: str) -> str:
    """Return a name that is safe as that of a file, whatever it holds.

    Names come from files, too. Different names give different files, and a usual name is left
    as it is.

    Examples
    --------
    >>> file_name("parts-m2"), file_name("parts-x/../../out")
    ('parts-m2', 'parts-x%2F..%2F..%2Fout')
    """
    safe = _UNSAFE.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass")),
        name,
    )
    if 0 < len(safe.encode()) <= _LONGEST_NAME:
        return safe
    digest = hashlib.sha256(_bytes(name)).hexdigest()[:12]
    start = safe.encode()[: _LONGEST_NAME - 20].decode(errors="ignore")
    return f"{start}%{digest}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def make_folder(folder: PathLike) -> Path:
    """Make a folder where there is none."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GecevalError(f"{target}: cannot be made: {os_reason(error)}") from error
    return target


def save_tables(tables: Iterable[Table], folder: PathLike) -> int:
    """Write each table as CSV, Markdown, LaTeX and JSON; return how many tables there are."""
    target = make_folder(folder)
    count = 0
    for table in tables:
        for ending, form in FORMS.items():
            with open_output(target / f"{file_name(table.name)}.{ending}") as out:
                out.write(form(table))
        count += 1
    return count


def save_figure(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure to files ``name.png`` and so on; each is there whole, or as it was."""
    for form in FILE_FORMS:
        write_bytes(make_folder(folder) / f"{name}.{form}", saved_figure(figure, form))


def save_pictures(pictures: Iterable[Picture], folder: PathLike) -> int:
    """Write each picture as PNG, SVG and PDF; return how many pictures there are."""
    target = make_folder(folder)
    count = 0
    for picture in pictures:
        save_figure(picture.figure, target, file_name(picture.name))
        count += 1
    return count
