"""Nyström features: a kernel seen from J landmarks.

    G = k(X, Z) [n J],   B = k(Z, Z) [J J]            Z = landmarks [J d]
    φ(X) = G (B + εI)^{−1/2},   φ(x)·φ(x') = k(x, Z)(B + εI)^{−1} k(Z, x') ≈ k(x, x')

The paper writes G U Σ^{−1/2} with B = UΣUᵀ. The symmetric root used here is that times the rotation Uᵀ: the same
kernel, ridge and (measured) support vector machine, but no column flips its sign or changes places when a
landmark is changed, and the gradient stays finite where eigenvalues coincide.

Equal or nearly equal landmarks make B singular. ε = 1e-10 of the mean of its diagonal keeps the root bounded:
a direction whose eigenvalue is far below ε fades away, others keep ten digits. Everything is computed in
float64, whatever the type of the inputs.

Source: DI §3.2, §4.2; Williams & Seeger 2001; landmarks by k-means: Zhang, Tsang & Kwok 2008.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import ClassVar, Literal, TypeAlias

import torch

from kernlab.errors import DataError
from kernlab.feature_maps.base import FEATURE_MAPS, FeatureMap, Pullback, Representation
from kernlab.feature_maps.law import ExactGram, in_numpy, kernel_name
from kernlab.feature_maps.scale import SCALE_ALIASES, NamedKernel, scale_option
from kernlab.linalg import inverse_sqrt, wide
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["JITTER", "KernelPullback", "Nystroem"]

#: ε over the mean of B's diagonal.
JITTER = 1e-10

LARGE = 20_000_000  # numbers times landmarks from which k-means goes by mini-batches

#: (∂/∂G, ∂/∂B) -> {"landmarks": ∂/∂Z}
KernelPullback: TypeAlias = Callable[[Tensor, Tensor], dict[str, Tensor]]


@FEATURE_MAPS.register("nystroem")
@component
class Nystroem(NamedKernel, FeatureMap):
    """Nyström features with landmarks that can be learned."""

    name = "nystroem"
    title = "Nyström"
    formula = r"\varphi(X)=k(X,Z)\,\bigl(k(Z,Z)+\varepsilon I\bigr)^{-1/2}"
    source = "DI §3.2; Williams & Seeger 2001"
    from_rows: ClassVar[bool] = True
    trainable: ClassVar[tuple[str, ...]] = ("landmarks",)
    aliases = SCALE_ALIASES

    n_features: int = option(300, "Number of landmarks J.", ge=1, le=20_000, log=True)
    selection: Literal["rows", "kmeans"] = option("rows", "Landmarks at the start: random rows, or k-means centroids.")
    kernel: Literal["gaussian", "laplacian", "matern", "cauchy", "polynomial"] = option(
        "gaussian", "Kernel k that is approximated."
    )
    frequency_scale: float | Literal["auto"] = scale_option()
    nu: float = option(2.5, "Smoothness of the Matérn kernel (matern only).", gt=0, le=50, advanced=True)
    degree: int = option(3, "Degree s of (xᵀz + c)^s (polynomial only).", ge=1, le=20, advanced=True)
    coef0: float = option(1.0, "Constant c of (xᵀz + c)^s (polynomial only).", gt=0, advanced=True)
    normalized: bool = option(True, "Divide by √(k(x,x) k(z,z)) (polynomial only).", advanced=True)

    @property
    def width(self) -> int:
        return self.n_features

    @property
    def largest_trace(self) -> float:
        """k(x, x), below which landmarks stay."""
        return math.inf if self.kernel == "polynomial" and not self.normalized else 1.0

    def columns(self, params: Params) -> int:
        return params["landmarks"].shape[-2]

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """``landmarks`` [J d]: rows without replacement, or centroids.

        Raises:
            DataError: fewer rows than landmarks, or a kernel that overflows on them.
        """
        if self.n_features > len(X):
            raise DataError(
                "Nyström landmarks are chosen among the training rows, so there may not be more of them",
                f"{self.n_features} landmarks and {len(X)} rows",
                f"set n_features to {len(X)} or less",
            )
        order = torch.randperm(len(X), generator=generator)[: self.n_features]
        landmarks = X[order.to(X.device)] if self.selection == "rows" else _centroids(X, self.n_features, int(order[0]))
        if not self.resolve(X).values(wide(landmarks), wide(landmarks)).isfinite().all():
            raise DataError(
                f"the {self.kernel} kernel must be finite on the landmarks",
                f"degree={self.degree}, inputs up to {float(X.abs().max()):.3g}",
                "scale the inputs, or take a smaller degree",
            )
        return {"landmarks": landmarks}

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n J"]:
        Z = wide(params["landmarks"])
        return (self.values(wide(X), Z) @ _root(self.values(Z, Z))).to(X.device, X.dtype)

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n J"], Pullback]:
        """Through Φ = GS with S = (B + εI)^{−1/2}: ∂/∂G = CSᵀ, ∂/∂S = GᵀC, and on to the landmarks."""
        G, B, back = self.kernel_pullback(params, X)
        S, through_root = torch.func.vjp(_root, B)[:2]
        Phi = G @ S

        def carry(cotangent: Tensor) -> dict[str, Tensor]:
            C = cotangent.to(G.device, G.dtype)
            return back(C @ S.mT, through_root(G.mT @ C)[0])

        return Phi.to(X.device, X.dtype), carry

    def kernel_pullback(
        self, params: Params, X: Float[Tensor, "n d"]
    ) -> tuple[Float[Tensor, "n J"], Float[Tensor, "J J"], KernelPullback]:
        """G and B in float64, and the function that carries gradients on them to the landmarks.

        Objectives that are functions of G and B need no features. Source: DI eq. 9–10.
        """
        landmarks = params["landmarks"]
        rows, Z = wide(X), wide(landmarks)
        if self.kernel == "gaussian":
            G, B = self.values(rows, Z), self.values(Z, Z)

            def gradient(dG: Tensor, dB: Tensor) -> Tensor:
                lengthscale = 1 / float(self.frequency_scale)
                own = gaussian_pullback((dB + dB.mT) * B, Z, Z, lengthscale)  # Z is both arguments of B
                return gaussian_pullback(dG * G, rows, Z, lengthscale) + own

        else:
            (G, B), vjp = torch.func.vjp(lambda at: (self.values(rows, at), self.values(at, at)), Z)[:2]

            def gradient(dG: Tensor, dB: Tensor) -> Tensor:
                found: Tensor = vjp((dG, dB))[0]
                return found

        def back(dG: Tensor, dB: Tensor) -> dict[str, Tensor]:
            return {"landmarks": gradient(dG, dB).to(landmarks.device, landmarks.dtype)}

        return G, B, back

    def exact(self, params: Params, learned: bool) -> ExactGram:
        return ExactGram(in_numpy(self.values), f"the {kernel_name(self.kernel)} kernel that the landmarks approximate")

    def pictured(self, params: Params) -> dict[str, Tensor]:
        return {"landmarks": params["landmarks"]}

    def restored(self, kept: Params) -> tuple[Representation, Params] | None:
        """Of fewer landmarks the features see less of the kernel."""
        if "landmarks" not in kept:
            return None
        return self.replace(n_features=len(kept["landmarks"])), {"landmarks": kept["landmarks"]}


def gaussian_pullback(
    H: Float[Tensor, "n p"], X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float
) -> Float[Tensor, "p d"]:
    """Gradient on Z of Σ C_ij k(x_i, z_j) for the Gaussian kernel, by matrix products alone.

    From H = C ∘ k(X, Z) and ∂k(x, z)/∂z = k(x, z)(x − z)/ℓ²: (HᵀX − diag(Hᵀ1) Z)/ℓ². Source: DI §4.2.
    """
    return (H.mT @ X - H.sum(0)[:, None] * Z) / lengthscale**2


def _root(B: Float[Tensor, "J J"]) -> Float[Tensor, "J J"]:
    return inverse_sqrt(B, JITTER * B.diagonal(dim1=-2, dim2=-1).mean().detach())


def _centroids(X: Float[Tensor, "n d"], J: int, seed: int) -> Float[Tensor, "J d"]:
    """Centres of J clusters, in float32 so that both precisions start from the same numbers."""
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    if X.numel() * J > LARGE:
        clustering = MiniBatchKMeans(J, random_state=seed, n_init=1, batch_size=max(1024, 4 * J))
    else:
        clustering = KMeans(J, random_state=seed, n_init=1)
    with warnings.catch_warnings():  # fewer distinct rows than clusters: equal landmarks, which ε takes care of
        warnings.simplefilter("ignore", ConvergenceWarning)
        centres = clustering.fit(X.float().cpu().numpy()).cluster_centers_
    return torch.as_tensor(centres).to(X.device, X.dtype)
