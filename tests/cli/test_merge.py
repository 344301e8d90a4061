"""``geceval merge``, and ``--shard`` of the commands that make parts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from extraction.test_files import write_pairs
from geceval.cli import main
from geceval.extraction import chunk_annotator, runs
from geceval.extraction.corpus import split_rows
from promising import DEMO
from requirements import skip_or_fail

ROOT = Path(__file__).parents[2]
GOLD, CAREFUL, EAGER = (str(DEMO / name) for name in ("gold.m2", "careful.txt", "eager.txt"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_pairs([tmp_path / "src.txt", tmp_path / "cor.txt"], 50)
    return tmp_path


SCORE = ("score", "--gold", GOLD, CAREFUL)
ANNOTATE = ("annotate", "--lang", "plain", "--src", "src.txt", "--cor", "cor.txt")


def test_merge_parts(folder: Path) -> None:
    assert run(*ANNOTATE, "-o", "one.m2").exit_code == 0
    for number in (1, 2, 3):
        made = run(*ANNOTATE, "--shard", f"{number}/3", "-o", f"part-{number}.m2")
        assert made.exit_code == 0, made.output
    merged = run("merge", "part-3.m2", "part-1.m2", "part-2.m2", "-o", "all.m2")
    assert merged.exit_code == 0
    assert re.fullmatch(r"3 parts, 50 sentences, \d+ edits → m2 \(all.m2\)\n", merged.stderr)
    assert (folder / "all.m2").read_bytes() == (folder / "one.m2").read_bytes()
    data = json.loads(
        run("merge", *map(str, folder.glob("part-?.m2")), "-o", "all.m2", "--json").stdout
    )
    assert (data["parts"], data["sentences"], data["written"]) == (3, 50, "m2")
    again = run(*ANNOTATE, "--shard", "2/3", "-o", "part-2.m2", "--resume")
    assert "all by an earlier run" in again.stderr
    refused = run("merge", "part-1.m2", "part-2.m2", "-o", "none.m2")
    assert refused.exit_code == 1
    assert "1 of 3 shards are missing: 3" in refused.stderr
    assert not (folder / "none.m2").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("merge", "a.m2", "-o", "a.m2"), "would be written over"),
        (("merge", "a.m2", "b.npz", "-o", "c.m2"), "give parts of one kind"),
        (("merge", "a.m2", "-o", "c.npz"), "statistics are written as .npz, and nothing else"),
        (("merge", "a.npz", "-o", "c.m2"), "statistics are written as .npz, and nothing else"),
        (("merge", "a.m2", "-o", "-", "--json"), "would both write to standard output"),
        (("merge", "src.txt", "-o", "c.m2"), "is not a finished part"),
        ((*ANNOTATE, "--shard", "0/3", "-o", "a.m2"), "there is no shard 0/3"),
        ((*ANNOTATE, "--shard", "3", "-o", "a.m2"), "expected a shard as I/N"),
        ((*ANNOTATE, "--shard", "1/3"), "--shard need a file to write"),
        ((*ANNOTATE, "--columns", "source=a,correction=b"), "--columns is for a table"),
        (("annotate", "t.csv", "--columns", "source=a"), "no column is named as correction"),
        (("annotate", "a", "b", "--columns", "source=a,correction=b"), "takes one table, not 2"),
        ((*SCORE, "--shard", "1/3"), "--shard needs --statistics"),
        ((*SCORE, "--statistics", "a.txt"), "a file named .npz"),
        (
            (*SCORE, "--tokenize", "--shard", "1/3", "--statistics", "a.npz"),
            "--shard and --tokenize exclude each other",
        ),
        (
            (*SCORE, "-m", "ged", "--shard", "1/3", "--statistics", "a.npz"),
            "cannot be counted in shards",
        ),
        (
            (*SCORE, "--shard", "900/999", "--statistics", "a.npz"),
            "has no sentences",
        ),
    ],
)  # fmt: skip
def test_merge_and_shards_used_wrongly(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    for name in ("a.m2", "t.csv"):
        (folder / name).write_text("S a\n\n")
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert message in result.stderr.replace("\n", " ")
    assert not (folder / "a.npz").exists()


def test_merge_statistics(folder: Path) -> None:
    """Scores and intervals, of M2 and plain text, are those of one run."""
    common = ("-m", "m2,gleu(iterations=20),errant", "--lang", "plain", "--resamples", "30")
    inputs = ("--gold", GOLD, CAREFUL, f"other={EAGER}")
    one = run("score", *common, *inputs, "--json", "--statistics", "one.npz")
    assert one.exit_code == 0, one.output
    for number in (1, 2, 3):
        options = ("--shard", f"{number}/3", "--statistics", f"part-{number}.npz")
        made = run("score", *common, *inputs, *options)
        assert made.exit_code == 0, made.output
    parts = [f"part-{number}.npz" for number in (2, 3, 1)]
    merged = run("merge", *parts, "-o", "all.npz", "--resamples", "30", "--json")
    assert merged.exit_code == 0, merged.output
    expected: Any = json.loads(one.stdout)["results"]
    assert json.loads(merged.stdout)["results"] == expected
    assert (folder / "all.npz").read_bytes() == (folder / "one.npz").read_bytes()
    shown = run("merge", *parts, "-o", "all.npz", "--resamples", "30")
    assert f"{expected[0]['score']:.4f}" in shown.stdout
    options = ("--shard", "2/3", "--statistics", "part-2.npz")
    run("score", "-m", "m2(beta=1)", "--resamples", "0", *inputs, *options)
    refused = run("merge", *parts, "-o", "none.npz")
    assert refused.exit_code == 1
    assert "do not have the same metrics and systems" in refused.stderr
    assert not (folder / "none.npz").exists()
    Path("part-1.npz").write_bytes(b"x")
    assert "run the shard 1/3 again" in run("merge", *parts, "-o", "none.npz").stderr


def test_annotate_names_failed_chunks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the summary and in JSON, with exit code 1, until a resumed run succeeds."""
    run(*ANNOTATE, "-o", "one.m2")
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 60)
    bad = tuple((folder / name).read_text().split("\n")[20] for name in ("src.txt", "cor.txt"))

    def fail(rows: Any, *given: Any, **options: Any) -> Any:
        if bad in rows:
            raise RuntimeError("bad luck")
        return split_rows(rows, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(chunk_annotator, "split_rows", fail)
        failed = run(*ANNOTATE, "-o", "out.m2", "--jobs", "1")
        assert failed.exit_code == 1
        assert "error: 1 chunk (" in failed.stderr
        assert "so out.m2 is not complete and was not written" in failed.stderr
        assert re.search(r"\n  sentences \d+ to \d+: RuntimeError: bad luck\n", failed.stderr)
        assert "out.m2.failed has their sentences" in failed.stderr
        again = run(*ANNOTATE, "-o", "out.m2", "--jobs", "1", "--restart", "--json")
        assert again.exit_code == 1
        (record,) = json.loads(again.stdout)["failed"]
        assert record["first"] <= 21 <= record["last"]
        assert record["reason"] == "RuntimeError: bad luck"
    assert not (folder / "out.m2").exists()
    assert run(*ANNOTATE, "-o", "out.m2", "--jobs", "1", "--resume").exit_code == 0
    assert (folder / "out.m2").read_bytes() == (folder / "one.m2").read_bytes()
    assert not (folder / "out.m2.failed").exists()


# The documented ways to run shards, as they are documented.


def shell(script: str, folder: Path, **variables: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    done = subprocess.run(  # noqa: S603
        ["bash", "-euc", script],  # noqa: S607
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_slurm_script_makes_parts_that_can_be_merged(folder: Path) -> None:
    script = (ROOT / "docs/examples/annotate.slurm").read_text()
    assert script.count("geceval annotate") == 1
    (folder / "annotate.slurm").write_text(
        script.replace("annotate --src", "annotate --lang plain --src")
    )
    run(*ANNOTATE, "-o", "one.m2")
    for number in ("2", "1", "2"):
        shell("bash annotate.slurm src.txt cor.txt parts 2", folder, SLURM_ARRAY_TASK_ID=number)
    shell("geceval merge parts/part-*.m2 -o out.m2", folder)
    assert (folder / "out.m2").read_bytes() == (folder / "one.m2").read_bytes()


def test_parallel_line_makes_parts_that_can_be_merged(folder: Path) -> None:
    if shutil.which("parallel") is None:
        skip_or_fail("parallel", "GNU parallel is not installed")
    page = (ROOT / "docs/guide/cluster.md").read_text()
    lines = page.split("```bash\n")[1].split("```")[0]
    assert "seq 8 | parallel" in lines
    # Two shards without a model, to be quick.
    short = lines.replace("seq 8", "seq 2").replace("{}/8", "{}/2")
    short = short.replace("annotate --src", "annotate --lang plain --src")
    run(*ANNOTATE, "-o", "one.m2")
    shell(short, folder)
    assert (folder / "out.m2").read_bytes() == (folder / "one.m2").read_bytes()
