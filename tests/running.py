"""Running Python and the program in processes of their own, as people do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_python(
    *arguments: str,
    data: bytes = b"",
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
) -> tuple[int, str, str]:
    """Run the interpreter and give exit code, output and errors."""
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, *arguments],
        input=data,
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **(environment or {})},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_geceval(
    *arguments: str, data: bytes = b"", folder: Path | None = None
) -> tuple[int, str, str]:
    """Run the program and give exit code, output and errors."""
    return run_python("-m", "geceval", *arguments, data=data, folder=folder)
