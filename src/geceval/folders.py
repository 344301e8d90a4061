"""Folders of the user."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for what can be fetched or computed again.

    ``GECEVAL_CACHE`` if it is set, else ``geceval`` in the user's cache folder.
    """
    named = os.environ.get("GECEVAL_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "geceval"
