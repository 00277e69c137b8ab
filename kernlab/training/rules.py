"""What "auto" means: every rule reads the data, never a data set's name.

    frequency scale   1 / median distance of two scaled inputs; more for one or two inputs (in the feature map)
    learning rate     Adam: η = min(0.01, 0.6 / mean ‖x‖₁); SGD and Adadelta: their usual rates, shrunk alike
    validation        a fifth of the training rows, at most 2000, judge how long to train (or how strongly to
                      penalise), where that is "auto" and there are 100 rows; see kernlab.training.selection
    epochs            10, or as many as make 3000 steps where the data are few; at most 1000 or more on a plateau;
                      with validation rows so many are tried, and fewer may be kept
    mini-batch        where its size is "auto": 1000, or twice the features where there are more than 500
    objective         hinge for classes, squared for real targets
    features          the method's own number, where nobody has set another and the training rows suffice for it; else
                      as many landmarks as rows, or half as many features as rows for an objective that needs more rows
    compiled step     where the cosines it saves outweigh the compilation, and the machine has a C++ compiler

The learning rate depends on ‖x‖₁ because a step of Adam changes every entry of a frequency by about η, and so the phase
ωᵀx by up to η‖x‖₁. Beyond about half a radian the cosines are reshuffled instead of learned: on pictures (d = 256 and
784) 0.01 diverges.
"""

from __future__ import annotations

import math
import shutil
from dataclasses import replace

import numpy as np
import torch

from kernlab.data import DataSpec, Prepared
from kernlab.errors import CompositionError, DataError
from kernlab.feature_maps import FeatureMap
from kernlab.methods import MethodSpec
from kernlab.objectives import Hinge, MapObjective, Squared
from kernlab.solvers import FullBatchSolver, ProximalGradient

__all__ = ["compiled_from", "resolve", "resolve_data", "rows_that_learn", "with_fewer_features"]

EPOCHS, STEPS = 10, 3000
SHARE, MOST_VALIDATION = 0.2, 2000  # of the training rows that are validation rows: the share, and at most
FEWEST_ROWS, FEWEST_VALIDATION = 100, 20  # training rows and validation rows below which there are no validation rows
WAIT, WAIT_PLATEAU = 5, 20  # epochs without gain that end the first stretch, at least
RATES = {"adam": 1e-2, "sgd": 1e-1, "adadelta": 1.0}
LARGE = 500  # features above which a mini-batch of "auto" is twice the features (DI §5.1)
PLATEAU_EPOCHS = 1000  # at most, where a plateau ends the run
PHASE = 0.6  # radians by which one step of Adam may change a phase


def resolve_data(data: DataSpec, method: MethodSpec | None) -> DataSpec:
    """The data with the method's own scaling, where it has one and the scaling is "auto"."""
    if data.scaling == "auto" and method and method.input_scaling:
        return data.replace(scaling=method.input_scaling)
    return data


def resolve(method: MethodSpec, data: Prepared) -> MethodSpec:
    """A copy of ``method`` with every "auto" replaced by the rules, which read the training part.

    Raises:
        CompositionError: the method makes no sense for the task, or for so many targets.
        DataError: fewer training rows than a mini-batch, or a mini-batch too small for the objective.
    """
    task = data.dataset.task
    method.check(task)
    if task == "regression" and data.dataset.n_outputs > 1:
        for head in method.heads:
            if not head.multi_output:
                raise CompositionError(
                    f"the head {head.name} predicts one target", f"{data.dataset.n_outputs} targets", "set head=ridge"
                )
    method = _sized(method, data)
    method = replace(method, feature_map=method.feature_map.resolve(torch.from_numpy(data.X_train[:1000])))
    method = _with_validation(method, data)
    if isinstance(method.solver, ProximalGradient):
        return _gradient(method, method.solver, data)
    if isinstance(method.solver, FullBatchSolver):
        return replace(method, solver=method.solver.resolve(data.dataset.n_outputs))
    return method


def with_fewer_features(method: MethodSpec, n: int) -> MethodSpec:
    """The method with at most as many features as suit n rows.

    These are n landmarks, and n/2 features where an objective judges how well features explain the targets.
    """
    options, judged = method.options(), isinstance(method.objective, MapObjective)
    if "n_features" not in options or not (judged or method.feature_map.from_rows):
        return method
    return method.with_options({"n_features": min(options["n_features"], max(1, n // 2) if judged else n)})


def _sized(method: MethodSpec, data: Prepared) -> MethodSpec:
    """The method with fewer features, where the rows that train it are too few for its own number.

    A number that somebody has set stays, and is refused later.
    """
    solves = isinstance(method.objective, MapObjective) and method.objective.solves
    if not (solves or method.feature_map.from_rows) or "n_features" in method.changed_options():
        return method
    assert isinstance(method.feature_map, FeatureMap)  # checked: an exact kernel starts from no rows
    n = rows_that_learn(_with_validation(method, data), len(data.X_train))
    return with_fewer_features(method, n) if n < method.feature_map.width_for(data.d) + solves else method


def rows_that_learn(method: MethodSpec, n: int) -> int:
    """How many of n rows are not held out."""
    return n - round(n * float(method.solver.options().get("validation", 0.0)))


def _with_validation(method: MethodSpec, data: Prepared) -> MethodSpec:
    """The method with its share of validation rows."""
    options = method.solver.options()
    if options.get("validation") != "auto":
        return method
    n, share = len(data.X_train), 0.0
    ridge = method.two_stage and any(head.options().get("ridge") == "auto" for head in method.heads)
    if isinstance(method.solver, ProximalGradient):
        automatic = method.solver.epochs == "auto"
    else:
        automatic = "auto" in (options.get("g"), options.get("radius")) or ridge
    if automatic and n >= FEWEST_ROWS:
        share = min(SHARE, MOST_VALIDATION / n)
        if isinstance(method.solver, ProximalGradient):  # the other rows are at least one mini-batch
            needed, batch = 1.0, options["batch_size"]
            if batch != "auto":
                needed = float(batch)
            elif isinstance(method.objective, MapObjective):  # most need more rows than features in a mini-batch
                assert isinstance(method.feature_map, FeatureMap)
                needed = method.feature_map.width_for(data.d) + 1
            share = min(share, 1 - needed / n)
        share = float(f"{share:.3g}") if share * n >= FEWEST_VALIDATION else 0.0
    return replace(method, solver=method.solver.replace(validation=share))


def _gradient(method: MethodSpec, solver: ProximalGradient, data: Prepared) -> MethodSpec:
    """The method with objective, learning rate, epochs and mini-batch of the mini-batch solver."""
    assert isinstance(method.feature_map, FeatureMap)  # checked: gradients learn nothing else
    assert solver.validation != "auto"
    n, D = rows_that_learn(method, len(data.X_train)), method.feature_map.width_for(data.d)
    m = min(n, 1000 if D <= LARGE else 2 * D) if solver.batch_size == "auto" else solver.batch_size
    if n < m:
        raise DataError(
            "the training part must hold at least one mini-batch",
            f"{n} rows for batches of {m}",
            f"set batch_size={max(1, n // 2)} or less, or take more data",
        )
    if isinstance(method.objective, MapObjective):
        method.objective.check_batch(m, D)
    rate, epochs = solver.learning_rate, solver.epochs
    if rate == "auto":
        length = float(np.abs(data.X_train[:1000]).sum(axis=1).mean())
        shrink = min(1.0, PHASE / (RATES["adam"] * max(length, 1e-12)))
        rate = float(f"{RATES[solver.optimizer] * shrink:.3g}")
    if epochs == "auto":
        most = max(EPOCHS, math.ceil(STEPS / (n // m)))
        epochs = max(PLATEAU_EPOCHS, most) if solver.schedule == "plateau" else most
    wait = solver.n_iter_no_change
    if wait == "auto":
        wait = WAIT_PLATEAU if solver.schedule == "plateau" else max(WAIT, math.ceil(int(epochs) / 4))
    classes = data.dataset.task == "classification"
    return replace(
        method,
        objective=method.objective or (Hinge() if classes else Squared()),
        solver=solver.replace(learning_rate=rate, epochs=epochs, batch_size=m, n_iter_no_change=wait),
    )


def compiled_from(method: MethodSpec, steps: int, device: torch.device) -> int | None:
    """The step from which on steps are compiled: a function of the run's size only. None: no step is.

    Compiling takes 4 to 20 s of CPU time and saves about 3 ns for each cosine of a step. The steps before it take about
    as long, at 5 ns a cosine, or are an eighth of the run. The size of the whole run decides, not that of its rest, so
    that a resumed run computes alike.

    Args:
        method: resolved, learned from mini-batches.
        steps: of the whole run.
        device: where it is computed.

    Raises:
        CompositionError: compile is "on" with another optimizer than Adam.
    """
    solver = method.solver
    assert isinstance(solver, ProximalGradient)
    assert solver.batch_size != "auto"
    if solver.compile == "on" and solver.optimizer != "adam":
        raise CompositionError(
            "the compiled step is written for Adam", solver.optimizer, "set compile=off or optimizer=adam"
        )
    assert isinstance(method.feature_map, FeatureMap)
    cosines = solver.batch_size * method.feature_map.cosines  # of a step
    begin = min(math.ceil(2e9 / max(1, cosines)), steps // 8)
    if solver.compile != "auto":
        return begin if solver.compile == "on" else None
    compiler = any(shutil.which(name) for name in ("g++", "clang++", "c++"))
    possible = device.type == "cpu" and solver.optimizer == "adam" and compiler
    return begin if possible and method.learned and steps * cosines > 1.5e10 else None
