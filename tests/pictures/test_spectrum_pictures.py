"""Pictures of a spectrum hold the numbers they are given, say what they show, and stay small."""

import numpy as np
import pytest
from drawn import has_values

from kernlab.feature_maps.law import FrequencyLaw
from kernlab.pictures import density, directions, frequency_pictures, importance, joint, profile, selection
from kernlab.pictures.density import plot_density, plot_density_change
from kernlab.pictures.frequency_pictures import plot_frequency_pictures
from kernlab.pictures.importance import plot_importance, plot_importance_picture
from kernlab.pictures.joint import plot_joint, plot_joint_change, plot_joint_surface
from kernlab.pictures.profile import plot_part, plot_profile, plot_profile_change
from kernlab.pictures.selection import plot_cloud
from kernlab.pictures.spectrum import Spectrum
from kernlab.pictures.theme import BLUE, GREEN

rng = np.random.default_rng(0)
D = 2000
NOW, THEN = (Spectrum(*rng.normal(size=(2, 784, D)).astype(np.float32)) for _ in range(2))
LINE = directions.coordinate(784, 300)
LAW = FrequencyLaw("gaussian", 1.0, pairs=2)
SELECTED = [3, 77, 1999]

DENSITY = density.direction_density(
    LINE, NOW.omega, THEN.omega, NOW.omega_prime, THEN.omega_prime, what="here", law=lambda grid: LAW.along(LINE, grid)
)
EARLIER = density.direction_density(LINE, THEN.omega, THEN.omega, THEN.omega_prime, THEN.omega_prime)
LENGTH = density.length_density(NOW.omega, THEN.omega)
JOINT = joint.joint_density(LINE, NOW.omega, NOW.omega_prime, THEN.omega, THEN.omega_prime, what="here")
START = joint.joint_density(LINE, THEN.omega, THEN.omega_prime, THEN.omega, THEN.omega_prime, what="here")
CLOUD = selection.cloud(LINE, NOW, SELECTED, what="here")
PROFILE = profile.profile(LINE, NOW, THEN, law=LAW, what="here")
PART = profile.part(LINE, NOW, SELECTED, what="here")
IMPORTANCE = importance.importance(NOW, THEN)
TILES = frequency_pictures.frequency_pictures(NOW, (28, 28), then=THEN, selected=SELECTED)

FIGURES = {
    "density": plot_density(DENSITY),
    "density change": plot_density_change(density.density_change(DENSITY, EARLIER), "step 3"),
    "length change": plot_density_change(density.density_change(LENGTH, LENGTH), "step 3"),
    "joint": plot_joint(JOINT, CLOUD),
    "surface": plot_joint_surface(JOINT),
    "joint change": plot_joint_change(joint.joint_change(JOINT, START), "step 3"),
    "cloud": plot_cloud(selection.cloud(LINE, Spectrum(NOW.omega), SELECTED)),
    "profile": plot_profile(PROFILE),
    "profile change": plot_profile_change(profile.profile_change(PROFILE, PROFILE), "step 3"),
    "part": plot_part(PART),
    "importance": plot_importance(IMPORTANCE),
    "importance picture": plot_importance_picture(importance.importance_picture(NOW, (28, 28))),
    "importance picture change": plot_importance_picture(
        importance.importance_picture(NOW, (28, 28), THEN), since="step 3"
    ),
    "tiles": plot_frequency_pictures(TILES),
    "tiles change": plot_frequency_pictures(
        frequency_pictures.frequency_pictures(NOW, (28, 28), then=THEN, change=True)
    ),
}


def same(trace, **arrays):
    for key, expected in arrays.items():
        np.testing.assert_array_equal(np.asarray(trace[key]), np.asarray(expected))


def named(name):
    return {trace.name: trace for trace in FIGURES[name].data}


@pytest.mark.parametrize("name", FIGURES)
def test_every_picture_keeps_its_promises(name):
    figure = FIGURES[name]
    assert figure.data
    assert figure.layout.title.text
    assert figure.layout.uirevision
    if "picture" not in name and "tiles" not in name:
        assert figure.layout.xaxis.title.text
        assert figure.layout.yaxis.title.text
    assert all(trace.name for trace in figure.data)
    assert all(trace.hovertemplate or trace.hoverinfo == "skip" for trace in figure.data)
    assert len(figure.to_json()) < 200_000
    assert all(len(trace.x) <= 2000 for trace in figure.data if trace.type == "scatter")
    assert has_values(figure)


def test_moments_of_one_picture_share_a_zoom_and_directions_do_not():
    for draw, view in ((plot_joint, JOINT), (plot_density, DENSITY), (plot_profile, PROFILE), (plot_part, PART)):
        assert draw(view).layout.uirevision == draw(view._replace()).layout.uirevision
        assert draw(view).layout.uirevision != draw(view._replace(what="there")).layout.uirevision


def test_the_law_lies_beneath_the_estimates():
    first = FIGURES["density"].data[0]
    same(first, x=DENSITY.grid, y=DENSITY.law)
    assert (first.name, first.fill) == ("assigned, exact", "tozeroy")
    assert "assigned, exact" not in [trace.name for trace in plot_density(DENSITY._replace(law=None)).data]


def test_changes_of_a_density():
    found = density.density_change(DENSITY, EARLIER)
    for trace, values in zip(FIGURES["density change"].data, found.values, strict=True):
        same(trace, x=found.grid, y=values)
    assert FIGURES["density change"].layout.title.subtitle.text == (
        f"here, since step 3: {found.moved[0]:.0%} of ω, {found.moved[1]:.0%} of ω' elsewhere"
    )


def test_pairs_over_the_joint_density_say_which_they_are():
    traces = named("joint")
    marked = np.isin(CLOUD.places, SELECTED)
    same(traces["pairs"], x=CLOUD.x[~marked], y=CLOUD.y[~marked], customdata=CLOUD.places[~marked])
    same(traces["selected"], customdata=SELECTED)
    assert traces["selected"].marker.color == GREEN
    assert f"{len(CLOUD.x)} of 2000 pairs drawn" in FIGURES["joint"].layout.title.subtitle.text
    unmarked = plot_joint(JOINT, selection.cloud(LINE, NOW))
    assert "selected" not in [trace.name for trace in unmarked.data]
    low, high = float(JOINT.grid[0]), float(JOINT.grid[-1])
    assert unmarked.layout.xaxis.range == (low, high)  # points far out do not shrink the density


def test_the_surface_is_the_density_with_a_line_over_the_diagonal():
    surface, line = FIGURES["surface"].data
    same(surface, x=JOINT.grid, y=JOINT.grid, z=JOINT.now)
    same(line, x=JOINT.grid, y=JOINT.grid, z=np.diagonal(JOINT.now))
    assert f"ν = {JOINT.along:.2f}" in FIGURES["surface"].layout.title.subtitle.text


def test_change_of_a_joint_density_is_centred_on_zero():
    heat = FIGURES["joint change"].data[0]
    same(heat, z=joint.joint_change(JOINT, START).values)
    assert heat.zmin == -heat.zmax
    assert f"{START.along:.3f} → {JOINT.along:.3f}" in FIGURES["joint change"].layout.title.subtitle.text


def test_profile_and_its_band():
    traces = named("profile")
    same(traces["now"], x=PROFILE.tau, y=PROFILE.now)
    same(traces["before training"], y=PROFILE.before)
    same(traces["Gaussian pair kernel, exact"], y=PROFILE.exact)
    upper, lower = np.split(np.asarray(traces["± 2 standard errors"].y), 2)
    np.testing.assert_allclose(upper - lower[::-1], 4 * PROFILE.error, atol=1e-6)
    alone = plot_profile(PROFILE._replace(exact=None, before=None))
    assert [trace.name for trace in alone.data] == ["± 2 standard errors", "now"]


def test_a_part_and_the_rest():
    traces = named("part")
    for name, values in (("whole kernel", PART.whole), ("the rest", PART.rest), ("selected", PART.part)):
        same(traces[name], x=PART.tau, y=values.astype(np.float32))
    assert "3 of 2000" in FIGURES["part"].layout.title.subtitle.text


def test_importance_before_and_now():
    bars, marks = FIGURES["importance"].data
    same(bars, x=IMPORTANCE.now, y=IMPORTANCE.names)
    same(marks, x=IMPORTANCE.before, y=IMPORTANCE.names)
    assert FIGURES["importance"].layout.yaxis.autorange == "reversed"
    assert f"20 of 784 inputs, {IMPORTANCE.shown:.0%}" in FIGURES["importance"].layout.title.subtitle.text
    assert bars.marker.color == BLUE


def test_a_change_of_importance_is_centred_on_zero():
    (heat,) = FIGURES["importance picture change"].data
    same(heat, z=importance.importance_picture(NOW, (28, 28), THEN).values)
    assert heat.zmin == -heat.zmax
    assert "step 3" in FIGURES["importance picture change"].layout.title.subtitle.text
    assert plot_importance(IMPORTANCE, "at step 3").data[1].name == "at step 3"


def test_dragging_selects_and_its_outline_goes_when_the_selection_is_marked():
    for name in ("joint", "cloud", "tiles"):
        layout = FIGURES[name].layout
        assert (layout.dragmode, layout.selections) == ("select", ())
    other = plot_cloud(selection.cloud(LINE, NOW, [5]))
    assert other.layout.selectionrevision != FIGURES["cloud"].layout.selectionrevision


def test_selected_tiles_are_framed():
    heat, middles = FIGURES["tiles"].data
    same(heat, z=TILES.mosaic)
    same(middles, x=TILES.x, y=TILES.y, customdata=TILES.shown)
    assert middles.text[0] == f"length {TILES.length[0]:.3g}, moved {TILES.moved[0]:.3g}"
    frames = FIGURES["tiles"].layout.shapes
    assert len(frames) == 3
    assert (frames[0].x0, frames[0].x1, frames[0].y0, frames[0].y1) == (-0.5, 27.5, -0.5, 27.5)
