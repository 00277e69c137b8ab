"""Training, step by step, against the same steps written in NumPy: gradients, Adam, schedule, shrinkage.

Nothing here uses kernlab's mathematics; batches hold all training rows, so that their order does not matter.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from small import checkpoints, classes, events, of, spec, targets

from kernlab.solvers import ProximalGradient
from kernlab.training.events import Finished

D, RATE, TRACE, FEATURE, FROBENIUS = 16, 0.05, 0.2, 0.3, 0.2


def one_hot(y, K):
    return np.eye(K)[y] if y.ndim == 1 else y.astype(np.float64)


def outer_gradient(objective: str, F: np.ndarray, y: np.ndarray) -> np.ndarray:
    if objective == "squared":
        return 2 * (F - one_hot(y, F.shape[1])) / len(F)
    if objective == "cross_entropy":
        P = np.exp(F - F.max(axis=1, keepdims=True))
        return (P / P.sum(axis=1, keepdims=True) - one_hot(y, F.shape[1])) / len(F)
    G = np.zeros_like(F)
    for i, c in enumerate(y):
        others = F[i].copy()
        others[c] = -np.inf
        wrong = int(others.argmax())
        if 1 - F[i, c] + F[i, wrong] > 0:
            G[i, wrong], G[i, c] = 1 / len(F), -1 / len(F)
    return G


class Adam:
    """Kingma & Ba, Algorithm 1, with the defaults of the paper."""

    def __init__(self) -> None:
        self.m, self.v, self.t = 0.0, 0.0, 0

    def __call__(self, g: np.ndarray, rate: float) -> np.ndarray:
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.999 * self.v + 0.001 * g**2
        return rate * (self.m / (1 - 0.9**self.t)) / (np.sqrt(self.v / (1 - 0.999**self.t)) + 1e-8)


class Sgd:
    """Heavy-ball momentum 0.9."""

    def __init__(self) -> None:
        self.velocity = 0.0

    def __call__(self, g: np.ndarray, rate: float) -> np.ndarray:
        self.velocity = 0.9 * self.velocity + g
        return rate * self.velocity


class Adadelta:
    """Zeiler 2012, Algorithm 1, with decay 0.9."""

    def __init__(self) -> None:
        self.g2, self.x2 = 0.0, 0.0

    def __call__(self, g: np.ndarray, rate: float) -> np.ndarray:
        self.g2 = 0.9 * self.g2 + 0.1 * g**2
        delta = np.sqrt(self.x2 + 1e-6) / np.sqrt(self.g2 + 1e-6) * g
        self.x2 = 0.9 * self.x2 + 0.1 * delta**2
        return rate * delta


RULES = {"adam": Adam, "sgd": Sgd, "adadelta": Adadelta}
SCHEDULES = {
    "constant": lambda t: 1.0,
    "cosine": lambda t: 0.5 * (1 + math.cos(math.pi * t)),
    "step": lambda t: 1.0 if t < 0.5 else 0.1 if t < 0.75 else 0.01,
}


def by_hand(method, start, X, y, steps, objective, optimizer, schedule):
    """W and Ω [d, P, D] after each step."""
    W, omega = start["param/weight"].astype(np.float64), start["param/omega"].astype(np.float64)
    phases = start["param/phase"].astype(np.float64) if "param/phase" in start else None
    P, n = omega.shape[1], len(X)
    rules = {name: RULES[optimizer]() for name in ("W", "omega")}
    for t in range(steps):
        rate = RATE * SCHEDULES[schedule](t / steps)
        z = np.einsum("nd,dpk->npk", X, omega) + (0 if phases is None else phases)
        c = math.sqrt(2 / D) / P
        Phi = c * (np.cos(z) if phases is not None else np.concatenate([np.cos(z), np.sin(z)], axis=2)).sum(axis=1)
        G = outer_gradient(objective, Phi @ W, y)
        on_W, on_Phi = Phi.T @ G, G @ W.T
        if method == "ASKL":
            on_Phi = on_Phi + FEATURE * 2 * Phi / n
        else:
            on_W = on_W + FROBENIUS * 2 * W
        W = W - rules["W"](on_W, rate)
        if method not in ("SK", "NSK"):
            on_z = -c * np.sin(z) * on_Phi[:, None, : z.shape[2]]
            if phases is None:
                on_z = on_z + c * np.cos(z) * on_Phi[:, None, z.shape[2] :]
            omega = omega - rules["omega"](np.einsum("nd,npk->dpk", X, on_z), rate)
        if method == "ASKL":
            U, s, Vt = np.linalg.svd(W, full_matrices=False)
            W = U @ np.diag(np.maximum(s - rate * TRACE, 0)) @ Vt
        yield W, omega


def compare(method, data, objective, optimizer="adam", schedule="cosine", steps=8, phase="paired") -> None:
    penalties = {"trace_norm": TRACE, "feature_norm": FEATURE} if method == "ASKL" else {"frobenius": FROBENIUS}
    options = {
        "batch_size": len(data.X_train),
        "epochs": steps,
        "learning_rate": RATE,
        "frequency_scale": 0.5,
        "phase": phase,
    }
    run = spec(method, objective=objective, optimizer=optimizer, schedule=schedule, **options, **penalties)
    states = checkpoints(run, data)
    assert [state.step for state in states] == list(range(steps))
    final = of(Finished, events(run, data))[0].model
    X, y = data.X_train.astype(np.float64), data.y_train
    expected = by_hand(method, states[0].arrays, X, y, steps, objective, optimizer, schedule)
    for got, (W, omega) in zip([*(s.arrays for s in states[1:]), final], expected, strict=True):
        np.testing.assert_allclose(got["param/weight"], W, rtol=0, atol=2e-4 * np.abs(W).max())
        np.testing.assert_allclose(got["param/omega"], omega, rtol=0, atol=2e-4 * np.abs(omega).max())


@pytest.mark.parametrize("objective", ["hinge", "squared", "cross_entropy"])
@pytest.mark.parametrize("method", ["SK", "NSK", "SKL", "NSKL", "ASKL"])
def test_eight_steps_of_each_method_on_classes(method, objective):
    compare(method, classes(), objective)


@pytest.mark.parametrize("phase", ["shared", "independent"])
@pytest.mark.parametrize("method", ["SKL", "ASKL"])
def test_eight_steps_with_phases(method, phase):
    compare(method, classes(), "squared", phase=phase)


@pytest.mark.parametrize("method", ["NSKL", "ASKL"])
def test_eight_steps_on_several_targets(method):
    compare(method, targets(), "squared")


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("optimizer", RULES)
def test_eight_steps_of_each_optimizer_and_schedule(optimizer, schedule):
    compare("ASKL", classes(), "squared", optimizer, schedule)


@pytest.mark.parametrize(
    ("schedule", "rates"),
    {
        "cosine": {0.0: 1.0, 0.5: 0.5, 1.0: 0.0, 1 / 3: 0.75},
        "step": {0.0: 1.0, 0.499: 1.0, 0.5: 0.1, 0.749: 0.1, 0.75: 0.01, 0.999: 0.01},
        "constant": {0.0: 1.0, 0.5: 1.0, 0.999: 1.0},
    }.items(),
)
def test_schedules_at_their_corners(schedule, rates):
    solver = ProximalGradient(schedule=schedule)
    assert {at: solver.rate(at) for at in rates} == pytest.approx(rates, abs=1e-12)


def test_weights_start_at_zero():
    assert (checkpoints(spec(epochs=1), classes())[0].arrays["param/weight"] == 0).all()


@pytest.mark.parametrize("method", ["SK", "ASKL"])
def test_the_weights_are_the_tensor_that_the_optimizer_holds_and_change_at_every_step(method, monkeypatch):
    """The released code of the paper rebinds W, so that from its second step on only Ω learns (METHODS 9.5)."""
    optimized = []
    make = ProximalGradient.make_optimizer

    def keep(solver, tensors, learning_rate):
        optimized.extend(tensors := list(tensors))
        return make(solver, tensors, learning_rate)

    monkeypatch.setattr(ProximalGradient, "make_optimizer", keep)
    data = classes()
    final = of(Finished, events(spec(method), data))[0].model
    names = ["param/weight"] if method == "SK" else ["param/weight", "param/omega"]
    assert len(optimized) == len(names)
    for tensor, name in zip(optimized, names, strict=True):
        np.testing.assert_array_equal(tensor.cpu(), final[name])
    states = [state.arrays for state in checkpoints(spec(method), data)] + [final]
    for name in names:
        moved = [np.abs(b[name] - a[name]).max() for a, b in pairwise(states)]
        assert min(moved) > 0
    if method == "SK":
        assert all((state["param/omega"] == final["param/omega"]).all() for state in states)


def test_a_strong_trace_norm_lowers_the_rank_during_training():
    data = classes()
    rank = {}
    for weight in (0.0, 3.0):
        final = of(Finished, events(spec(trace_norm=weight, epochs=20), data))[0]
        rank[weight] = np.linalg.matrix_rank(final.model["param/weight"], tol=1e-5)
        assert final.summary["bound"]["rank"] == rank[weight]
    assert rank[3.0] < rank[0.0] == 3
