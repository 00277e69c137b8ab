"""A fresh browser opens each page of a warm server: the seconds until its heading and until Home's first picture.

A heading is first seen in the document itself (kernlab.ui.firstview); figures named ``own`` are those of the one that
Streamlit draws in its place. The baseline is a page of ``st.title`` alone, on a server of its own. In every turn it is
opened beside each page, in an alternating order, each time by a new profile of the browser, whose cache is empty. What
is seen has been painted.
"""

from __future__ import annotations

import statistics
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.pages import VIEWPORT, chromium, serving, stored
from kernlab.ui import landmarks
from kernlab.ui.pages import PAGES

__all__ = ["opening"]

BARE = 'import streamlit as st\n\nst.title("Bare")\n'
TURNS = 5

#: Notes when something is first seen: in milliseconds since the address was entered, at the frame after its own.
_WATCH = f"""(() => {{
  const seen = window.kernlabSeen = {{}}, wanted = {{
    heading: 'h1', own: '{landmarks.HEADING}', picture: '{landmarks.SEEN}', drawn: '{landmarks.DRAWN}',
  }};
  const look = () => {{
    for (const [name, where] of Object.entries(wanted)) {{
      if (seen[name] || !document.querySelector(where)?.clientHeight) continue;
      seen[name] = Infinity;
      requestAnimationFrame(() => {{ seen[name] = performance.now(); }});
    }}
    requestAnimationFrame(look);
  }};
  look();
}})()"""


@BENCHMARKS.register("opening")
def opening() -> dict[str, Any]:
    """Seconds until the heading of every page and of a bare one, and Home's first picture, with their ratios.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    names = [page.name for page in PAGES]
    with chromium() as browser, serving(BARE) as (bare, _), serving() as (url, home):
        stored(home, "ASKL", "digits", n_features=200, epochs=4, validation=0, compile="off")  # to look inside
        addresses = {name: f"{url}/{'' if name == 'home' else name}" for name in names}
        for address in (bare, *addresses.values()):
            _opened(browser, address)
        _opened(browser, addresses["home"], "picture")
        own = {name: f"{name}_own" for name in names}
        ratios: dict[str, list[float]] = {name: [] for name in ("home_picture", *names, *own.values())}
        seconds: dict[str, list[float]] = {"bare": [], **{name: [] for name in ratios}}
        for turn in range(TURNS):
            baseline = []
            for place, name in enumerate(names):
                pair = [(bare, ["own"]), (addresses[name], ["own", "picture"] if name == "home" else ["own"])]
                for address, wanted in pair if (turn + place) % 2 else reversed(pair):
                    found = _opened(browser, address, *wanted)
                    if address == bare:
                        baseline.append(found["own"])
                    else:
                        shown = found
                seconds[name].append(shown["heading"])
                seconds[own[name]].append(shown["own"])
                if name == "home":
                    seconds["home_picture"].append(shown["picture"])
            seconds["bare"] += baseline
            middle = statistics.median(baseline)
            for name, values in ratios.items():
                values.append(seconds[name][-1] / middle)
    figures = {f"{name}_seconds": statistics.median(values) for name, values in seconds.items()}
    figures |= {f"{name}_over_bare": statistics.median(values) for name, values in ratios.items()}
    return {**figures, "first_start_picture_seconds": _first_start()}


def _first_start() -> float:
    """Seconds until Home's first picture, from the moment at which a server with an empty folder answers."""
    found = []
    with chromium() as browser:
        for _ in range(3):
            with serving() as (url, _):
                found.append(_opened(browser, url, "picture")["picture"])
    return statistics.median(found)


def _opened(browser: Any, address: str, *wanted: str) -> dict[str, float]:
    """The seconds after which a new profile of the browser sees what it waits for, and all that it saw before."""
    context = browser.new_context(viewport=VIEWPORT)
    context.add_init_script(_WATCH)
    page = context.new_page()
    page.goto(address, wait_until="commit")
    for what in wanted or ("own",):
        page.wait_for_function(f"Number.isFinite(window.kernlabSeen?.{what})", timeout=60_000)
    seen = page.evaluate("window.kernlabSeen")
    context.close()
    return {name: value / 1000 for name, value in seen.items() if value is not None}
