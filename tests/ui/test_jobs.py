"""What the head of every page asks the server: the jobs under way, and to pause, resume or stop one."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from waiting import until

from kernlab.jobs import manager
from kernlab.spec import RunSpec
from kernlab.ui import jobs

LONG = RunSpec.of("ASKL", "moons", n_features=20, epochs=100_000)
OURS = {"X-Kernlab": "1"}


def asked(method, path, headers=()):
    """Status, headers and body of the answer to one request."""
    sent = []

    async def request():
        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        names = [(key.lower().encode(), value.encode()) for key, value in dict(headers).items()]
        scope = {"type": "http", "method": method, "path": path, "headers": names, "query_string": b""}
        await Starlette(routes=jobs.routes("/base"))(scope, receive, send)

    with ThreadPoolExecutor(1) as thread:  # the tests of the browser have a loop of their own in this one
        thread.submit(asyncio.run, request()).result()
    start, *parts = sent
    body = b"".join(part.get("body", b"") for part in parts)
    return start["status"], {key.decode(): value.decode() for key, value in start["headers"]}, body


def listed():
    status, headers, body = asked("GET", "/base/jobs")
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert "access-control-allow-origin" not in headers  # no page of another site can read it
    return json.loads(body)


def at_once(monkeypatch):
    """No answer serves a second question."""
    for name in ("_FRESH", "_ELSEWHERE"):
        monkeypatch.setattr(jobs, name, -1.0)


@pytest.fixture
def running(home, monkeypatch):
    """A training that runs and one that waits for it: ids."""
    at_once(monkeypatch)
    first, second = (manager().trainings.submit(LONG) for _ in range(2))
    until(lambda: [each["status"] for each in listed()] == ["running", "queued"])
    return first, second


def test_jobs_are_listed_and_steered(running):
    first, second = running
    entry = listed()[0]
    assert (entry["id"], entry["kind"], entry["page"]) == (first, "training", f"train?run={first}")
    assert (entry["mine"], entry["pausable"]) == (True, True)
    assert asked("POST", f"/base/jobs/{first}/pause", OURS)[0] == 204
    until(lambda: {each["id"]: each["status"] for each in listed()} == {second: "running", first: "paused"})
    assert asked("POST", f"/base/jobs/{second}/cancel", OURS)[0] == 204
    until(lambda: [each["id"] for each in listed()] == [first])
    assert asked("POST", f"/base/jobs/{first}/resume", OURS)[0] == 204
    until(lambda: listed()[0]["status"] == "running")
    assert asked("POST", f"/base/jobs/{first}/cancel", OURS)[0] == 204
    until(lambda: listed() == [])
    status, _, body = asked("POST", f"/base/jobs/{first}/cancel", OURS)
    assert status == 409
    assert "a job must be under way here" in json.loads(body)["error"]


@pytest.mark.parametrize(
    ("method", "action", "headers", "status"),
    [
        ("POST", "cancel", {}, 404),  # what a form of another site would send
        ("POST", "cancel", {"Content-Type": "text/plain"}, 404),
        ("POST", "delete", OURS, 404),
        ("GET", "cancel", OURS, 405),
        ("OPTIONS", "cancel", {"Access-Control-Request-Headers": "x-kernlab"}, 405),  # a browser asks on its behalf
    ],
)
def test_nobody_else_steers(running, method, action, headers, status):
    found, answered, _ = asked(method, f"/base/jobs/{running[0]}/{action}", headers)
    assert found == status
    assert not [name for name in answered if name.startswith("access-control")]
    assert [each["status"] for each in listed()] == ["running", "queued"]


def test_a_store_that_cannot_be_opened_is_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "file"))
    at_once(monkeypatch)
    status, _, body = asked("GET", "/base/jobs")
    assert status == 503
    assert "run store" in json.loads(body)["error"]


def test_other_processes_are_looked_at_seldom_and_this_one_each_time(running, monkeypatch):
    looks = []
    monkeypatch.setattr(type(manager()), "elsewhere", lambda self: looks.append(1) or [])
    monkeypatch.setattr(jobs, "_elsewhere", (0.0, []))
    monkeypatch.setattr(jobs, "_ELSEWHERE", 1e9)
    first, second = running
    manager().trainings.cancel(first)
    until(lambda: [each["id"] for each in listed()] == [second])
    manager().trainings.cancel(second)
    until(lambda: listed() == [])
    assert looks == []
    monkeypatch.setattr(jobs, "_ELSEWHERE", -1.0)
    listed()
    assert looks == [1]
