"""How soon the Train page shows what would be trained: after its address was opened, and after a control was changed.

20 000 rows of a generator, ASKL, at 1440 × 900. Figures named ``busy`` are taken while another run trains.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.film import LONG, warm
from kernlab.bench.pages import chromium, serving
from kernlab.ui import landmarks

__all__ = ["preview"]

TURNS = 5
VIEWPORT = {"width": 1440, "height": 900}
ADDRESS = "train?dataset=checkerboard&method=ASKL&n_samples=20000&n_features=2000"
_SHOWN = "density"  # a picture that every change of the map changes


@BENCHMARKS.register("preview")
def preview() -> dict[str, Any]:
    """Seconds to the first preview in a fresh browser, and from a change of D to a picture that follows it.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    with serving() as (url, _), chromium() as browser:
        warm(browser, url)
        _opened(browser, url)  # the data set is read once
        figures = _figures(browser, url)
        other = browser.new_page(viewport=VIEWPORT)  # what is out of view is not drawn
        other.goto(f"{url}/train?{LONG}")
        other.locator(landmarks.BUTTONS).get_by_role("button", name="Train", exact=True).click()
        other.wait_for_function(f"{landmarks.points('objective')} > 0", timeout=60_000)
        other.close()
        return figures | {f"busy_{name}": value for name, value in _figures(browser, url).items()}


def _figures(browser: Any, url: str) -> dict[str, float]:
    opened, followed = zip(*(_opened(browser, url) for _ in range(TURNS)), strict=True)
    return {"first_seconds": statistics.median(opened), "control_seconds": statistics.median(followed)}


def _opened(browser: Any, url: str) -> tuple[float, float]:
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(f"{url}/{ADDRESS}")
    page.wait_for_function(f"{landmarks.draws(_SHOWN)} > 0", timeout=60_000)
    opened = time.perf_counter() - begun
    page.wait_for_function(landmarks.RESTED, timeout=60_000)
    box = page.get_by_role("combobox", name="Features D")
    box.fill(str(1000))
    before = page.evaluate(landmarks.draws(_SHOWN))
    begun = time.perf_counter()
    box.press("Enter")
    page.wait_for_function(f"{landmarks.draws(_SHOWN)} > {before}", timeout=60_000, polling="raf")
    followed = time.perf_counter() - begun
    context.close()
    return opened, followed
