"""The terms of a method's bound at one step."""

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

__all__ = ["DRAWS", "TERMS", "Evaluation"]

DRAWS = 8  # sign matrices for the exact complexity


class Evaluation(NamedTuple):
    """What a bound is computed from.

    Attributes:
        method: the method, resolved.
        params: parameters with the head's.
        first: the map's parameters before training.
        X: scaled inputs of a sample of training rows.
        Phi: their features.
        Y: their targets; one-hot for classes.
        F, y: outputs and targets of the training rows that were evaluated (the sample, or all).
        n: number of training rows.
        train_loss, test_loss: mean losses.
        loss: of which kind.
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

    @property
    def gap(self) -> float:
        return self.test_loss - self.train_loss

    @property
    def zero_risk(self) -> float:
        """The loss of f = 0, which is in every class of functions here."""
        return float(self.loss.value(torch.zeros_like(self.F), self.y))


def _spectral(at: Evaluation) -> dict[str, float]:
    map_ = at.method.feature_map
    return spectral_terms(
        at.params["weight"],
        at.Phi,
        n=at.n,
        empirical_risk=at.train_loss,
        zero_risk=at.zero_risk,
        frequencies=map_.draws,
        largest_trace=map_.largest_trace,
        lipschitz=at.loss.lipschitz(at.F, at.y),
        gap=at.gap,
        draws=DRAWS,
        generator=at.signs,
    )


def _alignment(at: Evaluation) -> dict[str, float]:
    before = alignment(at.method.feature_map.apply(at.first, at.X), at.Y)
    weights, candidates = at.params["q"], len(at.first["q"])
    return alignment_terms(at.Phi, at.Y, weights, candidates=candidates, alignment_before=before, gap=at.gap)


def _frame(at: Evaluation) -> dict[str, float]:
    """The bound is on squared errors: a head with another loss has none."""
    if not isinstance(at.loss, Squared):
        return {}
    return frame_terms(
        at.params["spectrum"].detach().cpu().numpy(),
        at.method.feature_map.frame_constant(at.X),
        n=at.n,
        empirical_risk=at.train_loss,
        zero_risk=at.zero_risk,
        target_bound=float(at.y.norm(dim=1).max()) if at.y.is_floating_point() else 1.0,
        output_bound=float(at.F.norm(dim=1).max()),
        gap=at.gap,
        norm=float(at.params["weight"].norm()),
    )


def _discriminant(at: Evaluation) -> dict[str, float]:
    # The head's penalty where it is a ridge, else the criterion's, else a small one.
    rho = float(at.params["penalty"]) if "penalty" in at.params else float(at.method.options().get("rho", 1e-4))
    return discriminant_terms(at.Phi, at.Y, rho, gap=at.gap)


#: By the name of the bound.
TERMS: dict[str, Callable[[Evaluation], dict[str, float]]] = {
    "spectral": _spectral,
    "alignment": _alignment,
    "frame": _frame,
    "discriminant": _discriminant,
}
