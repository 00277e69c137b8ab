"""What the browser asks of a run while it plays: what is new, the layout of a picture, its frame at a snapshot.

    GET film/RUN?version=V                          news; 204 where nothing is newer than version V
    GET film/RUN?version=V&metrics=M&step=S&by=PAGE&draw=PICTURE%3FVIEW&draw=…
                                                    the same of a run that goes on, with the number of pages that follow
                                                    it, and with them, a line each, what was drawn of its newest moment,
                                                    where that is later than M and S
    GET news/runs?ask=RUN%3Fversion%3DV…&ask=…      the answers to several such questions, after a line with the
                                                    status and the number of lines of each
    GET news/KIND/ID?version=V                      the same of a comparison or reproduction
    GET film/RUN/values/STEP                        the numbers of a snapshot
    GET film/RUN/PICTURE?of=N&look=…                layout over the first N snapshots
    GET film/RUN/PICTURE/STEP,STEP,…?look=…         frames at snapshots, one a line: they never change, so the browser
                                                    keeps them; a line is empty where the picture cannot be drawn

The browser asks a few times a second and gets an empty answer where nothing is new. No answer is kept waiting for news
for longer than the quarter of a second in which a run may begin: a browser opens six connections to a server for all
its tabs, and a seventh tab would get nothing at all. Every answer takes time from a training in this process, whose
steps need the same interpreter lock, so all that is new of a run comes in one answer, and the more pages follow a run,
the less often each of them asks.

Another process draws, so that a training in this one is not slowed down; what it has drawn is kept with the run.
Nothing of it is readable for another site: no answer allows a foreign origin.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kernlab import __version__
from kernlab.errors import KernlabError, StoreError, UnknownNameError
from kernlab.files import replacing
from kernlab.jobs import manager
from kernlab.pictures.gallery import PICTURES
from kernlab.runs.layout import is_id
from kernlab.spec import RunSpec
from kernlab.ui import drawing
from kernlab.ui.news import News, comparison_news, import_news, news, preview_news, reproduction_news, values
from kernlab.ui.previews import PREFIX, Preview, made, name_of
from kernlab.ui.watch import Watch

if TYPE_CHECKING:
    from kernlab.pictures.frames import Films

__all__ = ["ahead", "drawn", "first_of_data", "foreseen", "preview", "routes"]

T = TypeVar("T")

_FRESH = 0.1  # seconds that one look at a run serves every tab,
_SOON = 0.02  # and while it begins
_BEGINNING = 0.25  # seconds for which an answer waits for the first snapshot of a run that begins
_CHANGING = {"Cache-Control": "no-store"}
_KEPT = {"Cache-Control": "private, max-age=31536000, immutable"}
_LEFT = 4.0  # seconds after its last question in which a page is taken to follow a run
_DRAWING = 0.3  # seconds for which news wait for the pictures that go with them
_AT_ONCE = 8  # frames in an answer at most: a person who looks at another moment waits for no more
_VALUES = "values"  # the numbers beside the pictures, asked for as a picture is
_TOGETHER = 24  # pictures of a page in an answer at most
_PAGES = 8  # pages whose newest pictures are kept in memory
_DRAWN = 100  # layouts and frames that are kept in memory
_ROOM = 64 * 2**20  # bytes of frames that are kept with one run


def routes(base: str) -> list[BaseRoute]:
    """The routes for ``st.App``."""
    return [
        Route(f"{base}/news/{{kind}}/{{id}}", _news_of_a_job),
        Route(f"{base}/news/runs", _news_of_runs),
        Route(f"{base}/film/{{run}}", _news_of_a_run),
        Route(f"{base}/film/{{run}}/values/{{step:int}}", _values),
        Route(f"{base}/film/{{run}}/{{picture}}", _layout),
        Route(f"{base}/film/{{run}}/{{picture}}/{{steps}}", _frames),
    ]


# -- news ------------------------------------------------------------------------------------------------------


class _Look(NamedTuple):
    time: float
    watch: Watch
    news: News


_looks: OrderedDict[str, _Look] = OrderedDict()
_looking = threading.Lock()


def _look(run_id: str) -> _Look:
    with _looking:
        seen = _looks.get(run_id)
        begins = seen is not None and len(seen.watch.snapshots.steps) < 2
        if seen is None or time.monotonic() - seen.time > (_SOON if begins else _FRESH):
            watch = seen.watch if seen else Watch(manager().trainings, run_id)
            watch.refresh()
            seen = _looks[run_id] = _Look(time.monotonic(), watch, news(watch))
            while len(_looks) > 64:
                _looks.popitem(last=False)
        return seen


def _job(kind: str, id: str) -> News:
    jobs = manager()
    if kind == "comparison":
        return comparison_news(jobs.comparisons, id)
    if kind == "reproduction":
        return reproduction_news(jobs.reproductions, id)
    if kind == "import":
        return import_news(jobs.imports, id)
    raise UnknownNameError.among("kind of job", kind, ["comparison", "reproduction", "import"])


class _Answer(NamedTuple):
    """What is new of a job, or the reason why it cannot be had, and what was drawn; without facts: nothing is new."""

    status: int
    facts: dict[str, Any] | None = None
    drawn: Sequence[bytes] = ()

    @property
    def lines(self) -> list[bytes]:
        return [] if self.facts is None else [json.dumps(self.facts).encode(), *self.drawn]


def _look_at(version: str | None, look: Callable[[], News]) -> _Answer:
    """The news; 204 where the browser has them, and 404 with the reason where there are none."""
    try:
        found = look()
    except KernlabError as error:
        return _Answer(404, {"error": str(error)})
    return _Answer(204) if version == found.version else _Answer(200, found.facts)


async def _answered(request: Request, look: Callable[[], News]) -> Response:
    return _response(await asyncio.to_thread(_look_at, request.query_params.get("version"), look))


def _response(answer: _Answer) -> Response:
    if answer.drawn:
        return _compressed(answer.lines)
    return Response(b"".join(answer.lines), answer.status, media_type="application/json", headers=_CHANGING)


def _compressed(lines: Iterable[bytes]) -> Response:
    body = gzip.compress(b"\n".join(lines), 1)
    return Response(body, media_type="application/x-ndjson", headers={**_CHANGING, "Content-Encoding": "gzip"})


class _Question(NamedTuple):
    """What a page asks of a run or preview: its name, and what the page has of it."""

    run: str
    query: QueryParams

    def answer(self) -> _Answer:
        """What is new of the run or preview."""
        look = (lambda: preview_news(_preview(self.run))) if _foreseen(self.run) else lambda: _look(self.run).news
        return _look_at(self.query.get("version"), look)

    @property
    def begins(self) -> bool:
        """The run works and has no snapshot yet."""
        seen = _looks.get(self.run)
        return seen is not None and seen.watch.state.status == "running" and not len(seen.watch.snapshots.steps)

    def wanted(self, watch: Watch) -> dict[str, int]:
        """What is newer than the page has it, by ``PICTURE?VIEW``: its step, or over training the metrics' version."""
        metrics, step = watch.version[0], int(watch.snapshots.steps[-1]) if len(watch.snapshots.steps) else -1
        newer = {
            True: str(metrics) != self.query.get("metrics"),
            False: step >= 0 and str(step) != self.query.get("step"),
        }
        wanted = {_VALUES: step} if newer[False] else {}
        for name in self.query.getlist("draw")[:_TOGETHER]:
            picture = PICTURES.get(name.partition("?")[0])
            if picture and newer[picture.over_time]:
                wanted[name] = metrics if picture.over_time else step
        return wanted


async def _news_of_a_run(request: Request) -> Response:
    (answer,) = await _asked([_Question(request.path_params["run"], request.query_params)])
    return _response(answer)


async def _news_of_runs(request: Request) -> Response:
    asked = [each.partition("?") for each in request.query_params.getlist("ask")]
    answers = await _asked([_Question(run, QueryParams(query)) for run, _, query in asked])
    lines = [answer.lines for answer in answers]
    sizes = [[answer.status, len(each)] for answer, each in zip(answers, lines, strict=True)]
    return _compressed([json.dumps(sizes).encode(), *chain.from_iterable(lines)])


async def _asked(questions: Sequence[_Question]) -> list[_Answer]:
    """The news of runs and previews, of those that begin a little later if that is their first snapshot.

    Whatever the number of runs, they are looked at by one thread and drawn in one go: every change of threads takes
    time from a training.
    """
    until = time.monotonic() + _BEGINNING
    while True:
        answers = await asyncio.to_thread(lambda: [question.answer() for question in questions])
        if time.monotonic() > until or not any(question.begins for question in questions):
            return await _with_pictures(questions, answers)
        await asyncio.sleep(_SOON)


async def _with_pictures(questions: Sequence[_Question], answers: Sequence[_Answer]) -> list[_Answer]:
    """News, and what the browser shows of the newest moments and has not; without what takes long to draw."""
    watches = {
        place: seen.watch
        for place, (question, news) in enumerate(zip(questions, answers, strict=True))
        if news.status == 200 and question.query.get("draw") and (seen := _looks.get(question.run))
    }
    wanted = {place: questions[place].wanted(watch) for place, watch in watches.items()}
    lines: dict[int, list[bytes]] = {}
    if any(wanted.values()):
        # Where that takes long or fails, the browser asks for each of them by itself, and gets the reason.
        with suppress(TimeoutError, BrokenProcessPool, KernlabError):
            drawn = asyncio.wrap_future(_newest([(questions[place].run, each) for place, each in wanted.items()]))
            lines = dict(zip(wanted, await asyncio.wait_for(asyncio.shield(drawn), _DRAWING), strict=True))
    whole = [*answers]
    for place, watch in watches.items():
        run, query = questions[place]
        found = lines.get(place, [])
        more = {"due": watch.state.due, "pages": _followers(run, query.get("by", ""))}
        facts = {**(answers[place].facts or {}), **more, "drawn": list(wanted[place]) if found else []}
        whole[place] = _Answer(200, facts, found)
    return whole


_following: dict[tuple[str, str], float] = {}  # by run and page: when it asked last


def _followers(run: str, page: str) -> int:
    """How many pages follow a run, this one among them."""
    _following[run, page[:16]] = now = time.monotonic()
    for each, asked in [*_following.items()]:
        if now - asked > _LEFT:
            del _following[each]
    return sum(run == of for of, _ in _following)


_newest_of: OrderedDict[str, Future[list[list[bytes]]]] = OrderedDict()


def _newest(wanted: list[tuple[str, dict[str, int]]]) -> Future[list[list[bytes]]]:
    """Numbers and frames of runs, drawn by the other process in one go, for all pages that show the same.

    Args:
        wanted: runs, and what of each as :meth:`_Question.wanted` says it.
    """
    root = str(manager().trainings.store.root)
    return _once(_newest_of, _PAGES, json.dumps(wanted), lambda: drawing.pool().submit(_work_on_newest, root, wanted))


async def _news_of_a_job(request: Request) -> Response:
    kind, id = (request.path_params[name] for name in ("kind", "id"))  # others are those of routes above this one
    return await _answered(request, lambda: _job(kind, id))


async def _values(request: Request) -> Response:
    run_id, step = request.path_params["run"], request.path_params["step"]
    return await _answered(request, lambda: News("", values(_look(run_id).watch, step)))


# -- layouts and frames ----------------------------------------------------------------------------------------


async def _layout(request: Request) -> Response:
    view = dict(request.query_params)
    of = view.pop("of", "")
    return await _drawn(request, "layout", view, [int(of) if of.isdecimal() else 1])


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
        drawing.close()
        return JSONResponse({"error": "The process that draws has ended; it is started again."}, 503)
    packed = parts[0] if len(parts) == 1 else gzip.compress(b"\n".join(map(gzip.decompress, parts)), 1)
    keep = _KEPT if all(parts) else _CHANGING
    return Response(packed, media_type="application/json", headers={**keep, "Content-Encoding": "gzip"})


def _parts(run_id: str, what: str, key: str, view: dict[str, str], numbers: list[int]) -> list[bytes]:
    """Layouts or frames, compressed: those that are kept, and the others drawn in one go."""
    if _foreseen(run_id):
        return _drawing(run_id, what, key, view, numbers).result()
    store = manager().trainings.store
    files = [_file(store.folder(run_id).films, what, key, view, number) for number in numbers]
    parts = {number: _read(file) for number, file in zip(numbers, files, strict=True)}
    if missing := [number for number, packed in parts.items() if packed is None]:
        asked = run_id, what, key, view, missing, len(numbers) == 1
        made = _drawing(*asked).result()
        _drawings.pop(_named(*asked), None)
        parts |= zip(missing, made, strict=True)
    return [packed or b"" for packed in parts.values()]


def _file(folder: Path, what: str, key: str, view: dict[str, str], number: int) -> Path | None:
    """Where a layout or frame is kept with its run; None: it is not kept."""
    picture = PICTURES.get(key)
    if picture is None or picture.over_time:  # such a frame changes with every new point
        return None
    used = {name: text for name, text in sorted(view.items()) if name in (*picture.uses, "reference")}
    digest = hashlib.sha256(json.dumps([__version__, key, used]).encode()).hexdigest()[:16]
    return folder / f"{key}-{digest}" / f"{what}-{number}.json.gz"


def _read(file: Path | None) -> bytes | None:
    with suppress(OSError):
        return file.read_bytes() if file else None
    return None


_sizes: dict[Path, int] = {}  # bytes of a run's films, measured once and then counted


def _keep(file: Path | None, packed: bytes) -> None:
    """Keep what was drawn, while the run's films have room; a store that refuses is no reason to show nothing."""
    if file is None:
        return
    folder = file.parents[1]
    with suppress(OSError):
        if folder not in _sizes:
            _sizes[folder] = sum(each.stat().st_size for each in folder.rglob("*.gz"))
        if _sizes[folder] > _ROOM:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as out:
            out.write(packed)
        _sizes[folder] += len(packed)


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


def drawn(run_id: str, key: str, view: str) -> tuple[str, str] | None:
    """Layout and frame of a picture of a preview as JSON; None: they have not been drawn yet.

    Args:
        view: its switches, as a query.
    """
    found = [
        _drawings.get(_named(run_id, what, key, dict(parse_qsl(view)), [number], True))
        for what, number in _OF_A_PREVIEW
    ]
    texts = [
        gzip.decompress(each.result()[0]).decode() for each in found if each and each.done() and not each.exception()
    ]
    return (texts[0], texts[1]) if len(texts) == 2 else None


def _named(run_id: str, what: str, key: str, view: dict[str, str], numbers: list[int], strict: bool) -> str:
    return json.dumps([run_id, what, key, sorted(view.items()), numbers, strict])


def _drawing(
    run_id: str, what: str, key: str, view: dict[str, str], numbers: list[int], strict: bool = True
) -> Future[list[bytes]]:
    """Layouts or frames, drawn by the other process: once for all who ask for them meanwhile."""
    name = _named(run_id, what, key, view, numbers, strict)

    def begin() -> Future[list[bytes]]:
        if _foreseen(run_id):
            return drawing.pool().submit(_work_on_preview, _preview(run_id).run.spec, what, key, view, numbers)
        root = str(manager().trainings.store.root)
        return drawing.pool().submit(_work, root, what, run_id, key, view, numbers, strict)

    return _once(_drawings, _DRAWN, name, begin)


def _once(kept: OrderedDict[str, Future[T]], most: int, name: str, begin: Callable[[], Future[T]]) -> Future[T]:
    """What the other process makes, kept by its name with the newest others; what failed is begun again."""
    found = kept.get(name)
    if found is None or (found.done() and found.exception()):
        found = kept[name] = begin()
        while len(kept) > most:
            kept.popitem(last=False)
    return found


# -- previews --------------------------------------------------------------------------------------------------

_previews: OrderedDict[str, Preview] = OrderedDict()


def preview(spec: RunSpec) -> Preview:
    """What a run of ``spec`` would start from; it is made by the process that draws.

    Raises:
        KernlabError: such a run cannot be started.
    """
    name = name_of(spec)
    if name not in _previews:
        try:
            _previews[name] = drawing.pool().submit(_begun, spec.to_dict()).result()
        except BrokenProcessPool:
            drawing.close()
            raise StoreError(
                "the process that draws must be alive", "it has ended", "load the page again: it is started anew"
            ) from None
        while len(_previews) > 64:
            _previews.popitem(last=False)
    return _previews[name]


_first: dict[str, str] = {}  # of the previews that show the same data the one that was seen first


def first_of_data(preview: Preview) -> Preview:
    """The preview whose pictures of the data are those of this one: the browser need not ask for them again."""
    found = _previews.get(_first.setdefault(preview.of_data, preview.id))
    if found is None:
        _first[preview.of_data] = preview.id
        return preview
    _previews.move_to_end(found.id)
    return found


def foreseen(spec: RunSpec) -> Preview | None:
    """The preview of ``spec``, if a page has shown it."""
    return _previews.get(name_of(spec))


def _foreseen(name: str) -> bool:
    """Whether a name is that of a preview."""
    return name.startswith(PREFIX)


def _preview(name: str) -> Preview:
    if name not in _previews:
        raise UnknownNameError("a preview must belong to a page that is open", name, "load the page again")
    return _previews[name]


def _begun(spec: dict[str, Any]) -> Preview:
    """What the other process does for a preview."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    return made(spec)


def _work_on_preview(
    spec: dict[str, Any], what: str, key: str, view: dict[str, str], numbers: list[int]
) -> list[bytes]:
    from kernlab.pictures import frames

    run = made(spec)
    return [gzip.compress(getattr(frames, what)(run, key, view, number), 5) for number in numbers]


_films: dict[str, Films] = {}


def _work(
    root: str, what: str, run_id: str, key: str, view: dict[str, str], numbers: list[int], strict: bool
) -> list[bytes]:  # fmt: skip
    """What the other process does, compressed and kept; what cannot be drawn is empty, or strictly an error."""
    films, made = _films_of(root), []
    for number in numbers:
        file = _file(films.store.folder(run_id).films, what, key, view, number)
        try:
            made.append(_packed(file, getattr(films, what), run_id, key, view, number))
        except KernlabError:
            if strict:
                raise
            made.append(b"")
    return made


def _packed(file: Path | None, draw: Callable[..., bytes], *asked: Any) -> bytes:
    """What is kept in a file; drawn, where there is none, and kept."""
    packed = _read(file)
    if packed is None:
        packed = gzip.compress(draw(*asked), 5)
        _keep(file, packed)
    return packed


def _work_on_newest(root: str, wanted: list[tuple[str, dict[str, int]]]) -> list[list[bytes]]:
    """What the other process does for news; what cannot be drawn is empty."""
    return [_newest_of_a_run(root, run_id, names) if names else [] for run_id, names in wanted]


def _newest_of_a_run(root: str, run_id: str, wanted: dict[str, int]) -> list[bytes]:
    from kernlab.pictures.frames import frame

    films, made = _films_of(root), []
    try:
        folder, run = films.store.folder(run_id).films, films.with_steps(run_id, wanted.values())
    except KernlabError:
        return []
    for name, number in wanted.items():
        key, _, query = name.partition("?")
        view = dict(parse_qsl(query))
        try:
            if key == _VALUES:
                made.append(json.dumps(values(run, number)).encode())
            else:
                file, asked = _file(folder, "frame", key, view, number), (run, key, view, number)
                made.append(gzip.decompress(_packed(file, frame, *asked)) if file else frame(*asked))
        except Exception:  # of whatever kind: it must not take the news and the other pictures along
            made.append(b"")
    return made


def _films_of(root: str) -> Films:
    if root not in _films:
        from threadpoolctl import threadpool_limits

        from kernlab.pictures.frames import Films
        from kernlab.runs.store import Store

        threadpool_limits(1)  # the matrices behind pictures are small
        _films[root] = Films(Store(Path(root)))
    return _films[root]
