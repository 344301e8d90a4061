"""``geceval annotate``."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from geceval.cli import main
from geceval.cli._shared import show as _show
from geceval.cli.annotate import annotate as command
from geceval.engines.local import LocalEngine
from geceval.extraction import chunk_annotator, runs
from geceval.extraction.corpus import annotate_split
from geceval.extraction.merge import STRATEGIES

SOURCE = "I likke it .\n\nHe go to scool .\n"
FIRST = "I like it .\n\nHe goes to scool .\n"
SECOND = "I likke it .\nYes\nHe go to school .\n"
FIRST_M2 = """\
S I likke it .
A 1 2|||R:SPELL|||like|||REQUIRED|||-NONE-|||0

S 
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S He go to scool .
A 1 2|||R:SPELL|||goes|||REQUIRED|||-NONE-|||0

"""  # noqa: W291 - an empty sentence


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "src.txt").write_text(SOURCE)
    (tmp_path / "one.txt").write_text(FIRST)
    (tmp_path / "two.txt").write_text(SECOND)
    gold = FIRST_M2.replace("A 1 2|||R:SPELL|||like", "A 0 2|||X|||I like")
    (tmp_path / "gold.m2").write_text(gold.replace("R:SPELL", "Vform"))
    return tmp_path


def run(files: Path, *arguments: str, lang: str = "plain", text: str | None = None) -> Result:
    given = [arg.replace("@", f"{files}/") for arg in arguments]
    return CliRunner().invoke(main, ["annotate", "--lang", lang, *given], input=text)


def test_annotate_to_standard_output(files: Path) -> None:
    result = run(files, "--src", "@src.txt", "--cor", "@one.txt")
    assert result.exit_code == 0
    assert result.stdout == FIRST_M2
    summary, signature = result.stderr.splitlines()
    assert summary.startswith("3 sentences, 2 edits in 2 of 3 annotations, ")
    assert summary.endswith(" sentences/s: parallel → m2 (-)")
    assert signature.startswith("lang:plain|model:none|align:linguistic|merge:rules|types:plain-2|")


def test_annotate_standard_input(files: Path) -> None:
    result = run(files, "--src", "-", "--cor", "@one.txt", text=SOURCE)
    assert result.stdout == FIRST_M2


@pytest.mark.parametrize(
    "corrections", [("--cor", "@one.txt", "--cor", "@two.txt"), ("--cor", "@one.txt", "@two.txt")]
)
def test_annotate_several_corrections(files: Path, corrections: tuple[str, ...]) -> None:
    result = run(files, "--src", "@src.txt", *corrections)
    assert [line for line in result.stdout.splitlines() if line.endswith("1")] == [
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1",
        "A 0 0|||M:OTHER|||Yes|||REQUIRED|||-NONE-|||1",
        "A 3 4|||R:SPELL|||school|||REQUIRED|||-NONE-|||1",
    ]


def test_annotate_json(files: Path) -> None:
    result = run(files, "--src", "@src.txt", "--cor", "@one.txt", "-o", "@out.m2", "--json")
    data = json.loads(result.stdout)
    assert data.pop("seconds") > 0
    assert data.pop("sentences_per_second") > 0
    assert data.pop("signature").startswith("lang:plain|")
    assert data == {
        "schema": 1,
        "read": "parallel",
        "written": "m2",
        "file": f"{files}/out.m2",
        "sentences": 3,
        "annotations": 3,
        "changed": 2,
        "edits": 2,
        "types": {"R:SPELL": 2},
        "resumed_at": 0,
        "findings": [],
        "failed": [],
    }
    assert (files / "out.m2").read_text() == FIRST_M2


def test_annotate_corpus(files: Path) -> None:
    assert run(files, "@gold.m2").stdout == FIRST_M2
    kept = run(files, "@gold.m2", "--keep-spans", "--no-minimize")
    assert "A 0 2|||R:OTHER|||I like|||" in kept.stdout
    assert "|spans:kept|" in kept.stderr
    assert run(files, "@gold.m2", "--keep-spans", "--to", "jsonl").stdout.count("R:SPELL") == 2


def test_annotate_raw_text_in_english(files: Path) -> None:
    pytest.importorskip("errant")
    (files / "raw.txt").write_text("He don't like it.\n")
    (files / "cor.txt").write_text("He doesn't like it.\n")
    result = run(files, "--src", "@raw.txt", "--cor", "@cor.txt", "--tokenize", lang="en")
    assert result.stdout == (
        "S He do n't like it .\nA 1 2|||R:VERB:SVA|||does|||REQUIRED|||-NONE-|||0\n\n"
    )


def test_annotate_unequal_counts(files: Path) -> None:
    (files / "one.txt").write_text("one\n")
    result = run(files, "--src", "@src.txt", "--cor", "@one.txt")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"{files}/src.txt has 3 sentences but {files}/one.txt has 1" in result.stderr


def test_annotate_stopped_run_is_resumed(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 1)
    arguments = ("--src", "@src.txt", "--cor", "@one.txt", "-o", "@out.m2", "--jobs", "1")
    calls = 0

    def stop(*given: Any, **options: Any) -> object:
        nonlocal calls
        calls += 1
        if calls > 2:
            raise KeyboardInterrupt
        return annotate_split(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(chunk_annotator, "annotate_split", stop)
        stopped = run(files, *arguments)
    assert stopped.exit_code == 130
    assert (
        f"finished sentences are saved in {files}/out.m2.part; use --resume to continue"
        in stopped.stderr
    )
    assert not (files / "out.m2").exists()
    refused = run(files, *arguments, "--resume", "--merge", "all-split")
    assert refused.exit_code == 1
    assert "cannot be continued: the settings is not the same" in refused.stderr
    assert "begin anew with --restart" in refused.stderr
    assert "--resume continues it" not in refused.stderr
    refused = run(files, *arguments)
    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1
    assert (
        f"{files}/out.m2.part holds what an earlier run has done (2 sentences): continue it with "
        "--resume, or begin anew with --restart"
    ) in refused.stderr
    resumed = run(files, *arguments, "--resume")
    assert resumed.exit_code == 0
    assert "3 sentences, the first 2 by an earlier run, 2 edits" in resumed.stderr
    assert (files / "out.m2").read_text() == FIRST_M2


def test_annotate_passes_jobs_and_cache_on(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = []

    class Engine(LocalEngine):
        def __init__(self, number: int, **_: bool) -> None:
            jobs.append(number)
            super().__init__()

    monkeypatch.setattr("geceval.extraction.files.LocalEngine", Engine)
    arguments = ("--src", "@src.txt", "--cor", "@one.txt", "--jobs", "3", "--cache", "@cache")
    assert run(files, *arguments).stdout == FIRST_M2
    assert jobs == [3]
    assert len(list((files / "cache").glob("*.sqlite"))) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --src and --cor, or a file with edits"),
        (("--src", "@src.txt"), "--src needs at least one correction"),
        (("--cor", "@one.txt"), "--cor needs a source"),
        (("--src", "@a", "--cor", "@b", "--cor", "@c", "@d"), "a --cor of its own"),
        (("--src", "@a", "--cor", "@b", "--keep-spans"), "--keep-spans is for a corpus"),
        (("--src", "@a", "--cor", "@b", "--format", "m2"), "--src and --cor are plain text"),
        (("@gold.m2", "--tokenize"), "a corpus has its tokens"),
        (("@gold.m2", "--no-minimize"), "--no-minimize needs --keep-spans"),
        (("@gold.m2", "--json"), "--json, --resume, --restart and --shard need a file"),
        (("@gold.m2", "--resume"), "--json, --resume, --restart and --shard need a file"),
        (("@gold.m2", "--restart"), "--json, --resume, --restart and --shard need a file"),
        (("@gold.m2", "-o", "@o.m2", "--resume", "--restart"), "exclude each other"),
        (("--src", "@src.txt", "--cor", "@one.txt", "--tokens"), "No such option '--tokens'"),
        (("@gold.m2", "--merge", "all"), "Invalid value for '--merge'"),
        (("@gold.m2", "--to", "m3"), "unknown format 'm3'"),
    ],
)
def test_annotate_wrong_usage(files: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(files, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lang", "klingon"), "unknown language 'klingon'"),
        (("--typer", "errand"), "unknown typer 'errand'; did you mean 'errant'?"),
        (("--model", "nosuch"), "takes no model, not 'nosuch'"),
    ],
)
def test_annotate_unknown_names(files: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(files, "@gold.m2", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr


def test_annotate_offers_every_strategy() -> None:
    (merge,) = [option for option in command.params if option.name == "merge"]
    assert list(merge.type.choices) == list(STRATEGIES)  # type: ignore[attr-defined]


def test_annotate_restart_begins_anew(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 1)
    arguments = ("--src", "@src.txt", "--cor", "@one.txt", "-o", "@out.m2")
    (files / "out.m2.part").write_text("half of something")
    refused = run(files, *arguments)
    assert refused.exit_code == 1
    assert "out.m2.part cannot be continued: there is no out.m2.part.json" in refused.stderr
    assert not (files / "out.m2").exists()
    done = run(files, *arguments, "--restart")
    assert done.exit_code == 0
    assert (files / "out.m2").read_text() == FIRST_M2
    assert not list(files.glob("*.part*"))


def test_progress_shows_the_total_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done before counts as done, but not as fast."""
    screen = io.StringIO()
    monkeypatch.setattr(_show, "PROGRESS_AFTER", -1.0)
    monkeypatch.setattr(
        _show, "console", lambda **_: Console(file=screen, force_terminal=True, width=120)
    )
    done = 10**12
    items = list(_show.progress(range(8), "counting", total=done + 8, done=done, every=1))
    assert items == list(range(8))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    assert f"{done + 1:,} of {done + 8:,}" in shown
    assert f"{done + 8:,} of {done + 8:,}" in shown
    rates = [int(rate.replace(",", "")) for rate in re.findall(r"([\d,]+)/s", shown)]
    assert 0 < rates[-1] < done
    assert "0:00:00 left" in shown


def test_progress_without_a_total(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(_show, "PROGRESS_AFTER", -1.0)
    monkeypatch.setattr(
        _show, "console", lambda **_: Console(file=screen, force_terminal=True, width=120)
    )
    assert list(_show.progress(range(8), "counting", every=1)) == list(range(8))
    assert "left" not in screen.getvalue()
    assert " of " not in screen.getvalue()


def test_progress_leaves_nothing_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(_show, "PROGRESS_AFTER", -1.0)
    monkeypatch.setattr(_show, "console", lambda **_: Console(file=screen))
    assert list(_show.progress(range(8), "[counting", every=1)) == list(range(8))
    assert screen.getvalue() == ""
