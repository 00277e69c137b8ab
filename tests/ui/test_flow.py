"""What a person does, in a real browser: train, watch, steer, scrub, reload, meet a second person."""

import re

import pytest
from browsing import draws, picture, points, press, rested, run_of, until, visit
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

pytestmark = pytest.mark.browser

LONG = "dataset=digits&method=ASKL&n_features=100&epochs=4000"
CURVE = ".st-key-objective .js-plotly-plot"


@pytest.fixture
def app(server):
    yield server
    assert server.trouble() == []


def status(page):
    return page.locator("[data-testid=stProgress]").first.inner_text()


def stop(page):
    press(page, "Stop")
    page.get_by_text("Stopped").first.wait_for()


def test_train_watch_pause_step_scrub_reload_stop(app, page):
    visit(page, app, f"train?{LONG}")
    press(page, "Train")
    until(page, lambda: points(page) > 3)
    page.evaluate(f"document.querySelector('{CURVE}').dataset.tag = 'first'")
    early_points, early_density = points(page), picture(page, "density")
    until(page, lambda: points(page) > early_points)
    until(page, lambda: picture(page, "density") != early_density)

    press(page, "Pause")
    page.get_by_text("Paused").first.wait_for()
    held = int(re.sub(r"\s", "", re.search(r"step ([\d\s]+) of", status(page)).group(1)))
    press(page, "Mini-batch")
    until(page, lambda: f"step{held + 1}of" in re.sub(r"\s", "", status(page)))
    assert page.evaluate(f"document.querySelector('{CURVE}').dataset.tag") == "first"

    newest = picture(page, "density")
    slider = page.locator(".st-key-view-time input")
    slider.focus()
    slider.press("Home")
    page.get_by_text("Time: epoch 0.00").wait_for()
    until(page, lambda: picture(page, "density") != newest)
    assert "at=0" in page.url

    address = page.url
    page.reload()
    page.get_by_text("Paused").first.wait_for()
    page.get_by_text("Time: epoch 0.00").wait_for()
    assert page.url == address
    until(page, lambda: points(page) > 3)
    stop(page)
    page.get_by_role("button", name="Resume", exact=True).wait_for()


def test_two_people_train_at_once_and_one_looks_over_the_others_shoulder(app, new_page):
    first, second = new_page(), new_page()
    visit(first, app, f"train?{LONG}")
    press(first, "Train")
    until(first, lambda: points(first) > 3)
    visit(second, app, "train?dataset=moons&method=SK&n_features=50")
    press(second, "Train")
    second.get_by_text("behind 1 run").first.wait_for()
    third = visit(new_page(), app, first.url.removeprefix(app.url + "/"))
    until(third, lambda: points(third) > 3)
    assert "ASKL on digits" in third.get_by_role("heading", level=1).inner_text()
    stop(third)
    first.get_by_text("Stopped").first.wait_for()
    second.get_by_text("Finished").first.wait_for()
    assert "SK on moons" in second.get_by_role("heading", level=1).inner_text()


def test_everybody_who_opens_the_address_follows_the_run(app, new_page):
    """Six tabs, opened while the run is only just beginning, and all the pages that look inside it."""
    first = visit(new_page(), app, f"train?{LONG}")
    press(first, "Train")
    run = run_of(first)
    kinds, tabs = [], []
    charts = [("train", "objective")] * 3 + [("spectrum", "density"), ("kernel", "gram"), ("bounds", "bound_now")]
    for name, chart in charts:
        page = new_page()
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: kinds.append(kind(frame))))
        page.goto(f"{app.url}/{name}?run={run}")
        tabs.append((page, chart))
    for page, chart in tabs:
        until(page, lambda page=page, chart=chart: draws(page, chart))
        count = draws(page, chart)
        until(page, lambda page=page, chart=chart, count=count: draws(page, chart) > count)
    stop(first)
    for page, _ in tabs[:3]:
        page.get_by_text("Stopped").first.wait_for()
    until(first, lambda: kinds.count("stop_auto_rerun") >= 3)  # nobody goes on asking about a run that is over
    assert "ref_hash" not in kinds  # such a message may outlive the containers that it belongs into


def kind(frame):
    """What one message of the server is."""
    message = ForwardMsg()
    message.ParseFromString(frame)
    return message.WhichOneof("type")


def test_time_is_played_to_its_end(app, page):
    visit(page, app, "train?dataset=moons&method=ASKL&n_features=20&epochs=4&n_samples=200")
    press(page, "Train")
    page.get_by_text("Finished").first.wait_for()
    page.reload()  # a page opened on a finished run draws its end at once
    page.get_by_text("Finished").first.wait_for()
    until(page, lambda: picture(page, "function") != "null")
    rested(page)
    final = picture(page, "function")
    press(page, "Play")
    until(page, lambda: picture(page, "function") != final)
    page.get_by_text("Time: newest").wait_for()
    until(page, lambda: picture(page, "function") == final)


def test_the_form_writes_the_address_and_another_browser_reads_it(app, new_page):
    page = visit(new_page(), app, "train")
    page.get_by_role("combobox", name=re.compile("Features D")).fill("123")
    page.get_by_role("combobox", name=re.compile("Features D")).press("Enter")
    page.wait_for_url(re.compile("n_features=123"))
    other = visit(new_page(), app, page.url.removeprefix(app.url + "/"))
    other.get_by_role("combobox", name=re.compile("Features D")).wait_for()
    until(other, lambda: other.get_by_role("combobox", name=re.compile("Features D")).input_value() == "123")
    assert other.url == page.url


def test_runs_are_listed_and_opened(app, page):
    visit(page, app, "train?dataset=moons&method=SKL&n_features=20&epochs=2&n_samples=100")
    press(page, "Train")
    page.get_by_text("Finished").first.wait_for()
    run = run_of(page)
    page.get_by_role("link", name="Runs").first.click()
    page.get_by_role("heading", name="Runs").wait_for()
    page.get_by_label("Find").fill(run)
    page.get_by_label("Find").press("Enter")
    page.get_by_text("1 run", exact=True).wait_for()
    # The table is drawn on a canvas: its first cell is the tick.
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    page.mouse.click(box["x"] + 32, box["y"] + 52)
    press(page, "Open")
    page.get_by_role("heading", name="Train · SKL on moons").wait_for()
    assert f"run={run}" in page.url


def test_home_shows_a_kernel_being_learned(app, page):
    visit(page, app, "")
    until(page, lambda: points(page, "home-function") or picture(page, "home-function") != "null")
    first = picture(page, "home-joint")
    until(page, lambda: picture(page, "home-joint") != first)
    page.get_by_role("link", name="Handwritten digits").click()
    page.get_by_role("heading", name="Train").wait_for()
    page.wait_for_url(re.compile("dataset=digits"))


@pytest.mark.parametrize("name", ["", "train", "runs"])
def test_no_page_is_wider_than_a_phone(app, new_page, name):
    page = visit(new_page(390, 844, "dark"), app, name)
    rested(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
