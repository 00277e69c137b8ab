"""Stacked spectral features: the features of one layer are the inputs of the next.

    φ(x) = φ_L(φ_{L−1}( … φ_1(x))),   φ_l non-stationary (or stationary), of cosines and sines

The first layer looks at the inputs, the inner ones at points of norm at most 1 (‖φ_l(x)‖² = k_l(x, x) ≤ 1), so that
one scale serves all of them. The gradient is the chain of each layer's own: from its features to its phases, from
there to its frequencies and to its inputs.

Source: ASKL, discussion (deep spectral kernels); each layer as in ASKL eq. 5–6 or Rahimi & Recht 2007.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import torch

from kernlab.feature_maps.base import FEATURE_MAPS, FeatureMap, Pullback
from kernlab.feature_maps.law import FrequencyLaw
from kernlab.feature_maps.scale import SCALE_ALIASES, automatic_scale, scale_option
from kernlab.feature_maps.spectral import NonStationary, SpectralMap, Stationary
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["Deep"]


@FEATURE_MAPS.register("deep")
@component
class Deep(FeatureMap):
    """Stacked spectral features."""

    name = "deep"
    title = "Deep spectral"
    formula = r"\varphi(x)=\varphi_L\circ\dots\circ\varphi_1(x)"
    source = "ASKL, discussion"
    projects = True
    scales = ("frequency_scale", "hidden_scale")
    stackable = True
    version = 2
    aliases = SCALE_ALIASES
    frequencies_of = "first layer"

    n_features: int = option(2000, "Features D of the last layer.", ge=1, le=200_000, log=True)
    layers: int = option(2, "How many layers L are stacked.", ge=2, le=6)
    hidden: int = option(256, "Features of each layer before the last.", ge=1, le=20_000, log=True)
    frequency_scale: float | Literal["auto"] = scale_option("Scale σ of the first layer's frequencies, 1/lengthscale")
    hidden_scale: float | Literal["auto"] = option(
        "auto",
        "Scale of the later layers' frequencies; auto: the same rule on the first layer's features.",
        gt=0,
        log=True,
        advanced=True,
    )
    phase: Literal["paired", "shared", "independent"] = option(
        "paired", "paired: each layer has cosine and sine of each draw; shared or independent: random phases instead.",
        advanced=True,
    )  # fmt: skip
    stationary: bool = option(False, "Stationary layers: one frequency a feature instead of two.", advanced=True)

    @property
    def trainable(self) -> tuple[str, ...]:  # type: ignore[override]  # one for each layer
        return tuple(f"layer{number}.omega" for number in range(self.layers))

    @cached_property  # kept, since a step asks for it and compiled steps cannot build it
    def stack(self) -> tuple[SpectralMap, ...]:
        """The layers, from the inputs on."""
        kind = Stationary if self.stationary else NonStationary
        first = kind(n_features=self.hidden, frequency_scale=self.frequency_scale, phase=self.phase)
        inner = first.replace(frequency_scale=self.hidden_scale)
        return (first, *[inner] * (self.layers - 2), inner.replace(n_features=self.n_features))

    @property
    def pairs(self) -> int:
        """Frequencies a feature, as in the layers."""
        return self.stack[0].pairs

    @property
    def width(self) -> int:
        return self.stack[-1].width

    @property
    def largest_trace(self) -> float:
        return self.stack[-1].largest_trace

    @classmethod
    def upgraded(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        return {**options, "phase": "shared"}

    def work(self, d: int) -> int:
        inputs = (d, *[layer.width for layer in self.stack[:-1]])
        return sum(layer.work(each) for layer, each in zip(self.stack, inputs, strict=True))

    @property
    def cosines(self) -> int:
        return sum(layer.cosines for layer in self.stack)

    def resolve(self, X: Float[Tensor, "n d"]) -> Deep:
        if "auto" not in (self.frequency_scale, self.hidden_scale):
            return self
        X = X[:1000].float().cpu()  # the same numbers on every device and in every precision
        first, inner = self.stack[0].resolve(X), self.hidden_scale
        if inner == "auto":
            inner = automatic_scale(first.apply(first.init(X, torch.Generator().manual_seed(0)), X))
        return self.replace(frequency_scale=first.frequency_scale, hidden_scale=inner)

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        params: dict[str, Tensor] = {}
        for number, layer in enumerate(self.resolve(X).stack):
            inputs = X if number == 0 else X.new_empty(1, self.stack[0].width)  # a layer reads their number, no more
            fresh = layer.init(inputs, generator)
            params |= {f"layer{number}.{name}": value for name, value in fresh.items()}
        return params

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        for number, layer in enumerate(self.stack):
            X = layer.apply(_of(params, number), X)
        return X

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n D"], Pullback]:
        """Written out: layer by layer forwards, then back through each one's phases and inputs."""
        passed = []
        for number, layer in enumerate(self.stack):
            own = _of(params, number)
            Phi, to_phases = layer.linearized(own, X)
            passed.append((number, layer, own, X, to_phases))
            X = Phi

        def back(cotangent: Tensor) -> dict[str, Tensor]:
            gradient = {}
            for number, layer, own, inputs, to_phases in reversed(passed):
                on_z = to_phases(cotangent)
                gradient[f"layer{number}.omega"] = layer.to_params(own, inputs, on_z)["omega"]
                if number:
                    cotangent = layer.to_inputs(own, on_z)
            return gradient

        return X, back

    def law(self) -> FrequencyLaw | None:
        return self.stack[0].law()

    def frequencies(self, params: Params) -> dict[str, Tensor]:
        """Of the first layer: those that live where the inputs live."""
        return self.stack[0].frequencies(_of(params, 0))


def _of(params: Params, number: int) -> dict[str, Tensor]:
    names = {name: f"layer{number}.{name}" for name in ("omega", "phase")}
    return {name: params[key] for name, key in names.items() if key in params}
