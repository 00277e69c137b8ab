"""How sure a model is, and whether it is right to be: Bayesian regression on its features at every moment.

    classes    softmax regression with Laplace's approximation (:mod:`kernlab.heads.laplace`)
    targets    linear regression (:mod:`kernlab.heads.posterior`); ρ is that of the run's ridge head, where it has one
               and all rows and features are used, otherwise that of the largest evidence

The features are fixed; they have been learned from the same targets, which the evidence does not know. Calibration and
−log p are measured on test rows:

    classes    among rows whose class has the probability p, a share p should have it
    targets    among all rows, a share q should lie in the interval of probability q, Φ⁻¹(½ ± q/2) deviations wide

Source: Guo et al. 2017 (reliability, expected calibration error); Kuleshov, Fenner & Ermon 2018 (for targets).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.feature_maps import ExactKernel
from kernlab.heads.calibration import Calibration, intervals, reliability
from kernlab.heads.laplace import laplace
from kernlab.heads.posterior import LinearPosterior, posterior
from kernlab.pictures.base import At, once, picture
from kernlab.pictures.marks import line
from kernlab.pictures.run_data import RowsAt, has_features, rows_at
from kernlab.pictures.theme import BLUE, GREY, ORANGE, figure
from kernlab.pictures.thinning import spread
from kernlab.pictures.timed import timed

_MOMENTS = 10  # of the picture over training, each of so many features and so many multiplications
_QUICK = {"columns": 300, "work": 2e8}


class Certainty(NamedTuple):
    """The posterior of one moment."""

    calibration: Calibration  # on test rows
    evidence: float  # log p of the training rows that are used, over their number
    words: str  # which rows and features, where not all


def regression_at(at: At, rows: RowsAt, Phi: Any) -> LinearPosterior:
    """The posterior of linear regression on features ``Phi`` of the training rows; classes are columns of 0 and 1."""
    assert at.method
    known = at.moment.values.get("ridge") if rows.whole else None
    if known is not None and isinstance(at.method.feature_map, ExactKernel):  # that one is against a mean over rows
        known *= len(rows.train)
    return posterior(lambda: [Phi], rows.Y, penalty=known, bias=at.method.head.stage != "joint")


def certainty_at(at: At, **limits: Any) -> Certainty:
    """The posterior of a moment, computed once; ``limits`` are those of :func:`kernlab.pictures.run_data.rows_at`."""
    return once(at, ("certainty", at.moment.step, *limits.values()), lambda: _certainty(at, limits))


def _certainty(at: At, limits: dict[str, Any]) -> Certainty:
    rows = rows_at(at, **limits)
    data, Phi = rows.data, rows.Phi
    new, truth = rows.features(data.X_test[rows.test]), data.y_test[rows.test]
    if data.targets is None:
        found = laplace(Phi, rows.y, data.dataset.n_outputs)
        return Certainty(reliability(found.probabilities(new), truth), found.log_evidence / len(Phi), rows.words)
    regression, output = regression_at(at, rows, Phi), int(at.view["output"])
    mean, deviation = predicted(regression, new, data)
    true = np.asarray(data.targets.inverse(truth))[:, output]
    evidence = float(regression.log_evidence[output]) / len(Phi) - np.log(data.targets.scale[output])
    return Certainty(intervals(mean[:, output], deviation[:, output], true), float(evidence), rows.words)


def predicted(
    found: LinearPosterior, Phi: Any, data: Any, *, noise: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and deviation [m K] of an observation, or without noise of the function, in the unit of the targets."""
    mean, variance = found.predict(Phi)
    deviation = (variance + found.noise * noise).sqrt().numpy() * data.targets.scale
    return np.asarray(data.targets.inverse(mean.numpy())), np.asarray(deviation)


def band_at(at: At) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Mean and deviation of an observation [v K] at the points of the view, and what they are made of."""

    def made() -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
        rows = rows_at(at)
        return *predicted(
            regression_at(at, rows, rows.Phi), rows.features(at.static["view_points"]), rows.data
        ), rows.words

    return once(at, ("band", at.moment.step), made)


# -- pictures --------------------------------------------------------------------------------------------------


def plot_calibration(view: Certainty) -> go.Figure:
    """The curve beside the diagonal of a model that is exactly as sure as it may be."""
    found = view.calibration
    traces = [line([0, 1], [0, 1], "exactly as sure as it is right", GREY, None, dash="dot", width=2)]
    hover = "promised %{x:.1%}, came true %{y:.1%}<br>%{customdata} test rows"
    traces.append(line(found.promised, found.observed, "this model", BLUE, hover, mode="lines+markers",
                       customdata=found.counts))  # fmt: skip
    what = "probability of the predicted class" if found.classes else "probability of the interval"
    share = "share that was right" if found.classes else "share of targets inside"
    notes = [f"−log p {found.loss:.3g} a test row, mean deviation {found.error:.1%}", view.words]
    low = 0.0 if not found.classes else max(0.0, float(min(found.promised.min(), found.observed.min())) - 0.05)
    ends = {"range": [low, 1.02], "tickformat": ".0%"}
    return figure(traces, title="Calibration on test rows", subtitle="; ".join(filter(None, notes)), x=what, y=share,
                  revision="calibration", xaxis=ends, yaxis=ends)  # fmt: skip


def _about_calibration(at: At) -> tuple[str, str]:
    if at.facts.get("task") == "classification":
        return r"p(y=k\mid x)\approx\operatorname{softmax}_k\Bigl(\tau f(x)/\sqrt{1+\tfrac\pi8v(x)}\Bigr)", (
            "Softmax regression on the features of this moment, with Laplace's approximation of its posterior and a "
            "temperature 1/τ from a fifth of the training rows: each point is a tenth of the test rows. Above the line "
            "a model is too modest, below it too sure. MacKay 1992; Guo et al. 2017."
        )
    return r"y\sim\mathcal N\bigl(W^\top\varphi(x)+b,\ \sigma^2(1+\bar\varphi(x)^\top A^{-1}\bar\varphi(x))\bigr)", (
        "Bayesian linear regression on the features of this moment: of 100 test targets 95 should lie within two "
        "deviations. Below the line a model is too sure. Bishop 2006, section 3.3; Kuleshov et al. 2018."
    )


@picture("certainty", alt="Calibration: how often what the model promises comes true", when=has_features, height=400,
         uses=("output",), note=_about_calibration)  # fmt: skip
def draw_calibration(at: At) -> go.Figure:
    """Reliability of the posterior on the features of the moment."""
    return plot_calibration(certainty_at(at))


def _over(at: At) -> bool:
    """Every moment is computed anew, so this waits for the end of the training."""
    if at.method is None or not at.method.solver.changes:  # nothing has become of the kernel
        return False
    return has_features(at) and at.kernel is not None and not at.run.run.live and len(at.run.snapshots.steps) > 1


@picture("certainty", alt="Negative log likelihood of test rows and log evidence over training", when=_over, height=400,
         uses=("output",), over_time=True)  # fmt: skip
def draw_certainty(at: At) -> go.Figure:
    """−log p a test row and −log evidence a training row over training."""
    epochs: list[float] = []
    found = []
    for place in spread(len(at.run.snapshots.steps), _MOMENTS).tolist():
        epochs.append(float(at.run.snapshots.epochs[place]))
        moment = at.run.moment(epochs[-1])
        assert moment
        found.append(certainty_at(at._replace(moment=moment), **_QUICK))
    x, words, extra = np.array(epochs, np.float32), "−log p %{y:.4~g}", "epoch %{x:.3~g}"
    surprises = (
        ("test row", BLUE, None, [each.calibration.loss for each in found]),
        ("training row (evidence)", ORANGE, "dash", [-each.evidence for each in found]),
    )
    traces = [
        line(x, np.array(values, np.float32), name, colour, words, extra=extra, dash=dash, mode="lines+markers")
        for name, colour, dash, values in surprises
    ]
    note = "; ".join(filter(None, ["lower is better", found[-1].words]))
    drawn = figure(traces, title="Surprise over training", subtitle=note, x="epoch", y="−log p (nats)",
                   revision="certainty", hovermode="x unified")  # fmt: skip
    return timed(drawn, at)
