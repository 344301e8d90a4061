"""Export tables and figures to folders, in all file formats."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from geceval.errors import GecevalError, os_reason
from geceval.formats import open_output
from geceval.presentation.figure import FILE_FORMATS, saved_figure
from geceval.presentation.page import Picture
from geceval.presentation.table import FORMS, Table
from geceval.storage.atomic import PathLike, write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNSAFE = re.compile(r"[^\w+.-]|^[.-]")
_MAX_NAME_LENGTH = 100


def file_name(name: str) -> str:
    """Return a safe file name.

    Different names have different file names, and ordinary names are unchanged.

    Examples
    --------
    >>> file_name("parts-m2"), file_name("parts-x/../../out")
    ('parts-m2', 'parts-x%2F..%2F..%2Fout')
    """
    safe = _UNSAFE.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass")),
        name,
    )
    if 0 < len(safe.encode()) <= _MAX_NAME_LENGTH:
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    start = safe.encode()[: _MAX_NAME_LENGTH - 20].decode(errors="ignore")
    return f"{start}%{digest}"


def make_folder(folder: PathLike) -> Path:
    """Create a folder if it does not exist."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GecevalError(f"{target}: cannot be created: {os_reason(error)}") from error
    return target


def save_tables(tables: Iterable[Table], folder: PathLike) -> int:
    """Write each table as CSV, Markdown, LaTeX and JSON; return the number of tables."""
    target = make_folder(folder)
    count = 0
    for table in tables:
        for ending, form in FORMS.items():
            with open_output(target / f"{file_name(table.name)}.{ending}") as out:
                out.write(form(table))
        count += 1
    return count


def save_figure(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure atomically to ``name.png`` and so on."""
    for form in FILE_FORMATS:
        write_bytes(make_folder(folder) / f"{name}.{form}", saved_figure(figure, form))


def save_pictures(pictures: Iterable[Picture], folder: PathLike) -> int:
    """Write each picture as PNG, SVG and PDF; return the number of pictures."""
    target = make_folder(folder)
    count = 0
    for picture in pictures:
        save_figure(picture.figure, target, file_name(picture.name))
        count += 1
    return count
