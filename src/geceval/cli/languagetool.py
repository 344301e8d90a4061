"""``geceval languagetool``: install, start and stop a LanguageTool server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from geceval.cli._shared.options import examples, json_option
from geceval.cli._shared.show import console, print_json, say, text
from geceval.errors import GecevalError
from geceval.grammar.base import Notify


@click.group(
    epilog=examples(
        """
        geceval languagetool install
        geceval languagetool start
        geceval score -m "grammar(checker=languagetool)" --gold gold.m2 system.txt
        geceval languagetool stop
        """
    )
)
def languagetool() -> None:
    """Install, start and stop a LanguageTool server.

    LanguageTool needs Java, and Maven to download it. Scoring starts a server if none is running;
    one that is already running saves the startup time.
    """


@languagetool.command(epilog=examples("geceval languagetool install --best-effort"))
@click.option("--best-effort", is_flag=True, help="Report what is missing, but do not fail.")
@click.option("--force", is_flag=True, help="Download again even if installed.")
@click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="Refuse files other than those that geceval was tested with.",
)
@json_option
def install(best_effort: bool, force: bool, verify: bool, as_json: bool) -> None:
    """Download LanguageTool to the cache folder, with Maven and its settings."""
    from geceval.grammar.languagetool import install as module

    try:
        with _status_line() as notify:
            module.install(notify=notify, reinstall=force, verify=verify)
    except GecevalError as error:
        if not best_effort:
            raise
        say(f"LanguageTool is not installed: {error}")
    _report(as_json)


@languagetool.command(epilog=examples("geceval languagetool status --json"))
@json_option
def status(as_json: bool) -> None:
    """Show what is installed and what is running."""
    _report(as_json)


@languagetool.command(epilog=examples("geceval languagetool start --memory 2g"))
@click.option("--memory", default="1g", show_default=True, help="Maximum memory of Java.")
@json_option
def start(memory: str, as_json: bool) -> None:
    """Start a server that keeps running in the background."""
    from geceval.grammar.languagetool.server import start_background

    with _status_line() as notify:
        start_background(memory=memory, notify=notify)
    _report(as_json)


@languagetool.command(epilog=examples("geceval languagetool stop"))
@json_option
def stop(as_json: bool) -> None:
    """Stop the server that runs in the background."""
    from geceval.grammar.languagetool.server import stop_background

    stop_background()
    _report(as_json)


def _status() -> dict[str, Any]:
    from geceval.grammar.languagetool.install import (
        find_installation,
        find_java,
        find_maven,
        home,
        java_version,
    )
    from geceval.grammar.languagetool.server import find_background

    java = find_java()
    found = find_installation()
    running = find_background()
    return {
        "schema": 1,
        "java": None if java is None else {"path": java, "version": java_version(java)},
        "maven": find_maven(),
        "folder": str(home()),
        "installed": None
        if found is None
        else {"version": found.version, "jars": found.n_jars, "bytes": found.n_bytes},
        "running": None
        if running is None
        else {"url": running.url, "pid": running.pid, "version": running.version},
    }


def _report(as_json: bool) -> None:
    state = _status()
    if as_json:
        print_json(state)
        return
    java, installed, running = state["java"], state["installed"], state["running"]
    lines = {
        "Java": f"{java['version']} ({java['path']})" if java else "missing",
        "Maven": state["maven"] or "missing",
        "folder": state["folder"],
        "installed": f"LanguageTool {installed['version']}, {installed['jars']} jars, "
        f"{installed['bytes'] / 1e6:.0f} MB"
        if installed
        else "no",
        "running": f"{running['url']} (process {running['pid']})" if running else "no",
    }
    for label, value in lines.items():
        console().print(f"{label + ':':10} {text(value)}", soft_wrap=True)


@contextmanager
def _status_line() -> Iterator[Notify]:
    """Show the current step."""
    out = console(stderr=True)
    with out.status("LanguageTool", spinner=out.spinner) as shown:
        yield lambda message: shown.update(text(message))
