"""The Kernel lab under a hand: what a frame takes while a density, a point or a joint density is dragged.

The lab at 1440 × 900 with 150 points. Chromium's mouse is pressed and moved 90 times, each time once the frame of the
movement before has been drawn. Every such frame is timed from its first callback until the page's thread is free again:
all that the page computes and draws, and the browser's own layout and paint, but not the wait for the screen.

work      milliseconds that computing and drawing take alone
frame     milliseconds of the whole frame, on the thread of the page
cpu       milliseconds of processor time of that thread, a frame in the mean, with all that the measurement itself
          costs; what else the machine does hardly changes it
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.film import warm
from kernlab.bench.pages import VIEWPORT, chromium, serving

__all__ = ["lab", "ticks"]

POINTS, MOVES = 150, 90
_DENSITY, _FIT = ".kl-lab canvas[aria-label^=Spectral]", ".kl-lab canvas[aria-label^=Points]"
#: What is dragged: the address, the canvas, and where the hand begins and how far it goes, in shares of the canvas.
DRAGS = {
    "density": (f"lab?data=sines&n={POINTS}", _DENSITY, (0.15, 0.3), (0.75, 0.5)),
    "point": (f"lab?data=sines&n={POINTS}", _FIT, (0.1, 0.1), (0.8, 0.6)),
    "pairs": (f"lab?view=pairs&data=sines&n={POINTS}", _DENSITY, (0.35, 0.25), (0.25, 0.45)),
    "pairs_point": (f"lab?view=pairs&data=sines&n={POINTS}", _FIT, (0.1, 0.1), (0.8, 0.6)),
}

#: Keeps, for every frame in which the lab was drawn, what its work took, and the time from the frame's first callback
#: until the thread is free again.
_WATCH = """() => {
  const lab = document.querySelector('.kl-lab');
  let frames = lab.dataset.frames;
  window.frames_seen = [];
  const turn = () => {
    const begun = performance.now();
    scheduler.postTask(() => {
      if (lab.dataset.frames !== frames) window.frames_seen.push([Number(lab.dataset.took), performance.now() - begun]);
      frames = lab.dataset.frames;
    }, { priority: 'user-blocking' });
    requestAnimationFrame(turn);
  };
  requestAnimationFrame(turn);
}"""


@BENCHMARKS.register("lab")
def lab(moves: int = MOVES) -> dict[str, Any]:
    """Median and longest milliseconds of a frame and of the work in it, for each kind of drag.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    figures: dict[str, Any] = {"points": POINTS, "moves": moves}
    with serving() as (url, _), chromium() as browser:
        warm(browser, url)
        for name, (address, canvas, start, way) in DRAGS.items():
            page = browser.new_page(viewport=VIEWPORT)
            page.goto(f"{url}/{address}")
            page.locator(".kl-lab[data-frames]").wait_for(timeout=120_000)
            page.wait_for_timeout(2000)  # until the page's other scripts have come
            cpu = ticks(page)
            begun, before = cpu(), _frames(page)
            frames = _dragged(page, canvas, start, way, moves)
            figures[f"{name}_cpu_milliseconds"] = 1000 * (cpu() - begun) / max(1, _frames(page) - before)
            for place, what in enumerate(("work", "frame")):
                taken = [frame[place] for frame in frames]
                figures[f"{name}_{what}_milliseconds"] = statistics.median(taken)
                figures[f"{name}_{what}_longest"] = max(taken)
            page.close()
    return figures


def ticks(page: Any) -> Callable[[], float]:
    """A function for the processor seconds of the page's thread."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cpu() -> float:
        metrics = {each["name"]: each["value"] for each in protocol.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"])

    return cpu


def _frames(page: Any) -> int:
    """How many frames the lab has drawn."""
    return int(page.locator(".kl-lab").get_attribute("data-frames"))


def _dragged(
    page: Any, canvas: str, start: tuple[float, float], way: tuple[float, float], moves: int
) -> list[tuple[float, float]]:
    """Work and whole length of every frame of a drag there and back, in milliseconds."""
    box = page.locator(canvas).bounding_box()

    def at(share: float) -> tuple[float, float]:
        return (
            box["x"] + (start[0] + share * way[0]) * box["width"],
            box["y"] + (start[1] + share * way[1]) * box["height"],
        )

    page.mouse.move(*at(0))
    page.mouse.down()
    for turn in range(10):  # the compiler of the browser needs some rounds
        page.mouse.move(*at(turn / 40))
    page.evaluate(_WATCH)
    for move in range(moves):
        there = 2 * move / moves
        page.mouse.move(*at(min(there, 2 - there)))
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    found: list[tuple[float, float]] = page.evaluate("window.frames_seen")
    page.mouse.up()
    return found
