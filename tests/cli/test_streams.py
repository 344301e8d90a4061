"""Standard output that is full, closed, or read by nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

DEMO = Path(str(files("geceval") / "data" / "demo"))
GOLD, EAGER, CAREFUL = (str(DEMO / name) for name in ("gold.m2", "eager.txt", "careful.txt"))
COMMANDS = [
    ["--help"],
    ["--version"],
    ["annotate", "--lang", "plain", GOLD],
    ["check", GOLD, EAGER],
    ["compare", "--gold", GOLD, EAGER, CAREFUL, "--resamples", "9"],
    ["convert", GOLD, "-", "--to", "jsonl"],
    ["explain", "--lang", "plain", "a b", "a c"],
    ["references", GOLD],
    ["report", "--gold", GOLD, EAGER, "-m", "bleu", "-o", "-"],
    ["score", "--gold", GOLD, EAGER],
    ["score", "--gold", GOLD, EAGER, "--json"],
    ["score", "--gold", GOLD, EAGER, "--per-sentence", "-"],
    ["agreement", GOLD, "-m", "m2"],
    ["gate", "--gold", GOLD, "--baseline", EAGER, CAREFUL, "--summary", "-"],
    ["power", "--gold", GOLD, EAGER, CAREFUL, "--resamples", "9"],
    ["stats", GOLD],
]
PROGRAM = [sys.executable, "-m", "geceval"]


def names(arguments: list[str]) -> str:
    return " ".join(Path(argument).name for argument in arguments)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", COMMANDS, ids=names)
def test_full_output_is_one_sentence(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(  # noqa: S603 - our own command
            [*PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    last = done.stderr.strip().split("\n")[-1]
    assert last.startswith("Error: standard output")
    assert last.endswith("cannot be written: no space left on device")


@pytest.mark.parametrize("arguments", [COMMANDS[0], COMMANDS[5], COMMANDS[-1]], ids=names)
def test_closed_output_is_one_sentence(arguments: list[str]) -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        ["/bin/sh", "-c", '"$@" >&-', "sh", *PROGRAM, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert len(done.stderr.strip().split("\n")) == 1
    assert "cannot be written: bad file descriptor" in done.stderr


@pytest.mark.parametrize("arguments", [COMMANDS[5], COMMANDS[9], COMMANDS[-1]], ids=names)
def test_output_that_nobody_reads_ends_quietly(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(  # noqa: S603 - our own command
        [*PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert done.returncode == 1
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr
