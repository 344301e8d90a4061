"""What the REST API takes and returns."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from geceval.extraction.align import Method

MAX_CHARACTERS = 10_000
_Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_CHARACTERS)]
_Choice = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[\w-]+$")]
MetricText = Annotated[str, StringConstraints(min_length=1, max_length=200)]
TaskName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)]


class _Request(BaseModel):
    """A request; names that it does not know are refused, because they are mistyped ones."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TryRequest(_Request):
    """A text and its corrections; each line is a sentence."""

    source: _Text
    corrections: Annotated[list[_Text], Field(min_length=1, max_length=10)]
    lang: _Choice = "en"
    align: Method = "linguistic"
    merge: _Choice = "rules"
    typer: _Choice | None = None
    tokenize: bool = False


class TryScoreRequest(_Request):
    """A text, its correction by a system, and references; each line is a sentence."""

    source: _Text
    output: _Text
    references: Annotated[list[_Text], Field(min_length=1, max_length=10)]
    metrics: Annotated[list[MetricText], Field(max_length=40)] = []
    lang: _Choice = "en"
    tokenize: bool = False


class TryToken(BaseModel):
    """A token and its analysis."""

    token: str
    pos: str
    tag: str
    lemma: str
    head: int
    label: str


class TryStep(BaseModel):
    """A step of the alignment."""

    start: int
    end: int
    corrected_start: int
    corrected_end: int
    operation: str
    cost: float
    parts: dict[str, float] | None


class TryEdit(BaseModel):
    """An edit, and why it is one."""

    start: int
    end: int
    corrected_start: int
    corrected_end: int
    correction: list[str]
    type: str
    meaning: str | None
    operation: str | None
    operations: int
    rule: str
    reason: str
    facts: list[str]


class TryCorrection(BaseModel):
    """A sentence with one of its corrections."""

    source: list[TryToken]
    corrected: list[TryToken]
    cost: float
    alignment: list[TryStep]
    edits: list[TryEdit]


class TrySentence(BaseModel):
    """A sentence with its corrections."""

    corrections: list[TryCorrection]


class TryAnswer(BaseModel):
    """The edits of a text."""

    sentences: list[TrySentence]
    m2: str
    signature: str


class MetricScore(BaseModel):
    """The score of a text by a metric."""

    metric: str
    title: str
    score_name: str
    value: float
    parts: dict[str, float]
    signature: str


class MarkedEdit(BaseModel):
    """An edit that is correct, wrong or missed."""

    start: int
    end: int
    correction: list[str]
    outcome: Literal["correct", "wrong", "missed"]


class MarkedSentence(BaseModel):
    """A sentence with marked edits."""

    source: list[str]
    edits: list[MarkedEdit]


class TryScoreAnswer(BaseModel):
    """The scores of a text."""

    scores: list[MetricScore]
    marked: list[MarkedSentence]
    notes: list[str]


class ServerInfo(BaseModel):
    """What the server offers."""

    version: str
    requires_tokens: bool
    name: str | None
    is_organizer: bool
    metrics: list[str]
    choices: dict[str, list[str]]
    limits: dict[str, int]


class JobInfo(BaseModel):
    """A job and its progress."""

    id: str
    kind: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    stage: str
    done: int
    total: int
    error: str | None
    result: dict[str, Any] | None
    created: datetime
    finished: datetime | None


class ReportRequest(_Request):
    """A request to score files that were checked before."""

    check: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    metrics: Annotated[list[MetricText], Field(min_length=1, max_length=40)]
    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    lang: _Choice = "en"
    tokenize: bool = False


class ReportInfo(BaseModel):
    """A report."""

    id: str
    title: str
    created: datetime
    link: str


class TaskInfo(BaseModel):
    """A task."""

    name: str
    title: str
    description: str
    metrics: list[str]
    lang: str
    is_hidden: bool
    deadline: datetime | None
    daily_limit: int | None
    sentences: int | None
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    error: str | None
    gold_sha256: list[str]
    created: datetime


class TaskChange(_Request):
    """Changes of a task; what is not given stays as it is."""

    model_config = ConfigDict(extra="forbid")

    title: Title | None = None
    description: Annotated[str, StringConstraints(max_length=5000)] | None = None
    deadline: datetime | None = None
    daily_limit: Annotated[int, Field(ge=1, le=1000)] | None = None


class BoardScore(BaseModel):
    """A score with its interval and its range of ranks."""

    metric: str
    title: str
    score_name: str
    value: float
    low: float
    high: float
    parts: dict[str, float]
    signature: str
    rank_range: tuple[int, int]


class BoardEntry(BaseModel):
    """A submission on the board."""

    id: int
    name: str
    tag: str
    participant: str | None
    created: datetime
    output_sha256: str
    scores: list[BoardScore]


class Board(BaseModel):
    """The leaderboard of a task, the best by the first metric first."""

    task: str
    entries: list[BoardEntry]


class SubmissionInfo(BaseModel):
    """A submission, for the person who made it."""

    id: int
    task: str
    name: str
    tag: str
    file_name: str
    output_sha256: str
    created: datetime
    job: JobInfo
    findings: list[str]


class SubmissionChange(_Request):
    """Changes of a submission."""

    name: Title | None = None
    tag: Tag | None = None


class SubmissionComparison(BaseModel):
    """Two submissions compared by one metric: second minus first."""

    metric: str
    title: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    is_significant: bool


class ParticipantRequest(_Request):
    """A new participant."""

    name: Title
    is_organizer: bool = False


class ParticipantInfo(BaseModel):
    """A participant."""

    name: str
    is_organizer: bool
    created: datetime
    is_revoked: bool


class NewParticipant(BaseModel):
    """A new participant with the token, which is shown only once."""

    name: str
    token: str


class Refusal(BaseModel):
    """Why a request was refused."""

    detail: str | list[dict[str, Any]]
