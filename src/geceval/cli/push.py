"""``geceval push``: submit an output to a leaderboard."""

from __future__ import annotations

from pathlib import Path

import click

from geceval.cli._shared.options import examples, json_option
from geceval.cli._shared.show import console, print_json, table, text
from geceval.errors import GecevalError


@click.command(
    epilog=examples(
        """
        geceval push ours.txt --task spring-2027
        geceval push ours.txt --task spring-2027 --server https://gec.example --name "ours, v2"
        GECEVAL_TOKEN=… geceval push ours.txt --task spring-2027 --tag ablation --json
        """
    )
)
@click.argument("output", type=click.Path(dir_okay=False))
@click.option("--task", required=True, help="Short name of the task.")
@click.option(
    "--server", default="http://127.0.0.1:8000", show_default=True, envvar="GECEVAL_SERVER",
    metavar="URL", help="Address of the server.",
)  # fmt: skip
@click.option(
    "--token", envvar="GECEVAL_TOKEN",
    help="Your token; better given by the variable GECEVAL_TOKEN, which others cannot see.",
)  # fmt: skip
@click.option("--name", help="Name of the system; by default that of the file.")
@click.option("--tag", default="", help="A word that tells submissions apart.")
@click.option("--wait/--no-wait", default=True, show_default=True, help="Wait for the scores.")
@json_option
def push(
    output: str,
    task: str,
    server: str,
    token: str | None,
    name: str | None,
    tag: str,
    wait: bool,
    as_json: bool,
) -> None:
    """Submit the output of a system to a leaderboard, and print its scores."""
    try:
        from geceval.serve.api_client import ServerClient
    except ModuleNotFoundError as error:
        raise GecevalError(f"this needs {error.name}: pip install 'geceval[web]'") from error
    with ServerClient(server, token=token) as client:
        made = client.submit(task, output, system=name or Path(output).stem, tag=tag)
        if not wait:
            _print_queued(made.id, as_json=as_json)
            return
        client.wait(made.job)
        made = client.submission(made.id)
        entry = next((one for one in client.board(task).entries if one.id == made.id), None)
    if entry is None:
        raise GecevalError(f"submission {made.id} was scored, but has been deleted since")
    if as_json:
        print_json({"schema": 1, "findings": made.findings, **entry.model_dump(mode="json")})
        return
    for finding in made.findings:
        console(stderr=True).print(f"warning: {finding}", soft_wrap=True, markup=False)
    rows = table(
        f"Submission {entry.id}: {text(entry.name)}",
        "metric", "score", "95 % interval", "ranks",
        numeric=("score", "ranks"),
    )  # fmt: skip
    for score in entry.scores:
        best, worst = score.rank_range
        rows.add_row(
            text(score.title),
            f"{score.value:.4f}",
            f"{score.low:.4f}–{score.high:.4f}",
            f"{best}" if best == worst else f"{best}–{worst}",
        )
    console().print(rows)


def _print_queued(number: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"schema": 1, "id": number, "state": "queued"})
    else:
        console().print(f"Submission {number} is in the queue.")
