"""Looking into a wide run: what its snapshots take on the disk, and how soon every picture follows the slider.

A run of ASKL with 2000 features of 784 inputs, on a real server in a real browser. The slider is moved by the
keyboard, and the clock stops when the last picture of the page has been drawn anew.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.browsing import chromium, serving
from kernlab.training.trainer import milestones

__all__ = ["scrubbing"]

MOVES = 7
EPOCHS, STEPS = 190, 1875  # of an hour on 60 000 rows in batches of 32, at 10 ms a step
PAGES = ("spectrum", "kernel", "bounds")

#: Milliseconds from a key to the last picture that was drawn because of it, or none within three seconds.
FOLLOW = """key => new Promise(done => {
  const begun = performance.now();
  let last = null;
  const seen = new MutationObserver(() => { last = performance.now() - begun; });
  document.querySelectorAll('.kl-chart').forEach(
    chart => seen.observe(chart, { attributes: true, attributeFilter: ['data-drawn'] }));
  setTimeout(() => { seen.disconnect(); done(last); }, 3000);
})"""


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
            page.goto(f"{url}/{name}?run={run_id}&at=1")
            page.locator(".kl-chart[data-drawn]").first.wait_for(timeout=60_000)
            page.wait_for_timeout(4000)
            seconds = _moves(page)
            figures |= {f"{name}_seconds": statistics.median(seconds), f"{name}_slowest": max(seconds)}
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


def _moves(page: Any) -> list[float]:
    """Seconds of every move."""
    slider = page.get_by_role("slider").first
    found = []
    for number in range(MOVES + 1):
        slider.focus()
        following = page.evaluate_handle(f"() => ({{ done: ({FOLLOW})() }})")
        slider.press("PageUp" if number % 2 else "PageDown")  # between two snapshots
        milliseconds = page.evaluate("handle => handle.done", following)
        if number and milliseconds is not None:  # the first one loads what was never loaded
            found.append(milliseconds / 1000)
    return found or [float("nan")]
