"""``geceval compat``: the command lines of the original tools."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from geceval.cli._shared.options import examples
from geceval.compat import ALIASES, TOOLS, run_tool
from geceval.errors import GecevalError


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="\b\nTools:\n"
    + "\n".join(f"  {name:<18} {about}" for name, about in TOOLS.items())
    + "\n\n"
    + examples(
        """
        geceval compat m2scorer -v system.txt gold.m2
        geceval compat --install ~/bin
        """
    ),
)
@click.option(
    "--install",
    "folder",
    metavar="DIR",
    help="Write launchers with the old names to a folder, for scripts that call the tools.",
)
@click.argument("tool", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def compat(folder: str | None, tool: str | None, arguments: Sequence[str]) -> None:
    """Run a replacement of an old tool, with its arguments and its output.

    What the original got silently wrong is refused, or a warning is printed to standard error.
    """
    if folder is not None:
        if tool is not None:
            raise click.UsageError("--install takes no tool")
        _install(Path(folder).expanduser())
        return
    if tool is None:
        raise click.UsageError(f"name a tool: {', '.join(TOOLS)}")
    result = run_tool(tool, arguments)
    sys.stderr.write("".join(result.err))
    sys.stderr.flush()
    # The original wrote UTF-8 whatever the locale.
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(result.out).encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    raise SystemExit(result.code)


def _install(folder: Path) -> None:
    """Write a launcher for each name of each tool; nothing that is there is overwritten."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {**{name: name for name in TOOLS}, **ALIASES}
    if there := [name for name in names if (folder / name).exists()]:
        raise GecevalError(f"{folder} has {', '.join(there)} already: choose another folder")
    for name, tool in names.items():
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m geceval compat {tool} "$@"\n')
        path.chmod(0o755)
        click.echo(path)
