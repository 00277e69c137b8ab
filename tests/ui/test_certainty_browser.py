"""A digit is drawn with the mouse and with keys, and a row is chosen in the list, in a real browser."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import rested, shown, until, visit

from kernlab.bench.pages import stored
from kernlab.ui import landmarks
from kernlab.ui.draw_one import decoded

pytestmark = pytest.mark.browser


def test_a_digit_is_drawn_and_a_doubtful_row_is_chosen(page, server):
    run = stored(server.home / "runs", "ASKL", "digits", n_features=100, epochs=3, validation=0)
    page.set_viewport_size({"width": 1440, "height": 1600})
    visit(page, server, f"certainty?run={run}")
    rested(page)
    # A row that is chosen in the list is ringed in the picture of all rows.
    shown(page, "left_out")
    page.locator("[data-testid=stDataFrame] canvas").first.scroll_into_view_if_needed()
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    page.mouse.click(box["x"] + 15, box["y"] + 50)
    until(page, lambda: re.search(r"points=\d+", page.url))
    # A vertical stroke is a one.
    pad = page.locator(".kl-pixels canvas")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    middle = box["x"] + 0.5 * box["width"]
    page.mouse.move(middle, box["y"] + 0.1 * box["height"])
    page.mouse.down()
    page.mouse.move(middle, box["y"] + 0.9 * box["height"], steps=4)
    page.mouse.up()
    until(page, lambda: page.evaluate(landmarks.draws("drawn_chances")) > 0)
    title = f"document.querySelector('{landmarks.chart('drawn_chances')}')?.layout?.title?.text ?? ''"
    until(page, lambda: re.search(r"with a probability of \d+%", page.evaluate(title)))
    for key in ("drawn_learned", "drawn_assigned", "drawn_deciding"):
        shown(page, key)
        until(page, lambda key=key: page.evaluate(landmarks.draws(key)) > 0)
    # The address holds the drawing.
    until(page, lambda: "drawn=" in page.url)
    levels = decoded(parse_qs(urlsplit(page.url).query)["drawn"][0])
    assert sum(levels) / 15 == pytest.approx(float(pad.get_attribute("data-ink")), abs=64 / 30)
    # By keys: more ink, and another answer.
    before = page.evaluate(landmarks.draws("drawn_chances"))
    pad.focus()
    for key in ("Shift+ArrowLeft", "Space", "Shift+ArrowLeft", "Space"):
        page.keyboard.press(key)
    until(page, lambda: page.evaluate(landmarks.draws("drawn_chances")) > before)
