"""Four runs side by side: what training in step costs, what the page costs the training, how fast the slider is.

in step     four runs on digits one after another, and the same four in step, in turns
page        four runs in step with their page open and without it, in turns; each has a point of its curves every
            second, and the browser, which has no GPU, draws on the cores of the training
slider      four finished runs on one page, 1440 × 900: from a change of the slider to the last picture in view
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from kernlab.bench.base import BENCHMARKS, in_turns, medians, ratio
from kernlab.bench.film import warm
from kernlab.bench.pages import VIEWPORT, button, chromium, serving, stored
from kernlab.jobs import Jobs
from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.ui import landmarks

__all__ = ["alive"]

ROUNDS, TURNS, SECONDS = 3, 8, 6.0
SETTLED = 2.0  # seconds in which the browser ends what it begins when a page has been opened or closed
DRAGS, EPOCHS = 12, 24
LIVELY = 3000  # epochs of runs that outlast the measurement, with points of their curves all the time
#: What tells the four runs apart.
FOUR: tuple[dict[str, Any], ...] = ({}, {"learned": False, "feature_norm": 0.0}, {"feature_map": "stationary"},
                                    {"n_features": 50})  # fmt: skip
PLAIN: dict[str, Any] = {"n_features": 400, "validation": 0, "compile": "off"}
PLACES = ("second", "third", "fourth")


def specs(epochs: int) -> list[RunSpec]:
    """The four runs."""
    return [RunSpec.of("ASKL", "digits", **{**PLAIN, "epochs": epochs, **own}) for own in FOUR]


@BENCHMARKS.register("alive")
def alive() -> dict[str, Any]:
    """Four runs in step to the four one after another, percent that the page costs, milliseconds of the slider.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    figures = in_step()
    with serving() as (url, home), chromium() as browser:
        warm(browser, url)
        page = browser.new_context(viewport=VIEWPORT).new_page()
        figures |= _watched(page, url, home)
        figures |= _dragged(page, url, home)
        page.context.close()
    return figures


def in_step(epochs: int = 10, rounds: int = ROUNDS) -> dict[str, Any]:
    """Seconds of four runs one after another and in step."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(Path(folder))
        trainings = jobs.trainings

        def one_after_another() -> None:
            for spec in specs(epochs):
                trainings.wait(trainings.submit(spec))

        def together() -> None:
            group = trainings.group()
            for run_id in [trainings.submit(spec, group=group) for spec in specs(epochs)]:
                trainings.wait(run_id)

        seconds = in_turns({"one_after_another": one_after_another, "in_step": together}, rounds)
        jobs.shutdown()
    return medians(seconds) | {"in_step_ratio": ratio(seconds["in_step"], seconds["one_after_another"])}


def _address(settings: Sequence[dict[str, Any]], runs: Sequence[str] = ()) -> str:
    """Of the Train page with these columns."""
    first, *others = ({key: _text(value) for key, value in each.items()} for each in settings)
    texts = {"dataset": "digits", "method": "ASKL", **first}
    for place, own in zip(PLACES, others, strict=True):
        texts[place] = urlencode({"method": "ASKL", **own})
    if runs:
        texts["run"] = runs[0]
        texts |= {f"{place}_run": run for place, run in zip(PLACES, runs[1:], strict=True)}
    return f"train?{urlencode(texts)}"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _settings(epochs: int) -> list[dict[str, Any]]:
    return [{**PLAIN, "epochs": epochs, **own} for own in FOUR]


def _watched(page: Any, url: str, home: Path) -> dict[str, Any]:
    """Steps a second of four runs in step, with and without their page, in turns."""
    page.goto(f"{url}/{_address(_settings(LIVELY))}")
    begin = button(page, "Train")
    begin.wait_for()
    page.wait_for_function(landmarks.RESTED, timeout=60_000)
    begin.click()
    page.wait_for_url(lambda address: "fourth_run=" in address)
    page.wait_for_function(f"{landmarks.points('objective')} > 0", timeout=60_000)
    address, alone, watched = page.url, [], []
    with Store(home) as store:
        runs = [run.id for run in store.list(status="running")]
        page.goto("about:blank")
        before = _speed(store, runs)
        for _ in range(TURNS):
            page.goto(address)
            page.locator(landmarks.DRAWN).first.wait_for(timeout=60_000)
            page.wait_for_function(landmarks.RESTED, timeout=60_000)
            watched.append(_speed(store, runs))
            page.goto("about:blank")
            after = _speed(store, runs)
            alone.append((before + after) / 2)
            before = after
    page.goto(address)
    button(page, "Stop").click()
    page.get_by_text("Stopped").first.wait_for()
    return {
        "alone_steps_per_second": statistics.median(alone),
        "watched_steps_per_second": statistics.median(watched),
        "slowed_by_percent": 100 * (1 - statistics.median(w / a for a, w in zip(alone, watched, strict=True))),
    }


def _speed(store: Store, runs: Sequence[str]) -> float:
    """Steps of all runs together a second."""
    time.sleep(SETTLED)
    begun = [store.get(run) for run in runs]
    time.sleep(SECONDS)
    ended = [store.get(run) for run in runs]
    # The step is that of the last commit: so is the time.
    return sum((b.step - a.step) / (b.updated - a.updated) for a, b in zip(begun, ended, strict=True))


def _dragged(page: Any, url: str, home: Path) -> dict[str, Any]:
    """Milliseconds until every picture in view of four runs follows the slider."""
    runs = [stored(home, "ASKL", "digits", **own) for own in _settings(EPOCHS)]
    page.goto(f"{url}/{_address(_settings(EPOCHS), runs)}")
    page.locator(landmarks.DRAWN).first.wait_for(timeout=60_000)
    page.wait_for_function(landmarks.RESTED, timeout=60_000)
    page.locator(".st-key-column-first").scroll_into_view_if_needed()
    page.mouse.move(900, 700)
    page.mouse.wheel(0, 350)  # curves and the first row of pictures
    page.wait_for_timeout(2000)
    page.wait_for_function(landmarks.WHOLE, timeout=120_000)
    drags = [page.evaluate(landmarks.DRAG, (place + 0.5) / DRAGS) for place in range(DRAGS)]
    seen = page.locator(".kl-seen").count()
    return {"slider_milliseconds": statistics.median(drags), "slider_slowest": max(drags), "slider_pictures": seen}
