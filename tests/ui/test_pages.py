"""Every page without a browser: what it shows, what a mistake leads to."""

import json
import os
import re
import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from drawn import decoded
from opening import address, button, components, errors, figures, finished, news_of, numbers, press, ran, sound
from opening import opened as page
from serving import ROOT
from starlette.applications import Starlette
from starlette.testclient import TestClient
from waiting import PATIENCE, until

from kernlab.jobs import manager
from kernlab.methods import METHODS
from kernlab.pictures import film
from kernlab.pictures.frames import to_json
from kernlab.pictures.gallery import picture_for, seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.spec import RunSpec
from kernlab.ui import live, miniature, serving, setup
from kernlab.ui.previews import PREFIX
from kernlab.ui.watch import Watch

QUICK = {"dataset": "moons", "method": "ASKL", "n_features": "20", "epochs": "3", "n_samples": "100"}


@pytest.fixture(autouse=True)
def own(request):
    """A store of its own, where a test does not ask for the shared one."""
    request.getfixturevalue("shared" if "shared" in request.fixturenames else "home")


def trained(**scene):
    """A finished run of the quick spec."""
    return finished(setup.spec_from({**QUICK, **scene}))


def status(run_id):
    return manager().trainings.snapshot(run_id).status


# -- train -----------------------------------------------------------------------------------------------------


def test_an_address_survives_the_form():
    scene = {**QUICK, "noise": "0.3", "phase": "shared", "trace_norm": "0.001", "seed": "5", "test_size": "0.4"}
    app = sound(page("train", **scene))
    assert scene.items() <= address(app).items()
    spec = RunSpec.from_dict(app.session_state["train.spec"].to_dict())
    assert (spec.seed, spec.data.source["noise"], spec.method.feature_map.phase) == (5, 0.3, "shared")
    assert setup.spec_from(setup.address_of(spec)) == spec


def test_train_runs_and_the_page_shows_it():
    app = press(page("train", **QUICK), "Train")
    run_id = app.query_params["run"]
    assert manager().trainings.wait(run_id, PATIENCE).status == "finished"
    app.run()
    assert errors(app) == []
    assert list(numbers(app))[:2] == ["Test accuracy", "Training accuracy"]
    assert float(numbers(app)["Test accuracy"].removesuffix(" %")) > 50
    stored = manager().trainings.store.get(run_id)
    assert RunSpec.from_dict(stored.spec) == app.session_state["train.spec"]


def test_the_run_of_the_page_that_answers_the_click_draws_the_first_pictures(monkeypatch):
    wait = Watch.wait
    monkeypatch.setattr(Watch, "wait", lambda watch, seconds: wait(watch, PATIENCE))
    app = press(page("train", **{**QUICK, "epochs": "100000"}), "Train")
    try:
        assert {"function", "density", "objective", "metric"} <= components(app, "chart").keys()
        # The browser asks for another one where the phase of the news is neither this nor one of those before it.
        known = components(app, "elements")["progress"]
        assert known["phase"] == ["running", True, False, True]
        assert news_of(app)["phase"] in [known["phase"], *known["before"]]
        until(lambda: news_of(app)["phase"] == known["phase"])
        # What the preview has shown stays in its place until the run has drawn its own.
        shots = {name: each["film"] for name, each in components(app, "chart").items()}
        assert shots["density"]["before"].startswith(PREFIX)
        assert shots["function"]["before"] == shots["objective"]["before"] == ""
    finally:
        manager().trainings.cancel(address(app)["run"])


@pytest.mark.parametrize(
    ("method", "dataset"),
    [("ASKL", "moons"), ("SK", "moons"), ("ASKL", "chirp"), ("ASKL", "digits"), ("ASKL", "lissajous")],
)
def test_every_view_of_every_kind_of_run(shared, method, dataset):
    run_id = ran(method, dataset)
    for view in ("overview", "spectrum", "kernel", "bounds"):
        app = page("train", run=run_id, view=view)
        # Each picture is a component: it must have been given a figure with something in it.
        assert figures(app)
        assert all(figure["data"] for figure in figures(app).values())
        assert address(app)["dataset"] == dataset


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
def test_a_run_of_every_family_has_its_own_pictures_and_only_views_with_something_in_them(shared, method):
    run_id = ran(method, "moons" if "SVR" not in method else "chirp")
    app = page("train", run=run_id)
    assert figures(app).keys() >= OWN[method] | {"function"}
    choice = [group.options for group in app.button_group if group.key == "view.view"]
    for view in [name.lower() for options in choice for name in options[1:]]:
        shown = page("train", run=run_id, view=view)
        assert figures(shown)
        assert address(shown)["view"] == view
    assert choice
    once = next(each.label for each in app.button if each.label in ("Stop", "+1 epoch", "+1 step"))
    assert once == {"RFDI": "+1 epoch", "Nys-CE": "+1 epoch", "MKL": "+1 step"}.get(method, "Stop")
    sound(page("runs"))


def test_both_heads_are_reported_when_a_run_is_over(shared):
    run_id = ran("RFDI")
    found = manager().trainings.store.get(run_id).summary["heads"]
    cards = numbers(page("train", run=run_id))
    assert cards["Test accuracy, ridge"] == f"{found['ridge']['test_metric']:.1f} %"
    assert cards["Test accuracy, linear SVM"] == f"{found['linear_svm']['test_metric']:.1f} %"


def test_a_run_that_ends_early_is_shown_whole(shared):
    run_id = ran("FKS-Fourier", "chirp", algorithm="fista", g=1e-2)
    run = manager().trainings.snapshot(run_id)
    assert run.step < run.total_steps
    app = sound(page("train", run=run_id))
    assert news_of(app)["length"] == run.step


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
    assert button(app, "Train").disabled
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
    assert button(app, "Train").disabled


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
    until(lambda: status(run_id) == "paused")
    before = manager().trainings.snapshot(run_id).step
    press(app.run(), "+1 step")
    until(lambda: manager().trainings.snapshot(run_id).step == before + 1)
    until(lambda: status(run_id) == "paused")
    assert manager().trainings.snapshot(run_id).step == before + 1
    press(app, "Stop")
    until(lambda: status(run_id) == "stopped")
    press(app.run(), "Resume")
    until(lambda: status(run_id) == "running")
    press(app.run(), "Stop")
    until(lambda: status(run_id) == "stopped")
    assert errors(app) == []


def test_a_step_from_nothing_sets_a_run_up_and_holds_it():
    app = press(page("train", **QUICK), "+1 step")
    run_id = app.query_params["run"]
    until(lambda: manager().trainings.snapshot(run_id).step == 1)
    until(lambda: status(run_id) == "paused")
    assert manager().trainings.snapshot(run_id).step == 1


def test_time_is_scrubbed_for_all_pictures(shared):
    run_id = ran()
    newest, first = page("train", run=run_id), page("train", run=run_id, at="0")
    assert components(first, "elements")["timeline"]["at"] == 0
    assert numbers(newest).keys() == numbers(first).keys()
    assert numbers(newest)["Objective"] != numbers(first)["Objective"]
    assert address(first)["at"] == "0"
    assert figures(newest)["density"] != figures(first)["density"]
    assert figures(newest)["objective"] == figures(first)["objective"]  # the browser marks the moment


def test_a_changed_form_does_not_change_the_run_on_the_page(shared):
    run_id = ran()
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
    assert manager().trainings.wait(run_id, PATIENCE).status == "finished"
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
        ({"at": "soon"}, "at must be a number"),
        ({"view": "none"}, "view must be one that kernlab knows"),
        ({"output": "-3", "smooth": "?"}, "smooth must be true or false"),
        ({"look": "elsewhere", "n_features": "20"}, ""),
    ],
)
def test_an_odd_address_is_a_sentence_and_the_page_works(scene, sentence):
    app = page("train", **scene)
    found = errors(app)
    assert sentence in " ".join(found)
    assert bool(found) == bool(sentence)
    assert not button(app, "Train").disabled


def test_a_wrong_value_in_the_form_is_a_sentence_and_nothing_can_be_started():
    app = unfold(page("train", **QUICK))
    app.number_input(key="train.o.test_size").set_value(1.5).run()
    assert "test_size must be a number" in errors(app)[0]
    assert button(app, "Train").disabled


def unfold(app):
    """Open the fold of the form."""
    app.session_state[setup.UNFOLDED] = True
    return app.run()


ODD = {
    "ASKL": {"phase": "shared", "trace_norm": "0.001", "sampling": "orthogonal", "optimizer": "sgd", "compile": "off"},
    "NysDI": {"selection": "kmeans", "normalize_targets": "true", "rho": "0.5", "schedule": "step", "ridge": "0.1"},
    "FKS-Fourier": {"algorithm": "fista", "g": "0.1", "validation": "0"},
    "LKRF": {"centred": "true", "algorithm": "bisection", "density": "cauchy"},
}


@pytest.mark.parametrize("method", [*ODD, "MKL"])
def test_a_folded_form_means_what_an_unfolded_one_says(method):
    dataset = "chirp" if setup.unfit(method, "classification") else "checkerboard"
    given = {"dataset": dataset, "n_samples": "200", "method": method, "seed": "3", "device": "cpu", "test_size": "0.4"}
    given |= ODD.get(method, {})
    folded = sound(page("train", **given))
    before, asked = folded.session_state["train.spec"], [each.key for each in folded.sidebar.selectbox]
    after = sound(unfold(folded)).session_state["train.spec"]
    assert before == after == setup.spec_from(given)
    assert "train.device" not in asked
    assert len(folded.sidebar.selectbox) > len(asked)


def test_formulas_are_set_once_their_fold_is_opened(shared):
    app = page("train", run=ran())
    assert [each.label for each in app.expander if "formulas" in each.label]
    assert not app.latex
    app.session_state[live.FORMULAS] = True
    shown = [each.value for each in app.run().latex]
    assert any(r"\min" in each for each in shown)
    assert len(shown) >= 4  # the objective, the map, the loss, the solver


@pytest.mark.parametrize("view", ["overview", "spectrum", "kernel", "bounds"])
def test_a_diverged_run_is_shown_with_its_reason(view):
    scene = {"dataset": "chirp", "method": "SKL", "n_features": "50", "epochs": "5", "optimizer": "sgd"}
    jobs = manager().trainings
    run_id = jobs.submit(setup.spec_from({**scene, "learning_rate": "100"}))
    assert jobs.wait(run_id, PATIENCE).status == "failed"
    assert "learning_rate below 100" in news_of(sound(page("train", run=run_id, view=view)))["error"]


def refusal(app):
    """The one sentence that a run which cannot start leaves on the page; nothing of it is stored."""
    until(lambda: errors(app.run()))
    (sentence,) = errors(app)
    assert "run" not in address(app)
    until(lambda: not manager().trainings.store.list())  # the page says why before the last of the run is removed
    return sentence


def test_a_run_that_cannot_be_is_a_sentence():
    assert "mini-batch" in refusal(press(page("train", **{**QUICK, "batch_size": "5000"}), "Train"))


def test_data_that_cannot_be_used_are_a_sentence(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    table = pd.DataFrame({"a": [0.0, 1.0, float("nan"), 2.0] * 20, "target": [0, 1] * 40})
    table.to_parquet(data / "holes.parquet")
    monkeypatch.setenv("KERNLAB_DATA", str(data))
    assert "NaN" in refusal(press(page("train", dataset="holes", method="SK", n_features="20"), "Train"))


def test_a_run_is_shown_though_its_data_are_gone(tmp_path, monkeypatch):
    pd.DataFrame({"a": range(40), "target": [0, 1] * 20}).astype(float).to_parquet(tmp_path / "mine.parquet")
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path))
    run_id = finished(RunSpec.of("SK", "mine", n_features=10, epochs=1, batch_size=20))
    monkeypatch.delenv("KERNLAB_DATA")
    app = page("train", run=run_id)
    assert "data set must be one that kernlab knows" in errors(app)[0]
    assert any("density" in chart.get("film", {}).values() for chart in components(app, "chart").values())
    assert button(app, "Train").disabled
    app.selectbox(key="train.dataset").set_value("iris").run()
    assert errors(app) == []
    assert not button(app, "Train").disabled


def test_a_missing_folder_of_data_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path / "nowhere"))
    app = page("train", **QUICK)
    assert "nowhere" in errors(app)[0]
    assert (
        "moons" in app.selectbox(key="train.dataset").options[0] or app.selectbox(key="train.dataset").value == "moons"
    )
    monkeypatch.delenv("KERNLAB_DATA")


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


@pytest.fixture
def client():
    return TestClient(Starlette(routes=serving.routes(), middleware=serving.middleware()))


def test_home_shows_a_kernel_that_was_learned(client):
    app = sound(page("home"))
    assert "spectral density" in app.markdown[0].value
    for shot in components(app, "chart").values():
        shown = shot["film"]
        news = client.get(f"/film/{shown['run']}").json()
        assert not news["live"]
        assert len(news["steps"]) > 20
        assert client.get(f"/film/{shown['run']}/{shown['picture']}").json()["traces"]
        for step in [news["metrics"]] if shown["over_time"] else news["steps"]:
            assert client.get(f"/film/{shown['run']}/{shown['picture']}/{step}").json()["traces"]
        for step in news["steps"]:
            assert dict(client.get(f"/film/{shown['run']}/values/{step}").json()["numbers"])["Test accuracy"]
    assert client.get(f"/film/{shown['run']}/nosuchpicture").status_code == 404
    assert client.get("/news/device").json()["words"].startswith("Training will run on: ")
    assert components(app, "elements")["line.news/device"]["address"] == "news/device"


def test_the_film_of_home_is_what_is_drawn_today(client):
    """After a change of these pictures: python -m kernlab.ui.miniature."""
    spec = RunSpec.of("ASKL", miniature.DATASET, **miniature.OPTIONS)
    assert setup.spec_from(miniature.film()["address"]) == spec
    recorded = RecordedRun(manager().trainings.store, finished(spec))
    recorded.refresh()
    first = seen(recorded)._replace(moment=recorded.moment(0.0))
    assert client.get(f"/film/{miniature.name()}").json().keys() == client.get(f"/film/{recorded.id}").json().keys()
    for key in miniature.PICTURES:
        picture = picture_for(key, first)
        assert picture.alt == miniature.film()["alt"][key]
        fixed = json.loads(to_json(film.layout(picture, recorded)._asdict()))
        same = client.get(f"/film/{miniature.name()}/{key}").json()
        assert {name: look.keys() for name, look in same["traces"].items()} == {
            name: look.keys() for name, look in fixed["traces"].items()
        }
        assert same["layout"].keys() == fixed["layout"].keys()
        shot = json.loads(to_json(film.frame(picture, first)._asdict()))
        step = client.get(f"/film/{miniature.name()}").json()["metrics"] if picture.over_time else 0
        kept = client.get(f"/film/{miniature.name()}/{key}/{step}").json()
        assert kept["layout"]["title"]["text"] == shot["layout"]["title"]["text"]
        assert kept["traces"].keys() == shot["traces"].keys()
        for name, trace in shot["traces"].items():
            assert kept["traces"][name].keys() == trace.keys()
            for path, value in trace.items():
                if isinstance(value, dict) and value.get("dtype") == "f4":
                    mine, its = decoded(kept["traces"][name][path]), decoded(value)
                    np.testing.assert_allclose(mine, its, atol=0.05 * np.abs(its).max())


def test_home_explains_without_a_formula():
    """Four pictures of the recorded kernel, whose words have no symbol."""
    home = (ROOT / "pages/home.py").read_text("utf-8")
    assert "$" not in home
    assert len(miniature.EXPLAINED) == 4
    answers = miniature.film()["answers"]
    for key in miniature.EXPLAINED:
        (place, *_) = (name for name in answers if name.startswith(f"{key}/"))
        fixed, shot = answers[key], answers[place]
        words = [shot["layout"]["title"]["text"], *(name.split(":")[1] for name in fixed["traces"])]
        words += [axis["title"]["text"] for name, axis in fixed["layout"].items() if name in ("xaxis", "yaxis")]
        assert not re.search(r"[α-ωΑ-Ω‖₀-₉=]", " ".join(words)), words


#: What takes a page's first visitor the longest to load, and is needed only once something is computed or drawn.
UNNEEDED = {
    "home": {"torch", "sklearn", "scipy", "sqlalchemy", "pandas", "pyarrow"},
    "train": {"sklearn", "scipy.stats"},
}


@pytest.mark.parametrize("name", UNNEEDED)
def test_neither_the_server_nor_a_first_page_waits_for_what_it_does_not_need(tmp_path, name):
    shown = "" if name == "home" else name
    code = (
        "import sys, runpy\n"
        f"runpy.run_path({str(ROOT / 'app.py')!r})\n"
        "from streamlit.testing.v1 import AppTest\n"
        f'script = "from kernlab.ui import head, pages; pages.show(head.head, {shown!r})"\n'
        f"app = AppTest.from_string(script, default_timeout={PATIENCE}).run()\n"
        "assert app.title[0].value and not app.exception, app.exception\n"
        "from starlette.applications import Starlette\n"
        "from starlette.testclient import TestClient\n"
        "from kernlab.ui import miniature, serving\n"
        "client = TestClient(Starlette(routes=serving.routes(), middleware=serving.middleware()))\n"
        "assert client.get(f'/film/{miniature.name()}/function/0').status_code == 200\n"
        "assert client.get('/jobs').json() == []\n"
        f"print(sorted({UNNEEDED[name]!r} & set(sys.modules)))\n"
    )
    environment = {**os.environ, "KERNLAB_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
