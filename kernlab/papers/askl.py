"""Automated Spectral Kernel Learning (Li, Liu & Wang, AAAI 2020): Table 2 and the errors found in the paper.

phases          eq. 6         φ(x)·φ(x') with one phase for both frequencies, and with two
learned_phases  eq. 6, 9      features and the kernel of their frequencies, while the frequencies are learned
complexities    Theorem 3     ‖Φᵀε‖_F where ‖Φᵀε‖₂ is enough
widths          §Background   three kernels that are all described by "width σ"
shrinkage       eq. 8         singular values minus a threshold, with and without the clamp at zero
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import NDArray

from kernlab.bounds.spectral import rademacher_bound
from kernlab.feature_maps import NonStationary
from kernlab.linalg import singular_value_threshold
from kernlab.methods import METHODS
from kernlab.objectives import Squared
from kernlab.papers.base import AS_IT_IS, AS_PRINTED, POINTS, TENS, Mistake, Paper, Slider, Vector, line, publish
from kernlab.papers.scale import scale_of
from kernlab.papers.tables import PrintedTable
from kernlab.pictures.kernel_at import KernelAt
from kernlab.pictures.phases import PhaseDistance, phase_distance
from kernlab.pictures.theme import BLUE, GREY, ORANGE, VERMILLION, figure
from kernlab.solvers.proximal_gradient import adam, proximal_step, risk_gradients

Phase: TypeAlias = Literal["paired", "shared", "independent"]

_HUNDRED = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)


class Phases(NamedTuple):
    """Monte-Carlo estimates of one kernel entry, for growing numbers of features."""

    counts: NDArray[np.int64]  #: numbers of features [p]
    shared: Vector  #: shared, independent: φ(x)·φ(x') with b' = b, and with b' drawn independently [p]
    independent: Vector
    exact: float  #: the kernel that the paper states for both
    stationary: float  #: the expectation with independent phases


_X = np.array([[0.55, 0.40, 0.35], [0.35, 0.60, 0.47]])


def phases(correlation: float = 0.9, n_features: int = 10_000, seed: int = 0) -> Phases:
    """One entry of the non-stationary kernel estimated by cosines with one phase and with two, as D grows.

    .. math:: \\mathbb E\\,\\varphi(x)\\cdot\\varphi(x')
        =\\tfrac14\\mathbb E[\\cos\\omega^\\top\\delta+\\cos\\omega'^\\top\\delta]
        +[b'=b]\\,\\tfrac14\\mathbb E[\\cos(\\omega^\\top x-\\omega'^\\top x')+\\cos(\\omega'^\\top x-\\omega^\\top x')]

    with δ = x − x', for ω, ω' ~ N(0, I) whose entries have the ``correlation``.

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
    counts = np.unique(np.geomspace(1, n_features, POINTS).astype(np.int64))

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


def plot_phases(view: Phases) -> go.Figure:
    """The entry k(x, x') over the number of features, for one phase and for two."""
    ends = view.counts[[0, -1]]
    x = "features D"
    return figure(
        [
            line(view.counts, view.shared, "one phase, b' = b", *AS_IT_IS, f"{x} %{{x}}"),
            line(view.counts, view.independent, "two phases, as printed", *AS_PRINTED, f"{x} %{{x}}"),
            line(ends, np.full(2, view.exact), "exact kernel", GREY, "dot", "exact kernel"),
            line(ends, np.full(2, view.stationary), "½ of the stationary kernel", ORANGE, "dot", "half of it"),
        ],
        title="One kernel entry as features are added",
        subtitle=f"exact {view.exact:.3f}; one phase {view.shared[-1]:.3f}, two {view.independent[-1]:.3f}",
        x=x,
        y="φ(x)·φ(x')",
        revision=f"phases:{view.counts[-1]}",
        xaxis=TENS,
        yaxis={"range": [-0.1, 1.6]},
    )


class LearnedPhases(NamedTuple):
    """Distance of the features from the kernel of their own frequencies while ASKL learns the frequencies."""

    steps: NDArray[np.int64]  #: numbers of gradient steps [p]
    own: dict[str, Vector]  #: ‖ΦΦᵀ − K‖_F/‖K‖_F by form, "paired", "shared" or "independent" [p]
    redrawn: Vector  #: the same with shared phases drawn anew [p]


FORMS: tuple[Phase, ...] = ("paired", "shared", "independent")


def learned_phases(
    learning_rate: float = 0.1, n_features: int = 200, noise: float = 1.0, steps: int = 24, seed: int = 0
) -> LearnedPhases:
    """Train a small ASKL with each form of the features, and measure the distance after several steps.

    y = x₁ + ½x₂² + noise on 120 points in four dimensions, squared loss, Adam on all rows at once.

    Args:
        learning_rate: of Adam; 0 leaves the frequencies as they were drawn.
        n_features: columns D of Φ.
        noise: standard deviation of the noise in y.
        steps: of training.
        seed: of data, frequencies and phases.

    Source: ASKL eq. 6, whose expectation over phases needs frequencies that do not depend on them; eq. 9.
    """
    moments = np.unique(np.linspace(0, steps, 7).astype(np.int64))
    found = {form: _distances(form, learning_rate, n_features, noise, moments, seed) for form in FORMS}
    own: dict[str, Vector] = {form: np.array([each.own for each in values]) for form, values in found.items()}
    return LearnedPhases(moments, own, np.array([each.redrawn for each in found["shared"]]))


def _distances(
    form: Phase, learning_rate: float, n_features: int, noise: float, moments: NDArray[np.int64], seed: int
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
    averages = {name: (torch.zeros_like(params[name]), torch.zeros_like(params[name])) for name in ("weight", "omega")}
    found, sample = [], X[:50].numpy()
    for number in range(int(moments[-1]) + 1):
        if number in moments:
            at = KernelAt(features, {k: v for k, v in params.items() if k != "weight"}, features.width, features.width)
            found.append(phase_distance(at, sample, seed=seed, draws=4 if form == "shared" else 0))
        _, _, gradient = gradients(params, X, y)
        for name, pair in averages.items():
            step = adam(gradient[name], pair, learning_rate, number + 1, {"betas": (0.9, 0.999), "eps": 1e-8})
            params[name] = params[name] - step
        proximal_step(params["weight"], method.regularizers, learning_rate)
    return found


def plot_learned_phases(view: LearnedPhases) -> go.Figure:
    """The distance of each form over the steps of training."""
    own = view.own
    lines = (
        (own["paired"], "pairs of cosine and sine", *AS_IT_IS),
        (own["shared"], "shared phases", *AS_PRINTED),
        (own["independent"], "independent phases, as printed", ORANGE, "dashdot"),
        (view.redrawn, "shared phases drawn anew", GREY, "dot"),
    )
    last = ", ".join(f"{form} {values[-1]:.3f}" for form, values in own.items())
    return figure(
        [line(view.steps, values, name, colour, dash, "step %{x}") for values, name, colour, dash in lines],
        title="Distance from the frequencies' kernel",
        subtitle=f"after {view.steps[-1]} steps: {last}",
        x="steps of training",
        y="‖ΦΦᵀ − K‖ / ‖K‖",
        revision="learned-phases",
        yaxis={"rangemode": "tozero"},
    )


class Complexities(NamedTuple):
    """Rademacher complexity of {‖W‖_* ≤ 1} for K outputs, and two bounds on it."""

    K: NDArray[np.int64]  #: outputs [k]
    paper: Vector  #: √(K‖Φ‖_F²)/n
    frobenius: Vector  #: (1/n) E‖Φᵀε‖_F
    spectral: Vector  #: (1/n) E‖Φᵀε‖₂, the complexity itself
    spectral_error: Vector  #: standard error of that mean


def complexities(frequency_scale: float = 1.0, n: int = 200, most: int = 26, draws: int = 24) -> Complexities:
    """The paper's bound and both norms of Φᵀε, by Monte Carlo over sign matrices ε [n K].

    E‖Φᵀε‖_F² = K‖Φ‖_F² is known, so the draws of each K are scaled to that mean: the order below holds for any draw.

    .. math:: \\tfrac1n\\mathbb E\\|\\Phi^\\top\\varepsilon\\|_2\\le\\tfrac1n\\mathbb E\\|\\Phi^\\top\\varepsilon\\|_F
        \\le\\tfrac1n\\sqrt{K\\|\\Phi\\|_F^2}

    Args:
        frequency_scale: σ of the features of n standard normal points in four dimensions.
        n: points.
        most: the largest K; the smaller ones use the first columns of the same ε.
        draws: sign matrices, ≥ 2.

    Source: ASKL Theorem 3, Hölder's inequality in its proof.
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


def plot_complexities(view: Complexities) -> go.Figure:
    """The complexity and the bounds on it over the number of outputs."""
    traces = [
        line(view.K, view.frobenius, "E‖Φᵀε‖<sub>F</sub>/n", ORANGE, "solid", "K = %{x}"),
        line(view.K, view.paper, "paper: √(K‖Φ‖²<sub>F</sub>)/n", *AS_PRINTED, "K = %{x}"),
        line(view.K, view.spectral, "E‖Φᵀε‖₂/n, the complexity", *AS_IT_IS, "K = %{x}"),
    ]
    traces[-1].update(error_y={"array": view.spectral_error, "thickness": 1, "width": 2})
    return figure(
        traces,
        title="Rademacher complexity at ‖W‖⁎ ≤ 1",
        subtitle=f"bound over complexity: {view.paper[-1] / view.spectral[-1]:.2f} at K = {view.K[-1]}",
        x="outputs K",
        y="complexity",
        revision="complexities",
        yaxis={"rangemode": "tozero"},
    )


class Widths(NamedTuple):
    """Three kernels that one σ may denote, over the distance."""

    distance: Vector  #: ‖x − x'‖ [p]
    width: Vector  #: exp(−Δ²/2σ²): σ is a length
    inverse: Vector  #: the kernel of ω ~ N(0, 1/σ), with 1/σ as the variance
    frequency: Vector  #: exp(−σ²Δ²/2), the kernel of ω ~ N(0, σ²)
    lengths: tuple[float, float, float]  #: the length scale of each


def widths(sigma: float = 2.0) -> Widths:
    """Gaussian kernels of length scale σ, √σ and 1/σ: the three readings of one number.

    Args:
        sigma: σ > 0; the three agree at 1.

    Source: ASKL §"Stationary kernels" (ω ~ N(0, 1/σ)) and §"Experimental setup" (ω ~ N(0, σ²)).
    """
    lengths = (sigma, math.sqrt(sigma), 1 / sigma)
    distance = np.linspace(0, 6, POINTS)
    curves = [np.exp(-np.square(distance / length) / 2) for length in lengths]
    return Widths(distance, curves[0], curves[1], curves[2], lengths)


def plot_widths(view: Widths) -> go.Figure:
    """The three kernels over the distance."""
    width, inverse, frequency = view.lengths
    series = (
        ("a width: exp(−Δ²/2σ²)", view.width, width, BLUE, "solid"),
        ("N(0, 1/σ), as printed", view.inverse, inverse, VERMILLION, "dash"),
        ("N(0, σ²), in the experiments", view.frequency, frequency, ORANGE, "dashdot"),
    )
    return figure(
        [
            line(view.distance, values, name, colour, dash, f"length scale {length:.3g}; distance %{{x:.3~g}}")
            for name, values, length, colour, dash in series
        ],
        title="Three kernels of one σ",
        subtitle="length scales " + ", ".join(f"{length:.3g}" for length in view.lengths),
        x="distance Δ = ‖x − x'‖ (unit of the inputs)",
        y="k(x, x')",
        revision="widths",
        yaxis={"range": [0, 1.05]},
    )


class Shrinkage(NamedTuple):
    """Singular values of W before and after thresholding steps."""

    before: Vector  #: σ_j in falling order [K]
    clamped: Vector  #: clamped, free: after the steps, with and without the clamp at zero [K]
    free: Vector
    ranks: tuple[int, int]  #: with and without the clamp
    #: ½‖W − Q‖_F² + t‖W‖_* after the first step, with and without the clamp; the proximal step minimises it
    objectives: tuple[float, float]


def shrinkage(threshold: float = 0.4, steps: int = 1, seed: int = 0) -> Shrinkage:
    """Singular value thresholding with the clamp (σ − t)₊ and without, on a 60 × 12 matrix of falling spectrum.

    Args:
        threshold: t = ηλ₁ ≥ 0.
        steps: ≥ 1.
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


def plot_shrinkage(view: Shrinkage) -> go.Figure:
    """Singular values before and after the steps."""
    j = np.arange(1, len(view.before) + 1)
    series = (
        ("before", view.before, GREY, "circle-open"),
        ("clamped at zero, (σ − t)₊", view.clamped, BLUE, "circle"),
        ("σ − t alone, as released", view.free, VERMILLION, "x"),
    )
    return figure(
        [
            go.Scatter(
                x=j,
                y=values,
                mode="lines+markers",
                name=name,
                line={"color": colour, "width": 1.5, "dash": "dot"},
                marker={"color": colour, "symbol": symbol, "size": 10},
                hovertemplate=f"{name}: σ%{{x}} = %{{y:.4~g}}<extra></extra>",
            )
            for name, values, colour, symbol in series
        ],
        title="Singular values of W",
        subtitle=f"rank {view.ranks[0]} clamped at zero, {view.ranks[1]} without",
        x="index j",
        y="σ<sub>j</sub>",
        revision="shrinkage",
        yaxis={"range": [-0.05, 1.05 * view.before[0]]},
    )


TABLE = PrintedTable(
    "askl-table2",
    "Table 2: accuracy and RMSE",
    "Accuracy (%) and RMSE",
    "J. Li, Y. Liu and W. Wang, Automated Spectral Kernel Learning, AAAI 2020, Table 2",
    "30 random 80/20 splits, 2000 features, batches of 32, regression targets in [0,100], settings by 5-fold "
    "cross-validation",
    # One phase for the two frequencies of a pair: a phase for each, as printed, is another kernel.
    "random 80/20 splits, 2000 features with random phases, batches of 32, Adam; hinge loss for classes, squared loss "
    "for targets in [0,100]",
    {"test_size": 0.2, "target_scale": "[0,100]"},
    {
        name: {"n_features": 2000, "phase": "shared", "batch_size": 32, "optimizer": "adam", "validation": 0}
        for name in ("SK", "NSK", "SKL", "NSKL", "ASKL")
    },
    {"USPS": "usps", "porker": "poker", "MNIST": "mnist", "space ga": "space_ga"},
)


# -- the paper, as its page shows it

publish(Paper(
    "askl",
    "ASKL",
    "Automated Spectral Kernel Learning",
    "J. Li, Y. Liu, W. Wang. Automated Spectral Kernel Learning. Proceedings of the AAAI Conference on Artificial "
    "Intelligence 34 (2020); arXiv 1909.04894",
    "A kernel need not be the same everywhere in input space. By Yaglom's theorem a non-stationary kernel is an "
    "average of cosines over pairs of frequencies; the paper learns these pairs together with the weights, by "
    "gradient descent. From a Rademacher bound it takes two penalties, the trace norm of the weights and the norm "
    "of the features, and reports that non-stationarity, learning and penalties each improve the result.",
    (TABLE,),
    (
    Mistake(
        "phases", "error", "Two phases give another kernel",
        (r"\varphi(x)=\tfrac1{\sqrt{2D}}\,[\cos(\Omega^\top x+b)+\cos(\Omega'^\top x+b')]",
         r"\mathbb E\,\varphi(x)\cdot\varphi(x')=k(x,x')\quad\text{only if}\quad b'=b"),
        "ASKL eq. 6 and the sentence after it",
        "The paper draws b and b' independently and calls these features equivalent in expectation to the paired ones. "
        "With two phases the cross terms average out: what is left is stationary, with k(x, x) = ½, so nothing of "
        "Yaglom's theorem remains. kernlab needs no phases (phase=paired), and offers one for both (phase=shared) and "
        "two (phase=independent).",
        "Add features: the dashed line settles at half of a stationary kernel, not at the dotted line. With "
        "correlation 1 the kernel itself is stationary, and the two differ by a factor of 2.",
        "Monte-Carlo value of a kernel entry against the number of features, with one phase and with two",
        phases, plot_phases,
        (Slider("n_features", "Features D", _HUNDRED, 10_000),
         Slider("correlation", "Correlation of ω and ω'", (0.0, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0), 0.9),
         Slider("seed", "Draw", (0, 1, 2, 3, 4), 0)),
    ),
    Mistake(
        "learned", "error", "Learning ends the equality in expectation",
        (r"\mathbb E_b\,\varphi(x)\cdot\varphi(x')=k(x,x')\ \text{ if }\ b\perp(\Omega,\Omega')",
         r"\Omega^{t+1}=\Omega^t-\eta\,\nabla_\Omega\,J(\Omega^t,b)"),
        "ASKL eq. 6 together with the gradient step, eq. 9",
        "Even with one phase for both frequencies, φ(x)·φ(x') is the kernel of the frequencies only on average over "
        "phases that the frequencies do not depend on. A gradient step on Ω depends on b, so that learned frequencies "
        "depend on it: their density then belongs to another kernel than the predictions. Cosine and sine side by "
        "side are that kernel for every Ω, and are kernlab's default (phase=paired).",
        "Each form is trained at once on this page. Pairs stay at zero; with phases the distance exceeds that of "
        "phases drawn anew for the same frequencies. At learning rate 0 only the sampling noise is left, which falls "
        "with D.",
        "Distance of the features from the kernel of their own frequencies over training, for three forms",
        learned_phases, plot_learned_phases,
        (Slider("learning_rate", "Learning rate η", (0.0, 0.01, 0.03, 0.1, 0.2), 0.1),
         Slider("n_features", "Features D", (20, 60, 200), 200),
         Slider("noise", "Noise of y", (0.0, 0.5, 1.0, 2.0), 1.0),
         Slider("seed", "Draw", (0, 1, 2), 0)),
    ),
    Mistake(
        "dual", "error", "A looser norm than the step allows",
        (r"\sup_{\|W\|_*\le B}\langle W,\Phi^\top\varepsilon\rangle=B\,\|\Phi^\top\varepsilon\|_2"
         r"\;\le\;B\,\|\Phi^\top\varepsilon\|_F",),
        "ASKL Theorem 3, Hölder's inequality in its proof",
        "The dual norm of the trace norm is the spectral norm, but the proof goes on with the Frobenius norm. The "
        "bound holds, but is too large by a factor that grows with the number of outputs. kernlab shows both.",
        "Raise the frequency scale: features of many directions leave more between the two norms; near 0 all "
        "features are alike, Φᵀε has rank 1, and the norms agree.",
        "Rademacher complexity and the paper's bound on it against the number of outputs",
        complexities, plot_complexities,
        (Slider("frequency_scale", "Frequency scale σ", (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0), 1.0),
         Slider("n", "Points n", (50, 100, 200, 400), 200)),
    ),
    Mistake(
        "widths", "care", "One σ with two meanings",
        (r"e^{-\Delta^2/2\sigma^2}\iff\omega\sim\mathcal N(0,\sigma^{-2}I)",
         r"e^{-\sigma^2\Delta^2/2}\iff\omega\sim\mathcal N(0,\sigma^2I)"),
        "ASKL, section on stationary kernels, and experimental setup",
        "The text pairs a Gaussian kernel of width σ with N(0, 1/σ), the experiments draw from N(0, σ²). In the first "
        "a large σ makes a wide kernel, in the second a narrow one. In kernlab σ is a frequency scale, 1/lengthscale, "
        "and is called frequency_scale.",
        "Change σ from 1, and the three kernels differ.",
        "Three Gaussian kernels over the distance, from three readings of one sigma",
        widths, plot_widths,
        (Slider("sigma", "σ", (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0), 2.0),),
    ),
    Mistake(
        "shrinkage", "code", "Singular values that fall below zero",
        (r"W^{t+1}=U\,\mathrm{diag}\big((\sigma_j-\lambda_1\eta)_+\big)V^\top",),
        "ASKL eq. 8 is right; the code its authors released leaves out (·)₊",
        "Without the clamp, small singular values turn negative and become positive ones at the next "
        "step, so the rank never falls. That code also learns classes by cross-entropy where the paper says "
        "hinge, rebinds W so that only Ω is learned from the second step on, penalises unsquared norms, and chooses "
        "settings on the test part. kernlab takes none of this over; its tests check each point.",
        "Take more steps: with the clamp the rank falls, without it all twelve singular values stay.",
        "Singular values of a matrix before and after thresholding, with and without the clamp at zero",
        shrinkage, plot_shrinkage,
        (Slider("threshold", "Threshold λ₁η", (0.0, 0.05, 0.1, 0.2, 0.4, 0.8), 0.4),
         Slider("steps", "Steps", tuple(range(1, 11)), 1)),
    ),
    Mistake(
        "askl-scale", "scale", "Errors worse than a constant",
        (r"\mathrm{RMSE}_{\text{constant}}=100\cdot\frac{\operatorname{std}(y)}{\max y-\min y}",),
        "ASKL Table 2, space_ga and cadata",
        "With targets in [0, 100], as the paper says, predicting the mean gives 6.27 on space_ga and 23.79 on cadata; "
        "all five printed methods are worse. So these figures are not on the stated scale, and no claim is based on "
        "being better.",
        "Point at a mark to read both figures.",
        "Printed errors of ASKL Table 2 divided by the constant predictor's",
        *scale_of("askl-table2"),
    ),
    ),
))  # fmt: skip
