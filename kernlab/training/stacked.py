"""Replicates of one shape learned side by side: one computation over parameters stacked along a first axis [R …].

    θ ∈ R^{R × …},  X ∈ R^{R × m × d}        gradients by vmap of the pure function that one replicate uses
    optimizer and proximal maps              over the stack, with a learning rate and λ for each replicate

Each replicate keeps a training of its own, whose parameters are views into the stack, so that it can be measured and
handed over like any other. Mini-batches are the same function of (seed, epoch). Who has finished leaves the stack.
On CUDA the gradient step is recorded once as a graph and replayed: its kernels are too small to be launched one by
one. Eigenvalues need a look at the host and stay outside.

Source: ASKL eq. 7–9 for one replicate.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, TypeAlias

import torch
from torch.func import vmap

from kernlab.data import Prepared
from kernlab.feature_maps import FeatureMap
from kernlab.methods import MethodSpec
from kernlab.objectives import Loss
from kernlab.regularizers import Regularizer
from kernlab.solvers import ProximalGradient
from kernlab.solvers.proximal_gradient import adam, risk_gradients
from kernlab.training.gradient import GATHERED, GATHERED_NUMBERS, GradientState, row_order
from kernlab.training.selection import Choice, Selection, start
from kernlab.typing import Float, Params, Tensor

__all__ = ["Stack", "beginning", "choosing", "shape_of", "stackable"]

WARM_UP = 3  # steps before a graph is recorded: libraries set themselves up in the first ones

#: (parameter, gradient, what the optimizer holds of it, learning rates [R], steps so far, options) changes the first
Move: TypeAlias = Callable[[Tensor, Tensor, Sequence[Tensor], Tensor, Tensor, Mapping[str, Any]], None]


def stackable(method: MethodSpec) -> bool:
    """Whether its trainings can be stacked: by the map, where it is learned from mini-batches by a loss."""
    by_loss = isinstance(method.solver, ProximalGradient) and isinstance(method.objective, Loss | None)
    return by_loss and method.feature_map.stackable


def shape_of(method: MethodSpec, data: Prepared) -> Hashable:
    """What resolved methods must have in common to be stacked; None if this one cannot be.

    Seeds, rows, learning rates, epochs, schedules, the weights of penalties and scales of frequencies may differ.
    """
    if not stackable(method):
        return None
    solver, feature_map = method.solver, method.feature_map
    assert isinstance(solver, ProximalGradient)
    return (
        feature_map.replace(**dict.fromkeys(feature_map.scales, 1.0)),
        method.learned,
        method.objective,
        tuple(type(r) for r in method.regularizers),
        (solver.optimizer, solver.momentum, solver.batch_size, bool(solver.validation)),
        (data.X_train.shape[1], data.dataset.n_outputs, str(data.X_train.dtype)),
    )


def beginning(method: MethodSpec, data: Prepared, seed: int, choice: Choice | None = None) -> GradientState:
    """The training of a resolved method on all rows before its first step, on the CPU and without a step of its own."""
    with _plainly(method) as plain:
        state = start(plain, data, seed, torch.device("cpu"), choice=choice)
    assert isinstance(state, GradientState)
    state.method = method
    return state


def choosing(method: MethodSpec, data: Prepared, seed: int) -> Selection:
    """The choice of how long a resolved method trains, before its first step, in the same way."""
    with _plainly(method) as plain:
        selection = Selection(plain, data, seed, torch.device("cpu"))
    selection.state.method = replace(method, objective=selection.state.method.objective)
    return selection


@contextmanager
def _plainly(method: MethodSpec) -> Iterator[MethodSpec]:
    """The method with no step compiled; the number of threads stays."""
    assert isinstance(method.solver, ProximalGradient)
    threads = torch.get_num_threads()
    try:
        yield replace(method, solver=method.solver.replace(compile="off"))
    finally:
        torch.set_num_threads(threads)


class Stack:
    """Trainings of one shape, all at the same step.

    Args:
        states: from :func:`beginning`; their parameters become views into the stack.
        device: where the stack lives.
        graphs: record the gradient step as a graph (CUDA only).

    Attributes:
        states: those that are still learning.
        step: steps done.
    """

    def __init__(self, states: Sequence[GradientState], device: torch.device, graphs: bool = True) -> None:
        self.states, self.device, self.step = list(states), device, 0
        self._graphs = graphs and device.type == "cuda"
        first = self.states[0]
        (self._options,) = first.optimizer.param_groups
        self._move, held = MOVES[first.solver.optimizer]
        self._free, self.m = first.free, first.m
        self._share()
        self._params = {name: _stack([s.params[name] for s in self.states]).to(device) for name in first.params}
        self._held = {name: [torch.zeros_like(self._params[name]) for _ in range(held)] for name in self._free}
        averages = first.average
        self._average = {name: _stack([s.average[name] for s in self.states]).to(device) for name in averages}
        self._moves = torch.zeros((), dtype=torch.float64, device=device)
        self._build()

    @staticmethod
    def bytes_each(state: GradientState) -> int:
        """Memory that one replicate takes in a stack, about and rather too much."""
        numbers = sum(value.numel() for value in state.params.values())
        assert isinstance(state.method.feature_map, FeatureMap)
        activations = state.m * (6 * state.method.feature_map.cosines + 6 * state.params["weight"].shape[0])
        gathered = 2 * min(GATHERED * state.m * state.X.shape[1], GATHERED_NUMBERS)
        return state.X.element_size() * (10 * numbers + 2 * activations + gathered + 2 * state.X.numel())

    def advance(self, steps: int) -> None:
        """As many steps of everyone."""
        with torch.no_grad(), torch.cuda.device(self.device) if self.device.type == "cuda" else nullcontext():
            for _ in range(steps):
                place = self.step - self._since
                if not 0 <= place < len(self._rates):
                    self._gather()
                    place = 0
                for static, gathered in ((self._X, self._Xs), (self._y, self._ys), (self._rate, self._rates)):
                    static.copy_(gathered[place])
                self._gradient_step()
                self._proximal_step()
                self.step += 1
                self._take_into_average()
        for state in self.states:
            state.step = self.step
        self._plateaus()

    def sound(self) -> list[bool]:
        """For each, whether all its numbers are finite."""
        finite = self._losses.isfinite()
        for value in self._params.values():
            finite &= value.flatten(1).isfinite().all(1)
        found: list[bool] = finite.tolist()
        return found

    def keep(self, places: Sequence[int]) -> None:
        """Go on with these only; the others keep their parameters as they are."""
        chosen = torch.tensor(places, dtype=torch.int64, device=self.device)
        self.states = [self.states[place] for place in places]
        if not self.states:
            return
        self._params = {name: _take(value, chosen) for name, value in self._params.items()}
        self._held = {name: [_take(value, chosen) for value in held] for name, held in self._held.items()}
        self._average = {name: _take(value, chosen) for name, value in self._average.items()}
        losses = self._losses[chosen]
        self._build()
        self._losses.copy_(losses)

    # -- what changes with the members ------------------------------------------------------------------------

    def _build(self) -> None:
        """Views, static inputs and functions for the present members."""
        R, first = len(self.states), self.states[0]
        for place, state in enumerate(self.states):
            state.params = {name: value[place] for name, value in self._params.items()}
            state.average = {name: value[place] for name, value in self._average.items()}
        self._X = first.X.new_zeros(R, self.m, first.X.shape[1])
        self._y = first.y.new_zeros(R, self.m, *first.y.shape[1:])
        self._rate, self._losses = (torch.zeros(R, dtype=torch.float64, device=self.device) for _ in range(2))
        self._since, self._rates = 0, self._rate[:0]
        self._weights: dict[str, Tensor] = {}
        self._penalties: list[Regularizer] = []
        for kinds in zip(*(state.method.regularizers for state in self.states), strict=True):
            weights = [r.weight for r in kinds]
            if any(weights):
                self._penalties.append(kinds[0].replace(weight=1.0))
                self._weights[kinds[0].name] = torch.tensor(weights, dtype=first.X.dtype, device=self.device)
        self._gradients = self._stacked_gradients(first)
        proximal = [r for r in self._penalties if r.acts == "proximal step"]
        self._proximal = [(vmap(r.prox), self._weights[r.name]) for r in proximal]
        self._graph: torch.cuda.CUDAGraph | None = None

    def _stacked_gradients(self, first: GradientState) -> Callable[..., tuple[Tensor, dict[str, Tensor]]]:
        feature_map, objective, penalties = first.method.feature_map, first.method.objective, self._penalties
        learned = first.method.learned
        assert isinstance(feature_map, FeatureMap)
        assert isinstance(objective, Loss)

        def gradients(params: Any, weights: Any, X: Tensor, y: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
            own = [_Weighed(r, weights[r.name]) for r in penalties]
            value, _, gradient = risk_gradients(feature_map, learned, objective, own)(params, X, y)
            return value, gradient

        return vmap(gradients)

    def _share(self) -> None:
        """Rows that several replicates learn from are on the device once."""
        there: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}
        for state in self.states:
            own = id(state.data.X_train), id(state.data.y_train)
            if own not in there:
                there[own] = state.X.to(self.device), state.y.to(self.device)
            state.device, (state.X, state.y) = self.device, there[own]

    # -- one step ---------------------------------------------------------------------------------------------

    def _gather(self) -> None:
        """Rows and learning rates of the coming steps."""
        numbers = len(self.states) * self.m * self.states[0].X.shape[1]
        steps = max(1, min(GATHERED, 4 * GATHERED_NUMBERS // numbers))
        rows = [_rows(state, self.step, steps).to(self.device) for state in self.states]
        X, y = (
            torch.stack([getattr(state, part)[own] for state, own in zip(self.states, rows, strict=True)], 1)
            for part in ("X", "y")
        )  # [steps·m R …]
        self._Xs, self._ys = (v.view(steps, self.m, *v.shape[1:]).transpose(1, 2) for v in (X, y))
        rates = [[state.rate_at(self.step + i) for state in self.states] for i in range(steps)]
        self._rates = torch.tensor(rates, dtype=torch.float64).to(self.device)
        self._since = self.step

    def _gradient_step(self) -> None:
        if not self._graphs:
            self._update()
            return
        if self._graph is None:
            self._graph = self._recorded()
        self._graph.replay()

    def _update(self) -> None:
        """Gradients and what the optimizer makes of them: kernels only, no look at the host."""
        value, gradient = self._gradients(self._params, self._weights, self._X, self._y)
        self._losses += value
        self._moves += 1
        for name in self._free:
            held = self._held[name]
            self._move(self._params[name], gradient[name], held, self._rate, self._moves, self._options)

    def _take_into_average(self) -> None:
        shares = [state.share_of_average(self.step) for state in self.states]
        if any(shares):
            weights = torch.tensor(shares, dtype=torch.float64, device=self.device)
            for name, mean in self._average.items():
                mean.lerp_(self._params[name], _lengths(weights, mean))

    def _proximal_step(self) -> None:
        W = self._params["weight"]
        for prox, weights in self._proximal:
            # One replicate that is not finite would make the factorisation of all fail.
            sound = W.isfinite().flatten(1).all(1).view(-1, 1, 1)
            W.copy_(torch.where(sound, prox(torch.where(sound, W, 0.0), self._rate * weights), W))

    def _recorded(self) -> torch.cuda.CUDAGraph:
        """The gradient step as a graph; recording it changes no number."""
        held = [value for several in self._held.values() for value in several]
        written = [self._losses, self._moves, *self._params.values(), *held]
        before = [value.clone() for value in written]
        present = torch.cuda.current_stream()
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(present)
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                self._update()
        present.wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._update()
        for value, old in zip(written, before, strict=True):
            value.copy_(old)
        return graph

    def _plateaus(self) -> None:
        """Learning rates that fall where an epoch brought no gain."""
        ends = [
            place for place, state in enumerate(self.states)
            if state.solver.schedule == "plateau" and self.step % state.per_epoch == 0
        ]  # fmt: skip
        if not ends:
            return
        losses = self._losses.tolist()
        for place in ends:
            state, limits = self.states[place], self.states[place].solver
            mean = losses[place] / state.per_epoch
            fell = state.plateau.falls
            state.plateau = state.plateau.after(mean, patience=limits.patience, tolerance=limits.tolerance)
            if state.plateau.falls != fell:
                self._rates = self._rates[:0]  # those gathered ahead are no longer true
        self._losses[torch.tensor(ends, device=self.device)] = 0.0


class _Weighed(Regularizer):
    """A penalty whose λ is a tensor, one number for each replicate."""

    def __init__(self, unit: Regularizer, weight: Tensor) -> None:
        for name, value in (("acts", unit.acts), ("name", unit.name), ("_unit", unit), ("_weight", weight)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "weight", 1.0)

    def value_at(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"], theta: Params) -> Float[Tensor, ""]:
        return self._unit.value_at(W, Phi, theta)

    def weight_gradient(self, W: Float[Tensor, "D K"]) -> Float[Tensor, "D K"]:
        return self._unit.weight_gradient(W) * self._weight

    def feature_gradient(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, "m D"]:
        return self._unit.feature_gradient(Phi) * self._weight

    def map_gradient(self, theta: Params) -> dict[str, Tensor]:
        return {name: slope * self._weight for name, slope in self._unit.map_gradient(theta).items()}

    _unit: Regularizer
    _weight: Tensor


def _rows(state: GradientState, step: int, steps: int) -> Tensor:
    """Training rows of the coming mini-batches, one after the other."""
    m, found = state.m, []
    while steps:
        epoch, place = divmod(step, state.per_epoch)
        count = min(steps, state.per_epoch - place)
        found.append(row_order(state.seed, epoch, state.n)[place * m : (place + count) * m])
        step, steps = step + count, steps - count
    return torch.cat(found)


def _stack(values: Sequence[Tensor]) -> Tensor:
    """Side by side, each laid out as it was: W column by column."""
    first = values[0]
    if first.ndim == 2 and not first.is_contiguous():
        return torch.stack([value.mT for value in values]).mT
    return torch.stack(list(values))


def _take(value: Tensor, chosen: Tensor) -> Tensor:
    if value.ndim == 3 and not value.is_contiguous():
        return value.mT.index_select(0, chosen).mT
    return value.index_select(0, chosen)


def _lengths(rate: Tensor, like: Tensor) -> Tensor:
    """One step length a replicate, in the parameter's type and number of axes."""
    return rate.to(like.dtype).view(-1, *[1] * (like.ndim - 1))


def _adam(p: Tensor, g: Tensor, held: Sequence[Tensor], rate: Tensor, t: Tensor, options: Mapping[str, Any]) -> None:
    p.sub_(adam(g, held, rate.view(-1, *[1] * (p.ndim - 1)), t, options))


def _sgd(p: Tensor, g: Tensor, held: Sequence[Tensor], rate: Tensor, t: Tensor, options: Mapping[str, Any]) -> None:
    """Momentum that starts at rest."""
    (speed,) = held
    p.sub_(speed.mul_(options["momentum"]).add_(g) * _lengths(rate, p))


def _adadelta(
    p: Tensor, g: Tensor, held: Sequence[Tensor], rate: Tensor, t: Tensor, options: Mapping[str, Any]
) -> None:
    """Zeiler 2012, Algorithm 1."""
    (square, moved), rho, eps = held, options["rho"], options["eps"]
    square.mul_(rho).addcmul_(g, g, value=1 - rho)
    delta = (moved + eps).sqrt_().div_((square + eps).sqrt_()).mul_(g)
    moved.mul_(rho).addcmul_(delta, delta, value=1 - rho)
    p.sub_(delta * _lengths(rate, p))


#: How each optimizer moves a parameter, and how many tensors like it it holds.
MOVES: dict[str, tuple[Move, int]] = {"adam": (_adam, 2), "sgd": (_sgd, 1), "adadelta": (_adadelta, 2)}
