"""What a bound would be with other values of n, D, δ, λ₁, λ₂, k, t …: its formula evaluated again, without training.

    what_if(given, {"n": 10_000, "delta": 0.01})        every term, by key

A number acts on the bound in one of three ways, and each slider names its own:

    formula      the number is part of the bound: n, δ, K; k and t of a frame; the radius ρ of a ball; ρ of a ridge.
                 Measured terms (‖W‖_*, the spectrum, the risks) stay the same, although another run would find others.
    scaling      the exact complexity at another n: E‖Φᵀε‖₂/n falls as 1/√n once Φᵀε is Gaussian.
                 D: the mean trace does not change, its scatter over draws of the frequencies falls as 1/√D.
    guarantee    λ₁ and λ₂ are not part of the bound. The answer is the largest value that any minimiser of the
                 objective with these penalties can have (:func:`kernlab.bounds.guaranteed`).

Source: ASKL Theorem 3; FKS Theorem 3; DI eq. 4–6; LKRF eq. 6–8.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.bounds import (
    ALIGNMENT,
    DELTA,
    DISCRIMINANT,
    FRAME,
    SPECTRAL,
    Bound,
    Estimate,
    FrameSetting,
    Guarantee,
    eigenvalue_tails,
    guaranteed,
    power_law_tails,
    spectral_formula,
)
from kernlab.bounds.spectral import rademacher_bound
from kernlab.feature_maps import FeatureMap
from kernlab.numerals import number
from kernlab.pictures.base import At, once
from kernlab.pictures.bound_terms import BoundNow, bound_now, newest_terms
from kernlab.regularizers import REGULARIZERS
from kernlab.solvers.chi_square_ball import chi_square_ball

#: Penalties on W, each of which is called λ₁.
_PENALTIES = {name: each.norm for name, each in REGULARIZERS.items() if each.letter == "λ₁"}
#: The spectral bound with two terms of the sliders alone: the scatter over D, and the guarantee of λ₁ and λ₂.
READINGS = SPECTRAL._replace(
    estimates=(
        *(each._replace(error="rademacher_se") if each.of == "rademacher" else each for each in SPECTRAL.estimates),
        Estimate("any minimiser", "complexity_guaranteed", "guaranteed", "lipschitz", 4 * math.sqrt(2), "complexity"),
    )
)


class RidgeSpectrum(NamedTuple):
    """The parts of the ridge error of a sample, from which it follows for every penalty."""

    squares: NDArray[np.float64]  # squared singular values of the centred features [r]
    shares: NDArray[np.float64]  # of the targets along each left singular vector, ‖u_iᵀȲ‖²/s [r]
    spread: float  # ‖Ȳ‖_F²/s
    rows: int  # s


class Given(NamedTuple):
    """A bound at one moment of a run, with the other arguments of its formula."""

    bound: Bound  # its terms and their words
    values: Mapping[str, float]  # term to value, as measured
    n: int  # training rows
    K: int  # outputs
    D: int  # columns of Φ
    penalties: Mapping[str, float] = {}  # name of a regularizer to its λ
    learned: bool = False  # whether the map is learned
    # number of frequencies that were drawn independently, so that D only averages; 0: they were not
    frequencies: int = 0
    candidates: int = 0  # N_w of features that were re-weighted in a χ² ball, 0 where they were not (or drawn again)
    q: ArrayLike | None = None  # weights of the features that were kept
    gain: float | None = None  # growth of ⟨K, YYᵀ⟩ as a factor
    spectrum: ArrayLike | None = None  # λ of a frame [D]; None where only the power law above them is known
    ridge: RidgeSpectrum | None = None  # the parts of the ridge error
    rho: float = 0.0  # the ridge penalty
    largest_trace: float = 1.0  # upper limit of ‖φ(x)‖²: 1 for pairs of cosine and sine, 2 with random phases


class BoundSlider(NamedTuple):
    """One number that can be changed."""

    key: str  # name in ``changes``
    title: str  # symbol and name
    value: float  # of the run
    low: float  # least value
    high: float  # largest value
    whole: bool  # whole numbers only
    kind: Literal["formula", "scaling", "guarantee"]  # how it acts on the bound, see the module
    sentence: str  # the same in plain words

    @property
    def choices(self) -> list[float]:
        """Values from low to high, evenly spread over the powers of ten, the run's own among them."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        found = [float(f"{lead}e{power}") for power in powers for lead in _SERIES]
        found = [round(value) for value in found] if self.whole else found
        return sorted({self.value, *(float(value) for value in found if self.low <= value <= self.high)})

    def allowed(self, value: float) -> float:
        """The nearest value in the range."""
        inside = min(max(value, self.low), self.high)
        return float(round(inside)) if self.whole else inside

    def joined(self, other: BoundSlider) -> BoundSlider:
        """One slider for two runs, with the value of the first."""
        return self._replace(low=min(self.low, other.low), high=max(self.high, other.high))


#: Twelve steps a decade, each about a fifth larger.
_SERIES = (1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)

Changes = Mapping[str, float]


# -- sliders ---------------------------------------------------------------------------------------------------


def sliders(given: Given) -> tuple[BoundSlider, ...]:
    """The sliders of this bound; none where a term of its formula is unknown."""
    return _SLIDERS[given.bound.name](given) if known(given) else ()


def known(given: Given) -> bool:
    """Whether every term of the bound's formula was measured."""
    needs = _NEEDS.get(given.bound.name)
    return needs is not None and all(math.isfinite(given.values.get(key, math.nan)) for key in needs)


_NEEDS = {
    SPECTRAL.name: ("weight_norm", "mean_trace", "lipschitz", "confidence", "empirical_risk"),
    FRAME.name: (
        "empirical_risk", "envelope_constant", "envelope_exponent", "eigenvalue_sum", "norm", "target_bound",
        "output_bound",
    ),
    ALIGNMENT.name: ("chi_square", "support"),
    DISCRIMINANT.name: ("predicted_error",),
}  # fmt: skip


def _rows(n: int, sentence: str) -> BoundSlider:
    return BoundSlider("n", "n, training rows", n, min(100, n), max(10**9, 1000 * n), True, "formula", sentence)


def _doubt(sentence: str) -> BoundSlider:
    return BoundSlider("delta", "δ, doubt", DELTA, 1e-9, 0.5, False, "formula", sentence)


def _spectral_sliders(given: Given) -> tuple[BoundSlider, ...]:
    found = [
        _rows(given.n, "Exact for the paper's bound, the worst case and the confidence term, with W and Φ as they are. "
                     "The exact complexity is scaled by 1/√n, its limit for many rows."),
        _doubt("Exact: it is part of the confidence term alone."),
        BoundSlider("K", "K, outputs", given.K, 1, max(100, 10 * given.K), True, "formula",
               "Exact for the paper's bound and the worst case, with ‖W‖_* as it is; the exact complexity is known "
               "for the run's own K only."),
    ]  # fmt: skip
    if given.frequencies and "trace_spread" in given.values:
        D = given.frequencies
        learned = (
            " Learned frequencies are not drawn independently, so for them it is a guide." if given.learned else ""
        )
        found.append(
            BoundSlider("D", "s, draws of frequencies", D, min(10, D), max(10**5, 10 * D), True, "scaling",
                   "Their number is not part of the bound: it only makes the mean trace more certain. The "
                   "error bar of the paper's bound is one standard deviation over s draws: it falls as 1/√s." + learned)
        )  # fmt: skip
    found += [
        _weight(name, f"λ₁ for {norm}", given,
                "A guarantee, not a prediction: no minimiser of the objective has a larger bound than the bar “any "
                "minimiser”. Only training with this λ₁ shows what it finds.")
        for name, norm in _PENALTIES.items()
        if guarantees(given) and given.penalties.get(name, 0.0) > 0
    ]  # fmt: skip
    if guarantees(given) and given.learned and given.penalties.get("feature_norm", 0.0) > 0:
        found.append(
            _weight("feature_norm", "λ₂, mean trace", given,
                    "A guarantee as well: a larger mean trace leaves less of the objective for the weights. It acts "
                    "where λ₂ is not small beside the loss.")
        )  # fmt: skip
    return tuple(found)


def _weight(name: str, title: str, given: Given, sentence: str) -> BoundSlider:
    value = given.penalties[name]
    return BoundSlider(name, title, value, min(1e-8, value), max(10.0, value), False, "guarantee", sentence)


def guarantees(given: Given) -> bool:
    """Whether there is a penalty on W, and all terms of its guarantee were measured."""
    there = {"zero_risk", "weight_square"} <= given.values.keys()
    return there and any(given.penalties.get(name, 0.0) > 0 for name in _PENALTIES)


def _frame_sliders(given: Given) -> tuple[BoundSlider, ...]:
    k, t = frame_setting(given).best(given.n)
    return (
        _rows(given.n, "Exact, with the function and the spectrum as they are."),
        _doubt("Exact: log(1/δ) is part of the last term of both bounds."),
        BoundSlider("k", "k, weight of the risk", k, 2, max(1000, 10 * k), True, "formula",
               "Exact. The bound holds for any whole k ≥ 2; untouched, k is the best for n and δ. The printed "
               "bound keeps its own best."),
        BoundSlider("t", "t, leading eigenvalues", t, 1, max(given.D, 10 * t, 10), True, "formula",
               "Exact. The bound holds for any whole t ≥ 1; untouched, t is the best. The printed bound keeps its "
               "own best."),
    )  # fmt: skip


def _alignment_sliders(given: Given) -> tuple[BoundSlider, ...]:
    if not given.candidates:
        return ()
    share = given.values["chi_square"] / given.candidates
    return (
        BoundSlider("radius", "ρ/N_w, radius of the ball", share, min(1e-5, share), max(0.5, share), False, "formula",
               "Exact for the divergence, the effective number and, in a larger ball, the features kept; in a "
               "smaller one at least so many are kept. The gain in ⟨K, YYᵀ⟩ is a range."),
    )  # fmt: skip


def _discriminant_sliders(given: Given) -> tuple[BoundSlider, ...]:
    if given.ridge is None or given.rho <= 0:
        return ()
    return (
        BoundSlider("rho", "ρ, ridge penalty", given.rho, min(1e-8, given.rho), max(1e6, given.rho), False, "formula",
               f"Exact on {number(given.ridge.rows)} rows of the data, from the singular values of their features. "
               "Only ρ over the number of rows matters, so ten times the rows are a tenth of ρ."),
    )  # fmt: skip


_SLIDERS: dict[str, Callable[[Given], tuple[BoundSlider, ...]]] = {
    SPECTRAL.name: _spectral_sliders, FRAME.name: _frame_sliders, ALIGNMENT.name: _alignment_sliders,
    DISCRIMINANT.name: _discriminant_sliders,
}  # fmt: skip


# -- answers ---------------------------------------------------------------------------------------------------


def what_if(given: Given, changes: Changes | None = None) -> dict[str, float]:
    """Every term after some changes, by key; without changes the measured ones.

    Args:
        given: the bound of a run.
        changes: key of a slider to its new value; a k or t that is not named is the best one.
    """
    return _ANSWERS[given.bound.name](given, changes or {}) if known(given) else dict(given.values)


def bars_if(given: Given, changes: Changes | None = None) -> BoundNow:
    """The bound after some changes as bars."""
    shown = READINGS if given.bound.name == SPECTRAL.name else given.bound
    found = bound_now(what_if(given, changes), shown)
    return found._replace(title=f"{found.title.removesuffix(' now')} with these values")


def _spectral(given: Given, changes: Changes) -> dict[str, float]:
    v, n, K = given.values, int(changes.get("n", given.n)), int(changes.get("K", given.K))
    formula = spectral_formula(
        weight_norm=v["weight_norm"], mean_trace=v["mean_trace"], lipschitz=v["lipschitz"],
        K=K, n=n, delta=float(changes.get("delta", DELTA)), largest_trace=given.largest_trace,
    )  # fmt: skip
    found = {**v, **formula}
    for key in ("dual_norm", "dual_norm_se"):
        if key in v and K == given.K:
            found[key] = v[key] * math.sqrt(given.n / n)
        else:
            found.pop(key, None)
    if given.frequencies and "trace_spread" in v:
        error = v["trace_spread"] / math.sqrt(changes.get("D", given.frequencies))
        found["rademacher_se"] = (
            rademacher_bound(v["weight_norm"], v["mean_trace"] + error, K, n) - formula["rademacher"]
        )
    if (guarantee := promised(given, changes)) is not None:
        found["guaranteed_norm"] = guarantee.weight_norm
        if math.isfinite(guarantee.product):
            found["guaranteed"] = guarantee.product * math.sqrt(K / n)
    return found


def promised(given: Given, changes: Changes) -> Guarantee | None:
    """What these penalties guarantee of every minimiser; None where they guarantee nothing."""
    if not guarantees(given):
        return None
    v, weights = given.values, {**given.penalties, **changes}
    return guaranteed(
        **{name: float(weights.get(name, 0.0)) for name in (*_PENALTIES, "feature_norm")},
        **{name: v[name] for name in ("empirical_risk", "zero_risk", "weight_norm", "weight_square", "mean_trace")},
        rank=min(given.D, given.K), learned=given.learned, largest_trace=given.largest_trace,
    )  # fmt: skip


def frame_setting(given: Given) -> FrameSetting:
    """The arguments of a frame's bound other than n, k, t and δ."""
    v = given.values
    square = v["norm"] ** 2
    height, exponent = v["envelope_constant"] * square, v["envelope_exponent"]
    tails = (
        power_law_tails(height, exponent)
        if given.spectrum is None
        else eigenvalue_tails(np.asarray(given.spectrum, np.float64) * v["frame_constant"] * square)
    )
    return FrameSetting(
        v["empirical_risk"], tails, height, exponent, v["eigenvalue_sum"] * square, v["target_bound"],
        v["output_bound"],
    )  # fmt: skip


def _frame(given: Given, changes: Changes) -> dict[str, float]:
    n, delta = int(changes.get("n", given.n)), float(changes.get("delta", DELTA))
    set_to = {key: int(changes[key]) for key in ("k", "t") if key in changes}
    return {**given.values, **frame_setting(given).answers(n, delta, **set_to)}


def _alignment(given: Given, changes: Changes) -> dict[str, float]:
    N, v = given.candidates, given.values
    if not N or "radius" not in changes:
        return {**v, **({"gain_least": given.gain, "gain_most": given.gain} if given.gain is not None else {})}
    before, radius = v["chi_square"], changes["radius"] * N
    found = {**v, "chi_square": radius, "effective_size": N / (1 + radius)}
    for key in ("alignment", "alignment_uncentred"):
        found.pop(key, None)  # these belong to the weights that were found
    if radius >= before and given.q is not None:
        # On its support q is v shifted and scaled, and a larger ball has a smaller support: the same problem.
        q = np.zeros(N)
        q[: np.size(given.q)] = given.q
        # In the ball of the run itself, rounding may tie the kept features with the dropped ones.
        found["support"] = min(v["support"], float(np.count_nonzero(chi_square_ball(q, radius))))
    else:
        found["support"] = max(v["support"] if radius < before else 1.0, math.ceil(N / (1 + radius)))
    if given.gain is not None:
        # The largest ⟨K_q, YYᵀ⟩ is concave in √ρ, and 1 (times the uniform one) at ρ = 0.
        chord = 1 + math.sqrt(radius / before) * (given.gain - 1) if before > 0 else 1.0
        found["gain_least"], found["gain_most"] = min(chord, given.gain), max(chord, given.gain)
    return found


def ridge_spectrum(Phi: ArrayLike, Y: ArrayLike) -> RidgeSpectrum:
    """The parts of the ridge error, from features Φ [s D] and targets [s K]; one singular value decomposition."""
    A, T = np.asarray(Phi, np.float64), np.asarray(Y, np.float64)
    A, T = A - A.mean(0), T - T.mean(0)
    U, values, _ = np.linalg.svd(A, full_matrices=False)
    return RidgeSpectrum(values**2, np.square(U.T @ T).sum(1) / len(T), float(np.square(T).sum()) / len(T), len(T))


def _discriminant(given: Given, changes: Changes) -> dict[str, float]:
    if given.ridge is None or "rho" not in changes:
        return dict(given.values)
    squares, shares, spread, _ = given.ridge
    kept = squares / (squares + changes["rho"])
    information = float(kept @ shares)
    return {
        "discriminant_information": information,
        "target_norm": spread,
        "predicted_error": spread - information,
        "degrees_of_freedom": float(kept.sum()),
    }


_ANSWERS: dict[str, Callable[[Given, Changes], dict[str, float]]] = {
    SPECTRAL.name: _spectral, FRAME.name: _frame, ALIGNMENT.name: _alignment, DISCRIMINANT.name: _discriminant,
}  # fmt: skip


# -- the bound of a run ----------------------------------------------------------------------------------------


def read_changes(text: str) -> dict[str, float]:
    """Sliders that were moved, from "n=1000,delta=0.01"; values that are not numbers are left out."""
    found = {}
    for part in text.split(","):
        key, _, value = part.partition("=")
        try:
            found[key] = float(value)
        except ValueError:
            continue
    return {key: value for key, value in found.items() if 0 < value < 1e18}


def given(at: At) -> Given | None:
    """The bound of a run at its moment, with the arguments of its formula; None where the method has none."""
    method, facts = at.method, at.facts
    if at.bound is None or method is None:
        return None
    map_, options = method.feature_map, method.options()
    again = bool(getattr(method.solver, "resample", 0))
    candidates = len(at.static["q_initial"]) if "q_initial" in at.static and not again and at.moment.step else 0
    columns = int(getattr(map_, "width_for", lambda d: 0)(int(facts["d"])))
    terms = newest_terms(at)
    found = Given(
        at.bound, terms, int(facts["n_train"]), int(facts["K"]), columns,
        {each.name: each.weight for each in method.regularizers}, method.learned, map_.independent_draws, candidates,
        at.arrays.get("q") if candidates else None, at.moment.values.get("gain"),
        at.arrays.get("spectrum") if "tail" in terms else None,
        largest_trace=map_.largest_trace if isinstance(map_, FeatureMap) else 1.0,
    )  # fmt: skip
    if at.bound.name == "discriminant" and (ridge := _ridge(at)) is not None:
        # The stored terms belong to other rows: the sliders start from the terms of the rows that they change.
        chosen = at.moment.values.get("ridge", options.get("ridge", options.get("rho", 1e-4)))
        rho = 1e-4 if chosen == "auto" else float(chosen)
        found = found._replace(ridge=ridge, rho=rho)
        found = found._replace(values=what_if(found, {"rho": rho}))
    return found


def _ridge(at: At) -> RidgeSpectrum | None:
    """Singular values of the features of the run's sample at the moment."""
    return once(at, ("ridge spectrum", at.moment.step), lambda: _decomposed(at))


def _decomposed(at: At) -> RidgeSpectrum | None:
    kernel, sample = at.kernel, at.sample
    if kernel is None or sample is None or not (Phi := kernel.features(sample.X)).shape[1]:
        return None
    return ridge_spectrum(Phi, _targets(at.static, sample.rows, sample.classes))


def _targets(static: Mapping[str, Any], rows: Any, classes: bool) -> Any:
    """One-hot classes, or real targets that are standardised on these rows."""
    y = np.asarray(static["data_targets" if "data_points" in static else "view_labels"])[rows]
    if classes:
        return (y.reshape(-1, 1) == np.unique(y)).astype(float)
    y = y.reshape(len(y), -1).astype(float)
    return y / np.maximum(y.std(0), 1e-12)
