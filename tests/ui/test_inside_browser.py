"""Spectrum, Kernel and Bounds in a real browser: scrubbed, compared, saved, while something trains, for everybody."""

import io
import re
from pathlib import Path

import pytest
from browsing import press, run_of, visit
from PIL import Image, ImageChops

from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.training.trainer import train

pytestmark = pytest.mark.browser

#: A page and one of its pictures that changes with time.
PAGES = {"spectrum": "density", "kernel": "gram", "bounds": "bound_now"}


@pytest.fixture(scope="module")
def runs(server):
    """Two finished runs: ids."""
    specs = [RunSpec.of(method, "digits", n_features=60, epochs=3) for method in ("SKL", "ASKL")]
    return [_stored(server.home / "runs", spec) for spec in specs]


def _stored(home, spec):
    with Store(home) as store:
        run_id = store.create(spec.to_dict())
        with store.writer(run_id) as writer:
            for event in train(spec):
                writer.write(event)
    return run_id


def chart(page, key):
    return page.locator(f".st-key-{key} .kl-chart[data-drawn]").first


def still(page, key):
    """The picture's pixels once it stands still."""
    chart(page, key).wait_for()
    seen = None
    for _ in range(60):
        shot = chart(page, key).screenshot()
        if shot == seen:
            return Image.open(io.BytesIO(shot)).convert("RGB")
        seen = shot
        page.wait_for_timeout(250)
    raise AssertionError(f"{key} does not come to rest")


def drawn(page, key):
    """The numbers of the picture."""
    return page.evaluate(f"JSON.stringify(document.querySelector('.st-key-{key} .js-plotly-plot').data)")


def moved(page, key, press):
    """The picture after a key on the time slider."""
    before = int(chart(page, key).get_attribute("data-drawn"))
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press(press)
    page.wait_for_function(f"Number(document.querySelector('.st-key-{key} .kl-chart').dataset.drawn) > {before}")
    return still(page, key)


@pytest.mark.parametrize(("name", "key"), PAGES.items())
def test_the_slider_really_changes_the_picture(server, page, runs, name, key):
    visit(page, server, f"{name}?run={runs[1]}")
    newest, numbers = still(page, key), drawn(page, key)
    first = moved(page, key, "Home")
    assert re.search(r"at=0(\D|$)", page.url)
    assert first.size == newest.size
    assert ImageChops.difference(first, newest).getbbox()
    moved(page, key, "End")
    page.wait_for_function("!location.search.includes('at=')")
    assert drawn(page, key) == numbers


@pytest.mark.parametrize(("name", "key"), PAGES.items())
def test_a_run_beside_another_and_what_has_changed(server, page, runs, name, key):
    visit(page, server, f"{name}?run={runs[1]}")
    chart(page, key).wait_for()
    page.get_by_label("Beside it").click()
    page.get_by_role("option").filter(has_text="SKL on digits").last.click()
    page.locator(f'[class*="st-key-{key}"][class*="beside"] .kl-chart[data-drawn]').first.wait_for()
    page.wait_for_url(re.compile("beside="))
    page.get_by_text("What has changed").click()
    page.wait_for_url(re.compile("reference=0"))
    page.get_by_text("since epoch").wait_for()


@pytest.mark.parametrize("name", PAGES)
def test_every_picture_is_saved_as_png_svg_and_numbers(server, page, runs, name):
    visit(page, server, f"{name}?run={runs[1]}")
    key = PAGES[name]
    still(page, key)
    for entry, suffix in (("PNG picture", "png"), ("SVG picture", "svg"), ("Data as CSV", "csv")):
        menu = page.locator(f".st-key-{key}").get_by_label("Save this picture").first
        menu.press("Enter")
        with page.expect_download() as download:
            page.locator(f".st-key-{key}").get_by_role("button", name=entry).first.click()
        assert download.value.suggested_filename == f"{key}.{suffix}"
        assert Path(download.value.path()).stat().st_size > 200


def test_pages_follow_a_run_that_trains(server, page):
    visit(page, server, "train?method=ASKL&dataset=digits&n_features=60&epochs=4000")
    press(page, "Train")
    run = run_of(page)
    for name, key in PAGES.items():
        visit(page, server, f"{name}?run={run}")
        chart(page, key).wait_for()
        count = int(chart(page, key).get_attribute("data-drawn"))
        page.wait_for_function(
            f"Number(document.querySelector('.st-key-{key} .kl-chart').dataset.drawn) > {count}"
        )  # a later moment has come
    visit(page, server, f"train?run={run}")
    press(page, "Stop")
    page.get_by_text("Stopped").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_for_eyes_ears_and_keyboard(server, new_page, runs, name, scheme):
    """axe-core finds nothing serious in what kernlab draws."""
    from axe_playwright_python.sync_playwright import Axe

    page = visit(new_page(1440, 1200, scheme), server, f"{name}?run={runs[1]}")
    still(page, PAGES[name])
    found = Axe().run(page, context="[data-testid=stMain]", options={"runOnly": ["wcag2a", "wcag2aa"]})
    serious = [
        (each["id"], node["html"][:200])
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
    assert serious == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_is_wide_enough(server, new_page, runs, name):
    page = visit(new_page(390, 844, "dark"), server, f"{name}?run={runs[1]}")
    still(page, PAGES[name])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
