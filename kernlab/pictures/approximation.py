"""The error of features against the kernel that they approximate, over their number.

    E(m) = K_m − K        mean |E_ij|,   max |E_ij|,   ‖E‖_F / ‖K‖_F        m = 4, 8, 16 … D

Averages of m independent features err like 1/√m, whatever the kernel and the dimension: a line of slope −½ on
logarithmic axes. Orthogonal frequencies and low-discrepancy points can do better, which shows in the form with cosine
and sine; random phases add independent noise that hides it. Landmarks are no averages: their error is at least that
of the m leading eigenvectors.

An error at m is the mean over separate blocks of m features, so that a curve is not the luck of one draw.

Source: Rahimi & Recht 2007; Yu et al. 2016 (orthogonal); Avron et al. 2016 (quasi-Monte-Carlo); Williams & Seeger
2001 (Nyström); Eckart & Young 1936.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cholesky, solve_triangular

from kernlab.errors import CompositionError
from kernlab.feature_maps.base import Representation
from kernlab.feature_maps.law import GramFunction
from kernlab.feature_maps.nystroem import JITTER
from kernlab.pictures.base import CHOICES, At, once, picture
from kernlab.pictures.kernel_at import KernelAt
from kernlab.pictures.kernels import PAGE, exact_at, has_kernel, rows_of
from kernlab.pictures.marks import DECADES, LOG, line
from kernlab.pictures.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, figure
from kernlab.pictures.thinning import spread

Measure: TypeAlias = Literal["relative", "mean", "largest"]
MEASURES: tuple[Measure, ...] = ("relative", "mean", "largest")
CHOICES["measure"] = lambda at: MEASURES

BLOCKS = 8  # of m features each, over which an error is averaged
SAMPLINGS = {"iid": "independent", "orthogonal": "orthogonal", "sobol": "quasi-Monte-Carlo"}
NUMBERS = 400_000  # random numbers of a curve, about: with many inputs it ends earlier
_MEASURED = 100  # rows on which errors are measured


class Errors(NamedTuple):
    """Errors of growing sets of features."""

    name: str  # of the way of drawing
    size: NDArray[np.int64]  # m [s], rising
    relative: NDArray[np.float64]  # ‖E‖_F/‖K‖_F, averaged over blocks [s]
    mean: NDArray[np.float64]  # mean |E_ij|, averaged over blocks [s]
    largest: NDArray[np.float64]  # largest |E_ij|, averaged over blocks [s]


class ErrorCurve(NamedTuple):
    """One measure of the errors."""

    name: str  # of the way of drawing
    size: NDArray[np.int64]  # m, where the error is above zero [s]
    error: NDArray[np.float64]  # above zero [s]
    slope: float | None  # of ln error over ln m by least squares; None of a single point


class Approximation(NamedTuple):
    """Errors against the number of features."""

    curves: tuple[ErrorCurve, ...]  # one for each way of drawing
    law_size: NDArray[np.float64]  # ends of the line c/√m
    law: NDArray[np.float64]  # the line through the middle of the first curve
    measure: Measure  # of the error
    rows: int  # of the sample


def approximation(errors: Sequence[Errors], measure: Measure = "relative", *, rows: int) -> Approximation:
    """One measure of several errors, with slopes and the law of independent draws.

    Args:
        errors: the line goes through the middle of the first.
        measure: "relative", "mean" or "largest".
        rows: of the sample on which they were measured.
    """
    curves = tuple(_curve(each, measure) for each in errors)
    sizes = np.concatenate([curve.size for curve in curves]) if curves else np.zeros(0)
    if not len(sizes) or not len(curves[0].size):
        return Approximation(curves, np.zeros(0), np.zeros(0), measure, rows)
    first = curves[0]
    ends = np.array([sizes.min(), sizes.max()], np.float64)
    level = float(np.mean(np.log(first.error) + 0.5 * np.log(first.size)))
    return Approximation(curves, ends, np.exp(level) / np.sqrt(ends), measure, rows)


def subset_errors(
    name: str, features: ArrayLike, exact: ArrayLike, *, paired: bool = False, seed: int | None = 0
) -> Errors:
    """Errors of m of some features, chosen at random and counted D/m times each.

    Args:
        name: of the features.
        features: Φ [n D], ΦΦᵀ ≈ K; with ``paired`` [n 2D], column j and D + j belonging together.
        exact: K [n n].
        paired: each frequency has a cosine and a sine.
        seed: of their random order; None: the order of the columns.
    """
    Phi, K = np.asarray(features, np.float64), np.asarray(exact, np.float64)
    n, D = len(Phi), Phi.shape[1] // (2 if paired else 1)
    grouped = Phi.reshape(n, -1, D).transpose(0, 2, 1)  # [n D 1 or 2]
    if seed is not None:
        grouped = grouped[:, np.random.default_rng(seed).permutation(D)]

    def blocks(m: int) -> Iterator[NDArray[np.float64]]:
        for start in range(0, min(BLOCKS, D // m) * m, m):
            part = grouped[:, start : start + m].reshape(n, -1)
            yield part @ part.T * (D / m)

    return _errors(name, _sizes(D), K, blocks)


def drawn_errors(map: Representation, X: NDArray[Any], *, largest: int = 2048, seed: int = 0) -> tuple[Errors, ...]:
    """Errors of features that are drawn again from the assigned density, by each kind of sampling that it allows.

    Args:
        map: with draws and a resolved ``frequency_scale``; drawn with cosine and sine where it has that form.
        X: scaled inputs [n d].
        largest: m at most; less with many inputs.
        seed: of the draws.
    """
    form = map.plain()
    numbers = max(64, NUMBERS // (X.shape[1] * form.pairs))
    D = 2 ** int(np.log2(min(largest, numbers)))
    rows, generator = torch.as_tensor(X).double(), torch.Generator()
    law = form.law()
    assert law, "resolve() comes first"
    K, columns = law.kernel(X, X), 2 if form.paired else 1
    found = []
    for sampling, words in SAMPLINGS.items():
        drawn = form.replace(n_features=D * columns, sampling=sampling)
        try:
            params = drawn.init(rows.float(), generator.manual_seed(seed))
        except CompositionError:  # a density without that sampling, or more inputs than Sobol points have
            continue
        params = {name: value.double() for name, value in params.items()}
        with torch.no_grad():
            Phi = drawn.apply(params, rows).numpy()
        # In this order whole blocks are orthogonal, and 2^k successive points of the sequence fill the cube evenly.
        found.append(subset_errors(words, Phi, K, paired=drawn.paired, seed=None))
    return tuple(found)


def landmark_errors(
    name: str, gram: GramFunction, X: NDArray[Any], landmarks: NDArray[Any], *, seed: int = 0
) -> Errors:
    """Errors of Nyström features of the first m landmarks in a random order.

    With B = LLᵀ and V = k(X, Z)L^{−ᵀ} the first m columns of V are features of the first m landmarks, so that one
    factor serves every m.

    Args:
        name: of the landmarks.
        gram: the kernel k.
        X: scaled inputs [n d].
        landmarks: Z [J d].
        seed: of the order.
    """
    Z = np.asarray(landmarks)[np.random.default_rng(seed).permutation(len(landmarks))]
    B = gram(Z, Z)
    B = B + JITTER * np.eye(len(B)) * B.diagonal().mean()
    V = solve_triangular(cholesky(B, lower=True), gram(X, Z).T, lower=True).T
    return _errors(name, _sizes(len(Z)), gram(X, X), lambda m: iter([V[:, :m] @ V[:, :m].T]))


def eigenvector_errors(name: str, K: ArrayLike, largest: int) -> Errors:
    """Errors of the m leading eigenvectors of K [n n] itself: relative to ‖K‖_F no m features do better."""
    exact = np.asarray(K, np.float64)
    values, vectors = np.linalg.eigh(exact)
    root = vectors[:, ::-1] * np.sqrt(values[::-1].clip(0))
    return _errors(name, _sizes(min(largest, len(exact))), exact, lambda m: iter([root[:, :m] @ root[:, :m].T]))


def _errors(name: str, sizes: NDArray[np.int64], K: NDArray[np.float64], blocks: Any) -> Errors:
    size = float(np.linalg.norm(K)) or 1.0
    table = []
    for m in sizes.tolist():
        apart = [np.abs(approximate - K) for approximate in blocks(m)]
        table.append([np.mean([f(each) for each in apart]) for f in (np.linalg.norm, np.mean, np.max)])
    relative, mean, largest = np.array(table, np.float64).reshape(-1, 3).T
    return Errors(name, sizes, relative / size, mean, largest)


def _sizes(D: int) -> NDArray[np.int64]:
    """4, 8, 16 … and D itself."""
    return np.unique([*(2**k for k in range(2, 20) if 2**k < D), D]).astype(np.int64)


def _curve(errors: Errors, measure: Measure) -> ErrorCurve:
    values: NDArray[np.float64] = getattr(errors, measure)
    seen = values > 1e-12  # below is rounding, which has no slope
    size, error = errors.size[seen], values[seen]
    slope = float(np.polyfit(np.log(size), np.log(error), 1)[0]) if len(size) > 1 else None
    return ErrorCurve(errors.name, size, error, slope)


_LOOKS = (
    (BLUE, "solid", "circle"), (ORANGE, "dash", "diamond"), (GREEN, "dashdot", "square"),
    (PURPLE, "longdash", "triangle-up"), (SKY, "dot", "cross"),
)  # fmt: skip
_WORDS = {"relative": "‖K̂ − K‖ / ‖K‖", "mean": "mean |K̂ − K|", "largest": "largest |K̂ − K|"}


def plot_approximation(view: Approximation, *, letter: str = "D") -> go.Figure:
    """One curve for each way of drawing, with its slope, and the line c/√D; ``letter`` is D, or J of landmarks."""
    traces = []
    for curve, (colour, dash, symbol) in zip(view.curves, _LOOKS, strict=False):
        if len(curve.size):
            words = curve.name + ("" if curve.slope is None else f": slope {curve.slope:.2f}".replace("-", "−"))
            traces.append(line(
                curve.size, curve.error, words, colour, f"{curve.name}, {letter} = %{{x}}: %{{y:.3~g}}", dash=dash,
                mode="lines+markers", marker={"color": colour, "symbol": symbol, "size": 8},
            ))  # fmt: skip
    if len(view.law):
        words, hover = f"c/√{letter}: slope −0.5", f"c/√{letter} at %{{x}}: %{{y:.3~g}}"
        traces.append(line(view.law_size, view.law, words, GREY, hover, width=2, dash="dot"))
    return figure(
        traces, title=f"Error of the approximation against {letter}",
        subtitle=f"on {view.rows} rows; each error a mean over separate sets of features",
        x=f"features {letter}" if letter == "D" else f"landmarks {letter}", y=_WORDS[view.measure],
        revision=f"approximation:{view.measure}", xaxis=DECADES, yaxis=LOG,
    )  # fmt: skip


def _approximates(at: At) -> bool:
    kernel = at.kernel
    return (
        has_kernel(at) and kernel is not None and (_has_landmarks(kernel) or kernel.representation.plain() is not None)
    )


def _has_landmarks(kernel: KernelAt) -> bool:
    return "landmarks" in kernel.params


def _about_approximation(at: At) -> tuple[str, str]:
    exact, kernel = exact_at(at), at.kernel
    assert kernel
    assert exact
    if _has_landmarks(kernel):
        words = (
            "Landmarks of this run in a random order, against other rows of the data, and the leading eigenvectors, "
            "which no J features beat in this norm."
        )
        return r"\|k(X,Z)k(Z,Z)^{-1}k(Z,X)-K\|", words
    words = "Independent draws err like 1/√D in any dimension. "
    if exact.same:
        words += "This run's features are the kernel itself; the others are drawn again from the assigned density."
    else:
        words += (
            f"This run's features are compared with {exact.words}. The others are drawn again from the assigned "
            "density, with cosine and sine side by side, so that no random phase hides how well they are spread."
        )
    return r"\|\hat K_D-K\|\propto 1/\sqrt D", words


@picture(PAGE, alt="Error of the features against the exact kernel as there are more of them", when=_approximates,
         uses=("measure", "output"), height=420, note=_about_approximation)  # fmt: skip
def draw_approximation_error(at: At) -> go.Figure:
    """Error against D, or against J for landmarks."""
    kernel = at.kernel
    assert kernel
    landmarks = _has_landmarks(kernel)
    few = spread(len(rows_of(at).X), _MEASURED)
    find = _landmark_errors if landmarks else _feature_errors
    errors = once(at, ("errors", at.moment.step), lambda: find(at, kernel, rows_of(at).X[few]))
    view = approximation(errors, at.view["measure"], rows=len(few))
    return plot_approximation(view, letter="J" if landmarks else "D")


def _feature_errors(at: At, kernel: KernelAt, X: NDArray[Any]) -> list[Errors]:
    exact, map = exact_at(at), kernel.representation
    assert exact
    drawn = once(at, ("drawn",), lambda: drawn_errors(map, X))
    if exact.same:
        return list(drawn)
    own = subset_errors(
        "this run's features", kernel.features(X), exact.gram(X, X), paired="phase" not in kernel.params
    )
    return [own, *drawn]


def _landmark_errors(at: At, kernel: KernelAt, X: NDArray[Any]) -> list[Errors]:
    exact, landmarks = exact_at(at), kernel.params["landmarks"].numpy()
    assert exact
    # Rows on which no errors are measured: a landmark has no error at its own row.
    static = at.static
    pool = np.asarray(static["data_inputs" if "data_points" in static else "view_points"])
    others = pool[len(rows_of(at).X) :][: len(landmarks)]
    found = [landmark_errors("this run's landmarks", exact.gram, X, landmarks)]
    if len(others) > 4:
        found.append(landmark_errors("rows of the data", exact.gram, X, others))
    best = eigenvector_errors("leading eigenvectors", exact.gram(X, X), len(landmarks))
    return [*found, best]
