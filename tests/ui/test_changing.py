"""An option is changed on the page while the run trains: marked, kept, and still there after a reload."""

import re

import pytest
from browsing import came_to, marked, picture, points, press, rested, run_of, shown, until, visit

from kernlab.ui import landmarks

pytestmark = pytest.mark.browser

LONG = "dataset=digits&method=ASKL&n_features=100&epochs=4000&validation=0&trace_norm=0.001"
CHANGE = re.compile(r"\bChange\b")
LAYOUT = "JSON.stringify(document.querySelector('.st-key-objective .js-plotly-plot')?.layout.annotations ?? null)"


def words_on_curve(page):
    shown(page, "objective")
    return page.evaluate(LAYOUT)


def test_a_weight_is_changed_while_the_run_trains_and_the_change_stays(app, page, new_page):
    visit(page, app, f"train?{LONG}")
    press(page, "Train")
    until(page, lambda: points(page) > 3)
    run = run_of(page)
    page.get_by_role("button", name=CHANGE).click()
    tens = page.locator(".st-key-changing-trace_norm").get_by_role("button", name="× 10", exact=True)
    tens.click()
    until(page, lambda: any("λ₁ from 0.001 to 0.01" in words for words in marked(page)))
    until(page, lambda: "λ₁ = 0.01" in words_on_curve(page))
    before = points(page)
    until(page, lambda: points(page) > before)  # it goes on training

    press(page, "Pause")
    came_to(page, "Paused")
    rested(page)
    page.get_by_role("button", name=CHANGE).click()
    page.locator(".st-key-changing-learning_rate").get_by_role("button", name="÷ 10", exact=True).click()
    until(page, lambda: any("η from" in words for words in marked(page)))
    until(page, lambda: "η = " in words_on_curve(page))

    page.reload()
    came_to(page, "Paused")
    until(page, lambda: len(marked(page)) == 2)
    until(page, lambda: "λ₁ = 0.01" in words_on_curve(page))
    page.get_by_role("button", name="Copy as command").click()
    command = page.locator("code", has_text="kernlab train").inner_text()
    assert re.search(r"--at \d+:trace_norm=0.01 --at \d+:learning_rate=", command)
    page.keyboard.press("Escape")

    # Another person goes to the change by its mark.
    other = visit(new_page(), app, f"train?run={run}")
    first = other.locator(landmarks.MARKS).first
    first.click()
    until(other, lambda: first.get_attribute("aria-pressed") == "true")
    shown(other, "density")
    until(other, lambda: picture(other, "density") != "null")
    press(page, "Stop")
    came_to(page, "Stopped")
    page.get_by_role("button", name=CHANGE).wait_for(state="detached")


def test_what_makes_no_sense_is_refused_with_a_sentence(app, page):
    visit(page, app, f"train?{LONG}")
    press(page, "+1 step")
    came_to(page, "Paused")
    rested(page)
    page.get_by_role("button", name=CHANGE).click()
    box = page.locator(".st-key-changing-trace_norm").get_by_role("combobox")
    for text, sentence in (("much", "must be a number from 0"), ("-1", "trace_norm must be a number from 0")):
        box.fill(text)
        box.press("Enter")
        page.get_by_text(sentence).first.wait_for()
    assert marked(page) == []
    press(page, "Stop")
    came_to(page, "Stopped")
