"""A comparison: complete, resumable, shared between processes, and refused before it starts where it is impossible."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from small_comparison import computed, done, elsewhere, numbers, small
from waiting import PATIENCE

from kernlab.compare import cells as cells_module
from kernlab.compare.run import Done, compare, plan
from kernlab.data import DataSpec
from kernlab.errors import DataError, OptionError, TrainingError, UnknownNameError
from kernlab.jobs.comparisons import Comparisons, remaining
from kernlab.training import replicates


def test_every_method_sees_the_same_splits(store):
    records = done(small(("SK", "ASKL", "svm-rbf", "constant")), store)
    assert [(r.cell["seed"], r.cell["method"]) for r in records[:5]] == [
        (0, "SK"), (0, "ASKL"), (0, "svm-rbf"), (0, "constant"), (1, "SK"),
    ]  # fmt: skip
    assert all(record.status == "done" for record in records)
    assert [r.test for r in records if r.cell["method"] == "constant"] == pytest.approx([records[0].constant] * 3)


@pytest.mark.parametrize("finished", [1, 4])
def test_interrupted_and_resumed_is_as_if_never_interrupted(store, tmp_path, finished):
    whole = done(small(), type(store)(tmp_path / "other"))
    stopped = threading.Event()
    first = []
    for event in compare(small(), backend="here", store=store, stop=stopped.is_set):
        first.append(event)
        if len(computed(first)) == finished:
            stopped.set()
    assert isinstance(first[-1], Done)
    assert not first[-1].complete
    assert numbers(first[-1].records) == numbers(whole[:finished])

    abandoned = compare(small(), backend="here", store=store)  # and once more, without a farewell
    assert len(next(abandoned).records) == finished
    next(abandoned)
    abandoned.close()

    again = list(compare(small(), backend="here", store=store))
    assert len(computed(again)) == 6 - finished - 1
    assert numbers(again[-1].records) == numbers(whole)
    assert computed(compare(small(), backend="here", store=store)) == []


def test_what_another_comparison_computed_is_not_computed_again(store):
    done(small(("SK", "ASKL"), 2), store)
    more = list(compare(small(("NSK", "ASKL"), 3), backend="here", store=store))
    assert [(e.cell.method, e.cell.seed) for e in computed(more)] == [("NSK", 0), ("NSK", 1), ("NSK", 2), ("ASKL", 2)]
    written = {"n_features": "20", "epochs": 2.0, "frequency_scale": "auto", "learning_rate": "auto"}
    assert (
        computed(compare(small(("SK",), 2, options=written), backend="here", store=store)) == []
    )  # only written otherwise


def test_one_method_failing_on_one_split_leaves_the_rest(store, monkeypatch):
    original = replicates.start

    def fail(method, data, seed, *rest, **named):
        if (method.name, seed) == ("ASKL", 1):
            raise TrainingError("this one must fail")
        return original(method, data, seed, *rest, **named)

    monkeypatch.setattr(replicates, "start", fail)
    records = done(small(), store)
    assert [r.status for r in records] == ["done", "done", "done", "failed", "done", "done"]
    assert records[3].message == "this one must fail."
    monkeypatch.undo()
    assert done(small(), store)[3].status == "failed"  # known, unless asked
    again = list(compare(small(), backend="here", store=store, retry=True))
    assert [e.cell.seed for e in computed(again)] == [1]
    assert again[-1].records[3].status == "done"


def test_two_at_once_share_the_work(store, processes):
    """Another process computes the same comparison: each cell is computed once, and both have them all."""
    asked = small(repeats=12)
    here, there = processes.Pipe()
    other = processes.Process(target=elsewhere, args=(asked, store, there))
    other.start()
    assert here.recv() == "Planned"
    events = compare(asked, backend="here", store=store)
    mine = [next(events), next(events)]
    here.send("go")
    mine += events
    theirs, complete, records = here.recv()
    other.join(PATIENCE)
    ours = sum(not e.elsewhere for e in computed(mine))
    assert ours + theirs == 24
    assert min(ours, theirs) > 1
    assert (complete, records) == (True, 24)
    assert (mine[-1].complete, len(mine[-1].records)) == (True, 24)
    assert not list(store.root.rglob("*.lock"))


def test_a_cell_that_another_process_computes_is_waited_for(store):
    (first, *_), events = plan(small()).cells, []
    claim = store.claim(first.key)

    def finish() -> None:
        store.put(cells_module.run_cell(first))
        claim.release()

    running = compare(small(), backend="here", store=store)
    events += [next(running) for _ in range(6)]  # the plan, and everything but that one
    assert {e.cell.key for e in computed(events)} == {cell.key for cell in plan(small()).cells} - {first.key}
    timer = threading.Timer(0.3, finish)
    timer.start()
    events += running
    assert [e.cell for e in computed(events) if e.elsewhere] == [first]
    assert events[-1].complete


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"methods": ("ASKLL",)}, UnknownNameError, "Did you mean ASKL"),
        ({"options": {"n_feature": 3}}, UnknownNameError, "n_features"),
        ({"options": {"n_features": -1}}, OptionError, "n_features"),
        ({"own": {"SK": {"nothing": 1}}}, UnknownNameError, "nothing"),
        ({"datasets": (DataSpec.build(dataset="irs"),)}, UnknownNameError, "iris"),
        ({"datasets": (DataSpec.build(dataset="iris", test_size=0.001),)}, DataError, "at least one row for each"),
        ({"datasets": (DataSpec.build(dataset="iris", split="source"),)}, DataError, "boundary"),
    ],
)
def test_what_is_impossible_is_refused_before_anything_is_computed(store, changes, error, message):
    with pytest.raises(error, match=message):
        next(compare(replace(small(), **changes), backend="here", store=store))
    assert store.comparisons() == []


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"backend": "slurm"}, "local, dask, here"),
        ({"backend": "dask"}, "address"),
        ({"backend": "local", "address": "tcp://127.0.0.1:8786"}, "address"),
        ({"backend": "local", "workers": 0}, "at least 1"),
    ],
)
def test_backends_that_make_no_sense_are_refused(store, how, message):
    with pytest.raises(OptionError, match=message):
        next(compare(small(), store=store, **how))


def test_options_go_to_the_methods_that_have_them(store):
    asked = small(("SK", "SVC-rbf", "boosting"), options={"epochs": 3, "C": 2.0}, own={"SK": {"n_features": 9}})
    options = {cell.method: dict(cell.options) for cell in plan(asked).cells}
    assert options["SK"] == {"epochs": 3, "n_features": 9}
    assert options["SVC-rbf"] == {"C": 2.0}
    assert options["boosting"] == {}


def test_options_of_every_part_that_the_comparison_chooses_are_taken(store):
    """``train`` and ``compare`` take the same options: the ridge of an objective, too, that is chosen beside it."""
    options = {"objective": "discriminant", "rho": 1, "frobenius": 0, "head": "ridge", "n_features": 5,
               "batch_size": 20, "epochs": 2}  # fmt: skip
    asked = small(("SKL",), 1, options=options)
    (cell,) = plan(asked).cells
    assert dict(cell.options)["rho"] == 1
    (record,) = done(asked, store)
    assert record.status == "done", record.message


# -- in the background --------------------------------------------------------------------------------------------


def test_a_comparison_in_the_background(store):
    manager = Comparisons(store)
    id = manager.start(small(), backend="here", name="mine")
    assert manager.start(small(), backend="here") == id
    last = manager.wait(id, PATIENCE)
    assert (last.status, last.total, len(last.records), last.error, last.live) == ("finished", 6, 6, "", False)
    assert [record.cell["seed"] for record in last.records] == [0, 0, 1, 1, 2, 2]
    assert manager.running() == []
    elsewhere = Comparisons(store).snapshot(id)
    assert (elsewhere.status, elsewhere.records) == ("finished", last.records)
    assert store.comparison(id).name == "mine"


def test_cancelled_between_cells_and_started_again(store):
    manager, reached, go = Comparisons(store), threading.Event(), threading.Event()

    def halting(cells, datasets):
        for number, cell in enumerate(cells):
            if number == 2:
                reached.set()
                go.wait(PATIENCE)
            yield cells_module.run_cell(cell, dataset=datasets[cell.fingerprint])

    id = manager.start(small(), backend=halting)
    assert reached.wait(PATIENCE)
    under_way = manager.snapshot(id)
    assert (under_way.status, len(under_way.records), under_way.total) == ("running", 2, 6)
    assert under_way.remaining > 0
    manager.cancel(id)
    assert manager.snapshot(id).status == "stopping"
    go.set()
    stopped = manager.wait(id, PATIENCE)
    assert (stopped.status, len(stopped.records)) == ("stopped", 3)  # the one under way was finished
    assert Comparisons(store).snapshot(id).status == "stopped"
    manager.start(small(), backend="here")
    assert manager.wait(id, PATIENCE).status == "finished"


def test_what_ends_a_comparison_is_reported(store):
    manager = Comparisons(store)
    id = manager.start(small(options={"n_feature": 1}), backend="here")
    last = manager.wait(id, PATIENCE)
    assert last.status == "failed"
    assert "n_features" in last.error


def test_the_time_that_is_left():
    (a, b, c, d, *_), records = plan(small(repeats=4)).cells, {}  # SK, ASKL, SK, ASKL

    def record(cell, seconds):
        run = cells_module.Record(cell.key, cell.to_dict(), "done", seconds=seconds, tuning_seconds=1.0)
        records[cell.key] = run

    assert remaining((a, b), {}, set(), 3.0) is None
    record(a, 1.0)
    record(b, 3.0)  # 2 + 4 seconds of work took 3 seconds: two at once
    assert remaining((a, b, c, d), records, {a.key, b.key}, 3.0) == pytest.approx(3.0)
    assert remaining((a, b, d), records, {a.key, b.key}, 3.0) == pytest.approx(2.0)
    assert remaining((a, b, c, d), records, {b.key}, 2.0) == pytest.approx(3.0)
    assert remaining((a, b), records, {a.key, b.key}, 3.0) == 0
