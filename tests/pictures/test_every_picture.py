"""Every registered picture is drawn for every named method that has it, and its frames fit into its layout."""

import json

import numpy as np
import pytest

from kernlab.cli import main
from kernlab.errors import KernlabError, OptionError, UnknownNameError
from kernlab.jobs import manager
from kernlab.methods import METHODS
from kernlab.pictures.base import PICTURES, VIEW, At, picture_for, seen
from kernlab.pictures.film import _plain, cut, figure, frame, layout, over
from kernlab.pictures.recorded import RecordedRun
from kernlab.spec import RunSpec

SMALL = {"n_features": 12, "epochs": 2, "order": 3, "max_turns": 2, "batch_size": 30, "validation": 0}
#: Data of each run: most are of one generated data set, two of pictures and of many inputs.
IMAGES = {"ASKL on digits": ("ASKL", "digits"), "NysDI on digits": ("NysDI", "digits")}
OTHERS = {"FKS on one input": ("FKS-Fourier", "chirp"), "ASKL with phases": ("ASKL", "moons", {"phase": "shared"})}
CASES: dict[str, tuple] = {name: (name, "") for name in METHODS} | IMAGES | OTHERS
RUNS: dict[str, str] = {}


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNLAB_HOME", str(tmp_path_factory.mktemp("pictures")))
        patch.delenv("KERNLAB_DATA", raising=False)
        yield
        manager().shutdown()


def spec(method, dataset, more=None):
    known = METHODS[method].schema()
    options = {key: value for key, value in SMALL.items() if key in known} | (more or {})
    for name, rows in ((dataset, {}),) if dataset else (("moons", {"n_samples": 60}), ("chirp", {"n_samples": 60})):
        try:
            found = RunSpec.of(method, name, **rows, **options)
            found.method.check("regression" if name == "chirp" else "classification")
            return found
        except KernlabError:
            continue
    raise AssertionError(f"no data set for {method}")


def run(case):
    """The finished run of a case; there is one of each."""
    if case not in RUNS:
        RUNS[case] = manager().trainings.submit(spec(*CASES[case]))
        assert manager().trainings.wait(RUNS[case], 600).status == "finished", (
            manager().trainings.snapshot(RUNS[case]).error
        )
    found = RecordedRun(manager().trainings.store, RUNS[case])
    found.refresh()
    return found


def fixed_later(path):
    """Limits that a layout fixes over the run, so that they need not be those of one moment."""
    return path.split(".")[-1] in {"zmin", "zmax", "cmin", "cmax", "start", "end", "size"}


def same(one, other, path=""):
    """Whether two traces are alike but for limits and the order of their keys."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one:
            same(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list | tuple | np.ndarray) and np.asarray(one).dtype.kind in "fiu":
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other), err_msg=path)
    elif not fixed_later(path):
        assert str(one) == str(other), path


@pytest.mark.parametrize("case", CASES)
def test_every_picture_of_a_method(case):
    recorded = run(case)
    last = float(recorded.snapshots.epochs[-1])
    views = [VIEW, {**VIEW, "at": last / 2, "reference": 0.0, "points": "1,5", "frequencies": "0,2"}]
    for view in views:
        reference = None if view["reference"] is None else recorded.moment(view["reference"])
        at = At(recorded, recorded.moment(view["at"]), view, reference)
        drawn = [each for each in PICTURES.values() if each.fits(at)]
        assert {"function"} <= {each.key for each in drawn}
        for picture in drawn:
            plain = _plain(picture.make(at))
            assert plain["data"], picture.key
            assert picture.alt
            if picture.note:
                assert all(picture.note(at))
            if view is VIEW:  # drawing is enough of the newest moment
                continue
            again = _plain(figure(layout(picture, recorded, view), frame(picture, at)))
            assert len(again["data"]) == len(plain["data"])
            for one, other in zip(plain["data"], again["data"], strict=True):
                same(one, other, picture.key)


def test_every_picture_belongs_to_some_method():
    found = set()
    for case in CASES:
        for view in ({}, {"points": "1,5", "frequencies": "0,2", "reference": "0"}):
            at = seen(run(case), view)
            found |= {each.key for each in PICTURES.values() if each.fits(at)}
    assert found == set(PICTURES)


def test_axes_hold_every_snapshot():
    recorded = run("ASKL")
    for key in ("density", "lengths", "eigenvalues", "function"):
        fixed = layout(PICTURES[key], recorded)
        for epoch in recorded.snapshots.epochs:
            drawn = _plain(PICTURES[key].make(At(recorded, recorded.moment(float(epoch)))))
            for letter in "xy":
                low, high = sorted(fixed.layout[f"{letter}axis"]["range"])
                for trace in drawn["data"]:
                    values = np.asarray(trace[letter], float)
                    values = np.log10(values) if fixed.layout[f"{letter}axis"].get("type") == "log" else values
                    assert low <= np.nanmin(values)
                    assert np.nanmax(values) <= high


def test_a_layout_is_the_union_and_a_frame_has_arrays_and_words_alone():
    def drawn(y, rank):
        trace = {
            "type": "scatter",
            "x": [0, 1],
            "y": y,
            "name": f"rank {rank}",
            "marker": {"color": "red", "size": [1, 2]},
        }
        return {"data": [trace], "layout": {"title": {"text": str(rank)}, "yaxis": {"rangemode": "tozero"}}}

    figures = [drawn([1.0, 10.0], 3), drawn([2.0, 4.0], 12)]
    fixed, shot = over(figures), cut(figures[0])
    assert list(fixed.traces) == list(shot.traces)
    ((_, look),) = fixed.traces.items()
    ((_, shown),) = shot.traces.items()
    assert look == {"type": "scatter", "marker.color": "red"}
    assert shown == {"x": [0, 1], "y": [1.0, 10.0], "name": "rank 3", "marker.size": [1, 2]}
    assert fixed.layout["yaxis"]["range"] == pytest.approx([0, 10.5])
    assert "title" not in fixed.layout
    assert shot.layout == {"title": {"text": "3"}}


def test_stacked_areas_and_bars_are_inside_their_axes():
    areas = [{"type": "scatter", "x": [0, 1], "y": [3, 4], "stackgroup": "a"}] * 2
    assert over([{"data": areas, "layout": {}}]).layout["yaxis"]["range"][1] > 8
    bars = [{"type": "bar", "orientation": "h", "y": ["a", "b"], "x": [3, 4]}] * 2
    assert over([{"data": bars, "layout": {"barmode": "stack"}}]).layout["xaxis"]["range"][1] >= 8
    assert "yaxis" not in over([{"data": bars, "layout": {}}]).layout


def test_a_run_is_seen_by_texts():
    at = seen(run("ASKL"), {"look": "principal direction 2", "at": "0", "surface": "true", "output": "0"})
    assert at.moment.step == 0
    assert (at.view["surface"], at.view["look"]) == (True, "principal direction 2")
    assert seen(run("ASKL")).moment.latest
    for settings, words in (
        ({"loook": "x"}, "look"), ({"look": "principal directon 2"}, "principal direction 2"),
        ({"order": "longst"}, "longest"), ({"matrix": "featurs"}, "features"),
    ):  # fmt: skip
        with pytest.raises(UnknownNameError, match=words):
            seen(run("ASKL"), settings)
    for settings in ({"surface": "perhaps"}, {"at": "soon"}, {"output": "1.5"}, {"at": "-1"}):
        with pytest.raises(OptionError):
            seen(run("ASKL"), settings)
    with pytest.raises(UnknownNameError, match="density"):
        picture_for("densty", at)
    with pytest.raises(UnknownNameError, match="needs"):
        picture_for("kernel_weights", at)


def command(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["runs", "figure", *map(str, arguments)])
    return ended.value.code


def test_figures_are_written_by_the_command_line(tmp_path, capsys):
    run_id = run("ASKL").id
    assert command(run_id, "density", "--out", tmp_path / "density.json", "--set", "look=principal direction 2") == 0
    drawn = json.loads((tmp_path / "density.json").read_text("utf-8"))
    assert "principal direction 2" in drawn["layout"]["title"]["subtitle"]["text"]
    assert command(run_id, "density", "--out", tmp_path / "density.html") == 0
    page = (tmp_path / "density.html").read_text("utf-8")
    assert "Plotly.newPlot" in page
    assert '<script src="' not in page  # it needs no network
    capsys.readouterr()
    assert command(run_id, "--all", "--format", "json", "--at", 1, "--out", tmp_path / "all", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["epoch"] <= 1
    assert {f"{key}.json" for key in document["files"]} == {path.name for path in (tmp_path / "all").iterdir()}
    assert {"density", "joint_density", "gram", "bound_now"} <= document["files"].keys()
    assert command(run_id, "--json") == 0
    assert {row["picture"] for row in json.loads(capsys.readouterr().out)} == document["files"].keys()


def test_mistakes_at_the_command_line_are_sentences(tmp_path, capsys, monkeypatch):
    run_id = run("ASKL").id
    monkeypatch.setattr("kernlab.pictures.files.find_spec", lambda name: None)
    for arguments, words in (
        ((run_id, "densty"), "density"),
        ((run_id, "density", "--set", "lok=x"), "look"),
        ((run_id, "density", "--set", "look"), "SWITCH=VALUE"),
        ((run_id, "density", "--all"), "--all"),
        ((run_id, "density", "--out", tmp_path / "a.bmp"), ".html"),
        ((run_id, "density", "--out", tmp_path / "a.svg"), "pip install 'kernlab[figures]'"),
    ):
        assert command(*arguments) == 2
        assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
