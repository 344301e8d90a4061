"""Files of the commands that score or combine systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeAlias

import click

from geceval.errors import GecevalError
from geceval.formats import Findings, Input, LoadedFile, PathLike, load, load_hypothesis
from geceval.model import Corpus, Hypothesis, Tokens

Opener: TypeAlias = Callable[[str], PathLike | Input]
"""Opens a part of a file, or returns its name to have all of it read."""


def load_gold_files(
    files: Sequence[str],
    findings: Findings,
    *,
    format: str | None,
    encoding: str,
    is_text: bool,
    lang: str = "",
    loaded: list[LoadedFile] | None = None,
    opened: Opener = str,
) -> Corpus:
    """Load a gold standard, or a source with its references, which are text."""
    corpus = load(
        *map(opened, files),
        format=None if is_text and format != "parallel" else format,
        findings=findings,
        encoding=encoding,
        name=_file_name(files[0]),
        text=is_text,
        lang=lang,
        loaded=loaded,
    )
    if not len(corpus):
        raise GecevalError(f"{corpus.name} has no sentences")
    return corpus


def check_annotated(corpus: Corpus) -> None:
    """Raise an error for a corpus without annotations."""
    if not corpus.annotators:
        raise GecevalError(
            f"{corpus.name} has no annotations to score against; --gold takes a file that has "
            "them, such as M2, and the outputs of systems are named without an option"
        )


def load_systems(
    systems: Sequence[str],
    findings: Findings,
    *,
    format: str | None,
    encoding: str,
    loaded: list[LoadedFile] | None = None,
    opened: Opener = str,
) -> list[Hypothesis]:
    """Load the outputs of systems, given as ``NAME=FILE`` or ``FILE``."""
    hypotheses: list[Hypothesis] = []
    stored: dict[Tokens, Tokens] = {}
    for system in systems:
        name, path = named_file(system)
        hypothesis = load_hypothesis(
            opened(path),
            name=name,
            format=format,
            findings=findings,
            encoding=encoding,
            loaded=loaded,
            stored=stored,
        )
        if not len(hypothesis):
            raise GecevalError(f"{_file_name(path)} has no sentences")
        if any(other.name == hypothesis.name for other in hypotheses):
            raise GecevalError(f"two systems are called {hypothesis.name!r}; name them NAME=FILE")
        hypotheses.append(hypothesis)
    return hypotheses


def named_file(text: str) -> tuple[str | None, str]:
    """Split ``NAME=FILE``, unless a file of that whole name exists."""
    name, sign, path = text.partition("=")
    if not sign or os.path.exists(text):
        return None, text
    if not name.strip():
        raise click.UsageError(f"there is no name before '=' in {text!r}: write NAME=FILE")
    return name, path


def _file_name(path: str) -> str:
    return "standard input" if path == "-" else path
