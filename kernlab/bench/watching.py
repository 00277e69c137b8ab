"""What a watching page costs the training, and how soon the first point is on the screen.

A real server, a real browser (Chromium through Playwright, of the ``test`` extra) and a real run. The
same run is watched and left alone in turns, so that both see the same machine; a second one, whose snapshots come
every two seconds, is watched on the pages that look inside.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.browsing import chromium, serving
from kernlab.ui import landmarks

__all__ = ["watching"]

TURNS, SECONDS = 5, 6.0  # turns of watching and leaving alone, and the length of each
INSIDE_TURNS, INSIDE_SECONDS = 3, 16.0  # on pages that look the more seldom, the longer they take to draw
CLICKS = 5
LONG = "dataset=digits&method=ASKL&epochs=100000"
LOOKED_AT = "dataset=shell&method=ASKL&n_samples=10000&epochs=2000"  # a snapshot every two or three seconds
INSIDE = ("spectrum", "kernel", "bounds")
CURVE = f"{landmarks.points('objective')} > 0"


@BENCHMARKS.register("watching")
def watching() -> dict[str, Any]:
    """Training speed with and without a page, and seconds from the click to the first point.

    Raises:
        AppError: there is no Playwright or no Chromium here.
    """
    with serving() as (url, home), chromium() as browser:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        first = [_first_point(context, url, seed) for seed in range(CLICKS + 1)][1:]  # the first one warms the server
        page = context.new_page()
        speeds = _speeds(page, url, home, LONG, ("train",), TURNS, SECONDS)["train"]
        inside = _speeds(page, url, home, LOOKED_AT, INSIDE, INSIDE_TURNS, INSIDE_SECONDS)
        page.close()
        context.close()
    alone, watched = (statistics.median(values) for values in speeds)
    return {
        "first_point_seconds": statistics.median(first),
        "first_point_slowest": max(first),
        "alone_steps_per_second": alone,
        "watched_steps_per_second": watched,
        "slowed_by_percent": _slowed(*speeds),
        **{f"{name}_slowed_by_percent": _slowed(*values) for name, values in inside.items()},
    }


def _slowed(alone: list[float], watched: list[float]) -> float:
    return 100 * (1 - statistics.median(w / a for a, w in zip(alone, watched, strict=True)))


def _first_point(context: Any, url: str, seed: int) -> float:
    """Seconds from the click on Train to a point of the objective on the screen."""
    page = context.new_page()
    page.goto(f"{url}/train?dataset=digits&method=ASKL&seed={seed}")
    button = _button(page, "Train")
    button.wait_for()
    page.wait_for_timeout(1500)
    begun = time.perf_counter()
    button.click()
    page.wait_for_function(CURVE, timeout=30_000, polling="raf")
    seconds = time.perf_counter() - begun
    _button(page, "Stop").click()
    page.get_by_text("Stopped").first.wait_for()
    page.close()
    return seconds


def _speeds(
    page: Any, url: str, home: Path, scene: str, names: tuple[str, ...], turns: int, seconds: float
) -> dict[str, tuple[list[float], list[float]]]:
    """Steps per second of one run, left alone and watched on each of the pages, in turns."""
    from kernlab.runs.store import Store

    page.goto(f"{url}/train?{scene}")
    _button(page, "Train").click()
    page.wait_for_function(CURVE, timeout=30_000)
    address = page.url
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    with Store(home) as store:
        (run,) = store.list(status="running")
        for name in [*names] * turns:
            alone, watched = found[name]
            page.goto("about:blank")
            alone.append(_speed(store, run.id, seconds))
            page.goto(f"{url}/{name}?run={run.id}")
            page.locator(landmarks.DRAWN).first.wait_for(timeout=30_000)
            watched.append(_speed(store, run.id, seconds))
    page.goto(address)
    _button(page, "Stop").click()
    page.get_by_text("Stopped").first.wait_for()
    return found


def _speed(store: Any, run_id: str, seconds: float) -> float:
    time.sleep(1.0)  # the page has come or gone
    before = store.get(run_id)
    time.sleep(seconds)
    after = store.get(run_id)
    return float((after.step - before.step) / (after.seconds - before.seconds))


def _button(page: Any, name: str) -> Any:
    return page.locator(landmarks.BUTTONS).get_by_role("button", name=name, exact=True)
