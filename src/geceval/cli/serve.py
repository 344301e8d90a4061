"""``geceval serve``: a web page to try, score and compare."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geceval.cli._shared.options import examples, json_option
from geceval.cli._shared.show import console, counted, print_json, say, table, text
from geceval.errors import GecevalError

if TYPE_CHECKING:
    from geceval.serve.database import Database

_VARIABLE = "GECEVAL_DATABASE"


def _database_option(command: Any) -> Any:
    return click.option(
        "--database",
        metavar="URL",
        envvar=_VARIABLE,
        help="Database, e.g. postgresql+pg8000://user@host/name; by default an SQLite file in the "
        f"user's data folder. The variable {_VARIABLE} is another way to give it.",
    )(command)


@click.group(
    invoke_without_command=True,
    epilog=examples(
        """
        geceval serve
        geceval serve --port 8080 --database sqlite:///board.db
        geceval serve token add --organizer "Shared task team"
        geceval serve --host 0.0.0.0 --jobs 2
        geceval serve backup board-backup.db
        """
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
    help="Port; 0 for any that is free.",
)  # fmt: skip
@_database_option
@click.option(
    "--name", "names", multiple=True, metavar="HOST",
    help="Host name of a proxy in front of a local server (repeatable); people then need tokens.",
)  # fmt: skip
@click.option(
    "--jobs", "workers", type=click.IntRange(1, 64), default=1, show_default=True,
    help="Jobs that run at the same time, each in a process of its own.",
)  # fmt: skip
@click.option(
    "--max-upload", type=click.IntRange(1, 2048), default=64, show_default=True, metavar="MB",
    help="Maximum size of a request.",
)  # fmt: skip
@click.option(
    "--job-seconds", type=click.IntRange(1, 86_400), default=900, show_default=True,
    help="Maximum time of a job.",
)  # fmt: skip
@click.option(
    "--job-memory", type=click.IntRange(1, 1024), default=8, show_default=True, metavar="GB",
    help="Maximum memory of a job.",
)  # fmt: skip
@click.option("--open/--no-open", "opens", default=False, help="Open the page in a browser.")
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    database: str | None,
    names: tuple[str, ...],
    workers: int,
    max_upload: int,
    job_seconds: int,
    job_memory: int,
    opens: bool,
) -> None:
    """Serve web pages to try edits, score files and keep leaderboards.

    The server listens on this machine only, and then needs no tokens. On any other address,
    everybody needs a token, the organizers too: add one with 'geceval serve token add'.
    """
    ctx.obj = database
    if ctx.invoked_subcommand is not None:
        return
    from geceval.serve.configuration import ServerConfiguration, ServerLimits

    limits = replace(
        ServerLimits(),
        upload_bytes=max_upload << 20,
        job_seconds=job_seconds,
        job_bytes=job_memory << 30,
    )
    configuration = ServerConfiguration(
        _url(database), host=host, port=port, names=names, workers=workers, limits=limits
    )
    _run(configuration, opens=opens)


def _run(configuration: Any, *, opens: bool) -> None:
    try:
        from geceval.serve.listening import run_server
    except ModuleNotFoundError as error:
        raise _missing(error) from error

    def started(url: str) -> None:
        say(f"geceval is at {url} (stop with Ctrl-C)")
        if configuration.requires_tokens:
            say("People need tokens; add one with: geceval serve token add NAME")
        if opens:
            click.launch(url)

    run_server(configuration, started)


@serve.command(epilog=examples("geceval serve backup board-backup.db"))
@click.argument("path", type=click.Path(dir_okay=False))
@click.pass_obj
def backup(database: str | None, path: str) -> None:
    """Copy everything to one file, also while the server runs."""
    from geceval.serve.database.backup import save_backup

    count = save_backup(_opened(database), path)
    console().print(f"{counted(count, 'row')} saved to {text(path)}", soft_wrap=True)


@serve.command(epilog=examples("geceval serve --database sqlite:///new.db restore backup.db"))
@click.argument("path", type=click.Path(dir_okay=False))
@click.pass_obj
def restore(database: str | None, path: str) -> None:
    """Copy a backup to an empty database."""
    from geceval.serve.database.backup import restore_backup

    count = restore_backup(path, _opened(database))
    console().print(f"{counted(count, 'row')} restored", soft_wrap=True)


@serve.group()
def token() -> None:
    """Add, list and revoke the tokens of participants."""


@token.command("add", epilog=examples('geceval serve token add --organizer "Shared task team"'))
@click.argument("name")
@click.option("--organizer", is_flag=True, help="May create tasks and see everything.")
@click.pass_obj
def add_token(database: str | None, name: str, organizer: bool) -> None:
    """Add a participant and print the token, which cannot be shown again."""
    from geceval.serve.access import add_participant

    with _opened(database).writing() as session:
        made = add_participant(session, name, is_organizer=organizer)
    click.echo(made)


@token.command("list", epilog=examples("geceval serve token list --json"))
@json_option
@click.pass_obj
def list_tokens(database: str | None, as_json: bool) -> None:
    """List the participants."""
    from sqlalchemy import select

    from geceval.serve.database.orm import Participant

    with _opened(database).reading() as session:
        found = session.scalars(select(Participant).order_by(Participant.name)).all()
    if as_json:
        records = [
            {
                "name": one.name,
                "is_organizer": one.is_organizer,
                "created": one.created.isoformat(),
                "is_revoked": one.revoked is not None,
            }
            for one in found
        ]
        print_json({"schema": 1, "participants": records})
        return
    rows = table("Participants", "name", "role", "since", "state")
    for one in found:
        role = "organizer" if one.is_organizer else "participant"
        state = "valid" if one.revoked is None else "revoked"
        rows.add_row(text(one.name), role, f"{one.created:%Y-%m-%d}", state)
    console().print(rows)


@token.command("revoke", epilog=examples('geceval serve token revoke "Team 7"'))
@click.argument("name")
@click.pass_obj
def revoke_token(database: str | None, name: str) -> None:
    """Make the token of a participant invalid; the scores stay."""
    from geceval.serve.access import revoke

    with _opened(database).writing() as session:
        revoke(session, name)
    console().print(f"{text(name)} is revoked", soft_wrap=True)


def _opened(database: str | None) -> Database:
    try:
        from geceval.serve.database import Database
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    return Database(_url(database))


def _missing(error: ModuleNotFoundError) -> GecevalError:
    return GecevalError(f"the server needs {error.name}: pip install 'geceval[web]'")


def _url(database: str | None) -> str:
    if database is not None:
        return database
    from geceval.serve.configuration import sqlite_url

    folder = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "geceval"
    folder.mkdir(parents=True, exist_ok=True)
    return sqlite_url(folder / "serve.db")
