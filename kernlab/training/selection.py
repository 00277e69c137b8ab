"""How long a method trains and how strongly it penalises, chosen on validation rows: training rows that do not train.

    training part  =  fit ∪ validation     validation: a stratified share, drawn by the seed; the test part is not used
    on fit   train; after every epoch the averaged weights are judged on validation, until nothing is gained for a while
    on all   the same again from the same start, for as many epochs as were best

Learned frequencies overfit noisy tables within a few epochs, and need hundreds on others, so no fixed number is right
for both. The loss judges, because it is smoother than an accuracy over few rows. A map of a two-stage method is judged
by the error of a ridge regression on its features, whose penalty is chosen on the same rows, since leave-one-out is
blind to what the map took from the labels. The assigned map is always among the choices: on some tables it is best.
Measured on nine tables (three splits each), repeating on all rows with averaged weights was better than keeping the
judged weights, and better than repeating without the average.

Source: Prechelt 1998 (early stopping); Shamir & Zhang 2013 (polynomial-decay averaging of the weights).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

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
from kernlab.regularizers import Regularizer
from kernlab.solvers import FullBatchSolver, ProximalGradient
from kernlab.training.events import Checkpoint
from kernlab.training.full_batch import FullBatchState
from kernlab.training.gradient import GradientState
from kernlab.training.state import TrainingState
from kernlab.typing import Float, Targets, Tensor

__all__ = ["Candidate", "Choice", "Selection", "has_validation", "select", "start", "validation_split"]

PATH_ROWS, PATH_ROWS_PER_FEATURE, PATH_MOST = 2000, 4, 8000  # that a path of ridge regressions is fitted to
ALIKE = 0.5  # standard errors by which the losses of two epochs must differ
BEHIND = 1.5  # times the loss of the learned map, at which the assigned one is given up
ENTROPY = 0x6B65707  # keeps the draw of the validation rows apart from the other draws of the seed


@dataclass(frozen=True)
class Choice:
    """The choice of the validation rows.

    Attributes:
        epoch: how long to train; 0: the map stays as the assigned method draws it, from all rows.
        of: epochs that were to be tried at most.
        stopped: epochs that were tried.
        rows: validation rows.
        loss: their loss at that epoch.
        penalty: ridge penalty of the heads, where it was chosen here.
        learned: the map is learned; False: the assigned map was better.
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


def validation_split(y: NDArray[Any], share: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the rows that train and of the validation rows, both ascending.

    Rows are sorted by class, or by the first target, and one is drawn from each run of neighbours, so that both parts
    have the classes, or the range of targets, of the whole.

    Args:
        y: class codes [n] or targets [n K] of the training part.
        share: share of the validation rows, 0 < share ≤ 0.5.
        seed: the run's.
    """
    random = np.random.default_rng((seed, ENTROPY))
    key = y if y.ndim == 1 else y[:, 0]
    order = np.lexsort((random.permutation(len(key)), key))
    groups = np.array_split(order, max(1, round(share * len(key))))
    validation = np.sort([group[random.integers(len(group))] for group in groups])
    return np.setdiff1d(np.arange(len(key)), validation), validation


def has_validation(method: MethodSpec) -> bool:
    """Whether a resolved method has validation rows."""
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
        choice: of the validation rows; None where the method has none or learns from full batches.
    """
    if isinstance(method.solver, ProximalGradient):
        drawn_from = None
        if choice and choice.learned:
            drawn_from = torch.from_numpy(_split(method, data, seed)[0])  # as it was where it was judged
        elif choice and not method.two_stage:
            method = _as_assigned(method)
        state: TrainingState = GradientState(
            method, data, seed, device, sample_weight,
            drawn_from=drawn_from, epochs=choice.epoch if choice else None, averaged=choice is not None,
        )  # fmt: skip
        # Features that no label has touched choose their penalty by leave-one-out, as those of an assigned map do.
        state.penalty = choice.penalty if choice and choice.epoch else None
        return state
    if not has_validation(method):
        return FullBatchState(method, data, seed, device, sample_weight)
    solver, penalty, rows = _select_full_batch(method, data, seed, device, sample_weight)
    state = FullBatchState(replace(method, solver=solver), data, seed, device, sample_weight)
    state.penalty, state.chosen_on = penalty, rows
    return state


def select(
    method: MethodSpec, data: Prepared, seed: int, device: torch.device, sample_weight: Tensor | None = None
) -> tuple[MethodSpec, Choice | None]:
    """The method as it was tried, and the choice of its validation rows; None without them or for full batches.

    It takes no more threads than the caller had.
    """
    if not (isinstance(method.solver, ProximalGradient) and has_validation(method)):
        return method, None
    threads = torch.get_num_threads()
    selection = Selection(method, data, seed, device, sample_weight)
    torch.set_num_threads(min(threads, torch.get_num_threads()))
    choice = selection.run()
    return selection.state.method, choice


def _split(method: MethodSpec, data: Prepared, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return validation_split(data.y_train, float(method.solver.options()["validation"]), seed)


class _Validation(NamedTuple):
    """Validation rows: inputs [v d], targets, and how often each row counts (None: once)."""

    X: Float[Tensor, "v d"]
    y: Targets
    weight: Tensor | None

    @classmethod
    def of(cls, state: TrainingState, data: Prepared, rows: NDArray[np.int64], weight: Tensor | None) -> _Validation:
        return cls(*state.tensors(data.X_train[rows], data.y_train[rows]), _of_rows(weight, rows))

    def mean(self, values: Tensor) -> float:
        weight = self.weight
        return float(values.mean() if weight is None else (values * weight).sum() / weight.sum())


def _of_rows(weight: Tensor | None, rows: NDArray[np.int64]) -> Tensor | None:
    return None if weight is None else weight[torch.from_numpy(rows).to(weight.device)]


def _part(data: Prepared, rows: NDArray[np.int64]) -> Prepared:
    """The same split with these training rows only; the scaling stays that of all of them."""
    return replace(data, train_rows=data.train_rows[rows], X_train=data.X_train[rows], y_train=data.y_train[rows])


class Candidate:
    """A training on the fit rows, judged on the validation rows after every epoch.

    Attributes:
        state: the training.
        best: the epoch of the lowest loss so far.
        kept: the last epoch whose loss is within half a standard error (of the paired difference) of the lowest: where
            the loss is flat, longer training is better more often than not. Of jointly learned weights only.
        errors: losses of the validation rows at the best epoch and before the first step, [2 v].
        lowest: the lowest loss up to each epoch.
        dropped: it was given up.
    """

    def __init__(self, state: GradientState, validation: _Validation) -> None:
        self.state, self._validation = state, validation
        self._waited, self._reference, self.dropped = 0, math.inf, False
        self.best: Choice | None = None
        self.kept: Choice | None = None
        self.errors = torch.zeros(2, len(validation.X), dtype=torch.float64)
        self.lowest: list[float] = []

    @property
    def epoch(self) -> int:
        return self.state.step // self.state.per_epoch

    @property
    def done(self) -> bool:
        """Every epoch was tried, nothing was gained for a while, or it was given up."""
        return self.dropped or self.state.done or self._waited >= int(self.state.solver.n_iter_no_change)

    def advance(self) -> dict[str, float]:
        """One epoch, judged; the first time the start is judged, too."""
        if not self.lowest:
            self.judge()
        for _ in range(self.state.per_epoch):
            self.state.advance()
        return self.judge()

    @torch.no_grad()
    def judge(self) -> dict[str, float]:
        """Judge the present epoch: ``validation_metric`` and ``validation_loss``."""
        state, validation, penalty = self.state, self._validation, None
        if state.method.two_stage:
            fixed = [p for head in state.method.heads if isinstance(p := head.options().get("ridge"), float)]
            F, errors, penalty = _judge_features(state, validation, fixed[:1])
        else:
            objective = state.method.objective
            assert isinstance(objective, Loss)
            F = outputs(state.method, state.parameters, validation.X)
            errors = torch.func.vmap(lambda f, y: objective.value(f[None], y[None]))(F, validation.y)
        errors = wide(errors).cpu()
        loss = validation.mean(errors)
        if not math.isfinite(loss):
            raise state.diverged(loss)
        if not self.epoch:
            self.errors[1] = errors
        # Before the first step the weights of a joint head are zero: that is no model.
        if (state.method.two_stage or self.epoch) and (self.best is None or loss < self.best.loss):
            self.best = self.kept = Choice(
                self.epoch, int(state.solver.epochs), self.epoch, len(validation.X), loss, penalty
            )
            self.errors[0], state.penalty = errors, penalty
        elif self.best and not state.method.two_stage:
            more = errors - self.errors[0]
            if validation.mean(more) <= ALIKE * _standard_error(more):
                self.kept = replace(self.best, epoch=self.epoch, loss=loss)
        self.lowest.append(min([loss, *self.lowest[-1:]]))
        if loss < self._reference - state.solver.tolerance * abs(self._reference) or math.isinf(self._reference):
            self._reference, self._waited = loss, 0
        elif self.epoch:
            self._waited += 1
        return {"validation_metric": state.score(F, validation.y), "validation_loss": loss}

    @property
    def gained(self) -> bool:
        """Whether the learned map of a two-stage method is better than the assigned one by over a standard error.

        The best of hundreds of epochs, each with the best of many penalties, is judged too well.
        """
        gain = self.errors[1] - self.errors[0]
        return self._validation.mean(gain) > _standard_error(gain)

    @property
    def assigned_loss(self) -> float:
        """The loss before the first step."""
        return self._validation.mean(self.errors[1])

    def drop_if_behind(self, other: Candidate) -> None:
        """Give up where a quarter of the epochs left the loss far above what the other had by then."""
        reached = other.lowest[min(self.epoch, len(other.lowest) - 1)]
        self.dropped |= 4 * self.epoch >= int(self.state.solver.epochs) and self.lowest[-1] > BEHIND * reached

    def checkpoint(self) -> Checkpoint:
        """The state's, with the judgement of the epochs so far."""
        inner = self.state.checkpoint()
        own = {
            "best": self.best and self.best.to_dict(),
            "kept": self.kept and self.kept.to_dict(),
            "reference": self._reference if math.isfinite(self._reference) else None,
            "waited": self._waited,
            "dropped": self.dropped,
            "lowest": list(self.lowest),
        }
        arrays = {**inner.arrays, "judged/errors": self.errors.numpy().copy()}
        return replace(inner, arrays=arrays, state={**inner.state, "trial": own})

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint."""
        self.state.restore(checkpoint)
        own: Mapping[str, Any] = checkpoint.state["trial"]
        self.best, self.kept = (Choice(**own[name]) if own[name] else None for name in ("best", "kept"))
        self.state.penalty = self.best.penalty if self.best else None
        self._reference = math.inf if own["reference"] is None else float(own["reference"])
        self.errors = torch.from_numpy(np.array(checkpoint.arrays["judged/errors"]))
        self._waited, self.dropped, self.lowest = int(own["waited"]), bool(own["dropped"]), list(own["lowest"])

    def to(self, device: torch.device) -> None:
        """Judge on this device from now on."""
        X, y, weight = self._validation
        self._validation = _Validation(X.to(device), y.to(device), weight)


class Selection:
    """Chooses how long a method learns from mini-batches, and whether its map is learned at all.

    Beside a jointly learned map the assigned map is trained on the same rows; beside the map of a two-stage method
    stands the map as it was drawn. The lowest validation loss decides, see :attr:`Candidate.gained`.

    Args:
        method: resolved, and :func:`has_validation`.
        data, seed, device, sample_weight: as for :func:`start`.

    Attributes:
        learned: the method itself.
        assigned: the method with the assigned map; None where that needs no training of its own.
    """

    def __init__(
        self,
        method: MethodSpec,
        data: Prepared,
        seed: int,
        device: torch.device,
        sample_weight: Tensor | None = None,
    ) -> None:
        fit, rows = _split(method, data, seed)
        part, weight = _part(data, fit), _of_rows(sample_weight, fit)
        self._rows = len(data.X_train)

        def candidate(method: MethodSpec) -> Candidate:
            state = GradientState(method, part, seed, device, weight, averaged=True)
            return Candidate(state, _Validation.of(state, data, rows, sample_weight))

        self.learned = candidate(method)
        self.assigned = candidate(_as_assigned(method)) if method.learned and not method.two_stage else None

    @property
    def candidates(self) -> list[Candidate]:
        return [candidate for candidate in (self.learned, self.assigned) if candidate]

    @property
    def state(self) -> GradientState:
        """The training of the method itself."""
        return self.learned.state

    @property
    def done(self) -> bool:
        """Whether nothing is left to try."""
        return all(candidate.done for candidate in self.candidates)

    @property
    def most_steps(self) -> int:
        """Steps of the whole run at most: all epochs, the return to the start, and all epochs on all rows."""
        return self.state.total + 1 + int(self.state.solver.epochs) * (self._rows // self.state.m)

    @property
    def epoch(self) -> int:
        """Epochs of the longer candidate."""
        return max(candidate.epoch for candidate in self.candidates)

    def advance_assigned(self) -> dict[str, float]:
        """One epoch of the assigned map: ``assigned_validation_metric`` and ``…_loss``; empty where it is done."""
        candidate = self.assigned
        if candidate is None or candidate.done:
            return {}
        found = candidate.advance()
        candidate.drop_if_behind(self.learned)
        return {f"assigned_{name}": value for name, value in found.items()}

    def run(self) -> Choice:
        """Try everything."""
        while not self.done:
            if not self.learned.done:
                self.learned.advance()
            self.advance_assigned()
        return self.choice

    @property
    def choice(self) -> Choice:
        """The best so far."""
        found, best, other = self.learned.kept, self.learned.best, self.assigned
        assert found, "nothing was judged yet"
        assert best, "nothing was judged yet"
        found = replace(found, stopped=self.epoch)
        if other:
            if not other.dropped and other.best and other.kept and other.best.loss <= best.loss:
                return replace(other.kept, stopped=self.epoch, learned=False)
        elif self.state.method.two_stage and not self.learned.gained:
            return replace(found, epoch=0, loss=self.learned.assigned_loss, penalty=None, learned=False)
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
        """Go on from a checkpoint."""
        self.learned.restore(checkpoint)
        if self.assigned:
            own = {k.removeprefix("assigned/"): v for k, v in checkpoint.arrays.items() if k.startswith("assigned/")}
            self.assigned.restore(Checkpoint(checkpoint.step, own, checkpoint.state["assigned"]))


def _as_assigned(method: MethodSpec) -> MethodSpec:
    """The method with its map as it was drawn: only the weights are learned."""
    kept: dict[str, Regularizer] = {}
    for penalty in filter(None, (each.assigned for each in method.regularizers)):
        other = kept.get(penalty.name)
        kept[penalty.name] = penalty.replace(weight=penalty.weight + (other.weight if other else 0.0))
    return replace(method, learned=False, regularizers=tuple(kept.values()))


def _standard_error(values: Tensor) -> float:
    return float(values.std()) / math.sqrt(len(values))


def _judge_features(
    state: TrainingState, validation: _Validation, penalties: Sequence[float] = ()
) -> tuple[Tensor, Tensor, float]:
    """Outputs and squared errors on the validation rows, and the penalty, of the best ridge regression on the fit rows.

    Args:
        penalties: to choose from; none: those of the path.
    """
    feature_map, params = state.method.feature_map, state.parameters
    assert isinstance(feature_map, FeatureMap)

    def blocks(X: Tensor) -> Iterator[Tensor]:
        return feature_blocks(feature_map, params, X)

    # A penalty against sums hardly depends on how many rows these are over.
    columns = feature_map.columns(params)
    rows = PATH_ROWS if columns > PATH_MOST else min(PATH_MOST, max(PATH_ROWS, PATH_ROWS_PER_FEATURE * columns))
    Y, target = (real_targets(y, state.K, state.X.dtype) for y in (state.y[:rows], validation.y))
    weight = None if state.weight is None else state.weight[:rows]
    path = RidgePath(lambda: blocks(state.X[:rows]), Y, sample_weight=weight)
    Phi = torch.cat(list(blocks(validation.X)))
    best: tuple[Tensor, Tensor, float] | None = None
    for penalty in penalties or path.penalties:
        found = path.fit(penalty)
        F = Phi @ found.weight + found.bias
        errors = wide(F - target).square().sum(1)
        if best is None or validation.mean(errors) <= validation.mean(best[1]):
            best = F, errors, penalty
    assert best
    return best


def _select_full_batch(
    method: MethodSpec, data: Prepared, seed: int, device: torch.device, sample_weight: Tensor | None
) -> tuple[FullBatchSolver, float | None, int]:
    """The solver and the head's penalty that the validation rows prefer, and how many rows these are."""
    assert isinstance(method.solver, FullBatchSolver)
    fit, rows = _split(method, data, seed)
    state = FullBatchState(method, _part(data, fit), seed, device, _of_rows(sample_weight, fit))
    validation = _Validation.of(state, data, rows, sample_weight)
    target = real_targets(validation.y, state.K, validation.X.dtype)
    best: tuple[float, FullBatchSolver, float | None] | None = None
    penalty: float | None = None
    worse = 0
    for solver in method.solver.candidates(state.problem):
        state = state.with_solver(solver)
        while not state.done:
            state.advance()
        if method.two_stage:
            _, errors, penalty = _judge_features(state, validation)
        else:
            errors = (outputs(method, state.params, validation.X) - target).square().sum(1)
        error = validation.mean(errors)
        if best is None or error < best[0]:
            best, worse = (error, solver, penalty), 0
        else:
            worse += 1
        if worse == 2:  # the path goes on to ever smaller penalties, which take ever longer
            break
    assert best
    return best[1], best[2], len(rows)
