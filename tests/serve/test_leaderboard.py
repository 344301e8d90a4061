"""Tasks, submissions, ranks and comparisons, over the network."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sqlalchemy import select

import geceval
from geceval.serve.api_client import ServerClient, ServerError
from geceval.serve.configuration import sqlite_url
from geceval.serve.database import Database
from geceval.serve.database.orm import Blob, Job, Submission, SubmissionScore, Task
from geceval.serve.leaderboard import ALPHA, add_scores, board, remove_scores
from serve.conftest import Shared
from serving import FAIR, GOLD, GOOD, METRICS, NONE, RunningServer, write


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name, content in (
        ("gold.m2", GOLD), ("good.txt", GOOD), ("fair.txt", FAIR), ("none.txt", NONE),
    ):  # fmt: skip
        write(folder, name, content)
    return folder


@pytest.fixture(scope="module")
def spring(local_server: RunningServer, files: Path) -> list[int]:
    """A task with three submissions, the last of them twice."""
    with local_server.client() as client:
        client.create_task("spring", files / "gold.m2", METRICS, title="Spring", is_hidden=False)
        made: list[int] = []
        for name in ("good", "fair", "none", "none"):
            one = client.submit("spring", files / f"{name}.txt", system=name, tag="first")
            # The scores of a known output are there at once.
            assert (one.job.state == "done") == (made[-1:] == [3])
            client.wait(one.job)
            made.append(one.id)
        return made


def test_scores_are_those_of_score(local: ServerClient, spring: list[int], files: Path) -> None:
    expected = geceval.score(files / "fair.txt", files / "gold.m2", metric=METRICS)
    entry = next(one for one in local.board("spring").entries if one.id == spring[1])
    for score in entry.scores:
        other = expected[score.metric]
        assert other.interval is not None
        assert (score.value, score.signature) == (other.value, other.signature)
        assert (score.low, score.high) == (other.interval.low, other.interval.high)


def test_equal_outputs_share_their_scores(local: ServerClient, spring: list[int]) -> None:
    by_id = {one.id: one for one in local.board("spring").entries}
    assert by_id[spring[2]].scores == by_id[spring[3]].scores
    assert by_id[spring[2]].output_sha256 == by_id[spring[3]].output_sha256


def test_the_best_is_first(local: ServerClient, spring: list[int]) -> None:
    entries = local.board("spring").entries
    assert [one.id for one in entries][:2] == spring[:2]
    values = [one.scores[0].value for one in entries]
    assert values == sorted(values, reverse=True)


def test_two_submissions_are_compared(local: ServerClient, spring: list[int], files: Path) -> None:
    found = {row.metric: row for row in local.compare("spring", spring[0], spring[2])}
    rows = geceval.compare(
        [files / "good.txt", files / "none.txt"],
        files / "gold.m2",
        metric="m2",
        test="bootstrap",
        resamples=1000,
    )
    assert found["m2"].difference == rows[0].difference
    assert found["m2"].p == rows[0].p_value
    assert (found["m2"].low, found["m2"].high) == tuple(rows[0].interval)


def test_the_board_is_exported(local_server: RunningServer, spring: list[int]) -> None:
    answer = httpx.get(f"{local_server.url}/api/v1/tasks/spring/board", params={"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == len(spring) * len(METRICS)
    assert rows[0]["name"] == "good"
    assert "attachment" in answer.headers["content-disposition"]


def test_submissions_are_tagged_and_deleted(local: ServerClient, files: Path) -> None:
    local.create_task("summer", files / "gold.m2", ["m2"], title="Summer")
    first = local.submit("summer", files / "good.txt", system="good")
    local.wait(first.job)
    again = local.submit("summer", files / "good.txt", system="again")
    local._send("PATCH", f"submissions/{again.id}", json={"tag": "late", "name": "renamed"})
    assert [(one.name, one.tag) for one in local.board("summer").entries][1] == ("renamed", "late")
    local.delete_submission(again.id)
    assert [one.id for one in local.board("summer").entries] == [first.id]
    assert local.board("summer").entries[0].scores[0].rank_range == (1, 1)
    with pytest.raises(ServerError, match="no such submission"):
        local.submission(again.id)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("one\n", "4 sentences but wrong has 1"),
        ("\n" * 4, "empty"),
        (GOOD.encode()[:20] + b"\xff\xfe" + GOOD.encode()[20:], "UTF-8"),
    ],
)
def test_wrong_outputs_fail_with_a_reason(
    local: ServerClient, spring: list[int], tmp_path: Path, output: str | bytes, message: str
) -> None:
    made = local.submit("spring", write(tmp_path, "wrong.txt", output), system="wrong")
    try:
        local.wait(made.job)
        found = "; ".join(local.submission(made.id).findings)
    except ServerError as error:
        found = str(error)
    finally:
        local.delete_submission(made.id)
    assert message.lower() in found.lower()
    assert len(local.board("spring").entries) == len(spring)


def test_a_task_that_cannot_be_scored_says_why(local: ServerClient, tmp_path: Path) -> None:
    wrong = write(tmp_path, "gold.m2", "S He like cats .\nA 9 12|||R|||x\n\n")
    with pytest.raises(ServerError, match="line 2"):
        local.create_task("broken", wrong, ["m2"])
    with pytest.raises(ServerError, match="validated"):
        local.submit("broken", write(tmp_path, "x.txt", "x\n"), system="x")
    with pytest.raises(ServerError, match="scores several systems together"):
        local.create_task("pooled", write(tmp_path, "g.m2", GOLD), ["gotoscorer"])


def test_deadline_and_daily_limit(shared: Shared, tmp_path: Path) -> None:
    gold, output = write(tmp_path, "gold.m2", GOLD), write(tmp_path, "out.txt", GOOD)
    late = datetime.now(UTC) - timedelta(minutes=1)
    shared.organizer.create_task("over", gold, ["m2"], deadline=late)
    with pytest.raises(ServerError, match="the deadline was") as caught:
        shared.anna.submit("over", output, system="late")
    assert caught.value.status == 403
    shared.organizer.create_task("daily", gold, ["m2"], daily_limit=1)
    first = shared.anna.submit("daily", output, system="one")
    shared.anna.delete_submission(first.id)
    with pytest.raises(ServerError, match="limit of this task") as caught:
        shared.anna.submit("daily", output, system="two")
    assert caught.value.status == 429
    assert shared.bert.submit("daily", output, system="other").id > first.id


@settings(max_examples=25)
@given(
    values=st.lists(st.integers(0, 4), min_size=1, max_size=7),
    removed=st.sets(st.integers(0, 6)),
    seed=st.integers(0, 99),
)
def test_rank_ranges_count_significant_differences(
    values: list[int], removed: set[int], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Counts that are updated one by one equal those of all pairs."""
    database = Database(sqlite_url(tmp_path_factory.mktemp("ranks") / "x.db"))
    rng = np.random.default_rng(seed)
    samples = [value / 4 + rng.normal(0, 0.1, 100) for value in values]
    with database.writing() as session:
        session.add(Job(id="0", kind="task", payload={}))
        session.flush()
        task = Task(name="t", title="t", files=[], metrics=["m"], job_id="0")
        session.add(task)
        session.flush()
        submissions = []
        for number, (value, own) in enumerate(zip(values, samples, strict=True)):
            session.merge(Blob(sha256="0", size=0, content=b""))
            one = Submission(
                task_id=task.id, name=str(number), file_name="x", output_sha256="0", job_id="0"
            )
            session.add(one)
            session.flush()
            score = {
                "metric": "m", "title": "M", "score_name": "F", "value": value / 4, "low": 0.0,
                "high": 1.0, "parts": {}, "signature": "m",
            }  # fmt: skip
            add_scores(session, one, [score], {"m": own.astype("<f8").tobytes()})
            submissions.append(one)
        for number in removed & set(range(len(values))):
            remove_scores(session, submissions[number])
            submissions[number].deleted = datetime.now(UTC)
        session.flush()
        found = {
            int(entry["name"]): entry["scores"][0]["rank_range"] for entry in board(session, task)
        }
        assert session.scalar(select(SubmissionScore.id).limit(1)) is not None or not found
    database.close()
    left = [number for number in range(len(values)) if number not in removed]
    assert found == {
        number: (
            1 + sum(_beats(values, samples, other, number) for other in left),
            len(left) - sum(_beats(values, samples, number, other) for other in left),
        )
        for number in left
    }


def _beats(values: list[int], samples: list[NDArray[np.float64]], one: int, other: int) -> bool:
    observed = (values[one] - values[other]) / 4
    differences = samples[one] - samples[other]
    centered = np.abs(differences - differences.mean())
    p_value = (np.sum(centered >= abs(observed) - 1e-15) + 1) / (len(differences) + 1)
    return bool(observed > 0 and p_value < ALPHA)
