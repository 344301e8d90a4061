"""A sentence that kills every process that works on it, given to the command itself."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from extraction.test_files import failed_records, write_pairs
from geceval.engines import ATTEMPTS
from running import run_python

WORD = "poison"
LINE = 77

# Run by every interpreter that finds it, and so by the workers of all engines.
PATCH = """
import os, signal
from pathlib import Path
from geceval.extraction import chunk_annotator, runs
runs.CHUNK_TOKENS = 100
if os.environ["DEATHS"]:
    work = chunk_annotator.ChunkAnnotator.__call__
    def deadly(self, chunk):
        if any("poison" in str(item) for item in chunk.items):
            (Path(os.environ["DEATHS"]) / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return work(self, chunk)
    chunk_annotator.ChunkAnnotator.__call__ = deadly
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sitecustomize.py").write_text(PATCH)
    (tmp_path / "deaths").mkdir()
    paths = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    write_pairs(paths, 150)
    for path in paths:
        lines = path.read_text().split("\n")
        lines[LINE] = f"this is {WORD} ."
        path.write_text("\n".join(lines))
    return tmp_path


def annotate(folder: Path, target: str, *options: str, deaths: str = "") -> tuple[int, str]:
    given = ("--lang", "plain", "--src", "src.txt", "--cor", "cor.txt", "-o", target)
    code, _, errors = run_python(
        *("-m", "geceval", "annotate", *given, *options),
        folder=folder,
        environment={"PYTHONPATH": str(folder), "DEATHS": deaths},
    )
    return code, errors


@pytest.mark.parametrize(
    "options", [("--jobs", "2"), ("--jobs", "1"), ("--jobs", "2", "--engine", "dask")]
)
def test_poison_costs_its_chunk_only(folder: Path, options: tuple[str, ...]) -> None:
    """It is named, the rest is that of a run without it, and a later run can finish."""
    if "dask" in options:
        pytest.importorskip("distributed", reason="dask.distributed is not installed")
    assert annotate(folder, "expected.m2", "--jobs", "1")[0] == 0
    expected = (folder / "expected.m2").read_text()
    deaths = str(folder / "deaths")
    n_deaths = {ATTEMPTS}
    if options == ("--jobs", "1"):
        # The process is the worker; a run that continues has one of its own.
        assert annotate(folder, "out.m2", *options, deaths=deaths)[0] == -signal.SIGKILL
        options = (*options, "--resume")
        n_deaths = {ATTEMPTS + 1}
    if "dask" in options:
        # A death does not count against a chunk that was not alone on its worker.
        n_deaths.add(ATTEMPTS + 1)
    code, errors = annotate(folder, "out.m2", *options, deaths=deaths)
    assert code == 1, errors
    assert len(list((folder / "deaths").iterdir())) in n_deaths
    (record,) = failed_records(folder / "out.m2")
    first, last = record["first"], record["last"]
    assert first <= LINE + 1 <= last
    assert "error: 1 chunk (" in errors
    reason = "its worker died" if "dask" in options else "its process was ended by SIGKILL"
    assert record["reason"] == reason
    assert f"\n  sentences {first} to {last}: {reason}\n" in errors
    assert not (folder / "out.m2").exists()
    sentences = expected.removesuffix("\n\n").split("\n\n")
    others = [*sentences[: first - 1], *sentences[last:]]
    assert len(sentences) == 150
    assert (folder / "out.m2.part").read_text() == "\n\n".join(others) + "\n\n"
    assert json.loads((folder / "out.m2.part.json").read_text())["note"]["sentences"] == len(others)
    code, errors = annotate(folder, "out.m2", "--jobs", "1", "--resume")
    assert code == 0, errors
    assert (folder / "out.m2").read_text() == expected
