"""The SEEDA dataset: judgments, outputs and published scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import GecevalError
from geceval.formats import Findings, load_hypothesis
from geceval.formats.inputs import Input
from geceval.metaeval.human.judgment_files import load_judgments
from geceval.metaeval.human.judgments import SOURCE, Judgments
from geceval.metaeval.human.metric_scores import MetricScores
from geceval.metaeval.human.rankings import Ranking
from geceval.model import Corpus, Hypothesis

GRANULARITIES = {"edit": "SEEDA-E", "sent": "SEEDA-S"}
"""Titles of the granularities of judgments, which are named in files."""

_FLUENT = ("GPT-3.5", "REF-F")
_RANKINGS = {"TS": "TrueSkill", "EW": "Expected Wins"}


def system_sets(systems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return SEEDA's sets of systems.

    Fluent rewrites and the unchanged source are outliers that raise correlations; the base set
    excludes them.
    """
    outside = {SOURCE, *_FLUENT}
    sets = {
        "base": outside,
        "+REF-F,GPT-3.5": {SOURCE},
        "+INPUT": set(_FLUENT),
        "all": set[str](),
    }
    return {
        name: tuple(one for one in systems if one not in excluded)
        for name, excluded in sets.items()
    }


@dataclass(frozen=True, slots=True)
class Seeda:
    """The SEEDA dataset.

    Parameters
    ----------
    judgments
        Judgments by granularity.
    human
        Published human scores, by granularity and name of the ranking.
    metrics
        Published metric scores.
    outputs
        Output of each system on the judged sentences.
    """

    judgments: Mapping[str, Judgments]
    human: Mapping[tuple[str, str], Ranking]
    metrics: tuple[MetricScores, ...]
    outputs: Mapping[str, Hypothesis]

    @property
    def systems(self) -> tuple[str, ...]:
        """All systems in alphabetical order, as in score files."""
        return next(iter(self.judgments.values())).systems

    @property
    def sentences(self) -> list[int]:
        """Numbers of all judged sentences, in the order of the outputs."""
        return sorted({number for one in self.judgments.values() for number in one.sentences})


def load_seeda(folder: Path, findings: Findings) -> Seeda:
    """Read a copy of SEEDA's repository, or parts of it.

    Parameters
    ----------
    folder
        Contains ``judgments_edit.xml`` and ``judgments_sent.xml`` (or ``data`` does), optionally
        also ``scores/human``, ``outputs`` and a README with a table of published scores.
    findings
        Receives notes on missing parts.
    """
    judgments = {}
    for granularity, title in GRANULARITIES.items():
        path = _first_existing(
            folder / place / f"judgments_{granularity}.xml" for place in (".", "data")
        )
        if path is not None:
            judgments[granularity] = load_judgments(path, title, findings=findings)
    if not judgments:
        raise GecevalError(
            f"{folder}: expected judgments_edit.xml or judgments_sent.xml, found neither; give "
            "the folder of SEEDA"
        )
    systems = next(iter(judgments.values())).systems
    human = {}
    for granularity in judgments:
        for short, name in _RANKINGS.items():
            path = folder / "scores" / "human" / f"{short}_{granularity}.txt"
            if path.is_file():
                human[granularity, name] = _published(path, name, systems, findings)
    return Seeda(
        judgments,
        human,
        tuple(_published_metrics(folder, systems, findings)),
        _outputs(folder, judgments, systems, findings),
    )


def _first_existing(paths: Iterable[Path]) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _published(path: Path, name: str, systems: Sequence[str], findings: Findings) -> Ranking:
    scores = read_scores(path, systems, findings)
    order = sorted(scores, key=lambda system: -scores[system])
    ordered = {system: scores[system] for system in order}
    return Ranking(name, ordered, signature=f"published|{path.name}")


def read_scores(path: Path, systems: Sequence[str], findings: Findings) -> dict[str, float]:
    """Read scores of systems, one number per line in alphabetical order of systems.

    Lines may also contain a name, a tab and a number, in any order.
    """
    scores: dict[str, float] = {}
    with Input.open(path, findings=findings) as source:
        lines = [(number, line) for number, line in enumerate(source.lines(), 1) if line.strip()]
        for place, (number, line) in enumerate(lines):
            name, tab, text = line.rpartition("\t")
            if not tab and place >= len(systems):
                message = f"expected {len(systems)} scores, found more"
                raise source.error(message, line=number)
            name = name.strip() if tab else systems[place]
            if name not in systems or name in scores:
                message = f"{name!r} was not judged, or has two scores"
                raise source.error(message, line=number)
            try:
                scores[name] = float(text)
            except ValueError:
                message = f"expected a number, found {text.strip()!r}"
                raise source.error(message, line=number) from None
        if len(scores) < len(systems):
            missing = ", ".join(name for name in systems if name not in scores)
            raise source.error(f"no score of {missing}")
    return scores


def _published_metrics(
    folder: Path, systems: Sequence[str], findings: Findings
) -> Iterable[MetricScores]:
    """Read the table of metric scores in the README."""
    for path in sorted(folder.glob("README*.md")):
        with Input.open(path, findings=findings) as source:
            rows = [_cells(line) for line in source.lines() if line.lstrip().startswith("|")]
        table = {row[0]: row[1:] for row in rows if row and row[0] in systems}
        if not set(systems) <= set(table):
            continue
        for column, title in enumerate(rows[0][1:]):
            try:
                scores = {name: float(table[name][column]) for name in systems}
            except (ValueError, IndexError):
                findings.add("bad-score", f"the column {title!r} is incomplete", path=str(path))
                continue
            yield MetricScores(
                f"published:{title}", f"{title} (published)", scores, {}, f"{path.name}|{title}"
            )
        return
    message = "no README with a table of published metric scores"
    findings.add("no-published-scores", message, severity="note", path=str(folder))


def _cells(line: str) -> list[str]:
    plain = line.replace("<sup>2</sup>", "²").strip().strip("|")
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in plain.split("|")]


def _outputs(
    folder: Path,
    judgments: Mapping[str, Judgments],
    systems: Sequence[str],
    findings: Findings,
) -> dict[str, Hypothesis]:
    """Load the outputs, one line for each judged sentence."""
    found: dict[str, Hypothesis] = {}
    sentences = {number for one in judgments.values() for number in one.sentences}
    for name in systems:
        path = _first_existing(
            folder / "outputs" / place / f"{name}.txt" for place in ("subset", ".")
        )
        if path is None:
            continue
        found[name] = load_hypothesis(path, name=name, findings=findings)
        if len(found[name]) != len(sentences):
            raise GecevalError(
                f"{path} has {len(found[name])} sentences, but {len(sentences)} were judged"
            )
    return found


def judged_sentences(seeda: Seeda, corpus: Corpus) -> list[int]:
    """Return the indices of the judged sentences in a gold standard, in the order of the outputs.

    SEEDA numbers sentences from 1. `corpus` is the whole test set or only the judged sentences.
    """
    numbers = seeda.sentences
    if SOURCE not in seeda.outputs or set(seeda.systems) - set(seeda.outputs):
        missing = sorted(set(seeda.systems) - set(seeda.outputs)) or [SOURCE]
        raise GecevalError(f"metrics need all of SEEDA's outputs; missing: {', '.join(missing)}")
    rows = list(range(len(numbers))) if len(corpus) == len(numbers) else [n - 1 for n in numbers]
    for row, tokens in zip(rows, seeda.outputs[SOURCE].sentences, strict=True):
        if not 0 <= row < len(corpus) or corpus.sentences[row].tokens != tokens:
            raise GecevalError(
                f"{corpus.name} does not fit SEEDA: its sentence {row + 1} is not the judged "
                "source; give the gold standard of CoNLL-2014, or of SEEDA's sentences only"
            )
    return rows
