"""A server and a page that go on for long: what a hundred runs leave in memory, and what a page gathers in ten minutes.

runs        A run of digits is started from the page and finishes, each time on a page that is opened for it. Megabytes
            of the server and of the process that draws, after ten runs and after a hundred.
page        One page follows a run. Megabytes of its JavaScript objects and the number of its DOM nodes, each after a
            garbage collection, after a minute and ten minutes later.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.pages import CURVE, VIEWPORT, button, chromium, serving
from kernlab.errors import AppError
from kernlab.runs.store import Store
from kernlab.ui import landmarks

__all__ = ["lasting"]

RUNS, EARLY = 100, 10
MINUTES, FIRST = 10.0, 1.0
PATIENCE = 120_000  # milliseconds for a page, a picture or a run
SHORT = "dataset=digits&method=ASKL&epochs=5&validation=0"
LONG = "dataset=digits&method=ASKL&epochs=20000&validation=0"


@BENCHMARKS.register("lasting")
def lasting(runs: int = RUNS, minutes: float = MINUTES) -> dict[str, Any]:
    """Memory of the server and of the process that draws, of a page's objects, and its nodes: early, and later.

    Args:
        runs: how many are trained, more than ten.
        minutes: how long the page is watched after its first minute.

    Raises:
        AppError: Playwright, Chromium or psutil is not installed, or the watched run ended early.
    """
    with serving() as (url, home), chromium() as browser:
        context = browser.new_context(viewport=VIEWPORT)
        context.set_default_timeout(PATIENCE)
        figures = {
            "runs": runs,
            "minutes": minutes,
            **_ran(context, url, runs),
            **_watched(context, url, home, minutes),
        }
        context.close()
    return figures


def _ran(context: Any, url: str, runs: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for number in range(1, runs + 1):
        page = context.new_page()
        page.goto(f"{url}/train?{SHORT}&seed={number}")
        page.locator(landmarks.DRAWN).first.wait_for()
        button(page, "Train").click()
        page.locator(landmarks.PROGRESS, has_text="Finished").wait_for()
        page.wait_for_function(landmarks.RESTED)
        page.close()
        if number in (EARLY, runs):
            when = "early" if number == EARLY else "late"
            found |= {f"{name}_{when}_megabytes": value for name, value in _memory(url).items()}
    return found


def _memory(url: str) -> dict[str, float]:
    """Megabytes in memory: of the server of that address, and of its largest child, which draws."""
    try:
        import psutil
    except ImportError:
        raise AppError("this benchmark needs psutil", "no psutil", "install kernlab[test]") from None
    port = url.rpartition(":")[2]
    (server,) = (each for each in psutil.Process().children() if each.cmdline()[-1:] == [port])
    sizes = {"server": server.memory_info().rss, "drawing": max(each.memory_info().rss for each in server.children())}
    return {name: size / 1e6 for name, size in sizes.items()}


def _watched(context: Any, url: str, home: Path, minutes: float) -> dict[str, float]:
    page = context.new_page()
    page.goto(f"{url}/train?{LONG}")
    page.locator(landmarks.DRAWN).first.wait_for()
    button(page, "Train").click()
    page.wait_for_function(CURVE)
    devtools = context.new_cdp_session(page)
    devtools.send("Performance.enable")
    found: dict[str, float] = {}
    for when, wait in (("early", FIRST), ("late", minutes)):
        page.wait_for_timeout(60_000 * wait)
        with Store(home) as store:
            if not store.list(status="running"):
                raise AppError("the run must go on while its page is watched", "it has ended", "watch for less time")
        devtools.send("HeapProfiler.collectGarbage")
        now = {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}
        found |= {f"heap_{when}_megabytes": now["JSHeapUsedSize"] / 1e6, f"nodes_{when}": now["Nodes"]}
    return found
