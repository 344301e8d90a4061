"""Replacements print what the original tools printed, to the byte."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import find_shared_data
from geceval.compat import TOOLS

DATA = find_shared_data()
NOT_INPUTS = {
    "cmd.txt", "stdout.txt", "stdout.txt.gz", "stderr.txt", "stderr-last-line.txt", "exit.txt",
    "stdin.txt", "out",
}  # fmt: skip
REFUSED = ("too-few-lines", "lengths-differ")
"""Cases in which the original printed a wrong number, or nothing but a traceback."""


def cases() -> list[Path]:
    if DATA is None:
        return []
    found = (case for case in sorted((DATA / "compat").glob("*/*")) if case.is_dir())
    return [case for case in found if words_of(case)[0] in TOOLS]


def words_of(case: Path) -> list[str]:
    return shlex.split((case / "cmd.txt").read_text(encoding="utf-8"))


def content(path: Path) -> bytes | None:
    if path.exists():
        return path.read_bytes()
    packed = path.with_name(f"{path.name}.gz")
    return gzip.decompress(packed.read_bytes()) if packed.exists() else None


def prepare(case: Path, folder: Path) -> None:
    assert DATA is not None
    for path in case.iterdir():
        if path.name not in NOT_INPUTS:
            shutil.copy(path, folder / path.name)
    for name, target in (("gold", "conll14/gold"), ("systems", "conll14/systems")):
        (folder / name).symlink_to(DATA / target)
    (folder / "jfleg").symlink_to(DATA / "jfleg")


@pytest.mark.skipif(DATA is None, reason="shared data not found: set GECEVAL_DATA")
@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.parent.name}/{case.name}")
def test_output_is_that_of_the_original(case: Path, tmp_path: Path) -> None:
    prepare(case, tmp_path)
    given = content(case / "stdin.txt")
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "geceval", "compat", *words_of(case)],
        cwd=tmp_path, input=given or b"", capture_output=True, check=False, timeout=300,
        env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    code = int((case / "exit.txt").read_text()) if (case / "exit.txt").exists() else 0
    if case.name.endswith(REFUSED):
        assert (done.returncode, done.stdout) == (1, b"")
        assert re.search(rb"error: .*\d", done.stderr)
        return
    assert done.returncode == code, done.stderr
    assert done.stdout == content(case / "stdout.txt")
    if (said := content(case / "stderr.txt")) is not None:
        assert done.stderr.endswith(said)
    for path in sorted((case / "out").glob("*")) if (case / "out").exists() else ():
        name = path.name.removesuffix(".gz")
        assert (tmp_path / name).read_bytes() == content(case / "out" / name)
