"""The routes and the element of rooms: predictions of a class, and their histogram on the lecturer's page.

    POST base/rooms                                                 opens a room: its code, and the lecturer's key
    POST base/rooms/CODE/LESSON          {"who": …, "guess": …}     keeps a prediction
    GET  base/rooms/CODE/LESSON                                     how many predicted what
    POST base/rooms/CODE/LESSON/reset    {"key": …}                 forgets them

The browser asks by itself, so no script of a page is involved however many predict.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import re
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kernlab.errors import KernlabError
from kernlab.ui.assets import component

if TYPE_CHECKING:
    from kernlab.lessons import Lesson

__all__ = ["histogram", "routes"]

_LONGEST = 2000  # bytes of a request
_WHO = re.compile(r"[0-9a-f]{8,32}")
_FRESH = {"Cache-Control": "no-store"}

_component = component("room", "room.js")


def histogram(code: str, lesson: Lesson, key: str, facts: dict[str, Any]) -> None:
    """What a room has predicted in a lesson; with its key, the button that resets it.

    Args:
        facts: what the browser needs to draw it: see room.js.
    """
    _component(key=f"room-{lesson.key}", data={"code": code, "lesson": lesson.key, "key": key, **facts})


def routes(base: str) -> list[BaseRoute]:
    """The routes for ``st.App``."""
    place = f"{base}/rooms/{{code}}/{{lesson}}"
    return [
        Route(f"{base}/rooms", _open, methods=["POST"]),
        Route(place, _answer, methods=["GET", "POST"]),
        Route(f"{place}/reset", _reset, methods=["POST"]),
    ]


async def _open(request: Request) -> Response:
    given = await _given(request)
    return given if isinstance(given, Response) else await asyncio.to_thread(_opened)


async def _answer(request: Request) -> Response:
    code, name = request.path_params["code"], request.path_params["lesson"]
    if request.method == "POST":
        given = await _given(request, "who", "guess")
        if isinstance(given, Response):
            return given
        if not _WHO.fullmatch(given["who"]):
            return JSONResponse({"error": "who must be 8 to 32 hexadecimal digits."}, 400)
        return await asyncio.to_thread(_predict, code, name, given["who"], given["guess"])
    return await asyncio.to_thread(_tally, code, name)


async def _reset(request: Request) -> Response:
    given = await _given(request, "key")
    if isinstance(given, Response):
        return given
    return await asyncio.to_thread(_forget, request.path_params["code"], request.path_params["lesson"], given["key"])


async def _given(request: Request, *names: str) -> dict[str, str] | Response:
    """The texts of a request's body, or the answer that refuses it."""
    # Another site's page cannot send this header without asking first, which nobody answers.
    if "x-kernlab" not in request.headers:
        return Response(status_code=404)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST:
            return JSONResponse({"error": f"A request must have at most {_LONGEST} bytes."}, 413)
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in names):
        return JSONResponse({"error": f"A request must have the texts {' and '.join(names)}."}, 400)
    return {name: found[name] for name in names}


def _lesson(name: str) -> Lesson:
    # Lessons need torch, which the first page does not wait for.
    from kernlab.errors import UnknownNameError

    known = importlib.import_module("kernlab.lessons").shelf().lessons
    if name not in known:
        raise UnknownNameError.among("lesson", name[:40], known)
    found: Lesson = known[name]
    return found


def _rooms() -> Any:
    return importlib.import_module("kernlab.lessons.rooms").ROOMS


def _opened() -> Response:
    try:
        code, key = _rooms().open()
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 409)
    return JSONResponse({"code": code, "key": key}, headers=_FRESH)


def _predict(code: str, name: str, who: str, guess: str) -> Response:
    try:
        _rooms().predict(code, _lesson(name), who, guess)
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 409)
    return Response(status_code=204)


def _tally(code: str, name: str) -> Response:
    try:
        return JSONResponse(_rooms().tally(code, _lesson(name)), headers=_FRESH)
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 409, headers=_FRESH)


def _forget(code: str, name: str, key: str) -> Response:
    try:
        _rooms().reset(code, _lesson(name).key, key)
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 409)
    return Response(status_code=204)
