"""What the points of every picture are: rows, frequencies, classes and inputs, by their numbers in the data."""

import numpy as np
import pytest
from waiting import PATIENCE

from kernlab.data import load
from kernlab.jobs import manager
from kernlab.pictures.base import SELECTED, At
from kernlab.pictures.directions import direction, unit
from kernlab.pictures.gallery import PICTURES, seen
from kernlab.pictures.importance import curvature
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.sample import row_numbers, sorted_sample
from kernlab.pictures.spectrum import frequencies_at
from kernlab.spec import RunSpec
from kernlab.ui.previews import Preview

pytestmark = pytest.mark.usefixtures("home")

#: The pictures that show things of each kind; one that is added there has to state them too.
STATED = {
    "row": {
        "function",
        "landmarks_on_data",
        "data",
        "examples",
        "gram",
        "sample",
        "gram_rows",
        "kernel_surface",
        "doubtful_rows",
        "left_out",
        "pulls",
    },
    "frequency": {"joint_density", "frequency_cloud", "frequencies"},
    "class": {"function", "landmarks_on_data", "data", "sample", "kernel_surface", "balance"},
    "input": {"input_importance", "pixel_importance", "frame_by_input"},
}
SMALL = {"n_features": 12, "epochs": 1, "validation": 0, "order": 3}
CASES = {
    "digits": ("ASKL", "digits", {}), "moons": ("ASKL", "moons", {"n_samples": 90}),
    "landmarks": ("NysDI", "iris", {}), "frequencies": ("SKL", "iris", {}), "frame": ("FKS-Fourier", "diabetes", {}),
    "curve": ("SKL", "chirp", {"n_samples": 90}), "again": ("SK", "iris", {"seed": 3}),
}  # fmt: skip
RUNS = {}


def spec(case):
    method, dataset, more = CASES[case]
    seed = more.get("seed", 0)
    known = RunSpec.of(method, dataset).schema()
    options = {key: value for key, value in {**SMALL, **more}.items() if key in known and key != "seed"}
    return RunSpec.of(method, dataset, seed=seed, **options)


def at(case, **view):
    """A run of the case, seen with these switches."""
    if case not in RUNS:
        RUNS[case] = manager().trainings.submit(spec(case))
        assert manager().trainings.wait(RUNS[case], PATIENCE).status == "finished"
    found = RecordedRun(manager().trainings.store, RUNS[case])
    found.refresh()
    return seen(found, view)


def begun(case):
    """What the page shows of the case before it is trained."""
    run = Preview(spec(case))
    return At(run, run.moment())


def moments():
    for case in CASES:
        one = at(case)
        numbers = one.sample.numbers[[2, 5]] if one.sample else ()
        yield case, at(case, points=",".join(map(str, numbers)))
        yield case, begun(case)


def traces(key, moment):
    return PICTURES[key].make(moment).data


def fits(key, moment):
    return PICTURES[key].fits(moment) and not (key == "input_importance" and "omega" not in moment.arrays)


def table(moment):
    """The data set, read anew."""
    return load(moment.run.spec.data)


def test_every_picture_states_what_its_points_are_and_nothing_else():
    found = {kind: set() for kind in SELECTED}
    for _, moment in moments():
        for key in PICTURES:
            if not fits(key, moment) or PICTURES[key].over_time:
                continue
            for trace in traces(key, moment):
                for kind, numbers in (trace.meta or {}).items():
                    found[kind].add(key)
                    known(moment, trace, kind, numbers)
    apart = {kind: found[kind] ^ STATED[kind] for kind in found}
    assert not any(apart.values()), apart


def known(moment, trace, kind, numbers):
    """The numbers exist, and there is one for each point, bar, cell or column."""
    count = {"row": table(moment).n, "class": len(moment.class_names), "input": moment.facts["d"]}
    if isinstance(numbers, dict):
        sizes = dict(zip("yx", np.shape(trace.z), strict=True))
        assert all(len(each) == sizes[axis] for axis, each in numbers.items())
        numbers = np.concatenate(list(numbers.values()))
    elif np.ndim(numbers):
        assert len(numbers) == (np.size(trace.z) if trace.type == "heatmap" else len(trace.x))
    if kind == "frequency":
        count["frequency"] = frequencies_at(moment)[0].size
    assert np.min(numbers) >= 0
    assert np.max(numbers) < count[kind], (kind, trace.name)


@pytest.mark.parametrize("key", ["function", "data", "kernel_surface", "sample"])
def test_rows_in_two_inputs_are_the_rows_of_the_data(key):
    moment = begun("moons") if key == "data" else at("moons")
    data = table(moment)
    drawn = [trace for trace in traces(key, moment) if "row" in (trace.meta or {})]
    assert drawn
    for trace in drawn:
        rows = np.asarray(trace.meta["row"])
        np.testing.assert_allclose(np.column_stack([trace.x, trace.y]), data.X[rows], rtol=1e-5)
        assert set(np.asarray(data.y)[rows]) == {trace.meta["class"]}


def test_rows_of_a_projection_and_of_the_matrix_are_the_rows_of_the_data():
    moment = at("digits")
    data = table(moment)
    scaled = moment.static["view_points"]
    numbers = np.concatenate([trace.meta["row"] for trace in traces("function", moment) if trace.meta])
    assert sorted(numbers) == sorted(moment.static["row_numbers"])
    for row, point in zip(moment.static["row_numbers"], scaled, strict=True):
        assert np.corrcoef(data.X[row], point)[0, 1] > 0.6  # standardised, yet of the same digit's pixels
    sample, gram = moment.sample, traces("gram", moment)[0].meta["row"]
    np.testing.assert_array_equal(gram["x"], sample.numbers)
    np.testing.assert_array_equal(np.asarray(data.y)[gram["y"]], sample.targets)
    selected = moment._replace(view={**moment.view, "points": f"{sample.numbers[9]},{sample.numbers[4]},999999"})
    assert selected.points == (9, 4)
    rows = [trace.meta["row"] for trace in traces("gram_rows", selected)]
    assert rows == [sample.numbers[9]] * 2 + [sample.numbers[4]] * 2
    assert f"row {sample.numbers[4]}:" in PICTURES["kernel_surface"].make(selected).layout.title.subtitle.text


def test_the_same_number_is_the_same_row_in_runs_of_other_splits():
    one, other = at("frequencies"), at("again")
    assert one.data == other.data
    data = np.asarray(table(one).X, float)
    for each in (one, other):
        center, scale = data[each.static["row_numbers"]], each.static["view_points"]
        # Standardised columns keep the order of the rows.
        np.testing.assert_array_equal(np.argsort(center[:, 0], kind="stable"), np.argsort(scale[:, 0], kind="stable"))
    assert set(one.static["row_numbers"]) != set(other.static["row_numbers"])
    assert at("moons").data != one.data


def test_frequencies_are_those_of_the_map():
    for case, key in (("digits", "joint_density"), ("frequencies", "frequency_cloud")):
        moment = at(case)
        now = frequencies_at(moment)[0]
        (trace,) = [trace for trace in traces(key, moment) if trace.meta]
        np.testing.assert_allclose(trace.x, unit(direction(moment)) @ now.omega[:, trace.meta["frequency"]], rtol=1e-4)
    moment = at("digits")
    middles = next(trace for trace in traces("frequencies", moment) if trace.meta)
    mosaic, now = np.asarray(traces("frequencies", moment)[0].z), frequencies_at(moment)[0]
    for place, number in enumerate(middles.meta["frequency"]):
        column, row = (int(np.floor(each)) for each in (middles.x[place], middles.y[place]))
        tile = mosaic[row - 3 : row + 5, column - 3 : column + 5]
        np.testing.assert_allclose(tile.ravel(), now.omega[:, number], rtol=1e-5)


def test_inputs_and_classes_are_those_of_the_data():
    moment = at("digits")
    shares = curvature(frequencies_at(moment)[0])
    shares /= shares.sum()
    bars = traces("input_importance", moment)[0]
    np.testing.assert_allclose(bars.x, shares[bars.meta["input"]], rtol=1e-4)
    pixels = traces("pixel_importance", moment)[0]
    np.testing.assert_allclose(np.ravel(pixels.z), (shares * len(shares))[pixels.meta["input"]], rtol=1e-4)
    balance = traces("balance", begun("digits"))[0]
    assert [balance.x[place] for place in range(10)] == [moment.class_names[code] for code in balance.meta["class"]]
    for name, code in ((trace.name, trace.meta["class"]) for trace in traces("function", moment) if trace.meta):
        assert name == moment.class_names[code]


def test_rows_of_a_run_that_keeps_no_numbers_are_numbered_as_its_sample_is_drawn():
    moment = at("frequencies")
    static = {key: value for key, value in moment.static.items() if key != "row_numbers"}
    sample = sorted_sample(static, moment.class_names, rows=12)
    assert sorted_sample(static, moment.class_names).numbers.tolist() == list(range(len(static["view_labels"])))
    assert len(set(row_numbers(static, len(static["view_labels"])))) == len(static["view_labels"])
    assert len(sample.numbers) == 12
