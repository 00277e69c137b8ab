"""Every picture, drawn from a run of each kind, keeps what all pictures promise."""

import time
from typing import NamedTuple

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.pictures import (
    bound_terms,
    curves,
    density,
    directions,
    function_view,
    identity,
    joint,
    landmarks,
    weights,
)
from kernlab.pictures.bound_terms import plot_bound_history, plot_bound_now
from kernlab.pictures.curves import plot_curves
from kernlab.pictures.density import plot_density
from kernlab.pictures.frequency_pictures import frequency_pictures, plot_frequency_pictures
from kernlab.pictures.function_view import plot_function
from kernlab.pictures.identity import plot_identity
from kernlab.pictures.joint import plot_joint
from kernlab.pictures.landmarks import plot_landmark_pictures, plot_landmarks
from kernlab.pictures.spectrum import spectrum_at
from kernlab.pictures.weights import plot_diagonal, plot_singular_values

rng = np.random.default_rng(0)
BOUND = ("empirical_risk", "weight_norm", "rank", "mean_trace", "lipschitz", "rademacher", "worst_case")
BOUND += ("dual_norm", "dual_norm_se", "complexity", "confidence", "total", "gap")
IDENTITY = ("discriminant_information", "target_norm", "predicted_error", "ridge_error")


class Scene(NamedTuple):
    history: dict
    snapshot: dict
    static: dict
    facts: dict

    @property
    def frequencies(self):
        first, second = self.snapshot, self.static
        return first["omega"], second["omega_initial"], first.get("omega_prime"), second.get("omega_prime_initial")


def scene(view="regions", task="classification", d=2, D=300, image=None):
    steps = np.arange(1, 3001)
    series = (steps, steps / 300, rng.random(3000) + 0.1)
    rare = (steps[::100], steps[::100] / 300, rng.random(30) + 0.1)
    names = ("objective", "loss", "trace_norm", "feature_norm", "learning_rate")
    history = dict.fromkeys(names, series)
    bounds = [f"bound/{term}" for term in (*BOUND, *IDENTITY)]
    names = ("train_metric", "test_metric", "train_loss", "test_loss", "constant", *bounds)
    history |= dict.fromkeys(names, rare)
    classes = ("a", "b", "c") if task == "classification" else ()
    K = len(classes) or 2
    v = {"regions": 2500, "curve": 400}.get(view, 900)
    axis = np.linspace(-1, 1, 50)
    axes = np.stack([g.ravel() for g in np.meshgrid(axis, axis)], 1)
    labels = rng.integers(0, 3, v) if classes else rng.normal(size=(v, K))
    static = {
        "omega_initial": rng.normal(size=(d, D)).astype(np.float32),
        "data_points": rng.normal(size=(700, d)),
        "data_targets": rng.integers(0, 3, 700) if classes else rng.normal(size=(700, K)),
        "view_labels": labels,
        "view_axes": axes if view == "regions" else np.linspace(-1, 1, v)[:, None],
        "view_projection": rng.normal(size=(v, 2)),
        "inputs_center": np.zeros(d),
        "inputs_scale": np.ones(d),
        "landmarks_initial": rng.normal(size=(D, d)).astype(np.float32),
    }
    if view == "projection":
        static |= {"view_center": np.zeros(d), "view_directions": np.eye(d)[:2]}
    snapshot = {
        "omega": rng.normal(size=(d, D)).astype(np.float32),
        "weight_singular_values": np.linspace(2, 0, K),
        "view_scores": rng.normal(size=(v, K)),
        "diagonal": rng.random(200),
        "landmarks": rng.normal(size=(D, d)).astype(np.float32),
    }
    static["omega_prime_initial"] = rng.normal(size=(d, D)).astype(np.float32)
    snapshot["omega_prime"] = rng.normal(size=(d, D)).astype(np.float32)
    facts = {
        "view": view,
        "view_grid": [50, 50] if view == "regions" else None,
        "task": task,
        "metric": "accuracy" if classes else "rmse",
        "classes": classes or ("p", "q"),
        "image_shape": image,
        "feature_names": [f"feature {j}" for j in range(d)],
    }
    return Scene(history, snapshot, static, facts)


SCENES = {
    "plane": scene(),
    "surface": scene(task="regression"),
    "line": scene("curve", "regression", d=1),
    "scores": scene("curve", d=1),
    "pictures": scene("projection", d=784, D=2000, image=[28, 28]),
    "table": scene("projection", "regression", d=9),
}


def draw_joint(run):
    omega, first, other, first_other = run.frequencies
    return plot_joint(
        joint.joint_density(principal(run), omega, other, first, first_other, what="principal direction 1")
    )


def principal(run):
    return directions.principal_directions(run.snapshot["omega"])[:, 0]


PARTS = ("objective", "loss", "trace_norm", "feature_norm")
PICTURES = {
    "objective": lambda run: plot_curves(
        curves.curves(run.history, PARTS, smoothing=0.9), title="Objective", y="value"
    ),
    "metric": lambda run: plot_curves(
        curves.curves(run.history, ["train_metric", "test_metric"]), title="Accuracy", y="accuracy (%)", constant=True
    ),
    "density": lambda run: plot_density(density.direction_density(principal(run), *run.frequencies, what="here")),
    "length": lambda run: plot_density(density.length_density(*run.frequencies)),
    "joint": draw_joint,
    "bound_history": lambda run: plot_bound_history(bound_terms.bound_history(run.history)),
    "bound_now": lambda run: plot_bound_now(bound_terms.bound_now(bound_terms.newest(run.history))),
    "function": lambda run: plot_function(function_view.function_view(run.snapshot, run.static, run.facts)),
    "singular_values": lambda run: plot_singular_values(
        weights.singular_values(run.snapshot["weight_singular_values"])
    ),
    "diagonal": lambda run: plot_diagonal(weights.diagonal(run.snapshot["diagonal"])),
    "identity": lambda run: plot_identity(identity.identity(run.history)),
    "landmarks": lambda run: plot_landmarks(landmarks.landmarks(run.snapshot, run.static, run.facts)),
    "landmark_pictures": lambda run: plot_landmark_pictures(
        landmarks.landmark_pictures(
            run.snapshot["landmarks"], run.static["landmarks_initial"], run.facts["image_shape"], change=True
        )
    ),
    "frequencies": lambda run: plot_frequency_pictures(
        frequency_pictures(spectrum_at(run.snapshot), run.facts["image_shape"])
    ),
}
OF_PICTURES = ("frequencies", "landmark_pictures")
CASES = [(name, kind) for kind in SCENES for name in PICTURES if name not in OF_PICTURES or kind == "pictures"]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_picture_keeps_its_promises(name, kind):
    figure = PICTURES[name](SCENES[kind])
    layout = keeps_promises(figure)
    assert figure.data
    if name not in OF_PICTURES:
        assert layout.xaxis.title.text
        assert layout.yaxis.title.text or name == "bound_now"
    assert has_values(figure)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_quick_enough_to_be_redrawn_live(name):
    # Below 15 ms on an idle core. Processor time of this thread, the best of five: other processes count little, but
    # a shared core and threads of the linear algebra that wait for each other have cost five times as much.
    large, times = SCENES["pictures"], []
    for _ in range(5):
        start = time.thread_time()
        PICTURES[name](large)
        times.append(time.thread_time() - start)
    assert min(times) < 0.15
