"""What works and waits, in the head of every page: "2 running, 1 waiting", with pause, stop and open.

No script of a page is involved: a component in the browser asks a route of the server every few seconds, only while
its tab is visible, and draws the entry itself (jobs.js). So a page costs nothing more, and nothing races with it. Of
the jobs of this process it is answered without the disk or another thread, which a training would wait for; those of
other processes are looked at every five seconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any, Literal, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kernlab.errors import KernlabError
from kernlab.jobs import RULE, JobState, manager
from kernlab.ui.assets import component, url

__all__ = ["head", "routes"]

_FRESH = 0.5  # seconds that an answer serves every tab,
_ELSEWHERE = 5.0  # and the jobs of other processes every answer

_PLOTLY = f"home + {json.dumps(url('plotly.js'))}"
_component = component("jobs", "jobs.js", "home", _PLOTLY)


def head() -> None:
    """Put the entry into the head of the page."""
    _component(key="jobs-entry", data={"rule": RULE})


def routes(base: str) -> list[BaseRoute]:
    """``GET base/jobs`` lists the jobs under way, ``POST base/jobs/ID/ACTION`` pauses, resumes or stops one."""
    return [Route(f"{base}/jobs", _list), Route(f"{base}/jobs/{{id}}/{{action}}", _steer, methods=["POST"])]


_answer: tuple[float, list[dict[str, Any]]] = (0.0, [])
_elsewhere: tuple[float, list[JobState]] = (0.0, [])
_looking = asyncio.Lock()  # one look at the disk, whatever the number of tabs


async def _jobs() -> list[dict[str, Any]]:
    global _answer, _elsewhere
    async with _looking:
        if time.monotonic() - _elsewhere[0] > _ELSEWHERE:
            _elsewhere = time.monotonic(), await asyncio.to_thread(lambda: manager().elsewhere())
    if time.monotonic() - _answer[0] > _FRESH:
        _answer = time.monotonic(), [_entry(state) for state in manager().states(_elsewhere[1])]
    return _answer[1]


def _entry(state: JobState) -> dict[str, Any]:
    page = {"training": f"train?run={state.id}", "comparison": f"compare?id={state.id}"}
    page["import"] = f"data?part=bring&import={state.id}"
    return {
        "id": state.id,
        "kind": state.kind,
        "name": state.name,
        "status": state.status,
        "done": state.done,
        "remaining": state.remaining,
        "uses": state.uses,
        "mine": state.mine,
        "pausable": state.pausable,
        "page": page.get(state.kind, f"papers?result={state.name}"),
    }


async def _list(request: Request) -> Response:
    # Nothing has been started yet, and the first page need not wait for the import of torch. While it imports the
    # methods itself, another import of their parts in this thread could lock both out.
    if not hasattr(sys.modules.get("kernlab.methods"), "METHODS"):
        return JSONResponse([], headers={"Cache-Control": "no-store"})
    try:
        return JSONResponse(await _jobs(), headers={"Cache-Control": "no-store"})
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 503)


async def _steer(request: Request) -> Response:
    global _answer
    action = request.path_params["action"]
    # Another site's page cannot send this header without asking first, which nobody answers.
    if action not in ("pause", "resume", "cancel") or "x-kernlab" not in request.headers:
        return Response(status_code=404)
    try:
        steer = cast(Literal["pause", "resume", "cancel"], action)
        await asyncio.to_thread(manager().steer, request.path_params["id"], steer)
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 409)
    _answer = 0.0, []
    return Response(status_code=204)
