"""What the held-out rows choose, as the pages show it: sentences, marks, curves and the line of progress."""

import numpy as np
import pytest
from drawn import decoded
from opening import components, figures, finished, news_of, opened, sound
from opening import ran as run_of
from opening import words as texts

from kernlab.jobs import manager
from kernlab.pictures.function_view import function_view
from kernlab.runs.layout import RUNS
from kernlab.spec import RunSpec
from kernlab.training.events import Kept, Step
from kernlab.training.trainer import train
from kernlab.ui.table import rows
from kernlab.ui.watch import Watch

OPTIONS = {"n_samples": 200, "n_features": 20, "epochs": 8, "validation": 0.25, "n_iter_no_change": 3, "noise": 0.4}


@pytest.fixture(autouse=True)
def store():
    """Some of the runs are changed here."""


def page(name, **scene):
    return sound(opened(name, **scene))


def ran(**options):
    return run_of("ASKL", "moons", **{**OPTIONS, **options})


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
    return texts(app, "caption")


def progress(app):
    return news_of(app)["words"]


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
        timeline = components(app, "elements")["timeline"]
        assert [place for place, *_ in timeline["marks"]] == [found["epoch"], found["stopped"]]
        shots = manager().trainings.store.snapshots(run_id)
        assert shots.epochs[-1] == found["stopped"] + found["epoch"]
        short = f"kept: epoch {found['epoch']}"
        marked = {key: words(figure) for key, figure in figures(app).items() if short in words(figure)}
        assert over_time <= marked.keys()
        assert all("on all rows" in each for each in marked.values())


def test_the_moments_at_which_choosing_ends_and_the_repetition_begins_are_two():
    run_id = ran()
    found, shots = manager().trainings.store.get(run_id).facts["kept"], manager().trainings.store.snapshots(run_id)
    assert (shots.epochs == found["stopped"]).sum() == 2
    answer = news_of(page("train", run=run_id), "timeline")
    epochs, (first, second) = answer["epochs"], map(list, answer["stages"])
    assert (np.diff(epochs) > 0).all()
    assert first == [0.0, 0.0, "choosing"]
    assert second == [epochs[list(shots.epochs).index(found["stopped"]) + 1], found["stopped"], "on all rows"]
    for epoch in (second[0], second[1]):  # each can be shown
        watch = Watch(manager().trainings, run_id)
        watch.refresh()
        assert watch.moment(epoch).epoch == epoch
    assert [name for *_, name in news_of(page("train", run=broken_off(Step)), "timeline")["stages"]] == ["choosing"]
    assert news_of(page("train", run=ran(validation=0)), "timeline")["stages"] == []


def test_the_predictions_in_the_picture_are_those_of_the_number_beside_it():
    """The repetition trains on other rows than choosing, but both are drawn at the same test rows."""
    run_id = run_of("ASKL", "iris", n_features=20, epochs=3, validation=0.25)
    watch = Watch(manager().trainings, run_id)
    watch.refresh()
    for epoch in (watch.kept.stopped, None):
        moment = watch.moment(epoch)
        shown = function_view(moment.arrays, watch.static, watch.facts)
        assert 100 * shown.score == pytest.approx(moment.values["test_metric"])


def test_the_metric_of_the_held_out_rows_is_a_curve_that_ends_where_choosing_ended():
    run_id = ran()
    found = manager().trainings.store.get(run_id).facts["kept"]
    drawn = {trace["name"]: trace for trace in figures(page("train", run=run_id))["metric"]["data"]}
    assert {"held-out rows", "held-out rows, assigned map", "train", "test"} <= drawn.keys()
    assert max(decoded(drawn["held-out rows"]["x"])) <= found["stopped"]
    x, y = (decoded(drawn["train"][axis]) for axis in "xy")
    history = manager().trainings.store.metrics(run_id).curves
    assert len(x) == len(history["train_metric"].values) + 1  # the break between the stretches
    place = int(np.flatnonzero(np.isnan(y))[0])
    assert x[place - 1] <= found["stopped"] == x[place + 1]


def test_a_run_that_holds_nothing_out_is_not_marked():
    app = page("train", run=ran(validation=0))
    assert "did not train" not in captions(app)
    assert not any(words(figure) for figure in figures(app).values())


def test_where_the_assigned_map_is_better_the_page_says_so(home):
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


def test_the_values_that_auto_was_replaced_by_are_shown():
    text = captions(page("train", run=ran(learning_rate="auto")))
    assert "Values used in place of auto: " in text
    assert "learning_rate = 0.01" in text


def test_fewer_features_than_the_method_has_by_itself_are_shown():
    run_id = finished(RunSpec.of("Nys", "moons", n_samples=100))
    assert "80 features, since the rows are too few for 200." in captions(page("train", run=run_id))
    assert "too few" not in captions(page("train", run=finished(RunSpec.of("Nys", "moons", n_samples=300))))


def test_the_table_of_runs_says_it():
    run_id = ran()
    run = manager().trainings.store.get(run_id)
    found = run.facts["kept"]
    assert rows([run], set())["kept"][0].startswith(f"epoch {found['epoch']} of {found['stopped']}")
    assert rows([run], set())["epochs"] == [pytest.approx(found["stopped"] + found["epoch"])]


def test_a_full_batch_method_says_how_many_rows_chose_its_settings():
    run_id = finished(RunSpec.of("LKRF", "moons", n_samples=300, n_features=20))
    facts = manager().trainings.store.get(run_id).facts
    rows = round(0.2 * facts["n_train"])
    assert facts["chosen_on"] == rows
    text = captions(page("train", run=run_id))
    assert f"These values were best on {rows} of the {facts['n_train']} training rows" in text
