"""The pictures of a kernel hold the numbers they were given, and what every picture promises."""

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.pictures import gram
from kernlab.pictures.alignment import (
    alignment_history,
    alignments,
    plot_alignment_history,
    plot_alignments,
    target_matrix,
)
from kernlab.pictures.approximation import Errors, approximation, plot_approximation
from kernlab.pictures.decay import (
    decay,
    effective_dimension,
    eigenvalue_change,
    eigenvalues,
    plot_decay,
    plot_effective_dimension,
    plot_eigenvalue_change,
)
from kernlab.pictures.frame_spectrum import frame_eigenvalues
from kernlab.pictures.gram import plot_difference, plot_gram, plot_gram_rows
from kernlab.pictures.kernel_around import kernel_profile, kernel_surface, plot_kernel_profile, plot_kernel_surface
from kernlab.pictures.sample_plane import plot_sample, sample_plane, sample_view
from kernlab.pictures.theme import MOMENTS, moment_style
from kernlab.pictures.weights import diagonal, plot_diagonal, plot_singular_values, singular_values

rng = np.random.default_rng(0)
n = 240
X = rng.normal(size=(n, 5))
Phi = rng.normal(size=(n, 30))
K, OTHER = Phi @ Phi.T, Phi[:, :20] @ Phi[:, :20].T
GROUPS = gram.Groups((100, 130, n), ("a", "b", "c"))
CODES = np.repeat([0, 1, 2], [100, 30, 110])
PLANE = sample_plane(X)


def bump(A, B):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(2) / 2)


def wave(A, B):
    return np.cos((A[:, None] - B[None]).sum(2))


def errors(name, level):
    size = 2 ** np.arange(2, 8)
    return Errors(name, size, level / np.sqrt(size), level / size, level / size**0.3)


SPECTRUM = eigenvalues(K)
PICTURES = {
    "gram": lambda: plot_gram(gram.gram_view(K, GROUPS), what="features"),
    "no classes": lambda: plot_gram(gram.gram_view(K), what="exact"),
    "difference": lambda: plot_difference(gram.gram_difference(K, OTHER, GROUPS), what="features − exact"),
    "no difference": lambda: plot_difference(gram.gram_difference(K, K), what="features − exact"),
    "rows": lambda: plot_gram_rows(gram.gram_rows(K, [3, 120], GROUPS)),
    "many rows": lambda: plot_gram_rows(gram.gram_rows(K, range(30))),
    "decay": lambda: plot_decay({"now": decay(SPECTRUM), "before training": decay(eigenvalues(OTHER))}),
    "no law": lambda: plot_decay({"now": decay(np.ones(2))}),
    "frame": lambda: plot_decay({"now": decay(SPECTRUM)}, operator=frame_eigenvalues([3.0, 2.0, 1.0], 0.5)),
    "change": lambda: plot_eigenvalue_change(eigenvalue_change(SPECTRUM, eigenvalues(OTHER)), then="epoch 3"),
    "dimension": lambda: plot_effective_dimension({"now": effective_dimension(SPECTRUM, 1e-3)}),
    "profile": lambda: plot_kernel_profile(kernel_profile({"now": bump, "exact": wave}, X, 3, PLANE)),
    "surface": lambda: plot_kernel_surface(kernel_surface("now", bump, X, 3, PLANE, CODES, GROUPS.names)),
    "signed surface": lambda: plot_kernel_surface(kernel_surface("now", wave, X, 3, PLANE)),
    "alignments": lambda: plot_alignments(alignments({"now": K, "exact": OTHER}, target_matrix(CODES, True))),
    "alignment history": lambda: plot_alignment_history(alignment_history([0, 1], [(0.3, 0.5, 0.1)] * 2, n)),
    "approximation": lambda: plot_approximation(approximation([errors("a", 1), errors("b", 2)], rows=9)),
    "no error": lambda: plot_approximation(approximation([errors("a", 1), errors("b", 0)], "mean", rows=9), letter="J"),
    "sample": lambda: plot_sample(sample_view(PLANE, CODES, K.diagonal(), [5, 7], classes=GROUPS.names)),
    "sample of targets": lambda: plot_sample(sample_view(sample_plane(X[:, :1]), X[:, 0], K.diagonal())),
    "singular values": lambda: plot_singular_values(
        singular_values([3.0, 1, 0]), before={"before training": singular_values([1.0, 1, 1])}
    ),
    "diagonal": lambda: plot_diagonal(diagonal(K.diagonal()), marked={"row 3": 1.0, "row 5": 2.0}),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_keeps_its_promises(name):
    figure = PICTURES[name]()
    assert figure.data
    # A matrix of 240 rows is 230 kB of numbers; nothing else comes near it.
    layout = keeps_promises(figure, 400_000 if figure.data[0].type == "heatmap" else 200_000)
    assert layout.xaxis.title.text
    assert layout.yaxis.title.text
    assert has_values(figure)


def test_a_matrix_is_drawn_with_its_classes():
    figure = PICTURES["gram"]()
    np.testing.assert_allclose(figure.data[0].z, K, rtol=1e-6)
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "c"]
    assert list(figure.layout.xaxis.tickvals) == [49.5, 114.5, 184.5]
    lines = {(line.x0, line.x1, line.y0, line.y1) for line in figure.layout.shapes}
    assert lines == {(e, e, -0.5, 239.5) for e in (99.5, 129.5)} | {(-0.5, 239.5, e, e) for e in (99.5, 129.5)}
    assert "within a class" in figure.layout.title.subtitle.text
    assert not PICTURES["no classes"]().layout.shapes


def test_a_difference_is_white_at_zero():
    cells = PICTURES["difference"]().data[0]
    assert cells.zmin == -cells.zmax
    assert cells.zmax == pytest.approx(np.abs(K - OTHER).max())
    assert PICTURES["no difference"]().data[0].zmax > 0


def test_rows_are_curves_with_a_marker_at_their_own_place():
    first, own, *_ = PICTURES["rows"]().data
    np.testing.assert_allclose(first.y, K[3], rtol=1e-6)
    assert (own.x[0], own.y[0]) == (3, pytest.approx(K[3, 3]))
    assert f"row 3 (a): k(x, x) = {K[3, 3]:.3g}" == first.name
    assert {(line.x0, line.x1) for line in PICTURES["rows"]().layout.shapes} == {(99.5, 99.5), (129.5, 129.5)}
    assert "6 of 30" in PICTURES["many rows"]().layout.title.subtitle.text


def test_the_law_is_written_and_drawn():
    view = decay(SPECTRUM)
    now, before, law = PICTURES["decay"]().data
    assert (now.name, before.name) == ("now", "before training")
    np.testing.assert_allclose(law.y, view.best.at(np.arange(1, view.fitted + 1)))
    assert f"{view.best.rate:.3g}" in law.name
    assert f"1 … {view.fitted} of 240" in PICTURES["decay"]().layout.title.subtitle.text
    assert PICTURES["frame"]().data[-1].y.tolist() == [1.5, 1.0, 0.5]


def test_the_ridge_of_the_run_is_marked():
    marker = PICTURES["dimension"]().data[-1]
    assert (marker.x[0], marker.y[0]) == (1e-3, pytest.approx((SPECTRUM / (SPECTRUM + 1e-3)).sum()))


def test_below_zero_a_surface_is_warm():
    plain, signed = PICTURES["surface"]().data[0], PICTURES["signed surface"]().data[0]
    assert plain.zmin == 0
    assert signed.zmin == -signed.zmax
    clouds = [trace for trace in PICTURES["surface"]().data if trace.name in "abc"]
    assert sorted(place for cloud in clouds for place in cloud.customdata) == list(range(n))


def test_slopes_stand_in_the_legend_and_nothing_is_drawn_without_error():
    names = [trace.name for trace in PICTURES["approximation"]().data]
    assert names == ["a: slope −0.50", "b: slope −0.50", "c/√D: slope −0.5"]
    assert [trace.name for trace in PICTURES["no error"]().data] == ["a: slope −1.00", "c/√J: slope −0.5"]


def test_points_of_the_sample_say_which_row_they_are():
    clouds = [trace for trace in PICTURES["sample"]().data if trace.name in "abc"]
    assert sorted(place for cloud in clouds for place in cloud.customdata) == list(range(n))
    assert clouds[0].text[5] == f"{K[5, 5]:.4g}"


def test_selected_points_carry_a_ring():
    ring = PICTURES["sample"]().data[-1]
    assert ring.name == "selected"
    np.testing.assert_allclose(ring.x, PLANE.coordinates[[5, 7], 0], rtol=1e-6)
    assert PICTURES["sample of targets"]().data[-1].name == "sample"


def test_moments_look_the_same_everywhere_and_differ_in_more_than_colour():
    for part in zip(*MOMENTS.values(), strict=True):
        assert len(set(part)) == len(MOMENTS)
    assert moment_style("then, epoch 3") == MOMENTS["then"]
    assert moment_style("mine") == MOMENTS["now"]
