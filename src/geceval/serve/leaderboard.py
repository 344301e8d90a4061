"""Scores, rank ranges and comparisons of the submissions of a task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from geceval.errors import GecevalError
from geceval.evaluation.resampling import DEFAULT_LEVEL, bootstrap_p_values, interval
from geceval.serve.database.orm import Submission, SubmissionScore, Task

ALPHA = 1 - DEFAULT_LEVEL
"""P-value below which a difference is significant."""

Samples = NDArray[np.float64]


def add_scores(
    session: Session,
    submission: Submission,
    scores: Sequence[Mapping[str, Any]],
    samples: Mapping[str, bytes],
) -> None:
    """Save the scores of a submission, and count whom it beats and who beats it."""
    # One at a time: the counts of all submissions of a task change together.
    session.scalars(select(Task.id).where(Task.id == submission.task_id).with_for_update()).one()
    for score in scores:
        raw = samples[score["metric"]]
        row = SubmissionScore(
            submission_id=submission.id,
            **score,
            samples=zstandard.compress(raw),
            n_better=0,
            n_worse=0,
        )
        own = np.frombuffer(raw, dtype="<f8")
        for other, is_better in _significant(row, own, _others(session, submission, row.metric)):
            if is_better:
                row.n_worse += 1
                other.n_better += 1
            else:
                row.n_better += 1
                other.n_worse += 1
        session.add(row)
    session.flush()


def copy_scores(session: Session, twin: Submission, submission: Submission) -> None:
    """Give a submission the scores of one with the same output."""
    rows = session.scalars(
        select(SubmissionScore)
        .where(SubmissionScore.submission_id == twin.id)
        .order_by(SubmissionScore.id)
        .options(undefer(SubmissionScore.samples))
    ).all()
    scores = [
        {
            name: getattr(row, name)
            for name in (
                "metric", "title", "score_name", "value", "low", "high", "parts", "signature",
            )
        }
        for row in rows
    ]  # fmt: skip
    add_scores(session, submission, scores, {row.metric: _unpacked(row).tobytes() for row in rows})


def remove_scores(session: Session, submission: Submission) -> None:
    """Take a submission out of the ranks of the others."""
    session.scalars(select(Task.id).where(Task.id == submission.task_id).with_for_update()).one()
    rows = session.scalars(
        select(SubmissionScore)
        .where(SubmissionScore.submission_id == submission.id)
        .options(undefer(SubmissionScore.samples))
    ).all()
    for row in rows:
        others = _others(session, submission, row.metric)
        for other, is_better in _significant(row, _unpacked(row), others):
            if is_better:
                other.n_better -= 1
            else:
                other.n_worse -= 1
        session.delete(row)
    session.flush()


def _others(session: Session, submission: Submission, metric: str) -> Sequence[SubmissionScore]:
    """Return the scores of the other submissions of the task."""
    return session.scalars(
        select(SubmissionScore)
        .join(Submission, Submission.id == SubmissionScore.submission_id)
        .where(
            Submission.task_id == submission.task_id,
            Submission.id != submission.id,
            Submission.deleted.is_(None),
            SubmissionScore.metric == metric,
        )
        .options(undefer(SubmissionScore.samples))
    ).all()


def _significant(
    row: SubmissionScore, own: Samples, others: Sequence[SubmissionScore]
) -> list[tuple[SubmissionScore, bool]]:
    """Return the significantly different scores, and whether they are lower."""
    if not others:
        return []
    differences = np.stack([own - _unpacked(other) for other in others])
    observed = np.array([row.value - other.value for other in others])
    p_values = bootstrap_p_values(differences, observed)
    return [
        (other, bool(difference > 0))
        for other, difference, p_value in zip(others, observed, p_values, strict=True)
        if p_value < ALPHA
    ]


def _unpacked(row: SubmissionScore) -> Samples:
    return np.frombuffer(zstandard.decompress(row.samples), dtype="<f8")


def board(session: Session, task: Task) -> list[dict[str, Any]]:
    """Return the submissions of a task that were scored, the best by its first metric first."""
    columns = (
        "metric", "title", "score_name", "value", "low", "high", "parts", "signature",
        "n_better", "n_worse",
    )  # fmt: skip
    rows = session.execute(
        select(
            Submission.id, Submission.name, Submission.tag, Submission.created,
            Submission.participant_id, Submission.output_sha256,
            *(getattr(SubmissionScore, name) for name in columns),
        )
        .join(SubmissionScore, SubmissionScore.submission_id == Submission.id)
        .where(Submission.task_id == task.id, Submission.deleted.is_(None))
        .order_by(SubmissionScore.id)
    ).all()  # fmt: skip
    found: dict[int, dict[str, Any]] = {}
    counts: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        entry = found.setdefault(
            row.id,
            {
                "id": row.id,
                "name": row.name,
                "tag": row.tag,
                "created": row.created,
                "participant_id": row.participant_id,
                "output_sha256": row.output_sha256,
                "scores": [],
            },
        )
        entry["scores"].append({name: getattr(row, name) for name in columns})
        counts[row.metric] += 1
    for entry in found.values():
        for score in entry["scores"]:
            better, worse = score.pop("n_better"), score.pop("n_worse")
            score["rank_range"] = (1 + better, counts[score["metric"]] - worse)
    # The first submission of equal ones stays first.
    return sorted(found.values(), key=lambda entry: (-entry["scores"][0]["value"], entry["id"]))


def compare_submissions(session: Session, first: int, second: int) -> list[dict[str, Any]]:
    """Compare two submissions of a task by all its metrics, without scoring them again."""
    scores = {
        submission: {
            row.metric: row
            for row in session.scalars(
                select(SubmissionScore)
                .where(SubmissionScore.submission_id == submission)
                .order_by(SubmissionScore.id)
                .options(undefer(SubmissionScore.samples))
            )
        }
        for submission in (first, second)
    }
    if not scores[first] or scores[first].keys() != scores[second].keys():
        raise GecevalError("both submissions must have been scored")
    return [
        _comparison(metric, row, scores[second][metric]) for metric, row in scores[first].items()
    ]


def _comparison(metric: str, first: SubmissionScore, second: SubmissionScore) -> dict[str, Any]:
    samples = _unpacked(second) - _unpacked(first)
    difference = second.value - first.value
    ends = interval(samples, around=difference)
    (p_value,) = bootstrap_p_values(samples[None], np.array([difference]))
    return {
        "metric": metric,
        "title": first.title,
        "first": first.value,
        "second": second.value,
        "difference": difference,
        "low": ends.low,
        "high": ends.high,
        "p": float(p_value),
        "is_significant": bool(p_value < ALPHA),
    }
