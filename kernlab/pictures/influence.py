"""Which rows pulled a learned map: TracIn over the snapshots of a run.

    influence of row i on itself   Σ_t η_t ‖∇_W ℓ_i(t)‖² = Σ_t η_t ‖g_i(t)‖²(‖φ_t(x_i)‖² + bias)
    pull of row i on frequency j   Σ_t η_t (−∇_{θ_j} ℓ_i(t))·u_j = −Σ_t η_t g_i(t)ᵀW_tᵀ (∂φ_t(x_i)/∂θ_j) u_j

    g_i = ∂ℓ(f(x_i), y_i)/∂f,   u_j = the way that frequency j has gone by the end, of length 1,   θ_j = (ω_j, ω'_j)

The sum over steps is one over snapshots, each of which stands for the epochs since the one before (TracInCP); the
learning rate counts as constant. The first sum is that of the last layer, as in the paper's own experiments on large
models. A row that is hard to fit, such as one with a wrong label, has a large influence on itself. The second is the
influence on a movement instead of on a test loss: how far along its way the frequency was moved by the row's gradients.

Source: Pruthi, Liu, Kale & Sundararajan 2020 (TracIn), equations 1, 2 and section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import NDArray

from kernlab.methods import MethodSpec
from kernlab.numerals import number
from kernlab.objectives import OBJECTIVES, Loss
from kernlab.pictures.base import At, once, picture
from kernlab.pictures.kernel_at import KernelAt, kernel_at
from kernlab.pictures.marks import bars, stated
from kernlab.pictures.run_data import data_of, has_features
from kernlab.pictures.spectrum import distances, frequencies_at
from kernlab.pictures.theme import BLUE, ORANGE, figure
from kernlab.pictures.thinning import sampled, spread
from kernlab.typing import Float, Targets, Tensor

_ROWS, _MOMENTS, _SHOWN = 2000, 6, 16
_NUMBERS = 2e6  # features of all these rows


class Pulls(NamedTuple):
    """Rows by what they did to one frequency."""

    frequency: int
    numbers: NDArray[np.int64]  # of the rows in the data set, those of the strongest pull [s]
    pull: NDArray[np.float64]  # in units of the mean absolute pull of a row [s]
    labels: tuple[str, ...]  # of these rows
    along: float  # share of all pulls, by size, that go along the way
    rows: int  # that were measured


def self_influence(G: Float[Tensor, "n K"], Phi: Float[Tensor, "n D"], *, bias: bool = False) -> Float[Tensor, " n"]:
    """‖∇_W ℓ_i‖² of a linear head: ‖g_i‖²(‖φ_i‖² + 1 where there is a bias)."""
    return G.square().sum(1) * (Phi.square().sum(1) + bias)


def slopes(loss: Loss, F: Float[Tensor, "n K"], y: Targets) -> Float[Tensor, "n K"]:
    """g_i = ∂ℓ(f_i, y_i)/∂f, of each row on its own."""
    return loss.value_and_grad(F, y)[1] * len(F)


def pull(
    features: Callable[[Mapping[str, Tensor]], Float[Tensor, "n D"]], at: Mapping[str, Tensor],
    way: Mapping[str, Tensor], W: Float[Tensor, "D K"], G: Float[Tensor, "n K"],
) -> Float[Tensor, " n"]:  # fmt: skip
    """−g_iᵀWᵀ(∂φ(x_i)/∂θ)u of every row, by one forward derivative.

    Args:
        features: φ of all rows as a function of the parameters.
        at: the parameters θ by name.
        way: u, with the same names and shapes.
        W: weights of the head.
        G: :func:`slopes`.
    """
    change: Tensor = torch.func.jvp(features, (dict(at),), (dict(way),))[1]
    return -((change @ W) * G).sum(1)


def loss_of(method: MethodSpec, task: str) -> Loss:
    """The loss of the head's outputs."""
    if method.head.stage == "joint" and isinstance(method.objective, Loss):
        return method.objective
    found = OBJECTIVES[method.head.loss if task == "classification" else "squared"].build()
    assert isinstance(found, Loss)
    return found


class _Shot(NamedTuple):
    kernel: KernelAt
    arrays: dict[str, Tensor]  # of the snapshot, in float32
    weight: float  # epochs that it stands for

    def outputs(self, Phi: Tensor) -> Tensor:
        return Phi @ self.arrays["head_weight"] + self.arrays.get("head_bias", 0.0)

    def features(self, X: Tensor) -> Tensor:
        params = self.kernel.params
        return self.kernel.representation.apply({name: _single(value) for name, value in params.items()}, X)


def _shots(at: At) -> list[_Shot]:
    """Some snapshots up to the moment, without the first (whose weights are zero) and without an earlier stretch."""
    assert at.method
    epochs, steps = np.asarray(at.run.snapshots.epochs), np.asarray(at.run.snapshots.steps)
    first = 0
    if at.run.kept and (later := np.flatnonzero(epochs > at.run.kept.stopped)).size:
        first = int(later[0])
    last = at.moment.index
    chosen = first + spread(max(1, last - first + 1), _MOMENTS)
    found = []
    for place, before in zip(chosen, [chosen[0], *chosen[:-1]], strict=True):
        arrays = at.run.store.snapshot(at.run.id, int(steps[place]))
        kernel = kernel_at(at.method, arrays)
        if kernel is None or "head_weight" not in arrays:
            continue
        weight = float(epochs[place] - epochs[before]) or 1e-3
        kept = {name: _single(torch.from_numpy(np.asarray(value))) for name, value in arrays.items()}
        found.append(_Shot(kernel, kept, weight))
    return found


class _Rows(NamedTuple):
    numbers: NDArray[np.int64]
    X: Tensor
    y: Targets
    sampled: int  # the first of them are a sample of all, the others were asked for


def _rows(at: At, columns: int, also: Sequence[int] = ()) -> _Rows:
    data = data_of(at.run)
    most = int(min(_ROWS, max(200, _NUMBERS / columns)))
    places = sampled(len(data.X_train), most)
    named = np.flatnonzero(np.isin(data.train_rows, np.asarray(also, np.int64)))
    every = np.concatenate([places, np.setdiff1d(named, places)])
    y = torch.from_numpy(data.y_train[every])
    return _Rows(
        data.train_rows[every], torch.from_numpy(data.X_train[every]).float(),
        y.float() if y.is_floating_point() else y, len(places),
    )  # fmt: skip


def influence_at(at: At, also: Sequence[int] = ()) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Numbers of rows [s] and their influence on themselves [s], in units of its mean; computed once.

    Args:
        also: numbers of training rows that are measured besides the sample, which the mean is of.
    """

    def made() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        assert at.method
        shots = _shots(at)
        rows = _rows(at, shots[0].kernel.kept, also)
        loss, total = loss_of(at.method, str(at.facts["task"])), torch.zeros(len(rows.X), dtype=torch.float64)
        for shot in shots:
            Phi = shot.features(rows.X)
            G = slopes(loss, shot.outputs(Phi), rows.y)
            total += shot.weight * self_influence(G, Phi, bias="head_bias" in shot.arrays)
        values = total.numpy()
        return rows.numbers, values / max(float(values[: rows.sampled].mean()), 1e-300)

    return once(at, ("influence", at.moment.step, *also), made)


def pulls_at(at: At, frequency: int | None = None) -> Pulls:
    """Rows by their pull on a frequency; None: on the one that has gone furthest."""
    assert at.method
    shots = _shots(at)
    last = shots[-1]
    names = [name for name in last.kernel.representation.frequencies(last.kernel.params)
             if f"{name}_initial" in at.static and name != "phase"]  # fmt: skip
    gone = {name: last.arrays[name] - _single(torch.from_numpy(at.static[f"{name}_initial"])) for name in names}
    far = torch.stack([each.square().sum(0) for each in gone.values()]).sum(0).sqrt()
    j = int(far.argmax()) if frequency is None else min(frequency, len(far) - 1)
    way = {name: torch.zeros_like(each) for name, each in gone.items()}
    for name, each in gone.items():
        way[name][:, j] = each[:, j] / far[j].clamp_min(1e-12)
    rows, loss = _rows(at, last.kernel.kept), loss_of(at.method, str(at.facts["task"]))
    total = torch.zeros(len(rows.X), dtype=torch.float64)
    for shot in shots:

        def features(moved: Mapping[str, Tensor], shot: _Shot = shot) -> Tensor:
            assert at.method
            found = at.method.feature_map.restored({**shot.arrays, **moved})
            assert found
            return found[0].apply(found[1], rows.X)

        here = {name: shot.arrays[name] for name in names}
        G = slopes(loss, shot.outputs(features(here)), rows.y)
        total += shot.weight * pull(features, here, way, shot.arrays["head_weight"], G)
    values = total.numpy()
    strongest = np.argsort(-np.abs(values), kind="stable")[:_SHOWN]
    data = data_of(at.run)
    labels = tuple(_label(at, data.dataset.y[row]) for row in rows.numbers[strongest])
    size = np.abs(values)
    along = float(values.clip(0).sum() / max(float(size.sum()), 1e-300))
    return Pulls(
        j, rows.numbers[strongest], values[strongest] / max(float(size.mean()), 1e-300), labels, along, len(values)
    )


def _label(at: At, value: Any) -> str:
    return at.class_names[int(value)] if at.class_names else f"{np.ravel(value)[int(at.view['output'])]:.4g}"


def _single(value: Tensor) -> Tensor:
    return value.float() if value.is_floating_point() else value


def has_influence(at: At) -> bool:
    """Whether the weights of the head can be read at every snapshot, with all features."""
    if not has_features(at) or "head_weight" not in at.arrays or at.kernel is None:
        return False
    return at.kernel.kept == len(at.arrays["head_weight"]) and at.moment.index > 0


def _pulled(at: At) -> bool:
    """Whether frequencies have moved, so that rows can have pulled them; those that were re-weighted stay in place."""
    if not has_influence(at) or "omega_initial" not in at.static:
        return False
    gone = distances(*frequencies_at(at))
    return gone is not None and bool(gone.any())


def plot_pulls(view: Pulls) -> go.Figure:
    """A bar for each of the rows that pulled most, along the way of the frequency or against it."""
    names = [f"row {row} ({label})" for row, label in zip(view.numbers, view.labels, strict=True)]
    traces = []
    for name, mine, colour, pattern in (
        ("along its way", view.pull > 0, BLUE, ""), ("against it", view.pull <= 0, ORANGE, "/"),
    ):  # fmt: skip
        kept = np.flatnonzero(mine)
        traces.append(bars(view.pull[kept].astype(np.float32), [names[k] for k in kept], name, colour,
                           "%{y}: %{x:.3~g} times the mean", orientation="h", pattern=pattern,
                           meta=stated(row=view.numbers[kept])))  # fmt: skip
    return figure(
        traces, title=f"Rows that pulled frequency {view.frequency}",
        subtitle=f"{view.along:.0%} of all pulls went along its way; {number(view.rows)} rows measured",
        x="pull (times the mean size)", y="", revision=f"pulls:{view.frequency}",
        yaxis={"type": "category", "autorange": "reversed", "dtick": 1, "tickfont": {"size": 12},
               "title": {"text": "training row"}},
    )  # fmt: skip


def _about(at: At) -> tuple[str, str]:
    return r"-\sum_t\eta_t\,\nabla_{\omega_j}\ell(f_t(x_i),y_i)\cdot u_j", (
        "How far the gradient steps of each row moved this frequency along the way that it went (TracIn, Pruthi et al. "
        "2020). Select a frequency in another picture to ask for it; without one it is the one that went furthest."
    )


@picture("certainty", alt="Training rows that pulled a frequency most", when=_pulled, height=460,
         uses=("frequencies", "output"), note=_about)  # fmt: skip
def draw_pulls(at: At) -> go.Figure:
    """Which rows pulled this frequency."""
    chosen = at.frequencies
    now, _ = frequencies_at(at)
    return plot_pulls(pulls_at(at, chosen[-1] if chosen and chosen[-1] < now.size else None))
