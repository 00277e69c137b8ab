"""What a browser shows of a page before Streamlit's code has come: its heading, and sketches of its first pictures.

    GET first/PAGE?…       the pictures of an address; 204 where it has none, or the server does not know them yet

Streamlit's browser code runs for the better part of a second before it draws anything. The heading stands in the
document itself, and firstview.mjs sketches the pictures beneath it, by the same films that the page's own pictures
follow: what was fetched for a sketch need not be fetched again. All of it goes as soon as the page itself is drawn.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kernlab.errors import KernlabError
from kernlab.ui import assets, miniature
from kernlab.ui.chart import Shot
from kernlab.ui.pages import PAGES, Page

__all__ = ["VIEWS", "FirstView", "Sketch", "document", "routes", "view_of"]


class Sketch(NamedTuple):
    """One picture of a first view.

    Attributes:
        film: the picture.
        alt: its alternative text.
        step: the snapshot that it shows; of a picture over training the version of the metrics.
        ready: its layout and its frame of that step as JSON, where they have been drawn: what the browser asks for by
            itself stands behind the eighty files of Streamlit's code.
    """

    film: Shot
    alt: str
    step: int
    ready: tuple[str, str] | None


class FirstView(NamedTuple):
    """The first pictures of a page.

    Attributes:
        words: above them, with ``**`` and ``*`` as in Markdown; none: what stands above them is not known yet.
        sketches: the pictures, in rows that wrap.
        height: of a picture, in CSS pixels.
        heading: of the page, where it is not that of its document.
        news: of the runs that are shown, by their names.
        at: the moment that is shown, in epochs; None: the newest.
        time: runs whose snapshots a slider above the pictures steps through.
        timeless: the page will have no slider above the pictures.
    """

    words: str
    sketches: Sequence[Sketch]
    height: int
    heading: str = ""
    news: Mapping[str, Any] = {}
    at: float | None = None
    time: Sequence[str] = ()
    timeless: bool = False


#: The pages whose first pictures can be known by their address.
_SKETCHED = ("home", "train")

# -- the document ----------------------------------------------------------------------------------------------

#: Like the page itself (kernlab.ui.pages), below Streamlit's head and beside its side bar. A rem is 16 pixels.
_STYLE = """
#kl-first { position: fixed; inset: 3.75rem 0 0; z-index: 99; overflow: hidden; pointer-events: none;
  padding: .5rem 2rem; color: var(--st-text-color); background: var(--st-background-color);
  font: 1rem/1.6 var(--st-font); animation: kl-gone 0s 15s forwards; }
@keyframes kl-gone { to { visibility: hidden; } }  /* also where no module comes that takes it away */
#kl-first h1 { margin: 0; padding: .2rem 0; font: 600 1.7rem/1.2 var(--st-font); }
#kl-first p { margin: .7rem 0; }
#kl-first > .kl-rows { display: flex; flex-wrap: wrap; gap: .7rem 1rem; }
#kl-first > .kl-rows > div { flex: 1 1 0; min-width: min(19rem, 100%); }
#kl-first[data-page=train] p { margin-top: 4.3rem; font-size: .875rem; opacity: .6; }
#kl-first[data-page=train] > .kl-rows > div { flex-basis: calc(33.3% - 1rem); }
/* Of a run, below its buttons, its progress and its slider. */
#kl-first > h1 + .kl-rows { margin-top: 15.2rem; }
#kl-first > h1 + .kl-rows.kl-timeless { margin-top: 11.25rem; }
#kl-first > .kl-slider { margin: 8rem 0 5rem; pointer-events: auto; }
.kl-present #kl-first { display: none; }
@media (min-width: 641px) { #kl-first.kl-side { left: 18.75rem; } }
@media (max-width: 640px) {
  #kl-first h1 { font-size: 1.3rem; }
  #kl-first p { margin-top: 1.2rem; }
  #kl-first > .kl-rows { row-gap: 1rem; }
  #kl-first[data-page=train] p { margin-top: 4.8rem; }
  #kl-first > h1 + .kl-rows { margin-top: 22.8rem; }
  #kl-first > h1 + .kl-rows.kl-timeless { margin-top: 16.5rem; }
  #kl-first > .kl-slider { margin-top: 13rem; }
}
"""

#: What charts take of Streamlit's theme (chart.js), as options of the theme.
_COLORS = {
    "text-color": "textColor",
    "background-color": "backgroundColor",
    "secondary-background-color": "secondaryBackgroundColor",
    "border-color": "borderColor",
    "primary-color": "primaryColor",
    "chart-categorical-colors": "chartCategoricalColors",
    "chart-sequential-colors": "chartSequentialColors",
    "chart-diverging-colors": "chartDivergingColors",
}

#: A page that is opened for a lecture has the look of it from the first paint on (page/present.mjs). The pictures of an
#: address are asked for before any module has come.
_BEGIN = """
if (new URLSearchParams(location.search).get("present") === "1") document.documentElement.classList.add("kl-present");
else if (%(pictures)s) window.kernlabFirst = fetch("./first/%(page)s" + location.search).catch(() => null);
"""
#: Streamlit keeps under the name of a page which theme a person chose for it; without a choice the system's is shown.
_THEME = """
{ let chosen = "";
  try {
    const of = ([key]) => key.startsWith(`stActiveTheme-${location.pathname}-`);
    chosen = Object.entries(localStorage).find(of)?.[1] ?? "";
  } catch { /* storage is refused */ }
  const dark = /dark/i.test(chosen) || (!/light/i.test(chosen) && matchMedia("(prefers-color-scheme: dark)").matches);
  document.getElementById("kl-first").classList.add(dark ? "kl-dark" : "kl-light");
  document.documentElement.classList.add(dark ? "kl-first-dark" : "kl-first-light"); }
"""


def _colors() -> str:
    rules = []
    for theme in ("light", "dark"):
        found = {name: st.get_option(f"theme.{theme}.{option}") for name, option in _COLORS.items()}
        texts = {name: ",".join(value) if isinstance(value, list) else value for name, value in found.items() if value}
        rules.append(f"#kl-first.kl-{theme} {{ {' '.join(f'--st-{name}: {text};' for name, text in texts.items())} }}")
        page = f"html.kl-first-{theme}"  # with :has() the browser would look for the first view at every change
        rules.append(f"{page}, {page} .stApp {{ background: {texts['background-color']}; }}")
    return "".join(rules)


def document(name: str, modules: Sequence[str], query: str = "") -> str:
    """Streamlit's index.html with the first view of a page, and where its server is and what modules it will need.

    Left alone, Streamlit looks for the server below the page's own address first, and again after a tenth of a second
    one level up. The pictures of the address are asked for before anything else, Plotly's code after all that the
    heading needs.

    Args:
        name: of the page; that of the first one may be empty.
        modules: of ours, that the page imports at once.
        query: of the page's address.
    """
    page = next((each for each in PAGES if each.name == name), PAGES[0])
    text = _document(page, tuple(modules))
    if page.name not in _SKETCHED or dict(parse_qsl(query)).get("present") == "1":
        return text
    address = html.escape(f"./first/{page.name}{query and '?'}{query}")
    return text.replace("<script>", f'<link rel="preload" as="fetch" crossorigin href="{address}"><script>', 1)


@cache
def _document(page: Page, modules: Sequence[str]) -> str:
    text = files("streamlit").joinpath("static", "index.html").read_text("utf-8")
    begin = _BEGIN % {"page": page.name, "pictures": json.dumps(page.name in _SKETCHED)}
    links = {
        each: f'<link rel="modulepreload" href="./{assets.url(each)}">'
        for each in assets.with_imports("firstview.mjs", *modules)
    }
    own = assets.with_imports("firstview.mjs")
    early = (
        f"<script>window.__streamlit = {{ BACKEND_BASE_URL: {assets.HOME} }}; {begin}</script>"
        f"<style>{_STYLE}{_font(text)}{_colors()}</style>"
        + "".join(links.pop(each) for each in own)
        + f'<script type="module" async src="./{assets.url("firstview.mjs")}"></script>'
    )
    late = "".join(links.values())
    late += f'<link rel="preload" as="script" fetchpriority="low" href="./{assets.url("plotly.js")}">'
    parts = (("<script", early + "<script"), ("</head>", late + "</head>"), ("</body>", _body(page) + "</body>"))
    for mark, more in parts:
        text = text.replace(mark, more, 1)
    return text


def _font(index: str) -> str:
    """The font that Streamlit's index.html preloads, under the name that Streamlit will give it."""
    found = re.search(r'href="([^"]+\.woff2)"', index)
    face = (
        f'@font-face {{ font-family: "Source Sans"; font-weight: 200 900; src: url("{found[1]}"); }}' if found else ""
    )
    return f'{face} #kl-first {{ --st-font: "Source Sans", sans-serif; }}'


def _body(page: Page) -> str:
    side = ' class="kl-side"' if page.side else ""
    heading = f'<h1 aria-hidden="true">{html.escape(page.heading)}</h1>'
    return (
        f'<div id="kl-first" data-page="{page.name}"{side}>{heading}</div><script>{_THEME}</script>'
        "<noscript><style>#kl-first { display: none; }</style></noscript>"
    )


# -- pictures --------------------------------------------------------------------------------------------------


def _home(address: Mapping[str, str]) -> FirstView:
    film = miniature.film()
    answers, news = film["answers"], film["answers"][""]
    sketches = []
    for key in miniature.SHOWN:
        ready = json.dumps(answers[key]), json.dumps(answers[f"{key}/{news['steps'][-1]}"])
        sketches.append(Sketch(Shot(miniature.name(), key, news=news), film["alt"][key], news["steps"][-1], ready))
    return FirstView(miniature.INTRODUCTION, sketches, miniature.HEIGHT)


#: By the name of the page. That of Train needs torch, and adds itself when it has been loaded (kernlab.ui.sketches).
VIEWS: dict[str, Callable[[Mapping[str, str]], FirstView | None]] = {"home": _home}


def view_of(page: str, address: Mapping[str, str]) -> FirstView | None:
    """The first pictures of a page at an address; None where there are none, or the address is wrong."""
    try:
        return VIEWS[page](address) if page in VIEWS else None
    except KernlabError:  # the page itself says what
        return None


def routes(base: str) -> list[BaseRoute]:
    """The routes for ``st.App``."""
    return [Route(f"{base}/first/{{page}}", _answer)]


async def _answer(request: Request) -> Response:
    kept = {"Cache-Control": "no-store"}
    found = await asyncio.to_thread(view_of, request.path_params["page"], dict(request.query_params))
    if found is None:
        return Response(status_code=204, headers=kept)
    sketches = [each._asdict() | {"film": each.film._asdict()} for each in found.sketches]
    return JSONResponse(found._asdict() | {"sketches": sketches}, headers=kept)
