"""Pictures of a comparison: the numbers of their NamedTuples, each method's look, and what all pictures promise."""

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.compare import Record
from kernlab.compare.bands import bands
from kernlab.compare.ranks import ranks
from kernlab.compare.summary import summarise
from kernlab.methods import METHODS as NAMED
from kernlab.pictures.comparison import plot_bands, plot_ranks, plot_repeats, plot_speed
from kernlab.pictures.theme import BASELINES, method_style

rng = np.random.default_rng(0)


def records(methods, *, repeats=30, epochs=500, metric="accuracy", dataset="segment"):
    x = np.arange(epochs)
    found = []
    for s in range(repeats):
        for i, method in enumerate(methods):
            curve = {} if method in BASELINES else {"epoch": x, "test_metric": rng.normal(80 + i, 1, epochs)}
            cell = {"method": method, "seed": s, "data": {"dataset": dataset}}
            values = {"metric": metric, "constant": 14.0, "n_train": 80, "n_test": 20, "curve": curve}
            values |= {"seconds": 2.0 + i, "tuning_seconds": 10.0}
            found.append(Record("", cell, "done", test=80 + i + rng.normal(), **values))
    return found


FEW = records(("SK", "ASKL", "svm-rbf", "constant"), repeats=4, epochs=6)
METHODS = [name for name, each in NAMED.items() if each.look]
MANY = records((*METHODS, *BASELINES))
ONE = records(("SK",), repeats=1, epochs=1, metric="rmse")
NONE = []
RANKED = {f"set {i}": {m: 90.0 - j + 3 * rng.normal() for j, m in enumerate(METHODS)} for i in range(12)}


def table(of):
    tables = summarise(of).tables
    return tables[0] if tables else summarise([Record("", FEW[0].cell, "failed", message="no")]).tables[0]


def ranked(of):
    few = list(METHODS)[: {id(FEW): 4, id(MANY): 26, id(ONE): 1}.get(id(of), 0)]
    results = {name: {m: row[m] for m in few} for name, row in RANKED.items() if few}
    return ranks(results, dict.fromkeys(results, "more"))


PICTURES = {
    "bands": lambda of: plot_bands(bands(of, "segment"), constant=True),
    "range": lambda of: plot_bands(bands(of, "segment", spread="range"), log_x=True),
    "repeats": lambda of: plot_repeats(table(of)),
    "speed": lambda of: plot_speed(table(of)),
    "ranks": lambda of: plot_ranks(ranked(of)),
}
KINDS = {"few": FEW, "many": MANY, "one": ONE, "none": NONE}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_keeps_its_promises(name, kind):
    figure = PICTURES[name](KINDS[kind])
    layout = keeps_promises(figure)
    assert layout.xaxis.title.text
    assert layout.yaxis.title.text or name == "ranks"
    assert all(len(trace.x) <= 2000 for trace in figure.data)
    assert kind == "none" or has_values(figure)


def test_bands_are_drawn_as_they_are():
    view = bands(FEW, "segment")
    low, high, mean = plot_bands(view).data[:3]
    band = view.bands[0]
    for trace, values in ((low, band.low), (high, band.high), (mean, band.mean)):
        np.testing.assert_array_equal(trace.x, band.x)
        np.testing.assert_array_equal(trace.y, values)
    assert (high.fill, low.fill) == ("tonexty", None)
    assert [trace.name for trace in (low, high, mean)] == ["SK − std", "SK + std", "SK"]
    assert (mean.line.color, mean.line.dash, mean.marker.symbol) == method_style("SK")
    assert [trace.name for trace in plot_bands(view, constant=True).data][-1] == "constant predictor"
    assert "4 repeats" in plot_bands(view).layout.title.subtitle.text


def test_one_repeat_has_a_line_and_no_band():
    (line,) = plot_bands(bands(ONE, "segment")).data
    assert line.name == "SK"
    assert plot_bands(bands(ONE, "segment")).layout.title.subtitle.text == "one repeat"


def test_every_repeat_is_a_point_and_the_mean_a_line():
    found = table(FEW)
    *strips, mean = plot_repeats(found).data
    rows = [row for row in found.rows if row.method != "constant"]
    for place, (strip, row) in enumerate(zip(strips, rows, strict=True)):
        assert tuple(strip.x) == row.values
        assert tuple(strip.customdata) == found.splits
        assert all(abs(y - place) <= 0.25 for y in strip.y)
        assert len(set(strip.y)) == len(strip.y)
    assert tuple(mean.x) == tuple(row.mean for row in rows)
    assert "constant predictor: 14" in plot_repeats(found).layout.title.subtitle.text


def test_speed_against_accuracy():
    first, *_, last = plot_speed(table(FEW)).data
    row = table(FEW).rows[0]
    assert (first.name, first.x[0], first.y[0], first.error_y.array[0]) == ("SK", 2.0, row.mean, row.std)
    assert (last.name, last.marker.symbol) == ("svm-rbf", BASELINES["svm-rbf"].symbol)
    assert plot_speed(table(FEW), tuning=True).data[0].x[0] == 12.0
    assert plot_speed(table(FEW)).layout.title.subtitle.text.startswith("upper left")
    assert plot_speed(table(ONE)).layout.title.subtitle.text.startswith("lower left")


def test_the_critical_difference_diagram():
    view = ranked(FEW)
    figure = plot_ranks(view)
    lines = {trace.name: trace for trace in figure.data}
    for name, rank in zip(view.methods, view.average, strict=True):
        assert lines[name].x[:2] == (rank, rank)
    cd = next(trace for name, trace in lines.items() if name.startswith("critical"))
    assert cd.x[1] - cd.x[0] == pytest.approx(view.critical)
    bars = [trace for name, trace in lines.items() if name.startswith("not significantly")]
    assert [bar.name.split(": ")[1] for bar in bars] == [", ".join(clique) for clique in view.cliques]
    rank = dict(zip(view.methods, view.average, strict=True))
    for bar, clique in zip(bars, view.cliques, strict=True):
        assert min(bar.x) < rank[clique[0]]
        assert rank[clique[-1]] < max(bar.x)


@pytest.mark.parametrize("of", [FEW, MANY])
def test_lines_to_the_names_never_cross(of):
    view = ranked(of)
    lines = {trace.name: trace for trace in plot_ranks(view).data if trace.name in view.methods}
    assert len({(line.y[1], line.x[2]) for line in lines.values()}) == len(view.methods)
    for one in lines.values():
        for other in lines.values():
            through = min(one.x[1:]) < other.x[0] < max(one.x[1:])  # other's upright meets one's level …
            assert one is other or not (through and one.y[1] < other.y[1])  # … only where it ends above it
