"""Every command opens and reads each of its inputs once."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

GOLD = """S I likes cat .
A 1 2|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0
A 2 3|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0

S He sleep a lot .
A 1 2|||R:VERB:SVA|||sleeps|||REQUIRED|||-NONE-|||0

S We all went home .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

"""
TEXTS = {
    "src.txt": "I likes cat .\nHe sleep a lot .\nWe all went home .\n",
    "ref.txt": "I like cats .\nHe sleeps a lot .\nWe all went home .\n",
    "a.txt": "I like cat .\nHe sleeps a lot .\nWe all went home .\n",
    "b.txt": "I likes cats .\nHe sleep lots .\nWe all went home !\n",
}
QUICK = ("-m", "m2,gleu", "--resamples", "50")

PROGRAM = """
import collections, json, os, sys
opened = collections.Counter()
def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        opened[os.path.realpath(os.fsdecode(arguments[0]))] += 1
sys.addaudithook(hook)
from geceval.cli import main
try:
    main(json.loads(sys.argv[1]))
except SystemExit as end:
    code = end.code
print(json.dumps({"code": code, "opened": opened}), file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD)
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--gold", "gold.m2", "a.txt", "b.txt", *QUICK),
        ("score", "--src", "src.txt", "--ref", "ref.txt", "a.txt", "-m", "gleu"),
        ("compare", "--gold", "gold.m2", "a.txt", "b.txt", *QUICK),
        ("gate", "--gold", "gold.m2", "--baseline", "a.txt", "b.txt"),
        ("report", "--gold", "gold.m2", "a.txt", "b.txt", *QUICK),
        ("report", "--src", "src.txt", "--ref", "ref.txt", "a.txt", "-m", "gleu"),
        ("check", "gold.m2", "a.txt", "b.txt"),
        ("check", "gold.m2", "a.txt", "--fix", "new.txt"),
        ("convert", "gold.m2", "new.xml"),
        ("convert", "src.txt", "ref.txt", "new.m2"),
        ("stats", "gold.m2"),
        ("annotate", "--lang", "plain", "--src", "src.txt", "--cor", "ref.txt", "-o", "new.m2"),
        ("annotate", "--lang", "plain", "--src", "src.txt.gz", "--cor", "ref.txt", "-o", "o.xml"),
        ("annotate", "--lang", "plain", "gold.m2", "-o", "new.m2", "--jobs", "2"),
    ],
    ids=lambda arguments: "-".join(arguments[:3]),
)
def test_files_are_opened_once(folder: Path, arguments: tuple[str, ...]) -> None:
    inputs = [name for name in arguments if (folder / name).is_file()]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM, json.dumps(arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stderr.splitlines()[-1])
    assert found["code"] in (0, None), done.stderr
    opened = {name: found["opened"][str((folder / name).resolve())] for name in inputs}
    assert opened
    assert opened == dict.fromkeys(inputs, 1)
