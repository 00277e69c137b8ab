"""A note is pinned to a moment on the page, opened by its address elsewhere, edited and removed."""

import re

import pytest
from browsing import came_to, marked, press, rested, run_of, until, visit

from kernlab.ui import landmarks

pytestmark = pytest.mark.browser

SHORT = "dataset=moons&method=SK&n_features=20&epochs=6&validation=0"
NOTE = re.compile(r"\bNote\b")
TEXT = "here <b>the rank</b> falls & *stays*"


def pin(page, text, button):
    page.get_by_role("button", name=NOTE).click()
    box = page.get_by_role("textbox", name=re.compile("Note at"))
    box.fill(text)
    page.get_by_role("button", name=button, exact=True).click()
    rested(page)
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")


def at(page, epoch):
    page.locator(landmarks.MOMENT).get_by_text(f"epoch {epoch:.2f}").wait_for()


def test_a_note_is_pinned_and_its_address_opens_it_in_another_browser(app, new_page):
    page = visit(new_page(), app, f"train?{SHORT}")
    press(page, "Train")
    came_to(page, "Finished")
    run = run_of(page)
    slider = page.locator(landmarks.TIME)
    slider.focus()
    slider.press("Home")
    page.wait_for_url(re.compile("at=0"))
    rested(page)
    pin(page, TEXT, "Pin")
    page.wait_for_url(re.compile("note=0"))
    until(page, lambda: marked(page) == [f"epoch 0: “{TEXT}”"])  # as it was typed: nothing of it is HTML
    mark = page.locator(landmarks.MARKS).first
    until(page, lambda: mark.get_attribute("aria-pressed") == "true")

    other = visit(new_page(), app, page.url.rpartition("/")[2])
    at(other, 0)
    until(other, lambda: marked(other) == [f"epoch 0: “{TEXT}”"])
    other.locator(landmarks.TIME).focus()
    other.locator(landmarks.TIME).press("End")
    other.wait_for_url(lambda url: "note=" not in url)
    until(other, lambda: other.locator(landmarks.MARKS).first.get_attribute("aria-pressed") == "false")
    other.locator(landmarks.MARKS).first.click()
    at(other, 0)
    other.wait_for_url(re.compile("note=0"))

    button = mark.element_handle()
    slider.focus()
    slider.press("End")
    page.wait_for_url(lambda url: "at=" not in url)
    rested(page)
    pin(page, "the end", "Pin")
    until(page, lambda: marked(page) == [f"epoch 0: “{TEXT}”", "epoch 6: “the end”"])
    assert button.evaluate("each => each.isConnected")  # it may have been pressed just then
    rested(page)
    page.get_by_role("button", name=NOTE).click()
    page.get_by_role("button", name="Remove", exact=True).click()
    until(page, lambda: marked(page) == [f"epoch 0: “{TEXT}”"])

    third = visit(new_page(), app, f"train?run={run}&note=0")  # the note alone says the moment
    at(third, 0)
    rested(third)
    pin(third, "edited", "Save")
    until(third, lambda: marked(third) == ["epoch 0: “edited”"])
    rested(third)
    third.get_by_role("button", name=NOTE).click()
    third.get_by_role("button", name="Remove", exact=True).click()
    until(third, lambda: marked(third) == [])
    third.wait_for_url(lambda url: "note=" not in url)

    gone = visit(new_page(), app, f"train?run={run}&note=0")
    gone.get_by_text("a note must be one that the run has").wait_for()
    came_to(gone, "Finished")
