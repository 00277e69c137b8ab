"""How soon the Train page shows what would be trained: after its address was opened, and after a control was changed.

20 000 rows of a generator, ASKL, at 1440 × 900. Figures named ``busy`` are taken while another run trains.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.film import LONG, warm
from kernlab.bench.pages import button, chromium, serving
from kernlab.ui import landmarks

__all__ = ["preview"]

TURNS = 5
CHANGES = (1000, 500, 300, 700, 900)  # numbers of features, one after the other
VIEWPORT = {"width": 1440, "height": 900}
ADDRESS = "train?dataset=checkerboard&method=ASKL&n_samples=20000&n_features=2000"
_SHOWN = "density"  # a picture that every change of the map changes
_SEEN = f"document.querySelector('{landmarks.SEEN}')"  # a sketch of a picture is seen before Plotly's code has come


@BENCHMARKS.register("preview")
def preview() -> dict[str, Any]:
    """Seconds to the first preview, sketched and drawn, and from a change of D to a picture that follows it.

    The first browser has never been on the page; the same browser opens it again. Of the controls that a person
    changes one after the other, the first takes longest: what it needs is compiled by the browser then.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    with serving() as (url, _), chromium() as browser:
        warm(browser, url)
        _opened(browser, url)  # the data set is read once
        figures = _figures(browser, url)
        other = browser.new_page(viewport=VIEWPORT)  # what is out of view is not drawn
        other.goto(f"{url}/train?{LONG}")
        button(other, "Train").click()
        other.wait_for_function(f"{landmarks.points('objective')} > 0", timeout=60_000)
        other.close()
        return figures | {f"busy_{name}": value for name, value in _figures(browser, url).items()}


def _figures(browser: Any, url: str) -> dict[str, float]:
    turns = [_opened(browser, url) for _ in range(TURNS)]
    return {f"{name}_seconds": statistics.median(turn[name] for turn in turns) for name in turns[0]}


def _opened(browser: Any, url: str) -> dict[str, float]:
    context = browser.new_context(viewport=VIEWPORT)
    seconds = {}
    for name in ("first", "again"):  # again: by a browser that has been on the page before
        page = context.new_page()
        begun = time.perf_counter()
        page.goto(f"{url}/{ADDRESS}")
        page.wait_for_function(_SEEN, timeout=60_000, polling="raf")
        seconds[f"{name}_seen"] = time.perf_counter() - begun
        page.wait_for_function(f"{landmarks.draws(_SHOWN)} > 0", timeout=60_000)
        seconds[name] = time.perf_counter() - begun
        if name == "first":
            page.close()
    page.wait_for_function(landmarks.RESTED, timeout=60_000)
    turns = [_changed(page, features) for features in CHANGES]
    seconds |= {"first_control": turns[0], "control": statistics.median(turns)}
    context.close()
    return seconds


def _changed(page: Any, features: int) -> float:
    """Seconds from another number of features to a density that shows it."""
    box = page.get_by_role("combobox", name="Features D")
    box.fill(str(features))
    before = page.evaluate(landmarks.draws(_SHOWN))
    begun = time.perf_counter()
    box.press("Enter")
    page.wait_for_function(f"{landmarks.draws(_SHOWN)} > {before}", timeout=60_000, polling="raf")
    seconds = time.perf_counter() - begun
    page.wait_for_function(landmarks.RESTED, timeout=60_000)
    return seconds
