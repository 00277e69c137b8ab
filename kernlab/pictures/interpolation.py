"""The second descent: linear regression on ever more features of an assigned kernel, from far too few to far too many.

    D = 10 … 4n   nested features: the first D columns of one wide map in a fixed random order, times √(4n/D)
    W_D           the ridge regression of penalty λn on them; at λ = 0 the one of the smallest ‖W‖

Beside one another, for every D and every λ, from one reduction of the smaller Gram matrix for each D
(:mod:`kernlab.heads.shifted`). For D < n that is a corner of ΦᵀΦ; for D ≥ n it is ΦΦᵀ, to which each D adds its own
columns:

    train, test   mean of ‖f(x) − y‖²/mean ‖y − ȳ‖²; of classes also the share of wrong ones
    ‖W‖_F
    condition     (s_1 + λn)/(s_r + λn), s the r = min(n, D) eigenvalues of that matrix
    effective     Σ s_j/(s_j + λn)
    bound         mean ℓ on training rows + 2√2‖W‖_F √(Σ k(x_i, x_i))/n + 3√(ln(2/δ)/2n),   ℓ = min(1, ‖f − y‖), δ = 5 %

At D = n the features can just fit every training row: ‖W‖ and the condition number have their peak, and the test error
with them. λ = 0 stands for the smallest λ that rounding allows, n·2·10⁻¹⁶ of the largest eigenvalue. Beyond D = n both
fall again, while the training error stays 0. The bound contains ‖W‖ as it was found; to hold for every ‖W‖ at once it
would have to be a little larger.

Source: Belkin, Hsu, Ma & Mandal 2019 (double descent, with random Fourier features); Bartlett & Mendelson 2002,
theorems 8 and 22; Maurer 2016 (the factor √2 of a loss of several outputs).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import NDArray

from kernlab.data import Prepared
from kernlab.errors import DataError, OptionError
from kernlab.feature_maps import FeatureMap, Representation
from kernlab.heads.shifted import reduce
from kernlab.linalg import add_gram, gram, real_targets
from kernlab.numerals import number
from kernlab.pictures.marks import LOG, line, upright
from kernlab.pictures.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, figure
from kernlab.typing import Float, Tensor

LARGEST = 5000  # rows of the largest data set
PATIENCE = 30.0  # seconds that one waits without being asked
_TEST = 1000
_ROWS, _COLUMNS = 250, 1000  # of features that are computed, and multiplied, at once
_SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.93, 0.97, 1, 1.03, 1.07, 1.15, 1.3, 1.6, 2, 2.7, 4)  # of n
_COARSE = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.95, 1, 1.05, 1.25, 2, 4)  # the same of more than _MANY rows
_MANY = 2000
#: The penalties of the slider, beside the mean k(x, x) of the features.
PENALTIES = (0.0, *(10.0**power for power in range(-10, 2)))
_DELTA = 0.05
_CLOSE = 3e-3  # of condition numbers, which are drawn over many decades


class Descent(NamedTuple):
    """What became of the regressions; arrays [s p] have a row for each number of features, a column for each λ."""

    sizes: NDArray[np.int64]  # D [s]
    train: NDArray[np.float64]
    test: NDArray[np.float64]
    wrong: NDArray[np.float64] | None  # share of wrong classes on test rows
    norm: NDArray[np.float64]
    condition: NDArray[np.float64]
    effective: NDArray[np.float64]
    promised: NDArray[np.float64]  # the bound on the mean ℓ
    risk: NDArray[np.float64]  # the mean ℓ on test rows
    rows: int  # n
    of_rows: int  # training rows of the data set


def sizes(n: int) -> NDArray[np.int64]:
    """Numbers of features from 10 to 4n, the closer to one another the nearer they are to n."""
    least = min(10, n)
    found = {least, *(max(least, round(share * n)) for share in (_COARSE if n > _MANY else _SHARES))}
    return np.array(sorted(found), np.int64)


def fitting(n: int, columns: int, classes: int, seconds: float = PATIENCE) -> int:
    """The largest number of training rows, n at most, that takes no longer than ``seconds`` on a machine as busy as it
    is now; 1000 or n at least.

    Args:
        n: training rows.
        columns: inputs of the map.
        classes: outputs.
        seconds: that there are.
    """
    pace = _pace() if n > 1000 else 0
    while n > 1000 and work(n, columns, classes) > pace * seconds:
        n = max(1000, int(0.95 * n) // 50 * 50)
    return n


def work(n: int, columns: int, classes: int) -> float:
    """Multiplications that n training rows take, products of large matrices counted as an eighth: they are that much
    faster than the rest."""
    reductions = sum(_cost(n, int(D), classes) for D in sizes(n))
    return reductions + 4 * n * (n + _TEST) * (columns + 40 + n / 8)


def _cost(n: int, D: int, classes: int) -> float:
    side = min(n, D)
    return 2 * side**3 + len(PENALTIES) * classes * (4 * side**2 + side * n / 4) + 30 * len(PENALTIES) * 64**2 * side


def _pace() -> float:
    """Multiplications a second in reductions of matrices too large for a core's own memory, the best of several within
    a second: the page that asks is drawn on the same cores at first."""
    A, seconds = torch.eye(1200, dtype=torch.float64), []
    for size in (300, *[1200] * 6):
        time.sleep(0.08)
        begun = time.perf_counter()
        reduce(A[:size, :size].clone())
        seconds.append(time.perf_counter() - begun)
    return 2 * 1200**3 / min(seconds[1:])


def descend(
    representation: Representation, data: Prepared, *, seed: int = 0, rows: int | None = None
) -> Iterator[tuple[float, Descent | None]]:
    """Compute it: pairs of the share that is done and None; the last pair has the result.

    Args:
        representation: a feature map with the option ``n_features``; its parameters are drawn.
        data: scaled rows.
        seed: of the draw and the order of the features.
        rows: training rows at most; None: all.

    Raises:
        OptionError: the map has no number of features, or starts from rows of the data.
        DataError: there are more than 5000 rows, or fewer than 20 to train on.
    """
    if not isinstance(representation, FeatureMap) or representation.from_rows:
        fix = "choose a run with random features"
        raise OptionError("the second descent needs a map whose features can be drawn", representation.title, fix)
    if "n_features" not in representation.options():
        fix = "choose a run with random features"
        raise OptionError("the second descent needs a map with n_features", representation.title, fix)
    if data.dataset.n > LARGEST or len(data.X_train) < 20:
        raise DataError(
            f"the second descent needs 20 training rows, and at most {LARGEST} rows altogether",
            f"{data.dataset.n} rows, {len(data.X_train)} of them for training",
            "choose a run on a data set of that size",
        )
    return _descend(representation, data, seed, rows or len(data.X_train))


def _descend(
    representation: FeatureMap, data: Prepared, seed: int, rows: int
) -> Iterator[tuple[float, Descent | None]]:
    rng = np.random.default_rng(seed)
    places = rng.permutation(len(data.X_train))[:rows]
    others = rng.permutation(len(data.X_test))[:_TEST]
    n, K = len(places), data.dataset.n_outputs
    wide = representation.replace(n_features=4 * n)
    X, Z = (torch.from_numpy(each) for each in (data.X_train[places], data.X_test[others]))
    params = wide.init(X, torch.Generator().manual_seed(seed))
    total = wide.columns(params)
    order = torch.from_numpy(rng.permutation(total))
    Y, T = (real_targets(torch.from_numpy(each), K, torch.float64).double()
            for each in (data.y_train[places], data.y_test[others]))  # fmt: skip
    codes = None if data.targets is not None else torch.from_numpy(data.y_test[others])
    wanted = [int(D) for D in sizes(n) if total >= D]
    costs = np.array([_cost(n, D, K) for D in wanted])
    drawn = 0.03 * costs.sum()  # features take about so long, beside all regressions
    done, found = 0.0, []
    Phi, Psi = torch.empty(n, total), torch.empty(len(Z), total)
    for target, inputs in ((Phi, X), (Psi, Z)):
        for start in range(0, len(inputs), _ROWS):
            block = slice(start, start + _ROWS)
            target[block] = wide.apply(params, inputs[block])[:, order]
            done += drawn * len(inputs[block]) / (n + len(Z))
            yield done / (drawn + costs.sum()), None
    for each, cost in zip(nested(Phi, Psi, Y, T, wanted, codes), costs, strict=True):
        found.append(each)
        done += cost
        yield min(0.999, done / (drawn + costs.sum())), None
    arrays = [np.stack(each) for each in zip(*found, strict=True)]
    wrong = arrays.pop() if codes is not None else None
    curves = dict(zip(("train", "test", "norm", "condition", "effective", "promised", "risk"), arrays, strict=True))
    yield 1.0, Descent(np.array(wanted), wrong=wrong, rows=n, of_rows=len(data.X_train), **curves)


def nested(
    Phi: Float[Tensor, "n D"], Psi: Float[Tensor, "m D"], Y: Float[Tensor, "n K"], T: Float[Tensor, "m K"],
    wanted: Sequence[int], codes: Tensor | None = None,
) -> Iterator[list[NDArray[np.float64]]]:  # fmt: skip
    """Regressions on the first columns of wide features, for one number of columns after another.

    Args:
        Phi, Psi: features of training and test rows.
        Y, T: their targets in float64.
        wanted: numbers of columns, ascending.
        codes: of the test rows, where targets are classes.

    Yields:
        The figures of one D at every penalty [p]: train, test, norm, condition, effective, promised, risk (and wrong).
    """
    n, total = Phi.shape
    mean = Y.mean(0)
    Y, T = Y - mean, T - mean
    few = [D for D in wanted if n > D]
    corner = gram(Phi[:, : few[-1]].double()) if few else Y.new_empty(0, 0)
    K, cross, used = Y.new_zeros(n, n), Y.new_zeros(len(Psi), n), 0
    for D in wanted:
        scale = total / D
        if n > D:
            A = scale * corner[:D, :D]
            own, new = Phi[:, :D].double() * math.sqrt(scale), Psi[:, :D].double() * math.sqrt(scale)
            R = own.mT @ Y
        else:
            corner = corner.new_empty(0, 0)
            for start in range(used, D, _COLUMNS):
                own, new = (each[:, start : min(D, start + _COLUMNS)].double() for each in (Phi, Psi))
                add_gram(K, own.mT)
                cross.addmm_(new, own.mT)
            used, A, R = D, scale * K, Y  # of K the blocks above the diagonal are 0, and not read
        trace = float(A.diagonal().sum())
        shifts = torch.tensor(PENALTIES, dtype=torch.float64) * trace
        solved = reduce(A).solve(R, shifts, _CLOSE)
        X, rho = solved.X, solved.shifts
        if n > D:
            residuals, fits, norms = _times(own, X) - Y, _times(new, X), X.square().sum((1, 2)).sqrt()
        else:
            residuals, fits = -rho[:, None, None] * X, scale * _times(cross, X)
            norms = (X * (Y + residuals)).sum((1, 2)).clamp_min(0).sqrt()
        losses = [each.norm(dim=2).clamp_max(1).mean(1) for each in (residuals, fits - T)]
        complexity = 2 * math.sqrt(2) * norms * math.sqrt(trace) / n
        figures = [
            residuals.square().sum(2).mean(1) / Y.square().sum(1).mean(),
            (fits - T).square().sum(2).mean(1) / T.square().sum(1).mean(),
            norms,
            solved.conditions,
            len(A) - rho * solved.traces,
            losses[0] + complexity + 3 * math.sqrt(math.log(2 / _DELTA) / (2 * n)),
            losses[1],
        ]
        if codes is not None:
            figures.append(((fits + mean).argmax(2) != codes).double().mean(1))
        yield [each.numpy() for each in figures]


def _times(A: Float[Tensor, "m n"], X: Float[Tensor, "p n K"]) -> Float[Tensor, "p m K"]:
    """AX for each of p matrices, in one product."""
    return (A @ X.movedim(0, 1).reshape(len(A.mT), -1)).reshape(len(A), len(X), -1).movedim(1, 0)


# -- pictures --------------------------------------------------------------------------------------------------


def penalty_words(penalty: float) -> str:
    """A penalty of the slider in words."""
    return f"10^{round(math.log10(penalty))}" if penalty else "0"


def plot_errors(found: Descent, place: int) -> go.Figure:
    """Train and test error over D at one penalty."""
    drawn = [("training rows", found.train, GREY, "dash"), ("test rows", found.test, BLUE, "solid")]
    if found.wrong is not None:
        drawn.append(("wrong classes, test rows", found.wrong, VERMILLION, "dot"))
    return _over(found, place, drawn, "Train and test error", "error (1: the constant predictor)", 1e-4)


def plot_sizes(found: Descent, place: int) -> go.Figure:
    """‖W‖, condition number and effective dimension over D at one penalty."""
    drawn = [("‖W‖", found.norm, BLUE, "solid"), ("condition number", found.condition, ORANGE, "dash"),
             ("effective dimension", found.effective, GREEN, "dashdot")]  # fmt: skip
    return _over(found, place, drawn, "What becomes of the weights", "", 1e-3)


def plot_promise(found: Descent, place: int) -> go.Figure:
    """The bound beside what it bounds, over D at one penalty."""
    drawn = [("bound", found.promised, PURPLE, "solid"), ("test rows", found.risk, BLUE, "dash")]
    return _over(found, place, drawn, "The bound", "mean of min(1, ‖f − y‖)", 1e-4)


def _over(
    found: Descent, place: int, drawn: list[tuple[str, NDArray[np.float64], str, str]], title: str, y: str, low: float
) -> go.Figure:
    x = found.sizes.astype(np.float32)
    traces = [
        line(x, np.maximum(values[:, place], low).astype(np.float32), name, colour, f"{name}: %{{y:.3~g}}",
             extra="D = %{x}", dash=dash, mode="lines+markers")
        for name, values, colour, dash in drawn
    ]  # fmt: skip
    # The axes stay as they are while the penalty changes.
    every = np.maximum(np.concatenate([values.ravel() for _, values, _, _ in drawn]), low)
    ends = [float(np.log10(every.min())) - 0.1, float(np.log10(np.minimum(every, 1e12).max())) + 0.1]
    some = f"; {number(found.rows)} of {number(found.of_rows)} training rows" if found.rows < found.of_rows else ""
    shape: dict[str, Any] = upright(found.rows, color=GREY, dash="dot", width=1.5)
    return figure(
        traces, title=title, subtitle=f"dotted: D = n = {number(found.rows)}{some}", x="features D", y=y,
        revision=f"descent:{title}", xaxis=LOG, yaxis={**LOG, "range": ends}, shapes=[shape], hovermode="x unified",
    )  # fmt: skip
