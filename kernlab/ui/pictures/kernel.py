"""Pictures of the kernel itself: whom it calls alike, how rich it is, and what its features miss of the exact one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from kernlab.analysis import (
    approximation,
    decay,
    frame_spectrum,
    gram,
    kernel_alignment,
    kernel_around,
    sample_plane,
    weights,
)
from kernlab.analysis.exact_kernel import Exact, GramFunction, exact_of
from kernlab.analysis.moment import KernelAt, kernel_at
from kernlab.analysis.phase_distance import PhaseDistance, has_phases, phase_distance, phase_history
from kernlab.analysis.sample import Sample
from kernlab.analysis.thinning import spread
from kernlab.feature_maps import Nystroem
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.plots.approximation import plot_approximation
from kernlab.plots.decay import plot_decay, plot_effective_dimension, plot_eigenvalue_change
from kernlab.plots.gram import plot_difference, plot_gram, plot_gram_rows
from kernlab.plots.kernel_alignment import plot_alignment_history, plot_alignments
from kernlab.plots.kernel_around import plot_kernel_profile, plot_kernel_surface
from kernlab.plots.phase_distance import plot_phase_history
from kernlab.plots.sample import plot_sample
from kernlab.plots.weights import plot_diagonal, plot_singular_values
from kernlab.ui.pictures.base import Shown, picture
from kernlab.ui.pictures.timed import timed

__all__ = ["matrices", "phases_now", "rank"]

_T = TypeVar("_T")
_PAGE = "inside.kernel"
_KEPT = 60  # results of a session: a matrix is half a megabyte
_SNAPSHOTS, _ALIGNED = 20, 120  # moments, and rows, of curves over the run
_MEASURED = 100  # rows that errors against D are measured on
_LEGEND = 12  # classes that a legend has room for


# -- what the pictures share -----------------------------------------------------------------------------------


def _once(at: Shown, key: tuple[Hashable, ...], make: Callable[[], _T]) -> _T:
    """What several pictures of a moment need is computed once."""
    kept: OrderedDict[Hashable, Any] = st.session_state.setdefault("kernel.kept", OrderedDict())
    name = (at.watch.id, at.view["output"], *key)
    if name not in kept:
        kept[name] = make()
        while len(kept) > _KEPT:
            kept.popitem(last=False)
    kept.move_to_end(name)
    found: _T = kept[name]
    return found


def _there(at: Shown) -> bool:
    """The run has rows, and its snapshots hold its kernel."""
    return at.sample is not None and len(at.sample.X) > 1 and at.kernel is not None


def _sample(at: Shown) -> Sample:
    sample = at.sample
    assert sample is not None
    return sample


def _groups(sample: Sample) -> gram.Groups:
    return gram.Groups(tuple(sample.borders.tolist()), sample.names)


def _classes(at: Shown) -> tuple[str, ...]:
    return tuple(str(name) for name in at.facts["classes"]) if _sample(at).classes else ()


def _exact(at: Shown) -> Exact | None:
    kernel = at.kernel
    return exact_of(at.method, kernel) if at.method and kernel else None


def _since(at: Shown) -> str:
    """The reference moment, in words that begin with "then"."""
    assert at.reference
    return f"then ({at.watch.unit} {at.reference.epoch:.3g})"


def _kernels(at: Shown) -> dict[str, tuple[Hashable, GramFunction]]:
    """Every kernel of this moment by name, with what tells it apart from others of the run; "now" comes first."""
    step = at.moment.step
    found: dict[str, tuple[Hashable, GramFunction]] = {}
    if now := at.kernel:
        found["now"] = (step, now.gram)
    learned = at.method is not None and at.method.learned
    if at.reference and at.reference.step != step and (then := at.kernel_of_reference):
        found[_since(at)] = (at.reference.step, then.gram)
    elif learned and step > 0 and (before := at.kernel_before):
        found["before training"] = ("initial", before.gram)
    exact = _exact(at)
    if exact and not exact.same:
        found["exact"] = (f"exact {step}", exact.gram)
    return found


def _grams(at: Shown) -> dict[str, NDArray[np.float64]]:
    """The Gram matrix of the sample under each of these kernels."""
    X = _sample(at).X
    found = {}
    for name, (which, kernel) in _kernels(at).items():
        found[name] = _once(at, ("gram", which), lambda kernel=kernel: kernel(X, X))  # type: ignore[misc]
    return found


def _spectra(at: Shown) -> dict[str, NDArray[np.float64]]:
    """Eigenvalues of K/n for each of these kernels."""
    names = {name: which for name, (which, _) in _kernels(at).items()}
    return {
        name: _once(at, ("spectrum", names[name]), lambda K=K: decay.eigenvalues(K))  # type: ignore[misc]
        for name, K in _grams(at).items()
    }


def _features_words(kernel: KernelAt) -> str:
    if kernel.kept < kernel.total:
        return f"Made of {kernel.kept} of the {kernel.total} features, which is what a snapshot keeps."
    return ""


# -- the matrix ------------------------------------------------------------------------------------------------

_MATRICES = {
    "features": "features",
    "exact": "exact kernel",
    "error": "features − exact",
    "change": "now − before",
}


def matrices(at: Shown) -> dict[str, str]:
    """What a Gram matrix can be looked at as, and in words."""
    names = ["features"]
    if "exact" in (kernels := _kernels(at)):
        names += ["exact", "error"]
    if any(name.startswith(("then", "before")) for name in kernels):
        names.append("change")
    return {name: _MATRICES[name] for name in names}


def _chosen(at: Shown) -> str:
    return at.view["matrix"] if at.view["matrix"] in matrices(at) else "features"


def _earlier(names: Mapping[str, Any]) -> str:
    return next(name for name in names if name.startswith(("then", "before")))


def _about_gram(at: Shown) -> tuple[str, str]:
    kernel, exact = at.kernel, _exact(at)
    assert kernel
    words = "Rows are sorted by target: a kernel that helps is bright near the diagonal."
    if _sample(at).classes:
        words = "Rows of one class stand together: a kernel that helps is bright on the blocks of the diagonal."
    if exact:
        words += f" Exact means {exact.words}."
    return r"K_{ij}=k(x_i,x_j)\approx\varphi(x_i)^\top\varphi(x_j)", f"{words} {_features_words(kernel)}"


def _cell(at: Shown, event: str, value: Any) -> dict[str, Any]:
    """A cell stands for two rows."""
    places = dict.fromkeys(str(int(value[axis])) for axis in ("y", "x") if value.get(axis) is not None)
    return {"points": ",".join(places)}


@picture(_PAGE, key="gram", alt="Gram matrix of a sample", when=_there, uses=("matrix", "output"), height=480,
         note=_about_gram, events=("click",), taken=_cell)  # fmt: skip
def gram_matrix(at: Shown) -> go.Figure:
    """The Gram matrix: of the features, exact, or one of the differences."""
    found, groups, chosen = _grams(at), _groups(_sample(at)), _chosen(at)
    if chosen == "error":
        return plot_difference(gram.gram_difference(found["now"], found["exact"], groups), what=_MATRICES[chosen])
    if chosen == "change":
        earlier = _earlier(found)
        view = gram.gram_difference(found["now"], found[earlier], groups)
        return plot_difference(view, what=f"now − {earlier}")
    return plot_gram(gram.gram_view(found["exact" if chosen == "exact" else "now"], groups), what=_MATRICES[chosen])


def _select(at: Shown, event: str, value: Any) -> dict[str, Any]:
    """Selected points are taken as they are; a click adds one, or takes it away."""
    told = [each.get("customdata") for each in (value if event == "select" else [value])]
    rows = [int(row) for row in told if row is not None]
    if not rows:  # a click ends an empty selection too
        return {}
    if event == "click":
        held = list(at.points)
        rows = [row for row in held if row not in rows] + [row for row in rows if row not in held]
    return {"points": ",".join(map(str, rows))}


def _plane(at: Shown) -> sample_plane.SamplePlane:
    static, names = at.static, [str(name) for name in at.facts.get("feature_names") or ()]
    return _once(at, ("plane",), lambda: sample_plane.sample_plane(
        _sample(at).X, names, center=static.get("inputs_center"), scale=static.get("inputs_scale")
    ))  # fmt: skip


@picture(_PAGE, alt="The sample as points that can be selected", when=_there, uses=("points", "output"), height=480,
         events=("click", "select"), taken=_select)  # fmt: skip
def sample(at: Shown) -> go.Figure:
    """The sample; points that are selected here are looked at in the other pictures."""
    rows, classes = _sample(at), _classes(at)
    outputs = [str(name) for name in at.facts.get("classes") or ["target"]]
    target = outputs[min(at.view["output"], len(outputs) - 1)]
    view = sample_plane.sample_view(
        _plane(at), rows.targets, _grams(at)["now"].diagonal(), at.points, classes=classes, target=target
    )
    figure = plot_sample(view)
    return figure.update_layout(showlegend=False) if len(classes) > _LEGEND else figure


@picture(_PAGE, key="gram_rows", alt="Rows of the Gram matrix of the selected points", height=400,
         when=lambda at: _there(at) and bool(at.points), uses=("matrix", "points", "output"))  # fmt: skip
def rows_of_gram(at: Shown) -> go.Figure:
    """Rows of the selected points, with their k(x, x)."""
    K = _grams(at)["exact" if _chosen(at) == "exact" else "now"]
    return plot_gram_rows(gram.gram_rows(K, at.points, _groups(_sample(at))))


# -- around a point --------------------------------------------------------------------------------------------


def _row(at: Shown) -> int:
    """x₀: the point that was clicked, else the first selected one, else the middle of the sample."""
    n = len(_sample(at).X)
    asked = [int(text) for text in [at.view["around"]] if text.isdecimal()] + list(at.points)
    return next((row for row in asked if row < n), n // 2)


def _go_there(at: Shown, event: str, value: Any) -> dict[str, Any]:
    """x₀ becomes the row nearest to where was clicked."""
    clicked = [value.get("x"), value.get("y")][: len(_plane(at).axes)]
    if any(not isinstance(each, int | float) for each in clicked):
        return {}
    plane = _plane(at)
    width = np.ptp(plane.coordinates, axis=0)
    apart = (plane.coordinates - np.array(clicked)) / np.where(width > 0, width, 1.0)
    return {"around": str(int((apart**2).sum(1).argmin()))}


def _go_along(at: Shown, event: str, value: Any) -> dict[str, Any]:
    x = value.get("x")
    return {"around": str(int(np.abs(_plane(at).coordinates[:, 0] - x).argmin()))} if isinstance(x, int | float) else {}


def _about_profile(at: Shown) -> tuple[str, str]:
    words = "What the model calls alike to one point. Click to look around another one."
    if len(_plane(at).directions[0]) > 2:
        words += " All other directions stay as they are at x₀."
    return r"x\mapsto k(x_0,x)", words


@picture(_PAGE, alt="The kernel along a line through a point", when=_there, uses=("around", "points", "output"),
         height=380, note=_about_profile, events=("click",), taken=_go_along)  # fmt: skip
def kernel_profile(at: Shown) -> go.Figure:
    """k(x₀, ·) along the first direction: now, before, exact."""
    kernels = {name: kernel for name, (_, kernel) in _kernels(at).items()}
    return plot_kernel_profile(kernel_around.kernel_profile(kernels, _sample(at).X, _row(at), _plane(at)))


@picture(_PAGE, alt="The kernel around a point, over the sample", uses=("matrix", "around", "points", "output"),
         when=lambda at: _there(at) and _sample(at).X.shape[1] > 1, height=480, events=("click",),
         taken=_go_there)  # fmt: skip
def kernel_surface(at: Shown) -> go.Figure:
    """k(x₀, ·) on the plane of the sample, or one of the differences."""
    kernels, chosen, rows = {name: kernel for name, (_, kernel) in _kernels(at).items()}, _chosen(at), _sample(at)
    words, kernel = _MATRICES[chosen], kernels["exact" if chosen == "exact" else "now"]
    if chosen in ("error", "change"):
        name = "exact" if chosen == "error" else _earlier(kernels)
        kernel, words = _less(kernel, kernels[name]), f"now − {name}" if chosen == "change" else words
    classes = _classes(at)
    codes = rows.targets if classes else None
    figure = plot_kernel_surface(
        kernel_around.kernel_surface(words, kernel, rows.X, _row(at), _plane(at), codes, classes)
    )
    return figure.update_layout(showlegend=False) if len(classes) > _LEGEND else figure


def _less(first: GramFunction, second: GramFunction) -> GramFunction:
    return lambda X, Z: first(X, Z) - second(X, Z)


# -- eigenvalues -----------------------------------------------------------------------------------------------


def _about_decay(at: Shown) -> tuple[str, str]:
    words = (
        "Each eigenvalue is one direction in which the kernel lets functions vary. Where they fall fast there are few, "
        "and little is needed to learn along them. Eigenvalues of the sample come near to those of the kernel's "
        "integral operator as it grows."
    )
    if "spectrum" in at.arrays:
        words += " For a frame those are Aλ of its functions, or at most that (FKS Theorem 2)."
    return r"\lambda_i\left(\tfrac1nK\right)\approx c\,i^{-\gamma}\quad\text{or}\quad c\,e^{-\beta i}", words


@picture(_PAGE, alt="Eigenvalues of the kernel matrix with the law they follow", when=_there, uses=("output",),
         height=420, note=_about_decay)  # fmt: skip
def eigenvalues(at: Shown) -> go.Figure:
    """Falling eigenvalues of K/n: now, before, exact, and the law of those now."""
    views = {name: decay.decay(values) for name, values in _spectra(at).items()}
    operator = None
    if "spectrum" in at.arrays and (at.arrays["spectrum"] > 0).any():
        constant = at.moment.values.get("bound/frame_constant")
        operator = frame_spectrum.frame_eigenvalues(at.arrays["spectrum"], constant)
    return plot_decay(views, operator=operator)


def _compared(at: Shown) -> bool:
    return _there(at) and any(name.startswith("then") for name in _kernels(at))


@picture(_PAGE, alt="Eigenvalues now over those at the other moment", when=_compared, uses=("output",))
def eigenvalue_change(at: Shown) -> go.Figure:
    """How many times as large each eigenvalue has become."""
    spectra = _spectra(at)
    then = _earlier(spectra)
    return plot_eigenvalue_change(decay.eigenvalue_change(spectra["now"], spectra[then]), then=then)


def _about_dimension(at: Shown) -> tuple[str, str]:
    return (
        r"d(\rho)=\operatorname{tr}K(K+n\rho I)^{-1}=\sum_i\frac{\lambda_i}{\lambda_i+\rho}",
        "How many directions a ridge regression with this penalty still uses: as many parameters as it really has.",
    )


@picture(_PAGE, alt="Effective dimension against the ridge", when=_there, uses=("output",), note=_about_dimension)
def effective_dimension(at: Shown) -> go.Figure:
    """d(ρ) over ridges, with that of the run where it has one."""
    ridge = _ridge(at)
    views = {name: decay.effective_dimension(values, ridge) for name, values in _spectra(at).items()}
    return plot_effective_dimension(views)


def _ridge(at: Shown) -> float | None:
    """ρ of the run against a mean of squares; its ridge head counts the sum."""
    head = at.method.head if at.method else None
    if head is None or head.name not in ("ridge", "kernel_ridge"):
        return None
    chosen = at.moment.values.get("ridge", head.options()["ridge"])
    if chosen == "auto":
        return None
    penalty = float(chosen)
    return penalty if head.name == "kernel_ridge" else penalty / max(1, int(at.facts.get("n_train") or 1))


# -- alignment -------------------------------------------------------------------------------------------------


def _labels(sample: Sample) -> NDArray[np.float64]:
    return kernel_alignment.target_matrix(sample.targets, sample.classes)


def _about_alignment(at: Shown) -> tuple[str, str]:
    return (
        r"A(K,YY^\top)=\frac{\langle K,YY^\top\rangle_F}{\|K\|_F\,\|YY^\top\|_F}",
        "How far the kernel agrees with which rows belong together. Centred, both matrices lose their means first: a "
        "kernel that is high everywhere gains nothing from that. LKRF eq. 5; Cortes et al. 2012",
    )


@picture(_PAGE, alt="Alignment of the kernel with the targets", when=_there, uses=("output",), note=_about_alignment)
def alignment(at: Shown) -> go.Figure:
    """Alignment now, before and of the exact kernel."""
    return plot_alignments(kernel_alignment.alignments(_grams(at), _labels(_sample(at))))


def _lasting(at: Shown) -> bool:
    return _there(at) and bool(at.method and at.method.learned) and len(at.watch.snapshots.steps) > 2


@picture(_PAGE, alt="Alignment with the targets over the run", when=_lasting, uses=("output",), over_time=True)
def alignment_history(at: Shown) -> go.Figure:
    """Alignment at some of the run's snapshots, evenly spread."""
    rows, few = _sample(at), _few(at)
    X, Y = rows.X[few], _labels(rows)[few]
    epochs, found = _over_run(at, "aligned", lambda kernel: kernel_alignment.alignment(kernel.gram(X), Y))
    view = kernel_alignment.alignment_history(epochs, found, len(few))
    return timed(plot_alignment_history(view, unit=at.watch.unit), at)


def _few(at: Shown) -> NDArray[np.intp]:
    """The rows of the sample that curves over the run are made of."""
    return spread(len(_sample(at).X), _ALIGNED)


def _over_run(at: Shown, what: str, measure: Callable[[KernelAt], _T]) -> tuple[NDArray[np.float64], list[_T]]:
    """Something of the kernel at some of the run's snapshots, evenly spread: when, and what."""

    def measured(step: int) -> _T:
        assert at.method
        # Past the watch, whose few snapshots in memory are those that somebody scrubs through.
        kernel = kernel_at(at.method, at.watch.jobs.store.snapshot(at.watch.id, step))
        assert kernel
        return measure(kernel)

    taken = spread(len(at.watch.snapshots.steps), _SNAPSHOTS)
    steps = [int(step) for step in at.watch.snapshots.steps[taken]]
    found = [_once(at, (what, step), lambda step=step: measured(step)) for step in steps]  # type: ignore[misc]
    return at.watch.snapshots.epochs[taken], found


# -- phases ----------------------------------------------------------------------------------------------------


def _with_phases(at: Shown) -> bool:
    return _there(at) and at.kernel is not None and has_phases(at.kernel)


def phases_now(at: Shown) -> PhaseDistance | None:
    """How far the features are from the kernel of their frequencies; None where they have no random phases."""
    kernel = at.kernel
    if kernel is None or not _with_phases(at):
        return None
    X = _sample(at).X[_few(at)]
    return _once(at, ("phases", at.moment.step), lambda: phase_distance(kernel, X))


def _about_phases(at: Shown) -> tuple[str, str]:
    kernel = at.kernel
    assert kernel
    words = (
        "K is the kernel of the frequencies: what the features average to over phases that do not depend on them "
        "(ASKL eq. 5–6). Drawn phases add noise, about 1/√D, the dotted line. Learning adds to it, since frequencies "
        "are then learned beside these very phases. Pairs of cosine and sine (phase=paired) stay at 0."
    )
    return (
        r"\frac{\|\Phi\Phi^\top-K\|_F}{\|K\|_F},\quad K=\mathbb E_b\,\Phi\Phi^\top",
        f"{words} {_features_words(kernel)}",
    )


@picture(_PAGE, "inside.spectrum", alt="Distance of the features from the kernel of their frequencies over the run",
         when=lambda at: _with_phases(at) and len(at.watch.snapshots.steps) > 1, uses=("output",), over_time=True,
         note=_about_phases)  # fmt: skip
def phase_distances(at: Shown) -> go.Figure:
    """The distance at some of the run's snapshots, with that of phases drawn anew."""
    few = _few(at)
    X = _sample(at).X[few]
    epochs, found = _over_run(at, "phases", lambda kernel: phase_distance(kernel, X))
    return timed(plot_phase_history(phase_history(epochs, found, len(few)), unit=at.watch.unit), at)


# -- approximation ---------------------------------------------------------------------------------------------


def _approximates(at: Shown) -> bool:
    kernel = at.kernel
    return _there(at) and kernel is not None and isinstance(kernel.representation, SpectralMap | Nystroem)


def _about_approximation(at: Shown) -> tuple[str, str]:
    exact, kernel = _exact(at), at.kernel
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


@picture(_PAGE, alt="Error of the features against the exact kernel as there are more of them", when=_approximates,
         uses=("measure", "output"), height=420, note=_about_approximation)  # fmt: skip
def approximation_error(at: Shown) -> go.Figure:
    """Error against D, or against J for landmarks."""
    kernel = at.kernel
    assert kernel
    landmarks = isinstance(kernel.representation, Nystroem)
    few = spread(len(_sample(at).X), _MEASURED)
    find = _landmark_errors if landmarks else _feature_errors
    errors = _once(at, ("errors", at.moment.step), lambda: find(at, kernel, _sample(at).X[few]))
    return plot_approximation(
        approximation.approximation(errors, at.view["measure"], rows=len(few)), letter="J" if landmarks else "D"
    )


def _feature_errors(at: Shown, kernel: KernelAt, X: NDArray[Any]) -> list[approximation.Errors]:
    exact, map = _exact(at), kernel.representation
    assert exact
    assert isinstance(map, SpectralMap)
    drawn = _once(at, ("drawn",), lambda: approximation.drawn_errors(map, X))
    if exact.same:
        return list(drawn)
    own = approximation.subset_errors("this run's features", kernel.features(X), exact.gram(X, X), paired=map.paired)
    return [own, *drawn]


def _landmark_errors(at: Shown, kernel: KernelAt, X: NDArray[Any]) -> list[approximation.Errors]:
    exact, landmarks = _exact(at), kernel.params["landmarks"].numpy()
    assert exact
    # Rows that errors are not measured on: landmarks among those would have none there.
    static = at.static
    pool = np.asarray(static["data_inputs" if "data_points" in static else "view_points"])
    others = pool[len(_sample(at).X) :][: len(landmarks)]
    found = [approximation.landmark_errors("this run's landmarks", exact.gram, X, landmarks)]
    if len(others) > 4:
        found.append(approximation.landmark_errors("rows of the data", exact.gram, X, others))
    best = approximation.eigenvector_errors("leading eigenvectors", exact.gram(X, X), len(landmarks))
    return [*found, best]


# -- diagonal and weights --------------------------------------------------------------------------------------


_EXACTLY = "Exactly, for pairs of cosine and sine"
_EXPECTED = "In expectation over phases drawn anew, not for frequencies learned beside their phases"


def _is_paired(map: Any) -> bool:
    return bool(getattr(map, "paired", False))


def _about_diagonal(at: Shown) -> tuple[str, str]:
    if "omega_prime" in at.arrays:
        return (
            r"k(x,x)=\tfrac12\left(1+\mathbb E\cos((\omega-\omega')^\top x)\right)",
            f"{_EXACTLY if at.method is None or _is_paired(at.method.feature_map) else _EXPECTED} (ASKL eq. 5–6). A "
            "stationary kernel has the same k(x, x) everywhere; where the two frequencies of a pair disagree, the "
            "kernel knows some places better than others.",
        )
    words = "The squared length of the features."
    if "landmarks" in at.arrays:
        words += " What it lacks of the kernel's own k(x, x) is what the landmarks do not see of x."
    elif "omega" in at.arrays:
        words += " A stationary kernel has the same k(x, x) everywhere."
        if at.method is None or not _is_paired(at.method.feature_map):
            words += (
                " Cosines with random phases only come near to that, the nearer the more of them there are; and only "
                "until frequencies are learned beside their phases."
            )
    return r"k(x,x)=\|\varphi(x)\|^2", words


@picture("kernel", "inside.spectrum", alt="Histogram of k(x, x)", arrays=("diagonal",), uses=("points", "output"),
         note=_about_diagonal)  # fmt: skip
def diagonal(at: Shown) -> go.Figure:
    """Histogram of k(x, x), with the selected points."""
    marked = {}
    if at.points and _there(at):
        own = _grams(at)["now"].diagonal()
        marked = {f"row {row}": float(own[row]) for row in at.points if row < len(own)}
    return plot_diagonal(weights.diagonal(at.arrays["diagonal"]), marked=marked)


def _singular(at: Shown, arrays: Mapping[str, Any]) -> weights.SingularValues:
    rows = int(getattr(at.method.feature_map, "n_features", 1)) if at.method else 1
    return weights.singular_values(arrays["weight_singular_values"], rows=rows)


def rank(at: Shown) -> int | None:
    """Rank of W; None where it can hardly vary: no W, or less than three outputs."""
    return _singular(at, at.arrays).rank if len(at.arrays.get("weight_singular_values", ())) > 2 else None


def _about_weights(at: Shown) -> tuple[str, str]:
    if at.method and any(each.name == "trace_norm" for each in at.method.regularizers):
        return (
            r"W^{+}=U\,\operatorname{diag}\left((\sigma_j-\lambda_1\eta)_+\right)V^\top",
            "ASKL eq. 7–8. The proximal step of the trace norm takes λ₁η from every singular value and cuts at "
            "zero, so that the rank of W can fall.",
        )
    return (
        r"W=U\,\operatorname{diag}(\sigma_1,\dots,\sigma_K)\,V^\top",
        "How much the K outputs have in common: directions of W beyond its rank say nothing new.",
    )


@picture("kernel", alt="Singular values of W", arrays=("weight_singular_values",), note=_about_weights,
         when=lambda at: rank(at) is not None)  # fmt: skip
def singular_values(at: Shown) -> go.Figure:
    """Singular values of W, and those of the moment that it is compared with."""
    before = {}
    if at.reference and "weight_singular_values" in at.reference.arrays:
        before[_since(at)] = _singular(at, at.reference.arrays)
    return plot_singular_values(_singular(at, at.arrays), before=before)
