"""The Kernel lab in a real browser: a density is painted, points are dragged, and the address holds both."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import until, visit

from kernlab.bench.pages import stored

pytestmark = pytest.mark.browser

DENSITY = ".kl-lab canvas[aria-label^=Spectral]"
FIT = ".kl-lab canvas[aria-label^=Points]"


def arrived(page, server, address):
    visit(page, server, address)
    page.locator(".kl-lab[data-frames]").wait_for()
    settled(page)


def settled(page):
    """Wait until nothing is left to be drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def number(page, name):
    settled(page)
    return float(page.locator(f".kl-lab dd[data-number={name}]").inner_text().replace("−", "-"))


def scene(page):
    """What the address says."""
    return {key: value[0] for key, value in parse_qs(urlsplit(page.url).query).items()}


def box(page, canvas):
    page.locator(canvas).scroll_into_view_if_needed()
    return page.locator(canvas).bounding_box()


def looks(page):
    """All canvases as they are drawn, and the numbers."""
    settled(page)
    pictures = page.evaluate("[...document.querySelectorAll('.kl-lab canvas')].map((each) => each.toDataURL())")
    return pictures, page.locator(".kl-lab dl").inner_text()


def drawn_across(page, canvas, *way):
    """Draw with the mouse through places of a canvas, as shares of its width and height."""
    at = box(page, canvas)
    places = [(at["x"] + x * at["width"], at["y"] + y * at["height"]) for x, y in way]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=6)
    page.mouse.up()


def test_a_painted_density_and_moved_points_are_in_the_address_and_come_back(app, page, new_page):
    arrived(page, app, "lab?data=sines&n=30")
    before = number(page, "evidence")
    drawn_across(page, DENSITY, (0.3, 0.2), (0.6, 0.5), (0.9, 0.8))
    page.wait_for_url(re.compile("density=own"))
    painted = number(page, "evidence")
    assert painted != before
    assert page.get_by_label("Density", exact=True).input_value() == "own"

    # A point is placed by the mouse, and dragged on; then the same point is moved by keys.
    drawn_across(page, FIT, (0.5, 0.15), (0.52, 0.3))
    page.wait_for_url(re.compile("points="))
    assert number(page, "points") == 31
    placed = scene(page)["points"]
    page.locator(FIT).press("ArrowDown")
    page.locator(FIT).press("Shift+ArrowLeft")
    until(page, lambda: scene(page)["points"] != placed)
    assert scene(page)["points"][:-4] == placed[:-4]
    assert "Point 31 of 31" in page.locator(".kl-lab-says").inner_text()
    page.locator(DENSITY).press("ArrowUp")
    until(page, lambda: number(page, "evidence") != painted)
    page.locator(FIT).focus()
    page.locator(FIT).press("Escape")  # no point is chosen, in either visit
    page.locator(FIT).blur()
    page.wait_for_function("document.querySelector('.kl-lab').dataset.kept === location.search.slice(1)")

    other = new_page()
    other.goto(page.evaluate("location.href"))  # page.url is known a moment later
    other.locator(".kl-lab[data-frames]").wait_for()
    until(page, lambda: looks(other) == looks(page))

    # And back: each change is one step.
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Undo", exact=True).click()
    until(page, lambda: scene(page)["points"] == placed)
    page.get_by_role("button", name="Share", exact=True).click()
    assert page.get_by_label("Link to this page").input_value() == page.url


def test_an_address_counts_as_kept_only_while_nothing_waits_to_be_written(app, page):
    arrived(page, app, "lab?data=sines&n=30")
    lab = page.locator(".kl-lab")
    page.locator(".kl-lab[data-kept]").wait_for()
    page.locator(DENSITY).focus()
    press = "canvas => canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' }))"
    # In one go: what waits is written a moment later.
    waiting = f"canvas => {{ ({press})(canvas); return !('kept' in canvas.closest('.kl-lab').dataset); }}"
    assert page.locator(DENSITY).evaluate(waiting)
    page.locator(".kl-lab[data-kept]").wait_for()
    assert "density=own" in lab.get_attribute("data-kept")
    assert page.evaluate("location.search.slice(1)") == lab.get_attribute("data-kept")


def test_numbers_at_the_axes_are_drawn_again_when_the_font_comes_late(app, page):
    late = []
    page.route(re.compile("SourceSansVF-Upright"), lambda route: late.append(route))
    page.goto(f"{app.url}/lab?data=sines&n=30", wait_until="commit")
    page.locator(".kl-lab[data-frames]").wait_for()
    before = looks(page)
    until(page, lambda: late)
    for route in late:
        route.continue_()
    until(page, lambda: looks(page) != before)
    page.evaluate("document.fonts.ready.then(() => {})")
    after = looks(page)
    page.locator(FIT).focus()
    page.locator(FIT).blur()
    assert looks(page) == after


def test_the_density_is_fitted_with_rising_evidence_and_can_be_stopped(app, page):
    arrived(page, app, "lab?data=sines&n=60&range=80&scale=40")
    before = number(page, "evidence")
    page.evaluate(
        """() => {
          window.seen = [];
          const lab = document.querySelector('.kl-lab');
          new MutationObserver(() => window.seen.push(Number(lab.dataset.evidence)))
            .observe(lab, { attributes: true, attributeFilter: ['data-evidence'] });
        }"""
    )
    page.get_by_role("button", name="Fit the density to these points").click()
    until(page, lambda: page.evaluate("window.seen.length") > 5)
    # In one go: it may come to its end between a look and a click, which would begin another ascent.
    page.evaluate(
        "() => { const it = document.querySelector('.kl-lab-learn'); it.textContent === 'Stop' && it.click(); }"
    )
    page.get_by_role("button", name="Fit the density to these points").wait_for()
    seen = page.evaluate("window.seen")
    assert seen == sorted(seen)
    assert number(page, "evidence") > before + 10
    page.wait_for_url(re.compile("density=own"))


def test_pairs_of_frequencies_are_painted_by_finger_and_keys(app, new_page):
    page = new_page(390, 844, "dark", has_touch=True)
    arrived(page, app, "lab?view=pairs&data=season")
    before = number(page, "nu")
    at = box(page, DENSITY)
    page.touchscreen.tap(at["x"] + 0.4 * at["width"], at["y"] + 0.2 * at["height"])
    page.wait_for_url(re.compile("density=own"))
    until(page, lambda: number(page, "nu") > before)
    touched = number(page, "nu")
    page.locator(DENSITY).press("Space")
    until(page, lambda: number(page, "nu") > touched)
    page.locator(DENSITY).press("Control+z")
    page.locator(DENSITY).press("Control+z")
    until(page, lambda: number(page, "nu") == before)


def test_the_density_that_a_run_learned_is_taken(app, page):
    run = stored(app.home / "runs", "NSKL", "moons", n_features=40, n_samples=100, epochs=2)
    arrived(page, app, "lab?view=pairs")
    before = looks(page)
    page.get_by_role("button", name="Take the density that a run learned").click()
    take = page.get_by_role("button", name="Take it")
    until(page, take.is_enabled)
    page.get_by_label("Run", exact=True).select_option(run)
    until(page, take.is_enabled)
    page.get_by_label("Direction").select_option("input x1")
    until(page, lambda: "input x1" in page.locator(".kl-lab-box span").first.inner_text())
    until(page, take.is_enabled)
    take.click()
    page.wait_for_url(re.compile("density=own"))
    assert scene(page)["view"] == "pairs"
    assert looks(page) != before
    assert 0.1 < number(page, "nu") < 0.9


def test_an_address_that_says_nothing_leads_to_sentences_and_the_defaults(app, page):
    arrived(page, app, "lab?noise=loud&points=!!&density=own&n=1e9&range=3")
    text = page.locator(".kl-lab-trouble").inner_text()
    for key in ("noise", "points", "density", "n ", "range"):
        assert f"{key.strip()} must be" in text
    assert number(page, "points") == 40
    page.get_by_text("What is computed").click()
    formulas = page.locator("[data-testid=stExpander] .katex")
    formulas.first.wait_for()
    assert formulas.count() > 10
    assert not page.locator(".katex-error").count()
