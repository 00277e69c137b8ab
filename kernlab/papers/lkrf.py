"""Learning Kernels with Random Features (Sinha & Duchi 2016): the released examples, and a formula easily misread.

    shell    y = sign(‖x‖ − √d), d = 10: 20 000 candidate cosines, ω ~ N(0, I), b ~ U[0, 2π), ρ = 0.005 N_w
    linear   y = sign(wᵀx), d = 1000, w = 1 on a tenth of the inputs and faint on the rest: the candidates
             are the inputs themselves, ρ = 0.01 d

Both have 10 000 rows to train on and 1000 to test on, all N(0, I); v = (Φᵀy)² with y = ±1. The features of
non-zero weight are compared with as many plain ones by ridge regression as in the released scripts: mean y is
subtracted from the targets and added to the outputs, while the features are not centred (they have no bias) and are
not multiplied by √q. The rows "with bias" fit the same features by centred ridge, as kernlab does elsewhere:
otherwise cosines of low frequency have to represent the constant.

The draws are ours: the released scripts fix a seed of MATLAB, and between draws of 10 000 rows the test error
varies by about 0.01 and the number of features by about 7.

Source: LKRF, released examples; published test errors 0.143 against 0.355, and 0.051 against 0.373.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.data import load
from kernlab.errors import UnknownNameError
from kernlab.feature_maps import Weighted
from kernlab.feature_maps.densities import draw
from kernlab.linalg import cholesky, ridge
from kernlab.papers.base import (
    AS_PRINTED,
    POINTS,
    Mistake,
    Paper,
    Reproduction,
    Slider,
    Vector,
    line,
    over_repeats,
    publish,
)
from kernlab.pictures.theme import BLUE, GREEN, figure
from kernlab.solvers import ChiSquareBall, Problem
from kernlab.solvers.chi_square_ball import chi_square, chi_square_ball
from kernlab.typing import Float, Tensor


class CauchyKernels(NamedTuple):
    """The Cauchy kernel along one input: printed, scaled, and as the mean of its random features."""

    distance: Vector  #: |x₁ − x₁'| [p]
    printed: Vector  #: ∏ 2/(1 + Δ_j²)
    drawn: Vector  #: mean of cos ω₁Δ over 4000 draws from the printed density ∏ e^{−|ω_j|}, made to integrate to 1
    scaled: Vector  #: ∏ 1/(1 + Δ_j²)


def cauchy_kernels(d: int = 3) -> CauchyKernels:
    """A kernel of random features that are at most 1 is at most 1, but the printed one is 2^d at distance 0.

    Args:
        d: inputs, ≥ 1; the points differ in the first one alone.

    Source: table of kernels and densities in the talk on LKRF (from Rahimi & Recht 2007).
    """
    distance = np.linspace(0, 6, POINTS)
    omega = draw(d, 4000, density="cauchy", generator=torch.Generator().manual_seed(0))[0, 0].double().numpy()
    scaled = 1 / (1 + distance**2)
    return CauchyKernels(distance, 2**d * scaled, np.cos(np.outer(distance, omega)).mean(1), scaled)


def plot_cauchy_kernels(view: CauchyKernels) -> go.Figure:
    """The Cauchy kernel along one input."""
    return figure(
        [
            line(view.distance, view.printed, "as printed", *AS_PRINTED, "Δ = %{x:.3~g}"),
            line(view.distance, view.drawn, "mean of 4000 cosines", GREEN, "solid", "Δ = %{x:.3~g}"),
            line(view.distance, view.scaled, "scaled to k(x, x) = 1", BLUE, "dot", "Δ = %{x:.3~g}"),
        ],
        title="Cauchy kernel along one input",
        subtitle=f"k(x, x): printed {view.printed[0]:g}, random features 1",
        x="distance Δ₁ (unit of the inputs)",
        y="k(x, x')",
        revision=f"cauchy:{view.printed[0]:g}",
        yaxis={"rangemode": "tozero"},
    )


class Example(NamedTuple):
    """One example: its settings and its published errors."""

    name: str  #: "shell" or "linear"
    data: str  #: its generator
    n: int  #: n, n_test: rows to train and to test on
    n_test: int
    d: int  #: inputs
    candidates: int  #: N_w
    radius: float  #: ρ/N_w
    penalty: float  #: of the ridge, on sums over the training rows
    published: dict[str, tuple[float, float]]  #: (training error, test error) of plain features and of re-weighted ones


EXAMPLES = (
    Example("shell", "shell", 10_000, 1000, 10, 20_000, 0.005, 0.05, {"RF": (0.3127, 0.355), "LKRF": (0.1199, 0.143)}),
    Example(
        "linear", "halfspace", 10_000, 1000, 1000, 1000, 0.01, 0.01, {"RF": (0.3738, 0.373), "LKRF": (0.047, 0.051)}
    ),
)


def lkrf_examples(
    progress: Callable[[str], None] | None = None, *, seed: int = 0, examples: tuple[Example, ...] = EXAMPLES
) -> list[dict[str, Any]]:
    """Both examples computed anew, with a row for each kind of features and each way to fit them.

    Args:
        progress: called with a line for each example.
        seed: of the data, the candidates and the plain features.
        examples: to compute.

    Returns:
        Rows with ``example``, ``method`` ("RF", "LKRF", and each "with bias"), the settings, ``features`` (columns
        used), ``chi_square`` (None for plain features), ``train_error`` and ``test_error``, and
        ``published_train_error`` and ``published_test_error`` (None if they were not published).
    """
    rows = []
    for example in examples:
        if progress:
            progress(f"{example.name}: {example.candidates} candidates, {example.n} rows")
        # Whole rows in order: the generator's rows are independent.
        options = {"n_samples": example.n + example.n_test, "dimension": example.d, "data_seed": seed}
        data = load(example.data, noise=0.0, **options)
        X, y = torch.from_numpy(data.X), torch.from_numpy(data.y)
        build = _coordinates if example.data == "halfspace" else _cosines
        with torch.no_grad():
            for method, Phi, divergence in build(example, X, y, seed):
                for bias in (False, True):
                    train, test = _errors(Phi.double(), 2.0 * y - 1.0, example, bias)
                    published = example.published[method] if not bias else (None, None)
                    rows.append(
                        {
                            "example": example.name,
                            "method": f"{method} with bias" if bias else method,
                            "n_train": example.n,
                            "n_test": example.n_test,
                            "d": example.d,
                            "candidates": example.candidates,
                            "radius": example.radius,
                            "ridge": example.penalty,
                            "features": Phi.shape[1],
                            "chi_square": divergence,
                            "train_error": train,
                            "test_error": test,
                            "published_train_error": published[0],
                            "published_test_error": published[1],
                        }
                    )
    return rows


#: Method, features of all rows, χ² of their weights.
_Features = Iterator[tuple[str, Tensor, float | None]]


def _cosines(example: Example, X: Tensor, y: Tensor, seed: int) -> _Features:
    weighted = Weighted(n_features=example.candidates, frequency_scale=1.0, phase="shared")
    problem = Problem(weighted, None, X[: example.n], y[: example.n], 2, "classification", seed)
    solver = ChiSquareBall(radius=example.radius)
    kept, metrics = solver.step(problem, solver.start(problem), 0)
    few = weighted.replace(n_features=len(kept["q"]))
    plain = few.init(X, torch.Generator().manual_seed(seed + 1))
    for method, params, divergence in (("RF", plain, None), ("LKRF", kept, metrics["chi_square"])):
        yield method, weighted.apply({**params, "q": torch.full_like(params["q"], 0.5)}, X), divergence


def _coordinates(example: Example, X: Tensor, y: Tensor, seed: int) -> _Features:
    products = X[: example.n].double().mT @ (2.0 * y[: example.n].double() - 1.0)
    q = chi_square_ball(products.square().numpy(), example.radius * example.candidates)
    support = np.flatnonzero(q)
    others = np.random.default_rng(seed).choice(example.d, len(support), replace=False)
    yield "RF", X[:, others], None
    yield "LKRF", X[:, support], chi_square(q)


def _errors(Phi: Float[Tensor, "n D"], y: Float[Tensor, " n"], example: Example, bias: bool) -> tuple[float, float]:
    """Shares of misclassified rows, of the training and of the test part."""
    y = y.double()
    train, targets = Phi[: example.n], y[: example.n, None]
    mean = targets.mean()
    if bias:
        fitted = ridge([train], targets, example.penalty)
        scores = Phi @ fitted.weight + fitted.bias
    else:
        gram = train.mT @ train
        gram.diagonal().add_(example.penalty)
        L, _ = cholesky(gram)
        scores = Phi @ torch.cholesky_solve(train.mT @ (targets - mean), L) + mean
    wrong = (scores[:, 0] > 0) != (y > 0)
    return float(wrong[: example.n].double().mean()), float(wrong[example.n :].double().mean())


def reproduce(
    progress: Callable[[str], None], *, datasets: Sequence[str] = (), repeats: int = 1, seed: int = 0
) -> list[dict[str, Any]]:
    """Both examples (or those named by ``datasets``), means over ``repeats`` draws, beside the published errors."""
    known = {example.name: example for example in EXAMPLES}
    for name in datasets:
        if name not in known:
            raise UnknownNameError.among("example", name, known)
    chosen = tuple(known[name] for name in datasets or known)
    turns = [lkrf_examples(progress, seed=seed + turn, examples=chosen) for turn in range(repeats)]
    return over_repeats(turns, ("train_error", "test_error", "features", "chi_square"))


_RELEASED = Reproduction(
    "lkrf-examples",
    "Released examples: test error",
    reproduce,
    "Draws the data and 20 000 candidate cosines anew, weights them, and fits ridge regression; about a minute.",
    "Errors of the released examples, as printed",
    "Shares of misclassified rows, as the released scripts print them for one draw; shell: y = sign(‖x‖ − √d), "
    "linear: y = sign(wᵀx). A constant answer is wrong on 44 % of the first's rows and on half of the second's.",
    tuple(each.name for each in EXAMPLES),
    tuple(each.name for each in EXAMPLES),
    (("example", "Example", None), ("method", "Method", None), ("features", "Features", 0), ("chi_square", "χ²", 2),
     ("train_error", "Training error", 4), ("published_train_error", "printed", 4),
     ("test_error", "Test error", 3), ("published_test_error", "printed", 3)),
    ("test_error", "test error"),
    "LKRF: the features whose weights are not zero; RF: as many drawn ones. With bias: the same features, with a "
    "additional constant, which the released scripts do not fit. Between draws the test errors vary by about 0.01.",
    ("Example", "Features", "Training error, printed", "Test error, printed"),
    tuple(
        (f"{each.name}: {each.n} rows, d = {each.d}", {"RF": "plain", "LKRF": "re-weighted"}[method],
         f"{train:.4f}", f"{test:.3f}")
        for each in EXAMPLES for method, (train, test) in each.published.items()
    ),
)  # fmt: skip


# -- the paper, as its page shows it

publish(Paper(
    "lkrf",
    "LKRF",
    "Learning Kernels with Random Features",
    "A. Sinha, J. Duchi. Learning Kernels with Random Features. Advances in Neural Information Processing Systems "
    "29 (2016). Read through a talk given on it by S. Kano (2017) and the examples its authors released",
    "Draw many random features from any density, then weight them: the weights that align the kernel best with the "
    "labels, among those near the uniform ones in χ² distance, are found by a search in one dimension. Most become "
    "zero, so a model with few features is left. This helps most if the initial kernel is unsuitable, as for points "
    "inside and outside a sphere.",
    (_RELEASED,),
    (
    Mistake(
        "cauchy", "care", "A kernel that is not 1 at distance 0",
        (r"k(\Delta)=\prod_j\frac1{1+\Delta_j^2}\iff p(\omega)=\prod_j\tfrac12e^{-|\omega_j|}",),
        "table of kernels in the talk on LKRF, after Rahimi & Recht 2007",
        "The Cauchy kernel is printed as ∏ 2/(1 + Δ²), with its density up to a constant. Cosines are at most 1, so "
        "their mean cannot reach $2^d$ at distance 0: a density that integrates to 1 has no factors of 2. "
        "kernlab's Cauchy kernel is 1 at distance 0.",
        "Add inputs: the printed kernel doubles with each, the mean of cosines does not change.",
        "The Cauchy kernel as printed, scaled, and as the mean of random cosines",
        cauchy_kernels, plot_cauchy_kernels,
        (Slider("d", "Inputs d", (1, 2, 3, 4, 5), 2),),
    ),
    ),
))  # fmt: skip
