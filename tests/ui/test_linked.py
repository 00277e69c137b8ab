"""Every picture can be asked: what is selected in one is seen in all others, on the slider and in the address."""

import re

import pytest
from browsing import draws, rested, shown, until, visit

from kernlab.bench.pages import stored
from kernlab.ui import landmarks

pytestmark = pytest.mark.browser

#: The rings that a picture draws, as [x, y] of each; none before it is drawn.
RINGS = """key => { const rings = document.querySelector(`.st-key-${key} .js-plotly-plot`)?._fullData
  ?.find(trace => trace.name === 'selected'), short = value => +value.toPrecision(5);
  return rings ? Array.from(rings.x, (x, i) => [short(x), short(rings.y[i])]) : []; }"""

#: The middle of a point on the screen, by the picture, its kind and the point's number.
PLACE = """([key, kind, number]) => {
  const node = document.querySelector(`.st-key-${key} .js-plotly-plot`), { xaxis, yaxis } = node._fullLayout;
  for (const [i, { meta }] of node.data.entries()) {
    const place = Array.from(meta?.[kind] ?? []).indexOf(number);
    if (place < 0) continue;
    const full = node._fullData[i], box = node.getBoundingClientRect();
    return [box.left + xaxis._offset + xaxis.d2p(full.x[place]), box.top + yaxis._offset + yaxis.d2p(full.y[place]),
            +full.x[place].toPrecision(5), +full.y[place].toPrecision(5)];
  }
}"""

#: Numbers of a kind that the traces of a picture state.
NUMBERS = """([key, kind]) => document.querySelector(`.st-key-${key} .js-plotly-plot`).data
  .flatMap(({ meta }) => Array.from(meta?.[kind] ?? []))"""

#: Rectangles along rows and columns of the Gram matrix.
LINES = """() => document.querySelector('.st-key-gram .js-plotly-plot').layout.shapes
  .filter(({ type }) => type === 'rect').length"""

POINTED = "() => kernlabReel.clock.pointed"
MARK = "() => parseFloat(document.querySelector('.kl-pointed').style.left || 0)"  # in per cent of the slider
EPOCH = "() => kernlabReel.clock.epoch"


@pytest.fixture(scope="module")
def runs(server):
    """Runs by name, finished."""
    home, small = server.home / "runs", {"n_features": 40, "validation": 0}
    return {
        "moons": stored(home, "ASKL", "moons", n_samples=120, epochs=3, **small),
        "pairs": stored(home, "ASKL", "digits", epochs=2, **small),
        "single": stored(home, "SKL", "digits", epochs=2, **small),
    }


def opened(page, server, address, *keys):
    """A page whose pictures are drawn."""
    page.set_viewport_size({"width": 1440, "height": 1600})
    visit(page, server, address)
    rested(page)
    for key in keys:
        shown(page, key)
        page.locator(landmarks.chart(key)).first.wait_for()
    rested(page)
    return page


def rings(page, key):
    shown(page, key)
    return page.evaluate(RINGS, key)


def click(page, key, kind, number, press=0):
    """Click a point of a picture once it stands still: what is above may push it down; where it is drawn.

    The button stays down for ``press`` milliseconds.
    """
    shown(page, key)
    before, found = None, page.evaluate(PLACE, [key, kind, number])
    while found != before:
        page.wait_for_timeout(250)
        before, found = found, page.evaluate(PLACE, [key, kind, number])
    x, y, *drawn = found
    page.mouse.move(x, y)
    page.mouse.click(x, y, delay=press)
    return drawn


def numbers(page, key, kind):
    return page.evaluate(NUMBERS, [key, kind])


def test_a_row_is_the_same_row_in_all_pictures_and_in_another_browser(server, page, new_page, runs):
    opened(page, server, f"kernel?run={runs['moons']}", "sample", "kernel_surface")
    calls = []
    page.on("request", lambda request: calls.append(request.url) if "/sample/" in request.url else None)
    row = numbers(page, "sample", "row")[5]
    until(page, lambda: page.evaluate(PLACE, ["sample", "row", row]))
    drawn = click(page, "sample", "row", row)
    for key in ("sample", "kernel_surface"):
        until(page, lambda key=key: rings(page, key) == [drawn])
    until(page, lambda: page.evaluate(LINES) == 2)  # its row and its column of the matrix
    page.get_by_role("status").filter(has_text=f"row {row}").wait_for()
    page.wait_for_url(re.compile(rf"points={row}(&|$)"))
    page.locator(landmarks.chart("gram_rows")).wait_for()  # what has to be computed for it comes with the script
    assert not any("points" in call for call in calls)  # a frame does not depend on what is selected

    other = opened(new_page(1440, 1600), server, page.url.rsplit("/", 1)[1], "sample", "kernel_surface")
    for key in ("sample", "kernel_surface"):
        until(other, lambda key=key: rings(other, key) == [drawn])
    # The Train page of the same run has it too.
    train = opened(other, server, f"train?run={runs['moons']}&points={row}", "function")
    until(train, lambda: rings(train, "function") == [drawn])


def test_a_click_counts_however_long_the_button_is_down(server, page, runs):
    """Plotly puts its search for the point under the pointer off by up to 50 ms, and in a press it finds none."""
    opened(page, server, f"kernel?run={runs['moons']}", "sample")
    presses = range(40, 100, 10)
    for press, row in zip(presses, numbers(page, "sample", "row")[: len(presses)], strict=True):
        drawn = click(page, "sample", "row", row, press)
        until(page, lambda drawn=drawn: drawn in rings(page, "sample"))
        page.wait_for_timeout(400)  # two clicks in 300 ms are a double-click
        rested(page)


def test_plotly_and_a_person_who_zooms_leave_the_layout_of_a_picture_alone(server, page, runs):
    opened(page, server, f"train?run={runs['pairs']}", "density")
    axes = "() => { const { xaxis, yaxis } = document.querySelector('.st-key-density .js-plotly-plot')._fullLayout; "
    ranges = axes + "return [...xaxis.range, ...yaxis.range].map(end => +end.toPrecision(5)); }"
    whole = page.evaluate(ranges)
    page.locator(landmarks.chart("density")).scroll_into_view_if_needed()
    box = page.locator(f"{landmarks.chart('density')} .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=5)
    page.mouse.up()
    until(page, lambda: page.evaluate(ranges) != whole)
    changed = """() => [...kernlabReel.films.values()].flatMap(({ pictures }) => [...pictures.values()])
      .filter(({ layout, written }) => layout && JSON.stringify(layout) !== JSON.stringify(JSON.parse(written)))
      .map(({ key }) => key)"""
    assert page.evaluate(changed) == []
    picture = page.locator(".st-key-density")
    picture.get_by_label("Save this picture").press("Enter")
    picture.get_by_role("button", name="Reset the view").click()
    until(page, lambda: page.evaluate(ranges) == whole)


def test_a_click_counts_once_after_the_view_was_reset(server, page, runs):
    opened(page, server, f"kernel?run={runs['moons']}", "sample")
    picture = page.locator(".st-key-sample")
    before = draws(page, "sample")
    picture.get_by_label("Save this picture").press("Enter")
    picture.get_by_role("button", name="Reset the view").click()
    until(page, lambda: draws(page, "sample") > before)
    drawn = click(page, "sample", "row", numbers(page, "sample", "row")[5])
    until(page, lambda: rings(page, "sample") == [drawn])


def test_a_second_click_or_a_double_click_lets_go(server, page, runs):
    opened(page, server, f"kernel?run={runs['moons']}", "sample")
    one, other = numbers(page, "sample", "row")[3], numbers(page, "sample", "row")[40]
    click(page, "sample", "row", one)
    until(page, lambda: len(rings(page, "sample")) == 1)
    page.locator(landmarks.chart("gram_rows")).wait_for()
    rested(page)  # what is above may have pushed the picture down
    click(page, "sample", "row", other)
    until(page, lambda: len(rings(page, "sample")) == 2)
    page.wait_for_url(re.compile(f"points={one}%2C{other}|points={one},{other}"))
    page.wait_for_timeout(400)  # two clicks within 300 ms would be a double-click
    click(page, "sample", "row", one)
    until(page, lambda: len(rings(page, "sample")) == 1)
    rested(page)
    box = page.locator(f"{landmarks.chart('sample')} .nsewdrag").first.bounding_box()
    page.mouse.dblclick(box["x"] + 4, box["y"] + 4)
    until(page, lambda: rings(page, "sample") == [])
    page.wait_for_function("!location.search.includes('points=')")


def test_pointing_at_a_curve_marks_the_moment_and_a_click_goes_there(server, page, runs):
    opened(page, server, f"train?run={runs['moons']}", "objective", "function")
    box = page.locator(f"{landmarks.chart('objective')} .nsewdrag").first.bounding_box()
    middle = box["y"] + box["height"] / 2
    scripts = page.evaluate("document.querySelectorAll('.kl-chart').length")
    page.mouse.move(box["x"] + 0.3 * box["width"], middle)
    page.mouse.move(box["x"] + 0.35 * box["width"], middle)
    until(page, lambda: page.evaluate(f"({POINTED})() !== null && ({MARK})() !== 0"))
    mark = page.locator(".kl-pointed")
    assert page.evaluate(f"({MARK})() - 100 / 3 * ({POINTED})()") == pytest.approx(0, abs=0.1)
    assert page.evaluate(EPOCH) == 3  # it is only marked
    page.mouse.click(box["x"] + 0.35 * box["width"], middle)
    until(page, lambda: page.evaluate("kernlabReel.clock.at !== null"))
    assert page.evaluate("kernlabReel.clock.at") == pytest.approx(0.35 * 3, abs=0.5)
    assert 0 < page.evaluate(EPOCH) <= page.evaluate("kernlabReel.clock.at")
    assert float(page.locator(landmarks.TIME).input_value()) == page.evaluate(EPOCH)
    page.wait_for_url(re.compile("at="))
    rested(page)
    page.mouse.move(5, 5)
    until(page, lambda: page.evaluate(POINTED) is None)
    assert mark.is_hidden()
    page.mouse.dblclick(box["x"] + 0.35 * box["width"], middle)
    until(page, lambda: page.evaluate("kernlabReel.clock.at") is None)
    assert page.evaluate("document.querySelectorAll('.kl-chart').length") == scripts


def test_curves_are_not_calculated_anew_where_only_the_moment_moves(server, page, runs):
    opened(page, server, f"train?run={runs['moons']}", "objective")
    node = f"document.querySelector('{landmarks.chart('objective')}')"
    page.locator(landmarks.TIME).press("Home")
    until(page, lambda: page.evaluate(f"{node}.layout.shapes?.at(-1).x0") == 0)
    page.evaluate(f"window.calculated = {node}.calcdata")
    page.locator(landmarks.TIME).press("ArrowRight")
    until(page, lambda: page.evaluate(f"{node}.layout.shapes?.at(-1).x0") > 0)
    rested(page)
    assert page.evaluate(f"{node}.calcdata === calculated")


def test_keys_do_the_same(server, page, runs):
    opened(page, server, f"kernel?run={runs['moons']}", "sample")
    plot = page.locator(landmarks.chart("sample"))
    assert "Enter selects" in plot.get_attribute("aria-label")
    plot.focus()
    words = page.locator(".st-key-sample .kl-spoken")
    plot.press("ArrowRight")
    plot.press("ArrowRight")
    row = int(re.search(r"row (\d+)", words.inner_text()).group(1))
    assert page.locator(".st-key-sample .kl-cursor").is_visible()
    plot.press("Enter")
    until(page, lambda: len(rings(page, "sample")) == 1)
    assert words.inner_text() == f"Selected: row {row}."
    page.wait_for_url(re.compile(rf"points={row}(&|$)"))
    rested(page)
    plot.press("Escape")
    until(page, lambda: rings(page, "sample") == [])
    page.wait_for_function("!location.search.includes('points=')")

    opened(page, server, f"train?run={runs['moons']}", "objective")
    plot = page.locator(landmarks.chart("objective"))
    plot.focus()
    plot.press("ArrowLeft")
    plot.press("ArrowLeft")
    before = page.evaluate("kernlabReel.clock.epochs.at(-3)")
    assert page.evaluate(POINTED) == before
    plot.press("Enter")
    assert page.evaluate("kernlabReel.clock.at") == before
    plot.press("Escape")
    assert page.evaluate("kernlabReel.clock.at") is None


def test_two_runs_side_by_side_share_what_is_selected(server, page, new_page, runs):
    address = f"spectrum?run={runs['pairs']}&beside={runs['single']}"
    opened(page, server, address, "joint_density", "frequency_cloud-beside")
    click(page, "joint_density", "frequency", 7)
    until(page, lambda: len(rings(page, "joint_density")) == 1)
    until(page, lambda: len(rings(page, "frequency_cloud-beside")) == 1)
    page.wait_for_url(re.compile(r"frequencies=7(&|$)"))
    other = opened(new_page(1440, 1600), server, page.url.rsplit("/", 1)[1], "joint_density", "frequency_cloud-beside")
    for key in ("joint_density", "frequency_cloud-beside"):
        until(other, lambda key=key: rings(other, key) == rings(page, key))
    page.get_by_role("button", name="Clear the selection").click()
    until(page, lambda: rings(page, "frequency_cloud-beside") == [])


def test_a_class_stands_out_and_the_others_are_faint(server, page, runs):
    opened(page, server, f"train?run={runs['pairs']}", "function")
    faint = """() => document.querySelector('.st-key-function .js-plotly-plot').data
      .filter(({ meta }) => meta).map(({ meta, opacity }) => [meta.class, (opacity ?? 1) < 0.5])"""
    assert not any(is_faint for _, is_faint in page.evaluate(faint))
    page.locator(f"{landmarks.chart('function')} .annotation-text-g", has_text="3").first.click()
    until(page, lambda: any(is_faint for _, is_faint in page.evaluate(faint)))
    assert all((code != 3) == is_faint for code, is_faint in page.evaluate(faint))
    page.wait_for_url(re.compile("classes=3"))
    page.get_by_role("status").filter(has_text="class 3").wait_for()


def test_columns_of_the_train_page_share_it_before_they_are_trained(server, page, new_page):
    opened(page, server, "train?dataset=moons&method=ASKL&n_features=40&epochs=3")
    page.get_by_role("button", name="Compare with …").click()
    page.get_by_role("button", name="assigned", exact=True).click()
    page.get_by_role("heading", name="side by side").wait_for()
    places = ("data", "kernel_surface", "kernel_surface-second")
    for key in places:
        shown(page, key)
        page.locator(landmarks.chart(key)).first.wait_for()
    rested(page)
    shown(page, "data")
    click(page, "data", "row", numbers(page, "data", "row")[11])
    until(page, lambda: len(rings(page, "data")) == 1)
    drawn = rings(page, "data")  # where rows lie close, the one on top
    for key in places[1:]:
        shown(page, key)
        until(page, lambda key=key: rings(page, key) == drawn)
    page.wait_for_url(re.compile(r"points=\d+(&|$)"))
    other = opened(new_page(1440, 1600), server, page.url.rsplit("/", 1)[1], *places)
    for key in places:
        until(other, lambda key=key: rings(other, key) == drawn)
