"""Spectrum, Kernel and Bounds without a browser: one run or two, at any moment, compared with another one."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from kernlab.jobs import manager
from kernlab.methods import METHODS
from kernlab.pictures.base import places
from kernlab.spec import RunSpec
from kernlab.ui import inside, view

PAGES = ("spectrum", "kernel", "bounds")
APP = "from kernlab.ui.pages import show; show({name!r})"
SMALL = {"n_features": 20, "epochs": 3, "order": 4, "j_min": -1, "j_max": 1, "max_turns": 2, "batch_size": 50}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    yield tmp_path
    manager().trainings.shutdown()


def page(name, **scene):
    app = AppTest.from_string(APP.format(name=name), default_timeout=60)
    for key, value in scene.items():
        app.query_params[key] = value
    return app.run()


def pictures(app):
    assert not app.exception
    assert [error.value for error in app.error] == []
    return {key: figure for key, (_, figure) in app.session_state["pictures"].items()}


def ran(method="ASKL", dataset="moons", **options):
    known = METHODS[method].schema()
    chosen = {key: value for key, value in {**SMALL, **options}.items() if key in known}
    rows = {"n_samples": 100} if dataset in ("moons", "chirp") else {}
    run_id = manager().trainings.submit(RunSpec.of(method, dataset, **rows, **chosen))
    assert manager().trainings.wait(run_id, 60).status == "finished"
    return run_id


@pytest.mark.parametrize("name", PAGES)
def test_where_there_is_no_run_an_example_is_trained(name):
    app = page(name)
    assert "no run to look into" in app.info[0].value
    next(button for button in app.button if button.label == "Train an example").click().run()
    run_id = app.session_state["inside.watches"][0].id
    assert manager().trainings.store.get(run_id).dataset == inside.EXAMPLE.data.dataset
    until = time.monotonic() + 60
    while (
        manager().trainings.snapshot(run_id).status == "queued"
        or not manager().trainings.store.snapshots(run_id).steps.size
    ):
        assert time.monotonic() < until
        time.sleep(0.05)
    app.run()
    assert pictures(app)
    assert app.query_params["run"] == run_id
    manager().trainings.cancel(run_id)


@pytest.mark.parametrize(
    ("method", "dataset"),
    [
        ("ASKL", "moons"),
        ("ASKL", "chirp"),
        ("ASKL", "digits"),
        ("SK", "diabetes"),
        ("Deep-ASKL", "moons"),
        ("NysDI", "digits"),
        ("LKRF", "moons"),
        ("FKS-Fourier", "diabetes"),
        ("SVC-rbf", "iris"),
        ("MKL", "diabetes"),
        ("KRR", "chirp"),
    ],
)
def test_every_kind_of_run_now_and_compared_with_its_beginning(method, dataset):
    run_id = ran(method, dataset)
    for name in PAGES:
        for moment in ({}, {"reference": "0"}):
            app = page(name, run=run_id, **moment)
            drawn = pictures(app) if "pictures" in app.session_state else {}
            assert all('"data":[{' in figure for figure in drawn.values())
            assert drawn or any("nothing of this kind" in info.value for info in app.info)


@pytest.mark.parametrize("name", PAGES)
def test_the_slider_moves_the_pictures(name):
    run_id = ran()
    newest, first = (pictures(page(name, run=run_id, **at)) for at in ({}, {"at": "0"}))
    assert newest.keys() & first.keys()
    assert all(newest[key] != first[key] for key in newest.keys() & first.keys() if "approximation" not in key)


@pytest.mark.parametrize("name", PAGES)
def test_two_runs_stand_side_by_side(name):
    one, other = ran(), ran("SK", "digits")
    app = page(name, run=one, beside=other)
    drawn = pictures(app)
    beside = {key.removesuffix(".beside") for key in drawn if key.endswith(".beside")}
    assert beside & {key for key in drawn if not key.endswith(".beside")}
    assert (app.query_params["run"], app.query_params["beside"]) == (one, other)
    app.selectbox(key="inside.beside").set_value("").run()
    assert "beside" not in app.query_params


def test_the_address_holds_the_moments():
    run_id = ran()
    said = {"run": run_id, "at": "1", "reference": "2", "look": "principal direction 2"}
    app = page("spectrum", **said)
    assert {key: app.query_params[key] for key in said} == said


def test_without_an_address_the_newest_run_is_shown():
    ran()
    newest = ran("SK")
    app = page("kernel")
    assert app.query_params["run"] == newest


def test_a_run_that_is_gone_is_a_sentence():
    app = page("bounds", run="nosuchrun")
    assert not app.exception
    assert "nosuchrun" in app.error[0].value
    assert app.button


def test_nonsense_in_an_address_means_the_default():
    default = view.DEFAULTS
    for name, text in (("smooth", "maybe"), ("at", "nan"), ("at", "x"), ("output", "-"), ("reference", "")):
        assert view._read(text, default[name]) == default[name]
    assert view._read("-3", None) == 0.0
    assert places("3,17,x,40") == (3, 17, 40)
