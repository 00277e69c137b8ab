"""What must hold for an exact kernel of any name."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from variants import variants

from kernlab.feature_maps import EXACT_KERNELS

KERNELS = variants(EXACT_KERNELS, frequency_scale=0.7)
N, D_IN = 12, 3


def points(n: int = N, seed: int = 1) -> torch.Tensor:
    return torch.randn(n, D_IN, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def start(kernel, X) -> dict[str, torch.Tensor]:
    return kernel.init(X, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kernel", KERNELS)
def test_columns_are_the_kernel_at_the_support(kernel, dtype):
    X, support = points().to(dtype), points(5, seed=2).to(dtype)
    params = {**start(kernel, X), "support": support}
    Phi = kernel.apply(params, X)
    assert Phi.shape == (N, kernel.columns(params))
    assert Phi.dtype == dtype
    assert Phi.isfinite().all()
    assert torch.equal(Phi, kernel.gram(params, X, support))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_gram_matrix_is_symmetric_and_positive(kernel):
    X = points(40)
    K = kernel.gram(start(kernel, X), X, X).numpy()
    np.testing.assert_allclose(K, K.T, rtol=1e-10, atol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-9 * np.linalg.eigvalsh(K).max()
    assert K.diagonal().min() > 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_entry_depends_on_its_two_points_alone(kernel):
    X, Z = points(4), points(3, seed=2)
    params = start(kernel, X)
    whole = kernel.gram(params, X, Z)
    one_by_one = torch.cat([torch.cat([kernel.gram(params, x[None], z[None]) for z in Z], 1) for x in X])
    torch.testing.assert_close(whole, one_by_one, rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(whole, kernel.gram(params, Z, X).mT, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kernel", KERNELS)
def test_single_precision_agrees(kernel):
    X, Z = points(), points(7, seed=2)
    narrow = kernel.gram(start(kernel, X.float()), X.float(), Z.float())
    torch.testing.assert_close(narrow.double(), kernel.gram(start(kernel, X), X, Z), rtol=2e-5, atol=2e-6)
