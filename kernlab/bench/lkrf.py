"""The two examples released with the paper on re-weighted random features, beside the figures it printed.

    shell    y = sign(‖x‖ − √d), d = 10: 20 000 candidate cosines, ω ~ N(0, I), b ~ U[0, 2π), ρ = 0.005 N_w
    linear   y = sign(wᵀx), d = 1000, w = 1 on a tenth of the inputs and faint on the rest: the candidates
             are the inputs themselves, ρ = 0.01 d

Both: 10 000 rows to train on, 1000 to test on, all N(0, I); v = (Φᵀy)² with y = ±1. The kept features are
compared with as many plain ones, by a ridge regression as in the released scripts: mean y is taken off the
targets and put back on the outputs, while the features stay as they are (no bias is fitted to them) and are
not multiplied by √q. The rows "with bias" fit the same features by centred ridge, as kernlab does elsewhere:
a constant is something cosines of low frequency have to spend weight on otherwise.

The draws are ours: the released scripts fix a seed of MATLAB's, and one draw of 10 000 rows moves the test
error by about 0.01 and the number of kept features by about 7.

Source: LKRF, released examples; published test errors 0.143 against 0.355, and 0.051 against 0.373.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from kernlab.bench.base import REPRODUCTIONS, over_repeats
from kernlab.data import load
from kernlab.errors import UnknownNameError
from kernlab.feature_maps import Weighted
from kernlab.linalg import cholesky, ridge
from kernlab.solvers import ChiSquareBall, Problem
from kernlab.solvers.chi_square_ball import chi_square, chi_square_ball
from kernlab.typing import Float, Tensor

__all__ = ["EXAMPLES", "Example", "lkrf_examples", "reproduce"]


class Example(NamedTuple):
    """One example: its settings and what was published of it.

    Attributes:
        name: "shell" or "linear".
        data: its generator.
        n, n_test: rows to train and to test on.
        d: inputs.
        candidates: N_w.
        radius: ρ/N_w.
        penalty: of the ridge, on sums over the training rows.
        published: (training error, test error) of plain features and of re-weighted ones.
    """

    name: str
    data: str
    n: int
    n_test: int
    d: int
    candidates: int
    radius: float
    penalty: float
    published: dict[str, tuple[float, float]]


EXAMPLES = (
    Example("shell", "shell", 10_000, 1000, 10, 20_000, 0.005, 0.05, {"RF": (0.3127, 0.355), "LKRF": (0.1199, 0.143)}),
    Example(
        "linear", "halfspace", 10_000, 1000, 1000, 1000, 0.01, 0.01, {"RF": (0.3738, 0.373), "LKRF": (0.047, 0.051)}
    ),
)


def lkrf_examples(
    progress: Callable[[str], None] | None = None, *, seed: int = 0, examples: tuple[Example, ...] = EXAMPLES
) -> list[dict[str, Any]]:
    """Both examples run anew, a row for each kind of features and each way to fit them.

    Args:
        progress: told what is being done, in words.
        seed: of the data, the candidates and the plain features.
        examples: what is run.

    Returns:
        Rows with ``example``, ``method`` ("RF", "LKRF", and each "with bias"), the settings, ``features`` (columns
        used), ``chi_square`` (None for plain features), ``train_error`` and ``test_error``, and
        ``published_train_error`` and ``published_test_error`` (None where nothing was published).
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
    """Shares of rows on the wrong side, in training and in the test."""
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


@REPRODUCTIONS.register("lkrf-examples")
def reproduce(
    progress: Callable[[str], None], *, datasets: Sequence[str] = (), repeats: int = 1, seed: int = 0
) -> list[dict[str, Any]]:
    """Both examples (or those named by ``datasets``), means over ``repeats`` draws, beside the published errors."""
    there = {example.name: example for example in EXAMPLES}
    for name in datasets:
        if name not in there:
            raise UnknownNameError.among("example", name, there)
    chosen = tuple(there[name] for name in datasets or there)
    turns = [lkrf_examples(progress, seed=seed + turn, examples=chosen) for turn in range(repeats)]
    return over_repeats(turns, ("train_error", "test_error", "features", "chi_square"))
