"""A finished run as a film in a real browser: how soon it can be scrubbed, how fast it follows, and how fast it plays.

A run of ASKL on digits with 2000 features and about 65 snapshots, none of which has been drawn, on the Train page at
1440 × 900, opened by a browser that has never been there. ``seen``: the first picture, at least as a sketch;
``coarse``: a slider, and every eighth moment of the pictures in view; ``picture``: the first that Plotly has drawn;
``whole``: every moment. Figures named ``again`` are those of a browser that has, with a profile on the disk; those
named ``busy`` are taken in it while another run trains.
"""

from __future__ import annotations

import statistics
from typing import Any

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.pages import VIEWPORT, VISITS, button, chromium, profiled, serving, stored
from kernlab.runs.store import Store
from kernlab.ui import landmarks

__all__ = ["BESIDE", "film", "warm"]

EPOCHS, DRAGS = 190, 24
BESIDE = "dataset=digits&method=ASKL&n_features=200&epochs=100000&validation=0"  # the run that trains meanwhile


@BENCHMARKS.register("film")
def film() -> dict[str, Any]:
    """Seconds until a run can be scrubbed coarsely and wholly, milliseconds behind the slider, moments a second.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    with serving() as (url, home), chromium() as browser:
        run_id = stored(home, "ASKL", "digits", n_features=2000, epochs=EPOCHS, validation=0, compile="off")
        address = f"{url}/train?run={run_id}"
        warm(browser, url)
        with Store(home) as store:
            figures: dict[str, Any] = {"snapshots": len(store.snapshots(run_id).steps)}
        context = browser.new_context(viewport=VIEWPORT)
        page = context.new_page()
        figures |= _open(page, address)
        figures |= _behind(page)
        context.close()
        with profiled(browser, viewport=VIEWPORT) as context:
            for _ in range(VISITS):
                page = context.new_page()
                _open(page, address)
                page.close()
            page = context.new_page()
            figures |= {f"again_{name}": seconds for name, seconds in _open(page, address).items()}
            other = context.new_page()
            other.goto(f"{url}/train?{BESIDE}")
            button(other, "Train").click()
            other.wait_for_function(f"{landmarks.points('objective')} > 0", timeout=60_000)
            other.close()
            page.bring_to_front()
            figures |= {f"busy_{name}": value for name, value in _behind(page).items()}
    return figures


def warm(browser: Any, url: str) -> None:
    """Let the server load all it needs: the film of the Home page plays."""
    page = browser.new_page()
    page.goto(url)
    page.locator(landmarks.DRAWN).first.wait_for(timeout=120_000)
    page.close()


def _open(page: Any, address: str) -> dict[str, float]:
    """Seconds from the address to each part of the film, as the page itself sees them."""
    page.add_init_script(landmarks.OPENED)
    page.goto(address)
    page.wait_for_function("kernlabOpened.whole && kernlabOpened.picture", timeout=120_000)
    return {f"{name}_seconds": each / 1000 for name, each in page.evaluate("kernlabOpened").items()}


def _behind(page: Any) -> dict[str, float]:
    """Milliseconds until every picture in view follows the slider, and moments a second of Play."""
    page.wait_for_function(landmarks.WHOLE, timeout=120_000)
    drags = [page.evaluate(landmarks.DRAG, (place + 0.5) / DRAGS) for place in range(DRAGS)]
    page.locator(landmarks.TIME).focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Play").click()
    shown = page.evaluate(landmarks.PLAYED, 3000)
    page.get_by_role("button", name="Hold").click()
    return {"drag_milliseconds": statistics.median(drags), "moments_per_second": shown / 3}
