"""What a person does, in a real browser: train, watch, steer, scrub, reload, meet a second person."""

import os
import re
import subprocess
import sys

import pytest
from browsing import came_to, draws, picture, points, press, rested, run_of, until, visit
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from kernlab.ui import landmarks

pytestmark = pytest.mark.browser

LONG = "dataset=digits&method=ASKL&n_features=100&epochs=4000"
CURVE = ".st-key-objective .js-plotly-plot"


def status(page):
    return page.locator(landmarks.PROGRESS).first.inner_text()


def stop(page):
    press(page, "Stop")
    came_to(page, "Stopped")


#: Gathers where a button of the page stands, frame by frame.
PLACES = f"""(name) => {{
  window.kernlabPlaces = new Set();
  const look = () => {{
    for (const button of document.querySelectorAll("{landmarks.BUTTONS} button")) {{
      if (button.innerText.endsWith(name) && button.checkVisibility()) {{
        kernlabPlaces.add(Math.round(button.getBoundingClientRect().left));
      }}
    }}
    requestAnimationFrame(look);
  }};
  look();
}}"""


def test_train_watch_pause_step_scrub_reload_stop(app, page):
    visit(page, app, f"train?{LONG}")
    press(page, "Train")
    until(page, lambda: points(page) > 3)
    page.evaluate(f"document.querySelector('{CURVE}').dataset.tag = 'first'")
    early_points, early_density = points(page), picture(page, "density")
    until(page, lambda: points(page) > early_points)
    until(page, lambda: picture(page, "density") != early_density)

    page.evaluate(PLACES, "+1 step")
    press(page, "Pause")
    came_to(page, "Paused")
    page.locator(landmarks.BUTTONS).get_by_role("button", name="Resume", exact=True).wait_for()
    held = int(re.sub(r"\s", "", re.search(r"step ([\d\s]+) of", status(page)).group(1)))
    press(page, "+1 step")
    until(page, lambda: f"step{held + 1}of" in re.sub(r"\s", "", status(page)))
    assert page.evaluate(f"document.querySelector('{CURVE}').dataset.tag") == "first"
    # A press whose button moves away before it ends is lost, or another button's.
    assert len(page.evaluate("[...kernlabPlaces]")) == 1

    newest = picture(page, "density")
    slider = page.locator(landmarks.TIME)
    slider.focus()
    slider.press("Home")
    page.locator(landmarks.MOMENT).get_by_text("epoch 0.00").wait_for()
    until(page, lambda: picture(page, "density") != newest)
    page.wait_for_url(re.compile("at=0"))

    address = page.url
    page.reload()
    came_to(page, "Paused")
    page.locator(landmarks.MOMENT).get_by_text("epoch 0.00").wait_for()
    assert page.url == address
    until(page, lambda: points(page) > 3)
    stop(page)
    page.get_by_role("button", name="Resume", exact=True).wait_for()


def test_the_slider_keeps_the_focus_when_epochs_are_marked_on_it(app, page):
    visit(page, app, "train?dataset=digits&method=ASKL&n_features=40&compile=off")
    press(page, "Train")
    until(page, lambda: points(page) > 3)
    slider = page.locator(landmarks.TIME)
    slider.wait_for()  # it is hidden until the run has a second snapshot
    slider.focus()
    page.locator(".kl-track i[title]").first.wait_for()  # what the held-out rows chose
    assert slider.evaluate("slider => slider === document.activeElement")


def test_two_people_train_at_once_and_the_head_of_every_page_steers_both(app, new_page):
    first, second = new_page(), new_page()
    visit(first, app, f"train?{LONG}")
    press(first, "Train")
    until(first, lambda: points(first) > 3)
    visit(second, app, "train?dataset=moons&method=SK&n_features=50")
    press(second, "Train")
    second.get_by_text("behind 1 run").first.wait_for()
    third = visit(new_page(), app, "papers")  # somebody else, on a page that has nothing to do with it
    head = third.locator(landmarks.JOBS)
    head.get_by_text("1 running, 1 waiting").wait_for()
    # Links to pages end before it.
    third.wait_for_function(f"""() => {{
      const {{ left }} = document.querySelector("{landmarks.JOBS}").getBoundingClientRect();
      return [...document.querySelectorAll("[data-testid=stTopNavLink]")].every(
        link => !link.checkVisibility({{ opacityProperty: true }}) || link.getBoundingClientRect().right <= left);
    }}""")
    head.click()
    # Every two seconds there is a new list.
    third.get_by_role("button", name="Pause ASKL on digits").click(delay=4500)
    came_to(second, "Finished")  # what waited has its turn
    head.get_by_text("1 paused").wait_for()
    assert "SK on moons" in second.get_by_role("heading", level=1).inner_text()
    third.get_by_role("button", name="Stop ASKL on digits").click()
    came_to(first, "Stopped")
    head.wait_for(state="hidden")


def test_everybody_who_opens_the_address_follows_the_run(app, new_page):
    """Tabs that are opened while the run is only just beginning, on the pages that look inside it too."""
    first = visit(new_page(), app, f"train?{LONG}")
    press(first, "Train")
    run = run_of(first)
    kinds, tabs, asked = [], [], []
    charts = {"train": "objective", "spectrum": "density", "kernel": "gram", "bounds": "bound_now"}
    for name, chart in charts.items():
        page = new_page()
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: kinds.append(kind(frame))))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{app.url}/{name}?run={run}")
        tabs.append((page, chart))
    for page, chart in tabs:
        until(page, lambda page=page, chart=chart: draws(page, chart))
        count = draws(page, chart)
        until(page, lambda page=page, chart=chart, count=count: draws(page, chart) > count)
    stop(first)
    came_to(tabs[0][0], "Stopped")
    for page, _ in tabs:  # nobody goes on asking about a run that is over
        rested(page)
    asked.clear()
    first.wait_for_timeout(2000)
    assert not [url for url in asked if url.partition("?")[0].endswith(f"/film/{run}")]
    assert "auto_rerun" not in kinds  # no page is drawn by the clock
    assert "ref_hash" not in kinds  # such a message may outlive the containers that it belongs into


def kind(frame):
    """What one message of the server is."""
    message = ForwardMsg()
    message.ParseFromString(frame)
    return message.WhichOneof("type")


@pytest.fixture(params=[False, True], ids=["idle", "busy"])
def busy(request):
    """Perhaps every core has other work, as much of it as pages have of theirs."""
    spinning = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spinning) for _ in range(os.cpu_count() or 1)] if request.param else []
    yield
    for other in others:
        other.kill()
        other.wait()


def test_time_is_played_to_its_end(app, page, busy):
    visit(page, app, "train?dataset=moons&method=ASKL&n_features=20&epochs=4&n_samples=200")
    press(page, "Train")
    came_to(page, "Finished")
    page.reload()  # a page opened on a finished run draws its end at once
    came_to(page, "Finished")
    until(page, lambda: picture(page, "function") != "null")
    rested(page)
    final, count = picture(page, "function"), draws(page, "function")
    slider = page.locator(landmarks.TIME)
    slider.focus()
    slider.press("Home")
    until(page, lambda: picture(page, "function") != final)
    page.get_by_role("button", name="Play").click()
    page.locator(landmarks.MOMENT).get_by_text("newest").wait_for()
    until(page, lambda: picture(page, "function") == final)
    assert draws(page, "function") > count + 2  # the start, the end, and moments between them


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
    came_to(page, "Finished")
    run = run_of(page)
    page.get_by_role("link", name="Runs").first.click()
    page.get_by_role("heading", name="Runs").wait_for()
    page.get_by_label("Find").fill(run)
    page.get_by_label("Find").press("Enter")
    page.get_by_text("1 run", exact=True).wait_for()
    rested(page)
    # The table is drawn on a canvas: its first cell is the tick.
    box = page.locator("[data-testid=stDataFrame] canvas").first.bounding_box()
    page.mouse.click(box["x"] + 21, box["y"] + 52)
    press(page, "Open")
    page.get_by_role("heading", name="Train · SKL on moons").wait_for()
    assert f"run={run}" in page.url


def test_home_shows_a_kernel_being_learned(app, page):
    visit(page, app, "")
    until(page, lambda: picture(page, "home-joint_density") != "null")
    until(page, lambda: draws(page, "home-joint_density") > 1)  # it plays by itself
    page.get_by_role("link", name="Handwritten digits").click()
    page.get_by_role("heading", name="Train").wait_for()
    page.wait_for_url(re.compile("dataset=digits"))


def test_a_picture_is_sketched_before_plotly_is_loaded(app, page):
    page.route("**/plotly.js", lambda route: None)  # it never comes
    visit(page, app, "")
    page.locator(landmarks.SEEN).nth(1).wait_for()
    colors = """() => [...document.querySelectorAll('canvas.kl-sketch')].map(canvas => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size; })"""
    assert min(page.evaluate(colors)) > 100
    page.unroute_all(behavior="ignoreErrors")


def test_a_picture_that_is_long_in_coming_says_what_it_will_be(app, page):
    page.route(re.compile(r"/film/[^/]+/density"), lambda route: None)  # it never comes
    visit(page, app, "train?dataset=moons&method=ASKL")
    waiting = page.locator(".st-key-density .kl-wait")
    waiting.wait_for()
    says = "node => [getComputedStyle(node, '::before').content, getComputedStyle(node, '::before').visibility]"
    until(page, lambda: waiting.evaluate(says)[1] == "visible")
    assert "density" in waiting.evaluate(says)[0]


def test_no_page_is_wider_than_a_phone(app, new_page):
    page = new_page(390, 844, "dark")
    for name in ("", "train", "runs", "compare", "papers"):
        rested(visit(page, app, name))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_no_name_of_a_number_covers_the_next(app, new_page):
    page = new_page(390, 844)
    visit(page, app, "train?dataset=moons&method=RFDI&epochs=1")
    press(page, "Train")
    names = page.locator(".kl-values dt")
    names.filter(has_text="linear SVM").wait_for()
    sizes = names.evaluate_all("all => all.map(each => [each.scrollWidth, each.clientWidth])")
    assert len(sizes) > 3
    assert all(words <= room for words, room in sizes)


def test_on_a_phone_what_can_be_done_with_a_page_stands_beside_its_heading(app, new_page):
    page = new_page(390, 844)
    for name in ("", "learn", "train", "compare", "papers"):
        rested(visit(page, app, name))
        share = page.get_by_role("button", name="Share", exact=True)  # by its name, which is not seen
        share.wait_for()
        heading, button = share.evaluate(  # both at one moment
            "share => [document.querySelector('h1'), share].map(each => each.getBoundingClientRect().toJSON())"
        )
        assert heading["x"] + heading["width"] <= button["x"] <= 390 - button["width"]
        assert heading["y"] < button["y"] + button["height"] / 2 < heading["y"] + heading["height"]


#: Sums up in window.shifted how far what stands in view moves from now on, without what a person's own press moves.
SHIFTS = """window.shifted = 0; new PerformanceObserver(list => list.getEntries().forEach(
  entry => { if (!entry.hadRecentInput) window.shifted += entry.value; })).observe({ type: 'layout-shift' });"""


def train_on(app, page):
    """Train for a long time, with nothing under the pointer."""
    visit(page, app, "train?dataset=moons&method=ASKL&n_features=100&epochs=100000&validation=0&compile=off")
    press(page, "Train")
    until(page, lambda: points(page) > 3)
    page.mouse.move(2, 2)


def test_curves_of_a_run_are_painted_until_somebody_points_at_them(app, page):
    train_on(app, page)
    chart = page.locator(".st-key-objective .kl-chart")
    times = "map((trace) => Array.from(trace.x))"
    drawn = f"document.querySelector('{CURVE}').data.{times}"
    painted = f"document.querySelector('.st-key-objective .kl-painted')?.kernlabFigure.data.{times} ?? [[-1]]"
    until(page, lambda: page.evaluate(f"({painted})[0].at(-1) > {drawn}[0].at(-1)"))
    # Of what is painted there is something on the canvas, and Plotly's own curves are not seen with it.
    assert page.evaluate("""() => { const canvas = document.querySelector('.st-key-objective .kl-paint');
      return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean); }""")
    assert not chart.locator(".scatterlayer").first.is_visible()
    press(page, "Pause")
    came_to(page, "Paused")
    page.mouse.move(2, 2)
    chart.hover()
    page.locator(".st-key-objective .kl-chart:not(.kl-painted)").wait_for()
    assert len(page.evaluate(drawn)[0]) == points(page)
    assert chart.locator(".scatterlayer").first.is_visible()
    stop(page)


def test_an_axis_of_a_painted_picture_grows_with_the_run(app, page):
    train_on(app, page)
    page.locator(".st-key-objective .kl-painted").wait_for()
    axis = f"document.querySelector('{CURVE}')._fullLayout.xaxis.range[1]"
    page.evaluate(f"""() => {{ window.axisBefore = {axis}; window.drawnWhole = 0;
      document.querySelector('.st-key-objective').addEventListener('kl-drawn', () => window.drawnWhole++); }}""")
    # Its newest point is painted within an axis that Plotly has drawn anew, and the picture was not drawn as a whole.
    newest = "document.querySelector('.st-key-objective .kl-painted')?.kernlabFigure.data[0].x.at(-1)"
    until(page, lambda: page.evaluate(f"{axis} > 1.5 * axisBefore && {newest} <= {axis} && {newest} > axisBefore"))
    assert page.evaluate("drawnWhole") == 0
    press(page, "Pause")
    came_to(page, "Paused")
    # Whoever points at it finds the same axis, and the curve drawn up to its end.
    page.mouse.move(2, 2)
    painted = page.evaluate(axis)
    page.locator(".st-key-objective .kl-chart").hover()
    page.locator(".st-key-objective .kl-chart:not(.kl-painted)").wait_for()
    assert page.evaluate(f"document.querySelector('{CURVE}').data[0].x.at(-1) <= {axis}")
    assert page.evaluate(axis) <= 1.31 * painted
    stop(page)


#: How many animations run once those that end by themselves have ended, as that of a button which has just come.
MOVING = """async () => {
  const running = () => document.getAnimations().filter(({ playState }) => playState === 'running');
  for (let all = running(); all.length; all = running()) {
    if (all.some(({ effect }) => effect.getComputedTiming().endTime === Infinity)) return all.length;
    await Promise.allSettled(all.map(({ finished }) => finished));
  }
  return 0;
}"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_nothing_moves_while_a_run_trains(app, new_page, width, height):
    page = visit(new_page(width, height), app, "train?dataset=digits&method=ASKL&n_features=100&epochs=60")
    press(page, "Train")
    until(page, lambda: points(page) > 0)  # the run has taken the place of what the page shows before Train
    rested(page)
    # The buttons are one row that is as wide as the page has room for.
    page.get_by_role("button", name="Change").wait_for()
    boxes = [each.bounding_box() for each in page.locator(".st-key-transport button:visible").all()]
    assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1
    assert max(box["x"] + box["width"] for box in boxes) <= width
    page.evaluate(SHIFTS)
    # Where pictures are drawn without a GPU an animation takes a quarter of a core from the training.
    assert page.evaluate(MOVING) == 0
    came_to(page, "Finished")
    rested(page)
    assert page.evaluate("window.shifted") < 0.05
