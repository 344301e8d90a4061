"""The cache folder of the user."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import cache
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for caches and downloads.

    It is ``GECEVAL_CACHE`` if set, else ``geceval`` in the user's cache folder. Without a home
    folder, it is a temporary folder for the lifetime of the process.
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
        # The user has no home folder, as in some containers.
        return Path(_temporary_folder().name)
    return base / "geceval"


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Create a private folder that is removed at exit."""
    return tempfile.TemporaryDirectory(prefix="geceval-", ignore_cleanup_errors=True)
