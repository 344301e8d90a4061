"""The command lines of the original tools, with their output to the byte.

Each tool is a module with a function ``main(arguments)`` that returns a `ToolResult`. What an
original got silently wrong is refused: then nothing is printed but the reason.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from geceval.errors import GecevalError, UnknownNameError
from geceval.formats import Findings

__all__ = ["ALIASES", "TOOLS", "ToolResult", "run_tool"]

TOOLS = {
    "m2scorer": "M² of the CoNLL shared tasks, version 3.2.",
    "edit_creator": "Edits between two texts, from m2scorer 3.2.",
    "ieval": "The I-measure, of imeasure.",
    "m2_to_ixml": "M2 as I-measure XML, of imeasure.",
    "compute_gleu": "GLEU of gec-ranking, 2016.",
    "compute_gleu_2015": "The first GLEU of gec-ranking, with a penalty weight.",
    "jfleg_gleu": "GLEU of JFLEG, gleu.py.",
    "gleu": "GLEU of the package gleu 1.1.0.",
    "sgleu": "GLEU of each sentence, of the package gleu 1.1.0.",
    "mgleu": "Mean GLEU of sentences, of the package gleu 1.1.0.",
    "errant_parallel": "Edits from parallel text, of ERRANT 3.0.2.",
    "errant_m2": "Standardized edits of an M2 file, of ERRANT 3.0.2.",
    "errant_compare": "Scores of an M2 file against another, of ERRANT 3.0.2.",
    "multiged": "Error detection by tokens, of MultiGED-2023.",
}
"""The tools, by their names on the command line."""

ALIASES = {
    "m2scorer.py": "m2scorer",
    "edit_creator.py": "edit_creator",
    "ieval.py": "ieval",
    "m2_to_ixml.py": "m2_to_ixml",
    "gleu.py": "jfleg_gleu",
    "original_gleu": "compute_gleu_2015",
}
"""Other names under which scripts call them."""

_MODULES = {
    **dict.fromkeys(("gleu", "sgleu", "mgleu"), "koyama_gleu"),
    "multiged": "multiged_eval",
}
"""Modules with other names than their tools, which take the name of the tool first."""


@dataclass(slots=True)
class ToolResult:
    """What a tool prints, and its exit code.

    Parameters
    ----------
    out, err
        Standard output and standard error, in pieces.
    code
        Exit code.
    """

    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    code: int = 0

    def print(self, line: str = "") -> None:
        """Print a line to standard output."""
        self.out.append(f"{line}\n")

    def warn(self, message: str) -> None:
        """Print a warning to standard error."""
        self.err.append(f"warning: {message}\n")

    def warn_of(self, findings: Findings) -> None:
        """Print a warning for each kind of finding in each file, at most one line each."""
        for line in findings.summary(notes=False):
            self.warn(line)


def run_tool(name: str, arguments: Sequence[str]) -> ToolResult:
    """Run a tool as its original was run.

    Parameters
    ----------
    name
        Name of the tool; the ending ``.py`` does not matter.
    arguments
        The words after its name.
    """
    known = ALIASES.get(name, name)
    if known not in TOOLS:
        raise UnknownNameError("tool", name, TOOLS)
    main: Callable[[Sequence[str]], ToolResult] = importlib.import_module(
        f"geceval.compat.{_MODULES.get(known, known)}"
    ).main
    try:
        return main([known, *arguments] if known in _MODULES else arguments)
    except GecevalError as error:
        return ToolResult(err=[f"{known}: error: {error}\n"], code=1)
