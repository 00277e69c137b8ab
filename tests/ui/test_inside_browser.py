"""Spectrum, Kernel and Bounds in a real browser: scrubbed, compared and saved, while something trains."""

import io
import re
from pathlib import Path

import pytest
from browsing import choose, draws, picture, rested, until, visit
from PIL import Image, ImageChops

from kernlab.bench.pages import stored
from kernlab.ui import landmarks

pytestmark = pytest.mark.browser

#: A page and one of its pictures that changes with time.
PAGES = {"spectrum": "density", "kernel": "gram", "bounds": "bound_now", "certainty": "calibration"}


@pytest.fixture(scope="module")
def runs(server):
    """Two finished runs: ids."""
    return [stored(server.home / "runs", method, "digits", n_features=60, epochs=3) for method in ("SKL", "ASKL")]


def chart(page, key):
    return page.locator(f".st-key-{key} {landmarks.DRAWN}").first


def still(page, key):
    """The picture's pixels once the page has rested and it stands still."""
    chart(page, key).wait_for()
    rested(page)
    seen = None

    def stands():
        nonlocal seen
        before, seen = seen, chart(page, key).screenshot()
        page.wait_for_timeout(250)
        return seen == before

    until(page, stands)
    return Image.open(io.BytesIO(seen)).convert("RGB")


def moved(page, key, press):
    """The picture after a key on the time slider."""
    before = draws(page, key)
    slider = page.locator(landmarks.TIME)
    slider.focus()
    slider.press(press)
    until(page, lambda: draws(page, key) > before)
    return still(page, key)


@pytest.mark.parametrize(("name", "key"), PAGES.items())
def test_a_run_is_scrubbed_saved_and_compared(server, page, runs, name, key):
    visit(page, server, f"{name}?run={runs[1]}")
    newest, numbers = still(page, key), picture(page, key)
    first = moved(page, key, "Home")
    page.wait_for_url(re.compile(r"at=0(\D|$)"))
    assert first.size == newest.size
    assert ImageChops.difference(first, newest).getbbox()
    moved(page, key, "End")
    page.wait_for_function("!location.search.includes('at=')")
    assert picture(page, key) == numbers

    for entry, suffix in (("PNG picture", "png"), ("SVG picture", "svg"), ("Data as CSV", "csv")):
        page.locator(f".st-key-{key}").get_by_label("Save this picture").first.press("Enter")
        with page.expect_download() as download:
            page.locator(f".st-key-{key}").get_by_role("button", name=entry).first.click()
        assert download.value.suggested_filename == f"{key}.{suffix}"
        assert Path(download.value.path()).stat().st_size > 200

    choose(page, "Beside it", re.compile("SKL on digits"))
    page.locator(f'[class*="st-key-{key}"][class*="beside"] {landmarks.DRAWN}').first.wait_for()
    page.wait_for_url(re.compile("beside="))
    page.get_by_text("What has changed").click()
    page.wait_for_url(re.compile("reference=0"))
    page.get_by_test_id("stSlider").get_by_text("since epoch").wait_for()
