"""Metrics over training: smoothing, thinning, the two stretches of a run that chooses its epochs, and their figures."""

from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pytest
from drawn import same
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.errors import OptionError
from kernlab.pictures.curves import curves, draw_metric, draw_objective, enlarged, last, plot_curves, smooth
from kernlab.pictures.thinning import spread, thin
from kernlab.pictures.timed import second_stretch, timed
from kernlab.runs.kept import BestEpoch
from kernlab.runs.store import Curve

rng = np.random.default_rng(0)


def history(**metrics):
    return {name: (np.arange(len(v)) * 10, np.arange(len(v)) / 2, np.array(v, float)) for name, v in metrics.items()}


def test_smoothing_on_a_literal():
    # s = 0.5, 1.75, 2.875 before the division by 1 - 0.5^t = 0.5, 0.75, 0.875
    assert smooth([1, 3, 4], 0.5) == pytest.approx([1, 1.75 / 0.75, 2.875 / 0.875])
    assert smooth([1.0, -3.0, 4.0], 0).tolist() == [1, -3, 4]


@settings(max_examples=40)
@given(st.floats(-1e3, 1e3), st.floats(0, 0.999), st.integers(1, 60))
def test_smoothing_keeps_a_constant_from_the_first_value_on(level, weight, n):
    assert smooth(np.full(n, level), weight) == pytest.approx(np.full(n, level), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("weight", [-0.1, 1, float("nan")])
def test_smoothing_outside_its_range_is_a_sentence(weight):
    with pytest.raises(OptionError, match="smoothing must be"):
        smooth([1.0], weight)


EPOCHS = np.array([0, 0.5, 1, 1, 1.5])  # choosing ends at epoch 1, where the repetition on all rows begins


def test_smoothing_does_not_cross_from_choosing_to_repeating():
    (curve,) = curves({"loss": (np.arange(5), EPOCHS, [1.0, 3, 4, 8, 6])}, ["loss"], smoothing=0.5, boundary=1.0).curves
    assert curve.y == pytest.approx([*smooth([1, 3, 4], 0.5), *smooth([8, 6], 0.5)])


@pytest.mark.parametrize(
    ("epochs", "place"),
    [
        (EPOCHS, 3),  # of two points at the boundary the second is of the repetition
        ([0, 0.5, 1, 1.5], 2),  # so is a single one of what is measured at epoch 0 too
        ([0.25, 0.5, 1, 1.5], 3),  # but not of a mean over mini-batches
        ([0, 0.5, 1], 3),
        ([0, 2], 2),
    ],
)
def test_where_the_second_stretch_begins(epochs, place):
    assert second_stretch(epochs, 1.0) == place
    assert second_stretch(epochs, None) == len(epochs)


def repeating(**history):
    """A run that chose at epoch 1 and repeats, seen with smooth curves."""
    kept = BestEpoch(epoch=1, stopped=1, of=5, rows=10, penalty=None, learned=True)
    run = SimpleNamespace(kept=kept, unit="epoch", history=history)
    return SimpleNamespace(run=run, mark=None, view={"smooth": True, "log": False}, facts={"metric": "accuracy"})


def test_the_picture_of_such_a_run_starts_smoothing_anew():
    at = repeating(train_metric=(np.arange(5), EPOCHS, np.array([1.0, 3, 4, 8, 6])))
    _, strong = draw_metric(at).data
    assert strong.y == pytest.approx([*smooth([1, 3, 4], 0.9), np.nan, *smooth([8, 6], 0.9)], nan_ok=True)


def test_a_line_breaks_between_the_stretches_and_keeps_its_precision():
    at = repeating()
    drawn = go.Figure([go.Scatter(x=EPOCHS.astype(np.float32), y=np.arange(5, dtype=np.float32), mode="lines")])
    (trace,) = timed(drawn, at).data
    same(trace, x=[0, 0.5, 1, np.nan, 1, 1.5], y=[0, 1, 2, np.nan, 3, 4])
    assert trace.x.dtype == trace.y.dtype == np.float32


def test_the_axis_has_room_for_the_whole_repetition_from_its_beginning():
    """Else the label of the second stretch is cut off at the edge while the stretch is short."""
    begun = timed(go.Figure([go.Scatter(x=EPOCHS, y=np.arange(5.0), mode="lines")]), repeating())
    assert begun.layout.xaxis.autorangeoptions.include == (2,)


def test_curves_hold_the_wanted_metrics_in_order():
    found = curves(history(loss=[3, 2], objective=[5, 4], other=[0, 0]), ["objective", "loss", "absent"])
    assert [curve.name for curve in found.curves] == ["objective", "loss"]
    assert found.curves[0].x.tolist() == [0, 0.5]
    assert found.curves[0].y.tolist() == [5, 4]
    assert len(found.curves[0].raw_x) == 0
    assert curves(history(loss=[3, 2]), ["loss"], axis="step").curves[0].x.tolist() == [0, 10]


def test_values_that_are_not_finite_are_left_out_and_counted():
    (curve,) = curves(history(loss=[1, np.nan, 2, np.inf]), ["loss"], smoothing=0.5).curves
    assert (curve.total, curve.dropped, curve.raw_y.tolist()) == (2, 2, [1, 2])
    assert curves(history(loss=[np.nan]), ["loss"]).curves == ()


def test_the_constant_predictor_is_its_newest_value():
    assert curves(history(constant=[9, 10]), []).constant == 10
    assert last(history(constant=[9, np.nan]), "constant") == 9
    assert last({}, "constant") is None


def test_thinning_keeps_ends_and_spikes():
    x, y = np.arange(50_000.0), np.sin(np.arange(50_000.0) / 3000)
    y[31_234], y[4_321] = 40, -30
    kept = thin(x, y, 500)
    assert len(kept) <= 500
    assert {0, 31_234, 4_321, 49_999} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()


def test_many_curves_share_the_points():
    many = {f"m{i}": history(a=np.arange(9000.0))["a"] for i in range(12)}
    assert sum(len(curve.x) for curve in curves(many, list(many)).curves) <= 4000


@given(st.integers(0, 3000), st.integers(1, 500))
@settings(max_examples=40)
def test_spread_rows_are_distinct_and_within(n, limit):
    kept = spread(n, limit)
    assert len(kept) == min(n, limit)
    assert len(set(kept.tolist())) == len(kept)
    assert all(0 <= i < n for i in kept)


def test_the_figure_of_one_run():
    found = curves(history(train_metric=[1, 5], test_metric=[2, 3], constant=[0.5]), ["train_metric", "test_metric"])
    figure = plot_curves(found, title="Accuracy", y="accuracy (%)", constant=True)
    train, test, constant = figure.data
    same(train, x=[0, 0.5], y=[1, 5])
    same(test, x=[0, 0.5], y=[2, 3])
    same(constant, x=[0, 0.5], y=[0.5, 0.5])
    assert [trace.name for trace in figure.data] == ["train", "test", "constant predictor"]
    assert train.line.dash != test.line.dash
    assert figure.layout.xaxis.title.text == "epoch"
    assert plot_curves(curves({}, ["loss"]), title="Loss", y="loss", constant=True).data == ()


def test_smoothed_curves_show_the_raw_ones_faintly():
    found = curves(history(loss=[1, 3, 4]), ["loss"], smoothing=0.5)
    raw, strong = plot_curves(found, title="Loss", y="loss").data
    same(raw, y=[1, 3, 4])
    same(strong, y=found.curves[0].y)
    assert raw.line.width < strong.line.width
    assert not raw.showlegend


def test_the_figure_names_logarithmic_axes_and_thinning():
    found = curves(history(loss=rng.random(30_000) + 1), ["loss"])
    assert found.curves[0].thinned
    assert 500 < len(found.curves[0].x) <= 1000
    figure = plot_curves(found, title="Loss", y="loss", log_x=True, log_y=True)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert figure.layout.title.subtitle.text == f"{len(found.curves[0].x)} of 30000 points drawn"
    assert figure.layout.uirevision != plot_curves(found, title="Loss", y="loss").layout.uirevision


def test_a_penalty_that_would_lie_flat_at_zero_is_enlarged_and_says_so():
    values = history(objective=[2.0, 1.0], loss=[1.9, 0.9], trace_norm=[0.0, 0.003], feature_norm=[0.5, 0.3])
    found = enlarged(curves(values, list(values)), ["trace_norm", "feature_norm"])
    assert [curve.factor for curve in found.curves] == [1, 1, 100, 1]
    assert found.curves[2].y == pytest.approx([0, 0.3])
    assert [trace.name for trace in plot_curves(found, title="Objective", y="objective").data][2:] == [
        "λ₁‖W‖⁎ × 100", "λ₂‖φ(X)‖²/n",
    ]  # fmt: skip
    assert enlarged(found._replace(curves=()), ["trace_norm"]).curves == ()
    nothing = curves(history(objective=[1.0], trace_norm=[0.0]), ["objective", "trace_norm"])
    assert enlarged(nothing, ["trace_norm"]) == nothing


@given(st.floats(1e-12, 1e6), st.floats(1e-12, 1e6))
@settings(max_examples=60)
def test_an_enlarged_curve_has_between_a_tenth_and_the_whole_of_the_height(top, own):
    found = enlarged(curves(history(loss=[top], penalty=[own]), ["loss", "penalty"]), ["penalty"])
    high, low = (float(curve.y.max()) for curve in found.curves)
    assert low >= 0.0999 * high
    assert found.curves[1].factor == 1 or low <= 1.001 * high


def test_the_objective_of_a_run_shows_its_penalties():
    at = repeating(
        **{name: Curve(*each) for name, each in history(objective=[2, 1], loss=[2, 1], trace_norm=[0, 40]).items()}
    )
    at.run.kept, at.run.unit = None, "epoch"
    at.method = SimpleNamespace(regularizers=[SimpleNamespace(name="trace_norm", weight=1e-4)])
    for at.view["log"], words in ((False, "λ₁‖W‖⁎ × 100"), (True, "λ₁‖W‖⁎")):
        assert draw_objective(at).data[-1].name == words
