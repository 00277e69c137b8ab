"""What the server hands out beside Streamlit's own: the page frame, plotly.js and the chart's module.

plotly.min.js comes out of the installed plotly package; it is neither committed here nor sent with a
chart. Its address holds the version, our module's a fingerprint, so a browser may keep both for ever.
"""

from __future__ import annotations

import asyncio
import gc
import gzip
import hashlib
import importlib
import json
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path

import plotly
import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from threadpoolctl import threadpool_limits

from kernlab.ui.pages import PAGES

__all__ = ["MAIN", "lifespan", "loader", "routes", "url"]

#: The script behind every page address.
MAIN = Path(__file__).with_name("main.py")

_FILES = {
    "plotly.js": Path(str(files("plotly"))) / "package_data" / "plotly.min.js",
    "chart.js": Path(__file__).with_name("chart.js"),
    "jobs.js": Path(__file__).with_name("jobs.js"),
}


@cache
def _tag(name: str) -> str:
    if name == "plotly.js":
        return str(plotly.__version__)
    return hashlib.sha256(_FILES[name].read_bytes()).hexdigest()[:12]


def url(name: str) -> str:
    """Where the browser finds a file of ours, below the app's own address."""
    return f"assets/{_tag(name)}/{name}"


def loader(name: str, *arguments: str) -> str:
    """A component's code: it hands over to a module of ours that the browser keeps.

    Streamlit sends a component's code with every message, so the code itself is short.

    Args:
        name: the module, whose default function is called with the component and the app's address.
        arguments: further JavaScript expressions, in which ``home`` is the app's address.
    """
    return f"""
let module;
export default async function (component) {{
  const home = (window.__streamlit?.BACKEND_BASE_URL ?? location.origin) + "/";
  module ??= import(home + {json.dumps(url(name))});
  return (await module).default({", ".join(["component", *(arguments or ("home",))])});
}}
"""


@cache
def _packed(name: str) -> bytes:
    # Compressed once: the server's own compression would repeat it for every visitor.
    return gzip.compress(_FILES[name].read_bytes(), 6)


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES or request.path_params["tag"] != _tag(name):
        return Response("There is no such file.", status_code=404)
    headers = {"Content-Encoding": "gzip", "Cache-Control": "public, max-age=31536000, immutable"}
    return Response(await asyncio.to_thread(_packed, name), media_type="text/javascript", headers=headers)


@cache
def _frame() -> str:
    """Streamlit's index.html, told where its server is, and with plotly.js on its way before the first chart.

    Left alone, it looks for the server below the page's own address first, and every deep link begins
    with two failed requests in the console.
    """
    html = files("streamlit").joinpath("static", "index.html").read_text("utf-8")
    modules = [url("chart.js"), url("jobs.js")]
    names = "|".join(page.name for page in PAGES)
    here = f"location.origin + location.pathname.replace(/\\/({names})?\\/?$/, '')"
    head = (
        f"<title>kernlab</title><script>window.__streamlit = {{ BACKEND_BASE_URL: {here} }}</script>"
        f'<script id="plotly-js" src="./{url("plotly.js")}" async></script>'
        + "".join(f'<link rel="modulepreload" href="./{module}">' for module in modules)
    )
    return html.replace("<title>Streamlit</title>", head)


async def _page(request: Request) -> Response:
    return HTMLResponse(_frame(), headers={"Cache-Control": "no-cache"})


def routes() -> list[BaseRoute]:
    """The routes for ``st.App``."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    base = f"/{base}" if base else ""
    from kernlab.ui import jobs  # it builds its component from this module

    addresses = [base or "/", *(f"{base}/{page.name}" for page in PAGES)]
    return [
        Route(base + "/assets/{tag}/{name}", _asset),
        *jobs.routes(base),
        *(Route(address, _page) for address in addresses),
    ]


_loading = threading.Lock()


def load_pictures() -> None:
    """Import the pictures, one thread at a time.

    The package imports its own files. Two threads of which one begins with the package and the other with a file of it
    would wait for each other, and Python lets one of them fail.
    """
    with _loading:
        importlib.import_module("kernlab.pictures")


def _warm() -> None:
    """Load what the first visitor would wait for, then keep it out of every later garbage collection."""
    for name in _FILES:
        _packed(name)
    load_pictures()
    for module in ("kernlab.ui.live", "kernlab.ui.setup", "kernlab.ui.transport"):
        importlib.import_module(module)
    from kernlab.spec import RunSpec
    from kernlab.training.trainer import fit

    # A few steps on a few points: torch and scikit-learn load much of themselves at the first use.
    fit(RunSpec.of("ASKL", "digits", n_features=8, epochs=1, batch_size=512))
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Warm up beside the first requests instead of before them."""
    # A training step is a hundred short calls, each of which has to get the interpreter back from a page that is
    # being drawn: let it wait half a millisecond for that, not Python's usual five.
    sys.setswitchinterval(5e-4)
    # The matrices behind pictures are small: a second thread makes them slower, and where something trains on the
    # other cores a hundred times slower.
    threadpool_limits(1, user_api="blas")
    warming = asyncio.create_task(asyncio.to_thread(_warm))
    yield
    await warming
