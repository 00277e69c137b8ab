"""What the held-out rows choose, as the pages show it: sentences, marks, curves and the line of progress."""

import base64
import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from kernlab.jobs import manager
from kernlab.runs.layout import RUNS
from kernlab.spec import RunSpec
from kernlab.training.events import Kept, Step
from kernlab.training.trainer import train
from kernlab.ui.table import rows

APP = "from kernlab.ui.pages import show; show({name!r})"
OPTIONS = {"n_samples": 200, "n_features": 20, "epochs": 8, "validation": 0.25, "n_iter_no_change": 3, "noise": 0.4}


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
    app.run()
    assert not app.exception
    assert [error.value for error in app.error] == []
    return app


def ran(**options):
    run_id = manager().trainings.submit(RunSpec.of("ASKL", "moons", **{**OPTIONS, **options}))
    assert manager().trainings.wait(run_id, 120).status == "finished"
    return run_id


def broken_off(kind, when=lambda event: True):
    """A run whose process died at the first event of this kind."""
    spec, store = RunSpec.of("ASKL", "moons", **OPTIONS), manager().trainings.store
    run_id = store.create(spec.to_dict(), "broken off")
    seen_kept = False
    with store.writer(run_id) as writer:
        for event in train(spec):
            writer.write(event)
            seen_kept |= isinstance(event, Kept)
            if isinstance(event, kind) and when(seen_kept):
                break
    return run_id


def captions(app):
    return " ".join(caption.value for caption in app.caption)


def figures(app):
    return {key: json.loads(figure) for key, (_, figure) in app.session_state["pictures"].items()}


def numbers(values):
    """Coordinates of a trace, which go to the browser as bytes."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()
    return values


def progress(app):
    return app.get("progress")[0].proto.text


def words(figure):
    return [note["text"] for note in figure["layout"].get("annotations", ())]


def test_every_page_says_what_was_kept_and_marks_it_in_every_picture_over_time():
    run_id = ran()
    found = manager().trainings.store.get(run_id).facts["kept"]
    assert found["rows"] == 40  # a quarter of the training part
    label = f"kept: epoch {found['epoch']} of {found['stopped']}" + ("" if found["learned"] else ", assigned map")
    for name, over_time in (("train", {"objective", "metric"}), ("spectrum", set()), ("kernel", {"alignment_history"}),
                            ("bounds", {"bound_stack", "bound_history"})):  # fmt: skip
        app = page(name, run=run_id)
        assert f"{label[0].upper()}{label[1:]}, chosen on 40 rows that did not train." in captions(app)
        assert app.slider(key="view.time").max == found["stopped"] + found["epoch"]
        short = f"kept: epoch {found['epoch']}"
        marked = {key: words(figure) for key, figure in figures(app).items() if short in words(figure)}
        assert over_time <= marked.keys()
        assert all("on all rows" in each for each in marked.values())


def test_the_metric_of_the_held_out_rows_is_a_curve_that_ends_where_choosing_ended():
    run_id = ran()
    found = manager().trainings.store.get(run_id).facts["kept"]
    drawn = {trace["name"]: trace for trace in figures(page("train", run=run_id))["metric"]["data"]}
    assert {"held-out rows", "held-out rows, assigned map", "train", "test"} <= drawn.keys()
    assert max(numbers(drawn["held-out rows"]["x"])) <= found["stopped"]
    x, y = (numbers(drawn["train"][axis]) for axis in "xy")
    history = manager().trainings.store.metrics(run_id).curves
    assert len(x) == len(history["train_metric"].values) + 1  # the break between the stretches
    place = int(np.flatnonzero(np.isnan(y))[0])
    assert x[place - 1] <= found["stopped"] == x[place + 1]


def test_a_run_that_holds_nothing_out_is_not_marked():
    app = page("train", run=ran(validation=0))
    assert "did not train" not in captions(app)
    assert not any(words(figure) for figure in figures(app).values())


def test_where_the_assigned_map_is_better_the_page_says_so():
    run_id = ran()
    store = manager().trainings.store
    with store.writing() as connection:
        facts = store.get(run_id).facts
        connection.execute(RUNS.update().values(facts={**facts, "kept": {**facts["kept"], "learned": False}}))
    assert "These rows prefer the assigned map" in captions(page("train", run=run_id))


def test_the_line_of_progress_names_the_stretch():
    choosing = page("train", run=broken_off(Step))
    assert "choosing how long to train · epoch" in progress(choosing)
    assert "of at most 8" in progress(choosing)
    assert "40 of the 160 training rows do not train" in captions(choosing)
    run_id = broken_off(Step, lambda seen_kept: seen_kept)
    found = manager().trainings.store.get(run_id).facts["kept"]
    assert f"repeating {found['epoch']} epoch" in progress(page("train", run=run_id))


def test_what_auto_came_to_is_said():
    text = captions(page("train", run=ran(learning_rate="auto")))
    assert "What auto came to: " in text
    assert "learning_rate = 0.01" in text


def test_the_table_of_runs_says_it():
    run_id = ran()
    run = manager().trainings.store.get(run_id)
    found = run.facts["kept"]
    assert rows([run], set())["kept"][0].startswith(f"epoch {found['epoch']} of {found['stopped']}")
    assert rows([run], set())["epochs"] == [pytest.approx(found["stopped"] + found["epoch"])]


def test_a_full_batch_method_says_how_many_rows_chose_its_settings(home):
    run_id = manager().trainings.submit(RunSpec.of("LKRF", "moons", n_samples=300, n_features=20))
    assert manager().trainings.wait(run_id, 120).status == "finished"
    facts = manager().trainings.store.get(run_id).facts
    rows = round(0.2 * facts["n_train"])
    assert facts["chosen_on"] == rows
    text = captions(page("train", run=run_id))
    assert f"These values were best on {rows} of the {facts['n_train']} training rows" in text
