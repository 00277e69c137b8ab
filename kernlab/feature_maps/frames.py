"""Frame kernels: a sum of known functions, each with a weight λ ≥ 0.

    K(x, x') = Σ_i λ_i φ_i(x) φ_i(x'),   Ψ(x) = (√λ_i φ_i(x))_i,   λ_i ≥ 0,   x in [−1, 1]^d

Along one input, with q functions:

    Fourier    √½,  cos(iω₀x),  sin(iω₀x)            i = 1 … N                       q = 2N + 1
    wavelet    a^{−j/2} Υ((x − kτaʲ)/aʲ)             j = j_min … j_max, k over [−1, 1]

Over d inputs they are added (a function of one input each, the constant once: 1 + 2Nd columns, or q·d) or
multiplied (all products of one function per input: qᵈ columns). The constant is √½, so that the kernel's is
½, as the paper's, and so that all functions of the Fourier frame have the same mean square over a period.

**Eigenvalues.** With the functions orthogonal under the distribution of the inputs and E φ_i² = A for all,
the eigenvalues of the kernel's integral operator are Aλ_i, with eigenfunctions φ_i (FKS Theorem 2). For the
Fourier frame that is so where the inputs fill whole periods 2π/ω₀ uniformly; then A = ½ (products: 2^{−d}).
On a part of a period, as [−1, 1] with ω₀ = 1, the frame is still tight in L², but tight is not orthogonal,
which the proof of the theorem assumes: the eigenvalues are then not Aλ_i. With A the *upper*
frame constant under the inputs' distribution, A = λ_max(E φφᵀ), they still bound them one by one: the
operator is UΛU*, and the i-th eigenvalue of it is at most ‖U‖² = A times the i-th largest λ (Ostrowski).
That is all the paper's risk bound needs, and :meth:`FrameMap.frame_constant` measures that A.

Source: FKS section 3, Theorems 1 and 2; Daubechies 1992, chapter 3 (wavelet frames).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np
import torch
from scipy.sparse.linalg import LinearOperator, eigsh

from kernlab.errors import DataError, OptionError
from kernlab.feature_maps.base import FEATURE_MAPS, FeatureMap, Representation
from kernlab.feature_maps.law import ExactGram, in_numpy
from kernlab.feature_maps.trigonometry import cos, sin
from kernlab.options import component, option
from kernlab.typing import Float, Int, Params, Tensor

__all__ = ["CONSTANT", "COSINE", "SINE", "WAVELET", "FourierFrame", "FrameMap", "WaveletFrame"]

#: What a column's function along one input is (``frame_kind``).
CONSTANT, COSINE, SINE, WAVELET = range(4)

ROUNDING = 1e-5  # inputs may leave [-1, 1] by this much
SMALLEST = 1e-12  # no gradient is taken of √λ below it, where the slope has no end


@component
class FrameMap(FeatureMap):
    """Base of frames; subclasses define the functions along one input.

    Parameters: ``spectrum`` λ [D], all ones at first. A column whose λ is 0 is a column of zeros. Inputs beyond
    [−1, 1], which test rows may have, get the value at the border: a frame of [−1, 1] is not defined there.
    """

    trainable: ClassVar[tuple[str, ...]] = ("spectrum",)
    solved: ClassVar[str] = "spectrum"
    bound: ClassVar[str] = "frame"
    scaling: ClassVar[str] = "[-1,1]"
    constant: ClassVar[bool] = False  # whether the first function along an input is the constant

    combine: Literal["additive", "multiplicative"] = option(
        "additive", "Add functions of one input each, or multiply one function of every input."
    )
    max_width: int = option(
        10_000, "Columns that are allowed at most; memory grows with their square.", ge=1, le=50_000, advanced=True
    )  # fmt: skip

    @property
    def functions(self) -> int:
        """q: number of functions along one input."""
        raise NotImplementedError

    def along(self, X: Float[Tensor, "n d"]) -> Float[Tensor, "n d q"]:
        """The functions along each input."""
        raise NotImplementedError

    def kinds(self) -> tuple[list[int], list[int], list[int]]:
        """Kind, level (frequency index i, or scale j) and shift k of the q functions along one input."""
        raise NotImplementedError

    def narrower(self, d: int) -> str:
        """What to do about too many columns."""
        raise NotImplementedError

    @property
    def width(self) -> int:
        """Not known before the data: it depends on d."""
        raise AttributeError(
            "the width of a frame depends on the number of inputs: ask width_for(d) or columns(params)"
        )

    def width_for(self, d: int) -> int:
        """D: columns for d inputs."""
        if self.combine == "multiplicative":
            return int(self.functions**d)
        return self.functions * d - (d - 1 if self.constant else 0)

    def columns(self, params: Params) -> int:
        return int(params["spectrum"].shape[-1])

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """``spectrum`` [D] of ones.

        Raises:
            DataError: inputs outside [−1, 1], or more columns than ``max_width``.
        """
        d = X.shape[1]
        # A power of hundreds of inputs has thousands of digits: count with logarithms first.
        large = self.combine == "multiplicative" and d * math.log(self.functions) > math.log(10 * self.max_width)
        if large or self.width_for(d) > self.max_width:
            power = f"{self.functions}^{d}" if self.combine == "multiplicative" else f"{self.width_for(d)}"
            raise DataError(
                f"a frame must have at most {self.max_width} columns",
                f"{power} columns for {d} inputs",
                self.narrower(d),
            )
        low, high = float(X.min()), float(X.max())
        if max(-low, high) > 1 + ROUNDING:
            raise DataError(
                "inputs of a frame must lie in [-1, 1]", f"values from {low:.4g} to {high:.4g}", "set scaling=[-1,1]"
            )
        return {"spectrum": X.new_ones(self.width_for(d))}

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        spectrum = params["spectrum"]
        large = spectrum > SMALLEST
        slope = torch.where(large, spectrum, 1.0).sqrt()
        root = torch.where(large, slope, spectrum.detach().clamp_min(0).sqrt())
        return self.frame(X) * root

    def frame(self, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        """The functions themselves, φ_i(x): the columns with λ = 1."""
        each = self.along(X.clamp(-1, 1))
        if self.combine == "multiplicative":
            product = each[:, 0]
            for dimension in range(1, each.shape[1]):
                product = (product[:, :, None] * each[:, dimension, None, :]).flatten(1)
            return product
        if self.constant:
            return torch.cat([each[:, 0, :1], each[:, :, 1:].flatten(1)], dim=1)
        return each.flatten(1)

    def frame_constant(self, X: Float[Tensor, "n d"], rows: int = 2000) -> float:
        """A = λ_max(ΦᵀΦ/n) with all λ = 1: the upper frame constant under the distribution of the inputs.

        ½ for an additive Fourier frame on whole periods. On any sample the i-th eigenvalue of K/n is at most A times
        the i-th largest λ.

        Args:
            X: scaled inputs; at most ``rows`` of them, evenly spread, are used.
        """
        some = X[torch.linspace(0, len(X) - 1, min(rows, len(X)), device=X.device).long()]
        Phi = self.frame(some).detach().double().cpu().numpy()
        n, D = Phi.shape
        if min(n, D) <= 2:
            return float(np.linalg.norm(Phi, 2) ** 2 / n)
        operator = LinearOperator((D, D), matvec=lambda v: Phi.T @ (Phi @ v) / n, dtype=np.float64)
        largest = eigsh(operator, k=1, which="LA", v0=np.ones(D), tol=1e-6, return_eigenvectors=False)
        return float(largest[0])

    def exact(self, params: Params, learned: bool) -> ExactGram:
        wide = {name: value.double() for name, value in params.items()}
        kernel = in_numpy(lambda X, Z: self.apply(wide, X) @ self.apply(wide, Z).mT)
        return ExactGram(kernel, "the sum over the frame's functions, which is the kernel itself", same=True)

    def pictured(self, params: Params) -> dict[str, Tensor]:
        """The weights λ: ``spectrum`` [D]."""
        return {"spectrum": params["spectrum"]}

    def restored(self, kept: Params) -> tuple[Representation, Params] | None:
        return (self, {"spectrum": kept["spectrum"]}) if "spectrum" in kept else None

    def described(self, params: Params) -> dict[str, Tensor]:
        """Which functions the columns are: int tensors [D p], p = 1 (additive) or d (multiplicative).

        A column is the product of p functions of one input each: ``frame_dimension`` (which input, from 0; −1 for
        the additive constant), ``frame_kind`` (0 constant, 1 cosine, 2 sine, 3 wavelet), ``frame_level`` (frequency
        index i, or scale j; 0 for a constant) and ``frame_shift`` (k of a wavelet).
        """
        names = ("frame_kind", "frame_level", "frame_shift")
        table = torch.tensor(self.kinds(), dtype=torch.int32)  # [3 q]
        D, q = self.columns(params), self.functions
        if self.combine == "multiplicative":
            d = round(math.log(D) / math.log(q)) if q > 1 else 1
            place = torch.cartesian_prod(*[torch.arange(q)] * d).reshape(D, d)
            dimension = torch.arange(d, dtype=torch.int32).repeat(D, 1)
        else:
            place, dimension = self._additive(D)
        return {"frame_dimension": dimension, **{name: table[i][place] for i, name in enumerate(names)}}

    def _additive(self, D: int) -> tuple[Int[Tensor, "D 1"], Int[Tensor, "D 1"]]:
        """Which function along an input, and which input, a column of an additive frame is."""
        q = self.functions
        first = 1 if self.constant else 0
        d = (D - first) // (q - first)
        place = torch.arange(first, q).repeat(d)
        dimension = torch.arange(d, dtype=torch.int32).repeat_interleave(q - first)
        if self.constant:
            place = torch.cat([place.new_zeros(1), place])
            dimension = torch.cat([dimension.new_full((1,), -1), dimension])
        return place[:, None], dimension[:, None]


@FEATURE_MAPS.register("fourier_frame")
@component
class FourierFrame(FrameMap):
    """Cosines and sines of the multiples of one base frequency along every input.

    Columns: the constant, then for each input cos(iω₀x), i = 1 … N, then sin(iω₀x) (additive); products in
    lexicographic order of (constant, cosines, sines) of each input, the last input fastest (multiplicative).
    """

    name = "fourier_frame"
    title = "Fourier frame"
    formula = r"K(x,x')=\tfrac{\lambda_0}2+\sum_{l=1}^d\sum_{i=1}^N\lambda_{li}\cos i\omega_0x_l\cos i\omega_0x'_l" \
              r"+\lambda'_{li}\sin i\omega_0x_l\sin i\omega_0x'_l"  # fmt: skip
    source = "FKS Example 1, section 5"
    constant: ClassVar[bool] = True

    order: int = option(30, "Number of frequencies N along each input.", ge=1, le=5000, log=True)
    omega_0: float = option(
        1.0,
        "Base frequency ω₀, in radians per unit of an input in [-1, 1]; at most π, beyond which [-1, 1] holds more "
        "than a period.",
        gt=0, le=math.pi,
    )  # fmt: skip

    @property
    def functions(self) -> int:
        return 2 * self.order + 1

    def along(self, X: Float[Tensor, "n d"]) -> Float[Tensor, "n d q"]:
        multiples = self.omega_0 * torch.arange(1, self.order + 1, device=X.device).to(X.dtype)
        z = X[:, :, None] * multiples
        constant = torch.full_like(X[:, :, None], math.sqrt(0.5))
        return torch.cat([constant, cos(z), sin(z)], dim=2)

    def kinds(self) -> tuple[list[int], list[int], list[int]]:
        levels = list(range(1, self.order + 1))
        kind = [CONSTANT] + [COSINE] * self.order + [SINE] * self.order
        return kind, [0, *levels, *levels], [0] * self.functions

    def narrower(self, d: int) -> str:
        if self.combine == "multiplicative":
            largest = int((self.max_width ** (1 / d) - 1) / 2 + 1e-9)
            start = f"set order={largest} or less" if largest else "choose fewer inputs"
            return f"{start}, or combine=additive"
        largest = (self.max_width - 1) // (2 * d)
        return f"set order={largest} or less" if largest else "choose fewer inputs, or raise max_width"


@FEATURE_MAPS.register("wavelet_frame")
@component
class WaveletFrame(FrameMap):
    """A mother wavelet at several scales, moved over [−1, 1] in steps of τ times its scale.

    Υ has norm one in L²: (2/√3) π^{−¼} (1 − t²) e^{−t²/2} (Mexican hat), √2 π^{−¼} cos(5t) e^{−t²/2} (Morlet, real
    part). The centres kτaʲ run from −1 to 1 and, where that is no multiple, one step beyond. There is no constant:
    the coarsest scale, wider than [−1, 1] by default, takes its place.

    Columns: scales from fine to coarse, at each the shifts from left to right, for each input (additive); products
    in lexicographic order, the last input fastest (multiplicative).
    """

    name = "wavelet_frame"
    title = "Wavelet frame"
    formula = r"\phi_{j,k}(x)=a^{-j/2}\,\Upsilon\!\left(\frac{x-k\tau a^j}{a^j}\right)"
    source = "FKS Example 2; Daubechies 1992"

    mother: Literal["mexican_hat", "morlet"] = option("mexican_hat", "Mother wavelet Υ.")
    dilation: float = option(2.0, "Factor a from one scale to the next.", gt=1, le=10, advanced=True)
    tau: float = option(0.5, "Step τ between neighbours, in units of their scale.", gt=0, le=4, advanced=True)
    j_min: int = option(-3, "Finest scale j: width a^j.", ge=-12, le=12)
    j_max: int = option(2, "Coarsest scale j.", ge=-12, le=12)

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """``spectrum`` [D] of ones.

        Raises:
            OptionError: no scale lies between ``j_min`` and ``j_max``.
            DataError: inputs outside [−1, 1], or more columns than ``max_width``.
        """
        if self.j_min > self.j_max:
            raise OptionError("j_min must be at most j_max", f"j_min={self.j_min}, j_max={self.j_max}", "lower j_min")
        return super().init(X, generator)

    @property
    def functions(self) -> int:
        return sum(2 * last + 1 for _, last in self._shifts())

    def _shifts(self) -> Iterator[tuple[int, int]]:
        """Every scale j with its largest shift k."""
        for j in range(self.j_min, self.j_max + 1):
            yield j, math.ceil(1 / (self.tau * self.dilation**j) - 1e-9)

    def along(self, X: Float[Tensor, "n d"]) -> Float[Tensor, "n d q"]:
        _, j, k = (torch.tensor(values, device=X.device).to(X.dtype) for values in self.kinds())
        t = X[:, :, None] * self.dilation**-j - k * self.tau
        bell: Tensor = torch.exp(-t.square() / 2) * (self.dilation ** (-j / 2) * math.pi**-0.25)
        if self.mother == "mexican_hat":
            return bell * (1 - t.square()) * (2 / math.sqrt(3))
        return bell * cos(5 * t) * math.sqrt(2)

    def kinds(self) -> tuple[list[int], list[int], list[int]]:
        places = [(j, k) for j, last in self._shifts() for k in range(-last, last + 1)]
        return [WAVELET] * len(places), [j for j, _ in places], [k for _, k in places]

    def narrower(self, d: int) -> str:
        return "raise j_min (fewer fine scales)" + (
            ", or set combine=additive" if self.combine == "multiplicative" else ", or choose fewer inputs"
        )
