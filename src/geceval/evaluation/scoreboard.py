"""Collections of scores and comparisons that print themselves, also in notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from geceval.errors import UnknownNameError
from geceval.evaluation.resampling import Comparison, Resampling
from geceval.evaluation.slices import SlicedResult
from geceval.metrics.statistics import Score, data_frame
from geceval.visible import html_table, visible

if TYPE_CHECKING:
    from pandas import DataFrame

    from geceval.evaluation.evaluate import Result


class Scores(Mapping[str, Score]):
    """The scores of one system by several metrics, by the name of the metric.

    Parameters
    ----------
    scores
        The scores, in the order of the metrics.

    Examples
    --------
    >>> import geceval
    >>> texts = ["I like it ."], ["I likes it ."], ["I like it ."]
    >>> scores = geceval.score(*texts, metric=["gleu", "bleu"], resamples=0)
    >>> print(scores)
    GLEU = 1.0000
    BLEU = 1.0000
    >>> scores["gleu"].value
    1.0
    """

    def __init__(self, scores: Sequence[Score]) -> None:
        self._scores = {score.metric: score for score in scores}

    def __getitem__(self, metric: str) -> Score:
        if metric not in self._scores:
            raise UnknownKeyError("metric", metric, self._scores)
        return self._scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        return f"<Scores {', '.join(f'{name}={score.value:.4f}' for name, score in self.items())}>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.values()))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return each score as `Score.to_dict` does, by metric."""
        return {name: score.to_dict() for name, score in self.items()}

    def to_pandas(self) -> DataFrame:
        """Return a table with one row for each metric."""
        return data_frame(score.to_row() for score in self.values())

    def _repr_html_(self) -> str:
        return _score_table(list(self.values()))


class Scoreboard(Mapping[str, Scores]):
    """The scores of several systems, by the name of the system.

    Parameters
    ----------
    scores
        The scores of all systems and metrics.
    warnings
        What was repaired, ignored or looks wrong in the inputs.
    slices
        Scores of the slices of each labeling.
    results, resampling
        The results behind the scores, and the settings of their intervals, for `methods`.

    Examples
    --------
    >>> import geceval
    >>> systems = {"ours": ["I like it ."], "theirs": ["I likes it ."]}
    >>> result = geceval.evaluate(systems, ["I likes it ."], ["I like it ."], ["gleu"])
    >>> result["ours"]["gleu"].value
    1.0
    """

    def __init__(
        self,
        scores: Sequence[Score],
        warnings: Sequence[str] = (),
        slices: Sequence[SlicedResult] = (),
        results: Sequence[Result] = (),
        resampling: Resampling | None = None,
    ) -> None:
        self.scores = tuple(scores)
        """All scores, metric by metric."""
        self.slices = tuple(slices)
        """Scores of slices, a result for each labeling, metric and system."""
        self.warnings = tuple(warnings)
        """Warnings about the inputs."""
        self._results, self._resampling = tuple(results), resampling
        systems = dict.fromkeys(score.system for score in scores)
        self._systems = {
            system: Scores([score for score in scores if score.system == system])
            for system in systems
        }

    def __getitem__(self, system: str) -> Scores:
        if system not in self._systems:
            raise UnknownKeyError("system", system, self._systems)
        return self._systems[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    def __repr__(self) -> str:
        return f"<Scoreboard of {', '.join(map(visible, self))}>"

    def __str__(self) -> str:
        return "\n".join(f"{visible(score.system)}: {score}" for score in self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``geceval score --json`` prints."""
        results = []
        for score in self.scores:
            own = [one for one in self.slices if one.result.score is score]
            sliced = {"slices": {one.labeling: one.to_dict() for one in own}} if own else {}
            results.append({**score.to_dict(), **sliced})
        return {"schema": 1, "results": results, "warnings": list(self.warnings)}

    def methods(self) -> str:
        """Return a methods paragraph in LaTeX with BibTeX, as ``geceval score --methods`` does.

        Systems are not compared with each other, so no test is mentioned.
        """
        from geceval.evaluation.methods_text import methods_text

        return methods_text(self._results, intervals=self._resampling)

    def to_pandas(self) -> DataFrame:
        """Return a table with one row for each metric and system."""
        return data_frame(score.to_row() for score in self.scores)

    def _repr_html_(self) -> str:
        return _score_table(self.scores)


@dataclass(frozen=True, slots=True)
class Comparisons(Sequence[Comparison]):
    """Paired comparisons of systems by one metric.

    Parameters
    ----------
    metric, rows, signature
        Name of the metric, the comparisons, and the signature of the scores.
    test, resamples, seed
        Paired test, its number of resamples and its random seed.

    Examples
    --------
    >>> import geceval
    >>> systems = {"ours": ["I like it ."] * 9, "theirs": ["I likes it ."] * 9}
    >>> print(geceval.compare(systems, ["I likes it ."] * 9, ["I like it ."] * 9, "gleu"))
    ours → theirs: GLEU -1.0000 [-1.0000, -1.0000], p = 0.0050
    """

    metric: str
    rows: tuple[Comparison, ...]
    signature: str
    test: str
    resamples: int
    seed: int

    @overload
    def __getitem__(self, place: int) -> Comparison: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Comparison]: ...
    def __getitem__(self, place: int | slice) -> Comparison | Sequence[Comparison]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return "\n".join(
            f"{visible(row.first)} → {visible(row.second)}: {self.metric.upper()} "
            f"{row.difference:+.4f} [{row.interval.low:+.4f}, {row.interval.high:+.4f}], "
            f"p = {row.adjusted_p_value:.4f}"
            for row in self.rows
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what ``geceval compare --json`` prints."""
        return {
            "schema": 1,
            "test": self.test,
            "resamples": self.resamples,
            "seed": self.seed,
            "comparisons": [row.to_dict(self.metric, self.signature) for row in self.rows],
        }

    def to_pandas(self) -> DataFrame:
        """Return a table with one row for each pair."""
        return data_frame(map(_comparison_row, self.rows))

    def _repr_html_(self) -> str:
        rows = [
            [f"{cell:+.4f}" if isinstance(cell, float) else str(cell) for cell in row.values()]
            for row in map(_comparison_row, self.rows)
        ]
        header = list(_comparison_row(self.rows[0]))
        return html_table(header, rows, caption=f"{self.metric.upper()}: second − first")


class UnknownKeyError(UnknownNameError, KeyError):
    """A key that a collection of scores does not have."""

    def __str__(self) -> str:
        return Exception.__str__(self)


def _comparison_row(row: Comparison) -> dict[str, str | float]:
    low, high = row.interval
    return {
        "first": row.first,
        "second": row.second,
        "difference": row.difference,
        "low": low,
        "high": high,
        "p": row.p_value,
        "adjusted p": row.adjusted_p_value,
    }


def _score_table(scores: Sequence[Score]) -> str:
    with_system = any(score.system for score in scores)
    rows = [
        [
            *([score.system] if with_system else []),
            score.label,
            f"{score.value:.4f}",
            "" if score.interval is None else str(score.interval),
        ]
        for score in scores
    ]
    level = next((score.interval.level for score in scores if score.interval is not None), 0.95)
    header = ["metric", "score", f"{100 * level:g} % interval"]
    return html_table([*(["system"] if with_system else []), *header], rows)
