"""The Learn page on a warm server: how soon a lesson's first picture is there, and how soon it answers a slider.

Every lesson is opened by a click on its entry in the list, timed until its picture has been drawn. Then keys move each
of its sliders through values that nobody has asked for yet, timed from the key until the picture has been drawn anew.

picture   seconds from the click to the first picture
answer    seconds from a key to the new picture, median and longest
server    milliseconds of processor time that one answer costs alone, numbers and figure, with nothing kept
browser   milliseconds of processor time of the page's thread, an answer in the mean
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.film import warm
from kernlab.bench.lab import ticks
from kernlab.bench.pages import VIEWPORT, chromium, serving

__all__ = ["ANSWERED", "answers", "first_picture", "lessons"]

TURNS, CHANGES = 3, 4

#: Milliseconds from the next key until the picture of a lesson has been drawn anew; NaN where it stays the same.
ANSWERED = """lesson => new Promise(done => {
  const chart = document.querySelector(`.st-key-lesson-${lesson} .kl-chart`);
  let begun;
  setTimeout(() => done(NaN), 5000);
  document.addEventListener('keydown', () => { begun = performance.now(); }, { capture: true, once: true });
  const seen = new MutationObserver(() => {
    if (begun === undefined) return;
    seen.disconnect();
    done(performance.now() - begun);
  });
  seen.observe(chart, { attributes: true, attributeFilter: ['data-drawn'] });
})"""


@BENCHMARKS.register("lessons")
def lessons(keys: tuple[str, ...] = ()) -> dict[str, Any]:
    """Figures of every lesson, and the slowest of them.

    Args:
        keys: only these lessons.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    from kernlab.lessons import shelf

    figures: dict[str, Any] = {}
    known = {key: lesson for key, lesson in shelf().lessons.items() if key in (keys or shelf().lessons)}
    with serving() as (url, _), chromium() as browser:
        warm(browser, url)
        page = browser.new_page(viewport=VIEWPORT)
        page.goto(f"{url}/learn?lesson={next(iter(known))}")
        page.locator(".kl-chart[data-drawn]").wait_for(timeout=120_000)  # the code of lessons and of pictures is loaded
        cpu = ticks(page)
        for key, lesson in known.items():
            opened = [first_picture(page, url, key) for _ in range(TURNS)]
            page.goto(f"{url}/learn?lesson={key}&step=answer")
            page.locator(".st-key-lesson-tries").wait_for(timeout=60_000)
            page.locator(f".st-key-lesson-{key} .kl-chart[data-drawn]").wait_for(timeout=60_000)
            page.wait_for_timeout(1000)  # until the page's other scripts have come
            before = cpu()
            found = list(answers(page, key, CHANGES))
            each = (cpu() - before) / len(found)
            figures |= {
                f"{key}_picture_seconds": statistics.median(opened),
                f"{key}_answer_seconds": statistics.median(found),
                f"{key}_answer_longest": max(found),
                f"{key}_server_milliseconds": 1000 * statistics.median(_costs(lesson)),
                f"{key}_browser_milliseconds": 1000 * each,
            }
        page.close()
    slowest = {name: max(figures[f"{key}_{name}"] for key in known) for name in ("picture_seconds", "answer_seconds")}
    return figures | {f"slowest_{name}": value for name, value in slowest.items()}


def first_picture(page: Any, url: str, key: str) -> float:
    """Seconds from a click on a lesson in the list to its picture."""
    page.goto(f"{url}/learn")
    link = page.locator(f".stMain .st-key-lesson-{key} a")
    link.wait_for(timeout=60_000)
    page.wait_for_timeout(500)
    begun = time.perf_counter()
    link.click()
    there = f"document.querySelector('.st-key-lesson-picture .st-key-lesson-{key} .kl-chart[data-drawn]')"
    page.wait_for_function(there, polling="raf", timeout=60_000)
    return time.perf_counter() - begun


def answers(page: Any, key: str, changes: int) -> Iterator[float]:
    """Seconds from a key on each slider of an open answer to the new picture, so many times each."""
    sliders = page.locator(".st-key-lesson-picture").get_by_role("slider")
    for place in range(sliders.count()):
        sliders.nth(place).focus()
        way = "ArrowRight"
        for _ in range(changes):
            way = "ArrowLeft" if sliders.nth(place).evaluate("each => each.value === each.max") else way
            following = page.evaluate_handle(f"lesson => ({{ done: ({ANSWERED})(lesson) }})", key)
            page.keyboard.press(way)
            if not math.isnan(found := page.evaluate("handle => handle.done", following)):
                yield found / 1000


def _costs(lesson: Any) -> Iterator[float]:
    """Processor seconds of the answer at each value of each slider, computed and drawn anew."""
    from kernlab.ui.chart import to_json

    made = lesson.computation
    for slider in made.sliders:
        for value in slider.values:
            values = {**lesson.values, slider.key: value}
            begun = time.process_time()
            to_json(made.draw(made.numbers(**values), True, None))
            yield time.process_time() - begun
