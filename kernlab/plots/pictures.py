"""Every picture of a run by name: what it needs, what it says, and how it is drawn from the run's arrays.

    PICTURES["density"].draw(scene, look) -> Figure

Pages, exports and tests read this table; a new picture is one ``PICTURES.add``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.analysis import bound_terms, curves, density, function_view, joint, weights
from kernlab.errors import OptionError
from kernlab.plots.bound_terms import plot_bound_history, plot_bound_now
from kernlab.plots.curves import plot_curves
from kernlab.plots.density import plot_density
from kernlab.plots.function_view import plot_frequencies, plot_function
from kernlab.plots.joint import plot_joint
from kernlab.plots.weights import plot_diagonal, plot_singular_values
from kernlab.registry import Registry

__all__ = ["PICTURES", "Look", "Picture", "Scene"]


class Scene(NamedTuple):
    """One run at one moment.

    Attributes:
        history: metric name to (steps, epochs, values).
        snapshot: the arrays of the moment's Snapshot.
        static: the arrays of Started.
        facts: the facts of Started.
        method: the named method.
    """

    history: curves.History
    snapshot: Mapping[str, Any]
    static: Mapping[str, Any]
    facts: Mapping[str, Any]
    method: str = ""


class Look(NamedTuple):
    """How a person wants to look.

    Attributes:
        smoothing: of curves, in [0, 1).
        axis: "epoch" or "step" beneath curves.
        log_x, log_y: logarithmic axes of curves; ``log_y=None`` leaves it to the picture.
        along: densities along a "feature" or a "principal" direction.
        which: number of the feature or principal direction, from 0.
        output: which regression output.
    """

    smoothing: float = 0.0
    axis: Literal["epoch", "step"] = "epoch"
    log_x: bool = False
    log_y: bool | None = None
    along: Literal["feature", "principal"] = "feature"
    which: int = 0
    output: int = 0


class Picture(NamedTuple):
    """One picture.

    Attributes:
        title: heading.
        sentence: what it shows, in plain words.
        formula: LaTeX of what is drawn, "" where there is none.
        source: paper and equation.
        needs: names of metrics and arrays without which there is nothing to draw.
        draw: from a scene and a look to the figure.
    """

    title: str
    sentence: str
    formula: str
    source: str
    needs: tuple[str, ...]
    draw: Callable[[Scene, Look], go.Figure]

    def drawable(self, scene: Scene) -> bool:
        """The scene holds all that the picture needs."""
        held = {*scene.history, *scene.snapshot, *scene.static}
        held |= {key for key, value in scene.facts.items() if value is not None}
        return held.issuperset(self.needs)


PICTURES: Registry[Picture] = Registry("picture")

_METRICS = {"accuracy": ("Accuracy", "accuracy (%)"), "rmse": ("Root mean squared error", "RMSE (target units)")}


def _objective(scene: Scene, look: Look) -> go.Figure:
    parts = ("objective", "loss", "frobenius", "trace_norm", "feature_norm")
    return _curves(scene, look, parts, "Objective and its parts", "value")


def _metric(scene: Scene, look: Look) -> go.Figure:
    title, unit = _METRICS[scene.facts["metric"]]
    return _curves(scene, look, ("train_metric", "test_metric"), title, unit, constant=True)


def _loss(scene: Scene, look: Look) -> go.Figure:
    return _curves(scene, look, ("train_loss", "test_loss"), "Train and test loss", "mean loss")


def _rate(scene: Scene, look: Look) -> go.Figure:
    return _curves(scene, look, ("learning_rate",), "Learning rate", "learning rate")


def _rank(scene: Scene, look: Look) -> go.Figure:
    return _curves(scene, look, ("bound/weight_norm", "bound/rank"), "Trace norm and rank of W", "value")


def _curves(
    scene: Scene, look: Look, names: tuple[str, ...], title: str, unit: str, *, constant: bool = False
) -> go.Figure:
    found = curves.curves(scene.history, names, smoothing=look.smoothing, axis=look.axis, method=scene.method)
    return plot_curves(found, title=title, y=unit, log_x=look.log_x, log_y=bool(look.log_y), constant=constant)


def _density(scene: Scene, look: Look) -> go.Figure:
    direction, what = _direction(scene, look)
    return plot_density(density.direction_density(direction, *_frequencies(scene), what=what))


def _length(scene: Scene, look: Look) -> go.Figure:
    return plot_density(density.length_density(*_frequencies(scene)))


def _joint(scene: Scene, look: Look) -> go.Figure:
    direction, what = _direction(scene, look)
    omega, initial, omega_prime, initial_prime = _frequencies(scene)
    return plot_joint(joint.joint_density(direction, omega, omega_prime, initial, initial_prime, what=what))


def _bound_history(scene: Scene, look: Look) -> go.Figure:
    found = bound_terms.bound_history(scene.history, smoothing=look.smoothing, axis=look.axis, method=scene.method)
    return plot_bound_history(found, log_y=look.log_y is not False)


def _bound_now(scene: Scene, look: Look) -> go.Figure:
    return plot_bound_now(bound_terms.bound_now(bound_terms.newest(scene.history)))


def _function(scene: Scene, look: Look) -> go.Figure:
    return plot_function(function_view.function_view(scene.snapshot, scene.static, scene.facts, output=look.output))


def _pictures(scene: Scene, look: Look) -> go.Figure:
    height, width = scene.facts["image_shape"]
    return plot_frequencies(function_view.frequencies(scene.snapshot["omega"], (int(height), int(width))))


def _singular(scene: Scene, look: Look) -> go.Figure:
    rows = int(np.shape(scene.snapshot["omega"])[1]) if "omega" in scene.snapshot else 1
    found = weights.singular_values(scene.snapshot["weight_singular_values"], rows=rows)
    return plot_singular_values(found, log_y=bool(look.log_y))


def _diagonal(scene: Scene, look: Look) -> go.Figure:
    return plot_diagonal(weights.diagonal(scene.snapshot["diagonal"]))


def _frequencies(scene: Scene) -> tuple[Any, Any, Any, Any]:
    now, before = scene.snapshot, scene.static
    return now["omega"], before["omega_initial"], now.get("omega_prime"), before.get("omega_prime_initial")


def _direction(scene: Scene, look: Look) -> tuple[NDArray[np.float64], str]:
    omega = scene.snapshot["omega"]
    d = int(np.shape(omega)[0])
    if look.along == "feature":
        names = scene.facts.get("feature_names") or ()
        name = str(names[look.which]) if 0 <= look.which < len(names) else f"feature {look.which}"
        return density.coordinate(d, look.which), name
    if not 0 <= look.which < d:
        raise OptionError(f"the principal direction must be a whole number from 0 to {d - 1}", look.which)
    directions = density.principal_directions(omega, look.which + 1)
    return directions[:, look.which], f"principal direction {look.which + 1}"


_OMEGA = ("omega", "omega_initial")
_YAGLOM = r"k(x,x')=\iint \tfrac14\big[\cos(\omega^\top x-\omega'^\top x')+\dots\big]\,s(\omega,\omega')"

for _name, _picture in {
    "objective": Picture(
        "Objective and its parts",
        "What is minimised: the mean loss plus the penalties on the weights and on the features.",
        r"\tfrac1n\sum_i\ell(f(x_i),y_i)+\lambda_1 r(W)+\lambda_2\|\varphi(X)\|_F^2/n",
        "ASKL eq. 4",
        ("objective",),
        _objective,
    ),
    "metric": Picture(
        "Train and test metric",
        "How good the predictions are on data seen and not seen; the dotted line always predicts the same.",
        "",
        "",
        ("test_metric",),
        _metric,
    ),
    "loss": Picture("Train and test loss", "The mean loss; the distance is the gap.", "", "", ("train_loss",), _loss),
    "learning_rate": Picture(
        "Learning rate", "The step size that the schedule gives.", "", "", ("learning_rate",), _rate
    ),
    "density": Picture(
        "Spectral density",
        "How the frequencies are spread along one direction: filled now, dotted as they were assigned.",
        r"s(u^\top\omega)",
        "Bochner's theorem; ASKL eq. 5",
        _OMEGA,
        _density,
    ),
    "length": Picture(
        "Length of the frequencies",
        "Short frequencies make a smooth kernel, long ones a rough one.",
        r"s(\|\omega\|)",
        "Bochner's theorem",
        _OMEGA,
        _length,
    ),
    "joint": Picture(
        "Joint density of ω and ω'",
        "A stationary kernel has all its mass on the dashed line; ν says how far off it is: 0 on it, ½ unrelated.",
        _YAGLOM,
        "Yaglom's theorem; ASKL eq. 5",
        (*_OMEGA, "omega_prime", "omega_prime_initial"),
        _joint,
    ),
    "bound_history": Picture(
        "Bound against the measured gap",
        "Each term of the generalisation bound over training, and the gap that it is about.",
        r"4\sqrt2\,L\,\hat{\mathcal R}+\sqrt{\log(1/\delta)/n}",
        "ASKL Theorem 3",
        ("bound/total",),
        _bound_history,
    ),
    "bound_now": Picture(
        "The bound now",
        "The same complexity three times: computed exactly, bounded as in the paper, and at its worst.",
        r"4\sqrt2\,L\,\hat{\mathcal R}+\sqrt{\log(1/\delta)/n}",
        "ASKL Theorem 3",
        ("bound/total",),
        _bound_now,
    ),
    "function": Picture(
        "The learned function",
        "What is predicted, and where.",
        r"f(x)=W^\top\varphi(x)",
        "ASKL eq. 4",
        ("view_scores", "view"),
        _function,
    ),
    "frequencies": Picture(
        "Frequencies as pictures",
        "Each tile is one frequency, longest first: a pattern that the kernel looks for.",
        r"\omega_j",
        "ASKL eq. 6",
        ("omega", "image_shape"),
        _pictures,
    ),
    "rank": Picture(
        "Trace norm and rank of W",
        "The trace norm is the sum of the singular values; its penalty sets small ones to zero, so the rank falls.",
        r"\|W\|_*=\sum_j\sigma_j",
        "ASKL eq. 8",
        ("bound/weight_norm",),
        _rank,
    ),
    "singular_values": Picture(
        "Singular values of W",
        "Directions of the features that the outputs use; hollow ones are zero.",
        r"W=\sum_j\sigma_j u_jv_j^\top",
        "ASKL eq. 8",
        ("weight_singular_values",),
        _singular,
    ),
    "diagonal": Picture(
        "Diagonal of the kernel",
        "k(x, x) is the same for every point if the kernel is stationary, and spreads if it is not.",
        r"k(x,x)=\tfrac12\big(1+\mathbb E\cos((\omega-\omega')^\top x)\big)",
        "ASKL eq. 6",
        ("diagonal",),
        _diagonal,
    ),
}.items():
    PICTURES.add(_name, _picture)
