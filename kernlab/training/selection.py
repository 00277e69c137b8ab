"""What a run keeps: rows that do not train choose how long to train and how strongly to penalise.

    training part  =  fit ∪ held            held: a stratified share, drawn by the seed; the test part takes no part
    on fit   train; after every epoch the averaged weights are judged on held, until nothing is gained for a while
    on all   the same again from the same start, for as many epochs as were best

Learned frequencies overfit noisy tables within a few epochs, and need hundreds on others, so no fixed number is right
for both. The loss judges, because it is smoother than an accuracy over few rows. A map that is learned before its head
is judged by the error of a ridge regression on its features, whose penalty is chosen on the same rows, since
leave-one-out is blind to what the map took from the labels. The map as it was drawn is always among the choices: on
some tables it is best. Measured on nine tables (three splits each), repeating on all rows with averaged weights was
better than keeping the judged weights, and better than repeating without the average.

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
from kernlab.solvers import FullBatchSolver, ProximalGradient
from kernlab.training.events import Checkpoint
from kernlab.training.full_batch import FullBatchState
from kernlab.training.gradient import GradientState
from kernlab.training.state import TrainingState
from kernlab.typing import Tensor

__all__ = ["Choice", "Selection", "Trial", "chosen", "held_out", "holds_back", "start"]

PATH_ROWS, PATH_ROWS_PER_FEATURE, PATH_MOST = 2000, 4, 8000  # that a path of ridge regressions is fitted to
ALIKE = 0.5  # standard errors by which two epochs must differ
BEHIND = 1.5  # times the loss of the learned map, at which the assigned one is given up
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
        learned: the map is learned; False: the held rows prefer it as it was drawn.
    """

    epoch: int
    of: int
    stopped: int
    rows: int
    loss: float
    penalty: float | None = None
    learned: bool = True

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
        if choice and not choice.learned and not method.two_stage:
            method = as_assigned(method)
        state: TrainingState = GradientState(
            method, data, seed, device, sample_weight, drawn_from=rows, epochs=None if choice is None else choice.epoch,
            averaged=choice is not None,
        )  # fmt: skip
        # Features that no label has touched choose their penalty by leave-one-out, as an assigned map's do.
        state.penalty = choice.penalty if choice and choice.epoch else None
        return state
    if not holds_back(method):
        return FullBatchState(method, data, seed, device, sample_weight)
    solver, penalty, judges = _full_batch(method, data, seed, device, sample_weight)
    state = FullBatchState(replace(method, solver=solver), data, seed, device, sample_weight)
    state.penalty, state.chosen_on = penalty, judges
    return state


def chosen(
    method: MethodSpec, data: Prepared, seed: int, device: torch.device, sample_weight: Tensor | None = None
) -> tuple[MethodSpec, Choice | None]:
    """What the held rows choose for a resolved method that learns from mini-batches, and the method as it was tried.

    Of other methods, and where no rows are held back, the method itself and None. It takes no more threads than the
    caller had.
    """
    if not (isinstance(method.solver, ProximalGradient) and holds_back(method)):
        return method, None
    threads = torch.get_num_threads()
    selection = Selection(method, data, seed, device, sample_weight)
    torch.set_num_threads(min(threads, torch.get_num_threads()))
    choice = selection.run()
    return selection.state.method, choice


def _rows(method: MethodSpec, data: Prepared, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return held_out(data.y_train, float(method.solver.options()["validation"]), seed)


def _part(data: Prepared, rows: NDArray[np.int64]) -> Prepared:
    """The same split with these training rows alone; scaling stays that of all of them."""
    return replace(data, train_rows=data.train_rows[rows], X_train=data.X_train[rows], y_train=data.y_train[rows])


class Trial:
    """A training on the rows that are not held, judged after every epoch.

    Attributes:
        state: the training.
        best: the epoch of the lowest loss so far.
        kept: the last epoch whose loss cannot be told from that one, by half a standard error of the paired difference:
            where the loss is flat, longer training is better more often than not. Of jointly learned weights only.
        errors: losses of the held rows at the best epoch and before the first step, [2 held].
        lowest: the lowest loss up to each epoch.
        weight: how often each held row counts; None: once.
    """

    def __init__(self, state: GradientState, held: tuple[Tensor, Tensor], weight: Tensor | None) -> None:
        self.state, self._held, self.weight = state, held, weight
        self._waited, self._reference, self._dropped = 0, math.inf, False
        self.best: Choice | None = None
        self.kept: Choice | None = None
        self.errors = torch.zeros(2, len(held[0]), dtype=torch.float64)
        self.lowest: list[float] = []

    @property
    def epoch(self) -> int:
        return self.state.step // self.state.per_epoch

    @property
    def done(self) -> bool:
        """Every epoch was tried, nothing was gained for a while, or it cannot win any more."""
        return self._dropped or self.state.done or self._waited >= int(self.state.solver.n_iter_no_change)

    def advance(self) -> None:
        """One epoch."""
        for _ in range(self.state.per_epoch):
            self.state.advance()

    @torch.no_grad()
    def look(self) -> dict[str, float]:
        """Judge the present epoch: ``validation_metric`` and ``validation_loss`` on the held rows."""
        state, objective, penalty = self.state, self.state.method.objective, None
        X, y = self._held
        if state.method.two_stage:
            rows = _path_rows(state.method.feature_map.columns(state.parameters))
            fixed = [p for head in state.method.heads if isinstance(p := head.options().get("ridge"), float)]
            F, errors, penalty = _judged(
                state.method.feature_map, state.parameters, (state.X[:rows], state.y[:rows]), self._held, state.K,
                None if state.weight is None else state.weight[:rows], self.weight, fixed[:1],
            )  # fmt: skip
        else:
            assert isinstance(objective, Loss)
            F = outputs(state.method, state.parameters, X)
            errors = torch.func.vmap(lambda f, target: objective.value(f[None], target[None]))(F, y)
        errors = wide(errors).cpu()
        loss = _mean(errors, self.weight)
        if not math.isfinite(loss):
            raise state.diverged(loss)
        if not self.epoch:
            self.errors[1] = errors
        # Before the first step the weights of a joint head are zero: that is no model.
        if (state.method.two_stage or self.epoch) and (self.best is None or loss < self.best.loss):
            self.best = self.kept = Choice(self.epoch, int(state.solver.epochs), self.epoch, len(X), loss, penalty)
            self.errors[0], state.penalty = errors, penalty
        elif self.best and not state.method.two_stage:
            more = errors - self.errors[0]
            if _mean(more, self.weight) <= ALIKE * float(more.std()) / math.sqrt(len(more)):
                self.kept = replace(self.best, epoch=self.epoch, loss=loss)
        self.lowest.append(min([loss, *self.lowest[-1:]]))
        if loss < self._reference - state.solver.tolerance * abs(self._reference) or math.isinf(self._reference):
            self._reference, self._waited = loss, 0
        elif self.epoch:
            self._waited += 1
        return {"validation_metric": state.score(F, y), "validation_loss": loss}

    @property
    def gained(self) -> bool:
        """Whether a map learned before its head is better than as it was drawn, by more than one standard error.

        The best of hundreds of epochs, each with the best of many penalties, looks better than it is.
        """
        gain = self.errors[1] - self.errors[0]
        return _mean(gain, self.weight) > float(gain.std()) / math.sqrt(len(gain))

    def drop_if_behind(self, other: Trial) -> None:
        """Give up where a quarter of the epochs left the loss far above what the other had by then."""
        reached = other.lowest[min(self.epoch, len(other.lowest) - 1)]
        self._dropped |= 4 * self.epoch >= int(self.state.solver.epochs) and self.lowest[-1] > BEHIND * reached

    @property
    def dropped(self) -> bool:
        """It was given up."""
        return self._dropped

    def checkpoint(self) -> Checkpoint:
        """The state's, with what was judged so far."""
        inner = self.state.checkpoint()
        own = {
            "best": self.best and self.best.to_dict(),
            "kept": self.kept and self.kept.to_dict(),
            "reference": self._reference if math.isfinite(self._reference) else None,
            "waited": self._waited,
            "dropped": self._dropped,
            "lowest": list(self.lowest),
        }
        arrays = {**inner.arrays, "judged/errors": self.errors.numpy().copy()}
        return replace(inner, arrays=arrays, state={**inner.state, "trial": own})

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from there."""
        self.state.restore(checkpoint)
        own: Mapping[str, Any] = checkpoint.state["trial"]
        self.best, self.kept = (Choice(**own[name]) if own[name] else None for name in ("best", "kept"))
        self.state.penalty = self.best.penalty if self.best else None
        self._reference = math.inf if own["reference"] is None else float(own["reference"])
        self.errors = torch.from_numpy(np.array(checkpoint.arrays["judged/errors"]))
        self._waited, self._dropped, self.lowest = int(own["waited"]), bool(own["dropped"]), list(own["lowest"])

    def to(self, device: torch.device) -> None:
        """Judge on this device from now on."""
        self._held = self._held[0].to(device), self._held[1].to(device)


class Selection:
    """Chooses how long a method learns from mini-batches, and whether its map is learned at all.

        while not selection.done:
            selection.advance()

    Beside a map that is learned jointly with its weights the assigned map is trained on the same rows; beside a map
    that is learned first stands the map as it was drawn. The lowest loss on the held rows decides, see
    :attr:`Trial.gained`.

    Args:
        method: resolved, and :func:`holds_back`.
        data, seed, device, sample_weight: as for :func:`start`.

    Attributes:
        learned: the method's own trial.
        assigned: that of the assigned map; None where it needs no training of its own.
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
        part, weight, held_weight = _part(data, fit), _taken(sample_weight, fit), _taken(sample_weight, held)

        def trial(method: MethodSpec) -> Trial:
            state = GradientState(method, part, seed, device, weight, averaged=True)
            return Trial(state, state.tensors(data.X_train[held], data.y_train[held]), held_weight)

        self.learned = trial(method)
        self.assigned = trial(as_assigned(method)) if method.learned and not method.two_stage else None

    @property
    def state(self) -> GradientState:
        """The training of the method's own trial."""
        return self.learned.state

    @property
    def done(self) -> bool:
        """Nothing is left to try."""
        return self.learned.done and (self.assigned is None or self.assigned.done)

    @property
    def epoch(self) -> int:
        """Epochs of the longer trial."""
        return max(trial.epoch for trial in (self.learned, self.assigned) if trial)

    def look(self) -> dict[str, float]:
        """Judge the present epoch of the method's own trial."""
        return self.learned.look()

    def advance_assigned(self) -> dict[str, float]:
        """One epoch of the assigned map, judged: ``assigned_validation_metric`` and ``…_loss``; empty if it is over."""
        trial = self.assigned
        if trial is None or trial.done:
            return {}
        if not trial.lowest:
            trial.look()
        trial.advance()
        found = trial.look()
        trial.drop_if_behind(self.learned)
        return {f"assigned_{name}": value for name, value in found.items()}

    def advance(self) -> None:
        """One epoch of each trial that is not over, judged."""
        if not self.learned.done:
            if not self.learned.lowest:
                self.learned.look()
            self.learned.advance()
            self.learned.look()
        self.advance_assigned()

    @property
    def choice(self) -> Choice:
        """The best so far."""
        found, best = self.learned.kept, self.learned.best
        assert found, "there was no look yet"
        assert best, "there was no look yet"
        found = replace(found, stopped=self.epoch)
        if self.assigned:
            other = self.assigned
            if not other.dropped and other.best and other.kept and other.best.loss <= best.loss:
                return replace(other.kept, stopped=self.epoch, learned=False)
        elif self.state.method.two_stage and not self.learned.gained:
            return replace(
                found, epoch=0, loss=_mean(self.learned.errors[1], self.learned.weight), penalty=None, learned=False
            )
        return found

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on."""
        found = self.learned.checkpoint()
        if self.assigned is None:
            return found
        other = self.assigned.checkpoint()
        arrays = {**found.arrays, **{f"assigned/{name}": value for name, value in other.arrays.items()}}
        return replace(found, arrays=arrays, state={**found.state, "assigned": dict(other.state)})

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from there."""
        self.learned.restore(checkpoint)
        if self.assigned:
            own = {k.removeprefix("assigned/"): v for k, v in checkpoint.arrays.items() if k.startswith("assigned/")}
            self.assigned.restore(Checkpoint(checkpoint.step, own, checkpoint.state["assigned"]))

    def run(self) -> Choice:
        """Try everything."""
        while not self.done:
            self.advance()
        return self.choice

    def to(self, device: torch.device) -> None:
        """Judge on this device from now on."""
        for trial in (self.learned, self.assigned):
            if trial:
                trial.to(device)


def as_assigned(method: MethodSpec) -> MethodSpec:
    """The method with its map as it was drawn: only the weights are learned."""
    kept = tuple(r for r in method.regularizers if not r.on_map)
    return replace(method, learned=False, regularizers=kept)


def _taken(weight: Tensor | None, rows: NDArray[np.int64]) -> Tensor | None:
    return None if weight is None else weight[torch.from_numpy(rows).to(weight.device)]


def _mean(values: Tensor, weight: Tensor | None) -> float:
    """Of the held rows, each as often as it counts."""
    return float(values.mean() if weight is None else (values * weight).sum() / weight.sum())


def _path_rows(columns: int) -> int:
    """Rows that a path of ridge regressions on so many columns is fitted to: a penalty against sums hardly depends on
    how many there are."""
    return PATH_ROWS if columns > PATH_MOST else min(PATH_MOST, max(PATH_ROWS, PATH_ROWS_PER_FEATURE * columns))


def _judged(
    feature_map: Any,
    params: Mapping[str, Tensor],
    fit: tuple[Tensor, Tensor],
    held: tuple[Tensor, Tensor],
    K: int,
    weight: Tensor | None,
    held_weight: Tensor | None,
    penalties: list[float],
) -> tuple[Tensor, Tensor, float]:
    """Outputs and squared errors on the held rows, and the penalty, of the best ridge regression on the fit rows."""

    def blocks(X: Tensor) -> Iterator[Tensor]:
        return feature_blocks(feature_map, params, X)

    Y, target = (real_targets(y, K, X.dtype) for X, y in (fit, held))
    path = RidgePath(lambda: blocks(fit[0]), Y, sample_weight=weight)
    Phi = torch.cat(list(blocks(held[0])))
    best: tuple[Tensor, Tensor, float] | None = None
    for penalty in penalties or path.penalties:
        found = path.fit(penalty)
        F = Phi @ found.weight + found.bias
        errors = wide(F - target).square().sum(1)
        if best is None or _mean(errors, held_weight) <= _mean(best[1], held_weight):
            best = F, errors, penalty
    assert best
    return best


def _full_batch(
    method: MethodSpec, data: Prepared, seed: int, device: torch.device, sample_weight: Tensor | None
) -> tuple[FullBatchSolver, float | None, int]:
    """The solver and the head's penalty that the held rows prefer, and how many rows these are."""
    assert isinstance(method.solver, FullBatchSolver)
    fit, held = _rows(method, data, seed)
    take = (
        None if sample_weight is None else lambda rows: sample_weight[torch.from_numpy(rows).to(sample_weight.device)]
    )
    weight, held_weight = (take(rows) if take else None for rows in (fit, held))
    state = FullBatchState(method, _part(data, fit), seed, device, weight)
    X, y = state.tensors(data.X_train[held], data.y_train[held])
    target = real_targets(y, state.K, X.dtype)
    best: tuple[float, FullBatchSolver, float | None] | None = None
    penalty: float | None = None
    worse = 0
    for solver in method.solver.candidates(state.problem):
        state = state.tried(solver)
        while not state.done:
            state.advance()
        if method.two_stage:
            assert isinstance(method.feature_map, FeatureMap)
            rows = _path_rows(method.feature_map.columns(state.params))
            part = None if weight is None else weight[:rows]
            _, errors, penalty = _judged(
                method.feature_map,
                state.params,
                (state.X[:rows], state.y[:rows]),
                (X, y),
                state.K,
                part,
                held_weight,
                [],
            )
        else:
            errors = (outputs(method, state.params, X) - target).square().sum(1)
        error = _mean(errors, held_weight)
        if best is None or error < best[0]:
            best, worse = (error, solver, penalty), 0
        else:
            worse += 1
        if worse == 2:  # the path goes on to ever smaller penalties, which take ever longer
            break
    assert best
    return best[1], best[2], len(held)
