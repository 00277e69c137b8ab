"""How far features are from the kernel they stand for, as there are more of them.

    E(m) = K_m − K        mean |E_ij|,   max |E_ij|,   ‖E‖_F / ‖K‖_F        m = 4, 8, 16 … D

Averages of m independent features err like 1/√m, whatever the kernel and the dimension: a line of slope −½ on
logarithmic axes. Orthogonal frequencies and low-discrepancy points can do better, which is seen in the form with
cosine and sine; random phases are independent noise of their own and hide it. Landmarks are no averages: they err
at least as much as the m leading eigenvectors, and as little as the eigenvalues beyond.

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
from kernlab.feature_maps import Nystroem
from kernlab.feature_maps.nystroem import JITTER
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.pictures.base import CHOICES, At, once, picture
from kernlab.pictures.exact_kernel import GramFunction
from kernlab.pictures.kernel_at import KernelAt
from kernlab.pictures.kernels import PAGE, exact_at, has_kernel, rows_of
from kernlab.pictures.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, figure
from kernlab.pictures.thinning import spread

Measure: TypeAlias = Literal["relative", "mean", "largest"]


MEASURES: tuple[Measure, ...] = ("relative", "mean", "largest")
CHOICES["measure"] = lambda at: MEASURES


BLOCKS = 8  # of m features each, over which an error is averaged


SAMPLINGS = {"iid": "independent", "orthogonal": "orthogonal", "sobol": "quasi-Monte-Carlo"}


NUMBERS = 400_000  # drawn for a curve, about: with many inputs it ends earlier


class Errors(NamedTuple):
    """Errors of growing sets of features.

    Attributes:
        name: what was drawn.
        size: m [s], rising.
        relative, mean, largest: ‖E‖_F/‖K‖_F, and mean and largest |E_ij|, each averaged over blocks [s].
    """

    name: str
    size: NDArray[np.int64]
    relative: NDArray[np.float64]
    mean: NDArray[np.float64]
    largest: NDArray[np.float64]


class ErrorCurve(NamedTuple):
    """One measure of the errors.

    Attributes:
        name: what was drawn.
        size, error: m and the error, where it is above zero [s].
        slope: of ln error over ln m by least squares; None of a single point.
    """

    name: str
    size: NDArray[np.int64]
    error: NDArray[np.float64]
    slope: float | None


class Approximation(NamedTuple):
    """Errors against the number of features.

    Attributes:
        curves: one a way of drawing.
        law_size, law: the line c/√m through the middle of the first curve.
        measure: which error.
        rows: of the sample.
    """

    curves: tuple[ErrorCurve, ...]
    law_size: NDArray[np.float64]
    law: NDArray[np.float64]
    measure: Measure
    rows: int


def approximation(errors: Sequence[Errors], measure: Measure = "relative", *, rows: int) -> Approximation:
    """One measure of several errors, with slopes and the law of independent draws.

    Args:
        errors: the first one's middle places the line.
        measure: "relative", "mean" or "largest".
        rows: of the sample that they were measured on.
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
    """Errors of m of the given features, taken at random and counted D/m times each.

    Args:
        name: what they are.
        features: Φ [n D], ΦΦᵀ ≈ K; with ``paired`` [n 2D], column j and D + j belonging together.
        exact: K [n n].
        paired: cosine and sine stand side by side.
        seed: of the order they are taken in; None: as they stand.
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


def drawn_errors(map: SpectralMap, X: NDArray[Any], *, largest: int = 2048, seed: int = 0) -> tuple[Errors, ...]:
    """Errors of features that are drawn afresh from the assigned density, by each kind of sampling it allows.

    Args:
        map: with its ``frequency_scale`` resolved; drawn with cosine and sine where it has that form.
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
        # As they stand: whole blocks are orthogonal, and 2^k points in a row of the sequence fill the cube evenly.
        found.append(subset_errors(words, Phi, K, paired=drawn.paired, seed=None))
    return tuple(found)


def landmark_errors(
    name: str, gram: GramFunction, X: NDArray[Any], landmarks: NDArray[Any], *, seed: int = 0
) -> Errors:
    """Errors of Nyström features of the first m landmarks in a random order.

    With B = LLᵀ and V = k(X, Z)L^{−ᵀ} the first m columns of V are features of the first m landmarks, so that one
    factor serves every m.

    Args:
        name: what they are.
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
    (BLUE, "solid", "circle"),
    (ORANGE, "dash", "diamond"),
    (GREEN, "dashdot", "square"),
    (PURPLE, "longdash", "triangle-up"),
    (SKY, "dot", "cross"),
)


_WORDS = {"relative": "‖K̂ − K‖ / ‖K‖", "mean": "mean |K̂ − K|", "largest": "largest |K̂ − K|"}


def plot_approximation(view: Approximation, *, letter: str = "D") -> go.Figure:
    """One curve a way of drawing, with its slope, and the line c/√D.

    Args:
        view: the errors.
        letter: what the number of features is called: D, or J for landmarks.
    """
    words = _WORDS[view.measure]
    traces = [
        go.Scatter(
            x=curve.size,
            y=curve.error,
            mode="lines+markers",
            name=curve.name + ("" if curve.slope is None else f": slope {curve.slope:.2f}".replace("-", "−")),
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"color": colour, "symbol": symbol, "size": 8},
            hovertemplate=f"{curve.name}, {letter} = %{{x}}: %{{y:.3~g}}<extra></extra>",
        )
        for curve, (colour, dash, symbol) in zip(view.curves, _LOOKS, strict=False)
        if len(curve.size)
    ]
    if len(view.law):
        traces.append(
            go.Scatter(
                x=view.law_size,
                y=view.law,
                mode="lines",
                name=f"c/√{letter}: slope −0.5",
                line={"color": GREY, "width": 2, "dash": "dot"},
                hovertemplate=f"c/√{letter} at %{{x}}: %{{y:.3~g}}<extra></extra>",
            )
        )
    return figure(
        traces,
        title=f"Error of the approximation against {letter}",
        subtitle=f"on {view.rows} rows; each error a mean over separate sets of features",
        x=f"features {letter}" if letter == "D" else f"landmarks {letter}",
        y=words,
        revision=f"approximation:{view.measure}",
        xaxis={"type": "log", "dtick": 1},
        yaxis={"type": "log", "exponentformat": "power"},
    )


_MEASURED = 100  # rows that errors against D are measured on


# -- approximation ---------------------------------------------------------------------------------------------


def _approximates(at: At) -> bool:
    kernel = at.kernel
    return has_kernel(at) and kernel is not None and isinstance(kernel.representation, SpectralMap | Nystroem)


def _about_approximation(at: At) -> tuple[str, str]:
    exact, kernel = exact_at(at), at.kernel
    assert kernel
    assert exact
    if isinstance(kernel.representation, Nystroem):
        words = (
            "Landmarks of this run in a random order, against other rows of the data, and the leading eigenvectors, "
            "which no J features beat in this norm."
        )
        return r"\|k(X,Z)k(Z,Z)^{-1}k(Z,X)-K\|", words
    words = "Independent draws err like 1/√D in any dimension. "
    if exact.same:
        words += "This run's features are the kernel itself; the others are drawn afresh from the assigned density."
    else:
        words += (
            f"This run's features are compared with {exact.words}. The others are drawn afresh from the assigned "
            "density, with cosine and sine side by side, so that no random phase hides how well they are spread."
        )
    return r"\|\hat K_D-K\|\propto 1/\sqrt D", words


@picture(PAGE, alt="Error of the features against the exact kernel as there are more of them", when=_approximates,
         uses=("measure", "output"), height=420, note=_about_approximation)  # fmt: skip
def draw_approximation_error(at: At) -> go.Figure:
    """Error against D, or against J for landmarks."""
    kernel = at.kernel
    assert kernel
    landmarks = isinstance(kernel.representation, Nystroem)
    few = spread(len(rows_of(at).X), _MEASURED)
    find = _landmark_errors if landmarks else _feature_errors
    errors = once(at, ("errors", at.moment.step), lambda: find(at, kernel, rows_of(at).X[few]))
    return plot_approximation(
        approximation(errors, at.view["measure"], rows=len(few)), letter="J" if landmarks else "D"
    )


def _feature_errors(at: At, kernel: KernelAt, X: NDArray[Any]) -> list[Errors]:
    exact, map = exact_at(at), kernel.representation
    assert exact
    assert isinstance(map, SpectralMap)
    drawn = once(at, ("drawn",), lambda: drawn_errors(map, X))
    if exact.same:
        return list(drawn)
    own = subset_errors("this run's features", kernel.features(X), exact.gram(X, X), paired=map.paired)
    return [own, *drawn]


def _landmark_errors(at: At, kernel: KernelAt, X: NDArray[Any]) -> list[Errors]:
    exact, landmarks = exact_at(at), kernel.params["landmarks"].numpy()
    assert exact
    # Rows that errors are not measured on: landmarks among those would have none there.
    static = at.static
    pool = np.asarray(static["data_inputs" if "data_points" in static else "view_points"])
    others = pool[len(rows_of(at).X) :][: len(landmarks)]
    found = [landmark_errors("this run's landmarks", exact.gram, X, landmarks)]
    if len(others) > 4:
        found.append(landmark_errors("rows of the data", exact.gram, X, others))
    best = eigenvector_errors("leading eigenvectors", exact.gram(X, X), len(landmarks))
    return [*found, best]
