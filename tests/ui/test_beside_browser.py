"""Runs side by side in a real browser: trained in step, scrubbed together, shared by an address; Home's scenes."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import picture, press, rested, shown, until, visit

from kernlab.ui import landmarks
from kernlab.ui.scenes import SCENES

pytestmark = pytest.mark.browser

SMALL = "dataset=checkerboard&method=ASKL&n_features=60&epochs=60&batch_size=64&validation=0&compile=off"
SENTENCE = ".kl-against > p"
ROWS = ".kl-against tr:not(:first-child)"


def curves(page, chart):
    """The points of every curve of an overlaid picture, by run and dash."""
    found = json.loads(picture(page, chart) or "null") or []
    return {(trace["name"], trace["line"].get("dash", "solid")): trace for trace in found}


def ranges(page, *charts):
    """The ranges of the axes that charts are drawn with."""
    found = []
    for chart in charts:
        shown(page, chart)
        until(page, lambda chart=chart: page.evaluate(landmarks.draws(chart)) > 0)
        layout = f"document.querySelector('{landmarks.chart(chart)}')._fullLayout"
        found.append(page.evaluate(f"[{layout}.xaxis.range, {layout}.yaxis.range]"))
    return found


def says(page, words):
    """Wait until the sentence on what differs has these words."""
    page.locator(SENTENCE, has_text=words).wait_for()


def at(page):
    """The moment that the address of a page has."""
    return float(parse_qs(urlsplit(page.url).query).get("at", ["nan"])[0])


def trained(page):
    """The runs that the address of a page has."""
    given = parse_qs(urlsplit(page.evaluate("location.href")).query)
    return [given[key] for key in ("run", "second_run", "third_run", "fourth_run") if key in given]


def finished(page, runs):
    until(page, lambda: page.locator(ROWS, has_text="Finished").count() == runs)


def test_two_methods_train_in_step_are_scrubbed_together_and_opened_in_another_browser(app, new_page):
    page = new_page()
    visit(page, app, f"train?{SMALL}")
    rested(page)
    page.get_by_role("button", name="Compare with …").click()
    page.get_by_role("button", name="assigned", exact=True).click()
    page.get_by_role("heading", name="side by side").wait_for()
    rested(page)
    press(page, "Train")
    # Each goes on while the other does: neither waits for the other's end.
    until(page, lambda: page.locator(ROWS, has_text="Running").count() == 2)
    finished(page, 2)
    says(page, re.compile(r"^learned [\d.]+ %, assigned [\d.]+ % after the same 60 epochs; ν "))
    both = {("learned", "solid"), ("learned", "dash"), ("assigned", "solid"), ("assigned", "dash")}
    until(page, lambda: curves(page, "metric").keys() == both)
    found = curves(page, "metric")
    assert found["learned", "solid"]["line"]["color"] != found["assigned", "solid"]["line"]["color"]
    assert found["learned", "solid"]["line"]["color"] == found["learned", "dash"]["line"]["color"]
    until(page, lambda: len({str(each) for each in ranges(page, "density", "density-second")}) == 1)

    regions = [picture(page, "function"), picture(page, "function-second")]
    page.locator(landmarks.TIME).focus()
    page.keyboard.press("Home")
    page.locator(landmarks.MOMENT).get_by_text("epoch 0.00").wait_for()
    until(page, lambda: picture(page, "function") != regions[0])
    until(page, lambda: picture(page, "function-second") != regions[1])
    says(page, "after the same 0 epochs")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    says(page, re.compile(r"after the same [1-9]\d* epochs?"))
    # The address follows when time has rested: until then it has the moment that was shown before.
    until(page, lambda: f"epoch {at(page):.2f}" in page.locator(landmarks.MOMENT).inner_text())
    rested(page)
    words, moment = page.locator(SENTENCE).inner_text(), page.locator(landmarks.MOMENT).inner_text()
    still = {key: picture(page, key) for key in ("function", "function-second")}

    second = visit(new_page(), app, page.url.removeprefix(f"{app.url}/"))
    says(second, words)
    until(second, lambda: second.locator(landmarks.MOMENT).inner_text() == moment)
    for key, drawn in still.items():
        until(second, lambda key=key, drawn=drawn: picture(second, key) == drawn)
    second.wait_for_url(page.url)


def test_equal_seconds_put_the_curves_over_seconds(app, new_page):
    page = new_page()
    visit(page, app, f"train?{SMALL}&equal=seconds&second=method%3DSK%26n_features%3D20%26epochs%3D60%26validation%3D0")
    rested(page)
    press(page, "Train")
    finished(page, 2)
    says(page, re.compile(r"after the same [\d.]+ s"))
    title = f"document.querySelector('{landmarks.chart('metric')}')?.layout?.xaxis?.title?.text"
    until(page, lambda: page.evaluate(title) == "seconds of training")
    # Of a run that has ended its news say how many seconds an epoch took.
    runs = [run for (run,) in trained(page)]
    seconds = [60 * page.request.get(f"{app.url}/film/{run}").json()["pace"] for run in runs]

    def ends():
        found = curves(page, "metric")
        return [float(max(found[name, "solid"]["x"])) for name in ("ASKL", "SK")]

    until(page, lambda: ends() == pytest.approx(seconds, rel=1e-6))
    assert seconds[0] != pytest.approx(seconds[1], rel=1e-3)
    # The last news may have another pace alone, which is drawn however little it differs.
    page.evaluate(
        "run => { const film = kernlabReel.film(run); film.take({ ...film.news, pace: 1.0003 * film.news.pace }); }",
        runs[0],
    )
    until(page, lambda: ends() == pytest.approx([1.0003 * seconds[0], seconds[1]], rel=1e-6))


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_of_the_home_page_starts_by_itself_and_is_then_an_address_like_any_other(app, page, name):
    visit(page, app)
    page.get_by_role("link", name=SCENES[name].title).click()
    page.wait_for_url(re.compile("second_run="))
    runs = 1 + len(SCENES[name].others)
    until(page, lambda: len({run for run, _ in curves(page, "metric")}) == runs)
    finished(page, runs)
    says(page, "after the same 30 epochs")
    found = trained(page)
    assert len(found) == runs
    assert "scene=" not in page.url
    page.reload()
    says(page, "after the same 30 epochs")
    rested(page)
    assert trained(page) == found


def test_a_phone_is_wide_enough_for_four(app, new_page):
    page = new_page(width=390, height=844)
    counts = {"second": 20, "third": 30, "fourth": 40}
    columns = "".join(f"&{place}=method%3DSK%26n_features%3D{count}" for place, count in counts.items())
    visit(page, app, f"train?{SMALL}{columns}")
    rested(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth")
