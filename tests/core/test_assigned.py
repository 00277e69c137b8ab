"""The solver that learns nothing leaves everything as it was drawn."""

from __future__ import annotations

import torch

from kernlab.feature_maps import Stationary
from kernlab.solvers import Assigned, Problem


def test_one_step_changes_nothing():
    X = torch.randn(9, 2, generator=torch.Generator().manual_seed(0))
    feature_map = Stationary(n_features=5, frequency_scale=1.0)
    problem = Problem(feature_map, None, X, X[:, :1], 1, "regression", seed=3)
    solver = Assigned()
    start = solver.start(problem)
    drawn = feature_map.init(X, torch.Generator().manual_seed(3))
    after, told = solver.step(problem, start, 0)
    assert solver.steps(problem) == 1
    assert told == {}
    assert set(after) == set(drawn)
    assert all(torch.equal(after[name], drawn[name]) for name in drawn)
