"""The files that the server offers beside Streamlit's own: plotly.js and the modules of charts and jobs.

plotly.min.js comes out of the installed plotly package; it is neither committed here nor sent with a
chart. Its address holds the version, our module's a fingerprint, so a browser may keep both for ever.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from kernlab.ui.pages import PAGES

__all__ = ["HOME", "MODULES", "component", "pack", "routes", "url", "with_imports"]

_HERE = Path(__file__).parent
#: Our modules by name.
MODULES = {file.name: file for file in sorted([*_HERE.glob("*.js"), *_HERE.glob("**/*.mjs")])}
_FILES = {"plotly.js": Path(str(files("plotly"))) / "package_data" / "plotly.min.js", **MODULES}

#: The app's address, from that of any of its pages, in JavaScript.
HOME = f"""location.origin + location.pathname.replace(/\\/({"|".join(page.name for page in PAGES)})?\\/?$/, "")"""


@cache
def _tag(name: str) -> str:
    if name == "plotly.js":
        return str(plotly.__version__)
    # One for all modules, which find one another beside themselves.
    return hashlib.sha256(b"".join(file.read_bytes() for file in MODULES.values())).hexdigest()[:12]


def url(name: str) -> str:
    """Where the browser finds a file of ours, below the app's own address."""
    return f"assets/{_tag(name)}/{name}"


def component(name: str, module: str, *arguments: str) -> Callable[..., Any]:
    """An element of the page whose code is a module of ours, which the browser keeps.

    Streamlit sends a component's code with every message, so the code itself is short. Its data travel in a list: in
    the values of a dictionary Streamlit looks for tables, and loads pandas for it, which the first page would wait for.

    Args:
        name: of the component, without "kernlab_".
        module: its default function is called with the component and ``arguments``.
        arguments: JavaScript expressions, in which ``home`` is the app's address; by default it alone.

    Returns:
        A function that puts the element on the page, with ``data``, ``key`` and whatever else Streamlit's takes.
    """
    code = f"""
let module;
export default async function (component) {{
  const home = {HOME} + "/";
  module ??= import(home + {json.dumps(url(module))});
  const [data] = component.data;
  return (await module).default({", ".join(["{ ...component, data }", *(arguments or ("home",))])});
}}
"""
    made = st.components.v2.component(f"kernlab_{name}", js=code, isolate_styles=False)

    def element(*, data: Mapping[str, Any], **options: Any) -> Any:
        return made(data=[data], **options)

    return element


def with_imports(*names: str) -> list[str]:
    """Modules of ours and all that they import, in the order of their names."""
    found, asked = set(names), list(names)
    while asked:
        imported = re.findall(r'^import .* from "\./([\w.]+)"', MODULES[asked.pop()].read_text("utf-8"), re.MULTILINE)
        asked += set(imported) - found
        found |= set(imported)
    return sorted(found)


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


def routes(base: str) -> list[BaseRoute]:
    """The routes for ``st.App``."""
    return [Route(base + "/assets/{tag}/{name}", _asset)]


def pack() -> None:
    """Compress every file before the first browser asks for it."""
    for name in _FILES:
        _packed(name)
