"""Fastfood: random Fourier features whose frequencies are a product of diagonal and Hadamard matrices.

    Ω_bᵀ = p^{−½} S H G Π H B  ∈ R^{p × p}            p = d padded to a power of two, b = 1 … k blocks
    φ(x) = √(2/D) [cos Ωᵀx ; sin Ωᵀx]                 Ωᵀ: the first D/2 rows of Ω_1ᵀ … Ω_kᵀ

    H  Hadamard matrix with entries ±1                 B  diagonal, entries ±1
    Π  permutation                                     G  diagonal, entries N(0, 1)
    S  diagonal, σ χ_p / ‖G‖_F: row j of Ω_bᵀ gets the length of a draw from N(0, σ²I_p)

A row of H G Π H B is Gaussian and looks the same in every direction, so that each row of Ωᵀ is N(0, σ²I) exactly and
E φ(x)·φ(x') is the Gaussian kernel; the rows of one block are dependent. No matrix is stored: O(D) numbers, and
O(D log d) multiplications a sample instead of O(D d).

Learned, S, G and B are free (à la carte): the frequencies move on a family of products of that form. The scale σ
lies in S.

Source: Le, Sarlós & Smola 2013 (Fastfood); Yang et al. 2015 (à la carte).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np
import scipy
import scipy.linalg
import torch
from torch.nn.functional import pad

from kernlab.feature_maps.base import FEATURE_MAPS, FeatureMap, Pullback, Representation
from kernlab.feature_maps.law import ExactGram, FrequencyLaw
from kernlab.feature_maps.scale import SCALE_ALIASES, Scaled, scale_option
from kernlab.feature_maps.spectral import Stationary, waves
from kernlab.feature_maps.trigonometry import cos, sin
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["Fastfood", "hadamard", "walsh_hadamard"]

BITS = 4  # of an index that one matrix product transforms: 16 multiplications a number, at the speed of such products
CACHED = 1 << 17  # numbers of the phases that are worked on at a time: half a megabyte
_LARGEST = torch.from_numpy(scipy.linalg.hadamard(1 << BITS)).float()  # its leading blocks are the smaller ones


@FEATURE_MAPS.register("fastfood")
@component
class Fastfood(Scaled, FeatureMap):
    """Fastfood; with learned diagonals, à la carte."""

    name = "fastfood"
    title = "Fastfood"
    formula = (
        r"\varphi(x)=\sqrt{2/D}\,[\cos\Omega^\top x\,;\ \sin\Omega^\top x],\quad"
        r"\Omega^\top=\tfrac1{\sqrt p}\,S\,H\,G\,\Pi\,H\,B"
    )
    source = "Le, Sarlós & Smola 2013; Yang et al. 2015"
    trainable: ClassVar[tuple[str, ...]] = ("S", "G", "B")
    scales: ClassVar[tuple[str, ...]] = ("frequency_scale",)
    stackable: ClassVar[bool] = True
    aliases = SCALE_ALIASES

    n_features: int = option(
        2000, "Number of features D, the columns of φ(X); pairs of cosine and sine make an odd D even, D + 1.",
        ge=1, le=400_000, log=True,
    )  # fmt: skip
    frequency_scale: float | Literal["auto"] = scale_option("Scale σ of the assigned frequencies, 1/lengthscale")

    @property
    def draws(self) -> int:
        """Frequencies, each with a cosine and a sine."""
        return (self.n_features + 1) // 2

    @property
    def width(self) -> int:
        return 2 * self.draws

    @property
    def cosines(self) -> int:
        return self.width

    @property
    def largest_trace(self) -> float:
        """1, since cos² + sin² = 1."""
        return 1.0

    def work(self, d: int) -> int:
        p, k = self._shape(d)
        return k * p * 2 * sum(_factors(p))

    def _shape(self, d: int) -> tuple[int, int]:
        """p, the inputs padded to a power of two, and k blocks of so many frequencies."""
        p = 1 << (d - 1).bit_length()
        return p, -(-self.draws // p)

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """``B`` [k d] (padded inputs are 0), ``P`` [k p] the permutations as places in all blocks, ``G`` and ``S``
        [k p]."""
        d, sigma = X.shape[1], self.resolve(X).frequency_scale
        p, k = self._shape(d)
        G = torch.randn(k, p, generator=generator)
        uniform = torch.rand(k, p, generator=generator, dtype=torch.float64).numpy()
        chi = torch.from_numpy(np.sqrt(scipy.stats.chi2.ppf(uniform.clip(1e-12, 1 - 1e-12), p))).float()
        params = {
            "B": 2.0 * torch.randint(2, (k, d), generator=generator) - 1.0,
            "P": torch.stack([p * b + torch.randperm(p, generator=generator) for b in range(k)]),
            "G": G,
            "S": float(sigma) * chi / G.norm(dim=1, keepdim=True),
        }
        return {name: value.to(X.device, X.dtype) for name, value in params.items()}

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        z = self._phases(params, X)[0]
        return torch.cat([cos(z), sin(z)]).mT * math.sqrt(1 / self.draws)

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n D"], Pullback]:
        """Written out: H is symmetric, so that the way back is the same product from the left."""
        z, to_params = self._phases(params, X)
        cosine, sine, scale, s = cos(z), sin(z), math.sqrt(1 / self.draws), self.draws

        def back(cotangent: Tensor) -> dict[str, Tensor]:
            C = cotangent.mT.contiguous() * scale
            return to_params(cosine * C[s:] - sine * C[:s])

        return torch.cat([cosine, sine]).mT * scale, back

    def _phases(
        self, params: Params, X: Float[Tensor, "n d"]
    ) -> tuple[Float[Tensor, "s n"], Callable[[Tensor], dict[str, Tensor]]]:
        """z = ΩᵀXᵀ, and the function that carries a gradient on it to S, G and B. Samples are the last axis.

        On a CPU a few samples at a time, whose numbers stay in its cache.
        """
        count = max(1, CACHED // params["S"].numel()) if X.device.type == "cpu" else max(1, len(X))
        blocks = [self._block(params, rows) for rows in torch.split(X, count)]
        if len(blocks) == 1:
            return blocks[0]

        def back(on_z: Tensor) -> dict[str, Tensor]:
            parts = [to_params(part) for (_, to_params), part in zip(blocks, torch.split(on_z, count, 1), strict=True)]
            return {name: torch.stack([part[name] for part in parts]).sum(0) for name in self.trainable}

        return torch.cat([z for z, _ in blocks], dim=1), back

    def _block(
        self, params: Params, X: Float[Tensor, "n d"]
    ) -> tuple[Float[Tensor, "s n"], Callable[[Tensor], dict[str, Tensor]]]:
        (k, p), (n, d), root = params["G"].shape, X.shape, math.sqrt(1 / params["G"].shape[1])
        B, G, S = params["B"][..., None], params["G"][..., None], root * params["S"][..., None]
        places, inputs, H = params["P"].long().flatten(), X.mT.contiguous(), hadamard(p, X)

        def rows(of: Tensor, order: Tensor) -> Tensor:
            """The p rows of every block, as the permutation or its inverse orders them."""
            return of.reshape(k * p, n).index_select(0, order).view(k, p, n)

        mixed = rows(walsh_hadamard(pad(B * inputs, (0, 0, 0, p - d)), H), places)
        last = walsh_hadamard(G * mixed, H)

        def back(on_z: Tensor) -> dict[str, Tensor]:
            on_z = pad(on_z, (0, 0, 0, k * p - self.draws)).reshape(k, p, n)
            on_last = walsh_hadamard(S * on_z, H)
            inverse = torch.empty_like(places).scatter(0, places, torch.arange(k * p, device=X.device))
            on_first = walsh_hadamard(rows(G * on_last, inverse), H)[:, :d]
            return {
                "S": root * (on_z * last).sum(2),
                "G": (on_last * mixed).sum(2),
                "B": (on_first * inputs).sum(2),
            }

        return (S * last).reshape(k * p, n)[: self.draws], back

    def law(self) -> FrequencyLaw | None:
        return None if self.frequency_scale == "auto" else FrequencyLaw("gaussian", float(self.frequency_scale))

    def exact(self, params: Params, learned: bool) -> ExactGram | None:
        """The Gaussian kernel; of learned diagonals the average over the frequencies that they make."""
        if not learned:
            law = self.law()
            return law and law.exact
        omega = self.frequencies(params)["omega"].double().numpy()
        share = np.full(self.draws, 1 / self.draws)
        return ExactGram(waves(omega[:, None], share), "the average over these very frequencies", same=True)

    def frequencies(self, params: Params) -> dict[str, Tensor]:
        """Ω [d s], which the products are applied to the unit vectors for."""
        like = params["B"]
        z = self._phases(params, torch.eye(like.shape[-1], dtype=like.dtype, device=like.device))[0]
        return {"omega": z.mT}

    def restored(self, kept: Params) -> tuple[Representation, Params] | None:
        """The stationary map of the same frequencies, which is the same map written as a matrix."""
        if "omega" not in kept:
            return None
        omega = kept["omega"]
        plain = Stationary(n_features=2 * omega.shape[1], frequency_scale=self.frequency_scale)
        return plain, {"omega": omega[:, None]}


def walsh_hadamard(U: Float[Tensor, "k p n"], H: Sequence[Float[Tensor, "_ _"]]) -> Float[Tensor, "k p n"]:
    """The product with the Hadamard matrix [p p] in its natural order, along the second axis; p a power of two.

    It is the Kronecker product of smaller Hadamard matrices, and each of them is one batched matrix product: about
    32 log₃₂ p multiplications a number, at the speed of such products.

    Args:
        U: k blocks of n columns.
        H: the factors, from :func:`hadamard`.

    Source: Fino & Algazi 1976 (Kronecker form).
    """
    shape, before = U.shape, len(U)
    for factor in H:
        size = len(factor)
        U = torch.bmm(factor.expand(before, size, size), U.reshape(before, size, -1))
        before *= size
    return U.reshape(shape)


def hadamard(p: int, like: Tensor) -> list[Float[Tensor, "_ _"]]:
    """Hadamard matrices whose Kronecker product is that of p rows, in ``like``'s dtype and on its device."""
    return [_LARGEST[:size, :size].to(like) for size in _factors(p)]


def _factors(p: int) -> list[int]:
    """Powers of two of at most 32, as even as possible, whose product is p."""
    bits = p.bit_length() - 1
    count = -(-bits // BITS)
    return [1 << (bits + part) // count for part in range(count)]
