"""Pictures of a large run keep what every picture promises."""

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.feature_maps.law import FrequencyLaw
from kernlab.pictures import (
    bound_terms,
    curves,
    density,
    directions,
    frequency_pictures,
    function_view,
    identity,
    importance,
    joint,
    landmarks,
    profile,
    selection,
    weights,
)
from kernlab.pictures.spectrum import Spectrum

rng = np.random.default_rng(0)
d, D, v, IMAGE = 784, 2000, 2500, (28, 28)

steps = np.arange(1, 3001)
PARTS = ("objective", "loss", "trace_norm", "feature_norm")
BOUND = ("empirical_risk", "weight_norm", "rank", "mean_trace", "lipschitz", "rademacher", "worst_case", "dual_norm",
         "dual_norm_se", "complexity", "confidence", "total", "gap", "discriminant_information", "target_norm",
         "predicted_error", "ridge_error")  # fmt: skip
HISTORY = dict.fromkeys(PARTS, (steps, steps / 300, rng.random(3000) + 0.1))
HISTORY |= dict.fromkeys(
    ("train_metric", "test_metric", "constant", *(f"bound/{term}" for term in BOUND)),
    (steps[::100], steps[::100] / 300, rng.random(30) + 0.1),
)

NOW, THEN = (Spectrum(*rng.normal(size=(2, d, D)).astype(np.float32)) for _ in range(2))
LINE = directions.coordinate(d, 300)
LAW = FrequencyLaw("gaussian", 1.0, pairs=2)
axis = np.linspace(-1, 1, 50)
STATIC = {
    "data_points": rng.normal(size=(1000, 2)), "data_targets": rng.integers(0, 3, 1000),
    "view_axes": np.stack([each.ravel() for each in np.meshgrid(axis, axis)], 1),
    "view_labels": rng.integers(0, 3, v), "view_projection": rng.normal(size=(v, 2)),
    "view_center": np.zeros(d), "view_directions": np.eye(d)[:2],
    "landmarks_initial": rng.normal(size=(D, d)).astype(np.float32),
}  # fmt: skip
SNAPSHOT = {"view_scores": rng.normal(size=(v, 3)), "landmarks": rng.normal(size=(D, d)).astype(np.float32)}
FACTS = {"task": "classification", "classes": ("a", "b", "c"), "image_shape": IMAGE, "view_grid": [50, 50]}


def function(view, task="classification", output=0, **static):
    facts = {**FACTS, "view": view, "task": task}
    return function_view.plot_function(function_view.function_view(SNAPSHOT, STATIC | static, facts, output=output))


def joint_density(one=NOW):
    return joint.joint_density(LINE, *one.both, *THEN.both, what="here")


def direction_density(one=NOW):
    return density.direction_density(LINE, one, THEN, what="here", law=lambda grid: LAW.along(LINE, grid))


LINES = {"view_axes": np.linspace(-1, 1, v)[:, None], "data_points": rng.normal(size=(1000, 1))}
REAL = {"data_targets": rng.normal(size=(1000, 3)), "view_labels": rng.normal(size=(v, 3))}
PICTURES = {
    "objective": lambda: curves.plot_curves(curves.curves(HISTORY, PARTS, smoothing=0.9), title="Objective", y="y"),
    "metric": lambda: curves.plot_curves(
        curves.curves(HISTORY, ["train_metric", "test_metric"]), title="Accuracy", y="accuracy (%)", constant=True
    ),
    "regions": lambda: function("regions"),
    "surface": lambda: function("regions", "regression", 1, **REAL),
    "scores": lambda: function("curve", **LINES),
    "curve": lambda: function("curve", "regression", 1, **LINES, **REAL),
    "projection": lambda: function("projection"),
    "outputs": lambda: function("projection", "regression", **REAL),
    "density": lambda: density.plot_density(direction_density()),
    "density change": lambda: density.plot_density_change(
        density.density_change(direction_density(), direction_density(THEN)), "step 3"
    ),
    "length": lambda: density.plot_density(density.length_density(NOW, THEN)),
    "joint": lambda: joint.plot_joint(joint_density(), selection.cloud(LINE, NOW, [3, 77, 1999])),
    "joint surface": lambda: joint.plot_joint_surface(joint_density()),
    "joint change": lambda: joint.plot_joint_change(joint.joint_change(joint_density(), joint_density(THEN)), "now"),
    "cloud": lambda: selection.plot_cloud(selection.cloud(LINE, Spectrum(NOW.omega), [3, 77])),
    "profile": lambda: profile.plot_profile(profile.profile(LINE, NOW, THEN, law=LAW, what="here")),
    "part": lambda: profile.plot_part(profile.part(LINE, NOW, [3, 77, 1999], what="here")),
    "importance": lambda: importance.plot_importance(importance.importance(NOW, THEN)),
    "pixels": lambda: importance.plot_importance_picture(importance.importance_picture(NOW, IMAGE, THEN), since="x"),
    "frequencies": lambda: frequency_pictures.plot_frequency_pictures(
        frequency_pictures.frequency_pictures(NOW, IMAGE, then=THEN, selected=[3, 77, 1999])
    ),
    "landmarks": lambda: landmarks.plot_landmarks(
        landmarks.landmarks(SNAPSHOT, STATIC, FACTS | {"view": "projection"})
    ),
    "landmark pictures": lambda: landmarks.plot_landmark_pictures(
        landmarks.landmark_pictures(SNAPSHOT["landmarks"], STATIC["landmarks_initial"], IMAGE, change=True)
    ),
    "bound_history": lambda: bound_terms.plot_bound_history(bound_terms.bound_history(HISTORY)),
    "bound_now": lambda: bound_terms.plot_bound_now(bound_terms.bound_now(bound_terms.newest(HISTORY))),
    "identity": lambda: identity.plot_identity(identity.identity(HISTORY)),
    "singular_values": lambda: weights.plot_singular_values(weights.singular_values(np.linspace(2, 0, 26))),
    "diagonal": lambda: weights.plot_diagonal(weights.diagonal(rng.random(200))),
}  # fmt: skip
#: Their axes have no names: pixels, or bars that name themselves.
PLAIN = {"frequencies", "landmark pictures", "pixels", "bound_now"}


@pytest.mark.parametrize("name", PICTURES)
def test_a_large_picture_keeps_its_promises(name):
    figure = PICTURES[name]()
    layout = keeps_promises(figure)
    assert has_values(figure)
    if name not in PLAIN:
        assert layout.xaxis.title.text
        assert layout.yaxis.title.text
