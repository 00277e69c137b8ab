"""Many pages on one run, and Play, while a comparison works on all cores.

follow      twenty pages at once are opened on a run that trains; each has to draw a curve, and then a point more
play        a finished run is played fifty times from its start; each time it has to reach its end

Both are done twice: with the training alone, and beside a comparison (figures named ``busy``).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.film import warm
from kernlab.bench.pages import CURVE, VIEWPORT, button, chromium, serving, stored
from kernlab.compare import Comparison
from kernlab.data import DataSpec
from kernlab.errors import AppError
from kernlab.jobs import Jobs
from kernlab.ui import landmarks

__all__ = ["crowd"]

PAGES, PLAYS = 20, 50
PATIENCE = 300_000  # milliseconds for a curve
LONGEST = 60_000  # milliseconds of one Play
LIVE = "dataset=digits&method=ASKL&n_features=200&epochs=100000&validation=0&compile=off"


@BENCHMARKS.register("crowd")
def crowd(pages: int = PAGES, plays: int = PLAYS) -> dict[str, Any]:
    """Pages that follow a run, seconds until all of them do, errors in their consoles, and plays that reach their end.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    figures: dict[str, Any] = {"pages": pages, "plays": plays}
    with serving() as (url, home), chromium() as browser:
        warm(browser, url)
        finished = stored(home, "ASKL", "moons", n_features=20, n_samples=200, epochs=4, validation=0)
        context = browser.new_context(viewport=VIEWPORT)
        page = context.new_page()
        page.goto(f"{url}/train?{LIVE}")
        button(page, "Train").click()
        page.wait_for_function(CURVE, timeout=PATIENCE)
        live = page.url
        page.close()
        figures |= _followed(context, live, pages) | _played(context, f"{url}/train?run={finished}", plays)
        with comparing():
            busy = _followed(context, live, pages) | _played(context, f"{url}/train?run={finished}", plays)
        context.close()
    return figures | {f"busy_{name}": value for name, value in busy.items()}


@contextmanager
def comparing() -> Iterator[None]:
    """A comparison with a process on every core, which goes on until it is left."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(Path(folder))
        data = tuple(DataSpec.build(dataset=name) for name in ("digits", "moons"))
        id = jobs.comparisons.start(Comparison(("ASKL", "NSK"), data, repeats=1000, options={"validation": 0}))
        try:
            while not (now := jobs.comparisons.snapshot(id)).done:
                if not now.live:
                    raise AppError("the comparison must go on while pages are measured", now.error, "try again")
                time.sleep(0.2)
            yield
        finally:
            jobs.shutdown()


def _followed(context: Any, address: str, pages: int) -> dict[str, Any]:
    from playwright.sync_api import TimeoutError

    trouble: list[str] = []
    opened, following, begun = [], 0, time.perf_counter()
    for _ in range(pages):
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: trouble.extend([message.text] if message.type == "error" else []))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(address, wait_until="commit")
        opened.append(page)
    for page in opened:
        try:
            page.wait_for_function(CURVE)
            page.wait_for_function(f"{landmarks.points('objective')} > {page.evaluate(landmarks.points('objective'))}")
            following += 1
        except TimeoutError:
            continue
    seconds = time.perf_counter() - begun
    for page in opened:
        page.close()
    return {"following": following, "follow_seconds": seconds, "console_errors": len(trouble)}


def _played(context: Any, address: str, plays: int) -> dict[str, Any]:
    from playwright.sync_api import TimeoutError

    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_function(landmarks.WHOLE)
    ended = 0
    for _ in range(plays):
        page.locator(landmarks.TIME).focus()
        page.keyboard.press("Home")
        page.get_by_role("button", name="Play").click()
        try:
            page.wait_for_function(landmarks.ENDED, timeout=LONGEST)
            ended += 1
        except TimeoutError:
            page.get_by_role("button", name="Hold").click()
    page.close()
    return {"plays_ended": ended}
