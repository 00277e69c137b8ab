"""The compiler of a training's step, which works in another process while the training takes eager steps.

Compiling keeps a core busy for 4 to 20 s. The other process compiles the same program for tensors of the same shapes,
and leaves the result in the compiler's cache on the disk, where the training finds it within a second.

    python -m kernlab.processes kernlab.training.compiling ORDER    compiles; ORDER is JSON
"""

from __future__ import annotations

import json
import subprocess
import sys
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from kernlab import processes
from kernlab.feature_maps import FeatureMap
from kernlab.methods import MethodSpec
from kernlab.objectives import Loss
from kernlab.regularizers import Weighed
from kernlab.solvers import ProximalGradient
from kernlab.solvers.proximal_gradient import Step, compiled_step, risk_gradients
from kernlab.typing import Params, Tensor

__all__ = ["Compiler"]

_compiled: set[str] = set()  # orders whose programs this process has used, so that they are in the cache


class Compiler:
    """Makes the compiled step of one training.

    Args:
        method: resolved, with a :class:`Loss` and Adam.
        params: the tensors of the training; ``free`` names those of the optimizer.
        X, y: the rows of one mini-batch.
        threads: of the training.

    Attributes:
        weights: λ of each penalty by name, which the compiled step reads; the program is the same for all values.
    """

    def __init__(
        self, method: MethodSpec, params: Params, free: Sequence[str], X: Tensor, y: Tensor, threads: int
    ) -> None:
        self.weights = {r.name: torch.tensor(r.weight) for r in method.regularizers if r.weight > 0}
        self._method = method = _of_unit_weights(method)
        layouts = {name: _layout(value) for name, value in {**params, "X": X, "y": y}.items()}
        self._free = list(free)
        order = {"method": method.to_dict(), "free": self._free, "layouts": layouts, "threads": threads}
        self._order = json.dumps(order)
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Let the other process begin, unless it has or the cache has the program already."""
        if self._process is None and self._order not in _compiled:
            self._process = processes.started(__name__, self._order, quiet=True)
            weakref.finalize(self, _end, self._process)

    @property
    def working(self) -> bool:
        """Whether the other process has not finished yet."""
        self.start()
        return self._process is not None and self._process.poll() is None

    def step(self, params: Params, optimizer: torch.optim.Adam, X: Tensor, y: Tensor) -> Step:
        """The compiled step; it waits for the other process.

        Raises:
            Exception: whatever the compiler raises; it has no common class of errors.
        """
        self.start()
        if self._process is not None:
            self._process.wait()
        found = _compiled_step(self._method, self.weights, params, self._free, optimizer, X, y)
        _compiled.add(self._order)
        return found


def _of_unit_weights(method: MethodSpec) -> MethodSpec:
    """The method with λ = 1 for each of its penalties."""
    return replace(method, regularizers=tuple(r.replace(weight=1.0) for r in method.regularizers if r.weight > 0))


def _compiled_step(
    method: MethodSpec,
    weights: Params,
    params: Params,
    free: Sequence[str],
    optimizer: torch.optim.Adam,
    X: Tensor,
    y: Tensor,
) -> Step:
    assert isinstance(method.feature_map, FeatureMap)
    assert isinstance(method.objective, Loss)
    penalties = [Weighed(r, weights[r.name]) for r in method.regularizers]
    gradients = risk_gradients(method.feature_map, method.learned, method.objective, penalties)
    return compiled_step(gradients, params, free, penalties, optimizer, X, y)


def _layout(value: Tensor) -> list[Any]:
    return [list(value.shape), list(value.stride()), str(value.dtype).removeprefix("torch.")]


def _like(layout: Sequence[Any]) -> Tensor:
    shape, stride, dtype = layout
    return torch.empty_strided(shape, stride, dtype=getattr(torch, dtype)).zero_()


def _end(process: subprocess.Popen[str]) -> None:
    """End a process that nobody waits for any more."""
    if process.poll() is None:
        process.kill()
        process.wait()


def _main(text: str) -> None:
    """Compile what an order says, on tensors of zeros."""
    order = json.loads(text)
    torch.set_num_threads(order["threads"])
    method = MethodSpec.from_dict(order["method"])
    tensors = {name: _like(layout) for name, layout in order["layouts"].items()}
    X, y = tensors.pop("X"), tensors.pop("y")
    assert isinstance(method.solver, ProximalGradient)
    optimizer = method.solver.make_optimizer([tensors[name] for name in order["free"]], 0.0)
    assert isinstance(optimizer, torch.optim.Adam)
    weights = {r.name: torch.ones(()) for r in method.regularizers}
    _compiled_step(method, weights, tensors, order["free"], optimizer, X, y)


if __name__ == "__main__":
    _main(sys.argv[1])
