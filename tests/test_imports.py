"""What is loaded when: nothing slow before it is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from running import run_python

LIGHT = {
    "geceval", "geceval.errors", "geceval.model", "geceval.model.arguments", "geceval.model.edit",
    "geceval.model.hypothesis", "geceval.model.sentence", "geceval.model.corpus_statistics",
    "geceval.model.nesting",
}  # fmt: skip
HEAVY = (
    "click", "hypothesis", "lxml", "numpy", "pandas", "pytest", "rapidfuzz", "rich", "scipy",
    "spacy", "zstandard",
)  # fmt: skip


def loaded_after(code: str) -> set[str]:
    """Return the modules that running `code` loads."""
    begin = "import sys, json; before = set(sys.modules)\n"
    end = "\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    exit_code, out, errors = run_python("-c", begin + code + end)
    assert (exit_code, errors) == (0, "")
    return set(json.loads(out.splitlines()[-1]))


def heavy(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}.intersection(HEAVY)


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "geceval"}


def test_imports_package_is_light() -> None:
    modules = loaded_after("import geceval")
    assert ours(modules) == LIGHT
    assert heavy(modules) == set()
    # Nothing but the standard library besides.
    code = "import sys; print(*sys.stdlib_module_names)"
    standard = set(run_python("-c", code)[1].split())
    assert {name.partition(".")[0] for name in modules} - standard == {"geceval"}


def test_imports_help_loads_no_command() -> None:
    code = (
        "from click.testing import CliRunner\n"
        "from geceval.cli import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
    )
    modules = loaded_after(code)
    assert ours(modules) == LIGHT | {
        "geceval.cli",
        "geceval.cli._shared",
        "geceval.cli._shared.encoding",
        "geceval.cli._shared.streams",
        "geceval.engines",
        "geceval.engines.process",
        "geceval.visible",
    }
    assert heavy(modules) <= {"click"}


def test_imports_help_of_the_program_is_light() -> None:
    code = (
        "import runpy\n"
        "sys.argv = ['geceval', '--help']\n"
        "try: runpy.run_module('geceval', run_name='__main__')\n"
        "except SystemExit as done: assert not done.code\n"
    )
    assert heavy(loaded_after(code)) == {"click"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import geceval; geceval.load", set()),
        ("import geceval.formats; geceval.formats.formats()", set()),
        ("import geceval.text", set()),
        ("import geceval.references.groups", set()),
        ("import geceval.validation.check", set()),
    ],
)
def test_imports_wait_until_they_are_needed(code: str, expected: set[str]) -> None:
    assert heavy(loaded_after(code)) == expected


def test_imports_reading_m2_needs_no_library() -> None:
    code = (
        "from geceval.formats import Input, get_format\n"
        "source = Input.from_text('S a\\nA 0 1|||T|||b|||REQUIRED|||-NONE-|||0\\n')\n"
        "assert [sent.corrected('0') for sent in get_format('m2').read([source])] == [('b',)]\n"
    )
    assert heavy(loaded_after(code)) == set()


def test_imports_annotating_loads_only_the_formats_it_writes(tmp_path: Path) -> None:
    """The others, tables and shards take as long to import as a sentence to annotate."""
    (tmp_path / "text.txt").write_text("a b .\n")
    text, out = str(tmp_path / "text.txt"), str(tmp_path / "out.m2")
    arguments = ["annotate", "--lang", "plain", "--src", text, "--cor", text, "-o", out]
    code = (
        "from click.testing import CliRunner\n"
        "from geceval.cli import main\n"
        f"assert CliRunner().invoke(main, {arguments}).exit_code == 0\n"
    )
    modules = loaded_after(code)
    assert {"geceval.formats.m2", "geceval.formats.parallel"} <= modules
    unused = ("columns", "hoo", "ixml", "jsonl", "nucle", "parquet", "shards")
    assert modules.isdisjoint(f"geceval.formats.{name}" for name in unused)
    assert modules.isdisjoint({"geceval.engines.dask", "geceval.extraction.part_folders"})
