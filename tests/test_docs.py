"""What the documentation mentions exists: modules, names, paths, commands and options."""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from geceval.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
IDS = [str(path.relative_to(ROOT)) for path in PAGES]

DOTTED = re.compile(r"(?<![\w./-])geceval(?:\.[A-Za-z_]\w*)+(?![\w/])")
IMPORT = re.compile(r"^ *from (geceval[\w.]*) import (\(.*?\)|[^\n(]+)", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"(?<![\w./-])(?:src/geceval|tests|docs|benchmarks|tools)/[\w./-]*\w")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)

# Placeholders of paths that the reader makes up.
MADE_UP = re.compile(r"\bNAME\b|src/geceval_")


def resolve(name: str) -> object:
    """Return what a dotted name means: a module, or an attribute of one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError as error:
            if error.name is not None and not error.name.startswith("geceval"):
                return None  # It is there, but needs a package that is not.
            continue
        for attribute in parts[end:]:
            found = getattr(found, attribute)
        return found
    raise ModuleNotFoundError(name)


def is_known(name: str) -> bool:
    try:
        resolve(name)
    except (ModuleNotFoundError, AttributeError):
        return False
    return True


def command_lines(text: str) -> Iterator[list[str]]:
    """Yield the words after ``geceval`` of each command in the console blocks of a page."""
    for block in CONSOLE.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                for part in re.split(r"\s(?:&&|\||;)\s", line.removeprefix("$ ")):
                    words = shlex.split(part, comments=True)
                    if words[:1] == ["geceval"]:
                        yield words[1:]


def unknown_words(words: list[str]) -> list[str]:
    """Return the commands and options of a command line that do not exist."""
    command: click.Command = main
    context = click.Context(main)
    rest = list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        if rest[0].isupper():  # a placeholder
            return []
        found = command.get_command(context, rest[0])
        if found is None:
            return [rest[0]]
        command, rest = found, rest[1:]
    known = {
        name
        for option in command.get_params(context)
        for name in (*option.opts, *option.secondary_opts)
    }
    named = (word.partition("=")[0] for word in rest if re.match(r"--?[A-Za-z]", word))
    return [word for word in named if word not in known]


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_docs_name_what_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = set(DOTTED.findall(text))
    for module, imported in IMPORT.findall(text):
        names |= {f"{module}.{name}" for name in re.findall(r"\w+", imported)}
    assert sorted(name for name in names if not is_known(name)) == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_docs_name_paths_that_exist(page: Path) -> None:
    found = set(PATH.findall(page.read_text(encoding="utf-8")))
    missing = [path for path in found if not MADE_UP.search(path) and not (ROOT / path).exists()]
    assert sorted(missing) == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_docs_use_commands_and_options_that_exist(page: Path) -> None:
    wrong = {
        " ".join(words): unknown
        for words in command_lines(page.read_text(encoding="utf-8"))
        if (unknown := unknown_words(words))
    }
    assert wrong == {}


def test_docs_test_notices_what_does_not_exist() -> None:
    assert not is_known("geceval.no_such_module")
    assert not is_known("geceval.model.NoSuchClass")
    assert unknown_words(["score", "--no-such-option", "1"]) == ["--no-such-option"]
    assert unknown_words(["metaeval", "nothing"]) == ["nothing"]
    assert unknown_words(["metaeval", "human", "--systems", "a"]) == []
    lines = "```console\n$ cd x && geceval score \\\n  --gold g  # why\n```\n"
    assert list(command_lines(lines)) == [["score", "--gold", "g"]]
