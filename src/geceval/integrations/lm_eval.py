"""lm-evaluation-harness: corpus scores instead of calls of other scorers' commands.

A task names two functions: `process_results` collects each output with its source and
references, and an aggregation scores all of them together. ``write_task`` writes a template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

from geceval.api import score
from geceval.errors import GecevalError
from geceval.formats import PathLike

Item: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Source, output and references of a sentence."""

TEMPLATE = ("gec.yaml", "gec_functions.py")
"""Files of the template."""


def process_results(
    metrics: Sequence[str], *, source: str = "source", references: str = "references"
) -> Callable[[Mapping[str, Any], Sequence[str]], dict[str, Item]]:
    r"""Return the function of a task that collects the output of each document.

    Parameters
    ----------
    metrics
        Names of the task's metrics.
    source, references
        Fields of a document; references are a string or a list of strings.

    Examples
    --------
    >>> collect = process_results(["m2"])
    >>> collect({"source": "I likes it .", "references": "I like it ."}, [" I like it .\nNow"])
    {'m2': ('I likes it .', 'I like it .', ('I like it .',))}
    """

    def process(document: Mapping[str, Any], results: Sequence[str]) -> dict[str, Item]:
        given = document[references]
        corrected = (given,) if isinstance(given, str) else tuple(given)
        lines = results[0].strip().splitlines()
        item = (document[source], lines[0].strip() if lines else "", corrected)
        return dict.fromkeys(metrics, item)

    return process


def aggregation(metric: str, **options: Any) -> Callable[[Sequence[Item]], float]:
    """Return the aggregation of a task: the score of all outputs together.

    Parameters
    ----------
    metric, options
        A metric of geceval and options of `geceval.score`.

    Examples
    --------
    >>> aggregation("gleu")([("I likes it .", "I like it .", ("I like it .",))])
    1.0
    """

    def aggregate(items: Sequence[Item]) -> float:
        sources, outputs, references = zip(*items, strict=True)
        found = score(
            list(outputs),
            list(sources),
            [list(one) for one in references],
            metric,
            references_by="sentence",
            **{"resamples": 0, **options},
        )
        return float(found.value)

    return aggregate


def write_task(folder: PathLike) -> list[Path]:
    """Write the template of a task into a folder, for ``lm_eval --include_path``."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    source = resources.files("geceval.integrations") / "lm_eval_task"
    paths = [target / name for name in TEMPLATE]
    for path in paths:
        if path.exists():
            raise GecevalError(f"{path} exists; choose another folder")
        path.write_text((source / path.name).read_text(encoding="utf-8"), encoding="utf-8")
    return paths
