"""What the Train page shows before anything is trained: the beginning of the run that Train would start."""

import json
import re
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from browsing import came_to, picture, press, rested, until, visit
from opening import components, opened, sound
from opening import words as texts
from waiting import PATIENCE

from kernlab.data import DataSpec, load, prepare
from kernlab.errors import CompositionError, DataError, UnknownNameError
from kernlab.jobs import manager
from kernlab.jobs.trainings import Trainings
from kernlab.methods import METHODS
from kernlab.pictures import frames
from kernlab.pictures.base import At
from kernlab.pictures.gallery import PICTURES, offered
from kernlab.pictures.recorded import learns_in_batches
from kernlab.runs.store import Metrics, Snapshots
from kernlab.solvers import FullBatchSolver
from kernlab.spec import RunSpec
from kernlab.training.events import Snapshot
from kernlab.training.trainer import begin, train
from kernlab.ui import drawing, films, foreseen, landmarks, pictures, transport
from kernlab.ui.live import auto_words
from kernlab.ui.news import phase
from kernlab.ui.previews import made
from kernlab.ui.watch import Watch

SMALL = {"n_features": 30}
CLASSES = [name for name, method in METHODS.items() if "SVR" not in name]


def spec_of(method):
    # Some full-batch methods choose their settings before they start, which takes them long on many inputs.
    dataset = "iris" if isinstance(METHODS[method].solver, FullBatchSolver) else "digits"
    return RunSpec.of(method, dataset, **{k: v for k, v in SMALL.items() if k in METHODS[method].schema()})


@pytest.mark.parametrize("name", ["SK", "ASKL", "RFDI", "NysDI", "LKRF", "FKS-Fourier", "KRR", "SVC-rbf"])
def test_a_preview_is_the_beginning_of_the_run(name):
    spec = spec_of(name)
    run = train(spec)
    started = next(run)
    snapshot = next(event for event in run if isinstance(event, Snapshot))
    run.close()
    foreseen, first = begin(spec)
    if not isinstance(spec.method.solver, FullBatchSolver):  # the settings of others are chosen before they start
        assert foreseen.spec == started.spec
    for mine, its in ((foreseen.arrays, started.arrays), (first.arrays, snapshot.arrays)):
        assert mine.keys() <= its.keys()
        for key, value in mine.items():
            np.testing.assert_array_equal(value, its[key], err_msg=key)
    assert foreseen.arrays.keys() == started.arrays.keys()
    facts = started.facts.keys()
    if isinstance(spec.method.solver, FullBatchSolver):  # others belong to what it chose
        facts = ("n_train", "n_held", "n_test", "d", "K", "compiled_from", "class_rows")
    assert {key: foreseen.facts[key] for key in facts} == {key: started.facts[key] for key in facts}


@pytest.mark.parametrize("dataset", ["moons", "digits", "chirp"])
@pytest.mark.parametrize("name", [name for name in CLASSES if learns_in_batches(METHODS[name])])
def test_a_run_that_begins_has_by_its_preview_what_it_will_have(home, monkeypatch, name, dataset):
    try:
        spec = RunSpec.of(name, dataset, **SMALL, epochs=2, device="cpu")
        spec.method.check("regression" if dataset == "chirp" else "classification")
    except CompositionError:
        pytest.skip("a method for other targets")
    jobs = manager().trainings
    run_id = jobs.submit(spec)
    jobs.wait(run_id)
    watch = Watch(jobs, run_id)
    with monkeypatch.context() as patch:  # as it was before its first snapshot
        live = replace(watch.state, status="running")
        patch.setattr(jobs, "snapshot", lambda id: live)
        nothing = Metrics({}, 0, True), Snapshots(np.zeros(0, np.int64), np.zeros(0))
        patch.setattr(watch.store, "progress", lambda id, after=0: nothing)
        patch.setattr(Watch, "_record", lambda watch: replace(watch.store.get(watch.id), facts={}, resolved={}))
        watch = Watch(jobs, run_id)
        watch.refresh()
        assert not watch.foresee(None)
        assert watch.moment() is None
        assert watch.foresee(made(spec.to_dict()))
        watch.refresh()  # it has nothing of its own yet
        assert phase(watch) == ["running", True, False, True]
        foreseen = At(watch, watch.moment())
        keys, data, method = [each.key for each in offered("overview", foreseen)], foreseen.data, watch.method
    watch.refresh()
    assert watch.preview is None
    first = At(watch, watch.moment(0.0))
    assert first.moment.values  # its own, which was measured
    assert [each.key for each in offered("overview", first)] == keys
    assert (first.data, watch.method) == (data, method)
    assert {"view_scores", *made(spec.to_dict()).moment().arrays} <= first.arrays.keys()


@pytest.mark.parametrize("method", ["ASKL", "KRR"])
def test_a_run_begins_when_the_page_has_been_made_and_says_what_it_does_meanwhile(home, monkeypatch, method):
    monkeypatch.setattr(transport, "DRAWN", 2 * PATIENCE)
    jobs, words, begin = manager().trainings, [], Trainings.begin

    def noted(jobs, run_id):
        words.append(transport.progress_words(Watch(jobs, run_id))[0])
        begin(jobs, run_id)

    monkeypatch.setattr(Trainings, "begin", noted)
    page = opened("train", dataset="moons", method=method, n_features="20", epochs="1")
    sound(next(each for each in page.button if each.label == "Train").click().run())
    (run,) = jobs.store.list()
    assert jobs.wait(run.id, PATIENCE).status == "finished"
    assert re.match(r"Running · reading the data · \d+\.\d s · ", words[0])
    assert " s trained" in transport.progress_words(Watch(jobs, run.id))[0]


def test_a_full_batch_run_is_not_foreseen(home):
    spec = spec_of("KRR")
    jobs = manager().trainings
    run_id = jobs.submit(spec)
    watch = Watch(jobs, run_id)
    watch.foresee(made(spec.to_dict()))
    assert watch.preview is None
    jobs.wait(run_id)


@pytest.mark.parametrize("name", CLASSES)
def test_every_picture_of_a_preview_is_drawn(name):
    run = made(spec_of(name).to_dict())
    at = At(run, run.moment())
    shown = offered("preview", at)
    assert {"data", "balance"} <= {each.key for each in shown}
    for each in shown:
        assert json.loads(frames.layout(run, each.key, {}, 1))
        assert json.loads(frames.frame(run, each.key, {}, 0))
    assert "training rows" in auto_words(RunSpec.from_dict(run.run.spec), run)


@pytest.mark.parametrize("dataset", ["digits", "checkerboard", "diabetes"])
def test_previews_with_the_same_data_have_the_same_pictures_of_them(dataset):
    known, shared = {}, 0
    for name, seed, options in [
        ("ASKL", 0, {}), ("ASKL", 0, {"n_features": 50}), ("SK", 0, {}), ("ASKL", 0, {"validation": 0}), ("KRR", 0, {}),
        ("Nys-LS", 0, {}), ("ASKL", 1, {}), ("ASKL", 0, {"test_size": 0.5}),
    ]:  # fmt: skip
        spec = RunSpec.of(name, dataset, seed=seed).with_options(options)
        run = made(spec.to_dict())
        drawn = {
            each.key: (frames.layout(run, each.key, {}, 1), frames.frame(run, each.key, {}, 0))
            for each in offered("preview", At(run, run.moment()))
            if each.of_data
        }
        shared += run.of_data in known
        assert known.setdefault(run.of_data, drawn) == drawn, spec.method.name
    assert shared >= 2  # D and the penalties change nothing of the data
    assert len(known) >= 3  # the seed and the share of test rows do


def test_the_browser_is_led_to_the_pictures_of_data_that_it_has(home, monkeypatch):
    monkeypatch.setattr(foreseen, "_previews", OrderedDict())  # that no other test has seen these data
    first, second = (foreseen.preview(RunSpec.of("ASKL", "iris", n_features=count)) for count in (20, 30))
    shots = [
        {each.key: pictures.shot(each, at).run for each in offered("preview", at)}
        for at in (At(run, run.moment()) for run in (first, second))
    ]
    assert shots[0].keys() == shots[1].keys()
    for key in shots[0]:
        assert (shots[0][key] == shots[1][key]) == (key in ("data", "balance"))
    foreseen._previews.pop(first.id)  # it is too long ago
    assert pictures.shot(PICTURES["data"], At(second, second.moment())).run == second.id


def test_a_preview_whose_place_others_took_is_made_again(home, monkeypatch):
    monkeypatch.setattr(foreseen, "_previews", OrderedDict())
    monkeypatch.setattr(foreseen, "_PREVIEWS", 1)
    first, second = (foreseen.preview(RunSpec.of("ASKL", "iris", n_features=count)) for count in (20, 30))
    assert [*foreseen._previews] == [second.id]
    again = foreseen.find(first.id)
    assert [*foreseen._previews] == [first.id] == [again.id]
    mine, its = (run.moment().arrays for run in (again, first))
    assert mine.keys() == its.keys()
    assert all(np.array_equal(mine[name], its[name]) for name in its)
    with pytest.raises(UnknownNameError, match="Load the page again"):
        foreseen.find(f"{first.id}x")


def test_choosing_is_announced_only_where_something_is_chosen():
    found = []
    for options in ({}, {"validation": 0}):
        spec = RunSpec.of("ASKL", "digits", n_features=30, **options)
        found.append(auto_words(spec, made(spec.to_dict())))
    assert ["without gain" in words for words in found] == [True, False]
    assert ["judge how long" in words for words in found] == [True, False]


def test_fewer_features_than_the_method_has_by_itself_are_announced():
    spec = RunSpec.of("NysDI", "iris")
    assert "60 features, since the rows are too few for 200" in auto_words(spec, made(spec.to_dict()))
    spec = RunSpec.of("NysDI", "iris", n_features=50)
    assert "too few" not in auto_words(spec, made(spec.to_dict()))


def test_classes_are_counted_on_the_training_part():
    spec = RunSpec.of("SK", "wine")
    data = prepare(load("wine"), DataSpec(dataset="wine"), 0)
    assert made(spec.to_dict()).facts["class_rows"] == np.bincount(data.y_train).tolist()


def test_a_preview_is_no_run_and_a_page_shows_it(home):
    store = manager().trainings.store
    before = [run.id for run in store.list()]
    app = sound(opened("train", dataset="moons", method="ASKL", n_features="20"))
    assert {"data", "density", "kernel_surface", "random_functions", "balance"} <= set(components(app, "chart"))
    assert "Learning rate η 0.01" in texts(app, "caption")
    assert [run.id for run in store.list()] == before


class Drawing:
    """A process that draws, and what it was asked for; the first work of it fails."""

    def __init__(self):
        self.asked = []

    def submit(self, work, *arguments):
        self.asked.append(arguments[1:])
        future = Future()
        if len(self.asked) > 1:
            future.set_result([b"drawn"])
        else:
            future.set_exception(DataError("the first fails", "it has"))
        return future


def test_what_was_drawn_ahead_is_not_drawn_again(monkeypatch):
    process, spec = Drawing(), spec_of("SK").to_dict()
    monkeypatch.setattr(drawing, "pool", lambda: process)
    monkeypatch.setattr(foreseen, "_previews", {"previewX": made(spec)})
    monkeypatch.setattr(films, "_drawings", OrderedDict())
    films.ahead("previewX", "density", "look=x1&log=true")
    layout, frame = (("layout", "density", {"look": "x1", "log": "true"}, [1]),
                     ("frame", "density", {"look": "x1", "log": "true"}, [0]))  # fmt: skip
    assert process.asked == [layout, frame]
    for _ in range(2):
        assert films._parts("previewX", "frame", "density", {"log": "true", "look": "x1"}, [0]) == [b"drawn"]
    assert process.asked == [layout, frame]
    assert films._parts("previewX", "layout", *layout[1:]) == [b"drawn"]  # it had failed
    assert process.asked == [layout, frame, layout]
    monkeypatch.setattr(films, "_DRAWN", 1)
    films._parts("previewX", "frame", "data", {}, [0])
    assert len(films._drawings) == 1


def test_what_cannot_be_started_is_a_sentence():
    app = opened("train", dataset="wine", method="NysDI", n_features="150")
    assert not app.exception
    assert any("more rows than there are features" in each.value for each in app.warning)


@pytest.mark.browser
def test_the_preview_follows_the_form_and_the_run_takes_its_place(server, page):
    visit(page, server, "train?dataset=moons&method=ASKL&n_features=20&n_samples=200&epochs=3")
    until(page, lambda: picture(page, "density") != "null")
    rested(page)
    before = picture(page, "density")
    page.evaluate(f"""() => {{
      window.plotted = {{ data: 0, density: 0 }};
      for (const [name, node] of [["data", "{landmarks.chart("data")}"], ["density", "{landmarks.chart("density")}"]])
        document.querySelector(node).on("plotly_afterplot", () => window.plotted[name]++);
    }}""")
    box = page.get_by_role("combobox", name=re.compile("Features D"))
    box.fill("40")
    box.press("Enter")
    until(page, lambda: picture(page, "density") != before)
    rested(page)
    assert page.evaluate("window.plotted") == {"data": 0, "density": 1}  # the same data; layout and frame in one
    press(page, "Train")
    came_to(page, "Finished")
    until(page, lambda: picture(page, "function") != "null")
    assert page.locator(".st-key-random_functions").count() == 0
    assert server.trouble() == []


@pytest.mark.browser
def test_a_picture_of_the_preview_stays_until_the_run_has_its_own(server, page):
    visit(page, server, "train?dataset=moons&method=ASKL&n_features=24&n_samples=200&epochs=2")
    until(page, lambda: picture(page, "density") != "null")
    rested(page)
    before = picture(page, "density")
    page.route(re.compile(r"/film/(?!preview)\w+/density"), lambda route: None)  # it never comes
    press(page, "Train")
    came_to(page, "Finished")
    until(page, lambda: picture(page, "objective") != "null")
    assert picture(page, "density") == before
