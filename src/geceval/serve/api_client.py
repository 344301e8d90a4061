"""A Python client of the server."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from geceval.errors import GecevalError
from geceval.serve.schemas import (
    Board,
    JobInfo,
    NewParticipant,
    SubmissionComparison,
    SubmissionInfo,
    TaskInfo,
    TryAnswer,
    TryScoreAnswer,
)
from geceval.storage.atomic import PathLike

if TYPE_CHECKING:
    import httpx
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)

_POLL_SECONDS = 0.3


class ServerError(GecevalError):
    """A request that the server refused, or could not answer."""

    def __init__(self, status: int | None, message: str) -> None:
        self.status = status
        super().__init__(message)


class ServerClient:
    """Talks to a server of geceval.

    Parameters
    ----------
    url
        Address of the server, e.g. ``"http://127.0.0.1:8000"``.
    token
        Token of a participant; None for a local server.
    timeout
        Seconds to wait for an answer.

    Examples
    --------
    >>> with ServerClient("http://127.0.0.1:8000") as client:            # doctest: +SKIP
    ...     submission = client.submit("spring", "ours.txt", system="ours")
    ...     client.wait(submission.job)
    ...     print(client.board("spring").entries[0].name)
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8000", *, token: str | None = None, timeout: float = 60
    ) -> None:
        try:
            import httpx
        except ModuleNotFoundError as error:
            raise GecevalError("the client requires httpx: pip install 'geceval[web]'") from error
        headers = {} if not token else {"authorization": f"Bearer {token}"}
        self._url = url.rstrip("/")
        try:
            self._http = httpx.Client(
                base_url=f"{self._url}/api/v1/", headers=headers, timeout=timeout, trust_env=False
            )
        except httpx.InvalidURL as error:
            raise ServerError(None, f"the server {url} cannot be reached: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def try_edits(self, source: str, *corrections: str, **choices: Any) -> TryAnswer:
        """Extract and explain the edits between a text and its corrections."""
        given = {"source": source, "corrections": list(corrections), **choices}
        return TryAnswer.model_validate(self._send("POST", "try", json=given))

    def try_score(
        self, source: str, output: str, references: Sequence[str], **choices: Any
    ) -> TryScoreAnswer:
        """Score a text against references."""
        given = {"source": source, "output": output, "references": list(references), **choices}
        return TryScoreAnswer.model_validate(self._send("POST", "try/score", json=given))

    def report(
        self,
        gold: PathLike | Sequence[PathLike],
        outputs: Sequence[PathLike],
        metrics: Sequence[str],
        *,
        title: str = "",
        **choices: Any,
    ) -> str:
        """Score files, and return the link to the report.

        Raises
        ------
        ServerError
            If the files are wrong; the message is the first finding of the check.
        """
        checked = self.wait(self.check(gold, outputs))
        if checked.result is None or not checked.result["is_valid"]:
            findings = (checked.result or {}).get("findings", [])
            raise ServerError(None, findings[0]["message"] if findings else "the files are wrong")
        given = {"check": checked.id, "metrics": list(metrics), "title": title, **choices}
        done = self.wait(JobInfo.model_validate(self._send("POST", "reports", json=given)))
        return f"{self._url}/reports/{done.id}"

    def check(self, gold: PathLike | Sequence[PathLike], outputs: Sequence[PathLike]) -> JobInfo:
        """Validate a gold standard and outputs."""
        files = [*_files("gold", _listed(gold)), *_files("outputs", outputs)]
        return JobInfo.model_validate(self._send("POST", "checks", files=files))

    def tasks(self) -> list[TaskInfo]:
        """List all tasks."""
        return [TaskInfo.model_validate(one) for one in self._send("GET", "tasks")]

    def create_task(
        self,
        name: str,
        gold: PathLike | Sequence[PathLike],
        metrics: Sequence[str],
        *,
        title: str | None = None,
        deadline: datetime | None = None,
        **settings: Any,
    ) -> TaskInfo:
        """Create a task, and wait until its gold standard was validated.

        Parameters
        ----------
        name, gold, metrics
            Short name, gold standard (or source and references), and metrics; the first one ranks.
        title, deadline
            Title, by default the name, and end of submissions.
        settings
            ``description``, ``lang``, ``is_hidden`` and ``daily_limit``.
        """
        data = {"name": name, "title": title or name, "metrics": list(metrics), **settings}
        if deadline is not None:
            data["deadline"] = deadline.isoformat()
        made = self._send("POST", "tasks", data=data, files=_files("gold", _listed(gold)))
        task = TaskInfo.model_validate(made)
        while task.state in ("queued", "running"):
            time.sleep(_POLL_SECONDS)
            task = TaskInfo.model_validate(self._send("GET", f"tasks/{name}"))
        if task.state != "done":
            raise ServerError(None, task.error or f"the task {name} is {task.state}")
        return task

    def submit(self, task: str, output: PathLike, *, system: str, tag: str = "") -> SubmissionInfo:
        """Submit the output of a system; see `wait` for its job."""
        made = self._send(
            "POST",
            f"tasks/{task}/submissions",
            data={"system": system, "tag": tag},
            files=_files("output", [output]),
        )
        return SubmissionInfo.model_validate(made)

    def submission(self, number: int) -> SubmissionInfo:
        """Return a submission of one's own."""
        return SubmissionInfo.model_validate(self._send("GET", f"submissions/{number}"))

    def delete_submission(self, number: int) -> None:
        """Delete a submission of one's own."""
        self._send("DELETE", f"submissions/{number}")

    def board(self, task: str) -> Board:
        """Return the leaderboard of a task."""
        return Board.model_validate(self._send("GET", f"tasks/{task}/board"))

    def compare(self, task: str, first: int, second: int) -> list[SubmissionComparison]:
        """Compare two submissions by all metrics of their task."""
        rows = self._send(
            "GET", f"tasks/{task}/comparison", params={"first": first, "second": second}
        )
        return [SubmissionComparison.model_validate(row) for row in rows]

    def add_participant(self, name: str, *, is_organizer: bool = False) -> NewParticipant:
        """Add a participant and return the token."""
        given = {"name": name, "is_organizer": is_organizer}
        return NewParticipant.model_validate(self._send("POST", "participants", json=given))

    def wait(self, job: JobInfo, *, seconds: float = 3600) -> JobInfo:
        """Wait until a job has ended.

        Raises
        ------
        ServerError
            If it failed, was cancelled, or did not end in time.
        """
        deadline = time.monotonic() + seconds
        while job.state in ("queued", "running"):
            if time.monotonic() > deadline:
                raise ServerError(None, f"the job {job.id} did not end within {seconds:g} seconds")
            time.sleep(_POLL_SECONDS)
            job = JobInfo.model_validate(self._send("GET", f"jobs/{job.id}"))
        if job.state != "done":
            raise ServerError(None, job.error or f"the job was {job.state}")
        return job

    def _send(self, method: str, path: str, **content: Any) -> Any:
        import httpx

        try:
            response: httpx.Response = self._http.request(method, path, **content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServerError(None, f"the server {self._url} cannot be reached: {error}") from error
        if response.status_code == httpx.codes.NO_CONTENT:
            return None
        try:
            answer = response.json()
        except ValueError as error:
            raise ServerError(
                response.status_code, f"{self._url} is not a server of geceval"
            ) from error
        if response.is_error:
            raise ServerError(response.status_code, _message(answer))
        return answer


def _message(answer: Any) -> str:
    detail = answer.get("detail", "") if isinstance(answer, dict) else ""
    if isinstance(detail, str):
        return detail or "the server refused the request"
    return "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in detail)


def _listed(paths: PathLike | Sequence[PathLike]) -> list[PathLike]:
    if isinstance(paths, (str, Path)) or not isinstance(paths, Sequence):
        return [paths]
    return list(paths)


def _files(field: str, paths: Iterable[PathLike]) -> list[tuple[str, tuple[str, bytes]]]:
    from geceval.errors import FormatError, os_reason

    found = []
    for one in paths:
        path = Path(one)
        try:
            found.append((field, (path.name, path.read_bytes())))
        except OSError as error:
            message = f"cannot be read: {os_reason(error)}"
            raise FormatError(message, path=str(path)) from error
    return found
