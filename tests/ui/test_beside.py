"""Runs side by side on the Train page, without a browser: columns, presets, addresses."""

import pytest
from opening import address, components, errors, opened, press, sound
from waiting import PATIENCE, until

from kernlab.compare.cells import method_of
from kernlab.compare.written import assemble, settings_of
from kernlab.errors import OptionError
from kernlab.jobs import manager
from kernlab.spec import RunSpec
from kernlab.ui.beside import comparison
from kernlab.ui.presets import differences, names, presets

QUICK = {"dataset": "moons", "method": "ASKL", "n_features": "20", "epochs": "3", "n_samples": "100", "validation": "0"}


@pytest.fixture(autouse=True)
def own(home):
    """A store of its own."""


def trainings():
    return manager().trainings


def ended(*run_ids):
    for run_id in run_ids:
        assert trainings().wait(run_id, PATIENCE).status == "finished"


def runs(app):
    found = address(app)
    return [found[key] for key in ("run", "second_run", "third_run", "fourth_run") if key in found]


def test_a_preset_puts_a_column_beside_the_form_and_both_train_in_step():
    app = sound(opened("train", **QUICK))
    press(app, "stationary")
    assert errors(app) == []
    assert address(app)["second"] == "method=ASKL&feature_map=stationary&n_features=20&epochs=3&validation=0"
    assert runs(app) == []  # nothing was trained before
    press(app, "Train")
    first, second = runs(app)
    ended(first, second)
    store = trainings().store
    assert store.get(first).spec["data"] == store.get(second).spec["data"]
    assert RunSpec.from_dict(store.get(second).spec).method.feature_map.name == "stationary"
    app = sound(app.run())
    shown = components(app, "chart")
    assert shown["objective"]["film"]["names"] == ["non-stationary", "stationary"]
    assert shown["objective"]["film"]["beside"] == [second]
    assert shown["function"]["film"]["beside"] == [second]
    assert shown["function.second"]["film"]["run"] == second
    assert components(app, "elements")["timeline"]["runs"] == [first, second]


def test_a_column_begins_at_once_beside_a_run_and_its_address_restores_all():
    app = sound(opened("train", **QUICK))
    press(app, "Train")
    (first,) = runs(app)
    ended(first)
    press(app.run(), "assigned")
    found = runs(app)
    assert found[0] == first
    assert len(found) == 2
    ended(*found)
    scene = address(app.run())
    again = sound(opened("train", **scene))
    assert runs(again) == found
    assert address(again) == scene
    assert components(again, "elements")["against"]["runs"] == found
    press(again, "Remove")
    assert runs(again) == [first]
    assert "second" not in address(again)
    assert {each.id for each in trainings().store.list()} == set(found)  # what it has trained is kept


def test_the_form_edits_the_selected_column_and_the_data_are_those_of_all():
    app = sound(opened("train", **QUICK))
    press(app, "freely")
    app.sidebar.selectbox(key="train.o.n_features").set_value("30").run()
    assert "n_features=30" in address(app)["second"]
    assert address(app)["n_features"] == "20"
    app.sidebar.number_input(key="train.s.noise").set_value(0.4).run()
    assert address(app)["noise"] == "0.4"
    press(app, "D = 20")
    assert app.sidebar.selectbox(key="train.o.n_features").value == "20"
    assert app.sidebar.number_input(key="train.s.noise").value == 0.4
    for title in ("D = 50", "another seed"):
        press(app, title)
    assert {"third", "fourth"} <= address(app).keys()
    (full,) = [each for each in app.get("popover") if each.proto.popover.label == "Compare with …"]
    assert full.proto.popover.disabled


def test_train_starts_only_what_has_changed_and_everything_where_nothing_has():
    app = sound(opened("train", **QUICK))
    press(app, "D = 50")
    press(app, "Train")
    first = runs(app)
    ended(*first)
    app.run()
    app.sidebar.selectbox(key="train.o.n_features").set_value("30").run()
    press(app, "Train")
    second = runs(app)
    assert second[0] == first[0]
    assert second[1] != first[1]
    ended(*second)
    press(app.run(), "Train")
    assert not set(runs(app)) & {*first, *second}
    ended(*runs(app))


def test_all_columns_are_paused_stepped_resumed_and_stopped():
    app = sound(opened("train", **{**QUICK, "epochs": "10000"}))
    press(app, "assigned")
    press(app, "+1 epoch")
    found = runs(app)
    until(lambda: [trainings().snapshot(each).epoch for each in found] == [1.0, 1.0])
    until(lambda: {trainings().snapshot(each).status for each in found} == {"paused"})
    press(app.run(), "Resume")
    until(lambda: min(trainings().snapshot(each).epoch for each in found) > 5)
    press(app.run(), "Pause")
    until(lambda: {trainings().snapshot(each).status for each in found} == {"paused"})
    press(app.run(), "Stop")
    for each in found:
        assert trainings().wait(each, PATIENCE).status == "stopped"
    press(app.run(), "Resume")
    until(lambda: {trainings().snapshot(each).status for each in found} == {"running"})
    states = [trainings().snapshot(each) for each in found]
    assert all(state.in_step for state in states)
    press(app.run(), "Stop")
    assert errors(app) == []


def test_what_an_address_must_not_say_is_a_sentence():
    app = opened("train", **QUICK, second="method=ASKLL")
    assert any("ASKLL" in sentence for sentence in errors(app))
    app = opened("train", **QUICK, second="method=SK", second_run="nothing")
    assert errors(app)
    assert errors(opened("train", scene="nowhere"))


def test_presets_make_sense_for_the_method():
    def offered(method, dataset, task, **options):
        return presets(RunSpec.of(method, dataset, **options), task)

    askl = offered("ASKL", "digits", "classification")
    assert {"assigned", "stationary", "without penalties", "D = 50", "another seed"} <= askl.keys()
    assert "Discriminant Information" in askl
    assert not {"learned", "non-stationary"} & askl.keys()
    assert {"learned", "non-stationary"} <= offered("SK", "digits", "classification").keys()
    assert "without penalties" not in offered("RF", "digits", "classification")
    assert "D = 50" not in offered("ASKL", "digits", "classification", n_features=50)
    svr = offered("KRR", "diabetes", "regression")
    assert not {"stationary", "without penalties", "D = 50", "assigned"} & svr.keys()
    for found in (askl, svr):
        assert all(each.seed == (name == "another seed") for name, each in found.items())
    taken = list(askl.values())
    assert presets(RunSpec.of("ASKL", "digits"), "classification", taken) == {}


def test_names_tell_runs_apart_and_a_sentence_says_in_what():
    first = RunSpec.of("ASKL", "digits")
    found = presets(first, "classification")
    assert names([first, found["SK"]]) == ["ASKL", "SK"]
    assert names([first, found["D = 50"]]) == ["D = 2000", "D = 50"]
    assert names([first, found["without penalties"]]) == ["with penalties", "no penalty"]
    assert names([first, found["assigned"]]) == ["learned", "assigned"]
    three = names([first, found["assigned"], found["stationary"], found["D = 50"]])
    assert three == ["ASKL", "assigned", "stationary", "D = 50"]
    assert names([first, found["D = 50"], found["SK"]]) == ["ASKL D = 2000", "ASKL D = 50", "SK"]
    assert names([first, first]) == ["ASKL", "ASKL (2)"]
    assert differences([first, found["D = 50"]]) == "n_features: 2000 against 50"
    assert "learned: yes against no" in differences([first, found["assigned"]])
    assert differences([first, first]) == ""
    three = differences([first, found["stationary"], found["D = 50"]])
    assert three == "stationary: feature_map stationary · D = 50: n_features 50"


def test_is_that_real_compares_the_columns_over_thirty_splits():
    first = RunSpec.of("ASKL", "moons", n_features=20, epochs=2, seed=3)
    found = presets(first, "classification")
    made = comparison([first, found["assigned"], found["SK"]])
    assert made.methods == ("ASKL: learned", "ASKL: assigned", "SK")
    assert (made.repeats, made.seed, made.datasets) == (30, 3, (first.data,))
    cells = list(made.cells({"moons": "content"}, {name: [] for name in made.methods}))
    assert len(cells) == 90
    methods = {cell.method: method_of(cell) for cell in cells}
    assert methods["ASKL: assigned"].learned is False
    assert methods["ASKL: learned"].learned is True
    assert {each.options()["n_features"] for each in methods.values()} == {20}
    written = assemble(made.methods, ["moons"], settings_of(made), repeats=30, seed=3)
    assert (written.methods, settings_of(written)) == (made.methods, settings_of(made))
    with pytest.raises(OptionError, match="more than their seed"):
        comparison([first, found["another seed"]])


def test_the_compare_page_shows_variants_and_their_options():
    app = opened("train", **{**QUICK, "n_samples": "60"})
    press(app, "assigned")
    made = comparison(list(app.session_state["beside.specs"].values()), 2)
    started = manager().comparisons.start(made)
    assert manager().comparisons.wait(started, PATIENCE).status == "finished"
    page = sound(opened("compare", id=started))
    assert page.session_state["values.compare"]["methods"] == ("ASKL: learned", "ASKL: assigned")
    text = " ".join(each.proto.body for each in page.get("html"))
    assert "ASKL: learned" in text
    assert "ASKL: assigned" in text
