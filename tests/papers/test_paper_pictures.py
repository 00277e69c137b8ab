"""Pictures of errors in the papers, and of ours against the printed, keep what all pictures promise."""

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.papers import PAPERS, askl
from kernlab.papers.scale import against_constant, plot_against_constant
from kernlab.papers.tables import printed
from kernlab.pictures.beside import METRICS, plot_beside, plot_measured
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, method_style

SMALL = {"learned": {"steps": 5}, "dual": {"n": 50, "draws": 4}}
PICTURES = {
    **{each.key: lambda each=each: each.make(**SMALL.get(each.key, {}))
       for paper in PAPERS.values() for each in paper.mistakes},
    "beside": lambda: plot_beside(ROWS, "rmse"),
    "measured": lambda: plot_measured(MEASURED, "test_error", "test error"),
}  # fmt: skip


def row(dataset, method, metric, mean, published, *, std=0.1, mark=""):
    return {"dataset": dataset, "method": method, "metric": metric, "mean": mean, "std": std,
            "published_mean": published, "published_std": 0.2, "mark": mark}  # fmt: skip


ROWS = [
    row("abalone", "SK", "rmse", 8.2, 10.09),
    row("abalone", "ASKL", "rmse", 7.7, 7.88, std=None),
    row("cadata", "ASKL", "rmse", 11.4, 46.34, mark="not on the stated scale"),
    row("cadata", "NSK", "rmse", None, 51.47, mark="not on the stated scale"),
    row("segment", "ASKL", "accuracy", 97.0, 95.02),
    row("abalone", "constant", "rmse", 11.5, None),
]
MEASURED = [
    {"example": "shell", "method": "RF", "test_error": 0.33, "published_test_error": 0.355},
    {"example": "shell", "method": "LKRF with bias", "test_error": 0.07, "published_test_error": None},
]


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_keeps_its_promises(name):
    figure = PICTURES[name]()
    layout = keeps_promises(figure, 100_000)
    assert layout.xaxis.title.text
    assert layout.yaxis.title.text
    assert has_values(figure)


def test_what_is_printed_and_what_is_right_differ_in_colour_and_dash():
    for name in ("phases", "learned", "dual", "signs", "tails"):
        lines = {trace.line.color: trace.line.dash for trace in PICTURES[name]().data}
        assert (lines[VERMILLION], lines[BLUE]) == ("dash", "solid")


def test_the_subtitle_says_the_numbers_of_the_picture():
    view = askl.phases()
    text = askl.plot_phases(view).layout.title.subtitle.text
    assert f"exact {view.exact:.3f}" in text
    assert f"{view.independent[-1]:.3f}" in text


def test_points_right_of_the_line_are_the_marked_ones():
    view = against_constant(printed("askl-table2"))
    figure = plot_against_constant(view)
    points = [(t.name, *point) for t in figure.data for point in zip(t.x, t.y, t.customdata, strict=True)]
    drawn = {(method, dataset): (ratio, "stated scale" in text) for method, ratio, dataset, text in points}
    assert all((x > 1) == marked for x, marked in drawn.values())
    assert len(drawn) == len(view) == 20
    assert figure.layout.shapes[0].x0 == 1


def test_ours_stands_over_the_printed_with_the_methods_look():
    figure = plot_beside(ROWS, "rmse")
    points = {(t.name, x, y) for t in figure.data[1:] for x, y in zip(t.x, t.y, strict=True)}
    assert points == {("SK", 10.09, 8.2), ("ASKL", 7.88, 7.7), ("ASKL", 46.34, 11.4)}
    for trace in figure.data[1:]:
        assert (trace.marker.color, trace.marker.symbol) == method_style(trace.name)[::2]
    pale = [trace for trace in figure.data[1:] if trace.opacity < 1]
    assert [trace.x[0] for trace in pale] == [46.34]
    assert not pale[0].error_x.visible
    assert not pale[0].showlegend  # the method is named once
    assert "pale" in figure.layout.title.subtitle.text
    line = figure.data[0]
    assert np.array_equal(line.x, line.y)
    assert line.line.color == GREY


def test_more_is_better_of_accuracy_alone():
    for metric in METRICS:
        rows = [row("x", "SK", metric, 2.0, 3.0)]
        figure = plot_beside(rows, metric)
        side, scale = figure.layout.title.subtitle.text.split()[0], figure.layout.xaxis.type
        assert (side, scale) == (("above", None) if metric == "accuracy" else ("below", "log"))


def test_nothing_to_draw_is_a_sentence():
    figure = plot_beside([row("x", "SK", "mse", None, 3.0)], "mse")
    assert not figure.data
    assert figure.layout.title.subtitle.text == "nothing to draw yet"


def test_what_was_printed_of_a_measurement_stands_beside_it():
    figure = PICTURES["measured"]()
    ours, theirs = figure.data
    assert list(ours.y) == ["shell: RF", "shell: LKRF with bias"]
    assert (list(theirs.x), list(theirs.y)) == ([0.355], ["shell: RF"])
    assert ours.marker.symbol[1] == method_style("LKRF").symbol
