"""A data set as the Data page shows it: pictures of all of it, a row per column, and the rows worth a second look."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from kernlab.numerals import number
from kernlab.pictures.balance import class_balance, plot_balance, target_distribution
from kernlab.pictures.class_names import short
from kernlab.pictures.columns import ColumnSummary
from kernlab.pictures.data_plane import data_plane, plot_data_plane
from kernlab.pictures.distances import plot_distances
from kernlab.pictures.sample_plane import SamplePlane, sample_plane
from kernlab.pictures.theme import CLASSES
from kernlab.pictures.thinning import spread
from kernlab.ui import grid, pictures
from kernlab.ui.data import COLOURS, FORM, ORDERS, Look

__all__ = ["bars", "pictures_of", "show", "style"]

_HEIGHT = 320
_POINTS = 1500  # in the plane
_LISTED = 40  # columns, unless more are asked for
_BARS, _TALL = 96, 22  # width and height of a distribution in pixels

#: The deep colours of classes 1 to 5, and those that charts have in their place on a dark page.
_LIFTED = ("#4AA3E3", "#E69F00", "#27C296", "#F5803A", "#DD93BC")
_COLOURS = " ".join(f"--k{k}: light-dark({CLASSES[k][0]}, {light});" for k, light in enumerate(_LIFTED))
_STYLE = f"""<style>
.st-key-KEY {{ {_COLOURS} }}
.st-key-KEY .bars {{ display: flex; align-items: flex-end; gap: 1px; width: {_BARS}px; height: {_TALL}px; }}
.st-key-KEY .bars i {{ flex: 1 1 0; }}
.st-key-KEY .share {{ display: inline-block; width: 4rem; height: .5rem; margin-right: .5rem; border-radius: .25rem;
  background: color-mix(in srgb, currentColor 14%, transparent); overflow: hidden; }}
.st-key-KEY .percent {{ display: inline-block; min-width: 3.1em; }}
.st-key-KEY .share i {{ display: block; height: 100%; background: var(--k0); }}
</style>"""


def style(key: str) -> None:
    """The look of :func:`bars` within the container of that key."""
    st.html(_STYLE.replace("KEY", key))


def show(seen: Look) -> None:
    """Everything about a data set."""
    dataset, prepared = seen.dataset, seen.prepared
    st.caption(" · ".join(_facts(seen)))
    for warning in seen.sentences:
        st.warning(warning, icon=":material/warning:")
    pictures_of(seen)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.header("Columns", anchor=False)
        FORM.choice("order", "Order of the columns", list(ORDERS), ORDERS)
    _columns(seen)
    st.header("Rows worth a second look", anchor=False)
    left, right = st.columns(2)
    with left:
        _pairs(seen)
    with right:
        _strange(seen)
    words = [f"Inputs are scaled by “{prepared.inputs.kind}”, measured on the {number(len(prepared.train_rows))} "
             "training rows; distances are those of scaled rows."]  # fmt: skip
    if len(seen.rows) < dataset.n:
        words.append(f"Rows were compared on {number(len(seen.rows))} of {number(dataset.n)}, drawn with a fixed seed.")
    st.caption(" ".join(words))


def pictures_of(seen: Look) -> None:
    """The target, the rows in a plane, and the automatic scale against the distances."""
    with st.container(key="overview-data"):
        first, second, third = st.columns(3)
    with first:
        pictures.show("balance", seen.number, lambda: plot_balance(_balance(seen)), height=_HEIGHT,
                      alt="Training rows of each class, or the distribution of the target")  # fmt: skip
    with second:
        _plane(seen)
    with third:
        pictures.show("distances", seen.number, lambda: plot_distances(seen.distances), height=_HEIGHT,
                      alt="Distances of pairs of rows and the kernel of the automatic frequency scale")  # fmt: skip


def _facts(seen: Look) -> list[str]:
    dataset, prepared = seen.dataset, seen.prepared
    kind = f"{dataset.n_outputs} classes" if dataset.task == "classification" else "regression"
    if dataset.task == "regression" and dataset.n_outputs > 1:
        kind += f" of {dataset.n_outputs} targets"
    facts = [f"{number(dataset.n)} rows", f"{number(dataset.d)} input{'s' * (dataset.d != 1)}", kind]
    if dataset.image_shape:
        height, width = dataset.image_shape
        facts.append(f"pictures of {height} × {width} pixels")
    facts.append(f"split: {number(len(prepared.train_rows))} to train on, {number(len(prepared.test_rows))} to test on")
    return [*facts, dataset.description] if dataset.description else facts


def _balance(seen: Look) -> Any:
    dataset, train = seen.dataset, seen.prepared.train_rows
    if dataset.task == "classification":
        return class_balance(np.bincount(dataset.y[train], minlength=dataset.n_outputs).tolist(), dataset.target_names)
    return target_distribution(dataset.y[train, 0], dataset.target_names[0])


# -- the plane -------------------------------------------------------------------------------------------------


def _plane(seen: Look) -> None:
    names = list(seen.dataset.feature_names)
    chosen = [name for name in (FORM["x"], FORM["y"]) if name in names]
    view = (seen.number, *chosen, FORM["colour"])
    pictures.show("plane", view, lambda: _plane_figure(seen, chosen), height=_HEIGHT,
                  alt="Rows of the data set in a plane, coloured by target or by the part of the split")  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(names) > 2:
            words = {"": "principal directions", **{name: name for name in names}}
            FORM.choice("x", "Horizontal axis", list(words), words, menu=True, width=170)
            if FORM["x"]:
                others = [name for name in names if name != FORM["x"]]
                FORM.choice("y", "Vertical axis", others, str, menu=True, width=170)
        FORM.choice("colour", "Colours", list(COLOURS), COLOURS)


def _plane_figure(seen: Look, chosen: Sequence[str]) -> Any:
    dataset, scaler = seen.dataset, seen.prepared.inputs
    names, X = list(dataset.feature_names), seen.X[:, : dataset.d]
    center, scale = scaler.center, scaler.scale
    if len(chosen) == 2:
        at = [names.index(name) for name in chosen]
        names, X, center, scale = list(chosen), X[:, at], center[at], scale[at]
    plane = sample_plane(X, names, center=center, scale=scale)
    strange = seen.strangest
    kept = np.union1d(spread(len(X), _POINTS), strange)
    y = dataset.y[seen.rows[kept]]
    classes = dataset.target_names if dataset.task == "classification" else ()
    view = data_plane(
        _of(plane, kept), y if classes else y[:, 0], seen.rows[kept], seen.test[kept], classes=classes,
        ringed=np.searchsorted(kept, strange).tolist(), target=dataset.target_names[0],
    )  # fmt: skip
    return plot_data_plane(view, parts=FORM["colour"] == "split")


def _of(plane: SamplePlane, rows: Any) -> SamplePlane:
    return plane._replace(coordinates=plane.coordinates[rows])


# -- columns ---------------------------------------------------------------------------------------------------


def _columns(seen: Look) -> None:
    every, dataset = list(seen.columns), seen.dataset
    if FORM["order"] == "related":
        every.sort(key=lambda each: -each.relation)
    cut = every[:_LISTED]
    if len(every) > _LISTED and st.toggle(f"All {len(every)} columns", key="data.all"):
        cut = every
    classes = dataset.task == "classification"
    heads = ["Column", "Distribution", "Explains", "Type", "Missing", "Distinct", "Least", "Greatest"]
    style("columns")
    lines = [grid.line(heads, tag="th", names=2)]
    lines += [grid.line(_cells(each), names=2, quiet=each.kind == "constant") for each in cut]
    grid.show(lines, "columns")
    words = ["“Explains” is the share of " + ("the uncertainty about the class" if classes else "the target's variance")
             + " that the column explains alone, corrected for chance."]  # fmt: skip
    if classes and dataset.n_outputs <= len(_LIFTED):
        names = [short(name, 30) for name in dataset.target_names]
        words.append(f"The colours of a distribution are the classes, from below: {', '.join(names)}.")
    if seen.measured < dataset.n:
        words.append(f"Measured on {number(seen.measured)} of {number(dataset.n)} rows, drawn with a fixed seed.")
    st.caption(" ".join(words))


def _cells(each: ColumnSummary) -> list[str]:
    percent = f'<span class="percent">{100 * each.relation:.0f} %</span>'
    share = f'<span class="share" aria-hidden="true"><i style="width: {100 * each.relation:.0f}%"></i></span>{percent}'
    low, high = (grid.data(short(end, 16)) for end in each.ends)
    missing = number(each.missing) if each.missing else "–"
    return [grid.data(short(each.name, 40)), bars(each), share, each.kind, missing, number(each.distinct), low, high]


def bars(each: ColumnSummary) -> str:
    """The distribution as bars a few pixels high, classes on top of one another."""
    total = each.counts.sum(0)
    parts = []
    for bar, rows in zip(each.counts.T, total.tolist(), strict=True):
        ends = np.concatenate([[0], bar.cumsum()]) * 100 / max(1, rows)
        strips = [f"var(--k{k}) {low:.0f}% {high:.0f}%" for k, (low, high) in enumerate(pairwise(ends)) if high > low]
        high = max(1, round(_TALL * rows / max(1, total.max()))) if rows else 0
        parts.append(f'<i style="height: {high}px; background: linear-gradient(to top, {", ".join(strips)})"></i>'
                     if high else "<i></i>")  # fmt: skip
    return f'<span class="bars" aria-hidden="true">{"".join(parts)}</span>'


# -- rows ------------------------------------------------------------------------------------------------------


def _target(seen: Look, row: int) -> str:
    dataset = seen.dataset
    if dataset.task == "classification":
        return str(dataset.target_names[int(dataset.y[row])])
    return ", ".join(f"{value:.4g}" for value in np.atleast_1d(dataset.y[row])[:3])


def _pairs(seen: Look) -> None:
    st.markdown("**Nearest pairs of rows**")
    lines = [grid.line(["Rows", "Targets", "Distance", "of the median", "Split"], tag="th", names=2)]
    near, test = seen.near, seen.test
    for first, second, distance in zip(near.first, near.second, near.distance, strict=True):
        a, b = int(seen.rows[first]), int(seen.rows[second])
        both = "across" if test[first] != test[second] else "test" if test[first] else "training"
        targets = dict.fromkeys((_target(seen, a), _target(seen, b)))
        lines.append(grid.line(
            [f"{a} and {b}", grid.data(short(" / ".join(targets), 30)), f"{distance:.3g}",
             f"{100 * distance / near.median:.1f} %", both], names=2,
        ))  # fmt: skip
    grid.show(lines, "nearest")
    st.caption("Pairs across the split give a test row's answer to a model that remembers its training rows.")


def _strange(seen: Look) -> None:
    st.markdown("**Strangest rows**")
    lines = [grid.line(["Row", "Target", "Mean similarity", "Furthest out in"], tag="th", names=2)]
    d, names = seen.dataset.d, seen.dataset.feature_names
    usual = float(np.median(seen.near.similarity))
    middle = np.median(seen.X[:, :d], axis=0)
    for place in seen.strangest.tolist():
        away = np.abs(seen.X[place, :d] - middle)
        row = int(seen.rows[place])
        lines.append(grid.line(
            [str(row), grid.data(short(_target(seen, row), 30)), f"{seen.near.similarity[place]:.3f}",
             grid.data(short(names[int(away.argmax())], 24))], names=2,
        ))  # fmt: skip
    grid.show(lines, "strangest")
    st.caption("Similarity is a Gaussian kernel whose lengthscale is the median distance. The median row has a mean "
               f"similarity of {usual:.3f} to the others.")  # fmt: skip
