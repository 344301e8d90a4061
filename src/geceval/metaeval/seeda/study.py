"""The SEEDA protocol: correlation with edit-level and sentence-level judgments."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geceval.errors import GecevalError
from geceval.evaluation.entries import Progress, silent
from geceval.evaluation.resampling import DEFAULT_RESAMPLING, Resampling
from geceval.formats import Findings, load_hypothesis
from geceval.formats.inputs import Input
from geceval.metaeval.human.agreement import concordance
from geceval.metaeval.human.judgments import SOURCE, Judgments, load_judgments
from geceval.metaeval.human.metric_correlation import MetricCorrelation, correlate
from geceval.metaeval.human.metric_scores import MetricScores, score_judged
from geceval.metaeval.human.rankings import Outcomes, Ranking, expected_wins, trueskill
from geceval.metaeval.seeda.windows import Window, sliding_windows
from geceval.metrics.base import Metric
from geceval.metrics.options import checked
from geceval.model import Corpus, Hypothesis

GRANULARITIES = {"edit": "SEEDA-E", "sent": "SEEDA-S"}
"""Titles of the granularities of judgments, which are named in files."""

_FLUENT = ("GPT-3.5", "REF-F")
_RANKINGS = {"TS": "TrueSkill", "EW": "Expected Wins"}
WINDOW_SIZES = (4, 8)


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
    numbers = sorted({number for one in seeda.judgments.values() for number in one.sentences})
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


@dataclass(frozen=True, slots=True)
class SeedaSet:
    """Correlations of metrics with one ranking, on one set of systems."""

    granularity: str
    ranking: str
    systems_name: str
    systems: tuple[str, ...]
    correlations: tuple[MetricCorrelation, ...]


@dataclass(frozen=True, slots=True)
class SeedaStudy:
    """Results of the SEEDA protocol.

    Parameters
    ----------
    seeda
        The dataset.
    computed
        Rankings computed from the judgments, by granularity and name.
    used
        Rankings to correlate metrics with: published if available, otherwise computed.
    metrics
        Published and own metric scores.
    results
        Correlations for each set of systems and each ranking.
    windows
        Sliding windows over all systems, by granularity and name of the ranking.
    """

    seeda: Seeda
    computed: Mapping[tuple[str, str], Ranking]
    used: Mapping[tuple[str, str], Ranking]
    metrics: tuple[MetricScores, ...]
    results: tuple[SeedaSet, ...]
    windows: Mapping[tuple[str, str], tuple[Window, ...]]


@checked
def study(
    seeda: Seeda,
    own: Sequence[MetricScores] = (),
    *,
    window_sizes: Sequence[int] = WINDOW_SIZES,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> SeedaStudy:
    """Correlate published and own metric scores with human rankings.

    Parameters
    ----------
    seeda
        Judgments and published scores.
    own
        Scores of other metrics, see `score`.
    window_sizes
        Numbers of systems in sliding windows.
    resampling
        Settings of intervals; the seed is also that of TrueSkill.
    """
    metrics = (*seeda.metrics, *own)
    if not metrics:
        raise GecevalError(
            "there are no metric scores: SEEDA's README has a table of published ones, and with "
            "a gold standard our metrics score its outputs"
        )
    computed = {}
    for granularity, judgments in seeda.judgments.items():
        outcomes = Outcomes.of(judgments)
        for ranking in (trueskill(outcomes, seed=resampling.seed), expected_wins(outcomes)):
            computed[granularity, ranking.name] = ranking
    used = {key: seeda.human.get(key, ranking) for key, ranking in computed.items()}
    results = tuple(
        _set_results(seeda, metrics, used[key], key, name, systems, resampling=resampling)
        for key in used
        for name, systems in system_sets(seeda.systems).items()
    )
    windows = {
        key: tuple(
            window
            for size in window_sizes
            for metric in metrics
            for window in sliding_windows(metric, ranking, seeda.systems, size)
        )
        for key, ranking in used.items()
    }
    return SeedaStudy(seeda, computed, used, metrics, results, windows)


def _set_results(
    seeda: Seeda,
    metrics: Sequence[MetricScores],
    ranking: Ranking,
    key: tuple[str, str],
    name: str,
    systems: tuple[str, ...],
    *,
    resampling: Resampling,
) -> SeedaSet:
    judgments = seeda.judgments[key[0]]
    rows = {number: row for row, number in enumerate(judgments.sentences)}
    found = []
    for metric in metrics:
        agreed = (
            concordance(judgments, metric.sentences, rows, systems) if metric.sentences else None
        )
        found.append(correlate(metric, ranking, systems, agreed, resampling=resampling))
    return SeedaSet(key[0], key[1], name, systems, tuple(found))


def score(
    seeda: Seeda,
    corpus: Corpus,
    metrics: Sequence[Metric],
    *,
    resume: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> list[MetricScores]:
    """Score SEEDA's outputs on the judged sentences.

    Parameters
    ----------
    seeda, corpus, metrics
        SEEDA, the gold standard and the metrics.
    resume
        A file for finished scores, to resume from.
    progress
        Shows how many systems are finished.
    """
    rows = judged_sentences(seeda, corpus)
    gold = Corpus(tuple(corpus.sentences[row] for row in rows), corpus.name)
    hypotheses = list(seeda.outputs.values())
    (found,) = score_judged(
        gold, hypotheses, metrics, [range(len(rows))], resume=resume, progress=progress
    )
    return found
