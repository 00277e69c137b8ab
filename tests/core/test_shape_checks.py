"""The shapes in the annotations are checked while the tests run: this fails where the checks are off."""

from __future__ import annotations

import pytest
import torch
from jaxtyping import TypeCheckError

from kernlab.bounds.spectral import numerical_rank
from kernlab.feature_maps import Stationary
from kernlab.kernels import gaussian
from kernlab.linalg import singular_value_threshold
from kernlab.objectives import Squared
from kernlab.regularizers import Frobenius
from kernlab.solvers.proximal_gradient import proximal_step, risk_gradients

MAP = Stationary(n_features=4, frequency_scale=1.0)


def test_right_shapes_pass():
    X = torch.zeros(5, 3)
    assert MAP.apply(MAP.init(X, torch.Generator()), X).shape == (5, 4)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: MAP.apply({}, torch.zeros(3)),
        lambda: MAP.init(torch.zeros(2, 5, 3), torch.Generator()),
        lambda: gaussian(torch.zeros(5, 3), torch.zeros(5, 2)),
        lambda: singular_value_threshold(torch.zeros(4), 0.1),
        lambda: Squared().value(torch.zeros(5, 3), torch.zeros(5, 2)),
        lambda: Frobenius().value(torch.zeros(4, 2), torch.zeros(5, 3)),
        lambda: numerical_rank(torch.zeros(2, 2), (2, 2)),
        lambda: proximal_step(torch.zeros(4, 2, dtype=torch.int64), (), 0.1),
        lambda: risk_gradients(MAP, True, Squared(), ())({}, torch.zeros(3), torch.zeros(5)),
    ],
)
def test_a_wrong_shape_is_caught_where_it_enters(wrong):
    with pytest.raises(TypeCheckError):
        wrong()


def test_a_function_that_is_defined_anew_at_each_call_is_checked_each_time():
    X = torch.zeros(5, 3)
    params = MAP.init(X, torch.Generator())
    for _ in range(2):
        _, to_phases = MAP.linearized(params, X)
        assert to_phases(torch.ones(5, 4)).shape[0] == 5
        with pytest.raises(TypeCheckError):
            to_phases("no tensor")
