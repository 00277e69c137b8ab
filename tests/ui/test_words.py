"""Definitions where one stands: by pointer, by keys and by touch; every term of every legend and label is linked."""

import itertools
import os
import subprocess
import sys

import pytest
from browsing import rested, shown, until, visit
from worded import all_worded

from kernlab.bench.pages import stored
from kernlab.ui import landmarks
from kernlab.ui.glossary import found, terms

pytestmark = pytest.mark.browser

WORDS = {term.name: term.words for term in terms()}

#: The middle of the first term that is underlined in sight, in a text; null before there is one.
FIRST = """() => {
  for (const { startContainer, startOffset, endContainer, endOffset } of CSS.highlights.get('kl-word') ?? []) {
    const range = document.createRange();
    range.setStart(startContainer, startOffset);
    range.setEnd(endContainer, endOffset);
    const { x, y, width, height } = range.getClientRects()[0] ?? new DOMRect(), parent = startContainer.parentElement;
    const middle = [x + width / 2, y + height / 2];
    if (width && !parent.closest('button, a, label') && document.elementFromPoint(...middle) === parent) return middle;
  }
  return null;
}"""


@pytest.fixture(scope="module")
def run(server):
    return stored(server.home / "runs", "ASKL", "moons", n_features=40, n_samples=120, epochs=3, validation=0)


def linked(page):
    """Wait until the words of the page and of its pictures have been linked."""
    page.locator(f".kl-chart {landmarks.LINKED}").first.wait_for(state="attached")


def rests_on(page, place, words):
    """Move the pointer a little over the first word of a place, until it is explained: words are linked when idle."""
    xs = itertools.cycle((28, 30))

    def explained():
        place.hover(position={"x": next(xs), "y": 10})
        return words in page.locator(landmarks.MEANING).inner_text()

    until(page, explained)


def test_every_term_of_a_legend_and_of_a_label_has_its_definition_on_hover_and_focus(server, page, run):
    visit(page, server, f"train?run={run}")
    linked(page)
    for key in ("density", "objective"):
        shown(page, key)
    rested(page)
    all_worded(page)
    # By pointer, over a legend of a picture.
    term = page.locator(f".st-key-objective {landmarks.LINKED}[data-term='λ₁']")
    term.scroll_into_view_if_needed()
    box, meaning = term.bounding_box(), page.locator(landmarks.MEANING)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    meaning.wait_for()
    assert meaning.inner_text() == f"λ₁\n{WORDS['λ₁']}"
    page.keyboard.press("Escape")
    meaning.wait_for(state="hidden")
    # By keys: one stop of a picture, arrow keys between its terms, and a widget shows what its label means.
    first = page.locator(f".st-key-objective {landmarks.LINKED}").first
    first.focus()
    page.keyboard.press("ArrowRight")
    second = page.locator(":focus").get_attribute("data-term")
    assert second != first.get_attribute("data-term")
    assert meaning.inner_text() == f"{second}\n{WORDS[second]}"
    assert page.locator(f".st-key-objective {landmarks.LINKED}[tabindex='0']").count() == 1
    page.get_by_role("combobox", name="Learning rate η").focus()
    meaning.wait_for(state="hidden")  # it came by a script, not by a key
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    until(page, lambda: WORDS["learning rate"] in meaning.inner_text())
    # A tab of the page does what it does, and says what its word means to a pointer that rests on it, and to keys.
    tab = page.get_by_role("radio", name="Bounds")
    tab.hover()
    until(page, lambda: WORDS["generalisation bound"] in meaning.inner_text())
    page.keyboard.press("Escape")
    tab.click()
    page.wait_for_url(lambda url: "view=bounds" in url)
    meaning.wait_for(state="hidden")
    box = tab.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(1000)  # it would cover what the press has brought, until the pointer has left
    assert meaning.is_hidden()
    page.mouse.move(0, 0)
    tab.hover()
    until(page, lambda: WORDS["generalisation bound"] in meaning.inner_text())
    page.mouse.move(0, 0)
    page.keyboard.press("ArrowLeft")
    until(page, lambda: WORDS["kernel"] in meaning.inner_text())


#: What is underlined in the cells of a table, its heads aside.
UNDERLINED = """part => [...CSS.highlights.get('kl-word')]
  .filter(({ startContainer }) => part.contains(startContainer) && startContainer.parentElement.closest('td'))
  .map(({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset))"""


def test_names_in_a_table_are_no_terms_of_the_field(server, page, tmp_path):
    rows = [f"{k % 7},{k % 3 + k / 1000},{'ADW'[k % 3]}" for k in range(120)]
    (tmp_path / "capitals.csv").write_text("D,accuracy,class\n" + "\n".join(rows) + "\n")
    command = [sys.executable, "-m", "kernlab", "data", "import", tmp_path / "capitals.csv", "--target", "class"]
    subprocess.run(command, check=True, env={**os.environ, "KERNLAB_HOME": str(server.home / "runs")})
    visit(page, server, "data?dataset=capitals")
    for key in ("balance", "plane"):
        shown(page, key)
    all_worded(page)
    columns = page.locator(".st-key-columns")
    assert {"D", "accuracy"} <= set(columns.locator("td.name").all_inner_texts())
    for key in ("columns", "nearest", "strangest"):
        assert not {"D", "W", "accuracy"} & set(page.locator(f".st-key-{key}").evaluate(UNDERLINED)), key
    assert page.locator(".st-key-balance .xtick text").all_text_contents() == ["A", "D", "W"]
    named = page.locator(".st-key-balance .kl-words button").evaluate_all("all => all.map(each => each.dataset.term)")
    assert named
    assert not {*found("D"), *found("W")} & set(named)


def test_options_of_a_menu_and_lines_that_change_are_explained_without_being_covered(server, page, run):
    visit(page, server, f"train?run={run}")
    linked(page)
    rested(page)
    box, meaning = page.get_by_role("combobox", name="Family"), page.locator(landmarks.MEANING)
    box.click()
    menu = page.get_by_role("listbox")
    rests_on(page, page.get_by_role("option", name="Exact kernels"), WORDS["exact kernel"])
    side, room = meaning.bounding_box(), menu.bounding_box()
    assert side["x"] >= room["x"] + room["width"]
    page.mouse.move(0, 0)
    meaning.wait_for(state="hidden")
    active = box.get_attribute("aria-activedescendant")
    page.keyboard.press("ArrowUp")
    until(page, lambda: box.get_attribute("aria-activedescendant") not in (active, None))
    option = page.locator(f"[id='{box.get_attribute('aria-activedescendant')}']").inner_text()
    until(page, lambda: all(WORDS[each] in meaning.inner_text() for each in found(option)))
    page.keyboard.press("Escape")
    meaning.wait_for(state="hidden")
    page.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    moment = page.locator(landmarks.MOMENT)  # such as "epoch 3.0": no underline, since it is drawn anew all the time
    rests_on(page, moment, WORDS["epoch"])


def test_a_definition_goes_with_the_term_that_it_explains(server, page, run):
    visit(page, server, f"train?run={run}")
    linked(page)
    rested(page)
    until(page, lambda: page.evaluate(FIRST))
    place, meaning = page.evaluate(FIRST), page.locator(landmarks.MEANING)
    page.mouse.move(*place)
    meaning.wait_for()
    page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('[data-testid=stElementContainer]').remove()", place
    )
    meaning.wait_for(state="hidden")


def test_a_tap_shows_a_definition_and_a_finger_that_rests_on_a_button_does_not_press_it(server, new_page, run):
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    visit(page, server, f"train?run={run}")
    rested(page)
    until(page, lambda: page.evaluate(FIRST))
    page.touchscreen.tap(*page.evaluate(FIRST))
    meaning = page.locator(landmarks.MEANING)
    meaning.wait_for()
    assert page.locator(f"{landmarks.MEANING} b").inner_text() in WORDS
    from axe_playwright_python.sync_playwright import Axe

    assert Axe().run(page).response["violations"] == []
    page.touchscreen.tap(380, 400)
    meaning.wait_for(state="hidden")
    tab = page.get_by_role("radio", name="Kernel")
    tab.scroll_into_view_if_needed()
    box, touch = tab.bounding_box(), page.context.new_cdp_session(page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    until(page, lambda: WORDS["kernel"] in meaning.inner_text())
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    rested(page)
    assert "view=" not in page.url
    tab.tap()
    page.wait_for_url(lambda url: "view=kernel" in url)


def test_on_a_phone_the_meaning_of_an_option_covers_no_option_and_is_covered_by_none(server, new_page, run):
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    visit(page, server, f"train?run={run}")
    rested(page)
    page.get_by_test_id("stExpandSidebarButton").tap()
    page.get_by_role("combobox", name="Family").tap()
    menu, meaning = page.get_by_role("listbox"), page.locator(landmarks.MEANING)
    touch = page.context.new_cdp_session(page)

    def explained():
        box = page.get_by_role("option", name="Exact kernels").bounding_box()
        point = {"x": box["x"] + 30, "y": box["y"] + box["height"] / 2}
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        page.wait_for_timeout(700)  # a finger that rests
        seen = WORDS["exact kernel"] in meaning.inner_text()
        if not seen:  # a finger that lies on the screen already cannot be put down again
            touch.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
        return seen

    until(page, explained)
    box, room = meaning.bounding_box(), menu.bounding_box()
    assert box["y"] >= room["y"] + room["height"] or box["y"] + box["height"] <= room["y"]
    on_top = """meaning => { const { left, top, width, height } = meaning.getBoundingClientRect();
      return [[.05, .1], [.5, .5], [.95, .9]].every(([x, y]) =>
        meaning.contains(document.elementFromPoint(left + x * width, top + y * height))); }"""
    assert meaning.evaluate(on_top)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
