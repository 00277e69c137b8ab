"""How soon the Train page shows what would be trained: after its address was opened, and after a control was changed.

20 000 rows of a generator, ASKL, at 1440 × 900. Figures named ``busy`` are taken while another run trains.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.film import BESIDE, warm
from kernlab.bench.pages import VIEWPORT, VISITS, button, chromium, profiled, serving
from kernlab.ui import landmarks

__all__ = ["preview"]

TURNS = 5
CHANGES = (1000, 500, 300, 700, 900)  # numbers of features, one after the other
ADDRESS = "train?dataset=checkerboard&method=ASKL&n_samples=20000&n_features=2000"
_SHOWN = "density"  # a picture that every change of the map changes
_SEEN = f"document.querySelector('{landmarks.SEEN}')"  # a sketch of a picture is seen before Plotly's code has come


@BENCHMARKS.register("preview")
def preview() -> dict[str, Any]:
    """Seconds to the first preview, sketched and drawn, and from a change of D to a picture that follows it.

    ``first`` is a browser that has never been on the page, ``again`` one that has, with a profile on the disk. Of the
    controls that a person changes one after the other, the first takes longest: what it needs is compiled by the
    browser then.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    with serving() as (url, _), chromium() as browser:
        warm(browser, url)
        with browser.new_context(viewport=VIEWPORT) as context:
            _opened(context, url)  # the data set is read once
        figures = _figures(browser, url)
        other = browser.new_page(viewport=VIEWPORT)  # what is out of view is not drawn
        other.goto(f"{url}/train?{BESIDE}")
        button(other, "Train").click()
        other.wait_for_function(f"{landmarks.points('objective')} > 0", timeout=60_000)
        other.close()
        return figures | {f"busy_{name}": value for name, value in _figures(browser, url).items()}


def _figures(browser: Any, url: str) -> dict[str, float]:
    first, again = [], []
    for _ in range(TURNS):
        with browser.new_context(viewport=VIEWPORT) as context:
            _, seconds = _opened(context, url)
            first.append({f"first{name}": value for name, value in seconds.items()})
    with profiled(browser, viewport=VIEWPORT) as context:
        for _ in range(VISITS):
            _opened(context, url)[0].close()
        for _ in range(TURNS):
            page, seconds = _opened(context, url)
            page.wait_for_function(landmarks.RESTED, timeout=60_000)
            changes = [_changed(page, features) for features in CHANGES]
            page.close()
            controls = {"first_control": changes[0], "control": statistics.median(changes)}
            again.append({f"again{name}": value for name, value in seconds.items()} | controls)
    return {
        f"{name}_seconds": statistics.median(turn[name] for turn in turns)
        for turns in (first, again)
        for name in turns[0]
    }


def _opened(context: Any, url: str) -> tuple[Any, dict[str, float]]:
    """A page with its preview, and the seconds until it was sketched (``_seen``) and drawn."""
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(f"{url}/{ADDRESS}")
    page.wait_for_function(_SEEN, timeout=60_000, polling="raf")
    seen = time.perf_counter() - begun
    page.wait_for_function(f"{landmarks.draws(_SHOWN)} > 0", timeout=60_000)
    return page, {"_seen": seen, "": time.perf_counter() - begun}


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
