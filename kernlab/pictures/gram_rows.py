"""Rows of the Gram matrix; a file of its own, since the page shows them after the sample in which rows are selected."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.pictures.base import At, picture
from kernlab.pictures.gram import gram_rows, groups_of, plot_gram_rows
from kernlab.pictures.kernels import PAGE, chosen_matrix, grams_at, has_kernel, rows_of


@picture(PAGE, alt="Rows of the Gram matrix of the selected points", height=400,
         when=lambda at: has_kernel(at) and bool(at.points), uses=("matrix", "points", "output"))  # fmt: skip
def draw_gram_rows(at: At) -> go.Figure:
    """Rows of the selected points, with their k(x, x)."""
    K = grams_at(at)["exact" if chosen_matrix(at) == "exact" else "now"]
    rows = rows_of(at)
    return plot_gram_rows(gram_rows(K, at.points, groups_of(rows), rows.numbers.tolist()))
