"""Each figure holds exactly the numbers of its NamedTuple, and nothing that it computed itself."""

import numpy as np
import pytest

from kernlab.bounds import Bound, Term
from kernlab.pictures import bound_terms, curves, density, function_view, joint, weights
from kernlab.pictures.bound_terms import plot_bound_history, plot_bound_now
from kernlab.pictures.curves import plot_curves
from kernlab.pictures.density import plot_density
from kernlab.pictures.function_view import plot_function
from kernlab.pictures.joint import plot_joint
from kernlab.pictures.weights import plot_diagonal, plot_singular_values

rng = np.random.default_rng(0)


def same(trace, **arrays):
    for key, expected in arrays.items():
        np.testing.assert_array_equal(np.asarray(trace[key]), np.asarray(expected))


def history(**metrics):
    return {name: (np.arange(len(v)), np.arange(len(v)) / 2, np.array(v, float)) for name, v in metrics.items()}


def test_curves_of_one_run():
    found = curves.curves(
        history(train_metric=[1, 5], test_metric=[2, 3], constant=[0.5]), ["train_metric", "test_metric"]
    )
    figure = plot_curves(found, title="Accuracy", y="accuracy (%)", constant=True)
    train, test, constant = figure.data
    same(train, x=[0, 0.5], y=[1, 5])
    same(test, x=[0, 0.5], y=[2, 3])
    same(constant, x=[0, 0.5], y=[0.5, 0.5])
    assert [trace.name for trace in figure.data] == ["train", "test", "constant predictor"]
    assert train.line.dash != test.line.dash
    assert figure.layout.xaxis.title.text == "epoch"


def test_smoothed_curves_show_the_raw_ones_faintly():
    found = curves.curves(history(loss=[1, 3, 4]), ["loss"], smoothing=0.5)
    raw, strong = plot_curves(found, title="Loss", y="loss").data
    same(raw, y=[1, 3, 4])
    same(strong, y=found.curves[0].y)
    assert raw.line.width < strong.line.width
    assert not raw.showlegend


def test_logarithmic_axes_and_thinning_are_said():
    found = curves.curves(history(loss=rng.random(5000) + 1), ["loss"])
    figure = plot_curves(found, title="Loss", y="loss", log_x=True, log_y=True)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert figure.layout.title.subtitle.text == f"{len(found.curves[0].x)} of 5000 points drawn"
    assert figure.layout.uirevision != plot_curves(found, title="Loss", y="loss").layout.uirevision


def test_an_empty_history_is_an_empty_picture():
    assert plot_curves(curves.curves({}, ["loss"]), title="Loss", y="loss", constant=True).data == ()


def test_density():
    four = [rng.normal(size=(2, 60)) for _ in range(4)]
    found = density.direction_density([1, 0], *four, what="height")
    figure = plot_density(found)
    for trace, curve in zip(figure.data, found.curves, strict=True):
        same(trace, x=found.grid, y=curve.values)
        assert trace.name == f"{curve.name} {curve.when}"
        assert (trace.fill == "tozeroy") == (curve.when == "now")
    assert "height" in figure.layout.title.subtitle.text
    assert "rad" in figure.layout.xaxis.title.text


def test_joint():
    first, second = rng.normal(size=(2, 3, 80))
    found = joint.joint_density([1, 0, 0], first, second, first, first, what="height")
    now, outer, inner, diagonal = plot_joint(found).data
    same(now, x=found.grid, y=found.grid, z=found.now)
    same(outer, z=found.assigned)
    assert (outer.contours.value, inner.contours.value) == found.levels
    same(diagonal, x=diagonal.y)
    assert f"ν = {found.along:.2f}" in plot_joint(found).layout.title.subtitle.text


def test_bound_over_training():
    series = {"lipschitz": [1, 1], "rademacher": [0.1, 0.2], "total": [3, 4], "gap": [-1, 2]}
    found = bound_terms.bound_history(history(**{f"bound/{k}": v for k, v in series.items()}))
    figure = plot_bound_history(found, labels={"gap": "measured"})
    *terms, gap = figure.data
    for trace, curve in zip(terms, found.terms.curves, strict=True):
        same(trace, x=curve.x, y=curve.y)
    same(gap, y=[-1, 2])
    assert gap.name == "measured"
    assert figure.layout.yaxis.type == "log"
    assert "1 of 2 gaps" in figure.layout.title.subtitle.text


def test_bound_now():
    values = {"empirical_risk": 0.5, "lipschitz": 1.0, "rademacher": 0.1, "dual_norm": 0.05, "dual_norm_se": 0.01}
    found = bound_terms.bound_now(values | {"confidence": 0.2, "gap": 0.3})
    figure = plot_bound_now(found)
    by_name = {trace.name: trace for trace in figure.data}
    same(by_name["complexity"], y=["exact", "paper"], x=[dict(bar.parts)["complexity"] for bar in found.bars[2:]])
    same(by_name["gap"], x=[0.3], y=["measured gap"])
    same(by_name["total"], x=[bar.end for bar in found.bars])
    same(by_name["standard error"].error_x, array=[found.bars[2].error])
    assert figure.layout.barmode == "stack"


def test_terms_that_the_theme_does_not_know_are_told_apart():
    terms = [f"part {i}" for i in range(4)]
    bound = Bound(
        "b", "Some bound", "", "", tuple(Term(t, t, "", "", "") for t in (*terms, "confidence", "total", "gap")),
        stack=(*terms, "confidence"), over_time=("total", *terms, "confidence", "gap"),
    )  # fmt: skip
    bars = plot_bound_now(bound_terms.bound_now(dict.fromkeys(bound.stack, 1.0), bound)).data[:5]
    assert [bar.name for bar in bars] == [*terms, "confidence"]
    assert len({bar.marker.color for bar in bars}) == len({bar.marker.pattern.shape for bar in bars}) == 5
    assert all(bar.showlegend for bar in bars)
    found = bound_terms.bound_history(history(**{f"bound/{term}": [1, 2] for term in bound.over_time}), bound)
    lines = plot_bound_history(found, labels={"part 0": "first"}).data
    assert [line.name for line in lines] == ["total", "first", "part 1", "part 2", "part 3", "confidence", "gap"]
    assert len({line.line.color for line in lines}) == 7


GRID = np.stack([g.ravel() for g in np.meshgrid([0.0, 1, 2], [5.0, 6])], 1)
POINTS = np.array([[0.5, 5.2], [1.5, 5.8], [0.1, 5.1]])


def test_regions():
    found = function_view.regions(rng.normal(size=(6, 3)), GRID, (2, 3), POINTS, [0, 2, 0], ("a", "b", "c"))
    heat, a, b, c = plot_function(found).data
    same(heat, x=[0, 1, 2], y=[5, 6], z=found.ink, customdata=found.margin, text=np.array(["a", "b", "c"])[found.codes])
    assert (heat.zmin, heat.zmax) == (0, 3)
    same(a, x=np.float32([0.5, 0.1]), y=np.float32([5.2, 5.1]))
    same(c, x=[1.5])
    assert len(b.x) == 0
    assert len({trace.marker.symbol for trace in (a, b, c)}) == 3


def test_the_colour_scale_jumps_between_classes():
    found = function_view.regions(np.eye(6)[:, :3], GRID, (2, 3), POINTS, [0, 1, 2], ("a", "b", "c"))
    stops = [stop for stop, _ in plot_function(found).data[0].colorscale]
    assert stops == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])


def test_surface():
    found = function_view.surface(np.arange(6.0), GRID, (2, 3), POINTS, [1.0, 2, 9])
    heat, points = plot_function(found).data
    same(heat, z=found.values)
    same(points.marker, color=[1, 2, 9])
    assert (heat.zmin, heat.zmax) == (points.marker.cmin, points.marker.cmax) == (1, 9)


def test_line():
    found = function_view.line([1, 2], [[0.0], [1.0]], [[0.5]], [3.0], [4, 5], feature="t", target="q")
    figure = plot_function(found)
    points, predicted, true = figure.data
    same(points, x=[0.5], y=[3])
    same(predicted, x=[0, 1], y=[1, 2])
    same(true, y=[4, 5])
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("t", "q")
    assert len(plot_function(found._replace(true=None)).data) == 2


def test_scores():
    found = function_view.scores([[0, 4], [1, 2]], [[0.0], [1.0]], [[0.2], [0.8]], [0, 1], ("no", "yes"))
    no, no_points, yes, yes_points = plot_function(found).data
    same(no, x=[0, 1], y=[0, 1])
    same(yes, y=[4, 2])
    same(no_points, x=np.float32([0.2]))
    same(yes_points, x=np.float32([0.8]))
    assert no.line.dash != yes.line.dash


def test_projection_of_classes():
    found = function_view.projection(np.eye(3)[[0, 1, 0]], [[1, 2], [3, 4], [5, 6]], [0, 1, 2], ("a", "b", "c"))
    figure = plot_function(found)
    a, b, wrong = figure.data
    same(a, x=[1, 5], text=["a", "c"])
    same(b, x=[3], y=[4])
    same(wrong, x=[5], y=[6])
    assert "66.7% right" in figure.layout.title.subtitle.text


def test_projection_of_a_regression():
    found = function_view.projection([[1.0], [2.0]], [[1, 2], [3, 4]], [[1.0], [4.0]])
    (points,) = plot_function(found).data
    same(points, x=[1, 3], customdata=[1, 4])
    same(points.marker, color=[1, 2])


def test_singular_values():
    found = weights.singular_values([3.0, 1.0, 0.0])
    counted, zero = plot_singular_values(found).data
    same(counted, x=[1, 2], y=[3, 1])
    same(zero, x=[3], y=[0])


def test_diagonal():
    found = weights.diagonal([0.2, 0.4, 0.4])
    figure = plot_diagonal(found)
    same(figure.data[0], x=found.left, y=found.share)
    assert figure.layout.shapes[0].x0 == found.mean


def test_what_is_no_view_has_no_picture():
    with pytest.raises(TypeError, match="no picture for int"):
        plot_function(3)
