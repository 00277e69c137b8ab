"""ASKL as a textbook would write it: autograd, Adam, and a full singular value decomposition of W.

The baseline that the closed-form step is measured against, and an oracle for it: same mathematics,
no shared code.
"""

from __future__ import annotations

import math

import torch

from kernlab.typing import Float, Int, Tensor

__all__ = ["PlainASKL"]


class PlainASKL:
    """One ASKL training step after another, on given tensors.

    Args:
        omega, omega_prime: frequencies [d D].
        phase: phases [D], shared by both; None: pairs of cosine and sine, two columns a frequency.
        K: classes.
        learning_rate: of Adam.
        trace_norm, feature_norm: λ₁ and λ₂.
    """

    def __init__(
        self,
        omega: Float[Tensor, "d D"],
        omega_prime: Float[Tensor, "d D"],
        phase: Float[Tensor, " D"] | None,
        K: int,
        *,
        learning_rate: float,
        trace_norm: float,
        feature_norm: float,
    ) -> None:
        self.omega = omega.clone().requires_grad_()
        self.omega_prime = omega_prime.clone().requires_grad_()
        columns = omega.shape[1] * (2 if phase is None else 1)
        self.weight = torch.zeros(columns, K, device=omega.device, requires_grad=True)
        self.phase, self.trace_norm, self.feature_norm = phase, trace_norm, feature_norm
        self.optimizer = torch.optim.Adam([self.omega, self.omega_prime, self.weight], lr=learning_rate)

    def step(self, X: Float[Tensor, "m d"], y: Int[Tensor, " m"], learning_rate: float) -> None:
        """One mini-batch."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        z, z_prime = X @ self.omega, X @ self.omega_prime
        if self.phase is None:
            Phi = torch.cat([torch.cos(z) + torch.cos(z_prime), torch.sin(z) + torch.sin(z_prime)], dim=1)
        else:
            Phi = torch.cos(z + self.phase) + torch.cos(z_prime + self.phase)
        Phi = Phi / math.sqrt(2 * Phi.shape[1])
        F = Phi @ self.weight
        own = F.gather(1, y[:, None]).squeeze(1)
        rival = F.scatter(1, y[:, None], -torch.inf).max(1).values  # one rival, also where several tie
        objective = torch.relu(1 - own + rival).mean() + self.feature_norm * Phi.pow(2).sum() / len(X)
        self.optimizer.zero_grad()
        objective.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        with torch.no_grad():
            U, s, Vh = torch.linalg.svd(self.weight, full_matrices=False)
            self.weight.copy_(U @ torch.diag((s - learning_rate * self.trace_norm).clamp_min(0)) @ Vh)
