"""The pictures of the Train page. Those of frequencies, of the kernel and of bounds are apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis import (
    curves,
    frame_spectrum,
    function_view,
    landmarks,
    mixture,
    results,
    reweighting,
)
from kernlab.plots.curves import plot_curves
from kernlab.plots.frame_spectrum import plot_frame_eigenvalues, plot_frame_input, plot_frame_spectrum
from kernlab.plots.function_view import plot_function
from kernlab.plots.landmarks import plot_landmark_pictures, plot_landmarks
from kernlab.plots.mixture import plot_mixture
from kernlab.plots.results import plot_results
from kernlab.plots.reweighting import plot_feature_weights, plot_weight_mass
from kernlab.regularizers import REGULARIZERS
from kernlab.ui.pictures.base import Shown, picture
from kernlab.ui.pictures.looking import input_names, input_place
from kernlab.ui.pictures.timed import timed
from kernlab.ui.watch import Watch

__all__ = ["head_words", "metric_name"]

_SMOOTHING = 0.9  # weight of the past in the running mean of the curves


# -- over training ---------------------------------------------------------------------------------------------

#: What the solvers call the parts of their objective.
_PARTS = ("objective", "loss", "penalty", "norm", *REGULARIZERS)


def _iterative(at: Shown) -> bool:
    return not at.watch.at_once


def metric_name(watch: Watch) -> str:
    """The test metric with its unit, for an axis."""
    if watch.facts.get("metric") == "rmse":
        unit = watch.facts.get("target_unit", "original")
        return "RMSE (unit of the target)" if unit == "original" else f"RMSE (targets in {unit})"
    return "accuracy (%)"


@picture("overview", alt="The objective and its parts over training", when=_iterative, uses=("smooth", "log"),
         height=300, over_time=True)  # fmt: skip
def objective(at: Shown) -> go.Figure:
    """The objective with its loss and penalties over training."""
    history = _weighted(at)
    names = [name for name in _PARTS if name in history]
    if len(names) == 2 and names[1] == "loss" and at.method and not at.method.regularizers:
        names = names[:1]  # without a penalty they are the same
    smoothing = _SMOOTHING if at.view["smooth"] else 0.0
    # What is below zero (an information, an alignment) has no logarithm.
    low = min((float(history[name].values.min()) for name in names if len(history[name].values)), default=1.0)
    drawn = curves.curves(history, names, smoothing=smoothing, method=at.watch.run.method)
    title = "Objective and its parts" if len(names) > 1 else "Objective"
    return timed(plot_curves(drawn, title=title, y="objective", log_y=at.view["log"] and low > 0), at)


def _weighted(at: Shown) -> dict[str, Any]:
    """The history with each penalty times its λ: the share it has in the objective."""
    factors = {each.name: each.weight for each in at.method.regularizers} if at.method else {}
    return {
        name: curve._replace(values=curve.values * factors[name]) if name in factors else curve
        for name, curve in at.watch.history.items()
    }


@picture("overview", alt="Training, test and held-out metric over training", when=_iterative, uses=("smooth", "log"),
         height=300, over_time=True)  # fmt: skip
def metric(at: Shown) -> go.Figure:
    """Metric of training, test and held-out rows over training, with the constant predictor's."""
    drawn = curves.curves(
        at.watch.history, ["train_metric", "test_metric", "validation_metric", "assigned_validation_metric"],
        smoothing=_SMOOTHING if at.view["smooth"] else 0.0, method=at.watch.run.method,
    )._replace(constant=at.facts.get("constant"))  # fmt: skip
    name = metric_name(at.watch)
    title = "RMSE" if name.startswith("RMSE") else "Accuracy"
    return timed(plot_curves(drawn, title=title, y=name, log_y=at.view["log"], constant=True), at)


#: Heads where there is no room for their titles.
_SHORT = {
    "joint": "linear",
    "linear_svm": "linear SVM",
    "kernel_ridge": "kernel ridge",
    "svc": "SVC",
    "epsilon_svr": "ε-SVR",
    "nu_svr": "ν-SVR",
}


def head_words(name: str) -> str:
    """A head in a word or two."""
    return _SHORT.get(name, name)


def _heads(at: Shown) -> Mapping[str, Mapping[str, Any]] | None:
    """What every head reached, once the run is over."""
    return at.watch.run.summary.get("heads") if at.moment.latest else None


@picture("overview", alt="Training and test metric of every head as bars", metrics=("test_metric",), height=360,
         when=lambda at: at.watch.at_once, over_time=True)  # fmt: skip
def reached(at: Shown) -> go.Figure:
    """Training and test metric of every head."""
    names = {head.name: head_words(head.name) for head in at.method.heads} if at.method else {"": at.watch.run.method}
    found = results.results(
        at.moment.values, names, heads=_heads(at), constant=at.facts.get("constant"),
        percent=at.facts.get("metric") == "accuracy",
    )  # fmt: skip
    return plot_results(found, y=metric_name(at.watch))


@picture("overview", alt="The learned function", arrays=("view_scores",), uses=("output",), height=360)
def function(at: Shown) -> go.Figure:
    """What the learned function looks like."""
    view = function_view.function_view(at.arrays, at.static, at.facts, output=at.view["output"])
    figure = plot_function(view)
    # A legend of more classes would leave no room for the picture; hovering names them too.
    return figure.update_layout(showlegend=False) if len(at.facts.get("classes") or ()) > 12 else figure


# -- landmarks -------------------------------------------------------------------------------------------------


@picture("overview", alt="Landmarks on the data, with lines from where they began", arrays=("landmarks",),
         uses=("output",), height=360)  # fmt: skip
def landmarks_on_data(at: Shown) -> go.Figure:
    """Landmarks on the data."""
    figure = plot_landmarks(landmarks.landmarks(at.arrays, at.static, at.facts, output=at.view["output"]))
    return figure.update_layout(showlegend=False) if len(at.facts.get("classes") or ()) > 12 else figure


def _pictured(at: Shown) -> bool:
    return at.image is not None


@picture("overview", "kernel", alt="Landmarks as pictures", arrays=("landmarks",), when=_pictured, height=380)
def landmark_pictures(at: Shown) -> go.Figure:
    """Those landmarks that moved farthest, as pictures."""
    return _mosaic(at, change=False)


@picture("kernel", alt="What training changed about the landmarks, as pictures", arrays=("landmarks",),
         when=_pictured, height=380)  # fmt: skip
def landmark_changes(at: Shown) -> go.Figure:
    """What training has changed about them."""
    return _mosaic(at, change=True)


def _mosaic(at: Shown, change: bool) -> go.Figure:
    assert at.image
    now, first = at.arrays["landmarks"], at.static["landmarks_initial"]
    return plot_landmark_pictures(landmarks.landmark_pictures(now, first, at.image, change=change))


# -- weights of features and kernels ---------------------------------------------------------------------------


@picture("overview", "spectrum", alt="Weights of the features by rank", arrays=("q",), height=360)
def feature_weights(at: Shown) -> go.Figure:
    """Weights q by rank, against the uniform line."""
    return plot_feature_weights(reweighting.feature_weights(at.arrays["q"], len(at.static["q_initial"])))


@picture("overview", "kernel", alt="Weights of the kernels as bars", arrays=("theta",), height=360)
def kernel_weights(at: Shown) -> go.Figure:
    """Weights θ of the kernels in a dictionary."""
    return plot_mixture(mixture.mixture(at.arrays["theta"], at.static["theta_initial"]))


@picture("spectrum", alt="How few features carry the weight", arrays=("q",))
def weight_mass(at: Shown) -> go.Figure:
    """Share of the weight that the heaviest features carry."""
    return plot_weight_mass(reweighting.weight_mass(at.arrays["q"], len(at.static["q_initial"])))


# -- frames ----------------------------------------------------------------------------------------------------


def _several(at: Shown) -> bool:
    return int(at.facts.get("d") or 0) > 1


@picture("overview", "spectrum", alt="Weights of the frame's functions by input and frequency",
         arrays=("spectrum",), when=_several, height=360)  # fmt: skip
def frame_by_input(at: Shown) -> go.Figure:
    """λ by input and frequency index, or scale."""
    return plot_frame_spectrum(frame_spectrum.frame_spectrum(at.arrays["spectrum"], at.static, input_names(at)))


def _along(at: Shown) -> go.Figure:
    options = at.method.feature_map.options() if at.method else {}
    places = {key: float(options[key]) for key in ("dilation", "tau") if key in options}
    view = frame_spectrum.frame_input(at.arrays["spectrum"], at.static, input_place(at), input_names(at), **places)
    return plot_frame_input(view)


@picture("overview", alt="Weights of the frame's functions", arrays=("spectrum",), uses=("look",), height=360,
         when=lambda at: not _several(at))  # fmt: skip
def frame_of_one_input(at: Shown) -> go.Figure:
    """λ of every function, where there is but one input."""
    return _along(at)


@picture("spectrum", alt="Weights of the frame's functions along one input", arrays=("spectrum",), uses=("look",),
         height=360)  # fmt: skip
def frame_along(at: Shown) -> go.Figure:
    """λ of every function along one input."""
    return _along(at)


@picture("overview", "spectrum", alt="Sorted eigenvalues under their power law", arrays=("spectrum",), height=360,
         when=lambda at: bool((at.arrays["spectrum"] > 0).any()))  # fmt: skip
def frame_eigenvalues(at: Shown) -> go.Figure:
    """Aλ_i in falling order with the tightest power law above them."""
    constant = at.moment.values.get("bound/frame_constant")
    return plot_frame_eigenvalues(frame_spectrum.frame_eigenvalues(at.arrays["spectrum"], constant))
