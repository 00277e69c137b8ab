"""What a run keeps: rows that do not train choose how long to train and how strongly to penalise.

    training part  =  fit ∪ held            held: a stratified share, drawn by the seed; the test part takes no part
    on fit   train; after every epoch the averaged weights are judged on held, until nothing is gained for a while
    on all   the same again from the same start, for as many epochs as were best

Learned frequencies overfit noisy tables within a few epochs, and need hundreds on others, so no fixed number is right
for both. The loss judges, because it is smoother than an accuracy over few rows. A map that is learned before its head
is judged by the error of a ridge regression on its features, whose penalty is chosen on the same rows, since
leave-one-out is blind to what the map took from the labels; "no epoch" is then among the choices, and is the assigned
map. Measured on nine tables (three splits each), repeating on all rows with averaged weights was better than keeping
the judged weights, and better than repeating without the average.

Source: Prechelt 1998 (early stopping); Shamir & Zhang 2013 (polynomial-decay averaging of the weights).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.data import Prepared
from kernlab.feature_maps import FeatureMap
from kernlab.heads import feature_blocks
from kernlab.linalg import RidgePath, real_targets, wide
from kernlab.methods import MethodSpec
from kernlab.model import outputs
from kernlab.objectives import Loss
from kernlab.solvers import ProximalGradient, StepwiseSolver
from kernlab.training.events import Checkpoint
from kernlab.training.gradient import GradientState
from kernlab.training.state import TrainingState
from kernlab.training.stepwise import StepwiseState
from kernlab.typing import Tensor

__all__ = ["Choice", "Selection", "held_out", "holds_back", "start"]

PATH_ROWS, PATH_ROWS_PER_FEATURE = 2000, 10  # that a path of ridge regressions is fitted to after each epoch, at least
ENTROPY = 0x6B65707  # sets the draw of the held rows apart from what else the seed decides


@dataclass(frozen=True)
class Choice:
    """What the held rows chose.

    Attributes:
        epoch: how long to train; 0: the map stays as it was drawn.
        of: epochs that were tried at most.
        stopped: epochs that were tried.
        rows: held rows.
        loss: their loss at that epoch.
        penalty: ridge penalty of the heads, where it was chosen here.
    """

    epoch: int
    of: int
    stopped: int
    rows: int
    loss: float
    penalty: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def held_out(y: NDArray[Any], share: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row numbers that train and that judge, both ascending.

    Rows are sorted by class, or by the first target, and one is drawn from each run of neighbours, so that classes
    and the range of targets are in both parts as in the whole.

    Args:
        y: class codes [n] or targets [n K] of the training part.
        share: of the rows that judge, 0 < share ≤ 0.5.
        seed: the run's.
    """
    random = np.random.default_rng((seed, ENTROPY))
    key = y if y.ndim == 1 else y[:, 0]
    order = np.lexsort((random.permutation(len(key)), key))
    groups = np.array_split(order, max(1, round(share * len(key))))
    held = np.sort([group[random.integers(len(group))] for group in groups])
    return np.setdiff1d(np.arange(len(key)), held), held


def holds_back(method: MethodSpec) -> bool:
    """Whether a resolved method trains on a part of its rows first."""
    return bool(method.solver.options().get("validation", 0.0))


def start(
    method: MethodSpec,
    data: Prepared,
    seed: int,
    device: torch.device,
    sample_weight: Tensor | None = None,
    choice: Choice | None = None,
) -> TrainingState:
    """The training of a resolved method on all rows, before its first step.

    Args:
        choice: what the held rows chose; None where the method holds none back.
    """
    if isinstance(method.solver, ProximalGradient):
        rows = None if choice is None else torch.from_numpy(_rows(method, data, seed)[0])
        state: TrainingState = GradientState(
            method, data, seed, device, sample_weight, drawn_from=rows, epochs=None if choice is None else choice.epoch,
            averaged=choice is not None,
        )  # fmt: skip
        # Features that no label has touched choose their penalty by leave-one-out, as an assigned map's do.
        state.penalty = choice.penalty if choice and choice.epoch else None
        return state
    if not holds_back(method):
        return StepwiseState(method, data, seed, device, sample_weight)
    solver, penalty = _stepwise(method, data, seed, device, sample_weight)
    state = StepwiseState(replace(method, solver=solver), data, seed, device, sample_weight)
    state.penalty = penalty
    return state


def _rows(method: MethodSpec, data: Prepared, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return held_out(data.y_train, float(method.solver.options()["validation"]), seed)


def _part(data: Prepared, rows: NDArray[np.int64]) -> Prepared:
    """The same split with these training rows alone; scaling stays that of all of them."""
    return replace(data, train_rows=data.train_rows[rows], X_train=data.X_train[rows], y_train=data.y_train[rows])


class Selection:
    """Chooses how long a method learns from mini-batches.

        while not selection.done:
            selection.state.advance()
            if selection.state.step % selection.state.per_epoch == 0:
                metrics = selection.look()

    Args:
        method: resolved, and :func:`holds_back`.
        data, seed, device, sample_weight: as for :func:`start`.

    Attributes:
        state: the training on the rows that are not held.
        rows: held rows.
    """

    def __init__(
        self,
        method: MethodSpec,
        data: Prepared,
        seed: int,
        device: torch.device,
        sample_weight: Tensor | None = None,
    ) -> None:
        fit, held = _rows(method, data, seed)
        weight = None if sample_weight is None else sample_weight[torch.from_numpy(fit).to(sample_weight.device)]
        self.state = GradientState(method, _part(data, fit), seed, device, weight, averaged=True)
        self.rows = len(held)
        self._X, self._y = self.state.tensors(data.X_train[held], data.y_train[held])
        self._weight = None if sample_weight is None else sample_weight[torch.from_numpy(held).to(sample_weight.device)]
        solver = self.state.solver
        self._patience, self._gain = int(solver.n_iter_no_change), solver.tolerance
        self._best: Choice | None = None
        self._reference, self._waited = math.inf, 0

    def to(self, device: torch.device) -> None:
        """Judge on this device from now on."""
        self._X, self._y = self._X.to(device), self._y.to(device)

    @property
    def done(self) -> bool:
        """Every epoch was tried, or nothing was gained for a while."""
        return self.state.done or self._waited >= self._patience

    @property
    def choice(self) -> Choice:
        """The best so far."""
        assert self._best, "there was no look yet"
        return replace(self._best, stopped=self._epoch)

    @property
    def _epoch(self) -> int:
        return self.state.step // self.state.per_epoch

    @torch.no_grad()
    def look(self) -> dict[str, float]:
        """Judge the present epoch: ``validation_metric`` and ``validation_loss`` on the held rows."""
        state, objective, epoch = self.state, self.state.method.objective, self._epoch
        penalty = None
        if state.method.map_first:
            F, loss, penalty = self._by_ridge()
        else:
            assert isinstance(objective, Loss)
            F = outputs(state.method, state.parameters, self._X)
            loss = float(objective.value(F, self._y))
        if not math.isfinite(loss):
            raise state.diverged(loss)
        possible = state.method.map_first or epoch > 0  # without a step the weights of a joint head are zero
        if possible and (self._best is None or loss < self._best.loss):
            self._best = Choice(epoch, int(state.solver.epochs), epoch, self.rows, loss, penalty)
            state.penalty = penalty
        if loss < self._reference - self._gain * abs(self._reference) or math.isinf(self._reference):
            self._reference, self._waited = loss, 0
        elif epoch:
            self._waited += 1
        return {"validation_metric": state.score(F, self._y), "validation_loss": loss}

    def _by_ridge(self) -> tuple[Tensor, float, float]:
        """Outputs, error and penalty of the best ridge regression on the present features."""
        state, params = self.state, self.state.parameters
        feature_map = state.method.feature_map
        rows = max(PATH_ROWS, PATH_ROWS_PER_FEATURE * feature_map.columns(params))
        fixed = [p for head in state.method.heads if isinstance(p := getattr(head, "ridge", None), float)]
        found = _judged(
            feature_map, params, (state.X[:rows], state.y[:rows]), (self._X, self._y), state.K,
            None if state.weight is None else state.weight[:rows], self._weight, fixed[:1],
        )  # fmt: skip
        return found

    def checkpoint(self) -> Checkpoint:
        """The state's, with what was judged so far."""
        inner = self.state.checkpoint()
        own = {
            "best": self._best and self._best.to_dict(),
            "reference": self._reference if math.isfinite(self._reference) else None,
            "waited": self._waited,
        }
        return replace(inner, state={**inner.state, "selection": own})

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from there."""
        self.state.restore(checkpoint)
        own: Mapping[str, Any] = checkpoint.state["selection"]
        self._best = Choice(**own["best"]) if own["best"] else None
        self.state.penalty = self._best.penalty if self._best else None
        self._reference = math.inf if own["reference"] is None else float(own["reference"])
        self._waited = int(own["waited"])

    def run(self) -> Choice:
        """Train to the end and judge every epoch."""
        if self.state.step == 0:
            self.look()
        while not self.done:
            self.state.advance()
            if self.state.step % self.state.per_epoch == 0:
                self.look()
        return self.choice


def _judged(
    feature_map: Any,
    params: Mapping[str, Tensor],
    fit: tuple[Tensor, Tensor],
    held: tuple[Tensor, Tensor],
    K: int,
    weight: Tensor | None,
    held_weight: Tensor | None,
    penalties: list[float],
) -> tuple[Tensor, float, float]:
    """Outputs on the held rows, mean squared error and penalty of the best ridge regression on the fit rows."""

    def blocks(X: Tensor) -> Iterator[Tensor]:
        return feature_blocks(feature_map, params, X)

    Y, target = (real_targets(y, K, X.dtype) for X, y in (fit, held))
    path = RidgePath(lambda: blocks(fit[0]), Y, sample_weight=weight)
    Phi = torch.cat(list(blocks(held[0])))
    share = torch.full_like(target[:, 0], 1 / len(target)) if held_weight is None else held_weight / held_weight.sum()
    best: tuple[Tensor, float, float] | None = None
    for penalty in penalties or path.penalties:
        found = path.fit(penalty)
        F = Phi @ found.weight + found.bias
        error = float((wide(F - target).square().sum(1) * wide(share)).sum())
        if best is None or error <= best[1]:
            best = F, error, penalty
    assert best
    return best


def _stepwise(
    method: MethodSpec, data: Prepared, seed: int, device: torch.device, sample_weight: Tensor | None
) -> tuple[StepwiseSolver, float | None]:
    """The solver and the head's penalty that the held rows prefer, for solvers that see all rows at every step."""
    assert isinstance(method.solver, StepwiseSolver)
    fit, held = _rows(method, data, seed)
    take = (
        None if sample_weight is None else lambda rows: sample_weight[torch.from_numpy(rows).to(sample_weight.device)]
    )
    weight, held_weight = (take(rows) if take else None for rows in (fit, held))
    state = StepwiseState(method, _part(data, fit), seed, device, weight)
    X, y = state.tensors(data.X_train[held], data.y_train[held])
    target = real_targets(y, state.K, X.dtype)
    best: tuple[float, StepwiseSolver, float | None] | None = None
    penalty: float | None = None
    worse = 0
    for solver in method.solver.candidates(state.problem):
        state = state.tried(solver)
        while not state.done:
            state.advance()
        if method.map_first:
            assert isinstance(method.feature_map, FeatureMap)
            _, error, penalty = _judged(
                method.feature_map, state.params, (state.X, state.y), (X, y), state.K, weight, held_weight, []
            )
        else:
            error = float((outputs(method, state.params, X) - target).square().sum(1).mean())
        if best is None or error < best[0]:
            best, worse = (error, solver, penalty), 0
        else:
            worse += 1
        if worse == 3:  # the path goes on to ever smaller penalties
            break
    assert best
    return best[1], best[2]
