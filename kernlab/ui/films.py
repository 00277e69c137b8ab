"""What the browser asks of a run while it plays: what is new, the layout of a picture, its frame at a snapshot.

    GET film/RUN?version=V                          news; 204 where nothing is newer than version V
    GET film/RUN?version=V&metrics=M&step=S&by=PAGE&draw=PICTURE%3FVIEW&draw=…
                                                    the same of a run that goes on, with the number of pages that follow
                                                    it, and with them, a line each, what was drawn of its newest moment,
                                                    where that is later than M and S
    GET news/runs?ask=RUN%3Fversion%3DV…&ask=…      the answers to several such questions, after a line with the
                                                    status and the number of lines of each
    GET news/layouts?ask=RUN%2FPICTURE%3Fof%3DN…&ask=…  several layouts, answered in the same form
    GET news/KIND/ID?version=V                      the same of a comparison or reproduction
    GET film/RUN/values/STEP                        the numbers of a snapshot
    GET film/RUN/PICTURE?of=N&look=…                layout over the first N snapshots
    GET film/RUN/PICTURE/STEP,STEP,…?look=…         frames at snapshots, one a line: they never change, so the browser
                                                    keeps them; a line is empty where the picture cannot be drawn

The browser asks a few times a second and gets an empty answer where nothing is new. No answer is kept waiting for news
for longer than the quarter of a second in which a run may begin: a browser opens six connections to a server for all
its tabs, and a seventh tab would get nothing at all. Every answer takes time from a training in this process, whose
steps need the same interpreter lock. So all that is new of a run comes in one answer, which is made without the
database, a file or another thread where this process works on the run; and the more pages follow a run, the less often
each of them asks.

Another process draws, so that a training in this one is not slowed down; what it has drawn is kept with the run.
Nothing of it is readable for another site: no answer allows a foreign origin.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import chain
from urllib.parse import parse_qsl

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kernlab.errors import KernlabError, UnknownNameError
from kernlab.jobs import manager
from kernlab.runs.layout import is_id
from kernlab.runs.store import Store
from kernlab.ui import drawing, drawn, foreseen
from kernlab.ui.chart import Shot
from kernlab.ui.following import Answer, Question, answer, asked, look
from kernlab.ui.news import News, comparison_news, import_news, reproduction_news, values

__all__ = ["ahead", "drawn_ahead", "routes", "soon"]

_CHANGING = {"Cache-Control": "no-store"}
_KEPT = {"Cache-Control": "private, max-age=31536000, immutable"}
_AT_ONCE = 8  # frames in an answer at most: a person who looks at another moment waits for no more
_LAYOUTS = 100  # layouts in an answer at most
_DRAWN = 100  # layouts and frames that are kept in memory
_SOON = 0.6  # seconds for which a first view waits for what has to be drawn


def routes(base: str) -> list[BaseRoute]:
    """The routes for ``st.App``."""
    return [
        Route(f"{base}/news/{{kind}}/{{id}}", _news_of_a_job),
        Route(f"{base}/news/runs", _news_of_runs),
        Route(f"{base}/news/layouts", _layouts),
        Route(f"{base}/film/{{run}}", _news_of_a_run),
        Route(f"{base}/film/{{run}}/values/{{step:int}}", _values),
        Route(f"{base}/film/{{run}}/{{picture}}", _layout),
        Route(f"{base}/film/{{run}}/{{picture}}/{{steps}}", _frames),
    ]


# -- news ------------------------------------------------------------------------------------------------------


def _job(kind: str, id: str) -> News:
    jobs = manager()
    if kind == "comparison":
        return comparison_news(jobs.comparisons, id)
    if kind == "reproduction":
        return reproduction_news(jobs.reproductions, id)
    if kind == "import":
        return import_news(jobs.imports, id)
    raise UnknownNameError.among("kind of job", kind, ["comparison", "reproduction", "import"])


async def _answered(request: Request, ask: Callable[[], News]) -> Response:
    return _response(await asyncio.to_thread(answer, request.query_params.get("version"), ask))


def _response(found: Answer) -> Response:
    if found.drawn:
        return _compressed(found.lines)
    return Response(b"".join(found.lines), found.status, media_type="application/json", headers=_CHANGING)


def _compressed(lines: Iterable[bytes]) -> Response:
    body = gzip.compress(b"\n".join(lines), 1)
    return Response(body, media_type="application/x-ndjson", headers={**_CHANGING, "Content-Encoding": "gzip"})


async def _news_of_a_run(request: Request) -> Response:
    (found,) = await asked([Question(request.path_params["run"], request.query_params)])
    return _response(found)


async def _news_of_runs(request: Request) -> Response:
    questions = [each.partition("?") for each in request.query_params.getlist("ask")]
    answers = await asked([Question(run, QueryParams(query)) for run, _, query in questions])
    return _together([(each.status, each.lines) for each in answers])


def _together(answers: list[tuple[int, list[bytes]]]) -> Response:
    """Several answers, each a status and lines, in one."""
    sizes = [[status, len(lines)] for status, lines in answers]
    return _compressed([json.dumps(sizes).encode(), *chain.from_iterable(lines for _, lines in answers)])


async def _news_of_a_job(request: Request) -> Response:
    kind, id = (request.path_params[name] for name in ("kind", "id"))  # others are those of routes above this one
    return await _answered(request, lambda: _job(kind, id))


async def _values(request: Request) -> Response:
    run_id, step = request.path_params["run"], request.path_params["step"]
    return await _answered(request, lambda: News("", values(look(run_id).watch, step)))


# -- layouts and frames ----------------------------------------------------------------------------------------


async def _layout(request: Request) -> Response:
    of, view = _of(request.query_params.items())
    return await _drawn(request, "layout", view, [of])


async def _layouts(request: Request) -> Response:
    """Layouts that a page renews at one moment, drawn in one go."""
    wanted = []
    for each in request.query_params.getlist("ask")[:_LAYOUTS]:
        path, _, query = each.partition("?")
        (run, _, key), (of, view) = path.partition("/"), _of(parse_qsl(query))
        wanted.append((run, key, view, of))
    name, root = json.dumps(wanted), str(manager().trainings.store.root)
    try:
        made = drawing.once(_drawings, _DRAWN, name, lambda: drawing.pool().submit(drawn.layouts, root, wanted))
        texts = await asyncio.shield(asyncio.wrap_future(made))  # others may wait for it too
    except BrokenProcessPool:
        return _restarted()
    _drawings.pop(name, None)
    return _together([(200, [text]) if text else (404, []) for text in texts])


def _of(query: Iterable[tuple[str, str]]) -> tuple[int, dict[str, str]]:
    """How many snapshots a layout is made for, and the switches of its picture."""
    view = dict(query)
    of = view.pop("of", "")
    return int(of) if of.isdecimal() else 1, view


def _restarted() -> Response:
    drawing.close()
    return JSONResponse({"error": "The process that draws has ended; it is started again."}, 503)


async def _frames(request: Request) -> Response:
    steps = request.path_params["steps"].split(",")
    if len(steps) > _AT_ONCE or not all(step.isdecimal() for step in steps):
        return JSONResponse({"error": f"Frames are asked for by 1 to {_AT_ONCE} steps with commas between."}, 404)
    return await _drawn(request, "frame", dict(request.query_params), [int(step) for step in steps])


async def _drawn(request: Request, what: str, view: dict[str, str], numbers: list[int]) -> Response:
    name, key = request.path_params["run"], request.path_params["picture"]
    if not is_id(name):
        return JSONResponse({"error": "There is no such run."}, 404)
    try:
        parts = await asyncio.to_thread(_parts, name, what, key, view, numbers)
    except KernlabError as error:
        return JSONResponse({"error": str(error)}, 404)
    except BrokenProcessPool:
        return _restarted()
    packed = parts[0] if len(parts) == 1 else gzip.compress(b"\n".join(map(gzip.decompress, parts)), 1)
    keep = _KEPT if all(parts) else _CHANGING
    return Response(packed, media_type="application/json", headers={**keep, "Content-Encoding": "gzip"})


def _parts(run_id: str, what: str, key: str, view: dict[str, str], numbers: list[int]) -> list[bytes]:
    """Layouts or frames, compressed: those that are kept, and the others drawn in one go."""
    if foreseen.is_preview(run_id):
        return _result(_drawing(run_id, what, key, view, numbers))
    store = manager().trainings.store
    files = [drawn.file_of(store.folder(run_id).films, what, key, view, number) for number in numbers]
    parts = {number: drawn.read(file) for number, file in zip(numbers, files, strict=True)}
    if missing := [number for number, packed in parts.items() if packed is None]:
        wanted = run_id, what, key, view, missing, len(numbers) == 1
        made = _result(_drawing(*wanted))
        _drawings.pop(_named(*wanted), None)
        parts |= zip(missing, made, strict=True)
    return [packed or b"" for packed in parts.values()]


def _result(made: Future[list[bytes]]) -> list[bytes]:
    """What was drawn. No future of asyncio can end with StopIteration: whoever waits for one would wait for ever."""
    try:
        return made.result()
    except StopIteration as error:
        raise RuntimeError("a picture could not be drawn: StopIteration") from error


# -- drawn once ------------------------------------------------------------------------------------------------

_drawings: OrderedDict[str, Future[list[bytes]]] = OrderedDict()  # those of runs only until somebody has them
_OF_A_PREVIEW = (("layout", 1), ("frame", 0))  # of how many snapshots, and at which step


def ahead(run_id: str, key: str, view: str) -> None:
    """Draw a picture of a preview before the browser asks for it.

    Args:
        view: its switches, as a query.
    """
    for what, number in _OF_A_PREVIEW:
        with suppress(KernlabError, BrokenProcessPool):
            _drawing(run_id, what, key, dict(parse_qsl(view)), [number])


def drawn_ahead(run_id: str, key: str, view: str) -> tuple[str, str] | None:
    """Layout and frame of a picture of a preview as JSON; None: they have not been drawn yet.

    Args:
        view: its switches, as a query.
    """
    layout, frame = (
        _text(_drawings.get(_named(run_id, what, key, dict(parse_qsl(view)), [number], True)))
        for what, number in _OF_A_PREVIEW
    )
    return None if layout is None or frame is None else (layout, frame)


def soon(wanted: Sequence[tuple[Shot, int, int]]) -> list[tuple[str, str] | None]:
    """Layouts and frames of pictures of runs as JSON; None of those that take longer than a first view waits.

    Args:
        wanted: pictures, each with the number of snapshots of its layout and the step of its frame.
    """
    store, asked = manager().trainings.store, []
    for shot, of, step in wanted:
        view = dict(parse_qsl(shot.view))
        asked += [(shot.run, what, shot.picture, view, [number]) for what, number in (("layout", of), ("frame", step))]
    texts: list[str | None] = [None] * len(asked)
    with suppress(BrokenProcessPool):  # the pictures themselves have it started again
        begun = [_kept_or_begun(store, *each) for each in asked]
        wait(begun, _SOON)
        for place, (name, made) in enumerate(zip(asked, begun, strict=True)):
            texts[place] = _text(made)
            if made.done():
                _drawings.pop(_named(*name, True), None)
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return [None if layout is None or frame is None else (layout, frame) for layout, frame in pairs]


def _kept_or_begun(
    store: Store, run_id: str, what: str, key: str, view: dict[str, str], numbers: list[int]
) -> Future[list[bytes]]:
    packed = drawn.read(drawn.file_of(store.folder(run_id).films, what, key, view, numbers[0]))
    if packed is None:
        return _drawing(run_id, what, key, view, numbers)
    kept: Future[list[bytes]] = Future()
    kept.set_result([packed])
    return kept


def _text(made: Future[list[bytes]] | None) -> str | None:
    """The layout or frame as JSON; None: it has not been drawn yet, or cannot be."""
    return gzip.decompress(made.result()[0]).decode() if made and made.done() and not made.exception() else None


def _named(run_id: str, what: str, key: str, view: dict[str, str], numbers: list[int], strict: bool) -> str:
    return json.dumps([run_id, what, key, sorted(view.items()), numbers, strict])


def _drawing(
    run_id: str, what: str, key: str, view: dict[str, str], numbers: list[int], strict: bool = True
) -> Future[list[bytes]]:
    """Layouts or frames, drawn by the other process: once for all who ask for them meanwhile."""
    name = _named(run_id, what, key, view, numbers, strict)

    def begin() -> Future[list[bytes]]:
        if foreseen.is_preview(run_id):
            spec = foreseen.find(run_id).run.spec
            return drawing.pool().submit(drawn.parts_of_preview, spec, what, key, view, numbers)
        root = str(manager().trainings.store.root)
        return drawing.pool().submit(drawn.parts, root, what, run_id, key, view, numbers, strict)

    return drawing.once(_drawings, _DRAWN, name, begin)
