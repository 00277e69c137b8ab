"""A generalisation bound taken apart: its terms over training, and as they stand now.

    test risk ≤ empirical risk + complexity + confidence

The complexity term is 4√2·L·R̂; it is drawn three times, with the paper's bound on R̂, with the exact
value (dual norm) and with the worst case, beside the measured test risk. Source: [ASKL] Thm 3, METHODS.md 7.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from kernlab.analysis.curves import Curve, Curves, History, curves, last

__all__ = ["BoundBar", "BoundHistory", "BoundNow", "bound_history", "bound_now"]

PREFIX = "bound/"

#: Terms drawn over training, in legend order; the standard error belongs to the dual norm's hover.
DRAWN = (
    "total",
    "rademacher",
    "dual_norm",
    "worst_case",
    "confidence",
    "empirical_risk",
    "weight_norm",
    "mean_trace",
    "rank",
)


class BoundHistory(NamedTuple):
    """The bound's terms over training against what they bound.

    Attributes:
        terms: one curve a term, named without its prefix.
        gap: measured test loss − train loss, None where it was not measured.
        hidden: gap values ≤ 0, which a logarithmic axis cannot show.
    """

    terms: Curves
    gap: Curve | None
    hidden: int


class BoundBar(NamedTuple):
    """One stacked bar.

    Attributes:
        name: "paper", "dual norm", "worst case" or "measured".
        parts: (term, value) from the left: empirical_risk, then complexity and confidence, or the gap.
        total: sum of the parts.
        error: standard error of the total from the Monte-Carlo estimate, 0 where there is none.
    """

    name: str
    parts: tuple[tuple[str, float], ...]
    total: float
    error: float = 0.0


class BoundNow(NamedTuple):
    """The bound at one moment: the bars, largest last measured first, and the terms as numbers.

    Attributes:
        bars: measured, dual norm, paper, worst case, as far as known.
        terms: term to value.
    """

    bars: tuple[BoundBar, ...]
    terms: Mapping[str, float]


def bound_history(
    history: History,
    *,
    terms: tuple[str, ...] = DRAWN,
    smoothing: float = 0.0,
    axis: Literal["step", "epoch"] = "epoch",
    method: str = "",
) -> BoundHistory:
    """The terms of the bound over training; arguments as in :func:`kernlab.analysis.curves.curves`."""
    found = curves(history, [PREFIX + t for t in (*terms, "gap")], smoothing=smoothing, axis=axis, method=method)
    plain = [curve._replace(name=curve.name.removeprefix(PREFIX)) for curve in found.curves]
    gap = next((curve for curve in plain if curve.name == "gap"), None)
    kept = tuple(curve for curve in plain if curve.name != "gap")
    return BoundHistory(found._replace(curves=kept), gap, int((gap.y <= 0).sum()) if gap is not None else 0)


def bound_now(values: Mapping[str, float]) -> BoundNow:
    """The bound as stacked bars.

    The complexity part of the paper's bar is what its total holds besides risk and confidence; the other
    bars scale it by dual_norm/rademacher and worst_case/rademacher.

    Args:
        values: term to value (see :func:`newest`); at least empirical_risk, rademacher, confidence and
            total for the paper's bar.
    """
    bars: list[BoundBar] = []
    risk = values.get("empirical_risk")
    if risk is not None and "gap" in values:
        bars.append(_bar("measured", (("empirical_risk", risk), ("gap", values["gap"]))))
    if risk is not None and {"rademacher", "confidence", "total"} <= values.keys():
        confidence, scale = values["confidence"], values["rademacher"]
        complexity = values["total"] - risk - confidence
        for name, term in (("dual norm", "dual_norm"), ("paper", "rademacher"), ("worst case", "worst_case")):
            if term not in values or not scale > 0:
                continue
            part = complexity * values[term] / scale
            error = complexity * values.get("dual_norm_se", 0.0) / scale if term == "dual_norm" else 0.0
            bars.append(_bar(name, (("empirical_risk", risk), ("complexity", part), ("confidence", confidence)), error))
    return BoundNow(tuple(bars), dict(values))


def newest(history: History) -> dict[str, float]:
    """The newest finite value of every bound term in a history, by its name without the prefix."""
    found = {key.removeprefix(PREFIX): last(history, key) for key in history if key.startswith(PREFIX)}
    return {key: value for key, value in found.items() if value is not None}


def _bar(name: str, parts: tuple[tuple[str, float], ...], error: float = 0.0) -> BoundBar:
    return BoundBar(name, parts, sum(value for _, value in parts), error)
