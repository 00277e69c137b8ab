"""A replicate is what training it alone would have given: stacked, in another process, among failing ones."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from small import classes, prepared_arrays, spec, targets

from kernlab import devices
from kernlab.data import DataSpec, Prepared, prepare
from kernlab.errors import DeviceError, OptionError, TrainingError
from kernlab.methods import METHODS, MethodSpec, method
from kernlab.training import replicates, rules, stacked
from kernlab.training.replicates import Replicate, replicate
from kernlab.training.stacked import Stack, initial_state, shape_of
from kernlab.training.trainer import fit, trained

JOINT = ("SK", "NSK", "SKL", "NSKL", "ASKL", "Deep-ASKL")
CPU = torch.device("cpu")


def together(methods: Any, data: Any, seeds: Any, **options: Any) -> list[Replicate]:
    """All of them in the order they were asked for, stacked on the CPU by default."""
    found = replicate(methods, data, seeds, **{"device": "cpu", "batched": True, "evaluations": 2, **options})
    return sorted(found, key=lambda each: each.number)


def apart(found: Replicate, spec: MethodSpec, data: Prepared, seed: int) -> float:
    """Relative distance of predictions from those of the method trained alone."""
    X = data.dataset.X
    truth = trained(spec, data, seed=seed, device="cpu").model().decision_function(X)
    return float(np.abs(found.model.decision_function(X) - truth).max() / np.abs(truth).max())


def other_split(data: Prepared, seed: int, test_size: float) -> Prepared:
    return prepare(data.dataset, DataSpec(test_size=test_size), seed)


# -- side by side -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [classes(), targets()], ids=["classes", "targets"])
@pytest.mark.parametrize("name", JOINT)
def test_stacked_replicates_equal_those_trained_alone(name, data):
    small = spec(name).method
    assert shape_of(rules.resolve(small, data), data) is not None, "it must have gone through the stack"
    for found in together(small, data, range(3)):
        assert apart(found, small, data, found.seed) < 1e-4


@pytest.mark.parametrize(
    "options",
    [
        {"optimizer": "sgd", "learning_rate": 0.1},
        {"optimizer": "adadelta", "objective": "squared", "schedule": "step"},
        {"objective": "cross_entropy", "schedule": "constant", "frobenius": 0.01},
        {"phase": "shared"},
        {"feature_norm": 0, "learned": False},
        {"feature_map": "stationary", "phase": "shared", "learn_phase": True},
        {"schedule": "plateau", "patience": 1, "tolerance": 0.1, "epochs": 30},
    ],
    ids=str,
)
def test_every_optimizer_loss_and_schedule(options):
    data, small = classes(), spec("ASKL", **options).method
    assert shape_of(rules.resolve(small, data), data) is not None
    for found in together(small, data, [3, 4]):
        assert apart(found, small, data, found.seed) < 1e-4


def test_a_map_that_is_learned_with_its_loss_gets_its_heads():
    data, small = classes(), method("RF-CE", n_features=16, batch_size=16, epochs=6)
    for found in together(small, data, range(2)):
        assert apart(found, small, data, found.seed) < 1e-4
        assert set(found.metrics["heads"]) == {"ridge", "linear_svm"}


def test_settings_splits_and_lengths_may_differ_within_one_stack(monkeypatch):
    """Step sizes, penalties (none, too), epochs, rows and scales: those who have finished leave, the rest goes on."""
    base = classes()
    sizes: list[int] = []
    data = [base, other_split(base, 1, 0.4), other_split(base, 2, 0.3), base]
    small = [
        spec("ASKL", learning_rate=0.01, trace_norm=0.05, epochs=5).method,
        spec("ASKL", learning_rate=0.05, trace_norm=0.001, feature_norm=0.5).method,
        spec("ASKL", learning_rate=0.02, trace_norm=0.02, epochs=7, frequency_scale=0.3).method,
        spec("ASKL", epochs=2).method,
    ]
    monkeypatch.setattr(replicates, "Stack", _counting(sizes))
    for found, one, own in zip(together(small, data, [5, 6, 7, 8]), small, data, strict=True):
        assert found.metrics["steps"] == rules.resolve(one, own).solver.epochs * (len(own.X_train) // 16)
        assert apart(found, one, own, found.seed) < 1e-4
    assert sizes == [4]


def test_a_penalty_of_weight_zero_beside_one_that_counts():
    data, weighed = classes(), spec("SK", frobenius=0.1).method
    free = replace(weighed, regularizers=tuple(r.replace(weight=0.0) for r in weighed.regularizers))
    for one, found in zip([free, weighed], together([free, weighed], data, 0), strict=True):
        assert apart(found, one, data, 0) < 1e-4


def test_a_replicate_that_diverges_says_so_and_hurts_no_other():
    data = targets(K=5)  # LAPACK refuses a 5 × 5 matrix that is not finite, and no 2 × 2 one
    calm = spec("ASKL", optimizer="sgd", learning_rate=0.01, epochs=20).method
    wild = spec("ASKL", optimizer="sgd", learning_rate=100.0, epochs=20).method
    for batched in (True, False):
        first, bad, last = together([calm, wild, calm], data, [0, 1, 2], batched=batched, workers=1)
        assert "finite" in bad.message
        assert "learning_rate" in bad.message or "decomposition" in bad.message
        assert bad.metrics == {}
        with pytest.raises(TrainingError):
            _ = bad.model
        for good in (first, last):
            assert not good.message
            assert apart(good, calm, data, good.seed) < 1e-4


def test_what_cannot_be_trained_says_why_and_the_rest_goes_on():
    data = classes()
    small = [spec("ASKL").method, spec("ASKL", batch_size=1000).method]
    good, bad = together(small, data, 0)
    assert "batch_size" in bad.message
    assert not good.message


def test_a_stack_that_cannot_go_on_is_trained_one_by_one(monkeypatch, caplog):
    def refuse(self: Stack, steps: int) -> None:
        raise RuntimeError("one of them is ill-conditioned")

    monkeypatch.setattr(Stack, "advance", refuse)
    data, small = classes(), spec("ASKL").method
    for found in together(small, data, range(2)):
        assert apart(found, small, data, found.seed) < 1e-4
    assert "ill-conditioned" in caplog.text


# -- memory -----------------------------------------------------------------------------------------------------


def test_only_so_many_are_stacked_as_fit_into_memory(monkeypatch):
    data, small, sizes = classes(), spec("ASKL").method, []
    monkeypatch.setattr(replicates, "Stack", _counting(sizes))
    whole = together(small, data, range(5))
    each = Stack.bytes_each(initial_state(rules.resolve(small, data), data, 0))
    parts = together(small, data, range(5), memory=2 * each + each // 2)
    assert sizes == [5, 2, 2, 1]
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_allclose(b.arrays["param/weight"], a.arrays["param/weight"], rtol=1e-4, atol=1e-6)


def test_a_stack_that_does_not_fit_after_all_is_halved(monkeypatch):
    data, small, sizes = classes(), spec("ASKL").method, []
    monkeypatch.setattr(replicates, "Stack", _counting(sizes, most=2))
    found = together(small, data, range(5))
    assert [each.message for each in found] == [""] * 5
    assert sizes == [5, 3, 2, 2, 1]
    sizes.clear()
    monkeypatch.setattr(replicates, "Stack", _counting(sizes, most=0))
    assert all("memory" in each.message for each in together(small, data, range(2)))


def _counting(sizes: list[int], most: int = 100) -> Any:
    class Counting(Stack):
        def __init__(self, states: Any, device: torch.device) -> None:
            sizes.append(len(states))
            if len(states) > most:
                raise torch.OutOfMemoryError("no room")
            super().__init__(states, device)

    return Counting


# -- one by one -------------------------------------------------------------------------------------------------


def test_processes_give_the_same_models_for_every_kind_of_method():
    """Joint, map-first, re-weighted, frame, exact kernel: in two processes, from data that differ."""
    clouds, plane = classes(), prepared_arrays("regression", scaling="[-1,1]")
    asked = [
        (spec("ASKL").method, clouds, 1),
        (method("NysDI", n_features=10, epochs=3), clouds, 2),
        (method("RFDI", n_features=10, epochs=3), clouds, 3),
        (method("LKRF", n_features=40), clouds, 4),
        (METHODS["FKS-Fourier"], plane, 5),
        (METHODS["KRR"], plane, 6),
        (spec("ASKL", batch_size=1000).method, clouds, 7),
    ]
    found = together(*zip(*asked, strict=True), batched=None, workers=2)
    assert [each.number for each in found] == list(range(7))
    assert "batch_size" in found[-1].message
    for each, (one, data, seed) in zip(found[:-1], asked, strict=False):
        assert not each.message
        assert apart(each, one, data, seed) < 1e-6


def test_one_worker_computes_on_one_thread_and_gives_the_others_back(monkeypatch):
    seen: list[tuple[int, int]] = []
    real = replicates.start

    def start(*given: Any, **named: Any) -> Any:
        seen.append((torch.get_num_threads(), devices.cores()))
        return real(*given, **named)

    monkeypatch.setattr(replicates, "start", start)
    before = torch.get_num_threads()
    list(replicate(METHODS["KRR"], classes(), range(2), device="cpu", workers=1))
    assert seen == [(1, 1), (1, 1)]
    assert torch.get_num_threads() == before


def test_closing_the_iterator_stops_the_rest(monkeypatch):
    seen: list[int] = []
    real = replicates.train_replicate
    monkeypatch.setattr(
        replicates, "train_replicate", lambda task, *more: seen.append(task.number) or real(task, *more)
    )
    running = replicate(spec("SK").method, classes(), range(5), device="cpu", workers=1)
    next(running)
    running.close()
    assert seen == [0]


# -- what is measured -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("data", [classes(), targets()], ids=["classes", "targets"])
def test_metrics_are_those_of_a_run(data, batched):
    run = spec("ASKL", device="cpu", compile="off")
    summary = fit(replace(run, seed=3, device="cpu"), data=data).summary
    (found,) = together(run.method, data, 3, batched=batched, workers=1, evaluations=4)
    assert found.metrics["metric"] == summary["metric"]
    for key in ("train_metric", "test_metric", "constant", "n_train", "n_test", "steps", "epochs"):
        assert found.metrics[key] == pytest.approx(summary[key], rel=1e-5), key
    if "test_rmse_range100" in summary:
        assert found.metrics["test_rmse_range100"] == pytest.approx(summary["test_rmse_range100"], rel=1e-5)
    assert found.curve["epoch"] == pytest.approx([0, 1, 2, 3, 4])
    assert found.curve["test_metric"][-1] == pytest.approx(summary["test_metric"], rel=1e-5)
    assert found.seconds > 0


def test_nothing_is_measured_where_nothing_is_asked_for():
    (found,) = together(spec("ASKL").method, classes(), 0, evaluations=0)
    assert found.metrics == {}
    assert found.curve == {}
    assert found.model.predict(classes().dataset.X).shape == (60,)


# -- bad input --------------------------------------------------------------------------------------------------


def test_bad_input_is_refused_before_anything_starts():
    data, small = classes(), spec("ASKL").method
    with pytest.raises(OptionError, match="one for each"):
        replicate([small] * 3, data, range(2))
    with pytest.raises(OptionError, match="workers"):
        replicate(small, data, range(2), workers=0)
    with pytest.raises(DeviceError):
        replicate(small, data, range(2), device="abacus")
    assert together(small, data, []) == []


# -- what CUDA needs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"optimizer": "sgd"}, {"optimizer": "adadelta", "objective": "cross_entropy"}])
def test_the_gradient_step_never_asks_the_host(options):
    """A graph can only be recorded of such a step. Tensors without numbers refuse every look at one."""
    data = classes()
    resolved = rules.resolve(spec("ASKL", **options).method, data)
    stack = Stack([initial_state(resolved, data, seed) for seed in range(3)], torch.device("meta"))
    with torch.no_grad():
        stack._update()
        stack._gather()
    with pytest.raises((RuntimeError, NotImplementedError)):
        stack.finite()  # this one does ask


@pytest.mark.parametrize("objective", ["hinge", "squared", "cross_entropy"])
def test_no_operation_is_done_replicate_by_replicate(objective):
    torch._C._debug_only_display_vmap_fallback_warnings(True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*batching rule.*")
            found = together(spec("ASKL", objective=objective).method, classes(), range(2))
    finally:
        torch._C._debug_only_display_vmap_fallback_warnings(False)
    assert [each.message for each in found] == ["", ""]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", JOINT)
def test_replicates_on_cuda_equal_those_on_the_cpu(name):
    data, small = classes(), spec(name).method
    different = [small, spec(name, epochs=2).method, spec(name, learning_rate=0.05).method]
    for found, one in zip(together(different, data, range(3), device="cuda", batched=None), different, strict=True):
        assert apart(found, one, data, found.seed) < 1e-4


def test_stacked_uses_one_set_of_rows_for_replicates_of_one_split():
    data = classes()
    resolved = rules.resolve(spec("ASKL").method, data)
    states = [initial_state(resolved, data, seed) for seed in range(2)]
    stacked.Stack(states, CPU)
    assert states[0].X is states[1].X
    assert states[0].params["omega"].data_ptr() != states[1].params["omega"].data_ptr()
