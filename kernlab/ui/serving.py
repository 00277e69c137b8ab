"""What the server answers beside Streamlit's own addresses, and what it loads before the first visitor needs it."""

from __future__ import annotations

import asyncio
import gc
import importlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send
from threadpoolctl import threadpool_limits

from kernlab.ui import assets, drawing, firstview, glossary, jobs, miniature, rooms
from kernlab.ui.pages import PAGES

__all__ = ["MAIN", "lifespan", "middleware", "routes"]

#: The script behind every page address.
MAIN = Path(__file__).with_name("main.py")

#: What Streamlit's browser code asks for to find its server.
_PROBES = ("health", "host-config")

#: Modules that every page needs before its first picture, and those that one page needs. All others are asked for when
#: the page stands, or when a person opens something.
_FIRST = ("page.mjs", "jobs.js", "elements.js", "chart.js")
_OWN = {"lab": ("lab.js",), "learn": ("predict.js", "room.js"), "certainty": ("pixels.js",)}

#: Pages whose first pictures are those of runs or previews.
_DRAWN = ("train", "spectrum", "kernel", "bounds", "certainty")


async def _page(request: Request) -> Response:
    name = request.url.path.rpartition("/")[2]
    if name in _DRAWN:
        drawing.begin()
    text = firstview.document(name, (*_FIRST, *_OWN.get(name, ())), request.url.query)
    return HTMLResponse(text, headers={"Cache-Control": "no-cache"})


async def _above(request: Request) -> Response:
    """Say that no server is below a page's address.

    Should Streamlit's browser code not know where its server is, it looks there first, then one level up. A status of
    300 sends it there like 404 does, but is no error in the browser's console.
    """
    return Response("The server is one level up.", status_code=300)


def _base() -> str:
    """The path below which the app is served: "" or "/path"."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


class _Later:
    """Routes of a module that is imported with the first question: it needs torch, and the Home page does not."""

    def __init__(self, module: str, base: str) -> None:
        self.module, self.base, self.router = module, base, Router()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self.router.routes:
            module = await asyncio.to_thread(importlib.import_module, self.module)
            self.router = Router(module.routes(self.base))
        await self.router(scope, receive, send)


class _Often:
    """Answers what pages ask several times a second, and leaves everything else to Streamlit.

    A training in this process waits for the interpreter meanwhile, and Streamlit's path checks, sessions and
    compression would be a sixth of such an answer. These routes take no path of a file and no session, and compress
    what they send themselves.
    """

    def __init__(self, app: ASGIApp) -> None:
        base = _base()
        films = _Later("kernlab.ui.films", base)
        later = (Route(f"{base}/{kind}/{{rest:path}}", films) for kind in ("film", "news"))
        own = [*jobs.routes(base), *miniature.routes(base), *later]
        self._own, self._others = ExceptionMiddleware(Router(own, default=app, redirect_slashes=False)), app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._own if scope["type"] == "http" else self._others)(scope, receive, send)


def middleware() -> list[Middleware]:
    """What answers before Streamlit does."""
    return [Middleware(_Often)]


def routes() -> list[BaseRoute]:
    """The routes for ``st.App``, beside those of :func:`middleware`."""
    base = _base()
    return [
        *assets.routes(base),
        *firstview.routes(base),
        *glossary.routes(base),
        *rooms.routes(base),
        *(Route(f"{base}/densities{rest}", _Later("kernlab.ui.densities", base)) for rest in ("", "/{rest:path}")),
        *(Route(address, _page) for address in (base or "/", *(f"{base}/{page.name}" for page in PAGES))),
        *(Route(f"{base}/{page.name}/_stcore/{probe}", _above) for page in PAGES if page.name for probe in _PROBES),
    ]


#: Seconds that the first page has for itself, before torch is imported: both need the interpreter.
_ALONE = 3.0


def _warm() -> None:
    """Load what the first visitor would wait for, then keep it out of every later garbage collection."""
    drawing.begin()
    assets.pack()
    # pyarrow loads pandas when it is first given words, and the Data page looks for telltale columns by trees. The
    # libraries that modules load at their first use are here before it.
    for module in (
        "kernlab.ui.live",
        "kernlab.ui.setup",
        "kernlab.ui.transport",
        "kernlab.ui.look",
        "kernlab.ui.sketches",
        "pandas",
        "scipy.signal",
        "scipy.stats",
        "sklearn.linear_model",
        "sklearn.tree",
    ):
        importlib.import_module(module)
    from kernlab.spec import RunSpec
    from kernlab.training.trainer import fit

    # A few steps on a few points: torch and scikit-learn load much of themselves at the first use.
    fit(RunSpec.of("ASKL", "digits", n_features=8, epochs=1, batch_size=512))
    # The scenes of the lessons, so that the first of a class waits for none.
    for lesson in importlib.import_module("kernlab.lessons").shelf().lessons.values():
        lesson.computation.at(**lesson.values)
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Warm up after the first requests instead of before them."""

    async def warm() -> None:
        await asyncio.sleep(_ALONE)
        await asyncio.to_thread(_warm)

    # A training step is a hundred short calls, each of which has to get the interpreter back from a page that is
    # being drawn: let it wait half a millisecond for that, not Python's usual five.
    sys.setswitchinterval(5e-4)
    # The matrices behind pictures are small: a second thread makes them slower, and where something trains on the
    # other cores a hundred times slower.
    threadpool_limits(1, user_api="blas")
    warming = asyncio.create_task(warm())
    yield
    warming.cancel()
