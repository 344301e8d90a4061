"""Directive ``command-reference``: all commands and options of geceval, from its code."""

from __future__ import annotations

from collections.abc import Iterator

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from geceval.cli import main

_WIDTH = 88
"""Columns of a block that fits the page."""


def commands(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    """Yield the full name of each command, in the order of its help."""
    context = click.Context(group, info_name=name)
    for part in group.list_commands(context):
        command = group.get_command(context, part)
        if command is not None and not command.hidden:
            yield f"{name} {part}", command
            if isinstance(command, click.Group):
                yield from commands(command, f"{name} {part}")


def help_text(name: str, command: click.Command) -> str:
    """Return what ``--help`` prints."""
    context = click.Context(
        command, info_name=name, terminal_width=_WIDTH, max_content_width=_WIDTH, color=False
    )
    context.help_option_names = ["-h", "--help"]
    return command.get_help(context)


class CommandReference(SphinxDirective):
    """A section for each command, with its help."""

    def run(self) -> list[nodes.Node]:
        """Make the sections."""
        found: list[nodes.Node] = []
        for name, command in commands(main, "geceval"):
            section = nodes.section(ids=[nodes.make_id(name)], names=[name])
            section += nodes.title(text=name)
            section += nodes.literal_block(text=help_text(name, command), language="text")
            self.state.document.note_explicit_target(section)
            found.append(section)
        return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("command-reference", CommandReference)
    return {"parallel_read_safe": True}
