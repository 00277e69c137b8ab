"""The Spectrum page: directions, moments, differences and linked selections."""

import json

import pytest
from browsing import press, rested, run_of, visit
from streamlit.testing.v1 import AppTest

from kernlab.jobs import manager
from kernlab.pictures.base import PICTURES
from kernlab.pictures.spectrum import take_frequencies
from kernlab.spec import RunSpec

APP = "from kernlab.ui.pages import show; show('spectrum')"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    yield tmp_path
    manager().trainings.shutdown()


def ran(method, dataset, **options):
    rows = {"n_samples": 100} if dataset in ("moons", "chirp") else {}
    run_id = manager().trainings.submit(RunSpec.of(method, dataset, **rows, **options))
    assert manager().trainings.wait(run_id, 60).status == "finished"
    return run_id


def page(**scene):
    app = AppTest.from_string(APP, default_timeout=60)
    for key, value in scene.items():
        app.query_params[key] = value
    return app.run()


def drawn(app):
    assert not app.exception
    assert [error.value for error in app.error] == []
    return {key: json.loads(figure) for key, (_, figure) in app.session_state["pictures"].items()}


def names(figure):
    return [trace["name"] for trace in figure["data"]]


def subtitle(figure):
    return figure["layout"]["title"]["subtitle"]["text"]


def test_pairs_on_pictures(home):
    run_id = ran("ASKL", "digits", n_features=60, epochs=2)
    app = page(run=run_id)
    found = drawn(app)
    assert {"density", "joint_density", "lengths", "line_profile", "input_importance", "pixel_importance",
            "frequencies", "diagonal"} <= found.keys()  # fmt: skip
    assert "carried_part" not in found  # nothing is selected
    assert "assigned, exact" in names(found["density"])
    assert "Gaussian pair kernel, exact" in names(found["line_profile"])
    assert [metric.label for metric in app.metric] == ["Non-stationarity ν"]
    assert app.dataframe[0].value["selected"].sum() == 0

    app = page(run=run_id, frequencies="3,7,14,400", order="first", look="class 3 → 8", start="a row of 5")
    found = drawn(app)
    assert "3 of 30" in subtitle(found["carried_part"])  # there is no frequency 400
    assert len(found["frequencies"]["layout"]["shapes"]) == 3
    assert "class 3 → 8" in subtitle(found["joint_density"])
    assert app.metric[1].label == "of the 3 selected"
    listed = app.dataframe[0].value
    assert listed["frequency"].tolist()[:4] == [3, 7, 14, 0]
    assert listed["selected"].tolist()[:4] == [True, True, True, False]
    next(button for button in app.button if button.label == "Clear the selection").click().run()
    assert "frequencies" not in app.query_params
    assert app.dataframe[0].value["selected"].sum() == 0


def test_every_picture_can_show_a_difference(home):
    run_id = ran("ASKL", "digits", n_features=60, epochs=2)
    plain, changed = (drawn(page(run=run_id, **moment)) for moment in ({}, {"reference": "0"}))
    for key in ("density", "joint_density", "lengths", "line_profile", "pixel_importance", "frequencies"):
        assert "hange" in changed[key]["layout"]["title"]["text"]
        assert "hange" not in plain[key]["layout"]["title"]["text"]
    assert "at epoch 0.00" in names(changed["input_importance"])


def test_surface_and_directions_of_ones_own(home):
    run_id = ran("NSKL", "diabetes", n_features=30, epochs=2)
    app = page(run=run_id, surface="true", look="weights of my own", custom="bmi 3, bp -4")
    found = drawn(app)
    assert found["joint_density"]["data"][0]["type"] == "surface"
    assert "weights of my own" in subtitle(found["density"])
    own = found["density"]["data"]
    app.text_input(key="view.custom").set_value("bmi 3, bpp -4").run()
    assert any("Did you mean bp" in caption.value for caption in app.caption)
    assert drawn(app)["density"]["data"] != own  # the first principal direction, until it is mended
    app.selectbox(key="view.start").set_value("the row of the lowest target").run()
    assert app.query_params["start"] == "the row of the lowest target"
    assert drawn(app)["line_profile"]["data"] != found["line_profile"]["data"]


@pytest.mark.parametrize(("method", "weighted"), [("SKL", False), ("LKRF", True)])
def test_single_frequencies(home, method, weighted):
    app = page(run=ran(method, "moons", n_features=60, **({} if weighted else {"epochs": 2})), frequencies="1,2")
    found = drawn(app)
    assert {"frequency_cloud", "carried_part", "line_profile"} <= found.keys()
    assert "joint_density" not in found
    assert "selected" in names(found["frequency_cloud"])
    assert not app.metric
    assert ("weight" in app.dataframe[0].value) == weighted
    assert "view.start" not in app.session_state  # a stationary kernel is the same everywhere


def test_a_run_beside_another_looks_along_its_own_directions(home):
    one, other = ran("ASKL", "diabetes", n_features=20, epochs=1), ran("SK", "moons", n_features=20, epochs=1)
    found = drawn(page(run=one, beside=other, look="input bmi"))
    assert "input bmi" in subtitle(found["density"])
    assert "principal direction 1" in subtitle(found["density.beside"])


def test_what_is_reported_becomes_the_selection():
    class At:
        frequencies = (4, 9)

    box = [{"customdata": 7}, {"customdata": 3}, {"customdata": None, "z": 0.1}, {"x": 1}]
    assert take_frequencies(At, "select", box) == {"frequencies": "3,7"}
    assert take_frequencies(At, "select", []) == {}
    assert take_frequencies(At, "click", {"customdata": 7}) == {"frequencies": "4,7,9"}
    assert take_frequencies(At, "click", {"customdata": 4}) == {"frequencies": "9"}
    assert take_frequencies(At, "click", {"x": 1, "z": 2}) == {}
    assert all(PICTURES[key].taken for key in ("joint_density", "frequency_cloud", "frequencies"))


@pytest.mark.browser
def test_a_box_round_pairs_is_followed_everywhere(server, page):
    visit(page, server, "train?method=ASKL&dataset=digits&n_features=60&epochs=2")
    press(page, "Train")
    page.get_by_text("Finished").first.wait_for()
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
                const said = new URLSearchParams(location.search).get('frequencies') ?? '';
                const outlines = node.layout.selections?.length ?? 0;
                return [marked?._length ?? 0, said.split(',').filter(Boolean).length, outlines];
            }"""
        )

    page.wait_for_function("location.search.includes('frequencies=')")
    marked, said, outlines = taken()
    assert 0 < marked < 60
    assert (said, outlines) == (marked, 0)
    rested(page)
    assert taken() == [marked, said, 0]  # it stays so
    frames = page.evaluate("document.querySelector('.st-key-frequencies .js-plotly-plot').layout.shapes.length")
    assert frames == min(marked, 36)
    page.get_by_role("button", name="Clear the selection").click()
    page.wait_for_function("!location.search.includes('frequencies=')")
    page.locator(".st-key-carried_part .js-plotly-plot").wait_for(state="detached")
