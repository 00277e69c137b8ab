"""What predicts: from columns of a representation to outputs.

    params = head.fit(task)                   {"weight": [D K], "bias": [K]} or {"support": …, "dual": …}
    F = head.scores(params, Phi)              outputs [n K]: class scores, or targets

A head is fitted once the representation is known. The head named "joint" is the exception: its weights
are learned by the solver together with the map.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import torch

from kernlab.errors import DataError
from kernlab.feature_maps.base import FeatureMap, Representation
from kernlab.linalg import checked_weight, real_targets
from kernlab.options import Component, component
from kernlab.registry import Registry
from kernlab.typing import Float, Params, Targets, Task, Tensor

__all__ = ["HEADS", "Fitting", "Head", "Joint", "LinearHead", "all_classes", "feature_blocks"]

BLOCK = 1_000_000  # numbers in a block of features: 4 MB
NEVER = -1e6  # bias of a class that has no rows: it never wins
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

    def of_positive_weight(self) -> Fitting:
        """The same without rows of weight 0, which must not become support points or count as a class.

        Raises:
            DataError: a weight is negative or not finite, or all are zero.
        """
        if self.weight is None:
            return self
        keep = checked_weight(self.weight).to(self.weight.device) > 0
        return replace(self, X=self.X[keep], y=self.y[keep], weight=self.weight[keep])

    def classes(self) -> list[int]:
        """The classes that have rows, in order.

        Raises:
            DataError: only one has.
        """
        present: list[int] = torch.unique(self.y).tolist()
        if len(present) < 2:
            raise DataError(
                "a classifier needs rows of at least two classes to learn from",
                f"{len(self.y)} rows, all of one class",
                "take more rows, or another split",
            )
        return present

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
        stage: "features" or "kernel": fitted in a second stage, to a map's features or to an exact kernel; "joint":
            its weights are learned together with the map.
        bound: which bound is shown for it (a name in BOUNDS), empty: none.
        loss: the loss its class scores are judged by (a name in OBJECTIVES); targets by the squared one.
        multi_output: whether regression with several targets is possible.
        weighted: whether samples can be weighted.
        quick: fitting takes n·D² multiplications and little more, so that all rows are taken while a map is learned.
    """

    tasks: ClassVar[tuple[Task, ...]]
    stage: ClassVar[Literal["features", "kernel", "joint"]] = "features"
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


class LinearHead(Head):
    """Base of heads with ``weight`` [D K] and maybe ``bias`` [K]."""

    def scores(self, params: Params, Phi: Float[Tensor, "n D"]) -> Float[Tensor, "n K"]:
        F = Phi @ params["weight"]
        return F + params["bias"] if "bias" in params else F


@component
class Joint(LinearHead):
    """Weights that the solver learns together with the map."""

    name = "joint"
    title = "Linear, trained jointly"
    formula = r"f(x)=W^\top\varphi(x)"
    source = "ASKL eq. 1, 4"
    tasks = ("classification", "regression")
    stage = "joint"
    bound = "spectral"
    weighted = False

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """Nothing: the solver has left the weights in the parameters."""
        return {}


def all_classes(
    W: Float[Tensor, "n c"], b: Float[Tensor, " c"], present: list[int], K: int
) -> tuple[Float[Tensor, "n K"], Float[Tensor, " K"]]:
    """Weights and biases of all K classes from those of the classes present; the others never win.

    One column for two classes is f, and their scores are (−f, f).
    """
    if W.shape[1] < len(present):
        W, b = torch.cat([-W, W], dim=1), torch.cat([-b, b])
    weight, bias = W.new_zeros(len(W), K), b.new_full((K,), NEVER)
    weight[:, present], bias[present] = W, b
    return weight, bias
