"""What predicts: from columns of a representation to outputs.

    params = head.fit(task)                   {"weight": [D K], "bias": [K]} or {"support": …, "dual": …}
    F = head.scores(params, Phi)              outputs [n K]: class scores, or targets

A head is fitted once the representation is known. The head named "joint" is the exception: its weights
are learned by the solver together with the map.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from kernlab.errors import DataError
from kernlab.feature_maps.base import FeatureMap, Representation
from kernlab.linalg import real_targets
from kernlab.options import Component
from kernlab.registry import Registry
from kernlab.typing import Float, Params, Targets, Task, Tensor

__all__ = ["HEADS", "Fitting", "Head", "feature_blocks"]

BLOCK = 1_000_000  # numbers in a block of features: 4 MB
MATRIX = 2**31  # numbers of the largest feature matrix that is formed at once: 8 GB


def feature_blocks(
    representation: Representation, params: Params, X: Float[Tensor, "n d"]
) -> Iterator[Float[Tensor, "b D"]]:
    """Columns for X in blocks of rows, each of about 4 MB, so that n × D never has to fit in memory."""
    rows = max(1, BLOCK // representation.columns(params))
    for start in range(0, len(X), rows):
        yield representation.apply(params, X[start : start + rows])


@dataclass(frozen=True, eq=False)
class Fitting:
    """What a head is fitted to.

    Attributes:
        representation: resolved feature map or exact kernel.
        params: its parameters, learned or assigned.
        X: scaled training inputs, [n d].
        y: class codes [n] or standardised targets [n K].
        K: outputs.
        task: "classification" or "regression".
        seed: for solvers that draw.
        weight: how often each sample counts, [n]; None: once.
    """

    representation: Representation
    params: Params
    X: Tensor
    y: Targets
    K: int
    task: Task
    seed: int = 0
    weight: Tensor | None = None

    @property
    def Y(self) -> Float[Tensor, "n K"]:
        """Real targets: one-hot for classes."""
        return real_targets(self.y, self.K, self.X.dtype)

    def blocks(self) -> Iterator[Float[Tensor, "b D"]]:
        """Φ in blocks of rows."""
        return feature_blocks(self.representation, self.params, self.X)

    def matrix(self) -> Float[Tensor, "n D"]:
        """Φ as one matrix.

        Raises:
            DataError: it would take more than 8 GB.
        """
        assert isinstance(self.representation, FeatureMap)
        D = self.representation.columns(self.params)
        if len(self.X) * D > MATRIX:
            raise DataError(
                "the feature matrix of this head must fit into memory",
                f"{len(self.X)} rows of {D} features",
                "take fewer features, or head=ridge, which needs no such matrix",
            )
        Phi, start = self.X.new_empty(len(self.X), D), 0
        for block in self.blocks():
            Phi[start : start + len(block)] = block
            start += len(block)
        return Phi


class Head(Component):
    """Base of heads.

    Class attributes:
        tasks: what it can be used for.
        takes: "features" of a feature map, an exact "kernel", or weights that the "solver" learned.
        bound: which bound is shown for it (a name in BOUNDS), empty: none.
        loss: the loss its class scores are judged by (a name in OBJECTIVES); targets by the squared one.
        multi_output: whether regression with several targets is possible.
        weighted: whether samples can be weighted.
        quick: fitting takes n·D² multiplications and little more, so that all rows are taken while a map is learned.
    """

    tasks: ClassVar[tuple[Task, ...]]
    takes: ClassVar[Literal["features", "kernel", "solver"]] = "features"
    bound: ClassVar[str] = ""
    loss: ClassVar[str] = "squared"
    multi_output: ClassVar[bool] = True
    weighted: ClassVar[bool] = True
    quick: ClassVar[bool] = False

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """The head's parameters, by name.

        Raises:
            DataError: the data do not allow it (one class, singular systems past repair, size).
        """
        raise NotImplementedError

    def scores(self, params: Params, Phi: Float[Tensor, "n D"]) -> Float[Tensor, "n K"]:
        """Outputs for the representation's columns."""
        raise NotImplementedError


HEADS: Registry[type[Head]] = Registry("head")
