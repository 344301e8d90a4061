"""``geceval lang``: the language packs, what they need, and whether it is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from geceval.cli._shared.options import OutputForm, examples, form_options
from geceval.cli._shared.show import print_json, print_tables
from geceval.errors import GecevalError
from geceval.extraction.lang import LanguagePack, get_pack, pack_names
from geceval.presentation.table import Table

_LEVELS = {
    "full": "all types",
    "light": "punctuation, spelling, forms, word order",
    "plain": "punctuation, spelling by letters, word order",
    "operations": "missing, redundant, substituted, word order; word classes with --level word",
}


@click.command(
    epilog=examples(
        """
        geceval lang
        geceval lang de
        geceval lang --installed
        geceval lang --json | jq '.languages[] | select(.name == "de")'
        """
    )
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--installed", is_flag=True, help="Only what can be used on this machine.")
@form_options
def lang(names: tuple[str, ...], installed: bool, form: OutputForm) -> None:
    """List the language packs, what each needs, and whether it is there.

    The first analyzer of a language that is installed is the default of --lang; --model chooses
    another. Every language also has the full level with --analyses, a CoNLL-U file of any parser,
    and with a spaCy pipeline as --model.
    """
    packs = [get_pack(name) for name in names or pack_names()]
    records = [record for pack in packs for record in pack_records(pack)]
    if installed:
        records = [record for record in records if record["installed"]]
    if form == "json":
        print_json({"schema": 1, "languages": _by_language(packs, records)})
        return
    rows = tuple(
        (
            record["language"],
            record["title"],
            record["analyzer"],
            record["level"],
            ("yes" if record["installed"] else "no") + (" (default)" if record["default"] else ""),
            record["needs"],
        )
        for record in records
    )
    header = ("language", "title", "analyzer", "level", "installed", "needs")
    print_tables([Table("languages", "Language packs", header, rows)], form)
    if form == "terminal":
        shown = {record["level"] for record in records}
        for name, meaning in _LEVELS.items():
            if name in shown:
                click.echo(f"{name}: {meaning}")
        for line in _remedies(records):
            click.echo(line)


def _remedies(records: list[dict[str, Any]]) -> Iterator[str]:
    """Yield how to get what is not installed, once for all languages that need the same."""
    languages: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if not record["installed"] and (remedy := record.get("remedy")):
            languages.setdefault((record["analyzer"], remedy), []).append(record["language"])
    for (analyzer, remedy), codes in languages.items():
        yield f"{analyzer} ({', '.join(codes)}) is not installed: {remedy}"


def pack_records(pack: LanguagePack) -> list[dict[str, Any]]:
    """Return what a table shows of each analyzer of a language."""
    if not pack.backends:
        needs, is_installed = _special_needs(pack)
        level = {"en": "full", "universal": "full"}.get(pack.name, "plain")
        common = {"analyzer": "spaCy" if level == "full" else "-", "level": level}
        return [
            {
                "language": pack.name,
                "title": pack.title,
                **common,
                "installed": is_installed,
                "default": is_installed,
                "needs": needs,
                "packages": {},
                "license": "",
            }
        ]
    default = next((one for one in pack.backends if one.is_installed), None)
    return [
        {
            "language": pack.name,
            "title": pack.title,
            "analyzer": backend.name,
            "level": "operations" if pack.typer == "chinese" else backend.level,
            "installed": backend.is_installed,
            "default": backend is default,
            "needs": ", ".join(backend.packages) or "-",
            "packages": backend.versions,
            "license": backend.license,
            "remedy": backend.remedy,
        }
        for backend in pack.backends
    ]


def _special_needs(pack: LanguagePack) -> tuple[str, bool]:
    """Return what a pack without a choice of analyzers needs, and whether it is there."""
    if pack.name == "en":
        from geceval.extraction.lang.en.analyzer import MODELS, installed_model

        try:
            return installed_model(), True
        except GecevalError:
            return " or ".join(MODELS), False
    if pack.name == "universal":
        from geceval.extraction.lang.backends import installed_version

        return "spacy, and a pipeline as --model", installed_version("spacy") is not None
    return "-", True


def _by_language(packs: list[LanguagePack], records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "name": pack.name,
            "title": pack.title,
            "typer": pack.typer,
            "analyzers": [
                {name: value for name, value in record.items() if name not in ("language", "title")}
                for record in records
                if record["language"] == pack.name
            ],
        }
        for pack in packs
    ]
