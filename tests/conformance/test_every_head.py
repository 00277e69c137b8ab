"""What must hold for a head of any name, on every task that it says it is for."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from variants import variants

from kernlab.errors import DataError
from kernlab.feature_maps import Dictionary, Exact, Stationary
from kernlab.heads import HEADS, Fitting

N, D_IN, K = 60, 3, 3
EVERY = variants(HEADS, max_iter=1000)
FITTED = [
    pytest.param(p.values[0], task, id=f"{p.id}-{task}")
    for p in EVERY
    for task in p.values[0].tasks
    if p.values[0].stage != "joint"
]


def problem(head, task: str, outputs: int = K, dtype: torch.dtype = torch.float64) -> Fitting:
    random = torch.Generator().manual_seed(0)
    X = torch.randn(N, D_IN, generator=random, dtype=torch.float64)
    smooth = torch.stack([torch.sin(X[:, 0] + k) + X[:, 1] * X[:, 2] * (k - 1) for k in range(outputs)], dim=1)
    y = smooth.argmax(1) if task == "classification" else (smooth - smooth.mean(0)) / smooth.std(0)
    if head.stage == "kernel":
        representation, params = Exact(frequency_scale=0.7), {}
    else:
        representation = Stationary(n_features=20, frequency_scale=0.7)
        params = representation.init(X.to(dtype), torch.Generator().manual_seed(1))
    y = y if task == "classification" else y.to(dtype)
    return Fitting(representation, params, X.to(dtype), y, outputs, task)


def outputs(head, fitting: Fitting, at: Fitting | None = None) -> torch.Tensor:
    params = {**fitting.params, **head.fit(fitting)}
    return head.scores(params, fitting.representation.apply(params, (at or fitting).X))


def strict(head):
    """Solved far enough that two solutions of one problem agree."""
    exact = {"tolerance": 1e-9, "max_iter": 100_000}
    return head.replace(**{key: value for key, value in exact.items() if key in head.options()})


@pytest.mark.parametrize(("head", "task"), FITTED)
def test_it_learns_one_score_for_each_output_in_both_precisions(head, task):
    for dtype in (torch.float32, torch.float64):
        fitting = problem(head, task, dtype=dtype)
        params = head.fit(fitting)
        F = head.scores(
            {**fitting.params, **params}, fitting.representation.apply({**fitting.params, **params}, fitting.X)
        )
        assert F.shape == (N, K)
        assert F.isfinite().all()
        assert {F.dtype, *(value.dtype for value in params.values())} == {dtype}
        assert not set(params) & set(fitting.params)
    if task == "classification":
        largest_class = float(torch.bincount(fitting.y).max()) / N
        assert float((F.argmax(1) == fitting.y).double().mean()) > (1 + largest_class) / 2
    else:
        assert float((F - fitting.y).square().mean()) < 0.5 * float(fitting.y.var())


@pytest.mark.parametrize(("head", "task"), FITTED)
def test_two_classes_have_two_scores_and_one_target_one(head, task):
    count = 2 if task == "classification" else 1
    fitting = problem(head, task, outputs=count)
    F = outputs(head, fitting)
    assert F.shape == (N, count)
    if task == "classification":
        assert float((F.argmax(1) == fitting.y).double().mean()) > 0.8


@pytest.mark.parametrize(("head", "task"), FITTED)
def test_the_same_data_give_the_same_numbers(head, task):
    fitting = problem(head, task)
    first, again = head.fit(fitting), head.fit(fitting)
    assert all(torch.equal(first[name], again[name]) for name in first)


@pytest.mark.parametrize(("head", "task"), [p for p in FITTED if p.values[0].weighted])
def test_a_weight_of_two_is_a_row_twice_and_a_weight_of_none_no_row(head, task):
    fitting = problem(head, task)
    times = torch.randint(0, 3, (N,), generator=torch.Generator().manual_seed(3))
    rows = torch.arange(N).repeat_interleave(times)
    weighted = outputs(strict(head), replace(fitting, weight=times.double()))
    repeated = outputs(strict(head), replace(fitting, X=fitting.X[rows], y=fitting.y[rows]), at=fitting)
    torch.testing.assert_close(weighted, repeated, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize(("head", "task"), [p for p in FITTED if p.values[0].weighted])
@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_impossible_weights_are_refused(head, task, wrong):
    weight = torch.ones(N, dtype=torch.float64)
    weight[3] = wrong
    with pytest.raises(DataError, match="sample weights must be at least 0 and finite"):
        head.fit(replace(problem(head, task), weight=weight))


@pytest.mark.parametrize(("head", "task"), [p for p in FITTED if p.values[1] == "classification"])
def test_a_class_without_rows_never_wins(head, task):
    fitting = problem(head, task)
    renamed = replace(fitting, y=torch.tensor([0, 2, 3])[fitting.y], K=5)
    plain, F = outputs(head, fitting), outputs(head, renamed)
    assert F.shape == (N, 5)
    assert torch.equal(F.argmax(1), torch.tensor([0, 2, 3])[plain.argmax(1)])


@pytest.mark.parametrize(("head", "task"), [p for p in FITTED if p.values[0].tasks == ("classification",)])
def test_a_single_class_is_refused(head, task):
    fitting = problem(head, task)
    with pytest.raises(DataError, match="at least two classes"):
        head.fit(replace(fitting, y=torch.ones_like(fitting.y)))


@pytest.mark.parametrize("head", [p for p in EVERY if p.values[0].stage == "joint"])
def test_a_head_of_the_solver_fits_nothing_of_its_own(head):
    random = torch.Generator().manual_seed(0)
    X = torch.randn(N, D_IN, generator=random)
    assert head.fit(Fitting(Dictionary(), {}, X, X[:, :1], 1, "regression")) == {}
    Phi, matrix, bias = torch.randn(N, 5), torch.randn(5, K), torch.randn(K)
    params = {"weight": matrix, "dual": matrix, "bias": bias}
    torch.testing.assert_close(head.scores(params, Phi), Phi @ matrix + bias)


@pytest.mark.parametrize("name", HEADS)
def test_a_head_says_what_it_is(name):
    cls = HEADS[name]
    assert cls.name == name
    assert cls.title
    assert cls.formula
    assert cls.source
    assert set(cls.tasks) <= {"classification", "regression"}
    assert cls.weighted == (name != "joint")  # whose weights a mini-batch solver learns
    assert cls.quick == (name == "ridge")  # in closed form on features
