"""Every registered picture is drawn for every named method that has it, and its frames fit into its layout."""

import csv
import importlib
import json
import re
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pytest
from charts import faults, titles
from drawn import decoded, keeps_promises
from serving import ROOT
from waiting import PATIENCE

from kernlab.cli import main
from kernlab.errors import KernlabError, OptionError, UnknownNameError
from kernlab.jobs import manager
from kernlab.methods import METHODS
from kernlab.pictures import base, film, frames, gallery
from kernlab.pictures.base import VIEW, At
from kernlab.pictures.files import rows as table_of
from kernlab.pictures.files import save
from kernlab.pictures.film import _plain, cut, figure, frame, layout, over
from kernlab.pictures.frames import to_json
from kernlab.pictures.gallery import PICTURES, picture_for, seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.spec import RunSpec
from kernlab.ui.glossary import found

pytestmark = pytest.mark.usefixtures("home")

SMALL = {"n_features": 12, "epochs": 2, "order": 3, "max_turns": 2, "batch_size": 30, "validation": 0}
#: Data of each run: most are of one generated data set, two of pictures and of many inputs.
IMAGES = {"ASKL on digits": ("ASKL", "digits"), "NysDI on digits": ("NysDI", "digits")}
OTHERS = {
    "FKS on one input": ("FKS-Fourier", "chirp"),
    "ASKL with phases": ("ASKL", "moons", {"phase": "shared"}),
    "ASKL with held-out rows": ("ASKL", "moons", {"validation": 0.3}),
    "FKS that shrinks": ("FKS-wavelet", "chirp", {"n_samples": 60, "g": 1e-8}),
    "A-la-carte with more features than regression takes": ("A-la-carte", "moons", {"n_features": 1400}),
    "LKRF that drops features": ("LKRF", "moons", {"n_features": 400}),
}
CASES: dict[str, tuple] = {name: (name, "") for name in METHODS} | IMAGES | OTHERS
RUNS: dict[str, str] = {}


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


def look(drawn):
    """What a layout says apart from the ends of its axes, and from margins, which make room for every moment."""
    leaves = dict(film._leaves(drawn["layout"]))
    return {path: str(value) for path, value in leaves.items() if not re.search(r"range$|^margin", path)}


@pytest.mark.parametrize("case", CASES)
def test_every_picture_of_a_method(case, monkeypatch):
    monkeypatch.setattr(film, "SAMPLED", 2)  # drawing is what this test costs
    recorded = run(case)
    last = float(recorded.snapshots.epochs[-1])
    views = [VIEW, {**VIEW, "at": last / 2, "reference": 0.0, "points": "1,5", "frequencies": "0,2"}]
    for view in views:
        reference = None if view["reference"] is None else recorded.moment(view["reference"])
        at = At(recorded, recorded.moment(view["at"]), view, reference)
        drawn = [each for each in PICTURES.values() if each.fits(at)]
        assert {"function"} <= {each.key for each in drawn}
        for picture in drawn:
            made = picture.make(at)
            # A matrix of 240 rows is 230 kB of numbers; no other picture comes near it.
            keeps_promises(made, 400_000 if made.data[0].type == "heatmap" else 200_000)
            plain = _plain(made)
            assert plain["data"], picture.key
            assert picture.alt
            if picture.note:
                assert all(picture.note(at))
            own = over([plain])
            for key, limits in film._limits(plain).items():
                assert limits.items() <= own.traces[key].items()
            for axis, (lowest, highest) in film._reach(plain).items():
                seen_as = own.layout["scene"]["zaxis"] if axis == "scene" else own.layout[axis]
                low, high = sorted(seen_as["range"])
                assert low <= lowest <= highest <= high, (picture.key, axis)
            if view is VIEW:  # drawing is enough of the newest moment
                continue
            again = _plain(figure(layout(picture, recorded, view), cut(plain)))
            assert len(again["data"]) == len(plain["data"])
            for one, other in zip(plain["data"], again["data"], strict=True):
                same(one, other, picture.key)
            assert look(again) == look(plain), picture.key


@pytest.mark.parametrize("case", ["ASKL", "LKRF", "NysDI on digits", "A-la-carte", "FKS-Fourier", "MKL", "SVC-rbf"])
def test_a_moment_is_compared_with_itself_as_with_every_other(case):
    recorded = run(case)
    wanted = {"reference": "0.0", "matrix": "change"}
    newest = gallery.seen(recorded, wanted)
    for key in (each.key for each in PICTURES.values() if not each.over_time and each.fits(newest)):
        ends = recorded.snapshots.steps[[0, -1]].tolist()
        shots = [json.loads(frames.frame(recorded, key, wanted, step)) for step in ends]
        if key in ("eigenvalue_change", "decay", "kernel_profile", "gram", "alignment"):
            assert shots[0]["traces"].keys() == shots[-1]["traces"].keys(), key
    change = json.loads(frames.frame(recorded, "eigenvalue_change", wanted, 0))
    (ratios,) = (trace["y"] for trace in change["traces"].values())
    assert set(decoded(ratios).tolist()) == {1.0}


def test_a_frame_says_how_far_its_numbers_reach_where_that_is_beyond_the_axes_of_earlier_ones():
    recorded = run("ASKL")
    at = At(recorded, recorded.moment(None))
    shot, early = frame(PICTURES["density"], at), layout(PICTURES["density"], recorded, of=1).layout
    for letter in "xy":
        shown = np.concatenate([np.asarray(each[letter], float) for each in shot.traces.values() if letter in each])
        assert shot.reach[f"{letter}axis"] == pytest.approx([shown.min(), shown.max()], abs=1e-5)
    assert shot.reach["xaxis"][1] > early["xaxis"]["range"][1]


def test_a_frame_says_the_limits_of_its_colours_where_these_are_beyond_those_of_earlier_ones():
    recorded = run("ASKL")
    at = At(recorded, recorded.moment(None))
    shot, early = frame(PICTURES["gram"], at), layout(PICTURES["gram"], recorded, of=1).traces
    ((key, limits),) = shot.limits.items()
    assert limits["zmin"] <= np.min(shot.traces[key]["z"]) < early[key]["zmin"]
    assert frame(PICTURES["density"], at).limits == {}


COMPARED = {"points": "1,5", "frequencies": "0,2", "reference": "0"}


def one_of_each():
    """Every registered picture with a moment of some run that has it."""
    found = {}
    for case in CASES:
        for view in ({}, COMPARED):
            at = seen(run(case), view)
            found |= {each.key: (each, at) for each in PICTURES.values() if each.key not in found and each.fits(at)}
    return found


def test_every_picture_belongs_to_some_method():
    assert one_of_each().keys() == set(PICTURES)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_browser_assembles_the_figure_of_every_picture_as_python_does(tmp_path):
    parts, drawn = {}, {}
    for key, (each, at) in one_of_each().items():
        parts[key] = layout(each, at.run, at.view), frame(each, at)
        drawn[key] = figure(*parts[key]).to_dict()
    recorded = run("FKS that shrinks")
    start = At(recorded, recorded.moment(0.0))
    for key in ("gram", "frame_along", "random_functions"):
        parts[f"start of {key}"] = layout(PICTURES[key], recorded), frame(PICTURES[key], start)
        drawn[f"start of {key}"] = figure(*parts[f"start of {key}"]).to_dict()
    file = tmp_path / "parts.json"
    file.write_bytes(to_json({key: [part._asdict() for part in each] for key, each in parts.items()}))
    script = (
        f"import {{ figure }} from '{(ROOT / 'kernlab/ui/film/figure.mjs').as_uri()}';"
        f"import {{ readFileSync }} from 'node:fs'; const parts = JSON.parse(readFileSync({json.dumps(str(file))}));"
        "const out = {}; for (const [key, [layout, frame]] of Object.entries(parts)) out[key] = figure(layout, frame);"
        "process.stdout.write(JSON.stringify(out, (_, each) => (ArrayBuffer.isView(each) ? Array.from(each) : each)));"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assembled = json.loads(done.stdout)
    assert assembled.keys() == drawn.keys() > set(PICTURES)
    for key, expected in drawn.items():
        alike(assembled[key]["data"], expected["data"], key)
        rest = {name: value for name, value in expected["layout"].items() if name != "template"}
        alike({name: assembled[key]["layout"][name] for name in rest}, rest, key)


def alike(one, other, where):
    """Figures as plain JSON with the same contents; arrays agree in single precision."""
    one, other = (decoded(each) if isinstance(each, dict) and "bdata" in each else each for each in (one, other))
    if isinstance(other, dict):
        assert one.keys() == other.keys(), where
        for key in other:
            alike(one[key], other[key], f"{where}.{key}")
    elif isinstance(other, list | tuple | np.ndarray):
        assert len(one) == len(other), where
        if all(isinstance(each, int | float | np.number) for each in other):
            np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), rtol=1e-6, err_msg=where)
        else:
            for place, (a, b) in enumerate(zip(one, other, strict=True)):
                alike(a, b, f"{where}[{place}]")
    elif isinstance(other, float):
        assert one == pytest.approx(other, rel=1e-6, nan_ok=True), where
    else:
        assert one == other, where


#: Width and height of a picture on a phone, and of those in the rows of the Train page's first screen.
SIZES = {"phone": (360, None), "first screen": (440, 290)}


@pytest.mark.browser
@pytest.mark.parametrize("size", SIZES)
def test_no_words_of_a_picture_lie_over_others(size, new_page):
    width, low = SIZES[size]
    shown, chosen = [], seen(run("ASKL with held-out rows"))  # whose curves have labels above them
    labelled = {f"{key} with labels": (PICTURES[key], chosen) for key in ("objective", "metric", "bound_history")}
    for key, (each, at) in (one_of_each() | labelled).items():
        if low is None or "overview" in each.views:
            drawn = figure(layout(each, at.run, at.view), frame(each, at)).to_dict()
            shown.append((key, to_json(drawn).decode(), low or each.height))
    page = new_page(width, 900)
    assert faults(page, shown, width) == []
    assert len(set(titles(page))) == 1  # of pictures in a row they stand at one height


def test_pictures_have_the_order_of_the_pages_whichever_files_were_imported_first():
    keys = list(PICTURES)
    assert next(key for key in keys if "overview" in PICTURES[key].views) == "function"
    for key in sorted(keys, key=lambda key: key != "phase_distances"):  # its file comes first
        PICTURES[key] = PICTURES.pop(key)
    assert next(iter(PICTURES)) == "phase_distances"
    assert list(importlib.reload(gallery).PICTURES) == keys


def test_two_pictures_of_one_name_are_refused():
    def draw_density(at): ...

    with pytest.raises(ValueError, match="two pictures are called density"):
        base.picture("overview", alt="")(draw_density)


def test_results_are_computed_once_and_bounded(monkeypatch):
    monkeypatch.setattr(base, "_KEPT", 2)
    monkeypatch.setattr(base, "_computed", base.OrderedDict())
    made = []

    def result(run, key, output=0):
        at = SimpleNamespace(run=SimpleNamespace(id=run), view={"output": output})
        return base.once(at, (key,), lambda: made.append((run, key, output)) or len(made))

    assert [result("a", 0), result("a", 0), result("b", 0)] == [1, 1, 2]
    assert result("a", 0) == 1  # and is now the newest
    assert result("a", 1) == 3  # pushes b out
    assert [result("a", 0), result("b", 0)] == [1, 4]
    assert result("b", 0, output=1) == 5
    assert len(base._computed) == 2


def test_axes_hold_every_snapshot():
    recorded = run("ASKL")
    for key in ("density", "lengths", "eigenvalues", "function"):
        fixed = layout(PICTURES[key], recorded)
        for epoch in recorded.snapshots.epochs:
            at = At(recorded, recorded.moment(float(epoch)))
            drawn = _plain(figure(fixed, frame(PICTURES[key], at)))
            for letter in "xy":
                low, high = sorted(fixed.layout[f"{letter}axis"]["range"])
                for trace in drawn["data"]:
                    values = np.asarray(trace[letter], float)
                    values = np.log10(values) if fixed.layout[f"{letter}axis"].get("type") == "log" else values
                    assert low <= np.nanmin(values)
                    assert np.nanmax(values) <= high


def test_the_start_of_a_solver_hides_no_solution_of_another_size():
    recorded = run("FKS that shrinks")
    start, end = (At(recorded, recorded.moment(epoch)) for epoch in (0.0, None))
    for key in ("gram", "kernel_profile", "random_functions", "diagonal", "frame_along"):
        picture = PICTURES[key]
        fixed = layout(picture, recorded)
        before, after = (figure(fixed, frame(picture, at)) for at in (start, end))
        own, solved = _plain(picture.make(start)), _plain(picture.make(end))
        assert before.data[0].to_plotly_json().keys() == own["data"][0].keys()
        if key == "gram":
            assert after.data[0].zmax == solved["data"][0]["zmax"] < own["data"][0]["zmax"] / 10
            assert (before.data[0].zmin, before.data[0].zmax) == (own["data"][0]["zmin"], own["data"][0]["zmax"])
            continue
        for axis in ("xaxis", "yaxis"):
            for drawn, plain in ((before, own), (after, solved)):
                low, high = sorted(drawn.layout[axis].range)
                assert low <= film._reach(plain)[axis][0] <= film._reach(plain)[axis][1] <= high, (key, axis)
        sized = "xaxis" if key == "diagonal" else "yaxis"
        assert np.ptp(after.layout[sized].range) < np.ptp(before.layout[sized].range) / 10, key


def test_the_start_of_a_solver_shares_the_axes_where_its_size_is_alike():
    recorded = run("LKRF")
    fixed = layout(PICTURES["density"], recorded)
    before, after = (figure(fixed, frame(PICTURES["density"], At(recorded, recorded.moment(at)))) for at in (0.0, None))
    for letter in "xy":
        assert before.layout[f"{letter}axis"].range == after.layout[f"{letter}axis"].range


@pytest.mark.parametrize("reference", [0.0, None])
@pytest.mark.parametrize("case", ["ASKL on digits", "NysDI on digits", "RFDI"])
def test_a_change_from_a_moment_to_itself_sets_no_scale_for_the_others(case, reference):
    recorded = run(case)
    compared = recorded.moment(reference)
    for key, matrix in (("joint_density", "features"), ("gram", "change"), ("landmark_changes", "features")):
        view = {**VIEW, "reference": compared.epoch, "matrix": matrix}
        ends = [At(recorded, recorded.moment(at), view, compared) for at in (0.0, None)]
        if not all(PICTURES[key].fits(at) for at in ends):
            continue
        moved = [np.nanmax(np.abs(PICTURES[key].make(at).data[0].z)) for at in ends]
        fixed = layout(PICTURES[key], recorded, view)
        look = fixed.traces[next(film._identified(_plain(PICTURES[key].make(ends[-1]))))[0]]
        assert 0 < look["zmax"] <= max(moved) * 1.2, key
        assert look["zmin"] == -look["zmax"], key
    for key in ("density", "lengths", "line_profile"):
        view = {**VIEW, "reference": compared.epoch}
        every = [At(recorded, recorded.moment(float(at)), view, compared) for at in recorded.snapshots.epochs]
        if not all(PICTURES[key].fits(at) for at in every):
            continue
        heights = np.concatenate([trace.y for at in every for trace in PICTURES[key].make(at).data])
        low, high = layout(PICTURES[key], recorded, view).layout["yaxis"]["range"]
        assert 0 < high - low <= np.ptp(heights) * 1.2, key


def test_a_layout_is_the_union_and_a_frame_has_arrays_and_words_alone():
    def drawn(y, rank):
        trace = {
            "type": "scatter",
            "x": [0, 1],
            "y": y,
            "name": f"rank {rank}",
            "marker": {"color": "red", "size": [1, 2]},
        }
        look = {"title": {"text": str(rank)}, "yaxis": {"rangemode": "tozero"}, "margin": {"t": 100 - rank, "r": rank}}
        return {"data": [trace], "layout": look}

    figures = [drawn([1.0, 10.0], 3), drawn([2.0, 4.0], 12)]
    fixed, shot = over(figures), cut(figures[0])
    assert list(fixed.traces) == list(shot.traces)
    ((_, look),) = fixed.traces.items()
    ((_, shown),) = shot.traces.items()
    assert look == {"type": "scatter", "marker.color": "red"}
    assert shown == {"x": [0, 1], "y": [1.0, 10.0], "name": "rank 3", "marker.size": [1, 2]}
    assert fixed.layout["yaxis"]["range"] == pytest.approx([0, 10.5])
    assert fixed.layout["margin"] == {"t": 97, "r": 12}
    assert "title" not in fixed.layout
    assert shot.layout == {"title": {"text": "3"}}


def test_stacked_areas_and_bars_are_inside_their_axes():
    areas = [{"type": "scatter", "x": [0, 1], "y": [3, 4], "stackgroup": "a"}] * 2
    assert over([{"data": areas, "layout": {}}]).layout["yaxis"]["range"][1] > 8
    bars = [{"type": "bar", "orientation": "h", "y": ["a", "b"], "x": [3, 4]}] * 2
    assert over([{"data": bars, "layout": {"barmode": "stack"}}]).layout["xaxis"]["range"][1] >= 8
    assert "yaxis" not in over([{"data": bars, "layout": {}}]).layout


def test_an_axis_holds_what_it_is_asked_to_include():
    line = {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [3, 4]}
    axis = {"autorangeoptions": {"include": [5]}}
    assert over([{"data": [line], "layout": {"xaxis": axis}}]).layout["xaxis"]["range"] == [0, 5]
    assert over([{"data": [line | {"x": [0, 9]}], "layout": {"xaxis": axis}}]).layout["xaxis"]["range"] == [0, 9]


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


def test_a_table_has_a_row_for_each_point_and_cell(tmp_path):
    drawn = go.Figure([
        go.Scatter(name="curve", x=[0.5, 1.0], y=[2.0, 3.0]), go.Heatmap(name="cells", z=[[1, 2], [3, 4]], x=["a", "b"])
    ])  # fmt: skip
    assert [tuple(row.values()) for row in table_of(drawn)] == [
        ("curve", 0.5, 2.0, None), ("curve", 1.0, 3.0, None),
        ("cells", "a", 0, 1), ("cells", "b", 0, 2), ("cells", "a", 1, 3), ("cells", "b", 1, 4),
    ]  # fmt: skip
    assert command(run("ASKL").id, "density", "--out", tmp_path / "density.csv") == 0
    with (tmp_path / "density.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    density = PICTURES["density"].make(seen(run("ASKL")))
    assert table[0].keys() == {"trace", "x", "y", "z"}
    assert [row["trace"] for row in table] == [trace.name for trace in density.data for _ in trace.x]
    assert [float(row["y"]) for row in table] == pytest.approx([y for trace in density.data for y in trace.y])


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_figure_becomes_an_image(kind, begins, tmp_path):
    pytest.importorskip("kaleido", reason="the extra kernlab[figures] is not installed")
    path = tmp_path / f"figure.{kind}"
    try:
        save(go.Figure([go.Scatter(x=[0, 1], y=[1, 0])]), path)
    except KernlabError as error:
        pytest.skip(str(error))
    assert path.read_bytes().startswith(begins)


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


#: Words of legends, colour bars and axes that need no definition; numbers and formulas of a fitted law are left out.
PLAIN = {
    "as printed", "at step", "at the other moment", "half, % and %", "independent: slope", "now", "polynomial", "ratio",
    "rows", "rows of the data: slope", "this run's features: slope", "weight of the heaviest features", "wrong", "zero",
    "then (step )", "on all rows", "scale -", "scale", "function", "row", "change (scaled)",
    "input (scaled)", "pixel", "class",
    "features, heaviest first", "index i", "index j", "row of the sample, by target", "row, by target", "x", "y",
    "row of the sample, class by class", "row, class by class", "component", "share of points", "k now − then", "",
    "first input", "second input", "points", "the point", "how much", "right (%)", "passes over the data",
    "loss on new points − on known ones", "this model", "the most doubtful", "against it", "along its way",
    "black", "white", "target", "· e i", "· i−",
}  # fmt: skip


def labels(made):
    """What the legend, the colour bars and the axes of a figure are called, without mark-up and numbers."""
    plain = _plain(made)
    bars = [each.get("colorbar", {}) for each in plain["data"]] + [
        each.get("marker", {}).get("colorbar", {}) for each in plain["data"]
    ]
    texts = [str(each.get("name")) for each in plain["data"] if each.get("showlegend") is not False]
    texts += [bar["title"]["text"] for bar in bars if bar.get("title")]
    texts += [plain["layout"].get(f"{axis}axis", {}).get("title", {}).get("text", "") for axis in "xy"]
    return {re.sub(r"<[^>]*>", "", text or "") for text in texts}


def test_every_label_of_a_picture_is_explained_or_plain():
    unknown = {}
    for key, (each, at) in one_of_each().items():
        for text in labels(each.make(at)):
            bare = re.sub(r"\s+", " ", re.sub(r"[−-]?\d[\d.,]*|(?<=slope) −", "", text)).strip()
            if not found(text) and bare not in PLAIN:
                unknown.setdefault(bare, key)
    assert not unknown, "\n".join(unknown)
