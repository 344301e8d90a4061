"""Load and validate results files, which may be untrusted."""

from __future__ import annotations

import os
from typing import Any, TypedDict

from geceval.errors import GecevalError, UnknownNameError
from geceval.formats import Input, PathLike
from geceval.model import Hypothesis
from geceval.report.consistency import find_problem
from geceval.report.results import KIND, SCHEMA, Results
from geceval.report.score_records import add_rank_ranges, has_rank_ranges

_HEAD = 200
"""Number of characters by which results files are recognized."""


class _Header(TypedDict, total=False):
    """Fields that identify a results file; others are skipped."""

    kind: Any
    schema: Any
    version: Any


def load(path: PathLike) -> Results:
    """Load a results file; reject files that are invalid or of a newer schema."""
    import msgspec

    name = os.fspath(path)
    with Input.open(path) as source:
        text = source.text()
    try:
        _check_header(msgspec.json.decode(text, type=_Header), name)
        results = msgspec.json.decode(text, type=Results)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        # The position of the problem only helps if the file looks like JSON.
        position = f" ({error})" if text.lstrip().startswith("{") else ""
        raise GecevalError(f"{name}: not a results file of 'geceval report'{position}") from error
    if problem := find_problem(results):
        raise GecevalError(f"{name}: the results file is damaged: {problem}")
    if not has_rank_ranges(results):
        add_rank_ranges(results)
    return results


def is_results_file(path: PathLike) -> bool:
    """Whether a file looks like a results file, by its first characters."""
    name = os.fspath(path)
    if name == "-" or not os.path.isfile(name) or ".json" not in os.path.basename(name):
        return False
    with Input.open(path) as source:
        head = source.text()[:_HEAD]
    return f'"kind":"{KIND}"' in head.replace(" ", "")


def stored_hypothesis(results: Results, system: str) -> Hypothesis:
    """Return the output of a system as it was when the results were computed."""
    if system not in results["systems"]:
        raise UnknownNameError("system", system, results["systems"])
    texts = [
        source if output == 0 else str(output)
        for source, output in zip(
            results["sentences"]["source"],
            results["sentences"]["systems"][system]["output"],
            strict=True,
        )
    ]
    # Only spaces separate tokens, which may contain other white space.
    return Hypothesis(system, tuple(tuple(text.split(" ")) if text else () for text in texts))


def _check_header(document: _Header, name: str) -> None:
    """Check kind and schema before any other field."""
    if document.get("kind") != KIND:
        raise GecevalError(f"{name}: not a results file of 'geceval report'")
    schema = document.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise GecevalError(f"{name}: the results file does not state its schema")
    if schema > SCHEMA:
        raise GecevalError(
            f"{name}: the results file has schema {schema}, made by geceval "
            f"{document.get('version', '?')}; this version reads up to {SCHEMA}: update geceval"
        )
