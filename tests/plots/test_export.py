import csv
import io

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
import pytest

from kernlab.plots.export import to_csv


def read(text):
    return list(csv.reader(io.StringIO(text)))


def test_curves_and_bars_have_one_row_a_point():
    figure = go.Figure([go.Scatter(x=[1, 2], y=[3.5, 4], name="loss, raw"), go.Bar(x=[7], y=["paper"])])
    assert read(to_csv(figure)) == [
        ["trace", "x", "y", "z"],
        ["loss, raw", "1", "3.5", ""],
        ["loss, raw", "2", "4.0", ""],
        ["bar", "7", "paper", ""],
    ]


def test_heatmaps_have_one_row_a_cell_without_gaps():
    figure = go.Figure(go.Heatmap(x=[10, 20], y=[1, 2], z=np.array([[5, np.nan], [7, 8]], np.float32), name="k"))
    assert read(to_csv(figure))[1:] == [["k", "10", "1", "5.0"], ["k", "10", "2", "7.0"], ["k", "20", "2", "8.0"]]


def test_a_heatmap_without_axes_counts_its_cells():
    assert read(to_csv(go.Figure(go.Heatmap(z=[[1, 2]], name="k"))))[1:] == [["k", "0", "0", "1"], ["k", "1", "0", "2"]]


def test_single_precision_gets_no_extra_digits():
    figure = go.Figure(go.Scatter(x=np.array([0.1], np.float32), y=np.array([1e-9], np.float32), name="a"))
    assert read(to_csv(figure))[1] == ["a", "0.1", "1e-09", ""]


@pytest.mark.parametrize(
    "trace",
    [
        go.Scatter(x=np.arange(3, dtype=np.int32), y=np.array([0.1, 0.2, 0.3], np.float32), name="a"),
        go.Heatmap(z=np.arange(6, dtype=np.float32).reshape(2, 3), name="h"),
    ],
)
def test_a_figure_read_from_json_gives_the_same_table(trace):
    figure = go.Figure(trace)
    assert to_csv(pio.from_json(figure.to_json())) == to_csv(figure)
