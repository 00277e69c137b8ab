"""Every page without a browser: what it shows, what a mistake leads to."""

import sqlite3
import time

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from kernlab.jobs import manager
from kernlab.methods import METHODS
from kernlab.spec import RunSpec
from kernlab.ui import setup

QUICK = {"dataset": "moons", "method": "ASKL", "n_features": "20", "epochs": "3", "n_samples": "100"}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    yield tmp_path
    manager().trainings.shutdown()


# What main.py does, with the wanted page as the first: AppTest cannot follow an address.
APP = "from kernlab.ui.pages import show; show({name!r})"


def page(name, **scene):
    app = AppTest.from_string(APP.format(name=name), default_timeout=60)
    for key, value in scene.items():
        app.query_params[key] = value
    return app.run()


def press(app, label):
    return next(button for button in app.button if button.label == label).click().run()


def errors(app):
    assert not app.exception
    return [error.value for error in app.error]


def trained(**scene):
    """A finished run of the quick spec."""
    jobs = manager().trainings
    run_id = jobs.submit(setup.spec_from({**QUICK, **scene}))
    assert jobs.wait(run_id, 60).status == "finished"
    return run_id


def wait_for(run_id, *statuses):
    until = time.monotonic() + 60
    while manager().trainings.snapshot(run_id).status not in statuses:
        assert time.monotonic() < until
        time.sleep(0.02)


# -- train -----------------------------------------------------------------------------------------------------


def test_an_address_survives_the_form():
    scene = {**QUICK, "noise": "0.3", "phase": "shared", "trace_norm": "0.001", "seed": "5", "test_size": "0.4"}
    app = page("train", **scene)
    assert errors(app) == []
    assert {key: app.query_params[key] for key in scene} == scene
    spec = RunSpec.from_dict(app.session_state["train.spec"].to_dict())
    assert (spec.seed, spec.data.source["noise"], spec.method.feature_map.phase) == (5, 0.3, "shared")
    assert setup.spec_from(setup.scene_of(spec)) == spec


def test_train_runs_and_the_page_shows_it():
    app = press(page("train", **QUICK), "Train")
    run_id = app.query_params["run"]
    assert manager().trainings.wait(run_id, 60).status == "finished"
    app.run()
    assert errors(app) == []
    assert [metric.label for metric in app.metric][:2] == ["Test accuracy", "Training accuracy"]
    assert float(app.metric[0].value.removesuffix(" %")) > 50
    stored = manager().trainings.store.get(run_id)
    assert RunSpec.from_dict(stored.spec) == app.session_state["train.spec"]


@pytest.mark.parametrize("view", ["overview", "spectrum", "kernel", "bounds"])
@pytest.mark.parametrize(
    "scene",
    [{}, {"method": "SK"}, {"dataset": "chirp"}, {"dataset": "digits", "n_samples": ""}, {"dataset": "lissajous"}],
    ids=lambda scene: "-".join(scene.values()) or "plain",
)
def test_every_view_of_every_kind_of_run(view, scene):
    wanted = {key: value for key, value in {**QUICK, **scene}.items() if value}
    jobs = manager().trainings
    run_id = jobs.submit(setup.spec_from(wanted))
    assert jobs.wait(run_id, 60).status == "finished"
    app = page("train", run=run_id, view=view)
    assert errors(app) == []
    assert app.query_params["dataset"] == wanted["dataset"]
    # Each picture is a component: it must have been given a figure with something in it.
    assert app.session_state["pictures"]
    assert all('"data":[{' in figure for _, figure in app.session_state["pictures"].values())


SMALL = {"n_features": 20, "epochs": 2, "order": 4, "j_min": -1, "j_max": 1, "max_turns": 2, "batch_size": 50}
OWN = {
    "RFDI": {"density"},
    "Nys-CE": {"landmarks_on_data"},
    "RF": {"reached", "density"},
    "LKRF-resampled": {"reached", "feature_weights", "density"},
    "FKS-wavelet": {"objective", "frame_by_input"},
    "KRR": {"reached"},
    "nuSVR-rbf": {"reached"},
    "MKL": {"kernel_weights"},
}


@pytest.mark.parametrize("method", OWN)
def test_a_run_of_every_family_has_its_own_pictures_and_only_views_with_something_in_them(method):
    dataset = "moons" if "SVR" not in method else "chirp"
    known = METHODS[method].schema()
    jobs = manager().trainings
    chosen = {key: value for key, value in SMALL.items() if key in known}
    run_id = jobs.submit(RunSpec.of(method, dataset, n_samples=100, **chosen))
    assert jobs.wait(run_id, 60).status == "finished"
    app = page("train", run=run_id)
    assert errors(app) == []
    assert set(app.session_state["pictures"]) >= OWN[method] | {"function"}
    choice = [group.options for group in app.button_group if group.key == "view.view"]
    for view in [name for options in choice for name in options[1:]]:
        app = page("train", run=run_id, view=view.lower())
        assert errors(app) == []
        assert app.query_params["view"] == view.lower()
        assert app.session_state["pictures"]
    assert bool(choice) == (method not in ("KRR", "nuSVR-rbf"))
    once = next(button.label for button in app.button if button.label in ("Stop", "Mini-batch", "Step"))
    assert once == {"RFDI": "Mini-batch", "Nys-CE": "Mini-batch", "MKL": "Step"}.get(method, "Stop")
    assert errors(page("runs")) == []


def test_both_heads_are_reported_when_a_run_is_over():
    jobs = manager().trainings
    run_id = jobs.submit(RunSpec.of("RFDI", "moons", n_samples=100, n_features=20, epochs=2, batch_size=50))
    assert jobs.wait(run_id, 60).status == "finished"
    found = manager().trainings.store.get(run_id).summary["heads"]
    app = page("train", run=run_id)
    cards = {metric.label: metric.value for metric in app.metric}
    assert cards["Test accuracy, ridge"] == f"{found['ridge']['test_metric']:.1f} %"
    assert cards["Test accuracy, linear SVM"] == f"{found['linear_svm']['test_metric']:.1f} %"


def test_a_run_that_ends_early_is_shown_whole():
    jobs = manager().trainings
    scene = {"algorithm": "fista", "g": 1e-2, "order": 4, "n_samples": 100}
    run_id = jobs.submit(RunSpec.of("FKS-Fourier", "chirp", **scene))
    state = jobs.wait(run_id, 60)
    assert state.step < state.total_steps
    app = page("train", run=run_id)
    assert app.slider(key="view.time").max == state.step
    assert errors(app) == []


def test_another_method_brings_its_own_numbers_and_keeps_what_means_the_same():
    app = page("train", dataset="moons", method="ASKL", n_features="77", frequency_scale="3")
    app.selectbox(key="train.paper").set_value(METHODS["LKRF"].family).run()
    spec = app.session_state["train.spec"]
    assert (spec.method.name, spec.method.feature_map.n_features) == ("LKRF", 20_000)
    assert spec.method.feature_map.frequency_scale == 3
    app.selectbox(key="train.paper").set_value(METHODS["SVC-rbf"].family).run()
    assert app.session_state["train.spec"].method.name == "SVC-rbf"  # the first that takes classes
    assert errors(app) == []


def test_a_method_for_other_data_is_refused_and_can_be_left_again():
    app = page("train", dataset="moons", method="eSVR-rbf")
    assert "regression" in errors(app)[0]
    assert next(button for button in app.button if button.label == "Train").disabled
    app.selectbox(key="train.dataset").set_value("chirp").run()
    assert errors(app) == []
    assert app.session_state["train.spec"].method.name == "eSVR-rbf"


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        ({"head": "svc"}, "works on an exact kernel"),
        ({"solver": "assigned"}, "leaves everything as it was drawn"),
        ({"feature_map": "exact", "solver": "assigned", "learned": "false"}, "weights that the solver finds"),
        ({"objective": "discriminant"}, "set head=ridge"),
    ],
)
def test_parts_that_do_not_fit_are_refused_beside_them(scene, sentence):
    app = page("train", dataset="moons", method="Custom", **scene)
    (found,) = errors(app)
    assert sentence.lower() in found.lower()
    assert next(button for button in app.button if button.label == "Train").disabled


def test_parts_that_fit_bring_their_options():
    scene = {"feature_map": "nystroem", "objective": "discriminant", "head": "linear_svm"}
    app = page("train", dataset="moons", method="Custom", **scene)
    assert errors(app) == []
    labels = [box.label for box in app.selectbox]
    assert {"Landmarks J", "Ridge ρ of the criterion", "Error weight C"} <= set(labels)
    app.selectbox(key="train.o.objective").set_value("auto").run()
    assert "Ridge ρ of the criterion" not in [box.label for box in app.selectbox]


def test_paused_stepped_stopped_resumed():
    app = press(page("train", **{**QUICK, "epochs": "1000"}), "Train")
    run_id = app.query_params["run"]
    press(app, "Pause")
    wait_for(run_id, "paused")
    before = manager().trainings.snapshot(run_id).step
    press(app.run(), "Mini-batch")
    time.sleep(0.3)
    wait_for(run_id, "paused")
    assert manager().trainings.snapshot(run_id).step == before + 1
    press(app, "Stop")
    wait_for(run_id, "stopped")
    press(app.run(), "Resume")
    wait_for(run_id, "running")
    press(app.run(), "Stop")
    wait_for(run_id, "stopped")
    assert errors(app) == []


def test_a_step_from_nothing_sets_a_run_up_and_holds_it():
    app = press(page("train", **QUICK), "Mini-batch")
    run_id = app.query_params["run"]
    time.sleep(0.3)
    wait_for(run_id, "paused")
    assert manager().trainings.snapshot(run_id).step == 1


def test_time_is_scrubbed_for_all_pictures():
    run_id = trained()
    app = page("train", run=run_id)
    newest = app.metric[2].value
    app.slider(key="view.time").set_value(0.0).run()
    assert "epoch 0.00" in app.slider(key="view.time").label
    assert app.metric[0].value != "" and app.metric[2].value != newest  # noqa: PT018
    assert app.query_params["at"] == "0"
    again = page("train", run=run_id, at="0")
    assert [metric.value for metric in again.metric] == [metric.value for metric in app.metric]


def test_a_changed_form_does_not_change_the_run_on_the_page():
    run_id = trained()
    app = page("train", run=run_id)
    app.selectbox(key="train.method").set_value("SK").run()
    assert errors(app) == []
    assert app.query_params["run"] == run_id
    assert app.query_params["method"] == "SK"
    assert app.query_params["n_features"] == "20"  # set by hand, so it stays


def test_own_composition():
    app = page("train", **{**QUICK, "method": "Custom", "feature_map": "stationary", "objective": "squared"})
    assert errors(app) == []
    app = press(app, "Train")
    run_id = app.query_params["run"]
    assert manager().trainings.wait(run_id, 60).status == "finished"
    # What "Python" hands out repeats the run.
    lines = next(code.value for code in app.code if "import" in code.value)
    found: dict[str, object] = {}
    exec(lines, found)
    assert found["result"].summary["objective"] == manager().trainings.store.get(run_id).summary["objective"]


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        ({"method": "ASKLL"}, "Did you mean ASKL"),
        ({"dataset": "mons"}, "Did you mean moons"),
        ({"n_featurs": "3"}, "Did you mean n_features"),
        ({"n_features": "many"}, "n_features must be"),
        ({"seed": "x"}, "seed must be"),
        ({"trace_norm": "-1"}, "trace_norm must be"),
        ({"run": "nosuchrun"}, "a run must be one"),
        ({"run": "../../etc"}, "a run must be one"),
        ({"look": "elsewhere", "at": "soon", "view": "none", "output": "-3", "smooth": "?"}, ""),
    ],
)
def test_an_odd_address_is_a_sentence_and_the_page_works(scene, sentence):
    app = page("train", **scene)
    found = errors(app)
    assert sentence in " ".join(found)
    assert bool(found) == bool(sentence)
    assert not next(button for button in app.button if button.label == "Train").disabled


def test_a_wrong_value_in_the_form_is_a_sentence_and_nothing_can_be_started():
    app = page("train", **QUICK)
    app.number_input(key="train.o.test_size").set_value(1.5).run()
    assert "test_size must be a number" in errors(app)[0]
    assert next(button for button in app.button if button.label == "Train").disabled


@pytest.mark.parametrize("view", ["overview", "spectrum", "kernel", "bounds"])
def test_a_diverged_run_is_shown_with_its_reason(view):
    scene = {"dataset": "chirp", "method": "SKL", "n_features": "50", "epochs": "5", "optimizer": "sgd"}
    jobs = manager().trainings
    run_id = jobs.submit(setup.spec_from({**scene, "learning_rate": "100"}))
    assert jobs.wait(run_id, 60).status == "failed"
    (sentence,) = errors(page("train", run=run_id, view=view))
    assert "learning_rate below 100" in sentence


def refusal(app):
    """The one sentence that a run which cannot start leaves on the page; nothing of it is stored."""
    until = time.monotonic() + 30
    while not errors(app) and time.monotonic() < until:
        app.run()
    (sentence,) = errors(app)
    assert "run" not in app.query_params
    while manager().trainings.store.list() and time.monotonic() < until:
        time.sleep(0.02)  # the reason is told before the last of the run is cleared away
    assert manager().trainings.store.list() == []
    return sentence


def test_a_run_that_cannot_be_is_a_sentence():
    assert "mini-batch" in refusal(press(page("train", **{**QUICK, "batch_size": "5000"}), "Train"))


def test_data_that_cannot_be_used_are_a_sentence(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    table = pd.DataFrame({"a": [0.0, 1.0, float("nan"), 2.0] * 20, "target": [0, 1] * 40})
    table.to_parquet(data / "holes.parquet")
    monkeypatch.setenv("KERNLAB_DATA", str(data))
    setup._look.clear()
    assert "NaN" in refusal(press(page("train", dataset="holes", method="SK", n_features="20"), "Train"))


def test_a_folder_of_data_that_is_not_there_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path / "nowhere"))
    setup._look.clear()
    app = page("train", **QUICK)
    assert "nowhere" in errors(app)[0]
    assert (
        "moons" in app.selectbox(key="train.dataset").options[0] or app.selectbox(key="train.dataset").value == "moons"
    )
    monkeypatch.delenv("KERNLAB_DATA")
    setup._look.clear()


# -- runs ------------------------------------------------------------------------------------------------------


def test_no_runs_yet_is_an_invitation():
    app = page("runs")
    assert errors(app) == []
    assert "Nothing has been trained" in app.info[0].value


def test_found_deleted_brought_back():
    first, second = trained(), trained(method="SK")
    app = page("runs")
    assert errors(app) == []
    assert len(app.dataframe[0].value) == 2
    app.text_input(key="runs.text").set_value("SK on").run()
    assert list(app.dataframe[0].value["method"]) == ["ASKL", "SK"] or len(app.dataframe[0].value) == 1
    app.text_input(key="runs.text").set_value("").run()
    app.session_state["runs.ticked"] = {first}
    press(app.run(), "Delete")
    assert [run.id for run in manager().trainings.store.list()] == [second]
    press(app, "Undo: bring back 1")
    assert {run.id for run in manager().trainings.store.list()} == {first, second}
    assert errors(app) == []


def test_what_cannot_be_done_with_a_run_is_a_sentence():
    run_id = trained()
    app = page("runs")
    app.session_state["runs.ticked"] = {run_id}
    press(app.run(), "Resume")
    assert "finished" in errors(app)[0]


@pytest.mark.parametrize(("column", "value"), [
    ("facts", "{"), ("facts", '{"d": "many"}'), ("summary", '{"test_metric": "good"}'), ("spec", '{"method": [1]}'),
])  # fmt: skip
def test_a_damaged_run_is_a_sentence_on_every_page_and_the_others_are_shown(home, column, value):
    good, bad = trained(), trained()
    with sqlite3.connect(home / "kernlab.db") as database:
        database.execute(f"UPDATE runs SET {column} = ? WHERE id = ?", (value, bad))
    database.close()
    app = page("runs")
    assert errors(app) == []
    assert list(app.dataframe[0].value["status"]) == ["damaged", "finished"]
    assert bad in app.warning[0].value
    assert "check --repair" in app.warning[0].value
    app.session_state["runs.ticked"] = {bad}
    press(app.run(), "Resume")
    assert "is damaged" in errors(app)[0]
    for name in ("train", "spectrum", "kernel", "bounds"):
        assert "is damaged" in errors(page(name, run=bad))[0]
        app = page(name)
        assert errors(app) == []
        if name != "train":
            assert app.session_state["inside.watches"][0].id == good


def test_a_folder_that_cannot_be_used_is_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "file"))
    for name in ("train", "runs"):
        assert "run store" in errors(page(name))[0]
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))


# -- home ------------------------------------------------------------------------------------------------------


def test_home_learns_a_kernel_and_says_on_what():
    app = page("home")
    until = time.monotonic() + 60
    while "pictures" not in app.session_state:
        assert time.monotonic() < until
        time.sleep(0.2)
        app.run()
    assert errors(app) == []
    assert "spectral density" in app.markdown[0].value
    assert any("Training will run on" in caption.value for caption in app.caption)
