"""Lessons as a student plays them and as a lecturer shows them: by mouse, by keys and by touch."""

import itertools
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import rested, until, visit
from playwright.sync_api import TimeoutError
from waiting import PATIENCE

from kernlab.bench.lessons import answers, first_picture
from kernlab.lessons import filled, judge, read_guess, shelf
from kernlab.ui.state import to_text

pytestmark = pytest.mark.browser
LESSONS = shelf().lessons
KEYS = list(LESSONS)
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
WAY = [(0.2, 0.6), (0.5, 0.25), (0.9, 0.6)]  # of a hand that draws, in shares of the sheet
#: What a student sets for each of the three things to try, one after the other.
TRIES = {
    "random-features": [{"waves": 1}, {"waves": 1000}, {"scale": 4.0}],
    "density": [{"width": 2.0}, {"kernel": "laplacian"}, {"width": 0.125}],
    "diagonal": [{"off": 0.0}, {"off": 0.1}, {"off": 2.0}],
    "bandwidth": [{"spread": 0.2}, {"spread": 50.0}, {"spread": 1.0, "number": 0}],
    "rank": [{"penalty": "squares"}, {"strength": 0.15, "penalty": "trace norm"}, {"strength": 0.3}],
    "bound": [{"rows": 25}, {"rows": 200, "penalty": 10.0}, {"rows": 25, "penalty": 0.001}],
    "landmarks": [{"steps": 5}, {"landmarks": 2, "steps": 80}, {"landmarks": 8}],
    "shell": [{"inputs": 2}, {"inputs": 20}, {"inputs": 10, "radius": 0.05}],
    "proof": [{"rows": 4}, {"rows": 1000, "decay": 1.5}, {"rows": 1_000_000}],
    "difference": [{"splits": 50}, {"splits": 3}, {"splits": 20, "gap": 1.0}],
    "descent": [{"rows": 40}, {"noise": 0.0}, {"penalty": 0.001}],
}


def predicted(page):
    """Send the prediction; it is the address's once the answer is there."""
    page.get_by_role("button", name="Predict", exact=True).click()
    page.wait_for_url(re.compile("step=answer"))
    page.get_by_text("Try", exact=True).wait_for()


def drawn(page):
    return int(page.locator(".kl-predict canvas").get_attribute("data-drawn") or 0)


def screens(page):
    """How many screens the page has."""
    rested(page)
    return page.locator("[data-testid=stMain]").evaluate("main => main.scrollHeight / innerHeight")


# -- a student -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def desk(server, browser):
    """One student's page for all lessons: a screen that takes fingers too."""
    context = browser.new_context(viewport=DESK, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.trouble = []
    page.on("console", lambda message: message.type == "error" and page.trouble.append(message.text))
    page.on("pageerror", lambda error: page.trouble.append(str(error)))
    yield page
    context.close()


def fits(page, key, shown):
    """One screen at a desk; two on a phone, as a student has them."""
    page.locator(f".st-key-lesson-picture .st-key-lesson-{key} .kl-chart[data-drawn]").wait_for()
    for size, most in ((PHONE, 2), (DESK, 1)):
        page.set_viewport_size(size)
        assert (key, shown, size["width"], screens(page)) <= (key, shown, size["width"], most)


def foretold(page, lesson, hand):
    """Give the prediction by mouse, by keys or by finger."""
    form = page.locator(".kl-predict")
    send = form.get_by_role("button", name="Predict", exact=True)
    if lesson.prediction.kind == "choice":
        assert send.is_disabled()
        if hand == "keys":
            form.get_by_role("radio").first.focus()
            page.keyboard.press("ArrowDown")
        else:
            (form.get_by_role("radio").nth(1).tap if hand == "finger" else form.get_by_role("radio").nth(1).click)()
    elif lesson.prediction.kind == "number":
        slider = form.get_by_role("slider")
        before = form.locator("output").inner_text()
        if hand == "keys":
            slider.press("PageUp")
        else:
            box = slider.bounding_box()
            place = {"position": {"x": 0.8 * box["width"], "y": box["height"] / 2}}
            (slider.tap if hand == "finger" else slider.click)(**place)
        until(page, lambda: form.locator("output").inner_text() != before)
    else:
        sheet = form.locator("canvas")
        sheet.scroll_into_view_if_needed()
        box = sheet.bounding_box()
        ways = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in WAY]
        if hand == "keys":
            sheet.focus()
            for key in ("Home", "Shift+ArrowUp", "End", "Shift+ArrowDown"):
                sheet.press(key)
        elif hand == "finger":
            touch = page.context.new_cdp_session(page)
            for kind, spots in zip(("touchStart", "touchMove", "touchMove", "touchEnd"), (*ways, None), strict=True):
                spots = [dict(zip("xy", spots, strict=True))] if spots else []
                touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": spots})
        else:
            page.mouse.move(*ways[0])
            page.mouse.down()
            for spot in ways[1:]:
                page.mouse.move(*spot, steps=8)
            page.mouse.up()
        until(page, lambda: drawn(page) > (1 if hand == "keys" else 20))
    if hand == "keys":
        send.press("Enter")
    else:
        # Within milliseconds of a stroke the browser would take a tap for the end of the stroke's swing.
        (send.tap if hand == "finger" and lesson.prediction.kind != "curve" else send.click)()


def put(page, slider, value):
    """Set a slider, by keys, or choose from its menu."""
    if isinstance(slider.default, str):
        page.get_by_role("combobox", name=slider.label).click()
        page.get_by_role("option", name=value.capitalize(), exact=True).click()
        return
    thumb = page.get_by_role("slider", name=re.compile(f"^{slider.label}"))
    way = slider.values.index(value) - int(thumb.input_value())
    for _ in range(abs(way)):
        thumb.press("ArrowRight" if way > 0 else "ArrowLeft")


@pytest.mark.parametrize(("key", "hand"), list(zip(KEYS, itertools.cycle(("keys", "finger", "mouse")))))
def test_a_student_predicts_sees_why_it_was_wrong_and_does_the_three_things(server, desk, key, hand):
    lesson, page = LESSONS[key], desk
    rested(visit(page, server, f"learn?lesson={key}"))
    page.get_by_role("button", name="Predict", exact=True).wait_for()
    fits(page, key, "question")
    foretold(page, lesson, hand)
    page.wait_for_url(re.compile("guess="))
    page.locator(".st-key-lesson-tries").wait_for()
    # How far off it was, and why, as it is computed from what the address has of the prediction.
    guess = read_guess(lesson, parse_qs(urlsplit(page.url).query)["guess"][0])
    judged = judge(lesson, guess)
    assert printed(page.locator("[data-testid=stAlert]")) == plain(f"{judged.words} {judged.because}")
    sliders = {each.key: each for each in lesson.computation.sliders}
    lines = page.locator(".st-key-lesson-tries .stMarkdown")
    for place, moved in enumerate(TRIES[key], 1):
        for name, value in moved.items():
            put(page, sliders[name], value)
        found = lines.nth(place).locator("strong")
        try:
            found.wait_for()
        except TimeoutError:
            pytest.fail(f"{key}: {moved} is not recognised: {lines.all_inner_texts()}")
        # The slider may have passed a value on its way that does it too.
        until(page, lambda: printed(found) == done(lesson, place, now(page, sliders)))  # noqa: B023
    rested(page)
    assert page.locator(".st-key-lesson-tries [aria-label^=check_circle]").count() == 3
    fits(page, key, "done")  # the longest that it becomes
    assert (page.trouble, server.trouble()) == ([], [])


def done(lesson, place, values):
    """The sentence on a thing that is done at these values of the sliders."""
    return plain(filled(lesson.tries[place - 1].done, lesson.computation.known(**{**lesson.values, **values})))


def now(page, sliders):
    """The values of the sliders, as the address has them."""
    found = parse_qs(urlsplit(page.url).query)
    return {key: value for key, each in sliders.items() for value in each.values if found.get(key) == [to_text(value)]}


def plain(text):
    """Markdown as one reads it."""
    return " ".join(text.replace("**", "").split())


def printed(place):
    """What stands there, without its sign."""
    return " ".join(re.sub(r"^(check_circle|info)\b", "", place.inner_text().strip()).split())


def test_one_goes_from_the_list_to_a_lesson_and_to_the_next(server, page):
    assert first_picture(page, server.url, KEYS[0]) > 0
    page.get_by_role("heading", level=1, name="1 ·").wait_for()
    page.locator(".st-key-step-next button").evaluate("button => button.click()")
    page.get_by_role("link", name="Next:").wait_for()
    rested(page)
    assert all(seconds > 0 for seconds in answers(page, KEYS[0], 1))  # the picture follows each of its sliders
    page.get_by_role("link", name="Next:").click()
    page.get_by_role("heading", level=1, name="2 ·").wait_for()
    page.get_by_role("button", name="Predict", exact=True).wait_for()
    page.get_by_role("link", name="All lessons").click()
    page.get_by_role("heading", level=1, name="Learn").wait_for()
    assert server.trouble() == []


def test_at_a_lecture_arrow_keys_go_through_its_steps(server, page):
    visit(page, server, "learn?lesson=rank&step=answer&guess=8&present=1")
    page.get_by_role("heading", name="A penalty on the sum of").wait_for()
    page.locator(".kl-chart[data-drawn]").wait_for()
    page.locator(".st-key-step-previous button").wait_for(state="attached")  # it comes after the picture
    rested(page)
    page.keyboard.press("ArrowLeft")
    page.get_by_role("heading", name="How many of the ten bars").wait_for()
    page.locator(".st-key-step-next button").wait_for(state="attached")
    rested(page)
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="A penalty on the sum of").wait_for()
    page.keyboard.press("Escape")
    # It can be predicted again.
    page.get_by_role("button", name="Predict again").click()
    page.get_by_role("button", name="Predict", exact=True).wait_for()
    assert "guess" not in page.url
    assert server.trouble() == []


def test_a_curve_is_drawn_by_mouse_cleared_and_drawn_by_keys(server, page):
    rested(visit(page, server, "learn?lesson=density"))
    send = page.get_by_role("button", name="Predict", exact=True)
    assert send.is_disabled()
    sheet = page.locator(".kl-predict canvas")
    sheet.scroll_into_view_if_needed()
    box = sheet.bounding_box()

    def at(x, y):
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    page.mouse.move(*at(0.15, 0.75))
    page.mouse.down()
    page.mouse.move(*at(0.5, 0.3), steps=8)
    page.mouse.move(*at(0.95, 0.75), steps=8)
    page.mouse.up()
    until(page, lambda: drawn(page) > 30)
    page.get_by_role("button", name="Clear").click()
    assert drawn(page) == 0
    sheet.focus()
    for key in ("ArrowDown", "Home", "Shift+ArrowDown", "End", "Shift+ArrowUp"):
        sheet.press(key)
    assert drawn(page) == 3
    # The words are written with the next frame.
    until(page, lambda: page.locator(".kl-predict small").last.inner_text().startswith("At 8:"))
    predicted(page)
    assert "lies below only one of them" in page.locator("[data-testid=stAlert]").inner_text()
    assert server.trouble() == []


def test_a_lecturer_opens_a_room_three_students_predict_and_one_click_forgets_them(server, new_page):
    lecturer = new_page()
    rested(visit(lecturer, server, "learn?lesson=proof"))
    lecturer.get_by_role("button", name="In class").click()
    lecturer.get_by_role("button", name="Open a room").click()
    lecturer.wait_for_url(re.compile("key="))
    code = lecturer.evaluate("new URLSearchParams(location.search).get('room')")
    for choice, hand in (("Line 3", "finger"), ("Line 4", "keys"), ("Line 4", "mouse")):
        student = new_page(390, 844, has_touch=True)
        rested(visit(student, server, f"learn?lesson=proof&room={code}"))
        line, send = (
            student.get_by_text(choice, exact=True),
            student.get_by_role("button", name="Predict", exact=True),
        )
        if hand == "keys":
            student.get_by_role("radio", name=choice).press("Space")
            send.press("Enter")
        else:
            (line.tap if hand == "finger" else line.click)()
            (send.tap if hand == "finger" else send.click)()
        student.wait_for_url(re.compile("step=answer"))
        student.close()
    counts = lecturer.locator(".kl-room td:last-child")
    until(lecturer, lambda: counts.all_inner_texts() == ["0", "0", "1", "2", "0"])
    assert lecturer.locator(".kl-room output").inner_text() == "3 predictions"
    lecturer.locator(".st-key-step-next button").click()
    lecturer.wait_for_url(re.compile("step=answer"))
    lecturer.locator(".kl-room tr.kl-true", has_text="Line 3").wait_for()
    lecturer.get_by_role("button", name="Reset").click()
    until(lecturer, lambda: lecturer.locator(".kl-room output").inner_text() == "0 predictions")
    assert server.trouble() == []
