"""Random Fourier features, of stationary and of non-stationary kernels.

With P frequency matrices Ω_1 … Ω_P (P = 1 stationary, P = 2 non-stationary) and z_p = XΩ_p + b_p:

    paired       ψ(X) = (1/P) √(1/s) [Σ_p cos XΩ_p ; Σ_p sin XΩ_p]    s = D/2 draws of frequencies, no phases
    with phases  φ(X) = (1/P) √(2/s) Σ_p cos z_p                      s = D draws, b ~ U[0, 2π)

D is the number of columns in both. The paired form is the kernel of its own frequencies, whatever these are,

    ψ(x)·ψ(x') = (1/s) Σ_j P⁻² Σ_{p,q} cos(ω_pjᵀx − ω_qjᵀx')

The form with phases has it in expectation over phases that do not depend on Ω (and are shared by the P matrices):
before anything is learned. A gradient step on Ω makes Ω depend on b, and the equality ends: after training on abalone
the Gram matrix of features with shared phases is 0.45 (relative, Frobenius) away from the average over their own
frequencies, where phases drawn anew are 0.03 away.

In expectation over the frequencies these kernels are (kernlab.feature_maps.law has the closed forms)

    P = 1   E cos ωᵀ(x − x')                                                        any stationary kernel, by Bochner
    P = 2   E ¼[cos(ωᵀx − ω'ᵀx') + cos(ω'ᵀx − ωᵀx') + cos ωᵀ(x−x') + cos ω'ᵀ(x−x')]   by Yaglom's theorem

Setting Ω' = Ω gives back the stationary features. With independent phases b' ≠ b the cross terms of P = 2 average out:
what is left is ¼E[cos ωᵀ(x−x') + cos ω'ᵀ(x−x')], stationary and with k(x, x) = ½. The paper's text draws b and b'
independently and calls the forms equivalent; they are so only if b' = b, and only as long as (Ω, Ω') does not depend
on b.

The matrices are kept side by side in one tensor ``omega`` [d P s], so that one product and one cosine serve both;
this is what makes a training step fast.

Source: Rahimi & Recht 2007 and Bochner's theorem (P = 1); ASKL eq. 5–6, Yaglom 1987, Samo & Roberts 2015 (P = 2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.errors import OptionError
from kernlab.feature_maps.base import FEATURE_MAPS, FeatureMap, Pullback
from kernlab.feature_maps.densities import draw
from kernlab.feature_maps.law import ExactGram, FrequencyLaw, GramFunction
from kernlab.feature_maps.scale import SCALE_ALIASES, Scaled, scale_option
from kernlab.feature_maps.trigonometry import cos, sin
from kernlab.options import component, option, options_of
from kernlab.typing import Float, Params, Tensor

__all__ = ["NonStationary", "SpectralMap", "Stationary", "from_version_1", "waves"]


def _phase_of_form(form: Any, of: Any = None) -> str:
    """What ``form`` of version 1 meant: phase (shared) or paired."""
    if form not in ("phase", "paired"):
        raise OptionError("form must be phase or paired", repr(form), "set phase=paired, shared or independent instead")
    return "shared" if form == "phase" else "paired"


@component
class SpectralMap(Scaled, FeatureMap):
    """Base of random Fourier features; subclasses set ``pairs``, the number P of frequency matrices."""

    pairs: ClassVar[int] = 1
    projects: ClassVar[bool] = True
    scales: ClassVar[tuple[str, ...]] = ("frequency_scale",)
    stackable: ClassVar[bool] = True
    version = 2
    aliases: ClassVar[Mapping[str, tuple[str, Callable[[Any, Any], Any]]]] = {
        **SCALE_ALIASES,
        "form": ("phase", _phase_of_form),
    }

    n_features: int = option(
        2000, "Number of features D, the columns of φ(X); pairs of cosine and sine make an odd D even, D + 1.",
        ge=1, le=400_000, log=True,
    )  # fmt: skip
    phase: Literal["paired", "shared", "independent"] = option(
        "paired",
        "paired: cosine and sine of each draw, exactly the kernel of the frequencies; shared: one random phase a draw, "
        "that kernel in expectation until frequencies are learned; independent: a phase for each frequency of a pair, "
        "as in ASKL's text, another kernel, which is stationary.",
    )
    frequency_scale: float | Literal["auto"] = scale_option("Scale σ of the assigned frequencies, 1/lengthscale")
    density: Literal["gaussian", "laplacian", "cauchy", "matern"] = option(
        "gaussian", "Kernel whose spectral density the frequencies are drawn from.", advanced=True
    )
    nu: float = option(2.5, "Smoothness of the Matérn kernel (matern only).", gt=0, le=50, advanced=True)
    sampling: Literal["iid", "orthogonal", "sobol"] = option(
        "iid", "How frequencies are drawn: independently, in orthogonal blocks, or quasi-Monte-Carlo.", advanced=True
    )
    learn_phase: bool = option(
        False, "Learn the phases b with the frequencies (RFDI: θ = (Ω, b)); pairs have none.", advanced=True
    )

    @property
    def trainable(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on an option
        return ("omega", "phase") if self.learn_phase and not self.paired else ("omega",)

    def work(self, d: int) -> int:
        return d * self.cosines

    @property
    def cosines(self) -> int:
        return self.pairs * self.width

    @property
    def paired(self) -> bool:
        """Whether features are pairs of cosine and sine, without random phases."""
        return self.phase == "paired"

    @property
    def draws(self) -> int:
        """Draws s of frequencies (of pairs of them where P = 2): one for two columns, or one a column with phases."""
        return (self.n_features + 1) // 2 if self.paired else self.n_features

    @property
    def independent_draws(self) -> int:
        return self.draws if self.sampling == "iid" else 0

    @property
    def largest_trace(self) -> float:
        """1 for pairs, since cos² + sin² = 1; 2 with phases, where every cosine of one x may be 1."""
        return 1.0 if self.paired else 2.0

    @property
    def width(self) -> int:
        return 2 * self.draws if self.paired else self.draws

    @classmethod
    def build(cls, **values: Any) -> Any:  # its own kind
        if "form" in values and "phase" not in values:  # the option's name in version 1
            values = from_version_1({"n_features": options_of(cls)["n_features"].default, **values})
        return super().build(**values)

    @classmethod
    def upgraded(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        return from_version_1({"n_features": options_of(cls)["n_features"].default, "phase": "shared", **options})

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        scale = self.resolve(X).frequency_scale
        assert scale != "auto"
        omega = draw(
            X.shape[1],
            self.draws,
            pairs=self.pairs,
            density=self.density,
            scale=float(scale),
            nu=self.nu,
            sampling=self.sampling,
            generator=generator,
        )
        params = {"omega": omega}
        if not self.paired:
            params["phase"] = self.draw_phase(generator)
        return {name: value.to(X.device, X.dtype) for name, value in params.items()}

    def draw_phase(self, generator: torch.Generator) -> Float[Tensor, "P s"]:
        """Phases b in [0, 2π), one a draw and the same for all P matrices, or one for each of them.

        Where shared ones are learned they are one row, P = 1, so that they stay the same.
        """
        if self.phase == "independent":
            return 2 * math.pi * torch.rand(self.pairs, self.draws, generator=generator)
        b = 2 * math.pi * torch.rand(1, self.draws, generator=generator)
        return b if self.learn_phase else b.repeat(self.pairs, 1)

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        z = self._project(params, X)
        if self.paired:
            return torch.cat([cos(z).sum(1), sin(z).sum(1)], dim=1) * self._scale
        return cos(z).sum(1) * self._scale

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n D"], Pullback]:
        """Written out, by way of the phases z. Source: ASKL eq. 9."""
        Phi, to_phases = self.linearized(params, X)
        return Phi, lambda cotangent: self.to_params(params, X, to_phases(cotangent))

    def linearized(
        self, params: Params, X: Float[Tensor, "n d"]
    ) -> tuple[Float[Tensor, "n D"], Callable[[Tensor], Tensor]]:
        """Features, and the function that carries a gradient on them to the phases z [n P s].

        ∂φ/∂z_p = −c sin z_p, and of pairs c [−sin z_p ; cos z_p]. What remains is linear: see :meth:`to_params` and
        :meth:`to_inputs`.
        """
        z = self._project(params, X)
        cosine = cos(z)
        s = self.draws

        if self.paired:
            sine = sin(z)
            Phi = torch.cat([cosine.sum(1), sine.sum(1)], dim=1) * self._scale

            def to_phases(cotangent: Tensor) -> Tensor:
                C = cotangent * self._scale
                return cosine * C[:, None, s:] - sine * C[:, None, :s]

        else:
            Phi = cosine.sum(1) * self._scale

            def to_phases(cotangent: Tensor) -> Tensor:
                return sin(z) * (cotangent * -self._scale)[:, None, :]

        return Phi, to_phases

    def to_params(self, params: Params, X: Float[Tensor, "n d"], on_z: Float[Tensor, "n P s"]) -> dict[str, Tensor]:
        """A gradient on z carried to what is learned: ∇_{Ω_p} = Xᵀ ∂z_p and ∇_{b_p} = 1ᵀ ∂z_p."""
        gradient = {"omega": (X.mT @ on_z.flatten(1)).view(-1, self.pairs, self.draws)}
        if "phase" in self.trainable:
            on_phase = on_z.sum(0)
            gradient["phase"] = on_phase if len(params["phase"]) == self.pairs else on_phase.sum(0, keepdim=True)
        return gradient

    def to_inputs(self, params: Params, on_z: Float[Tensor, "n P s"]) -> Float[Tensor, "n d"]:
        """A gradient on z carried to the inputs: ∇_X = Σ_p ∂z_p Ω_pᵀ. What stacked layers need."""
        return on_z.flatten(1) @ params["omega"].flatten(1).mT

    @property
    def _scale(self) -> float:
        return math.sqrt((1 if self.paired else 2) / self.draws) / self.pairs

    def _project(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n P s"]:
        omega = params["omega"].reshape(X.shape[1], -1)
        z = X @ omega if self.paired else torch.addmm(params["phase"].expand(self.pairs, -1).reshape(-1), X, omega)
        return z.view(-1, self.pairs, self.draws)

    @property
    def _names(self) -> tuple[str, ...]:
        return ("omega", "omega_prime")[: self.pairs]

    def frequencies(self, params: Params) -> dict[str, Tensor]:
        found = {name: params["omega"][:, p] for p, name in enumerate(self._names)}
        return found if self.paired else {**found, "phase": params["phase"]}

    def law(self) -> FrequencyLaw | None:
        if self.frequency_scale == "auto":
            return None
        return FrequencyLaw(
            self.density, float(self.frequency_scale), self.nu, self.pairs, crossed=self.phase != "independent"
        )

    def exact(self, params: Params, learned: bool) -> ExactGram | None:
        """The law's kernel; once frequencies are learned the average over these very frequencies."""
        if not learned:
            law = self.law()
            return law and law.exact
        words = "the average over these very frequencies"
        if "phase" in self.trainable:
            words += ", which learned phases leave on purpose"
        elif not self.paired:
            words += ", which is another kernel than the features': learned frequencies depend on their phases"
        return ExactGram(self.average(params), words, same=self.paired)

    def average(self, params: Params) -> GramFunction:
        """The kernel of these very frequencies: exactly that of pairs, and the mean over phases that are drawn anew.

        Of independent phases the cross terms average out.
        """
        omega = params["omega"].double().numpy()
        if self.pairs == 2 and self.phase == "independent":
            each = omega.reshape(len(omega), 1, -1)
            return waves(each, np.full(each.shape[2], 0.5 / each.shape[2]))
        return waves(omega, np.full(omega.shape[2], 1 / omega.shape[2]))

    def rephased(self, params: Params, generator: torch.Generator) -> Params:
        if self.paired:
            return params
        form = self.replace(n_features=params["omega"].shape[-1])  # a snapshot may keep the first frequencies only
        return {**params, "phase": form.draw_phase(generator)}

    def plain(self) -> SpectralMap:
        """A map of the same law with cosine and sine of each draw, whose only error is that of the frequencies."""
        phase = self.phase if self.phase == "independent" and self.pairs == 2 else "paired"
        return type(self)(density=self.density, frequency_scale=self.frequency_scale, nu=self.nu, phase=phase)

    def restored(self, kept: Params) -> tuple[SpectralMap, Params] | None:
        phases = {} if self.paired else {name: kept[name] for name in ("phase",) if name in kept}
        if not set(self._names) <= kept.keys() or not (phases or self.paired):
            return None
        omega = torch.stack([kept[name] for name in self._names], dim=1)
        columns = omega.shape[2] * (2 if self.paired else 1)
        return self.replace(n_features=columns), {"omega": omega, **phases}


@FEATURE_MAPS.register("nonstationary")
@component
class NonStationary(SpectralMap):
    """Non-stationary spectral features (Yaglom)."""

    name = "nonstationary"
    title = "Non-stationary spectral"
    formula = (
        r"\varphi(x)=\tfrac{1}{\sqrt{2D}}\,[\cos\Omega^\top x+\cos\Omega'^\top x\,;\ "
        r"\sin\Omega^\top x+\sin\Omega'^\top x]"
    )
    source = "ASKL eq. 5–6; Yaglom 1987"
    pairs = 2


@FEATURE_MAPS.register("stationary")
@component
class Stationary(SpectralMap):
    """Stationary spectral features (random Fourier features)."""

    name = "stationary"
    title = "Stationary spectral"
    formula = r"\varphi(x)=\sqrt{2/D}\,[\cos\Omega^\top x\,;\ \sin\Omega^\top x]"
    source = "Rahimi & Recht 2007; Bochner's theorem"
    pairs = 1


def waves(omega: NDArray[np.float64], share: NDArray[np.float64]) -> GramFunction:
    """Σ_j share_j Re ē_j(x) e_j(x') with e_j = P⁻¹Σ_p exp(iω_pjᵀx), for frequencies [d P s]: the paired form."""

    def features(X: NDArray[Any]) -> NDArray[np.float64]:
        z = np.tensordot(np.asarray(X, np.float64), omega, 1)  # [n P s]
        root = np.sqrt(share)
        return np.concatenate([np.cos(z).mean(1) * root, np.sin(z).mean(1) * root], axis=1)

    def gram(X: NDArray[Any], Z: NDArray[Any]) -> NDArray[np.float64]:
        Phi = features(X)
        return np.asarray(Phi @ (Phi if Z is X else features(Z)).T)

    return gram


def from_version_1(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as version 1 of these maps had them, in the terms of today.

    In version 1 ``n_features`` counted frequencies, so that pairs had twice as many columns, and the stationary map had
    the option ``form`` = "phase" or "paired".

    Args:
        options: with ``n_features``, and ``form`` or ``phase``; others stay as they are.

    Raises:
        OptionError: an unknown form.
    """
    found = dict(options)
    if "form" in found:
        found["phase"] = _phase_of_form(found.pop("form"))
    if found.get("phase") == "paired" and type(found.get("n_features")) is int:
        found["n_features"] *= 2
    return found
