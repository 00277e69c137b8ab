"""Arc-cosine features against the integral that defines the kernel, its closed form, and a learned layer."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from kernlab.errors import CompositionError
from kernlab.feature_maps import ArcCosine
from kernlab.feature_maps.arc_cosine import arc_cosine_kernel
from kernlab.methods import METHODS
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

rng = np.random.default_rng(0)
X = rng.normal(size=(15, 3))


def integral(x: np.ndarray, z: np.ndarray, order: int) -> float:
    """2 ∫ N(w; 0, I) Θ(w·x) Θ(w·z) (w·x)ⁿ (w·z)ⁿ dw in the plane, Cho & Saul 2009, eq. 1, in polar coordinates.

    E‖w‖^{2n} is 1 or 2; what is left is the mean over the directions of w.
    """
    turn = (np.arange(400_000) + 0.5) * (2 * np.pi / 400_000)
    u, v = (each @ np.stack([np.cos(turn), np.sin(turn)]) for each in (x, z))
    return 2 * (1 + order) * float(np.mean((u > 0) * (v > 0) * (u * v) ** order))


@pytest.mark.parametrize("order", [0, 1])
def test_the_closed_form_is_the_integral(order):
    for x, z in ((np.array([1.0, 0.3]), np.array([-0.4, 0.8])), (np.array([0.5, -1.0]), np.array([0.7, -0.2]))):
        found = arc_cosine_kernel(x[None], z[None], order)[0, 0]
        assert found == pytest.approx(integral(x, z, order), abs=1e-5)


def test_at_one_point_it_is_one_or_the_squared_length():
    np.testing.assert_allclose(arc_cosine_kernel(X, X, 0).diagonal(), 1, atol=1e-7)
    np.testing.assert_allclose(arc_cosine_kernel(X, X, 1, 0.5).diagonal(), (X**2).sum(1) + 0.25, rtol=1e-7)
    assert arc_cosine_kernel(X, -X, 0).diagonal() == pytest.approx(0, abs=1e-7)  # opposite directions
    assert arc_cosine_kernel(0 * X, X, 1).max() == 0


@pytest.mark.parametrize("bias", [0.0, 0.8])
@pytest.mark.parametrize("unit", ["step", "relu"])
def test_the_features_average_to_the_kernel_and_the_error_falls_as_the_root_of_their_number(unit, bias):
    rows, errors = torch.from_numpy(X), []
    sizes = (50, 400, 3200)
    for D in sizes:
        map, apart = ArcCosine(n_features=D, unit=unit, bias=bias), []
        for seed in range(40):
            params = map.init(rows, torch.Generator().manual_seed(seed))
            Phi = map.apply(params, rows).numpy()
            apart.append(Phi @ Phi.T - map.exact(params, learned=False).gram(X, X))
        errors.append(float(np.sqrt(np.square(apart).mean())))
        assert np.abs(np.mean(apart, 0)).max() < 8 * errors[-1] / math.sqrt(40)
    assert np.polyfit(np.log(sizes), np.log(errors), 1)[0] == pytest.approx(-0.5, abs=0.06)


def test_every_step_of_one_point_may_be_taken_and_a_relu_has_no_largest_trace():
    rows, weights = torch.from_numpy(X), {"omega": torch.from_numpy(np.append(X[0], 1.0))[:, None].repeat(1, 7)}
    steps = ArcCosine(n_features=7, unit="step")
    assert float(steps.apply(weights, rows)[0].square().sum()) == pytest.approx(steps.largest_trace, rel=1e-12)
    assert ArcCosine(n_features=7).largest_trace == math.inf


def test_order_one_is_a_layer_of_relus():
    map, rows = ArcCosine(n_features=7), torch.from_numpy(X)
    params = map.init(rows, torch.Generator().manual_seed(0))
    layer = torch.nn.Linear(3, 7, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(params["omega"][:-1].mT)
        layer.bias.copy_(params["omega"][-1])
        expected = torch.relu(layer(rows)) * math.sqrt(2 / 7)
    torch.testing.assert_close(map.apply(params, rows), expected)


def test_steps_have_nothing_to_learn_and_relus_do():
    with pytest.raises(CompositionError, match="nothing that a gradient could learn"):
        METHODS["SKL"].with_options({"feature_map": "arc_cosine", "unit": "step"}).check("classification")

    def reached(**options):
        small = {
            "feature_map": "arc_cosine",
            "n_features": 60,
            "n_samples": 200,
            "epochs": 60,
            "validation": 0,
            "compile": "off",
        }
        return fit(RunSpec.of("SKL", "spirals", **small, **options)).summary["train_metric"]

    assert reached() > reached(learned=False) + 3
