"""Who may see what: tried on every route, by everybody who must not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from geceval.serve.api_client import ServerClient, ServerError
from geceval.serve.application import create_app
from geceval.serve.configuration import ServerConfiguration
from serve.conftest import Shared
from serving import SECRET, RunningServer

OPEN_TO_ALL = {("GET", "/info"), ("POST", "/session"), ("DELETE", "/session")}
"""Routes that answer without a token."""

PUBLIC = {
    ("GET", "/tasks"), ("GET", "/tasks/{name}"), ("GET", "/tasks/{name}/board"),
    ("GET", "/tasks/{name}/comparison"),
}  # fmt: skip
"""Routes that every participant may look at: what a leaderboard shows."""

OWN = {
    ("GET", "/submissions/{number}"), ("PATCH", "/submissions/{number}"),
    ("DELETE", "/submissions/{number}"), ("GET", "/submissions/{number}/output"),
    ("GET", "/jobs/{job_id}"), ("DELETE", "/jobs/{job_id}"), ("GET", "/jobs/{job_id}/events"),
    ("DELETE", "/reports/{job_id}"), ("POST", "/reports"),
}  # fmt: skip
"""Routes to what belongs to somebody."""

ORGANIZERS = {
    ("POST", "/tasks"), ("PATCH", "/tasks/{name}"), ("DELETE", "/tasks/{name}"),
    ("GET", "/tasks/{name}/gold"), ("GET", "/participants"), ("POST", "/participants"),
    ("DELETE", "/participants/{name}"),
}  # fmt: skip
"""Routes for organizers, as long as the gold standard is hidden."""


def routes() -> Iterator[tuple[str, str]]:
    paths = create_app(ServerConfiguration("sqlite://")).openapi()["paths"]
    for path, methods in paths.items():
        for method in methods:
            yield method.upper(), path.removeprefix("/api/v1")


ROUTES = sorted(routes())


def call(client: ServerClient, shared: Shared, method: str, path: str) -> httpx.Response:
    """Call a route for what Anna and the organizers have."""
    filled = (
        path.replace("{number}", str(shared.submission))
        .replace("{job_id}", shared.job)
        .replace("{name}", "Anna" if "participants" in path else "hidden")
    )
    content: dict[str, object] = {}
    if path == "/tasks/{name}/comparison":
        content["params"] = {"first": shared.submission, "second": shared.submission}
    elif method == "POST" and path == "/tasks":
        content["data"] = {"name": "mine", "title": "Mine", "metrics": ["m2"]}
        content["files"] = {"gold": ("g.m2", b"S a\n\n")}
    elif method == "POST" and path == "/reports":
        content["json"] = {"check": shared.job, "metrics": ["m2"]}
    elif method == "POST" and path == "/participants":
        content["json"] = {"name": "intruder", "is_organizer": True}
    elif method == "PATCH":
        content["json"] = {}
    return client._http.request(method, filled.lstrip("/"), **content)  # type: ignore[arg-type]


def test_every_route_is_accounted_for() -> None:
    rest = set(ROUTES) - OPEN_TO_ALL - PUBLIC - OWN - ORGANIZERS
    assert rest == {
        ("GET", "/reports"), ("GET", "/submissions"), ("GET", "/tasks/{name}/source"),
        ("POST", "/checks"), ("POST", "/tasks/{name}/submissions"), ("POST", "/try"),
        ("POST", "/try/score"),
    }  # fmt: skip


@pytest.mark.parametrize(("method", "path"), sorted(set(ROUTES) - OPEN_TO_ALL))
def test_strangers_need_a_token(shared: Shared, method: str, path: str) -> None:
    with shared.server.client() as stranger:
        answer = call(stranger, shared, method, path)
    # The body of a request is looked at before the token.
    assert answer.status_code in ((401, 422) if method == "POST" else (401,))


@pytest.mark.parametrize(("method", "path"), sorted(OWN))
def test_nobody_sees_what_belongs_to_another(shared: Shared, method: str, path: str) -> None:
    assert call(shared.bert, shared, method, path).status_code == 404
    assert shared.anna.submission(shared.submission).name == "anna-1"


@pytest.mark.parametrize(("method", "path"), sorted(ORGANIZERS))
def test_participants_are_no_organizers(shared: Shared, method: str, path: str) -> None:
    answer = call(shared.anna, shared, method, path)
    assert answer.status_code == 403
    assert SECRET not in answer.text


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_no_answer_contains_the_hidden_gold_standard(
    shared: Shared, method: str, path: str
) -> None:
    if method != "DELETE":
        assert SECRET not in call(shared.bert, shared, method, path).text


def test_organizers_see_the_gold_standard(shared: Shared) -> None:
    answer = call(shared.organizer, shared, "GET", "/tasks/{name}/gold")
    assert SECRET in answer.text


def test_lists_show_ones_own_submissions_only(shared: Shared) -> None:
    for client, other in ((shared.anna, "bert-1"), (shared.bert, "anna-1")):
        names = {one["name"] for one in client._send("GET", "submissions")}
        assert other not in names
        assert names


def test_a_revoked_token_is_worth_nothing(shared: Shared) -> None:
    token = shared.organizer.add_participant("Gast").token
    with shared.server.client(token) as guest:
        assert guest._send("GET", "submissions") == []
        shared.organizer._send("DELETE", "participants/Gast")
        with pytest.raises(ServerError, match="not valid"):
            guest._send("GET", "submissions")


@pytest.mark.parametrize("token", ["", "x", "Olga", "' OR 1=1 --"])
def test_wrong_tokens_are_refused(shared: Shared, token: str) -> None:
    with shared.server.client(token) as client, pytest.raises(ServerError) as caught:
        client.tasks()
    assert caught.value.status == 401


def test_the_local_server_answers_to_its_own_name_only(local_server: RunningServer) -> None:
    """A page of another site could otherwise reach it by a name that resolves to this machine."""
    for host, status in (("evil.test", 400), ("localhost:1", 200), ("127.0.0.1", 200), ("", 400)):
        answer = httpx.get(f"{local_server.url}/api/v1/tasks", headers={"host": host})
        assert answer.status_code == status


def test_pages_of_other_sites_change_nothing(local_server: RunningServer) -> None:
    url = f"{local_server.url}/api/v1/participants"
    for headers in (
        {"origin": "https://evil.test"},
        {"sec-fetch-site": "cross-site"},
        {"origin": local_server.url, "x-csrf-token": "guessed"},
    ):
        answer = httpx.post(url, json={"name": "intruder"}, headers=headers)
        assert answer.status_code == 403
    page = httpx.get(f"{local_server.url}/").text
    found = re.search(r'name="csrf" content="(\w+)"', page)
    assert found is not None
    own = {"origin": local_server.url, "x-csrf-token": found[1]}
    assert httpx.post(url, json={"name": "Ina"}, headers=own).status_code == 201


def test_a_cookie_alone_changes_nothing(shared: Shared) -> None:
    token = shared.organizer.add_participant("Kim").token
    with httpx.Client(base_url=shared.server.url) as browser:
        assert browser.get("/board").status_code == 303
        assert browser.post("/api/v1/session", json={"token": "wrong"}).status_code == 401
        answer = browser.post("/api/v1/session", json={"token": token})
        assert answer.status_code == 204
        assert re.search("HttpOnly.*SameSite=strict", answer.headers["set-cookie"], re.IGNORECASE)
        page = browser.get("/board")
        assert page.status_code == 200
        files = {"output": ("x.txt", b"x")}
        target = "/api/v1/tasks/hidden/submissions"
        refused = browser.post(target, data={"system": "x"}, files=files)
        assert refused.status_code == 403
        found = re.search(r'name="csrf" content="(\w+)"', page.text)
        assert found is not None
        headers = {"x-csrf-token": found[1]}
        made = browser.post(target, data={"system": "x"}, files=files, headers=headers)
        assert made.status_code == 201
        assert browser.delete("/api/v1/session", headers=headers).status_code == 204
        assert browser.get("/board").status_code == 303


def test_tokens_are_stored_as_hashes(shared: Shared) -> None:
    token = shared.organizer.add_participant("Lena").token
    path = shared.server.database.removeprefix("sqlite:///")
    for ending in ("", "-wal"):
        with open(path + ending, "rb") as stored:
            assert token.encode() not in stored.read()


def test_headers_forbid_everything_from_elsewhere(local_server: RunningServer) -> None:
    for path in ("/", "/api/v1/info", "/static/try.js", "/nowhere"):
        headers = httpx.get(f"{local_server.url}{path}").headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert httpx.get(f"{local_server.url}/static/..%2Fapplication.py").status_code == 404
