"""The pictures of one run at one moment: from what was stored to a figure, through analysis and plots."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from kernlab.analysis import bound_terms, curves, density, function_view, joint, weights
from kernlab.plots.bound_terms import plot_bound_history, plot_bound_now
from kernlab.plots.curves import plot_curves
from kernlab.plots.density import plot_density
from kernlab.plots.function_view import plot_frequencies, plot_function
from kernlab.plots.joint import plot_joint
from kernlab.plots.weights import plot_diagonal, plot_singular_values
from kernlab.ui.chart import live_chart, to_json
from kernlab.ui.watch import Moment, Watch

__all__ = [
    "bound_history",
    "bound_now",
    "diagonal",
    "directions",
    "frequencies",
    "function",
    "joint_density",
    "lengths",
    "metric",
    "metric_name",
    "objective",
    "show",
    "singular_values",
    "spectrum",
]


def show(key: str, stamp: Hashable, make: Callable[[], go.Figure], *, alt: str, height: int = 300) -> None:
    """Draw ``make()``; as long as ``stamp`` stays the same the figure is neither made nor sent again."""
    kept: dict[str, tuple[Hashable, str]] = st.session_state.setdefault("pictures", {})
    if key not in kept or kept[key][0] != stamp:
        kept[key] = (stamp, to_json(make()))
    live_chart(kept[key][1], key=key, alt=alt, height=height)


def metric_name(watch: Watch) -> str:
    """The test metric with its unit, for an axis."""
    if watch.facts.get("metric") == "rmse":
        unit = watch.facts.get("target_unit", "original")
        return "RMSE (unit of the target)" if unit == "original" else f"RMSE (targets in {unit})"
    return "accuracy (%)"


# -- curves ----------------------------------------------------------------------------------------------------


def objective(watch: Watch, smoothing: float, log_y: bool, at: float | None) -> go.Figure:
    """The objective with its loss and penalties over training."""
    names = [name for name in ("objective", "loss", "frobenius", "trace_norm", "feature_norm") if name in watch.history]
    scaled = _weighted(watch)
    drawn = curves.curves(scaled, names, smoothing=smoothing, method=watch.run.method)
    figure = plot_curves(drawn, title="Objective and its parts", y="objective", log_y=log_y)
    return _mark(figure, at)


def _weighted(watch: Watch) -> dict[str, Any]:
    """The history with each penalty times its λ: the share it has in the objective."""
    method = watch.run.resolved.get("method", {})
    factors = {each["kind"]: each["weight"] for each in method.get("regularizers", ())}
    return {
        name: curve._replace(values=curve.values * factors[name]) if name in factors else curve
        for name, curve in watch.history.items()
    }


def metric(watch: Watch, smoothing: float, log_y: bool, at: float | None) -> go.Figure:
    """Training and test metric over training, with the constant predictor's."""
    drawn = curves.curves(
        watch.history, ["train_metric", "test_metric"], smoothing=smoothing, method=watch.run.method
    )._replace(constant=watch.facts.get("constant"))
    name = metric_name(watch)
    figure = plot_curves(
        drawn, title="RMSE" if name.startswith("RMSE") else "Accuracy", y=name, log_y=log_y, constant=True
    )
    return _mark(figure, at)


def _mark(figure: go.Figure, at: float | None) -> go.Figure:
    """A line at the moment that is looked at."""
    if at is not None:
        figure.add_vline(x=at, line={"color": "#767676", "dash": "dot", "width": 2})
    return figure


# -- the spectrum ----------------------------------------------------------------------------------------------

_PRINCIPAL = "principal direction "


def directions(watch: Watch) -> list[str]:
    """Where the spectral density can be looked at: along principal directions, or one input."""
    names = watch.facts.get("feature_names") or []
    leading = [f"{_PRINCIPAL}{i + 1}" for i in range(min(3, len(names)))]
    return [*leading, *(f"input {name}" for name in names)]


def _direction(watch: Watch, moment: Moment, look: str) -> Any:
    omega = moment.arrays["omega"]
    if look.startswith(_PRINCIPAL):
        # Of the newest snapshot, so that the line one looks along stays put while time is scrubbed.
        newest = watch.moment()
        basis = density.principal_directions((newest or moment).arrays["omega"], 3)
        return basis[:, int(look.removeprefix(_PRINCIPAL)) - 1]
    names = [f"input {name}" for name in watch.facts.get("feature_names", [])]
    return density.coordinate(omega.shape[0], names.index(look))


def spectrum(watch: Watch, moment: Moment, look: str) -> go.Figure:
    """Density of ω along one direction, now and as assigned."""
    return plot_density(
        density.direction_density(_direction(watch, moment, look), *_frequencies(watch, moment), what=look)
    )


def lengths(watch: Watch, moment: Moment) -> go.Figure:
    """Density of ‖ω‖, now and as assigned."""
    return plot_density(density.length_density(*_frequencies(watch, moment)))


def _frequencies(watch: Watch, moment: Moment) -> tuple[Any, Any, Any, Any]:
    now, first = moment.arrays, watch.static
    return now["omega"], first["omega_initial"], now.get("omega_prime"), first.get("omega_prime_initial")


def joint_density(watch: Watch, moment: Moment, look: str) -> go.Figure | None:
    """s(ω, ω') along one direction with the diagonal; None for a stationary kernel, which has no ω'."""
    omega, first, other, first_other = _frequencies(watch, moment)
    if other is None or first_other is None:
        return None
    return plot_joint(joint.joint_density(_direction(watch, moment, look), omega, other, first, first_other, what=look))


def frequencies(watch: Watch, moment: Moment) -> go.Figure:
    """The longest frequencies as pictures of the size of the inputs."""
    height, width = watch.facts["image_shape"]
    return plot_frequencies(function_view.frequencies(moment.arrays["omega"], (height, width)))


# -- function, kernel and weights ------------------------------------------------------------------------------


def function(watch: Watch, moment: Moment, output: int = 0) -> go.Figure:
    """What the learned function looks like."""
    figure = plot_function(function_view.function_view(moment.arrays, watch.static, watch.facts, output=output))
    # A legend of more classes would leave no room for the picture; hovering names them too.
    return figure.update_layout(showlegend=False) if len(watch.facts.get("classes") or ()) > 12 else figure


def diagonal(moment: Moment) -> go.Figure:
    """Histogram of k(x, x)."""
    return plot_diagonal(weights.diagonal(moment.arrays["diagonal"]))


def singular_values(watch: Watch, moment: Moment) -> go.Figure:
    """Singular values of W."""
    rows = int(watch.run.resolved.get("method", {}).get("feature_map", {}).get("n_features", 1))
    return plot_singular_values(weights.singular_values(moment.arrays["weight_singular_values"], rows=rows))


# -- the bound -------------------------------------------------------------------------------------------------


def bound_now(watch: Watch, moment: Moment) -> go.Figure:
    """The bound's terms as stacked bars beside the measured gap."""
    return plot_bound_now(bound_terms.bound_now(bound_terms.newest(watch.until(moment.step))))


def bound_history(watch: Watch, log_y: bool, at: float | None) -> go.Figure:
    """The bound's terms over training."""
    return _mark(plot_bound_history(bound_terms.bound_history(watch.history), log_y=log_y), at)
