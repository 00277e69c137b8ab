"""The terms of a method's bound at one moment, from what was looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

from kernlab.bounds.alignment import alignment_terms
from kernlab.bounds.discriminant import discriminant_terms
from kernlab.bounds.frame import frame_terms
from kernlab.bounds.spectral import spectral_terms
from kernlab.linalg import alignment
from kernlab.methods import MethodSpec
from kernlab.objectives import Loss, Squared
from kernlab.typing import Float, Params, Targets, Tensor

__all__ = ["TERMS", "Looked"]


class Looked(NamedTuple):
    """What a bound is computed from.

    Attributes:
        method: the method, resolved.
        params: parameters with the head's.
        first: the map's parameters as they were before training.
        X: scaled inputs of a sample of training rows.
        Phi: their features.
        Y: their targets; one-hot for classes.
        F, y: outputs and targets of the training rows that were measured (the sample, or all).
        n: training rows.
        train_loss, test_loss: mean losses.
        loss: the loss they are of.
        signs: source of random signs.
    """

    method: MethodSpec
    params: Params
    first: Params
    X: Float[Tensor, "s d"]
    Phi: Float[Tensor, "s D"]
    Y: Float[Tensor, "s K"]
    F: Float[Tensor, "a K"]
    y: Targets
    n: int
    train_loss: float
    test_loss: float
    loss: Loss
    signs: torch.Generator


DRAWS = 8  # sign matrices for the exact complexity

TERMS: dict[str, Callable[[Looked], dict[str, float]]] = {}


def _spectral(at: Looked) -> dict[str, float]:
    map_ = at.method.feature_map
    return spectral_terms(
        at.params["weight"],
        at.Phi,
        n=at.n,
        empirical_risk=at.train_loss,
        zero_risk=_zero_risk(at),
        frequencies=map_.draws,
        largest_trace=map_.largest_trace,
        lipschitz=at.loss.lipschitz(at.F, at.y),
        gap=at.test_loss - at.train_loss,
        draws=DRAWS,
        generator=at.signs,
    )


TERMS["spectral"] = _spectral


def _alignment(at: Looked) -> dict[str, float]:
    before = at.method.feature_map.apply(at.first, at.X)
    return alignment_terms(
        at.Phi,
        at.Y,
        at.params["q"],
        candidates=len(at.first["q"]),
        alignment_before=alignment(before, at.Y),
        gap=at.test_loss - at.train_loss,
    )


TERMS["alignment"] = _alignment


def _frame(at: Looked) -> dict[str, float]:
    """The bound is on squared errors: where another loss is meant there is none."""
    if not isinstance(at.loss, Squared):
        return {}
    return frame_terms(
        at.params["spectrum"].detach().cpu().numpy(),
        at.method.feature_map.frame_constant(at.X),
        n=at.n,
        empirical_risk=at.train_loss,
        zero_risk=_zero_risk(at),
        target_bound=float(at.y.norm(dim=1).max()) if at.y.is_floating_point() else 1.0,
        output_bound=float(at.F.norm(dim=1).max()),
        gap=at.test_loss - at.train_loss,
        norm=float(at.params["weight"].norm()),
    )


TERMS["frame"] = _frame


def _discriminant(at: Looked) -> dict[str, float]:
    # The head's penalty where it is a ridge, else the criterion's, else a small one.
    rho = float(at.params["penalty"]) if "penalty" in at.params else float(at.method.options().get("rho", 1e-4))
    return discriminant_terms(at.Phi, at.Y, rho, gap=at.test_loss - at.train_loss)


TERMS["discriminant"] = _discriminant


def _zero_risk(at: Looked) -> float:
    """The loss of f = 0, which every class of functions here holds."""
    return float(at.loss.value(torch.zeros_like(at.F), at.y))
