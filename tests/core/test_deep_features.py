"""Stacked spectral features: what their layers are, and their gradient, against the layers one by one."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist
from serving import ROOT

from kernlab.feature_maps import Deep, NonStationary, Stationary

X = torch.randn(40, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
FORMS = [
    Deep(n_features=8, hidden=6, layers=L, stationary=stationary, frequency_scale=0.7, hidden_scale=1.3, phase=phase)
    for L in (2, 4)
    for stationary in (False, True)
    for phase in ("paired", "shared")
]


def start(feature_map: Deep) -> dict[str, torch.Tensor]:
    return feature_map.init(X, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("phase", ["paired", "shared"])
@pytest.mark.parametrize("stationary", [False, True])
def test_it_is_features_of_features(stationary, phase):
    """φ_2(φ_1(x)) in NumPy: ψ(x) = (1/P)√(1/s) [Σ_p cos Ω_pᵀx ; Σ_p sin Ω_pᵀx] or (1/P)√(2/s) Σ_p cos(Ω_pᵀx + b)."""
    feature_map = Deep(n_features=8, hidden=6, stationary=stationary, phase=phase)
    params, H = start(feature_map), X.numpy()
    for number in range(2):
        omega = params[f"layer{number}.omega"].numpy()
        _, pairs, s = omega.shape
        assert (pairs, s) == (1 if stationary else 2, (3 + number) * (1 if phase == "paired" else 2))
        b = 0.0 if phase == "paired" else params[f"layer{number}.phase"].numpy()
        z = np.exp(1j * (np.tensordot(H, omega, 1) + b)).sum(1) / np.sqrt(s) / pairs
        H = np.concatenate([z.real, z.imag], axis=1) if phase == "paired" else np.sqrt(2) * z.real
    np.testing.assert_allclose(feature_map.apply(params, X), H, rtol=0, atol=1e-13)


@pytest.mark.parametrize("feature_map", FORMS)
def test_gradients_of_every_depth_are_those_of_automatic_differentiation(feature_map):
    params = start(feature_map)
    cotangent = torch.randn(40, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    Phi, pullback = feature_map.pullback(params, X)
    gradient = pullback(cotangent)
    leaves = {name: params[name].clone().requires_grad_() for name in feature_map.trainable}
    expected = feature_map.apply({**params, **leaves}, X)
    expected.backward(cotangent)
    torch.testing.assert_close(Phi, expected, rtol=0, atol=1e-14)
    assert set(gradient) == set(leaves) == {f"layer{number}.omega" for number in range(feature_map.layers)}
    for name, leaf in leaves.items():
        torch.testing.assert_close(gradient[name], leaf.grad, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    "layer", [Stationary(n_features=6, phase="shared"), NonStationary(n_features=6, phase="paired")]
)
def test_a_layers_gradient_on_its_inputs(layer):
    params = layer.init(X, torch.Generator().manual_seed(0))
    inputs = X.clone().requires_grad_()
    Phi = layer.apply(params, inputs)
    cotangent = torch.randn(Phi.shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    Phi.backward(cotangent)
    _, to_phases = layer.linearized(params, X)
    torch.testing.assert_close(layer.to_inputs(params, to_phases(cotangent)), inputs.grad, rtol=1e-11, atol=1e-13)


def test_the_first_layer_takes_the_scale_of_the_inputs_and_the_others_that_of_its_features():
    resolved = Deep(hidden=4000).resolve(X)
    assert resolved.frequency_scale == NonStationary().resolve(X).frequency_scale
    first = NonStationary(n_features=4000, frequency_scale=resolved.frequency_scale)
    features = first.apply(first.init(X, torch.Generator().manual_seed(5)), X).numpy()
    assert resolved.hidden_scale == pytest.approx(1 / np.median(pdist(features)), rel=0.05)  # another draw
    assert Deep(hidden_scale=0.2).resolve(X).hidden_scale == 0.2


def test_deeper_layers_have_the_features_of_the_one_before_as_inputs_and_pictures_show_the_first():
    feature_map = Deep(n_features=8, hidden=6, layers=3)
    params = start(feature_map)
    shapes = {name: tuple(value.shape) for name, value in params.items() if name.endswith("omega")}
    assert shapes == {"layer0.omega": (3, 2, 3), "layer1.omega": (6, 2, 3), "layer2.omega": (6, 2, 4)}
    shown = feature_map.frequencies(params)
    assert torch.equal(torch.stack([shown["omega"], shown["omega_prime"]], dim=1), params["layer0.omega"])


TRACED = """
import torch
from kernlab.feature_maps import Deep, NonStationary
X = torch.randn(9, 3)
LEARNED = NonStationary(n_features=6, learn_phase=True, phase="shared")
for feature_map in (Deep(n_features=6, hidden=4, layers=3), LEARNED):
    params = feature_map.init(X, torch.Generator().manual_seed(0))
    def both(params, X):
        Phi, pullback = feature_map.pullback(params, X)
        return Phi, pullback(Phi)
    (Phi, fast), (_, slow) = torch.compile(both, fullgraph=True, backend="eager")(params, X), both(params, X)
    assert set(fast) == set(feature_map.trainable) == set(slow)
    assert all(torch.allclose(fast[name], slow[name], atol=1e-6) for name in slow)
print("traced")
"""


def test_the_compiler_sees_through_the_written_out_gradients():
    """In a process of its own: the shape checks of the tests wrap every function and cannot be traced."""
    done = subprocess.run([sys.executable, "-c", TRACED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "traced\n", done.stderr
