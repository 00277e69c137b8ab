"""Pictures of a bound: its terms now and over training, and what they would be if the sliders were set otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from kernlab.analysis import bound_terms, identity
from kernlab.analysis.bound_sliders import Given, RidgeSpectrum, ridge_spectrum, what_if
from kernlab.feature_maps import FeatureMap
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.plots.bound_terms import plot_bound_history, plot_bound_now, plot_bound_stack
from kernlab.plots.identity import plot_identity
from kernlab.ui.pictures.base import Shown, picture
from kernlab.ui.pictures.timed import timed

__all__ = ["given", "read_changes"]

_IDENTITY = "bound/discriminant_information"


# -- as measured -----------------------------------------------------------------------------------------------


def _terms(at: Shown) -> dict[str, float]:
    return bound_terms.newest(at.watch.until(at.moment.step))


def _now(at: Shown) -> bound_terms.BoundNow:
    assert at.bound
    return bound_terms.bound_now(_terms(at), at.bound)


def _before(at: Shown) -> bound_terms.BoundNow | None:
    if at.reference is None or at.bound is None:
        return None
    return bound_terms.bound_now(bound_terms.newest(at.watch.until(at.reference.step)), at.bound)


@picture("bounds", alt="The terms of the bound as bars beside what was measured", uses=("boundlog",), height=400,
         over_time=True, when=lambda at: at.bound is not None and bool(at.bound.trivial and _now(at).bars))  # fmt: skip
def bound_now(at: Shown) -> go.Figure:
    """The bound in all its readings, beside what was measured."""
    return plot_bound_now(_now(at), _before(at), log_x=at.view["boundlog"])


@picture("bounds", alt="The terms as bars", height=400, over_time=True,
         when=lambda at: at.bound is not None and not at.bound.trivial and bool(_now(at).bars))  # fmt: skip
def bound_parts(at: Shown) -> go.Figure:
    """The same where nothing is bounded: numbers of one order, that need no logarithm."""
    return plot_bound_now(_now(at), _before(at))


@picture("bounds", alt="Discriminant information and the ridge error that it predicts, over training",
         metrics=(_IDENTITY,), uses=("boundlog",), height=400, over_time=True)  # fmt: skip
def discriminant_identity(at: Shown) -> go.Figure:
    """‖Ȳ‖² − DI against the measured ridge error."""
    return timed(plot_identity(identity.identity(at.watch.history), log_y=at.view["boundlog"]), at)


def _stacked(at: Shown) -> bool:
    return (
        at.bound is not None
        and not at.watch.at_once
        and {f"bound/{key}" for key in at.bound.stack or ("",)} <= (at.watch.history.keys())
    )


@picture("inside.bounds", alt="The terms of the bound stacked over training, with the measured gap", uses=("boundlog",),
         height=400, over_time=True, when=_stacked)  # fmt: skip
def bound_stack(at: Shown) -> go.Figure:
    """The terms that add up to the bound, as areas over training."""
    found = bound_terms.bound_stack(at.watch.history, at.bound) if at.bound else None
    assert found is not None
    assert at.bound
    return timed(plot_bound_stack(found, log_y=bool(at.bound.trivial) and at.view["boundlog"]), at)


def _has_history(at: Shown) -> bool:
    keys = [f"bound/{key}" for key in (*at.bound.over_time, at.bound.measured)] if at.bound else []
    return not at.watch.at_once and any(key in at.watch.history for key in keys)


@picture("bounds", alt="The terms of the bound over training, each by itself", uses=("boundlog",), height=400,
         over_time=True, when=lambda at: _has_history(at) and _IDENTITY not in at.watch.history)  # fmt: skip
def bound_history(at: Shown) -> go.Figure:
    """The bound's terms over training, each by itself."""
    assert at.bound
    drawn = bound_terms.bound_history(at.watch.history, at.bound)
    return timed(plot_bound_history(drawn, log_y=at.view["boundlog"]), at)


# -- what the sliders start from -------------------------------------------------------------------------------


def read_changes(text: str) -> dict[str, float]:
    """Sliders that were moved, from "n=1000,delta=0.01"; what is no number is left out."""
    found = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        try:
            found[key] = float(value)
        except ValueError:
            continue
    return {key: value for key, value in found.items() if 0 < value < 1e18}


def given(at: Shown) -> Given | None:
    """The bound of a run at its moment, with what the formula needs; None where the method has none."""
    method, facts = at.method, at.facts
    if at.bound is None or method is None:
        return None
    map_, options = method.feature_map, method.options()
    drawn = isinstance(map_, SpectralMap) and map_.sampling == "iid"
    again = bool(getattr(method.solver, "resample", 0))
    candidates = len(at.static["q_initial"]) if "q_initial" in at.static and not again and at.moment.step else 0
    columns = int(getattr(map_, "width_for", lambda d: 0)(int(facts["d"])))
    terms = _terms(at)
    found = Given(
        at.bound,
        terms,
        int(facts["n_train"]),
        int(facts["K"]),
        columns,
        {each.name: each.weight for each in method.regularizers},
        method.learned,
        map_.draws if drawn and isinstance(map_, SpectralMap) else 0,
        candidates,
        at.arrays.get("q") if candidates else None,
        _gain(at),
        at.arrays.get("spectrum") if "tail" in terms else None,
        largest_trace=map_.largest_trace if isinstance(map_, FeatureMap) else 1.0,
    )
    if at.bound.name == "discriminant" and (ridge := _ridge(at)) is not None:
        # The stored terms are of other rows: what the sliders start from has to be of those that they move.
        chosen = at.moment.values.get("ridge", options.get("ridge", options.get("rho", 1e-4)))
        rho = 1e-4 if chosen == "auto" else float(chosen)
        found = found._replace(ridge=ridge, rho=rho)
        found = found._replace(values=what_if(found, {"rho": rho}))
    return found


def _gain(at: Shown) -> float | None:
    return at.moment.values.get("gain")


def _ridge(at: Shown) -> RidgeSpectrum | None:
    """Singular values of the features of the run's sample, kept as long as the moment stays."""
    kept: dict[str, Any] = st.session_state.setdefault("bounds.ridge", {})
    key, stamp = at.side, (at.watch.id, at.moment.step)
    if key not in kept or kept[key][0] != stamp:
        kept[key] = (stamp, _decomposed(at))
    found: RidgeSpectrum | None = kept[key][1]
    return found


def _decomposed(at: Shown) -> RidgeSpectrum | None:
    kernel, sample = at.kernel, at.sample
    if kernel is None or sample is None or not (Phi := kernel.features(sample.X)).shape[1]:
        return None
    return ridge_spectrum(Phi, _targets(at.static, sample.rows, sample.classes))


def _targets(static: Mapping[str, Any], rows: Any, classes: bool) -> Any:
    """One-hot classes, or real targets that are standardised on these rows."""
    y = np.asarray(static["data_targets" if "data_points" in static else "view_labels"])[rows]
    if classes:
        return (y.reshape(-1, 1) == np.unique(y)).astype(float)
    y = y.reshape(len(y), -1).astype(float)
    return y / np.maximum(y.std(0), 1e-12)
