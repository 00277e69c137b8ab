"""The Certainty page's list of rows, and the second descent on the Bounds page, without a browser."""

import json

import numpy as np
from opening import address, components, errors, figures, opened, press, ran, sound

from kernlab.pictures.interpolation import PENALTIES, sizes
from kernlab.ui.draw_one import decoded, encoded
from kernlab.ui.glossary import found


def test_the_rows_that_the_model_contradicts_are_listed_with_their_inputs(shared):
    app = sound(opened("certainty", run=ran()))
    assert "Probably mislabelled rows" in " ".join(each.value for each in app.markdown)
    (table,) = app.dataframe
    names = list(table.value.columns)
    assert names[:5] == ["row", "label", "the model says", "margin", "leverage"]
    assert {"influence on itself", "x1", "x2"} <= set(names)
    assert table.value["margin"].is_monotonic_decreasing
    drawn = figures(app)
    marked = next(trace for trace in drawn["left_out"]["data"] if "doubtful" in trace["name"])
    assert len(marked["text"]) == len(table.value)


def test_a_term_at_the_head_of_a_table_has_its_definition(shared):
    tables = []
    for name, scene in (("certainty", {"run": ran()}), ("runs", {}), ("spectrum", {"run": ran()})):
        app = sound(opened(name, **scene))
        tables += [each for each in (*app.dataframe, *app.get("arrow_data_frame")) if each not in tables]
    heads = {}
    for table in tables:
        asked = json.loads(table.proto.columns or "{}")
        for column in table.value.columns:
            own = asked.get(column, {})
            heads[own.get("label") or column] = own.get("help")
    assert {"Seed", "margin", "influence on itself"} <= set(heads)
    assert {head for head, words in heads.items() if found(head) and not words} == set()


def test_of_real_targets_the_rows_of_the_largest_residual_are_listed(shared):
    app = sound(opened("certainty", run=ran("ASKL", "chirp")))
    assert "Rows of the largest residual" in " ".join(each.value for each in app.markdown)
    assert "residual (σ)" in app.dataframe[0].value.columns


def test_pictures_of_rows_stand_for_their_inputs(shared):
    app = sound(opened("certainty", run=ran("ASKL", "digits")))
    assert "doubtful_rows" in components(app, "chart")
    assert list(app.dataframe[0].value.columns)[-1] == "influence on itself"


def test_a_link_opens_the_picture_that_was_drawn_with_its_answer(shared):
    levels = [15 if place % 8 == 4 else place % 3 for place in range(64)]
    app = sound(opened("certainty", run=ran("ASKL", "digits"), drawn=encoded(levels)))
    assert components(app, "pixels")["pixels"]["levels"] == levels
    assert "with a probability of" in figures(app)["drawn_chances"]["layout"]["title"]["text"]
    assert address(app)["drawn"] == encoded(levels)
    app = opened("certainty", run=ran("ASKL", "digits"), drawn="no picture")
    assert "drawn must be a picture" in errors(app)[0]


def test_a_drawing_is_short_in_the_address_and_the_same_when_it_is_read():
    rng = np.random.default_rng(0)
    for side in (8, 16, 28):
        levels = [int(each) for each in rng.integers(0, 16, side * side)]
        assert list(decoded(encoded(levels))) == levels
        x, y = np.meshgrid(np.arange(side), np.arange(side))  # a ring, as a hand draws it
        far = np.abs(np.hypot(x - side / 2, y - side / 2) - side / 3)
        ring = np.clip(np.round(15 * (side / 14 + 0.5 - far)), 0, 15).astype(int).ravel().tolist()
        assert list(decoded(encoded(ring))) == ring
        assert len(encoded(ring)) < 300
    assert encoded([0] * 64) == ""
    assert decoded("") == ()


def test_an_exact_kernel_is_as_sure_as_its_gaussian_process(shared):
    app = sound(opened("certainty", run=ran("KRR", "chirp")))
    assert "Rows of the largest residual" in " ".join(each.value for each in app.markdown)
    assert {"calibration", "left_out"} <= set(figures(app))
    app = sound(opened("certainty", run=ran("SVC-rbf", "moons")))
    assert "Calibration" in figures(app)["calibration"]["layout"]["title"]["text"]


def test_one_click_shows_the_second_descent_and_a_slider_its_penalties(shared):
    app = press(sound(opened("bounds", run=ran())), "Show the second descent")
    plain = figures(sound(app))["descent_errors"]
    rows = 80
    assert f"n = {rows}" in plain["layout"]["title"]["subtitle"]["text"]
    assert len(components(app, "chart")["descent_bound"]["figure"]) > 100
    assert len(sizes(rows)) > 10
    slider = next(each for each in app.select_slider if each.label.startswith("Penalty λ"))
    slider.set_value(PENALTIES[-2]).run()
    penalised = figures(sound(app))["descent_errors"]
    assert penalised != plain
    # The address holds what is seen.
    assert (address(app)["descent"], address(app)["ridge"]) == ("some", "1")
    again = sound(opened("bounds", run=ran(), descent="some", ridge="1"))
    assert figures(again)["descent_errors"] == penalised


def test_where_rows_were_left_out_one_can_wait_for_all_of_them(shared, monkeypatch):
    monkeypatch.setattr("kernlab.ui.interpolation.fitting", lambda n, d, K: 40)
    app = sound(opened("bounds", run=ran("ASKL", "moons", n_features=21), descent="some"))
    assert "n = 40; 40 of 80 training rows" in figures(app)["descent_errors"]["layout"]["title"]["subtitle"]["text"]
    (every,) = [each.label for each in app.button if each.label.startswith("All 80 training rows: about ")]
    app = sound(press(app, every))
    assert "n = 80" in figures(app)["descent_errors"]["layout"]["title"]["subtitle"]["text"]
    assert address(app)["descent"] == "all"


def test_a_run_whose_features_cannot_be_drawn_says_so(shared):
    app = press(opened("bounds", run=ran("NysDI", "digits")), "Show the second descent")
    assert any("features can be drawn" in error.value for error in app.error)
