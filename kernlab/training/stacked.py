"""Replicates of one shape as one computation, over parameters stacked along a first axis [R …].

    θ ∈ R^{R × …},  X ∈ R^{R × m × d}        gradients by vmap of the pure function that one replicate uses
    optimizer and proximal maps              over the stack, with a learning rate and λ for each replicate

Each replicate has a training of its own, whose parameters are views into the stack, so that it can be measured and
saved like any other. Mini-batches are the same function of (seed, epoch). A finished replicate leaves the stack. On
CUDA the gradient step is recorded once as a graph and replayed: its kernels are too small to be launched one by one.
Eigenvalues synchronise with the host and stay outside the graph.

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
from kernlab.regularizers import Regularizer, Weighed
from kernlab.solvers import ProximalGradient
from kernlab.solvers.proximal_gradient import adam, risk_gradients
from kernlab.training.gradient import GATHERED, GATHERED_NUMBERS, GradientState
from kernlab.training.selection import Choice, Selection, start
from kernlab.typing import Tensor

__all__ = ["Stack", "initial_selection", "initial_state", "shape_of", "stackable"]

WARM_UP = 3  # steps before a graph is recorded: libraries set themselves up in the first ones

#: (parameter, gradient, the optimizer's moments of it, learning rates [R], steps so far, options) changes the first
Update: TypeAlias = Callable[[Tensor, Tensor, Sequence[Tensor], Tensor, Tensor, Mapping[str, Any]], None]


def stackable(method: MethodSpec) -> bool:
    """Whether its trainings can be stacked: if the map can be, and a loss is learned from mini-batches."""
    by_loss = isinstance(method.solver, ProximalGradient) and isinstance(method.objective, Loss | None)
    return by_loss and method.feature_map.stackable


def shape_of(method: MethodSpec, data: Prepared) -> Hashable:
    """The common properties of resolved methods that can be stacked together; None if this one cannot be.

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


def initial_state(method: MethodSpec, data: Prepared, seed: int, choice: Choice | None = None) -> GradientState:
    """The training of a resolved method on all rows before its first step, on the CPU and without a compiled step."""
    with _not_compiled(method) as plain:
        state = start(plain, data, seed, torch.device("cpu"), choice=choice)
    assert isinstance(state, GradientState)
    state.method = method
    return state


def initial_selection(method: MethodSpec, data: Prepared, seed: int) -> Selection:
    """The selection of a resolved method before its first step, in the same way."""
    with _not_compiled(method) as plain:
        selection = Selection(plain, data, seed, torch.device("cpu"))
    selection.state.method = replace(method, objective=selection.state.method.objective)
    return selection


@contextmanager
def _not_compiled(method: MethodSpec) -> Iterator[MethodSpec]:
    """The method without a compiled step; the number of threads is restored."""
    assert isinstance(method.solver, ProximalGradient)
    threads = torch.get_num_threads()
    try:
        yield replace(method, solver=method.solver.replace(compile="off"))
    finally:
        torch.set_num_threads(threads)


class Stack:
    """Trainings of one shape, all at the same step.

    Args:
        states: from :func:`initial_state`; their parameters become views into the stack.
        device: where the stack lives.
        graphs: record the gradient step as a graph (CUDA only).

    Attributes:
        states: the members that are still learning.
        step: steps done.
    """

    def __init__(self, states: Sequence[GradientState], device: torch.device, graphs: bool = True) -> None:
        self.states, self.device, self.step = list(states), device, 0
        self._graphs = graphs and device.type == "cuda"
        first = self.states[0]
        (self._options,) = first.optimizer.param_groups
        self._optimize, moments = UPDATES[first.solver.optimizer]
        self._free, self.m = first.free, first.m
        self._share_rows()
        self._params = {name: _stack([s.params[name] for s in self.states]).to(device) for name in first.params}
        self._moments = {name: [torch.zeros_like(self._params[name]) for _ in range(moments)] for name in self._free}
        self._average = {name: _stack([s.average[name] for s in self.states]).to(device) for name in first.average}
        self._updates = torch.zeros((), dtype=torch.float64, device=device)
        self._build()

    @staticmethod
    def bytes_each(state: GradientState) -> int:
        """An upper estimate of the memory of one replicate in a stack."""
        numbers = sum(value.numel() for value in state.params.values())
        assert isinstance(state.method.feature_map, FeatureMap)
        activations = state.m * (6 * state.method.feature_map.cosines + 6 * state.params["weight"].shape[0])
        gathered = 2 * min(GATHERED * state.m * state.X.shape[1], GATHERED_NUMBERS)
        return state.X.element_size() * (10 * numbers + 2 * activations + gathered + 2 * state.X.numel())

    def advance(self, steps: int) -> None:
        """This many steps of every member."""
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

    def finite(self) -> list[bool]:
        """For each member, whether all its numbers are finite."""
        finite = self._losses.isfinite()
        for value in self._params.values():
            finite &= value.flatten(1).isfinite().all(1)
        found: list[bool] = finite.tolist()
        return found

    def keep(self, places: Sequence[int]) -> None:
        """Go on with these members only; the others keep their present parameters."""
        chosen = torch.tensor(places, dtype=torch.int64, device=self.device)
        self.states = [self.states[place] for place in places]
        if not self.states:
            return
        self._params = {name: _take(value, chosen) for name, value in self._params.items()}
        self._moments = {name: [_take(value, chosen) for value in each] for name, each in self._moments.items()}
        self._average = {name: _take(value, chosen) for name, value in self._average.items()}
        losses = self._losses[chosen]
        self._build()
        self._losses.copy_(losses)

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
            own = [Weighed(r, weights[r.name]) for r in penalties]
            value, _, gradient = risk_gradients(feature_map, learned, objective, own)(params, X, y)
            return value, gradient

        return vmap(gradients)

    def _share_rows(self) -> None:
        """Put the rows of several members on the device once."""
        shared: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}
        for state in self.states:
            key = id(state.data.X_train), id(state.data.y_train)
            if key not in shared:
                shared[key] = state.X.to(self.device), state.y.to(self.device)
            state.device, (state.X, state.y) = self.device, shared[key]

    def _gather(self) -> None:
        """Rows and learning rates of the next steps."""
        numbers = len(self.states) * self.m * self.states[0].X.shape[1]
        steps = max(1, min(GATHERED, 4 * GATHERED_NUMBERS // numbers))
        rows = [state.next_rows(self.step, steps).to(self.device) for state in self.states]
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
        """Gradients and the optimizer's step, without synchronising with the host."""
        value, gradient = self._gradients(self._params, self._weights, self._X, self._y)
        self._losses += value
        self._updates += 1
        for name in self._free:
            moments = self._moments[name]
            self._optimize(self._params[name], gradient[name], moments, self._rate, self._updates, self._options)

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
            finite = W.isfinite().flatten(1).all(1).view(-1, 1, 1)
            W.copy_(torch.where(finite, prox(torch.where(finite, W, 0.0), self._rate * weights), W))

    def _recorded(self) -> torch.cuda.CUDAGraph:
        """The gradient step as a graph; recording it changes no number."""
        moments = [value for each in self._moments.values() for value in each]
        written = [self._losses, self._updates, *self._params.values(), *moments]
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
        """Lower the learning rates of members whose epoch brought no gain."""
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
                self._rates = self._rates[:0]  # those that were gathered no longer hold
        self._losses[torch.tensor(ends, device=self.device)] = 0.0


def _stack(values: Sequence[Tensor]) -> Tensor:
    """Stacked with the layout of the parts: W column by column."""
    first = values[0]
    if first.ndim == 2 and not first.is_contiguous():
        return torch.stack([value.mT for value in values]).mT
    return torch.stack(list(values))


def _take(value: Tensor, chosen: Tensor) -> Tensor:
    if value.ndim == 3 and not value.is_contiguous():
        return value.mT.index_select(0, chosen).mT
    return value.index_select(0, chosen)


def _lengths(rate: Tensor, like: Tensor) -> Tensor:
    """One step length per replicate, in the parameter's type and number of axes."""
    return rate.to(like.dtype).view(-1, *[1] * (like.ndim - 1))


def _adam(p: Tensor, g: Tensor, moments: Sequence[Tensor], rate: Tensor, t: Tensor, options: Mapping[str, Any]) -> None:
    p.sub_(adam(g, moments, rate.view(-1, *[1] * (p.ndim - 1)), t, options))


def _sgd(p: Tensor, g: Tensor, moments: Sequence[Tensor], rate: Tensor, t: Tensor, options: Mapping[str, Any]) -> None:
    """Heavy-ball momentum from zero velocity."""
    (velocity,) = moments
    p.sub_(velocity.mul_(options["momentum"]).add_(g) * _lengths(rate, p))


def _adadelta(
    p: Tensor, g: Tensor, moments: Sequence[Tensor], rate: Tensor, t: Tensor, options: Mapping[str, Any]
) -> None:
    """Zeiler 2012, Algorithm 1."""
    (square, steps), rho, eps = moments, options["rho"], options["eps"]
    square.mul_(rho).addcmul_(g, g, value=1 - rho)
    delta = (steps + eps).sqrt_().div_((square + eps).sqrt_()).mul_(g)
    steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
    p.sub_(delta * _lengths(rate, p))


#: How each optimizer changes a parameter, and the number of its moments (tensors like the parameter).
UPDATES: dict[str, tuple[Update, int]] = {"adam": (_adam, 2), "sgd": (_sgd, 1), "adadelta": (_adadelta, 2)}
