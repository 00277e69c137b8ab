"""Errors found in the papers kernlab is made from, each as numbers that show it.

    phases          ASKL eq. 6         φ(x)·φ(x') with one phase for both frequencies, and with two
    learned_phases  ASKL eq. 6, 9      features and the kernel of their frequencies, while the frequencies are learned
    shrinkage       ASKL eq. 8         singular values less a threshold, held at zero or not
    widths          ASKL §Background   three kernels that are all called "of width σ"
    complexities    ASKL Theorem 3     ‖Φᵀε‖_F where ‖Φᵀε‖₂ is enough
    spectra         FKS Theorem 4      the minimiser over λ, as printed and as it is
    signs           FKS Algorithm 1    a sign that is 1 or 0 instead of 1 or −1
    tails           FKS Theorem 3      a bound that needs γ > 1, and experiments at γ = 1
    scatters        DI §4.1            what unit columns of the indicator matrix are for
    cauchy_kernels  LKRF Table 1       a kernel that is not 1 at distance 0
    against_constant                   printed errors over the constant predictor's

Everything is small enough to be computed while a slider moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import zeta

from kernlab.bounds.spectral import rademacher_bound
from kernlab.compare.summary import Published
from kernlab.feature_maps import NonStationary
from kernlab.feature_maps.densities import draw
from kernlab.linalg import singular_value_threshold
from kernlab.methods import METHODS
from kernlab.objectives import Squared
from kernlab.pictures.kernel_at import KernelAt
from kernlab.pictures.phases import PhaseDistance, phase_distance
from kernlab.solvers.frame_selection import best_spectrum, penalty_constant
from kernlab.solvers.proximal_gradient import adam, proximal_step, risk_gradients

__all__ = [
    "Against",
    "CauchyKernels",
    "Complexities",
    "LearnedPhases",
    "Phases",
    "Scatters",
    "Shrinkage",
    "Signs",
    "Spectra",
    "Tails",
    "Widths",
    "against_constant",
    "cauchy_kernels",
    "complexities",
    "learned_phases",
    "phases",
    "scatters",
    "shrinkage",
    "signs",
    "spectra",
    "tails",
    "widths",
]

Vector = NDArray[np.float64]
Phase: TypeAlias = Literal["paired", "shared", "independent"]

_POINTS = 160  # of a curve


# -- ASKL ------------------------------------------------------------------------------------------------------


class Phases(NamedTuple):
    """Monte-Carlo values of one kernel entry as features are added.

    Attributes:
        counts: features so far [p].
        shared, independent: φ(x)·φ(x') with b' = b, and with b' drawn for itself [p].
        exact: the kernel that both are said to have.
        stationary: what independent phases average to instead.
    """

    counts: NDArray[np.int64]
    shared: Vector
    independent: Vector
    exact: float
    stationary: float


#: Two points a good deal closer to each other than to the origin.
_X = np.array([[0.55, 0.40, 0.35], [0.35, 0.60, 0.47]])


def phases(correlation: float = 0.9, n_features: int = 10_000, seed: int = 0) -> Phases:
    """One entry of the non-stationary kernel from cosines with one phase and with two, as D grows.

    .. math:: \\mathbb E\\,\\varphi(x)\\cdot\\varphi(x')
        =\\tfrac14\\mathbb E[\\cos\\omega^\\top\\delta+\\cos\\omega'^\\top\\delta]
        +[b'=b]\\,\\tfrac14\\mathbb E[\\cos(\\omega^\\top x-\\omega'^\\top x')+\\cos(\\omega'^\\top x-\\omega^\\top x')]

    with δ = x − x', for ω, ω' ~ N(0, I) of the given correlation in each entry.

    Args:
        correlation: of ω and ω', in [−1, 1]; 1 makes the kernel stationary.
        n_features: D ≥ 1.
        seed: of the draw.

    Source: ASKL eq. 5–6.
    """
    generator = torch.Generator().manual_seed(seed)
    first, other = torch.randn(2, 3, n_features, generator=generator, dtype=torch.float64)
    mixed = correlation * first + math.sqrt(1 - correlation**2) * other
    omega = torch.stack([first, mixed], dim=1)
    b = 2 * math.pi * torch.rand(2, n_features, generator=generator, dtype=torch.float64)
    counts = np.unique(np.geomspace(1, n_features, _POINTS).astype(np.int64))

    def running(phase: torch.Tensor, form: str) -> Vector:
        features = NonStationary(n_features=n_features, phase=form)  # type: ignore[arg-type]
        Phi = features.apply({"omega": omega, "phase": phase}, torch.from_numpy(_X)).numpy()
        means: Vector = np.cumsum(Phi[0] * Phi[1])[counts - 1] * n_features / counts
        return means

    apart = float(np.square(_X[0] - _X[1]).sum())
    crossed = float(np.square(_X).sum() - 2 * correlation * _X[0] @ _X[1])
    stationary = 0.5 * math.exp(-apart / 2)
    exact = stationary + 0.5 * math.exp(-crossed / 2)
    return Phases(counts, running(b[:1].repeat(2, 1), "shared"), running(b, "independent"), exact, stationary)


class LearnedPhases(NamedTuple):
    """Distance of the features from the kernel of their own frequencies while ASKL learns those.

    Attributes:
        steps: gradient steps so far [p].
        own: ‖ΦΦᵀ − K‖_F/‖K‖_F by form, "paired", "shared" or "independent" [p].
        redrawn: the same with phases drawn anew, shared ones [p].
    """

    steps: NDArray[np.int64]
    own: dict[str, Vector]
    redrawn: Vector


FORMS: tuple[Phase, ...] = ("paired", "shared", "independent")


def learned_phases(
    learning_rate: float = 0.1, n_features: int = 200, noise: float = 1.0, steps: int = 24, seed: int = 0
) -> LearnedPhases:
    """A small ASKL for each form of the features, and after how many steps which distance.

    y = x₁ + ½x₂² + noise on 120 points in four dimensions, squared loss, Adam on all rows at once.

    Args:
        learning_rate: of Adam; 0 leaves the frequencies as they were drawn.
        n_features: columns D of Φ.
        noise: standard deviation of what cannot be learned.
        steps: of training.
        seed: of everything that is drawn.

    Source: ASKL eq. 6, whose expectation over phases needs frequencies that do not depend on them; eq. 9.
    """
    looks = np.unique(np.linspace(0, steps, 7).astype(np.int64))
    found = {form: _distances(form, learning_rate, n_features, noise, looks, seed) for form in FORMS}
    own: dict[str, Vector] = {form: np.array([each.own for each in values]) for form, values in found.items()}
    return LearnedPhases(looks, own, np.array([each.redrawn for each in found["shared"]]))


def _distances(
    form: Phase, learning_rate: float, n_features: int, noise: float, looks: NDArray[np.int64], seed: int
) -> list[PhaseDistance]:
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(120, 4, generator=generator)
    y = X[:, :1] + 0.5 * X[:, 1:2] ** 2 + noise * torch.randn(120, 1, generator=generator)
    y = (y - y.mean()) / y.std()
    method = METHODS["ASKL"].with_options({"n_features": n_features, "frequency_scale": 0.4, "phase": form})
    features = method.feature_map
    assert isinstance(features, NonStationary)
    params = features.init(X, generator)
    params["weight"] = torch.zeros(features.width, 1)
    gradients = risk_gradients(features, True, Squared(), method.regularizers)
    # Not torch's Adam, whose first step takes a second to load its compiler.
    moments = {name: (torch.zeros_like(params[name]), torch.zeros_like(params[name])) for name in ("weight", "omega")}
    found, sample = [], X[:50].numpy()
    for number in range(int(looks[-1]) + 1):
        if number in looks:
            at = KernelAt(features, {k: v for k, v in params.items() if k != "weight"}, features.width, features.width)
            found.append(phase_distance(at, sample, seed=seed, draws=4 if form == "shared" else 0))
        _, _, gradient = gradients(params, X, y)
        for name, pair in moments.items():
            step = adam(gradient[name], pair, learning_rate, number + 1, {"betas": (0.9, 0.999), "eps": 1e-8})
            params[name] = params[name] - step
        proximal_step(params["weight"], method.regularizers, learning_rate)
    return found


class Shrinkage(NamedTuple):
    """Singular values of W before and after steps that subtract a threshold.

    Attributes:
        before: σ_j, falling [K].
        clamped, free: after the steps, each held at zero or not [K].
        ranks: of the two.
        objectives: ½‖W − Q‖_F² + t‖W‖_* after the first step, of the two; the proximal step is what makes it least.
    """

    before: Vector
    clamped: Vector
    free: Vector
    ranks: tuple[int, int]
    objectives: tuple[float, float]


def shrinkage(threshold: float = 0.4, steps: int = 1, seed: int = 0) -> Shrinkage:
    """Singular value thresholding with the clamp (σ − t)₊ and without, on a 60 × 12 matrix of falling spectrum.

    Args:
        threshold: t = ηλ₁ ≥ 0.
        steps: how often it is applied, ≥ 1.
        seed: of the matrix.

    Source: ASKL eq. 8, and the code its authors released.
    """
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.normal(size=(size, 12)))[0] for size in (60, 12))
    Q = (U * 2.0 * 0.75 ** np.arange(12)) @ V.T
    clamped, free = Q, Q
    objectives = (0.0, 0.0)
    for step in range(steps):
        clamped = singular_value_threshold(torch.from_numpy(clamped), threshold).numpy()
        left, sigma, right = np.linalg.svd(free, full_matrices=False)
        free = (left * (sigma - threshold)) @ right
        if step == 0:
            objectives = (_proximal_objective(clamped, Q, threshold), _proximal_objective(free, Q, threshold))
    values = [np.linalg.svd(W, compute_uv=False) for W in (Q, clamped, free)]
    ranks = (int((values[1] > 1e-9).sum()), int((values[2] > 1e-9).sum()))
    return Shrinkage(values[0], values[1], values[2], ranks, objectives)


def _proximal_objective(W: Vector, Q: Vector, threshold: float) -> float:
    return float(0.5 * np.square(W - Q).sum() + threshold * np.linalg.svd(W, compute_uv=False).sum())


class Widths(NamedTuple):
    """Three kernels that go by one σ, over the distance.

    Attributes:
        distance: ‖x − x'‖ [p].
        width: exp(−Δ²/2σ²): σ is a length.
        inverse: the kernel of ω ~ N(0, 1/σ), the variance read off as printed.
        frequency: exp(−σ²Δ²/2), the kernel of ω ~ N(0, σ²).
        lengths: the length scale of each.
    """

    distance: Vector
    width: Vector
    inverse: Vector
    frequency: Vector
    lengths: tuple[float, float, float]


def widths(sigma: float = 2.0) -> Widths:
    """Gaussian kernels of length scale σ, √σ and 1/σ: the three readings of one number.

    Args:
        sigma: σ > 0; the three agree at 1.

    Source: ASKL §"Stationary kernels" (ω ~ N(0, 1/σ)) and §"Experimental setup" (ω ~ N(0, σ²)).
    """
    lengths = (sigma, math.sqrt(sigma), 1 / sigma)
    distance = np.linspace(0, 6, _POINTS)
    curves = [np.exp(-np.square(distance / length) / 2) for length in lengths]
    return Widths(distance, curves[0], curves[1], curves[2], lengths)


class Complexities(NamedTuple):
    """Rademacher complexity of {‖W‖_* ≤ 1} for K outputs: the bound and what it bounds.

    Attributes:
        K: outputs [k].
        paper: √(K‖Φ‖_F²)/n.
        frobenius: (1/n) E‖Φᵀε‖_F.
        spectral: (1/n) E‖Φᵀε‖₂, the complexity itself.
        spectral_error: standard error of that mean.
    """

    K: NDArray[np.int64]
    paper: Vector
    frobenius: Vector
    spectral: Vector
    spectral_error: Vector


def complexities(frequency_scale: float = 1.0, n: int = 200, most: int = 26, draws: int = 24) -> Complexities:
    """The paper's bound beside both norms of Φᵀε, by Monte Carlo over sign matrices ε [n K].

    E‖Φᵀε‖_F² = K‖Φ‖_F² is known, so the draws of each K are scaled to that mean: the order below holds of any draw.

    .. math:: \\tfrac1n\\mathbb E\\|\\Phi^\\top\\varepsilon\\|_2\\le\\tfrac1n\\mathbb E\\|\\Phi^\\top\\varepsilon\\|_F
        \\le\\tfrac1n\\sqrt{K\\|\\Phi\\|_F^2}

    Args:
        frequency_scale: σ of the features of n standard normal points in four dimensions.
        n: points.
        most: largest K; smaller ones use the first columns of the same ε.
        draws: sign matrices, ≥ 2.

    Source: ASKL Theorem 3, the step by Hölder's inequality in its proof.
    """
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(n, 4, generator=generator)
    features = NonStationary(n_features=100, frequency_scale=frequency_scale)
    Phi = features.apply(features.init(X, generator), X).double().numpy()
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (draws, n, most))
    products = Phi.T @ signs  # [draws D K]
    grams = products.transpose(0, 2, 1) @ products
    Ks = np.arange(1, most + 1)
    spectral = np.sqrt([np.linalg.eigvalsh(grams[:, :K, :K])[:, -1] for K in Ks]).T / n  # [draws K]
    frobenius = np.sqrt(np.cumsum(np.square(products).sum(1), axis=1)) / n
    trace = float(np.square(Phi).sum()) / n
    paper = np.array([rademacher_bound(1.0, trace, int(K), n) for K in Ks])
    scale = paper / np.sqrt(np.square(frobenius).mean(0))
    frobenius, spectral = frobenius * scale, spectral * scale
    error = spectral.std(0, ddof=1) / math.sqrt(draws)
    return Complexities(Ks, paper, frobenius.mean(0), spectral.mean(0), error)


# -- FKS -------------------------------------------------------------------------------------------------------


class Spectra(NamedTuple):
    """The inner problem of frame selection over one λ: gμ²/λ + bλ^γ.

    Attributes:
        spectrum: λ [p].
        objective: its values [p].
        numeric: (λ, value) at the minimum, searched for in one dimension.
        printed: (λ, value) of the paper's λ*; the paper's c_j|μ|^{2γ/(γ+1)} is this value.
        corrected: (λ, value) of λ* and c_j as they are.
    """

    spectrum: Vector
    objective: Vector
    numeric: tuple[float, float]
    printed: tuple[float, float]
    corrected: tuple[float, float]


def spectra(gamma: float = 2.0, mu: float = 1.0, g: float = 1.0, b: float = 1.0) -> Spectra:
    """Minimiser and minimum over λ: by search, as printed, and corrected.

    .. math:: \\lambda^*=\\Big(\\frac{g\\mu^2}{\\gamma b}\\Big)^{1/(\\gamma+1)},\\qquad
        c=(1+\\tfrac1\\gamma)\\,g^{\\gamma/(\\gamma+1)}(\\gamma b)^{1/(\\gamma+1)}

    The paper leaves both γ's beside b out, and has 2 for 1 + 1/γ; at γ = 1 that is the same.

    Args:
        gamma: γ ≥ 1, the decay of the eigenvalues.
        mu: μ ≠ 0, the coefficient.
        g, b: weights > 0.

    Source: FKS Theorem 4.
    """

    def objective(spectrum: Vector | float) -> Vector:
        return np.asarray(g * mu**2 / spectrum + b * spectrum**gamma)

    found = minimize_scalar(lambda log: float(objective(math.exp(log))), bounds=(-12, 12), method="bounded",
                            options={"xatol": 1e-10})  # fmt: skip
    printed = float((g * mu**2 / b) ** (1 / (gamma + 1)))
    power = 2 * gamma / (gamma + 1)
    ours = float(best_spectrum(torch.tensor([[mu]], dtype=torch.float64), g, b, gamma)[0])
    middle = math.sqrt(ours * printed)
    spectrum = np.geomspace(middle / 4, middle * 4, _POINTS)
    return Spectra(
        spectrum,
        objective(spectrum),
        (math.exp(float(found.x)), float(found.fun)),
        (printed, float(objective(printed))),
        (ours, penalty_constant(g, b, gamma) * abs(mu) ** power),
    )


class Signs(NamedTuple):
    """Where sub-gradient descent on (μ − a)² + c|μ| ends, for many a.

    Attributes:
        a: the coefficient without a penalty [p].
        exact: its soft threshold, the minimiser [p].
        usual: by steps with sgn(μ) ∈ {−1, 0, 1} [p].
        printed: by steps with 1 for μ ≥ 0 and 0 otherwise [p].
    """

    a: Vector
    exact: Vector
    usual: Vector
    printed: Vector


def signs(strength: float = 1.0, steps: int = 400) -> Signs:
    """Sub-gradient descent of the lasso in one variable, from 0 with steps 1/2t, with either sign.

    Args:
        strength: c ≥ 0.
        steps: how many.

    Source: FKS Algorithm 1 at γ = 1.
    """
    a = np.linspace(-2, 2, 2 * (_POINTS // 2) + 1)  # with 0 in the middle

    def descend(sign: str) -> Vector:
        mu = np.zeros_like(a)
        for t in range(1, steps + 1):
            slope = np.sign(mu) if sign == "usual" else (mu >= 0).astype(np.float64)
            mu = mu - (2 * (mu - a) + strength * slope) / (2 * t)
        return mu

    exact: Vector = np.sign(a) * np.maximum(np.abs(a) - strength / 2, 0)
    return Signs(a, exact, descend("usual"), descend("printed"))


class Tails(NamedTuple):
    """What the eigenvalues i^{−γ} beyond the t-th add up to, over γ > 1.

    Attributes:
        gamma: γ [p].
        bound: t^{1−γ}/(γ−1), as the theorem has it.
        sum: Σ_{i>t} i^{−γ}.
        counted: at γ = 1, (N, Σ_{t<i≤N} 1/i) for growing N: it never ends.
    """

    gamma: Vector
    bound: Vector
    sum: Vector
    counted: tuple[tuple[int, float], ...]


def tails(t: int = 10) -> Tails:
    """The term of the fast bound that has γ − 1 in its denominator, and the sum that it bounds.

    Args:
        t: leading eigenvalues, ≥ 1.

    Source: FKS Theorem 3 and its proof (eq. 10).
    """
    gamma = 1 + np.geomspace(0.003, 2, _POINTS)
    counted = tuple((N, float((1 / np.arange(t + 1, N + 1)).sum())) for N in (100, 10_000, 1_000_000))
    return Tails(gamma, t ** (1 - gamma) / (gamma - 1), np.asarray(zeta(gamma, t + 1)), counted)


# -- DI and LKRF -----------------------------------------------------------------------------------------------


class Scatters(NamedTuple):
    """The between-class scatter of three classes beside ΦᵀYYᵀΦ (centred), by the part each class has in the trace.

    Attributes:
        sizes: rows of each class.
        between: shares of Σ N_c‖μ_c − μ‖².
        plain, unit: shares with a plain indicator matrix Y, and with columns of unit norm.
        difference: ‖ΦᵀYYᵀΦ − S_B‖_F/‖S_B‖_F of the two (0: the same matrix).
    """

    sizes: tuple[int, int, int]
    between: Vector
    plain: Vector
    unit: Vector
    difference: tuple[float, float]


def scatters(largest: float = 0.8, seed: int = 0) -> Scatters:
    """S_B = Σ_c N_c(μ_c − μ)(μ_c − μ)ᵀ of 600 points in the plane, and Φ̄ᵀYYᵀΦ̄ with two scalings of Y.

    Args:
        largest: share of the first class, in (0, 1); the others have half of the rest each.
        seed: of the points.

    Source: DI §4.1, beneath eq. 5.
    """
    first = round(600 * largest)
    sizes = (first, (600 - first) // 2, 600 - first - (600 - first) // 2)
    labels = np.repeat(np.arange(3), sizes)
    centres = np.array([[0.0, 2.0], [-2.0, -1.0], [2.0, -1.0]])
    X = centres[labels] + np.random.default_rng(seed).normal(size=(600, 2))
    centred = X - X.mean(0)
    indicator = np.eye(3)[labels]
    means = np.stack([centred[labels == c].mean(0) for c in range(3)])
    truth = (means * np.array(sizes)[:, None]).T @ means

    def scatter(Y: Vector) -> tuple[Vector, float]:
        towards = Y.T @ centred  # a row a class
        difference = np.linalg.norm(towards.T @ towards - truth) / np.linalg.norm(truth)
        return _shares(np.square(towards).sum(1)), float(difference)

    (plain, far), (unit, near) = scatter(indicator), scatter(indicator / np.sqrt(sizes))
    between = _shares(np.array(sizes) * np.square(means).sum(1))
    return Scatters(sizes, between, plain, unit, (far, near))


def _shares(parts: Vector) -> Vector:
    return np.asarray(parts / parts.sum())


class CauchyKernels(NamedTuple):
    """The Cauchy kernel along one input, as printed and as its random features have it.

    Attributes:
        distance: |x₁ − x₁'| [p].
        printed: ∏ 2/(1 + Δ_j²).
        drawn: mean of cos ω₁Δ over 4000 draws from the printed density ∏ e^{−|ω_j|}, made to integrate to 1.
        scaled: ∏ 1/(1 + Δ_j²).
    """

    distance: Vector
    printed: Vector
    drawn: Vector
    scaled: Vector


def cauchy_kernels(d: int = 3) -> CauchyKernels:
    """A kernel with random features of value at most 1 cannot be above 1, but the printed one is 2^d at distance 0.

    Args:
        d: inputs, ≥ 1; the points differ in the first one alone.

    Source: table of kernels and densities in the talk on LKRF (from Rahimi & Recht 2007).
    """
    distance = np.linspace(0, 6, _POINTS)
    omega = draw(d, 4000, density="cauchy", generator=torch.Generator().manual_seed(0))[0, 0].double().numpy()
    scaled = 1 / (1 + distance**2)
    return CauchyKernels(distance, 2**d * scaled, np.cos(np.outer(distance, omega)).mean(1), scaled)


# -- all of them -----------------------------------------------------------------------------------------------


class Against(NamedTuple):
    """A printed error over the constant predictor's on the stated scale.

    Attributes:
        figure: what was printed.
        ratio: printed over constant; above 1 it is worse than predicting the mean.
    """

    figure: Published
    ratio: float


def against_constant(figures: Iterable[Published]) -> tuple[Against, ...]:
    """Every printed error whose data set has a known constant predictor, in the order given.

    RMSE is compared with RMSE and MSE with MSE; accuracies and seconds are left out.
    """
    return tuple(Against(each, each.mean / each.constant) for each in figures if each.constant)
