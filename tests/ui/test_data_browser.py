"""A person's own data in a real browser: a table is dropped, or points are painted, and a kernel is trained on them."""

import math
import re

import pytest
from browsing import came_to, choose, picture, points, press, rested, shown, until, visit
from tables import TABLES, patients

from kernlab.ui import landmarks

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


def drop(page, name, content):
    """Give the page a file."""
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})
    page.locator(landmarks.BUTTONS).get_by_role("button", name="Import", exact=True).wait_for()
    rested(page)


def imported(page):
    press(page, "Import")
    page.get_by_text("is kept").first.wait_for()
    rested(page)


def trained(page):
    """Go on to Train and train; the page is then on the finished run."""
    page.get_by_role("link", name="Train on it").first.click()
    page.get_by_role("heading", level=1, name="Train", exact=True).wait_for()
    rested(page)
    press(page, "Train")
    came_to(page, "Finished")


@pytest.mark.parametrize("name", TABLES)
def test_a_real_table_from_drop_to_a_trained_model_without_reading_anything(app, page, name):
    visit(page, app, "data?part=bring")
    drop(page, *TABLES[name](150))
    imported(page)
    trained(page)
    until(page, lambda: points(page) > 3)


def test_a_type_and_the_target_are_changed_and_the_model_is_another(app, page):
    visit(page, app, "data?part=bring")
    name, content = patients(120)
    drop(page, f"second {name}", content)
    before = picture(page, "balance")
    choose(page, "Target", "blood pressure")
    until(page, lambda: picture(page, "balance") != before)
    rested(page)
    choose(page, "age", "category")
    page.get_by_label("Name of the data set").fill("pressures")
    page.get_by_label("Name of the data set").press("Tab")
    rested(page)
    imported(page)
    page.get_by_role("button", name="Look at it").first.click()
    page.get_by_role("heading", level=1, name="Data · pressures").wait_for()
    rested(page)
    page.wait_for_url(re.compile("dataset=pressures"))
    assert "regression" in page.locator("[data-testid=stMain]").inner_text()
    assert page.locator(".st-key-columns td.name", has_text="age=").count() > 1  # one-hot columns
    trained(page)
    assert "RMSE" in page.locator("[data-testid=stMain]").inner_text()


# -- painting --------------------------------------------------------------------------------------------------


def moon(k, steps=14):
    """One of two interleaved half circles in [−1, 1]²."""
    for i in range(steps):
        t = math.pi * i / (steps - 1)
        x, y = (math.cos(t) - 0.5, math.sin(t) - 0.25) if k == 0 else (0.5 - math.cos(t), 0.25 - math.sin(t))
        yield 0.6 * x, 0.6 * y


def ways(page, k):
    """A moon in the pixels of the plane."""
    plane = page.locator(".kl-draw canvas")
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    return [(box["x"] + (x + 1) / 2 * box["width"], box["y"] + (1 - y) / 2 * box["height"]) for x, y in moon(k)]


def painted(page):
    """Points of the plane, once it has drawn as many as it says: it draws with the browser's next frame."""
    plane = page.locator(".kl-draw")

    def numbers():
        says = plane.locator("p[aria-live]").inner_text().partition(" points")[0]
        return {int(says), int(plane.locator("canvas").get_attribute("data-points") or -1)}

    until(page, lambda: len(numbers()) == 1)
    return numbers().pop()


def drawn(page):
    """Type and name of each trace of the picture of what the kernel makes of the points."""
    shown(page, "draw-function")
    return page.evaluate(
        """() => (document.querySelector('.st-key-draw-function .js-plotly-plot')?.data ?? [])
          .map(({ type, name }) => `${type}: ${name}`)"""
    )


def test_two_moons_are_painted_with_the_mouse_and_trained_on_beside_the_plane(app, page):
    visit(page, app, "data?part=draw")
    rested(page)
    for k in (0, 1):
        page.get_by_role("button", name=f"Class {k + 1}", exact=True).click()
        first, *rest = ways(page, k)
        page.mouse.move(*first)
        page.mouse.down()
        for at in rest:
            page.mouse.move(*at, steps=2)
        page.mouse.up()
    both = painted(page)
    assert both > 60
    page.get_by_role("button", name="Undo", exact=True).click()
    until(page, lambda: painted(page) < both)
    page.get_by_role("button", name="Redo", exact=True).click()
    until(page, lambda: painted(page) == both)
    rested(page)
    press(page, "Train on these points")
    until(page, lambda: drawn(page))
    came_to(page, "Finished")
    until(page, lambda: {"scatter: class 1", "scatter: class 2"} < set(drawn(page)))
    page.get_by_role("link", name="Open this run on Train").click()
    page.get_by_text("Test accuracy").first.wait_for()
    until(page, lambda: re.match(r"\d", page.locator(".kl-values dd").first.inner_text()))
    assert float(page.locator(".kl-values dd").first.inner_text().removesuffix(" %")) > 85
    page.get_by_role("link", name="Data", exact=True).click()  # the painting is still there
    until(page, lambda: painted(page) == both)


def test_a_finger_paints_on_a_phone_and_the_regions_follow(app, new_page):
    page = new_page(**PHONE, has_touch=True, is_mobile=True)
    visit(page, app, "data?part=draw")
    rested(page)
    touch = page.context.new_cdp_session(page)
    for k in (0, 1):
        button = page.get_by_role("button", name=f"Class {k + 1}", exact=True)

        def taken(button=button):
            if button.get_attribute("aria-pressed") != "true":
                button.tap()  # Chromium drops one after a finger that left in motion
            return button.get_attribute("aria-pressed") == "true"

        until(page, taken)
        first, *rest = ways(page, k)
        for kind, at in [("touchStart", first), *(("touchMove", each) for each in rest)]:
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}]})
            page.wait_for_timeout(15)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(page, lambda: painted(page) > 60)
    rested(page)
    press(page, "Train on these points")
    until(page, lambda: {"scatter: class 1", "scatter: class 2"} < set(drawn(page)))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_keys_paint_a_curve_and_its_address_brings_a_saved_painting_back(app, page):
    address = "data?part=draw&paint=curve&drawing=by keys"
    visit(page, app, address)
    rested(page)
    plane = page.locator(".kl-draw canvas")
    plane.focus()
    for key in ["Shift+ArrowLeft"] * 4 + ["Space", "Shift+ArrowRight", "ArrowUp"] * 8:
        plane.press(key)
    until(page, lambda: painted(page) >= 20)
    rested(page)
    count = painted(page)
    press(page, "Save")
    page.get_by_role("button", name="Look at it").click()
    page.get_by_role("heading", level=1, name="Data · by keys").wait_for()
    visit(page, app, address)
    until(page, lambda: painted(page) == count)
    until(page, lambda: page.get_by_label("Name of the data set").input_value() == "by keys")
