"""Help: every command has examples, and they can be run as they are written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from geceval.cli import main

OLD_WORDS = re.compile(r"(?i)\b(kept|left out|told|standing|draws?|drawn|mend|mended|spoil)\b")


def commands(
    group: click.Group = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_has_examples_that_can_be_read(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    # A command stores the names of its help option, which it inherits from the program.
    parent = click.Context(main, **main.context_settings)
    lines = [line.strip() for line in (command.epilog or "").split("\n")]
    examples = [line[line.index("geceval") :] for line in lines if "geceval " in line]
    assert examples
    for example in examples:
        words = shlex.split(re.split(r" [|>] ", example)[0])
        if tuple(words[1 : 1 + len(path)]) == path:
            # Reads all options, but runs nothing.
            with command.make_context("geceval", words[1 + len(path) :], parent=parent) as ctx:
                assert ctx.params


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_is_in_plain_words(path: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(main, [*path, "--help"], terminal_width=1000)
    assert shown.exit_code == 0
    assert OLD_WORDS.findall(shown.output) == []


@pytest.mark.parametrize("option", ["--set", "--language", "--workers", "--refs", "--output"])
def test_options_have_one_name(option: str) -> None:
    for path, command in COMMANDS.items():
        assert all(option not in param.opts for param in command.params), path


def test_commands_do_not_import_each_other() -> None:
    import ast
    from pathlib import Path

    import geceval.cli

    folder = Path(geceval.cli.__file__).parent
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("geceval.cli."):
                parts = (node.module or "").split(".")
                assert any(part.startswith("_") for part in parts[2:]), (file.name, node.module)
