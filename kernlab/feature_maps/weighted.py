"""Random Fourier features with a weight each: a mixture of cosines in which some frequencies count more.

    paired    ψ(x) = diag(q)^{1/2} [cos Ωᵀx ; sin Ωᵀx],   q ≥ 0, Σ q_m = 1
    shared    φ(x) = diag(q)^{1/2} √2 cos(Ωᵀx + b),       b ~ U[0, 2π), as in the paper
    ψ(x)·ψ(x') = Σ_m q_m cos ω_mᵀ(x − x')

A candidate is one frequency ω_m: its cosine and sine share the weight q_m. The map starts with N_w candidates drawn
from an assigned density and q uniform, where it is the stationary map. A solver changes q and drops the candidates
of weight 0, so the width is that of q, twice with pairs. With phases the weights are chosen with
them, and the features are no longer the kernel of the weighted frequencies.

Source: LKRF eq. 8 and 14.
"""

from __future__ import annotations

from typing import ClassVar

import torch

from kernlab.feature_maps.base import FEATURE_MAPS, Pullback
from kernlab.feature_maps.law import ExactGram, GramFunction
from kernlab.feature_maps.spectral import SpectralMap, Stationary, waves
from kernlab.feature_maps.trigonometry import cos, sin
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["Weighted"]


@FEATURE_MAPS.register("weighted")
@component
class Weighted(SpectralMap):
    """Re-weighted stationary spectral features; a solver of their own finds q, without gradients."""

    name = "weighted"
    title = "Re-weighted spectral"
    formula = r"\varphi(x)=\operatorname{diag}(q)^{1/2}[\cos\Omega^\top x\,;\ \sin\Omega^\top x]"
    source = "LKRF eq. 8 and 14"
    trainable: ClassVar[tuple[str, ...]] = ()
    learn_phase: ClassVar[bool] = False  # type: ignore[misc]
    solved: ClassVar[str] = "q"
    bound: ClassVar[str] = "alignment"

    n_features: int = option(
        20_000, "Columns of the candidates: two for each of N_w frequencies, one with phases.",
        ge=1, le=200_000, log=True,
    )  # fmt: skip

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """Candidates ``omega`` [d 1 N_w], with ``phase`` [1 N_w] unless paired, and ``q`` [N_w] uniform."""
        params = super().init(X, generator)
        return {**params, "q": X.new_full((self.draws,), 1 / self.draws)}

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n s"]:
        if self.paired:
            z = X @ params["omega"].flatten(1)
            return torch.cat([cos(z), sin(z)], dim=1) * params["q"].sqrt().repeat(2)
        z = torch.addmm(params["phase"].reshape(-1), X, params["omega"].flatten(1))
        return cos(z) * (2 * params["q"]).sqrt()

    def columns(self, params: Params) -> int:
        return len(params["q"]) * (2 if self.paired else 1)

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n s"], Pullback]:
        """The features, and no gradients: the map has no trainable parameters."""
        return self.apply(params, X), lambda cotangent: {}

    def pictured(self, params: Params) -> dict[str, Tensor]:
        """The weights ``q`` [s]; their frequencies are ``omega`` [d s]."""
        return {"q": params["q"]}

    def exact(self, params: Params, learned: bool) -> ExactGram:
        """The average over the weighted frequencies, whether or not a solver has moved the weights."""
        words = "the average over the weighted frequencies"
        if not self.paired:
            words += ", which is another kernel than the features' (weights are chosen with the phases)"
        return ExactGram(self.average(params), words, same=self.paired)

    def average(self, params: Params) -> GramFunction:
        return waves(params["omega"].double().numpy(), params["q"].double().numpy())

    def plain(self) -> SpectralMap:
        return Stationary(density=self.density, frequency_scale=self.frequency_scale, nu=self.nu)

    def restored(self, kept: Params) -> tuple[SpectralMap, Params] | None:
        """Where only the first features were kept, they share the weight of all."""
        found = super().restored(kept)
        if found is None or "q" not in kept:
            return None
        q = kept["q"][: kept["omega"].shape[1]]
        return found[0], {**found[1], "q": q * (kept["q"].sum() / q.sum())}
