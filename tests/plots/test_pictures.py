"""Every registered picture, drawn from a run of each kind, keeps what all pictures promise."""

import time

import numpy as np
import pytest

from kernlab.errors import OptionError, UnknownNameError
from kernlab.plots.export import to_csv
from kernlab.plots.pictures import PICTURES, Look, Scene

rng = np.random.default_rng(0)
BOUND = ("empirical_risk", "weight_norm", "rank", "mean_trace", "lipschitz", "rademacher", "worst_case")
BOUND += ("dual_norm", "dual_norm_se", "complexity", "confidence", "total", "gap")


def scene(view="regions", task="classification", d=2, D=300, image=None, prime=True):
    steps = np.arange(1, 3001)
    series = (steps, steps / 300, rng.random(3000) + 0.1)
    rare = (steps[::100], steps[::100] / 300, rng.random(30) + 0.1)
    names = ("objective", "loss", "trace_norm", "feature_norm", "learning_rate")
    history = dict.fromkeys(names, series)
    names = ("train_metric", "test_metric", "train_loss", "test_loss", "constant", *(f"bound/{t}" for t in BOUND))
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
    }
    snapshot = {
        "omega": rng.normal(size=(d, D)).astype(np.float32),
        "weight_singular_values": np.linspace(2, 0, K),
        "view_scores": rng.normal(size=(v, K)),
        "diagonal": rng.random(200),
    }
    if prime:
        static["omega_prime_initial"] = rng.normal(size=(d, D)).astype(np.float32)
        snapshot["omega_prime"] = rng.normal(size=(d, D)).astype(np.float32)
    facts = {
        "view": view,
        "view_grid": [50, 50] if view == "regions" else None,
        "task": task,
        "metric": "accuracy" if classes else "rmse",
        "classes": classes,
        "image_shape": image,
        "feature_names": [f"feature {j}" for j in range(d)],
    }
    return Scene(history, snapshot, static, facts, "ASKL")


SCENES = {
    "plane": scene(),
    "surface": scene(task="regression"),
    "line": scene("curve", "regression", d=1),
    "scores": scene("curve", d=1),
    "pictures": scene("projection", d=784, D=2000, image=[28, 28]),
    "table": scene("projection", "regression", d=9, prime=False),
}
CASES = [(name, kind) for kind in SCENES for name in PICTURES if PICTURES[name].drawable(SCENES[kind])]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_every_picture_keeps_its_promises(name, kind):
    figure = PICTURES[name].draw(SCENES[kind], Look())
    layout = figure.layout
    assert figure.data
    assert layout.title.text
    assert layout.uirevision
    if name != "frequencies":
        assert layout.xaxis.title.text
        assert layout.yaxis.title.text or name == "bound_now"
    assert all(trace.name for trace in figure.data)
    assert all(trace.hovertemplate or trace.hoverinfo == "skip" for trace in figure.data)
    assert len(figure.to_json()) < 200_000
    assert all(len(trace.x) <= 2000 for trace in figure.data if trace.type == "scatter")
    assert to_csv(figure).count("\n") > 1


def test_what_a_run_lacks_is_not_offered():
    assert not PICTURES["joint"].drawable(SCENES["table"])
    assert PICTURES["joint"].drawable(SCENES["plane"])
    assert not PICTURES["frequencies"].drawable(SCENES["plane"])  # image_shape is None
    assert PICTURES["frequencies"].drawable(SCENES["pictures"])
    assert not any(picture.drawable(Scene({}, {}, {}, {})) for picture in PICTURES.values())


def test_the_look_reaches_the_picture():
    plane = SCENES["plane"]
    names = {PICTURES["density"].draw(plane, Look(which=j)).layout.title.subtitle.text for j in (0, 1)}
    assert len(names) == 2
    principal = PICTURES["density"].draw(plane, Look(along="principal", which=1))
    assert "principal direction 2" in principal.layout.title.subtitle.text
    assert PICTURES["objective"].draw(plane, Look(log_y=True)).layout.yaxis.type == "log"
    assert PICTURES["bound_history"].draw(plane, Look(log_y=False)).layout.yaxis.type == "linear"
    assert len(PICTURES["loss"].draw(plane, Look(smoothing=0.9)).data) == 4
    assert PICTURES["loss"].draw(plane, Look(axis="step")).layout.xaxis.title.text.startswith("step")


@pytest.mark.parametrize("along", ["feature", "principal"])
def test_a_direction_that_is_not_there_is_a_sentence(along):
    with pytest.raises(OptionError, match="from 0 to 1"):
        PICTURES["density"].draw(SCENES["plane"], Look(along=along, which=2))


def test_an_unknown_picture_offers_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean density"):
        PICTURES["densty"]


@pytest.mark.parametrize("name", ["density", "length", "joint", "function", "frequencies", "objective", "bound_now"])
def test_a_picture_is_quick_enough_to_be_redrawn_live(name):
    # 15 ms on an idle core; the best of several, and room for a busy machine.
    draw, large, times = PICTURES[name].draw, SCENES["pictures"], []
    for _ in range(5):
        start = time.perf_counter()
        draw(large, Look(along="principal"))
        times.append(time.perf_counter() - start)
    assert min(times) < 0.08
