"""Names of classes among their points: each at a point of its class, and none over another."""

import numpy as np
import plotly.graph_objects as go
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.pictures.class_names import _LETTER, _LINE, _PLOT, FEW, spots, with_class_names
from kernlab.pictures.function_view import plot_function, projection

rng = np.random.default_rng(0)


@settings(max_examples=40)
@given(st.integers(1, 30), st.integers(0, 9))
def test_every_class_has_its_name_at_one_of_its_points(classes, seed):
    draw = np.random.default_rng(seed)
    codes = draw.integers(0, classes, 200)
    found = spots(draw.normal(size=(200, 2)), codes, ["x"] * classes)
    assert found.keys() == set(codes.tolist())
    assert all(codes[spot.place] == code for code, spot in found.items())


def test_names_stand_in_the_middle_of_a_class_and_elsewhere_where_another_stands():
    cloud = rng.normal(size=(400, 2))
    far = np.array([[50.0, 50.0]])
    found = spots(np.vstack([cloud, far]), np.repeat([0, 1], [400, 1]), ["a", "b"])
    assert np.abs(cloud[found[0].place]).max() < 0.3
    codes = np.arange(400) % 26  # 26 classes in one place, like those of letter
    found = spots(cloud, codes, ["m"] * 26)
    at = cloud[[found[code].place for code in range(26)]] / np.ptp(cloud, axis=0) * _PLOT
    at[:, 0] += [{"left": _LETTER, "center": 0, "right": -_LETTER}[found[code].anchor] / 2 for code in range(26)]
    apart = (np.abs(at[:, None] - at[None]) / (_LETTER, _LINE)).max(axis=2)
    assert (apart + 9 * np.eye(26)).min() > 0.8  # a label has some room round its letters
    assert spots(np.zeros((3, 2)), np.arange(3), ["a", "b", "c"]).keys() == {0, 1, 2}


@settings(max_examples=40)
@given(st.integers(0, 9), st.integers(1, 12))
def test_no_name_reaches_beyond_the_plot(seed, letters):
    cloud = np.random.default_rng(seed).normal(size=(60, 2)) ** 3  # a few points far out
    found = spots(cloud, np.arange(60), ["m" * letters] * 60)
    at = (cloud[:, 0] - cloud[:, 0].min()) / np.ptp(cloud[:, 0]) * _PLOT[0]
    for place, anchor in found.values():
        left = at[place] - letters * _LETTER * {"left": 0.0, "center": 0.5, "right": 1.0}[anchor]
        assert left > -1e-9
        assert left + letters * _LETTER < _PLOT[0] + 1e-9


def test_many_classes_have_names_in_the_place_of_a_legend_and_few_have_a_legend():
    for count in (FEW, FEW + 1):
        classes = tuple(f"class number {code}" for code in range(count))
        scores = rng.normal(size=(300, count))
        drawn = plot_function(projection(scores, rng.normal(size=(300, 2)), rng.integers(0, count, 300), classes))
        named = [trace for trace in drawn.data if trace.name in classes]
        assert len(named) == count
        many = count > FEW
        assert all((trace.showlegend is False) is many for trace in named)
        assert {each.text for each in drawn.layout.annotations} == ({"<b>class numbe…</b>"} if many else set())
        assert drawn.data[-1].name == "wrong"
        assert drawn.data[-1].showlegend is None


def test_other_traces_keep_their_place_in_the_legend():
    drawn = go.Figure([go.Scatter(x=[0], y=[0], name=name) for name in ("0", "selected")])
    with_class_names(drawn, [0.0], [0.0], [0], [str(code) for code in range(10)])
    assert [trace.showlegend for trace in drawn.data] == [False, None]
    assert (drawn.layout.annotations[0].x, drawn.layout.annotations[0].text) == (0, "<b>0</b>")
