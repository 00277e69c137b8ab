"""The Spectrum page: directions, moments, differences and linked selections."""

import pytest
from browsing import came_to, press, rested, run_of, shown, until, visit
from opening import components, figures, opened, ran, sound


def page(**scene):
    return sound(opened("spectrum", **scene))


def names(figure):
    return [trace["name"] for trace in figure["data"]]


def subtitle(figure):
    return figure["layout"]["title"]["subtitle"]["text"]


def test_pairs_on_pictures(shared):
    run_id = ran("ASKL", "digits", n_features=60, epochs=2)
    app = page(run=run_id)
    found = figures(app)
    assert {"density", "joint_density", "lengths", "line_profile", "input_importance", "pixel_importance",
            "frequencies", "diagonal"} <= found.keys()  # fmt: skip
    assert "carried_part" not in found  # nothing is selected
    assert "assigned, exact" in names(found["density"])
    assert "Gaussian pair kernel, exact" in names(found["line_profile"])
    assert [metric.label for metric in app.metric] == ["Non-stationarity ν"]
    assert app.dataframe[0].value["selected"].sum() == 0

    app = page(run=run_id, frequencies="3,7,14,400", order="first", look="class 3 → 8", start="a row of 5")
    found = figures(app)
    assert "3 of 30" in subtitle(found["carried_part"])  # there is no frequency 400
    assert len(found["frequencies"]["layout"]["shapes"]) == 3
    assert "class 3 → 8" in subtitle(found["joint_density"])
    assert app.metric[1].label == "of the 3 selected"
    listed = app.dataframe[0].value
    assert listed["frequency"].tolist()[:4] == [3, 7, 14, 0]
    assert listed["selected"].tolist()[:4] == [True, True, True, False]
    assert components(app, "elements")["selection"]["selected"] == {"frequency": "3,7,14,400"}


def test_every_picture_can_show_a_difference(shared):
    run_id = ran("ASKL", "digits", n_features=60, epochs=2)
    plain, changed = (figures(page(run=run_id, **moment)) for moment in ({}, {"reference": "0"}))
    for key in ("density", "joint_density", "lengths", "line_profile", "pixel_importance", "frequencies"):
        assert "hange" in changed[key]["layout"]["title"]["text"]
        assert "hange" not in plain[key]["layout"]["title"]["text"]
    assert "at epoch 0.00" in names(changed["input_importance"])


def test_surface_and_directions_of_ones_own(shared):
    run_id = ran("NSKL", "diabetes", n_features=30, epochs=2)
    app = page(run=run_id, surface="true", look="weights of my own", custom="bmi 3, bp -4")
    found = figures(app)
    assert found["joint_density"]["data"][0]["type"] == "surface"
    assert "weights of my own" in subtitle(found["density"])
    own = found["density"]["data"]
    app.text_input(key="view.custom").set_value("bmi 3, bpp -4").run()
    assert any("Did you mean bp" in caption.value for caption in app.caption)
    assert figures(app)["density"]["data"] != own  # the first principal direction, until it is mended
    app.selectbox(key="view.start").set_value("the row of the lowest target").run()
    assert app.query_params["start"] == "the row of the lowest target"
    assert figures(app)["line_profile"]["data"] != found["line_profile"]["data"]


@pytest.mark.parametrize(("method", "weighted"), [("SKL", False), ("LKRF", True)])
def test_single_frequencies(shared, method, weighted):
    app = page(run=ran(method, "moons", n_features=60, **({} if weighted else {"epochs": 2})), frequencies="1,2")
    found = figures(app)
    assert {"frequency_cloud", "carried_part", "line_profile"} <= found.keys()
    assert "joint_density" not in found
    assert found["frequency_cloud"]["data"][0]["meta"]["frequency"]  # the browser marks those that are selected
    assert not app.metric
    assert ("weight" in app.dataframe[0].value) == weighted
    assert "view.start" not in app.session_state  # a stationary kernel is the same everywhere


def test_a_run_beside_another_looks_along_its_own_directions(shared):
    one, other = ran("ASKL", "diabetes", n_features=20, epochs=1), ran("SK", "moons", n_features=20, epochs=1)
    found = figures(page(run=one, beside=other, look="input bmi"))
    assert "input bmi" in subtitle(found["density"])
    assert "principal direction 1" in subtitle(found["density.beside"])


@pytest.mark.browser
def test_a_box_round_pairs_is_followed_everywhere(server, page):
    visit(page, server, "train?method=ASKL&dataset=digits&n_features=60&epochs=2")
    press(page, "Train")
    came_to(page, "Finished")
    run = run_of(page)
    page.set_viewport_size({"width": 1440, "height": 1300})
    page.goto(f"{server.url}/spectrum?run={run}")
    plot = page.locator(".st-key-joint_density .nsewdrag").first
    plot.wait_for()
    page.locator("[data-testid=stDataFrame]").wait_for()  # the page is complete, and stands still
    rested(page)
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    page.get_by_role("button", name="Clear the selection").wait_for()
    page.locator(".st-key-carried_part .js-plotly-plot").wait_for()

    def taken():
        """How many frequencies are marked, what the address says of them, and whether an outline is left."""
        return page.evaluate(
            """() => {
                const node = document.querySelector('.st-key-joint_density .js-plotly-plot');
                const marked = node._fullData.find((trace) => trace.name === 'selected');
                const named = new URLSearchParams(location.search).get('frequencies') ?? '';
                const outlines = node.layout.selections?.length ?? 0;
                return [marked?._length ?? 0, named.split(',').filter(Boolean).length, outlines];
            }"""
        )

    page.wait_for_function("location.search.includes('frequencies=')")
    marked, named, outlines = taken()
    assert 0 < marked < 60
    assert (named, outlines) == (marked, 0)
    rested(page)
    assert taken() == [marked, named, 0]  # it stays so
    shown(page, "frequencies")
    shapes = "document.querySelector('.st-key-frequencies .js-plotly-plot')?.layout.shapes.length"
    until(page, lambda: page.evaluate(shapes) == min(marked, 36))
    page.get_by_role("button", name="Clear the selection").click()
    page.wait_for_function("!location.search.includes('frequencies=')")
    page.locator(".st-key-carried_part .js-plotly-plot").wait_for(state="detached")
