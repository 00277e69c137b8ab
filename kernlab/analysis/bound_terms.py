"""A generalisation bound taken apart: its terms over training, and as they stand now.

    gap = test loss − train loss,   beside   4√2·L·R̂ + √(log(1/δ)/n)

R̂, the Rademacher complexity, enters three times: by the paper's bound, exactly (dual norm, with a
Monte-Carlo error) and in the worst case; each is multiplied by 4√2·L, so that all stand on the scale of
the loss and can be compared with the measured gap. Source: [ASKL] Thm 3, METHODS.md 7.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from kernlab.analysis.curves import Curve, Curves, History, Series, curves, last

__all__ = ["BoundBar", "BoundHistory", "BoundNow", "bound_history", "bound_now", "newest"]

_PREFIX = "bound/"

#: Names of 4√2·L·R̂ by the estimate of R̂ they use.
_SCALED = {"rademacher": "complexity", "dual_norm": "complexity_exact", "worst_case": "complexity_worst"}

#: Terms on the scale of the loss, in legend order. Weight norm, rank and mean trace have scales of their own.
_DRAWN = ("total", "complexity_worst", "complexity", "complexity_exact", "confidence", "empirical_risk")


class BoundHistory(NamedTuple):
    """The bound's terms over training against what they bound.

    Attributes:
        terms: curves named total, complexity_worst, complexity (the paper's), complexity_exact,
            confidence, empirical_risk, as far as known.
        gap: measured test loss − train loss, None where it was not measured.
        hidden: drawn gap values ≤ 0, which a logarithmic axis cannot show.
    """

    terms: Curves
    gap: Curve | None
    hidden: int


class BoundBar(NamedTuple):
    """One stacked bar.

    Attributes:
        name: "empirical risk", "measured gap", "exact", "paper" or "worst case".
        parts: (term, value) from the left.
        total: sum of the parts.
        error: Monte-Carlo standard error of the total, 0 where there is none.
    """

    name: str
    parts: tuple[tuple[str, float], ...]
    total: float
    error: float = 0.0

    @property
    def end(self) -> float:
        """Where the bar and its error end."""
        return self.total + self.error


class BoundNow(NamedTuple):
    """The bound at one moment.

    Attributes:
        bars: empirical risk, measured gap, then the bound with the exact, the paper's and the worst-case
            complexity, as far as known.
        terms: term to value, as given.
    """

    bars: tuple[BoundBar, ...]
    terms: Mapping[str, float]


def bound_history(
    history: History, *, smoothing: float = 0.0, axis: Literal["step", "epoch"] = "epoch", method: str = ""
) -> BoundHistory:
    """The terms of the bound over training, on the scale of the loss.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/<term>``.
        smoothing, axis, method: as in :func:`kernlab.analysis.curves.curves`.
    """
    terms = {key.removeprefix(_PREFIX): series for key, series in history.items() if key.startswith(_PREFIX)}
    if "lipschitz" in terms:
        for name, scaled in _SCALED.items():
            if name in terms:
                terms[scaled] = _scaled(terms[name], terms["lipschitz"])
    found = curves(terms, [*_DRAWN, "gap"], smoothing=smoothing, axis=axis, method=method)
    gap = next((curve for curve in found.curves if curve.name == "gap"), None)
    kept = tuple(curve for curve in found.curves if curve.name != "gap")
    return BoundHistory(found._replace(curves=kept), gap, int((gap.y <= 0).sum()) if gap is not None else 0)


def bound_now(values: Mapping[str, float]) -> BoundNow:
    """The bound as stacked bars: complexity and confidence, with the three estimates of R̂.

    Args:
        values: term to value (see :func:`newest`): lipschitz, confidence and any of rademacher, dual_norm
            (with dual_norm_se), worst_case for the bound; empirical_risk and gap for what was measured.
    """
    bars = [
        BoundBar(name, ((term, values[term]),), values[term])
        for name, term in (("empirical risk", "empirical_risk"), ("measured gap", "gap"))
        if term in values
    ]
    if {"lipschitz", "confidence"} <= values.keys():
        factor, confidence = 4 * math.sqrt(2) * values["lipschitz"], values["confidence"]
        for name, term in (("exact", "dual_norm"), ("paper", "rademacher"), ("worst case", "worst_case")):
            if term in values:
                complexity = factor * values[term]
                error = factor * values.get("dual_norm_se", 0.0) if term == "dual_norm" else 0.0
                parts = (("complexity", complexity), ("confidence", confidence))
                bars.append(BoundBar(name, parts, complexity + confidence, error))
    return BoundNow(tuple(bars), dict(values))


def newest(history: History) -> dict[str, float]:
    """The newest finite value of every bound term in a history, by its name without ``bound/``."""
    found = {key.removeprefix(_PREFIX): last(history, key) for key in history if key.startswith(_PREFIX)}
    return {key: value for key, value in found.items() if value is not None}


def _scaled(series: Series, lipschitz: Series) -> Series:
    """4√2·L times a complexity; L is read off at the same steps."""
    steps, epochs, values = series
    at = np.interp(np.asarray(steps, float), np.asarray(lipschitz[0], float), np.asarray(lipschitz[2], float))
    return steps, epochs, 4 * math.sqrt(2) * at * np.asarray(values, float)
