"""Folders of the user."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import cache
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for what can be fetched or computed again.

    ``GECEVAL_CACHE`` if it is set, else ``geceval`` in the user's cache folder. A user without
    a home folder gets a temporary one for as long as the process runs.
    """
    try:
        named = os.environ.get("GECEVAL_CACHE")
        if named:
            return Path(named).expanduser().absolute()
        if sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        elif os.name == "nt":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        # Neither HOME nor the list of users knows the folder, as in some containers.
        return Path(_temporary_folder().name)
    return base / "geceval"


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder that nobody else can write into, and that goes away with the process."""
    return tempfile.TemporaryDirectory(prefix="geceval-", ignore_cleanup_errors=True)
