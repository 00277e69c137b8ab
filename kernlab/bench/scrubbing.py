"""Looking into a wide run: what its snapshots take on the disk, and how soon every picture follows the slider.

A run of ASKL with 2000 features of 784 inputs, on a real server in a real browser. Each page is opened from another
one, until its first picture is drawn. Then its slider is moved by the keyboard, until the first picture has been drawn
anew (it answers) and until the last one has.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.browsing import chromium, serving
from kernlab.training.trainer import milestones
from kernlab.ui import landmarks

__all__ = ["scrubbing"]

MOVES, OPENED = 7, 3
EPOCHS, STEPS = 190, 1875  # of an hour on 60 000 rows in batches of 32, at 10 ms a step
PAGES = ("spectrum", "kernel", "bounds")


@BENCHMARKS.register("scrubbing")
def scrubbing() -> dict[str, Any]:
    """Bytes of a run and seconds of a move on each page that looks inside it.

    Raises:
        AppError: there is no Playwright or no Chromium here.
    """
    with serving() as (url, home), chromium() as browser:
        run_id = _run(home)
        figures: dict[str, Any] = _sizes(home, run_id)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        for name in PAGES:
            opened = [_opened(page, url, name) for _ in range(OPENED + 1)][1:]  # the first one loads the code
            page.goto(f"{url}/{name}?run={run_id}&at=1")
            page.locator(landmarks.DRAWN).first.wait_for(timeout=60_000)
            page.wait_for_timeout(4000)
            moves = _moves(page)
            figures[f"{name}_first_picture_seconds"] = statistics.median(opened)
            figures[f"{name}_answers_seconds"] = statistics.median(first for first, _ in moves)
            figures[f"{name}_all_drawn_seconds"] = statistics.median(last for _, last in moves)
        page.close()
    return figures


def _run(home: Path) -> str:
    """A short run of the shape; returns its id."""
    from kernlab.runs.store import Store
    from kernlab.spec import RunSpec
    from kernlab.training.trainer import train

    spec = RunSpec.of("ASKL", "shell", dimension=784, n_samples=4000, n_features=2000, epochs=4, batch_size=64)
    with Store(home) as store:
        run_id = store.create(spec.to_dict())
        with store.writer(run_id) as writer:
            for event in train(spec):
                writer.write(event)
    return run_id


def _sizes(home: Path, run_id: str) -> dict[str, Any]:
    """Megabytes: of a snapshot, and of a run of an hour with all that is kept of it."""
    from kernlab.runs.store import Store

    with Store(home) as store:
        folder = store.folder(run_id)
        shots = [file.stat().st_size for file in (folder.path / "snapshots").iterdir()]
        rest = sum(file.stat().st_size for file in folder.path.iterdir() if file.is_file())
    from kernlab.training.measure import RUN_BYTES, SNAPSHOT_BYTES

    looks = len(milestones(EPOCHS * STEPS, STEPS))
    each = statistics.mean(shots) - SNAPSHOT_BYTES + min(SNAPSHOT_BYTES, RUN_BYTES // looks)
    return {
        "snapshot_megabytes": statistics.mean(shots) / 1e6,
        "hour_snapshots": looks,
        "hour_megabytes": (each * looks + rest) / 1e6,
    }


def _opened(page: Any, url: str, name: str) -> float:
    """Seconds from a click on the page's name to its first picture."""
    page.goto(f"{url}/runs")
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_timeout(1500)
    begun = time.perf_counter()
    page.get_by_role("link", name=name.capitalize(), exact=True).click()
    page.wait_for_function(f"document.querySelector('{landmarks.DRAWN}')", polling="raf", timeout=60_000)
    return time.perf_counter() - begun


def _moves(page: Any) -> list[tuple[float, float]]:
    """Seconds of every move, to the first and to the last picture."""
    slider = page.get_by_role("slider").first
    found = []
    for number in range(MOVES + 1):
        slider.focus()
        following = page.evaluate_handle(f"() => ({{ done: ({landmarks.FOLLOW})() }})")
        slider.press("PageUp" if number % 2 else "PageDown")  # between two snapshots
        first, last = page.evaluate("handle => handle.done", following)
        if number and last is not None:  # the first one loads what was never loaded
            found.append((first / 1000, last / 1000))
    return found or [(float("nan"), float("nan"))]
