"""Promise 5: whichever write fails, the old file is whole, there is one sentence, exit code 1."""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

import made_up
from geceval.cli import main
from geceval.formats import save
from promising import Ended, run, sentences_of, size

COMMANDS = {
    "annotate": ("annotate", "--lang", "plain", "gold.m2", "-o", "out.m2", "--restart"),
    "annotate-gz": ("annotate", "--lang", "plain", "gold.m2", "-o", "out.m2.gz", "--restart"),
    "convert": ("convert", "gold.m2", "out.jsonl"),
    "convert-gz": ("convert", "gold.m2", "out.jsonl.gz"),
    "convert-zst": ("convert", "gold.m2", "out.jsonl.zst"),
    "check": ("check", "gold.m2", "--fix", "out.m2"),
    "score": ("score", "--gold", "gold.m2", "ours.txt", "--per-sentence", "out.tsv"),
    "report": ("report", "-m", "ld-source", "--gold", "gold.m2", "ours.txt", "-o", "out.html",
               "--resamples", "40"),
    "report-tables": ("report", "results.json", "-o", "out.html", "--tables", "tables"),
    "maege": ("metaeval", "maege", "gold.m2", "--lang", "plain", "-m", "ld-source", "-o",
              "out.html"),
    "types": ("types", "train", "gold.m2", "-o", "out.json", "--lang", "plain"),
}  # fmt: skip
SMALL = ("annotate", "convert-gz", "score")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that the commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    corpus = made_up.corpus(200)
    save(corpus, folder / "gold.m2")
    lines = "".join(f"{' '.join(s)}\n" for s in made_up.system(corpus, "ours").sentences)
    (folder / "ours.txt").write_text(lines, encoding="utf-8")
    from geceval.report.results import save as save_results
    from report_examples import example_results

    save_results(example_results(30), folder / "results.json")
    return folder


def test_commands_can_be_read(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the full size too, since they are seldom run."""
    monkeypatch.chdir(inputs)
    for arguments in COMMANDS.values():
        command: click.Command = main
        words, context = list(arguments), click.Context(main)
        while isinstance(command, click.Group):
            found = command.get_command(context, words.pop(0))
            assert found is not None
            command = found
        with command.make_context("geceval", words) as read:
            assert read.params


def copied(inputs: Path, folder: Path) -> None:
    for path in inputs.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())


def limited(arguments: tuple[str, ...], folder: Path, n_bytes: int) -> Ended:
    """Run where no file may grow beyond some bytes: the write that would go beyond fails."""
    return run(*arguments, folder=folder, limits={resource.RLIMIT_FSIZE: n_bytes})


def sizes_of(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", COMMANDS if size(0, 1) else SMALL)
def test_writes_fail(inputs: Path, tmp_path: Path, name: str) -> None:
    if name == "types":
        pytest.importorskip("sklearn")
    copied(inputs, tmp_path)
    arguments = COMMANDS[name]
    before = sizes_of(tmp_path)
    done = run(*arguments, folder=tmp_path)
    assert done.code in (0, 3), done.errors
    written = {path: n for path, n in sizes_of(tmp_path).items() if path not in before}
    assert written
    whole = {path: (tmp_path / path).read_bytes() for path in sizes_of(tmp_path)}
    largest = max(written.values())
    n_failed = 0
    for place in range(size(2, 25)):
        limit = max(0, largest - 1) * place // size(2, 25)
        ended = limited(arguments, tmp_path, limit)
        assert ended.code == 1, (limit, ended)
        assert len(sentences_of(ended.errors)) == 1, ended.errors
        assert "Traceback" not in ended.errors
        assert "cannot be written" in ended.errors or "file too large" in ended.errors.lower()
        n_failed += 1
        # Files that come before the one that failed are new, and equal; none is half.
        found = sizes_of(tmp_path)
        assert {path for path in found if not path.startswith("out.m2")} <= whole.keys()
        for path, content in whole.items():
            # Pages and results tell when they were made.
            if path.endswith((".html", ".json")) and path not in before:
                assert found[path] >= 0.9 * len(content)
            else:
                assert (tmp_path / path).read_bytes() == content
    assert n_failed


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that lets writes fail; see its source."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("NOT TESTED: failing writes one by one takes Linux and a C compiler")
    made = tmp_path_factory.mktemp("library") / "fail_writes.so"
    source = Path(__file__).with_name("fail_writes.c")
    subprocess.run(  # noqa: S603 - our own source
        [compiler, "-shared", "-fPIC", "-o", str(made), str(source), "-ldl"], check=True
    )
    return made


OLD = b"What was there before.\n"
IS_DATED = (".html", ".json", ".pdf", ".svg", ".png")
"""Pages and results tell when they were made."""


@pytest.mark.parametrize("stays_full", [False, True] if size(0, 1) else [False])
@pytest.mark.parametrize("name", COMMANDS if size(0, 1) else SMALL)
def test_each_write_fails(
    inputs: Path, library: Path, tmp_path: Path, name: str, stays_full: bool
) -> None:
    """The nth call that changes a file fails as on a full disk, alone or with all after it."""
    if name == "types":
        pytest.importorskip("sklearn")
    arguments = COMMANDS[name]
    given = set(sizes_of(inputs))
    whole = tmp_path / "whole"
    whole.mkdir()
    copied(inputs, whole)
    done = run(*arguments, folder=whole)
    assert done.code in (0, 3), done.errors
    written = set(sizes_of(whole)) - given
    n_failed = 0
    for number in itertools.count(1) if size(0, 1) else (1, 2, 3, 5):
        folder, mark = tmp_path / str(number), tmp_path / f"{number}.failed"
        folder.mkdir()
        copied(inputs, folder)
        for path in written:
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(OLD)
        variables = {
            "LD_PRELOAD": str(library),
            "FAIL_WRITES_UNDER": str(folder.resolve()),
            "FAIL_WRITES_AT": str(number),
            "FAIL_WRITES_MARK": str(mark),
            **({"FAIL_WRITES_ON": "1"} if stays_full else {}),
        }
        ended = run(*arguments, folder=folder, environment=variables)
        assert "Traceback" not in ended.errors, (number, ended.errors)
        if ended.code != done.code:
            assert mark.exists()
            assert ended.code == 1, (number, ended)
            (said,) = sentences_of(ended.errors)
            assert "no space left on device" in said.lower()
            n_failed += 1
        found = set(sizes_of(folder))
        # What a stopped run of annotate goes on from may stay.
        assert {path for path in found if not path.startswith("out.m2")} <= given | written
        for path in given | written:
            content, complete = (folder / path).read_bytes(), (whole / path).read_bytes()
            if path in written and content == OLD:
                assert ended.code == 1, (number, path)
            elif path in written and path.endswith(IS_DATED):
                assert len(content) >= 0.9 * len(complete), (number, path)
            else:
                assert content == complete, (number, path)
        if not mark.exists():
            break
        shutil.rmtree(folder)
    assert n_failed


def test_standard_output_is_full(inputs: Path, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    copied(inputs, tmp_path)
    commands = [
        ("score", "--gold", "gold.m2", "ours.txt", "--resamples", "0"),
        ("score", "--gold", "gold.m2", "ours.txt", "--json", "--resamples", "0"),
        ("stats", "gold.m2"),
        ("check", "gold.m2"),
        ("references", "gold.m2", "--list", "3"),
        ("convert", "gold.m2", "-", "--to", "m2"),
        ("annotate", "--lang", "plain", "gold.m2"),
        ("explain", "--lang", "plain", "a b", "a c"),
    ]
    for arguments in commands[: size(2, len(commands))]:
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(  # noqa: S603 - our own command
                [sys.executable, "-m", "geceval", *arguments],
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
                cwd=tmp_path,
                env={**os.environ, "COLUMNS": "200"},
            )
        errors = done.stderr.decode()
        assert done.returncode == 1, (arguments, errors)
        assert "Traceback" not in errors
        assert len(sentences_of(errors)) == 1, (arguments, errors)


def test_signal_of_the_limit_is_not_what_ends_it() -> None:
    """Python ignores SIGXFSZ, so that a write beyond the limit is an error like a full disk."""
    assert signal.getsignal(signal.SIGXFSZ) is signal.SIG_IGN
